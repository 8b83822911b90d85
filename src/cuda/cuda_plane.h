/* cuda_plane: chooses the bit plane with which kernels search for a single pattern in text with
 * many candidates. A *bit plane* consists of the same bit of each byte.
 *
 * The host picks the pattern's plane with the longest period; positions at which the text's plane
 * equals it are at least one period apart, so the work is linear. If m, the pattern's length,
 * exceeds 32,768, dense text takes up to m / 16,384 times as long. In a tile that repeats with the
 * pattern's period, the block searches only one period's bytes, after checking that each byte
 * equals the one a period further on: counts in a repeated string of 4 to 1,000 letters run at
 * 0.53 to 0.68 of the speed at which an H200 only reads, with planes at 0.07 to 0.16. Planes
 * alone, without a comparison of bytes, counted m letters a in a text of letters a at 0.55 to
 * 0.67. Where planes are slower than 0.3, in Fibonacci words, for example, later counts try the
 * automaton: 0.40 to 0.31 for 16 to 300 bytes, where planes take 0.16 to 0.06 [H200].
 */
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
