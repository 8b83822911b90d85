/* style: prints lines as ripgrep's options ask. */
#ifndef TRAWL_STYLE_H
#define TRAWL_STYLE_H

#include "trawl/job/command_scan.h"

/* Prints a line with the style that the options ask for; otherwise as print_line. */
bool style_line(struct text_scan *scan, const struct view *view, uint64_t begin, uint64_t end,
                char separator);
/* Prints a match of -o on its own line, with --pattern-number on a line for each number of the
 * string. group: the matches with the same begin. False: not printed, because the match is invalid
 * text, or the scan has failed. */
bool style_match(struct text_scan *scan, const struct trawl_window *window,
                 const struct trawl_match *match, const struct trawl_match *group,
                 uint64_t group_count);

#endif
