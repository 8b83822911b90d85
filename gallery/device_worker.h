/* device_worker: struct gallery_device, which the gallery's files for devices share. */
#ifndef TRAWL_GALLERY_DEVICE_WORKER_H
#define TRAWL_GALLERY_DEVICE_WORKER_H

#include "cuda/chunk.h"
#include "cuda/open.h"
#include "cuda/cuda_worker.h"
#include "gallery/gallery_algorithm.h"
#include "gallery/gallery_device.h"
#include "gallery/gallery_limits.h"

struct gallery_device {
    struct cuda_worker
        *worker; /* the CUDA engine's worker: device, stream, text, staging buffers */
    struct gallery_limits limits;
    const struct trawl_plan *plan;
    struct gallery_choice choice; /* the algorithm and options of the plan */
    bool ready;                   /* the device has the plan's tables */
    struct cuda_module *module;
    struct cuda_module *children; /* kernels that launch or allocate; NULL: none needed */
    uint32_t child_grids_max;
    uint64_t
        child_begins;   /* maximum number of start offsets for a kernel that counts child grids */
    uint64_t threshold; /* a hybrid launches child grids for patterns of this many bytes or more */
    const char *note;   /* for --stats: why a hybrid launches no child grids, or NULL */
    struct cuda_memory tables; /* each literal's bytes and shifts, or the trie */
    uint32_t trie_states;      /* states of the trie; 0: no trie */
    struct cuda_memory folded; /* a part of the text in lower case */
    struct cuda_memory flags;
    struct cuda_memory result;  /* struct gallery_result */
    struct cuda_memory offsets; /* offsets of hits */
    uint64_t hits_room;         /* capacity of `offsets`, in hits */
    /* Events before the kernels, after gallery_shifts_text, and after the kernels; NULL: not
     * created yet. */
    struct cuda_event *begin, *shifted, *end;

    struct gallery_records *records; /* state for searches of records; NULL: none so far */
};

/* ---- gallery_device.c ---- */

/* The function `search` of struct cuda_steps: searches a range of start offsets. `context` is the
 * thread's struct gallery_device, which has the plan. */
enum trawl_status gallery_device_range(struct cuda_worker *worker, void *context,
                                       const struct cuda_range *range, enum want want,
                                       uint64_t hits_base, struct engine_result *result,
                                       uint64_t *done, struct trawl_error *error);

/* ---- device_rows.c ---- */

/* Sets *module to the gallery's compiled kernels, or, with `children`, to those that launch child
 * grids or allocate. */
enum trawl_status gallery_device_module(struct gallery_device *own, bool children,
                                        struct cuda_module **module, struct trawl_error *error);

/* Fails with UNSUPPORTED if the algorithm of own->plan has no kernel, or if a pattern, or all
 * patterns of a trie together, are too long for it. */
enum trawl_status gallery_device_check(const struct gallery_device *own, struct trawl_error *error);

/* ---- device_records.c ---- */

/* Prepares for own->plan, which names an algorithm for records. Errors: UNSUPPORTED if a pattern is
 * too long for a device; MEMORY. */
enum trawl_status gallery_records_begin(struct gallery_device *own, struct trawl_error *error);
/* Free device memory (end; the device's context must be current), and host memory (free). */
void gallery_records_end(struct gallery_device *own);
void gallery_records_free(struct gallery_device *own);

#endif
