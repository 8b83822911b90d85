/* simulator: starts blocks and switches between threads (simulator.h). The functions that kernels
 * call are in sim_operations.c. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim_machine.h"

#if defined(SIM_ASAN)
#include <sanitizer/asan_interface.h>
#endif

#define STACK_BYTES (96u << 10)
#define RESIDENT_DEFAULT 3u
/* The first SLOTS_LARGE slots have room for blocks of any size, the others for blocks of at most
 * SLOT_THREADS_SMALL threads. */
#define SLOTS_LARGE 8u
#define SLOT_THREADS_SMALL 96u
/* one in this many launches has as many resident blocks as the limit allows */
#define RESIDENT_ALL_IN 32u
#define SWITCHES_MAX_DEFAULT 200000000u
#define PENDING_DEVICE 2048u /* the default of cudaLimitDevRuntimePendingLaunchCount */

/* Which blocks start first: those of child grids, those of the parent grid, or either by chance. */
enum grid_policy { GRIDS_CHILDREN_LAST, GRIDS_CHILDREN_FIRST, GRIDS_IN_ANY_ORDER, GRIDS_POLICIES };

struct sim_machine sim = {.seed = 1, .pending_max = SIM_PENDING_SEEDED};

/* ---- Reports ---------------------------------------------------------------------------- */

_Noreturn void sim_fail(const char *what, const char *file, int line)
{
    if (!sim.failed)
        (void)snprintf(sim.report, sizeof sim.report,
                       "%s:%d: block %" PRIu32 ", thread %" PRIu32 ": %s", file, line,
                       sim.current->block->index, sim.current->index, what);
    sim.failed = true;
    fiber_leave(&sim.current->fiber, &sim.host);
    abort();
}

/* Reports which threads wait, where, and for what. */
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

uint64_t sim_random(void)
{
    uint64_t z = (sim.random += 0x9e3779b97f4a7c15u);

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

void sim_ready_push(struct thread *thread)
{
    thread->state = THREAD_READY;
    thread->ready_slot = sim.ready_count;
    sim.ready[sim.ready_count++] = thread;
}

void sim_ready_remove(struct thread *thread)
{
    struct thread *last = sim.ready[--sim.ready_count];

    sim.ready[thread->ready_slot] = last;
    last->ready_slot = thread->ready_slot;
}

/* Picks the next thread, following one of four schedules: a random thread; the last in the list of
 * ready threads; the first in that list; or mostly the current thread, and sometimes a random
 * one. */
static struct thread *ready_pick(void)
{
    uint64_t random = sim_random();

    if (sim.policy == 1)
        return sim.ready[sim.ready_count - 1];
    if (sim.policy == 2)
        return sim.ready[0];
    if (sim.policy == 3 && sim.current != NULL && sim.current->state == THREAD_READY &&
        (random & 7) != 0)
        return sim.current;
    return sim.ready[(random >> 8) % sim.ready_count];
}

/* Switches directly to the next thread, or to the host if the host has something to do. */
void sim_yield(void)
{
    struct thread *self = sim.current;

    sim_memory_turn();
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
    sim_ready_remove(self);
    self->state = THREAD_DONE;
    if (++self->block->done == self->block->grid->threads)
        sim.blocks_change = true;
    fiber_leave(&self->fiber, &sim.host);
}

bool sim_grid_fits(uint32_t blocks, uint32_t threads)
{
    return blocks > 0 && threads > 0 && threads <= THREADS_LIMIT;
}

void sim_grid_begin(const struct sim_kernel *kernel, const void *arguments, uint32_t blocks,
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
    grid->begin_time = sim_memory_time();
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

/* Returns a limit for pending grids: 0, a few, some, or as many as a device allows by default. */
static uint32_t pending_from_seed(void)
{
    uint64_t random = sim_random(), amount = random >> 8;

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

/* Picks the grid whose next block starts. Child grids start after all blocks of their parent, as
 * soon as there is room, or in any order; the seed chooses the policy for each launch. */
static struct grid *grid_pick(void)
{
    struct grid *pick = NULL;
    uint64_t seen = 0;

    for (struct grid *grid = sim.grids; grid != NULL; grid = grid->next) {
        bool better;

        if (grid->started == grid->blocks)
            continue;
        better = sim_random() % ++seen == 0;
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
    uint32_t pick = grid->started + (uint32_t)(sim_random() % (grid->blocks - grid->started));

    block->live = true;
    block->grid = grid;
    block->threads = sim.pool[slot];
    block->at_barrier = 0;
    memset(block->at_named, 0, sizeof block->at_named);
    memset(block->at_warp, 0, sizeof block->at_warp);
    block->done = 0;
    block->shared_count = 0;
    sim_memory_block(block);
    grid->live_blocks++;
    /* Devices start blocks mostly in order, but kernels must not rely on the order. */
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
        thread->copies = NULL;
        fiber_prepare(&thread->fiber, thread_main, thread);
        sim_ready_push(thread);
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
    sim_memory_forget_block(block);
    block->live = false;
    if (--block->grid->live_blocks == 0 && block->grid->started == block->grid->blocks)
        grid_end(block->grid);
}

/* Wakes the threads that wait for a word to change, if a word was written since they looked. */
static bool wake_paused(void)
{
    uint64_t written = sim.writes;
    bool woken = false;

    for (uint32_t b = 0; b < sim.resident && written != sim.written; b++) {
        struct block *block = &sim.block[b];

        for (uint32_t t = 0; block->live && t < block->grid->threads; t++) {
            if (block->threads[t].state != THREAD_PAUSED)
                continue;
            sim_ready_push(&block->threads[t]);
            woken = true;
        }
    }
    sim.written = written;
    return woken;
}

/* Returns true if the slot has room for a block of the grid. Each thread's stack is a mapping, and
 * the system limits a process to about 65,000 mappings, so most slots have room for small blocks
 * only. */
static bool grid_has_stacks(const struct grid *grid, uint32_t slot)
{
    return slot < SLOTS_LARGE || grid->threads <= SLOT_THREADS_SMALL;
}

static void blocks_end_and_start(void)
{
    sim.blocks_change = false;
    for (uint32_t b = 0; b < sim.resident; b++) {
        struct grid *grid;

        if (sim.block[b].live && sim.block[b].done == sim.block[b].grid->threads)
            block_end(&sim.block[b]);
        if (!sim.block[b].live && (grid = grid_pick()) != NULL && grid_has_stacks(grid, b))
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
        if (sim.ready_count == 0) {
            if (sim.grids == NULL)
                break;
            sim_memory_flush();
            if (!wake_paused())
                break;
        }
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
    sim.policy = (uint32_t)(sim_random() % 4);
    if (sim.resident_max == 0 && sim_random() % RESIDENT_ALL_IN == 0)
        limit = RESIDENT_LIMIT;
    sim.resident = 1 + (uint32_t)(sim_random() % (limit < RESIDENT_LIMIT ? limit : RESIDENT_LIMIT));
    sim.grid_policy = (uint32_t)(sim_random() % GRIDS_POLICIES);
    sim.pending_limit =
        sim.pending_max == SIM_PENDING_SEEDED ? pending_from_seed() : sim.pending_max;
    sim.failed = false;
    sim.written = UINT64_MAX;
    sim.current = NULL;
    sim.ready_count = 0;
    memset(&sim.host, 0, sizeof sim.host);
    memset(sim.block, 0, sizeof sim.block);
    if (!sim_grid_fits(blocks, threads)) {
        (void)snprintf(sim.report, sizeof sim.report, "no such launch: %" PRIu32 " x %" PRIu32,
                       blocks, threads);
        return false;
    }
    for (uint32_t b = 0; b < sim.resident; b++)
        if (sim.pool[b] == NULL &&
            (sim.pool[b] = calloc(THREADS_LIMIT, sizeof *sim.pool[b])) == NULL)
            abort();
    sim_memory_begin();
    sim.plain_switches = sim_random() % 4 == 0 ? 1u + (uint32_t)(sim_random() % 64) : 0;
    sim_grid_begin(kernel, arguments, blocks, threads, false);
    run_blocks();
    sim_memory_end(sim.is_host);
    sim.counters.schedules++;
    for (uint32_t b = 0; b < sim.resident; b++) /* after a failure, some blocks have not ended */
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

void sim_host_memory(bool (*is_host)(const void *p))
{
    sim.is_host = is_host;
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

void sim_watch(enum sim_watch watch, const void *begin, uint64_t bytes)
{
    sim.watch[watch].begin = (uintptr_t)begin;
    sim.watch[watch].bytes = bytes;
}

struct sim_counters sim_counters(void)
{
    return sim.counters;
}

/* What kernels have done so far, for trawl-bench: launches, child grids, reads of shifts and of the
 * pattern, bytes read. From the first call on, the device has room for all child grids. */
__attribute__((visibility("default"))) void trawl_simulated_counts(uint64_t counts[5]);
void trawl_simulated_counts(uint64_t counts[5])
{
    const struct sim_counters all = sim_counters();

    sim_pending_max(1u << 20);
    counts[0] = all.launches;
    counts[1] = all.child_grids;
    counts[2] = all.watched[SIM_WATCH_SHIFTS];
    counts[3] = all.watched[SIM_WATCH_PATTERN] + all.constant_reads;
    counts[4] = all.global_read_bytes;
}

void sim_counters_reset(void)
{
    memset(&sim.counters, 0, sizeof sim.counters);
}
