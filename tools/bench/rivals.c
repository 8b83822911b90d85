/* rivals: see rivals.h. */
#include <inttypes.h>
#include <string.h>

#include "bench/rivals.h"

static void take(struct rival_result *result, const struct rival_run *run, bool timed)
{
    bool compiles = run->compile_seconds > 0;

    if (result->last.table_bytes > run->table_bytes && !compiles) {
        uint64_t table_bytes = result->last.table_bytes; /* of the run that compiled */

        result->last = *run;
        result->last.table_bytes = table_bytes;
    } else {
        result->last = *run;
    }
    result->right = result->right && run->count == run->expected && !run->others;
    if (compiles)
        samples_add(&result->compile, run->compile_seconds);
    if (timed)
        samples_add(&result->work, run->seconds / run->share);
}

static void run_one(struct rivals *rivals, struct rivals_row *row, struct rival_result *result,
                    const struct rival *contestant, void *context, bool timed)
{
    struct rival_run run = {.share = 1};

    contestant->run(context, &run);
    if (run.why[0] != '\0') {
        result->last = run;
        return;
    }
    take(result, &run, timed);
    if (result->right || !result->ours)
        return;
    printf("WRONG: %s: %s finds %" PRIu64 ", expected %" PRIu64 "%s\n", row->name, result->name,
           run.count, run.expected, run.others ? " others" : "");
    rivals->wrong = true;
}

void rivals_measure(struct rivals *rivals, struct rivals_row *row, const struct rival *contestants,
                    uint32_t count, void *context, const struct options *options)
{
    row->count = count;
    for (uint32_t i = 0; i < count && !rivals->wrong; i++) {
        row->result[i] = (struct rival_result){
            .name = contestants[i].name, .ours = contestants[i].ours, .right = true};
        run_one(rivals, row, &row->result[i], &contestants[i], context, false);
    }
    for (uint32_t round = 0; round < options->rounds && !rivals->wrong; round++)
        for (uint32_t i = 0; i < count && !rivals->wrong; i++) {
            uint32_t turn = (i + round) % count;

            if (row->result[turn].last.why[0] == '\0')
                run_one(rivals, row, &row->result[turn], &contestants[turn], context, true);
        }
}

static const struct rival_result *find(const struct rivals_row *row, const char *name)
{
    for (uint32_t i = 0; i < row->count; i++)
        if (strcmp(row->result[i].name, name) == 0 && row->result[i].right &&
            row->result[i].work.count > 0)
            return &row->result[i];
    return NULL;
}

double rivals_ratio(const struct rivals_row *row, const struct rivals_bar *bar)
{
    const struct rival_result *ours = find(row, bar->faster), *other = find(row, bar->than);
    double least, most;

    if (ours == NULL || other == NULL)
        return 0;
    least = samples_median(bar->compile ? &ours->compile : &ours->work);
    most = samples_median(bar->compile ? &other->compile : &other->work);
    return least > 0 ? most / least : 0;
}
