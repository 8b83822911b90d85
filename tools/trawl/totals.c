/* totals: sums over all files, for --stats and --json. */
#include "trawl/totals.h"

#include <string.h>

void job_add_totals(struct job_totals *sum, const struct job_totals *more)
{
    sum->json.searches += more->json.searches;
    sum->json.with_match += more->json.with_match;
    sum->json.bytes_searched += more->json.bytes_searched;
    sum->json.bytes_printed += more->json.bytes_printed;
    sum->json.lines += more->json.lines;
    sum->json.matches += more->json.matches;
    sum->json.elapsed_ns += more->json.elapsed_ns;
    sum->file_count += more->file_count;
    sum->selected_count += more->selected_count;
    sum->text_bytes += more->text_bytes;
    sum->match_count += more->match_count;
    sum->candidate_count += more->candidate_count;
    sum->chunk_count += more->chunk_count;
    sum->device_chunk_count += more->device_chunk_count;
    sum->search_ns += more->search_ns;
    sum->device_copy_ns += more->device_copy_ns;
    sum->device_kernel_ns += more->device_kernel_ns;
    sum->child_grids += more->child_grids;
    sum->child_spills += more->child_spills;
    sum->child_withheld += more->child_withheld;
    sum->host_searched_ns += more->host_searched_ns;
    sum->host_ready_ns += more->host_ready_ns;
    sum->host_waited_ns += more->host_waited_ns;
    sum->devices_searched_ns += more->devices_searched_ns;
    sum->devices_waited_ns += more->devices_waited_ns;
    sum->output_ns += more->output_ns;
    for (uint32_t i = 0; i < TRAWL_METHODS_COUNT; i++)
        sum->method_bytes[i] += more->method_bytes[i];
    for (uint32_t i = TRAWL_BOUND_SOURCE; i <= TRAWL_BOUND_OUTPUT; i++)
        sum->bound_ns[i] += more->bound_ns[i];
    if (more->thread_count > sum->thread_count)
        sum->thread_count = more->thread_count;
    if (more->engine[0] == '\0')
        return;
    memcpy(sum->engine, more->engine, sizeof sum->engine);
    memcpy(sum->instruction_set, more->instruction_set, sizeof sum->instruction_set);
    memcpy(sum->note, more->note, sizeof sum->note);
}

static void last_workers(const struct command_job *job, struct job_totals *totals)
{
    struct trawl_worker_stats stats = {.size = sizeof stats};
    uint32_t count = 0;

    for (uint32_t i = 0; trawl_searcher_workers(job->searcher, i, &stats, &count, NULL) == TRAWL_OK;
         i++) {
        totals->host_ready_ns += stats.ready_ns;
        totals->host_searched_ns += i == 0 ? stats.search_ns : 0;
        totals->host_waited_ns += i == 0 ? stats.wait_ns : 0;
        totals->devices_searched_ns += i == 0 ? 0 : stats.search_ns;
        totals->devices_waited_ns += i == 0 ? 0 : stats.wait_ns;
        for (uint32_t m = 0; m < TRAWL_METHODS_COUNT; m++)
            totals->method_bytes[m] += stats.method_bytes[m];
    }
}

/* What the searcher's last call did. */
static struct job_totals last_totals(const struct command_job *job)
{
    struct trawl_stats stats = {.size = sizeof stats};
    struct job_totals totals = {0};

    if (trawl_searcher_stats(job->searcher, &stats, NULL) != TRAWL_OK)
        return totals;
    totals.text_bytes = stats.text_bytes;
    totals.match_count = stats.match_count;
    totals.candidate_count = stats.candidate_count;
    totals.chunk_count = stats.chunk_count;
    totals.device_chunk_count = stats.device_chunk_count;
    totals.search_ns = stats.wall_ns;
    totals.device_copy_ns = stats.device_copy_ns;
    totals.device_kernel_ns = stats.device_kernel_ns;
    totals.child_grids = stats.child_grids;
    totals.child_spills = stats.child_spills;
    totals.child_withheld = stats.child_withheld;
    totals.thread_count = stats.thread_count;
    totals.output_ns = stats.output_ns;
    if (stats.bound != TRAWL_BOUND_NONE)
        totals.bound_ns[stats.bound] = stats.wall_ns;
    last_workers(job, &totals);
    memcpy(totals.engine, stats.engine, sizeof totals.engine);
    memcpy(totals.instruction_set, stats.instruction_set, sizeof totals.instruction_set);
    memcpy(totals.note, stats.note, sizeof totals.note);
    return totals;
}

void job_add_stats(struct command_job *job)
{
    struct job_totals totals = last_totals(job);

    job_add_totals(&job->totals, &totals);
}

void job_add_passed(struct command_job *job, uint64_t file_count, uint64_t text_bytes)
{
    if (job->settings->stats) {
        struct job_totals totals = last_totals(job);

        totals.text_bytes = text_bytes;
        totals.match_count = 0; /* it is found once more in its file */
        job_add_totals(&job->totals, &totals);
    }
    job->totals.file_count += file_count;
}
