/* choose: chooses the method by which a device searches for one pattern. */
#ifndef TRAWL_CUDA_CHOOSE_H
#define TRAWL_CUDA_CHOOSE_H

#include "cuda/tables.h"
#include "plan/plan.h"

/* Returns the method by the plan alone, if the caller asked for the method `asked`. */
enum trawl_method cuda_choose_method(const struct trawl_plan *plan, enum trawl_method asked);

/* Chooses methods by a sample of the text, whose first quarter is spread over the text, too.
 * Writes the cheapest method to *turns, then the methods that cost at most price_max times as
 * much, and the methods' tuning to *tuning. Cost: 3 to 10 us where the plan's own choice costs
 * about as much in this text as in other texts, unless turns->in_full; otherwise 70 to 400 us,
 * by the pattern's length. */
void cuda_choose_seen(const struct trawl_plan *plan, const uint8_t *sample, uint64_t sample_bytes,
                      double price_max, struct plan_tuning *tuning, struct cuda_turns *turns);

#endif
