/* states: makes the states of a collection (its entries at one time), each from the state before,
 * and frees states and files. A batch is the set of changes from one state to the next. */
#ifndef SERVE_STATES_H
#define SERVE_STATES_H

#include "serve/blocks.h"

/* Returns a copy of the collection's newest state (shelf->newest), which the caller may change; an
 * empty state if there is no state yet. Other threads do not see the copy before state_publish.
 * Returns NULL if out of memory. */
struct state *state_begin(struct shelf *shelf);
/* Adds an entry and returns the entry's index; UINT32_MAX if out of memory. */
uint32_t state_add(struct state *state, struct served_file *file);
/* Sorts the state's indices by path, if the batch adds or removes entries. Must be called after the
 * last state_add. Cost: a few nanoseconds for each entry. Returns false if out of memory. */
bool state_order(struct state *state, const struct file_batch *batch);
/* Replaces the entries that the batch changes with the batch's new entries, which the state then
 * owns, and makes the state the newest of the collection. */
void state_publish(struct state *state, struct file_batch *batch);
/* Frees a state that was not published. */
void state_abandon(struct state *state);

/* Merges blocks: adds copies of their files to the batch, whose block then replaces these blocks.
 * Takes the shortest blocks first, as long as a block has at most about twice the bytes taken so
 * far, those of the batch included. Also takes blocks of which more than half is no longer used.
 * Takes no block with which the batch would exceed bytes_max. Returns false if out of memory. */
bool state_merge(const struct state *state, uint64_t bytes_max, struct file_batch *batch);

void state_hold(struct state *state);
/* Frees the collection's last state and its files. Nobody else may use that state. */
void state_end(struct state *state);

/* Returns the index of the entry with this path; UINT32_MAX if the state lacks the path. */
uint32_t state_find(const struct state *state, const char *path);

/* Compares two paths name by name, as --sort=path orders files. */
int compare_paths(const char *left, const char *right);

#endif
