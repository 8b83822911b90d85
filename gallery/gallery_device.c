/* gallery_device: runs published algorithms on a device.
 *
 * gallery_device_range searches a range of start offsets part by part, and each part literal by
 * literal. Kernels report hits in any order; the host sorts them here. A part is halved if it has
 * more hits than limits.hits_max, or needs more memory than the device has.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "gallery/device_rows.h"
#include "gallery/kernels/gallery.h"

/* if the device lacks memory, a part is halved, but never to fewer start offsets than this; then
 * the search fails with MEMORY */
#define WINDOW_BEGINS_MIN (64u << 10)
#define COLLECT_THREADS 256u
#define COLLECT_BLOCKS_MAX 65536u
#define FOLD_THREADS 256u
/* kernels load up to this many bytes after the 16-byte block in which a text ends */
#define FOLD_TAIL_BYTES 48u
#define FLAGS (WINDOWS | CHILDREN) /* needs that cost a byte of memory per start offset */
#define SHIFTS_THREADS 256u
#define MINIMUM_THREADS 256u
#define LISTS_THREADS 256u
#define SUMS_THREADS 1024u

/* A part of a range: the start offsets [begin, end), and the text. */
struct text_part {
    uint64_t address; /* device address of the text's byte 0 */
    uint64_t begin;
    uint64_t end;
    uint64_t text_end;
};

struct literal_search {
    struct gallery_device *own;
    const struct gallery_row *row;
    uint32_t literal, literal_next;
    uint64_t table, table_next; /* device addresses of these literals' tables */
    enum want want;
    struct gallery_arguments arguments;
    uint32_t blocks, threads;
    uint64_t passed; /* windows of the part, for one literal at most, that need a child grid */
    struct engine_result *result;
};

/* ---- Time ---------------------------------------------------------------------------------- */

/* Waits until results are copied to the host, and adds the time to the result's copy_ns. */
static enum trawl_status wait_results(struct gallery_device *own, uint64_t begin_ns,
                                      struct engine_result *result, struct trawl_error *error)
{
    uint64_t before_ns = result->work.copy_ns;

    TRAWL_TRY(cuda_wait_copies(own->worker, begin_ns, result, error));
    result->work.back_ns += result->work.copy_ns - before_ns;
    return TRAWL_OK;
}

/* Adds the device's time from own->begin to `end` to *sum. Both events must have occurred. */
static enum trawl_status add_elapsed(struct gallery_device *own, struct cuda_event *end,
                                     uint64_t *sum, struct trawl_error *error)
{
    float milliseconds = 0;

    TRAWL_TRY(CUDA_CALL(own->worker->device, error, event_elapsed, &milliseconds, own->begin, end));
    if (milliseconds > 0)
        *sum += (uint64_t)((double)milliseconds * 1e6);
    return TRAWL_OK;
}

/* Waits for the kernels before own->end, and adds their time to the result's kernel_ns. */
static enum trawl_status wait_kernels(struct gallery_device *own, struct engine_result *result,
                                      struct trawl_error *error)
{
    TRAWL_TRY(CUDA_CALL(own->worker->device, error, event_wait, own->end));
    return add_elapsed(own, own->end, &result->work.kernel_ns, error);
}

static enum trawl_status mark(struct gallery_device *own, struct cuda_event *event,
                              struct trawl_error *error)
{
    return CUDA_CALL(own->worker->device, error, event_record, event, own->worker->stream);
}

/* ---- The plan's side ------------------------------------------------------------------------ */

static enum trawl_status find_kernels(struct gallery_device *own, struct trawl_error *error)
{
    struct cuda_device *device = own->worker->device;

    TRAWL_TRY(gallery_choose(own, error));
    if (own->begin == NULL)
        TRAWL_TRY(CUDA_CALL(device, error, event_create, &own->begin, 0));
    if (own->shifted == NULL)
        TRAWL_TRY(CUDA_CALL(device, error, event_create, &own->shifted, 0));
    if (own->end == NULL)
        TRAWL_TRY(CUDA_CALL(device, error, event_create, &own->end, 0));
    return TRAWL_OK;
}

static enum trawl_status send_tables(struct gallery_device *own, struct trawl_error *error)
{
    uint64_t room = gallery_tables_bytes(own), bytes;
    enum trawl_status status = TRAWL_OK;
    void *memory;

    TRAWL_TRY(memory_allocate_zeroed(room, 1, &memory, error));
    bytes = gallery_tables_fill(own, memory);
    TRAWL_TRY_DONE(cuda_memory_reserve(own->worker->device, &own->tables,
                                       cuda_worker_room(own->worker, bytes), error));
    TRAWL_TRY_DONE(cuda_worker_upload(own->worker, own->tables.address, memory, bytes, error));
    own->ready = true;
done:
    memory_release(memory, room, 1);
    return status;
}

/* ---- One literal ------------------------------------------------------------------------- */

static uint64_t divide_up(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

static bool row_needs(const struct literal_search *search, uint32_t needs)
{
    return (search->row->needs & needs) != 0;
}

static struct cuda_module *search_module(const struct literal_search *search)
{
    return row_needs(search, CHILDREN | LISTS) ? search->own->children : search->own->module;
}

/* Sets *blocks to the number of the kernel's blocks that the device can run at a time. */
static enum trawl_status fill_device(const struct literal_search *search, uint64_t *blocks,
                                     struct trawl_error *error)
{
    const struct cuda_device *device = search->own->worker->device;
    struct cuda_function *function = NULL;
    int resident = 0;

    TRAWL_TRY(CUDA_CALL(device, error, module_function, &function, search_module(search),
                        search->row->kernel));
    TRAWL_TRY(
        CUDA_CALL(device, error, occupancy, &resident, function, (int)search->threads, (size_t)0));
    *blocks = (uint64_t)(resident > 1 ? resident : 1) * max_u64(device->multiprocessors, 1);
    return TRAWL_OK;
}

static enum trawl_status choose_grid(struct literal_search *search, struct trawl_error *error)
{
    const struct gallery_choice *choice = &search->own->choice;
    struct gallery_arguments *a = &search->arguments;
    uint64_t begins = a->limit - a->begin, blocks = choice->blocks;

    search->threads = choice->threads != 0 ? choice->threads : search->row->threads;
    a->segment = 1;
    if (search->row->grid == SEGMENTS) {
        if (blocks == 0)
            TRAWL_TRY(fill_device(search, &blocks, error));
        a->segment = divide_up(begins, blocks * search->threads);
    }
    /* blocks without a start offset are not launched */
    search->blocks = (uint32_t)divide_up(begins, search->threads * a->segment);
    a->minima_count = search->blocks;
    if (row_needs(search, WINDOWS))
        a->segment = search->own->limits.shift_begins;
    if (row_needs(search, CONSTANT)) /* the bin begins at a multiple of 16 */
        a->bin_bytes = (search->threads + a->pattern_bytes + 30) & ~15u;
    return TRAWL_OK;
}

/* Sets the kernel's arguments and grid for the literal and the start offsets [part->begin, limit).
 */
static enum trawl_status search_prepare(struct literal_search *search, const struct text_part *part,
                                        uint64_t limit, struct trawl_error *error)
{
    const struct gallery_device *own = search->own;
    const struct trawl_plan *plan = own->plan;
    uint64_t count = plan_literal_at(plan, search->literal).bytes_count;
    const uint8_t *bytes = plan_literal_bytes(plan, search->literal);
    struct gallery_arguments *a = &search->arguments;

    memset(&search->arguments, 0, sizeof search->arguments);
    a->text = (const uint8_t *)(uintptr_t)part->address;
    a->begin = part->begin;
    a->limit = limit;
    a->text_end = part->text_end;
    if (own->trie_states != 0) {
        a->equals = (const uint32_t *)(uintptr_t)own->tables.address;
        a->trie = a->equals + plan->literal_count;
    } else {
        a->pattern = (const uint8_t *)(uintptr_t)search->table;
        a->shifts = (const uint32_t *)(uintptr_t)(search->table +
                                                  gallery_literal_room(own, search->literal) -
                                                  GALLERY_SHIFTS * sizeof(uint32_t));
    }
    a->flags = (uint8_t *)(uintptr_t)own->flags.address;
    a->minima = (uint64_t *)(uintptr_t)own->flags.address;
    a->pattern_bytes = (uint32_t)count;
    a->want = (uint32_t)search->want;
    a->pattern_first = bytes[0];
    a->child_threads_max = own->limits.child_threads_max;
    a->child_grids_max = own->child_grids_max;
    a->uncounted = own->choice.uncounted;
    a->ordered = own->choice.ordered;
    search->row = gallery_row_for(own, count);
    a->shift_at = (uint32_t)(row_needs(search, SHIFTS_QS) ? count : count - 1);
    return choose_grid(search, error);
}

static enum trawl_status launch(struct gallery_device *own, struct cuda_module *module,
                                const char *kernel, uint64_t blocks, uint32_t threads,
                                uint32_t shared, void *arguments, struct trawl_error *error)
{
    struct cuda_device *device = own->worker->device;
    struct cuda_function *function = NULL;
    void *parameters[] = {arguments};

    TRAWL_TRY(CUDA_CALL(device, error, module_function, &function, module, kernel));
    return CUDA_CALL(device, error, launch, function, (unsigned)blocks, 1, 1, threads, 1, 1, shared,
                     own->worker->stream, parameters, NULL);
}

static const struct gallery_result *landed(const struct gallery_device *own)
{
    return (const struct gallery_result *)(const void *)own->worker->landing.bytes;
}

/* Returns the words per hit: 1, the start offset; from a trie 2, the start offset and the
 * literal. */
static uint32_t hit_words(const struct gallery_device *own)
{
    return own->trie_states != 0 ? 2 : 1;
}

static enum trawl_status search_reserve(struct literal_search *search, struct trawl_error *error)
{
    struct gallery_device *own = search->own;
    struct gallery_arguments *a = &search->arguments;
    uint64_t bytes = cuda_worker_room(own->worker, sizeof(struct gallery_result));

    own->hits_room = max_u64(own->hits_room, own->worker->limits.hits_room_min);
    if (search->want == WANT_HITS)
        TRAWL_TRY(cuda_memory_reserve(own->worker->device, &own->offsets,
                                      own->hits_room * hit_words(own) * sizeof(uint32_t), error));
    TRAWL_TRY(cuda_memory_reserve(own->worker->device, &own->result, bytes, error));
    TRAWL_TRY(cuda_pinned_reserve(own->worker->device, &own->worker->landing, bytes, 0, error));
    a->result = (struct gallery_result *)(uintptr_t)own->result.address;
    a->offsets = (uint32_t *)(uintptr_t)own->offsets.address;
    a->capacity = own->hits_room;
    return TRAWL_OK;
}

static enum trawl_status upload_constant(struct literal_search *search, struct trawl_error *error)
{
    struct gallery_device *own = search->own;
    uint64_t address = 0, begin_ns = cuda_clock_ns();
    uint8_t padded[GALLERY_CONSTANT_BYTES + GALLERY_ALIGNMENT] = {0};
    uint64_t count = search->arguments.pattern_bytes;
    size_t bytes = 0;

    TRAWL_TRY(CUDA_CALL(own->worker->device, error, module_global, &address, &bytes,
                        search_module(search), "gallery_constant"));
    TRAWL_ASSERT(bytes == GALLERY_CONSTANT_BYTES && count <= bytes);
    memcpy(padded, plan_literal_bytes(own->plan, search->literal), (size_t)count);
    TRAWL_TRY(cuda_worker_upload(own->worker, address, padded,
                                 divide_up(count, GALLERY_ALIGNMENT) * GALLERY_ALIGNMENT, error));
    return cuda_wait_copies(own->worker, begin_ns, search->result, error);
}

/* Launches the kernel that flags the starts of windows, if the algorithm needs it. */
static enum trawl_status launch_before(struct literal_search *search, struct trawl_error *error)
{
    struct gallery_arguments *a = &search->arguments;

    if (!row_needs(search, WINDOWS))
        return TRAWL_OK;
    TRAWL_TRY(launch(search->own, search->own->module, "gallery_shifts_text",
                     divide_up(divide_up(a->limit - a->begin, a->segment), SHIFTS_THREADS),
                     SHIFTS_THREADS, 0, a, error));
    return mark(search->own, search->own->shifted, error);
}

static enum trawl_status launch_behind(struct literal_search *search, struct trawl_error *error)
{
    struct gallery_arguments *a = &search->arguments;

    if (row_needs(search, CHILDREN))
        return launch(
            search->own, search->own->children, "gallery_collect",
            min_u64(divide_up(a->limit - a->begin, 16u * COLLECT_THREADS), COLLECT_BLOCKS_MAX),
            COLLECT_THREADS, 0, a, error);
    if (row_needs(search, LISTS))
        return launch(search->own, search->own->children, "gallery_pss_lists",
                      divide_up(a->minima_count, LISTS_THREADS), LISTS_THREADS, 0, a, error);
    if (row_needs(search, SUMS))
        return search->want == WANT_FIRST
                   ? TRAWL_OK
                   : launch(search->own, search->own->module, "gallery_pss_sums", 1, SUMS_THREADS,
                            0, a, error);
    if (row_needs(search, MINIMA) && search->want == WANT_FIRST)
        return launch(search->own, search->own->module, "gallery_word_minimum", 1, MINIMUM_THREADS,
                      0, a, error);
    return TRAWL_OK;
}

/* Clears the device's result, launches the literal's kernels, and waits for them. */
static enum trawl_status search_launch(struct literal_search *search, struct trawl_error *error)
{
    struct gallery_device *own = search->own;
    const struct cuda_device *device = own->worker->device;
    struct gallery_arguments *a = &search->arguments;

    TRAWL_TRY(CUDA_CALL(device, error, fill, own->result.address, 0, sizeof(struct gallery_result),
                        own->worker->stream));
    TRAWL_TRY(CUDA_CALL(device, error, fill,
                        own->result.address + offsetof(struct gallery_result, first), 0xff,
                        sizeof(uint64_t), own->worker->stream));
    if (row_needs(search, FLAGS)) /* rounded up, since gallery_collect loads 16 flags at a time */
        TRAWL_TRY(CUDA_CALL(device, error, fill, own->flags.address,
                            row_needs(search, WINDOWS) ? 0 : 1,
                            (size_t)divide_up(a->limit - a->begin, 16) * 16, own->worker->stream));
    TRAWL_TRY(mark(own, own->begin, error));
    TRAWL_TRY(launch_before(search, error));
    TRAWL_TRY(launch(own, search_module(search), search->row->kernel, search->blocks,
                     search->threads, a->bin_bytes, a, error));
    TRAWL_TRY(launch_behind(search, error));
    TRAWL_TRY(mark(own, own->end, error));
    TRAWL_TRY(wait_kernels(own, search->result, error));
    return row_needs(search, WINDOWS)
               ? add_elapsed(own, own->shifted, &search->result->work.shifts_ns, error)
               : TRAWL_OK;
}

/* Adds the numbers of child grids to the result. Fails if a launch failed for another reason than
 * too many pending launches, if a launched grid did not run, or if a window that passed the
 * parent's test was neither launched, refused by the device, nor withheld (beyond child_grids_max).
 * With the option "uncounted", only refusals are known. */
static enum trawl_status check_children(struct literal_search *search, struct trawl_error *error)
{
    const struct gallery_result *r = landed(search->own);
    const char *name = search->own->worker->device->name;

    if (r->refusal != 0)
        return TRAWL_FAIL(error, DEVICE, "%s: %s: launching a child grid failed with code %" PRIu64,
                          name, search->row->kernel, r->refusal);
    if (search->own->choice.uncounted) {
        search->result->work.refused += r->spilled;
        return TRAWL_OK;
    }
    if (r->passed != r->launched + r->spilled + r->withheld)
        return TRAWL_FAIL(error, DEVICE,
                          "%s: %s: %" PRIu64 " windows passed, but %" PRIu64
                          " child grids were launched, refused or left out",
                          name, search->row->kernel, r->passed,
                          r->launched + r->spilled + r->withheld);
    if (r->children != r->launched)
        return TRAWL_FAIL(error, DEVICE,
                          "%s: %s: %" PRIu64 " child grids were launched, but %" PRIu64 " ran",
                          name, search->row->kernel, r->launched, r->children);
    search->passed = max_u64(search->passed, r->passed);
    search->result->work.children += r->launched;
    search->result->work.refused += r->spilled;
    search->result->work.withheld += r->withheld;
    return TRAWL_OK;
}

/* Runs the literal's kernels and copies their result into the landing buffer. A device has one
 * constant memory and one queue of child grids, so workers that need either take turns. */
static enum trawl_status search_run(struct literal_search *search, struct trawl_error *error)
{
    struct gallery_device *own = search->own;
    struct cuda_device *device = own->worker->device;
    bool constant = row_needs(search, CONSTANT);
    bool alone = row_needs(search, CONSTANT | CHILDREN);
    enum trawl_status status = TRAWL_OK;
    uint64_t begin_ns;

    TRAWL_TRY(search_reserve(search, error));
    if (alone)
        (void)pthread_mutex_lock(&device->lock);
    if (constant)
        status = upload_constant(search, error);
    if (status == TRAWL_OK)
        status = search_launch(search, error);
    if (alone) {
        if (status != TRAWL_OK)
            (void)device->driver->stream_wait(
                own->worker->stream); /* kernels may still read constant memory */
        (void)pthread_mutex_unlock(&device->lock);
    }
    TRAWL_TRY(status);
    begin_ns = cuda_clock_ns();
    TRAWL_TRY(CUDA_CALL(device, error, copy_to_host, own->worker->landing.bytes,
                        own->result.address, sizeof(struct gallery_result), own->worker->stream));
    TRAWL_TRY(wait_results(own, begin_ns, search->result, error));
    return check_children(search, error);
}

/* SUMS: runs the kernel once more, after its first pass has counted the hits, to write them. */
static enum trawl_status search_write(struct literal_search *search, struct trawl_error *error)
{
    struct gallery_device *own = search->own;

    search->arguments.pass = 1;
    TRAWL_TRY(search_reserve(search, error));
    TRAWL_TRY(mark(own, own->begin, error));
    TRAWL_TRY(launch(own, own->module, search->row->kernel, search->blocks, search->threads, 0,
                     &search->arguments, error));
    TRAWL_TRY(mark(own, own->end, error));
    return wait_kernels(own, search->result, error);
}

/* Appends the literal's hits to the result. `base` is the part's offset in the chunk. */
static enum trawl_status gather(struct literal_search *search, uint64_t base,
                                struct trawl_error *error)
{
    struct gallery_device *own = search->own;
    uint64_t total = landed(own)->cursor, words = hit_words(own), begin_ns;
    uint64_t bytes = total * words * sizeof(uint32_t);
    struct hits *hits = &search->result->hits;
    const uint32_t *offsets;

    if (total == 0)
        return TRAWL_OK;
    begin_ns = cuda_clock_ns();
    TRAWL_TRY(hits_reserve(hits, total, error));
    search->result->work.host_ns += cuda_clock_ns() - begin_ns;
    TRAWL_TRY(cuda_pinned_reserve(own->worker->device, &own->worker->landing,
                                  cuda_worker_room(own->worker, bytes), 0, error));
    begin_ns = cuda_clock_ns();
    TRAWL_TRY(CUDA_CALL(own->worker->device, error, copy_to_host, own->worker->landing.bytes,
                        own->offsets.address, (size_t)bytes, own->worker->stream));
    TRAWL_TRY(wait_results(own, begin_ns, search->result, error));
    begin_ns = cuda_clock_ns();
    offsets = (const uint32_t *)(const void *)own->worker->landing.bytes;
    for (uint64_t i = 0; i < total; i++) {
        struct hit *hit = &hits->items[hits->count++];

        hit->offset = (uint32_t)(base + offsets[words * i]);
        hit->literal = words > 1 ? offsets[words * i + 1] : search->literal;
    }
    search->result->work.host_ns += cuda_clock_ns() - begin_ns;
    return TRAWL_OK;
}

/* ---- One part ---------------------------------------------------------------------------- */

static bool needs_fold(const struct trawl_plan *plan)
{
    return (plan->flags & TRAWL_IGNORE_CASE) != 0;
}

/* Returns where the text ends that searches of the part read. */
static uint64_t part_text_end(const struct gallery_device *own, const struct text_part *part)
{
    return min_u64(part->text_end, saturating_add(part->end, own->plan->length_max - 1));
}

/* Reserves device memory for the part's copy in lower case, its flags and its minima, as needed. */
static enum trawl_status part_reserve(struct gallery_device *own, const struct text_part *part,
                                      struct trawl_error *error)
{
    uint64_t text = part_text_end(own, part) - part->begin;
    uint64_t begins = part->end - part->begin;

    if (needs_fold(own->plan))
        TRAWL_TRY(cuda_memory_reserve(
            own->worker->device, &own->folded,
            cuda_worker_room(own->worker, text + 32 + 2 * SCAN_PADDING_BYTES), error));
    if (gallery_needs(own, FLAGS | MINIMA))
        TRAWL_TRY(cuda_memory_reserve(own->worker->device, &own->flags,
                                      cuda_worker_room(own->worker, divide_up(begins, 16) * 16),
                                      error));
    return TRAWL_OK;
}

/* Sets *part to the part that begins at range->begin, and reserves its memory. Its length depends
 * on the device's memory, the hits of earlier parts and the number of child grids. */
static enum trawl_status part_open(struct gallery_device *own, const struct cuda_range *range,
                                   enum want want, struct text_part *part,
                                   struct trawl_error *error)
{
    const struct trawl_plan *plan = own->plan;
    uint64_t begins = range->end - range->begin;

    if (want == WANT_HITS)
        begins = min_u64(begins, own->worker->tables->reach_bytes);
    if (needs_fold(plan) || gallery_needs(own, FLAGS | MINIMA))
        begins = min_u64(begins, max_u64(own->worker->limits.text_bytes_max, 1));
    if (gallery_needs(own, CHILDREN))
        begins = min_u64(begins, own->choice.uncounted ? own->child_grids_max : own->child_begins);
    for (;; begins /= 2) {
        bool last = begins / 2 < WINDOW_BEGINS_MIN;
        enum trawl_status status;

        part->address = range->address;
        part->begin = range->begin;
        part->end = range->begin + begins;
        part->text_end = range->text_end;
        status = part_reserve(own, part, last ? error : NULL);
        if (status != TRAWL_MEMORY || last)
            return status;
    }
}

/* Copies the part's text in lower case, and makes *part refer to the copy. */
static enum trawl_status part_fold(struct gallery_device *own, struct text_part *part,
                                   struct engine_result *result, struct trawl_error *error)
{
    uint64_t from = part->begin & ~15ull, text_end = part_text_end(own, part);
    uint64_t address = own->folded.address;
    struct gallery_fold_arguments a;

    a.text = (const uint8_t *)(uintptr_t)part->address;
    a.begin = from;
    a.count = divide_up(text_end - from, 16) * 16 + FOLD_TAIL_BYTES;
    a.copy = (uint8_t *)(uintptr_t)address;
    TRAWL_TRY(mark(own, own->begin, error));
    TRAWL_TRY(launch(own, own->module, "gallery_fold", divide_up(a.count, 16ull * FOLD_THREADS),
                     FOLD_THREADS, 0, &a, error));
    TRAWL_TRY(CUDA_CALL(own->worker->device, error, fill, address + a.count, 0,
                        SCAN_PADDING_BYTES - FOLD_TAIL_BYTES, own->worker->stream));
    TRAWL_TRY(mark(own, own->end, error));
    TRAWL_TRY(wait_kernels(own, result, error));
    part->address = address;
    part->begin -= from;
    part->end -= from;
    part->text_end = text_end - from;
    return TRAWL_OK;
}

/* Returns the end of the start offsets in the part at which the literal fits into the text;
 * part->begin if there are none. */
static uint64_t literal_limit(const struct gallery_device *own, const struct text_part *part,
                              uint32_t literal)
{
    uint64_t count = plan_literal_at(own->plan, literal).bytes_count;

    if (part->text_end < count)
        return part->begin;
    return max_u64(part->begin, min_u64(part->end, part->text_end - count + 1));
}

static void literals_begin(struct literal_search *search)
{
    search->literal_next = 0;
    search->table_next = search->own->tables.address;
}

/* Selects the next literal that fits into the part (with a trie, all literals at once), and sets
 * *limit to the end of its start offsets. Returns false after the last literal. */
static bool literals_next(struct literal_search *search, const struct text_part *part,
                          uint64_t *limit)
{
    const struct gallery_device *own = search->own;

    while (search->literal_next < own->plan->literal_count) {
        search->literal = search->literal_next++;
        if (own->trie_states != 0) {
            search->literal_next = own->plan->literal_count;
            *limit = part->end;
            return true;
        }
        search->table = search->table_next;
        search->table_next += gallery_literal_room(own, search->literal);
        *limit = literal_limit(own, part, search->literal);
        if (*limit > part->begin)
            return true;
    }
    return false;
}

/* Appends all hits of the part. If there are more than limits.hits_max, and the part can be halved,
 * appends none, and sets *fits to false. */
static enum trawl_status part_hits(struct literal_search *search, const struct text_part *part,
                                   uint64_t base, bool *fits, struct trawl_error *error)
{
    struct gallery_device *own = search->own;
    struct engine_result *result = search->result;
    uint64_t held = result->hits.count, max = own->worker->limits.hits_max, limit;

    *fits = true;
    literals_begin(search);
    while (literals_next(search, part, &limit)) {
        uint64_t found;

        TRAWL_TRY(search_prepare(search, part, limit, error));
        TRAWL_TRY(search_run(search, error));
        found = landed(own)->cursor;
        *fits = part->end - part->begin == 1 || result->hits.count - held + found <= max;
        if (!*fits)
            break;
        if (found > own->hits_room || row_needs(search, SUMS)) {
            own->hits_room = max_u64(found, own->hits_room);
            TRAWL_TRY(row_needs(search, SUMS) ? search_write(search, error)
                                              : search_run(search, error));
            TRAWL_ASSERT(landed(own)->cursor == found);
        }
        TRAWL_TRY(gather(search, base, error));
    }
    if (!*fits)
        result->hits.count = held;
    return TRAWL_OK;
}

/* Appends the part's first hit; if several literals occur there, the one with the lowest index. */
static enum trawl_status part_first(struct literal_search *search, const struct text_part *part,
                                    uint64_t base, struct trawl_error *error)
{
    struct gallery_device *own = search->own;
    struct hits *hits = &search->result->hits;
    uint64_t best = UINT64_MAX, limit;
    uint32_t best_literal = 0;

    literals_begin(search);
    while (literals_next(search, part, &limit)) {
        if (best != UINT64_MAX)
            limit = min_u64(limit, part->begin + best);
        if (limit == part->begin)
            continue;
        TRAWL_TRY(search_prepare(search, part, limit, error));
        TRAWL_TRY(search_run(search, error));
        if (landed(own)->first != UINT64_MAX) {
            best = landed(own)->first;
            best_literal = own->trie_states != 0 ? (uint32_t)best : search->literal;
            best >>= own->trie_states != 0 ? 32 : 0;
        }
    }
    if (best == UINT64_MAX)
        return TRAWL_OK;
    TRAWL_TRY(hits_reserve(hits, 1, error));
    hits->items[hits->count].offset = (uint32_t)(base + best);
    hits->items[hits->count++].literal = best_literal;
    search->result->count++;
    return TRAWL_OK;
}

static enum trawl_status part_count(struct literal_search *search, const struct text_part *part,
                                    struct trawl_error *error)
{
    struct gallery_device *own = search->own;
    uint64_t limit;

    literals_begin(search);
    while (literals_next(search, part, &limit)) {
        TRAWL_TRY(search_prepare(search, part, limit, error));
        TRAWL_TRY(search_run(search, error));
        search->result->count += landed(own)->cursor;
    }
    return TRAWL_OK;
}

static int compare_hits(const void *a, const void *b)
{
    const struct hit *x = (const struct hit *)a, *y = (const struct hit *)b;

    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    return x->literal < y->literal ? -1 : x->literal > y->literal;
}

/* Chooses the size of the next part in a search for hits: smaller if this part's hits did not
 * fit, larger if there were few. */
static void learn_width(struct gallery_device *own, uint64_t begins, uint64_t found, bool fits)
{
    if (!fits)
        own->worker->tables->reach_bytes = max_u64(begins / 2, 1);
    else if (begins == own->worker->tables->reach_bytes && found < own->worker->limits.hits_max / 4)
        own->worker->tables->reach_bytes = saturating_add(own->worker->tables->reach_bytes, begins);
}

/* Returns true if each window of the part could get a child grid, or if the part cannot be smaller;
 * otherwise chooses the size of the next parts by the number of windows. */
static bool learn_children(struct literal_search *search, uint64_t begins)
{
    struct gallery_device *own = search->own;

    if (search->passed <= own->child_grids_max || begins <= own->limits.child_begins_min)
        return true;
    own->child_begins = max_u64(begins / (search->passed / max_u64(own->child_grids_max, 1) + 1),
                                max_u64(own->limits.child_begins_min, 1));
    return false;
}

enum trawl_status gallery_device_range(struct cuda_worker *worker, void *context,
                                       const struct cuda_range *range, enum want want,
                                       uint64_t hits_base, struct engine_result *result,
                                       uint64_t *done, struct trawl_error *error)
{
    struct gallery_device *own = (struct gallery_device *)context;
    struct literal_search search = {.own = own, .want = want, .result = result};
    uint64_t held = result->hits.count, count = result->count, begins;
    struct algorithm_work work = result->work;
    struct text_part part;
    bool fits;

    if (!own->ready) {
        uint64_t begin_ns = cuda_clock_ns();

        TRAWL_TRY(find_kernels(own, error));
        TRAWL_TRY(send_tables(own, error));
        TRAWL_TRY(cuda_wait_copies(worker, begin_ns, result, error));
    }
    result->work.note = own->note;
    do {
        fits = true;
        search.passed = 0;
        TRAWL_TRY(part_open(own, range, want, &part, error));
        begins = part.end - part.begin;
        if (needs_fold(own->plan))
            TRAWL_TRY(part_fold(own, &part, result, error));
        if (want == WANT_FIRST)
            TRAWL_TRY(part_first(&search, &part, hits_base, error));
        else if (want == WANT_COUNT)
            TRAWL_TRY(part_count(&search, &part, error));
        else
            TRAWL_TRY(part_hits(&search, &part, hits_base, &fits, error));
        if (want == WANT_HITS)
            learn_width(own, begins, result->hits.count - held, fits);
        if (!fits || !gallery_needs(own, CHILDREN))
            continue;
        fits = learn_children(&search, begins);
        result->work.parts++;
        if (!fits) { /* only the time of this search counts */
            result->hits.count = held;
            result->count = count;
            result->work.children = work.children;
            result->work.refused = work.refused;
            result->work.withheld = work.withheld;
            result->work.parts = work.parts;
        }
    } while (!fits);
    if (want == WANT_HITS && result->hits.count > held) {
        uint64_t begin_ns = cuda_clock_ns();

        result->count += result->hits.count - held;
        qsort(result->hits.items + held, (size_t)(result->hits.count - held),
              sizeof *result->hits.items, compare_hits);
        result->work.host_ns += cuda_clock_ns() - begin_ns;
    }
    *done = range->begin + begins;
    return TRAWL_OK;
}
