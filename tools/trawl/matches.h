/* matches: what needs no lines: -o, --positions, --count-matches, --first. */
#ifndef TRAWL_MATCHES_H
#define TRAWL_MATCHES_H

#include "trawl/scan.h"

int matches_window(void *context, const struct trawl_window *window);
/* Needs no windows: --positions, --count-matches and --first. */
enum trawl_status matches_report(struct text_scan *scan, struct trawl_error *error);

#endif
