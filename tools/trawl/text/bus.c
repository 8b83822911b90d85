/* bus: the handler of SIGBUS, for commands and for servers. The handler calls only functions that
 * are safe in a signal handler. */
#include "trawl/text/bus.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trawl.h"

static struct sigaction former;
static uintptr_t page_bytes;

/* The file that bus_map mapped. */
static atomic_bool is_mapped;
static atomic_bool is_cut; /* pages were replaced by zeros */
static _Atomic uintptr_t map_begin;
static _Atomic uintptr_t map_end;

/* Replaces the pages from `address` to the end of the file that is mapped there. */
static bool repair(uintptr_t address)
{
    const uintptr_t page = address & ~(page_bytes - 1), end = atomic_load(&map_end);

    if (page < atomic_load(&map_begin) || page >= end)
        return false;
    atomic_store(&is_cut, true);
    /* NOLINTNEXTLINE(performance-no-int-to-ptr): an address within the mapping */
    return mmap((void *)page, end - page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
                0) != MAP_FAILED;
}

const uint8_t *bus_map(int descriptor, uint64_t bytes)
{
    void *base;

    if (atomic_exchange(&is_mapped, true))
        return NULL;
    bus_guard_maps();
    base = mmap(NULL, (size_t)bytes, PROT_READ, MAP_SHARED, descriptor, 0);
    atomic_store(&is_cut, false);
    if (base == MAP_FAILED) {
        atomic_store(&is_mapped, false);
        return NULL;
    }
    atomic_store(&map_begin, (uintptr_t)base);
    atomic_store(&map_end, (uintptr_t)base + (size_t)bytes);
    return (const uint8_t *)base;
}

bool bus_unmap(const uint8_t *base, uint64_t bytes, int descriptor)
{
    struct stat now;
    /* no signal tells that bytes of the last page alone are missing */
    const bool whole =
        !atomic_load(&is_cut) && (fstat(descriptor, &now) != 0 || (uint64_t)now.st_size >= bytes);

    atomic_store(&map_end, 0);
    (void)munmap((void *)(uintptr_t)base, (size_t)bytes);
    atomic_store(&is_mapped, false);
    return whole;
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
