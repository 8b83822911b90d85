/* processor: asks the processor which instruction sets it has. */
#include "base/processor.h"

#if defined(__x86_64__) && !defined(TRAWL_ONLY_PORTABLE)
/* __builtin_cpu_supports cannot be used here: the support library of zig 0.17 always answers no. */
#include <cpuid.h>
#include <stdatomic.h>

/* Registers that the OS saves, as bits of XCR0 (Intel, Software Developer's Manual 1, 13.3). */
#define SAVES_AVX 0x06u
#define SAVES_AVX512 0xe6u

static enum processor_level find_level(void)
{
    const unsigned avx2 = bit_AVX2 | bit_BMI | bit_BMI2;
    const unsigned avx512 = bit_AVX512F | bit_AVX512BW | bit_AVX512VL | bit_AVX512DQ;
    const unsigned vbmi = bit_AVX512VBMI | bit_AVX512VBMI2 | bit_AVX512VPOPCNTDQ | bit_GFNI;
    unsigned eax, ebx, ecx, edx, saves, high;

    __cpuid(0, eax, ebx, ecx, edx);
    if (eax < 7)
        return PROCESSOR_ALL;
    __cpuid(1, eax, ebx, ecx, edx);
    if ((ecx & bit_OSXSAVE) == 0 || (ecx & bit_POPCNT) == 0)
        return PROCESSOR_ALL;
    __cpuid_count(7, 0, eax, ebx, ecx, edx);
    __asm__("xgetbv" : "=a"(saves), "=d"(high) : "c"(0));
    if ((saves & SAVES_AVX) != SAVES_AVX || (ebx & avx2) != avx2)
        return PROCESSOR_ALL;
    if ((saves & SAVES_AVX512) != SAVES_AVX512 || (ebx & avx512) != avx512)
        return PROCESSOR_AVX2;
    return (ecx & vbmi) == vbmi ? PROCESSOR_AVX512VBMI : PROCESSOR_AVX512;
}

enum processor_level processor_level(void)
{
    static atomic_int known; /* the level + 1; 0: not asked yet */
    int level = atomic_load_explicit(&known, memory_order_relaxed) - 1;

    if (level < 0) {
        level = (int)find_level();
        atomic_store_explicit(&known, level + 1, memory_order_relaxed);
    }
    return (enum processor_level)level;
}
#else
enum processor_level processor_level(void)
{
    return PROCESSOR_ALL;
}
#endif
