/* hyperscan: see bench.h. The few declarations are those of the library's C interface, version
 * 5, which also Vectorscan has. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/bench.h"

#define MODE_BLOCK 1u
#define FLAG_ONCE 8u

typedef int (*on_match)(unsigned id, unsigned long long from, unsigned long long to, unsigned flags,
                        void *context);

/* The library's functions, by their names there. */
static struct {
    const char *(*hs_version)(void);
    int (*hs_compile_lit_multi)(const char *const *expressions, const unsigned *flags,
                                const unsigned *ids, const size_t *lens, unsigned elements,
                                unsigned mode, const void *platform, void **database, void **error);
    int (*hs_alloc_scratch)(const void *database, void **scratch);
    int (*hs_scan)(const void *database, const char *data, unsigned length, unsigned flags,
                   void *scratch, on_match event, void *context);
    int (*hs_database_size)(const void *database, size_t *size);
    int (*hs_free_database)(void *database);
    int (*hs_free_scratch)(void *scratch);
} library;

struct hyperscan {
    void *database, *scratch;
};

static bool find(void *handle, const char *name, void *function)
{
    *(void **)function = dlsym(handle, name);
    return *(void **)function != NULL;
}

static bool load(void)
{
    static bool asked, found;
    void *handle;

    if (asked)
        return found;
    asked = true;
    handle = dlopen("libhs.so.5", RTLD_NOW);
    if (handle == NULL)
        return false;
#define FIND(name) find(handle, #name, (void *)&library.name)
    found = FIND(hs_version) && FIND(hs_compile_lit_multi) && FIND(hs_alloc_scratch) &&
            FIND(hs_scan) && FIND(hs_database_size) && FIND(hs_free_database) &&
            FIND(hs_free_scratch);
#undef FIND
    return found;
}

const char *hyperscan_version(void)
{
    return load() ? library.hs_version() : NULL;
}

struct hyperscan *hyperscan_compile(const struct trawl_pattern *patterns, uint64_t pattern_count,
                                    bool once, char *why, uint64_t why_bytes)
{
    const char **bytes = (const char **)allocate(pattern_count * sizeof *bytes);
    unsigned *flags = (unsigned *)allocate(2 * pattern_count * sizeof *flags);
    size_t *lengths = (size_t *)allocate(pattern_count * sizeof *lengths);
    struct hyperscan *made = (struct hyperscan *)allocate(sizeof *made);
    int status = load() ? 0 : 1;

    snprintf(why, (size_t)why_bytes, "%s", status == 0 ? "" : "Hyperscan is not installed");
    for (uint64_t i = 0; i < pattern_count; i++) { /* flags, then numbers */
        bytes[i] = (const char *)patterns[i].bytes;
        lengths[i] = (size_t)patterns[i].bytes_count;
        flags[i] = once ? FLAG_ONCE : 0;
        flags[pattern_count + i] = (unsigned)i;
    }
    if (status == 0) {
        status = library.hs_compile_lit_multi(bytes, flags, flags + pattern_count, lengths,
                                              (unsigned)pattern_count, MODE_BLOCK, NULL,
                                              &made->database, &(void *){NULL});
        if (status != 0 || library.hs_alloc_scratch(made->database, &made->scratch) != 0)
            snprintf(why, (size_t)why_bytes, "Hyperscan: error %d", status);
    }
    free(bytes);
    free(flags);
    free(lengths);
    if (why[0] == '\0')
        return made;
    free(made);
    return NULL;
}

void hyperscan_free(struct hyperscan *hyperscan)
{
    if (hyperscan == NULL)
        return;
    library.hs_free_scratch(hyperscan->scratch);
    library.hs_free_database(hyperscan->database);
    free(hyperscan);
}

uint64_t hyperscan_bytes(const struct hyperscan *hyperscan)
{
    size_t bytes = 0;

    return library.hs_database_size(hyperscan->database, &bytes) == 0 ? bytes : 0;
}

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

uint64_t hyperscan_count(struct hyperscan *hyperscan, const uint8_t *bytes, uint64_t bytes_count)
{
    uint64_t count = 0;

    if (library.hs_scan(hyperscan->database, (const char *)bytes, (unsigned)bytes_count, 0,
                        hyperscan->scratch, count_one, &count) != 0)
        fail("Hyperscan: a scan failed");
    return count;
}
