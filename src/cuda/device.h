/* device: one GPU: its context, the loaded kernels, and memory on it.
 *
 * The engine uses the device's primary context, which it shares with everything else in the process
 * that uses the device. It makes the context current around each public call and restores the old
 * one after.
 */
#ifndef TRAWL_CUDA_DEVICE_H
#define TRAWL_CUDA_DEVICE_H

#include <pthread.h>
#include <stdatomic.h>

#include "cuda/driver.h"
#include "cuda/image.h"

#define CUDA_KERNEL_LIST(X)             \
    X(EVERY, "scan_every")              \
    X(SET, "scan_set")                  \
    X(STREAM, "scan_stream")            \
    X(FIRST_STREAM, "first_stream")     \
    X(HITS_EVERY, "hits_every")         \
    X(HITS_SET, "hits_set")             \
    X(HITS_STREAM, "hits_stream")       \
    X(STREAM_SAMPLED, "stream_sampled") \
    X(SORT_SAMPLED, "sampled_sort")     \
    X(AUTOMATON, "scan_automaton")      \
    X(HITS_AUTOMATON, "hits_automaton") \
    CUDA_SETS_KERNEL_LIST(X)

/* Those of cuda_image_sets: the tables' makers, and a kernel for each of SCAN_SETS_FORMS, for sets
 * of which little passes the bitmap, and for others, in that order. */
#define CUDA_SETS_KERNEL_LIST(X)                     \
    X(SET_RUNS, "set_runs")                          \
    X(SET_COUNT, "set_count")                        \
    X(SET_ROOM, "set_room")                          \
    X(SET_FILL, "set_fill")                          \
    X(STREAM_SET_1_8_1, "stream_set_1_8_1")          \
    X(STREAM_SET_2_8_1, "stream_set_2_8_1")          \
    X(STREAM_SET_4_8_1, "stream_set_4_8_1")          \
    X(STREAM_SET_4_16_1, "stream_set_4_16_1")        \
    X(STREAM_SET_8_8_1, "stream_set_8_8_1")          \
    X(STREAM_SET_8_16_1, "stream_set_8_16_1")        \
    X(STREAM_SET_16_8_1, "stream_set_16_8_1")        \
    X(STREAM_SET_16_16_1, "stream_set_16_16_1")      \
    X(STREAM_SET_8_7_3, "stream_set_8_7_3")          \
    X(STREAM_SET_8_8_4, "stream_set_8_8_4")          \
    X(STREAM_SET_16_8_9, "stream_set_16_8_9")        \
    X(DENSE_SET_1_8_1, "stream_set_dense_1_8_1")     \
    X(DENSE_SET_2_8_1, "stream_set_dense_2_8_1")     \
    X(DENSE_SET_4_8_1, "stream_set_dense_4_8_1")     \
    X(DENSE_SET_4_16_1, "stream_set_dense_4_16_1")   \
    X(DENSE_SET_8_8_1, "stream_set_dense_8_8_1")     \
    X(DENSE_SET_8_16_1, "stream_set_dense_8_16_1")   \
    X(DENSE_SET_16_8_1, "stream_set_dense_16_8_1")   \
    X(DENSE_SET_16_16_1, "stream_set_dense_16_16_1") \
    X(DENSE_SET_8_7_3, "stream_set_dense_8_7_3")     \
    X(DENSE_SET_8_8_4, "stream_set_dense_8_8_4")     \
    X(DENSE_SET_16_8_9, "stream_set_dense_16_8_9")

enum cuda_kernel {
#define CUDA_KERNEL_ENUM(name, symbol) CUDA_KERNEL_##name,
    CUDA_KERNEL_LIST(CUDA_KERNEL_ENUM)
#undef CUDA_KERNEL_ENUM
        CUDA_KERNELS,
    CUDA_KERNEL_SETS_FIRST =
        CUDA_KERNEL_STREAM_SET_1_8_1, /* of the streams of sets, the last ones */
    CUDA_KERNEL_SETS_DENSE = CUDA_KERNEL_DENSE_SET_1_8_1
};

#define CUDA_NAME_BYTES 96

#define CUDA_MODULES_MAX 8u

struct cuda_loaded {
    const struct cuda_image *image;
    struct cuda_module *module;
};

struct cuda_device {
    const struct cuda_driver *driver;              /* the engine's */
    int ordinal;                                   /* the driver's number, from 0 */
    int handle;                                    /* CUdevice */
    char name[CUDA_NAME_BYTES];                    /* "NVIDIA H200 (device 0)" */
    struct cuda_context *context;                  /* NULL: not retained */
    struct cuda_function *functions[CUDA_KERNELS]; /* the driver's */
    uint32_t multiprocessors;
    uint32_t shared_max;             /* bytes of a block's shared memory */
    double read_rate;                /* of its memory, bytes a nanosecond; 0: not known */
    uint32_t capability;             /* 10 x major + minor */
    uint32_t resident[CUDA_KERNELS]; /* blocks of as many threads as there may be, at a time */
    size_t fetch_bytes_before;       /* the context's limits as they were found; 0: not changed */
    size_t launches_before;          /* of child grids that may be pending; 0: not changed */
    uint32_t child_grids_max;        /* of one kernel; 0: not known yet */
    uint64_t memory_max;             /* of what trawl takes; 0: no limit */
    _Atomic uint64_t memory_used;
    pthread_mutex_t lock; /* of the modules; of what kernels of all workers share: constant memory,
                             room for child grids */
    pthread_mutex_t list_lock; /* held while a kernel lists that may find many hits */
    struct cuda_loaded loaded[CUDA_MODULES_MAX]; /* the first loaded_count */
    uint32_t loaded_count;
};

/* The driver's function with these arguments, as a status. */
#define CUDA_CALL(device, error, member, ...)                                                \
    cuda_check((device)->driver, (device)->driver->member(__VA_ARGS__), cuda_symbols.member, \
               (device)->name, (error))

/* DEVICE, MEMORY; ENGINE: too old, or the image holds no code for it. On failure the device is
 * closed. */
enum trawl_status cuda_device_open(struct cuda_device *device, const struct cuda_driver *driver,
                                   int ordinal, uint64_t memory_max, struct trawl_error *error);
/* Accepts half-open ones. */
void cuda_device_close(struct cuda_device *device);

/* Make the device's context current for this thread; pair with cuda_device_leave. */
enum trawl_status cuda_device_enter(const struct cuda_device *device, struct trawl_error *error);
void cuda_device_leave(const struct cuda_device *device);

/* Device memory, kept from use to use. Zeroed is empty. */
struct cuda_memory {
    uint64_t address;
    uint64_t bytes;
};

/* How long this thread has spent in the driver's calls for memory; and a clock that stands still
 * during them, so that it times everything else. */
uint64_t cuda_memory_ns(void);
uint64_t cuda_clock_ns(void);

/* At least `bytes`; what it held is lost if it grows, and on failure it is empty. */
enum trawl_status cuda_memory_reserve(struct cuda_device *device, struct cuda_memory *memory,
                                      uint64_t bytes, struct trawl_error *error);
void cuda_memory_release(struct cuda_device *device, struct cuda_memory *memory);

/* Pinned host memory, likewise. */
struct cuda_pinned {
    uint8_t *bytes;
    uint64_t count;
};

enum trawl_status cuda_pinned_reserve(const struct cuda_device *device, struct cuda_pinned *pinned,
                                      uint64_t bytes, struct trawl_error *error);
/* And kernels may write to it, by the host's addresses. It begins as zeros. */
enum trawl_status cuda_mapped_reserve(const struct cuda_device *device, struct cuda_pinned *pinned,
                                      uint64_t bytes, struct trawl_error *error);
void cuda_pinned_release(const struct cuda_device *device, struct cuda_pinned *pinned);

/* The image's kernels, loaded at first use and kept until the device is closed; with
 * the device entered. ENGINE: the image holds none for this device. */
enum trawl_status cuda_device_module(struct cuda_device *device, const struct cuda_image *image,
                                     struct cuda_module **module, struct trawl_error *error);

/* Make room for many child grids at a time, before the first kernel that launches any; with the
 * device entered. How many a kernel may launch while no other one does. */
uint32_t cuda_device_children(struct cuda_device *device);

#endif
