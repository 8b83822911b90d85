/* words: finds matches where word boundaries count, in time linear in the line.
 *
 * RE2's \b knows only ASCII words, and RE2 has no assertion that looks at only one side, as whole
 * words need. So RE2 reads a copy of the line with marks, in which each character other than an
 * ASCII letter or digit is between two further bytes:
 *
 *     a letter or digit of ASCII   a
 *     another word character       _c_   and '_' itself is _--_
 *     any other character          \nc\n   and '\n' itself is \n--\n
 *     a byte of no character       as any other; if is_strict (regex_compile.h), the byte alone
 *
 * In such a copy RE2's \b knows all words. (?m:^) holds where the character before belongs to no
 * word, and (?m:$) where the character after belongs to no word. Under TRAWL_MULTILINE, ^ and $ ask
 * for newlines, so blanks are the marks instead of \n, unless an expression looks at one side.
 *
 * An expression for copies (regex_options.marks) matches each character together with its marks. So
 * only an empty match can begin or end inside a character.
 */
#ifndef TRAWL_REGEX_WORDS_H
#define TRAWL_REGEX_WORDS_H

#include "regex/regex_compile.h"

/* The bytes of a line that is searched. `call` (struct engine_chunk) cancels the search. */
struct judged {
    const uint8_t *bytes;
    uint64_t count;
    const struct engine_call *call;
    /* An expression's first match counts as an occurrence if all its matches in the line are empty.
     * False if the line is no record, or if no match of the plan can be empty. */
    bool takes_empty;
    bool each_empty; /* each empty match counts as an occurrence */
    /* the atoms, where matches may cross lines (judge.c); NULL: RE2 searches the line */
    const struct hits *atoms;
    /* under TRAWL_MULTILINE, if lines are wanted: after an occurrence, the search goes on after the
     * line in which it ends */
    bool by_lines;
    enum spans spans;     /* which occurrences of several expressions are wanted */
    uint64_t atoms_begin; /* no match begins before this offset; 0: not known */
    uint64_t atoms_end;   /* no match begins at or after this offset; 0: not known */
    struct words *words;  /* what is known about the line; reset by words_begin */
    uint64_t at;          /* offset of the line in the text, for error messages */
};

struct words {
    /* PLAIN: RE2 may read the line itself, without a copy */
    enum { WORDS_UNKNOWN, WORDS_PLAIN, WORDS_MARKED } kind;
    struct pcre2_run run; /* the part of the line in which PCRE2 looked last */
    /* bytes [inside_from, inside_to) continue a character of several bytes; found where a search by
     * PCRE2 last stopped (match_beyond) */
    uint64_t inside_from;
    uint64_t inside_to;
    uint64_t failed_ns;  /* judge.c: time of failed tries near atoms */
    uint64_t granted_ns; /* time that PCRE2 took for more steps than it was granted at first */
    /* the expression whose machine code was granted `machine` steps in this line; NULL: none */
    const struct pcre2 *granted;
    uint64_t machine;
    /* judge.c: PCRE2 left open whether an expression matches, or matches again */
    bool is_undecided;
    uint8_t *copy;
    uint64_t copy_count;
    uint64_t capacity;
    uint64_t copied;    /* bytes of the line that were copied */
    uint64_t at;        /* the offset in the line that was looked up last */
    uint64_t at_copied; /* the offset of the same character in the copy */
};

/* results of words_match, besides -1 (no memory), 0 (no match) and 1 (a match) */
#define WORDS_CANCELLED (-2)
#define WORDS_LARGE (-3) /* a program needs more memory than the plan allows */

/* On the first call, fills expressions->units, the bytes for each ASCII character in a copy, and
 * expressions->words. Errors: MEMORY. */
enum trawl_status words_prepare(struct expressions *expressions, struct trawl_error *error);
void words_free(struct expressions *expressions);
bool words_are_ascii(const uint8_t *bytes, uint64_t count);
/* Returns true if programs without marks may be wrong about words in the line. */
bool words_matter(const struct expressions *expressions, const uint8_t *line, uint64_t count);
/* Returns the offset after the character at `at`. */
uint64_t words_step(const struct expressions *expressions, const uint8_t *text, uint64_t count,
                    uint64_t at);
/* Returns the offset of the character before `at`; 0 if there is none. */
uint64_t words_before(const struct expressions *expressions, const uint8_t *text, uint64_t at);
/* Returns true if `at` lies inside a character of several bytes. Returns false if no expression has
 * a program for copies with marks. */
bool words_within(const struct expressions *expressions, const uint8_t *text, uint64_t count,
                  uint64_t at);
void words_begin(const struct judged *line);
void words_release(struct words *words);
/* Finds a match of the expression in a line, as regex_ops.match does: the first that begins at
 * `from` or later. If the plan asks for whole words, the match must be between word boundaries.
 * Returns 1 for a match, 0 for none, -1 for lack of memory, WORDS_CANCELLED or WORDS_LARGE. For an
 * expression of PCRE2, `to` must be the line's end, `anchor` has no effect, and the result may also
 * be PCRE2_OVER. */
int words_match(const struct expressions *expressions, uint32_t expression,
                const struct judged *line, uint64_t from, uint64_t to, enum regex_anchor anchor,
                struct regex_span *spans, uint32_t span_count);

#endif
