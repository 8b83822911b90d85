/* images: the gallery's kernels, embedded. TRAWL_CUDA_IMAGE_GALLERY and the two similar macros
 * name the fat binaries. A build without these macros embeds no kernels. */
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
