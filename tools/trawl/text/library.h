/* library: shared libraries that are loaded when they are first needed. */
#ifndef TRAWL_LIBRARY_H
#define TRAWL_LIBRARY_H

#include <pthread.h>
#include <stdbool.h>

#define LIBRARY_MEMBER(result, name, arguments) result(*name) arguments;
#define LIBRARY_NAME(result, name, arguments) #name "\0"
/* Declares the struct `functions` of a list of rows X(result, name, (arguments)). Each name follows
 * the prefix in the library. */
#define LIBRARY(file, prefix, LIST)   \
    static struct {                   \
        LIST(LIBRARY_MEMBER)          \
    } functions;                      \
    static struct library library = { \
        file, prefix, LIST(LIBRARY_NAME) "", &functions, PTHREAD_MUTEX_INITIALIZER, false, false}

struct library {
    const char *file, *prefix;
    const char *names; /* each ends with NUL, the last with two */
    void *functions;   /* a pointer for each name */
    pthread_mutex_t lock;
    bool is_loaded, fails;
};

/* Loads the library, unless that was tried before. False: it, or one of its functions, is not
 * there. */
bool library_load(struct library *library);

#endif
