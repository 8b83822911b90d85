/* settings: what the options say, and what they mean together. flags_parse (flags.h) fills the
 * first part, settings_build the second. */
#ifndef TRAWL_SETTINGS_H
#define TRAWL_SETTINGS_H

#include "trawl/charset.h"
#include "trawl/colors.h"
#include "trawl/flags.h"
#include "trawl/guard.h"

/* What is printed of a file. */
enum report {
    REPORT_LINES,
    REPORT_ONLY_MATCHING,
    REPORT_COUNT,
    REPORT_NAMES, /* -l, -L */
    REPORT_QUIET, /* -q, or output to the null device */
    REPORT_COUNT_MATCHES,
    REPORT_POSITIONS,
    REPORT_FIRST,
    REPORT_COUNT_BY_PATTERN,
    REPORT_UNMATCHED,
    REPORT_MATRIX
};

/* How lines look, beyond what grep has. */
struct style {
    bool on;         /* something of it is asked for */
    bool links;      /* --hyperlink-format, with colours */
    bool escapes;    /* --escape-controls */
    bool names;      /* names are not printed as they are */
    bool each_match; /* a line's matches are all needed */
};

/* What settings_build wants to know beside the options. The command asks the system,
 * the server is told by its client. All 0: output goes to a pipe, in the C locale.
 */
struct surroundings {
    bool output_is_terminal;   /* standard output is one ... */
    bool output_is_null;       /* ... or the null device ... */
    bool output_is_regular;    /* ... or a regular file, which has this number on this device */
    bool messages_to_terminal; /* standard error is a terminal */
    bool colors_suit;          /* the terminal: so say TERM and NO_COLOR */
    uint64_t output_device, output_inode;
    const char *directory; /* that names are relative to; NULL: the working directory. Borrowed */
    const char *grep_colors, *grep_color; /* GREP_COLORS, GREP_COLOR; NULL: not set. Borrowed */
    enum charset charset;
};

struct settings {
    struct surroundings surroundings; /* set between flags_parse and settings_build */
    struct guard *guard; /* set likewise; NULL: the search may take what it needs. Borrowed */
    struct value_list patterns;
    struct value_list operands;
    struct value_list filters;
    struct value_list color_specs; /* --colors */
    struct file_settings files;
    bool is_tg; /* called by that name: searches trees by ripgrep's rules */
    bool hex, length_prefixed, ignore_case, words, whole_lines, null_data;
    bool no_messages, invert, version, help, list_algorithms;
    bool byte_offset, line_number, line_buffered, only_matching, quiet, count;
    bool initial_tab, null_after_name, unix_offsets, follow_links;
    bool pattern_number, count_by_pattern, unmatched_patterns;
    bool search_zip;
    bool smart_case, column, no_column, vimgrep, heading, no_line_number, passthru, trim;
    bool json, no_config, help_long, heading_given, encoding_given, color_given;
    bool pretty, crlf, include_zero;
    enum color_when escape_controls;
    bool count_matches, overlapping, positions, first, explain, stats, progress;
    /* Errors, and the sequences of FASTA files: */
    bool mismatches_given, edits_given, alphabet_given, reverse_complement, any_base, every_end;
    bool distance, best, fasta;
    uint64_t mismatches_max, edits_max;
    enum trawl_alphabet alphabet; /* settings_build: also where none is given */
    struct trawl_range *exact;
    uint32_t exact_count;
    int file_names; /* 1: with, -1: without, 0: as the number of files says */
    enum binary_files binary_files;
    enum directories directories;
    enum device_files devices;
    enum list_files list;
    enum color_when color;
    enum matrix_format matrix;
    enum preview preview;
    enum trawl_map map;
    int64_t before_count, after_count, around_count; /* or CONTEXT_NOT_GIVEN */
    int64_t max_count_given;                         /* or MAX_COUNT_NONE; -1: any below 0 */
    uint64_t threads, chunk_bytes, max_columns;
    const char *label, *replace, *replacements;
    const char *replacements_shown; /* its name in messages; NULL: replacements */
    const char *server;             /* an address, "": none; NULL: not given */
    const char *encoding;           /* NULL: as the locale has it */
    const char *hyperlink;          /* a format; NULL or "": none */
    const char *group_separator, *match_separator, *context_separator; /* NULL: none, as grep */
    size_t group_separator_bytes, match_separator_bytes, context_separator_bytes;
    char path_separator; /* 0: as it is */
    char **storage;      /* texts that are not in argv */
    size_t storage_count;
    struct given_option *given; /* the options, in the order read */
    size_t given_count, given_capacity;
    bool names_errors; /* one of them is of approximate.c */
    const char *engine, *method, *algorithm, *instruction_set, *generate;
    char error[SETTINGS_ERROR_BYTES]; /* one line, without the program's name */

    /* What it means together (settings_build). before_count and after_count take over
     * around_count. */
    enum report report;
    bool checks_text;        /* a line that is no text of the locale makes a file binary; not as tg,
                              * where NUL alone does, as for ripgrep */
    bool stop_at_first_file; /* -q: the first match ends the program */
    bool stops_early;        /* the first match is likely to end a text's search */
    bool text;               /* no file is binary */
    bool any_byte;           /* strings may hold any byte: --hex, --length-prefixed */
    bool approximate;        /* the plan is one with errors */
    bool shows_distance;     /* of matches that are printed */
    bool numbers_wanted;     /* of the strings, in the order given */
    bool null_is_binary;     /* a NUL byte makes a file binary ... */
    bool null_ends_line;     /* ... and ends a line too */
    bool count_ends_at_null; /* and all that is wanted is the count of such lines */
    uint8_t line_end;
    uint64_t max_count; /* UINT64_MAX: none */
    struct colors colors;
    struct style style;
};

/* After flags_parse; again after a member changed. False: out of memory or contradiction, with
 * error[SETTINGS_ERROR_BYTES] filled. */
bool settings_build(struct settings *settings, char *error);
/* Of flags_parse and of settings_build, whichever were called. */
void settings_free(struct settings *settings);

/* Does --algorithm name one that takes records, which only --matrix has? */
bool settings_algorithm_is_for_records(const struct settings *settings);

#endif
