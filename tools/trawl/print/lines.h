/* lines: cuts windows into lines and selects lines. */
#ifndef TRAWL_LINES_H
#define TRAWL_LINES_H

#include "trawl/job/command_scan.h"

int lines_window(void *context, const struct trawl_window *window);
/* The sink of --multiline: the text is scan->whole. */
int lines_whole(void *context, const struct trawl_window *window);

#endif
