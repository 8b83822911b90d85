/* residents: finds the loaded texts on devices */
#ifndef TRAWL_CUDA_RESIDENTS_H
#define TRAWL_CUDA_RESIDENTS_H

#include "cuda/open.h"

#define CUDA_BORROWED_ALIGNMENT 256u /* text addresses in kernels are multiples of this */
#define CUDA_BEFORE_BYTES 256u       /* bytes before a start that kernels may read */

/* Sets text->device to the device that can search the most starts of the text, beginning with the
 * first, and text->reach to their number; text->device to ENGINE_DEVICES_MAX if several copies of
 * the text allow that many. Returns false if no device can search the first one, and for an empty
 * text. */
bool cuda_residents_locate(struct engine *engine, struct engine_text *text);
/* Returns the borrowed text that contains these bytes, or NULL. The caller holds the lock. */
struct cuda_resident *cuda_residents_find_borrowed(struct engine *engine, const uint8_t *bytes);
/* Returns true if these bytes belong to a borrowed text, and sets *fetched to true if the host
 * can read them. */
bool cuda_residents_borrowed(struct engine *engine, const uint8_t *bytes, bool *fetched);
struct cuda_range;

/* Where loaded bytes are on a device. Starts below `most` are searched at `address`, where the
 * first byte is at `at`; later ones in a copy of the text's end, where the first byte would be at
 * tail_at, modulo 2^64. `end`: kernels may search up to this position at `address`. */
struct cuda_place {
    uint64_t address, at, most, end;
    uint64_t tail_address, tail_at;
};
/* Finds the bytes on the worker's device. `need` is the number of bytes that a search reads after a
 * start. Returns false if the bytes are not there, or the copy of a text's end is shorter than this
 * plan needs. */
bool cuda_worker_resident(const struct engine_worker *worker, const uint8_t *bytes, uint64_t count,
                          uint64_t need, struct cuda_place *place);
/* Sets *range to the part of the chunk's starts [from, to) that is searched in one place, beginning
 * with the first. */
void cuda_place_range(const struct cuda_place *place, uint64_t from, uint64_t to, uint64_t count,
                      struct cuda_range *range);
/* Looks up the number of line ends in the `ends->count` bytes at `bytes` of a loaded text on the
 * worker's device. Returns true if it is known. With `keeps`, keeps it instead. */
bool cuda_worker_ends(const struct engine_worker *worker, const uint8_t *bytes, bool keeps,
                      struct cuda_ends *ends);
/* Returns the serial number of a sample: that of the loaded text on the worker's device to which
 * the bytes belong; 0 if there is none. Copies it to *sample, unless that is NULL. */
uint64_t cuda_worker_sample(const struct engine_worker *worker, const uint8_t *bytes,
                            uint64_t count, struct cuda_sample *sample);

#endif
