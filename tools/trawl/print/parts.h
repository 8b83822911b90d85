/* parts: prints the lines of a large window in several threads. */
#ifndef TRAWL_PARTS_H
#define TRAWL_PARTS_H

#include "trawl/job/command_scan.h"

/* Prints the matches of a part of a window, which begins and ends with a line. */
typedef void parts_printer(struct text_scan *scan, const struct view *view);

/* Prints lines of the view from `at` on if that is worth while. Returns where the lines that are
 * left begin. */
uint64_t parts_print(struct text_scan *scan, const struct view *view, uint64_t at,
                     parts_printer *printer);
/* Ends the threads of the scan. */
void parts_close(struct text_scan *scan);

#endif
