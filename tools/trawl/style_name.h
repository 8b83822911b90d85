/* style_name: a file's name as ripgrep's options ask for it, and links. */
#ifndef TRAWL_STYLE_NAME_H
#define TRAWL_STYLE_NAME_H

#include "trawl/scan.h"

void style_name(struct text_scan *scan);
/* Make a link of what follows, if that is wanted, and not one already. */
bool style_begin_link(struct text_scan *scan, uint64_t line, uint64_t column);
void style_end_link(struct text_scan *scan);

#endif
