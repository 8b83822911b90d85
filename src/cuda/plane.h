/* plane: bit planes for the dense tiles of one pattern. */
#ifndef TRAWL_CUDA_PLANE_H
#define TRAWL_CUDA_PLANE_H

#include "cuda/kernels/scan.h"
#include <stdbool.h>

/* overlap[d], d < overlap_count: how many bytes bytes[d...] share with bytes[0...]. */
void cuda_overlap(const uint8_t *bytes, uint32_t count, uint32_t *overlap, uint32_t overlap_count);

/* Words that a pattern's plane takes, a multiple of 4; 0: it is too long for one. */
uint64_t cuda_plane_words(uint64_t count);
/* Fill `plane`, zeroed but for its words' address, and its words, zeroed. It stays empty where
 * planes do not fit the pattern, or where memory for choosing is not to be had: duels need none. */
void cuda_plane_choose(const uint8_t *bytes, uint64_t pattern_bytes, bool fold,
                       const uint32_t *overlap, uint32_t *words, struct scan_plane *plane);

#endif
