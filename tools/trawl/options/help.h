/* help: prints the documents made from flags.def. */
#ifndef TRAWL_HELP_H
#define TRAWL_HELP_H

#include <stdbool.h>

#include "trawl/text/output.h"

/* Prints the long help. If `tg`, prints the options as tg has them. */
void help_print(struct output *output, bool tg);
/* Prints the most frequently used options, on a single screen. */
void help_print_short(struct output *output, bool tg);

/* Prints a document: man, man-tg, complete-bash, complete-zsh, complete-fish. False: no such
 * document.
 */
bool help_generate(struct output *output, const char *kind);

/* Prints text and a line end; breaks the text into lines for a terminal of 80 columns. The first
 * `indent` columns stay free; the caller has filled them in the first line. */
void help_wrap(struct output *output, const char *text, int indent);

/* Prints text for troff, so that troff neither changes hyphens and backslashes nor treats a line as
 * a command. */
void help_troff(struct output *output, const char *text);

#endif
