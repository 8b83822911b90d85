/* residents: finds the loaded texts on devices */
#ifndef TRAWL_CUDA_RESIDENTS_H
#define TRAWL_CUDA_RESIDENTS_H

#include "cuda/open.h"

#define CUDA_BORROWED_ALIGNMENT 256u /* alignment of a text's address in kernels */
#define CUDA_BEFORE_BYTES 256u       /* kernels may read this many bytes before a start */

/* Finds the device that can search starts [0, reach) of the text with the largest reach. Sets
 * text->reach, and text->device to that device; to ENGINE_DEVICES_MAX if several devices have that
 * reach. Returns false if no device can search the first start, or if the text is empty. */
bool cuda_residents_locate(struct cuda_engine *engine, struct engine_text *text);
/* Returns the borrowed text that contains this byte, or NULL. The caller holds the lock. */
struct cuda_resident *cuda_residents_find_borrowed(struct cuda_engine *engine,
                                                   const uint8_t *bytes);
/* Returns true if this byte belongs to a borrowed text, and sets *fetched to true if the host can
 * read that. */
bool cuda_residents_borrowed(struct cuda_engine *engine, const uint8_t *bytes, bool *fetched);
struct cuda_range;

/* Where loaded bytes are on a device. Starts below `max` are searched in the memory at `address`,
 * where the first byte is at offset `at`, and kernels may search up to offset `end`. Later starts
 * are searched in a copy of the text's end at `tail_address`, where the first byte would be at
 * offset tail_at, modulo 2^64. */
struct cuda_place {
    uint64_t address, at, max, end;
    uint64_t tail_address, tail_at;
};
/* Finds the bytes on the worker's device. `need` is how many bytes a search reads after a start.
 * Returns false if the bytes are not there, or if the copy of the text's end is too short for
 * that. */
bool cuda_worker_resident(const struct cuda_worker *worker, const uint8_t *bytes, uint64_t count,
                          uint64_t need, struct cuda_place *place);
/* Sets *range to the first of the chunk's starts [from, to), as far as they are searched in the
 * same memory. */
void cuda_place_range(const struct cuda_place *place, uint64_t from, uint64_t to, uint64_t count,
                      struct cuda_range *range);
/* Looks up ends->ends, the number of line ends in the ends->count bytes at `bytes` of a loaded text
 * on the worker's device. Returns true if it is known. With `keeps`, records ends->ends instead. */
bool cuda_worker_ends(const struct cuda_worker *worker, const uint8_t *bytes, bool keeps,
                      struct cuda_line_ends *ends);
/* Returns the serial number of the sample of the loaded text to which these bytes belong, on the
 * worker's device; 0 if there is none. Copies the sample to *sample, unless that is NULL. */
uint64_t cuda_worker_sample(const struct cuda_worker *worker, const uint8_t *bytes, uint64_t count,
                            struct cuda_sample *sample);

#endif
