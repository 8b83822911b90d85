/* approx_host: finds the candidates of an approximate search on the host. */
#ifndef TRAWL_APPROXIMATE_APPROX_HOST_H
#define TRAWL_APPROXIMATE_APPROX_HOST_H

#include "approximate/collect.h"
#include "refine/refine.h"

/* A step is a range of starts that is searched in one call. With the alphabet TRAWL_CHARACTERS, a
 * step near a non-ASCII byte is searched by PIECES; in all other steps, the method compares bytes.
 * With TRAWL_DNA, a step near a U is searched by another method than PIECES. A step is not made
 * shorter than approx_beyond_min (DNA: 256 times that) to begin one of the other kind. Tests
 * replace approx_beyond_min. */
#define APPROX_BEYOND_MIN 256u
extern uint64_t approx_beyond_min;

struct approx_host;

/* Opens the state of one thread of the host that searches. Errors: MEMORY. */
enum trawl_status approx_host_open(struct refiner *refiner, struct approx_host **host,
                                   struct trawl_error *error);
void approx_host_close(struct approx_host *host); /* accepts NULL */
/* Makes `approximate` the plan of later searches. */
enum trawl_status approx_host_begin(struct approx_host *host, const struct approximate *approximate,
                                    struct trawl_error *error);
/* Finds the candidates of all occurrences that begin in [from, *to) of the chunk. May lower *to,
 * but not down to `from`. Errors: MEMORY; STOPPED if the call to which the chunk belongs is
 * over. */
enum trawl_status approx_host_candidates(struct approx_host *host, const struct engine_chunk *chunk,
                                         uint64_t from, uint64_t *to,
                                         struct approx_candidates *candidates,
                                         struct trawl_error *error);

#endif
