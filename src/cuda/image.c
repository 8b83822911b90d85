/* image: the kernels, embedded. TRAWL_CUDA_IMAGE_SCAN and so on name the fat binaries; without
 * them there are none.
 */
#include "cuda/device.h"

struct image {
    const uint8_t *begin, *end;
};

#if defined(TRAWL_CUDA_IMAGE_SCAN)
#define EMBED(name, file)                                                                        \
    __asm__(".pushsection .rodata\n"                                                             \
            ".balign 64\n"                                                                       \
            ".hidden cuda_image_" #name "\n.globl cuda_image_" #name "\ncuda_image_" #name ":\n" \
            ".incbin \"" file "\"\n"                                                             \
            ".hidden cuda_image_end_" #name "\n.globl cuda_image_end_" #name                     \
            "\ncuda_image_end_" #name ":\n"                                                      \
            ".byte 0\n"                                                                          \
            ".popsection\n");                                                                    \
    extern const uint8_t cuda_image_##name[] __attribute__((visibility("hidden")));              \
    extern const uint8_t cuda_image_end_##name[] __attribute__((visibility("hidden")));
#define EMBED_LISTED(name) EMBED(name, TRAWL_CUDA_IMAGE_##name)
CUDA_IMAGE_LIST(EMBED_LISTED)
#define ROW(name) [CUDA_IMAGE_##name] = {cuda_image_##name, cuda_image_end_##name},
#else
static const uint8_t none[1] = {0};
#define ROW(name) [CUDA_IMAGE_##name] = {none, none},
#endif
static const struct image images[CUDA_IMAGES] = {CUDA_IMAGE_LIST(ROW)};

const uint8_t *cuda_image_data(enum cuda_image image, uint64_t *bytes)
{
    *bytes = (uint64_t)(images[image].end - images[image].begin);
    return images[image].begin;
}
