/* begins: where the occurrences in a loaded text begin, as one array. */
#ifndef TRAWL_CUDA_BEGINS_H
#define TRAWL_CUDA_BEGINS_H

#include "cuda/worker.h"

/* Tasks whose output is ARRAY, LIST and COPY, and the wait for a copy, in any thread; with the
 * device entered. */
enum trawl_status cuda_begins(struct engine_worker *worker, const struct engine_chunk *chunk,
                              struct engine_words *words, struct trawl_error *error);
enum trawl_status cuda_list(struct engine_worker *worker, const struct engine_chunk *chunk,
                            struct engine_words *words, struct trawl_error *error);
enum trawl_status cuda_list_copy(struct engine_worker *worker, struct engine_words *words,
                                 struct trawl_error *error);
enum trawl_status cuda_list_copied(const struct engine_worker *worker, struct engine_words *words,
                                   struct trawl_error *error);
void cuda_begins_end(struct engine_worker *worker);

#endif
