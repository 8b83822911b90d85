/* answer: what a search computes from its hits.
 *
 * A sink names the form of its answer. An engine that knows this form computes the answer where the
 * hits are, in a device's memory, so that no hit is copied to the host. The runtime asks such an
 * engine to do that for long chunks (ENGINE_OUTPUT_ANSWER). With all other engines, the sink's
 * digest computes the same answer from a chunk's hits.
 */
#ifndef TRAWL_MATCH_ANSWER_H
#define TRAWL_MATCH_ANSWER_H

#include "base/status.h"

enum answer_form {
    ANSWER_OF_HITS, /* the hits themselves */
    ANSWER_OF_COUNT,
    ANSWER_OF_LINES,
    ANSWER_OF_PATTERNS,
    ANSWER_OF_RECORDS
};

/* A chunk may begin and end inside a line. So its digest describes the line in which it begins, the
 * lines that are wholly inside, and the line in which it ends. */
struct line_digest {
    bool has_bytes;
    bool has_line_end;
    bool head_hit; /* there is a hit before or at the first line end */
    bool tail_hit; /* there is a hit after the last line end; without line ends, any hit */
    bool tail_has_bytes;
    /* how many lines after the first line end have a hit and end in the chunk */
    uint64_t inside_hit;
    uint64_t line_end_count; /* counted only for inverted counts */
};

/* Sets *lines to the digest of its own bytes followed by those of `more`. */
static inline void line_digest_join(struct line_digest *lines, const struct line_digest *more)
{
    bool joint = lines->tail_hit || more->head_hit;

    lines->has_bytes |= more->has_bytes;
    lines->line_end_count += more->line_end_count;
    if (!more->has_line_end) {
        lines->tail_hit |= more->tail_hit;
        lines->tail_has_bytes |= more->tail_has_bytes;
        return;
    }
    if (lines->has_line_end)
        lines->inside_hit += more->inside_hit + joint;
    else {
        lines->head_hit = joint;
        lines->inside_hit = more->inside_hit;
    }
    lines->has_line_end = true;
    lines->tail_hit = more->tail_hit;
    lines->tail_has_bytes = more->tail_has_bytes;
}

struct engine_records; /* loaded records, as the devices' engine keeps them */

/* the arrays of a struct trawl_answer about records */
enum { RECORD_VALUES, RECORD_PATTERNS, RECORD_BEGINS, RECORD_ENDS, RECORD_COLUMNS };

/* What is wanted from loaded records (struct trawl_answer), and the result. The chunk is the
 * whole tape. */
struct record_answer {
    const struct engine_records *held;
    uint32_t flags; /* the plan's flags: conditions refer to a record instead of the text */
    enum trawl_what shape;
    void *columns[RECORD_COLUMNS]; /* NULL: not wanted */
    uint64_t room;
    uint32_t cell_bytes;
    bool on_device; /* the columns are in the memory of the device that has the records */
    uint64_t count; /* set by the engine */
    bool is_made;   /* set by the engine once the answer is complete */
};

/* Returns true for the answers whose columns hold matches. */
static inline bool record_matches(enum trawl_what shape)
{
    return shape == TRAWL_RECORDS_FIRST || shape == TRAWL_RECORDS_MATCHES;
}

/* Returns how many bytes a column takes that has an item for each of `count` records; 0: it has
 * none. */
static inline uint64_t record_column_bytes(enum trawl_what shape, uint32_t column, uint64_t count,
                                           uint32_t cell_bytes)
{
    if (shape == TRAWL_RECORDS_FIRST)
        return column == RECORD_VALUES ? 0 : count * cell_bytes;
    if (column != RECORD_VALUES || shape == TRAWL_RECORDS_CELLS)
        return 0;
    return shape == TRAWL_RECORDS_BITS      ? (count + 7) / 8
           : shape == TRAWL_RECORDS_BYTES   ? count
           : shape == TRAWL_RECORDS_MATCHES ? (count + 1) * cell_bytes
                                            : count * sizeof(uint32_t);
}

/* Returns what the bytes of such a column are before anything is found. */
static inline uint8_t record_column_fill(enum trawl_what shape)
{
    return shape == TRAWL_RECORDS_FIRST ? 0xff : 0;
}

/* an answer computed from the hits of a chunk */
struct hits_answer {
    enum answer_form form;
    uint64_t hits_max; /* HITS: if there are more hits, only their number is wanted; 0: all are
                           wanted */
    uint8_t line_end, line_end_also; /* for LINES: the bytes that end lines */
    bool counts_ends;                /* for LINES: line_end_count is wanted */
    struct line_digest lines;        /* for LINES: set by the engine */
    /* for PATTERNS: how many hits each pattern has; set by the engine, valid until the worker's
     * next task */
    const uint64_t *by_pattern;
    struct record_answer *records; /* for RECORDS: what is wanted, and the answer */
};

#endif
