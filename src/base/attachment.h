/* attachment: an object derived from another one. The first thread that needs it makes it; all
 * threads share it. */
#ifndef TRAWL_BASE_ATTACHMENT_H
#define TRAWL_BASE_ATTACHMENT_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/status.h"

struct attachment {
    pthread_mutex_t lock;
    void *_Atomic object; /* NULL until made; the owner of the attachment calls release(object) */
    void (*release)(void *object);
};

#define ATTACHMENT_INIT                   \
    {                                     \
        .lock = PTHREAD_MUTEX_INITIALIZER \
    }

/* The slow path of attachment_want: makes the object, unless another thread has done so
 * meanwhile. */
enum trawl_status attachment_make(struct attachment *attachment, const void *from,
                                  enum trawl_status (*make)(const void *from, void **object,
                                                            struct trawl_error *error),
                                  void (*release)(void *object), const void **object,
                                  struct trawl_error *error);
/* Stores the attached object in *object. The first caller makes it with make(from, ...), while
 * other callers wait. If that fails, the attachment stays empty, and the next caller tries
 * again. */
static inline enum trawl_status attachment_want(
    struct attachment *attachment, const void *from,
    enum trawl_status (*make)(const void *from, void **object, struct trawl_error *error),
    void (*release)(void *object), const void **object, struct trawl_error *error)
{
    *object = atomic_load(&attachment->object);
    return *object != NULL ? TRAWL_OK
                           : attachment_make(attachment, from, make, release, object, error);
}
/* Returns true once the object exists; still false while a thread is making it. */
bool attachment_is_there(const struct attachment *attachment);

#endif
