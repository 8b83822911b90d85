/* cuda_choose: chooses the method by which a device searches for a single pattern. */
#ifndef TRAWL_CUDA_CUDA_CHOOSE_H
#define TRAWL_CUDA_CUDA_CHOOSE_H

#include "cuda/cuda_tables.h"
#include "plan/plan.h"

/* Returns the method by the plan alone, if the caller asked for the method `asked`. */
enum trawl_method cuda_choose_method(const struct trawl_plan *plan, enum trawl_method asked);

/* Returns the method that should count in the least time, and sets the prices of all methods that
 * were not measured, by a sample of the text. Writes the methods' tuning to *tuning. read_ns: the
 * time in which the device reads the text once. The first choice for a plan and a text counts the
 * time to make tables, and takes the rates of a method only while that method may be the cheapest:
 * 3 to 60 us. Later choices know all rates and the measured prices. */
enum trawl_method cuda_choose_seen(const struct trawl_plan *plan, const uint8_t *sample,
                                   uint64_t sample_bytes, double read_ns,
                                   struct plan_tuning *tuning, struct cuda_prices *prices);

/* Marks a method that cannot search, for want of memory. Returns whether a different method can. */
bool cuda_choose_without(enum trawl_method method, struct cuda_prices *prices);

/* Returns whether the method's measured price is clearly more than the price of a different method.
 */
bool cuda_choose_is_slow(enum trawl_method method, const struct cuda_prices *prices);

#endif
