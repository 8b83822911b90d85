/* cuda_pages: builds and asks the filter of a loaded text on its device, and copies the ranges that
 * are left next to each other, so that they are one range, which one launch searches. */
#ifndef TRAWL_CUDA_CUDA_PAGES_H
#define TRAWL_CUDA_CUDA_PAGES_H

#include "cuda/residents.h"
#include "cuda/launch.h"

/* Copies of chunk->kept what begins at offset `at` or later, at most bytes_max, to the worker's
 * text memory, with as many bytes after each range as a search reads, and sets *range to the copy.
 * If nothing is left, *range is empty. Sets *is_done to false if the text itself must be searched.
 */
enum trawl_status cuda_pages_gather(struct cuda_worker *worker, const struct engine_chunk *chunk,
                                    uint64_t at, uint64_t bytes_max, const struct cuda_place *place,
                                    struct cuda_range *range, bool *is_done,
                                    struct trawl_error *error);
/* Returns the offset in the chunk of what is at this offset of the copy. */
uint64_t cuda_pages_origin(const struct cuda_worker *worker, uint64_t offset);

/* device_ops.pages_make, pages_ask and pages_drop. */
enum trawl_status cuda_pages_make(struct engine *opaque, struct plan_pages *pages,
                                  struct engine_pages **made, struct trawl_error *error);
enum trawl_status cuda_pages_ask(struct engine *opaque, const struct engine_pages *made,
                                 const struct trawl_plan *plan, uint64_t first, uint64_t end,
                                 uint64_t *kept, bool *knows, struct trawl_error *error);
void cuda_pages_drop(struct engine *opaque, struct engine_pages *made);

#endif
