/* find_avx512: candidate bitmaps with AVX-512 as of Skylake. Grams with 32-byte vectors: comparing
 * into mask registers, which one port does, costs more than it saves. */
#define VARIANT avx512
#include "cpu/find_avx512_impl.h"

#define HAS_GRAM_VECTORS
#include "cpu/find_vector32.h"

#include "cpu/find_impl.h"

static bool is_supported(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
}

const struct find_ops find_avx512 = {
    "avx512",          is_supported, every_avx512,  every_fold_avx512, words_avx512,
    grams_avx512,      set_avx512,   bytes_avx512,  sieve_avx512,      mismatch_avx512,
    count_bits_avx512, quads_avx512, begins_avx512, stems_avx512,      NULL};
