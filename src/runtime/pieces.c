/* pieces: lists of begins on their way from devices into the caller's array. */
#include "runtime/pieces.h"

#include <sched.h>
#include <string.h>

#include "base/clock.h"
#include "cuda/engine_cuda.h"

/* A host worker looks for pieces as long as devices take for 12 GiB each. Then it sleeps, and is
 * called when there are some. */
#define HELPER_LOOKS_NS 3000000u

/* A part of the device's pieces that nobody copies yet; false: there is none. */
static bool take(struct device_pieces *of, uint64_t *part)
{
    uint64_t taken = atomic_load(&of->taken);

    do
        if (taken >= PIECE_PARTS * atomic_load(&of->brought))
            return false;
    while (!atomic_compare_exchange_weak(&of->taken, &taken, taken + 1));
    *part = taken;
    return true;
}

static bool copy_one(struct pieces *pieces, struct device_pieces *of)
{
    const uint64_t *words;
    struct trawl_error error;
    enum trawl_status status;
    uint64_t part, begin, end;
    uint32_t slot;

    if (!take(of, &part))
        return false;
    slot = (uint32_t)(part / PIECE_PARTS % ENGINE_PIECES_MAX);
    TRAWL_ASSERT(atomic_load(&of->left[slot]) > 0);
    begin = of->count[slot] * (part % PIECE_PARTS) / PIECE_PARTS;
    end = of->count[slot] * (part % PIECE_PARTS + 1) / PIECE_PARTS;
    status = engine_cuda.list_piece(of->worker, slot, &words, &error);
    if (status == TRAWL_OK) {
        memcpy(of->to[slot] + begin, words + begin, (size_t)((end - begin) * sizeof *words));
    } else {
        (void)pthread_mutex_lock(&pieces->lock);
        if (of->status == TRAWL_OK) {
            of->status = status;
            of->error = error;
        }
        (void)pthread_mutex_unlock(&pieces->lock);
    }
    atomic_fetch_sub(&of->left[slot], 1);
    atomic_fetch_add(&of->copied, 1);
    return true;
}

bool pieces_copy(struct pieces *pieces, uint32_t device)
{
    bool copied = false;

    for (uint32_t i = 0; i < ENGINE_DEVICES_MAX && !copied; i++)
        copied = copy_one(pieces, &pieces->devices[(device + i) % ENGINE_DEVICES_MAX]);
    return copied;
}

/* A host worker's. To leave takes the runtime's lock: it does so while others copy. */
static void serve(struct job *job, struct worker *worker)
{
    struct pieces *pieces = (struct pieces *)job;
    uint32_t device = (uint32_t)(worker - worker->runtime->workers) % ENGINE_DEVICES_MAX;
    uint64_t begin_ns = clock_now_ns();

    while (!atomic_load(&pieces->over) && clock_now_ns() - begin_ns < HELPER_LOOKS_NS)
        if (pieces_copy(pieces, device))
            begin_ns = clock_now_ns();
        else if (atomic_load(&pieces->bringers) == 0)
            break;
        else
            (void)sched_yield();
    atomic_store(&job->has_work, false);
}

void pieces_begin(struct pieces *pieces, struct trawl_runtime *runtime, uint32_t devices,
                  bool helped)
{
    atomic_store(&pieces->bringers, devices);
    (void)pthread_mutex_init(&pieces->lock, NULL);
    pieces->has_job = helped;
    if (!helped)
        return;
    job_begin(&pieces->job, runtime, NULL, serve);
    pieces->job.leaves_soon = true;
}

void pieces_call(struct pieces *pieces, uint32_t helpers)
{
    if (pieces->has_job)
        job_share(&pieces->job, helpers);
}

void pieces_last(struct pieces *pieces)
{
    TRAWL_ASSERT(atomic_load(&pieces->bringers) > 0);
    atomic_fetch_sub(&pieces->bringers, 1);
}

void pieces_stop(struct pieces *pieces)
{
    atomic_store(&pieces->over, true);
}

void pieces_end(struct pieces *pieces)
{
    if (pieces->has_job)
        job_end(&pieces->job);
    (void)pthread_mutex_destroy(&pieces->lock);
}

enum trawl_status pieces_bring(struct pieces *pieces, uint32_t device, struct engine_worker *worker,
                               uint64_t at, uint64_t count, uint64_t most, uint64_t *to,
                               struct trawl_error *error)
{
    struct device_pieces *of = &pieces->devices[device];

    TRAWL_ASSERT(device < ENGINE_DEVICES_MAX && most > 0);
    of->worker = worker;
    for (uint64_t done = 0, now; done < count; done += now) {
        uint64_t piece = atomic_load(&of->brought);
        uint32_t slot = (uint32_t)(piece % ENGINE_PIECES_MAX);

        while (atomic_load(&of->left[slot]) > 0)
            if (!copy_one(pieces, of))
                (void)sched_yield();
        now = count - done < most ? count - done : most;
        TRAWL_TRY(engine_cuda.list_bring(worker, at + done, now, slot, error));
        of->to[slot] = to + done;
        of->count[slot] = now;
        atomic_store(&of->left[slot], PIECE_PARTS);
        atomic_store(&of->brought, piece + 1);
        if (pieces->has_job && !atomic_load(&pieces->job.has_work))
            job_wake(&pieces->job);
    }
    return TRAWL_OK;
}

enum trawl_status pieces_settle(struct pieces *pieces, uint32_t device, struct trawl_error *error)
{
    struct device_pieces *of = &pieces->devices[device];

    while (atomic_load(&of->copied) < PIECE_PARTS * atomic_load(&of->brought))
        if (!copy_one(pieces, of))
            (void)sched_yield();
    if (of->status != TRAWL_OK && error != NULL) /* nobody is left who would write it */
        *error = of->error;
    return of->status;
}
