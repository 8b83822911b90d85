/* image: embeds the kernels' fat binaries, which nvcc makes, in the library. */
#ifndef TRAWL_CUDA_IMAGE_H
#define TRAWL_CUDA_IMAGE_H

#include <stdint.h>

struct cuda_image {
    const char *content;        /* for messages: "kernels" */
    const uint8_t *begin, *end; /* equal: not built */
};

/* The CUDA engine's kernels: those of stream_set in `sets`, all others in `scan`. */
extern const struct cuda_image cuda_image_scan;
extern const struct cuda_image cuda_image_sets;

/* CUDA_IMAGE(name, "file", "content") embeds the file and defines cuda_image_<name>. */
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

/* Defines cuda_image_<name> for a build without kernels. */
#define CUDA_IMAGE_NONE(name, text)                  \
    static const uint8_t cuda_bytes_##name[1] = {0}; \
    const struct cuda_image cuda_image_##name = {text, cuda_bytes_##name, cuda_bytes_##name};

#endif
