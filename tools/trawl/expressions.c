/* expressions: finds out which patterns are strings, joins several expressions to one, and writes
 * messages about mistakes. */
#include "trawl/expressions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trawl/charset.h"
#include "trawl/guard.h"
#include "trawl/utf8.h"

#define SHOWN_MAX 200u /* bytes of an expression that a message shows */

#define JOINED_MAX 16u /* more expressions stay apart where the report allows that */

/* Memory that a server counts for a plan of expressions, as measured with RE2 20230301. Sum:
 *   (PROGRAMS_MIB + expressions / EXPRESSIONS_PER_MIB) MiB   limit for all programs of RE2
 *   KEPT_BYTES * bytes of all expressions                    kept by RE2; most for "\pL"
 *   READ_BYTES * bytes of the longest expression             while RE2 reads the expression
 *   MAKE_BYTES                                               while RE2 makes a program
 *   WORDS_BYTES * expressions                                with -w, two programs of 512 KiB
 *   THREAD_BYTES * threads                                   searches with programs of 2 MiB
 * If the sum is more than 3/4 of what the request may still take, all programs get less than
 * PROGRAMS_MIB. The largest program is then smaller, and so is what a thread takes. */
#define PROGRAMS_MIB 64u
#define EXPRESSIONS_PER_MIB 4u
#define KEPT_BYTES (UINT64_C(6) << 10)
#define READ_BYTES (UINT64_C(12) << 10)
#define MAKE_BYTES (UINT64_C(32) << 20)
#define WORDS_BYTES (UINT64_C(1) << 20)
#define THREAD_BYTES (UINT64_C(9) << 20)

/* Returns the characters that are operators of the syntax without '\'. */
static const char *operators_of(const struct settings *settings)
{
    return settings->syntax == TRAWL_BASIC ? "*.[^$" : "*.[^$+?(){}|]";
}

/* Returns whether '\' makes this character stand for itself. */
static bool is_quotable(const struct settings *settings, char byte)
{
    return byte != '\0' &&
           strchr(settings->syntax == TRAWL_BASIC ? "\\*.[]^$" : "\\*.[]^$+?(){}|", byte) != NULL;
}

bool expressions_is_string(const struct settings *settings, const struct trawl_pattern *pattern)
{
    const char *bytes = pattern->bytes;

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

/* Keeps memory with the patterns; NULL: no memory. */
static char *keep(struct patterns *patterns, size_t bytes_count)
{
    void **blocks = realloc(patterns->blocks, (patterns->block_count + 1) * sizeof *blocks);
    char *block = malloc(bytes_count + 1);

    if (blocks != NULL)
        patterns->blocks = blocks;
    if (blocks == NULL || block == NULL) {
        free(block);
        return NULL;
    }
    blocks[patterns->block_count++] = block;
    return block;
}

/* Removes each '\' before the character that it makes stand for itself. */
static bool unquote(struct patterns *patterns, struct trawl_pattern *pattern)
{
    const char *bytes = pattern->bytes;
    uint64_t count = 0;
    char *copy;

    if (memchr(bytes, '\\', (size_t)pattern->bytes_count) == NULL)
        return true;
    copy = keep(patterns, (size_t)pattern->bytes_count);
    if (copy == NULL)
        return false;
    for (uint64_t i = 0; i < pattern->bytes_count; i++) {
        i += bytes[i] == '\\';
        copy[count++] = bytes[i];
    }
    *pattern = (struct trawl_pattern){copy, count};
    return true;
}

bool expressions_take(struct patterns *patterns, struct settings *settings)
{
    settings->expressions = patterns->count > 0 && settings->crlf && settings->whole_lines;
    for (uint64_t i = 0; i < patterns->count && !settings->expressions; i++)
        settings->expressions = !expressions_is_string(settings, &patterns->items[i]);
    for (uint64_t i = 0; i < patterns->count && !settings->expressions; i++)
        if (!unquote(patterns, &patterns->items[i]))
            return false;
    return true;
}

bool expressions_have_capitals(const struct patterns *patterns, const struct settings *settings)
{
    for (uint64_t i = 0; i < patterns->count; i++) {
        const char *bytes = patterns->items[i].bytes;
        uint64_t count = patterns->items[i].bytes_count;

        for (uint64_t at = 0, length; at < count; at += length) {
            uint32_t code_point;

            length = utf8_character((const uint8_t *)bytes + at, count - at, &code_point);
            length = length == 0 ? 1 : length;
            if (bytes[at] == '\\' && at + 1 < count) { /* \S, \pL, \p{Greek} */
                bool named = bytes[at + 1] == 'p' || bytes[at + 1] == 'P';
                const char *end = named && at + 2 < count && bytes[at + 2] == '{'
                                      ? memchr(bytes + at, '}', (size_t)(count - at))
                                      : NULL;

                length = end != NULL ? (uint64_t)(end - bytes) + 1 - at : named ? 3 : 2;
            } else if (charset_has_capital(settings->surroundings.charset,
                                           (const uint8_t *)bytes + at, (size_t)length)) {
                return true;
            }
        }
    }
    return false;
}

/* Returns whether the report needs no more than the lines that match. Then many expressions stay
 * apart: RE2 reads only what a line's atoms ask for, instead of one large program. */
static bool needs_lines_alone(const struct settings *settings)
{
    return settings->report == REPORT_COUNT || settings->report == REPORT_NAMES ||
           settings->report == REPORT_QUIET ||
           (settings->report == REPORT_LINES && !settings->colors.on &&
            !settings->style.each_match);
}

bool expressions_join(struct patterns *patterns, const struct settings *settings)
{
    const char *before = settings->syntax == TRAWL_PERL ? "(?:" : "";
    const char *after = settings->syntax == TRAWL_PERL ? ")" : "";
    const char * or = settings->syntax == TRAWL_BASIC ? "\\|" : "|";
    size_t room = 1;
    char *joined, *at;

    if (settings->numbers_wanted || patterns->count < 2 ||
        (patterns->count > JOINED_MAX && needs_lines_alone(settings)))
        return true;
    for (uint64_t i = 0; i < patterns->count; i++)
        room += patterns->items[i].bytes_count + 6;
    joined = at = keep(patterns, room);
    if (joined == NULL)
        return false;
    for (uint64_t i = 0; i < patterns->count; i++) {
        at = stpcpy(stpcpy(at, i > 0 ? or : ""), before);
        memcpy(at, patterns->items[i].bytes, (size_t)patterns->items[i].bytes_count);
        at = stpcpy(at + patterns->items[i].bytes_count, after);
    }
    patterns->joined = (struct trawl_pattern){joined, (uint64_t)(at - joined)};
    return true;
}

/* Returns the bytes that a search of this thread takes, if all programs may take so many MiB. */
static uint64_t bytes_of_thread(uint64_t programs_mib)
{
    return programs_mib < PROGRAMS_MIB ? THREAD_BYTES / PROGRAMS_MIB * programs_mib : THREAD_BYTES;
}

/* Returns the MiB for all programs together. others: bytes that do not depend on this result. */
static uint64_t programs_mib(const struct guard *guard, uint64_t expressions, uint64_t others)
{
    uint64_t wanted = PROGRAMS_MIB + expressions / EXPRESSIONS_PER_MIB;
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
    uint64_t count = joined ? 1 : patterns->count, bytes = 0, longest = 0, others;

    for (uint64_t i = 0; i < count; i++) {
        bytes += items[i].bytes_count;
        longest = items[i].bytes_count > longest ? items[i].bytes_count : longest;
    }
    *spare = longest * READ_BYTES + MAKE_BYTES;
    others = bytes * KEPT_BYTES + *spare + (settings->words ? count * WORDS_BYTES : 0);
    options->expression_mib = (uint32_t)programs_mib(settings->guard, count, others);
    return guard_take(settings->guard,
                      ((uint64_t)options->expression_mib << 20) + others +
                          settings->guard->thread_count * bytes_of_thread(options->expression_mib));
}

/* Returns the index of the expression at fault, which error->text_offset refers to. Several
 * expressions that were joined are tried one by one. patterns->count: the fault is not that of a
 * single expression. */
static uint64_t faulty(const struct patterns *patterns, const struct trawl_plan_options *options,
                       struct trawl_error *error)
{
    struct trawl_error own;

    if (patterns->joined.bytes == NULL)
        return error->pattern_index < patterns->count ? error->pattern_index : patterns->count;
    for (uint64_t i = 0; i < patterns->count; i++) {
        struct trawl_plan *plan = NULL;
        bool fails = trawl_plan_build(&patterns->items[i], 1, options, &plan, &own) != TRAWL_OK;

        trawl_plan_free(plan);
        if (fails) {
            *error = own;
            return i;
        }
    }
    return patterns->count;
}

/* Writes the message about an expression whose program exceeds a limit of memory. */
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

void expressions_fault(const struct patterns *patterns, const struct trawl_plan_options *options,
                       const struct trawl_error *error, char *message)
{
    struct trawl_error fault = *error;
    struct trawl_pattern pattern = {"", 0};
    const char *bytes, *begin, *end;
    uint64_t index = patterns->count;
    int column = 0;

    if ((error->status == TRAWL_ARGUMENT || error->status == TRAWL_LIMIT) && patterns->count > 0)
        index = faulty(patterns, options, &fault);
    if (fault.status == TRAWL_LIMIT) {
        too_large(patterns, index, &fault, message);
        return;
    }
    if (index < patterns->count)
        pattern = patterns->items[index];
    if (fault.text_offset > pattern.bytes_count || pattern.bytes_count == 0) {
        (void)snprintf(message, SETTINGS_ERROR_BYTES, "%s", fault.message);
        return;
    }
    bytes = pattern.bytes;
    begin = fault.text_offset > SHOWN_MAX / 2 ? bytes + fault.text_offset - SHOWN_MAX / 2 : bytes;
    end = bytes + pattern.bytes_count;
    end = end - begin > (ptrdiff_t)SHOWN_MAX ? begin + SHOWN_MAX : end;
    for (const char *at = begin; at < bytes + fault.text_offset; at++)
        column += ((uint8_t)*at & 0xc0) != 0x80;
    (void)snprintf(message, SETTINGS_ERROR_BYTES, "%.*s\n    %.*s\n    %*s^",
                   (int)(SETTINGS_ERROR_BYTES - 2 * SHOWN_MAX - 20), fault.message,
                   (int)(end - begin), begin, column, "");
}
