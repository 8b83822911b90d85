/* states: makes the states of a collection, each from the state before, and frees states and
 * files. */
#ifndef SERVE_STATES_H
#define SERVE_STATES_H

#include "serve/blocks.h"

/* Returns a copy of the shelf's newest state, or an empty state if there is none, for the caller to
 * change. No other thread sees the new state before state_publish. NULL: out of memory. */
struct state *state_begin(struct shelf *shelf);
/* Adds a file and returns its index; UINT32_MAX: out of memory. */
uint32_t state_add(struct state *state, struct served_file *file);
/* Puts the state's indices into the order of paths, if the batch changes which entries there are.
 * Call after the last state_add. Cost: some nanoseconds for each entry. False: out of memory. */
bool state_order(struct state *state, const struct file_batch *batch);
/* Replaces the files at the batch's indices by what the batch made, and makes the state the shelf's
 * newest. Takes ownership of the made files. */
void state_publish(struct state *state, struct file_batch *batch);
/* Frees a state that is not published. */
void state_abandon(struct state *state);

/* Adds copies of the smallest blocks' files to the batch: blocks that are not longer than about
 * twice the batch, and blocks of which more than half is gone. The batch's block does not become
 * longer than bytes_max. False: out of memory. */
bool state_merge(const struct state *state, uint64_t bytes_max, struct file_batch *batch);

void state_hold(struct state *state);
/* Frees the collection's last state and its files. The caller is the only holder. */
void state_end(struct state *state);

/* Returns the index of the entry with this path; UINT32_MAX: there is none. */
uint32_t state_find(const struct state *state, const char *path);

/* Compares two paths name by name, as --sort=path orders files. */
int compare_paths(const char *left, const char *right);

#endif
