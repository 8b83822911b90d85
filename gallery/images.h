/* images: the gallery's kernels as nvcc compiled them: those of most algorithms, those of pss
 * compiled for debugging, and those that launch child grids, which link the device's run-time
 * library. */
#ifndef TRAWL_GALLERY_IMAGES_H
#define TRAWL_GALLERY_IMAGES_H

#include "cuda/image.h"

extern const struct cuda_image cuda_image_gallery, cuda_image_gallery_debug, cuda_image_children;

#endif
