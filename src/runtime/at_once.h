/* at_once: short counts of a loaded text, begun on all devices by the calling thread. */
#ifndef TRAWL_RUNTIME_AT_ONCE_H
#define TRAWL_RUNTIME_AT_ONCE_H

#include "runtime/search.h"

/* Count on all devices from the calling thread, before the search is shared. true: that was all of
 * the text. */
bool count_at_once(struct search *search);

#endif
