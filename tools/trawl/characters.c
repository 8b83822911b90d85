/* characters: of the matches that the library found, those that are matches in the locale's
 * characters.
 *
 * Only decoding a line from its beginning shows where characters begin if strings are not valid
 * UTF-8. So mbrtowc decodes lines with matches, up to the match; other lines are not decoded. Case
 * is looked at again where i and I are not one letter, as in Turkish. And with --best those matches
 * are kept that have the least distance.
 */
#include "trawl/characters.h"

#include <stdlib.h>

#include "trawl/charset.h"

/* Go on after the character at bytes[0]. */
static void pass_character(struct characters *characters, const uint8_t *bytes, uint64_t count)
{
    uint32_t code_point = 0;
    size_t length = 1;
    bool is_one = charset_decode(bytes, (size_t)count, &code_point, &length);

    characters->word_before = is_one && charset_is_word(NULL, code_point);
    characters->at += is_one ? length : 1;
}

/* The first characters of a window, which began in the one before. */
static void pass_tail(struct characters *characters, const struct trawl_window *window,
                      uint64_t readable)
{
    uint8_t bytes[2 * ENCODED_BYTES_MAX];
    uint64_t begin = characters->at, count = characters->tail_count, more = ENCODED_BYTES_MAX;

    memcpy(bytes, characters->tail, (size_t)count);
    if (more > readable)
        more = readable;
    if (more > 0)
        memcpy(bytes + count, window->bytes, (size_t)more);
    while (characters->at < window->begin)
        pass_character(characters, bytes + (characters->at - begin),
                       count + more - (characters->at - begin));
    characters->tail_count = 0;
}

/* Follow the text to `limit`, a text offset in the window: the character that holds the byte
 * before it was passed. */
static void follow(struct text_scan *scan, const struct trawl_window *window, uint64_t limit)
{
    struct characters *characters = &scan->characters;
    uint64_t readable = window->bytes_count + window->after_bytes_count, from;
    const uint8_t *line_end;

    if (limit <= characters->at)
        return;
    from = characters->at > window->begin ? characters->at - window->begin : 0;
    line_end = memrchr(window->bytes + from, scan->settings->line_end,
                       (size_t)(limit - window->begin - from));
    if (line_end != NULL) {
        characters->at = window->begin + (uint64_t)(line_end - window->bytes) + 1;
        characters->word_before = false;
        characters->tail_count = 0;
    } else if (characters->at < window->begin) {
        pass_tail(characters, window, readable);
    }
    while (characters->at < limit)
        pass_character(characters, window->bytes + (characters->at - window->begin),
                       readable - (characters->at - window->begin));
}

/* Keep the bytes of a character that may go on in the next window. */
static void keep_tail(struct text_scan *scan, const struct trawl_window *window)
{
    struct characters *characters = &scan->characters;
    uint64_t end = window->begin + window->bytes_count, count = 0, at = 0;
    uint8_t bytes[2 * ENCODED_BYTES_MAX];

    if (window->last)
        return;
    if (window->bytes_count >= ENCODED_BYTES_MAX)
        follow(scan, window, end - ENCODED_BYTES_MAX + 1);
    if (characters->at >= end)
        return;
    if (characters->at < window->begin) {
        memcpy(bytes, characters->tail, characters->tail_count);
        count = characters->tail_count;
    } else {
        at = characters->at - window->begin;
    }
    memcpy(bytes + count, window->bytes + at, (size_t)(window->bytes_count - at));
    count += window->bytes_count - at;
    for (at = end - count; characters->at + ENCODED_BYTES_MAX <= end;)
        pass_character(characters, bytes + (characters->at - at), end - characters->at);
    characters->tail_count = (uint32_t)(end - characters->at);
    memcpy(characters->tail, bytes + (characters->at - at), characters->tail_count);
}

static bool is_match(struct text_scan *scan, const struct trawl_window *window,
                     const struct trawl_match *match)
{
    const struct patterns *patterns = scan->job->patterns;
    const struct pattern_check *check = &patterns->check;
    const struct trawl_pattern *pattern = &patterns->items[match->pattern_index];

    if (match->distance > scan->distance_max)
        return false;
    if (check->begins || check->words) {
        follow(scan, window, match->begin);
        if (check->begins && scan->characters.at != match->begin)
            return false;
        if (check->words && scan->characters.word_before)
            return false;
    }
    return !check->cases || charset_equal_case(pattern->bytes, (size_t)pattern->bytes_count,
                                               window->bytes + (match->begin - window->begin),
                                               (size_t)(match->end - match->begin));
}

bool characters_window(struct text_scan *scan, const struct trawl_window **window,
                       struct trawl_window *kept)
{
    const struct trawl_window *given = *window;
    struct characters *characters = &scan->characters;
    const struct pattern_check *check = &scan->job->patterns->check;
    struct trawl_match *matches;

    if (!scan->filters)
        return true;
    matches = scan_grow(scan, characters->kept, &characters->kept_capacity, given->match_count,
                        sizeof *matches);
    if (matches == NULL && given->match_count > 0)
        return false;
    characters->kept = matches;
    *kept = *given;
    kept->matches = characters->kept;
    kept->match_count = 0;
    for (uint64_t i = 0; i < given->match_count; i++)
        if (is_match(scan, given, &given->matches[i]))
            characters->kept[kept->match_count++] = given->matches[i];
    if (check->begins || check->words)
        keep_tail(scan, given);
    *window = kept;
    return true;
}

void characters_begin(struct text_scan *scan)
{
    scan->characters.at = 0;
    scan->characters.word_before = false;
    scan->characters.tail_count = 0;
}

/* ---- Matches without lines ------------------------------------------------------------------- */

struct passed_on {
    struct text_scan *scan;
    trawl_match_sink sink;
    struct trawl_match *first;
};

static int pass_on(void *context, const struct trawl_window *window)
{
    struct passed_on *passed = context;
    struct trawl_window kept;

    if (!characters_window(passed->scan, &window, &kept))
        return 1;
    if (window->match_count == 0)
        return 0;
    if (passed->sink != NULL)
        return passed->sink(passed->scan, window->matches, window->match_count);
    *passed->first = window->matches[0];
    return 1;
}

enum trawl_status characters_positions(struct text_scan *scan, trawl_match_sink sink,
                                       struct trawl_error *error)
{
    struct passed_on passed = {scan, sink, NULL};

    if (!scan->filters)
        return trawl_positions(scan->job->searcher, scan->plan, scan->text, sink, scan, error);
    return trawl_windows(scan->job->searcher, scan->plan, scan->text, 0, pass_on, &passed, error);
}

enum trawl_status characters_first(struct text_scan *scan, struct trawl_match *match, bool *found,
                                   struct trawl_error *error)
{
    struct passed_on passed = {scan, NULL, match};
    enum trawl_status status =
        trawl_windows(scan->job->searcher, scan->plan, scan->text, 0, pass_on, &passed, error);

    *found = status == TRAWL_STOPPED && scan->status == TRAWL_OK;
    return status == TRAWL_STOPPED ? scan->status : status;
}
