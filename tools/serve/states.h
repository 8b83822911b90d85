/* states: how the states of a collection are made of each other, and how long files last.
 */
#ifndef SERVE_STATES_H
#define SERVE_STATES_H

#include "serve/blocks.h"

/* Files by their paths. Shared by states with the same files at the same indices. */
struct served_names {
    atomic_uint holder_count;
    uint64_t slot_count; /* a power of two */
    struct names_slot {
        uint32_t hash, index; /* UINT32_MAX: free */
    } * slots;
};

/* A state of these files, in blocks of the state before and one more; takes `files` over on
 * success. previous: the state before it, NULL: none;
 * `kept` has a byte for each of its files: whether it is among the new ones. NULL: out of memory,
 * and nothing was done. */
struct state *state_make(struct shelf *shelf, struct served_file **files, uint32_t file_count,
                         struct state *previous, const uint8_t *kept, uint64_t number);
/* The same with what the batch made in the place of files before. Takes the made files over on
 * success; `names` stays. */
struct state *state_change(struct state *previous, const struct file_batch *batch, uint64_t number);
void state_hold(struct state *state);
/* Drop the last state, which nobody else holds, with its files. */
void state_end(struct state *state);

/* UINT32_MAX: there is none. */
uint32_t state_find(const struct state *state, const char *path);

#endif
