/* hyperscan: benchmarks Hyperscan or Vectorscan (kind=hyperscan): literals, block mode, one thread;
 * SINGLEMATCH for records. The declarations here follow Hyperscan's C interface, version 5.
 *
 * The library is loaded at run time, so the program needs no headers and runs without it;
 * the contestant is then skipped with a reason. The first run also compiles the patterns.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"

#define MODE_BLOCK 1u /* HS_MODE_BLOCK */
#define FLAG_ONCE 8u

typedef int (*on_match)(unsigned id, unsigned long long from, unsigned long long to, unsigned flags,
                        void *context);

/* X(return type, name of the library's function, parameters). */
#define FUNCTION_LIST(X)                                                                       \
    X(const char *, hs_version, (void))                                                        \
    X(int, hs_compile_lit_multi,                                                               \
      (const char *const *expressions, const unsigned *flags, const unsigned *ids,             \
       const size_t *lens, unsigned elements, unsigned mode, const void *platform,             \
       void **database, void **error))                                                         \
    X(int, hs_alloc_scratch, (const void *database, void **scratch))                           \
    X(int, hs_scan,                                                                            \
      (const void *database, const char *data, unsigned length, unsigned flags, void *scratch, \
       on_match event, void *context))                                                         \
    X(int, hs_database_size, (const void *database, size_t *size))                             \
    X(int, hs_free_database, (void *database))                                                 \
    X(int, hs_free_scratch, (void *scratch))

static struct {
#define MEMBER(result, name, arguments) result(*name) arguments;
    FUNCTION_LIST(MEMBER)
#undef MEMBER
} library;

struct hyperscan {
    void *database, *scratch; /* the compiled patterns; memory of a search */
};

/* Looks up the library's functions. Returns false if the library or a function is missing. */
static bool load(void)
{
    static void *handle;
    bool found = handle != NULL || (handle = dlopen("libhs.so.5", RTLD_NOW)) != NULL;

#define FIND(result, name, arguments) \
    found = found && (*(void **)(&library.name) = dlsym(handle, #name)) != NULL;
    FUNCTION_LIST(FIND)
#undef FIND
    return found;
}

const char *hyperscan_version(void)
{
    return load() ? library.hs_version() : NULL;
}

/* Compiles the question's patterns; false: run->why says why not. */
static bool compile(const struct question *question, struct hyperscan *made, struct bench_run *run)
{
    uint64_t count = question->pattern_count;
    const char **bytes = (const char **)allocate(count * sizeof *bytes);
    unsigned *flags = (unsigned *)allocate(2 * count * sizeof *flags); /* flags, then ids */
    size_t *lengths = (size_t *)allocate(count * sizeof *lengths);
    int status;

    for (uint64_t i = 0; i < count; i++) {
        bytes[i] = (const char *)question->patterns[i].bytes;
        lengths[i] = (size_t)question->patterns[i].bytes_count;
        flags[i] = question->record_bytes > 0 ? FLAG_ONCE : 0;
        flags[count + i] = (unsigned)i;
    }
    status = library.hs_compile_lit_multi(bytes, flags, flags + count, lengths, (unsigned)count,
                                          MODE_BLOCK, NULL, &made->database, &(void *){NULL});
    if (status == 0)
        status = library.hs_alloc_scratch(made->database, &made->scratch);
    if (status != 0)
        snprintf(run->why, sizeof run->why, "Hyperscan: error %d", status);
    free(bytes);
    free(flags);
    free(lengths);
    return status == 0;
}

/* Called by Hyperscan for each occurrence: counts the occurrence. */
static int count_one(unsigned id, unsigned long long from, unsigned long long to, unsigned flags,
                     void *context)
{
    (void)id;
    (void)from;
    (void)to;
    (void)flags;
    ++*(uint64_t *)context;
    return 0;
}

/* Scans blocks of less than 4 GiB: the text, or each record. */
static void run_hyperscan(struct contestant *it, bool full, struct bench_run *run)
{
    const struct question *question = it->question;
    struct hyperscan *own = (struct hyperscan *)it->state;
    double begin = clock_seconds();
    uint64_t bytes = question->record_bytes > 0 ? question->record_bytes : it->bytes;
    size_t held = 0;

    (void)full;
    if (!load()) {
        snprintf(run->why, sizeof run->why, "Hyperscan is not installed");
        return;
    }
    if (own->scratch == NULL) {
        if (!compile(question, own, run))
            return;
        run->part[PART_PLAN] = clock_seconds() - begin;
    }
    for (uint64_t at = 0; at + bytes <= it->bytes && bytes > 0; at += bytes)
        if (library.hs_scan(own->database, (const char *)question->bytes + at, (unsigned)bytes, 0,
                            own->scratch, count_one, &run->answer.count) != 0)
            fail("Hyperscan: a scan failed");
    run->seconds = clock_seconds() - begin;
    run->memory_bytes = library.hs_database_size(own->database, &held) == 0 ? held : 0;
}

static void close_hyperscan(struct contestant *it)
{
    struct hyperscan *own = (struct hyperscan *)it->state;

    if (own->scratch != NULL) {
        library.hs_free_scratch(own->scratch);
        library.hs_free_database(own->database);
    }
    free(own);
}

bool hyperscan_contestant(struct contestant *contestant, const char *kind)
{
    if (strcmp(kind, "hyperscan") != 0)
        return false;
    contestant->state = allocate(sizeof(struct hyperscan));
    contestant->run = run_hyperscan;
    contestant->close = close_hyperscan;
    return true;
}
