/* command_matches: makes the reports without lines: -o, --positions, --count-matches. */
#ifndef TRAWL_COMMAND_MATCHES_H
#define TRAWL_COMMAND_MATCHES_H

#include "trawl/job/command_scan.h"

/* Prints the matches that begin in [begin, end) of the window's bytes. A window may come in two
 * parts. */
void matches_part(struct text_scan *scan, const struct trawl_window *window, uint64_t begin,
                  uint64_t end);
/* Search the text for --count-matches and --positions, which need no lines. */
enum trawl_status matches_report(struct text_scan *scan, struct trawl_error *error);
enum trawl_status positions_report(struct text_scan *scan, struct trawl_error *error);

#endif
