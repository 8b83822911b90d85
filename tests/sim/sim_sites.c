/* sim_sites: the places of kernels that the simulator has come through, and the mutated one. */
#include <string.h>

#include "simulator.h"

static struct sim_site seen[SIM_SITES_MAX];
static uint32_t site_count;
static struct sim_site mutated = {SIM_SITE_BARRIER, NULL, 0};

bool sim_site_is_mutated(enum sim_site_kind kind, const char *file, int line)
{
    uint32_t i = 0;

    while (i < site_count && (seen[i].line != line || seen[i].kind != kind || seen[i].file != file))
        i++;
    if (i == site_count) {
        for (i = 0; i < site_count; i++) /* a header included twice: the same place */
            if (seen[i].line == line && seen[i].kind == kind && strcmp(seen[i].file, file) == 0)
                break;
        if (i == site_count && i < SIM_SITES_MAX) {
            seen[i].kind = kind;
            seen[i].file = file;
            seen[i].line = line;
            site_count++;
        }
    }
    return mutated.file != NULL && mutated.line == line && mutated.kind == kind &&
           strcmp(mutated.file, file) == 0;
}

uint32_t sim_sites(struct sim_site *sites, uint32_t sites_max)
{
    uint32_t count = site_count < sites_max ? site_count : sites_max;

    memcpy(sites, seen, count * sizeof *sites);
    return count;
}

void sim_mutate(const struct sim_site *site)
{
    memset(&mutated, 0, sizeof mutated);
    if (site != NULL)
        mutated = *site;
}
