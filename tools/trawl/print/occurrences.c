/* occurrences: decides for every kind of output which of the library's matches count as
 * occurrences.
 *
 * occurrences_window checks the matches of a window against the characters of the locale. A string
 * that is invalid UTF-8 may be found inside a character, as the bytes before the match reveal. Case
 * is compared again if i and I are different letters, as in Turkish. With --only-first, only the
 * first match of each line is kept.
 *
 * occurrences_of_line lists the occurrences of a line, which overlap only with --overlapping.
 * Without --multiline, an empty match that the library delivers only selects its line. But tg, like
 * ripgrep, reports an empty match wherever a pattern matches the empty string, unless another match
 * ends there. So the places between the library's matches are tried one by one, even those inside a
 * character. With PCRE2, the search goes from match to match instead.
 */
#include "trawl/print/occurrences.h"

#include <string.h>

#include "trawl/text/charset.h"
#include "trawl/print/print.h"
#include "trawl/print/reread.h"
#include "trawl/options/patterns.h"
#include "trawl/text/calls.h"

#define NO_CHARACTER 0x110000u /* no character, as in words_utf8 */

/* Finds the character that contains the byte before text offset `at`, which is in the window. An
 * invalid byte counts as a character. *is_word: the character belongs to a word. Returns the end of
 * the character, which is greater than `at` if `at` is inside it. */
static uint64_t character_before(const struct text_scan *scan, const struct trawl_window *window,
                                 uint64_t at, bool *is_word)
{
    const struct characters *characters = &scan->characters;
    uint64_t first = window->begin - characters->tail_count;
    uint64_t end = window->begin + window->bytes_count + window->after_bytes_count, start = at;
    uint8_t near[2 * UTF8_BYTES_MAX];
    uint32_t code_point = 0;
    size_t length = 1;

    *is_word = false; /* `at` is the start of the text */
    first = at > first + UTF8_BYTES_MAX ? at - UTF8_BYTES_MAX : first;
    end = end > at + UTF8_BYTES_MAX ? at + UTF8_BYTES_MAX : end;
    if (first == at)
        return at;
    for (uint64_t i = first; i < end; i++)
        near[i - first] = i < window->begin
                              ? characters->tail[characters->tail_count - (window->begin - i)]
                              : window->bytes[i - window->begin];
    do
        start--;
    while (start > first && (near[start - first] & 0xc0) == 0x80);
    if (!charset_decode(near + (start - first), (size_t)(end - start), &code_point, &length) ||
        start + length < at) {
        *is_word = words_utf8(scan->settings).is_word(NULL, NO_CHARACTER);
        return at;
    }
    *is_word = words_utf8(scan->settings).is_word(NULL, code_point);
    return start + length;
}

/* Keeps the window's last bytes, because the next window may begin inside a character. */
static void keep_tail(struct text_scan *scan, const struct trawl_window *window)
{
    struct characters *characters = &scan->characters;
    uint64_t added = window->bytes_count < UTF8_BYTES_MAX ? window->bytes_count : UTF8_BYTES_MAX;
    uint64_t kept = UTF8_BYTES_MAX - added;

    kept = characters->tail_count < kept ? characters->tail_count : kept;
    memmove(characters->tail, characters->tail + (characters->tail_count - kept), (size_t)kept);
    if (added > 0)
        memcpy(characters->tail + kept, window->bytes + (window->bytes_count - added),
               (size_t)added);
    characters->tail_count = (uint32_t)(kept + added);
}

/* Returns true if a match from the library counts, given the characters of the locale. */
static bool is_match(struct text_scan *scan, const struct trawl_window *window,
                     struct trawl_match *match)
{
    const struct patterns *patterns = scan->job->patterns;
    const struct pattern_check *check = &patterns->check;
    const struct trawl_pattern *pattern = &patterns->items[match->pattern_index];

    if (check->wide)
        return wide_is_word(scan, match);
    if (check->begins || check->words) {
        bool word_before;
        uint64_t end = character_before(scan, window, match->begin, &word_before);

        if ((check->begins && end != match->begin) || (check->words && word_before))
            return false;
    }
    return !check->cases || charset_equal_case(pattern->bytes, (size_t)pattern->bytes_count,
                                               window->bytes + (match->begin - window->begin),
                                               (size_t)(match->end - match->begin));
}

/* Returns true if `match` is better than `other`, which begins at the same offset. If
 * patterns->in_order, the match of the string that was given first is better; otherwise the longer
 * match, then the one with fewer errors. */
static bool prefers(const struct text_scan *scan, const struct trawl_match *match,
                    const struct trawl_match *other)
{
    if (scan->job->patterns->in_order)
        return match->pattern_index < other->pattern_index;
    return match->end > other->end ||
           (match->end == other->end && match->distance < other->distance);
}

/* Returns the end of the line that contains `at`; OFFSET_NONE if it is not in the window. */
static uint64_t end_of_line(const struct text_scan *scan, const struct trawl_window *window,
                            uint64_t at)
{
    const uint8_t *bytes = window->bytes + (at - window->begin);
    size_t count = (size_t)(window->begin + window->bytes_count - at);
    const uint8_t *end = count == 0 ? NULL : memchr(bytes, scan->settings->line_end, count);
    const uint8_t *null = NULL;

    if (scan->settings->nuls.end_line && count > 0)
        null = memchr(bytes, '\0', end != NULL ? (size_t)(end - bytes) : count);
    end = null != NULL ? null : end;
    return end != NULL ? at + (uint64_t)(end - bytes) + 1 : OFFSET_NONE;
}

/* For --only-first: keeps a match if no earlier one begins in the same line. Of several with the
 * same start, keeps the preferred one and, if the numbers of strings are wanted, those with the
 * same end. If lines.c compares whole lines later (rules.check_whole_line), keeps all. */
static void keep_first(struct text_scan *scan, const struct trawl_window *window,
                       const struct trawl_match *match, struct trawl_window *kept)
{
    struct characters *characters = &scan->characters;
    struct trawl_match *first = characters->kept + characters->first;
    bool is_empty = match->end == match->begin &&
                    /* such a match only selects its line */
                    (scan->whole.bytes == NULL || match->distance > 0);

    if (match->begin >= characters->line_end && !is_empty) {
        characters->line_end = end_of_line(scan, window, match->begin);
        characters->first = kept->match_count;
    } else if (!is_empty && !scan->rules.check_whole_line) {
        bool same_end, better;

        if (kept->match_count == 0 || first->begin != match->begin)
            return;
        same_end = scan->settings->numbers_wanted && match->end == first->end;
        better = prefers(scan, match, first);
        if (!same_end && !better)
            return;
        if (!same_end)
            kept->match_count = characters->first;
    }
    characters->kept[kept->match_count++] = *match;
}

bool occurrences_are_all(const struct text_scan *scan)
{
    return !scan->rules.filters && !scan->settings->only_first;
}

bool occurrences_window(struct text_scan *scan, const struct trawl_window **window,
                        struct trawl_window *kept)
{
    const struct trawl_window *given = *window;
    struct characters *characters = &scan->characters;
    const struct pattern_check *check = &scan->job->patterns->check;

    if (occurrences_are_all(scan))
        return true;
    if (!SCAN_GROW(scan, characters->kept, characters->kept_capacity, given->match_count))
        return false;
    *kept = *given;
    kept->matches = characters->kept;
    kept->match_count = 0;
    if (characters->line_end == OFFSET_NONE)
        characters->line_end = end_of_line(scan, given, given->begin);
    for (uint64_t i = 0; i < given->match_count; i++) {
        struct trawl_match match = given->matches[i];

        if (scan->rules.filters && !is_match(scan, given, &match))
            continue;
        if (scan->settings->only_first)
            keep_first(scan, given, &match, kept);
        else
            characters->kept[kept->match_count++] = match;
    }
    if (check->begins || check->words)
        keep_tail(scan, given);
    *window = kept;
    return true;
}

struct passed_on {
    struct text_scan *scan;
    trawl_match_sink sink;
};

/* Receives windows, and passes the matches that count to passed->sink. */
static int pass_on(void *context, const struct trawl_window *window)
{
    struct passed_on *passed = context;
    struct trawl_window kept;

    if (!occurrences_window(passed->scan, &window, &kept))
        return 1;
    return window->match_count == 0
               ? 0
               : passed->sink(passed->scan, window->matches, window->match_count);
}

enum trawl_status occurrences_positions(struct text_scan *scan, trawl_match_sink sink,
                                        struct trawl_error *error)
{
    struct passed_on passed = {scan, sink};
    const struct patterns *patterns = scan->job->patterns;
    const bool joins = patterns->is_apart && !scan->settings->overlapping;

    if (occurrences_are_all(scan) && !joins) {
        struct trawl_answer all = TRAWL_ANSWER_MATCHES(sink, scan);

        return trawl_ask(scan->job->searcher, scan->plan, scan->text, &all, error);
    }
    return trawl_windows(scan->job->searcher, scan->plan, scan->text,
                         joins ? patterns_spans(patterns) : 0, pass_on, &passed, error);
}

struct trawl_match occurrences_best(const struct text_scan *scan, const struct trawl_match *matches,
                                    uint64_t match_count, uint64_t *index)
{
    struct trawl_match best = matches[(*index)++];

    while (!scan->settings->overlapping && !scan->rules.check_whole_line && *index < match_count &&
           matches[*index].begin == best.begin) {
        if (prefers(scan, &matches[*index], &best))
            best = matches[*index];
        (*index)++;
    }
    return best;
}

#define STEPS_MAX 8u /* this many matches are passed before the first of a line is searched for */

/* A line, and a position `at` that moves through it from character to character. */
struct places {
    const uint8_t *bytes;
    uint64_t count;
    uint64_t at;
    bool word_before;        /* the character before `at` belongs to a word */
    struct trawl_line *line; /* finds PCRE2's matches in the line; NULL: not opened yet */
};

/* Returns true if the byte before text offset `end` is a carriage return. */
static bool occurrences_end_with_return(struct text_scan *scan, const struct view *view,
                                        uint64_t end)
{
    const uint8_t *last = view->bytes != NULL ? view->bytes + (end - 1 - view->begin)
                                              : reread_range(scan, end - 1, end);

    return last != NULL && *last == '\r';
}

/* Returns true if no word character is directly before or after offset `place` of the line. An
 * invalid byte counts as a word character, except with --no-unicode. */
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
            code_point = 0x110000; /* no character, as in words_utf8 */
        if (places->at < places->count)
            is_word = words.is_word(words.context, code_point);

        if (places->at >= place)
            return places->at == place && !is_word && !places->word_before;
        places->word_before = is_word;
        places->at += length > 0 ? length : 1;
    }
}

/* Returns true if some pattern matches the empty string at this place of the line. */
static bool is_empty_match(struct text_scan *scan, struct places *places, uint64_t place)
{
    const struct settings *settings = scan->settings;
    const struct patterns *patterns = scan->job->patterns;
    enum neighbour before, after;
    struct trawl_range group = {UINT64_MAX, 0}, none = {place, place};

    if ((settings->whole_lines && places->count > 0) ||
        (settings->words && !is_apart(settings, places, place)))
        return false;
    if (!settings->expressions || patterns->empty_everywhere)
        return patterns->has_empty || settings->expressions;
    before = patterns_neighbour(places->bytes, places->count, place - 1);
    after = patterns_neighbour(places->bytes, places->count, place);
    if (before != NEIGHBOUR_ASKS && after != NEIGHBOUR_ASKS)
        return (patterns->empty_between >> (NEIGHBOURS * before + after) & 1) != 0;
    for (uint64_t i = patterns->empty_from; i < patterns->empty_to && group.begin == UINT64_MAX;
         i++)
        if (groups_of_match(scan->plan, i, places->bytes, places->count, none, &group, 1,
                            &scan->error) != TRAWL_OK) {
            scan_fail(scan, scan->error.status);
            return false;
        }
    return group.begin != UINT64_MAX;
}

/* Adds a span, which the caller fills. Returns NULL if out of memory. */
static struct line_span *add_span(struct text_scan *scan)
{
    struct style_state *style = &scan->style;

    if (style->span_count == style->span_capacity &&
        !SCAN_GROW(scan, style->spans, style->span_capacity, style->span_count + 1))
        return NULL;
    return &style->spans[style->span_count++];
}

/* Returns true if an empty match there does not count: within a character of a file that is
 * written, which the replacement would split. */
static bool is_within(const struct text_scan *scan, const uint8_t *bytes, uint64_t count,
                      uint64_t at)
{
    const uint64_t before = scan->settings->write ? utf8_last(bytes, at) : 0;
    uint32_t code_point;

    return before > 0 &&
           utf8_character(bytes + (at - before), count - (at - before), &code_point) > before;
}

/* Adds an empty match. Returns false if out of memory. */
static bool add_place(struct text_scan *scan, const struct places *places, uint64_t at)
{
    struct line_span *span;

    if (is_within(scan, places->bytes, places->count, at))
        return true;
    span = add_span(scan);
    if (span != NULL)
        *span = (struct line_span){.begin = at, .end = at, .from = at, .to = at};
    return span != NULL;
}

/* As add_empty, but goes from match to match of PCRE2's expression. */
static bool walk_empty(struct text_scan *scan, struct places *places, uint64_t from, uint64_t to)
{
    const struct style_state *style = &scan->style;
    struct trawl_range found;
    enum trawl_status status = TRAWL_OK;

    if (places->line == NULL)
        status = trawl_line_open(scan->plan, 0, places->bytes, places->count, scan->job->searcher,
                                 &places->line, &scan->error);
    for (; status == TRAWL_OK && from < to; from = found.end + (found.begin == found.end)) {
        status = trawl_line_match(places->line, from, &found, 1, &scan->error);
        if (status != TRAWL_OK || found.begin >= to)
            break;
        if (found.begin == found.end &&
            (style->span_count == 0 || style->spans[style->span_count - 1].end < found.begin) &&
            !add_place(scan, places, found.begin))
            return false;
    }
    if (status != TRAWL_OK)
        scan_fail(scan, status);
    return status == TRAWL_OK;
}

/* Adds an empty match for each of the places [from, to) of the line where a pattern matches the
 * empty string, except where a match ends. */
static bool add_empty(struct text_scan *scan, struct places *places, uint64_t from, uint64_t to)
{
    const struct style_state *style = &scan->style;

    if (!scan->job->patterns->finds_empty)
        return true;
    if (scan->job->patterns->sees_lines && !scan->job->patterns->is_apart)
        return walk_empty(scan, places, from, to);
    if (style->span_count > 0 && style->spans[style->span_count - 1].end == from)
        from++;
    for (; from < to && scan->status == TRAWL_OK; from++)
        if (is_empty_match(scan, places, from) && !add_place(scan, places, from))
            return false;
    return scan->status == TRAWL_OK;
}

/* Returns true if an empty match at the start of `match` wins: the empty string matches there and
 * was given before the string of `match`. */
static bool empty_comes_first(struct text_scan *scan, struct places *places,
                              const struct trawl_match *match, uint64_t line)
{
    const struct patterns *patterns = scan->job->patterns;

    return patterns->finds_empty && !scan->settings->expressions &&
           match->pattern_index >= patterns->empty_index &&
           is_empty_match(scan, places, match->begin - line);
}

/* Returns the number of places in the line where an empty match may be. The place after the last
 * byte counts if the line has a line end. */
static uint64_t count_places(struct text_scan *scan, const struct view *view, uint64_t end,
                             struct places *places)
{
    bool has_end = view->bytes == NULL ? !view->has_no_end : end < view->count;

    if (scan->settings->crlf && places->count > 0 &&
        occurrences_end_with_return(scan, view, view->begin + end)) {
        has_end = true; /* at the text's end, too */
        places->count--;
    }
    return places->count + has_end;
}

/* Finds the first match that begins at `from` or later in the line [begin, end), in text offsets;
 * of several with the same start, the one that `prefers` calls best. With --overlapping, finds each
 * match of the line in turn, even those with the same start. If the command checks -x, finds the
 * match that is the whole line. *index is where the search continues. Returns false if there is no
 * further match. */
static bool next_match(struct text_scan *scan, const struct view *view, uint64_t begin,
                       uint64_t end, uint64_t from, uint64_t *index, struct trawl_match *found)
{
    while (*index < view->match_count && view->matches[*index].begin < end) {
        struct trawl_match match = occurrences_next(scan, view->matches, view->match_count, index);

        if (match.begin < from)
            continue;
        /* An expression may match the empty string. With --multiline, such a match counts unless it
         * is at the end of the text or of another match. */
        if (match.end == match.begin &&
            (scan->whole.bytes == NULL || match.distance > 0 ||
             is_within(scan, scan->whole.bytes, scan->whole.count, match.begin) ||
             (*index > 1 && view->matches[*index - 2].end == match.begin)))
            continue;
        if (scan->rules.check_whole_line && (match.begin != begin || match.end != end))
            continue;
        if (match.end > end)
            match.end = end; /* the string contains a line end, so cut the match */
        *found = match;
        return true;
    }
    return false;
}

/* As print_first_match_at, but faster if the last call was for a line shortly before. */
static uint64_t first_match_of(const struct text_scan *scan, const struct view *view, uint64_t at)
{
    const struct trawl_match *matches = view->matches;
    uint64_t i = scan->style.next_match;

    for (uint64_t past = i + STEPS_MAX; i < view->match_count && i < past; i++)
        if (matches[i].begin >= at)
            return i == 0 || matches[i - 1].begin < at ? i : print_first_match_at(view, at);
    return print_first_match_at(view, at);
}

/* As occurrences_of_line, but ignores --only-first. */
static bool find_spans(struct text_scan *scan, const struct view *view, uint64_t begin,
                       uint64_t end, struct places *places)
{
    uint64_t line = view->begin + begin, content = view->begin + end;
    uint64_t index = first_match_of(scan, view, line), from = line, group, past;
    uint64_t place_count = count_places(scan, view, end, places);
    bool each = scan->settings->overlapping;
    struct line_span *span;
    struct trawl_match match;

    scan->style.span_count = 0;
    while (next_match(scan, view, line, content, from, &index, &match)) {
        if (!add_empty(scan, places, from - line, match.begin - line))
            return false;
        from = match.begin;
        if (empty_comes_first(scan, places, &match, line))
            continue;
        if (scan->settings->crlf && scan->settings->whole_lines && match.end > match.begin &&
            occurrences_end_with_return(scan, view, match.end))
            match.end--; /* without the '\r', which patterns.c added to the pattern */
        group = index - 1;
        past = index;
        while (!each && group > 0 && view->matches[group - 1].begin == match.begin)
            group--;
        while (!each && past < view->match_count && view->matches[past].begin == match.begin)
            past++;
        span = add_span(scan);
        if (span == NULL)
            return false;
        *span = (struct line_span){.begin = match.begin - line,
                                   .end = match.end - line,
                                   .from = match.begin - line,
                                   .to = match.end - line,
                                   .group = group,
                                   .group_count = past - group,
                                   .distance = match.distance,
                                   .reversed = match.reversed};
        scan->style.next_match = index;
        if (scan->rules.first_suffices)
            return true;
        from = each ? match.begin : match.end;
    }
    return add_empty(scan, places, from - line, place_count);
}

bool occurrences_of_line(struct text_scan *scan, const struct view *view, uint64_t begin,
                         uint64_t end)
{
    const bool is_block = scan->whole.bytes != NULL && !scan->settings->invert;
    struct places places = {.bytes = view->bytes == NULL ? NULL : view->bytes + begin,
                            .count = end - begin};
    const bool good = find_spans(scan, view, begin, end, &places);

    trawl_line_close(places.line);
    if (good && scan->settings->only_first && !is_block && scan->style.span_count > 1)
        scan->style.span_count = 1;
    return good;
}
