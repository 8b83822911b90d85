/* roofline: what the parts of gpu_roofline share. */
#ifndef TRAWL_TESTS_GPU_ROOFLINE_H
#define TRAWL_TESTS_GPU_ROOFLINE_H

#include "measure.h"

#define ROOFLINE_ROWS_MAX 200u
#define ROOFLINE_REPEATS_LEAST 3u

/* Which method, and whether a stream may do it. */
struct variant {
    const char *name;
    enum trawl_method method;
    bool streams;
};

#define ROOFLINE_VARIANTS 8u
extern const struct variant roofline_variants[ROOFLINE_VARIANTS]; /* the first: as chosen */

/* A line of the short table. */
struct row {
    const char *text;
    uint64_t pattern_bytes;
    double now, now_kernel, best, best_kernel;
    const char *best_name;
};

struct session {
    struct engine *engine;
    struct engine_worker *worker; /* for loading and reading */
    struct trawl_searcher *cpu;
    uint8_t *bytes;
    uint64_t count;
    uint64_t room;
    uint32_t repeats;
    double deadline;
    const char *parts;
    const char *read_kernel; /* the fastest */
    uint32_t read_loads, read_factor;
    double read_seconds; /* of the loaded text */
    struct row rows[ROOFLINE_ROWS_MAX];
    uint32_t row_count;
    uint64_t figures, wrong;
};

struct figure {
    double call, kernel; /* seconds */
};

/* Is the time up? Then it says what is left out. */
bool roofline_late(const struct session *s, const char *part);
/* Load bytes [0, count) and read them by the fastest way; and forget them. */
void roofline_load(struct session *s, uint64_t count);
void roofline_unload(struct session *s);
/* NULL: the method does not take the pattern. */
struct trawl_plan *roofline_plan(const struct session *s, const uint8_t *bytes, uint64_t count,
                                 enum trawl_method method);
/* What the CPU engine counts. */
uint64_t roofline_count(const struct session *s, const uint8_t *bytes, uint64_t count);
struct cuda_limits roofline_limits(const struct variant *variant);
/* The median of some scans; false: the method does not take the pattern, or an answer is wrong. */
bool roofline_measure(struct session *s, const struct variant *variant,
                      const struct cuda_limits *limits, const uint8_t *pattern,
                      uint64_t pattern_bytes, enum engine_want want, uint64_t expected,
                      struct figure *figure);

/* roofline_lists.c: part h. */
void roofline_lists(struct session *s);

#endif
