/* find: the variants, and which of them this machine can run. */
#include "cpu/find.h"

#include <string.h>

/* What variants need: each what the ones before it need, and more. */
enum find_level { LEVEL_ALL, LEVEL_AVX2, LEVEL_AVX512, LEVEL_AVX512VBMI };

#if defined(__x86_64__) && !defined(TRAWL_ONLY_PORTABLE)
/* The C library asked the processor when the program began, so its answer costs nothing. Asking
 * again takes a dozen CPUID instructions, each of which stops a virtual machine, for 3.6 us on the
 * one measured: a fifteenth of the time that `trawl` takes to search 1 KiB. Where the C library
 * cannot say, the compiler's support library asks the processor. */
#if defined __GLIBC__ && defined __has_include && !defined TRAWL_FEATURES_OF_COMPILER
#if __GLIBC_PREREQ(2, 33) && __has_include(<sys/platform/x86.h>)
#include <sys/platform/x86.h>
#endif
#endif
#ifdef CPU_FEATURE_ACTIVE
/* CPU_FEATURE_ACTIVE, without its shift of a one into the sign of an int. */
static bool feature_is_active(unsigned index)
{
    const struct cpuid_feature *leaf = __x86_get_cpuid_feature_leaf(index / 128);

    return (leaf->active_array[index % 128 / 32] >> (index % 32) & 1) != 0;
}
#define HAS_FEATURE(library_name, compiler_name) feature_is_active(x86_cpu_##library_name)
#else
#define HAS_FEATURE(library_name, compiler_name) (__builtin_cpu_supports(compiler_name) != 0)
#endif

/* Which instructions the processor has and the system lets programs use. */
static enum find_level level_here(void)
{
    if (!HAS_FEATURE(AVX2, "avx2") || !HAS_FEATURE(BMI1, "bmi") || !HAS_FEATURE(BMI2, "bmi2") ||
        !HAS_FEATURE(POPCNT, "popcnt"))
        return LEVEL_ALL;
    if (!HAS_FEATURE(AVX512F, "avx512f") || !HAS_FEATURE(AVX512BW, "avx512bw") ||
        !HAS_FEATURE(AVX512VL, "avx512vl") || !HAS_FEATURE(AVX512DQ, "avx512dq"))
        return LEVEL_AVX2;
    if (!HAS_FEATURE(AVX512_VBMI, "avx512vbmi") || !HAS_FEATURE(AVX512_VBMI2, "avx512vbmi2") ||
        !HAS_FEATURE(AVX512_VPOPCNTDQ, "avx512vpopcntdq") || !HAS_FEATURE(GFNI, "gfni"))
        return LEVEL_AVX512;
    return LEVEL_AVX512VBMI;
}
#else
static enum find_level level_here(void)
{
    return LEVEL_ALL;
}
#endif

/* Best first. */
static const struct {
    const struct find_ops *ops;
    enum find_level needs;
} variants[] = {
#if defined(__x86_64__) && !defined(TRAWL_ONLY_PORTABLE)
    {&find_avx512vbmi, LEVEL_AVX512VBMI},
    {&find_avx512, LEVEL_AVX512},
    {&find_avx2, LEVEL_AVX2},
    {&find_sse2, LEVEL_ALL},
#elif defined(__aarch64__) && !defined(TRAWL_ONLY_PORTABLE)
    {&find_neon, LEVEL_ALL},
#endif
    {&find_portable, LEVEL_ALL},
};

/* The variants this machine can run, best first; NULL beyond the last. */
static const struct find_ops *find_variant(uint32_t index)
{
    enum find_level level = level_here();

    for (uint32_t i = 0; i < sizeof variants / sizeof variants[0]; i++)
        if (variants[i].needs <= level && index-- == 0)
            return variants[i].ops;
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
