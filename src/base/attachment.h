/* attachment: what is made of an object when it is first needed, for all threads that read it. */
#ifndef TRAWL_BASE_ATTACHMENT_H
#define TRAWL_BASE_ATTACHMENT_H

#include <pthread.h>

#include "base/status.h"

struct attachment {
    pthread_mutex_t lock;
    void *object;
    void (*release)(void *object);
};

void attachment_open(struct attachment *attachment);
void attachment_close(struct attachment *attachment); /* and release the object */

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
