/* engine_approximate: runs approximate searches, on the host or on devices.
 *
 * docs/approximate.md defines occurrences. Start reading with approx_compile.h (symbols, classes,
 * pieces) and approx_choose.h (the cheapest method). approx_host.h and approx_device.h find
 * candidates; collect.h and approx_verify.h turn them into hits.
 */
#ifndef TRAWL_APPROXIMATE_ENGINE_APPROXIMATE_H
#define TRAWL_APPROXIMATE_ENGINE_APPROXIMATE_H

#include "engine.h"

extern const struct engine_ops engine_approximate;

#endif
