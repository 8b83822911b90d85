/* style: lines as ripgrep's options ask for them. */
#ifndef TRAWL_STYLE_H
#define TRAWL_STYLE_H

#include "trawl/scan.h"

/* As print_line. */
bool style_line(struct text_scan *scan, const struct view *view, uint64_t begin, uint64_t end,
                char separator);

/* The matches of the line [begin, end) of the view, `end` without the line end, go to the style's
 * spans. False: no memory. The view's bytes are not looked at. */
bool style_find_spans(struct text_scan *scan, const struct view *view, uint64_t begin,
                      uint64_t end);

#endif
