/* engine_cuda: the engine's table for NVIDIA GPUs.
 *
 * A lane belongs to one device and has a stream and memory of its own. Its scan copies the chunk
 * over through pinned buffers, piece by piece of what fits, and searches each; the lanes of one
 * device overlap each other's copies and kernels. A text that was loaded needs no copy.
 */
#include "cuda/engine_cuda.h"

#include <pthread.h>
#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "cuda/lane.h"

#define LANES_PER_DEVICE 3u
#define PATIENT_BYTES (2u << 20) /* on their way for longer than waking a thread takes */
#define STRIPES_PER_MIN 2u       /* of the least text that is split */
#define STRIPES_MAX 64u          /* of one text */
#define STRIPE_ALIGNMENT 4096u
#define TEXT_BYTES_MIN (64u << 10) /* below this a device's memory counts as exhausted */

struct engine {
    struct cuda_driver driver;
    uint64_t memory_max;       /* of each device */
    pthread_mutex_t load_lock; /* one text is loaded at a time */
    pthread_mutex_t lock;      /* of everything below */
    uint32_t device_count;
    bool device_is_open[CUDA_DEVICES_MAX];
    struct cuda_device devices[CUDA_DEVICES_MAX];
    uint32_t lanes_opened;
    struct cuda_resident residents[CUDA_RESIDENT_MAX];
};

/* ---- Open and close --------------------------------------------------------------------- */

static enum trawl_status find_devices(struct engine *engine, struct trawl_error *error)
{
    int count = 0, code = engine->driver.init(0);

    if (code == CUDA_CODE_NO_DEVICE)
        return TRAWL_FAIL(error, ENGINE, "the NVIDIA driver finds no device");
    TRAWL_TRY(cuda_check(&engine->driver, code, cuda_symbols.init, NULL, error));
    TRAWL_TRY(cuda_check(&engine->driver, engine->driver.device_count(&count),
                         cuda_symbols.device_count, NULL, error));
    if (count < 1)
        return TRAWL_FAIL(error, ENGINE, "the NVIDIA driver finds no device");
    engine->device_count = (uint32_t)min_u64((uint64_t)count, CUDA_DEVICES_MAX);
    return TRAWL_OK;
}

static enum trawl_status device_want(struct engine *engine, uint32_t index,
                                     struct trawl_error *error)
{
    if (engine->device_is_open[index])
        return TRAWL_OK;
    TRAWL_TRY(cuda_device_open(&engine->devices[index], &engine->driver, (int)index,
                               engine->memory_max, error));
    engine->device_is_open[index] = true;
    return TRAWL_OK;
}

static void cuda_close(struct engine *engine)
{
    for (uint32_t i = 0; i < CUDA_RESIDENT_MAX; i++)
        if (engine->residents[i].bytes != NULL)
            engine_cuda_unload(engine, engine->residents[i].text);
    for (uint32_t i = 0; i < engine->device_count; i++)
        if (engine->device_is_open[i])
            cuda_device_close(&engine->devices[i]);
    cuda_driver_close(&engine->driver);
    (void)pthread_mutex_destroy(&engine->load_lock);
    (void)pthread_mutex_destroy(&engine->lock);
    memory_release(engine, 1, sizeof *engine);
}

static enum trawl_status cuda_open(const struct engine_options *options, struct engine **engine_out,
                                   struct trawl_error *error)
{
    enum trawl_status status = TRAWL_OK;
    struct engine *engine;
    void *memory;

    TRAWL_TRY(memory_allocate_zeroed(1, sizeof *engine, &memory, error));
    engine = (struct engine *)memory;
    engine->memory_max = options->device_memory_bytes;
    (void)pthread_mutex_init(&engine->load_lock, NULL);
    (void)pthread_mutex_init(&engine->lock, NULL);
    TRAWL_TRY_DONE(cuda_driver_open(&engine->driver, error));
    if (cuda_image_scan.begin == cuda_image_scan.end && !engine->driver.simulated) {
        status =
            TRAWL_FAIL(error, ENGINE, "this build has no GPU kernels: it was made without nvcc");
        goto done;
    }
    TRAWL_TRY_DONE(find_devices(engine, error));
    TRAWL_TRY_DONE(device_want(engine, 0, error));
    *engine_out = engine;
    engine = NULL;
done:
    if (engine != NULL)
        cuda_close(engine);
    return status;
}

static void cuda_properties(struct engine *engine, struct engine_properties *properties)
{
    properties->name = "cuda";
    properties->instruction_set = "";
    properties->device_count = engine->device_count;
    properties->lanes_per_device = LANES_PER_DEVICE;
}

/* ---- Lanes ------------------------------------------------------------------------------ */

static void cuda_lane_close(struct engine_lane *lane)
{
    if (lane->device != NULL && cuda_device_enter(lane->device, NULL) == TRAWL_OK) {
        cuda_lane_end(lane);
        cuda_device_leave(lane->device);
    }
    cuda_many_free(lane);
    memory_release(lane, 1, sizeof *lane);
}

/* A lane on a device that is open. */
static enum trawl_status lane_open_on(struct engine *engine, uint32_t index,
                                      struct engine_lane **lane_out, struct trawl_error *error)
{
    enum trawl_status status = TRAWL_OK;
    struct engine_lane *lane;
    void *memory;

    TRAWL_TRY(memory_allocate_zeroed(1, sizeof *lane, &memory, error));
    lane = (struct engine_lane *)memory;
    lane->engine = engine;
    lane->limits = cuda_limits_now();
    lane->device = &engine->devices[index];
    lane->device_index = index;
    TRAWL_TRY_DONE(cuda_device_enter(lane->device, error));
    status = cuda_lane_start(lane, error);
    cuda_device_leave(lane->device);
    if (status != TRAWL_OK)
        goto done;
    *lane_out = lane;
    lane = NULL;
done:
    if (lane != NULL)
        cuda_lane_close(lane);
    return status;
}

static enum trawl_status cuda_lane_open(struct engine *engine, struct engine_lane **lane,
                                        struct trawl_error *error)
{
    uint32_t index;

    (void)pthread_mutex_lock(&engine->lock);
    index = engine->lanes_opened++ % engine->device_count;
    if (device_want(engine, index, NULL) != TRAWL_OK)
        index = 0; /* the first device is open: go on with that */
    (void)pthread_mutex_unlock(&engine->lock);
    return lane_open_on(engine, index, lane, error);
}

static enum trawl_status cuda_lane_open_on(struct engine *engine, uint32_t index,
                                           struct engine_lane **lane, struct trawl_error *error)
{
    enum trawl_status status;

    TRAWL_ASSERT(index < engine->device_count);
    (void)pthread_mutex_lock(&engine->lock);
    status = device_want(engine, index, error);
    (void)pthread_mutex_unlock(&engine->lock);
    return status != TRAWL_OK ? status : lane_open_on(engine, index, lane, error);
}

/* For all devices, by one's context. */
static bool cuda_pin(struct engine *engine, uint32_t index, void *bytes, uint64_t count)
{
    struct cuda_device *device = &engine->devices[index];
    enum trawl_status status;
    bool pinned;

    (void)pthread_mutex_lock(&engine->lock);
    status = device_want(engine, index, NULL);
    (void)pthread_mutex_unlock(&engine->lock);
    if (status != TRAWL_OK || cuda_device_enter(device, NULL) != TRAWL_OK)
        return false;
    pinned = engine->driver.host_register(bytes, (size_t)count, CUDA_HOST_REGISTER_MAPPED) ==
             CUDA_CODE_OK;
    cuda_device_leave(device);
    return pinned;
}

static void cuda_unpin(struct engine *engine, uint32_t index, void *bytes)
{
    struct cuda_device *device = &engine->devices[index];
    bool is_open;

    (void)pthread_mutex_lock(&engine->lock);
    is_open = engine->device_is_open[index];
    (void)pthread_mutex_unlock(&engine->lock);
    if (!is_open || cuda_device_enter(device, NULL) != TRAWL_OK)
        return;
    (void)engine->driver.host_unregister(bytes);
    cuda_device_leave(device);
}

void cuda_lane_take(struct engine_lane *lane, const struct trawl_plan *plan)
{
    lane->plan = plan;
    lane->tables.ready = lane->tables.ready && lane->tables.plan_serial == plan->serial;
    lane->held.bytes = NULL;
    lane->window_bytes = UINT64_MAX;
}

/* The tables go over with the first scan: a thread may get no chunk of this search. Where they are
 * those of the last search they are there. */
static enum trawl_status cuda_lane_begin(struct engine_lane *lane, const struct trawl_plan *plan,
                                         struct trawl_error *error)
{
    cuda_lane_take(lane, plan);
    return plan->literal_count == 0 ? TRAWL_OK : cuda_tables_check(plan, error);
}

/* ---- Scan ------------------------------------------------------------------------------- */

/* *bytes_at is set if it does. */
static bool resident_holds(const struct cuda_resident *resident, const uint8_t *bytes,
                           uint64_t count, uint64_t *bytes_at)
{
    uint64_t at = (uint64_t)((uintptr_t)bytes - (uintptr_t)resident->bytes);

    if (resident->bytes == NULL || at > resident->count || count > resident->count - at)
        return false;
    *bytes_at = at;
    return true;
}

/* May this plan's searches use it where they begin `at` bytes behind its first? A part of a text
 * has no room for occurrences that are longer than what it shares with the next. */
static bool resident_serves(const struct cuda_resident *resident, const struct trawl_plan *plan,
                            uint64_t at)
{
    bool in_place =
        plan != NULL && cuda_in_place_pays(plan, cuda_limits_default.in_place_stride_min);
    bool reaches_end = resident->bytes + resident->count == resident->text + resident->text_count;

    if (resident->in_place != 0 && !in_place)
        return false;
    return at < resident->owned &&
           (reaches_end || plan == NULL || plan->need_after <= resident->count - resident->owned);
}

static bool cuda_locate(struct engine *engine, const struct trawl_plan *plan, const uint8_t *bytes,
                        uint64_t count, struct engine_part *part)
{
    uint32_t devices = 0;
    uint64_t at;

    part->bytes = 0;
    (void)pthread_mutex_lock(&engine->lock);
    for (uint32_t i = 0; i < CUDA_RESIDENT_MAX; i++) {
        const struct cuda_resident *resident = &engine->residents[i];
        uint64_t held;

        if (!resident_holds(resident, bytes, 0, &at) || !resident_serves(resident, plan, at))
            continue;
        held = count <= resident->count - at ? count : resident->owned - at;
        if (held > part->bytes)
            devices = 0;
        if (held < part->bytes)
            continue;
        part->bytes = held;
        part->device = resident->device_index;
        devices++;
    }
    (void)pthread_mutex_unlock(&engine->lock);
    if (devices > 1)
        part->device = ENGINE_DEVICES_MAX;
    return devices > 0;
}

static bool find_resident(const struct engine_lane *lane, const uint8_t *bytes, uint64_t count,
                          bool in_place, struct cuda_resident *resident, uint64_t *bytes_at)
{
    struct engine *engine = lane->engine;
    bool found = false;

    (void)pthread_mutex_lock(&engine->lock);
    for (uint32_t i = 0; i < CUDA_RESIDENT_MAX && !found; i++) {
        *resident = engine->residents[i];
        found = resident->device_index == lane->device_index &&
                (resident->in_place != 0) == in_place &&
                resident_holds(resident, bytes, count, bytes_at);
    }
    (void)pthread_mutex_unlock(&engine->lock);
    return found;
}

bool cuda_lane_resident(const struct engine_lane *lane, const uint8_t *bytes, uint64_t count,
                        uint64_t *address, uint64_t *bytes_at)
{
    struct cuda_resident resident;

    if (!find_resident(lane, bytes, count, false, &resident, bytes_at))
        return false;
    *address = resident.memory.address;
    return true;
}

bool cuda_lane_in_place(const struct engine_lane *lane, const uint8_t *bytes, uint64_t count,
                        uint64_t *address)
{
    struct cuda_resident resident;
    uint64_t at;

    if (!find_resident(lane, bytes, count, true, &resident, &at))
        return false;
    *address = resident.in_place + at;
    return true;
}

/* Of a text, at a time. */
static uint64_t text_bytes_max(const struct engine_lane *lane, const struct cuda_way *way)
{
    return min_u64(lane->limits.text_bytes_max, way->text_bytes_max);
}

/* Device memory for `wanted` bytes of text or, where that is not to be had, for fewer. */
static enum trawl_status reserve_text(struct engine_lane *lane, const struct cuda_way *way,
                                      uint64_t wanted, uint64_t least, struct trawl_error *error)
{
    for (;;) {
        uint64_t bytes = min_u64(wanted, max_u64(text_bytes_max(lane, way), least));
        enum trawl_status status = cuda_memory_reserve(
            lane->device, &lane->text,
            cuda_lane_room(lane, ((bytes + 15) & ~15ull) + SCAN_PADDING_BYTES), error);

        if (status != TRAWL_MEMORY || bytes / 2 < max_u64(least, TEXT_BYTES_MIN))
            return status;
        lane->limits.text_bytes_max = bytes / 2;
    }
}

/* Bring bytes of the chunk from `at` on to the device, as many as fit. */
static enum trawl_status bring_text(struct engine_lane *lane, const struct engine_chunk *chunk,
                                    uint64_t at, const struct cuda_way *way,
                                    struct trawl_error *error)
{
    uint64_t available = chunk->owned + chunk->after - at, pinned;
    uint64_t overlap =
        lane->plan->length_max; /* a piece has begins of its own beside the overlap */
    uint64_t count;

    if (lane->held.bytes == chunk->bytes && lane->held.begin == chunk->begin && at > 0 &&
        at >= lane->held.from && at < lane->held.end &&
        (lane->held.end == at + available || lane->held.end - at > overlap))
        return TRAWL_OK;
    lane->held.bytes = NULL;
    TRAWL_TRY(reserve_text(lane, way, available, min_u64(available, 2 * overlap), error));
    count = min_u64(available, (lane->text.bytes - SCAN_PADDING_BYTES) & ~15ull);
    count = min_u64(count, max_u64(text_bytes_max(lane, way), 2 * overlap));
    if (chunk->pinned || cuda_lane_in_place(lane, chunk->bytes + at, count, &pinned)) {
        TRAWL_TRY(CUDA_CALL(lane->device, error, copy_to_device, lane->text.address,
                            chunk->bytes + at, (size_t)count, lane->stream));
        TRAWL_TRY(CUDA_CALL(lane->device, error, fill, lane->text.address + count, 0,
                            SCAN_PADDING_BYTES, lane->stream));
        lane->patient = count >= PATIENT_BYTES;
    } else {
        TRAWL_TRY(cuda_lane_upload_text(lane, lane->text.address, chunk->bytes + at, count, error));
    }
    lane->held.bytes = chunk->bytes;
    lane->held.begin = chunk->begin;
    lane->held.from = at;
    lane->held.end = at + count;
    return TRAWL_OK;
}

/* The next range of the chunk's begins from `at` on. */
static enum trawl_status next_range(struct engine_lane *lane, const struct engine_chunk *chunk,
                                    uint64_t at, const struct cuda_way *way,
                                    struct cuda_range *range, struct trawl_error *error)
{
    uint64_t available = chunk->owned + chunk->after, chunk_at = 0;

    if (cuda_lane_resident(lane, chunk->bytes, available, &range->address, &chunk_at)) {
        range->begin = chunk_at + at;
        range->end = chunk_at + chunk->owned;
        range->text_end = chunk_at + available;
        return TRAWL_OK;
    }
    if (cuda_in_place_range(lane, chunk, at, range))
        return TRAWL_OK;
    TRAWL_TRY(bring_text(lane, chunk, at, way, error));
    range->address = lane->text.address;
    range->begin = at - lane->held.from;
    range->end = chunk->owned - lane->held.from;
    range->text_end = lane->held.end - lane->held.from;
    if (lane->held.end < available) /* the longest occurrence must not be cut */
        range->end = min_u64(range->end, range->text_end - lane->plan->length_max + 1);
    return TRAWL_OK;
}

/* Strike out hits [first, ...) that the plan's conditions or a tail refuse. */
static void refine(const struct trawl_plan *plan, const struct engine_chunk *chunk, uint64_t first,
                   struct engine_result *result)
{
    uint64_t available = chunk->owned + chunk->after, kept = first;

    for (uint64_t i = first; i < result->hits.count; i++) {
        struct hit hit = result->hits.items[i];
        const struct plan_literal *literal = &plan->literals[hit.literal];
        uint64_t length = literal->bytes_count;

        if (literal->tail_count > 0)
            length = plan_literal_match(plan, literal, chunk->bytes + hit.offset,
                                        available - hit.offset);
        if (length != 0 && (!plan_has_conditions(plan) ||
                            plan_accepts(plan, chunk->bytes, hit.offset, hit.offset + length,
                                         chunk->before, available)))
            result->hits.items[kept++] = hit;
    }
    result->count -= result->hits.count - kept;
    result->hits.count = kept;
}

bool cuda_needs_refining(const struct trawl_plan *plan)
{
    bool needs = plan_has_conditions(plan);

    for (uint32_t i = 0; i < plan->literal_count; i++)
        needs |= plan->literals[i].tail_count > 0;
    return needs;
}

enum trawl_status cuda_wait_copies(struct engine_lane *lane, uint64_t begin_ns,
                                   struct engine_result *result, struct trawl_error *error)
{
    TRAWL_TRY(CUDA_CALL(lane->device, error, stream_wait, lane->stream));
    result->device_copy_ns += cuda_clock_ns() - begin_ns;
    return TRAWL_OK;
}

/* Bring the text of the next range and search it. */
static enum trawl_status scan_range(struct engine_lane *lane, const struct engine_chunk *chunk,
                                    uint64_t at, enum scan_want want, const struct cuda_way *way,
                                    struct engine_result *result, uint64_t *next,
                                    struct trawl_error *error)
{
    uint64_t done, begin_ns = way->copies_timed ? cuda_clock_ns() : 0;
    uint64_t memory_ns = cuda_memory_ns();
    struct cuda_range range = {0, 0, 0, 0, false};

    TRAWL_TRY(next_range(lane, chunk, at, way, &range, error));
    range.end = min_u64(range.end, range.begin + way->range_bytes_max);
    if (way->copies_timed)
        TRAWL_TRY(cuda_wait_copies(lane, begin_ns, result, error));
    TRAWL_TRY(way->search(lane, way->context, &range, want, at, result, &done, error));
    if (way->copies_timed)
        result->device_memory_ns += cuda_memory_ns() - memory_ns;
    TRAWL_ASSERT(done > range.begin);
    *next = at + (done - range.begin);
    return TRAWL_OK;
}

static enum scan_want chunk_want(const struct trawl_plan *plan, enum engine_want want)
{
    if (want == ENGINE_WANT_HITS || cuda_needs_refining(plan))
        return SCAN_HITS;
    return want == ENGINE_WANT_FIRST ? SCAN_FIRST : SCAN_COUNT;
}

/* With the device entered. */
static enum trawl_status scan_ranges(struct engine_lane *lane, const struct engine_chunk *chunk,
                                     uint64_t from, enum engine_want want, struct cuda_way *way,
                                     struct engine_result *result, struct trawl_error *error)
{
    enum scan_want asked = chunk_want(lane->plan, want);
    bool refining = cuda_needs_refining(lane->plan);

    if (way->prepare != NULL)
        TRAWL_TRY(way->prepare(lane, asked, way, error));
    for (uint64_t at = from; at < chunk->owned;) {
        uint64_t first = result->hits.count;

        TRAWL_TRY(scan_range(lane, chunk, at, asked, way, result, &at, error));
        if (refining)
            refine(lane->plan, chunk, first, result);
        if (want == ENGINE_WANT_COUNT)
            result->hits.count = 0;
        if (want == ENGINE_WANT_FIRST && result->hits.count > 0)
            break;
        result->done = at;
        if (want == ENGINE_WANT_HITS && result->hits.count >= lane->limits.hits_max)
            return TRAWL_OK;
    }
    result->done = chunk->owned;
    return TRAWL_OK;
}

void cuda_lane_failed(struct engine_lane *lane)
{
    (void)lane->device->driver->stream_wait(lane->stream);
    if (lane->copies != NULL) /* they go to the caller's memory */
        (void)lane->device->driver->stream_wait(lane->copies);
    lane->held.bytes = NULL;
    lane->tables.ready = false;
    lane->sums_ready = false;
}

enum trawl_status cuda_scan_chunk(struct engine_lane *lane, const struct engine_chunk *chunk,
                                  uint64_t from, enum engine_want want, struct cuda_way *way,
                                  struct engine_result *result, struct trawl_error *error)
{
    enum trawl_status status;

    TRAWL_ASSERT(from < chunk->owned);
    TRAWL_ASSERT(chunk->owned < UINT32_MAX ||
                 (want == ENGINE_WANT_COUNT && plan_counts_alone(lane->plan)));
    engine_result_begin(result, from, true);
    TRAWL_TRY(cuda_device_enter(lane->device, error));
    if (want > ENGINE_WANT_FIRST) /* devices leave no hit out */
        want = ENGINE_WANT_HITS;
    status = scan_ranges(lane, chunk, from, want, way, result, error);
    if (status != TRAWL_OK)
        cuda_lane_failed(lane);
    cuda_device_leave(lane->device);
    return status;
}

/* By the plan's method; its tables go over before the first range. */
static enum trawl_status search_range(struct engine_lane *lane, void *context,
                                      const struct cuda_range *range, enum scan_want want,
                                      uint64_t hits_base, struct engine_result *result,
                                      uint64_t *done, struct trawl_error *error)
{
    (void)context;
    return cuda_scan_range(lane, range, want, hits_base, result, done, error);
}

/* Offsets in a range are 32-bit, but for streams of samples: those count samples. */
static enum trawl_status prepare_tables(struct engine_lane *lane, enum scan_want want,
                                        struct cuda_way *way, struct trawl_error *error)
{
    if (!lane->tables.ready)
        TRAWL_TRY(cuda_tables_build(lane, error));
    if (want == SCAN_COUNT && lane->tables.count_kernel == CUDA_KERNEL_STREAM_SAMPLED)
        way->range_bytes_max = /* they may come in pairs */
            lane->tables.arguments.stride * (CUDA_RANGE_BYTES_MAX / 2);
    else
        way->range_bytes_max =
            min_u64(CUDA_RANGE_BYTES_MAX, (1ull << (SCAN_SUM_BITS - 1)) / lane->tables.alike_max);
    return TRAWL_OK;
}

static enum trawl_status cuda_scan(struct engine_lane *lane, const struct engine_chunk *chunk,
                                   uint64_t from, enum engine_want want,
                                   struct engine_result *result, struct trawl_error *error)
{
    struct cuda_way way = {.text_bytes_max = UINT64_MAX,
                           .range_bytes_max = CUDA_RANGE_BYTES_MAX,
                           .prepare = prepare_tables,
                           .search = search_range};

    return cuda_scan_chunk(lane, chunk, from, want, &way, result, error);
}
static enum trawl_status cuda_count_many(struct engine_lane *lane, struct engine_query *queries,
                                         uint64_t query_count, struct trawl_error *error)
{
    enum trawl_status status;

    TRAWL_TRY(cuda_device_enter(lane->device, error));
    status = cuda_many(lane, queries, query_count, error);
    if (status != TRAWL_OK)
        cuda_lane_failed(lane);
    cuda_device_leave(lane->device);
    return status;
}

static enum trawl_status cuda_fill_begins(struct engine_lane *lane, struct engine_begins *begins,
                                          struct trawl_error *error)
{
    enum trawl_status status;

    if (begins->host == NULL && lane->device_index != 0)
        return TRAWL_FAIL(error, UNSUPPORTED, "%s is not the first device", lane->device->name);
    TRAWL_TRY(cuda_device_enter(lane->device, error));
    status = cuda_begins(lane, begins, error);
    if (status != TRAWL_OK && status != TRAWL_UNSUPPORTED)
        cuda_lane_failed(lane);
    cuda_device_leave(lane->device);
    return status;
}

/* ---- Texts that stay -------------------------------------------------------------------- */

/* With the device entered. Without room for a copy the text stays where it is. */
static enum trawl_status bring_resident(struct engine_lane *lane, struct cuda_resident *resident,
                                        struct trawl_error *error)
{
    uint64_t room = ((resident->count + 15) & ~15ull) + SCAN_PADDING_BYTES;

    enum trawl_status status = TRAWL_MEMORY;

    if (!lane->limits.load_in_place)
        status = cuda_memory_reserve(lane->device, &resident->memory, room, error);
    if (status == TRAWL_MEMORY && resident->device_index == 0)
        return cuda_in_place_register(lane->device, resident, error);
    TRAWL_TRY(status);
    TRAWL_TRY(cuda_lane_upload_text(lane, resident->memory.address, resident->bytes,
                                    resident->count, error));
    return CUDA_CALL(lane->device, error, stream_wait, lane->stream);
}

/* Memory that is pinned in place is somebody else's: to let go of it is tried twice. */
static void resident_release(struct engine *engine, struct cuda_resident *resident)
{
    struct cuda_device *device = &engine->devices[resident->device_index];

    if (resident->memory.bytes == 0 && resident->in_place == 0)
        return;
    if (cuda_device_enter(device, NULL) == TRAWL_OK ||
        (resident->in_place != 0 && cuda_device_enter(device, NULL) == TRAWL_OK)) {
        cuda_memory_release(device, &resident->memory);
        cuda_in_place_release(device, resident);
        cuda_device_leave(device);
    }
}

static enum trawl_status resident_keep(struct engine *engine, struct cuda_resident *resident,
                                       struct trawl_error *error)
{
    uint32_t i = 0;

    (void)pthread_mutex_lock(&engine->lock);
    while (i < CUDA_RESIDENT_MAX && engine->residents[i].bytes != NULL)
        i++;
    if (i < CUDA_RESIDENT_MAX)
        engine->residents[i] = *resident;
    (void)pthread_mutex_unlock(&engine->lock);
    if (i < CUDA_RESIDENT_MAX)
        return TRAWL_OK;
    resident_release(engine, resident);
    return TRAWL_FAIL(error, LIMIT, "more than %u texts are loaded", CUDA_RESIDENT_MAX);
}

/* The text, or its part [begin, begin + owned) with what it shares with the next. */
static enum trawl_status load_on(struct engine *engine, uint32_t index, const uint8_t *text,
                                 uint64_t text_count, uint64_t begin, uint64_t owned,
                                 struct trawl_error *error)
{
    uint64_t overlap = min_u64(cuda_limits_now().split_overlap, text_count - begin - owned);
    struct cuda_resident resident = {.bytes = text + begin,
                                     .count = owned + overlap,
                                     .owned = owned,
                                     .text = text,
                                     .text_count = text_count,
                                     .device_index = index};
    struct engine_lane *lane = NULL;
    enum trawl_status status;

    (void)pthread_mutex_lock(&engine->lock);
    status = device_want(engine, index, error);
    (void)pthread_mutex_unlock(&engine->lock);
    TRAWL_TRY(status);
    TRAWL_TRY(lane_open_on(engine, index, &lane, error));
    TRAWL_TRY_DONE(cuda_device_enter(lane->device, error));
    status = bring_resident(lane, &resident, error);
    if (status != TRAWL_OK) {
        (void)lane->device->driver->stream_wait(lane->stream);
        cuda_memory_release(lane->device, &resident.memory);
        cuda_in_place_release(lane->device, &resident);
    }
    cuda_device_leave(lane->device);
    if (status == TRAWL_OK)
        status = resident_keep(engine, &resident, error);
done:
    cuda_lane_close(lane);
    return status;
}

/* Long texts are split over the devices, in stripes that are dealt out in turn, so that results in
 * order keep all of them busy. */
static enum trawl_status load_split(struct engine *engine, const uint8_t *bytes, uint64_t count,
                                    struct trawl_error *error)
{
    uint64_t least = cuda_limits_now().split_bytes_min, devices = engine->device_count;
    uint64_t stripes = min_u64(STRIPES_MAX, count / (least / STRIPES_PER_MIN)) / devices * devices;
    uint64_t step = (count / max_u64(stripes, devices) / STRIPE_ALIGNMENT + 1) * STRIPE_ALIGNMENT;

    for (uint64_t begin = 0, i = 0; begin < count; begin += step, i++)
        TRAWL_TRY(load_on(engine, (uint32_t)(i % devices), bytes, count, begin,
                          min_u64(step, count - begin), error));
    return TRAWL_OK;
}

/* Short texts lie on every device; lanes of one that has no room copy what they search, as for
 * other texts. */
static enum trawl_status load(struct engine *engine, const uint8_t *bytes, uint64_t count,
                              struct trawl_error *error)
{
    if (engine->device_count > 1 && count >= cuda_limits_now().split_bytes_min) {
        if (load_split(engine, bytes, count, error) == TRAWL_OK)
            return TRAWL_OK;
        engine_cuda_unload(engine, bytes);
    }
    TRAWL_TRY(load_on(engine, 0, bytes, count, 0, count, error));
    for (uint32_t index = 1; index < engine->device_count; index++)
        (void)load_on(engine, index, bytes, count, 0, count, NULL);
    return TRAWL_OK;
}

static bool is_loaded(struct engine *engine, const uint8_t *bytes, uint64_t count)
{
    bool found = false;

    (void)pthread_mutex_lock(&engine->lock);
    for (uint32_t i = 0; i < CUDA_RESIDENT_MAX; i++)
        found |= engine->residents[i].bytes != NULL && engine->residents[i].text == bytes &&
                 engine->residents[i].text_count == count;
    (void)pthread_mutex_unlock(&engine->lock);
    return found;
}

enum trawl_status engine_cuda_load(struct engine *engine, const uint8_t *bytes, uint64_t count,
                                   bool anew, struct trawl_error *error)
{
    enum trawl_status status = TRAWL_OK;

    (void)pthread_mutex_lock(&engine->load_lock);
    if (anew)
        engine_cuda_unload(engine, bytes);
    if (count > 0 && !is_loaded(engine, bytes, count))
        status = load(engine, bytes, count, error);
    (void)pthread_mutex_unlock(&engine->load_lock);
    return status;
}

void engine_cuda_unload(struct engine *engine, const uint8_t *bytes)
{
    for (uint32_t i = 0; i < CUDA_RESIDENT_MAX; i++) {
        struct cuda_resident resident = {.bytes = NULL};

        (void)pthread_mutex_lock(&engine->lock);
        if (engine->residents[i].bytes != NULL && engine->residents[i].text == bytes) {
            resident = engine->residents[i];
            memset(&engine->residents[i], 0, sizeof engine->residents[i]);
        }
        (void)pthread_mutex_unlock(&engine->lock);
        resident_release(engine, &resident);
    }
}

const struct engine_ops engine_cuda = {
    .name = "cuda",
    .open = cuda_open,
    .close = cuda_close,
    .properties = cuda_properties,
    .lane_open = cuda_lane_open,
    .lane_close = cuda_lane_close,
    .lane_open_on = cuda_lane_open_on,
    .pin = cuda_pin,
    .unpin = cuda_unpin,
    .lane_begin = cuda_lane_begin,
    .scan = cuda_scan,
    .load = engine_cuda_load,
    .unload = engine_cuda_unload,
    .locate = cuda_locate,
    .count_many = cuda_count_many,
    .begins = cuda_fill_begins,
};
