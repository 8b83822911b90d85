/* kernels: the scan kernels compiled for the simulator, and their table. */
#include <string.h>

#include "cuda/kernels/kernels.cu"
#include "simulator.h"

#define KERNELS(X) X(scan_every) X(scan_words) X(scan_sampled) X(scan_set) X(scan_read)

#define ROW(name) {#name, name##_entry, name##_arguments_bytes},
static const struct sim_kernel kernels[] = {KERNELS(ROW)};

const struct sim_kernel *sim_kernel_find(const char *name)
{
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        if (strcmp(kernels[i].name, name) == 0)
            return &kernels[i];
    return NULL;
}

const struct sim_constant *sim_constant_find(const char *name)
{
    (void)name;
    return NULL;
}
