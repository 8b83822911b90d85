/* states: makes the states of a collection (its entries at one time), each from the state before,
 * and frees states. A batch is the set of changes from one state to the next. */
#include "serve/states.h"

#include <stdlib.h>
#include <string.h>

#include "trawl/text/grow.h"

/* Live bytes of a block are those of files that the state has. state_merge takes a block if it has
 * at most 2 × (live bytes taken so far + BLOCK_BYTES_SMALL) live bytes. This does not limit the
 * first block and blocks that are more than half unused. */
#define BLOCK_BYTES_SMALL (UINT64_C(64) << 10)

/* A hash table with open addressing, from paths to the indices of entries. Several states share a
 * table, even while the next state adds names. Names are never removed: the name of a removed file
 * leads to an index without a file, or with a file that has a different path. */
struct served_names {
    atomic_uint holder_count;
    uint64_t entry_count, used_count; /* entry_count is a power of two */
    _Atomic uint64_t entries[];       /* path's hash << 32 | (index + 1); 0: free */
};

static uint32_t hash_path(const char *path)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (; *path != '\0'; path++)
        hash = (hash ^ (uint8_t)*path) * UINT64_C(0x100000001b3);
    return (uint32_t)(hash ^ hash >> 32);
}

static struct served_names *names_new(uint64_t file_count)
{
    uint64_t entry_count = 64;
    struct served_names *names;

    while (entry_count < 4 * file_count)
        entry_count *= 2;
    names = calloc(1, sizeof *names + entry_count * sizeof *names->entries);
    if (names == NULL)
        return NULL;
    atomic_init(&names->holder_count, 1);
    names->entry_count = entry_count;
    return names;
}

static void drop_names(struct served_names *names)
{
    if (names != NULL &&
        atomic_fetch_sub_explicit(&names->holder_count, 1, memory_order_acq_rel) == 1)
        free(names);
}

static void add_name(struct served_names *names, const char *path, uint32_t index)
{
    uint32_t hash = hash_path(path);
    uint64_t at = hash & (names->entry_count - 1);

    while (atomic_load_explicit(&names->entries[at], memory_order_relaxed) != 0)
        at = (at + 1) & (names->entry_count - 1);
    atomic_store_explicit(&names->entries[at], (uint64_t)hash << 32 | (index + 1),
                          memory_order_relaxed);
    names->used_count++;
}

/* Makes room for another name. If half of the table is used, makes a new table with the names of
 * the state's files, at most a quarter full. Returns false if out of memory. */
static bool make_room(struct state *state)
{
    struct served_names *names = state->table;

    if (names != NULL && names->used_count < names->entry_count / 2)
        return true;
    names = names_new(state->index_count);
    if (names == NULL)
        return false;
    for (uint32_t i = 0; i < state->index_count; i++)
        if (state->files[i] != NULL)
            add_name(names, state->files[i]->path, i);
    drop_names(state->table);
    state->table = names;
    return true;
}

uint32_t state_find(const struct state *state, const char *path)
{
    const struct served_names *names = state->table;
    uint32_t hash = hash_path(path);

    if (names == NULL)
        return UINT32_MAX;
    for (uint64_t at = hash;; at++) {
        uint64_t entry = atomic_load_explicit(&names->entries[at & (names->entry_count - 1)],
                                              memory_order_relaxed);
        uint32_t index = (uint32_t)entry - 1;

        if (entry == 0)
            return UINT32_MAX;
        if (entry >> 32 == hash && index < state->index_count && state->files[index] != NULL &&
            strcmp(state->files[index]->path, path) == 0)
            return index;
    }
}

int compare_paths(const char *left, const char *right)
{
    while (*left == *right && *left != '\0') {
        left++;
        right++;
    }
    if (*left == '\0' || *right == '\0')
        return (*left != '\0') - (*right != '\0');
    if (*left == '/' || *right == '/') /* a name that ends here comes first */
        return *left == '/' ? -1 : 1;
    return (unsigned char)*left < (unsigned char)*right ? -1 : 1;
}

static void drop_order(struct served_order *order)
{
    if (order != NULL &&
        atomic_fetch_sub_explicit(&order->holder_count, 1, memory_order_acq_rel) == 1)
        free(order);
}

static int by_path(const void *left, const void *right, void *files)
{
    struct served_file *const *all = files;

    return compare_paths(all[*(const uint32_t *)left]->path, all[*(const uint32_t *)right]->path);
}

/* Returns the half of the order with the entry: 0 files, 1 other entries, 2 if no half has it. */
static unsigned half_of(const struct state *state, uint32_t index)
{
    const struct served_file *file =
        state != NULL && index < state->index_count ? state->files[index] : NULL;

    return file == NULL ? 2 : file->kind != ENTRY_FILE;
}

/* Collects the batch's indices whose entries are now in this half of the order (half_of) but were
 * not in the previous state, sorted by path. Returns their number. */
static size_t find_added(const struct state *state, const struct file_batch *batch, unsigned half,
                         uint32_t *added)
{
    bool is_sorted = true; /* this is the common case, because walks list files by path */
    size_t count = 0;

    for (size_t i = 0; i < batch->count; i++) {
        uint32_t index = batch->items[i].index;

        if (half_of(state, index) != half || half_of(state->shelf->newest, index) == half)
            continue;
        added[count++] = index;
        is_sorted = is_sorted &&
                    (count == 1 || by_path(&added[count - 2], &added[count - 1], state->files) < 0);
    }
    if (!is_sorted)
        qsort_r(added, count, sizeof *added, by_path, state->files);
    return count;
}

/* Returns true if the batch changes more than the contents of files: it adds or removes an entry,
 * or has an entry that is not a file. */
static bool changes_order(const struct state *state, const struct file_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        unsigned half = half_of(state, batch->items[i].index);

        if (half == 1 || half_of(state->shelf->newest, batch->items[i].index) != half)
            return true;
    }
    return false;
}

bool state_order(struct state *state, const struct file_batch *batch)
{
    struct served_order *before = state->order, *order;
    const uint32_t *old = before != NULL ? before->items : NULL;
    size_t room = before != NULL ? before->counts[0] + (size_t)before->counts[1] : 0;
    uint32_t *added, *to;

    if (!changes_order(state, batch))
        return true;
    order = malloc(sizeof *order + (room + batch->count) * sizeof *old);
    added = malloc((batch->count + 1) * sizeof *added);
    if (order == NULL || added == NULL) {
        free(order);
        free(added);
        return false;
    }
    *order = (struct served_order){.reported_count = 0};
    atomic_init(&order->holder_count, 1);
    to = order->items;
    for (unsigned half = 0; half < 2; half++) {
        size_t count = find_added(state, batch, half, added), at = 0;
        const uint32_t *end = before != NULL ? old + before->counts[half] : NULL;
        uint32_t *begin = to;

        while (old < end || at < count) {
            bool is_old =
                at == count || (old < end && (half_of(state, *old) != half ||
                                              by_path(old, &added[at], state->files) < 0));
            uint32_t index = is_old ? *old++ : added[at++];

            if (half_of(state, index) == half)
                *to++ = index;
        }
        order->counts[half] = (uint32_t)(to - begin);
    }
    for (uint32_t i = 0; i < order->counts[1]; i++) {
        const struct served_file *other = state->files[order->items[order->counts[0] + i]];

        order->reported_count += other->kind == ENTRY_LEFT || other->os_code != 0;
    }
    free(added);
    drop_order(before);
    state->order = order;
    return true;
}

void state_hold(struct state *state)
{
    atomic_fetch_add_explicit(&state->holder_count, 1, memory_order_relaxed);
}

void state_abandon(struct state *state)
{
    if (state == NULL)
        return;
    free(state->blocks);
    free(state->files);
    drop_names(state->table);
    drop_order(state->order);
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

/* Drops a reference to a state; the last call frees the state. Each file in state->gone (files that
 * the next state lacks) moves to the list `gone` of the next older state if that state has the
 * file; otherwise the file is freed. */
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
    state_abandon(state);
}

void state_end(struct state *state)
{
    free_gone(state->gone, state->shelf);
    for (uint32_t i = 0; i < state->index_count; i++)
        served_file_free(state->files[i], state->shelf);
    state->gone = NULL;
    state_drop(state);
}

struct state *state_begin(struct shelf *shelf)
{
    const struct state *before = shelf->newest;
    uint32_t index_count = before != NULL ? before->index_count : 0;
    uint32_t block_count = before != NULL ? before->block_count : 0;
    struct state *state = calloc(1, sizeof *state);

    if (state == NULL)
        return NULL;
    if (before != NULL)
        *state = (struct state){.index_count = index_count,
                                .file_count = before->file_count,
                                .bytes_count = before->bytes_count,
                                .block_count = block_count,
                                .unheld_count = before->unheld_count,
                                .unplain_count = before->unplain_count};
    state->number = before != NULL ? before->number + 1 : 1;
    state->shelf = shelf;
    atomic_init(&state->holder_count, 1);
    state->room = index_count + (size_t)1;
    state->files = malloc(state->room * sizeof(struct served_file *));
    state->blocks = malloc((block_count + (size_t)1) * sizeof *state->blocks);
    if (state->files == NULL || state->blocks == NULL) {
        state_abandon(state);
        return NULL;
    }
    if (before == NULL)
        return state;
    memcpy(state->files, before->files, index_count * sizeof(struct served_file *));
    memcpy(state->blocks, before->blocks, block_count * sizeof *state->blocks);
    state->table = before->table;
    if (state->table != NULL)
        atomic_fetch_add_explicit(&state->table->holder_count, 1, memory_order_relaxed);
    state->order = before->order;
    if (state->order != NULL)
        atomic_fetch_add_explicit(&state->order->holder_count, 1, memory_order_relaxed);
    return state;
}

/* Returns an index that is free in this and the previous state, so that no two changes share one.
 */
static uint32_t free_index(struct state *state)
{
    const struct state *before = state->shelf->newest;

    for (; before != NULL && state->free_from < before->index_count; state->free_from++)
        if (before->files[state->free_from] == NULL && state->files[state->free_from] == NULL)
            return state->free_from;
    return state->index_count;
}

uint32_t state_add(struct state *state, struct served_file *file)
{
    uint32_t index = free_index(state);

    if (!GROW(state->files, state->room, 1024, index + (size_t)1) || index == UINT32_MAX - 1 ||
        !make_room(state))
        return UINT32_MAX;
    state->files[index] = file;
    state->index_count += index == state->index_count;
    add_name(state->table, file->path, index);
    return index;
}

/* Adds a file to the state's sums if `one` is 1; subtracts the file if `one` is UINT32_MAX, which
 * stands for -1. */
static void count_file(struct state *state, const struct served_file *file, uint32_t one)
{
    uint64_t bytes = (uint64_t)file->supplied.status.st_size, live = file->supplied.bytes_count + 1;
    uint32_t at = 0;

    if (file->kind != ENTRY_FILE)
        return;
    state->file_count += one;
    state->bytes_count += one == 1 ? bytes : -bytes;
    if (file->block == NULL) {
        state->unheld_count += one;
        return;
    }
    state->unplain_count += file->is_plain ? 0 : one;
    while (at < state->block_count && state->blocks[at].block != file->block)
        at++;
    if (at == state->block_count)
        state->blocks[state->block_count++] = (struct tape_block){file->block, 0, 0};
    state->blocks[at].file_count += one == 1 ? 1 : UINT64_MAX;
    state->blocks[at].live_bytes += one == 1 ? live : -live;
}

/* Drops blocks without files of the state; sorts the others by live bytes, the largest first. */
static void sort_blocks(struct state *state)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < state->block_count; i++) {
        struct tape_block tape = state->blocks[i];
        uint32_t at = count;

        if (tape.file_count == 0)
            continue;
        for (; at > 0 && state->blocks[at - 1].live_bytes < tape.live_bytes; at--)
            state->blocks[at] = state->blocks[at - 1];
        state->blocks[at] = tape;
        count++;
    }
    state->block_count = count;
}

void state_publish(struct state *state, struct file_batch *batch)
{
    struct shelf *shelf = state->shelf;
    struct state *before = shelf->newest;

    pthread_mutex_lock(&shelf->states_lock);
    for (size_t i = 0; i < batch->count; i++) {
        struct batch_item *item = &batch->items[i];
        struct served_file *file =
            before != NULL && item->index < before->index_count ? before->files[item->index] : NULL;

        if (file != NULL) {
            count_file(state, file, UINT32_MAX);
            file->next_gone = before->gone;
            before->gone = file;
        }
        state->files[item->index] = item->made;
        if (item->made != NULL) {
            item->made->born = state->number;
            count_file(state, item->made, 1);
        }
        item->made = NULL;
    }
    sort_blocks(state);
    state->older = before;
    if (before != NULL)
        before->newer = state;
    shelf->newest = state;
    pthread_mutex_unlock(&shelf->states_lock);
}

/* Adds to the batch a copy of each file of a state's block. Returns false if out of memory. */
static bool copy_block(const struct state *state, uint32_t at, struct file_batch *batch)
{
    const struct served_block *block = state->blocks[at].block;

    for (uint64_t i = 0; i < block->range_count; i++) {
        const struct served_file *file = state_file_at(state, block, &block->ranges[i]);

        if (file != NULL && !batch_copy(batch, block->ranges[i].file, file))
            return false;
    }
    return true;
}

bool state_merge(const struct state *state, uint64_t bytes_max, struct file_batch *batch)
{
    uint64_t sum = batch->bytes_count;
    uint32_t first = state->block_count;
    bool good = true;

    for (; first > 0; first--) {
        uint64_t live = state->blocks[first - 1].live_bytes;

        if ((sum > 0 && live / 2 > sum + BLOCK_BYTES_SMALL) || sum + live > bytes_max)
            break;
        sum += live;
    }
    if (first + 1 == state->block_count && batch->bytes_count == 0)
        first++; /* merging a single block would change nothing */
    for (uint32_t i = 0; i < state->block_count && good; i++) {
        uint64_t live = state->blocks[i].live_bytes;
        bool is_sparse = live < state->blocks[i].block->bytes_count / 2 && sum + live <= bytes_max;

        if (i >= first || is_sparse)
            good = copy_block(state, i, batch);
        sum += i < first && is_sparse ? live : 0;
    }
    return good;
}
