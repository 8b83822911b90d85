/* progress: shows at the terminal how far a long search is (option --progress).
 *
 * Who searches a text says so before and after. A thread adds up what is searched a few times a
 * second; the search itself counts nothing. */
#ifndef TRAWL_PROGRESS_H
#define TRAWL_PROGRESS_H

#include "trawl/job/command_job.h"

/* A text that is being searched; lies on the stack of who searches it. */
struct progress_text {
    struct progress_text *next, **link; /* link: what points to this text */
    const struct trawl_searcher *searcher;
};

/* Starts the thread if progress is to be shown. The operands, if all are regular files, say how
 * many bytes there are. */
void progress_open(const struct settings *settings, const struct value_item *operands,
                   size_t operand_count);
void progress_close(void);

/* The searcher, whose progress counts from now on, searches a text until progress_leave. */
void progress_enter(struct progress_text *text, const struct trawl_searcher *searcher);
/* The text is searched, and had so many bytes. */
void progress_leave(struct progress_text *text, uint64_t bytes);
/* Files were searched in another way. */
void progress_add(uint64_t files, uint64_t bytes);

#endif
