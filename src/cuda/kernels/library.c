/* library: embeds the fat binaries in libtrawl_kernels. The build defines TRAWL_IMAGE_SCAN and its
 * siblings, each the path of a file, and TRAWL_KERNELS_KEY. */
#include "cuda/kernels/library.h"

/* IMAGE(name, "file") embeds the file as image_<name>. */
#define IMAGE(name, file)               \
    __asm__(".pushsection .rodata\n"    \
            ".balign 64\n"              \
            ".hidden image_" #name "\n" \
            ".globl image_" #name "\n"  \
            "image_" #name ":\n"        \
            ".incbin \"" file "\"\n"    \
            ".byte 0\n"                 \
            ".popsection\n");           \
    extern const uint8_t image_##name[] __attribute__((visibility("hidden")));

IMAGE(scan, TRAWL_IMAGE_SCAN)
IMAGE(sets, TRAWL_IMAGE_SETS)
IMAGE(grams, TRAWL_IMAGE_GRAMS)
#if defined(TRAWL_IMAGE_GALLERY)
IMAGE(gallery, TRAWL_IMAGE_GALLERY)
IMAGE(gallery_debug, TRAWL_IMAGE_GALLERY_DEBUG)
IMAGE(gallery_lists, TRAWL_IMAGE_GALLERY_LISTS)
IMAGE(children, TRAWL_IMAGE_CHILDREN)
#endif

extern const struct kernels_library trawl_kernels;
__attribute__((visibility("default"))) const struct kernels_library trawl_kernels = {
    TRAWL_KERNELS_KEY,
    {
        {"scan", image_scan},
        {"sets", image_sets},
        {"grams", image_grams},
#if defined(TRAWL_IMAGE_GALLERY)
        {"gallery", image_gallery},
        {"gallery_debug", image_gallery_debug},
        {"gallery_lists", image_gallery_lists},
        {"children", image_children},
#endif
    },
};
