/* image: loads libtrawl_kernels when a device is first opened. The build defines
 * TRAWL_KERNELS_LIBRARY and TRAWL_KERNELS_KEY; without nvcc, the library's name is empty. */
#include "cuda/image.h"

#include <string.h>

#include "base/beside.h"
#include "cuda/kernels/library.h"

const struct cuda_image cuda_image_scan = {"kernels", "scan"};
const struct cuda_image cuda_image_sets = {"kernels for sets", "sets"};

static bool is_same_kernels(const void *exported)
{
    return strcmp(((const struct kernels_library *)exported)->key, TRAWL_KERNELS_KEY) == 0;
}

enum trawl_status cuda_image_find(const struct cuda_image *image, const void **bytes,
                                  struct trawl_error *error)
{
    static struct beside_library library = {TRAWL_KERNELS_LIBRARY, "trawl_kernels", is_same_kernels,
                                            NULL};
    char reason[BESIDE_REASON_BYTES];
    const struct kernels_library *kernels;
    const struct kernels_image *found;

    *bytes = NULL;
    if (library.library[0] == '\0')
        return TRAWL_FAIL(error, ENGINE, "this build has no GPU kernels: it was made without nvcc");
    kernels = (const struct kernels_library *)beside_load(&library, reason);
    if (kernels == NULL)
        return TRAWL_FAIL(error, ENGINE, "the GPU's kernels are in %s, which cannot be loaded: %s",
                          TRAWL_KERNELS_LIBRARY, reason);
    found = kernels->images;
    while (found->name != NULL && strcmp(found->name, image->name) != 0)
        found++;
    if (found->name == NULL)
        return TRAWL_FAIL(error, ENGINE, "%s has no %s", TRAWL_KERNELS_LIBRARY, image->content);
    *bytes = found->begin;
    return TRAWL_OK;
}
