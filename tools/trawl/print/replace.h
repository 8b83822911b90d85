/* replace: makes the text that --replace puts in place of the matches of expressions. */
#ifndef TRAWL_REPLACE_H
#define TRAWL_REPLACE_H

#include "trawl/job/command_scan.h"

/* Reads the value of --replace into the style's parts. False: the scan has failed. */
bool replace_parts(struct text_scan *scan);
/* Writes what replaces each of the style's spans, which are matches in the line, and points the
 * spans there. `content`: the line's bytes without the line end. False: the scan has failed. */
bool replace_texts(struct text_scan *scan, const struct view *view, const uint8_t *line,
                   uint64_t content);

#endif
