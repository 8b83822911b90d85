/* choose: which method a device runs for one pattern. */
#ifndef TRAWL_CUDA_CHOOSE_H
#define TRAWL_CUDA_CHOOSE_H

#include "cuda/tables.h"
#include "plan/plan.h"

/* By the plan, if `asked` is asked for. */
enum trawl_method cuda_choose_method(const struct trawl_plan *plan, enum trawl_method asked);

/* By a sample of the text whose first quarter is spread over it, too: what costs least there, and
 * after it what costs at most price_max times as much, with their *tuning. Cost: 3 to 10 us where
 * the plan's own choice is as good as it is elsewhere, unless turns->in_full; else 70 to 400 us, by
 * the pattern's length. */
void cuda_choose_seen(const struct trawl_plan *plan, const uint8_t *sample, uint64_t sample_bytes,
                      double price_max, struct plan_tuning *tuning, struct cuda_turns *turns);

#endif
