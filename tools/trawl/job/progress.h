/* progress: shows at the terminal how far a long search is (option --progress).
 *
 * A thread that searches a text registers it before and removes it after. A few times a second,
 * another thread adds up what has been searched; the search itself counts nothing. */
#ifndef TRAWL_PROGRESS_H
#define TRAWL_PROGRESS_H

#include "trawl/job/command_job.h"

/* A text that is being searched, on the stack of the thread that searches it. */
struct progress_entry {
    struct progress_entry *next, **link; /* link: what points to this text */
    const struct trawl_searcher *searcher;
};

/* Starts the thread if standard error is a terminal; at_terminal: standard output, too. The
 * operands say how many bytes there are, if all are regular files; may_know_total is false if texts
 * have more or fewer bytes than files. */
void progress_open(bool may_know_total, bool at_terminal, const struct value_item *operands,
                   size_t operand_count);
void progress_close(void);

/* The display includes the searcher's progress until progress_leave is called. */
void progress_enter(struct progress_entry *text, const struct trawl_searcher *searcher);
/* Called after the text was searched; `bytes` is its length. */
void progress_leave(struct progress_entry *text, uint64_t bytes);
/* Called after files were searched without progress_enter and progress_leave. */
void progress_add(uint64_t files, uint64_t bytes);

#endif
