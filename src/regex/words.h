/* words: finds matches where the edges of words count, in time linear in the line.
 *
 * RE2's \b knows words of ASCII alone, and RE2 has no assertion about one side, as -w needs. So RE2
 * reads a copy of the line with marks, in which each character that is neither a letter nor a digit
 * of ASCII stands between two bytes:
 *
 *     a letter or digit of ASCII   a
 *     another word character       _c_   and '_' itself is _--_
 *     any other character          \nc\n   and '\n' itself is \n--\n
 *     a byte of no character       as any other; if the expressions are strict, the byte alone
 *
 * Under TRAWL_MULTILINE, where ^ and $ ask for newlines, blanks are the marks of other characters,
 * unless an expression asks about one side.
 *
 * There RE2's \b means all words; (?m:^) holds where the character before is of no word, and (?m:$)
 * where the character after is. An expression for such copies (regex_options.marks) takes a
 * character with its marks, so a match cannot begin or end within, unless the match is empty.
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
    bool each_empty;      /* each empty match is an occurrence */
    struct near *near;    /* NULL, or where to look for matches (near.h) */
    bool by_lines;        /* likewise; the search goes on after the lines of an occurrence */
    uint64_t atoms_begin; /* no match begins before */
    uint64_t atoms_end;   /* no match begins there or later; 0: not known */
    struct words *words;  /* what is known of the line; words_begin begins a line */
    uint64_t at;          /* offset of the line in the text, for errors */
};

struct words {
    enum { WORDS_UNKNOWN, WORDS_PLAIN, WORDS_MARKED } kind; /* PLAIN: no copy is needed */
    enum { UTF8_UNKNOWN, UTF8_BROKEN, UTF8_VALID } utf8;    /* known if PCRE2 was asked */
    uint8_t *copy;
    uint64_t copy_count;
    uint64_t capacity;
    uint64_t copied;    /* bytes of the line that were copied */
    uint64_t at;        /* an offset of the line, which was looked up last */
    uint64_t at_copied; /* the same character in the copy */
};

#define WORDS_CANCELLED (-2) /* returned beside -1 (no memory), 0 (no match) and 1 (a match) */
#define WORDS_LARGE (-3)     /* a program needs more memory than the plan allows */

/* Fills expressions->units. */
void words_prepare(struct expressions *expressions);
/* Returns whether the expressions without marks may mistake words in the line. */
bool words_matter(const struct expressions *expressions, const uint8_t *line, uint64_t count);
/* Returns the offset after the character at `at`. */
uint64_t words_step(const struct expressions *expressions, const uint8_t *text, uint64_t count,
                    uint64_t at);
/* Returns the offset of the character before `at`; 0 at the begin of the text. */
uint64_t words_before(const struct expressions *expressions, const uint8_t *text, uint64_t at);
/* Returns whether the line is UTF-8, or each byte is a character. */
bool words_are_utf8(const struct expressions *expressions, const uint8_t *line, uint64_t count);
/* Returns whether edges of words count and `at` lies within a character. */
bool words_within(const struct expressions *expressions, const uint8_t *text, uint64_t count,
                  uint64_t at);
void words_begin(struct judged line);
void words_release(struct words *words);
/* As regex_ops.match, in a line: finds a match of the expression that begins at `from` or
 * later. Under WHOLE_WORD, a match between word borders. Returns 1, or another number, see
 * above; for expressions of PCRE2 also PCRE2_OVER, and `to` is the line's end. */
int words_match(const struct expressions *expressions, uint32_t expression, struct judged line,
                uint64_t from, uint64_t to, enum regex_anchor anchor, struct regex_span *spans,
                uint32_t span_count);

#endif
