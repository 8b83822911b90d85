/* oracle_naive: what the answer is, as plainly as it can be said. Includes nothing of the library.
 */
#ifndef TRAWL_ORACLE_ORACLE_NAIVE_H
#define TRAWL_ORACLE_ORACLE_NAIVE_H

#include <stdbool.h>
#include <stdint.h>

enum naive_flag { NAIVE_IGNORE_CASE = 1, NAIVE_WHOLE_WORD = 2, NAIVE_WHOLE_LINE = 4 };

struct naive_bytes {
    const uint8_t *bytes;
    uint64_t bytes_count;
};

struct naive_query {
    const struct naive_bytes *patterns;
    uint64_t pattern_count;
    uint32_t flags;
    uint8_t line_end;
    bool nul_ends_lines; /* a NUL ends lines, too */
};

struct naive_match {
    uint64_t begin, end, pattern_index;
};

bool naive_ends_line(const struct naive_query *query, uint8_t byte);

/* All occurrences in order of (begin, pattern index): the first matches_max of them go into
 * matches; returns how many there are. */
uint64_t naive_matches(const struct naive_query *query, struct naive_bytes text,
                       struct naive_match *matches, uint64_t matches_max);

/* Lines in which an occurrence begins, or with `invert` in which none does. A line holds its line
 * end; bytes after the last line end form a line if there are any. */
uint64_t naive_lines(const struct naive_query *query, struct naive_bytes text,
                     const struct naive_match *matches, uint64_t match_count, bool invert);

#endif
