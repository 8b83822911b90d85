/* automaton: makes the table by which kernels search dense text for a set
 * (kernels/automaton.cu).
 *
 * The automaton reads backwards, so a state says which literals begin at the byte that was read
 * last. The table holds a transition for each state and class of bytes. The time and the memory
 * to make the table are proportional to the table's size, and are spent once, when a worker
 * meets the first dense text.
 */
#include "cuda/automaton.h"

#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "plan/automaton.h"

#define PART_BYTES_MIN 32u
/* The longest part, unless 4 × the bytes that are read after a part are more. */
#define PART_BYTES_MAX 4096u

/* The words after a state's transitions, as struct scan_automaton has them. */
enum { INFO_OUTPUTS, INFO_ENDS, INFO_END_COUNT, INFO_SHORTER };

/* The table as a device reads it. */
struct table {
    uint32_t row_words;
    uint64_t words;
    uint32_t *rows;
    uint32_t *state_of; /* for each end, which is a set of literals: a state with these literals */
};

/* Writes the words after a node's transitions, which say which literals begin there. */
static void fill_info(const struct plan_automaton *automaton, const struct table *table,
                      uint32_t node)
{
    uint32_t *info = table->rows + (uint64_t)node * table->row_words + automaton->classes;
    uint32_t number = automaton->cells[node].end;
    const struct plan_automaton_end *end;

    memset(info, 0, SCAN_STATE_WORDS * sizeof *info);
    if (number == PLAN_NONE)
        return;
    end = &automaton->ends[number];
    info[INFO_OUTPUTS] = end->outputs;
    info[INFO_ENDS] = end->first;
    info[INFO_END_COUNT] = end->alike;
    if (end->shorter != PLAN_NONE)
        info[INFO_SHORTER] = table->state_of[end->shorter];
}

/* Writes all transitions, depth by depth. A node's row is a copy of the row of the node to which
 * the node fails, which is less deep, except for the transitions to the node's own children. */
static void fill_rows(const struct plan_automaton *automaton, const struct table *table)
{
    const struct plan_automaton_link *links = automaton->links;
    uint32_t count = automaton->node_count - 1, next = 0;

    memset(table->rows, 0, table->row_words * sizeof *table->rows);
    for (uint32_t from = 0; from < count; from = next) {
        for (; next < count && links[next].depth == links[from].depth; next++) {
            const struct plan_automaton_cell *cell = &automaton->cells[links[next].node];
            uint64_t row = (uint64_t)links[next].parent * table->row_words;

            table->rows[row + cell->class] = links[next].node * table->row_words |
                                             (cell->end != PLAN_NONE ? SCAN_STATE_ENDS : 0);
        }
        for (uint32_t i = from; i < next; i++)
            memcpy(table->rows + (uint64_t)links[i].node * table->row_words,
                   table->rows + (uint64_t)links[i].fail * table->row_words,
                   table->row_words * sizeof *table->rows);
    }
    for (uint32_t node = 0; node < automaton->node_count; node++)
        fill_info(automaton, table, node);
}

static enum trawl_status fill_table(const struct plan_automaton *automaton, struct table *table,
                                    struct trawl_error *error)
{
    void *memory;

    table->words = (uint64_t)automaton->node_count * table->row_words;
    TRAWL_TRY(memory_allocate(table->words, sizeof *table->rows, &memory, error));
    table->rows = (uint32_t *)memory;
    TRAWL_TRY(memory_allocate(automaton->end_count, sizeof *table->state_of, &memory, error));
    table->state_of = (uint32_t *)memory;
    for (uint32_t node = 0; node < automaton->node_count; node++)
        if (automaton->cells[node].end != PLAN_NONE)
            table->state_of[automaton->cells[node].end] = node * table->row_words;
    fill_rows(automaton, table);
    return TRAWL_OK;
}

/* Copies the rows, the ends and the classes to the device. */
static enum trawl_status upload(struct engine_worker *worker,
                                const struct plan_automaton *automaton, const struct table *table,
                                struct trawl_error *error)
{
    struct cuda_memory *memory = &worker->tables.automaton_memory;
    struct scan_automaton *to = &worker->tables.arguments.automaton;
    uint64_t rows_bytes = table->words * sizeof(uint32_t), at;
    uint64_t ends_bytes = (uint64_t)automaton->count * sizeof(uint32_t);

    TRAWL_TRY(cuda_memory_reserve(
        worker->device, memory,
        cuda_worker_room(worker, rows_bytes + ends_bytes + sizeof automaton->class_of), error));
    at = memory->address;
    to->rows = (const uint32_t *)(uintptr_t)at;
    TRAWL_TRY(cuda_worker_upload(worker, at, table->rows, rows_bytes, error));
    at += rows_bytes;
    to->ends = (const uint32_t *)(uintptr_t)at;
    TRAWL_TRY(cuda_worker_upload(worker, at, automaton->sorted, ends_bytes, error));
    at += ends_bytes;
    TRAWL_ASSERT(at % sizeof(uint32_t) == 0 &&
                 at + sizeof automaton->class_of <= memory->address + memory->bytes);
    to->classes = (const uint32_t *)(uintptr_t)at;
    TRAWL_TRY(
        cuda_worker_upload(worker, at, automaton->class_of, sizeof automaton->class_of, error));
    to->class_count = automaton->classes;
    to->reach = (uint32_t)(worker->plan->length_max - 1);
    return TRAWL_OK;
}

/* Makes the automaton of the plan's literals on the device. *fits = false: the automaton exceeds
 * a limit. */
static enum trawl_status make(struct engine_worker *worker, bool *fits, struct trawl_error *error)
{
    const struct trawl_plan *plan = worker->plan;
    struct plan_automaton automaton = {.plan = plan,
                                       .bytes = plan->literal_bytes,
                                       .count = plan->literal_count,
                                       .keeps_links = true};
    bool fold = (plan->flags & TRAWL_IGNORE_CASE) != 0;
    uint64_t words_max = min_u64(worker->limits.automaton_words_max, SCAN_STATE_ENDS - 1);
    enum trawl_status status = TRAWL_OK;
    struct table table = {0};

    TRAWL_TRY_DONE(plan_automaton_make(&automaton, fold, PLAN_AUTOMATON_NODES_MAX, fits, error));
    table.row_words = automaton.classes + SCAN_STATE_WORDS;
    *fits = *fits && automaton.node_count <= words_max / table.row_words;
    if (*fits) {
        TRAWL_TRY_DONE(fill_table(&automaton, &table, error));
        TRAWL_TRY_DONE(upload(worker, &automaton, &table, error));
    }
done:
    memory_release(table.rows, table.words, sizeof *table.rows);
    memory_release(table.state_of, automaton.end_count, sizeof *table.state_of);
    plan_automaton_free(&automaton);
    return status;
}

enum trawl_status cuda_automaton_want(struct engine_worker *worker, struct trawl_error *error)
{
    enum trawl_status status;
    bool fits = false;

    if (worker->tables.automaton != CUDA_AUTOMATON_NOT_ASKED)
        return TRAWL_OK;
    worker->tables.automaton = CUDA_AUTOMATON_NONE;
    if (!worker->limits.automaton || worker->tables.kernel != CUDA_KERNEL_SET ||
        worker->plan->literal_count == 0)
        return TRAWL_OK;
    status = make(worker, &fits, error);
    if (status == TRAWL_OK && fits)
        worker->tables.automaton = CUDA_AUTOMATON_READY;
    return status == TRAWL_MEMORY ? TRAWL_OK : status;
}

/* Gives each possible thread one part of the range. All threads read the bytes after their parts
 * at the same time; fewer, longer parts would read fewer bytes in all and take longer. */
void cuda_automaton_prepare(const struct cuda_tables *tables, uint32_t blocks,
                            struct cuda_launch *launch)
{
    struct scan_arguments *a = &launch->arguments;
    uint64_t places = a->limit - a->position, threads = (uint64_t)blocks * launch->threads;
    uint64_t part = (places + threads - 1) / threads, tile_bytes;

    part = min_u64(part, max_u64(PART_BYTES_MAX, 4ull * a->automaton.reach)) + 15;
    /* A tile's count of hits has 32 bits. */
    part = min_u64(part, UINT32_MAX / launch->threads / tables->alike_max);
    part = max_u64(part & ~15ull, PART_BYTES_MIN);
    TRAWL_ASSERT(part % 16 == 0 && part * launch->threads <= UINT32_MAX / tables->alike_max);
    a->automaton.part_bytes = (uint32_t)part;
    tile_bytes = part * launch->threads;
    a->tile_count = (uint32_t)((places + tile_bytes - 1) / tile_bytes);
    TRAWL_ASSERT(a->tile_count * tile_bytes >= places);
}
