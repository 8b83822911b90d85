/* command_scan: the state of a search of one text.
 *
 * The library delivers the text in windows, in order, each with its matches. search_file.c chooses
 * which of these files handles the windows:
 *   lines.c            cuts lines, keeps the line that a window's end cuts, selects lines
 *   occurrences.c      which of the library's matches are occurrences
 *   command_matches.c  reports without lines: -o, --positions, --count-matches
 *   string_counts.c    occurrences of each string: --count-by-pattern
 *   print_line.c       prints a line as grep does
 *   print.c            parts of a line's head: names, numbers
 *   style.c            prints a line as ripgrep does, and an occurrence
 *   piece.c            the bytes of a line that style.c prints
 *   json.c             prints a line for --json
 *   number_set.c       the numbers of the strings that match
 *   binary.c           NUL bytes and invalid UTF-8
 *   hold.c             how long a pipe's output is held back
 *   fasta*.c           FASTA, FASTQ files, with sequences instead of lines
 */
#ifndef TRAWL_COMMAND_SCAN_H
#define TRAWL_COMMAND_SCAN_H

#include "trawl/job/command_job.h"
#include "trawl/text/utf8.h"

#define OFFSET_NONE UINT64_MAX   /* an offset that is not known, or does not exist */
#define DISTANCE_NONE UINT32_MAX /* no distance is printed */

/* The numbers of the strings found at an offset or in a line; part of a scan. */
struct number_set {
    uint64_t stamp;   /* a number that no earlier set of this scan had */
    uint64_t *stamps; /* stamps[i] == stamp: pattern i of the plan is in the set */
    uint64_t *list;   /* the numbers in the set, ascending once the set is complete */
    uint64_t count, capacity;
};

/* A part of the text that consists of whole lines. */
struct view {
    const uint8_t *bytes; /* NULL: a single long line, whose bytes are read again (reread.c) */
    uint64_t begin;       /* text offset of bytes[0] */
    uint64_t count;
    const struct trawl_match *matches; /* the matches that begin in the view, in order; not NULL */
    uint64_t match_count;
    bool has_no_end; /* if bytes is NULL: the line has no line end */
};

/* A match in a line that style.c prints. */
struct line_span {
    uint64_t begin, end; /* offsets in the printed line */
    /* offsets in the line before replacements; equal to begin and end without --replace */
    uint64_t from, to;
    /* view->matches[group .. group + group_count) begin at this match's offset */
    uint64_t group, group_count;
    /* the replacement, for expressions and --json; NULL: --replace's parts, or none */
    const struct trawl_pattern *text;
    uint16_t distance, reversed; /* as in struct trawl_match */
};

/* A part of the value of --replace: bytes, a group of an expression (`name`), or the whole match,
 * for which `bytes` is NULL. An extra part at the end has the totals in bytes_before and
 * matches_before. */
struct replace_part {
    const char *bytes;
    const char *name; /* a group's name; NULL: not a group */
    uint64_t name_bytes;
    uint64_t bytes_before, matches_before; /* plain bytes, and matches, in all earlier parts */
};

/* State of style.c that lasts from line to line. */
struct style_state {
    struct line_span *spans; /* the matches of the line that is printed */
    uint64_t span_count, span_capacity;
    uint64_t next_match; /* the view's first match after that line; only a guess, as views change */
    struct line_span *cut; /* --multiline: the parts of matches in the line that is printed */
    uint64_t cut_capacity;
    struct line_span *inside; /* --around: the matches of the excerpt that is printed */
    uint64_t inside_capacity;
    struct replace_part *parts; /* the parts of --replace, filled when the first line is replaced */
    uint64_t part_count, part_capacity;
    uint64_t groups_max; /* --replace names no group from this number on; 0: none at all */
    /* for expressions and --json: each match's replacement, whose bytes lie in text_bytes */
    struct trawl_pattern *texts;
    uint64_t text_capacity;
    char *text_bytes;
    uint64_t text_bytes_count, text_bytes_capacity;
    /* what finds the groups of each expression's matches, and the line that it was moved to last */
    struct replace_line {
        struct trawl_line *opened; /* NULL: not yet */
        uint64_t number;
    } * lines;
    uint64_t line_capacity, line_number;
    uint64_t replaced_end; /* length of the printed line, after replacement */
    uint8_t *block;        /* bytes [block_begin, block_begin + block_count) of the printed line */
    uint64_t block_begin, block_count, block_capacity;
    bool heading_shown;
    /* absolute path of the file for links; NULL: unknown, or the text is not a file */
    char *link_path;
    bool link_sought, link_open; /* link_path was computed; a link was begun and not ended */
};

/* State of json.c for a text. */
struct json_state {
    bool begun; /* "begin" was printed for the text */
    uint64_t bytes, lines, matches, begin_ns;
};

/* State of occurrences.c for a text. */
struct characters {
    uint8_t tail[UTF8_BYTES_MAX]; /* the last bytes before the current window */
    uint32_t tail_count;
    struct trawl_match *kept; /* the matches that passed the checks */
    uint64_t kept_capacity;
    /* --only-first: end of the line of the last match that was kept; OFFSET_NONE: not seen yet */
    uint64_t line_end;
    uint64_t first; /* index in `kept` of the last match that is the first of its line */
};

/* What is printed before a line, or with -o before a match, in addition to the file name. */
struct line_head {
    uint64_t line_number; /* 0: not printed */
    /* 0: not printed, because the line has no match or no column is wanted */
    uint64_t column;
    uint64_t offset;
    uint64_t bytes_count; /* bytes after the head */
    bool selected;        /* false: a line of context */
};

/* What print_head prints next. */
struct next_head {
    struct line_head head;
    const uint64_t *numbers; /* the numbers of the strings that occur */
    uint64_t number_count;
    uint32_t distance; /* DISTANCE_NONE: not printed, as for a line of context */
};

/* The lines [begin, end) of a view that adjacent matches touch. `next` is the index of the first
 * match after them. */
struct block {
    uint64_t begin, end, next;
};

/* A line of a view, with its line end. `next` is the index of the first match after it. */
struct line {
    uint64_t begin, end, next;
    bool fits; /* it has a match of the main group, and meets the conditions */
};

/* The bytes of earlier windows that lines.c still needs: with leading context, the lines that may
 * be printed as context; then the open line, whose end has not come yet. */
struct carry {
    uint8_t *bytes;
    uint64_t count, capacity, begin;
    uint64_t trim_at;            /* if `count` reaches this, lines no longer needed are dropped */
    struct trawl_match *matches; /* the matches that begin in the carry's lines */
    uint64_t match_count, match_capacity;
    uint64_t line_begin;    /* start of the first line that has not been handled yet */
    struct block open;      /* --multiline: may get matches of the next window; next 0: none */
    bool dropped;           /* `bytes` lacks the open line */
    bool keeps_bytes;       /* the open line must stay in memory, however long it grows */
    uint64_t guarded_bytes; /* memory of the scan that scan_grow counted in settings->guard */
};

/* The bytes that reread.c read last. */
struct reread_bytes {
    uint8_t *bytes;
    uint64_t begin, count;
};

/* What count.c has counted so far: the line ends before the text offset `end`. */
struct counting {
    uint64_t match;     /* index of the window's first match that may begin after `end` */
    uint64_t base;      /* `line_ends` at the start of the window */
    uint64_t end;       /* text offset up to which line ends were counted */
    uint64_t line_ends; /* line ends before `end` */
    uint8_t line_end;   /* settings->line_end */
    /* false: the library counts all line ends, which takes less time with several threads */
    bool counts;
};

/* The lines that were selected, printed and scanned so far. */
struct lines {
    uint64_t selected;     /* selected lines, or occurrences in reports without lines */
    uint64_t max;          /* lines that -m and --max-total allow */
    uint64_t left;         /* lines until these are reached */
    bool asks_total;       /* --max-total: what files before this one have left is not known yet */
    uint64_t spans;        /* if rules.counts_spans: matches of selected lines (count_spans) */
    uint64_t selected_end; /* end of the last selected line */
    uint64_t printed_end;  /* end of the last printed line; OFFSET_NONE: no line was printed */
    uint64_t pending;      /* lines of trailing context still to be printed */
    /* start of the block with the first NUL: lines that end at or before this offset were reported
     * already, after a `rerun` by the first search */
    uint64_t ignore_before;
    uint64_t scanned_end; /* end of the last window */
};

/* State of command_matches.c that lasts from match to match. */
struct occurrences {
    /* end of the line in which the last match begins; OFFSET_NONE: not seen yet */
    uint64_t line_end;
    uint64_t end;            /* end of the last match */
    size_t held_before_line; /* bytes of output not committed when the last line began */
    bool bad_line;           /* a match in the current line was not valid text */
};

/* State of binary.c for a text. Members with "before" in their name have values from the start of
 * the current block. */
struct nulls {
    bool watched; /* a NUL byte changes what is printed or counted */
    bool seen;    /* a NUL was found; with settings->nuls.end_line, NUL now ends lines */
    /* in case a NUL follows, output is held back until its block of BLOCK_BYTES is complete; if
     * false (lines are written as soon as they are found), only to the end of the window */
    bool has_blocks;
    uint64_t offset;           /* text offset of the first NUL, if one was seen */
    uint64_t hole;             /* offset of a hole, which makes a sparse file binary; 0: none */
    uint64_t block_end;        /* end of the last printed line's block; OFFSET_NONE: no blocks */
    uint64_t selected_before;  /* lines.selected */
    enum groups groups_before; /* job->groups */
    struct json_state json_before; /* `json` */
    /* a copy of a window's bytes, with line ends in place of NULs; with --multiline, lines in which
     * matches were replaced */
    uint8_t *zapped;
    uint64_t zapped_capacity;
};

/* State of function.c for a text. */
struct function {
    uint8_t *kept; /* lines that were not printed, of which the first is at text offset `begin` */
    uint64_t count, capacity, begin;
    uint64_t number;              /* the number of the first line */
    uint64_t heading;             /* text offset of the last heading */
    uint64_t comment;             /* text offset after the last empty line or heading */
    bool shows;                   /* -W: the lines up to the next heading are printed */
    bool marks;                   /* if the heading is printed now, = follows its fields */
    size_t kind;                  /* the file's kind + 1; 0: not known yet */
    struct trawl_line *opened[2]; /* they find headings, and other lines; NULL: not yet */
};

/* What is true for the whole text. Set before the search. */
struct scan_rules {
    bool seekable;       /* the text can be read again at any offset */
    bool is_live;        /* the text comes from a pipe or a device, whose writer may pause */
    bool unpacks;        /* the text may be compressed and damaged; lines before the damage count */
    bool stop_at_select; /* the search ends at the first selected line */
    bool by_match;       /* command_matches.c prints matches, without lines */
    bool first_suffices; /* only the column of a line's first match is printed */
    /* lines.c looks at each line; otherwise only at lines with a match, or (-v) between these */
    bool every_line;
    bool counts_spans; /* matches are counted line by line, for tg --count-matches or --multiline */
    bool check_whole_line; /* the command checks -x, because the plan finds strings anywhere */
    bool filters;          /* the library's matches must be checked (occurrences.c) */
    unsigned number_width; /* -T: width of line numbers */
};

/* The text of --multiline, in which an occurrence may cross lines. */
struct whole_text {
    const uint8_t *bytes; /* NULL: no occurrence crosses lines */
    uint64_t count;
    uint8_t *read; /* owned: the bytes, if the file was not in memory */
    uint64_t capacity;
    struct trawl_text *text; /* owned: `read` as a text */
};

/* Which part of the text is searched now, and the part that run/units.c will search. */
struct scan_part {
    struct trawl_text *text; /* the part as a text; NULL: the whole text is searched */
    uint64_t begin;          /* where the part begins in the text */
    bool is_last;            /* no part after this one is left to units */
    uint64_t units_begin;    /* the line where units begin to search; 0: none; set by part_leave */
    uint64_t matches_left;   /* matches of the last window that begin at or after units_begin */
    struct trawl_match *matches; /* a window's matches, with offsets in the text */
    uint64_t match_capacity;
};

struct text_scan {
    struct command_job *job;
    const struct settings *settings;
    struct output *output;
    struct trawl_text *text;
    struct scan_part part;
    const struct trawl_plan *plan;
    const char *name;
    int descriptor; /* where the text is read; -1: its bytes are in memory */
    enum binary_files binary_files;
    struct scan_rules rules;

    const struct trawl_window *window; /* the current window, as the library delivered the window */
    struct carry carry;
    struct reread_bytes reread;
    struct counting counting;
    struct lines lines;
    struct occurrences occurrences;
    struct nulls nulls;
    struct characters characters; /* what occurrences.c keeps between windows */
    /* A local variable of the print functions would be slower: because its address is taken, the
     * compiler would add the stack protector's check to functions that run once for each match or
     * line. */
    struct next_head shown;
    /* --pattern-number: strings found in the current line or match */
    struct number_set numbers;
    struct style_state style; /* what style.c keeps between lines */
    struct json_state json;   /* what json.c keeps between lines */

    bool quiet;          /* print no more lines */
    bool stop;           /* the search of the text ends as soon as possible */
    bool rerun;          /* a NUL was found: search the text again, under -x with another plan */
    bool encoding_error; /* a line was not valid text in the locale */
    enum trawl_status status; /* other than TRAWL_OK: the search failed */
    struct trawl_error error; /* set if `status` is other than TRAWL_OK */
    struct whole_text whole;  /* --multiline */
    struct {                  /* --wide with -w: the text */
        const uint8_t *bytes;
        uint64_t count;
    } around;
    struct { /* lines that conditions.c searches together */
        uint8_t *bytes;
        uint64_t capacity;
    } together;
    struct function function;
    struct hold *hold; /* thread that writes what was held back for long; NULL: not started */
};

/* Called after a part of the text was searched. Writes what was printed if the text is a stream,
 * or with --line-buffered. */
void scan_part_end(struct text_scan *scan);

/* Returns true if the empty string matches the line [begin, end), given as text offsets. `bytes` is
 * NULL if the line is not in memory. */
bool line_holds_empty(const struct text_scan *scan, const uint8_t *bytes, uint64_t begin,
                      uint64_t end);

/* Returns true if the line matches, before -v is applied. `matches` begin in the line. `begin` and
 * `end` are text offsets, `end` without the line end. `bytes` may be NULL if the line is not in
 * memory. */
bool scan_matches(struct text_scan *scan, const uint8_t *bytes, uint64_t begin, uint64_t end,
                  const struct trawl_match *matches, uint64_t match_count);

/* Makes room in an array, as GROW does. False: out of memory, or a server's limit; the scan has
 * failed and the array is unchanged. */
#define SCAN_GROW(scan, array, capacity, wanted) \
    scan_grow(scan, (void *)&(array), &(capacity), wanted, sizeof *(array))
bool scan_grow(struct text_scan *scan, void *array, uint64_t *capacity, uint64_t wanted,
               uint64_t size);

/* Frees what the scan's members own. */
void scan_free(struct text_scan *scan);

static inline void scan_fail(struct text_scan *scan, enum trawl_status status)
{
    scan->status = status;
    scan->stop = true;
}

/* --max-total: waits for the files before this one, and allows what they have left. To be called
 * before a line is selected; does nothing if none of the window can be. NULL: any may be. False:
 * the search is over. */
bool scan_ask_total(struct text_scan *scan, const struct trawl_window *window);

/* Counts a selected line that ends at `end`. With rules.stop_at_select, stops the search. */
static inline void scan_selected(struct text_scan *scan, uint64_t end)
{
    scan->lines.selected++;
    scan->lines.selected_end = end;
    scan->lines.left--;
    if (scan->rules.stop_at_select)
        scan->stop = true;
}

/* number_set.c */

/* Adds a pattern to the set of the open line (the line whose end has not come yet). `begins`: this
 * is the line's first match, so the set is emptied before. Returns true if the pattern is new, or
 * if out of memory. */
bool number_set_first(struct text_scan *scan, uint64_t pattern, bool begins);

/* number_set_of_line collects the numbers of all matches in a line, which with `empty` also
 * contains the empty string. number_set_of_spans collects those of the matches that are spans of a
 * line at `offset`, number_set_at those of the longest of the matches, which all have the same
 * start. The numbers are ascending and distinct. If the command checks -x (rules.check_whole_line),
 * only matches that are the whole line [from, to) count. False: out of memory; the scan has
 * failed. */
bool number_set_of_line(struct text_scan *scan, const struct trawl_match *matches,
                        uint64_t match_count, uint64_t from, uint64_t to, bool empty);
bool number_set_of_spans(struct text_scan *scan, const struct trawl_match *matches,
                         const struct line_span *spans, uint64_t span_count, uint64_t offset);
bool number_set_at(struct text_scan *scan, const struct trawl_match *matches, uint64_t match_count,
                   uint64_t end);

#endif
