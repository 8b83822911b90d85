/* measure: what the programs that measure on a device share. */
#ifndef TRAWL_TESTS_GPU_MEASURE_H
#define TRAWL_TESTS_GPU_MEASURE_H

#include "cuda/residents.h"
#include "cuda/worker.h"
#include "plan/plan.h"
#include "gpu/gpu.h"

/* Nearly as large as a chunk with hits may be. */
#define MEASURE_PIECE_BYTES ((1ull << 32) - (1ull << 20))
#define MEASURE_REPEATS_MAX 99u
#define MEASURE_SLACK_BYTES 64u
#define MEASURE_WORDS 100000u

enum measure_text { MEASURE_LETTERS, MEASURE_DNA, MEASURE_ENGLISH, MEASURE_TEXTS };

double measure_now(void);
/* Sorts them. */
double measure_median(double *seconds, uint32_t count);
/* Prints the error and ends the program where there is one. */
void measure_must(enum trawl_status status, const struct trawl_error *error);
/* Ends the program where it does not open. threads as in trawl.h. */
struct trawl_searcher *measure_searcher(enum trawl_engine engine, uint32_t threads);
/* Random bytes: a-z, ACGT, or English words as often as words are. On several threads. */
void measure_fill(uint8_t *bytes, uint64_t count, enum measure_text text);

/* The plan of one pattern, the text its sample; `algorithm` as in trawl.h. NULL: the method does
 * not take the pattern. */
struct trawl_plan *measure_plan(const uint8_t *pattern, uint64_t pattern_bytes, const uint8_t *text,
                                uint64_t text_bytes, enum trawl_method method,
                                const char *algorithm);
/* The plan of `count` patterns of pattern_bytes random letters each, drawn from a seed of that
 * name.
 */
struct trawl_plan *measure_random_plan(uint64_t count, uint64_t pattern_bytes, const char *seed);
/* A text of words of 5 to 12 random letters with blanks between them, each one of the plan's
 * 100,000 and all alike often. Returns the plan. */
struct trawl_plan *measure_words_plan(uint8_t *bytes, uint64_t count);
/* A text in memory. */
struct trawl_text *measure_text(const uint8_t *bytes, uint64_t bytes_count);
/* What a searcher with the CPU engine counts. */
uint64_t measure_cpu_count(struct trawl_searcher *cpu, const uint8_t *pattern,
                           uint64_t pattern_bytes, const uint8_t *text, uint64_t text_bytes);

/* What one worker finds in the text, in pieces as large as may be (for a count, whole): the count,
 * or with FIRST the first begin (UINT64_MAX: none). Hits are counted and must ascend; if not,
 * UINT64_MAX. */
uint64_t measure_scan(struct engine_worker *worker, const struct trawl_plan *plan,
                      const uint8_t *text, uint64_t text_bytes, enum engine_want want);

/* What the scans of algorithms of the gallery say of themselves. */
struct measure_sums {
    uint64_t kernel_ns, child_grids, child_spills, child_withheld, candidates;
};
/* measure_scan by a worker of any engine; adds to the sums unless they are NULL. */
uint64_t measure_scan_sums(const struct engine_ops *ops, struct engine_worker *worker,
                           const struct trawl_plan *plan, const uint8_t *text, uint64_t text_bytes,
                           enum engine_want want, struct measure_sums *sums);

/* Seconds that a kernel takes to read a loaded text, the median: its name, its loads per step, and
 * the grid: `factor` times what is resident, 0: a block per step. */
double measure_read(struct engine_worker *worker, const char *kernel, uint32_t loads,
                    uint32_t factor, const uint8_t *text, uint64_t text_bytes, uint32_t repeats);

#endif
