/* begins: where the occurrences in a loaded text begin, as one array. */
#ifndef TRAWL_CUDA_BEGINS_H
#define TRAWL_CUDA_BEGINS_H

#include "cuda/worker.h"

/* The engine's table says what they do; with the device entered. */
enum trawl_status cuda_begins(struct engine_worker *worker, struct engine_begins *begins,
                              struct trawl_error *error);
enum trawl_status cuda_list(struct engine_worker *worker, struct engine_list *list,
                            struct trawl_error *error);
enum trawl_status cuda_list_bring(struct engine_worker *worker, uint64_t at, uint64_t count,
                                  uint32_t piece, uint64_t *host, struct trawl_error *error);
bool cuda_is_pinned(const struct engine_worker *worker, const void *bytes, uint64_t count);
enum trawl_status cuda_list_piece(const struct engine_worker *worker, uint32_t piece,
                                  const uint64_t **words, struct trawl_error *error);
void cuda_begins_end(struct engine_worker *worker);

#endif
