/* scout: threads that read the directories of a tree before the walk comes to them (scout.h). */
#include "trawl/files/scout.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "trawl/text/sizes.h"
#include "trawl/text/thread.h"

#define READERS_MAX 6u
#define AHEAD_MAX SIZE_OR_SMALL(64u, 3u)         /* directories read before the walk */
#define AHEAD_AFTER SIZE_OR_SMALL(64u, 2u)       /* readers start after this many directories */
#define BYTES_MAX SIZE_OR_SMALL(32u << 10, 512u) /* of a directory's entries */
#define ENTRY_BYTES 288u                         /* room for the longest entry */
#define LOOKS 256u                               /* nodes that a reader looks at for work */
#define SPINS 1000u                              /* before the walk sleeps */

/* The nodes are listed in the order in which the walk leaves their directories, so that those below
 * a directory come right before it, and the walk's next directory is near the front. */
struct scouts {
    struct thread_lock lock; /* guards all nodes, except what a reader is reading */
    struct scout_node *first;
    size_t held; /* nodes that are not taken */
    size_t added;
    bool over;
    uint32_t users; /* the walk, and readers; the last of them frees this */
    pthread_cond_t work, ready;
    uint32_t sleepers;          /* readers without work */
    struct scout_node *awaited; /* the walk waits for this node */
    uint32_t readers_max, reader_count;
    struct reader {
        struct thread thread;
        struct scouts *scouts;
    } readers[READERS_MAX];
};

static void free_node(struct scout_node *node)
{
    tree_directory_drop(node->directory);
    tree_directory_drop(node->parent_directory);
    free(node->bytes);
    free(node);
}

/* Inserts a new node before `next`, or at the front. NULL: no memory. */
static struct scout_node *insert(struct scouts *scouts, struct scout_node *next, const char *name)
{
    struct scout_node *node = calloc(1, sizeof *node + strlen(name) + 1);

    if (node == NULL)
        return NULL;
    memcpy(node->name, name, strlen(name) + 1);
    if (next == NULL)
        next = scouts->first;
    node->next = next;
    node->previous = next != NULL ? next->previous : NULL;
    if (next != NULL)
        next->previous = node;
    if (node->previous != NULL)
        node->previous->next = node;
    else
        scouts->first = node;
    return node;
}

/* Returns the name of the node's next directory, or NULL. */
static const char *next_name(struct scout_node *node)
{
    while (node->scanned < node->bytes_count) {
        const struct dirent64 *entry = (const void *)(node->bytes + node->scanned);

        node->scanned += entry->d_reclen;
        if (entry->d_type == DT_DIR && entry->d_name[0] != '.')
            return entry->d_name;
    }
    return NULL;
}

/* Returns a node for the next directory that the walk will come to and that nobody reads. NULL:
 * there is none, or no memory. Called with the lock. */
static struct scout_node *schedule(struct scouts *scouts)
{
    struct scout_node *node = scouts->first, *made;
    const char *name = NULL;

    if (scouts->held >= AHEAD_MAX)
        return NULL;
    for (uint32_t looks = 0; node != NULL && looks < LOOKS; node = node->next, looks++)
        if (!node->reading && (name = next_name(node)) != NULL)
            break;
    if (name == NULL || (made = insert(scouts, node, name)) == NULL)
        return NULL;
    made->parent = node;
    made->parent_directory = tree_directory_share(node->directory);
    made->depth = node->depth + 1;
    made->reading = true;
    scouts->held++;
    return made;
}

/* Opens and reads a directory. node->directory stays NULL if that fails. */
static void read_directory(struct scout_node *node)
{
    const int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW;
    struct tree_directory *directory = malloc(sizeof *directory);
    ssize_t got = 1;
    char *fitting;

    if (directory == NULL)
        return;
    atomic_init(&directory->holder_count, 1);
    directory->descriptor = openat(node->parent_directory->descriptor, node->name, flags);
    node->bytes = malloc(BYTES_MAX);
    if (directory->descriptor >= 0 && node->bytes != NULL &&
        fstat(directory->descriptor, &node->status) == 0)
        while (got > 0 && node->bytes_count + ENTRY_BYTES <= BYTES_MAX) {
            got = tree_directory_read(directory->descriptor, node->bytes + node->bytes_count,
                                      BYTES_MAX - node->bytes_count);
            node->bytes_count += got > 0 ? (size_t)got : 0;
        }
    node->at_end = got == 0;
    if (node->bytes_count > 0) {
        node->directory = directory;
        fitting = realloc(node->bytes, node->bytes_count);
        node->bytes = fitting != NULL ? fitting : node->bytes;
        return;
    }
    if (directory->descriptor >= 0)
        close(directory->descriptor);
    free(directory);
}

/* Ends the use by the walk or by a reader. Called with the lock. */
static void leave(struct scouts *scouts)
{
    bool is_last = --scouts->users == 0;

    thread_unlock(&scouts->lock);
    if (!is_last)
        return;
    (void)pthread_cond_destroy(&scouts->work);
    (void)pthread_cond_destroy(&scouts->ready);
    thread_lock_close(&scouts->lock);
    free(scouts);
}

static void *work(void *context)
{
    struct reader *reader = context;
    struct scouts *scouts = reader->scouts;

    thread_begins(&reader->thread);
    thread_lock(&scouts->lock);
    while (!scouts->over) {
        struct scout_node *node = schedule(scouts);

        if (node == NULL) {
            scouts->sleepers++;
            pthread_cond_wait(&scouts->work, &scouts->lock.mutex);
            scouts->sleepers--;
            continue;
        }
        thread_unlock(&scouts->lock);
        read_directory(node);
        thread_lock(&scouts->lock);
        node->reading = false;
        if (scouts->awaited == node)
            pthread_cond_signal(&scouts->ready);
        if (node->dropped)
            free_node(node);
        else if (scouts->sleepers > 0 && scouts->held < AHEAD_MAX / 2)
            pthread_cond_signal(&scouts->work);
    }
    leave(scouts);
    return NULL;
}

struct scout_node *scouts_add(struct scouts *scouts, size_t depth, struct tree_directory *directory,
                              const char *bytes, size_t bytes_count)
{
    struct scout_node *node;

    thread_lock(&scouts->lock);
    node = insert(scouts, NULL, "");
    if (node != NULL) {
        node->taken = true;
        node->depth = depth;
        node->directory = tree_directory_share(directory);
        node->bytes = malloc(bytes_count);
        if (node->bytes != NULL)
            memcpy(node->bytes, bytes, node->bytes_count = bytes_count);
    }
    if (++scouts->added >= AHEAD_AFTER)
        while (scouts->reader_count < scouts->readers_max) {
            struct reader *reader = &scouts->readers[scouts->reader_count];

            reader->scouts = scouts;
            if (thread_start(&reader->thread, work, reader) != 0) {
                scouts->readers_max = scouts->reader_count;
                break;
            }
            (void)pthread_detach(reader->thread.id);
            scouts->reader_count++;
            scouts->users++;
        }
    if (scouts->sleepers > 0)
        pthread_cond_signal(&scouts->work);
    thread_unlock(&scouts->lock);
    return node;
}

/* Unlinks a node and those below it, which come before it. Called with the lock. */
static void drop(struct scouts *scouts, struct scout_node *node)
{
    struct scout_node *next = node->next, *last = node;
    size_t depth = node->depth;

    do {
        node = last;
        last = node->previous;
        scouts->held -= !node->taken;
        node->dropped = true;
        if (!node->reading)
            free_node(node);
    } while (last != NULL && last->depth > depth);
    if (next != NULL)
        next->previous = last;
    if (last != NULL)
        last->next = next;
    else
        scouts->first = next;
    if (scouts->sleepers > 0 && scouts->held <= AHEAD_MAX / 2)
        pthread_cond_broadcast(&scouts->work);
}

/* Waits until the node's directory has been read. */
static void await(struct scouts *scouts, struct scout_node *node)
{
    thread_unlock(&scouts->lock);
    for (uint32_t i = 0; i < SPINS && node->reading; i++)
        thread_pause();
    thread_lock(&scouts->lock);
    scouts->awaited = node;
    while (node->reading)
        pthread_cond_wait(&scouts->ready, &scouts->lock.mutex);
    scouts->awaited = NULL;
}

struct scout_node *scouts_take(struct scouts *scouts, struct scout_node *parent, const char *name)
{
    struct scout_node *node;
    const char *passed;

    if (parent == NULL || name[0] == '.')
        return NULL;
    thread_lock(&scouts->lock);
    node = scouts->first;
    while (node != NULL && node->depth > parent->depth + 1)
        node = node->next;
    if (node == NULL || node->parent != parent) { /* readers go on after this name */
        while ((passed = next_name(parent)) != NULL && strcmp(passed, name) != 0)
            ;
        node = NULL;
    } else if (strcmp(node->name, name) != 0) {
        node = NULL;
    } else {
        if (node->reading)
            await(scouts, node);
        node->taken = true;
        scouts->held--;
        if (scouts->sleepers > 0 && scouts->held <= AHEAD_MAX / 2)
            pthread_cond_broadcast(&scouts->work);
        if (node->directory == NULL) { /* the walk tries again, and reports the error */
            drop(scouts, node);
            node = NULL;
        }
    }
    thread_unlock(&scouts->lock);
    return node;
}

void scouts_shut(struct scouts *scouts, struct scout_node *node)
{
    if (node == NULL)
        return;
    thread_lock(&scouts->lock);
    tree_directory_drop(node->directory);
    node->directory = NULL;
    node->scanned = node->bytes_count;
    thread_unlock(&scouts->lock);
}

void scouts_drop(struct scouts *scouts, struct scout_node *node)
{
    if (node == NULL)
        return;
    thread_lock(&scouts->lock);
    drop(scouts, node);
    thread_unlock(&scouts->lock);
}

struct scouts *scouts_open(uint32_t readers)
{
    struct scouts *scouts = NULL;
    struct rlimit limit;

    if (readers > 0 && getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur >= 8 * AHEAD_MAX)
        scouts = calloc(1, sizeof *scouts);
    if (scouts == NULL)
        return NULL;
    scouts->users = 1;
    scouts->readers_max = readers < READERS_MAX ? readers : READERS_MAX;
    thread_lock_open(&scouts->lock);
    (void)pthread_cond_init(&scouts->work, NULL);
    (void)pthread_cond_init(&scouts->ready, NULL);
    return scouts;
}

void scouts_close(struct scouts *scouts)
{
    if (scouts == NULL)
        return;
    thread_lock(&scouts->lock);
    while (scouts->first != NULL)
        drop(scouts, scouts->first);
    scouts->over = true;
    pthread_cond_broadcast(&scouts->work);
    leave(scouts);
}
