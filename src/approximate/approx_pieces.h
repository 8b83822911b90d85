/* approx_pieces: finds the candidates of an approximate search by an exact search for the literals'
 * pieces, on the host or a device. */
#ifndef TRAWL_APPROXIMATE_APPROX_PIECES_H
#define TRAWL_APPROXIMATE_APPROX_PIECES_H

#include "approximate/collect.h"
#include "refine/refine.h"

/* Writes the candidates of occurrences that begin in [from, *to) of the chunk to `candidates`,
 * which must be empty. The refiner's prefilter is compiled for the plan of the pieces. Lowers *to
 * if there are too many candidates. */
enum trawl_status approx_pieces_search(struct refiner *refiner,
                                       const struct approximate *approximate,
                                       const struct engine_chunk *chunk, uint64_t from,
                                       uint64_t *to, struct approx_candidates *candidates,
                                       struct trawl_error *error);

#endif
