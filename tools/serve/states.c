/* states: how the states of a collection are made of each other, and how long files last. */
#include "serve/states.h"

#include <stdlib.h>

/* Ranges of a block, shared by states in which the block has the same files. */
struct ranges {
    atomic_size_t holder_count;
    struct tape_range first[];
};

/* ---- Names ----------------------------------------------------------------------------------- */

static uint32_t hash_path(const char *path)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (; *path != '\0'; path++)
        hash = (hash ^ (uint8_t)*path) * UINT64_C(0x100000001b3);
    return (uint32_t)(hash ^ hash >> 32);
}

static struct served_names *make_names(struct served_file **files, uint32_t count)
{
    struct served_names *names = malloc(sizeof *names);

    if (names == NULL)
        return NULL;
    atomic_init(&names->holder_count, 1);
    names->slot_count = 16;
    while (names->slot_count < 2 * (uint64_t)count)
        names->slot_count *= 2;
    names->slots = malloc(names->slot_count * sizeof *names->slots);
    if (names->slots == NULL) {
        free(names);
        return NULL;
    }
    memset(names->slots, 0xff, names->slot_count * sizeof *names->slots);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t hash = hash_path(files[i]->path);
        uint64_t at = hash & (names->slot_count - 1);

        while (names->slots[at].index != UINT32_MAX)
            at = (at + 1) & (names->slot_count - 1);
        names->slots[at] = (struct names_slot){hash, i};
    }
    return names;
}

static void drop_names(struct served_names *names)
{
    if (atomic_fetch_sub_explicit(&names->holder_count, 1, memory_order_acq_rel) != 1)
        return;
    free(names->slots);
    free(names);
}

uint32_t state_find(const struct state *state, const char *path)
{
    const struct served_names *names = state->table;
    uint32_t hash = hash_path(path);

    for (uint64_t at = hash & (names->slot_count - 1);; at = (at + 1) & (names->slot_count - 1)) {
        const struct names_slot *slot = &names->slots[at];

        if (slot->index == UINT32_MAX)
            return UINT32_MAX;
        if (slot->hash == hash && strcmp(state->files[slot->index]->path, path) == 0)
            return slot->index;
    }
}

/* ---- Tapes ----------------------------------------------------------------------------------- */

static int compare_ranges(const void *left, const void *right)
{
    const struct tape_range *one = left, *other = right;

    return one->begin < other->begin ? -1 : one->begin > other->begin;
}

static struct tape_range *make_ranges(uint64_t count)
{
    struct ranges *ranges = malloc(sizeof *ranges + count * sizeof *ranges->first);

    if (ranges == NULL)
        return NULL;
    atomic_init(&ranges->holder_count, 1);
    return ranges->first;
}

static struct ranges *ranges_of(const struct tape_block *tape)
{
    return (struct ranges *)(void *)((char *)tape->ranges - offsetof(struct ranges, first));
}

static void add_range(struct tape_block *tape, const struct served_file *file, uint32_t index)
{
    uint64_t end = file->block_begin + file->held.bytes_count;

    tape->ranges[tape->range_count++] = (struct tape_range){file->block_begin, end, index};
    tape->live_bytes += end - file->block_begin + 1;
}

/* One more, or (UINT32_MAX) one less. */
static void count_file(struct state *state, const struct served_file *file, uint32_t one)
{
    uint64_t bytes = (uint64_t)file->held.status.st_size;

    state->bytes_count += one == 1 ? bytes : -bytes;
    state->unheld_count += file->block == NULL ? one : 0;
    state->unplain_count += file->block != NULL && !file->is_plain ? one : 0;
}

static void sort_tape(struct state *state)
{
    for (uint32_t i = 1; i < state->block_count; i++) {
        struct tape_block tape = state->blocks[i];
        uint32_t at = i;

        for (; at > 0 && state->blocks[at - 1].live_bytes < tape.live_bytes; at--)
            state->blocks[at] = state->blocks[at - 1];
        state->blocks[at] = tape;
    }
}

void state_hold(struct state *state)
{
    atomic_fetch_add_explicit(&state->holder_count, 1, memory_order_relaxed);
}

static void free_state(struct state *state)
{
    for (uint32_t i = 0; state->blocks != NULL && i < state->block_count; i++)
        if (state->blocks[i].ranges != NULL &&
            atomic_fetch_sub_explicit(&ranges_of(&state->blocks[i])->holder_count, 1,
                                      memory_order_acq_rel) == 1)
            free(ranges_of(&state->blocks[i]));
    state_sample_free(atomic_load(&state->sample));
    free(state->blocks);
    free(state->files);
    if (state->table != NULL)
        drop_names(state->table);
    free(state);
}

static void free_gone(struct served_file *gone, struct shelf *shelf)
{
    while (gone != NULL) {
        struct served_file *next = gone->next_gone;

        served_file_free(gone, shelf);
        gone = next;
    }
}

/* Of the files that are gone since, the state before may still have some; the others have no holder
 * any more. */
void state_drop(struct state *state)
{
    struct served_file *file, *next, *free_now = NULL;
    struct state *older;

    if (state == NULL ||
        atomic_fetch_sub_explicit(&state->holder_count, 1, memory_order_acq_rel) != 1)
        return;
    pthread_mutex_lock(&state->shelf->states_lock);
    older = state->older;
    if (older != NULL)
        older->newer = state->newer;
    if (state->newer != NULL)
        state->newer->older = older;
    else
        state->shelf->newest = older;
    for (file = state->gone; file != NULL; file = next) {
        bool is_older = older != NULL && file->born <= older->number;
        struct served_file **list = is_older ? &older->gone : &free_now;

        next = file->next_gone;
        file->next_gone = *list;
        *list = file;
    }
    pthread_mutex_unlock(&state->shelf->states_lock);
    free_gone(free_now, state->shelf);
    free_state(state);
}

static struct state *begin_state(struct shelf *shelf, uint32_t file_count, uint32_t blocks_max,
                                 uint64_t number)
{
    struct state *state = calloc(1, sizeof *state);

    if (state == NULL)
        return NULL;
    atomic_init(&state->holder_count, 1);
    state->file_count = file_count;
    state->number = number;
    state->shelf = shelf;
    state->blocks = calloc(blocks_max > 0 ? blocks_max : 1, sizeof *state->blocks);
    if (state->blocks != NULL)
        return state;
    free_state(state);
    return NULL;
}

static void add_gone(struct state *state, struct served_file *file)
{
    file->next_gone = state->gone;
    state->gone = file;
}

/* Put the new state behind the others. */
static void link_state(struct state *state)
{
    state->older = state->shelf->newest;
    if (state->older != NULL)
        state->older->newer = state;
    state->shelf->newest = state;
}

/* ---- All files anew -------------------------------------------------------------------------- */

/* The block's place in the tape; a new one at the end. */
static struct tape_block *tape_of(struct state *state, struct served_block *block)
{
    uint32_t at = block->tape_at;

    if (at < state->block_count && state->blocks[at].block == block)
        return &state->blocks[at];
    block->tape_at = state->block_count;
    state->blocks[state->block_count].block = block;
    return &state->blocks[state->block_count++];
}

/* Ranges of all blocks: how many, then which. */
static bool fill_tape(struct state *state)
{
    for (uint32_t i = 0; i < state->file_count; i++)
        if (state->files[i]->block != NULL)
            tape_of(state, state->files[i]->block)->range_count++;
    for (uint32_t i = 0; i < state->block_count; i++) {
        state->blocks[i].ranges = make_ranges(state->blocks[i].range_count);
        state->blocks[i].range_count = 0;
        if (state->blocks[i].ranges == NULL)
            return false;
    }
    for (uint32_t i = 0; i < state->file_count; i++) {
        const struct served_file *file = state->files[i];

        count_file(state, file, 1);
        if (file->block != NULL)
            add_range(tape_of(state, file->block), file, i);
    }
    for (uint32_t i = 0; i < state->block_count; i++)
        for (uint64_t r = 1; r < state->blocks[i].range_count; r++)
            if (state->blocks[i].ranges[r].begin < state->blocks[i].ranges[r - 1].begin) {
                qsort(state->blocks[i].ranges, state->blocks[i].range_count,
                      sizeof *state->blocks[i].ranges, compare_ranges);
                break;
            }
    sort_tape(state);
    return true;
}

struct state *state_make(struct shelf *shelf, struct served_file **files, uint32_t file_count,
                         struct state *previous, const uint8_t *kept, uint64_t number)
{
    uint32_t blocks_max = (previous != NULL ? previous->block_count : 0) + 1;
    struct state *state = begin_state(shelf, file_count, blocks_max, number);

    if (state == NULL)
        return NULL;
    state->files = files;
    if (!fill_tape(state) || (state->table = make_names(files, file_count)) == NULL) {
        state->files = NULL;
        free_state(state);
        return NULL;
    }
    for (uint32_t i = 0; i < file_count; i++)
        if (files[i]->born == 0)
            files[i]->born = number;
    pthread_mutex_lock(&shelf->states_lock);
    for (uint32_t i = 0; previous != NULL && i < previous->file_count; i++)
        if (!kept[i])
            add_gone(previous, previous->files[i]);
    link_state(state);
    pthread_mutex_unlock(&shelf->states_lock);
    return state;
}

/* ---- Some files anew ------------------------------------------------------------------------- */

/* The ranges of a block whose files are still there. */
static bool copy_tape(struct state *state, const struct state *previous,
                      const struct tape_block *before)
{
    struct tape_block *tape = &state->blocks[state->block_count];
    uint64_t count = 0;

    for (uint64_t i = 0; i < before->range_count; i++) {
        uint32_t file = before->ranges[i].file;

        count += state->files[file] == previous->files[file];
    }
    if (count == 0)
        return true;
    *tape = *before;
    if (count < before->range_count) {
        tape->ranges = make_ranges(count);
        if (tape->ranges == NULL)
            return false;
        tape->range_count = tape->live_bytes = 0;
        for (uint64_t i = 0; i < before->range_count; i++) {
            const struct tape_range *range = &before->ranges[i];

            if (state->files[range->file] != previous->files[range->file])
                continue;
            tape->ranges[tape->range_count++] = *range;
            tape->live_bytes += range->end - range->begin + 1;
        }
    } else {
        atomic_fetch_add_explicit(&ranges_of(tape)->holder_count, 1, memory_order_relaxed);
    }
    state->block_count++;
    return true;
}

static bool change_tape(struct state *state, const struct state *previous,
                        const struct file_batch *batch)
{
    struct tape_block *tape;
    uint64_t count = 0;

    for (uint32_t i = 0; i < previous->block_count; i++)
        if (!copy_tape(state, previous, &previous->blocks[i]))
            return false;
    for (size_t i = 0; i < batch->count; i++)
        count += batch->items[i].made != NULL && batch->items[i].made->block != NULL;
    if (count > 0) {
        tape = &state->blocks[state->block_count];
        tape->ranges = make_ranges(count);
        if (tape->ranges == NULL)
            return false;
        tape->block = batch->block;
        state->block_count++;
        for (size_t i = 0; i < batch->count; i++)
            if (batch->items[i].made != NULL && batch->items[i].made->block != NULL)
                add_range(tape, batch->items[i].made, batch->items[i].index);
    }
    sort_tape(state);
    return true;
}

struct state *state_change(struct state *previous, const struct file_batch *batch, uint64_t number)
{
    uint32_t count = previous->file_count;
    struct state *state = begin_state(previous->shelf, count, previous->block_count + 1, number);

    if (state == NULL)
        return NULL;
    state->files = malloc((count + (size_t)1) * sizeof(struct served_file *));
    if (state->files == NULL) {
        free_state(state);
        return NULL;
    }
    memcpy(state->files, previous->files, count * sizeof(struct served_file *));
    state->bytes_count = previous->bytes_count;
    state->unheld_count = previous->unheld_count;
    state->unplain_count = previous->unplain_count;
    for (size_t i = 0; i < batch->count; i++) {
        struct served_file *made = batch->items[i].made;

        if (made == NULL)
            continue;
        count_file(state, state->files[batch->items[i].index], UINT32_MAX);
        count_file(state, made, 1);
        state->files[batch->items[i].index] = made;
    }
    if (!change_tape(state, previous, batch)) {
        free_state(state);
        return NULL;
    }
    state->table = previous->table;
    atomic_fetch_add_explicit(&state->table->holder_count, 1, memory_order_relaxed);
    state->names = previous->names;
    pthread_mutex_lock(&state->shelf->states_lock);
    for (size_t i = 0; i < batch->count; i++)
        if (batch->items[i].made != NULL) {
            batch->items[i].made->born = number;
            add_gone(previous, previous->files[batch->items[i].index]);
        }
    link_state(state);
    pthread_mutex_unlock(&state->shelf->states_lock);
    return state;
}

void state_end(struct state *state)
{
    free_gone(state->gone, state->shelf);
    for (uint32_t i = 0; i < state->file_count; i++)
        served_file_free(state->files[i], state->shelf);
    state->gone = NULL;
    state_drop(state);
}
