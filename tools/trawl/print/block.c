/* block: finds the next lines with matches; the lines that matches across lines touch
 * (--multiline). */
#include "trawl/print/block.h"

#include <string.h>

#include "trawl/print/print_line.h"
#include "trawl/options/settings.h"
#include "trawl/text/sizes.h"

#define TOGETHER_BYTES                                                        \
    SIZE_OR_SMALL(UINT64_C(64) << 10, UINT64_C(100)) /* of lines, for a cache \
                                                      */

uint64_t block_line_begin(const struct text_scan *scan, const struct view *view, uint64_t floor,
                          uint64_t at)
{
    const uint8_t *found =
        at == floor ? NULL
                    : memrchr(view->bytes + floor, scan->settings->line_end, (size_t)(at - floor));

    return found != NULL ? (uint64_t)(found - view->bytes) + 1 : floor;
}

/* Returns the end of the last line that the match touches. `known` is the end of the previous
 * match's last line, or 0: so the end of a line with many matches is searched only once. */
static uint64_t end_of_match(const struct text_scan *scan, const struct view *view,
                             const struct trawl_match *match, uint64_t known)
{
    /* an empty match lies `distance` bytes after its start */
    const uint64_t end = match->end + match->distance - view->begin;

    if (end < known)
        return known;
    return match->end > match->begin && view->bytes[end - 1] == scan->settings->line_end
               ? end
               : print_line_end(scan, view, end);
}

void block_extend(const struct text_scan *scan, const struct view *view, struct block *block,
                  uint64_t first, uint64_t max)
{
    while (block->next < view->match_count &&
           (scan->settings->invert || block->next - first < max)) {
        const struct trawl_match *match = view->matches + block->next;
        const uint64_t begin = match->begin + match->distance - view->begin;

        if (begin >= block->end && (scan->settings->invert ||
                                    block_line_begin(scan, view, block->end, begin) > block->end))
            break;
        block->end = end_of_match(scan, view, match, block->end);
        block->next++;
    }
}

struct block block_find(const struct text_scan *scan, const struct view *view, uint64_t at,
                        uint64_t i, uint64_t max)
{
    const struct trawl_match *match = view->matches + i;
    const uint64_t first = match->begin + match->distance - view->begin;
    struct block block = {block_line_begin(scan, view, at, first),
                          end_of_match(scan, view, match, 0), i + 1};

    block_extend(scan, view, &block, i, max);
    return block;
}

size_t block_lines(struct text_scan *scan, const struct view *view, uint64_t at, uint64_t i,
                   struct line *lines, size_t max)
{
    const bool every = scan->rules.every_line, alone = scan->job->lines_meet == NULL;
    const uint8_t line_end = scan->settings->line_end;
    size_t count = 0;

    for (uint64_t bytes = 0; count < (alone ? 1 : max) && bytes < TOGETHER_BYTES &&
                             (every ? at < view->count : i < view->match_count);) {
        const uint64_t first = i, offset = every ? at : view->matches[i].begin - view->begin;
        const uint64_t begin =
            scan->quiet && alone ? offset : block_line_begin(scan, view, at, offset);
        const uint64_t end = print_line_end(scan, view, offset);
        const uint64_t content = view->bytes[end - 1] == line_end ? end - 1 : end;

        while (i < view->match_count && view->matches[i].begin < view->begin + end)
            i++;
        lines[count++] = (struct line){
            begin, end, i,
            !every || scan_matches(scan, view->bytes + at, view->begin + at, view->begin + content,
                                   view->matches + first, i - first)};
        bytes += end - begin;
        at = end;
    }
    return alone ? count : scan->job->lines_meet(scan, view->bytes, lines, count);
}
