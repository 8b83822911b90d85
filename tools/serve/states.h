/* states: how the states of a collection are made of each other, and how long files last.
 */
#ifndef SERVE_STATES_H
#define SERVE_STATES_H

#include "serve/blocks.h"

/* The next state, to be changed; so far it is as the newest of the shelf, or empty. It is nobody
 * else's until state_publish. NULL: out of memory. */
struct state *state_begin(struct shelf *shelf);
/* One more file, whose index is returned; UINT32_MAX: out of memory. */
uint32_t state_add(struct state *state, struct served_file *file);
/* Complete it by what the batch made, each at its index, in the place of what was there before.
 * Takes the made files over. */
void state_publish(struct state *state, struct file_batch *batch);
/* Instead of that. */
void state_abandon(struct state *state);

/* The smallest blocks come into the batch's, while they are not more than twice as long as what it
 * has, and all of which more than half is gone; none is to become longer than bytes_max. False: out
 * of memory. */
bool state_merge(const struct state *state, uint64_t bytes_max, struct file_batch *batch);

void state_hold(struct state *state);
/* Drop the last state, which nobody else holds, with its files. */
void state_end(struct state *state);

/* UINT32_MAX: there is none. */
uint32_t state_find(const struct state *state, const char *path);

#endif
