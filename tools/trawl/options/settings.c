/* settings: derives what the options mean together.
 *
 * flags_parse stores each option by the option's setter (value.c). settings_build then finds
 * contradictions, chooses the report, and sets what depends on several options. An error is a text
 * for the caller; nothing is printed here.
 */
#include "trawl/options/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trawl/options/approximate.h"
#include "trawl/text/message.h"

/* Algorithms whose names begin with this text search records, which the command cannot do. */
#define RECORDS_ALGORITHM "rabin-karp-matrix"

/* Finds options that ask for different output. Returns whether the settings contradict each
 * other. */
static bool contradiction(const struct settings *settings, char *error)
{
    const struct asked *asked = &settings->asked;
    const bool by_pattern = settings->count_by_pattern, numbered = settings->heads.pattern_number;
    const bool names = settings->list != LIST_NONE;
    /* the option that prints something other than lines, beyond grep's options */
    const char *beyond = asked->count_matches ? "--count-matches"
                         : asked->positions   ? "--positions"
                                              : "--count-by-pattern";
    const bool is_beyond = asked->count_matches || asked->positions || by_pattern;
    const struct option_pair pairs[] = {
        {asked->count_matches + asked->positions + by_pattern > 1,
         "--count-matches, --positions and --count-by-pattern", "each other"},
        {settings->search_zip && settings->encoding != NULL &&
             strcmp(settings->encoding, "auto") != 0,
         "--encoding and --search-zip", "each other: unpack the files first"},
    };
    const struct option_pair layouts[] = {
        {settings->json && is_beyond, "--json", beyond},
        {settings->json && asked->count, "--json", "-c (--count)"},
        {settings->json && names, "--json", "-l or -L"},
        {is_beyond && settings->invert && !asked->count_matches, beyond, "-v (--invert-match)"},
        {is_beyond && asked->count, beyond, "-c (--count)"},
        {is_beyond && names, beyond, "-l or -L"},
        {numbered && settings->invert, "--pattern-number", "-v (--invert-match)"},
        {by_pattern && asked->max_count_given != MAX_COUNT_NONE, beyond, "-m (--max-count)"},
        {numbered && settings->style.vimgrep, "--pattern-number", "--vimgrep"},
        {numbered && settings->json, "--pattern-number", "--json"},
    };

    if (flags_refuse(pairs, sizeof pairs / sizeof *pairs, "exclude", error))
        return true;
    if (asked->hostname_bin != NULL && settings->style.hyperlink != NULL &&
        strstr(settings->style.hyperlink, "{host}") != NULL) {
        snprintf(error, SETTINGS_ERROR_BYTES,
                 "--hostname-bin: no command is run for the {host} of --hyperlink-format");
        return true;
    }
    return flags_refuse(layouts, sizeof layouts / sizeof *layouts, "cannot be combined with",
                        error);
}

/* Sets what ripgrep does on a terminal. */
static void finish_terminal(struct settings *settings)
{
    if (!settings->surroundings.output_is_terminal)
        return;
    settings->style.heading = settings->style.heading || !settings->asked.heading_given;
    settings->heads.line_number = settings->heads.line_number || !settings->asked.no_line_number;
}

/* Sets what --pretty means for trawl: --color=never, --no-heading and -N win at any position. For
 * tg the last option decides (value_pretty). */
static void finish_pretty(struct settings *settings)
{
    if (!settings->asked.color_given || settings->asked.color == COLOR_AUTO)
        settings->asked.color = COLOR_ALWAYS;
    settings->style.heading = settings->style.heading || !settings->asked.heading_given;
    settings->heads.line_number = settings->heads.line_number || !settings->asked.no_line_number;
}

/* Sets what options about the layout imply for other options. */
static void finish_layout(struct settings *settings)
{
    if (settings->asked.pretty && !settings->is_tg)
        finish_pretty(settings);
    if (settings->is_tg)
        finish_terminal(settings);
    if (settings->style.vimgrep) {
        settings->style.heading = false;
        settings->style.column = true;
        if (settings->heads.file_names == 0)
            settings->heads.file_names = 1;
    }
    if (settings->style.column && !settings->asked.no_line_number)
        settings->heads.line_number = true;
    if (settings->asked.no_column)
        settings->style.column = false;
    if (settings->json) {
        settings->heads.line_number = !settings->asked.no_line_number;
        settings->style.heading = settings->style.vimgrep = false;
        settings->separators.group = NULL;
        settings->asked.color = COLOR_NEVER;
    }
    if (settings->passthru)
        settings->before_count = settings->after_count = settings->asked.around_count =
            CONTEXT_NOT_GIVEN;
}

/* Sets which of ripgrep's and this command's options about lines are in effect. */
static void style_build(struct settings *settings)
{
    struct style *style = &settings->style;
    const struct colors *colors = &settings->colors;
    bool lines = settings->report == REPORT_LINES || settings->report == REPORT_ONLY_MATCHING;
    bool replaces = settings->replace != NULL;

    style->links = settings->colors.on && settings->style.hyperlink != NULL &&
                   *settings->style.hyperlink != '\0';
    style->names = settings->style.path_separator != NULL || style->links;
    style->on =
        lines &&
        (style->links || settings->json || settings->style.column || settings->style.vimgrep ||
         settings->style.heading || settings->passthru || settings->shows_distance || replaces ||
         settings->style.trim || settings->style.max_columns > 0 ||
         settings->separators.match != NULL || settings->separators.context != NULL);
    style->each_match =
        lines &&
        (settings->json || settings->style.column || settings->style.vimgrep || replaces ||
         settings->report == REPORT_ONLY_MATCHING ||
         (colors->on && (*colors->selected_match != '\0' || *colors->context_match != '\0')));
}

/* Makes the patterns strings if an option excludes expressions. Returns false if the user asked for
 * expressions, too; `error` names the option. */
static bool settings_syntax(struct settings *settings, char *error)
{
    const char *stranger = settings->hex                        ? "--hex"
                           : settings->search.algorithm != NULL ? "--algorithm"
                           : settings->search.method != NULL    ? "--method"
                           : settings->bed                      ? "--bed"
                           : settings->fasta                    ? "--fasta"
                           : settings->approximate ? "--mismatches, --edits or --alphabet=dna"
                                                   : NULL;

    if (stranger == NULL)
        return true;
    if (settings->asked.syntax_given)
        return message_fail(error, "%s searches for strings, not for expressions", stranger);
    settings->syntax = TRAWL_LITERAL;
    return true;
}

/* Returns the report; if several options ask for a report, the first in this order wins, as in
 * grep. */
static enum report choose_report(const struct settings *settings)
{
    if (settings->quiet || settings->surroundings.output_is_null)
        return REPORT_QUIET;
    if (settings->list != LIST_NONE)
        return REPORT_NAMES;
    if (settings->asked.count_matches || (settings->asked.count && settings->is_tg &&
                                          settings->asked.only_matching)) /* as in ripgrep */
        return settings->invert ? REPORT_COUNT : REPORT_COUNT_MATCHES;
    if (settings->asked.count)
        return REPORT_COUNT;
    if (settings->asked.positions)
        return REPORT_POSITIONS;
    if (settings->count_by_pattern)
        return REPORT_COUNT_BY_PATTERN;
    return settings->asked.only_matching && !settings->json ? REPORT_ONLY_MATCHING : REPORT_LINES;
}

bool settings_build(struct settings *settings, char *error)
{
    finish_layout(settings);
    if (!settings->document.explain && settings->search.algorithm != NULL &&
        strncmp(settings->search.algorithm, RECORDS_ALGORITHM, strlen(RECORDS_ALGORITHM)) == 0)
        return message_fail(error, "--algorithm: %s searches records: only the library does that",
                            settings->search.algorithm);
    if (contradiction(settings, error))
        return false;
    settings->report = choose_report(settings);
    settings->overlapping = settings->overlapping && (settings->report == REPORT_ONLY_MATCHING ||
                                                      settings->report == REPORT_COUNT_MATCHES);
    settings->writes_lines = settings->asked.line_buffered != 0
                                 ? settings->asked.line_buffered > 0
                                 : settings->surroundings.output_is_terminal;
    settings->stop_at_first_file = settings->quiet;
    settings->line_end = settings->null_data ? '\0' : '\n';
    settings->crlf = settings->crlf && !settings->null_data;
    settings->text = settings->binary_files == BINARY_FILES_TEXT ||
                     settings->report >= REPORT_COUNT_MATCHES || settings->fasta;
    settings->nuls.checks_text =
        settings->surroundings.charset != CHARSET_BYTES && !settings->text && !settings->is_tg;
    settings->nuls.is_binary = !settings->text && !settings->null_data;
    settings->nuls.end_line = settings->nuls.is_binary && !settings->hex;
    settings->numbers_wanted = settings->report >= REPORT_COUNT_BY_PATTERN ||
                               settings->heads.pattern_number ||
                               (settings->fasta && settings->json);
    settings->nuls.end_count =
        settings->report == REPORT_COUNT && settings->nuls.end_line &&
        (settings->is_tg || settings->binary_files != BINARY_FILES_WITHOUT_MATCH);
    if (settings->asked.names_errors && !approximate_settings(settings, error))
        return false;
    if (settings->syntax != TRAWL_LITERAL && !settings_syntax(settings, error))
        return false;
    if (settings->before_count < 0)
        settings->before_count = settings->asked.around_count;
    if (settings->after_count < 0)
        settings->after_count = settings->asked.around_count;
    if (settings->is_tg && settings->before_count <= 0 && settings->after_count <= 0)
        /* for a context of 0 lines, tg prints no separators */
        settings->before_count = settings->after_count = CONTEXT_NOT_GIVEN;
    if (settings->asked.max_count_given >= 0 && settings->asked.max_count_given != MAX_COUNT_NONE)
        settings->max_count = (uint64_t)settings->asked.max_count_given;
    /* A negative number means no limit. But with -v, as in grep 3.8, a negative number selects
     * nothing. */
    else
        settings->max_count =
            settings->asked.max_count_given < 0 && settings->invert ? 0 : UINT64_MAX;
    settings->stops_early = settings->report == REPORT_NAMES || settings->report == REPORT_QUIET ||
                            settings->max_count == 1;
    if (settings->asked.color != COLOR_NEVER && !colors_build(&settings->colors, settings))
        return message_fail(error, "memory exhausted");
    style_build(settings);
    return true;
}

void settings_free(struct settings *settings)
{
    free(settings->colors.storage);
    free(settings->patterns.items);
    free(settings->operands.items);
    free(settings->filters.items);
    free(settings->asked.color_specs.items);
    free(settings->arguments.given);
    for (size_t i = 0; i < settings->arguments.storage_count; i++)
        free(settings->arguments.storage[i]);
    free(settings->arguments.storage);
    free(settings->files.rules.items);
    free(settings->errors.exact);
    memset(settings, 0, sizeof *settings);
}
