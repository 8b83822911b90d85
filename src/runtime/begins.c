/* begins: an array of where occurrences begin, filled by devices alone.
 *
 * An array in the memory of a device that holds the text is filled by that device in one launch.
 * For an array in host memory a worker lists begins into a device's memory, list after list, and
 * several threads bring each list into the array while the worker makes the next one (pieces.h). If
 * the text is split over devices, its parts are listed one after the other, so one device works at
 * a time; where occurrences are rare, a search of all devices does better. If one device has the
 * text, and the text is short or occurrences are rare, the caller is the worker, and nobody is
 * woken.
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
#include "runtime/threads.h"
#include "runtime/workers.h"

#define LIST_BYTES (8ull << 30) /* of text that one list covers, at most */
/* The first list, where hits may be frequent; then as long as the last one makes likely. */
#define LIST_BYTES_FIRST (32ull << 20)
#define LISTS_PER_ROOM 8u           /* so that one is brought while the next is made, */
#define LIST_WORDS (1u << 22)       /* of no more words: the last one is brought alone */
#define LIST_WORDS_LEAST (1u << 19) /* the last ones are shorter still, but not than this */
#define FREQUENT_BYTES_MAX 2u       /* of patterns whose hits may be frequent */
/* To wake a thread takes its waker up to 200 us [2 H200], a tenth of what a list of 16 GiB takes.
 * So for so long the caller looks before it sleeps. */
#define CALLER_LOOKS_NS 10000000u
/* Who wakes a helper holds the runtime's lock meanwhile, and workers need that to begin. */
#define START_LOOKS_NS 200000u
/* One thread copies 4 MB from pinned memory in 540 us, three in 224 [2 H200]. */
#define HELPERS_FEW 3u
#define HELPED_BEGINS (1u << 17) /* for fewer nobody is woken, */
#define HELPER_BEGINS (1u << 15) /* one helper for so many, */
#define MANY_BEGINS (1u << 22)   /* and all there are for these */

static uint64_t helped_begins = HELPED_BEGINS;

void begins_help_from(uint64_t begins)
{
    helped_begins = begins == 0 ? HELPED_BEGINS : begins;
}

/* What one call lists into an array in host memory. */
struct listing {
    struct job job; /* first: a job's serve gets this, and it is that of the item */
    struct queue_item item;
    struct trawl_searcher *searcher;
    const struct trawl_text *text;
    struct engine_words *begins; /* the array; its counts are those of what was listed */
    struct pieces *pieces;
    uint64_t part_begin; /* the part at hand: begins of the text that the item's device holds */
    uint64_t part_end;
    uint32_t parts;
    uint32_t helpers;   /* host workers worth waking; 0: none, or they were woken */
    _Atomic bool begun; /* the part, by its worker */
    _Atomic bool ended;

    pthread_mutex_t lock; /* of the part's end */
    pthread_cond_t changed;
    enum trawl_status status;
    struct trawl_error error;
};

/* What the worker knows of its part. */
struct lister {
    struct listing *listing;
    struct worker *worker;
    uint32_t lists;  /* in the device's memory, */
    uint64_t used;   /* in so many words of it, */
    uint64_t room;   /* which has so many; 0: not known yet */
    uint64_t piece;  /* words that come to the host at a time; 0: not known yet */
    bool direct;     /* the device copies to the array by itself */
    uint64_t reach;  /* begins to list at a time, */
    uint64_t likely; /* which hold about so many hits */
};

/* ---- A worker ----------------------------------------------------------------------------- */

static void serve(struct job *job, struct worker *worker)
{
    (void)worker;
    pieces_help(((struct listing *)job)->pieces);
}

/* All lists are in the array: the device's memory is free again. */
static enum trawl_status drain(struct lister *l, struct trawl_error *error)
{
    l->lists = 0;
    l->used = 0;
    return pieces_settle(l->listing->pieces, error);
}

static bool may_be_frequent(const struct trawl_plan *plan)
{
    return plan->literal_count > 1 || plan->length_min <= FREQUENT_BYTES_MAX;
}

/* Begins that make as many hits likely as are wanted in a list; `left` of the part are not listed.
 */
static void choose_reach(struct lister *l, uint64_t listed, uint64_t count, uint64_t left)
{
    uint64_t per_hit = listed / (count + 1) + 1;
    uint64_t wanted = min_u64(l->room / LISTS_PER_ROOM, LIST_WORDS);

    wanted = min_u64(wanted, max_u64(left / per_hit / 2, LIST_WORDS_LEAST));
    l->reach = min_u64(saturating_multiply(per_hit, wanted + 1), LIST_BYTES);
    l->likely = min_u64(l->reach, left) / per_hit;
}

/* The list held more than there is room for: a shorter one may fit. */
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

/* List begins of the text from *at on, as many as l->reach; *at is set to where the next list
 * begins: it stays if this list is to be made again. */
static enum trawl_status list_reach(struct lister *l, uint64_t *at, struct trawl_error *error)
{
    struct listing *listing = l->listing;
    const struct trawl_text *text = listing->text;
    uint64_t owned = min_u64(l->reach, listing->part_end - *at), end = *at + owned, count;
    struct engine_chunk chunk = {.bytes = text->bytes + *at, .owned = owned};
    struct engine_words list = {.base = *at, .at = l->used, .piece = l->piece};
    struct engine_task task = {
        .chunk = &chunk, .want = WANT_HITS, .output = ENGINE_OUTPUT_BEGINS, .words = &list};

    TRAWL_ASSERT(owned > 0 && end <= text->bytes_count && l->lists <= PIECE_ORDERS);
    if (searcher_is_cancelled(listing->searcher))
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
    if (l->worker->device_index != listing->item.device) /* it was lost: another took its place */
        return TRAWL_FAIL(error, DEVICE, "a device that holds a part of the text is lost");
    for (uint64_t at = listing->part_begin; at < listing->part_end;)
        TRAWL_TRY(list_reach(l, &at, error));
    if (listing->part_end == listing->text->bytes_count)
        pieces_last(listing->pieces);
    return drain(l, error);
}

/* A worker lists the part at hand. */
static void serve_part(struct queue_item *item, struct worker *worker)
{
    struct listing *listing = (struct listing *)item->job;
    struct lister lister = {.listing = listing,
                            .worker = worker,
                            .reach =
                                may_be_frequent(listing->job.plan) ? LIST_BYTES_FIRST : LIST_BYTES};
    struct trawl_error error = {.status = TRAWL_OK};
    enum trawl_status status;

    atomic_store(&listing->begun, true);
    (void)worker_takes_part(worker, &listing->job);
    status = list_part(&lister, &error);
    if (status != TRAWL_OK) /* what was begun goes on to the caller's memory */
        (void)pieces_settle(listing->pieces, NULL);
    (void)pthread_mutex_lock(&listing->lock);
    listing->status = status;
    listing->error = error;
    atomic_store(&listing->ended, true);
    (void)pthread_cond_signal(&listing->changed);
    (void)pthread_mutex_unlock(&listing->lock);
}

/* ---- The call ----------------------------------------------------------------------------- */

/* Host workers to copy with, if there is as much to copy as the last time: each has a core of its
 * own, beside those of the caller and of the thread that lists. */
static uint32_t helpers_for(const struct listing *listing)
{
    uint64_t begins = min_u64(listing->begins->room, listing->searcher->begins_last);
    uint32_t threads = listing->job.runtime->threads_max;

    if (threads <= 2 || begins < helped_begins)
        return 0;
    return (uint32_t)min_u64(min_u64(threads - 2, begins < MANY_BEGINS ? HELPERS_FEW : threads),
                             begins / HELPER_BEGINS + 1);
}

/* A device's worker lists the part, and the caller copies meanwhile what was listed. */
static void list_by_worker(struct listing *listing)
{
    uint64_t begin_ns = clock_now_ns();

    devices_push(&listing->job.runtime->devices, &listing->item);
    while (listing->helpers > 0 && !atomic_load(&listing->begun) &&
           clock_now_ns() - begin_ns < START_LOOKS_NS)
        (void)sched_yield();
    if (listing->helpers > 0) /* a device's worker is inside the job as well */
        job_share(&listing->job, listing->helpers + 1);
    listing->helpers = 0;
    while (!atomic_load(&listing->ended) && clock_now_ns() - begin_ns < CALLER_LOOKS_NS)
        if (pieces_work(listing->pieces))
            begin_ns = clock_now_ns();
        else
            (void)sched_yield();
    (void)pthread_mutex_lock(&listing->lock);
    while (!atomic_load(&listing->ended))
        (void)pthread_cond_wait(&listing->changed, &listing->lock);
    (void)pthread_mutex_unlock(&listing->lock);
}

/* The next part of the text and its device; of copies on several, the caller's. */
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
    listing->part_end = begin + found.held;
    listing->parts++;
    return TRAWL_OK;
}

/* `shared`: by the devices' workers; else by the caller. */
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

static void finish_stats(struct trawl_searcher *searcher, const struct trawl_text *text,
                         const struct engine_words *begins, uint64_t chunks, uint32_t threads,
                         uint64_t begin_ns)
{
    struct call_record done = {.stats = {.text_bytes = text->bytes_count,
                                         .chunk_count = chunks,
                                         .device_chunk_count = chunks,
                                         .match_count = begins->count,
                                         .candidate_count = begins->candidate_count,
                                         .thread_count = threads}};

    atomic_store(&searcher->progress, text->bytes_count);
    searcher_keep(searcher, &done, begin_ns);
}

enum trawl_status begins_on_device(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                                   const struct trawl_text *text, uint32_t device,
                                   struct engine_words *begins, struct trawl_error *error)
{
    struct trawl_runtime *runtime = searcher->runtime;
    uint64_t begin_ns = clock_now_ns();
    struct worker *caller = &searcher->caller;
    struct engine_chunk chunk = {.bytes = text->bytes, .owned = text->bytes_count};
    struct engine_task task = {
        .chunk = &chunk, .want = WANT_HITS, .output = ENGINE_OUTPUT_BEGINS, .words = begins};
    struct trawl_error device_error;
    enum trawl_status status;
    struct job job;

    if (text->kind != TEXT_MEMORY)
        return TRAWL_FAIL(error, UNSUPPORTED, "%s: only a text in memory is on a device",
                          text->name);
    if (plan_is_layered(plan))
        return TRAWL_FAIL(error, UNSUPPORTED, "%s cannot write begins to a device",
                          plan->errors.is_set ? "a plan with errors" : plan->algorithm.name);
    atomic_store(&searcher->progress, 0);
    worker_go_to(caller, device);
    job_begin(&job, runtime, plan, NULL);
    status = worker_device_ready(caller, &job, &device_error);
    if (status == TRAWL_OK && caller->device_index != device)
        status = TRAWL_FAIL(&device_error, UNSUPPORTED, "the array's device is lost");
    if (status == TRAWL_OK && text->bytes_count > 0)
        status = engine_for_devices->submit(caller->device, &task, &device_error);
    job_end(&job);
    if (status != TRAWL_OK && status != TRAWL_UNSUPPORTED && runtime->engine == TRAWL_ENGINE_AUTO) {
        devices_lose(&runtime->devices, UINT32_MAX, device_error.message);
        status = TRAWL_UNSUPPORTED; /* no host can fill the array */
        device_error.status = status;
    }
    if (status != TRAWL_OK && error != NULL)
        *error = device_error;
    TRAWL_TRY(status);
    finish_stats(searcher, text, begins, 1, 1, begin_ns);
    return TRAWL_OK;
}

enum trawl_status begins_on_host(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                                 const struct trawl_text *text, struct engine_words *begins,
                                 struct trawl_error *error)
{
    struct devices *devices = &searcher->runtime->devices;
    struct pieces pieces = {.over = false};
    struct listing listing = {
        .searcher = searcher, .text = text, .begins = begins, .pieces = &pieces};
    uint64_t begin_ns = clock_now_ns();
    bool is_split = false, shared;

    if (text->kind != TEXT_MEMORY || plan_is_layered(plan) || !devices_work(devices) ||
        !devices_hold_text(devices, plan, text, &is_split))
        return TRAWL_FAIL(error, UNSUPPORTED, "the text is not on devices");
    shared = (is_split || (text->bytes_count > resident_sizes.shared && may_be_frequent(plan))) &&
             devices_start(devices);
    /* All devices work on the chunks of a search at once, which pays where hits are few. */
    if (is_split && !(shared && may_be_frequent(plan)))
        return TRAWL_FAIL(error, UNSUPPORTED, "a search of all devices does as well");
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
    searcher->begins_last = begins->count;
    finish_stats(searcher, text, begins, listing.parts, atomic_load(&listing.job.took_part),
                 begin_ns);
    return TRAWL_OK;
}
