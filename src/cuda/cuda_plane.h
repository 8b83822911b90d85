/* cuda_plane: chooses the bit plane with which kernels search for a single pattern in text with
 * many candidates. A *bit plane* consists of the same bit of each byte. */
#ifndef TRAWL_CUDA_CUDA_PLANE_H
#define TRAWL_CUDA_CUDA_PLANE_H

#include <stdbool.h>

#include "base/status.h"
#include "cuda/kernels/scan.h"

/* Returns the maximum number of words in a pattern's plane, a multiple of 4. */
uint64_t cuda_plane_words(uint64_t pattern_bytes);
/* Chooses how kernels/plane.h searches for a pattern of more than 8 bytes. The window (the bytes of
 * the pattern from which the plane is made) has at most window_max bytes, a multiple of 8 and at
 * least 64. Fills *plane, in which the caller has set only `words`, and `words`, which the caller
 * has zeroed. Errors: MEMORY. Cost: linear in the pattern. */
enum trawl_status cuda_plane_choose(const uint8_t *bytes, uint32_t pattern_bytes,
                                    uint32_t window_max, uint32_t *words, struct scan_plane *plane,
                                    struct trawl_error *error);

#endif
