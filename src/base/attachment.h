/* attachment: what is made of an object when it is first needed, for all threads that read it. */
#ifndef TRAWL_BASE_ATTACHMENT_H
#define TRAWL_BASE_ATTACHMENT_H

#include <pthread.h>

#include "base/status.h"

struct attachment {
    pthread_mutex_t lock;
    void *object; /* who ends the attachment releases it, if there is one */
    void (*release)(void *object);
};

#define ATTACHMENT_INIT                   \
    {                                     \
        .lock = PTHREAD_MUTEX_INITIALIZER \
    }

/* The object, made of `from` if it is not there yet; while one thread makes it others wait. A
 * failure leaves nothing: the next thread tries again. */
enum trawl_status attachment_want(struct attachment *attachment, const void *from,
                                  enum trawl_status (*make)(const void *from, void **object,
                                                            struct trawl_error *error),
                                  void (*release)(void *object), const void **object,
                                  struct trawl_error *error);
/* Is it there? false also while it is being made. */
bool attachment_is_there(struct attachment *attachment);

#endif
