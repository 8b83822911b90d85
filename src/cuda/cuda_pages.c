/* cuda_pages: builds and asks filters on a device, and copies the ranges that they have left
 *
 *   text   |..[range 0]after.........[range 1]after.....|
 *   copy   |[range 0]after|separator|[range 1]after|separator|
 *
 * No string begins in the bytes after a range: ranges that are nearer to each other than these
 * bytes are copied as one. No string has the separator's byte, so what begins in a range ends in
 * the bytes after it, as in the text.
 */
#include "cuda/cuda_pages.h"

#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "cuda/cuda_load.h"
#include "cuda/kernels/pages.h"

#define WORD_BYTES 16u
#define PIECE_BYTES (4ull * PAGES_PIECE_WORDS)
#define NO_SEPARATOR 256u
#define PAGES_TOGETHER 2048u /* their bitmaps, 16 MiB, stay in L2 until they are turned */

/* Returns a byte that no literal has, even in the other case. */
static uint32_t choose_separator(const struct trawl_plan *plan)
{
    bool has[NO_SEPARATOR + 1] = {false};
    uint32_t byte = 0;

    for (uint32_t i = 0; i < plan->literal_count; i++)
        for (uint64_t k = 0; k < plan_literal_at(plan, i).bytes_count; k++)
            has[plan_literal_bytes(plan, i)[k]] = true;
    while (byte < NO_SEPARATOR && (has[byte] || (byte >= 'A' && byte <= 'Z')))
        byte++;
    return byte;
}

/* Makes pieces of the text's bytes [from, to), as offsets in the device's memory, whose copy begins
 * at *put. Returns false if there is no memory for their list. */
static enum trawl_status add_pieces(struct cuda_worker *worker, uint64_t from, uint64_t to,
                                    uint64_t *put, struct trawl_error *error)
{
    struct cuda_gathered *own = &worker->gathered;
    const uint64_t needs = own->count + (to - from) / PIECE_BYTES + 2;
    struct pages_piece *pieces;

    if (needs * sizeof *pieces > own->pieces.count) {
        struct cuda_pinned more = {NULL, 0};

        TRAWL_TRY(cuda_pinned_reserve(
            worker->device, &more, cuda_worker_room(worker, 2 * needs * sizeof *pieces), 0, error));
        if (own->count > 0)
            memcpy(more.bytes, own->pieces.bytes, own->count * sizeof *pieces);
        cuda_pinned_release(worker->device, &own->pieces);
        own->pieces = more;
    }
    pieces = (struct pages_piece *)(void *)own->pieces.bytes;
    for (from &= ~(uint64_t)(WORD_BYTES - 1); from < to; from += PIECE_BYTES) {
        const uint64_t bytes = min_u64(PIECE_BYTES, (to - from + WORD_BYTES - 1) & ~15ull);

        pieces[own->count++] =
            (struct pages_piece){from, *put, bytes / 4, from + PIECE_BYTES >= to};
        *put += bytes;
    }
    *put += WORD_BYTES; /* the separator */
    return TRAWL_OK;
}

/* Lists the pieces of the ranges that begin at `at` or later, and sets *range to their copy. */
static enum trawl_status list_pieces(struct cuda_worker *worker, const struct engine_chunk *chunk,
                                     uint64_t at, uint64_t bytes_max,
                                     const struct cuda_place *place, struct cuda_range *range,
                                     struct trawl_error *error)
{
    const uint64_t after = worker->plan->need_after, available = chunk->owned + chunk->after;
    uint64_t put = 0;

    for (uint64_t i = 0; i < chunk->kept.count && put < bytes_max; i++) {
        const struct text_range *kept = &chunk->kept.items[i];
        const uint64_t begin = max_u64(kept->begin, chunk->begin + at) - chunk->begin;
        uint64_t end = min_u64(kept->end - min_u64(kept->end, chunk->begin), chunk->owned), to;
        uint64_t pieces = worker->gathered.count;

        if (begin >= end)
            continue;
        while (i + 1 < chunk->kept.count &&
               kept[1].begin < chunk->begin + end + after + 4 * WORD_BYTES && end < chunk->owned) {
            kept = &chunk->kept.items[++i];
            end = min_u64(kept->end - chunk->begin, chunk->owned);
        }
        end = min_u64(end, begin + (bytes_max - put));
        to = min_u64(end + after, available);
        range->end = put + (place->at + begin) % WORD_BYTES + (end - begin);
        if (pieces == 0)
            range->begin = (place->at + begin) % WORD_BYTES;
        range->text_end = range->end + (to - end);
        TRAWL_TRY(add_pieces(worker, place->at + begin, place->at + to, &put, error));
    }
    return TRAWL_OK;
}

enum trawl_status cuda_pages_gather(struct cuda_worker *worker, const struct engine_chunk *chunk,
                                    uint64_t at, uint64_t bytes_max, const struct cuda_place *place,
                                    struct cuda_range *range, bool *is_done,
                                    struct trawl_error *error)
{
    struct cuda_gathered *own = &worker->gathered;
    struct pages_gather_arguments a;

    if (own->serial != worker->plan->serial)
        own->separator = choose_separator(worker->plan);
    own->serial = worker->plan->serial;
    own->count = 0;
    own->chunk_at = place->at;
    *is_done = own->separator != NO_SEPARATOR && place->tail_address == 0 &&
               worker->plan->need_after <= bytes_max / 4;
    if (!*is_done)
        return TRAWL_OK;
    worker->held.bytes = NULL;
    *range = (struct cuda_range){0, 0, 0, 0};
    TRAWL_TRY(list_pieces(worker, chunk, at, bytes_max, place, range, error));
    if (own->count == 0)
        return TRAWL_OK;
    TRAWL_TRY(cuda_worker_reserve(worker, &worker->text,
                                  range->text_end + WORD_BYTES + SCAN_AROUND_BYTES, error));
    TRAWL_TRY(cuda_worker_reserve(worker, &worker->offsets, own->count * sizeof(struct pages_piece),
                                  error));
    TRAWL_TRY(cuda_worker_upload(worker, worker->offsets.address, own->pieces.bytes,
                                 own->count * sizeof(struct pages_piece), error));
    range->address = worker->text.address;
    a = (struct pages_gather_arguments){
        .text = (const uint8_t *)(uintptr_t)place->address,
        .copy = (uint8_t *)(uintptr_t)worker->text.address,
        .pieces = (const struct pages_piece *)(uintptr_t)worker->offsets.address,
        .separator = own->separator * 0x01010101u};
    return cuda_worker_launch(worker, CUDA_KERNEL_PAGES_GATHER, own->count, PAGES_THREADS, 0, &a,
                              error);
}

uint64_t cuda_pages_origin(const struct cuda_worker *worker, uint64_t offset)
{
    const struct cuda_gathered *own = &worker->gathered;
    const struct pages_piece *pieces = (const struct pages_piece *)(const void *)own->pieces.bytes;
    uint64_t low = 0, high = own->count; /* the piece is in [low, high) */

    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;

        *(pieces[middle].to <= offset ? &low : &high) = middle;
    }
    return pieces[low].from + (offset - pieces[low].to) - own->chunk_at;
}

/* ---- The filter --------------------------------------------------------------------------- */

struct engine_pages {
    uint32_t device_index;
    struct cuda_memory rows;
    uint64_t row_words;
};

/* Builds the rows of the pages. The device's context is current. */
static enum trawl_status make(struct cuda_worker *worker, const struct plan_pages *pages,
                              struct engine_pages *own, struct trawl_error *error)
{
    const uint64_t together = min_u64(pages->count, PAGES_TOGETHER);
    struct pages_build_arguments a = {.page_bytes = pages->page_bytes};
    struct cuda_place place;

    if (!cuda_worker_resident(worker, pages->bytes, pages->bytes_count, PLAN_PAGE_COVER, &place) ||
        place.tail_address != 0)
        return TRAWL_FAIL(error, UNSUPPORTED, "%s has not all of the text", worker->device->name);
    own->row_words = (pages->count + 31) / 32;
    TRAWL_TRY(cuda_load_room(worker, own->row_words * 4 * PLAN_PAGE_ROWS, error));
    TRAWL_TRY(cuda_memory_reserve(worker->device, &own->rows, own->row_words * 4 * PLAN_PAGE_ROWS,
                                  error));
    worker->held.bytes = NULL;
    TRAWL_TRY(cuda_worker_reserve(worker, &worker->text,
                                  together * PAGES_MAP_WORDS * sizeof(uint32_t), error));
    a.text = (const uint8_t *)(uintptr_t)place.address;
    a.text_end = place.at + pages->bytes_count;
    a.maps = (uint32_t *)(uintptr_t)worker->text.address;
    a.rows = (uint32_t *)(uintptr_t)own->rows.address;
    a.row_words = own->row_words;
    for (uint64_t page = 0; page < pages->count; page += together) {
        a.from = place.at + page * pages->page_bytes;
        a.count = (uint32_t)min_u64(together, pages->count - page);
        a.words = (a.count + 31) / 32;
        a.first_word = page / 32;
        TRAWL_TRY(cuda_worker_launch(worker, CUDA_KERNEL_PAGES_MAP, a.count, PAGES_MAP_THREADS, 0,
                                     &a, error));
        TRAWL_TRY(cuda_worker_launch(worker, CUDA_KERNEL_PAGES_TURN,
                                     PAGES_MAP_WORDS / PAGES_TURN_WORDS *
                                         ((a.words + PAGES_TURN_WORDS - 1) / PAGES_TURN_WORDS),
                                     PAGES_THREADS, 0, &a, error));
    }
    return CUDA_CALL(worker->device, error, stream_wait, worker->stream);
}

static enum trawl_status make_on(struct cuda_engine *engine, const struct plan_pages *pages,
                                 struct engine_pages *own, struct trawl_error *error)
{
    struct cuda_worker *worker;
    enum trawl_status status;

    TRAWL_TRY(cuda_worker_lend(engine, own->device_index, &worker, error));
    status = make(worker, pages, own, error);
    if (status != TRAWL_OK) {
        (void)worker->device->driver->stream_wait(worker->stream);
        cuda_memory_release(worker->device, &own->rows);
    }
    cuda_worker_return(worker, status == TRAWL_OK);
    return status;
}

enum trawl_status cuda_pages_make(struct engine *opaque, struct plan_pages *pages,
                                  struct engine_pages **made, struct trawl_error *error)
{
    struct cuda_engine *engine = cuda_engine_of(opaque);
    enum trawl_status status = TRAWL_UNSUPPORTED;

    TRAWL_TRY(MEMORY_ZEROED(*made, 1, error));
    for (uint32_t i = 0; i < engine->device_count && status != TRAWL_OK; i++) {
        (*made)->device_index = i;
        status = make_on(engine, pages, *made, error);
    }
    if (status == TRAWL_OK) {
        pages->rows_bytes = (*made)->rows.bytes;
        return TRAWL_OK;
    }
    memory_release(*made, 1, sizeof **made);
    *made = NULL;
    return status;
}

void cuda_pages_drop(struct engine *opaque, struct engine_pages *made)
{
    struct cuda_device *device = &cuda_engine_of(opaque)->devices[made->device_index];

    if (cuda_device_enter(device, NULL) == TRAWL_OK) {
        cuda_memory_release(device, &made->rows);
        cuda_device_leave(device);
    }
    memory_release(made, 1, sizeof *made);
}

/* Returns true if all blocks of pages_ask are done. */
static bool is_asked(const void *context)
{
    const struct pages_ask_arguments *a = (const struct pages_ask_arguments *)context;
    const uint32_t blocks = (a->words + 31) / 32;

    for (uint32_t i = blocks; i-- > 0;)
        if (__atomic_load_n(&a->done[i], __ATOMIC_ACQUIRE) != a->launch)
            return false;
    return true;
}

/* Copies the lists of the patterns' rows to the device. Sets *knows to false if one has none. */
static enum trawl_status send_lists(struct cuda_worker *worker, const struct trawl_plan *plan,
                                    bool *knows, struct trawl_error *error)
{
    const uint64_t bytes = plan->pattern_count * PAGES_LIST_WORDS * sizeof(uint32_t);
    enum trawl_status status = TRAWL_OK;
    uint16_t rows[PLAN_PAGE_ROWS_MAX];
    void *staged = NULL;
    uint32_t *list;

    _Static_assert(PLAN_PAGE_ROWS_MAX < PAGES_LIST_WORDS, "a list has its number of rows");
    TRAWL_TRY(cuda_worker_reserve(worker, &worker->offsets, bytes, error));
    TRAWL_TRY(cuda_worker_stage(worker, bytes, &staged, error));
    list = (uint32_t *)staged;
    for (uint64_t i = 0; i < plan->pattern_count && *knows; i++, list += PAGES_LIST_WORDS) {
        const uint32_t count = plan_pages_rows(plan, i, rows);

        *knows = count > 0;
        for (uint32_t k = 0; k < count; k++)
            list[k] = rows[k];
        list[PAGES_LIST_WORDS - 1] = count;
    }
    if (*knows)
        status = cuda_worker_upload(worker, worker->offsets.address, staged, bytes, error);
    cuda_worker_unstage(worker, staged, bytes);
    return status;
}

/* Asks for the words [first, first + a->words) of the plan's rows. */
static enum trawl_status ask(struct cuda_worker *worker, const struct engine_pages *made,
                             const struct trawl_plan *plan, uint64_t first,
                             struct pages_ask_arguments *a, bool *knows, struct trawl_error *error)
{
    const uint64_t blocks = (a->words + 31u) / 32u;

    TRAWL_TRY(send_lists(worker, plan, knows, error));
    if (!*knows)
        return TRAWL_OK;
    TRAWL_TRY(cuda_pinned_reserve(worker->device, &worker->asked,
                                  cuda_worker_room(worker, blocks * 8 + a->words * 4ull),
                                  CUDA_HOST_MAPPED, error));
    a->done = (uint64_t *)(void *)worker->asked.bytes;
    a->kept = (uint32_t *)(void *)(a->done + blocks);
    memset(a->done, 0, blocks * sizeof *a->done);
    a->rows = (const uint32_t *)(uintptr_t)made->rows.address + first;
    a->row_words = made->row_words;
    a->lists = (const uint32_t *)(uintptr_t)worker->offsets.address;
    a->pattern_count = (uint32_t)plan->pattern_count;
    a->launch = ++worker->launches;
    TRAWL_TRY(
        cuda_worker_launch(worker, CUDA_KERNEL_PAGES_ASK, blocks, PAGES_THREADS, 0, a, error));
    return cuda_launch_wait(worker, is_asked, a, error);
}

enum trawl_status cuda_pages_ask(struct engine *opaque, const struct engine_pages *made,
                                 const struct trawl_plan *plan, uint64_t first, uint64_t end,
                                 uint64_t *kept, bool *knows, struct trawl_error *error)
{
    const uint64_t first_word = first / 64 * 2, end_word = (end + 31) / 32;
    struct pages_ask_arguments a = {.words = (uint32_t)(end_word - first_word)};
    struct cuda_worker *worker;
    enum trawl_status status;

    *knows = plan->pattern_count <= UINT32_MAX;
    TRAWL_TRY(cuda_worker_lend(cuda_engine_of(opaque), made->device_index, &worker, error));
    status = ask(worker, made, plan, first_word, &a, knows, error);
    if (status == TRAWL_OK && *knows) {
        kept[(end - 1) / 64] = 0; /* the device may have half of it */
        memcpy(kept + first / 64, a.kept, a.words * sizeof *a.kept);
    }
    cuda_worker_return(worker, status == TRAWL_OK);
    return status;
}
