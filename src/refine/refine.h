/* refine: how an engine on top of those of the host and of devices searches for more than strings.
 *
 * A *prefilter* finds places where an occurrence may be: usually the engine of the host or of a
 * device, which searches for strings (the pieces of a pattern with errors, the atoms of an
 * expression), sometimes a filter of the layer's own. A *layer* finds the occurrences around
 * them. refine.c has what all layers share: the worker, its prefilter, and the loop over the steps
 * of a chunk. A step is a range of starts, whose hits the layer appends to the task's result.
 *
 * A layer's invariants, which refine_scan asserts:
 * - A step ends after its start, and not after the chunk.
 * - A step's hits begin in the step, so the hits of a chunk ascend by offset.
 * - All hits have lengths, unless only the count is wanted, which leaves no hits.
 * - A step that leaves its text to the host has appended nothing, and only devices leave text.
 */
#ifndef TRAWL_REFINE_REFINE_H
#define TRAWL_REFINE_REFINE_H

#include "base/checked.h"
#include "engine.h"

struct refiner;

/* The functions that differ by the kind of plan. A worker is a struct of worker_bytes bytes, at
 * first all zero, which begins with the refiner. */
struct layer {
    uint64_t worker_bytes;
    /* Prepares the worker for a plan, and sets refiner->step. `end` has been called before. */
    enum trawl_status (*begin)(struct refiner *refiner, const struct trawl_plan *plan,
                               struct trawl_error *error);
    /* Frees what belongs to the worker's plan, if it has one. That plan may be freed already. */
    void (*end)(struct refiner *refiner);
    /* Frees the rest, except for the prefilter; NULL: nothing. */
    void (*close)(struct refiner *refiner);
    /* Searches the starts [from, *to) of the task's chunk. May move *to. */
    enum trawl_status (*step)(struct refiner *refiner, const struct engine_task *task,
                              uint64_t from, uint64_t *to, struct trawl_error *error);
};

/* The state of one thread: the first member of a layer's worker. */
struct refiner {
    const struct layer *layer;
    struct engine *engine;        /* the prefilter's engine: CPU or CUDA */
    const struct engine_ops *ops; /* its functions */
    /* A worker of `engine`. On a device, it is opened with the refiner; on the host, when a plan
     * first needs it (refine_prefilter_with). */
    struct engine_worker *prefilter;
    uint32_t device;
    struct engine_result found; /* the strings that the prefilter found */
    uint64_t serial;            /* serial number of the plan; 0: none */
    uint64_t step;              /* how many starts the next step searches */
};

static inline bool refine_is_on_device(const struct refiner *refiner)
{
    return refiner->device != ENGINE_HOST;
}

/* Doubles the length of the next step, up to `max`. */
static inline void refine_grow(struct refiner *refiner, uint64_t max)
{
    refiner->step = min_u64(2 * refiner->step, max);
}

/* Implement engine_ops.compile, for a layer, and engine_ops.release. */
enum trawl_status refine_compile(const struct layer *layer, struct engine *engine, uint32_t device,
                                 const struct trawl_plan *plan, struct engine_worker **worker,
                                 struct trawl_error *error);
void refine_release(struct engine_worker *worker);
/* Prepares the prefilter for these strings. */
enum trawl_status refine_prefilter_with(struct refiner *refiner, const struct trawl_plan *strings,
                                        struct trawl_error *error);
/* Sets *part to bytes [from, end) of the chunk, as a chunk of its own for the prefilter, with up to
 * `after` readable bytes behind it. `end` may exceed the bytes that the chunk owns. */
void refine_part(const struct engine_chunk *chunk, uint64_t from, uint64_t end, uint64_t after,
                 struct engine_chunk *part);
/* Finds the strings that begin in the part at or after `from`: refiner->found. */
enum trawl_status refine_prefilter(struct refiner *refiner, const struct engine_chunk *part,
                                   uint64_t from, struct trawl_error *error);
/* Searches the task's chunk step by step, to its end, or until the result has enough hits. */
enum trawl_status refine_scan(struct refiner *refiner, const struct engine_task *task,
                              struct trawl_error *error);

#endif
