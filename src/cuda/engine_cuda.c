/* engine_cuda: the engine's table for NVIDIA GPUs.
 *
 * A lane belongs to one device and has a stream and memory of its own. Its scan copies the chunk
 * through pinned buffers, as much at a time as fits, and searches each part; the lanes of one
 * device overlap each other's copies and kernels. A text that was loaded needs no copy.
 */
#include "cuda/engine_cuda.h"

#include <pthread.h>
#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "cuda/lane.h"

#define LANES_PER_DEVICE 3u
#define PATIENT_BYTES (2u << 20)   /* in flight for longer than waking a thread takes */
#define TAIL_WORK 16u              /* characters of tails that are compared per position, */
#define TAIL_WORK_MIN (64u << 10)  /* and in any case */
#define CHUNKS_LEFT 15u            /* to the host after a dense one */
#define TEXT_BYTES_MIN (64u << 10) /* below this a device's memory counts as exhausted */

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

void cuda_lane_close(struct engine_lane *lane)
{
    if (lane->device != NULL && cuda_device_enter(lane->device, NULL) == TRAWL_OK) {
        cuda_lane_end(lane);
        cuda_device_leave(lane->device);
    }
    cuda_many_free(lane);
    cuda_counts_free(lane);
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

enum trawl_status cuda_lane_open_on(struct engine *engine, uint32_t index,
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
static bool cuda_pin(struct engine *engine, uint32_t index, const void *bytes, uint64_t count)
{
    struct cuda_device *device = &engine->devices[index];
    void *memory = (void *)(uintptr_t)bytes;
    enum trawl_status status;
    bool pinned;

    (void)pthread_mutex_lock(&engine->lock);
    status = device_want(engine, index, NULL);
    (void)pthread_mutex_unlock(&engine->lock);
    if (status != TRAWL_OK || cuda_device_enter(device, NULL) != TRAWL_OK)
        return false;
    /* Memory that may not be written has to be registered as such, on systems that look. */
    pinned = engine->driver.host_register(memory, (size_t)count, CUDA_HOST_REGISTER_MAPPED) ==
                 CUDA_CODE_OK ||
             engine->driver.host_register(memory, (size_t)count,
                                          CUDA_HOST_REGISTER_MAPPED |
                                              CUDA_HOST_REGISTER_READ_ONLY) == CUDA_CODE_OK;
    cuda_device_leave(device);
    return pinned;
}

static bool cuda_unpin(struct engine *engine, uint32_t index, const void *bytes)
{
    struct cuda_device *device = &engine->devices[index];
    bool is_open, done;

    (void)pthread_mutex_lock(&engine->lock);
    is_open = engine->device_is_open[index];
    (void)pthread_mutex_unlock(&engine->lock);
    if (!is_open || cuda_device_enter(device, NULL) != TRAWL_OK)
        return false;
    done = engine->driver.host_unregister((void *)(uintptr_t)bytes) == CUDA_CODE_OK;
    cuda_device_leave(device);
    return done;
}

void cuda_lane_take(struct engine_lane *lane, const struct trawl_plan *plan)
{
    lane->plan = plan;
    lane->tables.ready = lane->tables.ready && lane->tables.plan_serial == plan->serial;
    lane->held.bytes = NULL;
    lane->window_bytes = UINT64_MAX;
    lane->chunks_left = 0;
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
    bool fetched;

    if (cuda_lane_resident(lane, chunk->bytes, available, &range->address, &chunk_at)) {
        range->begin = chunk_at + at;
        range->end = chunk_at + chunk->owned;
        range->text_end = chunk_at + available;
        return TRAWL_OK;
    }
    if (cuda_in_place_range(lane, chunk, at, range))
        return TRAWL_OK;
    if (cuda_residents_lent(lane->engine, chunk->bytes, &fetched) && !fetched)
        return TRAWL_FAIL(error, DEVICE, "%s: the text lies on another device", lane->device->name);
    TRAWL_TRY(bring_text(lane, chunk, at, way, error));
    range->address = lane->text.address;
    range->begin = at - lane->held.from;
    range->end = chunk->owned - lane->held.from;
    range->text_end = lane->held.end - lane->held.from;
    if (lane->held.end < available) /* the longest occurrence must not be cut */
        range->end = min_u64(range->end, range->text_end - lane->plan->length_max + 1);
    return TRAWL_OK;
}

/* Strike out hits [first, ...) that the plan's conditions or a tail refuse. false: their tails cost
 * more than `work_max` characters, and the chunk may be left. */
static bool refine(const struct trawl_plan *plan, const struct engine_chunk *chunk, uint64_t first,
                   uint64_t work_max, struct engine_result *result)
{
    uint64_t available = chunk->owned + chunk->after, kept = first, work = 0, looked;

    for (uint64_t i = first; i < result->hits.count; i++) {
        struct hit hit = result->hits.items[i];
        const struct plan_literal literal = plan_literal_at(plan, hit.literal);
        uint64_t length = literal.bytes_count;

        if (literal.tail_count > 0) {
            length = plan_tail_match(plan, &literal, chunk->bytes + hit.offset,
                                     available - hit.offset, &looked);
            work += looked;
        }
        if (chunk->may_be_left && work > work_max)
            return false;
        if (length != 0 && (!plan_has_conditions(plan) ||
                            plan_accepts(plan, chunk->bytes, hit.offset, hit.offset + length,
                                         chunk->before, available)))
            result->hits.items[kept++] = hit;
    }
    result->count -= result->hits.count - kept;
    result->hits.count = kept;
    return true;
}

bool cuda_needs_refining(const struct trawl_plan *plan)
{
    bool needs = plan_has_conditions(plan);

    for (uint32_t i = 0; i < plan->literal_count; i++)
        needs |= plan_literal_at(plan, i).tail_count > 0;
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
    lane->may_leave = chunk->may_be_left;
    lane->leaves = false;
    TRAWL_TRY(way->search(lane, way->context, &range, want, at, result, &done, error));
    if (way->copies_timed)
        result->device_memory_ns += cuda_memory_ns() - memory_ns;
    if (lane->leaves)
        return TRAWL_OK;
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
        uint64_t first = result->hits.count, count = result->count, begin = at;

        TRAWL_TRY(scan_range(lane, chunk, at, asked, way, result, &at, error));
        if (lane->leaves ||
            (refining &&
             !refine(lane->plan, chunk, first, TAIL_WORK_MIN + TAIL_WORK * (at - begin), result))) {
            result->hits.count = first;
            result->count = count;
            result->is_left = true;
            lane->chunks_left = CHUNKS_LEFT;
            return TRAWL_OK;
        }
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
    for (uint32_t i = 0; i < CUDA_OTHERS; i++)
        if (lane->others[i] != NULL)
            (void)lane->device->driver->stream_wait(lane->others[i]);
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
    if (chunk->may_be_left && lane->chunks_left > 0) {
        lane->chunks_left--;
        result->is_left = true;
        return TRAWL_OK;
    }
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

/* Offsets in a range are 32-bit, but for streams of samples, of sets too: those count samples. */
uint64_t cuda_launch_begins_max(const struct engine_lane *lane, enum scan_want want)
{
    uint64_t most = min_u64(cuda_set_range_max(lane, want),
                            (1ull << (SCAN_SUM_BITS - 1)) / lane->tables.alike_max);

    if (want == SCAN_COUNT && lane->tables.count_kernel == CUDA_KERNEL_STREAM_SAMPLED)
        most = lane->tables.arguments.stride * (CUDA_RANGE_BYTES_MAX / 2); /* may come in pairs */
    return min_u64(most, lane->limits.launch_begins_max);
}

static enum trawl_status prepare_tables(struct engine_lane *lane, enum scan_want want,
                                        struct cuda_way *way, struct trawl_error *error)
{
    if (!lane->tables.ready)
        TRAWL_TRY(cuda_tables_build(lane, error));
    way->range_bytes_max = cuda_launch_begins_max(lane, want);
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

static bool begin_count(struct engine_lane *lane, const struct engine_chunk *chunk)
{
    bool begun;

    if (cuda_device_enter(lane->device, NULL) != TRAWL_OK)
        return false;
    begun = cuda_count_begin(lane, chunk);
    cuda_device_leave(lane->device);
    return begun;
}

/* The end of what was begun, whether the device can be entered or not. */
static bool end_count(struct engine_lane *lane, uint64_t *count, uint64_t *candidate_count)
{
    bool entered = cuda_device_enter(lane->device, NULL) == TRAWL_OK;
    bool counted = cuda_count_end(lane, count, candidate_count);

    if (entered)
        cuda_device_leave(lane->device);
    return counted;
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

/* Texts are loaded on the first device, and there the array has to be; for a text of the caller's
 * it has to be on the same device as the text. */
static bool is_array_there(const struct engine_lane *lane, const struct engine_begins *begins)
{
    int ordinal = 0;
    bool fetched;

    if (begins->host != NULL || lane->device_index == 0)
        return true;
    return cuda_residents_lent(lane->engine, begins->bytes, &fetched) &&
           (lane->device->driver->pointer_attribute(&ordinal, CUDA_POINTER_DEVICE,
                                                    begins->address) != CUDA_CODE_OK ||
            (uint32_t)ordinal == lane->device_index);
}

static enum trawl_status cuda_fill_begins(struct engine_lane *lane, struct engine_begins *begins,
                                          struct trawl_error *error)
{
    enum trawl_status status;

    TRAWL_TRY(cuda_device_enter(lane->device, error));
    if (is_array_there(lane, begins))
        status = cuda_begins(lane, begins, error);
    else
        status = TRAWL_FAIL(error, UNSUPPORTED, "%s has the text, and another device the array",
                            lane->device->name);
    if (status != TRAWL_OK && status != TRAWL_UNSUPPORTED)
        cuda_lane_failed(lane);
    cuda_device_leave(lane->device);
    return status;
}

static enum trawl_status list(struct engine_lane *lane, struct engine_list *list,
                              struct trawl_error *error)
{
    enum trawl_status status;

    TRAWL_TRY(cuda_device_enter(lane->device, error));
    status = cuda_list(lane, list, error);
    /* The words are to be there before another stream copies them. */
    if (status == TRAWL_OK)
        status = CUDA_CALL(lane->device, error, stream_wait, lane->stream);
    if (status != TRAWL_OK && status != TRAWL_UNSUPPORTED)
        cuda_lane_failed(lane);
    cuda_device_leave(lane->device);
    return status;
}

static enum trawl_status list_copy(struct engine_lane *lane, uint64_t at, uint64_t count,
                                   uint64_t *host, struct trawl_error *error)
{
    enum trawl_status status;

    TRAWL_TRY(cuda_device_enter(lane->device, error));
    status = cuda_list_copy(lane, at, count, host, error);
    cuda_device_leave(lane->device);
    return status;
}

static enum trawl_status list_wait(struct engine_lane *lane, struct trawl_error *error)
{
    bool entered = cuda_device_enter(lane->device, NULL) == TRAWL_OK;
    enum trawl_status status = TRAWL_OK;

    if (lane->copies != NULL)
        status = CUDA_CALL(lane->device, error, stream_wait, lane->copies);
    if (status != TRAWL_OK)
        cuda_lane_failed(lane);
    if (entered)
        cuda_device_leave(lane->device);
    return status;
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
    .lend = cuda_residents_lend,
    .fetch = cuda_residents_fetch,
    .locate = cuda_residents_locate,
    .count_many = cuda_count_many,
    .count_begin = begin_count,
    .count_end = end_count,
    .begins = cuda_fill_begins,
    .list = list,
    .list_copy = list_copy,
    .list_wait = list_wait,
};
