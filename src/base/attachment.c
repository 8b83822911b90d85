/* attachment: an object that the first thread to need it makes, and all threads share. */
#include "base/attachment.h"

#include <sched.h>

#include "base/forks.h"

/* A thread tries the lock this many times before it sleeps: making an object usually takes about 10
 * us, less than waking a thread. */
#define TRIES 200u

enum trawl_status attachment_make(struct attachment *attachment, const void *from,
                                  enum trawl_status (*make)(const void *from, void **object,
                                                            struct trawl_error *error),
                                  void (*release)(void *object), const void **object,
                                  struct trawl_error *error)
{
    enum trawl_status status = TRAWL_OK;
    bool locked = false;
    void *made = NULL;

    forks_hold(NULL);
    for (uint32_t i = 0; i < TRIES && !locked; i++) {
        locked = pthread_mutex_trylock(&attachment->lock) == 0;
        if (!locked)
            (void)sched_yield();
    }
    if (!locked)
        (void)pthread_mutex_lock(&attachment->lock);
    if (atomic_load(&attachment->object) == NULL) {
        status = make(from, &made, error);
        TRAWL_ASSERT((status == TRAWL_OK) == (made != NULL));
        attachment->release = release;
        atomic_store(&attachment->object, made);
    }
    *object = atomic_load(&attachment->object);
    (void)pthread_mutex_unlock(&attachment->lock);
    forks_release();
    return status;
}

bool attachment_is_there(const struct attachment *attachment)
{
    return atomic_load(&attachment->object) != NULL;
}
