/* hold: limits how long the output of a pipe's incomplete block is held back.
 *
 * A NUL makes its whole block of 96 KiB binary (binary.c), so lines wait for the rest of their
 * block. But the writer of a pipe may pause, and a user of tail -f wants to see a line long before
 * the log has grown by a block. So a thread writes what was held back for HOLD_S seconds, as if the
 * block ended there. A search that reads on after -m, only to look for a NUL, then ends.
 */
#include "trawl/print/reports.h"

#include <pthread.h>
#include <stdlib.h>

#include "trawl/print/binary.h"
#include "trawl/text/command_clock.h"

#define HOLD_S 2

struct hold {
    pthread_t thread;
    pthread_mutex_t lock; /* held while the sink runs or the thread writes */
    pthread_cond_t changed;
    struct text_scan *scan;
    struct timespec until; /* when the thread writes, if is_set */
    bool is_set, is_over;  /* output is held back; the search has ended */
};

/* Writes what was held back. */
static void write_held(struct text_scan *scan)
{
    output_flush(scan->output);
    scan->occurrences.held_before_line = 0;
    scan->nulls.block_end = 0;
    if (scan->stop || scan->output->error != 0)
        trawl_searcher_cancel(scan->job->searcher, false);
}

static void *hold_main(void *context)
{
    struct hold *hold = context;

    pthread_mutex_lock(&hold->lock);
    while (!hold->is_over) {
        const int error = hold->is_set
                              ? pthread_cond_timedwait(&hold->changed, &hold->lock, &hold->until)
                              : pthread_cond_wait(&hold->changed, &hold->lock);

        if (error != 0 && hold->is_set && !hold->is_over) {
            hold->is_set = false;
            write_held(hold->scan);
        }
    }
    pthread_mutex_unlock(&hold->lock);
    return NULL;
}

/* Starts the thread. Without a thread, the output waits for the end of its block. */
static void start(struct text_scan *scan)
{
    struct hold *hold = malloc(sizeof *hold);

    if (hold == NULL)
        return;
    *hold = (struct hold){.lock = PTHREAD_MUTEX_INITIALIZER, .scan = scan};
    pthread_mutex_lock(&hold->lock);
    if (now_condition(&hold->changed) == 0 &&
        pthread_create(&hold->thread, NULL, hold_main, hold) == 0) {
        scan->hold = hold;
    } else {
        pthread_mutex_unlock(&hold->lock);
        free(hold);
    }
}

void hold_begin(struct text_scan *scan)
{
    if (scan->hold != NULL)
        pthread_mutex_lock(&scan->hold->lock);
}

void hold_end(struct text_scan *scan, int stops)
{
    const bool holds = scan->rules.is_live && scan->nulls.has_blocks && stops == 0 &&
                       (scan->stop || scan->output->used > scan->output->committed);
    struct hold *hold;

    if (holds && scan->hold == NULL)
        start(scan);
    hold = scan->hold;
    if (hold == NULL)
        return;
    if (holds && !hold->is_set) {
        (void)clock_gettime(CLOCK_MONOTONIC, &hold->until);
        hold->until.tv_sec += HOLD_S;
        pthread_cond_signal(&hold->changed);
    }
    hold->is_set = holds;
    pthread_mutex_unlock(&hold->lock);
}

void hold_close(struct text_scan *scan)
{
    struct hold *hold = scan->hold;

    if (hold == NULL)
        return;
    pthread_mutex_lock(&hold->lock);
    hold->is_over = true;
    pthread_cond_signal(&hold->changed);
    pthread_mutex_unlock(&hold->lock);
    (void)pthread_join(hold->thread, NULL);
    free(hold);
    scan->hold = NULL;
}
