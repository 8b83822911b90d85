/* function: keeps the lines that a later match may need. With --show-function that is the last
 * heading; with -W, the lines from the last heading, or the comment before it, that were not
 * printed. */
#include "trawl/print/function.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "trawl/print/count.h"
#include "trawl/print/print.h"
#include "trawl/print/print_line.h"
#include "trawl/text/message.h"
#include "trawl/text/sizes.h"

/* -W: of a function, at most so many bytes before the first match are printed. */
#define KEPT_BYTES_MAX SIZE_OR_SMALL(UINT64_C(1) << 20, UINT64_C(256))

static const struct {
    const char *endings; /* endings of file names, each between dots */
    struct trawl_pattern heading;
} kinds[] = {
#define HEADING(endings, expression) {endings, {expression, sizeof expression - 1}},
#include "trawl/print/headings.def"
#undef HEADING
};

#define KINDS (sizeof kinds / sizeof *kinds)

bool function_plan(struct patterns *patterns, char *message)
{
    struct trawl_plan_options options = TRAWL_PLAN_OPTIONS_INIT;
    struct trawl_pattern headings[KINDS];
    struct trawl_error error;

    for (size_t i = 0; i < KINDS; i++)
        headings[i] = kinds[i].heading;
    options.syntax = TRAWL_PERL;
    return trawl_plan_build(headings, KINDS, &options, &patterns->headings, &error) == TRAWL_OK ||
           message_fail(message, "%s", error.message);
}

/* Returns the kind of a file by the ending of its name; KINDS: none. */
static size_t kind_of(const char *name)
{
    const char *ending = strrchr(name, '.');
    const size_t bytes = ending != NULL ? strlen(ending) : 0;
    size_t kind = 0;

    for (; kind < KINDS; kind++)
        for (const char *at = kinds[kind].endings; bytes > 1 && *at != '\0'; at++)
            if (strncmp(at, ending, bytes) == 0 && at[bytes] == '.')
                return kind;
    return kind;
}

static bool matches(struct text_scan *scan, size_t kind, struct trawl_line **opened,
                    const uint8_t *line, uint64_t count)
{
    struct trawl_range range = {UINT64_MAX, 0};
    enum trawl_status status =
        *opened != NULL ? trawl_line_move(*opened, line, count, &scan->error)
                        : trawl_line_open(scan->job->patterns->headings, kind, line, count,
                                          scan->job->searcher, opened, &scan->error);

    if (status == TRAWL_OK)
        status = trawl_line_match(*opened, 0, &range, 1, &scan->error);
    if (status != TRAWL_OK)
        scan_fail(scan, status);
    return status == TRAWL_OK && range.begin != UINT64_MAX;
}

static bool is_heading(struct text_scan *scan, const uint8_t *line, uint64_t count)
{
    struct trawl_line **opened = scan->function.opened;
    const size_t known = scan->function.kind, kind = known > 0 ? known - 1 : kind_of(scan->name);

    scan->function.kind = kind + 1;
    if (kind == KINDS)
        return count > 0 && (line[0] == '_' || line[0] == '$' ||
                             ((line[0] | 0x20) >= 'a' && (line[0] | 0x20) <= 'z'));
    return matches(scan, kind, opened, line, count) &&
           !matches(scan, KINDS - 1, opened + 1, line, count);
}

/* Forgets the kept lines before text offset `at`. */
static void forget(struct text_scan *scan, uint64_t at)
{
    struct function *function = &scan->function;
    uint64_t count = at > function->begin ? at - function->begin : 0;

    count = count < function->count ? count : function->count;
    if (count == 0)
        return;
    if (scan->settings->heads.line_number)
        function->number += count_byte(function->kept, count, scan->settings->line_end);
    function->count -= count;
    function->begin += count;
    memmove(function->kept, function->kept + count, (size_t)function->count);
}

static void keep(struct text_scan *scan, const struct view *view, uint64_t begin, uint64_t end)
{
    struct function *function = &scan->function;

    if (function->count == 0) {
        function->begin = view->begin + begin;
        function->number = print_line_number(scan, view, begin);
    }
    if (!SCAN_GROW(scan, function->kept, function->capacity, function->count + end - begin))
        return;
    memcpy(function->kept + function->count, view->bytes + begin, (size_t)(end - begin));
    function->count += end - begin;
    if (function->count > KEPT_BYTES_MAX) {
        const uint64_t half = function->count / 2;
        const uint8_t *line_end = memchr(function->kept + half, scan->settings->line_end,
                                         (size_t)(function->count - half));

        forget(scan, function->begin +
                         (line_end == NULL ? 0 : (uint64_t)(line_end - function->kept) + 1));
    }
}

/* Prints the kept lines, with = after the fields of a heading. */
static void print_kept(struct text_scan *scan)
{
    struct function *function = &scan->function;
    const struct counting counting = scan->counting;
    const struct view view = {.bytes = function->kept,
                              .begin = function->begin,
                              .count = function->count,
                              .matches = &(struct trawl_match){0}};

    function->marks = true;
    scan->counting = (struct counting){.end = view.begin,
                                       .line_ends = function->number - 1,
                                       .line_end = counting.line_end,
                                       .counts = true};
    for (uint64_t at = 0, end; at < view.count; at = end) {
        end = print_line_end(scan, &view, at);
        (void)print_line(scan, &view, at, end, '-');
    }
    function->marks = false;
    scan->counting = counting;
    scan->job->groups = function->count > 0 ? GROUPS_PRINTED : scan->job->groups;
    function->count = 0;
}

void function_take(struct text_scan *scan, const struct view *view, uint64_t begin, uint64_t end,
                   bool selected)
{
    struct function *function = &scan->function;
    const uint64_t at = view->begin + begin, content = print_content_end(scan, view, begin, end);
    const bool heading = is_heading(scan, view->bytes + begin, content - begin);
    bool empty = true;

    for (uint64_t i = begin; i < content && empty; i++)
        empty = isspace(view->bytes[i]) != 0;
    if (scan->settings->function == FUNCTION_HEADING) {
        if (!heading)
            return;
        function->count = 0;
        function->heading = at;
        keep(scan, view, begin, end);
        return;
    }
    if (selected) {
        function->shows = true;
        function->count = 0;
    } else if (function->shows && !heading && !empty) {
        print_kept(scan);
        (void)print_line(scan, view, begin, end, '-');
    } else {
        function->shows &= !heading;
        if (heading) {
            forget(scan, function->comment < at ? function->comment : at);
            function->heading = at;
        }
        keep(scan, view, begin, end);
    }
    if (heading || empty)
        function->comment = view->begin + end;
}

void function_lead(struct text_scan *scan, const struct view *view, uint64_t begin, uint64_t end)
{
    struct function *function = &scan->function;
    const bool all = scan->settings->function == FUNCTION_ALL;
    const uint64_t line = view->begin + begin, content = print_content_end(scan, view, begin, end);

    if (all && is_heading(scan, view->bytes + begin, content - begin)) {
        function->heading = OFFSET_NONE;
        forget(scan, function->comment < line ? function->comment : line);
    }
    if (function->count == 0 ||
        (!all &&
         (function->heading >= view->begin + print_lines_before(scan, view->bytes, 0, begin) ||
          (scan->lines.printed_end != OFFSET_NONE && function->heading < scan->lines.printed_end))))
        return;
    if (scan->lines.printed_end != function->begin)
        print_group_separator(scan);
    print_kept(scan);
}
