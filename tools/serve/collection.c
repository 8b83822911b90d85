/* collection: opens, closes and describes a collection, a tree of files that is held in memory. */
#include "serve/collection.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "serve/inside.h"
#include "trawl/options/settings.h"
#include "trawl/text/groups.h"
#include "trawl/text/command_clock.h"
#include "trawl/text/message.h"

/* Finds the root: sets root, base and file. Returns false on failure; message says why. */
static bool find_root(struct collection *collection, char *message)
{
    const char *given = collection->options.root;
    struct stat status;
    char *slash;

    collection->root = realpath(given, NULL);
    if (collection->root == NULL || stat(collection->root, &status) != 0)
        return message_fail(message, "%s: %s", given, strerror(errno));
    if (!S_ISDIR(status.st_mode) && !S_ISREG(status.st_mode))
        return message_fail(message, "%s: neither a directory nor a regular file", given);
    collection->base = strdup(collection->root);
    slash = collection->base == NULL ? NULL : strrchr(collection->base, '/');
    if (S_ISREG(status.st_mode) && slash != NULL) {
        collection->file = strdup(slash + 1);
        slash[slash == collection->base] = '\0';
    }
    if (collection->base != NULL && (S_ISDIR(status.st_mode) || collection->file != NULL))
        return true;
    return message_exhausted(message);
}

/* Prepares to watch directories, and starts the collection's thread, which loads the files. Returns
 * false on failure; message says why. */
static bool begin(struct collection *collection, char *message)
{
    const struct collection_options *options = &collection->options;
    struct settings *walking = malloc(sizeof *walking);

    if (walking == NULL)
        return message_exhausted(message);
    collection->walking = walking;
    *walking = *options->settings;
    walking->files.directories = DIRECTORIES_RECURSE;
    walking->files.follow_links = false;
    walking->files.sort = SORT_PATH; /* state->order is sorted by path, too */
    walking->files.sort_backwards = false;
    walking->files.debug = false;
    collection->shelf.bytes_max =
        options->host_bytes_max > 0 ? options->host_bytes_max : groups_memory("") / 2;
    if (!find_root(collection, message))
        return false;
    if (options->watch)
        collection->watches = watches_open();
    collection->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (collection->wake < 0)
        return message_fail(message, "eventfd: %s", strerror(errno));
    collection->must_walk = true;
    atomic_store(&collection->is_loading, true);
    atomic_store(&collection->begin_ns, now_ns());
    collection->has_thread =
        pthread_create(&collection->thread, NULL, tend_collection, collection) == 0;
    if (!collection->has_thread)
        (void)message_fail(message, "cannot start a thread");
    return collection->has_thread;
}

bool collection_open(struct collection **made, const struct collection_options *options,
                     char *message)
{
    struct collection *collection = calloc(1, sizeof *collection);

    *made = NULL;
    if (collection == NULL)
        return message_exhausted(message);
    collection->options = *options;
    collection->wake = collection->shelf.base = -1;
    if (!shelf_open(&collection->shelf, options->runtime, message)) {
        free(collection);
        return false;
    }
    collection->shelf.unpacks = options->settings->search_zip;
    collection->shelf.filters = !options->no_filter;
    (void)pthread_mutex_init(&collection->refresh, NULL);
    (void)pthread_mutex_init(&collection->lock, NULL);
    if (!begin(collection, message)) {
        collection_close(collection);
        return false;
    }
    *made = collection;
    return true;
}

static void wake(struct collection *collection)
{
    uint64_t one = 1;

    (void)!write(collection->wake, &one, sizeof one);
}

void collection_close(struct collection *collection)
{
    if (collection == NULL)
        return;
    atomic_store(&collection->is_ending, true);
    if (collection->has_thread) {
        wake(collection);
        (void)pthread_join(collection->thread, NULL);
    }
    if (collection->state != NULL)
        state_end(collection->state);
    watches_close(collection->watches);
    shelf_close(&collection->shelf);
    if (collection->shelf.base >= 0)
        close(collection->shelf.base);
    if (collection->wake >= 0)
        close(collection->wake);
    for (size_t i = 0; i < collection->part_count; i++)
        free(collection->parts[i].path);
    drop_fresh(collection);
    free(collection->fresh);
    free(collection->dirty);
    free(collection->path);
    free(collection->root);
    free(collection->walking);
    free(collection->base);
    free(collection->file);
    (void)pthread_mutex_destroy(&collection->refresh);
    (void)pthread_mutex_destroy(&collection->lock);
    free(collection);
}

int collection_open_file(const struct collection *collection, const struct served_file *file)
{
    int descriptor = open_below(collection->shelf.base, file != NULL ? file->path : "",
                                O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    struct stat status;
    int os_code = ESTALE;

    if (descriptor < 0 || file == NULL)
        return descriptor;
    if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode))
        return descriptor;
    close(descriptor);
    errno = os_code;
    return -1;
}

void collection_reload(struct collection *collection)
{
    pthread_mutex_lock(&collection->refresh);
    collection->must_walk = collection->anew = collection->renamed = true;
    if (collection->watches == NULL && collection->options.watch)
        collection->watches = watches_open();
    atomic_store(&collection->begin_ns, now_ns());
    atomic_store(&collection->is_loading, true);
    pthread_mutex_unlock(&collection->refresh);
    wake(collection);
}

void collection_facts(struct collection *collection, struct collection_facts *facts)
{
    const struct state *state;

    memset(facts, 0, sizeof *facts);
    facts->name = collection->options.name;
    facts->root = collection->root;
    facts->unpacks = collection->shelf.unpacks;
    facts->loading = atomic_load(&collection->is_loading);
    facts->load_ns = facts->loading ? now_ns() - atomic_load(&collection->begin_ns)
                                    : atomic_load(&collection->load_ns);
    facts->refresh_count = atomic_load(&collection->refresh_count);
    pthread_mutex_lock(&collection->lock);
    state = collection->state;
    if (state != NULL) {
        facts->file_count = state->file_count;
        facts->bytes_count = state->bytes_count;
        facts->unheld_count = state->unheld_count;
        facts->state_number = state->number;
        for (uint32_t i = 0; i < state->block_count; i++) {
            uint64_t bytes = state->blocks[i].live_bytes - state->blocks[i].file_count;

            facts->held_bytes += bytes;
            facts->device_bytes += state->blocks[i].block->on_device ? bytes : 0;
        }
    }
    pthread_mutex_unlock(&collection->lock);
}
