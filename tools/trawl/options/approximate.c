/* approximate: what the options of approximate search and FASTA files mean. */
#include "trawl/options/approximate.h"
#include "trawl/options/settings.h"

#include <stdio.h>
#include <string.h>

#define SHOWN_BYTES_MAX 60  /* bytes of a string shown in a message */
#define SYMBOL_BYTES_MAX 4u /* bytes of a character */

/* Returns true if an option was given without another one that it requires; `error` names both. */
static bool is_incomplete(const struct settings *settings, char *error)
{
    bool none = !settings->errors.mismatches_given && !settings->errors.edits_given;
    bool is_dna = settings->errors.alphabet == TRAWL_DNA;
    const struct option_pair pairs[] = {
        {settings->errors.exact_count > 0 && none, "--exact", "--mismatches or --edits"},
        {settings->errors.distance && none, "--distance", "--mismatches or --edits"},
        {settings->errors.every_end && !settings->errors.edits_given, "--every-end", "--edits"},
        {settings->errors.reverse_complement && !is_dna, "--reverse-complement", "--alphabet=dna"},
        {settings->paired != NULL && !settings->fastq, "--paired", "--fastq"},
        {settings->amplicon.end > 0 && !settings->fasta, "--amplicon", "--fasta or --fastq"},
        {settings->records && !settings->fasta, "--records", "--fasta or --fastq"},
        {settings->errors.any_base && !is_dna, "--any-base", "--alphabet=dna"},
    };

    return flags_refuse(pairs, sizeof pairs / sizeof *pairs, "needs", error);
}

/* Returns true if an option of approximate search or of FASTA files contradicts another one;
 * `error` names both. */
static bool is_contradiction(const struct settings *settings, char *error)
{
    const char *errors = settings->errors.edits_given        ? "--edits"
                         : settings->errors.mismatches_given ? "--mismatches"
                                                             : "--alphabet=dna";
    const char *sequences = settings_sequences(settings);
    bool approximate = settings->approximate, fasta = settings->fasta;
    bool context = settings_have_context(settings) || settings->asked.around_count >= 0;
    const struct option_pair pairs[] = {
        {settings->errors.mismatches_given && settings->errors.edits_given, "--mismatches",
         "--edits"},
        {approximate && settings->search.method != NULL, errors, "--method"},
        {approximate && settings->search.algorithm != NULL, errors, "--algorithm"},
        {approximate && settings->crlf && settings->whole_lines, errors, "--crlf and -x"},
        {settings->errors.distance && settings->invert, "--distance", "-v (--invert-match)"},
        {settings->bed && settings->json, "--bed", "--json"},
        {settings->records && settings->bed, "--records", "--bed"},
        {settings->records && settings->json, "--records", "--json"},
        {settings->amplicon.end > 0 && settings->json, "--amplicon", "--json"},
        {settings->amplicon.end > 0 && settings->heads.pattern_number && !settings->asked.rules,
         "--amplicon", "--pattern-number"},
        {fasta && settings->invert && !settings->records, sequences, "-v (--invert-match)"},
        {fasta && settings->words, sequences, "-w (--word-regexp)"},
        {fasta && settings->whole_lines, sequences, "-x (--line-regexp)"},
        {fasta && settings->null_data, sequences, "-z (--null-data)"},
        {fasta && (settings->hex || settings->wild), sequences, "--hex"},
        {fasta && context, sequences, "-A, -B or -C"},
        {fasta && settings->passthru, sequences, "--passthru"},
        {fasta && settings->replace != NULL, sequences, "--replace"},
        {fasta && settings->style.vimgrep, sequences, "--vimgrep"},
        {fasta && settings->report->sequences == NULL, sequences, settings->report->options},
    };

    return flags_refuse(pairs, sizeof pairs / sizeof *pairs, "cannot be combined with", error);
}

bool approximate_settings(struct settings *settings, char *error)
{
    bool characters =
        settings->surroundings.charset == CHARSET_UTF8 && !settings->hex && !settings->fasta;

    if (!settings->errors.alphabet_given)
        settings->errors.alphabet = settings->errors.reverse_complement || settings->errors.any_base
                                        ? TRAWL_DNA
                                    : characters ? TRAWL_CHARACTERS
                                                 : TRAWL_BYTES;
    settings->approximate = settings->errors.mismatches_max > 0 || settings->errors.edits_max > 0 ||
                            settings->errors.alphabet == TRAWL_DNA;
    settings->multiline &= !settings->fasta; /* a sequence is a line */
    settings->shows_distance =
        (settings->errors.mismatches_given || settings->errors.edits_given) && !settings->write &&
        (settings->errors.distance || settings->json || settings->style.vimgrep);
    return !is_incomplete(settings, error) && !is_contradiction(settings, error);
}

static bool holds_line_end(const struct patterns *patterns, const struct settings *settings)
{
    for (uint64_t i = 0; i < patterns->count && settings->hex; i++)
        if (memchr(patterns->items[i].bytes, settings->line_end,
                   (size_t)patterns->items[i].bytes_count) != NULL)
            return true;
    return false;
}

void approximate_options(const struct patterns *patterns, const struct settings *settings,
                         struct trawl_plan_options *options)
{
    bool within_lines = !holds_line_end(patterns, settings);

    if (settings->errors.alphabet == TRAWL_DNA)
        /* DNA letters match in either case without this flag */
        options->flags &= ~(uint32_t)TRAWL_IGNORE_CASE;
    options->flags |= (within_lines ? TRAWL_WITHIN_LINES : 0u) |
                      (settings->errors.every_end ? TRAWL_EVERY_END : 0u) |
                      (settings->errors.reverse_complement ? TRAWL_REVERSE_COMPLEMENT : 0u) |
                      (settings->errors.any_base ? TRAWL_ANY_BASE : 0u);
    options->mismatches_max = (uint32_t)settings->errors.mismatches_max;
    options->edits_max = (uint32_t)settings->errors.edits_max;
    options->alphabet = settings->errors.alphabet;
    options->exact = settings->errors.exact;
    options->exact_count = settings->errors.exact_count;
    /* in a file that a NUL makes binary, NUL ends lines, too */
    options->line_ends.count = settings->nuls.end_line ? 2 : 1;
}

void approximate_expressions(const struct settings *settings, bool characters,
                             struct trawl_plan_options *options)
{
    options->alphabet = settings->errors.alphabet == TRAWL_DNA ? TRAWL_DNA
                        : characters && !settings->fasta       ? TRAWL_CHARACTERS
                                                               : TRAWL_BYTES;
    options->flags |= settings->errors.any_base ? TRAWL_ANY_BASE : 0u;
}

uint64_t approximate_around(const struct patterns *patterns, const struct settings *settings)
{
    uint64_t longest = 0;

    for (uint64_t i = 0; i < patterns->count; i++)
        if (patterns->items[i].bytes_count > longest)
            longest = patterns->items[i].bytes_count;
    return 2 * SYMBOL_BYTES_MAX * (longest + settings->errors.edits_max + 1);
}

void approximate_string(const struct patterns *patterns, struct trawl_error *error)
{
    const char *text = error->message, prefix[] = "pattern ";
    char message[TRAWL_ERROR_MESSAGE_BYTES];
    const struct trawl_pattern *pattern;

    if (error->pattern_index >= patterns->count || strncmp(text, prefix, strlen(prefix)) != 0)
        return;
    pattern = &patterns->items[error->pattern_index];
    text += strlen(prefix);
    text += strspn(text, "0123456789");
    snprintf(message, sizeof message, "'%.*s'%.150s",
             (int)(pattern->bytes_count < SHOWN_BYTES_MAX ? pattern->bytes_count : SHOWN_BYTES_MAX),
             (const char *)pattern->bytes, text);
    memcpy(error->message, message, sizeof message);
}
