/* command_scan: what several of the files listed in command_scan.h need: growing arrays, checking
 * whether a line contains the empty string, and writing what was printed for a part of the text. */
#include "trawl/job/command_scan.h"

#include <stdlib.h>

#include "trawl/text/charset.h"
#include "trawl/text/grow.h"
#include "trawl/text/guard.h"
#include "trawl/options/patterns.h"
#include "trawl/options/settings.h"

bool scan_grow(struct text_scan *scan, void *array, uint64_t *capacity, uint64_t wanted,
               uint64_t size)
{
    struct guard *guard = scan->settings->guard;
    const uint64_t before = *capacity;
    uint64_t after = before == 0 ? 64 : before, more;
    bool good = false;

    while (after < wanted)
        after *= 2;
    more = wanted > before ? (after - before) * size : 0;
    if (more == 0 || guard_take(guard, more)) {
        good = grow_array(array, capacity, 64, wanted, size);
        if (*capacity > before)
            scan->carry.guarded_bytes += more;
        else
            guard_give(guard, more);
    }
    if (!good)
        scan_fail(scan, TRAWL_MEMORY);
    return good;
}

bool line_holds_empty(const struct text_scan *scan, const uint8_t *bytes, uint64_t begin,
                      uint64_t end)
{
    const struct settings *settings = scan->settings;
    bool by_bytes = settings->is_tg && settings->no_unicode;
    const enum charset charset = by_bytes ? CHARSET_BYTES : settings->surroundings.charset;

    if (!scan->job->patterns->has_empty)
        return false;
    if (settings->whole_lines)
        return begin == end ||
               (settings->crlf && bytes != NULL && end - begin == 1 && *bytes == '\r');
    return !settings->words ||
           (bytes != NULL &&
            charset_empty_word(charset,
                               by_bytes || charset == CHARSET_UTF8 ? words_utf8(settings).is_word
                                                                   : charset_is_word,
                               bytes, (size_t)(end - begin)));
}

bool scan_matches(struct text_scan *scan, const uint8_t *bytes, uint64_t begin, uint64_t end,
                  const struct trawl_match *matches, uint64_t match_count)
{
    if (!scan->rules.check_whole_line && match_count > 0)
        return true;
    for (uint64_t i = 0; i < match_count; i++)
        if (matches[i].begin == begin && matches[i].end == end)
            return true;
    return line_holds_empty(scan, bytes, begin, end);
}

void scan_part_end(struct text_scan *scan)
{
    if (!scan->rules.seekable || scan->settings->writes_lines)
        output_write(scan->output);
}

bool scan_ask_total(struct text_scan *scan, const struct trawl_window *window)
{
    uint64_t left;

    if (!scan->lines.asks_total || (window != NULL && window->match_count == 0 &&
                                    !scan->settings->invert && !scan->rules.every_line))
        return true;
    left = pool_total_left(scan->job);
    scan->lines.asks_total = false;
    if (left < scan->lines.max)
        scan->lines.max = scan->lines.left = left;
    scan->stop |= left == 0;
    return left > 0;
}

void scan_free(struct text_scan *scan)
{
    free(scan->part.matches);
    trawl_text_close(scan->part.text);
    free(scan->carry.bytes);
    free(scan->carry.matches);
    free(scan->reread.bytes);
    free(scan->nulls.zapped);
    free(scan->together.bytes);
    free(scan->whole.read);
    trawl_text_close(scan->whole.text);
    free(scan->characters.kept);
    free(scan->function.kept);
    trawl_line_close(scan->function.opened[0]);
    trawl_line_close(scan->function.opened[1]);
    free(scan->numbers.stamps);
    free(scan->numbers.list);
    free(scan->style.spans);
    free(scan->style.cut);
    free(scan->style.inside);
    free(scan->style.parts);
    free(scan->style.block);
    free(scan->style.texts);
    free(scan->style.text_bytes);
    for (uint64_t i = 0; i < scan->style.line_capacity; i++)
        trawl_line_close(scan->style.lines[i].opened);
    free(scan->style.lines);
    free(scan->style.link_path);
    if (scan->carry.guarded_bytes > 0)
        guard_give(scan->settings->guard, scan->carry.guarded_bytes);
}
