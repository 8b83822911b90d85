/* sim_operations: the functions that kernels call, with the names of kernels/simt.h. */
#include <stdlib.h>
#include <string.h>

#include "sim_machine.h"
#include "sim_words.h"

#if defined(SIM_ASAN)
#include <sanitizer/asan_interface.h>
#endif

#define SHARED_POISON 0xa7
#define FULL_CODES 3u

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

    /* Calls from the same place pass the same pointer to the name. The names' bytes are compared
     * only for copies of the call that the compiler has inlined elsewhere. */
    for (uint32_t i = 0; i < block->shared_count; i++)
        if (array[i].line == line && array[i].name == name)
            return array[i].memory;
    for (uint32_t i = 0; i < block->shared_count; i++, array++)
        if (array->line == line && strcmp(array->name, name) == 0)
            return array->memory;
    if (block->shared_count == SHARED_ARRAYS_MAX)
        sim_fail("too many shared arrays", name, line);
    array->name = name;
    array->line = line;
    array->bytes = bytes;
    array->memory = malloc((size_t)bytes + SHARED_GUARD_BYTES);
    if (array->memory == NULL)
        abort();
    memset(array->memory, (int)(SHARED_POISON ^ (sim_random() & 0xff)), (size_t)bytes);
    memset((char *)array->memory + bytes, SHARED_GUARD, SHARED_GUARD_BYTES);
#if defined(SIM_ASAN)
    ASAN_POISON_MEMORY_REGION((char *)array->memory + bytes, SHARED_GUARD_BYTES);
#endif
    block->shared_count++;
    return array->memory;
}

int sim_barrier(int condition, const char *file, int line)
{
    struct thread *self = sim.current;
    struct block *block = self->block;
    uint32_t threads = block->grid->threads;
    uint64_t any = 0;

    stand(file, line);
    sim_memory_share(true);
    sim_ready_remove(self);
    self->state = THREAD_AT_BARRIER;
    self->value = (uint64_t)condition;
    if (++block->at_barrier == threads) {
        block->at_barrier = 0;
        sim.counters.barriers++;
        for (uint32_t t = 0; t < threads; t++) {
            if (block->threads[t].line != line)
                sim_fail("threads of one block meet at different barriers", file, line);
            any |= block->threads[t].value;
        }
        for (uint32_t t = 0; t < threads; t++) {
            block->threads[t].result = any;
            sim_ready_push(&block->threads[t]);
        }
    }
    sim_yield();
    return (int)self->result;
}

void sim_named_barrier(uint32_t id, int waits, const char *file, int line)
{
    struct thread *self = sim.current;
    struct block *block = self->block;
    bool last;

    stand(file, line);
    if (id == 0 || id >= NAMED_BARRIERS)
        sim_fail("no such named barrier", file, line);
    sim_memory_share(true);
    last = ++block->at_named[id] == block->grid->threads;
    if (last) {
        block->at_named[id] = 0;
        sim.counters.barriers++;
        for (uint32_t t = 0; t < block->grid->threads; t++)
            if (block->threads[t].state == THREAD_AT_NAMED && block->threads[t].argument == id)
                sim_ready_push(&block->threads[t]);
    }
    if (waits && !last) {
        sim_ready_remove(self);
        self->state = THREAD_AT_NAMED;
        self->argument = id;
    }
    sim_yield();
}

#define KIND_BALLOT (-1)

/* Completes a warp operation, when the warp's last lane has arrived: computes each lane's result.
 */
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
            thread->result = first[source].value;
        }
        sim_ready_push(thread);
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
        sim_fail("a warp operation in a warp that is not full", file, line);
    sim_memory_share(false);
    self->kind = kind;
    self->value = value;
    self->argument = argument;
    sim_ready_remove(self);
    self->state = THREAD_AT_WARP;
    if (block->at_warp[warp]++ == 0)
        block->warp_arrived[warp] = self->index;
    arrived = &block->threads[block->warp_arrived[warp]];
    if (arrived->line != line || arrived->kind != kind)
        sim_fail("lanes of one warp meet at different operations", file, line);
    if (block->at_warp[warp] == SIMT_WARP_THREADS) {
        block->at_warp[warp] = 0;
        warp_complete(&block->threads[warp * SIMT_WARP_THREADS]);
    }
    sim_yield();
    return self->result;
}

uint32_t sim_ballot(int condition, const char *file, int line)
{
    return (uint32_t)warp_operation(KIND_BALLOT, (uint64_t)(condition != 0), 0, file, line);
}

uint64_t sim_shuffle(uint64_t value, int kind, uint32_t argument, const char *file, int line)
{
    sim.counters.shuffles++;
    return warp_operation(kind, value, argument, file, line);
}

/* ---- Memory ----------------------------------------------------------------------------- */

void sim_aligned(const void *p, uint32_t bytes, const char *file, int line)
{
    stand(file, line);
    if ((uintptr_t)p % bytes != 0)
        sim_fail("a misaligned access", file, line);
}

void sim_global(const void *p, uint32_t bytes, int write, const char *file, int line)
{
    sim_aligned(p, bytes, file, line);
    if (!sim_range_holds(p, bytes))
        sim_fail(write ? "a write outside of device memory" : "a read outside of device memory",
                 file, line);
    if (!write) {
        sim.counters.global_read_bytes += bytes;
        for (uint32_t i = 0; i < SIM_WATCHES; i++)
            sim.counters.watched[i] += (uintptr_t)p - sim.watch[i].begin < sim.watch[i].bytes;
    }
    if (sim.plain_switches != 0 && sim_random() % sim.plain_switches == 0)
        sim_yield();
    sim_memory_look(p, bytes);
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
    bool shared = is_shared(p);
    uint64_t old, new_value;

    stand(file, line);
    if (!shared)
        sim_global(p, bytes, 1, file, line);
    sim_yield();
    sim.counters.atomics++;
    sim_memory_look(p, bytes);
    if (!shared)
        sim_memory_observe(p, bytes);
    old = sim_word_get(p, bytes);
    new_value = sim_word_after(old, value, kind);
    if (shared)
        sim.writes++;
    else
        sim_memory_written(p, bytes, sim.current->block);
    sim_word_put(p, bytes, new_value);
    return old;
}

uint64_t sim_read(const void *p, uint32_t bytes, const char *file, int line)
{
    bool shared = is_shared(p);

    stand(file, line);
    if (!shared)
        sim_global(p, bytes, 0, file, line);
    sim_yield();
    sim_memory_look(p, bytes);
    return shared ? sim_word_get(p, bytes) : sim_memory_read(p, bytes);
}

void sim_write(void *p, uint32_t bytes, int kind, uint64_t value, const char *file, int line)
{
    sim_global(p, bytes, 1, file, line);
    if (kind != SIM_STORE) {
        sim.counters.atomics++;
        sim_yield();
    }
    sim_memory_write(p, bytes, kind, value);
}

void sim_copy(void *to, const void *from, uint32_t bytes, const char *file, int line)
{
    sim_global(from, bytes, 0, file, line);
    sim_memory_copy(to, from, bytes);
}

void sim_copies_wait(const char *file, int line)
{
    stand(file, line);
    sim_memory_copies_end(sim.current, true);
}

void sim_fence(const char *file, int line)
{
    stand(file, line);
    sim_memory_fence();
    for (uint64_t others = sim_memory_lingers(); others > 0; others--)
        sim_yield();
    /* the host may read the word from a different thread */
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* Gives the thread another turn once all other threads wait and a word was written since the last
 * such moment (wake_paused). */
void sim_pause(const char *file, int line)
{
    stand(file, line);
    sim_memory_pause();
    sim_ready_remove(sim.current);
    sim.current->state = THREAD_PAUSED;
    sim_yield();
}

uint64_t sim_constant(uint64_t index, uint32_t bytes, uint64_t array_bytes, const char *file,
                      int line)
{
    stand(file, line);
    if (index >= array_bytes / bytes)
        sim_fail("a read outside of constant memory", file, line);
    sim.counters.constant_reads++;
    return index;
}

/* ---- The device's heap --------------------------------------------------------------------- */

/* One call in eight finds the heap full. */
void *simt_allocate(uint64_t bytes)
{
    void *memory;

    sim_yield();
    memory = sim_random() % 8 == 0 ? NULL : malloc((size_t)bytes);
    sim.counters.allocated += memory != NULL;
    return memory;
}

void simt_release(void *memory)
{
    sim.counters.released++;
    free(memory);
}

/* ---- Child grids ------------------------------------------------------------------------ */

uint32_t sim_launch_child(const char *name, void (*entry)(const void *), const void *arguments,
                          uint64_t arguments_bytes, uint32_t blocks, uint32_t threads,
                          const char *file, int line)
{
    static const uint32_t full_codes[FULL_CODES] = {2, 69, 701}; /* see simt_launch_is_full */
    struct sim_kernel kernel = {name, entry, (uint32_t)arguments_bytes, 0};

    stand(file, line);
    sim_yield();
    if (arguments_bytes == 0)
        sim_fail("a child kernel with arguments of another struct", file, line);
    if (!sim_grid_fits(blocks, threads))
        sim_fail("a child grid of no such size", file, line);
    if (sim.pending >= sim.pending_limit)
        return sim.child_code != 0 ? sim.child_code : full_codes[sim_random() % FULL_CODES];
    sim_memory_flush(); /* children see what their parents wrote */
    sim.counters.child_grids++;
    if (sim.child_lost > 0 && --sim.child_lost == 0)
        return 0;
    sim_grid_begin(&kernel, arguments, blocks, threads, true);
    return 0;
}
