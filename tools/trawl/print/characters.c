/* characters: checks the library's matches by the characters of the locale.
 *
 * A string that is invalid UTF-8 may be found inside a character; the bytes before the match show
 * that. Case is compared again where i and I are two letters, as in Turkish.
 */
#include "trawl/print/characters.h"

#include <stdlib.h>

#include "trawl/text/charset.h"
#include "trawl/options/words.h"

#define NO_CHARACTER 0x110000u /* as in words_utf8 */

/* Looks at the character that contains the byte before text offset `at`; `at` is in the window. An
 * invalid byte counts as a character. Returns the character's end, which is > `at` if `at` is
 * inside the character. */
static uint64_t character_before(const struct text_scan *scan, const struct trawl_window *window,
                                 uint64_t at, bool *is_word)
{
    const struct characters *characters = &scan->characters;
    uint64_t first = window->begin - characters->tail_count;
    uint64_t end = window->begin + window->bytes_count + window->after_bytes_count, start = at;
    uint8_t near[2 * UTF8_BYTES_MAX];
    uint32_t code_point = 0;
    size_t length = 1;

    *is_word = false; /* at the begin of the text */
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

/* Keeps the last bytes of the window, since the next window may begin inside a character. */
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

/* Returns whether a match of the library is a match by the characters of the locale. */
static bool is_match(struct text_scan *scan, const struct trawl_window *window,
                     const struct trawl_match *match)
{
    const struct patterns *patterns = scan->job->patterns;
    const struct pattern_check *check = &patterns->check;
    const struct trawl_pattern *pattern = &patterns->items[match->pattern_index];

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

bool characters_window(struct text_scan *scan, const struct trawl_window **window,
                       struct trawl_window *kept)
{
    const struct trawl_window *given = *window;
    struct characters *characters = &scan->characters;
    const struct pattern_check *check = &scan->job->patterns->check;
    struct trawl_match *matches;

    if (!scan->rules.filters)
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
    scan->characters.tail_count = 0;
}

/* ---- Matches without lines ------------------------------------------------------------------- */

struct passed_on {
    struct text_scan *scan;
    trawl_match_sink sink;
};

/* A sink of windows: passes the checked matches to passed->sink. */
static int pass_on(void *context, const struct trawl_window *window)
{
    struct passed_on *passed = context;
    struct trawl_window kept;

    if (!characters_window(passed->scan, &window, &kept))
        return 1;
    return window->match_count == 0
               ? 0
               : passed->sink(passed->scan, window->matches, window->match_count);
}

enum trawl_status characters_positions(struct text_scan *scan, trawl_match_sink sink,
                                       struct trawl_error *error)
{
    struct passed_on passed = {scan, sink};

    if (!scan->rules.filters)
        return trawl_positions(scan->job->searcher, scan->plan, scan->text, sink, scan, error);
    return trawl_windows(scan->job->searcher, scan->plan, scan->text, 0, pass_on, &passed, error);
}
