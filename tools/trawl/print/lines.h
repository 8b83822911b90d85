/* lines: cuts windows of the text into lines, and decides which lines are selected. */
#ifndef TRAWL_LINES_H
#define TRAWL_LINES_H

#include "trawl/job/command_scan.h"

int lines_window(void *context, const struct trawl_window *window);
/* Receives a window for the option --multiline. The whole text is in scan->whole. */
int lines_whole(void *context, const struct trawl_window *window);

#endif
