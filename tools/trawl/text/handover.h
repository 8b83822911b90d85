/* handover: a thread reads a text with a searcher, and hands its windows over one at a time. */
#ifndef TRAWL_HANDOVER_H
#define TRAWL_HANDOVER_H

#include <pthread.h>
#include <stdbool.h>

#include "trawl.h"

struct handover {
    /* set by the caller, closed by handover_close; the plan matches nothing */
    struct trawl_searcher *searcher;
    struct trawl_plan *plan;
    struct trawl_text *text;
    const uint8_t *at, *end; /* the rest of the window that was handed over, for the caller */
    /* after the last window: OK, or why there are no more */
    enum trawl_status status;
    struct trawl_error error;
    /* handover.c's own: */
    bool is_running; /* the thread was started */
    pthread_t thread;
    pthread_mutex_t lock; /* guards all below, and status and error until the last window */
    pthread_cond_t changed;
    const struct trawl_window *window; /* NULL: the next one is wanted */
    bool is_taken;                     /* the window is in at and end */
    bool is_over;                      /* no more windows come, or none is wanted */
};

/* Starts the thread. Returns 0 or an errno. */
int handover_begin(struct handover *handover);
/* Waits for the next window, which is valid until the next call. False: there are no more. */
bool handover_next(struct handover *handover);
/* Ends the thread, if it was started, and closes the searcher, the plan and the text. */
void handover_close(struct handover *handover);

#endif
