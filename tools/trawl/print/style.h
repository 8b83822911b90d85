/* style: prints lines as ripgrep's options ask. */
#ifndef TRAWL_STYLE_H
#define TRAWL_STYLE_H

#include "trawl/job/command_scan.h"

/* Prints a line with the style that the options ask for; otherwise as print_line. */
bool style_line(struct text_scan *scan, const struct view *view, uint64_t begin, uint64_t end,
                char separator);

#endif
