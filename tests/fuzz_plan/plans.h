/* plans: bytes become changes of a saved plan, which is loaded and searched with. */
#ifndef TRAWL_FUZZ_PLAN_PLANS_H
#define TRAWL_FUZZ_PLAN_PLANS_H

#include <stddef.h>
#include <stdint.h>

/* Byte 0 chooses the plan; 255: what follows are the saved bytes themselves. Then changes of six
 * bytes: in the header or behind it, where there (two bytes), how many bytes are changed (1, 2, 4
 * or 8), and the value (two bytes, the upper one repeated). Returns 0; aborts if a plan that was
 * not changed is refused, or if one that is accepted does not find what the oracle finds. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t bytes_count);

#endif
