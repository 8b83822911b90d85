/* device: a GPU with its context, its loaded kernels and its memory
 *
 * The engine uses the device's primary context, which all users of the device in the process share.
 * It makes this context current at the beginning of each public call, and restores the old one at
 * the end.
 */
#ifndef TRAWL_CUDA_DEVICE_H
#define TRAWL_CUDA_DEVICE_H

#include <pthread.h>
#include <stdatomic.h>

#include "cuda/driver.h"
#include "cuda/image.h"
#include "cuda/kernels/scan.h"

#define CUDA_KERNEL_LIST(X)                                                                \
    X(PLANES, "scan_planes")                                                               \
    X(STREAM, "scan_stream")                                                               \
    X(APPEND_PLANES, "append_planes")                                                      \
    X(STREAM_SAMPLED, "stream_sampled")                                                    \
    X(APPEND_STREAM, "append_stream")                                                      \
    X(BINS_SUM, "bins_sum")                                                                \
    X(BINS_SORT, "bins_sort")                                                              \
    X(BINS_GATHER, "bins_gather")                                                          \
    X(BINS_ENDS, "bins_ends")                                                              \
    X(BINS_MARKS, "bins_marks")                                                            \
    X(WRITE_AUTOMATON, "write_automaton")                                                  \
    X(MARK_AUTOMATON, "mark_automaton")                                                    \
    X(AUTOMATON_ROWS, "automaton_rows")                                                    \
    X(COUNT_AUTOMATON, "count_automaton")                                                  \
    X(SORT_RANK, "sort_rank")                                                              \
    X(SORT_DIGITS, "sort_digits")                                                          \
    X(SORT_SCATTER, "sort_scatter")                                                        \
    X(ANSWER_LINES, "answer_lines")                                                        \
    X(ANSWER_GAPS, "answer_gaps")                                                          \
    X(ANSWER_ENDS, "answer_ends")                                                          \
    X(ANSWER_ACCEPT, "answer_accept")                                                      \
    X(ANSWER_DECIDE, "answer_decide")                                                      \
    X(ANSWER_AROUND, "answer_around")                                                      \
    X(ANSWER_READ, "answer_read")                                                          \
    X(ANSWER_FIND, "answer_find")                                                          \
    X(ANSWER_PATTERNS, "answer_patterns")                                                  \
    X(ANSWER_STEPS, "answer_steps")                                                        \
    X(ANSWER_RECORDS, "answer_records")                                                    \
    X(ANSWER_CELLS, "answer_cells")                                                        \
    X(ANSWER_SPANS, "answer_spans")                                                        \
    X(REWRITE_SELECT, "rewrite_select")                                                    \
    X(REWRITE_GROUPS, "rewrite_groups")                                                    \
    X(REWRITE_SCAN, "rewrite_scan")                                                        \
    X(REWRITE_ENDS, "rewrite_ends")                                                        \
    X(REWRITE_GATHER, "rewrite_gather")                                                    \
    X(PAGES_MAP, "pages_map")                                                              \
    X(PAGES_TURN, "pages_turn")                                                            \
    X(PAGES_ASK, "pages_ask")                                                              \
    X(PAGES_GATHER, "pages_gather")                                                        \
    /* the next four make tables; these and stream_set's kernels are in cuda_image_sets */ \
    X(SET_RUNS, "set_runs")                                                                \
    X(SET_COUNT, "set_count")                                                              \
    X(SET_ROOM, "set_room")                                                                \
    X(SET_FILL, "set_fill")

/* After the kernels of this list come two for each of SCAN_SETS_FORMS: first all STREAM_SET_...,
 * for sets for which few samples of the text pass the filter's bitmap, then all DENSE_SET_..., for
 * sets for which many do. */
enum cuda_kernel {
#define CUDA_KERNEL_ENUM(name, symbol) CUDA_KERNEL_##name,
#define CUDA_RARE_ENUM(s, q, n) CUDA_KERNEL_STREAM_SET_##s##_##q##_##n,
#define CUDA_DENSE_ENUM(s, q, n) CUDA_KERNEL_DENSE_SET_##s##_##q##_##n,
    CUDA_KERNEL_LIST(CUDA_KERNEL_ENUM) SCAN_SETS_FORMS(CUDA_RARE_ENUM)
        SCAN_SETS_FORMS(CUDA_DENSE_ENUM)
#undef CUDA_KERNEL_ENUM
#undef CUDA_RARE_ENUM
#undef CUDA_DENSE_ENUM
            CUDA_KERNELS,
    CUDA_KERNEL_SETS_FIRST =
        /* this and all later kernels search for sets */
    CUDA_KERNEL_STREAM_SET_1_8_1,
    CUDA_KERNEL_SETS_DENSE = CUDA_KERNEL_DENSE_SET_1_8_1
};

/* Returns true for the kernels of stream_set.cu. */
static inline bool cuda_is_set(enum cuda_kernel kernel)
{
    return kernel >= CUDA_KERNEL_SETS_FIRST;
}

/* Returns true for the kernels of automaton.cu that search. */
static inline bool cuda_is_automaton(enum cuda_kernel kernel)
{
    return kernel == CUDA_KERNEL_COUNT_AUTOMATON || kernel == CUDA_KERNEL_WRITE_AUTOMATON ||
           kernel == CUDA_KERNEL_MARK_AUTOMATON;
}

#define CUDA_NAME_BYTES 96

#define CUDA_MODULES_MAX 8u

struct cuda_loaded {
    const struct cuda_image *image;
    struct cuda_module *module;
};

/* An upper bound for the static shared memory of kernels that also use dynamic shared memory. */
#define CUDA_STATIC_SHARED_BYTES 2048u

struct cuda_device {
    const struct cuda_driver *driver; /* the driver of the engine */
    int ordinal;                      /* the driver's number for the device, starting at 0 */
    int handle;                       /* CUdevice */
    char name[CUDA_NAME_BYTES];       /* "NVIDIA H200 (device 0)" */
    struct cuda_context *context;     /* NULL: not retained */
    struct cuda_function *functions[CUDA_KERNELS]; /* indexed by enum cuda_kernel */
    uint32_t multiprocessors;
    uint32_t shared_max; /* maximum shared memory for a block, in bytes */
    /* peak bandwidth of the device's memory in bytes per ns, assumed if the driver does not report
     * it */
    double read_rate;
    /* How many blocks of the largest size run on the device at a time. For kernels with dynamic
     * shared memory, the number of multiprocessors: a block may use all shared memory of one. */
    uint32_t resident[CUDA_KERNELS];
    /* the context's L2 fetch size before trawl changed it; 0: not changed */
    size_t fetch_bytes_before;
    /* the limit of pending child grids before trawl changed it; 0: not changed */
    size_t launches_before;
    /* maximum number of child grids that one kernel may launch; 0: not known yet */
    uint32_t child_grids_max;
    /* maximum number of bytes that trawl may allocate on the device; 0: no limit */
    uint64_t memory_max;
    _Atomic uint64_t memory_used;
    /* guards the modules, and what all workers' kernels share: constant memory, and room for child
     * grids */
    pthread_mutex_t lock;
    struct cuda_loaded loaded[CUDA_MODULES_MAX]; /* the first loaded_count are in use */
    uint32_t loaded_count;
};

/* Calls a function of the driver and returns a status. */
#define CUDA_CALL(device, error, member, ...)                                                \
    cuda_check((device)->driver, (device)->driver->member(__VA_ARGS__), cuda_symbols.member, \
               (device)->name, (error))

/* Opens a device. Errors: DEVICE; MEMORY; ENGINE if the device is too old, or this build has no
 * kernels for it. After a failure, the device is closed. */
enum trawl_status cuda_device_open(struct cuda_device *device, const struct cuda_driver *driver,
                                   int ordinal, uint64_t memory_max, struct trawl_error *error);
/* Closes a device, which may be half-open. */
void cuda_device_close(struct cuda_device *device);

/* Makes the device's context current in this thread, until cuda_device_leave. */
enum trawl_status cuda_device_enter(const struct cuda_device *device, struct trawl_error *error);
void cuda_device_leave(const struct cuda_device *device);

/* Device memory that is reused from search to search; all zeros: none. */
struct cuda_memory {
    uint64_t address;
    uint64_t bytes;
};

/* cuda_memory_ns returns how long this thread has spent in the driver's calls for memory.
 * cuda_clock_ns is a clock that stands still during these calls. */
uint64_t cuda_memory_ns(void);
uint64_t cuda_clock_ns(void);

/* Makes the memory at least `bytes` long; if it grows, its contents are lost. After a failure, it
 * is empty. */
enum trawl_status cuda_memory_reserve(struct cuda_device *device, struct cuda_memory *memory,
                                      uint64_t bytes, struct trawl_error *error);
void cuda_memory_release(struct cuda_device *device, struct cuda_memory *memory);

/* Pinned host memory that is reused from search to search; all zeros: none. */
struct cuda_pinned {
    uint8_t *bytes;
    uint64_t count;
};

/* flags: 0; CUDA_HOST_MAPPED for memory that kernels can write to at its host address, which is
 * zeroed when it is new. */
enum trawl_status cuda_pinned_reserve(const struct cuda_device *device, struct cuda_pinned *pinned,
                                      uint64_t bytes, unsigned flags, struct trawl_error *error);
void cuda_pinned_release(const struct cuda_device *device, struct cuda_pinned *pinned);

/* Sets *module to the image's kernels, which are loaded when first used, and kept until the device
 * is closed. Returns ENGINE if the image has no code for this device. The device's context is
 * current. */
enum trawl_status cuda_device_module(struct cuda_device *device, const struct cuda_image *image,
                                     struct cuda_module **module, struct trawl_error *error);

/* Makes room for many pending child grids. Returns how many one kernel may launch if no other
 * kernel launches any. Must be called before the first launch of such a kernel. The device's
 * context is current. */
uint32_t cuda_device_children(struct cuda_device *device);

#endif
