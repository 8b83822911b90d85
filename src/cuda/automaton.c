/* automaton: the table to search dense text for a set with (kernels/automaton.cu).
 *
 * The automaton reads backwards, so a state says what begins at the byte that was read last. The
 * table holds a transition for each state and class of bytes. Making it takes time and memory in
 * proportion, once, when the first dense text is met.
 */
#include "cuda/automaton.h"

#include <string.h>

#include "base/checked.h"
#include "base/memory.h"

#define STATES_FIRST 1024u
#define PART_BYTES_MIN 32u
#define PART_BYTES_MAX 4096u /* or four times what is read after a part */

/* The words after a state's transitions, as struct scan_automaton has them. */
enum { INFO_OUTPUTS, INFO_ENDS, INFO_END_COUNT, INFO_SHORTER };

struct automaton {
    const struct trawl_plan *plan;
    uint32_t class_count;
    uint32_t row_words;
    uint32_t states_max;
    uint32_t state_count;
    uint32_t capacity; /* of states */
    uint32_t *rows;
    uint32_t *ends;   /* literal_count */
    uint32_t *end_at; /* literal_count: each one's state */
    uint32_t *queue;  /* state_count: states, the shallower first */
    uint32_t *fails;  /* state_count: by their number in the queue; then as in the table */
    uint8_t class_of[256];
};

static void automaton_free(struct automaton *automaton)
{
    uint64_t literals = automaton->plan->literal_count;

    memory_release(automaton->rows, (uint64_t)automaton->capacity * automaton->row_words,
                   sizeof(uint32_t));
    memory_release(automaton->ends, literals, sizeof(uint32_t));
    memory_release(automaton->end_at, literals, sizeof(uint32_t));
    memory_release(automaton->queue, automaton->state_count, sizeof(uint32_t));
    memory_release(automaton->fails, automaton->state_count, sizeof(uint32_t));
}

/* Bytes in no literal share class 0, if there are such. */
static void choose_classes(struct automaton *automaton, uint64_t words_max)
{
    const struct trawl_plan *plan = automaton->plan;
    bool fold = (plan->flags & TRAWL_IGNORE_CASE) != 0, used[256] = {false};
    uint32_t count = 0;

    for (uint32_t i = 0; i < plan->literal_count; i++) {
        const uint8_t *bytes = plan_literal_bytes(plan, i);

        for (uint64_t k = plan_literal_at(plan, i).bytes_count; k-- > 0;)
            used[bytes[k]] = true;
    }
    for (uint32_t b = 0; b < 256; b++)
        count += used[b];
    automaton->class_count = count < 256 ? 1 : 0;
    for (uint32_t b = 0; b < 256; b++)
        automaton->class_of[b] = used[b] ? (uint8_t)automaton->class_count++ : 0;
    for (uint32_t b = 'A'; fold && b <= 'Z'; b++)
        automaton->class_of[b] = automaton->class_of[fold_byte((uint8_t)b)];
    automaton->row_words = automaton->class_count + SCAN_STATE_WORDS;
    automaton->states_max =
        (uint32_t)(min_u64(words_max, SCAN_STATE_ENDS - 1) / automaton->row_words);
}

static uint32_t *info_of(const struct automaton *automaton, uint32_t state)
{
    return automaton->rows + state + automaton->class_count;
}

/* One more state, whose words are zeros. */
static enum trawl_status add_state(struct automaton *automaton, uint32_t *state,
                                   struct trawl_error *error)
{
    uint64_t row_bytes = automaton->row_words * sizeof(uint32_t);

    if (automaton->state_count == automaton->capacity) {
        uint32_t capacity = (uint32_t)min_u64(automaton->states_max,
                                              max_u64(STATES_FIRST, 2ull * automaton->capacity));
        void *memory = automaton->rows;

        if (capacity == automaton->capacity)
            return TRAWL_FAIL(error, MEMORY, "the automaton of a set has too many states");
        TRAWL_TRY(memory_grow(automaton->capacity, capacity, row_bytes, &memory, error));
        automaton->rows = (uint32_t *)memory;
        automaton->capacity = capacity;
    }
    *state = automaton->state_count++ * automaton->row_words;
    memset(automaton->rows + *state, 0, (size_t)row_bytes);
    return TRAWL_OK;
}

/* A state for each string of bytes that ends a literal. */
static enum trawl_status add_literals(struct automaton *automaton, struct trawl_error *error)
{
    const struct trawl_plan *plan = automaton->plan;
    uint32_t state = 0;

    TRAWL_TRY(add_state(automaton, &state, error));
    for (uint32_t i = 0; i < plan->literal_count; i++) {
        const uint8_t *bytes = plan_literal_bytes(plan, i);

        state = 0;
        for (uint64_t k = plan_literal_at(plan, i).bytes_count; k-- > 0;) {
            uint32_t class = automaton->class_of[bytes[k]], next = automaton->rows[state + class];

            if (next == 0) {
                TRAWL_TRY(add_state(automaton, &next, error));
                automaton->rows[state + class] = next;
            }
            state = next;
        }
        automaton->end_at[i] = state;
        info_of(automaton, state)[INFO_END_COUNT]++;
    }
    return TRAWL_OK;
}

/* Each state's literals, ascending. */
static void list_ends(struct automaton *automaton)
{
    uint32_t before = 0;

    for (uint32_t s = 0; s < automaton->state_count; s++) {
        uint32_t *info = info_of(automaton, s * automaton->row_words);

        info[INFO_ENDS] = before;
        before += info[INFO_END_COUNT];
        info[INFO_OUTPUTS] = info[INFO_ENDS]; /* where the next is written */
    }
    for (uint32_t i = 0; i < automaton->plan->literal_count; i++)
        automaton->ends[info_of(automaton, automaton->end_at[i])[INFO_OUTPUTS]++] = i;
}

/* What a state, whose longest proper suffix among the states is `fail`, has of that one. */
static void inherit(const struct automaton *automaton, uint32_t state, uint32_t fail)
{
    uint32_t *own = info_of(automaton, state), *shorter = info_of(automaton, fail);

    own[INFO_OUTPUTS] = own[INFO_END_COUNT] + shorter[INFO_OUTPUTS];
    own[INFO_SHORTER] = shorter[INFO_END_COUNT] > 0 ? fail : shorter[INFO_SHORTER];
}

/* All transitions, the shallower states' first. */
static void complete(struct automaton *automaton)
{
    uint32_t *rows = automaton->rows, queued = 1;

    automaton->queue[0] = automaton->fails[0] = 0;
    inherit(automaton, 0, 0);
    for (uint32_t q = 0; q < automaton->state_count; q++) {
        uint32_t state = automaton->queue[q], fail = automaton->fails[q];

        for (uint32_t class = 0; class < automaton->class_count; class ++) {
            uint32_t next = rows[state + class];
            uint32_t behind = state == 0 ? 0 : rows[fail + class];

            if (next == 0) {
                rows[state + class] = behind;
                continue;
            }
            behind &= ~SCAN_STATE_ENDS;
            automaton->queue[queued] = next;
            automaton->fails[queued++] = behind;
            inherit(automaton, next, behind);
            if (info_of(automaton, next)[INFO_OUTPUTS] > 0)
                rows[state + class] = next | SCAN_STATE_ENDS;
        }
    }
    TRAWL_ASSERT(queued == automaton->state_count);
}

static enum trawl_status make(struct automaton *automaton, struct trawl_error *error)
{
    uint64_t literals = automaton->plan->literal_count;
    void *memory;

    TRAWL_TRY(memory_allocate(literals, sizeof(uint32_t), &memory, error));
    automaton->ends = (uint32_t *)memory;
    TRAWL_TRY(memory_allocate(literals, sizeof(uint32_t), &memory, error));
    automaton->end_at = (uint32_t *)memory;
    TRAWL_TRY(add_literals(automaton, error));
    TRAWL_TRY(memory_allocate(automaton->state_count, sizeof(uint32_t), &memory, error));
    automaton->queue = (uint32_t *)memory;
    TRAWL_TRY(memory_allocate(automaton->state_count, sizeof(uint32_t), &memory, error));
    automaton->fails = (uint32_t *)memory;
    list_ends(automaton);
    complete(automaton);
    return TRAWL_OK;
}

/* To the device: rows, ends, classes. */
static enum trawl_status upload(struct engine_worker *worker, const struct automaton *automaton,
                                struct trawl_error *error)
{
    struct cuda_memory *memory = &worker->tables.automaton_memory;
    struct scan_automaton *to = &worker->tables.arguments.automaton;
    uint64_t rows_bytes =
        (uint64_t)automaton->state_count * automaton->row_words * sizeof(uint32_t);
    uint64_t ends_bytes = automaton->plan->literal_count * sizeof(uint32_t), at;

    TRAWL_TRY(cuda_memory_reserve(
        worker->device, memory,
        cuda_worker_room(worker, rows_bytes + ends_bytes + sizeof automaton->class_of), error));
    at = memory->address;
    to->rows = (const uint32_t *)(uintptr_t)at;
    TRAWL_TRY(cuda_worker_upload(worker, at, automaton->rows, rows_bytes, error));
    at += rows_bytes;
    to->ends = (const uint32_t *)(uintptr_t)at;
    TRAWL_TRY(cuda_worker_upload(worker, at, automaton->ends, ends_bytes, error));
    at += ends_bytes;
    to->classes = (const uint32_t *)(uintptr_t)at;
    TRAWL_TRY(
        cuda_worker_upload(worker, at, automaton->class_of, sizeof automaton->class_of, error));
    to->class_count = automaton->class_count;
    to->reach = (uint32_t)(automaton->plan->length_max - 1);
    return TRAWL_OK;
}

enum trawl_status cuda_automaton_want(struct engine_worker *worker, struct trawl_error *error)
{
    struct automaton automaton = {.plan = worker->plan};
    enum trawl_status status;

    if (worker->tables.automaton != CUDA_AUTOMATON_NOT_ASKED)
        return TRAWL_OK;
    worker->tables.automaton = CUDA_AUTOMATON_NONE;
    if (!worker->limits.automaton || worker->tables.kernel != CUDA_KERNEL_SET)
        return TRAWL_OK;
    choose_classes(&automaton, worker->limits.automaton_words_max);
    status = make(&automaton, error);
    if (status == TRAWL_OK)
        status = upload(worker, &automaton, error);
    automaton_free(&automaton);
    if (status == TRAWL_OK)
        worker->tables.automaton = CUDA_AUTOMATON_READY;
    return status == TRAWL_MEMORY ? TRAWL_OK : status;
}

/* A part for each thread that there may be, since what is read after a part is read at the same
 * time: fewer and longer ones would read less in all and take longer. */
void cuda_automaton_prepare(const struct cuda_tables *tables, uint32_t blocks,
                            struct cuda_launch *launch)
{
    struct scan_arguments *a = &launch->arguments;
    uint64_t places = a->limit - a->position, threads = (uint64_t)blocks * launch->threads;
    uint64_t part = (places + threads - 1) / threads, tile_bytes;

    part = min_u64(part, max_u64(PART_BYTES_MAX, 4ull * a->automaton.reach)) + 15;
    /* A tile's hits have 32 bits. */
    part = min_u64(part, UINT32_MAX / launch->threads / tables->alike_max);
    part = max_u64(part & ~15ull, PART_BYTES_MIN);
    a->automaton.part_bytes = (uint32_t)part;
    tile_bytes = part * launch->threads;
    a->tile_count = (uint32_t)((places + tile_bytes - 1) / tile_bytes);
}
