/* pieces: candidates from hits of the plan of pieces. */
#ifndef TRAWL_APPROXIMATE_PIECES_H
#define TRAWL_APPROXIMATE_PIECES_H

#include "approximate/collect.h"

/* Where pieces of occurrences that begin in [from, to) of the chunk begin: the part of the chunk to
 * search for them, as far as it is there. */
void approx_pieces_chunk(const struct approximate *approximate, const struct engine_chunk *chunk,
                         uint64_t from, uint64_t to, struct engine_chunk *part);

/* A candidate of each hit that has room for an occurrence. The part is one of approx_pieces_chunk.
 */
enum trawl_status approx_pieces_take(const struct approximate *approximate,
                                     const struct engine_chunk *chunk,
                                     const struct engine_chunk *part, const struct hits *hits,
                                     struct approx_candidates *candidates,
                                     struct trawl_error *error);

#endif
