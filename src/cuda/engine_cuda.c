/* engine_cuda: the engine's table for NVIDIA GPUs.
 *
 * A worker belongs to one device and has a stream and memory of its own. Its scan copies the chunk
 * through pinned buffers, as much at a time as fits, and searches each part; the workers of one
 * device overlap each other's copies and kernels. A text that was loaded needs no copy.
 */
#include "cuda/engine_cuda.h"

#include <pthread.h>
#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "cuda/worker.h"

#define WORKERS_PER_DEVICE 3u
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
    properties->workers_per_device = WORKERS_PER_DEVICE;
}

/* ---- Workers ------------------------------------------------------------------------------ */

void cuda_worker_close(struct engine_worker *worker)
{
    if (worker->device != NULL && cuda_device_enter(worker->device, NULL) == TRAWL_OK) {
        cuda_worker_end(worker);
        cuda_device_leave(worker->device);
    }
    cuda_counts_free(worker);
    memory_release(worker, 1, sizeof *worker);
}

/* A worker on a device that is open. */
static enum trawl_status worker_open_on(struct engine *engine, uint32_t index,
                                        struct engine_worker **worker_out,
                                        struct trawl_error *error)
{
    enum trawl_status status = TRAWL_OK;
    struct engine_worker *worker;
    void *memory;

    TRAWL_TRY(memory_allocate_zeroed(1, sizeof *worker, &memory, error));
    worker = (struct engine_worker *)memory;
    worker->engine = engine;
    worker->limits = cuda_limits_now();
    worker->device = &engine->devices[index];
    worker->device_index = index;
    TRAWL_TRY_DONE(cuda_device_enter(worker->device, error));
    status = cuda_worker_start(worker, error);
    cuda_device_leave(worker->device);
    if (status != TRAWL_OK)
        goto done;
    *worker_out = worker;
    worker = NULL;
done:
    if (worker != NULL)
        cuda_worker_close(worker);
    return status;
}

static enum trawl_status cuda_worker_open(struct engine *engine, struct engine_worker **worker,
                                          struct trawl_error *error)
{
    uint32_t index;

    (void)pthread_mutex_lock(&engine->lock);
    index = engine->workers_opened++ % engine->device_count;
    if (device_want(engine, index, NULL) != TRAWL_OK)
        index = 0; /* the first device is open: go on with that */
    (void)pthread_mutex_unlock(&engine->lock);
    return worker_open_on(engine, index, worker, error);
}

enum trawl_status cuda_worker_open_on(struct engine *engine, uint32_t index,
                                      struct engine_worker **worker, struct trawl_error *error)
{
    enum trawl_status status;

    TRAWL_ASSERT(index < engine->device_count);
    (void)pthread_mutex_lock(&engine->lock);
    status = device_want(engine, index, error);
    (void)pthread_mutex_unlock(&engine->lock);
    return status != TRAWL_OK ? status : worker_open_on(engine, index, worker, error);
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

void cuda_worker_take(struct engine_worker *worker, const struct trawl_plan *plan)
{
    worker->plan = plan;
    worker->tables.ready = worker->tables.ready && worker->tables.plan_serial == plan->serial;
    worker->lists_few = worker->lists_few && worker->tables.ready;
    worker->held.bytes = NULL;
    worker->reach_bytes = UINT64_MAX;
    worker->chunks_left = 0;
}

/* The tables go over with the first scan: a thread may get no chunk of this search. Where they are
 * those of the last search they are there. */
static enum trawl_status cuda_worker_begin(struct engine_worker *worker,
                                           const struct trawl_plan *plan, struct trawl_error *error)
{
    cuda_worker_take(worker, plan);
    return plan->literal_count == 0 ? TRAWL_OK : cuda_tables_check(plan, error);
}

/* ---- Scan ------------------------------------------------------------------------------- */

/* Of a text, at a time. */
static uint64_t text_bytes_max(const struct engine_worker *worker, const struct cuda_way *way)
{
    return min_u64(worker->limits.text_bytes_max, way->text_bytes_max);
}

/* Device memory for `wanted` bytes of text or, where that is not to be had, for fewer. */
static enum trawl_status reserve_text(struct engine_worker *worker, const struct cuda_way *way,
                                      uint64_t wanted, uint64_t least, struct trawl_error *error)
{
    for (;;) {
        uint64_t bytes = min_u64(wanted, max_u64(text_bytes_max(worker, way), least));
        enum trawl_status status = cuda_memory_reserve(
            worker->device, &worker->text,
            cuda_worker_room(worker, ((bytes + 15) & ~15ull) + SCAN_PADDING_BYTES), error);

        if (status != TRAWL_MEMORY || bytes / 2 < max_u64(least, TEXT_BYTES_MIN))
            return status;
        worker->limits.text_bytes_max = bytes / 2;
    }
}

/* Bring bytes of the chunk from `at` on to the device, as many as fit. */
static enum trawl_status bring_text(struct engine_worker *worker, const struct engine_chunk *chunk,
                                    uint64_t at, const struct cuda_way *way,
                                    struct trawl_error *error)
{
    uint64_t available = chunk->owned + chunk->after - at;
    uint64_t overlap =
        worker->plan->length_max; /* a chunk has begins of its own beside the overlap */
    uint64_t count;

    if (worker->held.bytes == chunk->bytes && worker->held.begin == chunk->begin && at > 0 &&
        at >= worker->held.from && at < worker->held.end &&
        (worker->held.end == at + available || worker->held.end - at > overlap))
        return TRAWL_OK;
    worker->held.bytes = NULL;
    TRAWL_TRY(reserve_text(worker, way, available, min_u64(available, 2 * overlap), error));
    count = min_u64(available, (worker->text.bytes - SCAN_PADDING_BYTES) & ~15ull);
    count = min_u64(count, max_u64(text_bytes_max(worker, way), 2 * overlap));
    if (chunk->pinned) {
        TRAWL_TRY(CUDA_CALL(worker->device, error, copy_to_device, worker->text.address,
                            chunk->bytes + at, (size_t)count, worker->stream));
        TRAWL_TRY(CUDA_CALL(worker->device, error, fill, worker->text.address + count, 0,
                            SCAN_PADDING_BYTES, worker->stream));
        worker->patient = count >= PATIENT_BYTES;
    } else {
        TRAWL_TRY(
            cuda_worker_upload_text(worker, worker->text.address, chunk->bytes + at, count, error));
    }
    worker->held.bytes = chunk->bytes;
    worker->held.begin = chunk->begin;
    worker->held.from = at;
    worker->held.end = at + count;
    return TRAWL_OK;
}

/* The next range of the chunk's begins from `at` on. */
static enum trawl_status next_range(struct engine_worker *worker, const struct engine_chunk *chunk,
                                    uint64_t at, const struct cuda_way *way,
                                    struct cuda_range *range, struct trawl_error *error)
{
    uint64_t available = chunk->owned + chunk->after, chunk_at = 0;
    bool fetched;

    if (cuda_worker_resident(worker, chunk->bytes, available, &range->address, &chunk_at)) {
        range->begin = chunk_at + at;
        range->end = chunk_at + chunk->owned;
        range->text_end = chunk_at + available;
        return TRAWL_OK;
    }
    if (cuda_residents_lent(worker->engine, chunk->bytes, &fetched) && !fetched)
        return TRAWL_FAIL(error, DEVICE, "%s: the text lies on another device",
                          worker->device->name);
    TRAWL_TRY(bring_text(worker, chunk, at, way, error));
    range->address = worker->text.address;
    range->begin = at - worker->held.from;
    range->end = chunk->owned - worker->held.from;
    range->text_end = worker->held.end - worker->held.from;
    if (worker->held.end < available) /* the longest occurrence must not be cut */
        range->end = min_u64(range->end, range->text_end - worker->plan->length_max + 1);
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

enum trawl_status cuda_wait_copies(struct engine_worker *worker, uint64_t begin_ns,
                                   struct engine_result *result, struct trawl_error *error)
{
    TRAWL_TRY(CUDA_CALL(worker->device, error, stream_wait, worker->stream));
    result->device_copy_ns += cuda_clock_ns() - begin_ns;
    return TRAWL_OK;
}

/* Bring the text of the next range and search it. */
static enum trawl_status scan_range(struct engine_worker *worker, const struct engine_chunk *chunk,
                                    uint64_t at, enum scan_want want, const struct cuda_way *way,
                                    struct engine_result *result, uint64_t *next,
                                    struct trawl_error *error)
{
    uint64_t done, begin_ns = way->copies_timed ? cuda_clock_ns() : 0;
    uint64_t memory_ns = cuda_memory_ns();
    struct cuda_range range = {0, 0, 0, 0};

    TRAWL_TRY(next_range(worker, chunk, at, way, &range, error));
    range.end = min_u64(range.end, range.begin + way->range_bytes_max);
    if (way->copies_timed)
        TRAWL_TRY(cuda_wait_copies(worker, begin_ns, result, error));
    worker->may_leave = chunk->may_be_left;
    worker->leaves = false;
    TRAWL_TRY(way->search(worker, way->context, &range, want, at, result, &done, error));
    if (way->copies_timed)
        result->device_memory_ns += cuda_memory_ns() - memory_ns;
    if (worker->leaves)
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
static enum trawl_status scan_ranges(struct engine_worker *worker, const struct engine_chunk *chunk,
                                     uint64_t from, enum engine_want want, struct cuda_way *way,
                                     struct engine_result *result, struct trawl_error *error)
{
    enum scan_want asked = chunk_want(worker->plan, want);
    bool refining = cuda_needs_refining(worker->plan);

    if (way->prepare != NULL)
        TRAWL_TRY(way->prepare(worker, asked, way, error));
    for (uint64_t at = from; at < chunk->owned;) {
        uint64_t first = result->hits.count, count = result->count, begin = at;

        TRAWL_TRY(scan_range(worker, chunk, at, asked, way, result, &at, error));
        if (worker->leaves ||
            (refining && !refine(worker->plan, chunk, first,
                                 TAIL_WORK_MIN + TAIL_WORK * (at - begin), result))) {
            result->hits.count = first;
            result->count = count;
            result->is_left = true;
            worker->chunks_left = CHUNKS_LEFT;
            return TRAWL_OK;
        }
        if (want == ENGINE_WANT_COUNT)
            result->hits.count = 0;
        if (want == ENGINE_WANT_FIRST && result->hits.count > 0)
            break;
        result->done = at;
        if (want == ENGINE_WANT_HITS && result->hits.count >= worker->limits.hits_max)
            return TRAWL_OK;
    }
    result->done = chunk->owned;
    return TRAWL_OK;
}

void cuda_worker_failed(struct engine_worker *worker)
{
    (void)worker->device->driver->stream_wait(worker->stream);
    if (worker->copies != NULL) /* they go to the caller's memory */
        (void)worker->device->driver->stream_wait(worker->copies);
    for (uint32_t i = 0; i < CUDA_OTHERS; i++)
        if (worker->others[i] != NULL)
            (void)worker->device->driver->stream_wait(worker->others[i]);
    worker->held.bytes = NULL;
    worker->tables.ready = false;
    worker->sums_ready = false;
}

enum trawl_status cuda_scan_chunk(struct engine_worker *worker, const struct engine_chunk *chunk,
                                  uint64_t from, enum engine_want want, struct cuda_way *way,
                                  struct engine_result *result, struct trawl_error *error)
{
    enum trawl_status status;

    TRAWL_ASSERT(from < chunk->owned);
    TRAWL_ASSERT(chunk->owned < UINT32_MAX ||
                 (want == ENGINE_WANT_COUNT && plan_counts_alone(worker->plan)));
    engine_result_begin(result, from, true);
    if (chunk->may_be_left && worker->chunks_left > 0) {
        worker->chunks_left--;
        result->is_left = true;
        return TRAWL_OK;
    }
    TRAWL_TRY(cuda_device_enter(worker->device, error));
    if (want > ENGINE_WANT_FIRST) /* devices leave no hit out */
        want = ENGINE_WANT_HITS;
    status = scan_ranges(worker, chunk, from, want, way, result, error);
    if (status != TRAWL_OK)
        cuda_worker_failed(worker);
    cuda_device_leave(worker->device);
    return status;
}

/* By the plan's method; its tables go over before the first range. */
static enum trawl_status search_range(struct engine_worker *worker, void *context,
                                      const struct cuda_range *range, enum scan_want want,
                                      uint64_t hits_base, struct engine_result *result,
                                      uint64_t *done, struct trawl_error *error)
{
    (void)context;
    return cuda_scan_range(worker, range, want, hits_base, result, done, error);
}

/* Offsets in a range are 32-bit, but for streams of samples, of sets too: those count samples. */
uint64_t cuda_launch_begins_max(const struct engine_worker *worker, enum scan_want want)
{
    uint64_t most = min_u64(cuda_set_range_max(worker, want),
                            (1ull << (SCAN_SUM_BITS - 1)) / worker->tables.alike_max);

    if (want == SCAN_COUNT && worker->tables.count_kernel == CUDA_KERNEL_STREAM_SAMPLED)
        most = worker->tables.arguments.stride * (CUDA_RANGE_BYTES_MAX / 2); /* may come in pairs */
    return min_u64(most, worker->limits.launch_begins_max);
}

static enum trawl_status prepare_tables(struct engine_worker *worker, enum scan_want want,
                                        struct cuda_way *way, struct trawl_error *error)
{
    if (!worker->tables.ready)
        TRAWL_TRY(cuda_tables_build(worker, error));
    way->range_bytes_max = cuda_launch_begins_max(worker, want);
    return TRAWL_OK;
}

static enum trawl_status cuda_scan(struct engine_worker *worker, const struct engine_chunk *chunk,
                                   uint64_t from, enum engine_want want,
                                   struct engine_result *result, struct trawl_error *error)
{
    struct cuda_way way = {.text_bytes_max = UINT64_MAX,
                           .range_bytes_max = CUDA_RANGE_BYTES_MAX,
                           .prepare = prepare_tables,
                           .search = search_range};

    return cuda_scan_chunk(worker, chunk, from, want, &way, result, error);
}

static bool begin_count(struct engine_worker *worker, const struct engine_chunk *chunk)
{
    bool begun;

    if (cuda_device_enter(worker->device, NULL) != TRAWL_OK)
        return false;
    begun = cuda_count_begin(worker, chunk);
    cuda_device_leave(worker->device);
    return begun;
}

/* The end of what was begun, whether the device can be entered or not. */
static bool end_count(struct engine_worker *worker, uint64_t *count, uint64_t *candidate_count)
{
    bool entered = cuda_device_enter(worker->device, NULL) == TRAWL_OK;
    bool counted = cuda_count_end(worker, count, candidate_count);

    if (entered)
        cuda_device_leave(worker->device);
    return counted;
}

/* Texts are loaded on the first device, and there the array has to be; for a text of the caller's
 * it has to be on the same device as the text. */
static bool is_array_there(const struct engine_worker *worker, const struct engine_begins *begins)
{
    int ordinal = 0;
    bool fetched;

    if (begins->host != NULL || worker->device_index == 0)
        return true;
    return cuda_residents_lent(worker->engine, begins->bytes, &fetched) &&
           (worker->device->driver->pointer_attribute(&ordinal, CUDA_POINTER_DEVICE,
                                                      begins->address) != CUDA_CODE_OK ||
            (uint32_t)ordinal == worker->device_index);
}

static enum trawl_status cuda_fill_begins(struct engine_worker *worker,
                                          struct engine_begins *begins, struct trawl_error *error)
{
    enum trawl_status status;

    TRAWL_TRY(cuda_device_enter(worker->device, error));
    if (is_array_there(worker, begins))
        status = cuda_begins(worker, begins, error);
    else
        status = TRAWL_FAIL(error, UNSUPPORTED, "%s has the text, and another device the array",
                            worker->device->name);
    if (status != TRAWL_OK && status != TRAWL_UNSUPPORTED)
        cuda_worker_failed(worker);
    cuda_device_leave(worker->device);
    return status;
}

static enum trawl_status list(struct engine_worker *worker, struct engine_list *list,
                              struct trawl_error *error)
{
    enum trawl_status status;

    TRAWL_TRY(cuda_device_enter(worker->device, error));
    status = cuda_list(worker, list, error);
    /* The words are to be there before another stream copies them. */
    if (status == TRAWL_OK)
        status = CUDA_CALL(worker->device, error, stream_wait, worker->stream);
    if (status != TRAWL_OK && status != TRAWL_UNSUPPORTED)
        cuda_worker_failed(worker);
    cuda_device_leave(worker->device);
    return status;
}

static enum trawl_status list_bring(struct engine_worker *worker, uint64_t at, uint64_t count,
                                    uint32_t piece, uint64_t *host, struct trawl_error *error)
{
    enum trawl_status status;

    TRAWL_TRY(cuda_device_enter(worker->device, error));
    status = cuda_list_bring(worker, at, count, piece, host, error);
    cuda_device_leave(worker->device);
    return status;
}

static bool is_pinned(const struct engine_worker *worker, const void *bytes, uint64_t count)
{
    bool pinned;

    if (cuda_device_enter(worker->device, NULL) != TRAWL_OK)
        return false;
    pinned = cuda_is_pinned(worker, bytes, count);
    cuda_device_leave(worker->device);
    return pinned;
}

static enum trawl_status list_piece(const struct engine_worker *worker, uint32_t piece,
                                    const uint64_t **words, struct trawl_error *error)
{
    enum trawl_status status;

    TRAWL_TRY(cuda_device_enter(worker->device, error));
    status = cuda_list_piece(worker, piece, words, error);
    cuda_device_leave(worker->device);
    return status;
}

static enum trawl_status list_wait(struct engine_worker *worker, struct trawl_error *error)
{
    bool entered = cuda_device_enter(worker->device, NULL) == TRAWL_OK;
    enum trawl_status status = TRAWL_OK;

    if (worker->copies != NULL)
        status = CUDA_CALL(worker->device, error, stream_wait, worker->copies);
    if (status != TRAWL_OK)
        cuda_worker_failed(worker);
    if (entered)
        cuda_device_leave(worker->device);
    return status;
}

const struct engine_ops engine_cuda = {
    .name = "cuda",
    .open = cuda_open,
    .close = cuda_close,
    .properties = cuda_properties,
    .worker_open = cuda_worker_open,
    .worker_close = cuda_worker_close,
    .worker_open_on = cuda_worker_open_on,
    .pin = cuda_pin,
    .unpin = cuda_unpin,
    .worker_begin = cuda_worker_begin,
    .scan = cuda_scan,
    .load = engine_cuda_load,
    .unload = engine_cuda_unload,
    .lend = cuda_residents_lend,
    .fetch = cuda_residents_fetch,
    .locate = cuda_residents_locate,
    .count_begin = begin_count,
    .count_end = end_count,
    .begins = cuda_fill_begins,
    .list = list,
    .list_bring = list_bring,
    .is_pinned = is_pinned,
    .list_piece = list_piece,
    .list_wait = list_wait,
};
