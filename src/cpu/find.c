/* find: the table of variants. */
#include "cpu/find.h"

#include <string.h>

/* Best first. */
static const struct find_ops *const variants[] = {
#if defined(__x86_64__) && !defined(TRAWL_ONLY_PORTABLE)
    &find_avx512vbmi, &find_avx512, &find_avx2, &find_sse2,
#elif defined(__aarch64__) && !defined(TRAWL_ONLY_PORTABLE)
    &find_neon,
#endif
    &find_portable,
};

/* The variants this machine can run, best first; NULL beyond the last. */
static const struct find_ops *find_variant(uint32_t index)
{
    for (uint32_t i = 0; i < sizeof variants / sizeof variants[0]; i++)
        if (variants[i]->is_supported() && index-- == 0)
            return variants[i];
    return NULL;
}

const struct find_ops *find_by_name(const char *name)
{
    const struct find_ops *variant;

    if (name == NULL)
        return find_variant(0);
    for (uint32_t i = 0; (variant = find_variant(i)) != NULL; i++)
        if (strcmp(variant->name, name) == 0)
            return variant;
    return NULL;
}

const char *trawl_instruction_set(uint32_t index)
{
    const struct find_ops *variant = find_variant(index);

    return variant == NULL ? NULL : variant->name;
}
