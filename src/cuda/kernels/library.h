/* library: what libtrawl_kernels exports: the kernels' fat binaries, which nvcc makes. */
#ifndef TRAWL_CUDA_KERNELS_LIBRARY_H
#define TRAWL_CUDA_KERNELS_LIBRARY_H

#include <stdint.h>

#define KERNELS_IMAGES_MAX 6u

struct kernels_image {
    const char *name; /* NULL: after the last image */
    const uint8_t *begin;
};

struct kernels_library {
    const char *key; /* a hash of the kernels' sources: a program loads only those that it knows */
    struct kernels_image images[KERNELS_IMAGES_MAX + 1u];
};

#endif
