/* engines: the one file that names the gallery, and what it says where there is none. */
#include "runtime/engines.h"

#if TRAWL_GALLERY
#include "gallery/engine_gallery.h"
#define GALLERY_OPS &engine_gallery
#define GALLERY_ALGORITHMS &gallery_algorithms
#else
#define GALLERY_OPS NULL
#define GALLERY_ALGORITHMS NULL
#endif

const struct engine_ops *engine_for_algorithms(void)
{
    return GALLERY_OPS;
}

const struct plan_algorithms *engine_algorithms(void)
{
    return GALLERY_ALGORITHMS;
}
