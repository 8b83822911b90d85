/* stats: what a call did, for the searcher to tell. */
#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "runtime/search.h"

/* snprintf takes more instructions than all else that ends a search of some KiB. */
static void copy_name(char *to, size_t room, const char *from)
{
    size_t bytes_count = strnlen(from, room - 1);

    memcpy(to, from, bytes_count);
    to[bytes_count] = '\0';
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
}

static void one_kind(const struct work_done *done, const char *name,
                     struct trawl_worker_stats *stats)
{
    memset(stats, 0, sizeof *stats);
    copy_name(stats->name, sizeof stats->name, name);
    stats->chunk_count = atomic_load(&done->chunks);
    stats->text_bytes = atomic_load(&done->bytes);
    stats->search_ns = atomic_load(&done->search_ns);
    stats->ready_ns = atomic_load(&done->ready_ns);
}

void stats_workers(struct search *search)
{
    struct trawl_searcher *searcher = search->searcher;
    struct devices *devices = &searcher->runtime->devices;
    uint32_t count = devices_are_ready(devices) ? devices->device_count : 0;

    one_kind(&search->host, "cpu", &searcher->workers[0]);
    for (uint32_t i = 0; i < count; i++) {
        char name[32];

        (void)snprintf(name, sizeof name, "device %" PRIu32, i);
        one_kind(&search->device[i], name, &searcher->workers[1 + i]);
    }
    searcher->workers_count = 1 + count;
}
