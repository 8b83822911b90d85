/* mutant: which switch is on in this program, and which it came to.
 *
 * TRAWL_MUTANT is a switch's number, or a file that keeps a byte for each: all processes of a test
 * share it, also those that end by a signal. System calls are made directly: tests replace the C
 * library's functions. */
#include "mutant.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static unsigned char nowhere[TRAWL_MUTANTS + 1];
unsigned trawl_mutant;
unsigned char *trawl_mutant_seen = nowhere;

extern const unsigned __start_trawl_mutant_sites[] __attribute__((weak, visibility("hidden")));
extern const unsigned __stop_trawl_mutant_sites[] __attribute__((weak, visibility("hidden")));

__attribute__((constructor(101))) static void mutant_begin(void)
{
    const char *value = getenv("TRAWL_MUTANT");
    long file, memory;

    if (value == NULL || *value != '/') {
        trawl_mutant = value == NULL ? 0 : (unsigned)strtoul(value, NULL, 10);
        return;
    }
    file = syscall(SYS_openat, AT_FDCWD, value, O_RDWR);
    if (file < 0)
        return;
    memory = syscall(SYS_mmap, NULL, sizeof nowhere, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0L);
    (void)syscall(SYS_close, file);
    if (memory == -1)
        return;
    trawl_mutant_seen = (unsigned char *)memory;
    for (const unsigned *site = __start_trawl_mutant_sites; site < __stop_trawl_mutant_sites;
         site++)
        __atomic_fetch_or(&trawl_mutant_seen[*site], TRAWL_MUTANT_IN_PROGRAM, __ATOMIC_RELAXED);
}
