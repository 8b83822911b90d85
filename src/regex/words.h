/* words: finds matches between word borders, in time linear in the line.
 *
 * A word border is where the character before a match, and the character after the match, is part
 * of no word. RE2 has no such assertion. So RE2 searches for a character of no word, the
 * expression, and another character of no word (regex_ops.bordered). Of all matches between borders
 * with the first begin, RE2 then prefers what RE2 would prefer of all matches: the longest, or the
 * first alternative.
 */
#ifndef TRAWL_REGEX_WORDS_H
#define TRAWL_REGEX_WORDS_H

#include "regex/regex_compile.h"

/* The bytes of a line; `call` is that of struct engine_chunk. */
struct judged {
    const uint8_t *bytes;
    uint64_t count;
    const struct engine_call *call;
    /* An expression whose matches here are all empty occurs at the first match. false: the line is
     * no record, or no expression has an empty match. */
    bool takes_empty;
    struct words *words; /* what words_begin knows of the line */
};

struct words {
    const char *others; /* a class of all characters of the line that are part of no word */
    bool wide;          /* `others` lists characters beyond ASCII */
    /* The line, or a copy in which '\n' stands for each byte that is part of no character. No match
     * holds such a byte, and a match may begin or end beside the byte. */
    const uint8_t *bytes;
    uint8_t *copy;
    uint64_t capacity;
    uint64_t part_begin; /* no such byte in [part_begin, part_end) */
    uint64_t part_end;
};

#define WORDS_CANCELLED (-2) /* returned beside -1 (no memory), 0 (no match) and 1 (a match) */
#define WORDS_LARGE (-3)     /* a program needs more memory than the plan allows */

/* Returns the offset after the character at `at`. */
uint64_t words_step(const struct expressions *expressions, const uint8_t *text, uint64_t count,
                    uint64_t at);
/* Looks at a line in which words_match will search. Errors: MEMORY. */
enum trawl_status words_begin(const struct expressions *expressions, struct judged line,
                              struct trawl_error *error);
void words_release(struct words *words);
/* Finds the first match between word borders that begins at `from` or later; empty: a match may be
 * empty. Returns 1 and the match in *span (NULL: is not wanted), or another number, see above. */
int words_match(const struct expressions *expressions, const struct regex *regex,
                struct judged line, uint64_t from, bool empty, struct regex_span *span);

#endif
