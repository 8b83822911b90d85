/* settings: the values of the options, and what they mean together. flags_parse (flags.h) fills the
 * first part, settings_build the second. */
#ifndef TRAWL_SETTINGS_H
#define TRAWL_SETTINGS_H

#include "trawl/text/charset.h"
#include "trawl/options/colors.h"
#include "trawl/options/flags.h"
#include "trawl/text/guard.h"

enum report_id {
#define REPORT(id, ...) REPORT_##id,
#include "trawl/options/reports.def"
#undef REPORT
    REPORTS_COUNT,
    REPORT_NONE
};

struct text_scan;

/* What is printed of each file. reports.def has the rows, and says what the columns mean. */
struct report {
    const char *options;
    enum { FINDS_FIRST, FINDS_LINES, FINDS_MATCHES, FINDS_OCCURRENCES } finds;
    enum { TEXT_LINES, TEXT_BYTES } text;
    enum {
        PRINTS_TEXT,
        PRINTS_COUNT,
        PRINTS_NAME,
        PRINTS_OFFSETS,
        PRINTS_TABLE,
        PRINTS_NOTHING
    } prints;
    enum trawl_status (*search)(struct text_scan *scan, struct trawl_error *error);
    enum trawl_status (*sequences)(struct text_scan *scan, struct trawl_error *error);
    enum trawl_status (*by_line)(struct text_scan *scan, struct trawl_error *error);
    enum report_id inverted, json;
    enum { LIMITED_NONE, LIMITED_LATE, LIMITED_EARLY } limited;
    enum { JOINED_NONE, JOINED_LINES } joined;
};

extern const struct report report_table[REPORTS_COUNT]; /* in search_file.c */

/* How lines are printed, in addition to grep's options. */
struct style {
    bool vimgrep, heading, column, trim;
    bool preview; /* print the start of a line that is too long */
    uint64_t max_columns;
    bool excerpts;                        /* --around: -o prints what is around a match, too */
    uint64_t around_before, around_after; /* its characters */
    const char *path_separator;           /* one byte; NULL: '/' is printed */
    const char *hyperlink;                /* a format; NULL or "": no links */
    /* Derived: */
    bool on;         /* an option that grep lacks applies to lines, so style.c prints the lines */
    bool links;      /* --hyperlink-format, with colours */
    bool names;      /* file names are printed in another form than grep's */
    bool each_match; /* printing needs each match of a line */
};

/* What is printed before a line. */
struct heads {
    bool byte_offset, line_number, initial_tab, null_after_name, pattern_number, unix_offsets;
    int file_names; /* 1: names are printed; -1: not; 0: depends on the number of files */
    const char *label;
};

/* What is printed between groups of lines, and after a field of a selected line and of a line of
 * context. NULL: nothing between groups; grep's characters after fields. */
struct separators {
    const char *group, *match, *context;
    size_t group_bytes, match_bytes, context_bytes;
};

/* The options of approximate search. */
struct error_options {
    bool mismatches_given, edits_given, alphabet_given, reverse_complement, any_base, every_end;
    bool distance;
    uint64_t mismatches_max, edits_max;
    enum trawl_alphabet alphabet; /* settings_build sets a value even if the option is absent */
    struct trawl_range *exact;    /* --exact */
    uint32_t exact_count;
};

/* Options about how the library searches, such as engine and threads. Results do not depend on
 * them, except that each chunk of a pipe is checked for binary data separately. */
struct search_options {
    const char *engine, *method, *algorithm, *instruction_set;
    enum trawl_map map;
    uint64_t threads, chunk_bytes;
};

/* Options that print something instead of searching, or about the search; and --no-config. */
struct document_options {
    bool version, help, help_long, list_algorithms, explain, no_config;
    const char *generate;
};

/* Options as given, from which settings_build derives other members. */
struct asked_options {
    struct value_list color_specs; /* --colors */
    enum color_when color;
    bool reports[REPORTS_COUNT]; /* those with their own option; others have members of
                                    settings */
    bool smart_case, no_column, no_line_number, pretty;
    bool heading_given, color_given;
    bool rules;              /* --rules */
    bool syntax_given;       /* an option has chosen the syntax */
    bool names_errors;       /* an option of approximate search or of FASTA files was given */
    int line_buffered;       /* 1: lines are written as soon as found; -1: not; 0: on a terminal */
    int64_t around_count;    /* -C; or CONTEXT_NOT_GIVEN */
    int64_t max_count_given; /* or MAX_COUNT_NONE; -1: any negative value */
    const char *hostname_bin;
};

/* The arguments as they were read. */
struct arguments {
    struct given_option *given; /* the options, in the order read */
    size_t given_count, given_capacity;
    char **storage; /* strings outside of argv, which settings_free must free */
    size_t storage_count;
};

/* What makes a file binary, and what a NUL byte does. */
struct nul_rules {
    bool is_binary; /* a NUL byte makes a file binary */
    bool end_line;  /* in a binary file, a NUL byte also ends a line */
    bool end_count; /* only a count is wanted, of the lines that end in NUL or line_end */
    /* a line that is invalid in the locale makes a file binary, too; false for tg, where as in
     * ripgrep only NUL does */
    bool checks_text;
};

/* Facts about the process that settings_build needs. The command gets them from the system, a
 * server from its client. All zero: the output is a pipe, in the C locale.
 */
struct surroundings {
    bool output_is_terminal; /* standard output is a terminal */
    bool output_is_null;     /* standard output is the null device */
    /* standard output is a regular file, identified by output_device and output_inode */
    bool output_is_regular;
    bool colors_suit; /* TERM and NO_COLOR allow colours */
    bool is_counted;  /* a client wants numbers of occurrences, or offsets, not lines */
    uint64_t output_device, output_inode;
    const char *directory; /* relative names start here; NULL: in the working directory. Borrowed */
    /* environment variables GREP_COLORS, GREP_COLOR; NULL: not set. Borrowed */
    const char *grep_colors, *grep_color;
    enum charset charset; /* the charset of the locale */
    bool unicode_case;    /* -i means Unicode's equal letters for every syntax, not grep's */
};

struct settings {
    struct surroundings surroundings; /* set between flags_parse and settings_build */
    struct guard *guard; /* set between flags_parse and settings_build; NULL: no limits. Borrowed */
    struct value_list patterns; /* -e, -f */
    struct value_list operands; /* files and directories */
    struct value_list filters;  /* --include, --exclude, --exclude-from, --exclude-dir */
    struct file_settings files; /* ripgrep's options about files */
    struct asked_options asked;
    struct arguments arguments;
    struct document_options document;
    struct search_options search;
    struct error_options errors;
    struct heads heads;
    struct separators separators;
    struct style style; /* how style.c prints lines */
    bool is_tg;         /* called as tg: searches trees following ripgrep's rules */
    /* the strings are hexadecimal; or, with `wild`, some have wildcards, so all are expressions */
    bool hex, wild, ignore_case, words, whole_lines, null_data, crlf;
    unsigned xor_from, xor_to; /* --xor: the keys; 0: no such option */
    bool wide;                 /* --wide: the strings are found in UTF-16LE, too; `hex` is set */
    bool hex_text;             /* with `hex`, which is set: the strings are not hexadecimal */
    bool no_messages, invert, quiet, overlapping, only_first, json, stats;
    bool include_zero, passthru, stop_on_nonmatch;
    bool search_zip;
    uint64_t archive_depth; /* how deep archives inside archives are unpacked */
    bool fasta; /* the files have sequences instead of lines: --fasta, --fastq or --bed */
    bool fastq, bed, records;
    struct trawl_range amplicon; /* its length is at least begin + 1, at most end; end 0: none */
    const char *paired;          /* the second file of pairs; NULL: none */
    bool in_file;                /* --and and --andnot are about files, not lines */
    int progress;                /* --progress: 1; --no-progress: -1; neither: 0 */
    enum binary_files binary_files;
    enum list_files list;
    uint64_t max_total, max_output; /* --max-total, --max-output; UINT64_MAX: no limit */
    enum { FUNCTION_NONE, FUNCTION_HEADING, FUNCTION_ALL } function; /* --show-function, -W */
    int64_t before_count, after_count; /* -B and -A, else -C; or CONTEXT_NOT_GIVEN */
    const char *replace;
    bool write;         /* --write: the files get what --replace makes of them */
    bool diff;          /* --diff: with `write`, which is set: print what would change instead */
    bool writes_binary; /* also files with NUL bytes */
    const char *backup; /* --backup; NULL: none */
    const char *pre;    /* --pre; NULL: none */
    struct value_list pre_globs;
    const char *server;   /* an address; "": no server; NULL: option not given */
    const char *encoding; /* NULL: the locale's encoding */
    enum trawl_syntax syntax;
    /* PCRE2 may search for expressions that trawl rejects. ASKED: the syntax is PCRE2's. LAST: the
     * syntax is ripgrep's; if trawl rejects an expression (invalid or too large), PCRE2's. */
    enum { PCRE_NEVER, PCRE_ASKED, PCRE_LAST } pcre;
    bool no_unicode, multiline, dot_all;
    char error[SETTINGS_ERROR_BYTES]; /* a message of one line, without the program's name */

    /* What settings_build derives from the options. */
    const struct report *report;
    bool writes_lines;       /* lines are written as soon as they are found */
    bool stop_at_first_file; /* -q: the first file with a match ends the search */
    bool stops_early;        /* the first match probably ends the search of a text */
    bool text;               /* no file is binary */
    bool approximate;        /* the plan is approximate */
    bool expressions;        /* the plan has expressions; set when the patterns were read */
    bool shows_distance;     /* printed matches show their distance */
    bool numbers_wanted;     /* the report needs the numbers of the strings, in the order given */
    struct nul_rules nuls;
    uint8_t line_end;   /* '\n', or NUL with -z */
    uint64_t max_count; /* a file's limit, at most max_total; UINT64_MAX: none */
    struct colors colors;
};

/* Derives the second part of the settings. Call after flags_parse, and again after changing a
 * member. False: error[SETTINGS_ERROR_BYTES] describes the contradiction, or says that memory is
 * exhausted. */
bool settings_build(struct settings *settings, char *error);
/* Returns the row of the report that the options choose. */
const struct report *settings_report(const struct settings *settings);
/* Returns true if the report counts selected lines (-c), or prints matches (-o). */
static inline bool settings_count_lines(const struct settings *settings)
{
    return settings->report->finds == FINDS_LINES && settings->report->prints == PRINTS_COUNT;
}
/* Returns the option that sets settings->fasta. */
static inline const char *settings_sequences(const struct settings *settings)
{
    return settings->fastq ? "--fastq" : settings->bed ? "--bed" : "--fasta";
}
/* Returns true if lines are printed as context of others. */
static inline bool settings_have_context(const struct settings *settings)
{
    return settings->before_count >= 0 || settings->after_count >= 0;
}
static inline bool settings_print_matches(const struct settings *settings)
{
    return settings->report->finds == FINDS_MATCHES && settings->report->prints == PRINTS_TEXT;
}
/* Returns true if the matches in a line are shown, or counted. */
static inline bool settings_show_matches(const struct settings *settings)
{
    return settings->style.each_match || settings->report->finds == FINDS_MATCHES;
}
/* Frees what flags_parse and settings_build allocated, whichever were called. */
void settings_free(struct settings *settings);

#endif
