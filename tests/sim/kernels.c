/* kernels: the scan kernels compiled for the simulator, and their table. */
#include <string.h>

#include "cuda/kernels/kernels.cu"
#include "simulator.h"

#define KERNELS(X) X(scan_every) X(scan_words) X(scan_sampled) X(scan_set) X(scan_read)

/* By value for each thread, as a device gets its arguments. */
#define ENTRY(name)                                      \
    static void name##_entry(const void *arguments)      \
    {                                                    \
        name(*(const struct scan_arguments *)arguments); \
    }
KERNELS(ENTRY)

#define ROW(name) {#name, name##_entry, sizeof(struct scan_arguments)},
static const struct sim_kernel kernels[] = {KERNELS(ROW)};

const struct sim_kernel *sim_kernel_find(const char *name)
{
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        if (strcmp(kernels[i].name, name) == 0)
            return &kernels[i];
    return NULL;
}
