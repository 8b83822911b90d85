/* characters: checks the library's matches by the characters of the locale. */
#ifndef TRAWL_CHARACTERS_H
#define TRAWL_CHARACTERS_H

#include "trawl/job/command_scan.h"

/* Checks the matches of a window. If checks are needed, *window points to `kept`, with the valid
 * matches. False: no memory. */
bool characters_window(struct text_scan *scan, const struct trawl_window **window,
                       struct trawl_window *kept);
/* Prepares for another pass from the begin of the text. */
void characters_begin(struct text_scan *scan);
/* As trawl_positions, with checked matches. */
enum trawl_status characters_positions(struct text_scan *scan, trawl_match_sink sink,
                                       struct trawl_error *error);

#endif
