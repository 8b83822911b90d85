/* residents: finds the loaded texts that lie on devices. */
#ifndef TRAWL_CUDA_RESIDENTS_H
#define TRAWL_CUDA_RESIDENTS_H

#include "cuda/open.h"

#define CUDA_BORROWED_ALIGNMENT 256u /* text addresses in kernels are multiples of this */
#define CUDA_BEFORE_BYTES 256u       /* bytes before a begin that kernels may read */

/* Sets text->device to the device that can search the most begins of the text, from the first on,
 * and text->reach to their number. If several copies of the text allow that many begins, sets
 * text->device to ENGINE_DEVICES_MAX. Returns false if no device can search the first begin, and
 * for a text without bytes. */
bool cuda_residents_locate(struct engine *engine, struct engine_text *text);
/* Returns the borrowed text that contains these bytes, or NULL. The caller holds the lock. */
struct cuda_resident *cuda_residents_find_borrowed(struct engine *engine, const uint8_t *bytes);
/* Returns true if these bytes belong to a borrowed text. Sets *fetched to whether the host can read
 * the bytes. */
bool cuda_residents_borrowed(struct engine *engine, const uint8_t *bytes, bool *fetched);
struct cuda_range;

/* Where loaded bytes lie on a device. Begins below `most` are searched at `address`, where the
 * first byte is at `at`; later begins in a copy of the text's end, where the first byte would be at
 * tail_at, modulo 2^64. `end`: kernels may search up to this position at `address`. */
struct cuda_place {
    uint64_t address, at, most, end;
    uint64_t tail_address, tail_at;
};
/* Finds the bytes on the worker's device. `need` is the number of bytes that a search reads behind
 * a begin. Returns false if the bytes do not lie there, or the copy of a text's end is shorter than
 * this plan needs. */
bool cuda_worker_resident(const struct engine_worker *worker, const uint8_t *bytes, uint64_t count,
                          uint64_t need, struct cuda_place *place);
/* Sets *range to the part of the chunk's begins [from, to) that is searched in one place, from its
 * begin on. */
void cuda_place_range(const struct cuda_place *place, uint64_t from, uint64_t to, uint64_t count,
                      struct cuda_range *range);
/* Looks up the number of line ends in the `ends->count` bytes at `bytes` of a loaded text on the
 * worker's device. Returns true if the number is known. With `keeps`, keeps the number instead. */
bool cuda_worker_ends(const struct engine_worker *worker, const uint8_t *bytes, bool keeps,
                      struct cuda_ends *ends);
/* Returns the serial number of a sample: of the loaded text on the worker's device to which the
 * bytes belong. 0: there is no sample. Copies the sample to *sample, unless `sample` is NULL. */
uint64_t cuda_worker_sample(const struct engine_worker *worker, const uint8_t *bytes,
                            uint64_t count, struct cuda_sample *sample);

#endif
