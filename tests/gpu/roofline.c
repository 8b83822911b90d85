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
#include "roofline.h"

#include "diff/input.h"

#define SECONDS_PER_FIGURE 1.5      /* fewer repeats for what is slow; three at least */
#define APART_BYTES_MAX (64u << 20) /* the device's clock is read in runs of its own */
#define SAMPLED_LENGTH_MIN 64u      /* below it is not tried */

const struct variant roofline_variants[ROOFLINE_VARIANTS] = {
    {"as chosen", TRAWL_METHOD_AUTO, true},      {"every", TRAWL_METHOD_EVERY, true},
    {"words", TRAWL_METHOD_WORDS, true},         {"grams", TRAWL_METHOD_GRAMS, true},
    {"sampled", TRAWL_METHOD_SAMPLED, true},     {"every, tiles", TRAWL_METHOD_EVERY, false},
    {"words, tiles", TRAWL_METHOD_WORDS, false}, {"grams, tiles", TRAWL_METHOD_GRAMS, false}};

static const char *const text_names[MEASURE_TEXTS] = {"a-z", "ACGT", "English"};

static bool asked(const struct session *s, char part)
{
    return strchr(s->parts, part) != NULL;
}

bool roofline_late(const struct session *s, const char *part)
{
    if (measure_now() < s->deadline)
        return false;
    printf("out of time: %s is left out\n", part);
    return true;
}

/* ---- Texts and plans -------------------------------------------------------------------- */

void roofline_load(struct session *s, uint64_t count)
{
    struct trawl_error error;

    memset(s->bytes + count, 0, MEASURE_SLACK_BYTES);
    s->count = count;
    measure_must(cuda_residents_load(s->engine, s->bytes, count, true, &error), &error);
    s->read_seconds = measure_read(s->worker, s->read_kernel, s->read_loads, s->read_factor,
                                   s->bytes, count, s->repeats);
}

void roofline_unload(struct session *s)
{
    cuda_residents_unload(s->engine, s->bytes);
}

struct trawl_plan *roofline_plan(const struct session *s, const uint8_t *bytes, uint64_t count,
                                 enum trawl_method method)
{
    return measure_plan(bytes, count, s->bytes, s->count, method, NULL);
}

uint64_t roofline_count(const struct session *s, const uint8_t *bytes, uint64_t count)
{
    return measure_cpu_count(s->cpu, bytes, count, s->bytes, s->count);
}

/* ---- One figure ------------------------------------------------------------------------- */

struct cuda_limits roofline_limits(const struct variant *variant)
{
    struct cuda_limits limits = cuda_limits_default;

    limits.streams = variant->streams;
    limits.kernels_timed = true;
    return limits;
}

bool roofline_measure(struct session *s, const struct variant *variant,
                      const struct cuda_limits *limits, const uint8_t *pattern,
                      uint64_t pattern_bytes, enum engine_want want, uint64_t expected,
                      struct figure *figure)
{
    struct trawl_plan *plan = roofline_plan(s, pattern, pattern_bytes, variant->method);
    double calls[MEASURE_REPEATS_MAX], kernels[MEASURE_REPEATS_MAX], begun = measure_now();
    struct engine_worker *worker = NULL;
    struct trawl_error error;
    bool apart = s->count <= APART_BYTES_MAX || want == ENGINE_WANT_FIRST;
    uint64_t got = expected;
    uint32_t done = 0;

    if (plan == NULL)
        return false;
    cuda_limits_replace(limits);
    measure_must(engine_cuda.compile(s->engine, ENGINE_DEVICES_MAX, NULL, &worker, &error), &error);
    cuda_limits_replace(NULL);
    measure_must(engine_cuda.compile(NULL, 0, plan, &worker, &error), &error);
    for (uint32_t i = 0; i < s->repeats + 1 && got == expected; i++) { /* the first warms up */
        double begin = measure_now(), end;

        worker->kernel_ns = 0;
        got = measure_scan(worker, plan, s->bytes, s->count, want);
        end = measure_now();
        kernels[done] = (double)worker->kernel_ns * 1e-9;
        if (apart && got == expected) {
            worker->limits.kernels_timed = false;
            begin = measure_now();
            got = measure_scan(worker, plan, s->bytes, s->count, want);
            end = measure_now();
            worker->limits.kernels_timed = true;
        }
        calls[done] = end - begin;
        done += i > 0;
        if (done >= ROOFLINE_REPEATS_LEAST && measure_now() - begun > SECONDS_PER_FIGURE)
            break;
    }
    engine_cuda.release(worker);
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
            double seconds = measure_read(s->worker, forms[f].kernel, forms[f].loads, factors[g],
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
    uint64_t expected = roofline_count(s, pattern, pattern_bytes);
    struct row row = {text, pattern_bytes, 0, 0, 0, 0, "none"};

    printf("| %s | %" PRIu64 " | %" PRIu64 " |", text, pattern_bytes, expected);
    for (uint32_t v = 0; v < ROOFLINE_VARIANTS; v++) {
        struct cuda_limits limits = roofline_limits(&roofline_variants[v]);
        struct figure figure;
        double call, kernel;

        if ((roofline_variants[v].method == TRAWL_METHOD_SAMPLED &&
             pattern_bytes < SAMPLED_LENGTH_MIN) ||
            !roofline_measure(s, &roofline_variants[v], &limits, pattern, pattern_bytes,
                              ENGINE_WANT_COUNT, expected, &figure)) {
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
            row.best_name = roofline_variants[v].name;
        }
    }
    printf("\n");
    (void)fflush(stdout);
    if (s->row_count < ROOFLINE_ROWS_MAX)
        s->rows[s->row_count++] = row;
}

static void part_counts(struct session *s, const char *text)
{
    static const uint64_t lengths[] = {8,  1,  4,  16,  5,   6,   2,    3,    7,    12,    24,
                                       32, 64, 80, 128, 256, 512, 1024, 2048, 4096, 16384, 65536};

    printf("\n## Counts: x read by the host's clock, by the device's\n| text | m | count |");
    for (uint32_t v = 0; v < ROOFLINE_VARIANTS; v++)
        printf(" %s |", roofline_variants[v].name);
    printf("\n|---|---:|---:|");
    for (uint32_t v = 0; v < ROOFLINE_VARIANTS; v++)
        printf("---:|");
    printf("\n");
    for (uint32_t i = 0;
         i < sizeof lengths / sizeof *lengths && !roofline_late(s, "more of the counts"); i++)
        if (lengths[i] <= s->count / 4)
            count_row(s, text, lengths[i]);
}

/* ---- First ------------------------------------------------------------------------------ */

static void part_first(struct session *s)
{
    static const uint32_t percents[] = {1, 10, 50, 100};
    static const uint32_t used[] = {0, 1, 3, 2};
    uint64_t bytes = s->room / 2;
    uint8_t pattern[16];

    if (roofline_late(s, "first"))
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
    roofline_load(s, bytes);
    for (uint32_t p = 0; p < 4; p++) {
        uint64_t at = bytes / 100 * percents[p] - sizeof pattern;
        double part = s->read_seconds * (double)at / (double)bytes;

        memset(pattern, (int)('A' + p), sizeof pattern);
        printf("| %" PRIu32 " %% | %.3f |", percents[p], part / (1.1 * part + 20e-6));
        for (uint32_t u = 0; u < sizeof used / sizeof *used; u++) {
            const struct variant *variant = &roofline_variants[used[u]];
            struct cuda_limits limits = roofline_limits(variant);
            struct figure figure;

            if (roofline_measure(s, variant, &limits, pattern, sizeof pattern, ENGINE_WANT_FIRST,
                                 at, &figure))
                printf(" %.3f %.3f |", part / figure.call, part / figure.kernel);
            else
                printf(" - |");
        }
        printf("\n");
    }
    (void)fflush(stdout);
    roofline_unload(s);
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
    uint64_t expected = roofline_count(s, pattern, pattern_bytes);

    printf("| %s | %s | %" PRIu64 " | %" PRIu64 " |", text, what, pattern_bytes, expected);
    for (uint32_t v = 0; v < ROOFLINE_VARIANTS; v++) {
        struct cuda_limits limits = roofline_limits(&roofline_variants[v]);
        struct figure figure;

        if (roofline_measure(s, &roofline_variants[v], &limits, pattern, pattern_bytes,
                             ENGINE_WANT_COUNT, expected, &figure))
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
    for (uint32_t i = 0; i < sizeof lengths / sizeof *lengths && !roofline_late(s, "a worst case");
         i++) {
        if (lengths[i] > s->count / 32)
            break;
        if (loaded && worst == WORST_REPEATED)
            roofline_unload(s);
        if (!loaded || worst == WORST_REPEATED) {
            make_worst(s->bytes, s->count, worst, lengths[i]);
            roofline_load(s, s->count);
            loaded = true;
        }
        worst_patterns(s, worst, lengths[i]);
    }
    if (loaded)
        roofline_unload(s);
}

static void part_worst(struct session *s)
{
    if (roofline_late(s, "worst cases"))
        return;
    printf("\n## Worst cases, text of %" PRIu64 " KiB: x read by the device's clock\n| text | "
           "pattern | m | count |",
           s->room / 8 >> 10);
    for (uint32_t v = 0; v < ROOFLINE_VARIANTS; v++)
        printf(" %s |", roofline_variants[v].name);
    printf("\n|---|---|---:|---:|");
    for (uint32_t v = 0; v < ROOFLINE_VARIANTS; v++)
        printf("---:|");
    printf("\n");
    for (uint32_t worst = WORST_RANDOM; worst <= WORST_REPEATED; worst++)
        if (!roofline_late(s, "a worst case"))
            worst_text(s, (enum worst)worst);
}

/* ---- Small texts ------------------------------------------------------------------------ */

static void part_small(struct session *s)
{
    if (roofline_late(s, "small texts"))
        return;
    printf("\n## Small texts, a-z, m = 16: microseconds by the host's clock, by the device's\n"
           "| text KiB |");
    for (uint32_t v = 0; v < ROOFLINE_VARIANTS; v++)
        printf(" %s |", roofline_variants[v].name);
    printf("\n|---:|");
    for (uint32_t v = 0; v < ROOFLINE_VARIANTS; v++)
        printf("---:|");
    printf("\n");
    for (uint64_t bytes = 1 << 10; bytes <= 64 << 20 && bytes <= s->room; bytes *= 4) {
        const uint8_t *pattern = s->bytes + bytes / 3;
        uint64_t expected;

        s->count = bytes;
        measure_fill(s->bytes, bytes, MEASURE_LETTERS);
        roofline_load(s, bytes);
        expected = roofline_count(s, pattern, 16);
        printf("| %" PRIu64 " |", bytes >> 10);
        for (uint32_t v = 0; v < ROOFLINE_VARIANTS; v++) {
            struct cuda_limits limits = roofline_limits(&roofline_variants[v]);
            struct figure figure;

            if (roofline_measure(s, &roofline_variants[v], &limits, pattern, 16, ENGINE_WANT_COUNT,
                                 expected, &figure))
                printf(" %.0f %.0f |", figure.call * 1e6, figure.kernel * 1e6);
            else
                printf(" - |");
        }
        printf("\n");
        (void)fflush(stdout);
        roofline_unload(s);
    }
}

/* Searches for one pattern after the other in a loaded text: plan, tables and scan of each. */
static void queries(struct session *s, uint64_t bytes, uint32_t query_count)
{
    printf("| %" PRIu64 " |", bytes >> 10);
    for (uint32_t v = 0; v < ROOFLINE_VARIANTS; v++) {
        struct cuda_limits limits = roofline_limits(&roofline_variants[v]);
        struct engine_worker *worker = NULL;
        double begin = measure_now();
        struct trawl_error error;
        uint64_t missed = 0;

        cuda_limits_replace(&limits);
        measure_must(engine_cuda.compile(s->engine, ENGINE_DEVICES_MAX, NULL, &worker, &error),
                     &error);
        cuda_limits_replace(NULL);
        for (uint32_t q = 0; q < query_count; q++) {
            const uint8_t *pattern = s->bytes + (bytes - 16) / query_count * q;
            struct trawl_plan *plan = roofline_plan(s, pattern, 16, roofline_variants[v].method);

            if (plan == NULL)
                continue;
            measure_must(engine_cuda.compile(NULL, 0, plan, &worker, &error), &error);
            missed += measure_scan(worker, plan, s->bytes, bytes, ENGINE_WANT_COUNT) == 0;
            trawl_plan_free(plan);
        }
        printf(" %.0f |", query_count / (measure_now() - begin));
        engine_cuda.release(worker);
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

    if (roofline_late(s, "many small searches"))
        return;
    printf("\n## Many small searches, a-z, m = 16: per second, with plan and tables\n| text KiB |");
    for (uint32_t v = 0; v < ROOFLINE_VARIANTS; v++)
        printf(" %s |", roofline_variants[v].name);
    printf("\n|---:|");
    for (uint32_t v = 0; v < ROOFLINE_VARIANTS; v++)
        printf("---:|");
    printf("\n");
    for (uint64_t bytes = 16 << 10; bytes <= 64 << 20 && bytes <= s->room; bytes *= 64) {
        s->count = bytes;
        measure_fill(s->bytes, bytes, MEASURE_LETTERS);
        roofline_load(s, bytes);
        queries(s, bytes, query_count);
        roofline_unload(s);
    }
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
    measure_must(engine_cuda.compile(s->engine, ENGINE_DEVICES_MAX, NULL, &s->worker, &error),
                 &error);
    s->read_kernel = "scan_read";
    s->read_loads = 4;
    s->read_factor = 1;
    printf("%s; text of %" PRIu64 " KiB, %" PRIu32 " repeats\n", s->worker->device->name,
           s->room >> 10, s->repeats);
}

static void session_close(struct session *s)
{
    trawl_searcher_close(s->cpu);
    engine_cuda.release(s->worker);
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
    for (uint32_t text = 0; text < MEASURE_TEXTS && !roofline_late(&s, text_names[text]); text++) {
        if (strpbrk(s.parts, "rc") == NULL)
            break;
        measure_fill(s.bytes, s.room, (enum measure_text)text);
        roofline_load(&s, s.room);
        if (text == MEASURE_LETTERS && asked(&s, 'r'))
            part_read(&s);
        if (asked(&s, 'c'))
            part_counts(&s, text_names[text]);
        roofline_unload(&s);
    }
    if (asked(&s, 'w'))
        part_worst(&s);
    if (asked(&s, 'h'))
        roofline_lists(&s);
    if (asked(&s, 'f'))
        part_first(&s);
    if (asked(&s, 't'))
        part_small(&s);
    if (asked(&s, 'q'))
        part_queries(&s);
    if (asked(&s, 'p'))
        part_summary(&s);
    session_close(&s);
    return s.wrong == 0 && s.figures > 0 ? 0 : 1;
}
