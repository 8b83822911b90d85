/* cuda_lists: lists of hits in a device's memory (kernels/lists.h). */
#ifndef TRAWL_CUDA_CUDA_LISTS_H
#define TRAWL_CUDA_CUDA_LISTS_H

#include "cuda/cuda_scan.h"
#include "cuda/kernels/lists.h"

/* Returns how many hits a list for this many positions has room for. */
uint64_t cuda_lists_words(const struct engine_worker *worker, uint64_t positions);
/* Makes room for `words` hits in both of the worker's lists. */
enum trawl_status cuda_lists_reserve(struct engine_worker *worker, uint64_t words,
                                     struct trawl_error *error);
/* Sorts `count` words of list *which by their low halves, which have `low_bits` bits, and then by
 * the low `high_bits` bits of their high halves. Without `room`, *which becomes the list that has
 * the sorted words. With it, they go there, as cuda_hits_room says. Returns before the kernels are
 * done. */
enum trawl_status cuda_lists_sort(struct engine_worker *worker, uint32_t *which, uint64_t count,
                                  uint32_t low_bits, uint32_t high_bits,
                                  const struct cuda_hits_room *room, struct trawl_error *error);
/* Starts a kernel of sort.cu or answer.cu, of at least `threads` threads but at most blocks_max
 * blocks (0: any number of blocks). */
enum trawl_status cuda_lists_launch(struct engine_worker *worker, enum cuda_kernel kernel,
                                    uint64_t threads, uint64_t blocks_max, void *arguments,
                                    struct trawl_error *error);
/* Runs a kernel of answer.cu of at least `threads` threads, but at most blocks_max blocks (0: any
 * number), and sets *sums to the kernel's sums, valid until the next run. */
enum trawl_status cuda_lists_run(struct engine_worker *worker, enum cuda_kernel kernel,
                                 uint64_t threads, uint64_t blocks_max, struct answer_arguments *a,
                                 const uint64_t **sums, struct trawl_error *error);
/* Keeps those of the *count hits of list *which that the kernel (ANSWER_ACCEPT or ANSWER_DECIDE)
 * accepts. They go to the other list, which becomes *which, or nowhere if only their number is
 * wanted.
 * Errors: UNSUPPORTED if a line or a record is too long. */
enum trawl_status cuda_lists_filter(struct engine_worker *worker, enum cuda_kernel kernel,
                                    struct answer_arguments *a, bool lists, uint32_t *which,
                                    uint64_t *count, struct trawl_error *error);
/* Returns UNSUPPORTED if the sums say that a line or a record is too long. */
enum trawl_status cuda_lists_check(const struct engine_worker *worker, const uint64_t *sums,
                                   struct trawl_error *error);
/* Makes the sums ready for cuda_lists_run. */
enum trawl_status cuda_lists_sums(struct engine_worker *worker, struct trawl_error *error);
/* Makes worker->answering. */
enum trawl_status cuda_lists_answering(struct engine_worker *worker, struct trawl_error *error);

#endif
