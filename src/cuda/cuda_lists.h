/* cuda_lists: lists of hits in a device's memory (kernels/lists.h). */
#ifndef TRAWL_CUDA_CUDA_LISTS_H
#define TRAWL_CUDA_CUDA_LISTS_H

#include "cuda/cuda_scan.h"
#include "cuda/kernels/lists.h"

/* Returns for how many hits a list of this many positions should have room. */
uint64_t cuda_lists_words(const struct cuda_worker *worker, uint64_t positions);
/* Returns how many positions have few enough hits for one list, if hits are as frequent as in the
 * plan's last list. */
uint64_t cuda_lists_reach(const struct cuda_worker *worker);
/* Makes room for `words` hits in both of the worker's lists. */
enum trawl_status cuda_lists_reserve(struct cuda_worker *worker, uint64_t words,
                                     struct trawl_error *error);
/* Sorts `count` words of list *which by their low halves, which have `low_bits` bits, and then by
 * the low `high_bits` bits of their high halves. If `room` is NULL, *which becomes the list with
 * the sorted words; otherwise, they are written to `room` (struct cuda_hits_room). Returns before
 * the kernels are done. */
enum trawl_status cuda_lists_sort(struct cuda_worker *worker, uint32_t *which, uint64_t count,
                                  uint32_t low_bits, uint32_t high_bits,
                                  const struct cuda_hits_room *room, struct trawl_error *error);
/* Starts a kernel of sort.cu or answer.cu with at least `threads` threads, but at most blocks_max
 * blocks (0: any number). */
enum trawl_status cuda_lists_launch(struct cuda_worker *worker, enum cuda_kernel kernel,
                                    uint64_t threads, uint64_t blocks_max, void *arguments,
                                    struct trawl_error *error);
/* Runs a kernel of answer.cu with at least `threads` threads, but at most blocks_max blocks (0: any
 * number). Sets *sums to the kernel's sums, which are valid until the next run. */
enum trawl_status cuda_lists_run(struct cuda_worker *worker, enum cuda_kernel kernel,
                                 uint64_t threads, uint64_t blocks_max, struct answer_arguments *a,
                                 const uint64_t **sums, struct trawl_error *error);
/* Keeps those of the *count hits in list *which that the kernel (ANSWER_ACCEPT or ANSWER_DECIDE)
 * accepts. With `lists`, they are written to the worker's other list, which becomes *which;
 * otherwise, they are only counted. Errors: UNSUPPORTED if a line or a record is too long. */
enum trawl_status cuda_lists_filter(struct cuda_worker *worker, enum cuda_kernel kernel,
                                    struct answer_arguments *a, bool lists, uint32_t *which,
                                    uint64_t *count, struct trawl_error *error);
/* Likewise keeps the hits that the plan's line_reader accepts; returns at once if it has none, or
 * reads all lines. */
enum trawl_status cuda_lists_decide(struct cuda_worker *worker, struct answer_arguments *a,
                                    uint32_t *which, uint64_t *count, struct trawl_error *error);
/* Returns UNSUPPORTED if the sums say that a line or a record is too long. */
enum trawl_status cuda_lists_check(const struct cuda_worker *worker, const uint64_t *sums,
                                   struct trawl_error *error);
/* Prepares worker->answering and its sums for cuda_lists_run. */
enum trawl_status cuda_lists_sums(struct cuda_worker *worker, struct trawl_error *error);
/* Allocates worker->answering, unless it exists. */
enum trawl_status cuda_lists_answering(struct cuda_worker *worker, struct trawl_error *error);

#endif
