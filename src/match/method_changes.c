/* method_changes: a ring with a lock; changes are rare, and calls without one take no lock. */
#include "match/method_changes.h"

#include <pthread.h>
#include <string.h>

#include "base/forks.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* held only while no thread can fork */

void method_changes_add(struct method_changes *changes, const struct trawl_change *change)
{
    forks_hold(NULL);
    (void)pthread_mutex_lock(&lock);
    changes->kept[changes->count++ % TRAWL_CHANGES_KEPT] = *change;
    (void)pthread_mutex_unlock(&lock);
    forks_release();
}

void method_changes_add_way(struct method_changes *changes, const struct trawl_way *way)
{
    uint32_t i = 0;

    forks_hold(NULL);
    (void)pthread_mutex_lock(&lock);
    while (i < changes->way_count && (strcmp(changes->ways[i].name, way->name) != 0 ||
                                      strcmp(changes->ways[i].what, way->what) != 0))
        i++;
    if (i < changes->way_count) {
        changes->ways[i].bytes += way->bytes;
        changes->ways[i].read_bytes += way->read_bytes;
        changes->ways[i].asks += way->asks;
        changes->ways[i].ns += way->ns;
    } else if (i < TRAWL_WAYS_KEPT) {
        changes->ways[changes->way_count++] = *way;
    }
    (void)pthread_mutex_unlock(&lock);
    forks_release();
}

void method_changes_take(struct method_changes *changes, struct method_changes *to)
{
    atomic_store_explicit(&to->count, 0, memory_order_relaxed);
    atomic_store_explicit(&to->way_count, 0, memory_order_relaxed);
    if (atomic_load_explicit(&changes->count, memory_order_relaxed) == 0 &&
        atomic_load_explicit(&changes->way_count, memory_order_relaxed) == 0)
        return;
    forks_hold(NULL);
    (void)pthread_mutex_lock(&lock);
    to->count = changes->count;
    for (uint64_t i = 0; i < changes->count && i < TRAWL_CHANGES_KEPT; i++)
        to->kept[i] = changes->kept[i];
    to->way_count = changes->way_count;
    memcpy(to->ways, changes->ways, to->way_count * sizeof *to->ways);
    changes->count = 0;
    changes->way_count = 0;
    (void)pthread_mutex_unlock(&lock);
    forks_release();
}
