/* lists: the constants and arguments of the kernels that work on a list of hits, for host and
 * device.
 *
 * A search that wants more than a count leaves its hits in a list in the device's memory: 64-bit
 * words, literal << 32 | offset, where the offset counts from the start of the searched range.
 * sort.cu sorts a list. answer.cu computes an answer from it: how many lines have a hit, how often
 * each pattern occurs, which records have a hit.
 */
#ifndef TRAWL_CUDA_KERNELS_LISTS_H
#define TRAWL_CUDA_KERNELS_LISTS_H

#include <stdint.h>

#define LISTS_THREADS 256u

/* ---- sort.cu ---- */

#define SORT_DIGIT_BITS 8u
#define SORT_DIGITS (1u << SORT_DIGIT_BITS)
#define SORT_EACH 8u /* words of a lane in a tile */
#define SORT_TILE (LISTS_THREADS * SORT_EACH)
#define SORT_BLOCKS_MAX 256u
/* The longest list that sort_rank sorts: each of its threads reads the whole list, which costs less
 * than launching the other kernels. */
#define SORT_RANKED_MAX 2048u

struct sort_arguments {
    const uint64_t *from;
    uint64_t *to;
    uint64_t count;
    uint32_t *counts; /* for each block, the number of words with each of the SORT_DIGITS digits */
    uint32_t shift;   /* words are ordered by the digit at this bit */
    /* words per block, a multiple of SORT_TILE */
    uint64_t share;
    /* for each word, base + its low half + factor * its high half is written; words whose index is
     * capacity or more are dropped */
    uint64_t base;
    uint64_t factor;
    uint64_t capacity;
};

/* ---- bins.cu ---- */

#define BINS_SLOTS_MAX 512u /* maximum number of hits in a bin */
#define BINS_BLOCKS_MAX 1056u
#define BINS_FEW 2048u /* with more bins, bins_sum is launched */

struct bins_arguments {
    const uint64_t *slots; /* slots_each for each bin; bins_gather: BINS_RUN_BYTES */
    const uint32_t *counts;
    uint64_t bins;
    uint64_t share;      /* bins of a block */
    uint32_t slots_each; /* bins_marks: positions, a bit each */
    uint32_t *sums;      /* for each block, the hits of its bins */
    uint64_t *full;      /* 1: some bin has more than slots_each hits */
    uint64_t *told;      /* the host's copy of *full */
    uint64_t *to;        /* as in sort_arguments; bins_ends: a word for each bin */
    uint64_t base;
    uint64_t factor;
    uint64_t capacity;
};

/* ---- answer.cu, expressions.cu ---- */

/* Words of answer_arguments.sums. All are zero before each kernel; its last block copies them to
 * the host and resets them. */
enum {
    ANSWER_INNER, /* gaps between two hits that have a line end */
    ANSWER_FIRST, /* 1: the gap before the first hit has a line end */
    ANSWER_LAST,  /* 1: the gap after the last hit has one. Keep the order INNER, FIRST, LAST */
    ANSWER_FAR,   /* gaps that answer_lines has left to answer_gaps */
    ANSWER_VAST,  /* gaps that answer_gaps has left to its second launch */
    ANSWER_KEPT,  /* hits that answer_accept has accepted, or keys that answer_records has listed */
    ANSWER_ENDS,  /* line ends that answer_ends has counted */
    ANSWER_BYTE,  /* the last byte of the range, set by answer_lines */
    ANSWER_LONG,  /* answer_around: see AROUND_PIECE */
    ANSWER_UPTO,  /* answer_find: the end of a line that ends after the range, from lead_at on */
    /* answer_steps: UINT64_MAX - the number of the first record that is out of order; 0: none.
     * answer_decide, answer_around, answer_read, answer_find: not 0 if a line or a record is too
     * long, or an automaton cannot decide about it. */
    ANSWER_FAULT,
    ANSWER_DONE, /* blocks that are done; in the host's copy, the launch's number, written last */
    ANSWER_SUMS
};

#define ANSWER_PIECE_BYTES (64u << 10) /* bytes of a gap that a block reads at a time */
/* A gap in a list: where it begins and ends, and the word of `sums` that counts it; then a word
 * that is 1 once a line end is found. */
#define ANSWER_GAP_WORDS 4u
/* Up to this many patterns are counted in shared memory first. */
#define ANSWER_PATTERNS_SHARED 4096u

enum { ANSWER_NO_BYTE = 256, ANSWER_IN_TEXT = 257 }; /* values of answer_arguments.lead */
enum { ANSWER_WORDS = 1, ANSWER_LINES = 2 };         /* bits of answer_arguments.conditions */
/* What answer_records writes. answer_spans makes columns of hits. */
enum {
    ANSWER_BITS,       /* for each record, a bit: it has a hit */
    ANSWER_BYTES,      /* the same, as a byte */
    ANSWER_COUNTS,     /* for each record, the number of its hits */
    ANSWER_KEYS,       /* for each hit, pattern << 32 | record */
    ANSWER_FIRST_HITS, /* each record's first hit */
    ANSWER_ALL_HITS
};

/* An automaton of match/line_automaton.h. */
struct answer_automaton {
    /* of a text's lines: at a line end, what ends[state] says */
    const uint16_t *next;
    const uint8_t *ends;
    const uint8_t *column_of; /* NULL: a column is a byte */
    uint32_t columns, state_count;
    uint32_t first[5]; /* by what comes before: */
};
enum {
    ANSWER_BEGINS,
    ANSWER_AFTER_WORD,
    ANSWER_AFTER_NEWLINE,
    ANSWER_AFTER_OTHER,
    ANSWER_AFTER_BEYOND
};
#define ANSWER_MATCH 0x8000u /* LINE_MATCH */
#define ANSWER_UNDECIDED 2u  /* LINE_UNDECIDED */
#define ANSWER_STATE 3u      /* LINE_BEGIN; the other states are greater */

/* What answer_around reads of an anchor (match/line_automaton.h): where its automata are in
 * answer_arguments.tables, in units of 16 bytes; before << 32 | after. */
#define AROUND_NOTHING 0xffffffffu /* it always matches */
#define AROUND_LINE 0xfffffffeu    /* `before`: the automaton `after` reads from the line's start */
/* An automaton there is an around_header, then column_of[256], `next` and `ends`. */
struct around_header {
    uint16_t first[5], columns, state_count, unused;
};
/* answer_around reports each so many bytes that a lane reads; long_max: the most reports */
#define AROUND_PIECE 1024u

struct answer_arguments {
    const uint8_t *text; /* as in scan_arguments */
    uint64_t begin, end; /* the range: a hit's offset counts from `begin` */
    uint64_t text_end;
    const uint64_t *hits;
    uint64_t count;
    uint64_t *sums;
    uint64_t *told;                   /* the host's copy of the sums */
    uint64_t launch;                  /* the launch's number, not 0 */
    uint32_t line_end, line_end_also; /* each a byte in all four bytes of the word */

    uint64_t near_bytes;  /* maximum bytes of a gap that a single lane reads */
    uint64_t warp_bytes;  /* maximum bytes of a gap that its warp then reads */
    uint64_t block_bytes; /* maximum bytes of a gap that a single block reads */
    uint64_t *gaps;
    uint64_t gap_count; /* answer_gaps: number of gaps */
    uint64_t *vast;     /* where answer_gaps lists the gaps of more than block_bytes; NULL: all
                           blocks share each gap */

    /* the literals; NULL: all have literal_bytes bytes, or literal i is pattern i */
    const uint32_t *lengths;
    uint32_t literal_bytes;
    const uint32_t *patterns;
    uint64_t *counts; /* a count for each pattern */
    uint32_t pattern_count;

    /* Conditions around an occurrence. `lead` is the byte before the position lead_at, if that is
     * not in device memory; ANSWER_NO_BYTE if the text begins there. */
    uint32_t conditions;
    uint32_t lead;
    uint64_t lead_at;
    /* accepted hits, in any order, or NULL; after the first kept_room, hits are only counted */
    uint64_t *kept;
    uint64_t kept_room;
    /* A line or a record is too long if it reaches decide_bytes from the hit. No byte before
     * decide_low is in this memory; decide_begins: the text begins there. */
    struct answer_automaton automaton;
    uint32_t decide_begins;
    uint64_t decide_bytes, decide_low;
    uint32_t crlf; /* a carriage return before a line's end is part of it */
    /* answer_around: of each literal, its first anchor << 32 | how many it has; the anchors */
    const uint64_t *literal_anchors, *anchors;
    const uint8_t *tables;
    uint64_t long_max;
    /* answer_find: lists matches as find_as says. Ignores hits before find_from, whose lines an
     * earlier range has read. `begins` may be empty if no match is, and begins are not wanted. */
    struct answer_automaton begins;
    uint64_t find_base, find_from;
    uint32_t expression, find_as;

    /* Records: */
    const void *offsets; /* record i is bytes [offsets[i], offsets[i + 1]) of the caller's array */
    const uint8_t *validity;
    uint64_t validity_begin;
    uint64_t record_count;
    uint64_t origin; /* offsets[0] */
    uint64_t tape;   /* position of the first record's first byte, modulo 2^64 */
    /* for each multiple of 2^RECORDS_STEP_LOG2 bytes of the tape, the first record that ends after
     * this offset */
    uint32_t *steps;
    uint64_t step_count;
    uint32_t narrow; /* 1: offsets have 32 bits */
    uint32_t shape;
    uint64_t offset_max; /* answer_steps: no offset may be greater */
    uint32_t *bits; /* BITS, BYTES, and COUNTS if a match may be empty: a bit for each record */
    void *into;     /* BYTES and COUNTS: a byte, or a word of 32 bits, for each record */

    /* answer_cells: sorted keys -> columns of the keys' records and patterns. answer_spans: sorted
     * hits -> columns, each of which may be NULL; cell_records: for each record, how many hits are
     * before it */
    uint64_t into_room;     /* capacity of the columns, in cells or hits */
    uint64_t cells_before;  /* cells or hits of earlier ranges */
    uint32_t *block_counts; /* cells of each block */
    void *cell_records, *cell_patterns, *cell_begins, *cell_ends;
    uint32_t cell_bytes; /* 4 or 8 */
};

/* What answer_find lists for a match: the expression's number << 32; FIND_SPANS: expression <<
 * LENGTH_BITS | length instead, and the begin, from find_base on; FIND_RECORDS: its record's
 * number. If all of a record's matches are empty, one is listed, with FIND_EMPTY. */
enum { FIND_NUMBERS, FIND_SPANS, FIND_RECORDS };
#define FIND_EMPTY 0x80000000u /* bit of the expression's number */
#define LENGTH_BITS 24u        /* bits of a match's length in a list */
#define FIND_PASSES 4u    /* answer_find reads at most this many times decide_bytes of a line */
#define READ_BYTES 1024u  /* bytes of a stripe, whose lines a lane of answer_read reads */
#define READ_WORDS 12288u /* a table of at most this many words is kept in shared memory */
#define RECORDS_STEP_LOG2 10u
#define CELLS_BLOCKS_MAX 256u /* maximum number of blocks of answer_cells */

/* ---- rewrite.cu ---- */

enum { REWRITE_REPLACE, REWRITE_MASK, REWRITE_MASK_CHARACTERS, REWRITE_SPLIT, REWRITE_GROUP };
#define REWRITE_KNOWN 0xffffffffu /* LINE_GROUP_KNOWN */
#define REWRITE_TILE (32u << 10)
#define REWRITE_BLOCKS_MAX 512u /* maximum number of blocks of rewrite_scan */

struct rewrite_arguments {
    /* describes the records (`text` is the first one's first byte), the `count` matches in the
     * columns cell_..., and where the new offsets go (`into`) */
    struct answer_arguments answer;
    uint32_t how;
    uint32_t longest; /* 1: of the matches that begin at the same place, the longest is chosen; 0:
                         the first */
    /* value i is `values` from value_ends[i] to value_ends[i + 1] */
    const uint8_t *values;
    const uint32_t *value_ends;
    uint64_t value_count; /* 1, or one for each pattern; 0: nothing replaces a match */
    /* for each match an entry (rewrite.cu) */
    uint64_t *from, *to, *shift;
    uint64_t *chosen;      /* SPLIT: how many chosen matches are before each match, and in all */
    uint64_t *scanned;     /* rewrite_scan: `shift` or `chosen` */
    uint64_t *block_sums;  /* rewrite_scan: each block's sum */
    uint32_t writes;       /* rewrite_scan: 1: the second launch */
    uint32_t offset_bytes; /* 4 or 8: bytes of a number in `into` and `lists` */
    void *lists;           /* SPLIT: for each record, how many parts are before it */
    uint8_t *bytes;        /* the new text; a multiple of 16 */
    uint64_t total;        /* its number of bytes */
    /* GROUP: the automaton (struct line_group), whose `first` is that of answer.automaton; a bit
     * for each record whose group took part */
    const uint32_t *steps;
    const uint8_t *column_of;
    uint32_t columns, backwards;
    uint32_t *valid;
};

#endif
