/* stats: converts the record of a searcher's last call for trawl_searcher_stats and
 * trawl_searcher_workers. */
#include "runtime/stats.h"

#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
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

/* Fills *stats for the workers of a kind. `also_ns` is the time that these threads spent on the
 * call beside searching. */
static void one_kind(const struct call_record *call, const struct work_done *done, uint64_t also_ns,
                     struct trawl_worker_stats *stats)
{
    uint64_t busy = atomic_load(&done->search_ns) + also_ns, there;

    memset(stats, 0, sizeof *stats);
    stats->chunk_count = atomic_load(&done->chunks);
    stats->text_bytes = atomic_load(&done->bytes);
    stats->search_ns = atomic_load(&done->search_ns);
    stats->ready_ns = atomic_load(&done->ready_ns);
    stats->thread_count = atomic_load(&done->threads);
    for (uint32_t i = 0; i < TRAWL_METHODS_COUNT; i++)
        stats->method_bytes[i] = atomic_load(&done->method_bytes[i]);
    there = saturating_multiply(stats->thread_count, call->stats.wall_ns);
    stats->wait_ns = there - min_u64(there, busy);
}

static uint64_t for_each(uint64_t ns, uint32_t threads)
{
    return ns / max_u64(threads, 1);
}

/* Returns the time that host threads spent on making chunks ready, for themselves and for
 * devices. */
static uint64_t ready_by_host(const struct call_record *done)
{
    uint64_t ns = atomic_load(&done->host.ready_ns);

    for (uint32_t i = 0; i + 1 < done->kinds; i++)
        ns += atomic_load(&done->device[i].ready_ns);
    return ns;
}

static enum trawl_bound bound_of(const struct call_record *done)
{
    uint32_t threads = atomic_load(&done->host.threads);
    uint64_t ready = ready_by_host(done), most = 0;
    uint64_t spent[TRAWL_BOUND_OUTPUT + 1] = {0};
    enum trawl_bound bound = TRAWL_BOUND_NONE;

    for (uint32_t i = 0; i + 1 < done->kinds; i++) {
        const struct work_done *device = &done->device[i];

        spent[TRAWL_BOUND_DEVICES] =
            max_u64(spent[TRAWL_BOUND_DEVICES],
                    for_each(atomic_load(&device->search_ns), atomic_load(&device->threads)));
    }
    spent[done->in_memory ? TRAWL_BOUND_COPIES : TRAWL_BOUND_SOURCE] = for_each(ready, threads);
    spent[TRAWL_BOUND_SEARCH] = for_each(atomic_load(&done->host.search_ns), threads);
    spent[TRAWL_BOUND_OUTPUT] = done->deliver_ns;
    for (uint32_t i = TRAWL_BOUND_SOURCE; i <= TRAWL_BOUND_OUTPUT; i++)
        if (spent[i] > most) {
            most = spent[i];
            bound = (enum trawl_bound)i;
        }
    return bound;
}

void stats_tell(const struct trawl_searcher *searcher, struct trawl_stats *stats)
{
    const struct trawl_runtime *runtime = searcher->runtime;
    const struct call_record *done = &searcher->last;
    struct engine_properties host;
    bool on_host;

    *stats = done->stats;
    if (!done->ended)
        return;
    stats->cpu_chunk_count = stats->chunk_count - stats->device_chunk_count;
    on_host = runtime->engine != TRAWL_ENGINE_CUDA || stats->cpu_chunk_count > 0;
    (void)snprintf(stats->engine, sizeof stats->engine, "%s",
                   stats->device_chunk_count == 0 ? (on_host ? "cpu" : "cuda")
                   : stats->cpu_chunk_count == 0  ? "cuda"
                                                  : "cpu+cuda");
    if (on_host) {
        engine_for_host->properties(runtime->host, &host);
        (void)snprintf(stats->instruction_set, sizeof stats->instruction_set, "%s",
                       host.instruction_set);
    }
    if (done->kinds > 0)
        stats->bound = bound_of(done);
    stats->output_ns = done->deliver_ns;
}

void stats_tell_workers(const struct trawl_searcher *searcher, uint32_t index,
                        struct trawl_worker_stats *stats)
{
    const struct call_record *done = &searcher->last;

    TRAWL_ASSERT(index < done->kinds);
    if (index == 0) {
        one_kind(done, &done->host, ready_by_host(done) + done->deliver_ns, stats);
        (void)snprintf(stats->name, sizeof stats->name, "cpu");
        return;
    }
    one_kind(done, &done->device[index - 1], 0, stats);
    (void)snprintf(stats->name, sizeof stats->name, "device %" PRIu32, index - 1);
}
