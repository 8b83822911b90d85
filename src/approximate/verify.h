/* verify: the exact answer for candidates: is there an occurrence, how long, at what distance? */
#ifndef TRAWL_APPROXIMATE_VERIFY_H
#define TRAWL_APPROXIMATE_VERIFY_H

#include "approximate/compile.h"
#include "engine.h"

/* So many ends are looked at together, or as many as a match reaches over. Replaced by tests. */
#define APPROX_ENDS_MIN 4096
extern int64_t approx_ends_min;

/* What one thread verifies with: scratch memory, and the text at hand. */
struct approx_verifier;

enum trawl_status approx_verifier_open(const struct approximate *approximate,
                                       struct approx_verifier **verifier,
                                       struct trawl_error *error);
void approx_verifier_close(struct approx_verifier *verifier);

/* The chunk that candidates lie in, from now on. */
void approx_verifier_begin(struct approx_verifier *verifier, const struct engine_chunk *chunk);

/* Ask for the text at this place ahead of its use. */
void approx_verifier_fetch(const struct approx_verifier *verifier, int64_t place);

/* Mismatches: does the literal occur at byte `begin` of the chunk? Appends a hit, if so and if the
 * begin is owned, with its length and distance (hits_length). */
enum trawl_status approx_verify_begin(struct approx_verifier *verifier, uint32_t literal,
                                      int64_t begin, struct hits *hits, struct trawl_error *error);
/* Edits: the occurrences of the literal whose ends lie in bytes [from, to] of the chunk, and whose
 * begins are owned and at least `begin_min`. Calls for one literal come with ascending ranges that
 * do not overlap. */
enum trawl_status approx_verify_ends(struct approx_verifier *verifier, uint32_t literal,
                                     int64_t from, int64_t to, uint64_t begin_min,
                                     struct hits *hits, struct trawl_error *error);

#endif
