/* trawl_records: searches many records for many patterns, lists the matches of an expression in a
 * line, and reports what expressions contain. trawl.h includes this header, and its conventions
 * apply. */
#ifndef TRAWL_RECORDS_H
#define TRAWL_RECORDS_H

#include "trawl.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Records x patterns ---------------------------------------------------------------------
 * Many records on one tape: their bytes follow each other, in the layout of Arrow's string columns,
 * which can be searched without a copy. Records may be empty and of any length; an occurrence
 * counts for a record if the record contains the whole occurrence. The whole tape is searched as
 * one text, so long and skewed records cost nothing extra. If an expression matches only zero bytes
 * in a record, the pair has a cell, too, which begins at the first match; so even an empty record
 * may have a cell. */
/* Records on one tape in the layout of Arrow's binary and string columns, large or not. */
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
    TRAWL_RECORDS_STAY = 1 /* the records stay in the host's memory, and devices search them as they
                              search a text that is not loaded: for a search or two */
};
struct trawl_records;
/* Load records, in the host's memory or in a GPU's, for any number of searches. This checks the
 * offsets, and puts tape, offsets and validity on a device. The array's bytes, offsets and validity
 * all lie in the host's memory, or all in that of one GPU (addresses cast to pointers). They are
 * borrowed until trawl_records_unload, and may not change. With engine CPU, or under AUTO if no
 * device has room, records in the host's memory stay there. With several devices, one gets all
 * records. Errors: ARGUMENT for a NULL, offset_bytes other than 0, 4 and 8, offsets that descend or
 * exceed 2^63 or bytes_count (error.text_offset is the record's offset), memory of different kinds,
 * and an unknown flag; BUSY, MEMORY, DEVICE; for memory of a GPU also UNSUPPORTED, ENGINE. LIMIT:
 * more than 256 texts are loaded. Threads: as for trawl_text_load. Cost: one copy to the device,
 * and a read of the offsets. Memory: on the device the tape, offsets and validity, unless they lie
 * there, and 4 bytes for each KiB of the tape. */
TRAWL_CALL trawl_records_load(struct trawl_searcher *searcher,
                              const struct trawl_record_array *array,
                              struct trawl_records **records, struct trawl_error *error);
/* Unload records and free the object, before the searcher, or its runtime, is closed. No search may
 * use them. NULL is allowed. */
TRAWL_API void trawl_records_unload(struct trawl_records *records);
/* Search loaded records for an answer. For whole words and whole lines, a record's borders count as
 * borders of the text. Errors: as for trawl_ask, except READ. ARGUMENT also for an array of a GPU
 * that does not have the records; with an algorithm for records also for COUNTS, FIRST, MATCHES,
 * offsets of 4 bytes and validity. UNSUPPORTED if the records or arrays are in a GPU's memory, and
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

/* What trawl_records_rewrite makes of matches in a record that do not overlap. */
enum trawl_rewriting {
    TRAWL_REPLACE = 0,         /* the record, with a value in place of each match */
    TRAWL_MASK = 1,            /* the same, with the value for each byte of the match */
    TRAWL_MASK_CHARACTERS = 2, /* the same, for each byte that does not continue a character of
                                  UTF-8 */
    TRAWL_SPLIT = 3,           /* the parts of the record before, between and after matches */
    TRAWL_GROUP = 4            /* what a group of the record's first match matched */
};
struct trawl_rewrite {
    uint64_t size; /* sizeof(struct trawl_rewrite) */
    enum trawl_rewriting how;
    uint32_t flags; /* which matches are chosen: TRAWL_SPANS or TRAWL_SPANS_FIRST */
    /* the answer MATCHES about the records, whose `values`, `begins`, `ends` and, if there are
     * several values, `patterns` lie in the memory of the GPU that has the records */
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
/* Make a column of strings of records that a GPU has loaded, where the new strings stay. For a plan
 * of strings or of one expression, the matches are those of trawl_replace; expressions whose
 * matches overlap those of others differ. Errors: ARGUMENT also for arrays elsewhere, or not
 * aligned; UNSUPPORTED: the host has the records; GROUP also if the plan is no
 * single expression in Perl's syntax, or not one-pass: some byte of a match leaves open whether a
 * group goes on, as in (a+)(a*); LIMIT; DEVICE. Cost: the text is read and written
 * once. Memory: on the device 24 bytes for each match, kept for later calls. */
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
/* Make an open line refer to another line of the same plan. This costs less than opening that line,
 * because memory is used again. */
TRAWL_CALL trawl_line_move(struct trawl_line *opened, const void *line, uint64_t line_bytes,
                           struct trawl_error *error);
/* Find the first match at `begin` or later, and its groups. To list all matches, search again from
 * the match's end, or after an empty match from one byte further. groups[0] is the match, relative
 * to the line's first byte; a group that took no part in it begins and ends at UINT64_MAX, as
 * groups[0] does if there is no match.
 * Errors: STOPPED; LIMIT for too much work by PCRE2 or too large a program. */
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
/* Tell, without building a plan, whether expressions that are joined as alternatives name a line
 * end, which no line contains, and which characters they contain. So a caller can decide whether
 * case matters before it builds a plan with these options. Errors: ARGUMENT as trawl_plan_build,
 * but PCRE2 is not asked; LIMIT. Cost: linear in the bytes of the expressions. */
TRAWL_CALL trawl_expression_tell(const struct trawl_pattern *patterns, uint64_t pattern_count,
                                 const struct trawl_plan_options *options,
                                 struct trawl_expression_told *told, struct trawl_error *error);

#ifdef __cplusplus
}
#endif
#endif
