/* find: the variants, and which of them this machine can run. */
#include "cpu/find.h"

#include <string.h>

/* What variants need: each what the ones before it need, and more. */
enum find_level { LEVEL_ALL, LEVEL_AVX2, LEVEL_AVX512, LEVEL_AVX512VBMI };

#if defined(__x86_64__) && !defined(TRAWL_ONLY_PORTABLE)
/* The C library asked the processor when the program began, so its answer costs nothing. A dozen
 * CPUID instructions, each of which stops a virtual machine, took 3.6 us on the one measured: a
 * fifteenth of the time that `trawl` takes to search 1 KiB. Older C libraries cannot say. */
#if defined __GLIBC__ && defined __has_include && !defined TRAWL_FEATURES_BY_CPUID
#if __GLIBC_PREREQ(2, 33) && __has_include(<sys/platform/x86.h>)
#include <sys/platform/x86.h>
#endif
#endif

/* Which instructions the processor has and the system lets programs use. */
#ifdef CPU_FEATURE_ACTIVE
/* CPU_FEATURE_ACTIVE, without its shift of a one into the sign of an int. */
static bool feature_is_active(unsigned index)
{
    const struct cpuid_feature *leaf = __x86_get_cpuid_feature_leaf(index / 128);

    return (leaf->active_array[index % 128 / 32] >> (index % 32) & 1) != 0;
}
#define HAS_FEATURE(name) feature_is_active(x86_cpu_##name)

static enum find_level level_here(void)
{
    if (!HAS_FEATURE(AVX2) || !HAS_FEATURE(BMI1) || !HAS_FEATURE(BMI2) || !HAS_FEATURE(POPCNT))
        return LEVEL_ALL;
    if (!HAS_FEATURE(AVX512F) || !HAS_FEATURE(AVX512BW) || !HAS_FEATURE(AVX512VL) ||
        !HAS_FEATURE(AVX512DQ))
        return LEVEL_AVX2;
    if (!HAS_FEATURE(AVX512_VBMI) || !HAS_FEATURE(AVX512_VBMI2) || !HAS_FEATURE(AVX512_VPOPCNTDQ) ||
        !HAS_FEATURE(GFNI))
        return LEVEL_AVX512;
    return LEVEL_AVX512VBMI;
}
#else
/* Not __builtin_cpu_supports: the support library of zig 0.17 answers no to everything. */
#include <cpuid.h>

/* Registers that the system saves, bits of XCR0 (Intel, Software Developer's Manual 1, 13.3). */
#define SAVES_AVX 0x06u
#define SAVES_AVX512 0xe6u

static enum find_level level_here(void)
{
    const unsigned avx2 = bit_AVX2 | bit_BMI | bit_BMI2;
    const unsigned avx512 = bit_AVX512F | bit_AVX512BW | bit_AVX512VL | bit_AVX512DQ;
    const unsigned vbmi = bit_AVX512VBMI | bit_AVX512VBMI2 | bit_AVX512VPOPCNTDQ | bit_GFNI;
    unsigned eax, ebx, ecx, edx, saves, high;

    if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || (ecx & bit_OSXSAVE) == 0 ||
        (ecx & bit_POPCNT) == 0 || !__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx))
        return LEVEL_ALL;
    __asm__("xgetbv" : "=a"(saves), "=d"(high) : "c"(0));
    if ((saves & SAVES_AVX) != SAVES_AVX || (ebx & avx2) != avx2)
        return LEVEL_ALL;
    if ((saves & SAVES_AVX512) != SAVES_AVX512 || (ebx & avx512) != avx512)
        return LEVEL_AVX2;
    return (ecx & vbmi) == vbmi ? LEVEL_AVX512VBMI : LEVEL_AVX512;
}
#endif
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
#elif defined(__aarch64__) && !defined(TRAWL_ONLY_PORTABLE)
    {&find_neon, LEVEL_ALL},
#endif
    {&find_portable, LEVEL_ALL},
};

const struct find_ops *find_by_name(const char *name)
{
    enum find_level level = level_here();

    for (uint32_t i = 0; i < sizeof variants / sizeof variants[0]; i++)
        if (variants[i].needs <= level &&
            (name == NULL || strcmp(variants[i].ops->name, name) == 0))
            return variants[i].ops;
    return NULL;
}

const char *trawl_instruction_set(uint32_t index)
{
    enum find_level level = level_here();

    for (uint32_t i = 0; i < sizeof variants / sizeof variants[0]; i++)
        if (variants[i].needs <= level && index-- == 0)
            return variants[i].ops->name;
    return NULL;
}
