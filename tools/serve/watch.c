/* watch: watches directories with inotify, and reads the kernel's change notices. */
#include "serve/watch.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "trawl/text/grow.h"

#define CHANGED (IN_MODIFY | IN_ATTRIB | IN_CLOSE_WRITE)
#define RENAMED (IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO)
#define GONE (IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT)
#define READ_BYTES (64u << 10)

struct watched {
    int number;     /* watch descriptor of inotify */
    uint32_t walk;  /* number of the last walk that added the directory */
    bool is_walked; /* the collection's walk entered the directory */
    char *path;
};

struct watches {
    int descriptor;
    uint32_t walk;         /* number of the current walk */
    const char *part;      /* the directory that the current walk began at */
    bool is_deep;          /* the current walk goes into directories below */
    struct watched *items; /* sorted by number */
    size_t count, capacity;
    size_t read_at, read_bytes;
    _Alignas(struct inotify_event) char buffer[READ_BYTES];
};

struct watches *watches_open(void)
{
    struct watches *watches = calloc(1, sizeof *watches);

    if (watches == NULL)
        return NULL;
    watches->descriptor = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (watches->descriptor >= 0)
        return watches;
    free(watches);
    return NULL;
}

void watches_close(struct watches *watches)
{
    if (watches == NULL)
        return;
    for (size_t i = 0; i < watches->count; i++)
        free(watches->items[i].path);
    free(watches->items);
    close(watches->descriptor);
    free(watches);
}

int watches_descriptor(const struct watches *watches)
{
    return watches->descriptor;
}

static int compare_numbers(const void *left, const void *right)
{
    const struct watched *one = left, *other = right;

    return one->number < other->number ? -1 : one->number > other->number;
}

static struct watched *find_watched(const struct watches *watches, int number)
{
    const struct watched wanted = {.number = number};

    return watches->count == 0 ? NULL
                               : bsearch(&wanted, watches->items, watches->count,
                                         sizeof *watches->items, compare_numbers);
}

bool is_in(const char *path, const char *directory)
{
    size_t bytes = strlen(directory);

    return bytes == 0 ||
           (strncmp(path, directory, bytes) == 0 && (path[bytes] == '\0' || path[bytes] == '/'));
}

/* Inserts a watch. The kernel numbers watches in ascending order until numbers run out, so the new
 * watch usually comes last. Returns NULL if out of memory. */
static struct watched *insert(struct watches *watches, int number)
{
    size_t count = watches->count;
    struct watched *items;

    if (!GROW(watches->items, watches->capacity, 64, count + 1))
        return NULL;
    items = watches->items;
    items[count] = (struct watched){number, watches->walk, false, NULL};
    watches->count++;
    if (count > 0 && items[count - 1].number > number)
        qsort(items, watches->count, sizeof *items, compare_numbers);
    return find_watched(watches, number);
}

/* Sets the path of a watch. A watch may get a new path only if the current walk covers the old path
 * and has not met the directory yet. Returns false on failure; errno says why, EXDEV if both paths
 * may be right. */
static bool set_path(const struct watches *watches, struct watched *item, const char *path)
{
    char *copy;

    if (item->path != NULL && strcmp(item->path, path) == 0)
        return true;
    errno = EXDEV;
    if (item->path != NULL && (item->walk == watches->walk || !is_in(item->path, watches->part)))
        return false;
    copy = strdup(path);
    if (copy == NULL)
        return false;
    free(item->path);
    item->path = copy;
    return true;
}

bool watches_add(struct watches *watches, int descriptor, const char *path, enum watch_cause cause)
{
    char name[64];
    struct watched *item;
    int number;

    (void)snprintf(name, sizeof name, "/proc/self/fd/%d", descriptor);
    number = inotify_add_watch(watches->descriptor, name, CHANGED | RENAMED | GONE | IN_ONLYDIR);
    if (number < 0)
        return false;
    item = find_watched(watches, number);
    item = item == NULL ? insert(watches, number) : item;
    if (item == NULL || !set_path(watches, item, path))
        return false;
    if (cause == WATCH_FILES || (watches->is_deep && item->walk != watches->walk))
        item->is_walked = cause == WATCH_FILES;
    item->walk = watches->walk;
    return true;
}

void watches_begin_walk(struct watches *watches, const char *part, bool is_deep)
{
    watches->walk++;
    watches->part = part;
    watches->is_deep = is_deep;
}

void watches_end_walk(struct watches *watches)
{
    size_t kept = 0;

    for (size_t i = 0; i < watches->count; i++) {
        struct watched *item = &watches->items[i];

        if (item->walk == watches->walk ||
            (item->path != NULL && !is_in(item->path, watches->part))) {
            watches->items[kept++] = *item;
            continue;
        }
        /* This fails if the kernel has removed the watch already. */
        (void)inotify_rm_watch(watches->descriptor, item->number);
        free(item->path);
    }
    watches->count = kept;
}

/* Translates an inotify event into a notice. Returns false if the event is not about a watched
 * directory. */
static bool understand(const struct watches *watches, const struct inotify_event *event,
                       struct notice *notice)
{
    const struct watched *item = find_watched(watches, event->wd);
    bool is_self = (event->mask & (IN_IGNORED | GONE)) != 0 || event->len == 0;

    if ((event->mask & IN_Q_OVERFLOW) != 0) {
        *notice = (struct notice){.kind = NOTICE_LOST};
        return true;
    }
    if (item == NULL || item->path == NULL)
        return false;
    *notice = (struct notice){is_self || (event->mask & IN_ISDIR) != 0 ? NOTICE_TREE
                              : (event->mask & RENAMED) != 0           ? NOTICE_NAME
                                                                       : NOTICE_CONTENT,
                              (event->mask & IN_MOVED_TO) != 0,
                              (event->mask & IN_MODIFY) != 0,
                              (event->mask & IN_DELETE) != 0,
                              event->cookie,
                              item->is_walked,
                              item->path,
                              is_self ? "" : event->name};
    return true;
}

bool watches_next(struct watches *watches, struct notice *notice)
{
    for (;;) {
        while (watches->read_at < watches->read_bytes) {
            const struct inotify_event *event = (const void *)(watches->buffer + watches->read_at);

            watches->read_at += sizeof *event + event->len;
            if (understand(watches, event, notice))
                return true;
        }
        ssize_t got;

        do {
            got = read(watches->descriptor, watches->buffer, READ_BYTES);
        } while (got < 0 && errno == EINTR);
        watches->read_at = 0;
        watches->read_bytes = got > 0 ? (size_t)got : 0;
        if (got <= 0)
            return false;
    }
}
