/* late_heads: a thread looks at all connections once a second, while there are any. */
#include "serve/late_heads.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "trawl/text/command_clock.h"

static void *end_late(void *context)
{
    struct late_heads *heads = context;

    pthread_mutex_lock(&heads->mutex);
    while (!heads->is_ending) {
        const uint64_t now = now_ns();
        const struct timespec next = {(time_t)(now / SECOND_NS + 1), (long)(now % SECOND_NS)};

        for (struct head_wait *wait = heads->first; wait != NULL; wait = wait->next)
            if (wait->until_ns != 0 && now >= wait->until_ns)
                (void)shutdown(wait->descriptor, SHUT_RDWR);
        if (heads->first == NULL)
            (void)pthread_cond_wait(&heads->wake, &heads->mutex);
        else
            (void)pthread_cond_timedwait(&heads->wake, &heads->mutex, &next);
    }
    pthread_mutex_unlock(&heads->mutex);
    return NULL;
}

bool late_heads_open(struct late_heads *heads, uint64_t limit_ns)
{
    *heads = (struct late_heads){.limit_ns = limit_ns};
    (void)pthread_mutex_init(&heads->mutex, NULL);
    (void)now_condition(&heads->wake);
    errno = pthread_create(&heads->thread, NULL, end_late, heads);
    return errno == 0;
}

void late_heads_close(struct late_heads *heads)
{
    pthread_mutex_lock(&heads->mutex);
    heads->is_ending = true;
    (void)pthread_cond_signal(&heads->wake);
    pthread_mutex_unlock(&heads->mutex);
    (void)pthread_join(heads->thread, NULL);
    (void)pthread_cond_destroy(&heads->wake);
    (void)pthread_mutex_destroy(&heads->mutex);
}

struct head_wait *late_heads_begin(struct late_heads *heads, int descriptor)
{
    struct head_wait *wait = calloc(1, sizeof *wait);

    if (wait == NULL)
        return NULL;
    pthread_mutex_lock(&heads->mutex);
    *wait = (struct head_wait){heads->first, NULL, descriptor, now_ns() + heads->limit_ns};
    if (wait->next != NULL)
        wait->next->before = wait;
    heads->first = wait;
    (void)pthread_cond_signal(&heads->wake);
    pthread_mutex_unlock(&heads->mutex);
    return wait;
}

static void set_until(struct late_heads *heads, struct head_wait *wait, uint64_t until_ns)
{
    if (wait == NULL)
        return;
    pthread_mutex_lock(&heads->mutex);
    wait->until_ns = until_ns;
    pthread_mutex_unlock(&heads->mutex);
}

void late_heads_came(struct late_heads *heads, struct head_wait *wait)
{
    set_until(heads, wait, 0);
}

void late_heads_again(struct late_heads *heads, struct head_wait *wait)
{
    set_until(heads, wait, now_ns() + 2 * heads->limit_ns);
}

void late_heads_end(struct late_heads *heads, struct head_wait *wait)
{
    if (wait == NULL)
        return;
    pthread_mutex_lock(&heads->mutex);
    if (wait->next != NULL)
        wait->next->before = wait->before;
    if (wait->before != NULL)
        wait->before->next = wait->next;
    else
        heads->first = wait->next;
    pthread_mutex_unlock(&heads->mutex);
    free(wait);
}
