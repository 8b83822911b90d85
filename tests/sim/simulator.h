/* simulator: runs kernels written against kernels/simt.h on the host.
 *
 * Each thread of a block is a fiber. A fiber runs until it reaches a barrier, a warp operation, an
 * atomic, a read of a shared word or, in some launches, now and then a load or a store; then the
 * schedule, drawn from the seed, picks who runs next. Who waits for a word that another block
 * writes goes on when all others wait too. Warps are in step only where the kernel asks for it.
 * Several blocks are resident at a time and start in any order. Shared memory is poisoned when a
 * block starts. Child grids that kernels launch start before, between or after their parent's
 * blocks, and are refused, with codes that the runtime has, where too many are pending.
 *
 * What it finds: accesses to global memory outside the ranges registered, misaligned ones, threads
 * that wait for each other for ever or leave while others wait, shared memory read before written
 * (its poison makes results wrong, differently for each seed), and, by seeds, missing barriers and
 * atomics. In half of the launches stores, and atomics whose old value nobody wants, happen late
 * and in any order, until a fence, or an operation of the warp or the block, says otherwise; in
 * half of them reads of words that others write (simt_read_*) are early, back to the block's last
 * fence.
 *
 * One simulation at a time per process: callers hold the simulated driver's lock.
 */
#ifndef TRAWL_TESTS_SIM_SIMULATOR_H
#define TRAWL_TESTS_SIM_SIMULATOR_H

#include <stdbool.h>
#include <stdint.h>

struct sim_counters {
    uint64_t launches;
    uint64_t schedules; /* distinct (seed, launch) orders that were run */
    uint64_t switches;
    uint64_t global_read_bytes;
    uint64_t atomics;
    uint64_t barriers; /* completed, counted once per block */
    uint64_t shuffles; /* counted once per lane */
    uint64_t child_grids;
};

/* A kernel: entry(arguments) for each thread of each block. */
struct sim_kernel {
    const char *name;
    void (*entry)(const void *arguments);
    uint32_t arguments_bytes;
    uint32_t image; /* those of one number are in one image */
};

/* All kernels of src/cuda/kernels (kernels.c). */
const struct sim_kernel *sim_kernel_find(const char *name);

/* An array in the kernels' constant memory. */
struct sim_constant {
    const char *name;
    void *memory;
    uint64_t bytes;
};
const struct sim_constant *sim_constant_find(const char *name);

void sim_seed(uint64_t seed);
/* Blocks resident at a time: 1 to this, drawn from the seed; 0: the default. */
void sim_resident_max(uint32_t blocks);

/* So many child grids may be launched and not at their end; SIM_PENDING_SEEDED, the default: the
 * seed says how many, 0 among them, for each grid of the host. */
#define SIM_PENDING_SEEDED UINT32_MAX
void sim_pending_max(uint32_t grids);

/* A runtime that is not as it should be, for tests of who relies on it: the lost-th child grid from
 * now on (1-based; 0: none) counts as launched and never runs; refusals come with `code` (0: as on
 * a device). */
void sim_children_break(uint64_t lost, uint32_t code);

/* Run a grid, and all its children, to its end. False: *report (static text) says what went wrong
 * and where. */
bool sim_grid(const struct sim_kernel *kernel, const void *arguments, uint32_t blocks,
              uint32_t threads, const char **report);

/* Whose memory is it, the device's or the host's? What a launch writes there may come after its
 * end, until sim_memory_flush. NULL: there is none of the host's. */
void sim_host_memory(bool (*is_host)(const void *p));
/* All that was written is there. */
void sim_memory_flush(void);

/* Give back the stacks that are kept from grid to grid. */
void sim_release(void);

/* Global memory: what kernels may touch. */
void sim_range_add(const void *base, uint64_t bytes);
/* That lies on one device: others' kernels may not touch it. NULL: on none. */
void sim_range_add_of(const void *owner, const void *base, uint64_t bytes);
/* Kernels of this device run from now on. NULL: of any. */
void sim_range_use(const void *owner);
void sim_range_remove(const void *base);
bool sim_range_holds(const void *base, uint64_t bytes);

struct sim_counters sim_counters(void);
void sim_counters_reset(void);

/* A launch of more switches counts as hung; 0: the default. */
void sim_switches_max(uint64_t switches);

#endif
