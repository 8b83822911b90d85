/* help: the documents made from flags.def. */
#ifndef TRAWL_HELP_H
#define TRAWL_HELP_H

#include <stdbool.h>

#include "trawl/output.h"

/* tg: as the command means them when it is called by that name. */
void help_print(struct output *output, bool tg);
/* The options used most, on one screen. */
void help_print_short(struct output *output, bool tg);

/* kind: man, man-tg, complete-bash, complete-zsh, complete-fish. False: there is no such document.
 */
bool help_generate(struct output *output, const char *kind);

/* Text for troff: hyphens and backslashes are not to be changed, lines not to be commands. */
void help_troff(struct output *output, const char *text);

#endif
