/* pieces: lists of hits on their way from devices into the caller's array. */
#include "runtime/pieces.h"

#include <sched.h>

#include "base/checked.h"
#include "base/clock.h"
#include "runtime/engines.h"
#include "runtime/runtime.h"
#include "runtime/threads.h"

/* A host worker looks for pieces as long as devices take for 12 GiB each. Then it sleeps, and is
 * called when there are some. */
#define HELPER_LOOKS_NS 3000000u
#define DIRECT_WORDS (1u << 22) /* of a piece that comes to the array by itself */
#define REST_LOOKS 32u          /* at the clock: about a microsecond */

/* The first fault of the device's is kept. */
static void note_fault(struct pieces *pieces, struct device_pieces *of, enum trawl_status status,
                       const struct trawl_error *error)
{
    if (status == TRAWL_OK)
        return;
    (void)pthread_mutex_lock(&pieces->lock);
    if (of->status == TRAWL_OK) {
        of->status = status;
        of->error = *error;
    }
    (void)pthread_mutex_unlock(&pieces->lock);
}

/* Is there a piece to be brought, and a slot for it? */
static bool has_more(const struct device_pieces *of)
{
    return atomic_load(&of->finished) < atomic_load(&of->ordered) &&
           atomic_load(&of->left[atomic_load(&of->brought) % ENGINE_PIECES_MAX]) == 0;
}

/* Ask for the next piece of the first order that is not finished. By the thread that holds
 * of->bringing. */
static void bring_next(struct pieces *pieces, struct device_pieces *of)
{
    const struct piece_order *order = &of->orders[atomic_load(&of->finished) % PIECE_ORDERS];
    uint64_t brought = atomic_load(&of->brought), now = order->count - of->done;
    uint32_t slot = (uint32_t)(brought % ENGINE_PIECES_MAX);
    struct engine_words words = {.at = order->at + of->done, .slot = slot};
    struct engine_task copy = {.output = ENGINE_OUTPUT_COPY, .words = &words};
    struct trawl_error error;
    enum trawl_status status;

    now = min_u64(now, of->direct != NULL ? DIRECT_WORDS : of->most);
    TRAWL_ASSERT(now > 0 && of->done + now <= order->count);
    words.count = now;
    words.host = of->direct != NULL ? of->direct + order->to + of->done : NULL;
    status = engine_for_devices->submit(of->worker, &copy, &error);
    note_fault(pieces, of, status, &error);
    if (status == TRAWL_OK) {
        of->pieces[slot] =
            (struct piece_order){order->at + of->done, order->to + of->done, now, order->base};
        atomic_store(&of->left[slot], PIECE_PARTS);
        atomic_store(&of->brought, brought + 1);
    }
    of->done += now;
    if (status == TRAWL_OK && of->done < order->count)
        return;
    of->done = 0;
    atomic_fetch_add(&of->finished, 1);
}

static bool bring_one(struct pieces *pieces, struct device_pieces *of)
{
    bool may;

    if (!has_more(of) || atomic_load(&of->bringing) || atomic_exchange(&of->bringing, true))
        return false;
    may = has_more(of); /* others may have come in between */
    if (may)
        bring_next(pieces, of);
    atomic_store(&of->bringing, false);
    return may;
}

/* Wait until the next piece is there: one thread for each device, rather than many for the driver.
 */
static bool wait_one(struct pieces *pieces, struct device_pieces *of)
{
    struct engine_words words = {.slot = 0};
    struct engine_task copy = {.output = ENGINE_OUTPUT_COPY, .words = &words};
    struct trawl_error error;
    enum trawl_status status;
    uint64_t there;
    uint32_t slot;
    bool may;

    if (atomic_load(&of->there) == atomic_load(&of->brought) || atomic_load(&of->waiting) ||
        atomic_exchange(&of->waiting, true))
        return false;
    there = atomic_load(&of->there);
    may = there < atomic_load(&of->brought);
    if (may) {
        slot = (uint32_t)(there % ENGINE_PIECES_MAX);
        words.slot = slot;
        status = engine_for_devices->poll(of->worker, &copy, &error);
        note_fault(pieces, of, status, &error);
        of->words[slot] = status == TRAWL_OK ? words.copied : NULL;
        if (of->direct != NULL) { /* it is in the array already */
            atomic_fetch_add(&of->taken, PIECE_PARTS);
            atomic_fetch_add(&of->put, PIECE_PARTS);
            atomic_store(&of->left[slot], 0);
        }
        atomic_store(&of->there, there + 1);
    }
    atomic_store(&of->waiting, false);
    return may;
}

/* A part of the device's pieces that nobody has taken yet; false: there is none. */
static bool take(struct device_pieces *of, uint64_t *part)
{
    uint64_t taken = atomic_load(&of->taken);

    do
        if (taken >= PIECE_PARTS * atomic_load(&of->there))
            return false;
    while (!atomic_compare_exchange_weak(&of->taken, &taken, taken + 1));
    *part = taken;
    return true;
}

static bool put_one(const struct pieces *pieces, struct device_pieces *of)
{
    const struct piece_order *piece;
    uint64_t part, begin, end;
    uint32_t slot;

    if (!take(of, &part))
        return false;
    slot = (uint32_t)(part / PIECE_PARTS % ENGINE_PIECES_MAX);
    piece = &of->pieces[slot];
    TRAWL_ASSERT(atomic_load(&of->left[slot]) > 0);
    begin = piece->count * (part % PIECE_PARTS) / PIECE_PARTS;
    end = piece->count * (part % PIECE_PARTS + 1) / PIECE_PARTS;
    if (of->words[slot] != NULL)
        pieces->put(pieces->context, piece->to + begin, of->words[slot] + begin, end - begin,
                    piece->base);
    atomic_fetch_sub(&of->left[slot], 1);
    atomic_fetch_add(&of->put, 1);
    return true;
}

/* To bring comes first: the bus waits for that. */
static bool work_for(struct pieces *pieces, struct device_pieces *of)
{
    return bring_one(pieces, of) || put_one(pieces, of) || wait_one(pieces, of);
}

/* Others get at what this thread looked at. */
static void rest(void)
{
    for (uint32_t i = 0; i < REST_LOOKS; i++)
        (void)clock_now_ns();
}

bool pieces_work(struct pieces *pieces, uint32_t device)
{
    bool worked = false;

    for (uint32_t i = 0; i < ENGINE_DEVICES_MAX && !worked; i++)
        worked = work_for(pieces, &pieces->devices[(device + i) % ENGINE_DEVICES_MAX]);
    if (!worked)
        rest();
    return worked;
}

/* Is nothing left for one thread more? What is on its way is, once it has come. */
static bool is_over(const struct pieces *pieces)
{
    bool left = atomic_load(&pieces->bringers) > 0;

    for (uint32_t i = 0; i < ENGINE_DEVICES_MAX && !left; i++) {
        const struct device_pieces *of = &pieces->devices[i];

        left = atomic_load(&of->finished) < atomic_load(&of->ordered) ||
               atomic_load(&of->taken) < PIECE_PARTS * atomic_load(&of->brought);
    }
    return !left;
}

void pieces_help(struct pieces *pieces, const struct worker *worker)
{
    uint32_t device = (uint32_t)(worker - worker->runtime->workers) % ENGINE_DEVICES_MAX;
    uint64_t begin_ns = clock_now_ns();

    while (!atomic_load(&pieces->over) && clock_now_ns() - begin_ns < HELPER_LOOKS_NS)
        if (pieces_work(pieces, device))
            begin_ns = clock_now_ns();
        else if (is_over(pieces))
            break;
        else
            (void)sched_yield();
    atomic_store(&pieces->job->has_work, false);
}

void pieces_begin(struct pieces *pieces, struct job *job, uint32_t devices)
{
    pieces->job = job;
    atomic_store(&pieces->bringers, devices);
    (void)pthread_mutex_init(&pieces->lock, NULL);
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
    (void)pthread_mutex_destroy(&pieces->lock);
}

void pieces_order(struct pieces *pieces, uint32_t device, struct engine_worker *worker,
                  uint64_t most, bool direct, const struct piece_order *order)
{
    struct device_pieces *of = &pieces->devices[device];
    uint64_t ordered = atomic_load(&of->ordered);

    TRAWL_ASSERT(device < ENGINE_DEVICES_MAX && most > 0 && order->count > 0);
    TRAWL_ASSERT(ordered - atomic_load(&of->finished) < PIECE_ORDERS);
    if (ordered == 0) { /* from then on other threads read them */
        of->worker = worker;
        of->most = most;
        of->direct = direct ? pieces->words : NULL;
    }
    TRAWL_ASSERT(of->worker == worker && of->most == most);
    of->orders[ordered % PIECE_ORDERS] = *order;
    atomic_store(&of->ordered, ordered + 1);
    (void)bring_one(pieces, of);
    if (!atomic_load(&pieces->job->has_work)) /* helpers had nothing to do */
        job_wake(pieces->job);
}

/* With all orders finished, the pieces are all there will be. */
static bool is_settled(const struct device_pieces *of)
{
    return atomic_load(&of->finished) == atomic_load(&of->ordered) &&
           atomic_load(&of->put) == PIECE_PARTS * atomic_load(&of->brought);
}

enum trawl_status pieces_settle(struct pieces *pieces, uint32_t device, struct trawl_error *error)
{
    struct device_pieces *of = &pieces->devices[device];

    while (!is_settled(of))
        if (!work_for(pieces, of)) {
            rest();
            (void)sched_yield();
        }
    if (of->status != TRAWL_OK && error != NULL) /* nobody is left who would write it */
        *error = of->error;
    return of->status;
}
