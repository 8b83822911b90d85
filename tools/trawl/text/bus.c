/* bus: the handler of SIGBUS, for commands and for servers. The handler calls only functions that
 * are safe in a signal handler. */
#include "trawl/text/bus.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#include "trawl.h"

#define MAPS_MAX 64u

static struct sigaction former;
static uintptr_t page_bytes;

/* The files that bus_map mapped. */
static struct map {
    _Atomic uintptr_t begin; /* 0: the place is free, or not filled yet */
    _Atomic uint64_t bytes;  /* 0: the place is free */
    atomic_bool is_cut;      /* pages were replaced by zeros */
} maps[MAPS_MAX];

/* Replaces the pages from `address` to the end of the file that is mapped there. */
static bool repair(uintptr_t address)
{
    for (uint32_t i = 0; i < MAPS_MAX; i++) {
        const uintptr_t begin = atomic_load(&maps[i].begin), end = begin + maps[i].bytes;
        const uintptr_t page = address & ~(page_bytes - 1);

        if (begin == 0 || address < begin || page >= end)
            continue;
        atomic_store(&maps[i].is_cut, true);
        /* NOLINTNEXTLINE(performance-no-int-to-ptr): an address within the mapping */
        return mmap((void *)page, end - page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
                    -1, 0) != MAP_FAILED;
    }
    return false;
}

const uint8_t *bus_map(int descriptor, uint64_t bytes)
{
    for (uint32_t i = 0; i < MAPS_MAX; i++) {
        uint64_t free = 0;
        void *base;

        if (!atomic_compare_exchange_strong(&maps[i].bytes, &free, bytes))
            continue;
        bus_guard_maps();
        base = mmap(NULL, (size_t)bytes, PROT_READ, MAP_SHARED, descriptor, 0);
        atomic_store(&maps[i].is_cut, false);
        atomic_store(base == MAP_FAILED ? &maps[i].bytes : &maps[i].begin,
                     base == MAP_FAILED ? 0 : (uintptr_t)base);
        return base == MAP_FAILED ? NULL : (const uint8_t *)base;
    }
    return NULL;
}

bool bus_unmap(const uint8_t *base, uint64_t bytes)
{
    struct map *map = maps;
    bool is_cut;

    while (atomic_load(&map->begin) != (uintptr_t)base)
        map++;
    is_cut = atomic_load(&map->is_cut);
    atomic_store(&map->begin, 0);
    (void)munmap((void *)(uintptr_t)base, (size_t)bytes);
    atomic_store(&map->bytes, 0);
    return !is_cut;
}

static void at_bus(int signal, siginfo_t *information, void *context)
{
    (void)context;
    if (information->si_code > 0 &&
        (trawl_map_repair(information->si_addr) || repair((uintptr_t)information->si_addr)))
        return;
    /* Not a fault of a mapping. A fault occurs again when the instruction is repeated; a signal
     * that another process sent has to be raised again. */
    (void)sigaction(SIGBUS, &former, NULL);
    if (information->si_code <= 0)
        (void)raise(signal);
}

static void install(void)
{
    struct sigaction action = {0};

    page_bytes = (uintptr_t)sysconf(_SC_PAGESIZE);
    action.sa_sigaction = at_bus;
    action.sa_flags = SA_SIGINFO;
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SIGBUS, &action, &former);
}

void bus_guard_maps(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    (void)pthread_once(&once, install);
}
