/* residents: where texts lie that stay on devices. */
#ifndef TRAWL_CUDA_RESIDENTS_H
#define TRAWL_CUDA_RESIDENTS_H

#include "cuda/open.h"

#define CUDA_BORROWED_ALIGNMENT 256u /* of texts that kernels take */

/* Where is the text held? false: not even its first begin is; so it is with a text of no bytes. */
bool cuda_residents_locate(struct engine *engine, struct engine_text *text);
/* The borrowed text of which these bytes are; NULL: none. With the lock held. */
struct cuda_resident *cuda_residents_find_borrowed(struct engine *engine, const uint8_t *bytes);
/* Are these bytes of a borrowed text? And can the host read them? */
bool cuda_residents_borrowed(struct engine *engine, const uint8_t *bytes, bool *fetched);
/* Where host bytes that were loaded lie on the worker's device: `bytes_at` beyond address. */
bool cuda_worker_resident(const struct engine_worker *worker, const uint8_t *bytes, uint64_t count,
                          uint64_t *address, uint64_t *bytes_at);
/* The serial of the sample that was taken of the text that the bytes are of; 0: there is none.
 * *sample gets a copy, unless it is NULL. */
uint64_t cuda_worker_sample(const struct engine_worker *worker, const uint8_t *bytes,
                            uint64_t count, struct cuda_sample *sample);

#endif
