/* chain: an automaton that decides about the characters beside a string that a search has found, so
 * that RE2 need not be asked.
 *
 * In `[A-Z][a-z]+ said\b`, a search finds the string " said". One chain reads `[A-Z][a-z]+`
 * backwards from the string, another chain reads `\b` forwards. A chain is made of a sequence of
 * characters, each with its repetition, and of edges: of words, and of the line (`^` backwards, `$`
 * forwards). A chain knows the characters of up to two or three bytes of UTF-8 or, if each byte is
 * a character, all bytes. At other characters, and if the bytes that it may read do not decide, the
 * chain answers that RE2 has to be asked. With TRAWL_MULTILINE, a sequence with edges has no chain.
 */
#ifndef TRAWL_REGEX_CHAIN_H
#define TRAWL_REGEX_CHAIN_H

#include "regex/regex_compile.h"
#include "regex/split.h"

/* a chain reads about this many bytes on each side, even if *spare of chain_read is 0 */
#define CHAIN_BYTES 16u

/* Results of reading. CHAIN_ASKS: RE2 has to decide. Larger numbers are states of the automaton, in
 * which it reads on: state CHAIN_ASKS + 1 + i has rows[i]. */
enum { CHAIN_FAILS, CHAIN_MATCHES, CHAIN_ASKS };

#define CHAIN_SYMBOLS 63u
#define CHAIN_PAGES 64u
/* Characters that the sequence treats alike share a symbol, a column of the automaton's table
 * `rows`. CHAIN_END is a line's end, CHAIN_ELSE a character about which RE2 has to decide.
 * CHAIN_LONG, only in of_byte, is a byte of a character of several bytes. */
enum { CHAIN_END, CHAIN_ELSE, CHAIN_LONG = 255 };

struct places;
struct chain {
    /* The state in which reading begins: first[1] if the character on the other side of the place
     * where reading begins belongs to a word, else first[0]. */
    uint8_t first[2];
    /* the chain reads backwards, from the last byte of a character to its first */
    bool backwards;
    /* under TRAWL_MULTILINE: at the text's end RE2 decides, and a line end is an ordinary byte */
    bool multi;
    bool has_edges; /* the sequence has edges of words */
    /* The sequence has a repetition without limit, and ends with a character and the line's end. So
     * before the automaton reads, may_be_last tells whether the line's last byte fits. */
    bool checks_last;
    bool may_be_last[256];
    uint8_t line_ends[2];
    uint32_t state_count;
    uint64_t words; /* a bit for each symbol whose characters belong to words */
    uint8_t of_byte[256];
    uint8_t page_of[CHAIN_CODES / 64]; /* indexed by code point / 64: a page */
    /* indexed by page, then by code point % 64: a symbol; the last page is scratch space */
    uint8_t pages[CHAIN_PAGES + 1][64];
    struct chain_row {
        uint8_t next[CHAIN_SYMBOLS];
        uint64_t stays; /* a bit for each symbol after which the automaton stays in this state */
    } rows[];
};

/* Makes the automaton of a sequence, which is given in the order of reading. With `backwards`, the
 * bytes of a character are read from last to first. Sets *chain to NULL if the sequence is NULL or
 * too long, if the chain could not decide about one of its edges or about line ends, or if RE2
 * cannot list the characters of one of its classes. *scratch is memory that chains are made in:
 * NULL at first, and released by chain_release. Errors: MEMORY. */
enum trawl_status chain_make(const struct expressions *made, uint32_t expression,
                             const struct split_sequence *sequence, bool backwards,
                             struct places **scratch, struct chain **chain,
                             struct trawl_error *error);
void chain_free(struct chain *chain);
void chain_release(struct places *scratch); /* accepts NULL */

/* What the chains found before and after a string: CHAIN_FAILS, CHAIN_MATCHES or CHAIN_ASKS. */
struct around {
    uint32_t before;
    uint32_t after;
};

/* Reads the text before and after a string, which is bytes[at, end). The string's line lies in
 * bytes[0, count) and ends at a line end. If a chain is NULL, its answer is CHAIN_ASKS. Reads about
 * CHAIN_BYTES + *spare bytes on each side at most. Subtracts all bytes read from *spare, down to
 * 0. */
struct around chain_read(const struct chain *before, const struct chain *after,
                         const uint8_t *bytes, uint64_t at, uint64_t end, uint64_t count,
                         uint64_t *spare);

#endif
