/* settings: what the typed arguments mean together. */
#ifndef TRAWL_SETTINGS_H
#define TRAWL_SETTINGS_H

#include "trawl/charset.h"
#include "trawl/colors.h"
#include "trawl/flags.h"

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
    bool on;         /* lines are laid out by style.c, not by print.c */
    bool links;      /* --hyperlink-format, with colours */
    bool escapes;    /* --escape-controls */
    bool names;      /* names are not printed as they are */
    bool each_match; /* a line's matches are all needed */
};

struct settings {
    const struct typed *typed;
    enum report report;
    enum charset charset;
    bool checks_text;        /* a line that is no text of the locale makes a file binary */
    bool stop_at_first_file; /* -q: the first match ends the program */
    bool text;               /* no file is binary */
    bool any_byte;           /* strings may hold any byte: --hex, --length-prefixed */
    bool numbers_wanted;     /* of the strings, in the order given */
    bool null_is_binary;     /* a NUL byte makes a file binary ... */
    bool null_ends_line;     /* ... and ends a line too */
    bool count_ends_at_null; /* and all that is wanted is the count of such lines */
    uint8_t line_end;
    int64_t before_count, after_count; /* CONTEXT_NOT_GIVEN where no option gave them */
    uint64_t max_count;                /* UINT64_MAX: none */
    struct colors colors;
    struct style style;
};

/* output_is_null: standard output is the null device. False: out of memory or contradiction, with
 * error[TYPED_ERROR_BYTES] filled. */
bool settings_build(struct settings *settings, const struct typed *typed, enum charset charset,
                    bool output_is_null, char *error);
void settings_free(struct settings *settings);

/* Does --algorithm name one that takes records, which only --matrix has? */
bool settings_algorithm_is_for_records(const struct typed *typed);

#endif
