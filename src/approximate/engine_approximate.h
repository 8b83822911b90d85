/* engine_approximate: searches for plans with errors, on the host or on devices.
 *
 * docs/approximate.md says what an occurrence is. To read this directory, begin with
 * approx_compile.h (symbols, classes, pieces) and approx_choose.h (the cheapest method).
 * approx_host.h and approx_device.h find candidates, and collect.h and approx_verify.h make hits of
 * the candidates.
 */
#ifndef TRAWL_APPROXIMATE_ENGINE_APPROXIMATE_H
#define TRAWL_APPROXIMATE_ENGINE_APPROXIMATE_H

#include "engine.h"

extern const struct engine_ops engine_approximate;

#endif
