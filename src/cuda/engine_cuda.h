/* engine_cuda: the engine for NVIDIA GPUs. */
#ifndef TRAWL_CUDA_ENGINE_CUDA_H
#define TRAWL_CUDA_ENGINE_CUDA_H

#include "engine.h"

/* Errors of open: ENGINE if there is no driver or no suitable device, or if the build has no
 * kernels; DEVICE; MEMORY. */
extern const struct engine_ops engine_cuda;

#endif
