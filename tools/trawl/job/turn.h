/* turn: how a job's output comes in the order of the files, if several workers search. A worker
 * that is not at its turn keeps messages and separators until its turn comes (run/pool_turns.c). */
#ifndef TRAWL_TURN_H
#define TRAWL_TURN_H

#include <stdbool.h>
#include <stddef.h>

struct pool_worker;

/* Prints a message on standard error in the order of the output. */
void pool_say(struct pool_worker *worker, const char *text);
/* Returns false if no separator of groups is printed here. True: the caller prints a separator, and
 * passes the separator's start to pool_mark_separator. The separator is dropped later if it turns
 * out not to be needed. */
bool pool_wants_separator(struct pool_worker *worker, size_t separator_bytes);
void pool_mark_separator(struct pool_worker *worker, size_t begin);
/* Called after kept output was cut: forgets the mark of a separator that was cut off. */
void pool_cut_back(struct pool_worker *worker);

#endif
