/* progress: how far the search is, on standard error, from a thread of its own. */
#ifndef TRAWL_PROGRESS_H
#define TRAWL_PROGRESS_H

#include <stdbool.h>

#include "trawl.h"

struct progress;

/* always: from the beginning and also where standard error is no terminal; else only from the
 * third second on. NULL if the thread could not be started: then there is no display. */
struct progress *progress_begin(bool always);

/* The text that is searched next; NULL: none. progress may be NULL here and below. */
void progress_file(struct progress *progress, const struct trawl_searcher *searcher,
                   const struct trawl_text *text);
/* Another text was searched meanwhile. */
void progress_add(struct progress *progress, uint64_t bytes);

/* Clear the line, so that a message can be written. */
void progress_hide(struct progress *progress);
void progress_end(struct progress *progress);

#endif
