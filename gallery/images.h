/* images: the gallery's kernels as nvcc compiled them. Kernels that launch child grids are in an
 * image of their own; a third image has the kernels of pss without optimisation. */
#ifndef TRAWL_GALLERY_IMAGES_H
#define TRAWL_GALLERY_IMAGES_H

#include "cuda/image.h"

extern const struct cuda_image cuda_image_gallery, cuda_image_gallery_debug, cuda_image_children;

#endif
