/* engine_approximate: searches for plans with errors, on the host or on devices. */
#ifndef TRAWL_APPROXIMATE_ENGINE_APPROXIMATE_H
#define TRAWL_APPROXIMATE_ENGINE_APPROXIMATE_H

#include "engine.h"

extern const struct engine_ops engine_approximate;

#endif
