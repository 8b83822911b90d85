/* simulator: runs kernels written against kernels/simt.h on the host.
 *
 * Each thread of a block is a fiber. A fiber runs until it reaches a barrier, a warp operation, an
 * atomic, a read of a shared word or, in some launches, by chance a load or a store. Then the
 * schedule, which depends on the seed, picks the next fiber. A thread that waits for a word of
 * another block continues once all other threads wait, too. The threads of a warp run in step only
 * where the kernel synchronizes them. Several blocks are resident at a time and start in any order.
 * Shared memory is poisoned when a block starts. Child grids start before, between or after their
 * parent's blocks; if too many child grids are pending, launches are rejected with the CUDA
 * runtime's error codes.
 *
 * The simulator finds: accesses to global memory outside the registered ranges; misaligned
 * accesses; threads that wait for each other forever, or exit while others wait for them; shared
 * memory that is read before it is written (the poison makes results wrong, differently for each
 * seed); and, under some of many seeds, missing barriers and atomics. In half of the launches,
 * stores, and atomics whose old value is not used, take effect late and in any order, until a fence
 * or an operation of the warp or the block. In half of the launches, a read of a shared word
 * (simt_load_relaxed_*) may return an older value, from as far back as the block's last fence.
 *
 * A process runs a single simulation at a time: callers hold the simulated driver's lock.
 */
#ifndef TRAWL_TESTS_SIM_SIMULATOR_H
#define TRAWL_TESTS_SIM_SIMULATOR_H

#include <stdbool.h>
#include <stdint.h>

/* The ranges whose reads are counted apart. */
enum sim_watch { SIM_WATCH_PATTERN, SIM_WATCH_SHIFTS, SIM_WATCHES };

struct sim_counters {
    uint64_t launches;
    /* launches that ran, each with its own schedule; launches that were rejected do not count */
    uint64_t schedules;
    uint64_t switches;
    uint64_t global_read_bytes;
    uint64_t watched[SIM_WATCHES],
        constant_reads; /* reads in a watched range; of constant memory */
    uint64_t atomics;
    uint64_t barriers;            /* completed barriers, counted once per block */
    uint64_t shuffles;            /* counted once per lane */
    uint64_t allocated, released; /* pieces of the device's heap */
    uint64_t child_grids;
};

/* A kernel: entry(arguments) for each thread of each block. */
struct sim_kernel {
    const char *name;
    void (*entry)(const void *arguments);
    uint32_t arguments_bytes;
    uint32_t image; /* kernels with the same number are in the same image */
};

/* Returns the kernel of this name among the kernels that kernels.c compiles. */
const struct sim_kernel *sim_kernel_find(const char *name);

/* An array in the kernels' constant memory. */
struct sim_constant {
    const char *name;
    void *memory;
    uint64_t bytes;
};
const struct sim_constant *sim_constant_find(const char *name);

void sim_seed(uint64_t seed);
/* Sets the limit for the number of blocks that are resident at a time; 0: the default limit. For
 * each launch the seed chooses the number, from 1 to the limit. */
void sim_resident_max(uint32_t blocks);

/* Sets how many child grids may be pending, that is, launched and not ended. SIM_PENDING_SEEDED,
 * the default: the seed chooses the number, perhaps 0, for each grid that the host launches. */
#define SIM_PENDING_SEEDED UINT32_MAX
void sim_pending_max(uint32_t grids);

/* Makes launches of child grids faulty, to test kernels that rely on them. The child grid number
 * `lost` from now on (1-based; 0: none) counts as launched but never runs. A launch that is
 * rejected returns `code`, or the codes of real devices if `code` is 0. */
void sim_children_break(uint64_t lost, uint32_t code);

/* Runs a grid and all its children to their ends. Returns false if something went wrong; *report
 * (static text) then says what, and where. */
bool sim_grid(const struct sim_kernel *kernel, const void *arguments, uint32_t blocks,
              uint32_t threads, const char **report);

/* Sets the function that tells host memory from device memory. A launch's writes to host memory may
 * take effect after the launch's end, up to the next sim_memory_flush. If is_host is NULL, there is
 * no host memory. */
void sim_host_memory(bool (*is_host)(const void *p));
/* Makes all late writes of ended launches take effect. */
void sim_memory_flush(void);

/* Frees the stacks that are kept from grid to grid. */
void sim_release(void);

/* Adds a range of global memory that kernels may touch. */
void sim_range_add(const void *base, uint64_t bytes);
/* Adds a range on the device `owner`; kernels of other devices must not touch it. If `owner` is
 * NULL, the range is on no device, and all kernels may touch it. */
void sim_range_add_of(const void *owner, const void *base, uint64_t bytes);
/* Declares that kernels run on the device `owner` from now on, or on any device if `owner` is
 * NULL. */
void sim_range_use(const void *owner);
void sim_range_remove(const void *base);
bool sim_range_holds(const void *base, uint64_t bytes);

/* Counts reads in this range of global memory, until the range is set again. */
void sim_watch(enum sim_watch watch, const void *begin, uint64_t bytes);
struct sim_counters sim_counters(void);
void sim_counters_reset(void);

/* Sets the number of switches after which a launch is reported as hung; 0: the default. */
void sim_switches_max(uint64_t switches);

#endif
