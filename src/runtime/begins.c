/* begins: an array of where occurrences begin, or of matches, filled by devices alone.
 *
 * The device that holds the text fills an array in its own memory by itself. For one in host memory
 * one worker of each device lists the parts of the text that lie there into the device's memory. A
 * list's place in the array is known when all parts before it were counted; then it comes there, by
 * several threads (pieces.h). So no device waits for another, unless its memory for lists is full.
 * Where occurrences are rare or the text is short, the caller is the one device's worker, and
 * nobody is woken.
 */
#include "runtime/begins.h"

#include <sched.h>
#include <string.h>

#include "base/checked.h"
#include "base/clock.h"
#include "base/memory.h"
#include "runtime/device_threads.h"
#include "runtime/devices.h"
#include "runtime/engines.h"
#include "runtime/job.h"
#include "runtime/matches.h"
#include "runtime/pieces.h"
#include "runtime/schedule.h"
#include "runtime/runtime.h"
#include "runtime/search.h"
#include "runtime/threads.h"
#include "runtime/workers.h"

#define PARTS_MAX 256u
#define PART_BYTES (8ull << 30)    /* a part's begins, at most: as long as stripes are */
#define PART_MATCHES (15ull << 28) /* of matches: offsets in a list have 32 bits */
/* The first list, where hits may be frequent; then as long as the last one makes likely. */
#define PART_FIRST (32ull << 20)
#define LISTS_PER_ROOM 8u           /* so that one is brought while the next is made, */
#define LIST_WORDS (1u << 22)       /* of no more words: the last one is brought alone */
#define LIST_WORDS_LEAST (1u << 19) /* the last ones are shorter still, but not than this */
#define RUNS_MAX PIECE_ORDERS       /* lists that a worker keeps at a time */
#define FREQUENT_BYTES_MAX 2u       /* of patterns whose hits may be frequent */
/* To wake a thread takes its waker up to 200 us [2 H200], a tenth of what a list of 16 GiB takes
 * two devices. So for so long threads look before they sleep: the caller, and workers that wait for
 * others of about the same work. */
#define CALLER_LOOKS_NS 10000000u
#define WORKER_LOOKS_NS 1000000u
/* Who wakes a helper holds the runtime's lock meanwhile, and workers need that to begin. */
#define START_LOOKS_NS 200000u
/* One thread copies 4 MB from pinned memory in 540 us, three in 224 [2 H200]. */
#define HELPERS_PER_DEVICE 3u
#define HELPED_BEGINS (1u << 17) /* for fewer nobody is woken, */
#define HELPER_BEGINS (1u << 15) /* one helper for so many, */
#define MANY_BEGINS (1u << 22)   /* and all there are for these */

static uint64_t helped_begins = HELPED_BEGINS;

void begins_help_from(uint64_t begins)
{
    helped_begins = begins == 0 ? HELPED_BEGINS : begins;
}

/* What lies on one device, from one stripe's begin to its end or earlier. */
struct part {
    uint64_t begin;
    uint64_t owned;
    uint64_t count; /* once it is counted */
    uint32_t device;
};

struct split {
    struct job job; /* first: a job's serve gets this, and it is that of the items */
    struct queue_item items[ENGINE_DEVICES_MAX];
    _Atomic uint32_t begun; /* of them */
    struct trawl_searcher *searcher;
    struct trawl_text *text;
    struct engine_words *begins;
    struct trawl_match *matches; /* the array, or NULL: begins->host is */
    struct pieces *pieces;
    uint32_t helpers; /* host workers, */
    uint32_t devices; /* and those of so many devices */
    _Atomic bool called;
    struct part parts[PARTS_MAX];
    uint32_t part_count;

    pthread_mutex_t lock;
    pthread_cond_t changed; /* one more is known, or all is over */
    bool counted[PARTS_MAX];
    uint64_t before[PARTS_MAX + 1]; /* words of the array before part i's, i <= known */
    _Atomic uint32_t known;
    _Atomic uint32_t devices_left; /* a bit for each whose parts are not all copied */
    enum trawl_status status;
    struct trawl_error error;
};

/* A list, or the beginning of one, in a device's memory. */
struct run {
    uint32_t part;
    uint64_t at;
    uint64_t count;
    uint64_t before; /* of the part's words, in earlier runs */
    uint64_t base;   /* of its offsets, where it is of matches */
};

/* A worker's part in it. */
struct lister {
    struct split *split;
    struct worker *worker;
    uint32_t device;
    struct run runs[RUNS_MAX];
    uint32_t run_count;
    uint32_t ordered; /* the first ones, */
    uint64_t piece;   /* by so many words at a time; 0: not known yet */
    bool direct;      /* by the device itself, to the array */
    uint64_t used;    /* words of the device's memory, */
    uint64_t room;    /* which has so many; 0: not known yet */
    uint64_t reach;   /* begins to list at a time, */
    uint64_t likely;  /* which hold about so many hits */
    uint64_t candidates;
};

/* ---- A worker ----------------------------------------------------------------------------- */

static void put_begins(void *context, uint64_t to, const uint64_t *words, uint64_t count,
                       uint64_t base)
{
    const struct split *split = (const struct split *)context;

    (void)base;
    memcpy(split->begins->host + to, words, (size_t)(count * sizeof *words));
}

static void put_matches(void *context, uint64_t to, const uint64_t *words, uint64_t count,
                        uint64_t base)
{
    const struct split *split = (const struct split *)context;
    const struct hit *hits = (const struct hit *)(const void *)words;

    matches_of_hits(split->job.plan, hits, count, base, split->matches + to);
}

/* Is the place of the part's words known? With `wait`, it is, or false: all is over. The worker
 * works on what others have listed meanwhile. */
static bool place_of(struct split *split, uint32_t part, bool wait, uint64_t *place)
{
    uint64_t begin_ns = clock_now_ns();
    bool known;

    while (wait && atomic_load(&split->known) < part && clock_now_ns() - begin_ns < WORKER_LOOKS_NS)
        (void)pieces_work(split->pieces, 0);
    (void)pthread_mutex_lock(&split->lock);
    while (wait && split->known < part && split->status == TRAWL_OK)
        (void)pthread_cond_wait(&split->changed, &split->lock);
    known = split->known >= part && split->status == TRAWL_OK;
    *place = known ? split->before[part] : 0;
    (void)pthread_mutex_unlock(&split->lock);
    return known;
}

/* Host workers help the job; the devices' are inside it as well. */
static void call_helpers(struct split *split)
{
    job_share(&split->job, split->helpers + split->devices);
}

static void serve(struct job *job, struct worker *worker)
{
    pieces_help(((struct split *)job)->pieces, worker);
}

/* Order the runs whose places are known; with `wait`, all of them. */
static enum trawl_status order_runs(struct lister *l, bool wait)
{
    struct split *split = l->split;
    uint64_t place;

    TRAWL_ASSERT(l->ordered <= l->run_count && l->run_count <= RUNS_MAX);
    for (; l->ordered < l->run_count; l->ordered++) {
        const struct run *run = &l->runs[l->ordered];
        uint64_t count;

        TRAWL_ASSERT(run->part < l->split->part_count && run->at + run->count <= l->used);
        TRAWL_ASSERT(l->ordered == 0 || run[-1].at + run[-1].count == run->at);
        if (!place_of(split, run->part, wait, &place))
            return wait ? TRAWL_STOPPED : TRAWL_OK;
        place += run->before;
        count = min_u64(run->count, split->begins->room - min_u64(split->begins->room, place));
        if (count > 0)
            pieces_order(split->pieces, l->device, l->worker->device, l->piece, l->direct,
                         &(struct piece_order){run->at, place, count, run->base});
    }
    if (split->matches != NULL && split->helpers > 0 && l->used >= helped_begins &&
        !atomic_exchange(&split->called, true))
        call_helpers(split);
    return TRAWL_OK;
}

/* All runs are in the array: the memory is free again. */
static enum trawl_status drain(struct lister *l, struct trawl_error *error)
{
    TRAWL_TRY(order_runs(l, true));
    TRAWL_TRY(pieces_settle(l->split->pieces, l->device, error));
    l->run_count = l->ordered = 0;
    l->used = 0;
    return TRAWL_OK;
}

static void publish(struct split *split, uint32_t index, uint64_t count)
{
    (void)pthread_mutex_lock(&split->lock);
    TRAWL_ASSERT(index < split->part_count && !split->counted[index]);
    TRAWL_ASSERT(split->known <= index);
    split->parts[index].count = count;
    split->counted[index] = true;
    while (split->known < split->part_count && split->counted[split->known]) {
        split->before[split->known + 1] =
            split->before[split->known] + split->parts[split->known].count;
        TRAWL_ASSERT(split->before[split->known + 1] >= split->before[split->known]);
        split->known++;
    }
    (void)pthread_cond_broadcast(&split->changed);
    (void)pthread_mutex_unlock(&split->lock);
}

static uint64_t reach_max(const struct split *split)
{
    return split->matches != NULL ? PART_MATCHES : PART_BYTES;
}

static bool may_be_frequent(const struct trawl_plan *plan)
{
    return plan->literal_count > 1 || plan->length_min <= FREQUENT_BYTES_MAX;
}

static uint64_t first_reach(const struct split *split)
{
    return may_be_frequent(split->job.plan) ? PART_FIRST : reach_max(split);
}

/* Begins that make as many hits likely as are wanted in a list; `left` of the part are not listed.
 */
static void choose_reach(struct lister *l, uint64_t listed, uint64_t count, uint64_t left)
{
    uint64_t per_hit = listed / (count + 1) + 1;
    uint64_t wanted = min_u64(l->room / LISTS_PER_ROOM, LIST_WORDS);

    wanted = min_u64(wanted, max_u64(left / per_hit / 2, LIST_WORDS_LEAST));
    l->reach = min_u64(saturating_multiply(per_hit, wanted + 1), reach_max(l->split));
    l->likely = min_u64(l->reach, left) / per_hit;
}

/* List begins [done, done + l->reach) of a part. *listed: so many of them; 0: try again. */
static enum trawl_status list_reach(struct lister *l, uint32_t index, uint64_t done,
                                    uint64_t *part_count, uint64_t *listed,
                                    struct trawl_error *error)
{
    const struct trawl_text *text = l->split->text;
    const struct part *part = &l->split->parts[index];
    struct engine_chunk chunk = {.bytes = text->bytes + part->begin + done,
                                 .owned = min_u64(l->reach, part->owned - done)};
    struct engine_words list = {.base = part->begin + done, .at = l->used, .piece = l->piece};
    struct engine_task task = {
        .chunk = &chunk, .want = WANT_HITS, .output = ENGINE_OUTPUT_LIST, .words = &list};
    uint64_t begin = list.base, end = begin + chunk.owned;

    TRAWL_ASSERT(l->reach > 0 && done < part->owned && end <= text->bytes_count);
    TRAWL_ASSERT(l->ordered <= l->run_count && l->run_count <= RUNS_MAX);
    *listed = 0;
    if (searcher_is_cancelled(l->split->searcher))
        return TRAWL_STOPPED;
    if (l->run_count == RUNS_MAX || (l->used > 0 && l->likely > l->room - l->used))
        return drain(l, error);
    chunk.after = min_u64(text->bytes_count - end, l->split->job.plan->need_after);
    if (l->split->matches != NULL) {
        list.base = 0;
        list.literal = 1ull << 32;
    }
    if (l->piece == 0) {
        list.host = l->split->pieces->words;
        list.host_room = l->split->pieces->room;
    }
    TRAWL_TRY(engine_for_devices->submit(l->worker->device, &task, error));
    l->direct |= list.direct;
    l->piece = list.piece;
    l->room = list.at + list.room;
    if (list.count > list.room) {
        if (l->used > 0)
            return drain(l, error);
        if (chunk.owned == 1)
            return TRAWL_FAIL(error, UNSUPPORTED, "too many occurrences begin at one place");
        l->reach = min_u64(chunk.owned / (list.count / (list.room + 1) + 1), chunk.owned / 2);
        l->reach = max_u64(l->reach, 1);
        TRAWL_ASSERT(l->reach < chunk.owned);
        return TRAWL_OK;
    }
    l->runs[l->run_count++] = (struct run){index, l->used, list.count, *part_count, begin};
    l->used += list.count;
    l->candidates += list.candidate_count;
    *part_count += list.count;
    *listed = chunk.owned;
    choose_reach(l, chunk.owned, list.count, part->owned - done - chunk.owned);
    return TRAWL_OK;
}

static enum trawl_status list_all(struct lister *l, struct trawl_error *error)
{
    struct split *split = l->split;

    TRAWL_TRY(worker_device_ready(l->worker, &split->job, error));
    if (l->worker->device_index != l->device) /* it was lost: another took its place */
        return TRAWL_FAIL(error, DEVICE, "a device that holds a part of the text is lost");
    for (uint32_t i = 0; i < split->part_count; i++) {
        uint64_t count = 0, listed;

        if (split->parts[i].device != l->device)
            continue;
        for (uint64_t done = 0; done < split->parts[i].owned; done += listed) {
            TRAWL_TRY(list_reach(l, i, done, &count, &listed, error));
            if (done + listed == split->parts[i].owned)
                publish(split, i, count); /* others wait for that, but not for the copy */
            TRAWL_TRY(order_runs(l, false));
        }
    }
    TRAWL_TRY(order_runs(l, true));
    pieces_last(split->pieces);
    return drain(l, error);
}

/* The first fault ends it. */
static void finish(struct split *split, uint32_t devices, enum trawl_status status,
                   const struct trawl_error *error)
{
    (void)pthread_mutex_lock(&split->lock);
    split->devices_left &= ~devices;
    if (status != TRAWL_OK && split->status == TRAWL_OK) {
        split->status = status;
        split->error = *error;
    }
    (void)pthread_cond_broadcast(&split->changed);
    (void)pthread_mutex_unlock(&split->lock);
}

/* A worker lists all that lies on the item's device. */
static void serve_device(struct queue_item *item, struct worker *worker)
{
    struct split *split = (struct split *)item->job;
    struct lister lister = {
        .split = split, .worker = worker, .device = item->device, .reach = first_reach(split)};
    struct trawl_error error = {.status = TRAWL_OK};
    enum trawl_status status;

    atomic_fetch_add(&split->begun, 1);
    (void)worker_takes_part(worker, &split->job);
    status = list_all(&lister, &error);
    TRAWL_ASSERT(status != TRAWL_OK || (lister.run_count == 0 && lister.used == 0));
    if (status != TRAWL_OK) { /* what was begun goes on to the caller's memory */
        (void)pieces_settle(split->pieces, lister.device, NULL);
        if (worker->device != NULL)
            engine_for_devices->cancel(worker->device);
    }
    (void)pthread_mutex_lock(&split->lock);
    TRAWL_ASSERT((split->devices_left >> lister.device & 1) != 0);
    split->begins->candidate_count += lister.candidates;
    (void)pthread_mutex_unlock(&split->lock);
    finish(split, 1u << lister.device, status, &error);
}

/* ---- The call ----------------------------------------------------------------------------- */

/* Which part lies on which device; of copies on several, on the caller's. */
static enum trawl_status find_parts(struct split *split, const struct trawl_text *text,
                                    const struct trawl_plan *plan, struct devices *devices,
                                    struct trawl_error *error)
{
    struct worker *caller = &split->searcher->caller;

    for (uint64_t begin = 0; begin < text->bytes_count;) {
        struct engine_text found;
        struct part *part = &split->parts[split->part_count];

        if (split->part_count == PARTS_MAX ||
            !devices_locate(devices, plan, text->bytes + begin, text->bytes_count - begin,
                            &found) ||
            found.held == 0)
            return TRAWL_FAIL(error, UNSUPPORTED, "not all of the text is on devices");
        if (found.device == ENGINE_DEVICES_MAX) {
            if (caller->device_index == ENGINE_DEVICES_MAX || worker_is_stranded(caller))
                worker_change_device(caller);
            found.device = caller->device_index;
        }
        if (atomic_load(&devices->lost[found.device]))
            return TRAWL_FAIL(error, UNSUPPORTED, "not all of the text is on devices");
        TRAWL_ASSERT(found.device < devices->device_count);
        *part = (struct part){begin, min_u64(found.held, PART_BYTES), 0, found.device};
        split->devices_left |= 1u << part->device;
        split->part_count++;
        TRAWL_ASSERT(part->owned > 0 && part->owned <= text->bytes_count - begin);
        begin += part->owned;
    }
    return TRAWL_OK;
}

/* Host workers to copy with, if there is as much to copy as the last time: each has a core of its
 * own, beside those of the threads that list, and the caller's. */
static uint32_t helpers_for(const struct split *split)
{
    uint64_t begins = min_u64(split->begins->room, split->searcher->begins_last);
    uint32_t threads = split->job.runtime->threads_max, devices = split->devices, most;

    if (threads <= 1 + devices)
        return 0;
    if (split->matches != NULL) /* three times the bytes, and more work: they are called later */
        return threads - 1 - devices;
    if (begins < helped_begins)
        return 0;
    most = begins < MANY_BEGINS ? HELPERS_PER_DEVICE * devices : threads;
    return (uint32_t)min_u64(min_u64(threads - 1 - devices, most), begins / HELPER_BEGINS + 1);
}

/* Workers of the devices list, and the caller copies meanwhile what they have listed. */
static void list_shared(struct split *split, struct queue_item *first)
{
    struct job *job = &split->job;
    uint64_t begin_ns = clock_now_ns();

    devices_push(&job->runtime->devices, first);
    while (atomic_load(&split->begun) < split->devices && atomic_load(&split->devices_left) != 0 &&
           clock_now_ns() - begin_ns < START_LOOKS_NS)
        (void)sched_yield();
    if (split->matches == NULL && split->helpers > 0)
        call_helpers(split);
    while (atomic_load(&split->devices_left) != 0 && clock_now_ns() - begin_ns < CALLER_LOOKS_NS)
        if (pieces_work(split->pieces, 0))
            begin_ns = clock_now_ns();
        else
            (void)sched_yield();
    (void)pthread_mutex_lock(&split->lock);
    while (split->devices_left != 0 && split->status == TRAWL_OK)
        (void)pthread_cond_wait(&split->changed, &split->lock);
    (void)pthread_mutex_unlock(&split->lock);
    devices_drop(&job->runtime->devices, job); /* after a fault nobody begins */
}

/* `shared`: by the devices' workers; else by the caller, on the one device there is. */
static uint32_t run(struct split *split, bool shared)
{
    struct worker *caller = &split->searcher->caller;
    struct job *job = &split->job;
    struct queue_item *first = NULL;

    job->leaves_soon = true;
    for (uint32_t i = 0; i < ENGINE_DEVICES_MAX; i++) {
        if ((atomic_load(&split->devices_left) >> i & 1) == 0)
            continue;
        split->items[i] = (struct queue_item){job, first, i, true};
        first = &split->items[i];
        split->devices++;
    }
    split->helpers = shared ? helpers_for(split) : 0;
    split->pieces->put = split->matches != NULL ? put_matches : put_begins;
    split->pieces->context = split;
    split->pieces->words = split->matches != NULL ? NULL : split->begins->host;
    split->pieces->room = split->begins->room;
    pieces_begin(split->pieces, job, split->devices);
    if (shared) {
        list_shared(split, first);
    } else {
        TRAWL_ASSERT(split->devices == 1);
        worker_go_to(caller, first->device);
        serve_device(first, caller);
    }
    pieces_stop(split->pieces);
    job_end(job);
    pieces_end(split->pieces);
    return atomic_load(&job->took_part);
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

enum trawl_status begins_by_device(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                                   const struct trawl_text *text, struct engine_words *begins,
                                   struct trawl_error *error)
{
    struct trawl_runtime *runtime = searcher->runtime;
    uint64_t begin_ns = clock_now_ns();
    struct worker *caller = &searcher->caller;
    struct engine_chunk chunk = {.bytes = text->bytes, .owned = text->bytes_count};
    struct engine_task task = {
        .chunk = &chunk, .want = WANT_HITS, .output = ENGINE_OUTPUT_ARRAY, .words = begins};
    struct trawl_error device_error;
    enum trawl_status status;
    uint32_t device;
    struct job job;

    if (runtime->engine == TRAWL_ENGINE_CPU)
        return TRAWL_FAIL(error, UNSUPPORTED, "engine cpu has no devices");
    if (text->kind != TEXT_MEMORY)
        return TRAWL_FAIL(error, UNSUPPORTED, "%s: only a text in memory is on a device",
                          text->name);
    if (plan_is_layered(plan))
        return TRAWL_FAIL(error, UNSUPPORTED, "%s cannot write begins to a device",
                          plan->errors.is_set ? "a plan with errors" : plan->algorithm.name);
    if (begins->literal != 0 &&
        (plan->literals != NULL || plan->pattern_count > UINT64_MAX / begins->literal + 1 ||
         text->bytes_count > begins->literal))
        return TRAWL_FAIL(
            error, UNSUPPORTED, "%s",
            plan->literals != NULL
                ? "a device does not say which of these patterns occurs"
                : "the text or the set is too large for words of a begin and a pattern");
    if (!devices_hold(&runtime->devices, text->bytes, text->bytes_count) &&
        runtime->engine == TRAWL_ENGINE_AUTO)
        return TRAWL_FAIL(error, UNSUPPORTED, "the text is not loaded on a device");
    atomic_store(&searcher->progress, 0);
    worker_follow(caller, text);
    if (begins->address != 0 && text->device_address == 0)
        worker_go_to(caller, 0); /* there the array is to be */
    device = caller->device_index;
    job_begin(&job, runtime, plan, NULL);
    status = worker_device_ready(caller, &job, &device_error);
    if (status == TRAWL_OK && begins->address != 0 && caller->device_index != device)
        status = TRAWL_FAIL(&device_error, UNSUPPORTED, "the array's device is lost");
    if (status == TRAWL_OK)
        status = engine_for_devices->submit(caller->device, &task, &device_error);
    job_end(&job);
    if (status != TRAWL_OK && runtime->engine == TRAWL_ENGINE_AUTO) {
        if (status != TRAWL_UNSUPPORTED)
            devices_lose(&runtime->devices, UINT32_MAX, device_error.message);
        return TRAWL_FAIL(error, UNSUPPORTED, "%s", device_error.message);
    }
    if (status != TRAWL_OK && error != NULL)
        *error = device_error;
    TRAWL_TRY(status);
    finish_stats(searcher, text, begins, 1, 1, begin_ns);
    return TRAWL_OK;
}

/* Are the devices' workers to list? One device's begins, where they are rare or the text is short,
 * the caller has as soon. */
static bool is_shared(const struct split *split, const struct trawl_plan *plan)
{
    bool is_long = split->text->bytes_count > resident_sizes.shared;

    if (split->matches != NULL)
        return is_long && plan->literals == NULL;
    return split->part_count > 1 || (is_long && may_be_frequent(plan));
}

enum trawl_status begins_by_devices(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                                    struct trawl_text *text, struct engine_words *begins,
                                    struct trawl_match *matches, struct trawl_error *error)
{
    struct devices *devices = &searcher->runtime->devices;
    struct pieces pieces = {.job = NULL};
    struct split split = {.searcher = searcher,
                          .text = text,
                          .begins = begins,
                          .matches = matches,
                          .pieces = &pieces};
    uint64_t begin_ns = clock_now_ns();
    uint32_t took_part, left;
    bool shared;

    /* A text without bytes lies on no device, and has no part to list. */
    if (text->kind != TEXT_MEMORY || text->bytes_count == 0 || plan_is_layered(plan) ||
        !atomic_load(&devices->has_texts) || !devices_work(devices))
        return TRAWL_FAIL(error, UNSUPPORTED, "the text is not on devices");
    TRAWL_TRY(find_parts(&split, text, plan, devices, error));
    shared = is_shared(&split, plan) && devices_start(devices);
    left = split.devices_left;
    if (!shared && (matches != NULL || (left & (left - 1)) != 0))
        return TRAWL_FAIL(error, UNSUPPORTED, "a search does as well, or no device has a thread");
    begins->count = begins->candidate_count = 0;
    atomic_store(&searcher->progress, 0);
    job_begin(&split.job, searcher->runtime, plan, serve);
    split.job.serve_item = serve_device;
    (void)pthread_mutex_init(&split.lock, NULL);
    (void)pthread_cond_init(&split.changed, NULL);
    took_part = run(&split, shared);
    (void)pthread_cond_destroy(&split.changed);
    (void)pthread_mutex_destroy(&split.lock);
    if (split.status != TRAWL_OK) {
        begins->count = 0;
        if (error != NULL)
            *error = split.error;
        return split.status;
    }
    TRAWL_ASSERT(split.known == split.part_count);
    begins->count = searcher->begins_last = split.before[split.part_count];
    finish_stats(searcher, text, begins, split.part_count, took_part, begin_ns);
    return TRAWL_OK;
}
