/* watch: the kernel's notices of what happens in directories (inotify). */
#include "serve/watch.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "trawl/grow.h"

#define CHANGED (IN_MODIFY | IN_ATTRIB | IN_CLOSE_WRITE)
#define RENAMED (IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO)
#define GONE (IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT)
#define READ_BYTES (64u << 10)

struct watched {
    int number; /* the kernel's */
    uint32_t walk;
    bool is_walked; /* it was watched by this path when a walk ended */
    char *path;
};

struct watches {
    int descriptor;
    uint32_t walk;
    struct watched *items; /* by number */
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

/* Where an item with this number is, or would be. */
static size_t place_of(const struct watches *watches, int number)
{
    size_t low = 0, high = watches->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (watches->items[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct watched *find(const struct watches *watches, int number)
{
    size_t at = place_of(watches, number);

    return at < watches->count && watches->items[at].number == number ? &watches->items[at] : NULL;
}

/* The kernel gives numbers in ascending order, so a new item goes to the end, as a rule. */
static bool insert(struct watches *watches, int number, const char *path)
{
    size_t at = place_of(watches, number);
    struct watched *items =
        grown(watches->items, &watches->capacity, 64, watches->count + 1, sizeof *items);
    char *copy = items == NULL ? NULL : strdup(path);

    if (items != NULL)
        watches->items = items;
    if (copy == NULL) {
        errno = ENOMEM;
        return false;
    }
    memmove(items + at + 1, items + at, (watches->count - at) * sizeof *items);
    items[at] = (struct watched){number, watches->walk, false, copy};
    watches->count++;
    return true;
}

bool watches_add(struct watches *watches, int descriptor, const char *path, bool *known)
{
    char name[64];
    struct watched *item;
    char *copy;
    int number;
    bool same;

    (void)snprintf(name, sizeof name, "/proc/self/fd/%d", descriptor);
    number = inotify_add_watch(watches->descriptor, name, CHANGED | RENAMED | GONE | IN_ONLYDIR);
    if (known != NULL)
        *known = false;
    if (number < 0)
        return false;
    item = find(watches, number);
    if (item == NULL)
        return insert(watches, number, path);
    same = strcmp(item->path, path) == 0;
    if (known == NULL)
        return same;
    if (item->walk == watches->walk && !same) {
        errno = EXDEV;
        return false;
    }
    item->walk = watches->walk;
    *known = same && item->is_walked;
    if (same)
        return true;
    copy = strdup(path);
    if (copy == NULL)
        return false;
    free(item->path);
    item->path = copy;
    item->is_walked = false;
    return true;
}

void watches_begin(struct watches *watches)
{
    watches->walk++;
}

void watches_end(struct watches *watches)
{
    size_t kept = 0;

    for (size_t i = 0; i < watches->count; i++) {
        struct watched *item = &watches->items[i];

        if (item->walk == watches->walk) {
            item->is_walked = true;
            watches->items[kept++] = *item;
            continue;
        }
        (void)inotify_rm_watch(watches->descriptor, item->number); /* or the kernel did */
        free(item->path);
    }
    watches->count = kept;
}

/* False: it says nothing. */
static bool understand(const struct watches *watches, const struct inotify_event *event,
                       struct notice *notice)
{
    struct watched *item;

    if ((event->mask & IN_Q_OVERFLOW) != 0) {
        *notice = (struct notice){NOTICE_LOST, NULL, NULL};
        return true;
    }
    item = find(watches, event->wd);
    if (item == NULL)
        return false;
    if ((event->mask & (IN_IGNORED | IN_ISDIR | GONE)) != 0 || event->len == 0)
        *notice = (struct notice){NOTICE_TREE, NULL, NULL};
    else
        *notice = (struct notice){(event->mask & RENAMED) != 0 ? NOTICE_NAME : NOTICE_CONTENT,
                                  item->path, event->name};
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
