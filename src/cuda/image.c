/* image: the engine's kernels, embedded. TRAWL_CUDA_IMAGE_SCAN names the fat binary; without it
 * there are none. */
#include "cuda/image.h"

#if defined(TRAWL_CUDA_IMAGE_SCAN)
CUDA_IMAGE(scan, TRAWL_CUDA_IMAGE_SCAN, "kernels")
#else
CUDA_IMAGE_NONE(scan, "kernels")
#endif
