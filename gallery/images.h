/* images: the gallery's compiled kernels: those of most algorithms, those of pss compiled for
 * debugging, and those that launch child grids, which are linked with the CUDA device runtime. */
#ifndef TRAWL_GALLERY_IMAGES_H
#define TRAWL_GALLERY_IMAGES_H

#include "cuda/image.h"

extern const struct cuda_image cuda_image_gallery, cuda_image_gallery_debug, cuda_image_children;

#endif
