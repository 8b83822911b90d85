/* chain: an automaton that reads the bytes beside a string without RE2.
 *
 * A chain is a sequence of characters with repetitions, such as `[A-Z][a-z]+`: the whole head of an
 * alternative, read backwards from the string, or the rest, read forwards. The line's edge may
 * follow: `^` backwards, `$` forwards. The automaton knows the characters of one or two bytes of
 * UTF-8, or each byte where bytes are characters. It asks for RE2 at longer characters, and where
 * the first CHAIN_BYTES bytes do not decide. Under TRAWL_MULTILINE there is no edge of a line.
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
    bool multi; /* the text, in which a line end is a byte like any, may end anywhere */
    uint8_t next[][256];
};

#define CHAIN_CODES 0x800u /* code points of characters of up to two bytes */

/* Makes the automaton of a sequence, which is given in reading order. backwards: the bytes
 * of a character are read from the last to the first, too. *chain is NULL if the sequence is NULL
 * or too long, or it is not known which characters a class has. Errors: MEMORY. */
enum trawl_status chain_make(const struct expressions *made, const struct split_sequence *sequence,
                             bool backwards, struct chain **chain, struct trawl_error *error);
void chain_free(struct chain *chain);

/* What the bytes around a string say about its head and its rest. */
struct around {
    uint32_t before;
    uint32_t after;
};

/* Reads a line around a string, which is the bytes [at, end) of `bytes`. The line lies within
 * bytes[0, count), and ends at a line end. A chain may be NULL, which asks. */
struct around chain_read(const struct chain *before, const struct chain *after,
                         const uint8_t *bytes, uint64_t at, uint64_t end, uint64_t count);

#endif
