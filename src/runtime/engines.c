/* engines: the one file that names them and the gallery's algorithms, if there is a gallery. */
#include "runtime/engines.h"

#include "approximate/engine_approximate.h"
#include "cuda/engine_cuda.h"

#if TRAWL_GALLERY
#include "gallery/engine_gallery.h"
#define GALLERY_OPS &engine_gallery
#define GALLERY_ALGORITHMS &gallery_algorithms
#else
#define GALLERY_OPS NULL
#define GALLERY_ALGORITHMS NULL
#endif

const struct engine_ops *const engine_for_host = &engine_cpu;
const struct engine_ops *const engine_for_devices = &engine_cuda;
const struct engine_ops *const engine_layers[ENGINE_LAYERS] = {
    [ENGINE_FOR_ALGORITHMS] = GALLERY_OPS, [ENGINE_FOR_ERRORS] = &engine_approximate};

enum engine_layer engine_layer_of(const struct trawl_plan *plan)
{
    return plan->algorithm.name != NULL ? ENGINE_FOR_ALGORITHMS
           : plan->errors.is_set        ? ENGINE_FOR_ERRORS
                                        : ENGINE_LAYERS;
}

/* The plan's room knows no algorithms: a plan gets their table here. */
enum trawl_status trawl_plan_build(const struct trawl_pattern *patterns, uint64_t pattern_count,
                                   const struct trawl_plan_options *options,
                                   struct trawl_plan **plan, struct trawl_error *error)
{
    return plan_build(patterns, pattern_count, options, GALLERY_ALGORITHMS, plan, error);
}

static const char *listed(uint32_t index, const char **summary, uint32_t *engines)
{
    const struct plan_algorithms *algorithms = GALLERY_ALGORITHMS;

    return algorithms == NULL ? NULL : algorithms->list(index, summary, engines);
}

const char *trawl_algorithm(uint32_t index, const char **summary)
{
    const char *line = NULL, *name;
    uint32_t engines = 0;

    name = listed(index, &line, &engines);
    if (name != NULL && summary != NULL)
        *summary = line;
    return name;
}

uint32_t trawl_algorithm_engines(uint32_t index)
{
    const char *line = NULL;
    uint32_t engines = 0;

    return listed(index, &line, &engines) == NULL ? 0 : engines;
}
