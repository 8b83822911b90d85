/* spans: the matches of a line that is printed, or whose matches are counted. */
#ifndef TRAWL_SPANS_H
#define TRAWL_SPANS_H

#include "trawl/job/command_scan.h"

/* Stores the matches of the line [begin, end) of the view as the style's spans; `end` excludes the
 * line end. False: no memory. Reads the view's bytes only if patterns->finds_empty, or with --crlf.
 */
bool spans_find(struct text_scan *scan, const struct view *view, uint64_t begin, uint64_t end);
/* Returns whether the byte before text offset `end` is a carriage return. */
bool spans_end_with_return(struct text_scan *scan, const struct view *view, uint64_t end);

#endif
