/* approx_verify: decides which candidates are occurrences of an approximate search, and computes
 * their lengths and distances.
 *
 * For mismatches, m symbols are compared; for edits, the host computes how far 0, 1, ..., k errors
 * reach along each diagonal of Sellers' table (Landau, Vishkin 1989), or, for exact parts and for
 * many ends of a short pattern, the table's rows, for up to 512 ends at once. So time is linear in
 * the text; but where it repeats a long pattern's period, many candidates are compared in whole,
 * and time grows with the pattern, for edits also with k.
 */
#ifndef TRAWL_APPROXIMATE_APPROX_VERIFY_H
#define TRAWL_APPROXIMATE_APPROX_VERIFY_H

#include "approximate/approx_compile.h"
#include "engine.h"

/* How many ends (places where an occurrence may end) are examined together. More, if an occurrence
 * may have more bytes than this. Tests replace approx_ends_min. */
#define APPROX_ENDS_MIN 4096
extern int64_t approx_ends_min;

/* The state of one thread that verifies candidates: scratch memory and the current text. */
struct approx_verifier;

enum trawl_status approx_verifier_open(const struct approximate *approximate,
                                       struct approx_verifier **verifier,
                                       struct trawl_error *error);
void approx_verifier_close(struct approx_verifier *verifier);

/* Sets the chunk in which the next candidates lie. */
void approx_verifier_begin(struct approx_verifier *verifier, const struct engine_chunk *chunk);

/* Prefetches the text at byte `place` of the chunk. */
void approx_verifier_fetch(const struct approx_verifier *verifier, int64_t place);

/* Mismatches: decides whether the literal occurs at byte `begin` of the chunk. If it does, and if
 * `begin` is in [0, chunk->owned), appends a hit with its length and distance (hits_length). */
enum trawl_status approx_verify_begin(struct approx_verifier *verifier, uint32_t literal,
                                      int64_t begin, struct hits *hits, struct trawl_error *error);
/* Edits: appends the occurrences of the literal that end in bytes [from, to] of the chunk and begin
 * in [begin_min, chunk->owned). The ranges of a literal must ascend from call to call, and not
 * overlap. */
enum trawl_status approx_verify_ends(struct approx_verifier *verifier, uint32_t literal,
                                     int64_t from, int64_t to, uint64_t begin_min,
                                     struct hits *hits, struct trawl_error *error);

#endif
