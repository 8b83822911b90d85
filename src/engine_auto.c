/* engine_auto: the CPU at once, the GPU where it pays.
 *
 * Every chunk may go either way; each thread decides by what it measured itself. Starting a GPU
 * takes up to a third of a second, for which closing waits, so it is begun only once a search has
 * taken a second by the clock, in a thread of its own, while the CPU goes on. When it stands, a
 * thread gives it one chunk to try; the chunks after that go where this thread's bytes per second
 * were higher, and now and then the other side is tried again. Threads that share the GPU slow each
 * other down there, so that only as many stay as it has room for. A text that was loaded goes to
 * the GPU as a whole.
 *
 * Nothing that a GPU does wrong ends a search: the chunk is searched again on the CPU, the GPU is
 * left alone from then on, and the note says why.
 */
#include "engine_auto.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/checked.h"
#include "base/clock.h"
#include "base/fault.h"
#include "base/memory.h"
#include "cuda/engine_cuda.h"

#define OPEN_AFTER_NS 1000000000 /* of a search: closing may have to wait a third of that */
#define CPU_BYTES_MAX (1u << 30)
#define TRY_AGAIN_CHUNKS 64u /* how often a thread looks whether the slower side still is */

enum gpu_state { GPU_NOT_ASKED, GPU_OPENING, GPU_READY, GPU_ABSENT };

struct engine {
    struct engine *cpu;
    struct engine *gpu; /* written before GPU_READY is */
    struct engine_options options;
    _Atomic int gpu_state;
    _Atomic uint64_t begin_ns; /* of the current search, as its last thread joined */
    pthread_t opener;
    bool opener_runs;     /* to be joined; under the lock */
    bool loaded;          /* a text was; between searches only */
    pthread_mutex_t lock; /* of opener_runs and note */
    char note[TRAWL_ERROR_MESSAGE_BYTES];
};

/* Bytes per second of one side, as one thread met it; 0: not yet tried. */
struct rate {
    double now;
    uint32_t chunks_ago;
};

struct engine_lane {
    struct engine *engine;
    struct engine_lane *cpu;
    struct engine_lane *gpu; /* NULL until needed */
    const struct trawl_plan *plan;
    bool gpu_begun;   /* with this plan */
    bool gpu_refused; /* this plan */
    struct rate cpu_rate;
    struct rate gpu_rate;
};

static int64_t open_after_ns = OPEN_AFTER_NS;

void engine_auto_open_after(int64_t ns)
{
    open_after_ns = ns;
}

/* ---- The GPU's coming and going ----------------------------------------------------------- */

static void gpu_give_up(struct engine *engine, const char *why)
{
    (void)pthread_mutex_lock(&engine->lock);
    if (engine->note[0] == '\0')
        (void)snprintf(engine->note, sizeof engine->note, "%.*s", (int)sizeof engine->note - 1,
                       why);
    (void)pthread_mutex_unlock(&engine->lock);
    atomic_store(&engine->gpu_state, GPU_ABSENT);
}

static void gpu_open(struct engine *engine)
{
    struct trawl_error error;

    if (engine_cuda.open(&engine->options, &engine->gpu, &error) == TRAWL_OK)
        atomic_store(&engine->gpu_state, GPU_READY);
    else
        gpu_give_up(engine, error.message);
}

static void *opener_main(void *argument)
{
    gpu_open((struct engine *)argument);
    return NULL;
}

/* Begin to open it in the background, if nobody has. */
static void gpu_ask(struct engine *engine)
{
    int expected = GPU_NOT_ASKED;

    if (!atomic_compare_exchange_strong(&engine->gpu_state, &expected, GPU_OPENING))
        return;
    (void)pthread_mutex_lock(&engine->lock);
    engine->opener_runs =
        !fault_hit(FAULT_THREAD) && pthread_create(&engine->opener, NULL, opener_main, engine) == 0;
    (void)pthread_mutex_unlock(&engine->lock);
    if (!engine->opener_runs)
        gpu_give_up(engine, "no thread to open the GPU with");
}

static void opener_join(struct engine *engine)
{
    bool runs;

    (void)pthread_mutex_lock(&engine->lock);
    runs = engine->opener_runs;
    engine->opener_runs = false;
    (void)pthread_mutex_unlock(&engine->lock);
    if (runs)
        (void)pthread_join(engine->opener, NULL);
}

static enum trawl_status auto_open(const struct engine_options *options, struct engine **engine_out,
                                   struct trawl_error *error)
{
    enum trawl_status status = TRAWL_OK;
    struct engine *engine;
    void *memory;

    TRAWL_TRY(memory_allocate_zeroed(1, sizeof *engine, &memory, error));
    engine = (struct engine *)memory;
    TRAWL_TRY_DONE(engine_cpu.open(options, &engine->cpu, error));
    engine->options = *options;
    engine->options.instruction_set = NULL; /* borrowed until open returns */
    (void)pthread_mutex_init(&engine->lock, NULL);
    *engine_out = engine;
    return TRAWL_OK;
done:
    memory_release(engine, 1, sizeof *engine);
    return status;
}

static void auto_close(struct engine *engine)
{
    opener_join(engine);
    if (engine->gpu != NULL)
        engine_cuda.close(engine->gpu);
    engine_cpu.close(engine->cpu);
    (void)pthread_mutex_destroy(&engine->lock);
    memory_release(engine, 1, sizeof *engine);
}

static void auto_properties(struct engine *engine, struct engine_properties *properties)
{
    engine_cpu.properties(engine->cpu, properties);
    (void)pthread_mutex_lock(&engine->lock);
    (void)snprintf(properties->note, sizeof properties->note, "%.*s",
                   (int)sizeof properties->note - 1, engine->note);
    (void)pthread_mutex_unlock(&engine->lock);
}

/* ---- Lanes ---------------------------------------------------------------------------------- */

static enum trawl_status auto_lane_open(struct engine *engine, struct engine_lane **lane_out,
                                        struct trawl_error *error)
{
    enum trawl_status status;
    struct engine_lane *lane;
    void *memory;

    TRAWL_TRY(memory_allocate_zeroed(1, sizeof *lane, &memory, error));
    lane = (struct engine_lane *)memory;
    lane->engine = engine;
    status = engine_cpu.lane_open(engine->cpu, &lane->cpu, error);
    if (status == TRAWL_OK)
        *lane_out = lane;
    else
        memory_release(lane, 1, sizeof *lane);
    return status;
}

static void auto_lane_close(struct engine_lane *lane)
{
    if (lane->gpu != NULL)
        engine_cuda.lane_close(lane->gpu);
    engine_cpu.lane_close(lane->cpu);
    memory_release(lane, 1, sizeof *lane);
}

static enum trawl_status auto_lane_begin(struct engine_lane *lane, const struct trawl_plan *plan,
                                         struct trawl_error *error)
{
    atomic_store(&lane->engine->begin_ns, clock_now_ns());
    lane->plan = plan;
    lane->gpu_begun = false;
    lane->gpu_refused = false;
    memset(&lane->cpu_rate, 0, sizeof lane->cpu_rate);
    memset(&lane->gpu_rate, 0, sizeof lane->gpu_rate);
    return engine_cpu.lane_begin(lane->cpu, plan, error);
}

/* The lane's way to the GPU, opened and made ready for the plan; false: there is none. */
static bool gpu_lane_ready(struct engine_lane *lane)
{
    struct engine *engine = lane->engine;
    enum trawl_status status = TRAWL_OK;
    struct trawl_error error;

    if (atomic_load(&engine->gpu_state) != GPU_READY || lane->gpu_refused)
        return false;
    if (lane->gpu == NULL)
        status = engine_cuda.lane_open(engine->gpu, &lane->gpu, &error);
    if (status == TRAWL_OK && !lane->gpu_begun)
        status = engine_cuda.lane_begin(lane->gpu, lane->plan, &error);
    lane->gpu_begun = status == TRAWL_OK;
    lane->gpu_refused = status != TRAWL_OK;
    if (status != TRAWL_OK && status != TRAWL_UNSUPPORTED)
        gpu_give_up(engine, error.message);
    return lane->gpu_begun;
}

/* ---- Scan ----------------------------------------------------------------------------------- */

static void rate_learn(struct rate *rate, uint64_t bytes, uint64_t ns)
{
    double now = (double)bytes * 1e9 / (double)(ns + 1);

    rate->now = rate->now == 0 ? now : 0.75 * rate->now + 0.25 * now;
    rate->chunks_ago = 0;
}

static bool chunk_is_loaded(const struct engine_lane *lane, const struct engine_chunk *chunk)
{
    struct engine *engine = lane->engine;

    return engine->loaded && atomic_load(&engine->gpu_state) == GPU_READY &&
           engine_cuda_holds(engine->gpu, lane->plan, chunk->bytes, chunk->owned + chunk->after) >
               0;
}

static bool choose_gpu(struct engine_lane *lane, const struct engine_chunk *chunk)
{
    bool gpu_is_faster;

    if (!gpu_lane_ready(lane))
        return false;
    if (chunk_is_loaded(lane, chunk))
        return true;
    if (lane->cpu_rate.now == 0 || lane->gpu_rate.now == 0)
        return lane->cpu_rate.now != 0; /* try both, the CPU first */
    gpu_is_faster = lane->gpu_rate.now > lane->cpu_rate.now;
    if (gpu_is_faster && ++lane->cpu_rate.chunks_ago >= TRY_AGAIN_CHUNKS)
        return false;
    if (!gpu_is_faster && ++lane->gpu_rate.chunks_ago >= TRY_AGAIN_CHUNKS)
        return true;
    return gpu_is_faster;
}

/* True if the GPU gave the answer. */
static bool gpu_scan(struct engine_lane *lane, const struct engine_chunk *chunk, uint64_t from,
                     enum engine_want want, struct engine_result *result)
{
    uint64_t begin_ns = clock_now_ns();
    struct trawl_error error;
    enum trawl_status status = engine_cuda.scan(lane->gpu, chunk, from, want, result, &error);

    if (status == TRAWL_OK) {
        rate_learn(&lane->gpu_rate, result->done - from, clock_now_ns() - begin_ns);
        return true;
    }
    lane->gpu_refused = true;
    if (status != TRAWL_UNSUPPORTED)
        gpu_give_up(lane->engine, error.message);
    return false;
}

/* A chunk may be of a size that only the GPU takes, and that one may be gone. */
static enum trawl_status cpu_scan_some(struct engine_lane *lane, const struct engine_chunk *chunk,
                                       uint64_t from, enum engine_want want,
                                       struct engine_result *result, struct trawl_error *error)
{
    uint64_t left = chunk->owned - from, owned = min_u64(left, CPU_BYTES_MAX);
    struct engine_chunk part = {chunk->bytes + from,
                                chunk->begin + from,
                                owned,
                                chunk->before + from,
                                left - owned + chunk->after,
                                left - owned + chunk->readable,
                                false,
                                0};

    if (chunk->owned < UINT32_MAX)
        return engine_cpu.scan(lane->cpu, chunk, from, want, result, error);
    TRAWL_TRY(engine_cpu.scan(lane->cpu, &part, 0, want, result, error));
    result->done += from;
    return TRAWL_OK;
}

static enum trawl_status auto_scan(struct engine_lane *lane, const struct engine_chunk *chunk,
                                   uint64_t from, enum engine_want want,
                                   struct engine_result *result, struct trawl_error *error)
{
    struct engine *engine = lane->engine;
    uint64_t begin_ns, taken_ns;

    if (choose_gpu(lane, chunk) && gpu_scan(lane, chunk, from, want, result))
        return TRAWL_OK;
    begin_ns = clock_now_ns();
    TRAWL_TRY(cpu_scan_some(lane, chunk, from, want, result, error));
    taken_ns = clock_now_ns() - begin_ns;
    rate_learn(&lane->cpu_rate, result->done - from, taken_ns);
    /* Less than none, where a thread joined after this chunk. */
    if (atomic_load(&engine->gpu_state) == GPU_NOT_ASKED &&
        (int64_t)(begin_ns + taken_ns - atomic_load(&engine->begin_ns)) >= open_after_ns)
        gpu_ask(engine);
    return TRAWL_OK;
}

/* ---- Many queries --------------------------------------------------------------------------- */

static bool query_is_loaded(const struct engine *engine, const struct engine_query *query)
{
    return engine_cuda_holds(engine->gpu, NULL, query->bytes, query->bytes_count) > 0;
}

/* Those of loaded texts go to the GPU, as many at a time as follow each other; the others are left
 * to scans, and so are all if it fails. */
static enum trawl_status auto_count_many(struct engine_lane *lane, struct engine_query *queries,
                                         uint64_t query_count, struct trawl_error *error)
{
    struct engine *engine = lane->engine;
    enum trawl_status status = TRAWL_OK;
    struct trawl_error gpu_error;
    uint64_t end;

    (void)error;
    if (!engine->loaded || atomic_load(&engine->gpu_state) != GPU_READY)
        return TRAWL_OK;
    if (lane->gpu == NULL)
        status = engine_cuda.lane_open(engine->gpu, &lane->gpu, &gpu_error);
    for (uint64_t begin = 0; begin < query_count && status == TRAWL_OK; begin = end + 1) {
        end = begin;
        while (end < query_count && query_is_loaded(engine, &queries[end]))
            end++;
        if (end > begin)
            status = engine_cuda.count_many(lane->gpu, queries + begin, end - begin, &gpu_error);
    }
    if (status != TRAWL_OK)
        gpu_give_up(engine, gpu_error.message);
    return TRAWL_OK;
}

static enum trawl_status auto_begins(struct engine_lane *lane, struct engine_begins *begins,
                                     struct trawl_error *error)
{
    struct engine *engine = lane->engine;
    enum trawl_status status = TRAWL_OK;
    struct trawl_error gpu_error;

    if (!engine->loaded || atomic_load(&engine->gpu_state) != GPU_READY)
        return TRAWL_FAIL(error, UNSUPPORTED, "the text is not loaded on a device");
    if (lane->gpu == NULL)
        status = engine_cuda.lane_open(engine->gpu, &lane->gpu, &gpu_error);
    if (status == TRAWL_OK)
        status = engine_cuda.lane_begin(lane->gpu, lane->plan, &gpu_error);
    if (status == TRAWL_OK)
        status = engine_cuda.begins(lane->gpu, begins, &gpu_error);
    if (status == TRAWL_OK)
        return TRAWL_OK;
    if (status != TRAWL_UNSUPPORTED)
        gpu_give_up(engine, gpu_error.message);
    return TRAWL_FAIL(error, UNSUPPORTED, "%s", gpu_error.message);
}

/* ---- Texts that stay ------------------------------------------------------------------------ */

/* Whoever loads a text will search it often: the GPU is opened at once. Without one, or without
 * room on it, the text stays where it is, and that is no error. */
static enum trawl_status auto_load(struct engine *engine, const uint8_t *bytes,
                                   uint64_t bytes_count, struct trawl_error *error)
{
    int expected = GPU_NOT_ASKED;
    struct trawl_error gpu_error;
    enum trawl_status status;

    (void)error;
    if (atomic_compare_exchange_strong(&engine->gpu_state, &expected, GPU_OPENING))
        gpu_open(engine);
    opener_join(engine);
    if (atomic_load(&engine->gpu_state) != GPU_READY)
        return TRAWL_OK;
    status = engine_cuda.load(engine->gpu, bytes, bytes_count, &gpu_error);
    if (status == TRAWL_OK)
        engine->loaded = true;
    else if (status == TRAWL_DEVICE)
        gpu_give_up(engine, gpu_error.message);
    return TRAWL_OK;
}

static void auto_unload(struct engine *engine, const uint8_t *bytes)
{
    if (engine->gpu != NULL && atomic_load(&engine->gpu_state) != GPU_OPENING)
        engine_cuda.unload(engine->gpu, bytes);
}

static uint32_t auto_holds(struct engine *engine, const struct trawl_plan *plan,
                           const uint8_t *bytes, uint64_t bytes_count)
{
    return engine->loaded && atomic_load(&engine->gpu_state) == GPU_READY
               ? engine_cuda_holds(engine->gpu, plan, bytes, bytes_count)
               : 0;
}

const struct engine_ops engine_auto = {
    "auto",          auto_open,  auto_close, auto_properties, auto_lane_open, auto_lane_close,
    auto_lane_begin, auto_scan,  auto_load,  auto_unload,     auto_holds,     NULL,
    auto_count_many, auto_begins};
