/* open: the CUDA engine, which holds the driver, the devices and the loaded texts.
 *
 * To read this folder, begin with driver.h (the functions of libcuda), device.h (a GPU), open.h and
 * cuda_load.h (texts that stay on GPUs). Then follow a search: cuda_choose.h chooses the method,
 * cuda_tables.h makes the plan's tables, chunk.h copies the text, launch.h starts the kernel, and
 * cuda_scan.h brings the hits back.
 */
#ifndef TRAWL_CUDA_OPEN_H
#define TRAWL_CUDA_OPEN_H

#include <pthread.h>
#include "cuda/device.h"
#include "engine.h"

#define CUDA_DEVICES_MAX ENGINE_DEVICES_MAX
/* The most loaded texts, and the most parts of texts on all devices. */
#define CUDA_RESIDENT_MAX 256u
#define CUDA_SAMPLE_BYTES (16u << 10)

/* Excerpts from all over a text, copied when it was loaded. Those of the first quarter of the
 * sample are spread over the whole text, too. */
struct cuda_sample {
    uint64_t serial; /* a number that no other sample of the process has */
    uint64_t bytes_count;
    uint8_t bytes[CUDA_SAMPLE_BYTES];
};

/* the number of line ends in a part of a resident */
struct cuda_ends {
    uint64_t at, count; /* the part's offset and number of bytes; count 0: the entry is free */
    uint8_t line_end, line_end_also;
    uint64_t ends;
};
#define CUDA_ENDS_MAX 8u

/* a text, or a part of one, on a device */
struct cuda_resident {
    const uint8_t *bytes; /* NULL: the entry is free */
    uint64_t count;
    /* bytes of this part before the next part begins; the rest, up to `count`, belongs to the
     * next part, too */
    uint64_t owned;
    const uint8_t *text; /* the whole loaded text, of which `bytes` may be a part */
    uint64_t text_count;
    uint32_t device_index;
    struct cuda_memory memory;
    /* address of the caller's own copy of the text on the device; 0: it has none */
    uint64_t borrowed;
    /* only with `borrowed`: kernels read the caller's copy in place; if false, they read a copy
     * in `memory` */
    bool stays;
    /* If the caller's copy stays, but fewer than SCAN_AROUND_BYTES follow it in its allocation: a
     * copy of the text's end, starting at `tail_at`, where kernels search the last starts. */
    struct cuda_memory tail;
    uint64_t tail_at;
    /* with `borrowed`: the text was copied to `bytes`, so that the host can read it, too */
    bool fetched;
    struct cuda_sample *sample;           /* NULL: no sample was taken */
    struct cuda_ends ends[CUDA_ENDS_MAX]; /* counted by earlier searches; the latest is first */
};

/* An owner that holds a text. A text's residents stay on the devices while at least one owner holds
 * it. */
struct cuda_holder {
    const void *owner;
    const uint8_t *text; /* NULL: free */
    uint64_t text_count;
};

struct engine {
    struct cuda_driver driver;
    uint64_t memory_max; /* most bytes that trawl takes on each device; 0: no limit */
    /* guards `holders`, and is held while a text is loaded or dropped */
    pthread_mutex_t load_lock;
    struct cuda_holder holders[CUDA_RESIDENT_MAX];
    pthread_mutex_t lock; /* guards all members below */
    uint32_t device_count;
    bool device_is_open[CUDA_DEVICES_MAX];
    struct cuda_device devices[CUDA_DEVICES_MAX];
    /* workers that cuda_worker_open has opened, which chooses devices in turn by this number */
    uint32_t workers_opened;
    uint32_t wholes_loaded; /* the same for texts that are not split; guarded by `load_lock` */
    struct engine_worker *idle[CUDA_DEVICES_MAX]; /* cuda_worker_lend; NULL: none */
    uint32_t residents_end; /* index after the last used entry of `residents` */
    struct cuda_resident residents[CUDA_RESIDENT_MAX];
};

/* cuda_engine_open is the engine's function open (engine_ops). The function close drops all texts
 * and then calls cuda_engine_close, which accepts a half-open engine. */
enum trawl_status cuda_engine_open(const struct engine_options *options, struct engine **engine,
                                   struct trawl_error *error);
void cuda_engine_close(struct engine *engine);
/* Opens device `index`, unless the device is open already. */
enum trawl_status cuda_engine_want(struct engine *engine, uint32_t index,
                                   struct trawl_error *error);
/* Opens a worker: cuda_worker_open on the next device in turn, cuda_worker_open_on on device
 * `index`. cuda_worker_close frees the worker. */
enum trawl_status cuda_worker_open(struct engine *engine, struct engine_worker **worker,
                                   struct trawl_error *error);
enum trawl_status cuda_worker_open_on(struct engine *engine, uint32_t index,
                                      struct engine_worker **worker, struct trawl_error *error);
void cuda_worker_close(struct engine_worker *worker);
/* Lends a worker of device `index` for short work beside searches. cuda_worker_return keeps it for
 * the next call if it works: a worker's stream and pinned memory take 0.2 ms to make and free. */
enum trawl_status cuda_worker_lend(struct engine *engine, uint32_t index,
                                   struct engine_worker **worker, struct trawl_error *error);
void cuda_worker_return(struct engine_worker *worker, bool works);

#endif
