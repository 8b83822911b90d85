/* sampled: when a device samples, and its tables for that. */
#ifndef TRAWL_CUDA_SAMPLED_H
#define TRAWL_CUDA_SAMPLED_H

#include "base/status.h"
#include "cuda/kernels/scan.h"
#include "plan/plan.h"

/* Where the tables go; the bits are all clear. */
struct cuda_sampled_tables {
    uint32_t *heads, *next, *words;
};

/* What a device runs for the plan, if `asked` is asked for. It samples 16 bytes, which distinguish
 * more positions of a long pattern than 8, and from shorter patterns on. Errors: MEMORY. */
enum trawl_status cuda_sampled_choose(const struct trawl_plan *plan,
                                      const struct plan_tuning *tuning, enum trawl_method asked,
                                      enum trawl_method *method, struct trawl_error *error);

/* Stride and sizes for a pattern of `length` bytes; then the tables, of those sizes. */
void cuda_sampled_sizes(uint64_t length, struct scan_arguments *a);
void cuda_sampled_fill(const uint8_t *bytes, const struct scan_arguments *a,
                       const struct cuda_sampled_tables *tables);

/* How the literal is searched in a loaded text of which this is a sample. */
void cuda_sampled_tune(const struct trawl_plan *plan, const uint8_t *sample, uint64_t sample_bytes,
                       struct plan_tuning *tuning);

#endif
