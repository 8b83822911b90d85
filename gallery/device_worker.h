/* device_worker: what the gallery's files for devices share. */
#ifndef TRAWL_GALLERY_DEVICE_WORKER_H
#define TRAWL_GALLERY_DEVICE_WORKER_H

#include "cuda/chunk.h"
#include "cuda/open.h"
#include "cuda/worker.h"
#include "gallery/algorithm.h"
#include "gallery/device.h"
#include "gallery/limits.h"

struct gallery_device {
    struct engine_worker *worker; /* of the CUDA engine: device, stream, text, staging buffers */
    struct gallery_limits limits;
    const struct trawl_plan *plan;
    struct gallery_choice choice;          /* the plan's */
    bool ready;                            /* the tables are for the plan */
    struct cuda_module *module, *children; /* NULL: the plan launches no child grids */
    uint32_t child_grids_max;
    uint64_t threshold;        /* a hybrid launches child grids for patterns from this length on */
    const char *note;          /* what is to be said of that; NULL: nothing */
    struct cuda_memory tables; /* of each literal: its bytes, then its shifts; or the trie */
    uint32_t trie_states;      /* 0: none */
    struct cuda_memory folded; /* a window of the text in lower case */
    struct cuda_memory flags;
    struct cuda_memory result;  /* struct gallery_result */
    struct cuda_memory offsets; /* hits */
    uint64_t hits_room;         /* of offsets */
    /* Around kernels, and behind gallery_shifts_text; NULL: not made yet. */
    struct cuda_event *begin, *shifted, *end;

    struct gallery_records *records; /* NULL: no plan for records yet */
};

/* ---- device.c ---- */

/* The search of struct cuda_steps, for own->plan; the context is the struct gallery_device. */
enum trawl_status gallery_device_range(struct engine_worker *worker, void *context,
                                       const struct cuda_range *range, enum want want,
                                       uint64_t hits_base, struct engine_result *result,
                                       uint64_t *done, struct trawl_error *error);

/* ---- device_rows.c ---- */

/* The gallery's kernels, or those of it that launch child grids, for the plan. */
enum trawl_status gallery_device_module(struct gallery_device *own, bool children,
                                        struct cuda_module **module, struct trawl_error *error);

/* UNSUPPORTED: the algorithm of own->plan is not for a device, or not with these patterns. */
enum trawl_status gallery_device_check(const struct gallery_device *own, struct trawl_error *error);

/* ---- device_records.c ---- */

/* Get ready for own->plan, whose algorithm takes records. UNSUPPORTED: it is not for a device. */
enum trawl_status gallery_records_begin(struct gallery_device *own, struct trawl_error *error);
/* What lies on the device, with it entered; then what does not. */
void gallery_records_end(struct gallery_device *own);
void gallery_records_free(struct gallery_device *own);

#endif
