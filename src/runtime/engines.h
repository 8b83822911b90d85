/* engines: the one list of engines that the runtime knows. */
#ifndef TRAWL_RUNTIME_ENGINES_H
#define TRAWL_RUNTIME_ENGINES_H

#include "engine.h"

extern const struct engine_ops *const engine_for_host;
extern const struct engine_ops *const engine_for_devices;
/* For plans with an algorithm; NULL: this build has none. */
extern const struct engine_ops *const engine_for_algorithms;

#endif
