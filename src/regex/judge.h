/* judge: decides about a line with RE2, and lists the line's occurrences. */
#ifndef TRAWL_REGEX_JUDGE_H
#define TRAWL_REGEX_JUDGE_H

#include "regex/regex_compile.h"

/* The bytes [begin, end) of a chunk are a line without the line end. */
struct regex_line {
    uint64_t begin;
    uint64_t end;
};

/* Stores in *matches whether the expression matches in the line; the match may be empty. Errors:
 * MEMORY. */
enum trawl_status judge_line(const struct expressions *expressions, uint32_t expression,
                             const uint8_t *line, uint64_t count, bool *matches,
                             struct trawl_error *error);
/* Finds the first occurrence of a byte or more that begins at span->end or later. Sets *found to
 * whether the line has such an occurrence. Errors: MEMORY. */
enum trawl_status judge_next(const struct expressions *expressions, uint32_t expression,
                             const uint8_t *line, uint64_t count, struct regex_span *span,
                             bool *found, struct trawl_error *error);
/* Returns the offset after the character at `at`. */
uint64_t judge_step(const struct expressions *expressions, const uint8_t *text, uint64_t count,
                    uint64_t at);

#endif
