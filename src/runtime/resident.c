/* resident: the chunks of a loaded text. Each is taken by a worker of the device it lies on, which
 * may be far ahead of the others: as far as the ring of tasks reaches. Short counts are begun on
 * all devices by the calling thread.
 */
#include <string.h>

#include "base/checked.h"
#include "base/clock.h"
#include "base/memory.h"
#include "runtime/workers.h"
#include "runtime/engines.h"
#include "runtime/devices.h"
#include "runtime/search.h"

#define CHUNKS_FIRST 64u
#define HELD_HITS_MAX (1u << 24) /* with more, no device goes far ahead of the others */

#define SIZES                                                                          \
    {                                                                                  \
        .first = 8u << 20, .least = 1u << 20, .most = 256u << 20, .shared = 32u << 20, \
        .hits = 1u << 18                                                               \
    }
const struct resident_sizes resident_sizes_default = SIZES;
struct resident_sizes resident_sizes = SIZES;
#undef SIZES

struct resident_chunk {
    uint64_t begin;
    uint64_t owned;
    uint32_t device; /* ENGINE_DEVICES_MAX: any */
    bool taken;
};

/* The chunk that begins there ends with the part that lies on one device; *part: what is left of
 * it, 0 if it ended before. */
static struct resident_chunk chunk_at(const struct search *search, uint64_t begin,
                                      struct engine_text *part)
{
    const struct trawl_text *text = search->cursor.text;
    struct resident_chunk chunk;

    TRAWL_ASSERT(begin < text->bytes_count && search->chunk_device > 0);
    if (part->held == 0 && !devices_locate(&search->job.runtime->devices, search->job.plan,
                                           text->bytes + begin, text->bytes_count - begin, part))
        *part = (struct engine_text){.device = ENGINE_DEVICES_MAX, /* nowhere */
                                     .held = text->bytes_count - begin};
    TRAWL_ASSERT(part->held > 0 && part->held <= text->bytes_count - begin);
    chunk = (struct resident_chunk){begin, min_u64(search->chunk_device, part->held), part->device,
                                    false};
    part->held -= chunk.owned;
    return chunk;
}

/* The end of the chunks that may be taken: as far ahead of the delivery as there are tasks, if
 * their results are few. With the search's lock held, or before it is shared. */
static uint64_t reach(const struct search *search)
{
    uint32_t ahead =
        search->held_hits < HELD_HITS_MAX ? search->tasks_max : search->searcher->tasks_few;

    return min_u64(search->chunk_count, search->index_deliver + ahead);
}

bool resident_note(struct search *search)
{
    uint64_t end = reach(search);
    uint32_t before = atomic_load(&search->job.devices_wanted), wanted = 0;
    uint32_t many_before = atomic_load(&search->job.devices_many), many = 0;

    TRAWL_ASSERT(end <= search->chunk_count && search->chunk_first <= search->chunk_count);
    for (uint64_t i = search->chunk_first; i < end; i++) {
        uint32_t device = search->chunks[i].device;
        uint32_t bits = device == ENGINE_DEVICES_MAX ? UINT32_MAX : 1u << device;

        if (search->chunks[i].taken)
            continue;
        many |= device == ENGINE_DEVICES_MAX ? bits : wanted & bits;
        wanted |= bits;
    }
    atomic_store(&search->job.devices_wanted, wanted);
    atomic_store(&search->job.devices_many, many);
    return (wanted & ~before) != 0 || (many & ~many_before) != 0;
}

static enum trawl_status reserve(struct search *search, uint64_t count, struct trawl_error *error)
{
    void *memory = search->chunks;

    if (count <= search->chunk_room)
        return TRAWL_OK;
    TRAWL_TRY(memory_grow(search->chunk_room, count, sizeof *search->chunks, &memory, error));
    search->chunks = (struct resident_chunk *)memory;
    search->chunk_room = count;
    return TRAWL_OK;
}

/* Cut the text from `begin` on. */
static enum trawl_status cut(struct search *search, uint64_t begin, struct trawl_error *error)
{
    struct engine_text part = {.held = 0};

    for (; begin < search->cursor.text->bytes_count; search->chunk_count++) {
        if (search->chunk_count == search->chunk_room)
            TRAWL_TRY(reserve(search, 2 * search->chunk_room + CHUNKS_FIRST, error));
        search->chunks[search->chunk_count] = chunk_at(search, begin, &part);
        begin += search->chunks[search->chunk_count].owned;
        TRAWL_ASSERT(begin <= search->cursor.text->bytes_count &&
                     search->chunk_count < search->chunk_room);
    }
    return TRAWL_OK;
}

enum trawl_status resident_open(struct search *search, struct trawl_error *error)
{
    TRAWL_ASSERT(search->chunk_first == 0 && search->index_deliver == 0);
    TRAWL_TRY(cut(search, 0, error));
    (void)resident_note(search);
    return TRAWL_OK;
}

bool resident_learn(struct search *search, const struct task *task)
{
    uint64_t bytes = task->result.done - task->from, hits = task->result.hits.count;
    uint64_t first = search->chunk_after, begin, wanted;
    enum trawl_status status;

    if (search->chunk_most == 0 || bytes == 0 || task->status != TRAWL_OK ||
        first == search->chunk_count)
        return false;
    wanted =
        hits == 0 ? search->chunk_most : saturating_multiply(bytes, resident_sizes.hits) / hits;
    wanted = min_u64(max_u64(wanted, resident_sizes.least), search->chunk_most);
    if (wanted <= 2 * search->chunk_device && wanted >= search->chunk_device / 2)
        return false;
    /* No more than one chunk ends early for each that there was: with its part. */
    begin = search->chunks[first].begin;
    if (reserve(search,
                search->chunk_count + (search->cursor.text->bytes_count - begin) / wanted + 1,
                NULL) != TRAWL_OK)
        return false; /* they stay as they are */
    search->chunk_count = first;
    search->chunk_device = wanted;
    status = cut(search, begin, NULL);
    TRAWL_ASSERT(status == TRAWL_OK && search->chunk_count > first);
    (void)status;
    return resident_note(search);
}

void resident_close(struct search *search)
{
    memory_release(search->chunks, search->chunk_room, sizeof *search->chunks);
}

static void make_chunk(const struct search *search, uint64_t index, struct text_chunk *chunk)
{
    const struct trawl_text *text = search->cursor.text;
    const struct text_need *need = &search->cursor.need;
    uint64_t begin = search->chunks[index].begin, owned = search->chunks[index].owned;

    TRAWL_ASSERT(owned > 0 && begin < text->bytes_count && owned <= text->bytes_count - begin);
    TRAWL_ASSERT(index < search->chunk_count);
    memset(chunk, 0, sizeof *chunk);
    chunk->index = index;
    chunk->begin = begin;
    chunk->bytes = text->bytes + begin;
    chunk->owned = owned;
    chunk->before = min_u64(begin, need->before);
    chunk->after = min_u64(text->bytes_count - begin - owned, need->after);
    chunk->readable = text->bytes_count - begin - owned;
    chunk->last = begin + owned == text->bytes_count;
    TRAWL_ASSERT(chunk->last == (index + 1 == search->chunk_count));
}

/* resident_note where no chunk may be taken that could not be taken before. */
static void note_no_more(struct search *search)
{
    bool more = resident_note(search);

    TRAWL_ASSERT(!more);
    (void)more;
}

/* NULL: there is no task to be had. With the search's lock held. */
static struct task *take_chunk(struct search *search, uint64_t index)
{
    struct task *task = task_take(search);

    if (task == NULL)
        return NULL;
    TRAWL_ASSERT(index < search->chunk_count && !search->chunks[index].taken);
    make_chunk(search, index, &task->chunk);
    search->chunks[index].taken = true;
    search->chunk_after = max_u64(search->chunk_after, index + 1);
    while (search->chunk_first < search->chunk_count && search->chunks[search->chunk_first].taken)
        search->chunk_first++;
    search->ended = search->chunk_first == search->chunk_count;
    note_no_more(search);
    return task;
}

struct task *resident_take(struct search *search, const struct worker *worker)
{
    uint64_t end = reach(search);
    uint64_t index = search->chunk_first;

    while (index < end && (search->chunks[index].taken ||
                           !devices_may_serve(&search->job.runtime->devices, worker->device_index,
                                              search->chunks[index].device)))
        index++;
    if (index < end)
        return take_chunk(search, index);
    note_no_more(search); /* the reach may be less than before */
    return NULL;
}

/* ---- Counts at once ----------------------------------------------------------------------- */

/* A device counts one literal in a GiB in the time that waking a thread takes, so the caller begins
 * the counts on all devices by itself. What takes longer is better left to a thread for each: it
 * can be cancelled between two chunks. */
static bool counts_at_once(const struct search *search)
{
    const struct trawl_plan *plan = search->job.plan;

    return search->sink->wants == SINK_WANTS_COUNT && search->sink->digest == NULL &&
           plan_counts_alone(plan) && plan->literal_count == 1 && !plan_has_algorithm(plan);
}

/* What was begun: chunk `index` by the worker of its device. */
struct begun {
    uint64_t index;
    struct worker *worker;
    struct engine_result result;
};

static bool begin_count(struct search *search, uint64_t index, struct begun *begun)
{
    uint32_t device = search->chunks[index].device;
    struct text_chunk chunk;
    struct engine_chunk scanned;
    struct engine_task task = {
        .chunk = &scanned, .want = ENGINE_WANT_COUNT, .at_once = true, .result = &begun->result};

    if (device == ENGINE_DEVICES_MAX || atomic_load(&search->job.runtime->devices.lost[device]))
        return false;
    *begun = (struct begun){.index = index, .worker = &search->searcher->devices[device]};
    make_chunk(search, index, &chunk);
    scanned = task_chunk(search, &chunk);
    /* An engine worker with counts in flight is not exchanged, though its device may be lost
     * by now. */
    return (begun->worker->device_job == search->job.number ||
            worker_device_ready(begun->worker, &search->job, NULL) == TRAWL_OK) &&
           engine_for_devices->submit(begun->worker->device, &task, NULL) == TRAWL_OK &&
           !begun->result.is_left;
}

/* Wait for it. What a scan is to count stays with the chunks that are not taken. */
static void end_count(struct search *search, struct begun *begun, uint64_t *begin_ns)
{
    struct engine_task counted = {.at_once = true, .result = &begun->result};
    enum trawl_status status = engine_for_devices->poll(begun->worker->device, &counted, NULL);
    struct task *task = NULL;
    uint64_t now_ns;

    now_ns = clock_now_ns();
    if (status == TRAWL_OK && !begun->result.is_left) {
        (void)pthread_mutex_lock(&search->lock);
        task = take_chunk(search, begun->index);
        (void)pthread_mutex_unlock(&search->lock);
    }
    if (task != NULL)
        task_counted(search, task, begun->worker, begun->result.count,
                     begun->result.candidate_count, now_ns - *begin_ns);
    *begin_ns = now_ns;
}

static bool open_workers(struct trawl_searcher *searcher)
{
    void *memory;

    if (searcher->devices != NULL)
        return true;
    if (memory_allocate_zeroed(ENGINE_DEVICES_MAX, sizeof *searcher->devices, &memory, NULL) !=
        TRAWL_OK)
        return false;
    searcher->devices = (struct worker *)memory;
    for (uint32_t i = 0; i < ENGINE_DEVICES_MAX; i++)
        searcher->devices[i] = (struct worker){.runtime = searcher->runtime, .device_index = i};
    return true;
}

bool resident_count(struct search *search)
{
    uint64_t end = reach(search);
    uint64_t begin_ns = clock_now_ns();
    struct begun begun[ENGINE_COUNTS_MAX];
    uint32_t count = 0;

    if (!counts_at_once(search) || !open_workers(search->searcher))
        return false;
    TRAWL_ASSERT(!search->shared);
    for (uint64_t i = search->chunk_first; i < end && count < ENGINE_COUNTS_MAX; i++)
        if (!search->chunks[i].taken && begin_count(search, i, &begun[count]))
            count++;
    for (uint32_t i = 0; i < count; i++)
        end_count(search, &begun[i], &begin_ns);
    return search->chunk_first == search->chunk_count;
}
