/* parts: prints the lines of a large window in several threads. */
#ifndef TRAWL_PARTS_H
#define TRAWL_PARTS_H

#include "trawl/job/command_scan.h"

/* A function that prints the lines or matches of a part of a window. The part consists of whole
 * lines. */
typedef void parts_printer(struct text_scan *scan, const struct view *view);

/* Prints lines of the view from `at` on in several threads, if that saves time. Returns where the
 * lines begin that were not printed. */
uint64_t parts_print(struct text_scan *scan, const struct view *view, uint64_t at,
                     parts_printer *printer);
/* Ends the threads that were started for the scan. */
void parts_close(struct text_scan *scan);

#endif
