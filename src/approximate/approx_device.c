/* approx_device: finds candidates on a device.
 *
 * Where pieces are rare, the CUDA engine searches for the pieces as a set. Otherwise
 * kernels/grams.cu looks up, for each gram of the text, the pieces that begin with it, and compares
 * the literals of these pieces. The kernel writes candidates to a list. If the list is too short
 * for them, the kernel reports how many there are, and the host starts again with the first half of
 * the offsets.
 */
#include "approximate/approx_device.h"

#include "approximate/device_tables.h"
#include "approximate/kernels/approx_grams.h"
#include "approximate/approx_pieces.h"
#include "base/checked.h"
#include "base/memory.h"
#include "cuda/chunk.h"
#include "cuda/engine_cuda.h"
#include "cuda/open.h"
#include "approximate/prices.def"

/* bytes of shared memory that the kernels declare statically, or that the driver reserves */
#define STATIC_SHARED_BYTES (17u << 10)
/* a block here has this many times as many threads as a block of the CUDA engine */
#define THREADS_TIMES 4u

static const struct cuda_image grams = {"kernels for errors", "grams"};

struct approx_device {
    struct refiner *refiner;
    struct cuda_worker *worker; /* the refiner's prefilter, which also runs the kernels */
    const struct approximate *approximate;
    struct approx_tables tables;
    struct cuda_memory memory; /* the tables on the device */
    /* the device can search for the plan: with GRAMS, `memory` contains the plan's tables; with
     * PIECES, `worker` is compiled for the plan's pieces */
    bool ready;
    struct cuda_memory count; /* on the device: the number of candidates, 64 bits */
    struct cuda_memory found; /* the device's list of candidates */
    uint64_t found_room;
};

/* The state of one call of approx_device_candidates or approx_device_rate. */
struct device_step {
    struct approx_device *device;
    struct approx_candidates *candidates; /* NULL: candidates are only counted */
    uint64_t counted;                     /* number of candidates, if `candidates` is NULL */
    /* the number of candidates, if the device's list was too short; 0: all were copied to the
     * host */
    uint64_t found;
};

enum trawl_status approx_device_open(struct refiner *refiner, struct approx_device **device,
                                     struct trawl_error *error)
{
    TRAWL_TRY(MEMORY_ZEROED(*device, 1, error));
    (*device)->refiner = refiner;
    (*device)->worker = cuda_worker_of(refiner->prefilter);
    return TRAWL_OK;
}

void approx_device_close(struct approx_device *own)
{
    struct cuda_device *device = own->worker->device;

    if (cuda_device_enter(device, NULL) == TRAWL_OK) {
        (void)device->driver->stream_wait(own->worker->stream);
        cuda_memory_release(device, &own->memory);
        cuda_memory_release(device, &own->count);
        cuda_memory_release(device, &own->found);
        cuda_device_leave(device);
    }
    approx_tables_release(&own->tables);
    memory_release(own, 1, sizeof *own);
}

static enum trawl_status make_tables(struct approx_device *own, bool whole,
                                     struct trawl_error *error)
{
    return approx_tables_make(own->approximate,
                              own->worker->device->shared_max - STATIC_SHARED_BYTES, whole,
                              &own->tables, error);
}

enum trawl_status approx_device_begin(struct approx_device *own,
                                      const struct approximate *approximate,
                                      struct trawl_error *error)
{
    own->approximate = approximate;
    own->ready = false;
    approx_tables_release(&own->tables);
    if (approximate->method_on_device == APPROX_PIECES)
        return TRAWL_OK;
    cuda_worker_set_plan(own->worker, approximate->plan);
    return make_tables(own, false, error);
}

enum trawl_status approx_device_prepare(struct approx_device *own, struct trawl_error *error)
{
    if (own->ready || own->approximate->method_on_device != APPROX_PIECES)
        return TRAWL_OK;
    TRAWL_TRY(refine_prefilter_with(own->refiner, own->approximate->pieces, error));
    own->ready = true;
    return TRAWL_OK;
}

/* ---- Grams --------------------------------------------------------------------------------- */

static enum trawl_status send_tables(struct approx_device *own, struct trawl_error *error)
{
    uint64_t bytes = own->tables.word_count * sizeof *own->tables.words;

    if (own->ready)
        return TRAWL_OK;
    if (own->tables.words == NULL)
        TRAWL_TRY(make_tables(own, true, error));
    TRAWL_TRY(cuda_memory_reserve(own->worker->device, &own->memory,
                                  cuda_worker_room(own->worker, bytes), error));
    TRAWL_TRY(
        cuda_worker_upload(own->worker, own->memory.address, own->tables.words, bytes, error));
    own->ready = true;
    return TRAWL_OK;
}

static enum trawl_status reserve_found(struct approx_device *own, uint64_t min,
                                       struct trawl_error *error)
{
    struct cuda_device *device = own->worker->device;

    own->found_room = max_u64(max_u64(own->found_room, own->worker->limits.hits_max), min);
    TRAWL_TRY(cuda_memory_reserve(device, &own->count, sizeof(uint64_t), error));
    TRAWL_TRY(cuda_memory_reserve(device, &own->found, own->found_room * sizeof(uint64_t), error));
    return cuda_pinned_reserve(device, &own->worker->landing,
                               cuda_worker_room(own->worker, sizeof(uint64_t)), 0, error);
}

static void set_arguments(const struct approx_device *own, const struct cuda_range *range,
                          struct grams_arguments *a)
{
    const struct approx_tables *tables = &own->tables;

    a->text = (const uint8_t *)(uintptr_t)range->address;
    a->begin = range->begin;
    a->end = range->end;
    a->text_end = range->text_end;
    a->tables = (const uint32_t *)(uintptr_t)own->memory.address;
    a->table_words = (uint32_t)tables->word_count;
    a->heads_at = tables->heads_at;
    a->entries_at = tables->entries_at;
    a->motifs_at = tables->motifs_at;
    a->segments_at = tables->segments_at;
    a->motif_count = tables->motif_count;
    a->segment_count = tables->segment_count;
    a->gram_symbols = tables->gram_symbols;
    a->errors_max = own->approximate->errors_max;
    a->shared_bytes =
        tables->are_shared ? (uint32_t)(tables->word_count * sizeof *tables->words) : 0;
    a->found = (uint64_t *)(uintptr_t)own->found.address;
    a->capacity = own->found_room;
    a->count = (uint64_t *)(uintptr_t)own->count.address;
}

/* Launches the kernel with as many blocks as the device runs at a time, or as the worker's limits
 * allow, but at most one per tile. */
static enum trawl_status launch(struct approx_device *own, struct grams_arguments *a,
                                struct trawl_error *error)
{
    static const char *const names[3][2] = {{"grams_begins_global", "grams_begins_shared"},
                                            {"grams_motifs_global", "grams_motifs_shared"},
                                            {"grams_ends_global", "grams_ends_shared"}};
    const struct cuda_device *device = own->worker->device;
    const struct cuda_limits *limits = &own->worker->limits;
    uint32_t threads = (uint32_t)min_u64(THREADS_TIMES * limits->threads, GRAMS_THREADS_MAX);
    uint64_t tiles = (a->end - a->begin) / GRAMS_TILE_OFFSETS + 2, blocks;
    uint32_t kind = own->approximate->edits ? 2 : a->motif_count > 0 ? 1 : 0;
    struct cuda_function *function = NULL;
    struct cuda_module *module;
    void *parameters[] = {a};
    int resident = 0;

    TRAWL_TRY(cuda_device_module(own->worker->device, &grams, &module, error));
    TRAWL_TRY(CUDA_CALL(device, error, module_function, &function, module,
                        names[kind][own->tables.are_shared]));
    TRAWL_TRY(CUDA_CALL(device, error, function_attribute, function,
                        CUDA_FUNCTION_DYNAMIC_SHARED_BYTES_MAX, (int)a->shared_bytes));
    TRAWL_TRY(CUDA_CALL(device, error, occupancy, &resident, function, (int)threads,
                        (size_t)a->shared_bytes));
    blocks = max_u64((uint64_t)resident, 1) * max_u64(device->multiprocessors, 1);
    blocks = min_u64(limits->blocks_max != 0 ? limits->blocks_max : blocks, tiles);
    return CUDA_CALL(device, error, launch, function, (unsigned)blocks, 1, 1, threads, 1, 1,
                     a->shared_bytes, own->worker->stream, parameters, NULL);
}

/* Copies `bytes` bytes from the device to the landing buffer (the worker's pinned memory), and
 * waits until they have arrived. */
static enum trawl_status bring(struct approx_device *own, uint64_t address, uint64_t bytes,
                               struct trawl_error *error)
{
    struct cuda_worker *worker = own->worker;

    TRAWL_TRY(cuda_pinned_reserve(worker->device, &worker->landing, cuda_worker_room(worker, bytes),
                                  0, error));
    TRAWL_TRY(CUDA_CALL(worker->device, error, copy_to_host, worker->landing.bytes, address,
                        (size_t)bytes, worker->stream));
    return CUDA_CALL(worker->device, error, stream_wait, worker->stream);
}

/* Appends the `count` candidates that bring() has put into the landing buffer to *candidates. Their
 * starts are relative to offset `base` of the chunk. */
static enum trawl_status landing_take(const struct approx_device *own, uint64_t count,
                                      uint64_t base, struct approx_candidates *candidates,
                                      struct trawl_error *error)
{
    const uint64_t *found = (const uint64_t *)(const void *)own->worker->landing.bytes;
    const int64_t more = own->approximate->edits ? (int64_t)own->approximate->errors_max : 0;

    TRAWL_ASSERT(count <= own->found_room);
    TRAWL_TRY(approx_candidates_reserve(candidates, count, error));
    /* with edits, the kernel has added errors_max to each start */
    for (uint64_t i = 0; i < count; i++)
        candidates->items[candidates->count++] =
            approx_candidate_at(own->approximate, (uint32_t)(found[i] >> 32),
                                (int64_t)(base + (uint32_t)found[i]) - more);
    return TRAWL_OK;
}

/* Finds the candidates in a range of the text with the kernel. This is the `search` member of
 * struct cuda_steps. */
static enum trawl_status search_range(struct cuda_worker *worker, void *context,
                                      const struct cuda_range *range, enum want want,
                                      uint64_t hits_base, struct engine_result *result,
                                      uint64_t *done, struct trawl_error *error)
{
    struct device_step *step = (struct device_step *)context;
    struct approx_device *own = step->device;
    struct grams_arguments arguments;
    uint64_t count;

    (void)want;
    (void)result;
    *done = range->end;
    if (step->found > 0)
        return TRAWL_OK;
    TRAWL_TRY(send_tables(own, error));
    TRAWL_TRY(reserve_found(own, 0, error));
    do {
        set_arguments(own, range, &arguments);
        TRAWL_TRY(CUDA_CALL(worker->device, error, fill, own->count.address, 0, sizeof(uint64_t),
                            worker->stream));
        TRAWL_TRY(launch(own, &arguments, error));
        TRAWL_TRY(bring(own, own->count.address, sizeof count, error));
        count = *(const uint64_t *)(const void *)worker->landing.bytes;
        if (step->candidates == NULL) {
            step->counted += count;
            return TRAWL_OK;
        }
        if (count > own->found_room && range->end - range->begin > 1) {
            step->found = count;
            return TRAWL_OK;
        }
        TRAWL_TRY(reserve_found(own, count, error));
    } while (count > arguments.capacity);
    if (count == 0)
        return TRAWL_OK;
    TRAWL_TRY(bring(own, own->found.address, count * sizeof(uint64_t), error));
    return landing_take(own, count, hits_base, step->candidates, error);
}

/* Finds the candidates that begin in [from, *to) with kernels/grams.cu. If `candidates` is NULL,
 * only sets *counted to how many there are. */
static enum trawl_status by_grams(struct approx_device *own, const struct engine_chunk *chunk,
                                  uint64_t from, uint64_t *to, struct approx_candidates *candidates,
                                  uint64_t *counted, struct trawl_error *error)
{
    struct device_step step = {.device = own, .candidates = candidates, .found = 1};
    struct engine_result result = {.count = 0};
    struct cuda_steps steps = {.text_bytes_max = UINT64_MAX,
                               .range_bytes_max = CUDA_RANGE_BYTES_MAX / 2,
                               .search = search_range,
                               .context = &step};

    while (step.found > 0) {
        struct engine_chunk part = *chunk;
        enum trawl_status status;

        TRAWL_ASSERT(*to > from && *to <= chunk->owned);
        part.owned = *to;
        part.after += chunk->owned - *to;
        part.readable += chunk->owned - *to;
        part.may_be_left = false;
        step.found = 0;
        if (candidates != NULL)
            candidates->count = 0;
        status = cuda_scan_chunk(own->worker, &part, from, WANT_HITS, &steps, &result, error);
        own->ready &= status == TRAWL_OK;
        TRAWL_TRY(status);
        if (step.found > 0)
            *to = from + max_u64((*to - from) / 2, 1);
    }
    *counted = step.counted;
    return TRAWL_OK;
}

enum trawl_status approx_device_candidates(struct approx_device *own,
                                           const struct engine_chunk *chunk, uint64_t from,
                                           uint64_t *to, struct approx_candidates *candidates,
                                           struct trawl_error *error)
{
    uint64_t counted;

    TRAWL_ASSERT(candidates->count == 0 && from < *to && *to <= chunk->owned);
    TRAWL_TRY(approx_device_prepare(own, error));
    if (own->approximate->method_on_device == APPROX_PIECES)
        return approx_pieces_search(own->refiner, own->approximate, chunk, from, to, candidates,
                                    error);
    return by_grams(own, chunk, from, to, candidates, &counted, error);
}

enum trawl_status approx_device_rate(struct approx_device *own, const struct engine_chunk *chunk,
                                     double *rate, struct trawl_error *error)
{
    struct engine_result *pieces = &own->refiner->found;
    uint64_t to = chunk->owned, counted;

    TRAWL_ASSERT(chunk->owned > 0 && !chunk->may_be_left);
    TRAWL_TRY(approx_device_prepare(own, error));
    if (own->approximate->method_on_device == APPROX_PIECES) {
        TRAWL_TRY(engine_scan(&engine_cuda, own->refiner->prefilter, chunk, 0, WANT_COUNT, pieces,
                              error));
        counted = pieces->count;
        to = pieces->done;
    } else {
        TRAWL_TRY(by_grams(own, chunk, 0, &to, NULL, &counted, error));
    }
    *rate = (double)counted / (double)to;
    return TRAWL_OK;
}

double approx_device_ready_ns(const struct approx_device *own)
{
    if (own->approximate->method_on_device == APPROX_PIECES || own->tables.words != NULL)
        return 0;
    return (double)own->tables.word_count * TABLE_WORD_NS;
}

bool approx_device_holds(const struct approx_device *own, const struct engine_chunk *chunk)
{
    struct engine_text text = {.bytes = chunk->bytes,
                               .bytes_count = chunk->owned + chunk->after,
                               .how = ENGINE_HOLD_LOOK,
                               .plan = own->approximate->plan};

    return engine_cuda.there->hold(own->refiner->engine, &text, NULL) == TRAWL_OK;
}
