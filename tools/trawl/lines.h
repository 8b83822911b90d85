/* lines: windows cut into lines, lines selected or not. */
#ifndef TRAWL_LINES_H
#define TRAWL_LINES_H

#include "trawl/scan.h"

int lines_window(void *context, const struct trawl_window *window);

#endif
