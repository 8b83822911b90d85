/* expressions: finds out which patterns are plain strings, joins several expressions into one, and
 * writes messages about invalid ones. */
#include "trawl/options/expressions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wctype.h>

#include "trawl/options/patterns.h"
#include "trawl/text/charset.h"
#include "trawl/text/guard.h"
#include "trawl/text/calls.h"
#include "trawl/text/utf8.h"
#include "trawl/options/settings.h"

#define PLACE_BYTES 80 /* room for where an expression is, in a message */
#define SHOWN_MAX 200u /* bytes of an expression that a message shows */

/* Memory that a server counts for a plan with expressions, as measured. Sum:
 *   (AUTOMATA_MIB + expressions / EXPRESSIONS_PER_MIB) MiB   limit for what is made for them
 *   KEPT_BYTES * bytes of all expressions                    their trees; most for "\pL"
 *   MAKE_BYTES                                               while the plan is built
 *   THREAD_BYTES * threads                                   the automata of a thread
 * If the sum is more than 3/4 of what the request may still use, the limit is lowered to fit. Below
 * AUTOMATA_MIB, the largest expression is smaller, and each thread needs less. */
#define AUTOMATA_MIB 64u
#define EXPRESSIONS_PER_MIB 4u
#define KEPT_BYTES (UINT64_C(3) << 10)
#define MAKE_BYTES (UINT64_C(1) << 20)
#define THREAD_BYTES (UINT64_C(9) << 20)

/* Returns the characters that are operators of the syntax without '\'. */
static const char *operators_of(const struct settings *settings)
{
    return settings->syntax == TRAWL_BASIC ? "*.[^$" : "*.[^$+?(){}|]";
}

/* Returns true if '\' makes this character literal. */
static bool is_quotable(const struct settings *settings, char byte)
{
    return byte != '\0' &&
           strchr(settings->syntax == TRAWL_BASIC ? "\\*.[]^$" : "\\*.[]^$+?(){}|", byte) != NULL;
}

/* Returns true if the user asked for expressions and the report has every occurrence: those of this
 * string may overlap, the matches of an expression do not. */
static bool may_overlap(const struct settings *settings, const struct trawl_pattern *pattern)
{
    const char *bytes = pattern->bytes;
    const bool finds_all = settings->fasta || settings->report->finds == FINDS_OCCURRENCES;

    return settings->asked.syntax_given && finds_all && pattern->bytes_count > 1 &&
           (settings->approximate || settings->ignore_case ||
            memchr(bytes + 1, bytes[0], (size_t)pattern->bytes_count - 1) != NULL);
}

/* Returns true if the expression is a plain string: characters, some of them escaped with '\'. */
static bool expressions_is_string(const struct settings *settings,
                                  const struct trawl_pattern *pattern)
{
    const char *bytes = pattern->bytes;

    if (may_overlap(settings, pattern))
        return false;
    for (uint64_t i = 0; i < pattern->bytes_count; i++) {
        if (bytes[i] == '\\') {
            if (++i == pattern->bytes_count || !is_quotable(settings, bytes[i]))
                return false;
        } else if (bytes[i] != '\0' && strchr(operators_of(settings), bytes[i]) != NULL) {
            return false;
        }
    }
    return true;
}

/* Replaces the pattern with a copy without the '\' that escape characters. False: out of memory. */
static bool unquote(struct patterns *patterns, struct trawl_pattern *pattern)
{
    const char *bytes = pattern->bytes;
    uint64_t count = 0;
    char *copy;

    if (memchr(bytes, '\\', (size_t)pattern->bytes_count) == NULL)
        return true;
    copy = patterns_keep(patterns, malloc((size_t)pattern->bytes_count + 1));
    if (copy == NULL)
        return false;
    for (uint64_t i = 0; i < pattern->bytes_count; i++) {
        i += bytes[i] == '\\';
        copy[count++] = bytes[i];
    }
    *pattern = (struct trawl_pattern){copy, count};
    return true;
}

/* Makes an expression of each string, with '\' before each operator. False: no memory. */
static bool quote_strings(struct patterns *patterns, struct settings *settings)
{
    settings->syntax = TRAWL_PERL;
    for (uint64_t i = 0; i < patterns->count; i++) {
        const char *bytes = patterns->items[i].bytes;
        uint64_t count = 0;
        char *copy =
            patterns_keep(patterns, malloc(2 * (size_t)patterns->items[i].bytes_count + 1));

        if (copy == NULL)
            return false;
        for (uint64_t j = 0; j < patterns->items[i].bytes_count; j++) {
            if (is_quotable(settings, bytes[j]))
                copy[count++] = '\\';
            copy[count++] = bytes[j];
        }
        patterns->items[i] = (struct trawl_pattern){copy, count};
    }
    return true;
}

bool expressions_take(struct patterns *patterns, struct settings *settings)
{
    const bool may_cross =
        !settings->hex && (settings->multiline || (settings->is_tg && settings->line_end == '\n'));
    /* as an expression, the empty string prints no whole line of --multiline, as in ripgrep */
    bool crosses = patterns->has_empty && patterns->count == 0 && settings->is_tg &&
                   settings->multiline && settings->whole_lines && !settings->crlf &&
                   !settings->numbers_wanted;

    for (uint64_t i = 0; i < patterns->count && may_cross; i++)
        crosses |=
            memchr(patterns->items[i].bytes, '\n', (size_t)patterns->items[i].bytes_count) != NULL;
    if (settings->syntax == TRAWL_LITERAL && (!crosses || !quote_strings(patterns, settings)))
        return !crosses;
    /* Here patterns without operators become expressions, too. With --multiline, only expressions
     * find whole lines, or PCRE2's matches in a text of many lines. */
    settings->expressions =
        crosses || (patterns->count > 0 &&
                    ((settings->crlf && settings->whole_lines) ||
                     (settings->multiline && (settings->whole_lines || settings->pcre))));
    for (uint64_t i = 0; i < patterns->count && !settings->expressions; i++)
        settings->expressions = !expressions_is_string(settings, &patterns->items[i]);
    for (uint64_t i = 0; i < patterns->count && !settings->expressions; i++)
        if (!unquote(patterns, &patterns->items[i]))
            return false;
    settings->approximate = settings->approximate && !settings->expressions;
    return true;
}

struct capitals {
    enum charset charset;
    bool any_letter, any_capital;
};

static void note_capital(void *context, uint32_t letter)
{
    struct capitals *capitals = (struct capitals *)context;

    capitals->any_letter = true;
    capitals->any_capital |=
        (letter < 0x80 || capitals->charset != CHARSET_BYTES) && charset_is_capital(letter);
}

bool expressions_fold(const struct patterns *patterns, const struct settings *settings,
                      const struct trawl_plan_options *options)
{
    struct capitals capitals = {.charset = settings->surroundings.charset};
    struct trawl_expression_told told = {
        .size = sizeof told, .letter = note_capital, .context = &capitals};

    for (uint64_t i = 0; i < patterns->count; i++) {
        const struct trawl_pattern *pattern = &patterns->items[i];
        const uint8_t *bytes = pattern->bytes;
        uint32_t letter;

        if (trawl_expression_tell(pattern, 1, options, &told, NULL) == TRAWL_OK)
            continue;
        /* perhaps for PCRE2: as in ripgrep, each letter that does not follow a '\' counts */
        for (uint64_t at = 0; at < pattern->bytes_count; at++) {
            const size_t length = utf8_character(bytes + at, pattern->bytes_count - at, &letter);

            if (bytes[at] == '\\')
                at++;
            else
                note_capital(&capitals, length > 1 ? letter : bytes[at]);
            at += length > 1 ? length - 1 : 0;
        }
    }
    return capitals.any_letter && !capitals.any_capital;
}

static bool is_continuation(char byte)
{
    return ((uint8_t)byte & 0xc0) == 0x80;
}

bool expressions_ask_ender(const struct patterns *patterns, const struct settings *settings,
                           const struct trawl_plan_options *options, char *message)
{
    struct trawl_expression_told told = {.size = sizeof told};
    char place[PLACE_BYTES];

    if (!settings->expressions || settings->pcre ||
        trawl_expression_tell(patterns->items, patterns->count, options, &told, NULL) != TRAWL_OK ||
        !told.asks)
        return false;
    (void)patterns_place(patterns, "expression", patterns->items[told.pattern_index].bytes,
                         told.pattern_index, place, sizeof place);
    (void)snprintf(
        message, SETTINGS_ERROR_BYTES, "%s\\%c: %s%s", place, told.line_end == '\n' ? 'n' : '0',
        told.line_end == options->line_ends.bytes[0] ? "a match cannot contain the line end"
                                                     : "without --text, NUL ends lines, too",
        told.line_end == '\n' ? "; -U searches across lines" : "");
    return true;
}

/* Returns true if the report needs only the lines that match. Then many expressions stay separate.
 */
static bool needs_lines_alone(const struct settings *settings)
{
    return settings->report->finds == FINDS_FIRST ||
           (settings->report->finds == FINDS_LINES &&
            (settings->report->prints != PRINTS_TEXT ||
             (!settings->colors.on && !settings->style.each_match)));
}

static bool is_one_of(char letter, const char *letters)
{
    return letter != '\0' && strchr(letters, letter) != NULL;
}

/* Returns true if some expression refers to a group by number, which joining would change. */
static bool has_backreference(const struct patterns *patterns)
{
    for (uint64_t i = 0; i < patterns->count; i++) {
        const char *at = patterns->items[i].bytes, *end = at + patterns->items[i].bytes_count;

        for (; end - at > 1; at += *at == '\\' ? 2 : 1)
            if ((at[0] == '\\' && is_one_of(at[1], "123456789g")) ||
                (end - at > 2 && at[0] == '(' && at[1] == '?' && is_one_of(at[2], "R(0123456789")))
                return true;
    }
    return false;
}

bool expressions_join(struct patterns *patterns, const struct settings *settings)
{
    /* for tg, \1 counts the groups of all expressions together, as in ripgrep */
    const bool refers_back = settings->pcre && has_backreference(patterns);
    const bool counts_anew = refers_back && !settings->is_tg;
    const bool branches = counts_anew && settings->syntax == TRAWL_PERL;
    const char *before = settings->syntax == TRAWL_PERL ? "(?:" : "";
    const char *after = settings->syntax == TRAWL_PERL ? ")" : "";
    const char * or = settings->syntax == TRAWL_BASIC ? "\\|" : "|";
    bool multiline = settings->multiline, whole = multiline && settings->whole_lines;
    /* the empty string is an alternative, too */
    bool with_empty = (settings->is_tg || multiline) && patterns->has_empty;
    size_t room = 20;
    char *joined, *first, *at;

    /* as strings of --hex without wildcards, each is found at each place */
    if (settings->numbers_wanted || settings->wild ||
        (!whole && patterns->count + with_empty < 2) ||
        (!multiline && (counts_anew || !refers_back) && needs_lines_alone(settings)))
        return true;
    for (uint64_t i = 0; i < patterns->count; i++)
        room += patterns->items[i].bytes_count + 6;
    joined = patterns_keep(patterns, malloc(room + 1));
    if (joined == NULL)
        return false;
    at = stpcpy(joined, !whole                            ? ""
                        : settings->syntax == TRAWL_PERL  ? "^(?:"
                        : settings->syntax == TRAWL_BASIC ? "^\\("
                                                          : "^(");
    first = at = stpcpy(at, branches ? "(?|" : "");
    for (uint64_t i = 0; i < patterns->count; i++) {
        if (with_empty && i == patterns->empty_index)
            at = stpcpy(stpcpy(at, i > 0 ? or : ""), "(?:)");
        at = stpcpy(stpcpy(at, at > first ? or : ""), before);
        memcpy(at, patterns->items[i].bytes, (size_t)patterns->items[i].bytes_count);
        at = stpcpy(at + patterns->items[i].bytes_count, after);
    }
    if (with_empty && patterns->empty_index >= patterns->count)
        at = stpcpy(stpcpy(at, or), "(?:)");
    at = stpcpy(at, branches ? ")" : "");
    at = stpcpy(at, !whole ? "" : settings->syntax == TRAWL_BASIC ? "\\)$" : ")$");
    patterns->joined = (struct trawl_pattern){joined, (uint64_t)(at - joined)};
    return true;
}

/* Returns the bytes that each thread of a search needs, if all automata may use automata_mib MiB.
 */
static uint64_t bytes_of_thread(uint64_t automata_mib)
{
    return automata_mib < AUTOMATA_MIB ? THREAD_BYTES / AUTOMATA_MIB * automata_mib : THREAD_BYTES;
}

/* Returns the MiB for all automata together. others: bytes that do not depend on this result. */
static uint64_t automata_mib(const struct guard *guard, uint64_t expressions, uint64_t others)
{
    uint64_t wanted = AUTOMATA_MIB + expressions / EXPRESSIONS_PER_MIB;
    uint64_t left = guard_left(guard) / 4 * 3, fit;

    left = left > others ? left - others : 0;
    if ((wanted << 20) + guard->thread_count * bytes_of_thread(wanted) <= left)
        return wanted;
    fit = left / ((1u << 20) + guard->thread_count * bytes_of_thread(1));
    return fit == 0 ? 1 : fit < wanted ? fit : wanted;
}

bool expressions_bound(const struct patterns *patterns, const struct settings *settings,
                       struct trawl_plan_options *options, uint64_t *spare)
{
    bool joined = patterns->joined.bytes != NULL;
    const struct trawl_pattern *items = joined ? &patterns->joined : patterns->items;
    uint64_t count = joined ? 1 : patterns->count, others = MAKE_BYTES;

    for (uint64_t i = 0; i < count; i++)
        others += items[i].bytes_count * KEPT_BYTES;
    *spare = MAKE_BYTES;
    options->expression_mib = (uint32_t)automata_mib(settings->guard, count, others);
    return guard_wait(settings->guard,
                      ((uint64_t)options->expression_mib << 20) + others +
                          settings->guard->thread_count * bytes_of_thread(options->expression_mib));
}

/* Builds the plan of the joined expression. */
static enum trawl_status build_joined(const struct patterns *patterns,
                                      const struct trawl_plan_options *options,
                                      struct trawl_plan **plan, struct trawl_error *error)
{
    const enum trawl_status status = trawl_plan_build(&patterns->joined, 1, options, plan, error);

    error->pattern_index = patterns->count;
    return status;
}

/* Builds the plan of the separate expressions. For tg, the empty string is one of them. */
static enum trawl_status build_apart(const struct patterns *patterns,
                                     const struct settings *settings,
                                     const struct trawl_plan_options *options,
                                     struct trawl_plan **plan, struct trawl_error *error)
{
    const uint64_t count = patterns->count, empty = patterns->empty_index;
    struct trawl_pattern *items;
    enum trawl_status status;

    if (!settings->is_tg || !patterns->has_empty || patterns->joined.bytes == NULL)
        return trawl_plan_build(patterns->items, count, options, plan, error);
    items = malloc((count + 1) * sizeof *items);
    if (items == NULL)
        return error->status = TRAWL_MEMORY;
    for (uint64_t i = 0; i <= count; i++)
        items[i] =
            i == empty ? (struct trawl_pattern){"(?:)", 4} : patterns->items[i - (i > empty)];
    status = trawl_plan_build(items, count + 1, options, plan, error);
    if (status != TRAWL_OK)
        error->pattern_index -= error->pattern_index > empty && error->pattern_index <= count;
    free(items);
    return status;
}

/* Returns true if PCRE2 may have to know the other expressions: \1 is a group of any for tg, and
 * \K, \G and verbs may change where a match begins. */
static bool depends_on_others(const struct patterns *patterns, const struct settings *settings)
{
    bool depends = settings->is_tg && has_backreference(patterns);

    for (uint64_t i = 0; i < patterns->count && !depends; i++) {
        const struct trawl_pattern *item = &patterns->items[i];

        depends = memmem(item->bytes, item->bytes_count, "\\K", 2) != NULL ||
                  memmem(item->bytes, item->bytes_count, "\\G", 2) != NULL ||
                  memmem(item->bytes, item->bytes_count, "(*", 2) != NULL;
    }
    return depends;
}

/* Builds the plan of the separate expressions, which is searched faster, or of the joined one: if
 * PCRE2 decides about one, and one may be empty or depends on others; or if matches may cross
 * lines, and PCRE2 decides about one, one may be empty, they must be whole lines, or lines without
 * a match are wanted: after a match, the search goes on behind its last line. If the joined
 * one is rejected, builds the plan of the separate ones after all, unless matches must be whole
 * lines (--multiline -x), which only the joined one expresses. In Perl's syntax an earlier
 * expression wins, as an earlier alternative does; but not an empty match of PCRE2, so a list that
 * is too large, or whose matches are shown, must have none.
 */
static enum trawl_status build(struct patterns *patterns, const struct settings *settings,
                               const struct trawl_plan_options *options, struct trawl_plan **plan,
                               struct trawl_error *error)
{
    const bool lines = (options->flags & TRAWL_MULTILINE) == 0;
    const bool first_wins = settings->syntax == TRAWL_PERL;
    struct trawl_plan *apart = NULL;
    enum trawl_status status = build_apart(patterns, settings, options, &apart, error);
    struct trawl_plan_told told = {.size = sizeof told};
    bool any_empty = patterns->has_empty;
    struct trawl_error refused;

    *plan = apart;
    patterns->first_wins = settings->wild && settings->is_tg && !settings->numbers_wanted;
    if (status != TRAWL_OK || patterns->joined.bytes == NULL)
        return status;
    if (trawl_plan_tell(apart, &told, NULL) != TRAWL_OK)
        told.pcre = 2;
    for (uint64_t i = 0; i < patterns->count && (told.pcre > 0 || !lines) && !any_empty; i++)
        any_empty = patterns_empty_between(apart, i) != 0;
    if (lines ? told.pcre == 0 || (told.pcre == 1 && first_wins && !any_empty &&
                                   !depends_on_others(patterns, settings))
              : told.pcre == 0 && !any_empty && !settings->whole_lines && !settings->invert) {
        patterns->is_apart = true;
        patterns->first_wins = first_wins;
        patterns->joined.bytes = NULL;
        return TRAWL_OK;
    }
    if (settings->guard != NULL) { /* a server bounds the memory of one plan */
        trawl_plan_free(apart);
        apart = NULL;
    }
    *plan = NULL;
    status = build_joined(patterns, options, plan, &refused);
    *error = refused;
    if ((status != TRAWL_ARGUMENT || (!lines && settings->whole_lines)) &&
        (status != TRAWL_LIMIT || !lines)) {
        trawl_plan_free(apart);
        return status;
    }
    if (apart == NULL && build_apart(patterns, settings, options, &apart, error) != TRAWL_OK)
        return error->status;
    if (first_wins && any_empty && (status == TRAWL_LIMIT || !needs_lines_alone(settings))) {
        trawl_plan_free(apart);
        *error = refused;
        return status;
    }
    *plan = apart;
    patterns->is_apart = lines;
    patterns->first_wins = first_wins;
    if (lines)
        patterns->joined.bytes = NULL;
    return TRAWL_OK;
}

enum trawl_status expressions_plan(struct patterns *patterns, const struct settings *settings,
                                   struct trawl_plan_options *options, struct trawl_plan **plan,
                                   struct trawl_error *error)
{
    const enum trawl_status status = build(patterns, settings, options, plan, error);

    if ((status != TRAWL_ARGUMENT && status != TRAWL_LIMIT) || settings->pcre != PCRE_LAST)
        return status;
    options->flags |= TRAWL_PCRE;
    return build(patterns, settings, options, plan, error);
}

/* Writes the message about an expression whose program exceeds a memory limit. */
static void too_large(const struct patterns *patterns, uint64_t index,
                      const struct trawl_error *error, char *message)
{
    const int count = (int)patterns->count;
    const struct trawl_pattern *at = &patterns->items[index];

    if (index < patterns->count)
        (void)snprintf(
            message, SETTINGS_ERROR_BYTES, "expression %d of %d, '%.*s%s': %s", (int)index + 1,
            count, (int)(at->bytes_count < SHOWN_MAX ? at->bytes_count : SHOWN_MAX),
            (const char *)at->bytes, at->bytes_count > SHOWN_MAX ? "..." : "", error->message);
    else
        (void)snprintf(message, SETTINGS_ERROR_BYTES,
                       "expressions 1 to %d, as alternatives of one: %s", count, error->message);
}

void expressions_fault(const struct patterns *patterns, const struct trawl_error *error,
                       char *message)
{
    struct trawl_pattern pattern = {"", 0};
    const char *bytes, *begin, *end;
    char under[SHOWN_MAX / 2 + 1], place[PLACE_BYTES];
    const uint64_t index = error->pattern_index;
    size_t column = 0;

    if (error->status == TRAWL_LIMIT) {
        too_large(patterns, index, error, message);
        return;
    }
    if (error->status == TRAWL_ARGUMENT && index < patterns->count)
        pattern = patterns->items[index];
    if (error->text_offset > pattern.bytes_count || pattern.bytes_count == 0) {
        (void)snprintf(message, SETTINGS_ERROR_BYTES, "%s", error->message);
        return;
    }
    bytes = pattern.bytes;
    begin = error->text_offset > SHOWN_MAX / 2 ? bytes + error->text_offset - SHOWN_MAX / 2 : bytes;
    while (begin < bytes + error->text_offset && is_continuation(*begin))
        begin++;
    end = bytes + pattern.bytes_count;
    end = end - begin > (ptrdiff_t)SHOWN_MAX ? begin + SHOWN_MAX : end;
    while (end > begin && end < bytes + pattern.bytes_count && is_continuation(*end))
        end--;
    for (const char *at = begin; at < bytes + error->text_offset; at++)
        if (!is_continuation(*at))
            under[column++] = *at == '\t' ? '\t' : ' ';
    under[column] = '\0';
    (void)patterns_place(patterns, "expression", pattern.bytes, index, place, sizeof place);
    (void)snprintf(message, SETTINGS_ERROR_BYTES, "%s%.*s\n    %.*s\n    %s^", place,
                   (int)(SETTINGS_ERROR_BYTES - 3 * SHOWN_MAX / 2 - 20 - strlen(place)),
                   error->message, (int)(end - begin), begin, under);
}
