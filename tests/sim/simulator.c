/* simulator: see simulator.h. */
#include "simulator.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/kernels/simt.h"
#include "fiber.h"
#include "sim_words.h"

#if defined(__SANITIZE_ADDRESS__)
#define SIM_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SIM_ASAN 1
#endif
#endif
#if defined(SIM_ASAN)
#include <sanitizer/asan_interface.h>
#endif

#define STACK_BYTES (96u << 10)
#define RESIDENT_DEFAULT 3u
#define RESIDENT_LIMIT 8u
#define THREADS_LIMIT 1024u
#define SHARED_ARRAYS_MAX 32u
#define REPORT_BYTES 2048u
#define SHARED_POISON 0xa7
#define SHARED_GUARD_BYTES 64u
#define SHARED_GUARD 0x3c
#define MUTATED_YIELDS_MAX 512u
#define SWITCHES_MAX_DEFAULT 200000000u
#define FULL_CODES 3u
#define NAMED_BARRIERS 16u
#define PENDING_DEVICE 2048u /* cudaLimitDevRuntimePendingLaunchCount, unless it is set */

enum thread_state {
    THREAD_READY,
    THREAD_AT_BARRIER,
    THREAD_AT_NAMED,
    THREAD_AT_WARP,
    THREAD_PAUSED,
    THREAD_DONE
};

/* Whose blocks start first. */
enum grid_policy { GRIDS_CHILDREN_LAST, GRIDS_CHILDREN_FIRST, GRIDS_IN_ANY_ORDER, GRIDS_POLICIES };

struct block;

struct thread {
    struct fiber fiber;
    struct block *block;
    enum thread_state state;
    uint32_t index;
    uint32_t ready_slot; /* in ready[] while READY */
    const char *file;    /* where it stands */
    int line;
    /* The warp operation it is at: */
    int kind;
    uint64_t value;
    uint32_t argument;
    uint64_t result;
};

struct shared_array {
    const char *name;
    int line;
    uint64_t bytes;
    void *memory;
};

/* A grid that runs: the one that the host launched, or a child of a kernel. */
struct grid {
    struct grid *next;
    struct sim_kernel kernel;
    void *arguments;
    uint32_t blocks, threads;
    uint32_t *order;  /* its blocks, those that have started first */
    uint32_t started; /* of them */
    uint32_t live_blocks;
    bool is_child;
};

struct block {
    bool live;
    struct grid *grid;
    uint32_t index;
    uint32_t at_barrier;
    uint32_t at_named[NAMED_BARRIERS];
    uint32_t at_warp[THREADS_LIMIT / SIMT_WARP_THREADS]; /* lanes that wait for their warp */
    uint32_t warp_arrived[THREADS_LIMIT / SIMT_WARP_THREADS]; /* the first of them */
    uint32_t done;
    uint32_t shared_count;
    struct shared_array shared[SHARED_ARRAYS_MAX];
    struct thread *threads;
};

static struct {
    /* the launch */
    struct grid *grids; /* the host's, and child grids that have not ended */
    uint32_t pending;   /* of them, children */
    uint32_t pending_limit;
    uint32_t resident;
    struct block block[RESIDENT_LIMIT];
    struct thread *ready[RESIDENT_LIMIT * THREADS_LIMIT];
    uint32_t ready_count;
    struct thread *current;
    struct fiber host;
    bool failed;
    uint64_t random;
    uint32_t policy, grid_policy;
    /* what stays */
    struct thread *pool[RESIDENT_LIMIT]; /* THREADS_LIMIT threads each, stacks kept */
    uint64_t seed;
    uint32_t resident_max;
    uint32_t pending_max;
    uint64_t child_lost; /* 1: the next */
    uint32_t child_code; /* of refusals; 0: any that devices have for them */
    uint64_t switches_max;
    uint64_t switches_end; /* of this launch: it counts as hung */
    bool blocks_change;    /* one has ended, or there is one more to start */
    uint64_t written; /* to global memory, when those who wait for a word looked last */
    struct sim_counters counters;
    char report[REPORT_BYTES];
} sim = {.seed = 1, .pending_max = SIM_PENDING_SEEDED};

/* ---- Reports ---------------------------------------------------------------------------- */

static _Noreturn void fail(const char *what, const char *file, int line)
{
    if (!sim.failed)
        (void)snprintf(sim.report, sizeof sim.report,
                       "%s:%d: block %" PRIu32 ", thread %" PRIu32 ": %s", file, line,
                       sim.current->block->index, sim.current->index, what);
    sim.failed = true;
    fiber_leave(&sim.current->fiber, &sim.host);
}

/* Who waits where, and for whom. */
static void report_deadlock(void)
{
    size_t used = (size_t)snprintf(sim.report, sizeof sim.report, "nobody can run:");

    for (uint32_t b = 0; b < sim.resident; b++) {
        const struct block *block = &sim.block[b];

        for (uint32_t t = 0; block->live && t < block->grid->threads && used < REPORT_BYTES - 200;
             t++) {
            const struct thread *thread = &block->threads[t];
            const struct thread *previous = t > 0 ? thread - 1 : NULL;
            static const char *const words[] = {"ready",
                                                "waits for its block",
                                                "waits at a named barrier",
                                                "waits for its warp",
                                                "waits for a word",
                                                "has left"};

            if (previous != NULL && previous->state == thread->state &&
                previous->line == thread->line)
                continue;
            used +=
                (size_t)snprintf(sim.report + used, sizeof sim.report - used,
                                 "\n  block %" PRIu32 ", from thread %" PRIu32 " on: %s at %s:%d",
                                 block->index, t, words[thread->state],
                                 thread->file == NULL ? "its begin" : thread->file, thread->line);
        }
    }
    sim.failed = true;
}

/* ---- Schedule --------------------------------------------------------------------------- */

static uint64_t random_next(void)
{
    uint64_t z = (sim.random += 0x9e3779b97f4a7c15u);

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static void ready_push(struct thread *thread)
{
    thread->state = THREAD_READY;
    thread->ready_slot = sim.ready_count;
    sim.ready[sim.ready_count++] = thread;
}

static void ready_remove(struct thread *thread)
{
    struct thread *last = sim.ready[--sim.ready_count];

    sim.ready[thread->ready_slot] = last;
    last->ready_slot = thread->ready_slot;
}

/* Four kinds of schedule: any order; the last that became ready first; the first slot first; and
 * any order, but staying with one thread for long. */
static struct thread *ready_pick(void)
{
    uint64_t random = random_next();

    if (sim.policy == 1)
        return sim.ready[sim.ready_count - 1];
    if (sim.policy == 2)
        return sim.ready[0];
    if (sim.policy == 3 && sim.current != NULL && sim.current->state == THREAD_READY &&
        (random & 7) != 0)
        return sim.current;
    return sim.ready[(random >> 8) % sim.ready_count];
}

/* From thread to thread; by way of the host only where it has something to do. */
static void yield_to_schedule(void)
{
    struct thread *self = sim.current;

    if (++sim.counters.switches > sim.switches_end || sim.ready_count == 0 || sim.blocks_change) {
        fiber_switch(&self->fiber, &sim.host);
        return;
    }
    sim.current = ready_pick();
    if (sim.current != self)
        fiber_switch(&self->fiber, &sim.current->fiber);
}

static void thread_main(void *argument)
{
    struct thread *self = (struct thread *)argument;

    self->block->grid->kernel.entry(self->block->grid->arguments);
    ready_remove(self);
    self->state = THREAD_DONE;
    if (++self->block->done == self->block->grid->threads)
        sim.blocks_change = true;
    fiber_leave(&self->fiber, &sim.host);
}

static bool grid_fits(uint32_t blocks, uint32_t threads)
{
    return blocks > 0 && threads > 0 && threads <= THREADS_LIMIT;
}

static void grid_begin(const struct sim_kernel *kernel, const void *arguments, uint32_t blocks,
                       uint32_t threads, bool is_child)
{
    struct grid *grid = calloc(1, sizeof *grid);
    struct grid **link = &sim.grids;

    if (grid == NULL || (grid->arguments = malloc(kernel->arguments_bytes)) == NULL ||
        (grid->order = malloc(blocks * sizeof *grid->order)) == NULL)
        abort();
    grid->kernel = *kernel;
    memcpy(grid->arguments, arguments, kernel->arguments_bytes);
    grid->blocks = blocks;
    grid->threads = threads;
    grid->is_child = is_child;
    for (uint32_t b = 0; b < blocks; b++)
        grid->order[b] = b;
    while (*link != NULL)
        link = &(*link)->next;
    *link = grid;
    sim.pending += is_child;
    sim.blocks_change = true;
}

static void grid_end(struct grid *grid)
{
    struct grid **link = &sim.grids;

    while (*link != grid)
        link = &(*link)->next;
    *link = grid->next;
    sim.pending -= grid->is_child;
    free(grid->arguments);
    free(grid->order);
    free(grid);
}

/* None, a few, some, as many as on a device. */
static uint32_t pending_from_seed(void)
{
    uint64_t random = random_next(), amount = random >> 8;

    switch (random % 4) {
    case 0:
        return 0;
    case 1:
        return 1 + (uint32_t)(amount % 3);
    case 2:
        return 4 + (uint32_t)(amount % 60);
    default:
        return PENDING_DEVICE;
    }
}

/* A grid with blocks to start. Child grids come when the device likes: after all blocks of the grid
 * that launched them, as soon as there is room, or in any order. */
static struct grid *grid_pick(void)
{
    struct grid *pick = NULL;
    uint64_t seen = 0;

    for (struct grid *grid = sim.grids; grid != NULL; grid = grid->next) {
        bool better;

        if (grid->started == grid->blocks)
            continue;
        better = random_next() % ++seen == 0;
        if (pick != NULL && sim.grid_policy != GRIDS_IN_ANY_ORDER &&
            grid->is_child != pick->is_child)
            better = grid->is_child == (sim.grid_policy == GRIDS_CHILDREN_FIRST);
        if (pick == NULL || better)
            pick = grid;
    }
    return pick;
}

static void block_start(struct block *block, uint32_t slot, struct grid *grid)
{
    uint32_t pick = grid->started + (uint32_t)(random_next() % (grid->blocks - grid->started));

    block->live = true;
    block->grid = grid;
    block->threads = sim.pool[slot];
    block->at_barrier = 0;
    memset(block->at_named, 0, sizeof block->at_named);
    memset(block->at_warp, 0, sizeof block->at_warp);
    block->done = 0;
    block->shared_count = 0;
    grid->live_blocks++;
    /* Devices start blocks mostly in order; kernels may not count on it. */
    if (sim.policy == 2)
        pick = grid->started;
    block->index = grid->order[pick];
    grid->order[pick] = grid->order[grid->started];
    grid->order[grid->started++] = block->index;
    for (uint32_t t = 0; t < grid->threads; t++) {
        struct thread *thread = &block->threads[t];

        if (thread->fiber.stack == NULL && !fiber_stack_open(&thread->fiber, STACK_BYTES))
            abort();
        thread->block = block;
        thread->index = t;
        thread->file = NULL;
        thread->line = 0;
        fiber_prepare(&thread->fiber, thread_main, thread);
        ready_push(thread);
    }
}

static void block_end(struct block *block)
{
    for (uint32_t i = 0; i < block->shared_count; i++) {
        const struct shared_array *array = &block->shared[i];
        const unsigned char *guard = (const unsigned char *)array->memory + array->bytes;

#if defined(SIM_ASAN)
        ASAN_UNPOISON_MEMORY_REGION(guard, SHARED_GUARD_BYTES);
#endif
        for (uint32_t j = 0; j < SHARED_GUARD_BYTES && !sim.failed; j++) {
            if (guard[j] == SHARED_GUARD)
                continue;
            (void)snprintf(sim.report, sizeof sim.report,
                           "block %" PRIu32 " wrote beyond its shared array %s (line %d)",
                           block->index, array->name, array->line);
            sim.failed = true;
        }
        free(array->memory);
    }
    block->shared_count = 0;
    block->live = false;
    if (--block->grid->live_blocks == 0 && block->grid->started == block->grid->blocks)
        grid_end(block->grid);
}

/* Let those who wait for a word look again, if one has been written since. */
static bool wake_paused(void)
{
    uint64_t written = sim.counters.global_write_bytes;
    bool woken = false;

    for (uint32_t b = 0; b < sim.resident && written != sim.written; b++) {
        struct block *block = &sim.block[b];

        for (uint32_t t = 0; block->live && t < block->grid->threads; t++) {
            if (block->threads[t].state != THREAD_PAUSED)
                continue;
            ready_push(&block->threads[t]);
            woken = true;
        }
    }
    sim.written = written;
    return woken;
}

static void blocks_end_and_start(void)
{
    sim.blocks_change = false;
    for (uint32_t b = 0; b < sim.resident; b++) {
        struct grid *grid;

        if (sim.block[b].live && sim.block[b].done == sim.block[b].grid->threads)
            block_end(&sim.block[b]);
        if (!sim.block[b].live && (grid = grid_pick()) != NULL)
            block_start(&sim.block[b], b, grid);
    }
}

static void run_blocks(void)
{
    uint64_t limit = sim.switches_max == 0 ? SWITCHES_MAX_DEFAULT : sim.switches_max;

    sim.switches_end = sim.counters.switches + limit;
    for (;;) {
        if (sim.blocks_change)
            blocks_end_and_start();
        if (sim.ready_count == 0 && !wake_paused())
            break;
        sim.current = ready_pick();
        fiber_switch(&sim.host, &sim.current->fiber);
        if (!sim.failed && sim.counters.switches > sim.switches_end) {
            (void)snprintf(sim.report, sizeof sim.report,
                           "%s: still running after %" PRIu64 " switches",
                           sim.current->block->grid->kernel.name, limit);
            sim.failed = true;
        }
        if (sim.failed)
            return;
    }
    for (uint32_t b = 0; b < sim.resident; b++)
        if (sim.block[b].live)
            report_deadlock();
}

bool sim_grid(const struct sim_kernel *kernel, const void *arguments, uint32_t blocks,
              uint32_t threads, const char **report)
{
    uint32_t limit = sim.resident_max == 0 ? RESIDENT_DEFAULT : sim.resident_max;

    *report = sim.report;
    sim.counters.launches++;
    sim.random = sim.seed ^ (sim.counters.launches * 0xd1342543de82ef95u);
    sim.policy = (uint32_t)(random_next() % 4);
    sim.resident =
        1 + (uint32_t)(random_next() % (limit < RESIDENT_LIMIT ? limit : RESIDENT_LIMIT));
    sim.grid_policy = (uint32_t)(random_next() % GRIDS_POLICIES);
    sim.pending_limit =
        sim.pending_max == SIM_PENDING_SEEDED ? pending_from_seed() : sim.pending_max;
    sim.failed = false;
    sim.written = UINT64_MAX;
    sim.current = NULL;
    sim.ready_count = 0;
    memset(&sim.host, 0, sizeof sim.host);
    memset(sim.block, 0, sizeof sim.block);
    if (!grid_fits(blocks, threads)) {
        (void)snprintf(sim.report, sizeof sim.report, "no such launch: %" PRIu32 " x %" PRIu32,
                       blocks, threads);
        return false;
    }
    for (uint32_t b = 0; b < sim.resident; b++)
        if (sim.pool[b] == NULL &&
            (sim.pool[b] = calloc(THREADS_LIMIT, sizeof *sim.pool[b])) == NULL)
            abort();
    grid_begin(kernel, arguments, blocks, threads, false);
    run_blocks();
    sim.counters.schedules++;
    for (uint32_t b = 0; b < sim.resident; b++) /* after a failure some are left */
        if (sim.block[b].live)
            block_end(&sim.block[b]);
    while (sim.grids != NULL)
        grid_end(sim.grids);
    return !sim.failed;
}

void sim_release(void)
{
    for (uint32_t b = 0; b < RESIDENT_LIMIT; b++) {
        for (uint32_t t = 0; sim.pool[b] != NULL && t < THREADS_LIMIT; t++)
            fiber_stack_close(&sim.pool[b][t].fiber);
        free(sim.pool[b]);
        sim.pool[b] = NULL;
    }
}

void sim_seed(uint64_t seed)
{
    sim.seed = seed;
}

void sim_resident_max(uint32_t blocks)
{
    sim.resident_max = blocks;
}

void sim_pending_max(uint32_t grids)
{
    sim.pending_max = grids;
}

void sim_children_break(uint64_t lost, uint32_t code)
{
    sim.child_lost = lost;
    sim.child_code = code;
}

void sim_switches_max(uint64_t switches)
{
    sim.switches_max = switches;
}

struct sim_counters sim_counters(void)
{
    return sim.counters;
}

void sim_counters_reset(void)
{
    memset(&sim.counters, 0, sizeof sim.counters);
}

/* ---- What kernels call ------------------------------------------------------------------ */

uint32_t simt_thread(void)
{
    return sim.current->index;
}

uint32_t simt_threads(void)
{
    return sim.current->block->grid->threads;
}

uint32_t simt_block(void)
{
    return sim.current->block->index;
}

uint32_t simt_blocks(void)
{
    return sim.current->block->grid->blocks;
}

static void stand(const char *file, int line)
{
    sim.current->file = file;
    sim.current->line = line;
}

void *sim_shared(const char *name, int line, uint64_t bytes)
{
    struct block *block = sim.current->block;
    struct shared_array *array = block->shared;

    for (uint32_t i = 0; i < block->shared_count; i++, array++)
        if (array->line == line && (array->name == name || strcmp(array->name, name) == 0))
            return array->memory;
    if (block->shared_count == SHARED_ARRAYS_MAX)
        fail("too many shared arrays", name, line);
    array->name = name;
    array->line = line;
    array->bytes = bytes;
    array->memory = malloc((size_t)bytes + SHARED_GUARD_BYTES);
    if (array->memory == NULL)
        abort();
    memset(array->memory, (int)(SHARED_POISON ^ (random_next() & 0xff)), (size_t)bytes);
    memset((char *)array->memory + bytes, SHARED_GUARD, SHARED_GUARD_BYTES);
#if defined(SIM_ASAN)
    ASAN_POISON_MEMORY_REGION((char *)array->memory + bytes, SHARED_GUARD_BYTES);
#endif
    block->shared_count++;
    return array->memory;
}

int sim_bound(int condition, const char *file, int line)
{
    return sim_site_is_mutated(SIM_SITE_BOUND, file, line) ? 1 : condition;
}

int sim_barrier(int condition, const char *file, int line)
{
    struct thread *self = sim.current;
    struct block *block = self->block;
    uint32_t threads = block->grid->threads;
    uint64_t any = 0;

    stand(file, line);
    if (sim_site_is_mutated(SIM_SITE_BARRIER, file, line))
        return condition;
    ready_remove(self);
    self->state = THREAD_AT_BARRIER;
    self->value = (uint64_t)condition;
    if (++block->at_barrier == threads) {
        block->at_barrier = 0;
        sim.counters.barriers++;
        for (uint32_t t = 0; t < threads; t++) {
            if (block->threads[t].line != line)
                fail("threads of one block meet at different barriers", file, line);
            any |= block->threads[t].value;
        }
        for (uint32_t t = 0; t < threads; t++) {
            block->threads[t].result = any;
            ready_push(&block->threads[t]);
        }
    }
    yield_to_schedule();
    return (int)self->result;
}

void sim_named_barrier(uint32_t id, int waits, const char *file, int line)
{
    struct thread *self = sim.current;
    struct block *block = self->block;
    bool last;

    stand(file, line);
    if (id == 0 || id >= NAMED_BARRIERS)
        fail("no such named barrier", file, line);
    if (sim_site_is_mutated(SIM_SITE_BARRIER, file, line))
        return;
    last = ++block->at_named[id] == block->grid->threads;
    if (last) {
        block->at_named[id] = 0;
        sim.counters.barriers++;
        for (uint32_t t = 0; t < block->grid->threads; t++)
            if (block->threads[t].state == THREAD_AT_NAMED && block->threads[t].argument == id)
                ready_push(&block->threads[t]);
    }
    if (waits && !last) {
        ready_remove(self);
        self->state = THREAD_AT_NAMED;
        self->argument = id;
    }
    yield_to_schedule();
}

#define KIND_BALLOT (-1)

/* The last lane to arrive answers for all. */
static void warp_complete(struct thread *first)
{
    uint32_t ballot = 0, sum = 0;

    for (uint32_t lane = 0; lane < SIMT_WARP_THREADS; lane++) {
        ballot |= first[lane].value != 0 ? 1u << lane : 0;
        sum += (uint32_t)first[lane].value;
    }
    for (uint32_t lane = 0; lane < SIMT_WARP_THREADS; lane++) {
        struct thread *thread = &first[lane];
        uint32_t source = lane;

        if (thread->kind == KIND_BALLOT) {
            thread->result = ballot;
        } else if (thread->kind == SIM_SHUFFLE_SUM) {
            thread->result = sum;
        } else {
            if (thread->kind == SIM_SHUFFLE_INDEX)
                source = thread->argument % SIMT_WARP_THREADS;
            else if (thread->kind == SIM_SHUFFLE_UP && lane >= thread->argument)
                source = lane - thread->argument;
            else if (thread->kind == SIM_SHUFFLE_DOWN &&
                     lane + thread->argument < SIMT_WARP_THREADS)
                source = lane + thread->argument;
            thread->result = first[source].value;
        }
        ready_push(thread);
    }
}

static uint64_t warp_operation(int kind, uint64_t value, uint32_t argument, const char *file,
                               int line)
{
    struct thread *self = sim.current;
    struct block *block = self->block;
    uint32_t warp = self->index / SIMT_WARP_THREADS;
    const struct thread *arrived;

    stand(file, line);
    if ((warp + 1) * SIMT_WARP_THREADS > block->grid->threads)
        fail("a warp operation in a warp that is not full", file, line);
    self->kind = kind;
    self->value = value;
    self->argument = argument;
    ready_remove(self);
    self->state = THREAD_AT_WARP;
    if (block->at_warp[warp]++ == 0)
        block->warp_arrived[warp] = self->index;
    arrived = &block->threads[block->warp_arrived[warp]];
    if (arrived->line != line || arrived->kind != kind)
        fail("lanes of one warp meet at different operations", file, line);
    if (block->at_warp[warp] == SIMT_WARP_THREADS) {
        block->at_warp[warp] = 0;
        warp_complete(&block->threads[warp * SIMT_WARP_THREADS]);
    }
    yield_to_schedule();
    return self->result;
}

uint32_t sim_ballot(int condition, const char *file, int line)
{
    if (sim_site_is_mutated(SIM_SITE_WARP, file, line)) {
        stand(file, line);
        return condition != 0 ? 1u << (sim.current->index % SIMT_WARP_THREADS) : 0;
    }
    return (uint32_t)warp_operation(KIND_BALLOT, (uint64_t)(condition != 0), 0, file, line);
}

uint64_t sim_shuffle(uint64_t value, int kind, uint32_t argument, const char *file, int line)
{
    if (sim_site_is_mutated(SIM_SITE_WARP, file, line)) {
        stand(file, line);
        return value;
    }
    return warp_operation(kind, value, argument, file, line);
}

/* ---- Global memory ---------------------------------------------------------------------- */

void sim_global(const void *p, uint32_t bytes, int write, const char *file, int line)
{
    uintptr_t address = (uintptr_t)p;

    stand(file, line);
    if (address % bytes != 0)
        fail("a misaligned access to global memory", file, line);
    if (!sim_range_holds(p, bytes))
        fail(write ? "a write outside of device memory" : "a read outside of device memory", file,
             line);
    if (write)
        sim.counters.global_write_bytes += bytes;
    else
        sim.counters.global_read_bytes += bytes;
}

static bool is_shared(const void *p)
{
    const struct block *block = sim.current->block;

    for (uint32_t i = 0; i < block->shared_count; i++)
        if ((const char *)p >= (const char *)block->shared[i].memory &&
            (const char *)p < (const char *)block->shared[i].memory + block->shared[i].bytes)
            return true;
    return false;
}

uint64_t sim_atomic(void *p, uint32_t bytes, int kind, uint64_t value, const char *file, int line)
{
    bool mutated = sim_site_is_mutated(SIM_SITE_ATOMIC, file, line);
    uint64_t old, new_value;

    stand(file, line);
    if (!is_shared(p))
        sim_global(p, bytes, 1, file, line);
    yield_to_schedule();
    sim.counters.atomics++;
    old = sim_word_get(p, bytes);
    for (uint64_t others = mutated ? random_next() % MUTATED_YIELDS_MAX : 0; others > 0; others--)
        yield_to_schedule();
    new_value = sim_word_after(old, value, kind);
    sim_word_put(p, bytes, new_value);
    return old;
}

uint64_t sim_read(const void *p, uint32_t bytes, const char *file, int line)
{
    stand(file, line);
    if (!is_shared(p))
        sim_global(p, bytes, 0, file, line);
    yield_to_schedule();
    return sim_word_get(p, bytes);
}

/* The thread has its turn again when all others wait too. */
void sim_pause(const char *file, int line)
{
    stand(file, line);
    ready_remove(sim.current);
    sim.current->state = THREAD_PAUSED;
    yield_to_schedule();
}

uint64_t sim_constant(uint64_t index, uint32_t bytes, uint64_t array_bytes, const char *file,
                      int line)
{
    stand(file, line);
    if (index >= array_bytes / bytes)
        fail("a read outside of constant memory", file, line);
    return index;
}

/* ---- Child grids ------------------------------------------------------------------------ */

uint32_t sim_launch_child(const char *name, void (*entry)(const void *), const void *arguments,
                          uint64_t arguments_bytes, uint32_t blocks, uint32_t threads,
                          const char *file, int line)
{
    static const uint32_t full_codes[FULL_CODES] = {2, 69, 701}; /* see simt_launch_is_full */
    struct sim_kernel kernel = {name, entry, (uint32_t)arguments_bytes, 0};

    stand(file, line);
    yield_to_schedule();
    if (arguments_bytes == 0)
        fail("a child kernel with arguments of another struct", file, line);
    if (!grid_fits(blocks, threads))
        fail("a child grid of no such size", file, line);
    if (sim.pending >= sim.pending_limit) {
        sim.counters.child_refusals++;
        return sim.child_code != 0 ? sim.child_code : full_codes[random_next() % FULL_CODES];
    }
    sim.counters.child_grids++;
    if (sim.child_lost > 0 && --sim.child_lost == 0)
        return 0;
    grid_begin(&kernel, arguments, blocks, threads, true);
    return 0;
}
