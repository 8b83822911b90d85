/* at_once: the beginning of a search in a loaded text. */
#ifndef TRAWL_RUNTIME_AT_ONCE_H
#define TRAWL_RUNTIME_AT_ONCE_H

#include "runtime/search.h"

/* Count what can be counted on all devices by the calling thread, and queue the other chunks. */
void resident_begin(struct search *search);

#endif
