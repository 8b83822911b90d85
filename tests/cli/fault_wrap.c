/* fault_wrap: makes the command's N-th call to a system function fail.
 *
 * The linker's --wrap replaces the system functions below, in the command and in the library that
 * is linked into the command. Environment variables say which calls fail:
 *
 * TRAWL_FAULT_NTH     the number of the failing call, counted from 1; 0 or unset: no call fails
 * TRAWL_FAULT_ON      whether all later calls fail, too
 * TRAWL_FAULT_OF      a function: only its calls are counted
 * TRAWL_FAULT_PLACES  instead of a number, a file of places, where a place is a call with its
 *                     FRAMES callers: the first call from a place that is not in the file fails,
 *                     and the place is added to the file
 * TRAWL_FAULT_REPORT  a file; at the end the number of calls, the name of the function that failed
 *                     first and the names of all functions that were called are written there
 *
 * fts_read is not replaced: a real failure of fts_read frees memory, and fts_close relies on that.
 *
 * The clocks by which the library chooses methods are replaced, too, so that a busy machine does
 * not change which calls are made.
 */
#include <dirent.h>
#include <errno.h>
#include <execinfo.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static atomic_ulong calls;
static unsigned long nth;
static bool persistent;
static const char *report, *only, *places_file;
static bool ended; /* true: this file itself makes the calls, which never fail */
static const char *_Atomic failed;
/* the names of the functions that were called; entries after the last name are NULL */
static const char *_Atomic called[32];

#define FRAMES 6
#define PLACES 4096u /* a power of two, at least twice as many as there are places */

extern char __executable_start, etext; /* the start and the end of the program's code */
static uint64_t places[PLACES];        /* a hash table of places; 0: the entry is free */
/* the place of the call that failed; 0: no call has failed */
static _Atomic uint64_t new_place;

/* Returns the entry of a place, or the free entry for it. */
static uint64_t *place_at(uint64_t place)
{
    uint64_t at = place % PLACES;

    while (places[at] != 0 && places[at] != place)
        at = (at + 1) % PLACES;
    return &places[at];
}

/* Returns true if the call must fail: its place is not in the file TRAWL_FAULT_PLACES, and no call
 * of this run has failed yet. */
static bool is_new_place(void)
{
    void *frames[FRAMES + 3];
    int count = backtrace(frames, FRAMES + 3);
    uint64_t place = persistent ? 3 : 1, none = 0;

    for (int i = 0; i < count; i++) {
        uint64_t offset = (uint64_t)((char *)frames[i] - &__executable_start);

        /* the frame is not in a shared library */
        if (offset < (uint64_t)(&etext - &__executable_start))
            place = (place + offset) * UINT64_C(0x9e3779b97f4a7c15) ^ offset;
    }
    return *place_at(place) == 0 && atomic_compare_exchange_strong(&new_place, &none, place);
}

static void read_places(void)
{
    FILE *file = fopen(places_file, "r");
    uint64_t place;

    while (file != NULL && fread(&place, sizeof place, 1, file) == 1)
        *place_at(place) = place;
    if (file != NULL)
        fclose(file);
}

static void write_place(void)
{
    uint64_t place = new_place;
    FILE *file = place != 0 ? fopen(places_file, "a") : NULL;

    if (file == NULL)
        return;
    fwrite(&place, sizeof place, 1, file);
    fclose(file);
}

__attribute__((constructor)) static void arm(void)
{
    const char *value = getenv("TRAWL_FAULT_NTH");

    places_file = getenv("TRAWL_FAULT_PLACES");
    ended = true;
    if (places_file != NULL)
        read_places();
    ended = false;
    nth = value != NULL ? strtoul(value, NULL, 10) : 0;
    persistent = getenv("TRAWL_FAULT_ON") != NULL;
    only = getenv("TRAWL_FAULT_OF");
    report = getenv("TRAWL_FAULT_REPORT");
}

__attribute__((destructor)) static void tell(void)
{
    unsigned long made = calls;
    FILE *file;

    ended = true;
    if (places_file != NULL)
        write_place();
    file = report != NULL ? fopen(report, "w") : NULL;
    if (file == NULL)
        return;
    fprintf(file, "%lu %s", made, failed != NULL ? failed : "none");
    for (size_t i = 0; called[i] != NULL; i++)
        fprintf(file, " %s", called[i]);
    fprintf(file, "\n");
    fclose(file);
}

static void note_call(const char *function)
{
    const char *here = NULL;

    for (size_t i = 0; here != function && i + 1 < sizeof called / sizeof *called; i++) {
        here = NULL;
        if (atomic_compare_exchange_strong(&called[i], &here, function))
            return;
    }
}

static bool fails(const char *function, int code)
{
    const char *none = NULL;
    unsigned long call;
    bool now;

    if (ended)
        return false;
    note_call(function);
    if (only != NULL && strcmp(only, function) != 0)
        return false;
    call = atomic_fetch_add(&calls, 1) + 1;
    now = nth != 0 && (persistent ? call >= nth : call == nth);
    if (places_file != NULL)
        now = new_place != 0 ? persistent : is_new_place();
    if (!now)
        return false;
    atomic_compare_exchange_strong(&failed, &none, function);
    errno = code;
    return true;
}

#define WRAP(result, name, parameters, arguments, code, failure) \
    result __real_##name parameters;                             \
    result __wrap_##name parameters;                             \
    result __wrap_##name parameters                              \
    {                                                            \
        if (fails(#name, (code)))                                \
            return failure;                                      \
        return __real_##name arguments;                          \
    }

WRAP(void *, malloc, (size_t bytes), (bytes), ENOMEM, NULL)
WRAP(void *, calloc, (size_t count, size_t bytes), (count, bytes), ENOMEM, NULL)
WRAP(void *, realloc, (void *old, size_t bytes), (old, bytes), ENOMEM, NULL)
WRAP(void *, aligned_alloc, (size_t alignment, size_t bytes), (alignment, bytes), ENOMEM, NULL)
WRAP(int, posix_memalign, (void **pointer, size_t alignment, size_t bytes),
     (pointer, alignment, bytes), ENOMEM, ENOMEM)
WRAP(char *, strdup, (const char *text), (text), ENOMEM, NULL)
WRAP(ssize_t, read, (int descriptor, void *bytes, size_t count), (descriptor, bytes, count), EIO,
     -1)
WRAP(ssize_t, pread64, (int descriptor, void *bytes, size_t count, off_t offset),
     (descriptor, bytes, count, offset), EIO, -1)
WRAP(off_t, lseek64, (int descriptor, off_t offset, int whence), (descriptor, offset, whence), EIO,
     -1)
WRAP(ssize_t, write, (int descriptor, const void *bytes, size_t count), (descriptor, bytes, count),
     EIO, -1)
WRAP(int, fstat64, (int descriptor, struct stat *status), (descriptor, status), EIO, -1)
WRAP(FILE *, fopen64, (const char *path, const char *mode), (path, mode), EMFILE, NULL)
WRAP(int, fstatat64, (int directory, const char *path, struct stat *status, int flags),
     (directory, path, status, flags), EIO, -1)
WRAP(ssize_t, getdents64, (int descriptor, void *bytes, size_t count), (descriptor, bytes, count),
     EIO, -1)
/* With _FORTIFY_SOURCE the compiler calls this function instead of openat if the flags are not
 * constant, as when the command opens directories. */
WRAP(int, __openat64_2, (int directory, const char *path, int flags), (directory, path, flags),
     EMFILE, -1)
WRAP(int, pthread_create,
     (pthread_t * thread, const pthread_attr_t *attributes, void *(*routine)(void *),
      void *argument),
     (thread, attributes, routine, argument), EAGAIN, EAGAIN)

int __real_open64(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, ...);
int __real_openat64(int directory, const char *path, int flags, ...);
int __wrap_openat64(int directory, const char *path, int flags, ...);

/* Without the mode: neither the command nor the library creates files with open64. */
int __wrap_open64(const char *path, int flags, ...)
{
    if (fails("open64", EMFILE))
        return -1;
    return __real_open64(path, flags);
}

int __wrap_openat64(int directory, const char *path, int flags, ...)
{
    if (fails("openat64", EMFILE))
        return -1;
    return __real_openat64(directory, path, flags);
}

uint64_t __wrap_clock_now_ns(void);
uint64_t __wrap_clock_worked_ns(void);

/* Each reading is a microsecond later, so everything that is timed takes equally long. */
uint64_t __wrap_clock_now_ns(void)
{
    static atomic_ulong readings;

    return 1000 * (atomic_fetch_add(&readings, 1) + 1);
}

uint64_t __wrap_clock_worked_ns(void)
{
    return __wrap_clock_now_ns();
}
