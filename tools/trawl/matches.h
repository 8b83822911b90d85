/* matches: what needs no lines: -o, --positions, --count-matches, --first. */
#ifndef TRAWL_MATCHES_H
#define TRAWL_MATCHES_H

#include "trawl/scan.h"

/* Print the matches that begin in the window's bytes from `begin` to `end`. A window may come in
 * two parts. */
void matches_part(struct text_scan *scan, const struct trawl_window *window, uint64_t begin,
                  uint64_t end);
/* Needs no windows: --positions, --count-matches and --first. */
enum trawl_status matches_report(struct text_scan *scan, struct trawl_error *error);

#endif
