/* sim_machine: the state of the simulator: the running grids, with their blocks and threads. */
#ifndef TRAWL_TESTS_SIM_SIM_MACHINE_H
#define TRAWL_TESTS_SIM_SIM_MACHINE_H

#include "cuda/kernels/simt.h"
#include "fiber.h"
#include "simulator.h"

#if defined(__SANITIZE_ADDRESS__)
#define SIM_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SIM_ASAN 1
#endif
#endif

#define RESIDENT_LIMIT 64u
#define THREADS_LIMIT 1024u
#define SHARED_ARRAYS_MAX 32u
#define REPORT_BYTES 2048u
#define SHARED_GUARD_BYTES 64u
#define SHARED_GUARD 0x3c
#define NAMED_BARRIERS 16u
#define BLOCK_LOOKS 512u

enum thread_state {
    THREAD_READY,
    THREAD_AT_BARRIER,
    THREAD_AT_NAMED,
    THREAD_AT_WARP,
    THREAD_PAUSED,
    THREAD_DONE
};

struct block;

struct thread {
    struct fiber fiber;
    struct block *block;
    enum thread_state state;
    uint32_t index;
    uint32_t ready_slot; /* index in sim.ready while the state is THREAD_READY */
    const char *file;    /* file and line of the operation that the thread has reached */
    int line;
    /* The warp operation that the thread has reached: */
    int kind;
    uint64_t value;
    uint32_t argument;
    uint64_t result;
    struct sim_copy *copies; /* the copies that the thread has not waited for */
};

struct shared_array {
    const char *name;
    int line;
    uint64_t bytes;
    void *memory;
};

/* A running grid: launched by the host, or a child that a kernel launched. */
struct grid {
    struct grid *next;
    struct sim_kernel kernel;
    void *arguments;
    uint32_t blocks, threads;
    uint32_t *order;  /* the grid's blocks, in the order in which they started */
    uint32_t started; /* number of blocks that were started; the first entries of `order` */
    uint32_t live_blocks;
    bool is_child;
    /* the grid's reads find no value older than this time (sim_memory.c) */
    uint64_t begin_time;
};

enum early_mood { EARLY_NEVER, EARLY_ALWAYS, EARLY_BY_CHANCE, EARLY_BY_ADDRESS, EARLY_MOODS };

/* A word that the block has read, and how recent the value was that it found (a time). */
struct block_look {
    const void *p;
    uint64_t time;
};

struct block {
    bool live;
    struct grid *grid;
    uint32_t index;
    uint32_t at_barrier;
    uint32_t at_named[NAMED_BARRIERS];
    uint32_t at_warp[THREADS_LIMIT / SIMT_WARP_THREADS];      /* lanes that wait for their warp */
    uint32_t warp_arrived[THREADS_LIMIT / SIMT_WARP_THREADS]; /* the lane that arrived first */
    uint32_t done;
    uint32_t shared_count;
    struct shared_array shared[SHARED_ARRAYS_MAX];
    struct thread *threads;
    /* The next fields limit how old the values are that the block's reads find (sim_memory.c). A
     * time is a number of writes. */
    uint64_t number;
    uint64_t fenced;   /* the block's reads find no value older than this time */
    uint64_t observed; /* time of the newest value that a read of the block found */
    enum early_mood mood;
    uintptr_t mood_bit, mood_value;
    struct block_look looks[BLOCK_LOOKS];
};

struct sim_machine {
    /* about the launch */
    struct grid *grids; /* the grid that the host launched, and child grids that have not ended */
    uint32_t pending;   /* number of child grids in `grids` */
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
    /* the memory is kept from launch to launch */
    /* stacks of THREADS_LIMIT threads for each slot, kept from grid to grid */
    struct thread *pool[RESIDENT_LIMIT];
    uint64_t seed;
    uint32_t resident_max;
    uint32_t pending_max;
    uint64_t child_lost; /* number of the child grid, counted from now, that never runs; 0: none */
    uint32_t child_code; /* the code of rejected launches; 0: any code that devices return then */
    uint64_t switches_max;
    uint64_t switches_end; /* number of switches at which this launch counts as hung */
    bool blocks_change;    /* a block has ended, or another one is to be started */
    bool (*is_host)(const void *p);
    uint64_t writes; /* number of writes to global memory that have happened */
    /* one in this many loads and stores ends the thread's turn; 0: none of them does */
    uint32_t plain_switches;
    /* number of writes to global memory when the waiting threads last read the words that they
     * wait for */
    uint64_t written;
    struct sim_counters counters;
    struct {
        uintptr_t begin;
        uint64_t bytes;
    } watch[SIM_WATCHES];
    char report[REPORT_BYTES];
};
extern struct sim_machine sim;

_Noreturn void sim_fail(const char *what, const char *file, int line);
uint64_t sim_random(void);
void sim_ready_push(struct thread *thread);
void sim_ready_remove(struct thread *thread);
/* Lets other threads run. */
void sim_yield(void);
/* Functions of sim_memory.c. */
void sim_memory_begin(void);
void sim_memory_block(struct block *block);
uint64_t sim_memory_time(void);
/* Stores the old value of a word. Called before a write changes it. `block` is the block that
 * writes; NULL: the host writes. */
void sim_memory_written(const void *p, uint32_t bytes, const struct block *block);
/* Returns the value that the running thread reads, perhaps an older one. Call sim_memory_look
 * first. */
uint64_t sim_memory_read(const void *p, uint32_t bytes);
void sim_memory_pause(void);
/* Returns how many turns a fence takes. */
uint64_t sim_memory_lingers(void);
/* Notes that an atomic of the running thread has found the current value. */
void sim_memory_observe(const void *p, uint32_t bytes);
void sim_memory_look(const void *p, uint32_t bytes);
void sim_memory_share(bool block);
void sim_memory_fence(void);
/* Lets all late writes happen, at a launch's end, except that some writes to memory for which
 * is_host returns true may stay late. is_host NULL: none stays late. */
void sim_memory_end(bool (*is_host)(const void *p));
void sim_memory_turn(void);
void sim_memory_forget_block(const struct block *block);
void sim_memory_copy(void *to, const void *from, uint32_t bytes);
void sim_memory_copies_end(struct thread *thread, bool happen);
void sim_memory_write(void *p, uint32_t bytes, int kind, uint64_t value);
bool sim_grid_fits(uint32_t blocks, uint32_t threads);
void sim_grid_begin(const struct sim_kernel *kernel, const void *arguments, uint32_t blocks,
                    uint32_t threads, bool is_child);

#endif
