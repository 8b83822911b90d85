/* trawl_records: many records in one search; the matches of an expression in one line, with groups;
 * short texts without a text object; what expressions contain. trawl.h includes this header, and
 * its conventions apply. */
#ifndef TRAWL_RECORDS_H
#define TRAWL_RECORDS_H

#include "trawl.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Records x patterns ---------------------------------------------------------------------
 * Records are strings that follow each other in memory (the tape), as in Arrow's string columns,
 * which need no copy. They may be empty and of any length. An occurrence belongs to a record if it
 * lies in the record as a whole. The tape is searched as one text, so neither many short records
 * nor a few long ones cost extra. An expression that matches only zero bytes in a record has a cell
 * there, too, which begins at the first match; so even an empty record may have a cell. */
/* Records in the layout of Arrow's binary and string columns, large or not. */
struct trawl_record_array {
    uint64_t size;        /* sizeof(struct trawl_record_array) */
    const uint8_t *bytes; /* the tape; may be NULL if no record has a byte */
    const void *offsets;  /* record_count + 1 offsets into the tape, ascending */
    uint64_t record_count;
    uint32_t offset_bytes;   /* 8 (uint64_t, int64_t) or 4 (int32_t); 0 means 8 */
    uint32_t flags;          /* enum trawl_records_flag, or-ed */
    const uint8_t *validity; /* NULL: all records are valid. Else record i is null if bit (k & 7) of
                                byte k >> 3 is 0, with k = validity_begin + i: nothing occurs in a
                                null record, whatever its bytes are. */
    uint64_t validity_begin; /* the bit of record 0 */
    uint64_t bytes_count;    /* 0, or the bytes of memory at `bytes`, which no offset may exceed */
};
#define TRAWL_RECORD_ARRAY_INIT                                            \
    {                                                                      \
        sizeof(struct trawl_record_array), NULL, NULL, 0, 0, 0, NULL, 0, 0 \
    }
enum trawl_records_flag {
    /* do not copy the records to a device now: devices search them like a text that is not loaded.
     * For records that are searched once or twice */
    TRAWL_RECORDS_STAY = 1
};
struct trawl_records;
/* Prepare records for any number of searches: check the offsets, and copy tape, offsets and
 * validity to a device. All three lie in the host's memory, or all in that of one GPU (addresses
 * cast to pointers), where they stay. They are borrowed until trawl_records_unload, and may not
 * change. With engine CPU, or under AUTO if no device has enough memory, nothing is copied. With
 * several devices, one gets all records. Errors: ARGUMENT for a NULL, offset_bytes other than 0, 4
 * and 8, offsets that decrease or exceed 2^63 or bytes_count (error.text_offset is the record's
 * offset), memory of different kinds, and an unknown flag; BUSY, MEMORY, DEVICE; for memory of a
 * GPU also UNSUPPORTED, ENGINE. LIMIT: more than 256 texts are loaded. Threads: as for
 * trawl_text_load. Cost: one copy to the device, and a read of the offsets. Memory: on the device
 * the tape, offsets and validity, unless they lie there, and 4 bytes for each KiB of the tape. */
TRAWL_CALL trawl_records_load(struct trawl_searcher *searcher,
                              const struct trawl_record_array *array,
                              struct trawl_records **records, struct trawl_error *error);
/* Free loaded records. Call it before you close the searcher or its runtime, and when no search is
 * using them. NULL is allowed. */
TRAWL_API void trawl_records_unload(struct trawl_records *records);
/* Search loaded records for an answer. For whole words and whole lines, a record's ends count as
 * ends of the text. Errors: as for trawl_ask, except READ. ARGUMENT also if an array lies on a GPU
 * other than the records'; if the plan's algorithm searches records, also for COUNTS, FIRST,
 * MATCHES, offsets of 4 bytes and validity. UNSUPPORTED if records or arrays lie on a GPU, and
 * cells go to a sink or a device cannot answer alone. Cost: the search of the tape; some
 * nanoseconds per occurrence, divided over the device or the threads; on the host 24 bytes written
 * per cell, for FIRST and MATCHES per occurrence. Memory on the host: 8 bytes per occurrence and 24
 * per cell in each thread's chunks, which are smaller if occurrences are dense; up to 4 bytes per
 * pattern for each thread; BITS, BYTES: a bit for each record of a batch. Algorithms for records:
 * about 1 MiB of rows for each thread, at least one row.
 */
TRAWL_CALL trawl_ask_records(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                             struct trawl_records *records, struct trawl_answer *answer,
                             struct trawl_error *error);

/* What trawl_records_rewrite makes of each record. Matches do not overlap. */
enum trawl_rewriting {
    TRAWL_REPLACE = 0,         /* the record, with a value in place of each match */
    TRAWL_MASK = 1,            /* the record, with the value in place of each byte of a match */
    TRAWL_MASK_CHARACTERS = 2, /* the same, but not for bytes that continue a character */
    TRAWL_SPLIT = 3,           /* the parts of the record before, between and after matches */
    TRAWL_GROUP = 4            /* the bytes of a group in the record's first match */
};
struct trawl_rewrite {
    uint64_t size; /* sizeof(struct trawl_rewrite) */
    enum trawl_rewriting how;
    uint32_t flags; /* which matches are used: TRAWL_SPANS or TRAWL_SPANS_FIRST */
    /* an answer TRAWL_RECORDS_MATCHES about these records, with `values`, `begins`, `ends` and, if
     * there are several values, `patterns` in the memory of the GPU that has the records */
    const struct trawl_answer *matches;
    const struct trawl_value *values;
    uint64_t values_count; /* 1, or the number of patterns; SPLIT, GROUP: 0 */
    /* arrays in that memory. Of N records, string i is bytes[offsets[i]] to bytes[offsets[i + 1]];
     * SPLIT: the parts of record i are strings lists[i] to lists[i + 1], and `offsets` has room for
     * N + matches->count + 1 numbers. */
    void *offsets;
    void *lists;
    void *bytes;           /* aligned to 16 bytes */
    uint64_t room;         /* capacity of `bytes` */
    uint32_t offset_bytes; /* 4 or 8: of a number in `offsets` and `lists` */
    /* set by the call, even if it returns LIMIT: the bytes of all strings exceed `room`, or they or
     * the number of strings do not fit into offset_bytes */
    uint64_t count;   /* bytes of all strings */
    uint64_t strings; /* number of strings */
    /* GROUP: the matches' plan, the group's number, and a bitmap in 32-bit words in that memory:
     * bit i & 7 of byte i >> 3 is 1 if the group took part in record i */
    const struct trawl_plan *plan;
    uint64_t group;
    void *validity;
};
/* Rewrite records that lie on a GPU into new strings in its memory. For a plan of strings or of one
 * expression, the matches are those of trawl_replace; for several expressions whose matches overlap
 * they may differ. Errors: ARGUMENT also for arrays that lie elsewhere, or are not aligned;
 * UNSUPPORTED if the records are on the host, and for GROUP unless the plan is one expression in
 * Perl's syntax that is one-pass: each byte of a match decides whether a group goes on, unlike in
 * (a+)(a*); LIMIT; DEVICE. Cost: the text is read and written once. Memory: on the device 24 bytes
 * for each match, kept for later calls. */
TRAWL_CALL trawl_records_rewrite(struct trawl_searcher *searcher, struct trawl_records *records,
                                 struct trawl_rewrite *rewrite, struct trawl_error *error);

/* ---- Matches in a line -----------------------------------------------------------------------
 * Lists the matches of an expression in a line, including empty ones, with their groups. State is
 * kept between matches, so the total time is linear in the line's length. */
struct trawl_line;
/* Open a line, given without its line end. Line, plan and searcher are borrowed until
 * trawl_line_close. If the searcher's call is cancelled, trawl_line_match soon returns STOPPED; if
 * searcher is NULL, nothing stops it. */
TRAWL_CALL trawl_line_open(const struct trawl_plan *plan, uint64_t pattern_index, const void *line,
                           uint64_t line_bytes, const struct trawl_searcher *searcher,
                           struct trawl_line **out, struct trawl_error *error);
/* Point an open line at other bytes, for the same plan and pattern. This costs less than opening
 * another line, because memory is reused. */
TRAWL_CALL trawl_line_move(struct trawl_line *opened, const void *line, uint64_t line_bytes,
                           struct trawl_error *error);
/* Find the first match at `begin` or later, and its groups. To list all matches, search again from
 * the match's end, or after an empty match from one byte further. groups[0] is the match, relative
 * to the line's first byte; a group that took no part in it begins and ends at UINT64_MAX, as
 * groups[0] does if there is no match.
 * Errors: STOPPED; LIMIT if PCRE2 reaches its limit of work, or a program is too large. */
TRAWL_CALL trawl_line_match(struct trawl_line *line, uint64_t begin, struct trawl_range *groups,
                            uint64_t groups_max, struct trawl_error *error);
/* Find the groups of an occurrence that a search found in the line. For occurrences in order, the
 * time is linear in the line. examples/expression_groups.c calls it. Errors: as for
 * trawl_line_match; ARGUMENT also if the occurrence does not lie in the line. */
TRAWL_CALL trawl_line_groups(struct trawl_line *line, struct trawl_range match,
                             struct trawl_range *groups, uint64_t groups_max,
                             struct trawl_error *error);
TRAWL_API void trawl_line_close(struct trawl_line *line);

/* ---- Matches in bytes ------------------------------------------------------------------------ */

/* Count or list the matches in bytes, as trawl_windows does, without a text object. If matches_max
 * is 0, *match_count is the number of all matches. Otherwise the call stores the first matches_max
 * of them, and *match_count is how many it has stored: with room for one, it finds the first.
 * flags: 0, TRAWL_SPANS or TRAWL_SPANS_FIRST. Errors: as for trawl_windows. Cost: the
 * search, plus about 20 to 50 ns for up to 256 strings in up to 64 KiB, or 65,536 in 1 KiB; a set
 * of strings with flags is searched as by trawl_windows. trawl_searcher_stats does not describe
 * such a call. Many texts on one tape (trawl_ask_records) take about 3 ns for 64 bytes. */
TRAWL_CALL trawl_list_bytes(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                            const void *bytes, uint64_t bytes_count, uint32_t flags,
                            struct trawl_match *matches, uint64_t matches_max,
                            uint64_t *match_count, struct trawl_error *error);

/* ---- Expressions without a plan -------------------------------------------------------------- */

/* What trawl_expression_tell reports. */
struct trawl_expression_told {
    uint64_t size; /* sizeof(struct trawl_expression_told); the caller sets this, letter, context */
    /* NULL, or called with each character that stands for itself, also in a class or as \x41. If
     * the alphabet is BYTES, with each such byte. */
    void (*letter)(void *context, uint32_t letter);
    void *context;
    /* 1: an expression has a place, perhaps an optional one, that only a line end, `line_end`, can
     * match */
    uint8_t asks;
    uint8_t line_end; /* set if `asks` is 1, like pattern_index, which is otherwise UINT64_MAX */
    uint8_t reserved[6];
    uint64_t pattern_index; /* the first expression with a line end */
};
/* Parse expressions as one alternation, without building a plan, and report which characters they
 * contain, so that the caller can decide about case, and whether they need a line end, which no
 * line contains. Errors: ARGUMENT as for trawl_plan_build, except for what only PCRE2 would reject;
 * LIMIT. Cost: linear in the bytes of the expressions. */
TRAWL_CALL trawl_expression_tell(const struct trawl_pattern *patterns, uint64_t pattern_count,
                                 const struct trawl_plan_options *options,
                                 struct trawl_expression_told *told, struct trawl_error *error);
/* how many ways of a call are kept */
#define TRAWL_WAYS_KEPT 12
/* A way, or strategy, by which threads searched for regular expressions, such as an automaton or a
 * search for atoms; or an engine that it called for single lines (NFA, PCRE2). trawl_plan_explain
 * lists those that a plan may use. */
struct trawl_way {
    const char *name;    /* valid as long as the library is loaded */
    char what[48];       /* the first of the strings that it looked for; or the class, if it read
                            only lines that have characters of this class in a row; or empty */
    uint64_t bytes;      /* bytes of the text that this way searched */
    uint64_t read_bytes; /* bytes that it read: without the lines that the class ruled out, and with
                            those that it read again to answer a call */
    uint64_t asks;       /* how often another way called it, for a line or for a match's end */
    uint64_t ns;         /* time for `bytes`, with all such calls, summed over the threads; of texts
                            of a few KiB, one in 16 is timed */
};
/* Fill `ways` with the first ways of the last finished call; texts of less than 16 KiB may have
 * none. *count is set to their number: at most `room` and TRAWL_WAYS_KEPT. Errors: ARGUMENT. */
TRAWL_CALL trawl_searcher_ways(const struct trawl_searcher *searcher, struct trawl_way *ways,
                               uint64_t room, uint64_t *count, struct trawl_error *error);

#ifdef __cplusplus
}
#endif
#endif
