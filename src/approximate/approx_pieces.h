/* approx_pieces: finds the candidates of an approximate search by an exact search for the literals'
 * pieces, on the host or a device. */
#ifndef TRAWL_APPROXIMATE_APPROX_PIECES_H
#define TRAWL_APPROXIMATE_APPROX_PIECES_H

#include "approximate/collect.h"

/* Writes the candidates of occurrences that begin in [from, *to) of the chunk to `candidates`,
 * which must be empty. `worker` belongs to the engine of `ops`, and is compiled for the plan of the
 * pieces. Lowers *to if there are too many candidates. `result` is scratch memory. */
enum trawl_status approx_pieces_search(const struct engine_ops *ops, struct engine_worker *worker,
                                       const struct approximate *approximate,
                                       const struct engine_chunk *chunk, uint64_t from,
                                       uint64_t *to, struct engine_result *result,
                                       struct approx_candidates *candidates,
                                       struct trawl_error *error);

#endif
