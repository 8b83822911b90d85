/* totals: sums over all files, for --stats and --json. Each worker adds to its own job's totals,
 * and pool_turns.c adds these to the caller's when the worker's files have their turn. */
#include "trawl/job/totals.h"
#include "trawl.h"
#if TRAWL_GALLERY
#include "trawl_gallery.h"
#include "trawl/options/settings.h"
#endif

#include <string.h>

/* Appends the changes that `more` keeps; sums.change_count is still that of `sum`. */
static void totals_kept(struct job_totals *sum, const struct job_totals *more)
{
    const uint64_t count = more->sums.change_count;
    uint64_t at = count > TRAWL_CHANGES_KEPT ? count - TRAWL_CHANGES_KEPT : 0;

    for (; at < count; at++)
        sum->changes[(sum->sums.change_count + at) % TRAWL_CHANGES_KEPT] =
            more->changes[at % TRAWL_CHANGES_KEPT];
}

static void add_way(struct job_totals *sum, const struct trawl_way *more)
{
    struct trawl_way *way = sum->ways, *end = sum->ways + TRAWL_WAYS_KEPT;

    while (way < end && way->name != NULL &&
           (strcmp(way->name, more->name) != 0 || strcmp(way->what, more->what) != 0))
        way++;
    if (way == end)
        return;
    if (way->name == NULL)
        *way = (struct trawl_way){.name = more->name};
    memcpy(way->what, more->what, sizeof way->what);
    way->bytes += more->bytes;
    way->read_bytes += more->read_bytes;
    way->asks += more->asks;
    way->ns += more->ns;
}

void totals_add(struct job_totals *sum, const struct job_totals *more)
{
    uint64_t *sums = (uint64_t *)&sum->sums;
    const uint64_t *others = (const uint64_t *)&more->sums;

    totals_kept(sum, more);
    for (uint32_t i = 0; i < TRAWL_WAYS_KEPT && more->ways[i].name != NULL; i++)
        add_way(sum, &more->ways[i]);
    for (size_t i = 0; i < sizeof sum->sums / sizeof *sums; i++)
        sums[i] += others[i];
    if (more->thread_count > sum->thread_count)
        sum->thread_count = more->thread_count;
    if (more->worker_count > sum->worker_count)
        sum->worker_count = more->worker_count;
    if (more->engine[0] == '\0')
        return;
    memcpy(sum->engine, more->engine, sizeof sum->engine);
    memcpy(sum->instruction_set, more->instruction_set, sizeof sum->instruction_set);
    memcpy(sum->note, more->note, sizeof sum->note);
}

/* Copies the last changes of method of the searcher's last call, which searched the text of the
 * file from offset `begin` on. */
static void last_changes(const struct command_job *job, const char *name, uint64_t begin,
                         struct job_totals *totals)
{
    struct trawl_change changes[TRAWL_CHANGES_KEPT];
    const size_t length = strlen(name), room = sizeof totals->changes[0].name - 1;
    uint64_t kept = 0;

    if (trawl_searcher_changes(job->searcher, changes, TRAWL_CHANGES_KEPT, &kept, NULL) != TRAWL_OK)
        return;
    for (uint64_t i = 0; i < kept; i++) {
        struct job_method_change *change =
            &totals->changes[(totals->sums.change_count - kept + i) % TRAWL_CHANGES_KEPT];

        change->of = changes[i];
        change->of.offset += begin;
        memcpy(change->name, name + (length > room ? length - room : 0),
               length > room ? room + 1 : length + 1);
    }
}

/* Takes what a published algorithm did on devices. */
static void add_algorithm(const struct trawl_searcher *searcher, struct job_sums *sums)
{
#if TRAWL_GALLERY
    struct trawl_algorithm_stats stats = {.size = sizeof stats};

    if (trawl_searcher_algorithm_stats(searcher, &stats, NULL) != TRAWL_OK)
        return;
    sums->device_copy_ns = stats.device_copy_ns;
    sums->device_back_ns = stats.device_back_ns;
    sums->device_kernel_ns = stats.device_kernel_ns;
    sums->device_shifts_ns = stats.device_shifts_ns;
    sums->device_host_ns = stats.device_host_ns;
    sums->child_grids = stats.child_grids;
    sums->child_spills = stats.child_spills;
    sums->child_withheld = stats.child_withheld;
#else
    (void)searcher;
    (void)sums;
#endif
}

/* Returns what the searcher's last call did. */
static struct job_totals last_totals(const struct command_job *job, const char *name,
                                     uint64_t begin)
{
    struct trawl_stats stats = {.size = sizeof stats};
    struct job_totals totals = {0};
    uint64_t ways;

    if (trawl_searcher_stats(job->searcher, &stats, NULL) != TRAWL_OK ||
        trawl_searcher_ways(job->searcher, totals.ways, TRAWL_WAYS_KEPT, &ways, NULL) != TRAWL_OK)
        return totals;
    totals.sums.text_bytes = stats.text_bytes;
    totals.sums.match_count = stats.match_count;
    totals.sums.candidate_count = stats.candidate_count;
    totals.sums.chunk_count = stats.chunk_count;
    totals.sums.device_chunk_count = stats.device_chunk_count;
    totals.sums.search_ns = stats.wall_ns;
    add_algorithm(job->searcher, &totals.sums);
    totals.sums.change_count = stats.change_count;
    last_changes(job, name, begin, &totals);
    totals.thread_count = stats.thread_count;
    memcpy(totals.engine, stats.engine, sizeof totals.engine);
    memcpy(totals.instruction_set, stats.instruction_set, sizeof totals.instruction_set);
    memcpy(totals.note, stats.note, sizeof totals.note);
    do
        for (uint32_t m = 0; m < TRAWL_METHODS_COUNT; m++)
            totals.sums.method_bytes[m] += stats.worker_method_bytes[m];
    while (++stats.worker < stats.worker_count &&
           trawl_searcher_stats(job->searcher, &stats, NULL) == TRAWL_OK);
    return totals;
}

void totals_add_stats(struct command_job *job, const char *name, uint64_t begin)
{
    struct job_totals totals = last_totals(job, name, begin);

    totals_add(&job->totals, &totals);
}

void totals_add_passed(struct command_job *job, uint64_t file_count, uint64_t text_bytes)
{
    if (job->settings->stats) {
        struct job_totals totals = last_totals(job, "", 0);

        totals.sums.text_bytes = text_bytes;
        totals.sums.match_count = 0; /* the match is counted again when the file is searched */
        totals_add(&job->totals, &totals);
    }
    job->totals.sums.file_count += file_count;
    job->totals.sums.json.searches += file_count;
    job->totals.sums.json.bytes_searched += text_bytes;
}
