/* sink: what becomes of the occurrences.
 *
 * Each sink has two steps. digest runs in the thread that searched a chunk, several at once, and
 * leaves its product in the chunk's digest. deliver runs in the calling thread, chunk after chunk
 * in order. Who searched, and how, a sink does not know.
 */
#ifndef TRAWL_MATCH_SINK_H
#define TRAWL_MATCH_SINK_H

#include "match/cells.h"
#include "match/hits.h"
#include "want.h"

/* A chunk of the text after the search, as sinks see it. */
struct sink_chunk {
    uint64_t begin; /* text offset of bytes[0] */
    const uint8_t *bytes;
    uint64_t owned;         /* bytes in which its occurrences begin */
    uint64_t after;         /* valid bytes beyond them */
    bool last;              /* the text ends with the owned bytes */
    uint64_t count;         /* occurrences that begin in it */
    const struct hit *hits; /* offsets count from bytes[0] less hits_base; where the sink wants
                               matches, they are these */
    uint64_t hit_count;
    uint64_t hits_base;
    const uint64_t *hit_lengths;       /* where the literals do not say them; else NULL */
    bool one_per_line;                 /* no two hits begin in one line */
    const struct trawl_match *matches; /* where requested, except for columns: */
    const uint64_t *begins, *ends, *patterns;
    uint64_t *line_numbers; /* where requested: digest fills them */
    uint64_t match_count;
};

/* A chunk cuts lines at its borders, so its digest speaks of the line it begins in, the lines
 * wholly inside, and the line it ends in; merging in order puts the cut ones together. */
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

struct pattern_slot {
    uint32_t literal;
    uint32_t count; /* 0: free. A literal begins at most once at each of a chunk's bytes */
};

/* Counts of some patterns; one may come many times. */
struct pattern_counts {
    struct trawl_pattern_count *items; /* owned, as the slots are */
    uint64_t count;
    uint64_t capacity;
    struct pattern_slot *slots; /* all free between two chunks */
    uint64_t slot_count;        /* 0, or a power of two */
};

void pattern_counts_release(struct pattern_counts *counts);

/* The product of digest; kept from chunk to chunk. */
struct sink_digest {
    struct line_digest lines;
    struct cells cells;
    struct pattern_counts pattern_counts;
    uint64_t line_end_count;
    bool has_null;
};

struct sink {
    enum want want;
    bool as_matches;   /* hits become matches, which have end and pattern */
    bool columns;      /* of matches, rather than structs */
    bool line_numbers; /* room for one for each match, as well */
    bool in_parts;     /* deliver takes the matches of a chunk part by part */
    bool keeps_text;   /* deliver looks at the chunk's bytes */
    bool in_place;     /* a chunk may lie in a mapped file, whose bytes may change meanwhile; if it
                          has matches and keeps_text, it is read first */
    uint8_t line_end;  /* the plan's, once the search begins */
    uint8_t line_end_also;
    const struct records *records; /* LINES: NULL, or the text's, which stand for its lines */
    /* NULL: nothing to prepare. A chunk whose digest fails is not delivered. */
    enum trawl_status (*digest)(const struct sink *sink, const struct sink_chunk *chunk,
                                struct sink_digest *digest, struct trawl_error *error);
    /* false: stop the search */
    bool (*deliver)(struct sink *sink, const struct sink_chunk *chunk,
                    const struct sink_digest *digest);

    uint64_t count; /* occurrences, or lines */
    struct trawl_match first;
    bool found;
    bool stopped; /* deliver returned false */
    trawl_match_sink match_sink;
    trawl_window_sink window_sink;
    void *context;
    uint64_t *begins; /* begins_into */
    uint64_t begins_max;
    struct line_count lines;
    uint32_t window_flags;
    uint64_t spans_end; /* SPANS: of the last span delivered */
};

void sink_count(struct sink *sink);
void sink_first(struct sink *sink);
void sink_positions(struct sink *sink, trawl_match_sink function, void *context);
void sink_begins_into(struct sink *sink, uint64_t *begins, uint64_t begins_max);
void sink_lines(struct sink *sink, bool invert, uint64_t lines_max);
/* For callers that take chunks themselves: no deliver. */
void sink_batches(struct sink *sink, bool line_numbers);
/* The same with a digest of its own, made of hits. */
void sink_digests(struct sink *sink,
                  enum trawl_status (*digest)(const struct sink *sink,
                                              const struct sink_chunk *chunk,
                                              struct sink_digest *digest,
                                              struct trawl_error *error),
                  void *context);
void sink_windows(struct sink *sink, uint32_t flags, trawl_window_sink function, void *context);

#endif
