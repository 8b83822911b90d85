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

const struct plan_algorithms *const engine_algorithms = GALLERY_ALGORITHMS;

static const char *listed(uint32_t index, const char **summary, uint32_t *engines)
{
    return engine_algorithms == NULL ? NULL : engine_algorithms->list(index, summary, engines);
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
