/* oracle_approximate: finds the occurrences within k errors with the plainest code: compares every
 * span of the text with every pattern. Includes nothing from the library. */
#ifndef TRAWL_ORACLE_ORACLE_APPROXIMATE_H
#define TRAWL_ORACLE_ORACLE_APPROXIMATE_H

#include "oracle_naive.h"

enum approximate_alphabet { APPROXIMATE_BYTES, APPROXIMATE_CHARACTERS, APPROXIMATE_DNA };

struct approximate_range {
    uint64_t begin, end;
};

struct approximate_query {
    const struct naive_bytes *patterns;
    uint64_t pattern_count;
    enum approximate_alphabet alphabet;
    bool edits; /* errors are edits; otherwise mismatches */
    uint32_t k; /* an occurrence has at most k errors */
    /* ASCII letters of either case are equal, and so are characters that `alike` calls equal */
    bool ignore_case;
    /* words consist of ASCII letters, digits, _, and the characters that is_word accepts */
    bool whole_word;
    bool whole_line;
    bool within_lines;
    bool every_end;
    bool both_strands;
    bool any_base;
    uint8_t line_end, line_end_also;
    const struct approximate_range *exact;
    uint64_t exact_count;
    bool (*alike)(uint32_t of_pattern, uint32_t of_text); /* NULL: only ASCII letters are alike */
    bool (*is_word)(uint32_t character);                  /* NULL: words are ASCII */
};

struct approximate_match {
    uint64_t begin, end;
    uint32_t pattern, distance, reversed;
};

/* Returns the number of all occurrences, and writes the first matches_max occurrences to `matches`,
 * in order of (begin, pattern, reversed, end). Returns UINT64_MAX if there is no memory. */
uint64_t approximate_matches(const struct approximate_query *query, struct naive_bytes text,
                             struct approximate_match *matches, uint64_t matches_max);

#endif
