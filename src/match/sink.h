/* sink: turns the occurrences of a search into the caller's results.
 *
 * A sink has up to two functions. `digest` runs in the thread that searched a chunk, concurrently
 * with digests of other chunks, and stores its result in the chunk's digest. `deliver` runs in the
 * calling thread, for one chunk after the other, in text order. A sink does not know which engine
 * searched.
 */
#ifndef TRAWL_MATCH_SINK_H
#define TRAWL_MATCH_SINK_H

#include "match/answer.h"
#include "match/cells.h"
#include "match/hits.h"
#include "want.h"

/* A chunk of the text after it was searched. */
struct sink_chunk {
    uint64_t begin; /* text offset of bytes[0] */
    const uint8_t *bytes;
    uint64_t owned; /* the chunk's occurrences begin in the first `owned` bytes */
    uint64_t after; /* readable bytes after the owned bytes */
    bool last;      /* the text ends with the owned bytes */
    uint64_t count; /* occurrences that begin in the chunk */
    /* A hit begins at bytes[offset - hits_base]. If the sink wants matches, `matches` or the
     * columns below have the same occurrences, or some of them. */
    const struct hit *hits;
    uint64_t hit_count;
    uint64_t hits_base;
    /* NULL if each occurrence is as long as its literal */
    const uint64_t *hit_lengths;
    bool one_per_line; /* no two hits begin in the same line */
    /* set if the sink wants matches: structs or, if sink.columns, the arrays below */
    struct trawl_match *matches;
    uint64_t *begins, *ends, *patterns;
    uint16_t *distances, *reversed; /* only if the plan has errors */
    /* if the sink wants line numbers: room for match_count numbers, which digest stores */
    uint64_t *line_numbers;
    uint64_t match_count;
};

struct line_count {
    bool invert;
    uint64_t count_max;
    uint64_t count; /* ended lines with a hit or, if `invert`, without a hit */
    /* about the last line so far, whose line end has not come yet */
    bool open_has_bytes; /* the line is not empty */
    bool open_hit;       /* the line has a hit */
};

struct pattern_slot {
    uint32_t literal;
    /* 0: the slot is free. Less than 2^32, since a literal begins at most once at each byte of a
     * chunk. */
    uint32_t count;
};

/* Counts of patterns in a chunk. A pattern may have several items, whose counts are added up. */
struct pattern_counts {
    struct trawl_pattern_count *items; /* owned, like the slots */
    uint64_t count;
    uint64_t capacity;
    /* a hash table for the current chunk; between chunks, all slots are free */
    struct pattern_slot *slots;
    uint64_t slot_count; /* 0, or a power of two */
};

/* A chunk's table has at least this many slots if the plan has that many literals. Tests replace
 * pattern_slots_min. */
#define PATTERN_SLOTS_MIN 1024u
extern uint64_t pattern_slots_min;

void pattern_counts_release(struct pattern_counts *counts);

/* What `digest` computes from a chunk. The memory is reused for later chunks. */
struct sink_digest {
    struct line_digest lines;
    struct cells cells;
    struct pattern_counts pattern_counts;
    uint64_t line_end_count;
    bool has_null;
};

struct sink {
    enum want want;
    bool as_matches;   /* the runtime turns hits into matches, which have an end and a pattern */
    bool columns;      /* matches are columns (begins, ends, ...) instead of structs */
    bool line_numbers; /* each match also gets room for a line number */
    /* deliver may be called several times for a chunk, each time with some of its matches */
    bool in_parts;
    bool keeps_text; /* deliver reads the chunk's bytes */
    /* The chunk may be in a mapped file, whose bytes may change during the search. If keeps_text, a
     * chunk that has matches is read into memory before deliver. */
    bool in_place;
    uint8_t line_end; /* the byte that ends the plan's lines; set when the search begins */
    uint8_t line_end_also;
    /* The text's records, which take the place of lines; NULL if the text has lines. Used for
     * WANT_LINES, and for plans of expressions or of approximate search. */
    const struct records *records;
    /* NULL: the sink needs no digest. A chunk whose digest fails is not delivered. */
    enum trawl_status (*digest)(const struct sink *sink, const struct sink_chunk *chunk,
                                struct sink_digest *digest, struct trawl_error *error);
    bool digest_adds; /* digest also adds to the caller's memory, so a chunk may have only one */
    /* The form of answer that `deliver` needs. HITS: hits, or their digest. An engine may compute
     * any other form itself, without delivering hits. */
    enum answer_form form;
    struct record_answer *record_answer; /* for the form RECORDS, which only engines can compute */
    bool by_engine;    /* only the devices' engine can compute the answer: hits are not enough */
    uint64_t hits_max; /* for HITS: an engine may leave out hits if there are more; 0: never */
    /* Turns an engine's answer into the digest of a chunk. NULL if there is no digest. */
    enum trawl_status (*answered)(const struct sink *sink, const struct hits_answer *answer,
                                  struct sink_digest *digest, struct trawl_error *error);
    /* Returns false to stop the search. */
    bool (*deliver)(struct sink *sink, const struct sink_chunk *chunk,
                    const struct sink_digest *digest);

    uint64_t count; /* occurrences, or lines */
    struct trawl_match first;
    bool found;
    bool stopped; /* deliver has returned false */
    trawl_match_sink match_sink;
    trawl_window_sink window_sink;
    void *context;
    uint64_t *begins; /* the caller's array of begins_max numbers; set by sink_begins_into */
    uint64_t begins_max;
    struct line_count lines;
    uint32_t window_flags;
    enum spans spans;
    uint64_t spans_end; /* if the window's matches are spans: the end of the last span */
};

void sink_count(struct sink *sink);
void sink_first(struct sink *sink);
void sink_positions(struct sink *sink, trawl_match_sink function, void *context);
void sink_begins_into(struct sink *sink, uint64_t *begins, uint64_t begins_max);
void sink_lines(struct sink *sink, bool invert, uint64_t lines_max);
/* Reduces the chunk's matches to the spans that the sink wants, if it does not want all matches:
 * spans do not overlap, nor do those of earlier chunks. Returns how many there are. */
uint64_t sink_keep_spans(struct sink *sink, const struct sink_chunk *chunk);
/* Sets up a sink without `deliver`, for callers that take chunks from the search themselves. */
void sink_batches(struct sink *sink, uint32_t flags);
void sink_windows(struct sink *sink, uint32_t flags, trawl_window_sink function, void *context);

#endif
