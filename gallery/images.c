/* images: the gallery's kernels, embedded. TRAWL_CUDA_IMAGE_GALLERY and so on name the fat
 * binaries; without them there are none. */
#include "gallery/images.h"

#define CONTENT "gallery"
#define CHILDREN_CONTENT "gallery with child grids"

#if defined(TRAWL_CUDA_IMAGE_GALLERY)
CUDA_IMAGE(gallery, TRAWL_CUDA_IMAGE_GALLERY, CONTENT)
CUDA_IMAGE(gallery_debug, TRAWL_CUDA_IMAGE_GALLERY_DEBUG, CONTENT)
CUDA_IMAGE(children, TRAWL_CUDA_IMAGE_CHILDREN, CHILDREN_CONTENT)
CUDA_IMAGE(children_debug, TRAWL_CUDA_IMAGE_CHILDREN_DEBUG, CHILDREN_CONTENT)
#else
CUDA_IMAGE_NONE(gallery, CONTENT)
CUDA_IMAGE_NONE(gallery_debug, CONTENT)
CUDA_IMAGE_NONE(children, CHILDREN_CONTENT)
CUDA_IMAGE_NONE(children_debug, CHILDREN_CONTENT)
#endif
