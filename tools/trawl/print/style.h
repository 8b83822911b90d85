/* style: prints lines with ripgrep's options: coloured, with columns, replaced, shortened. */
#ifndef TRAWL_STYLE_H
#define TRAWL_STYLE_H

#include "trawl/job/command_scan.h"

/* Prints a line as the options require. Arguments and result are as for print_line. */
bool style_line(struct text_scan *scan, const struct view *view, uint64_t begin, uint64_t end,
                char separator);
/* For -o: prints a match on a separate line; with --pattern-number, once for each number of its
 * string. `group` has the matches with the same start. Returns false if the match was not printed,
 * because it is invalid text or the scan has failed. */
bool style_match(struct text_scan *scan, const struct trawl_window *window,
                 const struct trawl_match *match, const struct trawl_match *group,
                 uint64_t group_count);

#endif
