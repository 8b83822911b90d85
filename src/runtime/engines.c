/* engines: the one file that names them, and what it says where there is no gallery. */
#include "runtime/engines.h"

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
const struct engine_ops *const engine_for_algorithms = GALLERY_OPS;

const struct plan_algorithms *engine_algorithms(void)
{
    return GALLERY_ALGORITHMS;
}
