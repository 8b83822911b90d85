/* scan: one text on its way through the command.
 *
 * The library delivers windows in order, each with its matches. search.c chooses who takes them:
 *   lines.c       cuts lines, keeps an open line between windows, decides which are selected
 *   matches.c     what needs no lines: -o, --positions, --count-matches, --first
 *   string_counts.c       occurrences by string: --count-by-pattern, --unmatched-patterns
 *   matrix.c      records and rows: --matrix
 *   print_line.c  puts a line into the output, as grep lays it out
 *   print.c       its parts: heads, names, numbers, matches
 *   style.c       lines as ripgrep lays them out
 *   json.c        the same as --json wants it
 *   numbers.c     which of the strings given a match is
 *   binary.c      NUL bytes and bad UTF-8
 *   fasta.c       FASTA files, which have sequences instead of lines
 *   best.c        --best: the least distance, before the rest
 */
#ifndef TRAWL_SCAN_H
#define TRAWL_SCAN_H

#include <stdio.h>

#include "trawl/job.h"
#include "trawl/utf8.h"

#define OFFSET_NONE UINT64_MAX
#define DISTANCE_NONE UINT32_MAX

/* A piece of the text that consists of whole lines. */
struct view {
    const uint8_t *bytes; /* NULL: it is one line, which is read again (reread.c) */
    uint64_t begin;       /* text offset of bytes[0] */
    uint64_t count;
    const struct trawl_match *matches; /* those that begin in the view, in order; not NULL */
    uint64_t match_count;
    bool has_no_end; /* where bytes is NULL: the line has no line end */
};

/* Of a line that style.c lays out. */
struct line_span {
    uint64_t begin, end;              /* in what is printed of the line */
    uint64_t from, to;                /* in the line: the same, if nothing is replaced */
    uint64_t group, group_count;      /* of the view's matches, those that begin where it does */
    const struct trawl_pattern *text; /* what --replacements has for it, or NULL */
    uint16_t distance, reversed;      /* of the match */
};

/* A part of what --replace says: bytes, or NULL where the match stands. The part after the last one
 * says how much all of them are. */
struct replace_part {
    const char *bytes;
    uint64_t bytes_before, matches_before; /* in the parts before it */
};

/* What style.c keeps from line to line. */
struct style_state {
    struct line_span *spans;
    uint64_t span_count, span_capacity;
    struct replace_part *parts; /* of --replace, from the first replaced line on */
    uint64_t part_count, part_capacity;
    uint64_t replaced_end; /* how much is printed of a line that is replaced */
    uint8_t *block;        /* some of that ... */
    uint64_t block_begin, block_count, block_capacity; /* ... from where on, how much */
    bool heading_shown;
    char *link_path; /* the file's, absolute; NULL: not known, or it has none */
    bool link_sought, link_open;
};

/* What json.c keeps of a text. */
struct json_state {
    bool begun;
    uint64_t bytes, lines, matches, begin_ns;
};

/* What characters.c keeps of a text. */
struct characters {
    uint8_t tail[UTF8_BYTES_MAX]; /* bytes that the windows so far ended with */
    uint32_t tail_count;
    struct trawl_match *kept;
    uint64_t kept_capacity;
};

struct text_scan {
    struct command_job *job;
    const struct settings *settings;
    struct output *output;
    struct trawl_text *text;
    const struct trawl_plan *plan;
    const char *name;
    enum binary_files binary_files;
    bool seekable;
    const struct encoding *encoding; /* as in struct job_file */
    bool has_blocks;                 /* a NUL makes 96 KiB binary, not a window */
    bool unpacks;          /* it may end in damage: what was counted until then is wanted */
    unsigned number_width; /* -T */

    /* What was carried over from earlier windows: for context the lines before, and the open line,
     * with the matches that begin in it. */
    uint8_t *carry;
    uint64_t carry_count, carry_capacity, carry_begin;
    uint64_t carry_trim_at; /* from so many bytes on it is looked for lines that are not needed */
    struct trawl_match *carried;
    uint64_t carried_count, carried_capacity;
    uint64_t line_begin;   /* of the first line that is not decided yet */
    bool dropped;          /* the open line's bytes are not in the carry */
    uint8_t *reread_bytes; /* reread.c: what was read again last */
    uint64_t reread_begin, reread_count;

    const struct trawl_window *window; /* at hand, as the library gave it */
    uint64_t window_match;   /* its first match that may begin beyond the lines counted so far */
    uint64_t window_base;    /* line_end_count before it */
    uint64_t counted_end;    /* text offset up to which line ends were counted ... */
    uint64_t line_end_count; /* ... and how many there are */
    bool counts_line_ends;   /* itself, as far as needed: one thread searches, which saves nothing
                              * by counting all */

    uint64_t selected_count; /* lines; occurrences in reports without lines */
    uint64_t left_count;     /* until -m is reached */
    uint64_t selected_end;   /* end of the last selected line */
    uint64_t printed_end;    /* end of the last printed line, OFFSET_NONE if none */
    uint64_t pending_count;  /* lines of trailing context still to print */
    uint64_t ignore_before;  /* lines that end there or before were reported by an earlier pass */
    uint64_t
        match_line_end; /* matches.c: end of the last match's line; OFFSET_NONE: not seen yet */
    uint64_t match_end; /* matches.c: of the last match taken */
    size_t held_before_line; /* matches.c: bytes of output, when the last line began */

    struct characters characters;
    bool filters;          /* of the library's matches some are none (characters.c) */
    uint16_t distance_max; /* --best: the least of the text */
    FILE *spool;           /* --best: the text, where it could be read only once; NULL: none */

    struct number_set numbers;     /* --pattern-number: of the strings in a line or place */
    const uint64_t *shown_numbers; /* those in the next head */
    uint64_t shown_count;
    uint32_t shown_distance; /* in the next head; DISTANCE_NONE: in a line of context */
    struct string_counts_part *string_counts_part; /* string_counts.c */
    struct style_state style;                      /* style.c */
    struct json_state json;                        /* json.c */

    bool quiet;          /* print nothing more */
    bool stop_at_select; /* the first selected line decides */
    bool stop;
    bool by_match;       /* matches.c prints matches, without the lines around them */
    bool every_line;     /* a line without a match may be selected */
    bool run_ends_input; /* under -v -m of standard input, once nothing more is printed ... */
    bool ends_with_run;  /* ... the first selected lines decide that follow each other in one block:
                          * under -v, if nothing is printed, grep reads on so far */
    bool check_whole_line; /* -x is decided here, not by the plan */
    bool keeps_bytes;      /* an open line's bytes may be needed */

    bool watch_nulls; /* a NUL byte changes what is done */
    bool null_seen;   /* NUL ends lines from now on */
    bool rerun;       /* the text must be searched again with another plan */
    bool encoding_error;
    bool bad_line;            /* matches.c: the current line had a match that is not UTF-8 */
    enum trawl_status status; /* not TRAWL_OK: the search cannot go on */
    struct trawl_error error; /* if the status says so */
    uint64_t null_offset;
    uint64_t hole; /* of a file that counts as binary because it has one: where it begins; else 0 */
    uint64_t scanned_end; /* of the last window */
    uint64_t block_end;   /* of the block that the last printed line ends in; OFFSET_NONE: no
                             blocks are told apart */
    uint64_t selected_before_block;
    enum groups groups_before_block;
    uint8_t *zapped; /* a window's bytes with NUL replaced by line ends */
    uint64_t zapped_capacity;
};

/* Around what a sink does, which prints. */
void scan_print_begin(struct text_scan *scan);
void scan_print_end(struct text_scan *scan);

/* Does the empty string match the line [begin, end)? bytes may be NULL where the line is not in
 * memory. */
bool line_holds_empty(const struct text_scan *scan, const uint8_t *bytes, uint64_t begin,
                      uint64_t end);

/* Room in an array for `wanted` elements of `size` bytes; *capacity is how many it has. Returns the
 * array, which may have moved; NULL: out of memory, the scan has failed and the array is as it was.
 */
void *scan_grow(struct text_scan *scan, void *array, uint64_t *capacity, uint64_t wanted,
                uint64_t size);

static inline void scan_fail(struct text_scan *scan, enum trawl_status status)
{
    scan->status = status;
    scan->stop = true;
}

/* Take note of a line: counts it, ends the search if it was the last one wanted. */
static inline void scan_selected(struct text_scan *scan, uint64_t end)
{
    scan->selected_count++;
    scan->selected_end = end;
    scan->left_count--;
    if (scan->stop_at_select)
        scan->stop = true;
}

#endif
