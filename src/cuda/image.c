/* image: the kernels, embedded. TRAWL_CUDA_IMAGE names the fat binary; without it there are none.
 */
#include "cuda/device.h"

#if defined(TRAWL_CUDA_IMAGE)
__asm__(".pushsection .rodata\n"
        ".balign 64\n"
        ".hidden cuda_image_begin\n.globl cuda_image_begin\ncuda_image_begin:\n"
        ".incbin \"" TRAWL_CUDA_IMAGE "\"\n"
        ".hidden cuda_image_end\n.globl cuda_image_end\ncuda_image_end:\n"
        ".byte 0\n"
        ".popsection\n");
extern const uint8_t cuda_image_begin[] __attribute__((visibility("hidden")));
extern const uint8_t cuda_image_end[] __attribute__((visibility("hidden")));
#define IMAGE_BYTES ((uint64_t)(cuda_image_end - cuda_image_begin))
#else
static const uint8_t cuda_image_begin[1] = {0};
#define IMAGE_BYTES 0
#endif

const uint8_t *cuda_image_data(uint64_t *bytes)
{
    *bytes = IMAGE_BYTES;
    return cuda_image_begin;
}
