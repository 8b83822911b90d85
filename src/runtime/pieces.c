/* pieces: copies lists from a device to the caller's array, as ordered by begins.c. A list is
 * copied in pieces: either straight to the array, or to pinned memory, from which threads copy each
 * piece in PIECE_PARTS parts. */
#include "runtime/pieces.h"

#include <sched.h>
#include <string.h>

#include "base/checked.h"
#include "base/clock.h"
#include "runtime/engines.h"
#include "runtime/runtime.h"
#include "runtime/schedule.h"
#include "runtime/threads.h"

/* How long a host worker polls for pieces before it sleeps: as long as a device needs to list the
 * occurrences in 12 GiB of text. pieces_order wakes a sleeping worker. */
#define HELPER_POLL_NS 3000000u
#define REST_POLLS 32u /* number of clock readings in rest(), about a microsecond */

static void note_fault(struct pieces *pieces, enum trawl_status status,
                       const struct trawl_error *error)
{
    if (status == TRAWL_OK)
        return;
    (void)pthread_mutex_lock(&pieces->lock);
    if (pieces->status == TRAWL_OK) {
        pieces->status = status;
        pieces->error = *error;
    }
    (void)pthread_mutex_unlock(&pieces->lock);
}

/* Returns true if another piece can be requested: some order (a list to copy) has pieces left, and
 * the next slot is free. */
static bool has_more(const struct pieces *pieces)
{
    return atomic_load(&pieces->finished) < atomic_load(&pieces->ordered) &&
           atomic_load(&pieces->left[atomic_load(&pieces->brought) % ENGINE_PIECES_MAX]) == 0;
}

/* Requests the next piece of the first unfinished order. Only the thread that has set
 * pieces->bringing may call this. */
static void bring_next(struct pieces *pieces)
{
    const struct piece_order *order =
        &pieces->orders[atomic_load(&pieces->finished) % PIECE_ORDERS];
    uint64_t brought = atomic_load(&pieces->brought), now = order->count - pieces->done;
    uint32_t slot = (uint32_t)(brought % ENGINE_PIECES_MAX);
    struct engine_copy copy = {.at = order->at + pieces->done, .slot = slot};
    struct trawl_error error;
    enum trawl_status status;

    now = min_u64(now, pieces->direct ? resident_sizes.direct : pieces->most);
    TRAWL_ASSERT(now > 0 && pieces->done + now <= order->count);
    copy.count = now;
    copy.host = pieces->direct ? pieces->array + order->to + pieces->done : NULL;
    status = engine_for_devices->bring(pieces->worker, &copy, false, &error);
    note_fault(pieces, status, &error);
    if (status == TRAWL_OK) {
        pieces->pieces[slot] =
            (struct piece_order){order->at + pieces->done, order->to + pieces->done, now};
        atomic_store(&pieces->left[slot], PIECE_PARTS);
        atomic_store(&pieces->brought, brought + 1);
    }
    pieces->done += now;
    if (status == TRAWL_OK && pieces->done < order->count)
        return;
    pieces->done = 0;
    atomic_fetch_add(&pieces->finished, 1);
}

static bool bring_one(struct pieces *pieces)
{
    bool may;

    if (!has_more(pieces) || atomic_load(&pieces->bringing) ||
        atomic_exchange(&pieces->bringing, true))
        return false;
    may = has_more(pieces); /* another thread may have just requested the last piece */
    if (may)
        bring_next(pieces);
    atomic_store(&pieces->bringing, false);
    return may;
}

/* Waits for the next piece. Only one thread at a time waits, so that the others stay out of the
 * driver. */
static bool wait_one(struct pieces *pieces)
{
    struct engine_copy copy = {.slot = 0};
    struct trawl_error error;
    enum trawl_status status;
    uint64_t there;
    uint32_t slot;
    bool may;

    if (atomic_load(&pieces->there) == atomic_load(&pieces->brought) ||
        atomic_load(&pieces->waiting) || atomic_exchange(&pieces->waiting, true))
        return false;
    there = atomic_load(&pieces->there);
    may = there < atomic_load(&pieces->brought);
    if (may) {
        slot = (uint32_t)(there % ENGINE_PIECES_MAX);
        copy.slot = slot;
        status = engine_for_devices->bring(pieces->worker, &copy, true, &error);
        note_fault(pieces, status, &error);
        pieces->words[slot] = status == TRAWL_OK ? copy.copied : NULL;
        if (pieces->direct) { /* the piece is in the array already */
            atomic_fetch_add(&pieces->taken, PIECE_PARTS);
            atomic_fetch_add(&pieces->put, PIECE_PARTS);
            atomic_store(&pieces->left[slot], 0);
        }
        atomic_store(&pieces->there, there + 1);
    }
    atomic_store(&pieces->waiting, false);
    return may;
}

/* Takes the next part of the pieces that have arrived. Returns false if all parts are taken. */
static bool part_take(struct pieces *pieces, uint64_t *part)
{
    uint64_t taken = atomic_load(&pieces->taken);

    do
        if (taken >= PIECE_PARTS * atomic_load(&pieces->there))
            return false;
    while (!atomic_compare_exchange_weak(&pieces->taken, &taken, taken + 1));
    *part = taken;
    return true;
}

static bool put_one(struct pieces *pieces)
{
    const struct piece_order *piece;
    uint64_t part, begin, end;
    uint32_t slot;

    if (!part_take(pieces, &part))
        return false;
    slot = (uint32_t)(part / PIECE_PARTS % ENGINE_PIECES_MAX);
    piece = &pieces->pieces[slot];
    TRAWL_ASSERT(atomic_load(&pieces->left[slot]) > 0);
    begin = piece->count * (part % PIECE_PARTS) / PIECE_PARTS;
    end = piece->count * (part % PIECE_PARTS + 1) / PIECE_PARTS;
    if (pieces->words[slot] != NULL)
        memcpy(pieces->array + piece->to + begin, pieces->words[slot] + begin,
               (size_t)((end - begin) * sizeof *pieces->array));
    atomic_fetch_sub(&pieces->left[slot], 1);
    atomic_fetch_add(&pieces->put, 1);
    return true;
}

/* Pauses, because polling without pauses slows down the threads that write to these cache lines. */
static void rest(void)
{
    for (uint32_t i = 0; i < REST_POLLS; i++)
        (void)clock_now_ns();
}

/* Requests a piece first if it can, because the bus is idle without a request. */
bool pieces_work(struct pieces *pieces)
{
    bool worked = bring_one(pieces) || put_one(pieces) || wait_one(pieces);

    if (!worked)
        rest();
    return worked;
}

/* Returns true if no work is left for another thread. A piece counts as work until all its parts
 * are taken. */
static bool is_over(const struct pieces *pieces)
{
    return atomic_load(&pieces->last) &&
           atomic_load(&pieces->finished) == atomic_load(&pieces->ordered) &&
           atomic_load(&pieces->taken) == PIECE_PARTS * atomic_load(&pieces->brought);
}

void pieces_help(struct pieces *pieces)
{
    uint64_t begin_ns = clock_now_ns();

    while (!atomic_load(&pieces->over) && clock_now_ns() - begin_ns < HELPER_POLL_NS)
        if (pieces_work(pieces))
            begin_ns = clock_now_ns();
        else if (is_over(pieces))
            break;
        else
            (void)sched_yield();
    atomic_store(&pieces->job->has_work, false);
}

void pieces_begin(struct pieces *pieces, struct job *job, uint64_t *array)
{
    pieces->job = job;
    pieces->array = array;
    (void)pthread_mutex_init(&pieces->lock, NULL);
}

void pieces_last(struct pieces *pieces)
{
    atomic_store(&pieces->last, true);
}

void pieces_stop(struct pieces *pieces)
{
    atomic_store(&pieces->over, true);
}

void pieces_end(struct pieces *pieces)
{
    (void)pthread_mutex_destroy(&pieces->lock);
}

/* Returns true if all ordered words are in the array. `brought` is read last: it cannot grow once
 * all orders are finished. */
static bool is_settled(const struct pieces *pieces)
{
    return atomic_load(&pieces->finished) == atomic_load(&pieces->ordered) &&
           atomic_load(&pieces->put) == PIECE_PARTS * atomic_load(&pieces->brought);
}

void pieces_order(struct pieces *pieces, struct engine_worker *worker, uint64_t most, bool direct,
                  const struct piece_order *order)
{
    uint64_t ordered = atomic_load(&pieces->ordered);

    TRAWL_ASSERT(most > 0 && order->count > 0);
    TRAWL_ASSERT(ordered - atomic_load(&pieces->finished) < PIECE_ORDERS);
    if (is_settled(pieces)) { /* no other thread reads these fields while all orders are settled */
        pieces->worker = worker;
        pieces->most = most;
        pieces->direct = direct;
    }
    TRAWL_ASSERT(pieces->worker == worker && pieces->most == most && pieces->direct == direct);
    pieces->orders[ordered % PIECE_ORDERS] = *order;
    atomic_store(&pieces->ordered, ordered + 1);
    (void)bring_one(pieces);
    if (!atomic_load(&pieces->job->has_work)) /* the helpers had run out of work */
        job_wake(pieces->job);
}

enum trawl_status pieces_settle(struct pieces *pieces, struct trawl_error *error)
{
    while (!is_settled(pieces))
        if (!pieces_work(pieces))
            (void)sched_yield();
    /* no lock is needed: once all pieces are settled, no thread writes the failure */
    if (pieces->status != TRAWL_OK && error != NULL)
        *error = pieces->error;
    return pieces->status;
}
