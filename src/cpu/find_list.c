/* find_list: lists the variants of the candidate functions (find.h), one for each instruction set,
 * and finds out which variants this machine can run. */
#include "cpu/find.h"

#include <string.h>

/* The instructions that a variant needs. Each level includes all levels before it. */
enum find_level { LEVEL_ALL, LEVEL_AVX2, LEVEL_AVX512, LEVEL_AVX512VBMI };

#if defined(__x86_64__) && !defined(TRAWL_ONLY_PORTABLE)
/* __builtin_cpu_supports does not work here: the support library of zig 0.17 answers no to every
 * question. */
#include <cpuid.h>

/* Registers that the system saves, as bits of XCR0 (Intel, Software Developer's Manual 1, 13.3). */
#define SAVES_AVX 0x06u
#define SAVES_AVX512 0xe6u

static enum find_level level_here(void)
{
    const unsigned avx2 = bit_AVX2 | bit_BMI | bit_BMI2;
    const unsigned avx512 = bit_AVX512F | bit_AVX512BW | bit_AVX512VL | bit_AVX512DQ;
    const unsigned vbmi = bit_AVX512VBMI | bit_AVX512VBMI2 | bit_AVX512VPOPCNTDQ | bit_GFNI;
    unsigned eax, ebx, ecx, edx, saves, high;

    __cpuid(0, eax, ebx, ecx, edx);
    if (eax < 7)
        return LEVEL_ALL;
    __cpuid(1, eax, ebx, ecx, edx);
    if ((ecx & bit_OSXSAVE) == 0 || (ecx & bit_POPCNT) == 0)
        return LEVEL_ALL;
    __cpuid_count(7, 0, eax, ebx, ecx, edx);
    __asm__("xgetbv" : "=a"(saves), "=d"(high) : "c"(0));
    if ((saves & SAVES_AVX) != SAVES_AVX || (ebx & avx2) != avx2)
        return LEVEL_ALL;
    if ((saves & SAVES_AVX512) != SAVES_AVX512 || (ebx & avx512) != avx512)
        return LEVEL_AVX2;
    return (ecx & vbmi) == vbmi ? LEVEL_AVX512VBMI : LEVEL_AVX512;
}
#else
static enum find_level level_here(void)
{
    return LEVEL_ALL;
}
#endif

/* The best variant is first. */
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
