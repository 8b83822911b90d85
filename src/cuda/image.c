/* image: embeds the engine's kernels. TRAWL_CUDA_IMAGE_SCAN and _SETS name the fat binaries; if
 * they are not defined, the build has no kernels. */
#include "cuda/image.h"

#if defined(TRAWL_CUDA_IMAGE_SCAN)
CUDA_IMAGE(scan, TRAWL_CUDA_IMAGE_SCAN, "kernels")
CUDA_IMAGE(sets, TRAWL_CUDA_IMAGE_SETS, "kernels for sets")
#else
CUDA_IMAGE_NONE(scan, "kernels")
CUDA_IMAGE_NONE(sets, "kernels for sets")
#endif
