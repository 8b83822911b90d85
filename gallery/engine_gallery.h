/* engine_gallery: the engine of plans that name an algorithm. It runs published algorithms, as
 * published, on the host's cores or on the devices of an open CUDA engine. */
#ifndef TRAWL_GALLERY_ENGINE_GALLERY_H
#define TRAWL_GALLERY_ENGINE_GALLERY_H

#include "engine.h"
#include "gallery/gallery_algorithm.h"

extern const struct engine_ops engine_gallery;

#endif
