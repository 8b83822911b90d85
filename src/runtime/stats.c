/* stats: converts the record of a searcher's last call for the public functions. */
#include "runtime/stats.h"

#include <inttypes.h>
#include <string.h>

#include "runtime/devices.h"
#include "runtime/engines.h"
#include "runtime/runtime.h"
#include "runtime/search.h"

void stats_add(struct trawl_stats *stats, const struct engine_result *result)
{
    stats->device_copy_ns += result->device_copy_ns;
    stats->device_kernel_ns += result->device_kernel_ns;
    stats->device_shifts_ns += result->device_shifts_ns;
    stats->device_back_ns += result->device_back_ns;
    stats->device_memory_ns += result->device_memory_ns;
    stats->device_host_ns += result->device_host_ns;
    stats->child_grids += result->child_grids;
    stats->child_spills += result->child_spills;
    stats->child_withheld += result->child_withheld;
    if (result->note != NULL)
        (void)snprintf(stats->note, sizeof stats->note, "%s", result->note);
}

static void one_kind(const struct work_done *done, struct trawl_worker_stats *stats)
{
    memset(stats, 0, sizeof *stats);
    stats->chunk_count = atomic_load(&done->chunks);
    stats->text_bytes = atomic_load(&done->bytes);
    stats->search_ns = atomic_load(&done->search_ns);
    stats->thread_count = atomic_load(&done->threads);
    for (uint32_t i = 0; i < TRAWL_METHODS_COUNT; i++)
        stats->method_bytes[i] = atomic_load(&done->method_bytes[i]);
}

void stats_tell(const struct trawl_searcher *searcher, struct trawl_stats *stats)
{
    const struct trawl_runtime *runtime = searcher->runtime;
    const struct call_record *done = &searcher->last;
    uint64_t brief = atomic_load(&searcher->brief.bytes_after);
    bool on_host;

    *stats = done->stats;
    if (brief > 0)
        *stats = (struct trawl_stats){.text_bytes = brief - 1,
                                      .chunk_count = 1,
                                      .match_count = atomic_load(&searcher->brief.count),
                                      .candidate_count = atomic_load(&searcher->brief.candidates),
                                      .thread_count = 1};
    else if (!done->ended)
        return;
    if (brief > 0 && runtime->engine == TRAWL_ENGINE_AUTO &&
        atomic_load(&runtime->devices.state) != DEVICES_NOT_ASKED)
        devices_failure(&searcher->runtime->devices, stats->note, sizeof stats->note);
    stats->cpu_chunk_count = stats->chunk_count - stats->device_chunk_count;
    on_host = runtime->engine != TRAWL_ENGINE_CUDA || stats->cpu_chunk_count > 0;
    (void)snprintf(stats->engine, sizeof stats->engine, "%s",
                   stats->device_chunk_count == 0 ? (on_host ? "cpu" : "cuda")
                   : stats->cpu_chunk_count == 0  ? "cuda"
                                                  : "cpu+cuda");
    if (on_host)
        (void)snprintf(stats->instruction_set, sizeof stats->instruction_set, "%s",
                       engine_for_host->instruction_set(runtime->host));
}

uint32_t stats_kinds(const struct trawl_searcher *searcher)
{
    return atomic_load(&searcher->brief.bytes_after) > 0 ? 1 : searcher->last.kinds;
}

void stats_tell_workers(const struct trawl_searcher *searcher, uint32_t index,
                        struct trawl_worker_stats *stats)
{
    const struct call_record *done = &searcher->last;
    uint64_t brief = atomic_load(&searcher->brief.bytes_after);

    TRAWL_ASSERT(index < stats_kinds(searcher));
    if (brief > 0) {
        *stats = (struct trawl_worker_stats){
            .name = "cpu", .chunk_count = 1, .text_bytes = brief - 1, .thread_count = 1};
        stats->method_bytes[atomic_load(&searcher->brief.method)] = brief - 1;
        return;
    }
    if (index == 0) {
        one_kind(&done->host, stats);
        (void)snprintf(stats->name, sizeof stats->name, "cpu");
        return;
    }
    one_kind(&done->device[index - 1], stats);
    (void)snprintf(stats->name, sizeof stats->name, "device %" PRIu32, index - 1);
}
