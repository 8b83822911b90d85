/* handover: a thread reads a text with a searcher, and hands its windows over one at a time. */
#include "trawl/text/handover.h"

static int hand_over(void *context, const struct trawl_window *window)
{
    struct handover *handover = context;
    bool is_over;

    pthread_mutex_lock(&handover->lock);
    handover->window = window;
    pthread_cond_signal(&handover->changed);
    while (handover->window != NULL && !handover->is_over)
        pthread_cond_wait(&handover->changed, &handover->lock);
    is_over = handover->is_over;
    pthread_mutex_unlock(&handover->lock);
    return is_over;
}

static void *read_text(void *context)
{
    struct handover *handover = context;
    struct trawl_error error = {.status = TRAWL_OK};
    enum trawl_status status = trawl_windows(handover->searcher, handover->plan, handover->text,
                                             TRAWL_NO_MATCHES, hand_over, handover, &error);

    pthread_mutex_lock(&handover->lock);
    handover->is_over = true;
    handover->status = status == TRAWL_STOPPED ? TRAWL_OK : status;
    handover->error = error;
    pthread_cond_signal(&handover->changed);
    pthread_mutex_unlock(&handover->lock);
    return NULL;
}

int handover_begin(struct handover *handover)
{
    int code;

    (void)pthread_mutex_init(&handover->lock, NULL);
    (void)pthread_cond_init(&handover->changed, NULL);
    code = pthread_create(&handover->thread, NULL, read_text, handover);
    handover->is_running = code == 0;
    return code;
}

bool handover_next(struct handover *handover)
{
    pthread_mutex_lock(&handover->lock);
    if (handover->is_taken) /* else the first one may have come already */
        handover->window = NULL;
    pthread_cond_signal(&handover->changed);
    while (handover->window == NULL && !handover->is_over)
        pthread_cond_wait(&handover->changed, &handover->lock);
    handover->is_taken = handover->window != NULL;
    if (handover->is_taken) {
        handover->at = handover->window->bytes;
        handover->end = handover->at + handover->window->bytes_count;
    }
    pthread_mutex_unlock(&handover->lock);
    return handover->is_taken;
}

void handover_close(struct handover *handover)
{
    if (handover->is_running) {
        pthread_mutex_lock(&handover->lock);
        handover->is_over = true;
        pthread_cond_signal(&handover->changed);
        pthread_mutex_unlock(&handover->lock);
        trawl_searcher_cancel(handover->searcher, true); /* the call may not have begun */
        (void)pthread_join(handover->thread, NULL);
    }
    trawl_searcher_close(handover->searcher);
    trawl_plan_free(handover->plan);
    trawl_text_close(handover->text);
}
