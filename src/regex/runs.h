/* runs: characters of a class that every match of an expression has, one or several in a row, such
 * as the digits of `\w+\d` or of `4\d{15}`. Where they are rare, a search reads only the lines that
 * have them. Vectors look for them at 5 to 20 times the speed of an automaton, with tables of half
 * bytes (plan/nibbles.h), of the first three bytes of a character. The class's encodings are
 * divided among their slots: in the slot of Devanagari's digits are e0 a5 a6 to e0 a5 af.
 *
 *     text                      ж   1   2   3   -   1      [ж\d]{3}: runs of 3 bytes or more
 *     a character begins        1 . 1 1 1 . 1
 *     covered by characters     1 1 1 1 1 . 1
 *     runs, after two shifts    1 1 1 . . . .
 *     both                      1 . 1 . . . .
 *
 * The alternatives of a group may have a run in common, as in (x[0-9a-f]{9}|[0-9a-f]{8}).
 *
 * Some other positions pass, too: the lines there are read as if there were no filter.
 */
#ifndef TRAWL_REGEX_RUNS_H
#define TRAWL_REGEX_RUNS_H

#include "cpu/find.h"
#include "engine.h"
#include "regex/options.h"
#include "regex/syntax/tree.h"

struct runs;

/* The positions of a text where a run may begin, of the bytes [begin, end) of a chunk. */
struct runs_found {
    uint64_t begin, end;
    struct find_tile tile;
};

/* Sets *out to the rarest run of the expression's matches; NULL: there is none that is rare.
 * Errors: MEMORY. */
enum trawl_status runs_make(const struct syntax_node *root, const struct regex_options *options,
                            struct runs **out, struct trawl_error *error);
void runs_free(struct runs *runs); /* accepts NULL */
/* Returns the class, as it is in the expression, and how many of its characters make a run. */
const char *runs_name(const struct runs *runs);
/* Returns the first position in [from, to) of the chunk where a run may begin; `to`: there is none.
 * *found is set to zeros for another chunk. */
uint64_t runs_next(const struct runs *runs, const struct find_ops *find,
                   const struct engine_chunk *chunk, uint64_t from, uint64_t to,
                   struct runs_found *found);

#endif
