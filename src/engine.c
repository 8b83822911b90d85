/* engine: the list of engines, and which one a searcher gets. */
#include "search.h"

#include "cuda/engine_cuda.h"
#include "engine_auto.h"

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
