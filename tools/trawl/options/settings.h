/* settings: the values of the options, and what the options mean together. flags_parse (flags.h)
 * fills the first part, settings_build the second part. */
#ifndef TRAWL_SETTINGS_H
#define TRAWL_SETTINGS_H

#include "trawl/text/charset.h"
#include "trawl/options/colors.h"
#include "trawl/options/flags.h"
#include "trawl/text/guard.h"

/* What is printed of each file. */
enum report {
    REPORT_LINES,
    REPORT_ONLY_MATCHING, /* -o */
    REPORT_COUNT,         /* -c */
    REPORT_NAMES,         /* -l, -L */
    REPORT_QUIET,         /* -q, or the output is the null device */
    REPORT_COUNT_MATCHES,
    REPORT_POSITIONS,       /* --positions */
    REPORT_COUNT_BY_PATTERN /* --count-by-pattern */
};

/* How lines are printed, beyond grep's options. */
struct style {
    bool on;         /* lines need an option that grep lacks: style.c prints them */
    bool links;      /* --hyperlink-format, with colours */
    bool names;      /* names are printed in another form */
    bool each_match; /* printing needs each match of a line */
};

/* Facts about the process that settings_build needs. The command asks the system, a server is told
 * by its client. All zero: the output is a pipe, in the C locale.
 */
struct surroundings {
    bool output_is_terminal; /* standard output is a terminal */
    bool output_is_null;     /* standard output is the null device */
    /* standard output is a regular file, identified by output_device and output_inode */
    bool output_is_regular;
    bool colors_suit; /* TERM and NO_COLOR allow colours */
    uint64_t output_device, output_inode;
    const char *directory; /* directory of relative names; NULL: the working directory. Borrowed */
    /* environment variables GREP_COLORS, GREP_COLOR; NULL: not set. Borrowed */
    const char *grep_colors, *grep_color;
    enum charset charset; /* the charset of the locale */
    bool unicode_case;    /* -i means Unicode's equal letters for every syntax, not grep's */
};

struct settings {
    struct surroundings surroundings; /* set between flags_parse and settings_build */
    struct guard *guard; /* set between flags_parse and settings_build; NULL: no limits. Borrowed */
    struct value_list patterns;    /* -e, -f */
    struct value_list operands;    /* files and directories */
    struct value_list filters;     /* --include, --exclude, --exclude-from, --exclude-dir */
    struct value_list color_specs; /* --colors */
    struct file_settings files;    /* ripgrep's options about files */
    bool is_tg;                    /* called as tg: searches trees by ripgrep's rules */
    bool hex, ignore_case, words, whole_lines, null_data;
    bool no_messages, invert, version, help, list_algorithms;
    bool byte_offset, line_number, only_matching, quiet, count;
    bool initial_tab, null_after_name, unix_offsets, follow_links;
    bool pattern_number, count_by_pattern;
    bool search_zip;
    bool smart_case, column, no_column, vimgrep, heading, no_line_number, passthru, trim;
    bool json, no_config, help_long, heading_given, encoding_given, color_given;
    bool pretty, crlf, include_zero;
    bool count_matches, overlapping, positions, explain, stats, stop_on_nonmatch;
    /* Approximate search, and the sequences of FASTA files: */
    bool mismatches_given, edits_given, alphabet_given, reverse_complement, any_base, every_end;
    bool distance, fasta;
    uint64_t mismatches_max, edits_max;
    enum trawl_alphabet alphabet; /* settings_build sets a value even if the option is absent */
    struct trawl_range *exact;    /* --exact */
    uint32_t exact_count;
    int line_buffered; /* 1: lines are written as soon as found; -1: not; 0: on a terminal */
    int file_names;    /* 1: names are printed; -1: not; 0: depends on the number of files */
    enum binary_files binary_files;
    enum directories directories;
    enum device_files devices;
    enum list_files list;
    enum color_when color;
    bool preview; /* print the begin of a line that is too long */
    enum trawl_map map;
    int64_t before_count, after_count, around_count; /* or CONTEXT_NOT_GIVEN */
    int64_t max_count_given;                         /* or MAX_COUNT_NONE; -1: any negative value */
    uint64_t threads, chunk_bytes, max_columns;
    const char *label, *replace;
    const char *server;    /* an address; "": no server; NULL: option not given */
    const char *encoding;  /* NULL: the locale's encoding */
    const char *hyperlink; /* a format; NULL or "": no links */
    const char *hostname_bin;
    /* NULL: no separator, or grep's */
    const char *group_separator, *match_separator, *context_separator;
    size_t group_separator_bytes, match_separator_bytes, context_separator_bytes;
    char path_separator; /* 0: '/' is printed */
    char **storage;      /* strings that settings_free frees, since argv lacks them */
    size_t storage_count;
    struct given_option *given; /* the options, in the order read */
    size_t given_count, given_capacity;
    enum trawl_syntax syntax;
    bool pcre;         /* PCRE2 may compile what RE2 refuses in Perl's syntax */
    bool syntax_given; /* an option has chosen the syntax */
    bool no_unicode, multiline;
    bool names_errors; /* an option of approximate search was given */
    const char *engine, *method, *algorithm, *instruction_set, *generate;
    char error[SETTINGS_ERROR_BYTES]; /* a message of one line, without the program's name */

    /* What settings_build derives from the options. before_count and after_count include
     * around_count. */
    enum report report;
    /* a line that is invalid in the locale makes a file binary; false for tg, where as in ripgrep
     * only NUL does */
    bool checks_text;
    bool writes_lines;       /* lines are written as soon as they are found */
    bool stop_at_first_file; /* -q: the first match ends the program */
    bool stops_early;        /* the first match probably ends the search of a text */
    bool text;               /* no file is binary */
    bool approximate;        /* the plan is approximate */
    bool expressions;        /* the plan has expressions; set when the patterns were read */
    bool shows_distance;     /* printed matches show their distance */
    bool numbers_wanted;     /* the report needs the numbers of the strings, in the order given */
    bool null_is_binary;     /* a NUL byte makes a file binary */
    bool null_ends_line;     /* a NUL byte also ends a line */
    bool count_ends_at_null; /* only the count of lines that NUL or line_end ends is wanted */
    uint8_t line_end;        /* '\n', or NUL with -z */
    uint64_t max_count;      /* UINT64_MAX: no limit */
    struct colors colors;
    struct style style; /* how style.c prints lines */
};

/* Derives the second part of the settings. Call after flags_parse, and again after a member
 * changed. False: error[SETTINGS_ERROR_BYTES] describes the contradiction, or says that memory is
 * exhausted. */
bool settings_build(struct settings *settings, char *error);
/* Frees what flags_parse and settings_build allocated, whichever were called. */
void settings_free(struct settings *settings);

#endif
