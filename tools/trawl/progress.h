/* progress: shows how far the search is, on standard error. */
#ifndef TRAWL_PROGRESS_H
#define TRAWL_PROGRESS_H

#include <stdbool.h>

#include "trawl.h"

struct progress;

/* Starts the display, in a thread; each line begins with `name`. always: show progress from the
 * beginning, even if standard error is no terminal; otherwise from the third second on. NULL: the
 * thread could not be started, so there is no display. Without a display the functions below do
 * nothing. */
struct progress *progress_begin(const char *name, bool always);

/* Sets the text that a searcher with all threads searches next; NULL: no text. The searcher must
 * stay open until the next call. */
void progress_file(const struct trawl_searcher *searcher, const struct trawl_text *text);
/* Sets how much was found in the current text. Before the first call the number is unknown and not
 * shown. */
void progress_found(uint64_t found);
/* Adds what was searched and found in texts other than the current text. */
void progress_add(uint64_t bytes, uint64_t found);

/* Clears the line, so that a message can be written. `progress` may be NULL. */
void progress_hide(struct progress *progress);
void progress_end(struct progress *progress);

#endif
