/* judge: decides about a line with RE2, and lists the line's occurrences. */
#ifndef TRAWL_REGEX_JUDGE_H
#define TRAWL_REGEX_JUDGE_H

#include <stdatomic.h>
#include <string.h>

#include "regex/words.h"

#define JUDGE_LOOKS 64u /* matches between two looks whether the search goes on */

/* The bytes [begin, end) of a chunk are a line without the line end. */
struct regex_line {
    uint64_t begin;
    uint64_t end;
};

/* Checks whether PCRE2 can answer: `lines`: a search asks which lines match, else for occurrences.
 */
enum trawl_status judge_may(const struct expressions *expressions, bool lines,
                            struct trawl_error *error);
/* Stores in *matches whether the expression matches in the line; the match may be empty. Errors:
 * MEMORY, LIMIT, STOPPED. words_begin has begun the line. */
enum trawl_status judge_line(const struct expressions *expressions, uint32_t expression,
                             struct judged line, bool *matches, struct trawl_error *error);
/* Finds the first occurrence of a byte or more that begins at span->end or later; with each_empty,
 * the first match after *span, of which the begin is at first UINT64_MAX. Sets *found to whether
 * the line has such an occurrence. If the line takes empty matches and *span is {0, 0}, the first
 * empty match stands in for an occurrence that does not exist. Errors: MEMORY, LIMIT, STOPPED. */
enum trawl_status judge_next(const struct expressions *expressions, uint32_t expression,
                             struct judged line, struct regex_span *span, bool *found,
                             struct trawl_error *error);

/* Returns whether the atom that stands at offset `at` of the line is a whole word there. */
bool judge_word(const struct expressions *expressions, struct judged line, uint64_t at,
                const struct plan_literal *atom);

/* The next occurrence of an expression in a line. */
struct occurrence {
    struct regex_span span;
    uint32_t expression; /* index of the expression */
};

/* The next occurrences of several expressions in the same line: a heap, of which items[0] comes
 * first by (begin, expression). `items` has room for an occurrence of each expression. */
struct merge {
    struct occurrence *items;
    uint64_t count;
};

/* Finds the first occurrences of the expressions in `candidates` (NULL: of the first `count`
 * expressions). Errors: MEMORY, LIMIT, STOPPED. */
enum trawl_status merge_begin(struct merge *merge, const struct expressions *expressions,
                              struct judged line, const uint32_t *candidates, uint32_t count,
                              struct trawl_error *error);
/* Replaces items[0] by the next occurrence of the same expression, or removes items[0] if the line
 * has no further occurrence of that expression. Errors: MEMORY, LIMIT, STOPPED. */
enum trawl_status merge_next(struct merge *merge, const struct expressions *expressions,
                             struct judged line, struct trawl_error *error);

/* Returns the offset after the last byte of bytes[from, at) that equals value; `from` if no byte
 * does. */
static inline uint64_t judge_after_last(const uint8_t *bytes, uint64_t from, uint64_t at,
                                        uint8_t value)
{
    const uint8_t *found =
        from < at ? (const uint8_t *)memrchr(bytes + from, value, (size_t)(at - from)) : NULL;

    return found != NULL ? (uint64_t)(found - bytes) + 1 : from;
}

/* Compiles the plan's expressions, to report mistakes when the plan is built. *stays_within: the
 * plan has the flag TRAWL_MULTILINE, which changes nothing. */
enum trawl_status regex_prepare(const struct trawl_plan *plan, bool *stays_within,
                                struct trawl_error *error);
/* Does the work of trawl_expression_groups and trawl_expression_group. */
enum trawl_status regex_groups(const struct trawl_plan *plan, uint64_t pattern_index,
                               const void *line, uint64_t line_bytes, uint64_t begin, uint64_t end,
                               struct trawl_range *groups, uint64_t groups_max,
                               struct trawl_error *error);
uint64_t regex_group(const struct trawl_plan *plan, uint64_t pattern_index, const char *name,
                     uint64_t name_bytes);

#endif
