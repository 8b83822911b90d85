/* image: kernels, as nvcc made them, embedded in the library. */
#ifndef TRAWL_CUDA_IMAGE_H
#define TRAWL_CUDA_IMAGE_H

#include <stdint.h>

struct cuda_image {
    const char *content;        /* for messages: "kernels" */
    const uint8_t *begin, *end; /* equal: the build has none */
};

/* The kernels of the CUDA engine: stream_set's, and all others. */
extern const struct cuda_image cuda_image_scan;
extern const struct cuda_image cuda_image_sets;

/* Embed a file, and its image: CUDA_IMAGE(name, "file", "content") makes cuda_image_<name>. */
#define CUDA_IMAGE(name, file, text)                                                             \
    __asm__(".pushsection .rodata\n"                                                             \
            ".balign 64\n"                                                                       \
            ".hidden cuda_bytes_" #name "\n.globl cuda_bytes_" #name "\ncuda_bytes_" #name ":\n" \
            ".incbin \"" file "\"\n"                                                             \
            ".hidden cuda_bytes_end_" #name "\n.globl cuda_bytes_end_" #name                     \
            "\ncuda_bytes_end_" #name ":\n"                                                      \
            ".byte 0\n"                                                                          \
            ".popsection\n");                                                                    \
    extern const uint8_t cuda_bytes_##name[] __attribute__((visibility("hidden")));              \
    extern const uint8_t cuda_bytes_end_##name[] __attribute__((visibility("hidden")));          \
    const struct cuda_image cuda_image_##name = {text, cuda_bytes_##name, cuda_bytes_end_##name};

/* The same for a build without kernels. */
#define CUDA_IMAGE_NONE(name, text)                  \
    static const uint8_t cuda_bytes_##name[1] = {0}; \
    const struct cuda_image cuda_image_##name = {text, cuda_bytes_##name, cuda_bytes_##name};

#endif
