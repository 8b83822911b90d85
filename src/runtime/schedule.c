/* schedule: decides who searches a text, how long chunks are, and how many workers help
 *
 * Chunks are short at the beginning, so that a first result and the speed are known soon, and at
 * the end, so that no thread waits long for the last one. Helpers are woken if the rest of the
 * search would take longer than waking them.
 */
#include "runtime/schedule.h"

#include "base/checked.h"
#include "base/clock.h"
#include "base/cores.h"
#include "plan/parts.h"
#include "runtime/buffers.h"
#include "runtime/device_threads.h"
#include "runtime/devices.h"
#include "runtime/engines.h"
#include "runtime/runtime.h"
#include "runtime/search.h"
#include "runtime/workers.h"
#include "runtime/schedule.def"

#define SIZES                                                                                    \
    {                                                                                            \
        .first = 2 * CHUNK_DEVICE, .min = CHUNK_MEMORY, .max = 256u << 20, .shared = LONG_BYTES, \
        .hits = 1u << 17, .helped = 1u << 16, .host = UINT32_MAX - 1                             \
    }
const struct resident_sizes resident_sizes_default = SIZES;
struct resident_sizes resident_sizes = SIZES;
#undef SIZES

/* With engine AUTO, a search starts to open the devices once the runtime's searches of long texts
 * have taken this long. (Loading a text opens them immediately.) Opening them earlier does not pay:
 * closing the runtime may have to wait a third of a second for that. */
static uint64_t open_after_ns = 1000000000;

void schedule_open_after(uint64_t ns)
{
    open_after_ns = ns;
}

/* ---- Schedule ----------------------------------------------------------------------------- */

/* Returns the length of a chunk: `bytes`, or more if the plan's chunks overlap much. */
static uint64_t fit_need(const struct trawl_plan *plan, uint64_t bytes)
{
    return min_u64(max_u64(bytes, saturating_multiply(plan->need_after, CHUNK_PER_NEED)),
                   CHUNK_MAX);
}

/* Returns true if a device finds matches of expressions for the sink, which several workers bring
 * to the host. A text that the host cannot read cannot be cut at its lines. */
static bool brings_found(const struct search *search, const struct trawl_text *text)
{
    return search->job.plan->found != NULL && search->sink->want == WANT_HITS &&
           search->sink->form == ANSWER_OF_HITS && !text_is_hidden(text);
}

/* Returns the length of a chunk of a loaded text. If no hits are needed, one chunk is best: nothing
 * is copied, and each chunk costs a launch. The engine itself divides a chunk that is too long for
 * a device's 32-bit counts. */
static uint64_t resident_chunk(const struct search *search, const struct trawl_text *text)
{
    const uint64_t bytes = text->bytes_count;
    const struct trawl_plan *plan = search->job.plan;
    enum want want = search->sink->want;
    uint64_t max;

    if ((search->answers && !brings_found(search, text)) ||
        (want == WANT_COUNT && plan_counts_alone(plan)))
        return max_u64(bytes, CHUNK_MAX);
    if ((want == WANT_COUNT && !search->job.kind->judges) || want == WANT_FIRST)
        return CHUNK_MAX;
    max = resident_sizes.max;
    if (search->sink->digest == NULL)
        return max;
    return min_u64(max, max_u64(bytes / CHUNK_DIGEST_PARTS, CHUNK_DEVICE));
}

/* Returns the bytes of text per occurrence in the searcher's last search; 0 if that had another
 * plan. */
static uint64_t bytes_per_hit(const struct trawl_searcher *searcher, const struct trawl_plan *plan)
{
    if (searcher->last_found.serial != plan->serial || searcher->last_found.bytes == 0)
        return 0;
    return searcher->last_found.bytes / (searcher->last_found.hits + 1) + 1;
}

/* Sets the lengths of chunks if hits may be frequent: by the hits of the last search with this plan
 * or, if there was none, short at first. Returns true if the caller should search alone, because
 * few hits are expected and there is no other work to share: no digest, which may read the whole
 * text, and no candidates for the host to verify. */
static bool choose_frequent(struct search *search, uint64_t text_bytes, uint64_t *shared)
{
    const struct trawl_plan *plan = search->job.plan;
    uint64_t per_hit = bytes_per_hit(search->searcher, plan), max = search->chunk_device;

    if (per_hit > 0 && text_bytes / per_hit <= resident_sizes.hits &&
        search->sink->digest == NULL && !search->job.kind->judges) {
        search->chunk_device = CHUNK_MAX;
        return true;
    }
    /* not for regular expressions, whose length_min is 1 */
    if (plan->found == NULL && plan->literal_count == 1 && plan->length_min >= RARE_BYTES)
        return false;
    search->chunk_max = max;
    search->rate_known = per_hit > 0;
    search->chunk_device =
        min_u64(max, per_hit > 0 ? max_u64(saturating_multiply(per_hit, resident_sizes.hits),
                                           resident_sizes.min)
                                 : resident_sizes.first);
    *shared = min_u64(*shared, resident_sizes.shared);
    return false;
}

/* Returns true if the whole text is loaded; *is_split says that it is divided over several devices.
 * If only a part is loaded, the text is searched as if nothing were: the rest must be copied, and
 * all threads help with that. */
static bool is_resident(const struct search *search, const struct trawl_text *text, bool *is_split)
{
    const struct devices *devices = &search->job.runtime->devices;

    return text->kind == TEXT_MEMORY && devices_are_usable(devices) &&
           devices_hold_text(devices, search->job.plan, text, is_split);
}

static void choose_resident(struct search *search, const struct trawl_text *text, bool is_split)
{
    /* Even for a count, an approximate search or regular expressions list candidates, which the
     * host verifies, and several workers share that work. */
    bool lists = (!search->answers || brings_found(search, text)) &&
                 search->sink->want != WANT_FIRST && !search->sink->digest_adds &&
                 (search->sink->want != WANT_COUNT || plan_needs_refining(search->job.plan) ||
                  search->job.kind->judges);
    uint64_t shared = search->chunk_device; /* the device workers share longer texts */

    if (search->searcher->chunk_bytes == 0 || search->sink->by_engine) {
        shared = search->chunk_device = resident_chunk(search, text);
        if (lists && choose_frequent(search, text->bytes_count, &shared))
            lists = false;
    }
    search->is_split = is_split;
    search->schedule = SCHEDULE_CALLER;
    if ((is_split || (lists && text->bytes_count > shared)) &&
        devices_start(&search->job.runtime->devices)) {
        search->schedule = SCHEDULE_LOADED;
        if (search->searcher->caller.device_index == ENGINE_DEVICES_MAX)
            search->searcher->caller.device_index = devices_choose(&search->job.runtime->devices);
    }
}

/* Asks the engine for approximate search, or for regular expressions, whether a device should
 * search. The engine gets a sample of the text, from its middle, if that is in memory. */
static enum trawl_status ask_engine(struct search *search, struct trawl_text *text, bool *will,
                                    struct trawl_error *error)
{
    struct worker *caller = &search->searcher->caller;
    struct engine_chunk sample = {.threads_left = search->job.runtime->threads_max};
    struct engine_result result = {.count = 0};
    const struct engine_ops *engine;
    struct engine_worker *engine_worker;

    TRAWL_TRY(worker_ready(caller, &search->job, true, error));
    if (text->device_address != 0) /* the host needs it, to verify what devices find */
        TRAWL_TRY(runtime_fetch(search->job.runtime, text, error));
    if (text->kind == TEXT_MEMORY) {
        sample.owned = min_u64(text->bytes_count, CHUNK_MIN);
        sample.begin = sample.before = (text->bytes_count - sample.owned) / 2;
        sample.bytes = sample.begin > 0 ? text->bytes + sample.begin : text->bytes;
        sample.after = sample.readable = text->bytes_count - sample.owned - sample.begin;
    } else {
        sample.after = search->text_bytes;
    }
    engine = worker_engine(caller, &search->job, true, &engine_worker);
    TRAWL_TRY(engine_scan(engine, engine_worker, &sample, 0, WANT_NOTHING, &result, error));
    *will = !result.is_left;
    return TRAWL_OK;
}

/* Decides whether a device searches, for a plan with a layer. None does if the host would be
 * faster, or if devices have no method for the plan. If a device fails, asks another one if the
 * runtime's engine is CUDA; otherwise, the search will handle the failure. */
static enum trawl_status ask_device(struct search *search, struct trawl_text *text, bool *will,
                                    struct trawl_error *error)
{
    struct trawl_runtime *runtime = search->job.runtime;
    struct trawl_error own;
    enum trawl_status status;

    for (;;) {
        status = ask_engine(search, text, will, &own);
        if (status == TRAWL_UNSUPPORTED)
            *will = false;
        if (status == TRAWL_OK || status == TRAWL_UNSUPPORTED ||
            runtime->engine != TRAWL_ENGINE_CUDA)
            return TRAWL_OK;
        if (status == TRAWL_DEVICE)
            devices_lose(&runtime->devices, search->searcher->caller.device_index, own.message);
        if (status != TRAWL_DEVICE || !devices_are_usable(&runtime->devices))
            break;
    }
    if (error != NULL)
        *error = own;
    return status;
}

/* Chooses the schedule and the lengths of chunks for a text that devices may search. */
static void choose_with_devices(struct search *search, struct trawl_text *text, uint64_t fixed)
{
    struct devices *devices = &search->job.runtime->devices;
    const struct trawl_plan *plan = search->job.plan;
    bool is_split = false;

    search->chunk_device = fixed > 0 ? fixed : fit_need(plan, CHUNK_DEVICE);
    if (is_resident(search, text, &is_split)) {
        /* a plain count is a scan without hits */
        search->answers = !(search->sink->want == WANT_COUNT && plan_counts_alone(plan)) &&
                          engine_for_devices->there->answers(plan, search->sink->form);
        choose_resident(search, text, is_split);
    } else if (search->schedule == SCHEDULE_STAGED &&
               (search->job.plan->kind != PLAN_KIND_STRINGS ||
                (text->kind == TEXT_MEMORY && text->bytes_count <= CHUNK_MEMORY && fixed == 0) ||
                !devices_start(devices))) {
        search->schedule = SCHEDULE_CALLER;
    }
    /* In approximate search, chunks of a file stay short: if the device leaves such a chunk to the
     * host, a single thread searches it before all threads search the rest. */
    if (search->schedule == SCHEDULE_CALLER && search->job.plan->kind != PLAN_KIND_STRINGS &&
        fixed == 0 && (text->kind == TEXT_MEMORY || search->job.kind->is_apart))
        search->chunk_device = max_u64(search->chunk_device, LONG_BYTES);
}

enum trawl_status schedule_choose(struct search *search, struct trawl_text *text,
                                  struct trawl_error *error)
{
    struct trawl_searcher *searcher = search->searcher;
    enum trawl_engine engine = search->job.runtime->engine;
    const struct trawl_plan *plan = search->job.plan;
    uint64_t fixed = min_u64(searcher->chunk_bytes, CHUNK_MAX);
    const struct kind_facts *kind = search->job.kind;
    const bool by_choice = engine == TRAWL_ENGINE_CUDA;
    bool is_split, asks;

    search->text_bytes = text->kind == TEXT_STREAM ? UINT64_MAX : text->bytes_count;
    search->chunk_host =
        fixed > 0 ? fixed : fit_need(plan, text->kind == TEXT_MEMORY ? CHUNK_MEMORY : CHUNK_FILE);
    if (by_choice && !kind->judges) /* fails if devices cannot search for the plan */
        TRAWL_TRY(worker_ready(&searcher->caller, &search->job, true, error));
    search->for_devices =
        engine != TRAWL_ENGINE_CPU && search->sink->want != WANT_NOTHING && plan->literal_count > 0;
    asks = kind->judges && search->for_devices &&
           ((by_choice && !kind->by_lines) || is_resident(search, text, &is_split));
    if (kind->by_lines)
        search->for_devices = asks = asks && by_choice;
    if (asks)
        TRAWL_TRY(ask_device(search, text, &search->for_devices, error));
    search->host_searches = engine != TRAWL_ENGINE_CUDA || !search->for_devices;
    search->schedule = search->host_searches ? SCHEDULE_HOST : SCHEDULE_STAGED;
    if (search->for_devices)
        choose_with_devices(search, text, fixed);
    if (search->sink->by_engine && !search->answers)
        return TRAWL_FAIL(error, UNSUPPORTED, "no device has the text");
    return TRAWL_OK;
}

/* If a device leaves a chunk to the host later, scan() in task.c copies the text then. */
enum trawl_status schedule_fetch(struct search *search, struct trawl_text *text,
                                 struct trawl_error *error)
{
    const struct trawl_plan *plan = search->job.plan;
    const struct sink *sink = search->sink;
    bool is_split;

    if (!text_is_hidden(text))
        return TRAWL_OK;
    if (search->answers || (sink->digest == NULL && !sink->keeps_text && search->for_devices &&
                            plan_counts_alone(plan) && is_resident(search, text, &is_split))) {
        worker_follow(&search->searcher->caller, text);
        return TRAWL_OK;
    }
    return runtime_fetch(search->job.runtime, text, error);
}

/* ---- Chunks ------------------------------------------------------------------------------- */

uint64_t schedule_chunk_bytes(const struct search *search, bool for_device)
{
    uint64_t bytes = for_device ? search->chunk_device : search->chunk_host;
    uint64_t taken = atomic_load(&search->bytes_taken), left, share, hits;

    if (search->searcher->chunk_bytes > 0 || search->schedule == SCHEDULE_CALLER ||
        search->cursor.text->kind == TEXT_STREAM)
        return bytes;
    /* A mapped chunk is not copied, so it may be as long as a chunk of a text in memory, unless it
     * may have to be read into a buffer that long: if the sink keeps text, or if the runtime has a
     * memory limit. */
    if (!for_device && search->cursor.text->kind == TEXT_FILE && !search->sink->keeps_text &&
        search->job.runtime->memory_max == 0 && text_cursor_maps(&search->cursor, taken))
        bytes = max_u64(bytes, CHUNK_MEMORY);
    TRAWL_ASSERT(search->job.runtime->threads_max > 0);
    left = search->text_bytes - min_u64(search->text_bytes, taken);
    share = left / (2ull * search->job.runtime->threads_max);
    if (!for_device && taken == 0)
        bytes = min_u64(bytes, CHUNK_FILE);
    if (for_device && search->sink->want == WANT_FIRST) /* which may be near */
        bytes = min_u64(bytes, max_u64(taken / 4, CHUNK_FILE));
    else if (for_device)
        bytes = min_u64(bytes, max_u64(share, CHUNK_MEMORY));
    else if (search->shared || (taken == 0 && left > 2 * CHUNK_MIN))
        bytes = min_u64(bytes, max_u64(share, CHUNK_MIN));
    hits = atomic_load(&search->hits);
    if (!for_device && hits > CHUNK_HITS) /* a chunk with about CHUNK_HITS hits */
        bytes =
            min_u64(bytes, max_u64(atomic_load(&search->done.host.bytes) / (hits / CHUNK_HITS + 1),
                                   CHUNK_MIN));
    TRAWL_ASSERT(bytes > 0);
    /* but not shorter than the plan allows */
    return max_u64(bytes, fit_need(search->job.plan, min_u64(bytes, CHUNK_MIN)));
}

/* Returns the time that host threads have spent on chunks that they searched themselves. */
static uint64_t host_ns(const struct search *search)
{
    return atomic_load(&search->done.host.search_ns) + atomic_load(&search->done.host.ready_ns);
}

/* Returns the host's time per byte in this search; 0 if it has searched nothing yet. */
static double host_byte_ns(const struct search *search)
{
    uint64_t bytes = atomic_load(&search->done.host.bytes);

    return (double)host_ns(search) / (double)max_u64(bytes, 1);
}

/* Returns the time per byte to stage chunks for devices in this search. Sets *staged to the number
 * of bytes staged. */
static double staging_byte_ns(const struct search *search, uint64_t *staged)
{
    uint64_t ready_ns = 0;

    *staged = 0;
    for (uint32_t i = 0; i < search->job.runtime->devices.device_count; i++) {
        *staged += atomic_load(&search->done.device[i].bytes);
        ready_ns += atomic_load(&search->done.device[i].ready_ns);
    }
    return (double)ready_ns / (double)max_u64(*staged, 1);
}

static _Atomic uint64_t *remembered(const struct search *search)
{
    return &search->job.runtime->stage_ns[search->cursor.text->kind == TEXT_MEMORY];
}

/* Returns true if staging a chunk for a device takes less time than searching it on the host.
 * Staging copies a text in memory; a file is read in either case, but the host reads it into its
 * caches. The time to stage is known from this search, or from an earlier one. */
static bool staging_pays(const struct search *search)
{
    uint64_t staged;
    double staging_ns = staging_byte_ns(search, &staged);

    if (staged < LONG_BYTES)
        staging_ns = (double)atomic_load(remembered(search)) / CHUNK_MEMORY;
    return staging_ns < STAGE_PAYS * host_byte_ns(search);
}

/* Returns true if the text is long enough for devices to make the search faster. */
static bool is_long_for_devices(const struct search *search)
{
    return search->cursor.text->kind != TEXT_STREAM && search->text_bytes >= CHUNK_DEVICE;
}

/* Called after a search. If that searched a long text with schedule HOST, adds its time to
 * searched_ns and, if devices work, updates stage_ns, the time to stage a MiB: to what was measured
 * or, if little was staged, to slightly less than before, so that a later search will try devices
 * again. */
static void remember_devices(const struct search *search)
{
    struct trawl_runtime *runtime = search->job.runtime;
    uint64_t staged, before = atomic_load(remembered(search));
    double staging_ns;

    if (search->schedule != SCHEDULE_HOST || !is_long_for_devices(search))
        return;
    atomic_fetch_add(&runtime->searched_ns, clock_now_ns() - search->begin_ns);
    if (!devices_are_usable(&runtime->devices))
        return;
    staging_ns = staging_byte_ns(search, &staged);
    atomic_store(remembered(search), staged >= LONG_BYTES ? (uint64_t)(staging_ns * CHUNK_MEMORY)
                                                          : before - before / STAGE_FORGETS);
}

void schedule_remember(const struct search *search)
{
    uint64_t ns = host_ns(search);

    if (ns >= SHARE_NS)
        atomic_fetch_add(&search->job.runtime->worked_ns, ns);
    if (search->for_devices)
        remember_devices(search);
}

bool schedule_wants_device(struct search *search)
{
    struct devices *devices = &search->job.runtime->devices;

    if (search->schedule != SCHEDULE_HOST && search->schedule != SCHEDULE_STAGED)
        return false;
    if (atomic_load(&search->device_refused))
        return false;
    /* The first chunk may contain the first occurrence, so the caller searches it alone. */
    if (search->schedule == SCHEDULE_STAGED)
        return (search->shared || search->sink->want != WANT_FIRST) && devices_are_usable(devices);
    if (search->job.plan->kind != PLAN_KIND_STRINGS || !is_long_for_devices(search))
        return false;
    if (atomic_load(&devices->state) == DEVICES_NOT_ASKED) {
        if (atomic_load(&search->job.runtime->searched_ns) + clock_now_ns() - search->begin_ns >=
            open_after_ns)
            devices_open_in_background(devices);
        return false;
    }
    return devices_are_usable(devices) && staging_pays(search) && devices_start(devices);
}

/* ---- Helpers ------------------------------------------------------------------------------ */

static bool cores_taken(struct trawl_runtime *runtime)
{
    uint64_t now = clock_now_ns(), seen = atomic_load(&runtime->cores_seen_ns);

    if (seen == 0 || now > seen + BUSY_NS) {
        atomic_store(&runtime->cores_taken, cores_busy());
        atomic_store(&runtime->cores_seen_ns, now);
    }
    return atomic_load(&runtime->cores_taken);
}

uint32_t schedule_helpers(const struct search *search)
{
    struct trawl_runtime *runtime = search->job.runtime;
    uint32_t max = runtime->threads_max - 1;
    uint64_t taken = atomic_load(&search->bytes_taken), left, bytes, ns, running, started;

    TRAWL_ASSERT(runtime->threads_max > 0);
    if (search->schedule == SCHEDULE_CALLER || search->schedule == SCHEDULE_LOADED || max == 0)
        return 0;
    if (search->schedule == SCHEDULE_STAGED && search->sink->want == WANT_FIRST &&
        taken < CHUNK_DEVICE)
        return 0;
    if (search->text_bytes == UINT64_MAX) /* other searches of streams take a thread each */
        return max - (uint32_t)min_u64(max, atomic_load(&runtime->streams) - 1);
    if (search->searcher->chunk_bytes > 0 || search->schedule != SCHEDULE_HOST)
        return max;
    left = search->text_bytes - min_u64(search->text_bytes, taken);
    bytes = atomic_load(&search->done.host.bytes);
    if (bytes == 0) /* or only a gap was skipped */
        return search->cursor.need.skips ? 0 : max;
    running = atomic_load(&runtime->worker_count);
    ns = (uint64_t)(host_byte_ns(search) * (double)left);
    if (ns < SHARE_NS)
        return 0;
    if (running == 0 && bytes < CHUNK_MEMORY && ns < START_ANYWAY_NS)
        return 0;
    if (cores_taken(runtime))
        return (uint32_t)min_u64(ns / BUSY_NS, max);
    started = max_u64(running, saturating_add(atomic_load(&runtime->worked_ns), ns) / START_NS);
    return (uint32_t)min_u64(min_u64(ns / SHARE_NS, started), max);
}

/* ---- Mapped and compressed files ---------------------------------------------------------- */

void schedule_files(struct search *search, const struct trawl_text *text, struct text_need *need)
{
    struct trawl_runtime *runtime = search->job.runtime;
    const enum trawl_map map = search->searcher->map;
    /* other searches of streams take threads away */
    uint64_t share = max_u64(runtime->threads_max / (atomic_load(&runtime->streams) + 1), 2);
    uint64_t bytes = share * UNPACK_BYTES, used;

    need->maps = search->schedule == SCHEDULE_HOST && search->sink->in_place &&
                 text->kind == TEXT_FILE &&
                 (map == TRAWL_MAP_ALWAYS ||
                  (map != TRAWL_MAP_NEVER && text->bytes_count >= LONG_BYTES &&
                   (!search->sink->keeps_text || runtime->threads_max <= MAP_THREADS_MAX)));
    search->map_credit = MAP_CREDIT;
    search->map_pause = MAP_PAUSE;
    search->map_from = 0;
    if (runtime->memory_max > 0)
        bytes = min_u64(bytes, runtime->memory_max / UNPACK_SHARE);
    /* if there is no memory, only the reader decompresses */
    if (text->unpack == NULL || runtime->threads_max == 1 ||
        !runtime_reserve(runtime, 2 * bytes, &used))
        return;
    search->searcher->unpack_bytes = 2 * bytes;
    need->unpacking = (struct text_unpacking){
        .threads = (uint32_t)share,
        .library_threads = (uint32_t)max_u64(bytes / UNPACK_BYTES, 1),
        .bytes = bytes,
        .cell_bytes = min_u64(need->chunk_bytes, CHUNK_FILE),
        /* most bzip2 blocks are longer, so most pieces are a single block, and take as long */
        .block_cell_bytes = min_u64(need->chunk_bytes, CHUNK_MIN)};
}

void schedule_mapped(struct search *search, const struct text_chunk *chunk, bool was_read)
{
    if (search->searcher->map == TRAWL_MAP_ALWAYS)
        return;
    search_lock(search);
    if (chunk->begin >= search->map_from) { /* else it was mapped before the last pause began */
        /* Mapping loses about as much time with a chunk that is then read as it saves with another:
         * 256 KiB take 25 us if they are read, 10 us if they are mapped, and 32 us in the former
         * case. */
        search->map_credit += was_read ? -1 : search->map_credit < MAP_CREDIT;
        if (search->map_credit <= 0) {
            search->map_from = saturating_add(chunk->begin, search->map_pause);
            text_cursor_read_until(&search->cursor, search->map_from);
            search->map_pause = saturating_multiply(2, search->map_pause);
            search->map_credit = 1;
        }
    }
    search_unlock(search);
}

/* ---- Short texts and lists ---------------------------------------------------------------- */

bool schedule_is_brief(const struct trawl_searcher *searcher, const struct trawl_text *text)
{
    return text->kind == TEXT_MEMORY && text->bytes_count < BRIEF_BYTES &&
           text->device_address == 0 &&
           (searcher->chunk_bytes == 0 || text->bytes_count <= searcher->chunk_bytes) &&
           searcher->runtime->engine != TRAWL_ENGINE_CUDA &&
           !(atomic_load(&searcher->runtime->devices.has_texts) &&
             devices_hold(&searcher->runtime->devices, text->bytes, text->bytes_count));
}

uint64_t schedule_lines_max(const struct trawl_searcher *searcher, const struct trawl_plan *plan,
                            const struct trawl_text *text)
{
    const uint64_t max = text->bytes_count / CHUNK_FILE + LINES_FEW;
    const uint64_t per_hit = bytes_per_hit(searcher, plan);

    return per_hit > 0 && text->bytes_count / per_hit > max ? 0 : max;
}
