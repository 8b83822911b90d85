/* read: how fast this machine's memory can be read, by a loop that does nothing else.
 *
 * Eight loads are in flight per step, each into its own accumulator, so that no load waits for
 * an earlier one. The wider loads are compiled by function attribute and taken only where the
 * processor has them. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "bench/read.h"
#include "bench/util.h"

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#define PAGE_BYTES 4096u
#define CHOICE_RUNS 3u

#define EIGHT(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)

#if defined(__x86_64__)
#define DECLARE_256(k) __m256i sum##k = _mm256_setzero_si256();
#define STEP_256(k) \
    sum##k = _mm256_xor_si256(sum##k, _mm256_load_si256((const __m256i *)(text + i) + (k)));

__attribute__((target("avx2"))) static uint64_t read_avx2(const uint8_t *text, uint64_t bytes)
{
    EIGHT(DECLARE_256)
    uint64_t words[4];

    for (uint64_t i = 0; i < bytes; i += 256) {
        EIGHT(STEP_256)
    }
    sum0 = _mm256_xor_si256(_mm256_xor_si256(sum0, sum1), _mm256_xor_si256(sum2, sum3));
    sum4 = _mm256_xor_si256(_mm256_xor_si256(sum4, sum5), _mm256_xor_si256(sum6, sum7));
    _mm256_storeu_si256((__m256i *)words, _mm256_xor_si256(sum0, sum4));
    return words[0] ^ words[1] ^ words[2] ^ words[3];
}

#define DECLARE_512(k) __m512i sum##k = _mm512_setzero_si512();
#define STEP_512(k) sum##k = _mm512_xor_si512(sum##k, _mm512_load_si512(text + i + 64 * (k)));

__attribute__((target("avx512f"))) static uint64_t read_avx512(const uint8_t *text, uint64_t bytes)
{
    EIGHT(DECLARE_512)
    uint64_t words[8], sum = 0;

    for (uint64_t i = 0; i < bytes; i += 512) {
        EIGHT(STEP_512)
    }
    sum0 = _mm512_xor_si512(_mm512_xor_si512(sum0, sum1), _mm512_xor_si512(sum2, sum3));
    sum4 = _mm512_xor_si512(_mm512_xor_si512(sum4, sum5), _mm512_xor_si512(sum6, sum7));
    _mm512_storeu_si512(words, _mm512_xor_si512(sum0, sum4));
    for (uint32_t k = 0; k < 8; k++)
        sum ^= words[k];
    return sum;
}

#define DECLARE_128(k) __m128i sum##k = _mm_setzero_si128();
#define STEP_128(k) \
    sum##k = _mm_xor_si128(sum##k, _mm_load_si128((const __m128i *)(text + i) + (k)));

static uint64_t read_sse2(const uint8_t *text, uint64_t bytes)
{
    EIGHT(DECLARE_128)
    uint64_t words[2];

    for (uint64_t i = 0; i < bytes; i += 128) {
        EIGHT(STEP_128)
    }
    sum0 = _mm_xor_si128(_mm_xor_si128(sum0, sum1), _mm_xor_si128(sum2, sum3));
    sum4 = _mm_xor_si128(_mm_xor_si128(sum4, sum5), _mm_xor_si128(sum6, sum7));
    _mm_storeu_si128((__m128i *)words, _mm_xor_si128(sum0, sum4));
    return words[0] ^ words[1];
}
#elif defined(__aarch64__)
#define DECLARE_NEON(k) uint64x2_t sum##k = vdupq_n_u64(0);
#define STEP_NEON(k) \
    sum##k = veorq_u64(sum##k, vreinterpretq_u64_u8(vld1q_u8(text + i + 16 * (k))));

static uint64_t read_neon(const uint8_t *text, uint64_t bytes)
{
    EIGHT(DECLARE_NEON)

    for (uint64_t i = 0; i < bytes; i += 128) {
        EIGHT(STEP_NEON)
    }
    sum0 = veorq_u64(veorq_u64(sum0, sum1), veorq_u64(sum2, sum3));
    sum4 = veorq_u64(veorq_u64(sum4, sum5), veorq_u64(sum6, sum7));
    sum0 = veorq_u64(sum0, sum4);
    return vgetq_lane_u64(sum0, 0) ^ vgetq_lane_u64(sum0, 1);
}
#endif

static uint64_t read_words(const uint8_t *text, uint64_t bytes)
{
    uint64_t sum[8] = {0};

    for (uint64_t i = 0; i < bytes; i += sizeof sum) {
        uint64_t words[8];

        memcpy(words, text + i, sizeof words);
        for (uint32_t k = 0; k < 8; k++)
            sum[k] ^= words[k];
    }
    return sum[0] ^ sum[1] ^ sum[2] ^ sum[3] ^ sum[4] ^ sum[5] ^ sum[6] ^ sum[7];
}

/* ---- Choice ------------------------------------------------------------------------------- */

static bool always(void)
{
    return true;
}

#if defined(__x86_64__)
static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") != 0;
}

static bool has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") != 0;
}
#endif

static const struct {
    struct reader reader;
    bool (*available)(void);
} readers[] = {
#if defined(__x86_64__)
    {{"64-byte loads (AVX-512), 8 in flight", read_avx512}, has_avx512},
    {{"32-byte loads (AVX2), 8 in flight", read_avx2}, has_avx2},
    {{"16-byte loads (SSE2), 8 in flight", read_sse2}, always},
#elif defined(__aarch64__)
    {{"16-byte loads (NEON), 8 in flight", read_neon}, always},
#endif
    {{"8-byte loads, 8 in flight", read_words}, always},
};

const struct reader *reader_choose(const uint8_t *text, uint64_t bytes)
{
    const struct reader *best = NULL;
    double best_seconds = 0;

    for (size_t i = 0; i < sizeof readers / sizeof readers[0]; i++) {
        struct samples samples = {{0}, 0};

        if (!readers[i].available())
            continue;
        for (uint32_t run = 0; run < CHOICE_RUNS; run++) {
            double seconds;

            reader_run(&readers[i].reader, text, bytes, 1, &seconds);
            samples_add(&samples, seconds);
        }
        if (best == NULL || samples_least(&samples) < best_seconds) {
            best = &readers[i].reader;
            best_seconds = samples_least(&samples);
        }
    }
    return best;
}

/* ---- Threads ------------------------------------------------------------------------------ */

struct slice {
    pthread_t thread;
    pthread_barrier_t *ready;
    const struct reader *reader;
    const uint8_t *text;
    uint64_t bytes;
    uint64_t sum;
    double begin, end;
};

static void *read_slice(void *context)
{
    struct slice *slice = (struct slice *)context;

    pthread_barrier_wait(slice->ready);
    slice->begin = clock_seconds();
    slice->sum = slice->reader->run(slice->text, slice->bytes);
    slice->end = clock_seconds();
    return NULL;
}

static uint64_t run_threads(const struct reader *reader, const uint8_t *text, uint64_t bytes,
                            uint32_t threads, double *seconds)
{
    struct slice *slices = (struct slice *)allocate(threads * sizeof *slices);
    uint64_t pages = bytes / PAGE_BYTES, sum = 0;
    double begin = 0, end = 0;
    pthread_barrier_t ready;

    pthread_barrier_init(&ready, NULL, threads);
    for (uint32_t i = 0; i < threads; i++) {
        uint64_t first = pages * i / threads, next = pages * (i + 1) / threads;

        slices[i] = (struct slice){.ready = &ready,
                                   .reader = reader,
                                   .text = text + first * PAGE_BYTES,
                                   .bytes = (next - first) * PAGE_BYTES};
        if (pthread_create(&slices[i].thread, NULL, read_slice, &slices[i]) != 0)
            fail("a thread could not be started");
    }
    for (uint32_t i = 0; i < threads; i++) {
        pthread_join(slices[i].thread, NULL);
        sum ^= slices[i].sum;
        begin = i == 0 || slices[i].begin < begin ? slices[i].begin : begin;
        end = slices[i].end > end ? slices[i].end : end;
    }
    *seconds = end - begin;
    pthread_barrier_destroy(&ready);
    free(slices);
    return sum;
}

uint64_t reader_run(const struct reader *reader, const uint8_t *text, uint64_t bytes,
                    uint32_t threads, double *seconds)
{
    double begin;
    uint64_t sum;

    if (threads > 1)
        return run_threads(reader, text, bytes, threads, seconds);
    begin = clock_seconds();
    sum = reader->run(text, bytes);
    *seconds = clock_seconds() - begin;
    return sum;
}
