/* open: the driver, its devices, and what threads have on them. */
#ifndef TRAWL_CUDA_OPEN_H
#define TRAWL_CUDA_OPEN_H

#include <pthread.h>
#include "cuda/device.h"
#include "engine.h"

#define CUDA_DEVICES_MAX ENGINE_DEVICES_MAX
#define CUDA_RESIDENT_MAX 256u /* of texts, and of their parts on devices */
#define CUDA_SAMPLE_BYTES (16u << 10)

/* Some of a text, spread over it, taken when it was loaded. So is its first quarter. */
struct cuda_sample {
    uint64_t serial; /* no other sample of the process has had it */
    uint64_t bytes_count;
    uint8_t bytes[CUDA_SAMPLE_BYTES];
};

/* A text in host memory, or a part of it, that also lies on a device or that a device can read. */
struct cuda_resident {
    const uint8_t *bytes; /* NULL: free */
    uint64_t count;
    uint64_t owned;      /* what the part shares with the next one lies after these */
    const uint8_t *text; /* what was loaded */
    uint64_t text_count;
    uint32_t device_index;
    struct cuda_memory memory;
    uint64_t borrowed;          /* not 0: the text is the caller's, at this address on the device */
    bool stays;                 /* then: it is searched where it is; else a copy of it */
    bool fetched;               /* then: the host can read `bytes`, too */
    struct cuda_sample *sample; /* NULL: none was taken */
};

/* Who holds which text: as long as there is one holder of it, the text's residents stay. */
struct cuda_holder {
    const void *owner;
    const uint8_t *text; /* NULL: free */
    uint64_t text_count;
};

struct engine {
    struct cuda_driver driver;
    uint64_t memory_max;       /* of each device */
    pthread_mutex_t load_lock; /* one text is loaded or dropped at a time; of the holders, too */
    struct cuda_holder holders[CUDA_RESIDENT_MAX];
    pthread_mutex_t lock; /* of everything below */
    uint32_t device_count;
    bool device_is_open[CUDA_DEVICES_MAX];
    struct cuda_device devices[CUDA_DEVICES_MAX];
    uint32_t workers_opened; /* ever: the next one takes the next device */
    uint32_t residents_end;  /* behind the last one that is not free */
    struct cuda_resident residents[CUDA_RESIDENT_MAX];
};

/* engine_ops.open; and close, once no text lies on a device. Accepts half-open ones. */
enum trawl_status cuda_engine_open(const struct engine_options *options, struct engine **engine,
                                   struct trawl_error *error);
void cuda_engine_close(struct engine *engine);
/* Open a device, unless it is open. */
enum trawl_status cuda_engine_want(struct engine *engine, uint32_t index,
                                   struct trawl_error *error);
/* A worker on the next device in turn, or on this one; and its end. */
enum trawl_status cuda_worker_open(struct engine *engine, struct engine_worker **worker,
                                   struct trawl_error *error);
enum trawl_status cuda_worker_open_on(struct engine *engine, uint32_t index,
                                      struct engine_worker **worker, struct trawl_error *error);
void cuda_worker_close(struct engine_worker *worker);

#endif
