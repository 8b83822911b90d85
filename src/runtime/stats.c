/* stats: what a call did, for trawl_searcher_stats. */
#include "runtime/stats.h"

#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "base/clock.h"
#include "runtime/devices.h"
#include "runtime/runtime.h"
#include "runtime/search.h"

/* snprintf takes more instructions than all else that ends a search of some KiB. */
static void copy_name(char *to, size_t room, const char *from)
{
    size_t bytes_count = strnlen(from, room - 1);

    memcpy(to, from, bytes_count);
    to[bytes_count] = '\0';
}

void stats_add(struct trawl_stats *stats, const struct engine_result *result)
{
    stats->candidate_count += result->candidate_count;
    stats->device_copy_ns += result->device_copy_ns;
    stats->device_kernel_ns += result->device_kernel_ns;
    stats->device_back_ns += result->device_back_ns;
    stats->device_memory_ns += result->device_memory_ns;
    stats->device_host_ns += result->device_host_ns;
    stats->child_grids += result->child_grids;
    stats->child_spills += result->child_spills;
    stats->child_withheld += result->child_withheld;
    if (result->note != NULL)
        (void)snprintf(stats->note, sizeof stats->note, "%s", result->note);
}

void stats_finish(struct trawl_searcher *searcher, struct trawl_stats *stats, uint64_t begin_ns)
{
    struct trawl_runtime *runtime = searcher->runtime;
    const char *alone = runtime->engine == TRAWL_ENGINE_CUDA ? "cuda" : "cpu";

    stats->wall_ns = clock_now_ns() - begin_ns;
    stats->cpu_chunk_count = stats->chunk_count - stats->device_chunk_count;
    copy_name(stats->engine, sizeof stats->engine,
              stats->device_chunk_count == 0 ? alone
              : stats->cpu_chunk_count == 0  ? "cuda"
                                             : "cpu+cuda");
    if (runtime->engine == TRAWL_ENGINE_AUTO && stats->note[0] == '\0')
        devices_note(&runtime->devices, stats->note, sizeof stats->note);
    if (runtime->engine != TRAWL_ENGINE_CUDA)
        copy_name(stats->instruction_set, sizeof stats->instruction_set,
                  runtime->host_properties.instruction_set);
    searcher->stats = *stats;
    searcher->workers_count = 0;
}

/* `also_ns`: what else its threads did for the call. */
static void one_kind(const struct search *search, const struct work_done *done, const char *name,
                     uint64_t also_ns, struct trawl_worker_stats *stats)
{
    uint64_t busy = atomic_load(&done->search_ns) + also_ns, there;

    memset(stats, 0, sizeof *stats);
    copy_name(stats->name, sizeof stats->name, name);
    stats->chunk_count = atomic_load(&done->chunks);
    stats->text_bytes = atomic_load(&done->bytes);
    stats->search_ns = atomic_load(&done->search_ns);
    stats->ready_ns = atomic_load(&done->ready_ns);
    stats->thread_count = atomic_load(&done->threads);
    there = saturating_multiply(stats->thread_count, search->searcher->stats.wall_ns);
    stats->wait_ns = there - min_u64(there, busy);
}

static uint64_t for_each(uint64_t ns, uint32_t threads)
{
    return ns / max_u64(threads, 1);
}

/* Threads of the host also make chunks ready for devices. */
static uint64_t ready_by_host(const struct search *search, uint32_t devices)
{
    uint64_t ns = atomic_load(&search->host.ready_ns);

    for (uint32_t i = 0; i < devices; i++)
        ns += atomic_load(&search->device[i].ready_ns);
    return ns;
}

static enum trawl_bound bound_of(const struct search *search, uint32_t devices)
{
    bool in_memory = search->cursor.text->kind == TEXT_MEMORY;
    uint32_t threads = atomic_load(&search->host.threads);
    uint64_t ready = ready_by_host(search, devices), most = 0;
    uint64_t spent[TRAWL_BOUND_OUTPUT + 1] = {0};
    enum trawl_bound bound = TRAWL_BOUND_NONE;

    for (uint32_t i = 0; i < devices; i++) {
        const struct work_done *done = &search->device[i];

        spent[TRAWL_BOUND_DEVICES] =
            max_u64(spent[TRAWL_BOUND_DEVICES],
                    for_each(atomic_load(&done->search_ns), atomic_load(&done->threads)));
    }
    spent[in_memory ? TRAWL_BOUND_COPIES : TRAWL_BOUND_SOURCE] = for_each(ready, threads);
    spent[TRAWL_BOUND_SEARCH] = for_each(atomic_load(&search->host.search_ns), threads);
    spent[TRAWL_BOUND_OUTPUT] = search->deliver_ns;
    for (uint32_t i = TRAWL_BOUND_SOURCE; i <= TRAWL_BOUND_OUTPUT; i++)
        if (spent[i] > most) {
            most = spent[i];
            bound = (enum trawl_bound)i;
        }
    return bound;
}

void stats_workers(struct search *search)
{
    struct trawl_searcher *searcher = search->searcher;
    struct devices *devices = &searcher->runtime->devices;
    uint32_t count = devices_are_ready(devices) ? devices->device_count : 0;

    one_kind(search, &search->host, "cpu", ready_by_host(search, count) + search->deliver_ns,
             &searcher->workers[0]);
    for (uint32_t i = 0; i < count; i++) {
        char name[32];

        (void)snprintf(name, sizeof name, "device %" PRIu32, i);
        one_kind(search, &search->device[i], name, 0, &searcher->workers[1 + i]);
    }
    searcher->workers_count = 1 + count;
    searcher->stats.bound = bound_of(search, count);
    searcher->stats.output_ns = search->deliver_ns;
}
