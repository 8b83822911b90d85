/* resident: the chunks of a loaded text. Each is taken by a worker of the device it lies on, which
 * may be far ahead of the others: as far as the ring of tasks reaches.
 */
#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "cuda/engine_cuda.h"
#include "runtime/search.h"

#define CHUNKS_FIRST 64u

struct resident_chunk {
    uint64_t begin;
    uint64_t owned;
    uint32_t device; /* ENGINE_DEVICES_MAX: any */
    bool taken;
};

/* The chunk that begins there ends with what lies on one device. */
static struct resident_chunk chunk_at(const struct search *search, uint64_t begin)
{
    const struct trawl_text *text = search->cursor.text;
    struct engine_part part = {ENGINE_DEVICES_MAX, text->bytes_count - begin};

    if (!engine_cuda.locate(search->job.runtime->devices.engine, search->job.plan,
                            text->bytes + begin, text->bytes_count - begin, &part))
        part.bytes = text->bytes_count - begin; /* loaded nowhere */
    return (struct resident_chunk){begin, min_u64(search->chunk_device, max_u64(part.bytes, 1)),
                                   part.device, false};
}

bool resident_note(struct search *search)
{
    uint64_t end = min_u64(search->chunk_count, search->index_deliver + search->tasks_max);
    uint32_t before = atomic_load(&search->job.devices_wanted), wanted = 0;

    for (uint64_t i = search->chunk_first; i < end; i++)
        if (!search->chunks[i].taken)
            wanted |= search->chunks[i].device == ENGINE_DEVICES_MAX
                          ? UINT32_MAX
                          : 1u << search->chunks[i].device;
    atomic_store(&search->job.devices_wanted, wanted);
    return (wanted & ~before) != 0;
}

enum trawl_status resident_open(struct search *search, struct trawl_error *error)
{
    void *memory;

    for (uint64_t begin = 0; begin < search->cursor.text->bytes_count; search->chunk_count++) {
        if (search->chunk_count == search->chunk_room) {
            uint64_t room = 2 * search->chunk_room + CHUNKS_FIRST;

            memory = search->chunks;
            TRAWL_TRY(
                memory_grow(search->chunk_room, room, sizeof *search->chunks, &memory, error));
            search->chunks = (struct resident_chunk *)memory;
            search->chunk_room = room;
        }
        search->chunks[search->chunk_count] = chunk_at(search, begin);
        begin += search->chunks[search->chunk_count].owned;
    }
    (void)resident_note(search);
    return TRAWL_OK;
}

void resident_close(struct search *search)
{
    memory_release(search->chunks, search->chunk_room, sizeof *search->chunks);
}

static void make_piece(const struct search *search, uint64_t index, struct text_piece *piece)
{
    const struct trawl_text *text = search->cursor.text;
    const struct text_need *need = &search->cursor.need;
    uint64_t begin = search->chunks[index].begin, owned = search->chunks[index].owned;

    memset(piece, 0, sizeof *piece);
    piece->index = index;
    piece->begin = begin;
    piece->bytes = text->bytes + begin;
    piece->owned = owned;
    piece->before = min_u64(begin, need->before);
    piece->after = min_u64(text->bytes_count - begin - owned, need->after);
    piece->readable = text->bytes_count - begin - owned;
    piece->last = begin + owned == text->bytes_count;
}

struct task *resident_take(struct search *search, const struct worker *worker)
{
    uint64_t end = min_u64(search->chunk_count, search->index_deliver + search->tasks_max);
    uint64_t index = search->chunk_first;
    struct task *task;

    while (index < end && (search->chunks[index].taken ||
                           !devices_may_serve(&search->job.runtime->devices, worker->device_index,
                                              search->chunks[index].device)))
        index++;
    if (index >= end || (task = task_take(search)) == NULL)
        return NULL;
    make_piece(search, index, &task->piece);
    search->chunks[index].taken = true;
    while (search->chunk_first < search->chunk_count && search->chunks[search->chunk_first].taken)
        search->chunk_first++;
    search->ended = search->chunk_first == search->chunk_count;
    (void)resident_note(search);
    return task;
}
