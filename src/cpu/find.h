/* find: candidate bitmaps, one implementation per instruction set.
 *
 * All functions fill mask[word_count]: bit i of word w belongs to place 64 * w + i of the text. They
 * load whole vectors, so the text must be readable for LOAD_SLACK bytes beyond the last byte that
 * the answer depends on. They return the OR of all words: 0 says that nothing was found.
 * find_portable.c is the reference; every other one is tested against it.
 */
#ifndef TRAWL_CPU_FIND_H
#define TRAWL_CPU_FIND_H

#include "plan/plan.h"

#define FIND_LOAD_SLACK 64u
#define FIND_FIRST_MAX 8u

struct find_ops {
    const char *name;
    bool (*is_supported)(void);
    /* Bit x: probes 0 to probe_count - 1 all match at text + x. Depends on text bytes up to
     * 64 * word_count - 1 + the greatest probe offset. The first `first` probes (1 to
     * FIND_FIRST_MAX, at most probe_count) are tested everywhere, the others only in words where a
     * place passed those; *passed grows by the number of such words. */
    uint64_t (*every)(const uint8_t *text, uint64_t word_count, const struct plan_probe *probes,
                      uint32_t first, uint32_t probe_count, uint64_t *mask, uint64_t *passed);
    /* The same when some probe folds case. */
    uint64_t (*every_fold)(const uint8_t *text, uint64_t word_count, const struct plan_probe *probes,
                           uint32_t first, uint32_t probe_count, uint64_t *mask, uint64_t *passed);
    /* Words at text, text + 4, ...: word i equal to words->word[o] sets bit 4 * i + 3 - o. Depends
     * on 64 * word_count bytes of text. */
    uint64_t (*words)(const uint8_t *text, uint64_t word_count, const struct plan_words *words,
                      uint64_t *mask);
    /* Bit x: the gram at text + x passes the set's bitmap. Depends on text bytes up to
     * 64 * word_count + 2. */
    uint64_t (*set)(const uint8_t *text, uint64_t word_count, const struct plan_set *set,
                    const uint64_t *bitmap, uint64_t *mask);
    /* Bits set in mask[word_count]. */
    uint64_t (*count_bits)(const uint64_t *mask, uint64_t word_count);
};

extern const struct find_ops find_portable;
#if defined(__x86_64__)
extern const struct find_ops find_sse2;
extern const struct find_ops find_avx2;
extern const struct find_ops find_avx512;
#elif defined(__aarch64__)
extern const struct find_ops find_neon;
#endif

/* The variants this machine can run, best first; NULL beyond the last. */
const struct find_ops *find_variant(uint32_t index);
/* By name; NULL name: the best. NULL: no such variant here. */
const struct find_ops *find_by_name(const char *name);

#endif
