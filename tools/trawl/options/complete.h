/* complete: prints the completions for shells, made from flags.def. */
#ifndef TRAWL_COMPLETE_H
#define TRAWL_COMPLETE_H

#include <stdbool.h>

#include "trawl/text/output.h"

/* Prints the document `kind`: complete-bash, complete-zsh or complete-fish. False: no such
 * document. */
bool complete_write(struct output *output, const char *kind);

#endif
