/* lines: counting lines with an occurrence, chunk by chunk.
 *
 * A chunk cuts lines at its borders, so its digest speaks of the line it begins in, the lines
 * wholly inside, and the line it ends in; merging in order puts the cut ones together.
 */
#ifndef TRAWL_MATCH_LINES_H
#define TRAWL_MATCH_LINES_H

#include "match/hits.h"

struct line_input {
    const uint8_t *bytes;   /* the chunk's */
    uint64_t owned;         /* bytes in which its occurrences begin */
    const struct hit *hits; /* ascending; hit.offset - hits_base counts from bytes[0] */
    uint64_t hit_count;
    uint64_t hits_base;
    bool one_per_line; /* no two of the hits are in one line */
    uint8_t line_end;
    uint8_t line_end_also; /* the same where there is but one */
};

struct line_digest {
    bool has_bytes;
    bool has_line_end;
    bool head_hit; /* a hit at or before the first line end */
    bool tail_hit; /* a hit after the last line end; the only one without a line end */
    bool tail_has_bytes;
    uint64_t inside_hit;     /* lines wholly inside that have a hit */
    uint64_t line_end_count; /* counted for inverted sums only */
};

struct line_count {
    bool invert;
    uint64_t count_max;
    uint64_t count;      /* selected lines that have ended */
    bool open_has_bytes; /* the line not yet ended */
    bool open_hit;
};

uint64_t lines_count_ends(const uint8_t *bytes, uint64_t count, uint8_t line_end,
                          uint8_t line_end_also);
void lines_digest(const struct line_input *input, bool count_line_ends, struct line_digest *digest);
void lines_merge(struct line_count *count, const struct line_digest *digest);
/* The text ended: bytes after the last line end are a line. */
void lines_end(struct line_count *count);

#endif
