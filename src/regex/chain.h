/* chain: an automaton that reads the bytes beside a string without RE2.
 *
 * A chain is a sequence of characters with repetitions, such as `[A-Z][a-z]+`: the whole head of an
 * alternative, read backwards from the string, or the rest, read forwards. The line's edge may
 * follow: `^` backwards, `$` forwards. The automaton knows ASCII, or each byte where bytes are
 * characters. It asks for RE2 at other bytes, and where the first CHAIN_BYTES bytes do not decide.
 */
#ifndef TRAWL_REGEX_CHAIN_H
#define TRAWL_REGEX_CHAIN_H

#include "regex/regex_compile.h"
#include "regex/split.h"

#define CHAIN_BYTES 64u

/* What the bytes say. Numbers above CHAIN_ASKS are states of the automaton: state CHAIN_ASKS + 1 +
 * i has the row next[i]. */
enum { CHAIN_FAILS, CHAIN_MATCHES, CHAIN_ASKS };

struct chain {
    uint32_t first;     /* the state before the first byte */
    uint32_t row_count; /* rows of `next` */
    uint8_t line_end;
    uint8_t next[][256];
};

/* Makes the automaton of a sequence, which is given in reading order. *chain is NULL if the
 * sequence is NULL or too long. Errors: MEMORY. */
enum trawl_status chain_make(const struct expressions *made, const struct regex_options *options,
                             const struct split_sequence *sequence, struct chain **chain,
                             struct trawl_error *error);
void chain_free(struct chain *chain);

/* Reads up to `count` bytes of a line: by = 1: from at[0] on, by = -1: backwards from at[-1]. The
 * line ends after these bytes, or at a line end among them. chain NULL: returns CHAIN_ASKS. */
static inline uint32_t chain_read(const struct chain *chain, const uint8_t *at, int by,
                                  uint64_t count)
{
    uint32_t state = chain != NULL ? chain->first : CHAIN_ASKS;

    at -= by < 0;
    for (uint64_t i = 0; state > CHAIN_ASKS; i++, at += by) {
        if (i == count)
            return chain->next[state - CHAIN_ASKS - 1][chain->line_end];
        state = i < CHAIN_BYTES ? chain->next[state - CHAIN_ASKS - 1][*at] : CHAIN_ASKS;
    }
    return state;
}

#endif
