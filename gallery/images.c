/* images: embeds the fat binaries that TRAWL_CUDA_IMAGE_GALLERY and its two siblings name, or none
 * if the build has no nvcc. */
#include "gallery/images.h"

#define CONTENT "gallery"
#define CHILDREN_CONTENT "gallery with child grids"

#if defined(TRAWL_CUDA_IMAGE_GALLERY)
CUDA_IMAGE(gallery, TRAWL_CUDA_IMAGE_GALLERY, CONTENT)
CUDA_IMAGE(gallery_debug, TRAWL_CUDA_IMAGE_GALLERY_DEBUG, CONTENT)
CUDA_IMAGE(children, TRAWL_CUDA_IMAGE_CHILDREN, CHILDREN_CONTENT)
#else
CUDA_IMAGE_NONE(gallery, CONTENT)
CUDA_IMAGE_NONE(gallery_debug, CONTENT)
CUDA_IMAGE_NONE(children, CHILDREN_CONTENT)
#endif
