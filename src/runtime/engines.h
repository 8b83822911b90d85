/* engines: the engine for plans with an algorithm, where the build has one. */
#ifndef TRAWL_RUNTIME_ENGINES_H
#define TRAWL_RUNTIME_ENGINES_H

#include "engine.h"

/* The engine for plans with an algorithm, and its algorithms; NULL: this build has none. */
const struct engine_ops *engine_for_algorithms(void);
const struct plan_algorithms *engine_algorithms(void);

#endif
