/* sim_sites: the places of kernels that the simulator has come through, and the mutated one. */
#include <string.h>

#include "simulator.h"

static struct sim_site seen[SIM_SITES_MAX];
static uint32_t site_count;
static struct sim_site mutated = {SIM_SITE_BARRIER, NULL, 0};

/* What was asked last, by a hash: kernels ask at each operation. */
#define ANSWERS_LOG2 12
static struct answer {
    struct sim_site site;
    bool is_mutated;
} answers[1u << ANSWERS_LOG2];

/* Notes the place if it is new, and says whether it is the mutated one. */
static bool site_look_up(enum sim_site_kind kind, const char *file, int line)
{
    uint32_t i = 0;

    /* By the name's text: a header included twice is the same place. */
    while (i < site_count &&
           (seen[i].line != line || seen[i].kind != kind || strcmp(seen[i].file, file) != 0))
        i++;
    if (i == site_count && i < SIM_SITES_MAX) {
        seen[i].kind = kind;
        seen[i].file = file;
        seen[i].line = line;
        site_count++;
    }
    return mutated.file != NULL && mutated.line == line && mutated.kind == kind &&
           strcmp(mutated.file, file) == 0;
}

bool sim_site_is_mutated(enum sim_site_kind kind, const char *file, int line)
{
    uint64_t hash = ((uintptr_t)file + (uint64_t)line * 4u + kind) * 0x9e3779b97f4a7c15u;
    struct answer *answer = &answers[hash >> (64 - ANSWERS_LOG2)];

    if (answer->site.file != file || answer->site.line != line || answer->site.kind != kind) {
        answer->is_mutated = site_look_up(kind, file, line);
        answer->site = (struct sim_site){kind, file, line};
    }
    return answer->is_mutated;
}

uint32_t sim_sites(struct sim_site *sites, uint32_t sites_max)
{
    uint32_t count = site_count < sites_max ? site_count : sites_max;

    memcpy(sites, seen, count * sizeof *sites);
    return count;
}

void sim_mutate(const struct sim_site *site)
{
    memset(answers, 0, sizeof answers);
    memset(&mutated, 0, sizeof mutated);
    if (site != NULL)
        mutated = *site;
}
