/* approx_image: embeds the kernels for approximate search. TRAWL_CUDA_IMAGE_GRAMS names the fat
 * binary; without the macro there are no kernels. */
#include "approximate/approx_image.h"

#if defined(TRAWL_CUDA_IMAGE_GRAMS)
CUDA_IMAGE(grams, TRAWL_CUDA_IMAGE_GRAMS, "kernels for errors")
#else
CUDA_IMAGE_NONE(grams, "kernels for errors")
#endif
