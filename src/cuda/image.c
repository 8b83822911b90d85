/* image: the kernels, embedded. TRAWL_CUDA_IMAGE, _GALLERY and _GALLERY_DEBUG name the fat
 * binaries; without them there are none.
 */
#include "cuda/device.h"

#if defined(TRAWL_CUDA_IMAGE)
#define EMBED(name, file)                                                         \
    __asm__(".pushsection .rodata\n"                                              \
            ".balign 64\n"                                                        \
            ".hidden " #name "_begin\n.globl " #name "_begin\n" #name "_begin:\n" \
            ".incbin \"" file "\"\n"                                              \
            ".hidden " #name "_end\n.globl " #name "_end\n" #name "_end:\n"       \
            ".byte 0\n"                                                           \
            ".popsection\n");                                                     \
    extern const uint8_t name##_begin[] __attribute__((visibility("hidden")));    \
    extern const uint8_t name##_end[] __attribute__((visibility("hidden")))
#define BYTES(name) ((uint64_t)(name##_end - name##_begin))
EMBED(cuda_image, TRAWL_CUDA_IMAGE);
EMBED(cuda_image_gallery, TRAWL_CUDA_GALLERY);
EMBED(cuda_image_debug, TRAWL_CUDA_GALLERY_DEBUG);
#else
#define BYTES(name) ((uint64_t)(sizeof name##_begin - 1))
static const uint8_t cuda_image_begin[1] = {0};
static const uint8_t cuda_image_gallery_begin[1] = {0};
static const uint8_t cuda_image_debug_begin[1] = {0};
#endif

const uint8_t *cuda_image_data(uint64_t *bytes)
{
    *bytes = BYTES(cuda_image);
    return cuda_image_begin;
}

const uint8_t *cuda_image_gallery(bool debug, uint64_t *bytes)
{
    *bytes = debug ? BYTES(cuda_image_debug) : BYTES(cuda_image_gallery);
    return debug ? cuda_image_debug_begin : cuda_image_gallery_begin;
}
