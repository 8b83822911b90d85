/* engine_approximate: searches for plans with errors, by means of the host's or the devices'
 * engine.
 */
#ifndef TRAWL_APPROXIMATE_ENGINE_APPROXIMATE_H
#define TRAWL_APPROXIMATE_ENGINE_APPROXIMATE_H

#include "engine.h"

extern const struct engine_ops engine_approximate;

#endif
