/* style_name: prints a file's name in the forms of ripgrep's options, and links to the file. */
#ifndef TRAWL_STYLE_NAME_H
#define TRAWL_STYLE_NAME_H

#include "trawl/job/command_scan.h"

void style_name(struct text_scan *scan);
/* Opens a link to the file, if links are wanted and none is open. Returns true if it did. */
bool style_begin_link(struct text_scan *scan, uint64_t line, uint64_t column);
void style_end_link(struct text_scan *scan);

#endif
