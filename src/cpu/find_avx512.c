/* find_avx512: candidate bitmaps with AVX-512 as of Skylake. Grams with 32-byte vectors: comparing
 * into mask registers, which one port does, costs more than it saves. */
#define VARIANT avx512
#include "cpu/features.h"
#include "cpu/find_avx512_impl.h"

#define HAS_GRAM_VECTORS
#include "cpu/find_vector32.h"

#include "cpu/find_impl.h"

static bool is_supported(void)
{
    return HAS_FEATURE(AVX512F, "avx512f") && HAS_FEATURE(AVX512BW, "avx512bw") &&
           HAS_FEATURE(AVX512VL, "avx512vl") && HAS_FEATURE(AVX512DQ, "avx512dq") &&
           HAS_FEATURE(BMI2, "bmi2") && HAS_FEATURE(POPCNT, "popcnt");
}

const struct find_ops find_avx512 = {
    "avx512",     is_supported,  every_avx512, every_fold_avx512, words_avx512,      grams_avx512,
    set_avx512,   bytes_avx512,  sieve_avx512, mismatch_avx512,   count_bits_avx512, samples_avx512,
    quads_avx512, begins_avx512, stems_avx512, counts_avx512,     stem_keys_vectors, NULL,
    NULL,         NULL};
