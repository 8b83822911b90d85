/* version: prints what --version says. */
#ifndef TRAWL_VERSION_PRINT_H
#define TRAWL_VERSION_PRINT_H

#include "trawl/text/output.h"

void version_print(struct output *output);

#endif
