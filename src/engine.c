/* engine: the list of engines, and which one a searcher gets. */
#include "search.h"

#include "cuda/engine_cuda.h"
#include "engine_auto.h"
#if TRAWL_GALLERY
#include "gallery/engine_gallery.h"
#define GALLERY_OPS &engine_gallery
#define GALLERY_ALGORITHMS &gallery_algorithms
#else
#define GALLERY_OPS NULL
#define GALLERY_ALGORITHMS NULL
#endif

enum trawl_status engine_choose(enum trawl_engine asked, const struct engine_ops **ops,
                                struct trawl_error *error)
{
    switch (asked) {
    case TRAWL_ENGINE_AUTO:
        *ops = &engine_auto;
        return TRAWL_OK;
    case TRAWL_ENGINE_CPU:
        *ops = &engine_cpu;
        return TRAWL_OK;
    case TRAWL_ENGINE_CUDA:
        *ops = &engine_cuda;
        return TRAWL_OK;
    }
    return TRAWL_FAIL(error, ARGUMENT, "engine %d does not exist", (int)asked);
}

const struct engine_ops *engine_for_algorithms(void)
{
    return GALLERY_OPS;
}

const struct plan_algorithms *engine_algorithms(void)
{
    return GALLERY_ALGORITHMS;
}
