/* choose: chooses the method by which a device searches for one pattern. */
#ifndef TRAWL_CUDA_CHOOSE_H
#define TRAWL_CUDA_CHOOSE_H

#include "cuda/tables.h"
#include "plan/plan.h"

/* Returns the method by the plan alone, if the caller asked for the method `asked`. */
enum trawl_method cuda_choose_method(const struct trawl_plan *plan, enum trawl_method asked);

/* Chooses methods by a sample of the text. Writes the method that should take the least time for a
 * first count, tables included, to *turns, then the methods that cost at most price_max times as
 * much as the cheapest once their tables are made, and the methods' tuning to *tuning. read_ns: the
 * time in which the device reads the text once. Cost: 5 to 25 us; the rates of a method are only
 * taken while that method may be the cheapest, or if turns->in_full. */
void cuda_choose_seen(const struct trawl_plan *plan, const uint8_t *sample, uint64_t sample_bytes,
                      double price_max, double read_ns, struct plan_tuning *tuning,
                      struct cuda_turns *turns);

#endif
