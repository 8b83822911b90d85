/* settings: what the typed arguments mean together. */
#include "trawl/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RECORDS_ALGORITHM "rabin-karp-matrix" /* and those whose name goes on after it */

bool settings_algorithm_is_for_records(const struct typed *typed)
{
    size_t bytes = typed->algorithm == NULL ? 0 : strcspn(typed->algorithm, ":,");

    return bytes >= strlen(RECORDS_ALGORITHM) &&
           memcmp(typed->algorithm, RECORDS_ALGORITHM, strlen(RECORDS_ALGORITHM)) == 0;
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
    if (typed->encoding != NULL && typed->search_zip) {
        snprintf(error, TYPED_ERROR_BYTES,
                 "--encoding and --search-zip exclude each other: unpack the files first");
        return true;
    }
    if (typed->hex && typed->length_prefixed) {
        snprintf(error, TYPED_ERROR_BYTES, "--hex and --length-prefixed exclude each other");
        return true;
    }
    if (typed->json && (beyond != NULL || typed->count || typed->list != LIST_NONE)) {
        snprintf(error, TYPED_ERROR_BYTES, "--json cannot be combined with %s",
                 beyond != NULL ? beyond
                 : typed->count ? "-c (--count)"
                                : "-l or -L");
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
    else if (typed->pattern_number && typed->vimgrep)
        stranger = "--vimgrep";
    else if (typed->pattern_number && typed->json)
        stranger = "--json";
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
        {typed->json, "--json"},
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

/* Is one of the options given that print.c knows nothing of? */
static void style_build(struct settings *settings)
{
    const struct typed *typed = settings->typed;
    struct style *style = &settings->style;
    bool lines = settings->report == REPORT_LINES || settings->report == REPORT_ONLY_MATCHING;

    style->escapes = typed->escape_controls == COLOR_ALWAYS ||
                     (typed->escape_controls == COLOR_AUTO && isatty(STDOUT_FILENO));
    style->links = settings->colors.on && typed->hyperlink != NULL && *typed->hyperlink != '\0';
    style->names = typed->path_separator != 0 || style->escapes || style->links;
    style->on = lines && (style->escapes || style->links || typed->json || typed->column ||
                          typed->vimgrep || typed->heading || typed->passthru ||
                          typed->replace != NULL || typed->trim || typed->max_columns > 0 ||
                          typed->match_separator != NULL || typed->context_separator != NULL);
    style->each_match =
        style->on && (typed->json || typed->column || typed->vimgrep || typed->replace != NULL ||
                      settings->report == REPORT_ONLY_MATCHING ||
                      (typed->max_columns > 0 && typed->preview == PREVIEW_MATCH) ||
                      (settings->colors.on && *settings->colors.selected_match != '\0'));
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
    return typed->only_matching && !typed->json ? REPORT_ONLY_MATCHING : REPORT_LINES;
}

bool settings_build(struct settings *settings, const struct typed *typed, enum charset charset,
                    bool output_is_null, char *error)
{
    memset(settings, 0, sizeof *settings);
    settings->typed = typed;
    if (matrix_contradiction(typed, error) || contradiction(typed, error))
        return false;
    settings->report = choose_report(typed, output_is_null);
    settings->charset = charset;
    settings->stop_at_first_file = typed->quiet;
    settings->line_end = typed->null_data ? '\0' : '\n';
    settings->any_byte = typed->hex || typed->length_prefixed || typed->saved_any_byte;
    settings->text =
        typed->binary_files == BINARY_FILES_TEXT || settings->report >= REPORT_COUNT_BY_PATTERN;
    settings->checks_text = charset != CHARSET_BYTES && !settings->text;
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
    style_build(settings);
    return true;
}

void settings_free(struct settings *settings)
{
    colors_free(&settings->colors);
}
