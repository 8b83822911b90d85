/* papers_order: who comes when in a round. */
#include "bench/papers.h"

bool contestant_on_device(const struct contestant *contestant)
{
    return contestant->host == HOST_GPU || contestant->host == HOST_GPU_OWN;
}

uint32_t race_at(const struct race *race, uint32_t round, uint32_t place)
{
    uint32_t count[2] = {0, 0}, wanted, seen = 0;
    bool device;

    for (uint32_t i = 0; i < race->count; i++)
        count[contestant_on_device(&race->contestant[i])]++;
    device = place >= count[0];
    wanted = device ? place - count[0] : place;
    wanted = (wanted + round) % count[device];
    for (uint32_t i = 0; i < race->count; i++)
        if (contestant_on_device(&race->contestant[i]) == device && seen++ == wanted)
            return i;
    return 0; /* of a place beyond the last */
}
