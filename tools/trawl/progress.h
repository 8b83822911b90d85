/* progress: how far the search is: on standard error from a thread of its own, or at SIGUSR1. */
#ifndef TRAWL_PROGRESS_H
#define TRAWL_PROGRESS_H

#include <stdbool.h>

#include "trawl.h"

struct progress;

/* Before anything is searched: from now on SIGUSR1 prints a line, which begins with `name`. */
void progress_open(const char *name);
uint64_t progress_elapsed_ns(void); /* since then */

/* Start the display. always: from the beginning and also where standard error is no terminal; else
 * only from the third second on. NULL if the thread could not be started: then there is none. */
struct progress *progress_begin(bool always);

/* The text that a searcher with all threads searches next; NULL: none. The searcher must stay open
 * until then, and be closed by the thread that called progress_open. */
void progress_file(const struct trawl_searcher *searcher, const struct trawl_text *text);
/* So much was found in it until now. Before the first call that is not known, and not shown. */
void progress_found(uint64_t found);
/* Other texts were searched meanwhile. */
void progress_add(uint64_t bytes, uint64_t found);

/* Clear the line, so that a message can be written. progress may be NULL. */
void progress_hide(struct progress *progress);
void progress_end(struct progress *progress);
/* Clear the line, if one is shown; for a handler that ends the program. */
void progress_clear(void);

#endif
