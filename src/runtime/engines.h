/* engines: the one list of engines that the runtime knows. */
#ifndef TRAWL_RUNTIME_ENGINES_H
#define TRAWL_RUNTIME_ENGINES_H

#include "engine.h"

extern const struct engine_ops *const engine_for_host;
extern const struct engine_ops *const engine_for_devices;

/* Engines that search by means of those two, each for plans of its own. */
enum engine_layer { ENGINE_FOR_ALGORITHMS, ENGINE_FOR_ERRORS, ENGINE_LAYERS };
/* NULL: this build has none. */
extern const struct engine_ops *const engine_layers[ENGINE_LAYERS];
/* And what algorithms there are. */
extern const struct plan_algorithms *const engine_algorithms;

#endif
