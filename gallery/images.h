/* images: the gallery's kernels as nvcc compiled them, optimised and for debugging. Kernels that
 * launch child grids are in separate images. */
#ifndef TRAWL_GALLERY_IMAGES_H
#define TRAWL_GALLERY_IMAGES_H

#include "cuda/image.h"

extern const struct cuda_image cuda_image_gallery, cuda_image_gallery_debug;
extern const struct cuda_image cuda_image_children, cuda_image_children_debug;

#endif
