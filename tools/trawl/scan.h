/* scan: one text on its way through the command.
 *
 * The library delivers windows in order, each with its matches. search.c chooses who takes them:
 *   lines.c    cuts lines, keeps an open line between windows, decides which are selected
 *   matches.c  what needs no lines: -o, --positions, --count-matches, --first
 *   tally.c    occurrences by string: --count-by-pattern, --unmatched-patterns
 *   matrix.c   records and rows: --matrix
 *   X
 *   print.c    puts a line, a head, a match into the output, as grep lays them out
 *   style.c    X
 *   json.c     the same as --json wants it
 *   numbers.c  which of the strings given a match is
 *   binary.c   NUL bytes and bad UTF-8
 */
#ifndef TRAWL_SCAN_H
#define TRAWL_SCAN_H

#include "trawl/job.h"

#define OFFSET_NONE UINT64_MAX

/* grep looks for NUL in its buffers: 96 KiB of a file at a time. No line of a buffer is printed
 * if there is a NUL in it. */
#define BLOCK_BYTES (UINT64_C(96) << 10)

/* An open line longer than this is not kept but read again if it is to be printed. */
#define KEPT_LINE_BYTES_MAX (UINT64_C(1) << 20)

/* A piece of the text in memory that consists of whole lines. */
struct view {
    const uint8_t *bytes;
    uint64_t begin; /* text offset of bytes[0] */
    uint64_t count;
    const struct trawl_match *matches; /* those that begin in the view, in order; not NULL */
    uint64_t match_count;
    bool one_per_line; /* no two of them begin in one line */
};

/* Of a line that style.c lays out. */
struct span {
    uint64_t begin, end;         /* in the line */
    uint64_t group, group_count; /* of the view's matches, those that begin where it does */
    uint64_t text_end;           /* in the text, before anything is replaced */
};

/* What style.c keeps from line to line. */
struct style_state {
    struct span *spans;
    uint64_t span_count, span_capacity;
    uint8_t *replaced; /* the line with its replacements */
    uint64_t replaced_count, replaced_capacity;
    bool heading_shown;
    char *link_path; /* the file's, absolute; NULL: not known, or it has none */
    bool link_sought, link_open;
};

/* What json.c keeps of a text. */
struct json_state {
    bool begun;
    uint64_t bytes, lines, matches, begin_ns;
};

#define ENCODED_BYTES_MAX 4 /* of a character that characters.c follows */

/* characters.c: where characters begin, followed from each line's beginning on. */
struct characters {
    uint64_t at;      /* text offset of a character's first byte */
    bool word_before; /* the character before it is a letter, a digit or an underscore */
    uint8_t tail[ENCODED_BYTES_MAX]; /* bytes from `at` on that the last window ended with */
    uint32_t tail_count;
    struct trawl_match *kept;
    uint64_t kept_capacity;
};

struct scan {
    struct job *job;
    const struct settings *settings;
    struct output *output;
    struct trawl_text *text;
    const struct trawl_plan *plan;
    const char *name;
    enum binary_files binary_files;
    bool seekable;
    bool unpacks;          /* it may end in damage: what was counted until then is wanted */
    unsigned number_width; /* -T */

    /* What was carried over from earlier windows: for context the lines before, and the open line,
     * with the matches that begin in it. */
    uint8_t *carry;
    uint64_t carry_count, carry_capacity, carry_begin;
    uint64_t carry_trim_at; /* from so many bytes on it is looked for lines that are not needed */
    struct trawl_match *carried;
    uint64_t carried_count, carried_capacity;
    uint64_t line_begin; /* of the first line that is not decided yet */
    bool dropped;        /* the open line's bytes are not in the carry */
    uint8_t *far_bytes;  /* far.c: what was read again last */
    uint64_t far_begin, far_count;

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

    struct characters characters;

    struct number_set numbers;     /* --pattern-number: of the strings in a line or place */
    const uint64_t *shown_numbers; /* those in the next head */
    uint64_t shown_count;
    struct tally_part *tally_part; /* tally.c */
    struct style_state style;      /* style.c */
    struct json_state json;        /* json.c */

    bool quiet;          /* print nothing more */
    bool stop_at_select; /* the first selected line decides */
    bool stop;
    bool every_line;       /* a line without a match may be selected */
    bool ends_with_run;    /* the first selected lines decide that follow each other in one block:
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

/* characters.c: of the library's matches, only those that are matches in the locale's characters.
 */
/* `*window` becomes `kept` where matches must be left out; false: out of memory. */
bool characters_window(struct scan *scan, const struct trawl_window **window,
                       struct trawl_window *kept);
/* From the text's beginning again. */
void characters_begin(struct scan *scan);
/* As trawl_positions and trawl_first. */
enum trawl_status characters_positions(struct scan *scan, trawl_match_sink sink,
                                       struct trawl_error *error);
enum trawl_status characters_first(struct scan *scan, struct trawl_match *match, bool *found,
                                   struct trawl_error *error);

/* Around what a sink does, which prints. */
void scan_print_begin(struct scan *scan);
void scan_print_end(struct scan *scan);

/* lines.c */
/* Does the empty string match the line [begin, end)? bytes may be NULL where the line is not in
 * memory. */
bool line_holds_empty(const struct scan *scan, const uint8_t *bytes, uint64_t begin, uint64_t end);
int lines_window(void *context, const struct trawl_window *window);

/* matches.c */
int matches_window(void *context, const struct trawl_window *window);
/* Needs no windows: --positions, --count-matches and --first. */
enum trawl_status matches_report(struct scan *scan, struct trawl_error *error);

/* print.c. Positions are in the view; `end` is one past the line end, if there is one. False: not
 * printed, because it is not UTF-8. */
bool print_line(struct scan *scan, const struct view *view, uint64_t begin, uint64_t end,
                char separator);
/* The lines of trailing context before `limit`. */
void print_pending(struct scan *scan, const struct view *view, uint64_t limit);
/* Separator and leading context of a selected line at `begin`. */
void print_before(struct scan *scan, const struct view *view, uint64_t begin);
/* For style.c too. The line's bytes without its end. */
uint64_t print_content_end(struct scan *scan, const struct view *view, uint64_t begin,
                           uint64_t end);
/* Index of the first match that begins at `at` or later. */
uint64_t print_first_match_at(const struct view *view, uint64_t at);
/* The leftmost, longest match at `from` or later that lies in the line [begin, end), or the next
 * of all where they may overlap; false: none. *index is where to look on. Offsets in the text. */
bool print_next_match(struct scan *scan, const struct view *view, uint64_t begin, uint64_t end,
                      uint64_t from, uint64_t *index, struct trawl_match *found);
/* What is not UTF-8 is not printed; a message at the end says that the file is binary. */
bool print_is_printable(struct scan *scan, const uint8_t *bytes, uint64_t bytes_count);
/* The numbers of the strings in a line, for its head; none in a line of context. */
bool print_show_numbers(struct scan *scan, const struct view *view, uint64_t begin, uint64_t end,
                        char separator);
void print_numbers(struct scan *scan, char separator);
uint64_t print_line_number(struct scan *scan, const struct view *view, uint64_t at);

/* style.c. As print_line. */
bool style_line(struct scan *scan, const struct view *view, uint64_t begin, uint64_t end,
                char separator);
void style_name(struct scan *scan);
void style_free(struct style_state *style);

/* The matches of the line [begin, end) of the view, `end` without the line end, go to the style's
 * spans. False: no memory. The view's bytes are not looked at. */
bool style_find_spans(struct scan *scan, const struct view *view, uint64_t begin, uint64_t end);

/* far.c: a line that is not in memory, of a text that can be read again; `end` is without the line
 * end. */
bool print_far_line(struct scan *scan, uint64_t begin, uint64_t end, bool has_end, char separator);
/* What a pass does with a piece of the text; false ends the pass. */
typedef bool (*far_pass)(struct scan *scan, const uint8_t *bytes, uint64_t bytes_count);
/* Go over the text from `begin` to `end` in pieces that cut no character of UTF-8, if `charset` is
 * that; each but the last is of a multiple of 3 bytes, if it is not. False: a pass ended, or the
 * scan failed. */
bool far_pieces(struct scan *scan, enum charset charset, uint64_t begin, uint64_t end,
                far_pass pass);
/* A few bytes of the text, until the next call; NULL: they are too many, or cannot be read. */
const uint8_t *far_near(struct scan *scan, uint64_t begin, uint64_t end);
/* File name, line number, offset, shown_numbers. line_number 0: none wanted. bytes_count: of what
 * follows. */
void print_head(struct scan *scan, uint64_t line_number, uint64_t offset, uint64_t bytes_count,
                char separator);
/* With context: separator before a group of lines that does not touch the last one, if there is
 * one. */
void print_group_separator(struct scan *scan);
/* A match of -o in a line of its own, under --pattern-number in one for each number of its string.
 * group: the matches that begin there; bytes: its own. */
void print_found(struct scan *scan, const uint8_t *bytes, const struct trawl_match *match,
                 const struct trawl_match *group, uint64_t group_count, uint64_t line_number,
                 char separator, const char *color);
void print_match(struct scan *scan, const uint8_t *bytes, uint64_t bytes_count, const char *color);
void print_name(struct scan *scan);
void print_color_start(struct scan *scan, const char *color);
void print_color_end(struct scan *scan, const char *color);

/* count.c */
uint64_t count_byte(const uint8_t *bytes, uint64_t bytes_count, uint8_t byte);
/* Number of the line that begins or goes on at `at`. The bytes up to the last place that was asked
 * for, or to the last window's end, are there, before `at` or after it. */
uint64_t line_number_at(struct scan *scan, const uint8_t *bytes, uint64_t bytes_begin, uint64_t at);
/* A window begins; it is done. */
void count_window_begin(struct scan *scan, const struct trawl_window *window);
void count_line_ends(struct scan *scan, const struct trawl_window *window);

/* binary.c */
/* Begin a line that ends at text offset `end`: finish what was printed of earlier blocks. */
void binary_next_block(struct scan *scan, uint64_t end);
/* Look for NUL in a window. Returns how many of its bytes still count as text: all of them unless
 * one was found. */
uint64_t binary_text_bytes(struct scan *scan, const struct trawl_window *window);
/* A NUL was found at scan->null_offset: nothing of its block may be printed. */
void binary_found(struct scan *scan);
/* After an early stop: is there a NUL in the rest of the last block? */
void binary_look_ahead(struct scan *scan);
/* Of the first NUL, once one was seen. */
uint64_t binary_offset(const struct scan *scan);
/* A window's bytes with NUL replaced by line ends; NULL: out of memory. */
const uint8_t *binary_zap(struct scan *scan, const uint8_t *bytes, uint64_t bytes_count);

/* Room in an array for `wanted` elements of `size` bytes; *capacity is how many it has. Returns the
 * array, which may have moved; NULL: out of memory, the scan has failed and the array is as it was.
 */
void *scan_grow(struct scan *scan, void *array, uint64_t *capacity, uint64_t wanted, uint64_t size);

static inline void scan_fail(struct scan *scan, enum trawl_status status)
{
    scan->status = status;
    scan->stop = true;
}

/* Take note of a line: counts it, ends the search if it was the last one wanted. */
static inline void scan_selected(struct scan *scan, uint64_t end)
{
    scan->selected_count++;
    scan->selected_end = end;
    scan->left_count--;
    if (scan->stop_at_select)
        scan->stop = true;
}

#endif
