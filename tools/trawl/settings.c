/* settings: what the typed arguments mean together. */
#include "trawl/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RECORDS_ALGORITHM "rabin-karp-matrix" /* and those whose name goes on behind it */

bool settings_algorithm_is_for_records(const struct typed *typed)
{
    size_t bytes = typed->algorithm == NULL ? 0 : strcspn(typed->algorithm, ":,");

    return bytes >= strlen(RECORDS_ALGORITHM) &&
           memcmp(typed->algorithm, RECORDS_ALGORITHM, strlen(RECORDS_ALGORITHM)) == 0;
}

static bool color_wanted(const struct typed *typed)
{
    const char *terminal;

    if (typed->color != COLOR_AUTO)
        return typed->color == COLOR_ALWAYS;
    terminal = getenv("TERM");
    return isatty(STDOUT_FILENO) && terminal != NULL && strcmp(terminal, "dumb") != 0 &&
           getenv("NO_COLOR") == NULL;
}

/* One name or name=value of GREP_COLORS. */
static void set_color(struct colors *colors, bool invert, const char *name, const char *value)
{
    if (strcmp(name, "mt") == 0 && value != NULL)
        colors->selected_match = colors->context_match = value;
    else if (strcmp(name, "ms") == 0 && value != NULL)
        colors->selected_match = value;
    else if (strcmp(name, "mc") == 0 && value != NULL)
        colors->context_match = value;
    else if (strcmp(name, "sl") == 0 && value != NULL)
        colors->selected_line = value;
    else if (strcmp(name, "cx") == 0 && value != NULL)
        colors->context_line = value;
    else if (strcmp(name, "fn") == 0 && value != NULL)
        colors->file_name = value;
    else if (strcmp(name, "ln") == 0 && value != NULL)
        colors->line_number = value;
    else if (strcmp(name, "bn") == 0 && value != NULL)
        colors->byte_offset = value;
    else if (strcmp(name, "se") == 0 && value != NULL)
        colors->separator = value;
    else if (strcmp(name, "rv") == 0)
        colors->reverse = invert;
    else if (strcmp(name, "ne") == 0)
        colors->start_format_end = "";
}

/* As grep reads it: names of two letters parted by colons, values of digits and semicolons; the
 * first fault ends the reading. */
static void read_colors(struct colors *colors, bool invert)
{
    char *name = colors->storage;

    while (*name != '\0') {
        char *end = name + strcspn(name, ":");
        char *equals = memchr(name, '=', (size_t)(end - name));
        bool more = *end == ':';

        *end = '\0';
        if (equals != NULL) {
            *equals = '\0';
            if (equals == name || equals[1 + strspn(equals + 1, "0123456789;")] != '\0')
                return;
        }
        set_color(colors, invert, name, equals != NULL ? equals + 1 : NULL);
        if (!more)
            return;
        name = end + 1;
    }
}

static bool colors_build(struct colors *colors, const struct typed *typed)
{
    const char *variable = getenv("GREP_COLORS");
    const char *old = getenv("GREP_COLOR");

    colors->on = color_wanted(typed);
    if (!colors->on)
        return true;
    colors->selected_match = colors->context_match =
        old != NULL && *old != '\0' && old[strspn(old, "0123456789;")] == '\0' ? old : "01;31";
    colors->selected_line = colors->context_line = "";
    colors->file_name = "35";
    colors->line_number = colors->byte_offset = "32";
    colors->separator = "36";
    colors->start_format_end = "\33[K";
    if (variable == NULL || *variable == '\0')
        return true;
    colors->storage = strdup(variable);
    if (colors->storage == NULL)
        return false;
    read_colors(colors, typed->invert);
    return true;
}

/* What of this command's own is to be printed instead of lines; NULL: nothing. */
static const char *report_beyond(const struct typed *typed)
{
    return typed->count_matches        ? "--count-matches"
           : typed->positions          ? "--positions"
           : typed->first              ? "--first"
           : typed->count_by_pattern   ? "--count-by-pattern"
           : typed->unmatched_patterns ? "--unmatched-patterns"
                                       : NULL;
}

/* Options that say different things about what to print. */
static bool contradiction(const struct typed *typed, char *error)
{
    const char *beyond = report_beyond(typed);
    const char *stranger = NULL;

    if ((int)typed->count_matches + (int)typed->positions + (int)typed->first +
            (int)typed->count_by_pattern + (int)typed->unmatched_patterns >
        1) {
        snprintf(error, TYPED_ERROR_BYTES,
                 "--count-matches, --positions, --first, --count-by-pattern and "
                 "--unmatched-patterns exclude each other");
        return true;
    }
    if (typed->hex && typed->length_prefixed) {
        snprintf(error, TYPED_ERROR_BYTES, "--hex and --length-prefixed exclude each other");
        return true;
    }
    if (beyond != NULL && (typed->invert || typed->count || typed->list != LIST_NONE))
        stranger = typed->invert  ? "-v (--invert-match)"
                   : typed->count ? "-c (--count)"
                                  : "-l or -L";
    else if (typed->pattern_number && typed->invert)
        stranger = "-v (--invert-match)";
    else if ((typed->count_by_pattern || typed->unmatched_patterns) &&
             typed->max_count != MAX_COUNT_NONE)
        stranger = "-m (--max-count)";
    else if (typed->unmatched_patterns && typed->file_names > 0)
        stranger = "-H (--with-filename)";
    if (stranger == NULL)
        return false;
    snprintf(error, TYPED_ERROR_BYTES, "%s cannot be combined with %s",
             beyond != NULL ? beyond : "--pattern-number", stranger);
    return true;
}

/* An option that --matrix has no use for; NULL: none was given. */
static const char *stranger_to_matrix(const struct typed *typed)
{
    bool context = typed->before_count >= 0 || typed->after_count >= 0 || typed->around_count >= 0;
    const struct {
        bool given;
        const char *name;
    } strangers[] = {
        {typed->invert, "-v (--invert-match)"},
        {typed->count, "-c (--count)"},
        {typed->list != LIST_NONE, "-l or -L"},
        {typed->only_matching, "-o (--only-matching)"},
        {typed->quiet, "-q (--quiet)"},
        {typed->max_count != MAX_COUNT_NONE, "-m (--max-count)"},
        {typed->line_number, "-n (--line-number)"},
        {typed->byte_offset, "-b (--byte-offset)"},
        {context, "-A, -B or -C"},
        {typed->initial_tab, "-T (--initial-tab)"},
        {typed->null_after_name, "-Z (--null)"},
        {typed->color == COLOR_ALWAYS, "--color=always"},
        {typed->binary_files == BINARY_FILES_WITHOUT_MATCH, "--binary-files=without-match (-I)"},
        {typed->count_matches, "--count-matches"},
        {typed->overlapping, "--overlapping"},
        {typed->positions, "--positions"},
        {typed->first, "--first"},
        {typed->pattern_number, "--pattern-number"},
        {typed->count_by_pattern, "--count-by-pattern"},
        {typed->unmatched_patterns, "--unmatched-patterns"},
    };

    for (size_t i = 0; i < sizeof strangers / sizeof *strangers; i++)
        if (strangers[i].given)
            return strangers[i].name;
    return NULL;
}

static bool matrix_contradiction(const struct typed *typed, char *error)
{
    const char *stranger = stranger_to_matrix(typed);

    if (typed->matrix == MATRIX_NONE) {
        if (typed->explain || !settings_algorithm_is_for_records(typed))
            return false;
        snprintf(error, TYPED_ERROR_BYTES, "--algorithm: %s searches records: use --matrix",
                 typed->algorithm);
        return true;
    }
    if (stranger != NULL)
        snprintf(error, TYPED_ERROR_BYTES, "--matrix cannot be combined with %s", stranger);
    else if (typed->matrix == MATRIX_NPY && typed->file_names > 0)
        snprintf(error, TYPED_ERROR_BYTES,
                 "--matrix=npy cannot be combined with -H (--with-filename): "
                 "an array of numbers holds no names");
    else
        return false;
    return true;
}

static enum report choose_report(const struct typed *typed, bool output_is_null)
{
    if (typed->matrix != MATRIX_NONE)
        return REPORT_MATRIX;
    if (typed->quiet || output_is_null)
        return REPORT_QUIET;
    if (typed->list != LIST_NONE)
        return REPORT_NAMES;
    if (typed->count)
        return REPORT_COUNT;
    if (typed->count_matches)
        return REPORT_COUNT_MATCHES;
    if (typed->positions)
        return REPORT_POSITIONS;
    if (typed->first)
        return REPORT_FIRST;
    if (typed->count_by_pattern)
        return REPORT_COUNT_BY_PATTERN;
    if (typed->unmatched_patterns)
        return REPORT_UNMATCHED;
    return typed->only_matching ? REPORT_ONLY_MATCHING : REPORT_LINES;
}

bool settings_build(struct settings *settings, const struct typed *typed, bool utf8,
                    bool output_is_null, char *error)
{
    memset(settings, 0, sizeof *settings);
    settings->typed = typed;
    if (matrix_contradiction(typed, error) || contradiction(typed, error))
        return false;
    settings->report = choose_report(typed, output_is_null);
    settings->utf8 = utf8;
    settings->stop_at_first_file = typed->quiet;
    settings->line_end = typed->null_data ? '\0' : '\n';
    settings->any_byte = typed->hex || typed->length_prefixed || typed->saved_any_byte;
    settings->text =
        typed->binary_files == BINARY_FILES_TEXT || settings->report >= REPORT_COUNT_BY_PATTERN;
    settings->null_is_binary = !settings->text && !typed->null_data;
    settings->null_ends_line = settings->null_is_binary && !settings->any_byte;
    settings->numbers_wanted = settings->report >= REPORT_COUNT_BY_PATTERN ||
                               typed->pattern_number || typed->save_patterns != NULL;
    settings->count_ends_at_null = settings->report == REPORT_COUNT && settings->null_ends_line &&
                                   typed->binary_files != BINARY_FILES_WITHOUT_MATCH;
    settings->before_count = typed->before_count >= 0 ? typed->before_count : typed->around_count;
    settings->after_count = typed->after_count >= 0 ? typed->after_count : typed->around_count;
    if (typed->max_count >= 0 && typed->max_count != MAX_COUNT_NONE)
        settings->max_count = (uint64_t)typed->max_count;
    else /* a negative number means no limit, except that in grep 3.8 it selects nothing under -v */
        settings->max_count = typed->max_count < 0 && typed->invert ? 0 : UINT64_MAX;
    if (!colors_build(&settings->colors, typed)) {
        snprintf(error, TYPED_ERROR_BYTES, "memory exhausted");
        return false;
    }
    return true;
}

void settings_free(struct settings *settings)
{
    free(settings->colors.storage);
    settings->colors.storage = NULL;
}
