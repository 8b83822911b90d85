/* plane: bit planes for the dense tiles of one pattern. */
#ifndef TRAWL_CUDA_PLANE_H
#define TRAWL_CUDA_PLANE_H

#include <stdbool.h>

#include "base/status.h"
#include "cuda/kernels/scan.h"

/* Words that the plane of a pattern takes at most, a multiple of 4. */
uint64_t cuda_plane_words(uint64_t pattern_bytes);
/* How kernels/plane.h searches for a pattern of more than 8 bytes, in lower case if `fold`; no
 * window of it is longer than window_max, a multiple of 8, 64 or more. Fills `plane`, zeroed but
 * for its words' address, and its words, zeroed. Errors: MEMORY. Cost: linear in the pattern. */
enum trawl_status cuda_plane_choose(const uint8_t *bytes, uint32_t pattern_bytes,
                                    uint32_t window_max, bool fold, uint32_t *words,
                                    struct scan_plane *plane, struct trawl_error *error);

#endif
