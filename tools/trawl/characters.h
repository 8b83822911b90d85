/* characters: of the library's matches, only those that are matches in the locale's characters. */
#ifndef TRAWL_CHARACTERS_H
#define TRAWL_CHARACTERS_H

#include "trawl/scan.h"

/* `*window` becomes `kept` where matches must be left out; false: out of memory. */
bool characters_window(struct text_scan *scan, const struct trawl_window **window,
                       struct trawl_window *kept);
/* From the text's beginning again. */
void characters_begin(struct text_scan *scan);
/* As trawl_positions and trawl_first. */
enum trawl_status characters_positions(struct text_scan *scan, trawl_match_sink sink,
                                       struct trawl_error *error);
enum trawl_status characters_first(struct text_scan *scan, struct trawl_match *match, bool *found,
                                   struct trawl_error *error);

#endif
