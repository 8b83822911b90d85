/* open: the CUDA engine: the driver, the devices, and the loaded texts.
 *
 * To read this directory, begin with driver.h (the functions of libcuda), device.h (a GPU), open.h
 * and cuda_load.h (texts that stay on GPUs). Then follow a search: cuda_choose.h chooses the
 * method, cuda_tables.h builds the plan's tables, chunk.h copies the text, launch.h starts the
 * kernel, and cuda_scan.h copies the hits back.
 */
#ifndef TRAWL_CUDA_OPEN_H
#define TRAWL_CUDA_OPEN_H

#include <pthread.h>
#include "cuda/device.h"
#include "engine.h"

#define CUDA_DEVICES_MAX ENGINE_DEVICES_MAX
/* Maximum numbers of loaded texts, and of residents on all devices together. */
#define CUDA_RESIDENT_MAX 256u
#define CUDA_SAMPLE_BYTES (16u << 10)

/* Excerpts from all over a text, copied when the text was loaded. The first quarter of the sample
 * is spread over the whole text, too. */
struct cuda_sample {
    uint64_t serial; /* unique in the process */
    uint64_t bytes_count;
    uint8_t bytes[CUDA_SAMPLE_BYTES];
};

/* The number of line ends in a part of a resident. */
struct cuda_line_ends {
    uint64_t at, count; /* the part's offset and length; count 0: the entry is free */
    uint8_t line_end, line_end_also;
    uint64_t ends;
};
#define CUDA_ENDS_MAX 8u

/* A text, or a stripe of one, on a device. */
struct cuda_resident {
    const uint8_t *bytes; /* NULL: the entry is free */
    uint64_t count;
    /* length up to where the next stripe begins; the rest, up to `count`, is the overlap with it */
    uint64_t owned;
    const uint8_t *text; /* the whole loaded text, of which `bytes` may be a stripe */
    uint64_t text_count;
    uint32_t device_index;
    struct cuda_memory memory;
    /* a borrowed text: address of the caller's copy on the device; 0: not borrowed */
    uint64_t borrowed;
    /* only if borrowed: kernels read the caller's copy in place; false: they read a copy in
     * `memory` */
    bool stays;
    /* If `stays`, but fewer than SCAN_AROUND_BYTES follow the text in its allocation: a copy of the
     * text's end, from offset `tail_at`, in which kernels search the last start positions. */
    struct cuda_memory tail;
    uint64_t tail_at;
    /* only if borrowed: the text has been copied to `bytes`, so the host can read it */
    bool fetched;
    struct cuda_sample *sample;                /* NULL: no sample */
    uint32_t sample_uses;                      /* how often a borrowed text was loaded with it */
    struct cuda_line_ends ends[CUDA_ENDS_MAX]; /* counted by earlier searches, the latest first */
};

/* An owner of a text. A text's residents stay on the devices while it has at least one owner. */
struct cuda_holder {
    const void *owner;
    const uint8_t *text; /* NULL: free */
    uint64_t text_count;
};

#define CUDA_LEFT_MAX 2u

struct cuda_engine {
    struct cuda_driver driver;
    uint64_t memory_max; /* maximum number of bytes that trawl may allocate on each device; 0: no
                            limit */
    /* guards `holders`; held while a text is loaded or dropped */
    pthread_mutex_t load_lock;
    struct cuda_holder holders[CUDA_RESIDENT_MAX];
    pthread_mutex_t lock; /* guards all members below */
    uint32_t device_count;
    bool device_is_open[CUDA_DEVICES_MAX];
    struct cuda_device devices[CUDA_DEVICES_MAX];
    /* number of workers that cuda_worker_open has opened, on the devices in turn */
    uint32_t workers_opened;
    /* What unloaded borrowed texts have left, the latest first, for when they are borrowed again,
     * as each call does that gets one; guarded by `load_lock`. A free entry has no `borrowed`. */
    struct cuda_resident left[CUDA_LEFT_MAX];
    uint32_t wholes_loaded; /* counts texts that were loaded whole on purpose, on the devices in
                               turn; guarded by `load_lock` */
    struct cuda_worker *idle[CUDA_DEVICES_MAX]; /* cuda_worker_lend; NULL: none */
    uint32_t residents_end;                     /* index after the last used entry of `residents` */
    struct cuda_resident residents[CUDA_RESIDENT_MAX];
};

/* Return the devices' engine and worker behind the types that all engines share. */
static inline struct cuda_engine *cuda_engine_of(const struct engine *engine)
{
    return (struct cuda_engine *)(uintptr_t)engine;
}

static inline struct cuda_worker *cuda_worker_of(struct engine_worker *worker)
{
    return (struct cuda_worker *)worker;
}

/* cuda_engine_open is engine_ops.open. engine_ops.close drops all texts, and then calls
 * cuda_engine_close, which accepts a half-open engine. */
enum trawl_status cuda_engine_open(const struct engine_options *options, struct engine **engine,
                                   struct trawl_error *error);
void cuda_engine_close(struct cuda_engine *engine);
/* Opens device `index`, unless it is open. */
enum trawl_status cuda_engine_want(struct cuda_engine *engine, uint32_t index,
                                   struct trawl_error *error);
/* cuda_worker_open opens a worker on device `index`, or, for ENGINE_DEVICES_MAX, on the next one in
 * turn. cuda_worker_close frees it. */
enum trawl_status cuda_worker_open(struct cuda_engine *engine, uint32_t index,
                                   struct cuda_worker **worker, struct trawl_error *error);
void cuda_worker_close(struct cuda_worker *worker);
/* Lends a worker on device `index`, for short work between searches, and makes the device's context
 * current until cuda_worker_return, which keeps the worker
 * for the next call, if it `works`: making and freeing a worker's stream and pinned memory takes
 * 0.2 ms. */
enum trawl_status cuda_worker_lend(struct cuda_engine *engine, uint32_t index,
                                   struct cuda_worker **worker, struct trawl_error *error);
void cuda_worker_return(struct cuda_worker *worker, bool works);

#endif
