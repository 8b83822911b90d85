/* pass: finds the lines of a step that an atom, or an expression without atoms, points to, and
 * which expressions may match there. */
#ifndef TRAWL_REGEX_PASS_H
#define TRAWL_REGEX_PASS_H

#include "regex/step.h"

/* Finds which expressions of the group may match in the line (lazy_find). Errors: MEMORY. */
enum trawl_status pass_lazily(struct step *step, uint32_t group, const struct lazy_line *line,
                              const uint32_t **found, uint32_t *count, bool *matches,
                              struct trawl_error *error);
/* Finds the lines of the step from `from` on in which expressions may match (lazy_scan). */
enum trawl_status pass_text(struct step *step, uint64_t from, const struct lazy_hit **hits,
                            uint64_t *count, bool *reads, struct trawl_error *error);
/* Finds in which of some records expressions may match (lazy_records). */
enum trawl_status pass_records(struct step *step, struct lazy_hit *records, uint32_t count,
                               bool *reads, struct trawl_error *error);
/* Finds the next line before `ended` that has an atom, from hit *next on, or in which an expression
 * without atoms matches, and the expressions that may match there. If all remaining hits are ruled
 * out and there is no such line, line->after remains UINT64_MAX. Errors: MEMORY. */
enum trawl_status pass_line(struct step *step, uint64_t ended, uint64_t *next, struct line *line,
                            uint32_t *passing, struct trawl_error *error);

#endif
