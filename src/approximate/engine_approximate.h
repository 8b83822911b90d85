/* engine_approximate: runs approximate searches, on the host or on devices.
 *
 * docs/approximate.md says what an occurrence is. Start reading with approx_compile.h (symbols,
 * classes, pieces) and approx_choose.h (the cheapest method). approx_host.h and approx_device.h
 * find candidates, and collect.h and approx_verify.h make hits of them.
 */
#ifndef TRAWL_APPROXIMATE_ENGINE_APPROXIMATE_H
#define TRAWL_APPROXIMATE_ENGINE_APPROXIMATE_H

#include "engine.h"

extern const struct engine_ops engine_approximate;

#endif
