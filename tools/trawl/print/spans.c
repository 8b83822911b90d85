/* spans: lists the matches of a line.
 *
 * The library finds matches of a byte or more. As ripgrep, tg also reports each place at which a
 * pattern matches no byte, unless a match before ends there: the places between the library's
 * matches are tried one by one. ripgrep tries the places inside a character, too.
 */
#include "trawl/print/spans.h"

#include "trawl/text/charset.h"
#include "trawl/print/print.h"
#include "trawl/print/reread.h"
#include "trawl/options/words.h"

/* The line, and a place that moves through the line from character to character. */
struct places {
    const uint8_t *bytes;
    uint64_t count;
    uint64_t at;
    bool word_before; /* the character before `at` belongs to a word */
};

bool spans_end_with_return(struct text_scan *scan, const struct view *view, uint64_t end)
{
    const uint8_t *last = view->bytes != NULL ? view->bytes + (end - 1 - view->begin)
                                              : reread_range(scan, end - 1, end);

    return last != NULL && *last == '\r';
}

/* Returns whether neither neighbour of the place belongs to a word, or is no character. */
static bool is_apart(const struct settings *settings, struct places *places, uint64_t place)
{
    const struct trawl_letters words = words_utf8(settings);

    for (;;) {
        uint32_t code_point = 0;
        size_t length = 1;
        bool is_word = false;

        if (settings->no_unicode)
            code_point = places->at < places->count ? places->bytes[places->at] : 0;
        else if (places->at < places->count &&
                 !charset_decode(places->bytes + places->at, (size_t)(places->count - places->at),
                                 &code_point, &length))
            code_point = 0x110000; /* as in words_utf8 */
        if (places->at < places->count)
            is_word = words.is_word(words.context, code_point);

        if (places->at >= place)
            return places->at == place && !is_word && !places->word_before;
        places->word_before = is_word;
        places->at += length > 0 ? length : 1;
    }
}

/* Returns whether a pattern matches no byte at a place of the line. */
static bool is_empty_match(struct text_scan *scan, struct places *places, uint64_t place)
{
    const struct settings *settings = scan->settings;
    struct trawl_range groups[1], none = {place, place};

    if ((settings->whole_lines && places->count > 0) ||
        (settings->words && !is_apart(settings, places, place)))
        return false;
    if (!settings->expressions || scan->job->patterns->empty_everywhere)
        return scan->job->patterns->has_empty || settings->expressions;
    if (trawl_expression_groups(scan->plan, 0, places->bytes, places->count, none, groups, 1,
                                &scan->error) != TRAWL_OK) {
        scan_fail(scan, scan->error.status);
        return false;
    }
    return groups[0].begin != UINT64_MAX;
}

static bool add_span(struct text_scan *scan, const struct line_span *span)
{
    struct style_state *style = &scan->style;

    if (style->span_count == style->span_capacity) {
        struct line_span *spans = scan_grow(scan, style->spans, &style->span_capacity,
                                            style->span_count + 1, sizeof *spans);

        if (spans == NULL)
            return false;
        style->spans = spans;
    }
    style->spans[style->span_count++] = *span;
    return true;
}

/* Adds the matches of no byte at the places [from, to) of the line, except at the end of a match.
 */
static bool add_empty(struct text_scan *scan, struct places *places, uint64_t from, uint64_t to)
{
    const struct style_state *style = &scan->style;

    if (!scan->job->patterns->finds_empty)
        return true;
    if (style->span_count > 0 && style->spans[style->span_count - 1].end == from)
        from++;
    for (; from < to && scan->status == TRAWL_OK; from++)
        if (is_empty_match(scan, places, from) &&
            !add_span(scan,
                      &(struct line_span){.begin = from, .end = from, .from = from, .to = from}))
            return false;
    return scan->status == TRAWL_OK;
}

/* Returns whether the empty string, which was given before the string of the match, matches where
 * the match begins. */
static bool empty_comes_first(struct text_scan *scan, struct places *places,
                              const struct trawl_match *match, uint64_t line)
{
    const struct patterns *patterns = scan->job->patterns;

    return patterns->finds_empty && !scan->settings->expressions &&
           match->pattern_index >= patterns->empty_index &&
           is_empty_match(scan, places, match->begin - line);
}

/* Returns the number of places in the line. The place at the end counts if the line has an end. */
static uint64_t count_places(struct text_scan *scan, const struct view *view, uint64_t end,
                             struct places *places)
{
    bool has_end = view->bytes == NULL ? !view->has_no_end : end < view->count;

    if (has_end && scan->settings->crlf && places->count > 0 &&
        spans_end_with_return(scan, view, view->begin + end))
        places->count--;
    return places->count + has_end;
}

bool spans_find(struct text_scan *scan, const struct view *view, uint64_t begin, uint64_t end)
{
    uint64_t line = view->begin + begin, content = view->begin + end;
    uint64_t index = print_first_match_at(view, line), from = line, group;
    struct places places = {.bytes = view->bytes == NULL ? NULL : view->bytes + begin,
                            .count = end - begin};
    uint64_t place_count = count_places(scan, view, end, &places);
    bool each = scan->settings->overlapping && scan->settings->report == REPORT_ONLY_MATCHING;
    struct trawl_match match;

    scan->style.span_count = 0;
    while (print_next_match(scan, view, line, content, from, &index, &match)) {
        if (!add_empty(scan, &places, from - line, match.begin - line))
            return false;
        from = match.begin;
        if (empty_comes_first(scan, &places, &match, line))
            continue;
        if (scan->settings->crlf && scan->settings->whole_lines && match.end > match.begin &&
            spans_end_with_return(scan, view, match.end))
            match.end--; /* patterns.c added the '\r' */
        group = index - 1;
        while (!each && group > 0 && view->matches[group - 1].begin == match.begin)
            group--;
        if (!add_span(scan, &(struct line_span){.begin = match.begin - line,
                                                .end = match.end - line,
                                                .from = match.begin - line,
                                                .to = match.end - line,
                                                .group = group,
                                                .group_count = index - group,
                                                .distance = match.distance,
                                                .reversed = match.reversed}))
            return false;
        from = each ? match.begin : match.end;
    }
    return add_empty(scan, &places, from - line, place_count);
}
