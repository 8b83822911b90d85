/* device_rows: chooses the kernel of a hybrid, and checks that a plan's patterns fit their kernels.
 */
#include "gallery/device_rows.h"

#include <inttypes.h>
#include <string.h>

#include "gallery/kernels/gallery.h"

#define NEVER UINT32_MAX
#define HEAP_BYTES (256u << 20) /* LISTS: for occurrences, 16 bytes each and what the heap adds */

/* The kernels of most algorithms, those of pss and bmh compiled for debugging, those that
 * launch child grids, which are linked with the CUDA device runtime, and those that allocate. */
static const struct cuda_image plain_image = {"gallery", "gallery"},
                               debug_image = {"gallery", "gallery_debug"},
                               children_image = {"gallery with child grids", "children"},
                               lists_image = {"gallery with lists", "gallery_lists"};

static const struct gallery_row rows[GALLERY_COUNT] = {
#define ALGORITHM(enumerator, name, searched, engines, geometry, line, source)
#define GRID_THREADS PLACES
#define GRID_GRID SEGMENTS
#define ON_GPU(enumerator, name, geometry, kernel, threads, needs, line, source) \
    [GALLERY_##enumerator] = {"gallery_" #kernel, GRID_##geometry, threads, needs, 0, 0, 0},
#include "gallery/algorithms.def"
#define KERNEL(enumerator, kernel, grid, threads, needs) \
    [GALLERY_##enumerator] = {kernel, grid, threads, needs, 0, 0, 0},
#define HYBRID(enumerator, generic, shorter, longer) \
    [GALLERY_##enumerator] = {                       \
        NULL, PLACES, 0, 0, GALLERY_##generic, GALLERY_##shorter, GALLERY_##longer},
#define MEASURED(device, enumerator, length)
#include "gallery/kernels.def"
#undef KERNEL
#undef HYBRID
#undef MEASURED
};

/* The shortest pattern for which child grids were measured to be faster on a device; NEVER if they
 * were slower at each measured length. */
static const struct measured {
    const char *device; /* part of the device's name */
    enum gallery_algorithm algorithm;
    uint32_t length;
} measured[] = {
#define KERNEL(enumerator, kernel, grid, threads, needs)
#define HYBRID(enumerator, generic, shorter, longer)
#define MEASURED(device, enumerator, length) {device, GALLERY_##enumerator, length},
#include "gallery/kernels.def"
#undef KERNEL
#undef HYBRID
#undef MEASURED
};

static bool is_hybrid(const struct gallery_row *row)
{
    return row->longer != GALLERY_NONE;
}

static uint64_t row_pattern_max(const struct gallery_row *row)
{
    return (row->needs & KEY) != 0        ? GALLERY_KEY_BYTES
           : (row->needs & CONSTANT) != 0 ? GALLERY_CONSTANT_BYTES
                                          : SCAN_PATTERN_BYTES_MAX;
}

const struct gallery_row *gallery_row_for(const struct gallery_device *own, uint64_t pattern_bytes)
{
    const struct gallery_row *row = &rows[own->choice.algorithm];

    if (!is_hybrid(row))
        return row;
    if (pattern_bytes >= own->threshold)
        return &rows[row->longer];
    return pattern_bytes <= row_pattern_max(&rows[row->shorter]) ? &rows[row->shorter]
                                                                 : &rows[row->generic];
}

enum trawl_status gallery_device_check(const struct gallery_device *own, struct trawl_error *error)
{
    const struct trawl_plan *plan = own->plan;
    const char *name = plan->algorithm.name;
    const struct gallery_row *row = &rows[own->choice.algorithm];
    bool trie = (row->needs & TRIE) != 0;
    uint64_t max = trie ? own->limits.trie_states_max - 1 : row_pattern_max(row), bytes = 0;

    if (row->kernel == NULL && !is_hybrid(row))
        return TRAWL_FAIL(error, UNSUPPORTED,
                          "the CUDA engine does not have algorithm %s, the engine \"cpu\" does",
                          name);
    for (uint32_t i = 0; i < plan->literal_count; i++) {
        bytes = plan_literal_at(plan, i).bytes_count + (trie ? bytes : 0);
        if (bytes > max)
            return TRAWL_FAIL(error, UNSUPPORTED,
                              "algorithm %s on the CUDA engine takes patterns of up to %" PRIu64
                              " bytes in %s, not %" PRIu64,
                              name, max,
                              trie                           ? "a trie of all"
                              : (row->needs & KEY) != 0      ? "registers"
                              : (row->needs & CONSTANT) != 0 ? "constant memory"
                                                             : "device memory",
                              bytes);
    }
    return TRAWL_OK;
}

bool gallery_needs(const struct gallery_device *own, uint32_t needs)
{
    const struct trawl_plan *plan = own->plan;
    bool has = false;

    for (uint32_t i = 0; i < plan->literal_count; i++)
        has |= (gallery_row_for(own, plan_literal_at(plan, i).bytes_count)->needs & needs) != 0;
    return has;
}

/* Sets a hybrid's threshold, or else the note that says why it launches no child grids. */
static void choose_threshold(struct gallery_device *own)
{
    own->threshold = UINT64_MAX;
    own->note = NULL;
    if (!is_hybrid(&rows[own->choice.algorithm]))
        return;
    if (own->choice.threshold != 0) {
        own->threshold = own->choice.threshold;
        return;
    }
    own->note = "hybrid in its generic form: from which length on child grids are faster was "
                "not measured for this device";
    for (uint32_t i = 0; i < sizeof measured / sizeof *measured; i++) {
        if (measured[i].algorithm != own->choice.algorithm ||
            strstr(own->worker->device->name, measured[i].device) == NULL)
            continue;
        own->note = NULL;
        if (measured[i].length != NEVER)
            own->threshold = measured[i].length;
        else
            own->note = "hybrid in its generic form: on this device child grids were faster at "
                        "no length that was measured";
    }
}

enum trawl_status gallery_device_module(struct gallery_device *own, bool children,
                                        struct cuda_module **module, struct trawl_error *error)
{
    return cuda_device_module(own->worker->device,
                              children && own->choice.algorithm == GALLERY_PSS_GM_LIST
                                  ? &lists_image
                              : children          ? &children_image
                              : own->choice.debug ? &debug_image
                                                  : &plain_image,
                              module, error);
}

enum trawl_status gallery_choose(struct gallery_device *own, struct trawl_error *error)
{
    const struct cuda_driver *driver = own->worker->device->driver;
    size_t heap_bytes = 0;
    enum trawl_status status;

    choose_threshold(own);
    TRAWL_TRY(gallery_device_module(own, false, &own->module, error));
    if (!gallery_needs(own, CHILDREN | LISTS))
        return TRAWL_OK;
    /* a hint, like all limits; it counts when the image is loaded, and cannot be set later */
    if (gallery_needs(own, LISTS) &&
        driver->limit_get(&heap_bytes, (int)CUDA_LIMIT_HEAP_BYTES) == CUDA_CODE_OK &&
        heap_bytes != HEAP_BYTES)
        (void)driver->limit_set((int)CUDA_LIMIT_HEAP_BYTES, HEAP_BYTES);
    status = gallery_device_module(own, true, &own->children, error);
    if (status == TRAWL_ENGINE && is_hybrid(&rows[own->choice.algorithm])) {
        own->threshold = UINT64_MAX;
        own->note = "hybrid in its generic form: this build launches no child grids on this "
                    "device";
        return TRAWL_OK;
    }
    if (status == TRAWL_OK && gallery_needs(own, CHILDREN))
        own->child_grids_max = own->limits.child_grids_max != 0
                                   ? own->limits.child_grids_max
                                   : cuda_device_children(own->worker->device);
    return status;
}
