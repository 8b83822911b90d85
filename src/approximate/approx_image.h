/* approx_image: declares the embedded kernels for approximate search. */
#ifndef TRAWL_APPROXIMATE_APPROX_IMAGE_H
#define TRAWL_APPROXIMATE_APPROX_IMAGE_H

#include "cuda/image.h"

extern const struct cuda_image cuda_image_grams;

#endif
