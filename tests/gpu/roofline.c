/* roofline: how near each kernel comes to the speed at which the same device reads the same text.
 *
 *     gpu_roofline [KIB [REPEATS [SECONDS [PARTS]]]]     default: 16 GiB, 11 repeats, 480 s, all
 *
 * PARTS: some of the letters r (read speed), c (counts), w (worst cases), h (positions), f
 * (first), t (small texts), q (many small searches), p (pinned texts).
 *
 * Counts are by text, pattern length and kernel; positions, rare and at every place. Two ratios per
 * figure: `call`, the engine's scan on the host's clock, pieces of nearly 4 GiB (for a count, the
 * whole text) with what lies between them, and `kernel`, the device's clock around the kernels. All
 * are medians. Each answer is held against the CPU engine's, or against what was planted, in each
 * run; wrong ones are printed and end the program with status 1. When the seconds are over, no part
 * is begun any more, which is said; the short table comes in any case.
 */
#include "diff/input.h"
#include "measure.h"

#define ROWS_MAX 200u
#define SECONDS_PER_FIGURE 1.5 /* fewer repeats for what is slow; three at least */
#define REPEATS_LEAST 3u
#define APART_BYTES_MAX (64u << 20) /* the device's clock is read in runs of its own */

/* Which method, and whether counts are left to scan_stream. */
struct variant {
    const char *name;
    enum trawl_method method;
    bool streams;
};

static const struct variant variants[] = {
    {"as chosen", TRAWL_METHOD_AUTO, true},      {"every", TRAWL_METHOD_EVERY, true},
    {"words", TRAWL_METHOD_WORDS, true},         {"grams", TRAWL_METHOD_GRAMS, true},
    {"sampled", TRAWL_METHOD_SAMPLED, true},     {"every, tiles", TRAWL_METHOD_EVERY, false},
    {"words, tiles", TRAWL_METHOD_WORDS, false}, {"grams, tiles", TRAWL_METHOD_GRAMS, false}};
#define VARIANTS (sizeof variants / sizeof *variants)
#define SAMPLED_LENGTH_MIN 64u /* below it is not tried */

static const char *const text_names[MEASURE_TEXTS] = {"a-z", "ACGT", "English"};

/* A line of the short table. */
struct row {
    const char *text;
    uint64_t pattern_bytes;
    double now, now_kernel, best, best_kernel;
    const char *best_name;
};

struct session {
    struct engine *engine;
    struct engine_lane *lane; /* for loading and reading */
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
    struct row rows[ROWS_MAX];
    uint32_t row_count;
    uint64_t figures, wrong;
};

struct figure {
    double call, kernel; /* seconds */
};

static bool asked(const struct session *s, char part)
{
    return strchr(s->parts, part) != NULL;
}

static bool late(const struct session *s, const char *part)
{
    if (measure_now() < s->deadline)
        return false;
    printf("out of time: %s is left out\n", part);
    return true;
}

/* ---- Texts and plans -------------------------------------------------------------------- */

/* Load bytes [0, count) and read them by the fastest way. */
static void load(struct session *s, uint64_t count)
{
    struct trawl_error error;

    memset(s->bytes + count, 0, MEASURE_SLACK_BYTES);
    s->count = count;
    measure_must(engine_cuda_load(s->engine, s->bytes, count, &error), &error);
    s->read_seconds = measure_read(s->lane, s->read_kernel, s->read_loads, s->read_factor, s->bytes,
                                   count, s->repeats);
}

static void unload(struct session *s)
{
    engine_cuda_unload(s->engine, s->bytes);
}

/* NULL: the method does not take the pattern. */
static struct trawl_plan *plan_for(const struct session *s, const uint8_t *bytes, uint64_t count,
                                   enum trawl_method method)
{
    return measure_plan(bytes, count, s->bytes, s->count, method, NULL);
}

static uint64_t cpu_count(const struct session *s, const uint8_t *bytes, uint64_t count)
{
    return measure_cpu_count(s->cpu, bytes, count, s->bytes, s->count);
}

/* ---- One figure ------------------------------------------------------------------------- */

static struct cuda_limits limits_of(const struct variant *variant)
{
    struct cuda_limits limits = cuda_limits_default;

    limits.streams = variant->streams;
    limits.kernels_timed = true;
    return limits;
}

/* The median of some scans; false: the method does not take the pattern, or an answer is wrong. */
static bool measure(struct session *s, const struct variant *variant,
                    const struct cuda_limits *limits, const uint8_t *pattern,
                    uint64_t pattern_bytes, enum engine_want want, uint64_t expected,
                    struct figure *figure)
{
    struct trawl_plan *plan = plan_for(s, pattern, pattern_bytes, variant->method);
    double calls[MEASURE_REPEATS_MAX], kernels[MEASURE_REPEATS_MAX], begun = measure_now();
    struct engine_lane *lane = NULL;
    struct trawl_error error;
    bool apart = s->count <= APART_BYTES_MAX;
    uint64_t got = expected;
    uint32_t done = 0;

    if (plan == NULL)
        return false;
    cuda_limits_replace(limits);
    measure_must(engine_cuda.lane_open(s->engine, &lane, &error), &error);
    cuda_limits_replace(NULL);
    measure_must(engine_cuda.lane_begin(lane, plan, &error), &error);
    for (uint32_t i = 0; i < s->repeats + 1 && got == expected; i++) { /* the first warms up */
        double begin = measure_now(), end;

        lane->kernel_ns = 0;
        got = measure_scan(lane, plan, s->bytes, s->count, want);
        end = measure_now();
        kernels[done] = (double)lane->kernel_ns * 1e-9;
        if (apart && got == expected) {
            lane->limits.kernels_timed = false;
            begin = measure_now();
            got = measure_scan(lane, plan, s->bytes, s->count, want);
            end = measure_now();
            lane->limits.kernels_timed = true;
        }
        calls[done] = end - begin;
        done += i > 0;
        if (done >= REPEATS_LEAST && measure_now() - begun > SECONDS_PER_FIGURE)
            break;
    }
    engine_cuda.lane_close(lane);
    trawl_plan_free(plan);
    s->figures++;
    if (got != expected) {
        printf("WRONG: %s, m = %" PRIu64 ": %" PRIu64 ", expected %" PRIu64 "\n", variant->name,
               pattern_bytes, got, expected);
        s->wrong++;
        return false;
    }
    figure->call = measure_median(calls, done);
    figure->kernel = measure_median(kernels, done);
    return true;
}

/* ---- Read speed ------------------------------------------------------------------------- */

static void part_read(struct session *s)
{
    static const struct {
        const char *kernel;
        uint32_t loads;
    } forms[] = {{"scan_read_2", 2}, {"scan_read", 4}, {"scan_read_8", 8}};
    static const uint32_t factors[] = {1, 2, 4, 0};
    double best = 1e30;

    printf("\n## Read speed, GB/s\n| loads in flight | grid 1 x resident | 2 x | 4 x | a block per "
           "step |\n|---:|---:|---:|---:|---:|\n");
    for (uint32_t f = 0; f < sizeof forms / sizeof *forms; f++) {
        printf("| %" PRIu32 " |", forms[f].loads);
        for (uint32_t g = 0; g < sizeof factors / sizeof *factors; g++) {
            double seconds = measure_read(s->lane, forms[f].kernel, forms[f].loads, factors[g],
                                          s->bytes, s->count, s->repeats);

            printf(" %.0f |", (double)s->count * 1e-9 / seconds);
            if (seconds >= best)
                continue;
            best = seconds;
            s->read_kernel = forms[f].kernel;
            s->read_loads = forms[f].loads;
            s->read_factor = factors[g];
        }
        printf("\n");
    }
    s->read_seconds = best;
}

/* ---- Counts ----------------------------------------------------------------------------- */

static void count_row(struct session *s, const char *text, uint64_t pattern_bytes)
{
    const uint8_t *pattern = s->bytes + s->count / 3;
    uint64_t expected = cpu_count(s, pattern, pattern_bytes);
    struct row row = {text, pattern_bytes, 0, 0, 0, 0, "none"};

    printf("| %s | %" PRIu64 " | %" PRIu64 " |", text, pattern_bytes, expected);
    for (uint32_t v = 0; v < VARIANTS; v++) {
        struct cuda_limits limits = limits_of(&variants[v]);
        struct figure figure;
        double call, kernel;

        if ((variants[v].method == TRAWL_METHOD_SAMPLED && pattern_bytes < SAMPLED_LENGTH_MIN) ||
            !measure(s, &variants[v], &limits, pattern, pattern_bytes, ENGINE_WANT_COUNT, expected,
                     &figure)) {
            printf(" - |");
            continue;
        }
        call = s->read_seconds / figure.call;
        kernel = s->read_seconds / figure.kernel;
        printf(" %.3f %.3f |", call, kernel);
        if (v == 0) {
            row.now = call;
            row.now_kernel = kernel;
        }
        if (kernel > row.best_kernel) {
            row.best = call;
            row.best_kernel = kernel;
            row.best_name = variants[v].name;
        }
    }
    printf("\n");
    (void)fflush(stdout);
    if (s->row_count < ROWS_MAX)
        s->rows[s->row_count++] = row;
}

static void part_counts(struct session *s, const char *text)
{
    static const uint64_t lengths[] = {8,  1,  4,  16,  5,   6,   2,    3,    7,    12,    24,
                                       32, 64, 80, 128, 256, 512, 1024, 2048, 4096, 16384, 65536};

    printf("\n## Counts: x read by the host's clock, by the device's\n| text | m | count |");
    for (uint32_t v = 0; v < VARIANTS; v++)
        printf(" %s |", variants[v].name);
    printf("\n|---|---:|---:|");
    for (uint32_t v = 0; v < VARIANTS; v++)
        printf("---:|");
    printf("\n");
    for (uint32_t i = 0; i < sizeof lengths / sizeof *lengths && !late(s, "more of the counts");
         i++)
        if (lengths[i] <= s->count / 4)
            count_row(s, text, lengths[i]);
}

/* ---- Positions -------------------------------------------------------------------------- */

/* An array of begins in memory of the device, and one in pinned memory of the host. */
struct arrays {
    struct cuda_memory device;
    struct cuda_pinned host, checked;  /* the second: what was found right */
    double fill_seconds, copy_seconds; /* to write the one, to copy it to the other */
};

static double timed_copy(struct session *s, struct cuda_pinned *to, uint64_t address,
                         uint64_t bytes)
{
    struct cuda_device *device = s->lane->device;
    struct trawl_error error;
    double begin = measure_now();

    measure_must(
        CUDA_CALL(device, &error, copy_to_host, to->bytes, address, (size_t)bytes, s->lane->stream),
        &error);
    measure_must(CUDA_CALL(device, &error, stream_wait, s->lane->stream), &error);
    return measure_now() - begin;
}

static void arrays_open(struct session *s, uint64_t count, struct arrays *arrays)
{
    struct cuda_device *device = s->lane->device;
    uint64_t bytes = (count + 1) * sizeof(uint64_t);
    double fills[REPEATS_LEAST], copies[REPEATS_LEAST];
    struct trawl_error error;

    memset(arrays, 0, sizeof *arrays);
    measure_must(cuda_device_enter(device, &error), &error);
    measure_must(cuda_memory_reserve(device, &arrays->device, bytes, &error), &error);
    measure_must(cuda_pinned_reserve(device, &arrays->host, bytes, &error), &error);
    measure_must(cuda_pinned_reserve(device, &arrays->checked, bytes, &error), &error);
    for (uint32_t i = 0; i < REPEATS_LEAST; i++) {
        double begin = measure_now();

        measure_must(CUDA_CALL(device, &error, fill, arrays->device.address, 0, (size_t)bytes,
                               s->lane->stream),
                     &error);
        measure_must(CUDA_CALL(device, &error, stream_wait, s->lane->stream), &error);
        fills[i] = measure_now() - begin;
        copies[i] = timed_copy(s, &arrays->host, arrays->device.address, bytes);
    }
    cuda_device_leave(device);
    arrays->fill_seconds = measure_median(fills, REPEATS_LEAST);
    arrays->copy_seconds = measure_median(copies, REPEATS_LEAST);
}

static void arrays_close(struct session *s, struct arrays *arrays)
{
    if (cuda_device_enter(s->lane->device, NULL) != TRAWL_OK)
        exit(1);
    cuda_memory_release(s->lane->device, &arrays->device);
    cuda_pinned_release(s->lane->device, &arrays->host);
    cuda_pinned_release(s->lane->device, &arrays->checked);
    cuda_device_leave(s->lane->device);
}

/* Do the begins ascend, and does the pattern stand at each? As many as there are: so these are all.
 */
static bool all_right(const struct session *s, const uint64_t *begins, uint64_t count,
                      const uint8_t *pattern, uint64_t pattern_bytes)
{
    for (uint64_t i = 0; i < count; i++)
        if ((i > 0 && begins[i] <= begins[i - 1]) || begins[i] > s->count - pattern_bytes ||
            memcmp(s->bytes + begins[i], pattern, pattern_bytes) != 0)
            return false;
    return true;
}

/* Fill one of the arrays again and again; each answer is compared with one that was checked. */
static bool measure_begins(struct session *s, bool streams, const uint8_t *pattern,
                           uint64_t pattern_bytes, uint64_t expected, struct arrays *arrays,
                           bool to_host, struct figure *figure)
{
    struct variant variant = {"begins", TRAWL_METHOD_AUTO, streams};
    struct cuda_limits limits = limits_of(&variant);
    struct trawl_plan *plan = plan_for(s, pattern, pattern_bytes, variant.method);
    double calls[MEASURE_REPEATS_MAX], kernels[MEASURE_REPEATS_MAX];
    uint64_t bytes = expected * sizeof(uint64_t);
    struct engine_lane *lane = NULL;
    struct trawl_error error;
    bool right = true;

    limits.kernels_timed = !to_host;
    cuda_limits_replace(&limits);
    measure_must(engine_cuda.lane_open(s->engine, &lane, &error), &error);
    cuda_limits_replace(NULL);
    measure_must(engine_cuda.lane_begin(lane, plan, &error), &error);
    for (uint32_t i = 0; i < s->repeats + 1 && right; i++) { /* the first warms up */
        struct engine_begins begins = {s->bytes,
                                       s->count,
                                       to_host ? (uint64_t *)(void *)arrays->host.bytes : NULL,
                                       arrays->device.address,
                                       expected + 1,
                                       0,
                                       0};
        double begin = measure_now();

        lane->kernel_ns = 0;
        measure_must(engine_cuda.begins(lane, &begins, &error), &error);
        if (i > 0) {
            calls[i - 1] = measure_now() - begin;
            kernels[i - 1] = (double)lane->kernel_ns * 1e-9;
        }
        right = begins.count == expected;
        if (right && !to_host) {
            measure_must(cuda_device_enter(s->lane->device, &error), &error);
            (void)timed_copy(s, &arrays->host, arrays->device.address, bytes);
            cuda_device_leave(s->lane->device);
        }
        if (right && i == 0) {
            memcpy(arrays->checked.bytes, arrays->host.bytes, bytes);
            right = all_right(s, (const uint64_t *)(const void *)arrays->checked.bytes, expected,
                              pattern, pattern_bytes);
        }
        right = right && memcmp(arrays->checked.bytes, arrays->host.bytes, bytes) == 0;
        memset(arrays->host.bytes, 0, bytes);
    }
    engine_cuda.lane_close(lane);
    trawl_plan_free(plan);
    s->figures++;
    s->wrong += !right;
    if (!right)
        printf("WRONG begins: m = %" PRIu64 " ", pattern_bytes);
    if (!right)
        return false;
    figure->call = measure_median(calls, s->repeats);
    figure->kernel = measure_median(kernels, s->repeats);
    return true;
}

static void hits_row(struct session *s, const char *what, const uint8_t *pattern,
                     uint64_t pattern_bytes)
{
    uint64_t expected = cpu_count(s, pattern, pattern_bytes);
    struct cuda_limits limits = limits_of(&variants[0]);
    struct figure count, list = {0, 0}, tiles = {0, 0}, host = {0, 0}, scan = {0, 0};
    struct arrays arrays;

    printf("| %s | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " |", what, pattern_bytes, s->count >> 10,
           expected);
    arrays_open(s, expected, &arrays);
    if (measure(s, &variants[0], &limits, pattern, pattern_bytes, ENGINE_WANT_COUNT, expected,
                &count) &&
        measure_begins(s, true, pattern, pattern_bytes, expected, &arrays, false, &list) &&
        measure_begins(s, false, pattern, pattern_bytes, expected, &arrays, false, &tiles) &&
        measure_begins(s, true, pattern, pattern_bytes, expected, &arrays, true, &host) &&
        measure(s, &variants[0], &limits, pattern, pattern_bytes, ENGINE_WANT_HITS, expected,
                &scan)) {
        double least = arrays.copy_seconds > count.call ? arrays.copy_seconds : count.call;

        printf(" %.3f %.3f | %.3f %.3f | %.2f | %.3f | %.2f | %.2f | %.3f |",
               s->read_seconds / count.call, s->read_seconds / count.kernel, count.call / list.call,
               count.kernel / list.kernel, arrays.fill_seconds / list.call,
               count.kernel / tiles.kernel, least / host.call,
               (double)expected * 8e-9 / arrays.copy_seconds, least / scan.call);
    }
    arrays_close(s, &arrays);
    printf("\n");
    (void)fflush(stdout);
}

/* The pattern at every `distance`-th place of a text of letters. */
static void plant(struct session *s, const uint8_t *pattern, uint64_t pattern_bytes,
                  uint64_t distance)
{
    for (uint64_t i = 0; i + pattern_bytes <= s->count; i += distance)
        memcpy(s->bytes + i, pattern, pattern_bytes);
}

static void part_hits(struct session *s)
{
    static const uint8_t pattern[] = "OccurrenceSomewhere!";
    static const uint64_t lengths[] = {1, 2, 4, 6, 8, 10, 16}, dense[] = {1, 4, 8, 16};
    uint64_t bytes = s->room;

    if (late(s, "positions"))
        return;
    printf("\n## Positions of all: count x read; list on the device x that count; both by the "
           "host's clock, the device's; x fill of the array; list by tile kernels x count; list in "
           "pinned memory x the longer of count and copy; the copy's GB/s; scan with hits, "
           "likewise\n"
           "| hits | m | text KiB | count | count | list | fill | tiles | to host | GB/s | scan |\n"
           "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n");
    for (uint64_t distance = 10000; distance >= 100; distance /= 100) {
        s->count = bytes;
        measure_fill(s->bytes, bytes, MEASURE_LETTERS);
        plant(s, pattern, 20, distance);
        load(s, bytes);
        for (uint32_t i = 0; i < sizeof lengths / sizeof *lengths && !late(s, "a list"); i++)
            hits_row(s, distance == 100 ? "1 %" : "0.01 %", pattern, lengths[i]);
        unload(s);
    }
    bytes = s->room / 64;
    memset(s->bytes, 'a', bytes);
    load(s, bytes);
    for (uint32_t i = 0; i < sizeof dense / sizeof *dense && !late(s, "a list"); i++)
        hits_row(s, "each place", s->bytes, dense[i]);
    unload(s);
}

/* ---- First ------------------------------------------------------------------------------ */

static void part_first(struct session *s)
{
    static const uint32_t percents[] = {1, 10, 50, 100};
    static const uint32_t used[] = {0, 1, 3, 2};
    uint64_t bytes = s->room / 2;
    uint8_t pattern[16];

    if (late(s, "first"))
        return;
    printf("\n## First: x read of the part before it, by the host's clock, by the device's; the "
           "bar is "
           "1.1 times that read and 20 us\n"
           "| at | bar | as chosen | every | grams | words |\n|---:|---:|---:|---:|---:|---:|\n");
    s->count = bytes;
    measure_fill(s->bytes, bytes, MEASURE_LETTERS);
    for (uint32_t p = 0; p < 4; p++)
        memset(s->bytes + bytes / 100 * percents[p] - sizeof pattern, (int)('A' + p),
               sizeof pattern);
    load(s, bytes);
    for (uint32_t p = 0; p < 4; p++) {
        uint64_t at = bytes / 100 * percents[p] - sizeof pattern;
        double part = s->read_seconds * (double)at / (double)bytes;

        memset(pattern, (int)('A' + p), sizeof pattern);
        printf("| %" PRIu32 " %% | %.3f |", percents[p], part / (1.1 * part + 20e-6));
        for (uint32_t u = 0; u < sizeof used / sizeof *used; u++) {
            const struct variant *variant = &variants[used[u]];
            struct cuda_limits limits = limits_of(variant);
            struct figure figure;

            if (measure(s, variant, &limits, pattern, sizeof pattern, ENGINE_WANT_FIRST, at,
                        &figure))
                printf(" %.3f %.3f |", part / figure.call, part / figure.kernel);
            else
                printf(" - |");
        }
        printf("\n");
    }
    (void)fflush(stdout);
    unload(s);
}

/* ---- Worst cases ------------------------------------------------------------------------ */

enum worst { WORST_RANDOM, WORST_RUN, WORST_AB, WORST_FIBONACCI, WORST_THUE_MORSE, WORST_REPEATED };

static const char *const worst_names[] = {"random",    "a^n",        "(ab)^n",
                                          "Fibonacci", "Thue-Morse", "the pattern repeated"};

static void make_worst(uint8_t *bytes, uint64_t count, enum worst worst, uint64_t pattern_bytes)
{
    uint64_t shorter = 1, longer = 2; /* Fibonacci words: a, ab, aba, ... */

    measure_fill(bytes, worst == WORST_REPEATED ? pattern_bytes : count, MEASURE_LETTERS);
    if (worst == WORST_RUN)
        memset(bytes, 'a', count);
    for (uint64_t i = pattern_bytes; i < count && worst == WORST_REPEATED; i *= 2)
        memcpy(bytes + i, bytes, i < count - i ? i : count - i);
    for (uint64_t i = 0; i < count && worst == WORST_AB; i++)
        bytes[i] = (uint8_t)("ab"[i % 2]);
    for (uint64_t i = 0; i < count && worst == WORST_THUE_MORSE; i++)
        bytes[i] = i == 0 ? 'a' : (uint8_t)(i % 2 == 0 ? bytes[i / 2] : bytes[i / 2] ^ 'a' ^ 'b');
    if (worst != WORST_FIBONACCI)
        return;
    bytes[0] = 'a';
    bytes[1] = 'b';
    while (longer < count) {
        uint64_t added = longer + shorter <= count ? shorter : count - longer;

        memcpy(bytes + longer, bytes, added);
        shorter = longer;
        longer += added;
    }
}

static void worst_row(struct session *s, const char *text, const char *what, const uint8_t *pattern,
                      uint64_t pattern_bytes)
{
    uint64_t expected = cpu_count(s, pattern, pattern_bytes);

    printf("| %s | %s | %" PRIu64 " | %" PRIu64 " |", text, what, pattern_bytes, expected);
    for (uint32_t v = 0; v < VARIANTS; v++) {
        struct cuda_limits limits = limits_of(&variants[v]);
        struct figure figure;

        if (measure(s, &variants[v], &limits, pattern, pattern_bytes, ENGINE_WANT_COUNT, expected,
                    &figure))
            printf(" %.3f |", s->read_seconds / figure.kernel);
        else
            printf(" - |");
    }
    printf("\n");
    (void)fflush(stdout);
}

static void worst_patterns(struct session *s, enum worst worst, uint64_t pattern_bytes)
{
    uint8_t *pattern = (uint8_t *)test_memory(pattern_bytes);

    memcpy(pattern, s->bytes, pattern_bytes);
    worst_row(s, worst_names[worst], "its beginning", pattern, pattern_bytes);
    if (worst == WORST_RUN) {
        pattern[pattern_bytes - 1] = 'b';
        worst_row(s, worst_names[worst], "b at the end", pattern, pattern_bytes);
        pattern[pattern_bytes - 1] = 'a';
        pattern[0] = 'b';
        worst_row(s, worst_names[worst], "b at the begin", pattern, pattern_bytes);
    }
    free(pattern);
}

/* Only the text that is the pattern repeated depends on it. */
static void worst_text(struct session *s, enum worst worst)
{
    static const uint64_t lengths[] = {8, 16, 64, 256, 1024, 4096, 16384};
    bool loaded = false;

    s->count = s->room / 8;
    for (uint32_t i = 0; i < sizeof lengths / sizeof *lengths && !late(s, "a worst case"); i++) {
        if (lengths[i] > s->count / 32)
            break;
        if (loaded && worst == WORST_REPEATED)
            unload(s);
        if (!loaded || worst == WORST_REPEATED) {
            make_worst(s->bytes, s->count, worst, lengths[i]);
            load(s, s->count);
            loaded = true;
        }
        worst_patterns(s, worst, lengths[i]);
    }
    if (loaded)
        unload(s);
}

static void part_worst(struct session *s)
{
    if (late(s, "worst cases"))
        return;
    printf("\n## Worst cases, text of %" PRIu64 " KiB: x read by the device's clock\n| text | "
           "pattern | m | count |",
           s->room / 8 >> 10);
    for (uint32_t v = 0; v < VARIANTS; v++)
        printf(" %s |", variants[v].name);
    printf("\n|---|---|---:|---:|");
    for (uint32_t v = 0; v < VARIANTS; v++)
        printf("---:|");
    printf("\n");
    for (uint32_t worst = WORST_RANDOM; worst <= WORST_REPEATED; worst++)
        if (!late(s, "a worst case"))
            worst_text(s, (enum worst)worst);
}

/* ---- Small texts ------------------------------------------------------------------------ */

static void part_small(struct session *s)
{
    if (late(s, "small texts"))
        return;
    printf("\n## Small texts, a-z, m = 16: microseconds by the host's clock, by the device's\n"
           "| text KiB |");
    for (uint32_t v = 0; v < VARIANTS; v++)
        printf(" %s |", variants[v].name);
    printf("\n|---:|");
    for (uint32_t v = 0; v < VARIANTS; v++)
        printf("---:|");
    printf("\n");
    for (uint64_t bytes = 1 << 10; bytes <= 64 << 20 && bytes <= s->room; bytes *= 4) {
        const uint8_t *pattern = s->bytes + bytes / 3;
        uint64_t expected;

        s->count = bytes;
        measure_fill(s->bytes, bytes, MEASURE_LETTERS);
        load(s, bytes);
        expected = cpu_count(s, pattern, 16);
        printf("| %" PRIu64 " |", bytes >> 10);
        for (uint32_t v = 0; v < VARIANTS; v++) {
            struct cuda_limits limits = limits_of(&variants[v]);
            struct figure figure;

            if (measure(s, &variants[v], &limits, pattern, 16, ENGINE_WANT_COUNT, expected,
                        &figure))
                printf(" %.0f %.0f |", figure.call * 1e6, figure.kernel * 1e6);
            else
                printf(" - |");
        }
        printf("\n");
        (void)fflush(stdout);
        unload(s);
    }
}

/* Searches for one pattern after the other in a loaded text: plan, tables and scan of each. */
static void queries(struct session *s, uint64_t bytes, uint32_t query_count)
{
    printf("| %" PRIu64 " |", bytes >> 10);
    for (uint32_t v = 0; v < VARIANTS; v++) {
        struct cuda_limits limits = limits_of(&variants[v]);
        struct engine_lane *lane = NULL;
        double begin = measure_now();
        struct trawl_error error;
        uint64_t missed = 0;

        cuda_limits_replace(&limits);
        measure_must(engine_cuda.lane_open(s->engine, &lane, &error), &error);
        cuda_limits_replace(NULL);
        for (uint32_t q = 0; q < query_count; q++) {
            const uint8_t *pattern = s->bytes + (bytes - 16) / query_count * q;
            struct trawl_plan *plan = plan_for(s, pattern, 16, variants[v].method);

            if (plan == NULL)
                continue;
            measure_must(engine_cuda.lane_begin(lane, plan, &error), &error);
            missed += measure_scan(lane, plan, s->bytes, bytes, ENGINE_WANT_COUNT) == 0;
            trawl_plan_free(plan);
        }
        printf(" %.0f |", query_count / (measure_now() - begin));
        engine_cuda.lane_close(lane);
        s->figures++;
        if (missed > 0)
            printf("WRONG: %" PRIu64 " patterns of the text were not found\n", missed);
        s->wrong += missed > 0;
    }
    printf("\n");
    (void)fflush(stdout);
}

static void part_queries(struct session *s)
{
    uint32_t query_count = s->repeats > 1 ? 500 : 4;

    if (late(s, "many small searches"))
        return;
    printf("\n## Many small searches, a-z, m = 16: per second, with plan and tables\n| text KiB |");
    for (uint32_t v = 0; v < VARIANTS; v++)
        printf(" %s |", variants[v].name);
    printf("\n|---:|");
    for (uint32_t v = 0; v < VARIANTS; v++)
        printf("---:|");
    printf("\n");
    for (uint64_t bytes = 16 << 10; bytes <= 64 << 20 && bytes <= s->room; bytes *= 64) {
        s->count = bytes;
        measure_fill(s->bytes, bytes, MEASURE_LETTERS);
        load(s, bytes);
        queries(s, bytes, query_count);
        unload(s);
    }
}

/* ---- Pinned texts ----------------------------------------------------------------------- */

/* Seconds that the text's copy to the device takes, by what a part of it takes. */
static double copy_seconds(struct session *s)
{
    uint64_t part = s->count < (1u << 30) ? s->count : 1u << 30;
    struct cuda_device *device = s->lane->device;
    struct cuda_memory memory = {0, 0};
    double seconds[REPEATS_LEAST];
    struct trawl_error error;

    measure_must(cuda_device_enter(device, &error), &error);
    measure_must(cuda_memory_reserve(device, &memory, part, &error), &error);
    for (uint32_t i = 0; i < REPEATS_LEAST; i++) {
        double begin = measure_now();

        measure_must(CUDA_CALL(device, &error, copy_to_device, memory.address, s->bytes,
                               (size_t)part, s->lane->stream),
                     &error);
        measure_must(CUDA_CALL(device, &error, stream_wait, s->lane->stream), &error);
        seconds[i] = measure_now() - begin;
    }
    cuda_memory_release(device, &memory);
    cuda_device_leave(device);
    return measure_median(seconds, REPEATS_LEAST) * (double)s->count / (double)part;
}

static void part_pinned(struct session *s)
{
    static const uint64_t lengths[] = {16, 272, 1040, 4112, 16400};
    struct cuda_limits limits = limits_of(&variants[0]);
    struct trawl_error error;
    double copy;

    if (late(s, "pinned texts"))
        return;
    s->count = s->room / 2;
    measure_fill(s->bytes, s->count, MEASURE_LETTERS);
    limits.load_in_place = true;
    cuda_limits_replace(&limits);
    measure_must(engine_cuda_load(s->engine, s->bytes, s->count, &error), &error);
    cuda_limits_replace(NULL);
    copy = copy_seconds(s);
    printf("\n## Counts in pinned host memory, a-z, %" PRIu64
           " KiB: x the copy's %.1f GB/s, by the "
           "host's clock\n| m | as chosen |\n|---:|---:|\n",
           s->count >> 10, (double)s->count * 1e-9 / copy);
    for (uint32_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        const uint8_t *pattern = s->bytes + s->count / 3;
        struct figure figure;

        if (lengths[i] <= s->count / 4 &&
            measure(s, &variants[0], &limits, pattern, lengths[i], ENGINE_WANT_COUNT,
                    cpu_count(s, pattern, lengths[i]), &figure))
            printf("| %" PRIu64 " | %.2f |\n", lengths[i], copy / figure.call);
    }
    (void)fflush(stdout);
    unload(s);
}

/* ---- All -------------------------------------------------------------------------------- */

static void part_summary(const struct session *s)
{
    printf("\n## In short: counts, x read (host's clock, device's)\n"
           "| text | m | as chosen | | best | | kernel |\n|---|---:|---:|---:|---:|---:|---|\n");
    for (uint32_t i = 0; i < s->row_count; i++) {
        const struct row *row = &s->rows[i];

        printf("| %s | %" PRIu64 " | %.2f | %.2f | %.2f | %.2f | %s |\n", row->text,
               row->pattern_bytes, row->now, row->now_kernel, row->best, row->best_kernel,
               row->best_name);
    }
    printf("\n%" PRIu64 " figures, %" PRIu64 " with a wrong answer\n", s->figures, s->wrong);
}

static void session_open(struct session *s)
{
    struct trawl_error error;

    s->engine = gpu_open();
    s->bytes = (uint8_t *)test_memory(s->room + MEASURE_SLACK_BYTES);
    s->cpu = measure_searcher(TRAWL_ENGINE_CPU, 0);
    measure_must(engine_cuda.lane_open(s->engine, &s->lane, &error), &error);
    s->read_kernel = "scan_read";
    s->read_loads = 4;
    s->read_factor = 1;
    printf("%s; text of %" PRIu64 " KiB, %" PRIu32 " repeats\n", s->lane->device->name,
           s->room >> 10, s->repeats);
}

static void session_close(struct session *s)
{
    trawl_searcher_close(s->cpu);
    engine_cuda.lane_close(s->lane);
    engine_cuda.close(s->engine);
    free(s->bytes);
}

int main(int argc, char **argv)
{
    uint64_t kib = argc > 1 ? strtoull(argv[1], NULL, 10) : 16u << 20;
    uint64_t repeats = argc > 2 ? strtoull(argv[2], NULL, 10) : 11;
    uint64_t seconds = argc > 3 ? strtoull(argv[3], NULL, 10) : 480;
    static struct session s;

    test_begin("gpu roofline");
    s.room = (kib > 64 ? kib : 64) << 10;
    s.repeats = (uint32_t)(repeats > 0 && repeats <= MEASURE_REPEATS_MAX ? repeats : 11);
    s.deadline = measure_now() + (double)seconds;
    s.parts = argc > 4 ? argv[4] : "rcwhftqp";
    session_open(&s);
    for (uint32_t text = 0; text < MEASURE_TEXTS && !late(&s, text_names[text]); text++) {
        if (strpbrk(s.parts, "rc") == NULL)
            break;
        measure_fill(s.bytes, s.room, (enum measure_text)text);
        load(&s, s.room);
        if (text == MEASURE_LETTERS && asked(&s, 'r'))
            part_read(&s);
        if (asked(&s, 'c'))
            part_counts(&s, text_names[text]);
        unload(&s);
    }
    if (asked(&s, 'w'))
        part_worst(&s);
    if (asked(&s, 'h'))
        part_hits(&s);
    if (asked(&s, 'f'))
        part_first(&s);
    if (asked(&s, 't'))
        part_small(&s);
    if (asked(&s, 'q'))
        part_queries(&s);
    if (asked(&s, 'p'))
        part_pinned(&s);
    part_summary(&s);
    session_close(&s);
    return s.wrong == 0 && s.figures > 0 ? 0 : 1;
}
