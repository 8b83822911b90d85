/* excerpt: which part of a line --around prints with a match. */
#include "trawl/print/excerpt.h"

uint64_t excerpt_limit(struct text_scan *scan, const struct piece *line)
{
    return line->content - (scan->settings->crlf && line->content > 0 &&
                            piece_byte_at(scan, line, line->content - 1) == '\r');
}

bool excerpt_next(struct text_scan *scan, const struct piece *line, uint64_t limit,
                  struct excerpt *excerpt)
{
    const struct style *style = &scan->settings->style;
    const struct line_span *span, *past;
    const uint64_t before = style->around_before, after = style->around_after;
    uint64_t end; /* of the matches so far; `after` characters further, the excerpt ends */

    if (excerpt->past >= line->span_count) /* line->spans may be NULL */
        return false;
    span = line->spans + excerpt->past;
    past = line->spans + line->span_count;
    excerpt->first = excerpt->past;
    end = span->end;
    excerpt->begin = piece_back_characters(scan, line, span->begin, before);
    excerpt->end = piece_skip_characters(scan, line, end, limit, after);
    for (span++; span < past && !style->vimgrep; span++) {
        if (span->begin >= excerpt->end) {
            if (before == 0 || excerpt->end == 0 ||
                piece_skip_characters(scan, line, excerpt->end, span->begin, before - 1) <
                    span->begin)
                break;
            end = span->end;
            excerpt->end = piece_skip_characters(scan, line, end, limit, after);
        } else if (span->end > end) {
            /* moves the excerpt's end as far as the matches' end, so no character is passed twice
             */
            excerpt->end =
                piece_skip_characters(scan, line, excerpt->end, limit,
                                      piece_count_characters(scan, line, end, span->end));
            end = span->end;
        }
    }
    excerpt->past = (uint64_t)(span - line->spans);
    return scan->status == TRAWL_OK;
}
