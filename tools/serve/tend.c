/* tend: the thread of a collection. It makes a new state (list of files) after change notices if no
 * search does, loads files that are not in memory yet, and merges small blocks. A block contains
 * the bytes of many files; a batch is a set of files that go into a new block. */
#include <poll.h>
#include <unistd.h>

#include "serve/inside.h"
#include "trawl/text/command_clock.h"

/* Limit for the bytes of a block of several files: the larger of BLOCK_BYTES_MIN and a
 * BLOCKS_FULL-th of all files' bytes. */
#define BLOCK_BYTES_MIN (UINT64_C(1) << 30)
#define BLOCKS_FULL 4u
/* The thread waits at least this long after a notice, because more notices may follow. */
#define PAUSE_NS (SECOND_NS / 50)

uint64_t quiet_ns = 10 * SECOND_NS;

static uint64_t block_bytes_max(const struct state *state)
{
    uint64_t part = state->bytes_count / BLOCKS_FULL;

    return part > BLOCK_BYTES_MIN ? part : BLOCK_BYTES_MIN;
}

/* Returns true if a file may be loaded now. A large file must have been unchanged for quiet_ns:
 * otherwise a file that keeps growing would be reread endlessly. */
static bool is_quiet(const struct stat *status)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)status->st_size <= refresh_bytes ||
           (uint64_t)(now.tv_sec - status->st_mtim.tv_sec) * SECOND_NS > quiet_ns;
}

/* Fills the batch with files that are in no block yet, up to the size of a block. Skips files that
 * were refused, that do not fit, or that changed a moment ago. Returns false if no file was added,
 * or if out of memory. */
static bool plan_load(struct collection *collection, const struct state *state,
                      struct file_batch *batch)
{
    uint64_t room = shelf_room(&collection->shelf), max = block_bytes_max(state);

    collection->waits_for_quiet = false;
    for (uint32_t i = 0; state->unheld_count > 0 && i < state->index_count; i++) {
        const struct served_file *file = state->files[i];

        if (file == NULL || file->kind != ENTRY_FILE || file->block != NULL || file->refused ||
            !batch_fits(batch, &file->supplied.status, room))
            continue;
        if (batch->count > 0 && !batch_fits(batch, &file->supplied.status, max))
            break;
        if (!is_quiet(&file->supplied.status)) {
            collection->waits_for_quiet = true;
            continue;
        }
        if (batch_make(batch, i, file->path, &file->supplied.status, true) == NULL)
            return false;
    }
    return batch->count > 0;
}

/* Makes the next state from the batch, which was filled with files of `state`. Skips files that
 * have changed since. Returns false if out of memory. */
static bool take_over(struct collection *collection, const struct state *state,
                      struct file_batch *batch)
{
    struct state *next;
    size_t count = 0;

    pthread_mutex_lock(&collection->refresh);
    next = state_begin(&collection->shelf);
    for (size_t i = 0; next != NULL && i < batch->count; i++) {
        const struct batch_item item = batch->items[i];

        if (next->files[item.index] == state->files[item.index])
            batch->items[count++] = item;
        else
            served_file_free(item.made, batch->shelf);
    }
    if (next != NULL) {
        batch->count = count;
        collection_publish(collection, next, batch);
    }
    pthread_mutex_unlock(&collection->refresh);
    return next != NULL;
}

/* Returns the newest state without reading notices; NULL if there is no state yet. The caller
 * releases the state with state_drop. */
static struct state *newest_state(struct collection *collection)
{
    struct state *state;

    pthread_mutex_lock(&collection->lock);
    state = collection->state;
    if (state != NULL)
        state_hold(state);
    pthread_mutex_unlock(&collection->lock);
    return state;
}

/* Loads some files, or merges some blocks. Returns false if there is no work, or if out of memory.
 */
static bool load_or_merge(struct collection *collection)
{
    struct file_batch batch = {.shelf = &collection->shelf};
    struct state *state = newest_state(collection);
    bool good;

    if (state == NULL)
        return false;
    good = plan_load(collection, state, &batch);
    if (!good) {
        batch_close(&batch);
        batch = (struct file_batch){.shelf = &collection->shelf};
        good = state_merge(state, block_bytes_max(state), &batch) && batch.count > 0;
    }
    good = good && batch_fill(&batch) && take_over(collection, state, &batch);
    batch_close(&batch);
    state_drop(state);
    return good;
}

/* Waits for notices or a wake-up; if a large file is still changing, at most a second. Sets
 * *noticed to true if a new state is needed, and otherwise to false. */
static void wait_for_notices(struct collection *collection, bool *noticed)
{
    struct pollfd waits[2] = {{collection->wake, POLLIN, 0}, {-1, POLLIN, 0}};
    uint64_t ignored;

    pthread_mutex_lock(&collection->refresh);
    if (collection->watches != NULL)
        waits[1].fd = watches_descriptor(collection->watches);
    pthread_mutex_unlock(&collection->refresh);
    (void)poll(waits, 2, collection->waits_for_quiet ? 1000 : -1);
    if (waits[0].revents != 0)
        (void)!read(collection->wake, &ignored, sizeof ignored);
    pthread_mutex_lock(&collection->refresh);
    *noticed = waits[1].revents != 0 || collection->anew;
    pthread_mutex_unlock(&collection->refresh);
}

/* Sleeps after a notice, because more notices may follow; searches that come meanwhile make a new
 * state themselves. Sleeps 4 times as long as the last refresh took, at least PAUSE_NS and at most
 * a second: so refreshes of up to 250 ms use at most a fifth of a core. */
static void pause_for_more(struct collection *collection)
{
    const struct timespec pause = {0, (long)PAUSE_NS};
    uint64_t ns;

    pthread_mutex_lock(&collection->refresh);
    ns = 4 * collection->refresh_ns;
    pthread_mutex_unlock(&collection->refresh);
    ns = ns < PAUSE_NS ? PAUSE_NS : ns > SECOND_NS ? SECOND_NS : ns;
    for (uint64_t slept = 0; slept < ns && !atomic_load(&collection->is_ending); slept += PAUSE_NS)
        (void)nanosleep(&pause, NULL);
}

/* Ends the load, unless a reload was requested since the last refresh. */
static void end_loading(struct collection *collection)
{
    pthread_mutex_lock(&collection->refresh);
    if (atomic_load(&collection->is_loading) && !collection->anew) {
        atomic_store(&collection->load_ns, now_ns() - atomic_load(&collection->begin_ns));
        atomic_store(&collection->is_loading, false);
    }
    pthread_mutex_unlock(&collection->refresh);
}

void *tend_collection(void *context)
{
    struct collection *collection = context;
    char message[SETTINGS_ERROR_BYTES];
    bool noticed = true;

    while (!atomic_load(&collection->is_ending)) {
        if (noticed)
            state_drop(collection_now(collection, message));
        while (!atomic_load(&collection->is_ending) && load_or_merge(collection))
            continue;
        end_loading(collection);
        wait_for_notices(collection, &noticed);
        if (noticed)
            pause_for_more(collection);
    }
    return NULL;
}
