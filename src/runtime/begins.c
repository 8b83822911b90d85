/* begins: devices fill the caller's array with the start offsets of occurrences
 * (trawl_begins_into). If they cannot, and the array is in host memory, trawl_begins_into runs an
 * ordinary search.
 *
 * An array in the memory of the device that has the text is filled with a single launch. For any
 * other array, a worker lists start offsets in the device's memory, and while it makes the next
 * list, other threads copy the last one to the array (pieces.h). If one device has the whole text,
 * and the text is short or occurrences are rare, the caller itself is the worker, and an array in
 * host memory needs no other thread.
 *
 * If the text is divided over several devices, their parts are listed in turn, so only one device
 * works at a time. If occurrences are rare, an ordinary search, in which all devices work at once,
 * is faster, but can fill only arrays in host memory.
 */
#include "runtime/begins.h"

#include <sched.h>

#include "base/checked.h"
#include "base/clock.h"
#include "runtime/device_threads.h"
#include "runtime/devices.h"
#include "runtime/engines.h"
#include "runtime/job.h"
#include "runtime/pieces.h"
#include "runtime/runtime.h"
#include "runtime/schedule.h"
#include "runtime/search.h"
#include "runtime/schedule.def"
#include "runtime/threads.h"
#include "runtime/workers.h"

/* How long the caller polls for lists to copy before it sleeps. Waking a thread takes up to 200 us
 * [2 H200], a tenth of the time to list the hits in 16 GiB of text. */
#define CALLER_POLL_NS 10000000u
/* Maximum number of helpers, which are host workers that help to copy lists, if fewer than
 * LIST_WORDS start offsets are expected; else all host workers but one help. Copying 4 MB from
 * pinned memory takes one thread 540 us, and three threads 224 us [2 H200]. */
#define HELPERS_FEW 3u
#define HELPED_BEGINS (1u << 17) /* wake no helper for fewer start offsets */

static uint64_t helped_begins = HELPED_BEGINS;

void begins_help_from(uint64_t begins)
{
    helped_begins = begins == 0 ? HELPED_BEGINS : begins;
}

/* The state of one call that lists into an array. */
struct listing {
    /* first member: serve casts its job to the listing; item.job points here, too */
    struct job job;
    struct queue_item item;
    struct trawl_searcher *searcher;
    const struct trawl_text *text;
    struct engine_words *begins; /* the array, and the counts so far */
    struct pieces *pieces;
    /* The part of the text that is being listed, [part_begin, part_end), which the device
     * item.device has. */
    uint64_t part_begin;
    uint64_t part_end;
    uint32_t parts;
    /* number of host workers to wake; 0: none, or already woken */
    uint32_t helpers;
    _Atomic bool begun; /* a worker has begun the part */
    _Atomic bool ended;

    pthread_mutex_t lock; /* guards `status` and `error`: how the part ended */
    pthread_cond_t changed;
    enum trawl_status status;
    struct trawl_error error;
};

/* The worker that lists the current part. */
struct lister {
    struct listing *listing;
    struct worker *worker;
    uint32_t lists;  /* number of lists in the device's memory */
    uint64_t used;   /* number of words in these lists */
    uint64_t room;   /* number of words for which the device's memory has room; 0: not known yet */
    uint64_t piece;  /* number of words that are copied to the host at a time; 0: not known yet */
    bool direct;     /* the device copies to the array directly */
    uint64_t reach;  /* length of text that the next list will cover */
    uint64_t likely; /* expected number of hits in the next list */
};

/* ---- A worker ----------------------------------------------------------------------------- */

static void serve(struct job *job, struct worker *worker)
{
    (void)worker;
    pieces_help(((struct listing *)job)->pieces);
}

/* Waits until all lists have been copied to the array, which frees the device's memory. */
static enum trawl_status drain(struct lister *l, struct trawl_error *error)
{
    l->lists = 0;
    l->used = 0;
    return pieces_settle(l->listing->pieces, error);
}

/* Chooses how many bytes of text the next list will cover, at most LIST_BYTES: enough that it will
 * probably have LIST_WORDS hits, but fewer if the device has little memory or the end of the part
 * is near. The last list covered `listed` bytes and has `count` hits; `left` bytes of the part
 * remain. */
static void choose_reach(struct lister *l, uint64_t listed, uint64_t count, uint64_t left)
{
    uint64_t per_hit = listed / (count + 1) + 1;
    uint64_t wanted = min_u64(l->room / LISTS_PER_ROOM, LIST_WORDS);

    wanted = min_u64(wanted, max_u64(left / per_hit / 2, LIST_WORDS_LEAST));
    l->reach = min_u64(saturating_multiply(per_hit, wanted + 1), LIST_BYTES);
    l->likely = min_u64(l->reach, left) / per_hit;
}

/* Called when a list did not fit into the device's memory. If earlier lists are still there, waits
 * until they have been copied; otherwise, shortens the next list. */
static enum trawl_status shorten(struct lister *l, uint64_t owned, const struct engine_words *list,
                                 struct trawl_error *error)
{
    if (l->used > 0)
        return drain(l, error);
    if (owned == 1)
        return TRAWL_FAIL(error, UNSUPPORTED, "too many occurrences begin at one place");
    l->reach = min_u64(owned / (list->count / (list->room + 1) + 1), owned / 2);
    l->reach = max_u64(l->reach, 1);
    TRAWL_ASSERT(l->reach < owned);
    return TRAWL_OK;
}

/* Lists the occurrences that begin in [*at, *at + l->reach) of the text, and moves *at past them.
 * *at does not move if the list did not fit, or if the device's memory must be freed first; the
 * caller then calls again. */
static enum trawl_status list_reach(struct lister *l, uint64_t *at, struct trawl_error *error)
{
    struct listing *listing = l->listing;
    const struct trawl_text *text = listing->text;
    uint64_t owned = min_u64(l->reach, listing->part_end - *at), end = *at + owned, count;
    struct engine_chunk chunk = {.bytes = text->bytes + *at, .owned = owned, .before = *at};
    struct engine_words list = {.base = *at, .at = l->used, .piece = l->piece};
    struct engine_task task = {
        .chunk = &chunk, .want = WANT_HITS, .output = ENGINE_OUTPUT_BEGINS, .words = &list};

    TRAWL_ASSERT(owned > 0 && end <= text->bytes_count && l->lists <= PIECE_ORDERS);
    if (engine_call_is_over(&listing->searcher->call))
        return TRAWL_STOPPED;
    if (l->lists == PIECE_ORDERS || (l->used > 0 && l->likely > l->room - l->used))
        return drain(l, error);
    chunk.after = min_u64(text->bytes_count - end, listing->job.plan->need_after);
    if (l->piece == 0) {
        list.host = listing->begins->host;
        list.host_room = listing->begins->room;
    }
    TRAWL_TRY(engine_for_devices->submit(l->worker->device, &task, error));
    l->direct |= list.direct;
    l->piece = list.piece;
    l->room = list.at + list.room;
    if (list.count > list.room)
        return shorten(l, owned, &list, error);
    count = listing->begins->room - min_u64(listing->begins->room, listing->begins->count);
    count = min_u64(list.count, count);
    if (count > 0) {
        pieces_order(listing->pieces, l->worker->device, l->piece, l->direct,
                     &(struct piece_order){l->used, listing->begins->count, count});
        l->lists++;
        l->used += count;
    }
    listing->begins->count += list.count;
    listing->begins->candidate_count += list.candidate_count;
    *at = end;
    choose_reach(l, owned, list.count, listing->part_end - end);
    return TRAWL_OK;
}

static enum trawl_status list_part(struct lister *l, struct trawl_error *error)
{
    struct listing *listing = l->listing;

    TRAWL_TRY(worker_device_ready(l->worker, &listing->job, error));
    /* the part's device was lost, so the worker has changed to another one */
    if (l->worker->device_index != listing->item.device)
        return TRAWL_FAIL(error, DEVICE, "a device that holds a part of the text is lost");
    for (uint64_t at = listing->part_begin; at < listing->part_end;)
        TRAWL_TRY(list_reach(l, &at, error));
    if (listing->part_end == listing->text->bytes_count)
        pieces_last(listing->pieces);
    return drain(l, error);
}

/* Lists the current part. Called as job.serve_item(). */
static void serve_part(struct queue_item *item, struct worker *worker)
{
    struct listing *listing = (struct listing *)item->job;
    struct lister lister = {.listing = listing,
                            .worker = worker,
                            .reach = schedule_may_be_frequent(listing->searcher, listing->job.plan)
                                         ? LONG_BYTES
                                         : LIST_BYTES};
    struct trawl_error error = {.status = TRAWL_OK};
    enum trawl_status status;

    atomic_store(&listing->begun, true);
    (void)worker_takes_part(worker, &listing->job);
    status = list_part(&lister, &error);
    if (status !=
        TRAWL_OK) /* wait, because copies in flight may still write to the caller's memory */
        (void)pieces_settle(listing->pieces, NULL);
    (void)pthread_mutex_lock(&listing->lock);
    listing->status = status;
    listing->error = error;
    atomic_store(&listing->ended, true);
    (void)pthread_cond_signal(&listing->changed);
    (void)pthread_mutex_unlock(&listing->lock);
}

/* ---- The call ----------------------------------------------------------------------------- */

/* Returns how many host workers should help to copy, assuming as many hits as in the searcher's
 * last search. The caller and the listing thread also need a core each. */
static uint32_t helpers_for(const struct listing *listing)
{
    uint64_t begins = min_u64(listing->begins->room, listing->searcher->last_found.hits);
    uint32_t threads = listing->job.runtime->threads_max;

    if (threads <= 2 || begins < helped_begins)
        return 0;
    return (uint32_t)min_u64(threads - 2, begins < LIST_WORDS ? HELPERS_FEW : threads);
}

/* Lets a device's worker list the current part while the caller copies the lists. */
static void list_by_worker(struct listing *listing)
{
    uint64_t begin_ns = clock_now_ns();

    devices_push(&listing->job.runtime->devices, &listing->item);
    /* wake helpers only once the device's worker has begun: waking takes the runtime's lock, which
     * the worker needs to begin */
    while (listing->helpers > 0 && !atomic_load(&listing->begun) &&
           clock_now_ns() - begin_ns < POLL_NS)
        (void)sched_yield();
    if (listing->helpers > 0) /* job_share counts the device's worker, too */
        job_share(&listing->job, listing->helpers + 1);
    listing->helpers = 0;
    while (!atomic_load(&listing->ended) && clock_now_ns() - begin_ns < CALLER_POLL_NS)
        if (pieces_work(listing->pieces))
            begin_ns = clock_now_ns();
        else
            (void)sched_yield();
    (void)pthread_mutex_lock(&listing->lock);
    while (!atomic_load(&listing->ended))
        (void)pthread_cond_wait(&listing->changed, &listing->lock);
    (void)pthread_mutex_unlock(&listing->lock);
}

/* Finds the next part of the text, and a device that has it. If several have it, takes the one that
 * the caller uses. */
static enum trawl_status next_part(struct listing *listing)
{
    struct worker *caller = &listing->searcher->caller;
    struct devices *devices = &listing->job.runtime->devices;
    const struct trawl_text *text = listing->text;
    uint64_t begin = listing->part_end;
    struct engine_text found;

    if (!devices_locate(devices, listing->job.plan, text->bytes + begin, text->bytes_count - begin,
                        &found))
        return TRAWL_FAIL(&listing->error, UNSUPPORTED, "not all of the text is on devices");
    if (found.device == ENGINE_DEVICES_MAX) {
        if (caller->device_index == ENGINE_DEVICES_MAX || worker_is_stranded(caller))
            worker_change_device(caller);
        found.device = caller->device_index;
    }
    if (atomic_load(&devices->lost[found.device]))
        return TRAWL_FAIL(&listing->error, UNSUPPORTED, "not all of the text is on devices");
    listing->item = (struct queue_item){&listing->job, NULL, found.device, true};
    listing->part_begin = begin;
    listing->part_end = begin + found.reach;
    listing->parts++;
    return TRAWL_OK;
}

/* Lists the text part by part: in the devices' workers if `shared`, otherwise in the caller. */
static void list_text(struct listing *listing, bool shared)
{
    struct worker *caller = &listing->searcher->caller;

    listing->helpers = shared ? helpers_for(listing) : 0;
    while (listing->part_end < listing->text->bytes_count && listing->status == TRAWL_OK) {
        listing->status = next_part(listing);
        if (listing->status != TRAWL_OK)
            break;
        atomic_store(&listing->begun, false);
        atomic_store(&listing->ended, false);
        if (shared) {
            list_by_worker(listing);
        } else {
            worker_go_to(caller, listing->item.device);
            serve_part(&listing->item, caller);
        }
    }
}

static void finish_stats(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                         const struct trawl_text *text, const struct engine_words *begins,
                         uint64_t chunks, uint32_t threads, uint64_t begin_ns)
{
    struct call_record done = {.stats = {.text_bytes = text->bytes_count,
                                         .chunk_count = chunks,
                                         .device_chunk_count = chunks,
                                         .match_count = begins->count,
                                         .candidate_count = begins->candidate_count,
                                         .thread_count = threads}};

    atomic_store(&searcher->progress, text->bytes_count);
    searcher_keep(searcher, &done, begin_ns);
    searcher->last_found.serial = plan->serial;
    searcher->last_found.bytes = text->bytes_count;
    searcher->last_found.hits = begins->count;
}

/* Lists the text into begins->host, an array in host memory or in a device's memory. */
static enum trawl_status fill_by_lists(struct trawl_searcher *searcher,
                                       const struct trawl_plan *plan, const struct trawl_text *text,
                                       struct engine_words *begins, bool shared,
                                       struct trawl_error *error)
{
    struct pieces pieces = {.over = false};
    struct listing listing = {
        .searcher = searcher, .text = text, .begins = begins, .pieces = &pieces};
    uint64_t begin_ns = clock_now_ns();

    atomic_store(&searcher->progress, 0);
    job_begin(&listing.job, searcher->runtime, plan, serve);
    listing.job.serve_item = serve_part;
    listing.job.leaves_soon = true;
    (void)pthread_mutex_init(&listing.lock, NULL);
    (void)pthread_cond_init(&listing.changed, NULL);
    pieces_begin(&pieces, &listing.job, begins->host);
    list_text(&listing, shared);
    pieces_stop(&pieces);
    job_end(&listing.job);
    pieces_end(&pieces);
    (void)pthread_cond_destroy(&listing.changed);
    (void)pthread_mutex_destroy(&listing.lock);
    if (listing.status != TRAWL_OK) {
        if (error != NULL)
            *error = listing.error;
        return listing.status;
    }
    finish_stats(searcher, plan, text, begins, listing.parts, atomic_load(&listing.job.took_part),
                 begin_ns);
    return TRAWL_OK;
}

/* Fills begins->host with a single launch, on the device in whose memory that array is. */
static enum trawl_status fill_at_once(struct trawl_searcher *searcher,
                                      const struct trawl_plan *plan, const struct trawl_text *text,
                                      uint32_t device, struct engine_words *begins,
                                      struct trawl_error *error)
{
    uint64_t begin_ns = clock_now_ns();
    struct worker *caller = &searcher->caller;
    struct engine_chunk chunk = {.bytes = text->bytes, .owned = text->bytes_count};
    struct engine_task task = {
        .chunk = &chunk, .want = WANT_HITS, .output = ENGINE_OUTPUT_BEGINS, .words = begins};
    enum trawl_status status;
    struct job job;

    begins->address = (uint64_t)(uintptr_t)begins->host;
    atomic_store(&searcher->progress, 0);
    worker_go_to(caller, device);
    job_begin(&job, searcher->runtime, plan, NULL);
    status = worker_device_ready(caller, &job, error);
    if (status == TRAWL_OK && caller->device_index != device)
        status = TRAWL_FAIL(error, UNSUPPORTED, "the array's device is lost");
    if (status == TRAWL_OK && text->bytes_count > 0)
        status = engine_for_devices->submit(caller->device, &task, error);
    job_end(&job);
    if (status == TRAWL_OK)
        finish_stats(searcher, plan, text, begins, 1, 1, begin_ns);
    return status;
}

enum trawl_status begins_on_device(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                                   const struct trawl_text *text, uint32_t device,
                                   struct engine_words *begins, struct trawl_error *error)
{
    struct trawl_runtime *runtime = searcher->runtime;
    struct devices *devices = &runtime->devices;
    struct trawl_error device_error;
    enum trawl_status status;
    struct engine_text found;

    if (text->kind != TEXT_MEMORY)
        return TRAWL_FAIL(error, UNSUPPORTED, "%s: only a text in memory is on a device",
                          text->name);
    if (kind_of(plan)->layer != NULL)
        return TRAWL_FAIL(error, UNSUPPORTED, "%s cannot write begins to a device",
                          kind_of(plan)->name);
    if (devices_locate(devices, plan, text->bytes, text->bytes_count, &found) &&
        (found.reach < text->bytes_count ||
         (found.device != ENGINE_DEVICES_MAX && found.device != device)))
        status = fill_by_lists(searcher, plan, text, begins, devices_start(devices), &device_error);
    else
        status = fill_at_once(searcher, plan, text, device, begins, &device_error);
    if (status != TRAWL_OK && status != TRAWL_UNSUPPORTED && status != TRAWL_STOPPED &&
        runtime->engine == TRAWL_ENGINE_AUTO) {
        devices_lose(devices, UINT32_MAX, device_error.message);
        status = TRAWL_UNSUPPORTED; /* the host cannot fill a device's array */
        device_error.status = status;
    }
    if (status != TRAWL_OK && error != NULL)
        *error = device_error;
    return status;
}

enum trawl_status begins_on_host(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                                 const struct trawl_text *text, struct engine_words *begins,
                                 struct trawl_error *error)
{
    struct devices *devices = &searcher->runtime->devices;
    bool is_split = false, shared;

    if (text->kind != TEXT_MEMORY || kind_of(plan)->layer != NULL || !devices_work(devices) ||
        !devices_hold_text(devices, plan, text, &is_split))
        return TRAWL_FAIL(error, UNSUPPORTED, "the text is not on devices");
    shared = (is_split || (text->bytes_count > resident_sizes.shared &&
                           schedule_may_be_frequent(searcher, plan))) &&
             devices_start(devices);
    /* if hits are rare, an ordinary search of a divided text is faster: all devices work at once */
    if (is_split && !(shared && schedule_may_be_frequent(searcher, plan)))
        return TRAWL_FAIL(error, UNSUPPORTED, "a search of all devices does as well");
    return fill_by_lists(searcher, plan, text, begins, shared, error);
}
