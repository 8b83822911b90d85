/* image: finds the kernels' fat binaries in the shared object libtrawl_kernels. */
#ifndef TRAWL_CUDA_IMAGE_H
#define TRAWL_CUDA_IMAGE_H

#include <stdint.h>

#include "base/status.h"

struct cuda_image {
    const char *content; /* for messages: "kernels" */
    const char *name;    /* in libtrawl_kernels */
};

/* The CUDA engine's kernels: those of stream_set in `sets`, all others in `scan`. */
extern const struct cuda_image cuda_image_scan, cuda_image_sets;

/* Sets *bytes to the fat binary, which stays loaded. Errors: ENGINE if the build has none, or if
 * libtrawl_kernels cannot be loaded. Threads: any. */
enum trawl_status cuda_image_find(const struct cuda_image *image, const void **bytes,
                                  struct trawl_error *error);

#endif
