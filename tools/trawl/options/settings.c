/* settings: derives what the options mean together.
 *
 * flags_parse stores each option through its setter (value.c). settings_build then finds
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

static bool is_asked(const struct settings *settings, enum report_id report)
{
    const bool all[] = {
#define asked(id) settings->asked.reports[REPORT_##id]
#define REPORT(id, options, given, ...) given,
#include "trawl/options/reports.def"
#undef REPORT
#undef asked
    };

    return all[report];
}

/* Finds options that exclude a requested report, even if another report wins. */
static bool is_refused(const struct settings *settings, const struct report *report, char *error)
{
    const char *options = report->options;
    const struct option_pair pairs[] = {
        {settings->json && report->json == REPORT_NONE, "--json", options},
        {settings->invert && report->inverted == REPORT_NONE, options, "-v (--invert-match)"},
        {settings->asked.max_count_given != MAX_COUNT_NONE && report->limited == LIMITED_NONE,
         options, "-m (--max-count)"},
        {settings->max_total < UINT64_MAX && report->limited == LIMITED_NONE, options,
         "--max-total"},
    };
    bool refused =
        flags_refuse(pairs, sizeof pairs / sizeof *pairs, "cannot be combined with", error);

    for (enum report_id i = 0; i < REPORTS_COUNT && report->text == TEXT_BYTES && !refused; i++) {
        const struct report *other = &report_table[i];
        const struct option_pair both = {other != report && is_asked(settings, i) &&
                                             other->prints != PRINTS_TEXT &&
                                             other->prints != PRINTS_NOTHING,
                                         options, other->options};

        refused = flags_refuse(&both, 1, "cannot be combined with", error);
    }
    return refused;
}

/* Finds options that require different output. Returns true if the settings contradict each
 * other. */
static bool contradiction(const struct settings *settings, char *error)
{
    const bool numbered = settings->heads.pattern_number;
    const struct option_pair layouts[] = {
        {numbered && settings->invert, "--pattern-number", "-v (--invert-match)"},
        {numbered && settings->style.vimgrep, "--pattern-number", "--vimgrep"},
        {settings->max_total < UINT64_MAX && settings->list == LIST_WITHOUT_MATCH, "--max-total",
         "-L (--files-without-match)"},
    };

    if (settings->search_zip && settings->encoding != NULL &&
        strcmp(settings->encoding, "auto") != 0)
        return !message_fail(
            error, "--encoding and --search-zip exclude each other: unpack the files first");
    if (settings->asked.hostname_bin != NULL && settings->style.hyperlink != NULL &&
        strstr(settings->style.hyperlink, "{host}") != NULL)
        return !message_fail(
            error, "--hostname-bin: no command is run for the {host} of --hyperlink-format");
    for (enum report_id i = 0; i < REPORTS_COUNT; i++)
        if (is_asked(settings, i) && is_refused(settings, &report_table[i], error))
            return true;
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

/* Returns true if an option contradicts --write; `error` names both. */
static bool write_contradiction(const struct settings *settings, char *error)
{
    const char *option = settings->diff ? "--diff" : "--write", *encoding = settings->encoding;
    const bool context =
        settings->before_count > 0 || settings->after_count > 0 || settings->asked.around_count > 0;
    const struct option_pair pairs[] = {
        {settings->invert, option, "-v (--invert-match)"},
        {settings->style.excerpts, option, "--around"},
        {settings->asked.max_count_given != MAX_COUNT_NONE, option, "-m (--max-count)"},
        {settings->max_total < UINT64_MAX, option, "--max-total"},
        {settings->max_output < UINT64_MAX, option, "--max-output"},
        {settings->json, option, "--json"},
        {settings->style.vimgrep, option, "--vimgrep"},
        {settings->search_zip, option, "--search-zip"},
        {settings->pre != NULL, option, "--pre"},
        {settings->fasta, option, settings_sequences(settings)},
        {settings->stop_on_nonmatch, option, "--stop-on-nonmatch"},
        {context, option, "-A, -B or -C"},
        {settings->diff && settings->null_data, "--diff", "-z (--null-data)"},
        {settings->diff && settings->backup != NULL, "--diff", "--backup"},
        {encoding != NULL && strcmp(encoding, "auto") != 0 && strcmp(encoding, "none") != 0, option,
         "--encoding"},
        {settings->report->finds != FINDS_LINES || settings->report->prints != PRINTS_TEXT, option,
         settings->report->options},
    };

    if (settings->replace == NULL)
        return !message_fail(error, "%s needs --replace", option);
    return flags_refuse(pairs, sizeof pairs / sizeof *pairs, "cannot be combined with", error);
}

/* --show-function, -W. Returns true if an option contradicts them; `error` names both. */
static bool finish_function(struct settings *settings, char *error)
{
    const bool all = settings->function == FUNCTION_ALL;
    const char *option = all ? "-W (--function-context)" : "--show-function";
    const bool context = settings_have_context(settings) || settings->asked.around_count >= 0;
    const struct option_pair pairs[] = {
        {settings_print_matches(settings), option, settings->report->options},
        {settings->multiline, option, "--multiline"},
        {settings->fasta, option, settings_sequences(settings)},
        {settings->passthru, option, "--passthru"},
        {settings->write, option, "--write"},
        {all && context, option, "-A, -B or -C"},
    };

    if (settings->report->prints != PRINTS_TEXT)
        settings->function = FUNCTION_NONE;
    if (settings->function == FUNCTION_NONE)
        return false;
    if (flags_refuse(pairs, sizeof pairs / sizeof *pairs, "cannot be combined with", error))
        return true;
    if (all) /* a function is a group of lines */
        settings->before_count = settings->after_count = 0;
    return false;
}

/* --write: all lines are printed, and nothing else. */
static void finish_write(struct settings *settings)
{
    struct style own = {.path_separator = settings->style.path_separator};

    settings->passthru = true;
    settings->writes_binary = settings->binary_files == BINARY_FILES_TEXT || settings->null_data;
    settings->binary_files = BINARY_FILES_TEXT;
    settings->style = own;
    memset(&settings->heads, 0, sizeof settings->heads);
    settings->heads.file_names = -1;
    memset(&settings->separators, 0, sizeof settings->separators);
    settings->asked.color = COLOR_NEVER;
    settings->before_count = settings->after_count = settings->asked.around_count =
        CONTEXT_NOT_GIVEN;
    settings->encoding = NULL;
    settings->asked.line_buffered = -1;
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

/* Works out which line-related options, ripgrep's or our own, are in effect. */
static void style_build(struct settings *settings)
{
    struct style *style = &settings->style;
    const struct colors *colors = &settings->colors;
    bool lines = settings->report->prints == PRINTS_TEXT;
    bool replaces = settings->replace != NULL;

    style->links = settings->colors.on && settings->style.hyperlink != NULL &&
                   *settings->style.hyperlink != '\0';
    style->names = settings->style.path_separator != NULL || style->links;
    style->on =
        lines &&
        (style->links || settings->json || settings->style.column || settings->style.vimgrep ||
         settings->style.heading || settings->passthru || settings->shows_distance || replaces ||
         settings->style.trim || settings->style.max_columns > 0 || settings->style.excerpts ||
         settings->separators.match != NULL || settings->separators.context != NULL);
    style->each_match =
        lines &&
        (settings->json || settings->style.column || settings->style.vimgrep || replaces ||
         settings_print_matches(settings) ||
         (colors->on && (*colors->selected_match != '\0' || *colors->context_match != '\0')));
}

/* Turns the patterns into plain strings if an option excludes expressions. Returns false if the
 * user also requested expressions; `error` names the option. */
static bool settings_syntax(struct settings *settings, char *error)
{
    const char *stranger = settings->wide                       ? "--wide"
                           : settings->hex                      ? "--hex"
                           : settings->search.algorithm != NULL ? "--algorithm"
                           : settings->search.method != NULL    ? "--method"
                           : settings->errors.mismatches_max > 0 || settings->errors.edits_max > 0
                               ? "--mismatches or --edits"
                           : settings->amplicon.end > 0 ? "--amplicon"
                           : settings->errors.reverse_complement && !settings->fasta
                               ? "--reverse-complement without --fasta or --fastq"
                               : NULL;

    if (stranger == NULL)
        return true;
    if (settings->asked.syntax_given || settings->wild)
        return message_fail(error, "%s searches for strings, not for expressions", stranger);
    settings->syntax = TRAWL_LITERAL;
    return true;
}

const struct report *settings_report(const struct settings *settings)
{
    const struct report *report = report_table;

    while (!is_asked(settings, (enum report_id)(report - report_table)))
        report++;
    if (settings->invert && report->inverted != REPORT_NONE)
        report = &report_table[report->inverted];
    return settings->json && report->json != REPORT_NONE ? &report_table[report->json] : report;
}

/* Takes --hex for expressions if a string on the command line is not plain. False: `error` says why
 * not. */
static bool finish_hex(struct settings *settings, char *error)
{
    const struct value_list *patterns = &settings->patterns;
    const bool refuses = settings->asked.syntax_given || settings->whole_lines || settings->words;
    const bool replaces = settings->replace != NULL && !refuses && settings->xor_from == 0 &&
                          !settings->asked.names_errors;
    bool plain = true;

    for (size_t i = 0; i < patterns->count; i++)
        plain = plain &&
                (patterns->items[i].kind == VALUE_FILE || patterns->items[i].kind == VALUE_RULES ||
                 hex_is_plain(patterns->items[i].text, replaces));
    if (patterns->count == 0 && settings->operands.count > 0)
        plain = hex_is_plain(settings->operands.items[0].text, replaces);
    if (plain)
        return true;
    if (refuses)
        return message_fail(error, "--hex cannot be combined with -E, -G, -P, -w or -x");
    settings->hex = false;
    settings->wild = settings->multiline = settings->dot_all = settings->no_unicode = true;
    settings->stop_on_nonmatch = false;
    settings->syntax = TRAWL_PERL;
    settings->pcre = PCRE_NEVER;
    return true;
}

/* --xor, --wide: the strings may become any bytes, as those of --hex. False: `error` says why not.
 */
static bool finish_bytes(struct settings *settings, char *error)
{
    const bool wide = settings->wide;
    const char *name = wide ? "--wide" : "--xor";
    const struct option_pair pairs[] = {
        {settings->asked.syntax_given, name, "-E, -G or -P"},
        {settings->wild, name, "wildcards of --hex"},
        {!wide && settings->ignore_case, name, "-i (--ignore-case)"},
        {!wide && settings->words, name, "-w or -x"},
        {settings->whole_lines, name, wide ? "-x" : "-w or -x"},
        {settings->multiline, name, "--multiline"},
        {!wide && settings->heads.pattern_number, name, "--pattern-number"},
        {!wide && settings->asked.reports[REPORT_COUNT_BY_PATTERN], name, "--count-by-pattern"},
        {settings->asked.names_errors, name, "options of approximate search and sequences"},
        {wide && settings->hex && !settings->hex_text, name, "--hex"},
        {wide && settings->xor_from > 0, name, "--xor"},
        {wide && settings->replace != NULL, name, "--replace"},
        {wide && settings->surroundings.charset == CHARSET_SINGLE, name,
         "a locale in which each byte is a character"},
    };

    if (!wide && settings->xor_from == 0)
        return true;
    if (flags_refuse(pairs, sizeof pairs / sizeof *pairs, "cannot be combined with", error))
        return false;
    settings->hex_text |= !settings->hex;
    settings->hex = true;
    return true;
}

static void finish_max_count(struct settings *settings)
{
    const int64_t given = settings->asked.max_count_given;

    /* A negative number means no limit. But with -v, as in grep 3.8, it selects nothing. */
    settings->max_count = given >= 0 && given != MAX_COUNT_NONE ? (uint64_t)given
                          : given < 0 && settings->invert       ? 0
                                                                : UINT64_MAX;
    if (settings->max_count > settings->max_total)
        settings->max_count = settings->max_total;
}

bool settings_build(struct settings *settings, char *error)
{
    if ((settings->hex && !settings->hex_text && !finish_hex(settings, error)) ||
        !finish_bytes(settings, error))
        return false;
    finish_layout(settings);
    if (!settings->document.explain && settings->search.algorithm != NULL &&
        strncmp(settings->search.algorithm, RECORDS_ALGORITHM, strlen(RECORDS_ALGORITHM)) == 0)
        return message_fail(error, "--algorithm: %s searches records: only the library does that",
                            settings->search.algorithm);
    if (contradiction(settings, error))
        return false;
    if (settings->write || settings->diff || settings->pre != NULL)
        /* a search without a reader may end early, but not before all files are written, and the
         * commands of --pre have ended */
        settings->surroundings.output_is_null = false;
    settings->report = settings_report(settings);
    settings->write |= settings->diff;
    if (settings->backup != NULL && !settings->write)
        return message_fail(error, "--backup needs --write");
    if (settings->backup != NULL &&
        (*settings->backup == '\0' || strchr(settings->backup, '/') != NULL))
        return message_fail(error, "--backup: '%s' is not the end of another name",
                            settings->backup);
    if (finish_function(settings, error) ||
        (settings->write && write_contradiction(settings, error)))
        return false;
    if (settings->write)
        finish_write(settings);
    settings->overlapping &=
        settings->report->finds == FINDS_MATCHES || (settings->json && settings->replace == NULL);
    settings->writes_lines = settings->asked.line_buffered != 0
                                 ? settings->asked.line_buffered > 0
                                 : settings->surroundings.output_is_terminal;
    settings->stop_at_first_file = settings->quiet;
    settings->line_end = settings->null_data ? '\0' : '\n';
    settings->crlf = settings->crlf && !settings->null_data;
    settings->text = settings->binary_files == BINARY_FILES_TEXT ||
                     settings->report->text == TEXT_BYTES || settings->fasta;
    settings->nuls.checks_text =
        settings->surroundings.charset != CHARSET_BYTES && !settings->text && !settings->is_tg;
    settings->nuls.is_binary = !settings->text && !settings->null_data;
    settings->nuls.end_line = settings->nuls.is_binary && !settings->hex && !settings->wild;
    settings->heads.pattern_number |= settings->json && settings->asked.rules;
    settings->numbers_wanted =
        settings->report->prints == PRINTS_TABLE || settings->heads.pattern_number ||
        settings->amplicon.end > 0 ||
        (settings->fasta && (settings->json || settings->syntax != TRAWL_LITERAL));
    settings->nuls.end_count =
        settings_count_lines(settings) && settings->nuls.end_line &&
        (settings->is_tg || settings->binary_files != BINARY_FILES_WITHOUT_MATCH);
    if (settings->asked.names_errors && !approximate_settings(settings, error))
        return false;
    if (settings->syntax != TRAWL_LITERAL && !settings_syntax(settings, error))
        return false;
    if (settings->before_count < 0)
        settings->before_count = settings->asked.around_count;
    if (settings->after_count < 0)
        settings->after_count = settings->asked.around_count;
    if (settings->is_tg && settings->before_count <= 0 && settings->after_count <= 0 &&
        settings->function != FUNCTION_ALL)
        /* for a context of 0 lines, tg prints no separators */
        settings->before_count = settings->after_count = CONTEXT_NOT_GIVEN;
    finish_max_count(settings);
    settings->stops_early = settings->report->finds == FINDS_FIRST || settings->max_count == 1;
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
    free(settings->pre_globs.items);
    free(settings->errors.exact);
    memset(settings, 0, sizeof *settings);
}
