/* resident: the chunks of a loaded text. Each is taken by a worker of the device it lies on, which
 * may be far ahead of the others: as far as the ring of tasks reaches. Short counts are begun on
 * all devices by the calling thread.
 */
#include "runtime/resident.h"

#include <string.h>

#include "base/checked.h"
#include "base/clock.h"
#include "base/memory.h"
#include "runtime/devices.h"
#include "runtime/road.h"
#include "runtime/runtime.h"
#include "runtime/search.h"
#include "runtime/tasks.h"

#define CHUNKS_FIRST 64u
#define HELD_HITS_MAX (1u << 24) /* with more, no device goes far ahead of the others */

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

uint64_t resident_reach(const struct search *search)
{
    uint32_t ahead =
        search->held_hits < HELD_HITS_MAX ? search->tasks_max : search->searcher->tasks_few;

    return min_u64(search->chunk_count, search->index_deliver + ahead);
}

bool resident_note(struct search *search)
{
    uint64_t end = resident_reach(search);
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

void resident_make_chunk(const struct search *search, uint64_t index, struct text_chunk *chunk)
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

struct task *resident_take_at(struct search *search, uint64_t index)
{
    struct task *task = task_take(search);

    if (task == NULL)
        return NULL;
    TRAWL_ASSERT(index < search->chunk_count && !search->chunks[index].taken);
    resident_make_chunk(search, index, &task->chunk);
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
    uint64_t end = resident_reach(search);
    uint64_t index = search->chunk_first;

    while (index < end && (search->chunks[index].taken ||
                           !devices_may_serve(&search->job.runtime->devices, worker->device_index,
                                              search->chunks[index].device)))
        index++;
    if (index < end)
        return resident_take_at(search, index);
    note_no_more(search); /* the reach may be less than before */
    return NULL;
}
