/* oracle_naive: finds all occurrences with the plainest code, which the tests assume to be right.
 * Includes nothing from the library. */
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
    bool has_line_end_also; /* line_end_also ends lines, too */
    uint8_t line_end_also;
};

struct naive_match {
    uint64_t begin, end, pattern_index;
};

bool naive_ends_line(const struct naive_query *query, uint8_t byte);
uint8_t naive_fold(uint8_t byte, uint32_t flags);
/* Returns true if, by the query's flags, no occurrence may be next to this byte. */
bool naive_blocks(const struct naive_query *query, uint8_t c);

/* Returns the number of all occurrences, and writes the first matches_max occurrences to `matches`,
 * in order of (begin, pattern index). */
uint64_t naive_matches(const struct naive_query *query, struct naive_bytes text,
                       struct naive_match *matches, uint64_t matches_max);

/* Returns the number of lines in which an occurrence begins or, with `invert`, in which none
 * begins. A line includes its line end; bytes after the last line end are a line, too. */
uint64_t naive_lines(const struct naive_query *query, struct naive_bytes text,
                     const struct naive_match *matches, uint64_t match_count, bool invert);

#endif
