/* chain: an automaton that reads the characters beside a string without RE2.
 *
 * A chain is a sequence of characters with repetitions and of edges, such as `[A-Z][a-z]+\b`: the
 * whole head of an alternative, read backwards from the string, or the rest, read forwards. Edges
 * are those of words, and the line's edge: `^` backwards, `$` forwards. The automaton knows the
 * characters of up to three bytes of UTF-8, or each byte where bytes are characters. It asks for
 * RE2 at other characters and where the bytes that it may read do not decide. Under TRAWL_MULTILINE
 * there are no edges.
 */
#ifndef TRAWL_REGEX_CHAIN_H
#define TRAWL_REGEX_CHAIN_H

#include "regex/regex_compile.h"
#include "regex/split.h"

#define CHAIN_BYTES 16u /* read on both sides, though nothing is to spare */

/* What the bytes say. Numbers above CHAIN_ASKS are states of the automaton: state CHAIN_ASKS + 1 +
 * i has rows[i]. */
enum { CHAIN_FAILS, CHAIN_MATCHES, CHAIN_ASKS };

#define CHAIN_CODES 0x10000u /* code points of characters of up to three bytes */
#define CHAIN_SYMBOLS 63u
#define CHAIN_PAGES 64u
/* Symbols, by which the characters that the sequence does not tell apart are one column of a row:
 * a line's end, what RE2 has to read, in of_byte a byte of a longer character, and other numbers.
 */
enum { CHAIN_END, CHAIN_ELSE, CHAIN_LONG = 255 };

struct chain {
    /* The state before the first character. [1]: the character beside belongs to a word. */
    uint8_t first[2];
    bool backwards; /* the last byte of a character is read first */
    bool multi;     /* the text, in which a line end is a byte like any, may end anywhere */
    bool has_edges; /* of words */
    /* The line's last byte rules out most lines before the automaton reads: after a repetition, the
     * sequence ends with a character and the line's edge. */
    bool checks_last;
    bool may_be_last[256];
    uint8_t line_ends[2];
    uint32_t state_count;
    uint64_t words; /* a bit for each symbol of characters of words */
    uint8_t of_byte[256];
    uint8_t page_of[CHAIN_CODES / 64];
    uint8_t pages[CHAIN_PAGES + 1][64]; /* symbols of 64 code points; the last page is for work */
    struct chain_row {
        uint8_t next[CHAIN_SYMBOLS];
        uint64_t stays; /* a bit for each symbol after which the state is the same */
    } rows[];
};

/* Makes the automaton of a sequence, which is given in reading order. backwards: the bytes
 * of a character are read from the last to the first, too. *chain is NULL if the sequence is NULL
 * or too long, or it is not known which characters a class has. Errors: MEMORY. */
enum trawl_status chain_make(const struct expressions *made, uint32_t expression,
                             const struct split_sequence *sequence, bool backwards,
                             struct chain **chain, struct trawl_error *error);
void chain_free(struct chain *chain);

/* What the bytes around a string say about its head and its rest. */
struct around {
    uint32_t before;
    uint32_t after;
};

/* Reads a line around a string, which is the bytes [at, end) of `bytes`. The line lies within
 * bytes[0, count), and ends at a line end. A chain may be NULL, which asks. Takes from *spare what
 * is read beyond the first CHAIN_BYTES or so on each side. */
struct around chain_read(const struct chain *before, const struct chain *after,
                         const uint8_t *bytes, uint64_t at, uint64_t end, uint64_t count,
                         uint64_t *spare);

#endif
