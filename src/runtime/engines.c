/* engines: the only file of the room that names the engines, and the gallery's algorithms if the
 * build has a gallery. */
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

const char *trawl_algorithm(uint32_t index, const char **summary, uint32_t *engines)
{
    const char *line = NULL, *name = NULL;
    uint32_t bits = 0;

    if (engine_algorithms != NULL)
        name = engine_algorithms->list(index, &line, &bits);
    if (name != NULL && summary != NULL)
        *summary = line;
    if (name != NULL && engines != NULL)
        *engines = bits;
    return name;
}
