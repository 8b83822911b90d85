/* part: searches a part of a text: the rest, which is left to units or follows them. */
#include "trawl/print/part.h"

#include "trawl/print/binary.h"
#include "trawl/print/command_matches.h"
#include "trawl/text/sizes.h"

/* Units search the rest of a text if a window has a match for each UNIT_MATCH_BYTES. */
#define UNIT_MATCH_BYTES UINT64_C(4096)
/* A shorter text is not worth the threads, unless --chunk-bytes was given. */
#define UNITS_TEXT_BYTES SIZE_OR_SMALL(UINT64_C(8) << 20, UINT64_C(1))

bool part_wants_units(const struct text_scan *scan, const struct trawl_window *window)
{
    struct trawl_text_told told = {.size = sizeof told};

    return scan->job->search_units != NULL && !scan->part.is_last && !window->last &&
           !scan->quiet && !scan->nulls.seen && scan->descriptor >= 0 && scan->rules.seekable &&
           scan->output->full == NULL && trawl_text_tell(scan->text, &told, NULL) == TRAWL_OK &&
           (told.text_bytes >= UNITS_TEXT_BYTES || scan->settings->search.chunk_bytes > 0) &&
           (scan->settings->invert ||
            window->match_count >= window->bytes_count / UNIT_MATCH_BYTES);
}

bool part_leave(struct text_scan *scan, const struct trawl_window *window, uint64_t at)
{
    const struct settings *settings = scan->settings;

    if (scan->stop || at <= window->begin || (settings->json && !scan->json.begun) ||
        (settings->style.heading && !scan->style.heading_shown) ||
        (settings_have_context(settings) && scan->lines.printed_end == OFFSET_NONE) ||
        !binary_is_decided(scan))
        return false;
    scan->part.units_begin = at;
    scan->part.matches_left = 0;
    for (uint64_t i = window->match_count; i > 0 && window->matches[i - 1].begin >= at; i--)
        scan->part.matches_left++;
    return true;
}

bool part_matches(struct text_scan *scan, const struct trawl_window *window, uint64_t text_bytes)
{
    const uint8_t *line_end =
        !part_wants_units(scan, window)
            ? NULL
            : memchr(window->bytes, scan->settings->line_end, (size_t)window->bytes_count);
    const uint64_t at = line_end == NULL ? 0 : (uint64_t)(line_end - window->bytes) + 1;

    if (at > 0 && at < text_bytes) {
        matches_part(scan, window, 0, at);
        if (part_leave(scan, window, window->begin + at))
            return true;
    }
    matches_part(scan, window, at < text_bytes ? at : 0, text_bytes);
    return false;
}

bool part_window(struct text_scan *scan, const struct trawl_window **window,
                 struct trawl_window *moved)
{
    const uint64_t begin = scan->part.begin;

    if (begin == 0)
        return true;
    *moved = **window;
    if (!SCAN_GROW(scan, scan->part.matches, scan->part.match_capacity, moved->match_count))
        return false;
    moved->begin += begin;
    for (uint64_t i = 0; i < moved->match_count; i++) {
        scan->part.matches[i] = moved->matches[i];
        scan->part.matches[i].begin += begin;
        scan->part.matches[i].end += begin;
    }
    moved->matches = scan->part.matches;
    *window = moved;
    return true;
}
