/* replace: carries out --replace with the groups of expressions. */
#include "trawl/print/replace.h"

#include <string.h>

#define GROUPS_MAX 100u /* groups of an expression that --replace knows */

/* Adds a part of --replace: bytes, or NULL for the match. */
static bool add_part(struct text_scan *scan, const char *bytes, uint64_t bytes_count)
{
    struct style_state *style = &scan->style;
    struct replace_part *parts =
        scan_grow(scan, style->parts, &style->part_capacity, style->part_count + 2, sizeof *parts);

    if (parts == NULL)
        return false;
    if (style->part_count == 0)
        parts[0].bytes_before = parts[0].matches_before = 0;
    style->parts = parts;
    parts += style->part_count++;
    parts[0].bytes = bytes;
    parts[0].name = NULL;
    parts[1].bytes_before = parts[0].bytes_before + bytes_count;
    parts[1].matches_before = parts[0].matches_before + (bytes == NULL);
    return true;
}

static size_t name_bytes(const char *text)
{
    return strspn(text, "_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
}

bool replace_parts(struct text_scan *scan)
{
    const char *text = scan->settings->replace;

    while (*text != '\0') {
        size_t plain = strcspn(text, "$"), name, skipped = 0, at;

        if (plain > 0 && !add_part(scan, text, plain))
            return false;
        text += plain;
        if (*text == '\0')
            break;
        at = text[1] == '{' ? 2 : 1;
        name = name_bytes(text + at);
        if (name > 0 && (at == 1 || text[at + name] == '}'))
            skipped = name + 2 * at - 1;
        if (skipped == 0) {
            if (!add_part(scan, text, 1))
                return false;
            skipped = text[1] == '$' ? 2 : 1;
        } else if (strspn(text + at, "0") == name) {
            if (!add_part(scan, NULL, 0))
                return false;
        } else if (scan->settings->expressions) {
            if (!add_part(scan, "", 0))
                return false;
            scan->style.parts[scan->style.part_count - 1].name = text + at;
            scan->style.parts[scan->style.part_count - 1].name_bytes = name;
        }
        text += skipped;
    }
    return true;
}

static bool put_text(struct text_scan *scan, const void *bytes, uint64_t count)
{
    struct style_state *style = &scan->style;
    char *room = scan_grow(scan, style->text_bytes, &style->text_bytes_capacity,
                           style->text_bytes_count + count + 1, 1);

    if (room == NULL)
        return false;
    style->text_bytes = room;
    if (count > 0)
        memcpy(room + style->text_bytes_count, bytes, (size_t)count);
    style->text_bytes_count += count;
    return true;
}

/* Returns the number of the group that a part of --replace names. */
static uint64_t group_of(const struct text_scan *scan, uint64_t expression,
                         const struct replace_part *part)
{
    uint64_t number = 0;

    for (uint64_t i = 0; i < part->name_bytes; i++) {
        if (part->name[i] < '0' || part->name[i] > '9' || number > GROUPS_MAX)
            return trawl_expression_group(scan->plan, expression, part->name, part->name_bytes);
        number = 10 * number + (uint64_t)(part->name[i] - '0');
    }
    return number;
}

/* Appends the replacement of a match, with the groups of an expression. */
static bool write_text(struct text_scan *scan, const uint8_t *line, uint64_t content,
                       const struct line_span *span, uint64_t expression)
{
    struct trawl_range groups[GROUPS_MAX], match = {span->from, span->to};

    groups[0] = match;
    if (scan->settings->expressions &&
        trawl_expression_groups(scan->plan, expression, line, content, match, groups, GROUPS_MAX,
                                &scan->error) != TRAWL_OK) {
        scan_fail(scan, scan->error.status);
        return false;
    }
    for (uint64_t i = 0; i < scan->style.part_count; i++) {
        const struct replace_part *part = &scan->style.parts[i];
        const char *bytes = part->bytes;
        uint64_t count = bytes == NULL ? 0 : part[1].bytes_before - part->bytes_before, group = 0;

        if (part->name != NULL)
            group = group_of(scan, expression, part);
        if ((bytes == NULL || part->name != NULL) && group < GROUPS_MAX &&
            groups[group].begin != UINT64_MAX) {
            bytes = (const char *)line + groups[group].begin;
            count = groups[group].end - groups[group].begin;
        }
        if (!put_text(scan, bytes, count))
            return false;
    }
    return true;
}

bool replace_texts(struct text_scan *scan, const struct view *view, const uint8_t *line,
                   uint64_t content)
{
    struct style_state *style = &scan->style;
    uint64_t at = 0;
    struct trawl_pattern *texts =
        scan_grow(scan, style->texts, &style->text_capacity, style->span_count + 1, sizeof *texts);

    if (texts == NULL)
        return false;
    style->texts = texts;
    style->text_bytes_count = 0;
    if (scan->settings->crlf && content > 0 && line[content - 1] == '\r')
        content--;
    for (uint64_t i = 0; i < style->span_count; i++) {
        const struct line_span *span = &style->spans[i];

        if (!write_text(scan, line, content, span,
                        view->match_count > 0 ? view->matches[span->group].pattern_index : 0))
            return false;
        texts[i].bytes_count = style->text_bytes_count - at;
        at = style->text_bytes_count;
    }
    at = 0;
    for (uint64_t i = 0; i < style->span_count; at += texts[i++].bytes_count) {
        texts[i].bytes = style->text_bytes + at;
        style->spans[i].text = &texts[i];
    }
    return true;
}
