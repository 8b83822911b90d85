/* gallery_speed: how many times faster than each kernel of the gallery trawl counts in a text that
 * lies on the device.
 *
 *     gpu_gallery_speed [KIB [SECONDS]]      default: 8 GiB, 150 s
 *
 * One process, random texts of 26 letters and of 4, patterns of 8, 500 and 1,500 bytes. Two ratios
 * per figure: `kernel`, the device's clock around the kernels, and `call`, the host's clock around
 * the engine's scans. A kernel runs on ever larger prefixes of the text as long as its share of the
 * seconds allows; where that ends before the whole text, the ratio is one of bytes per second, and
 * the prefix is named. Medians of up to 5 runs; each count is held against the CPU engine's, and a
 * wrong one ends the program with status 1.
 *
 * Left out: word-chunked, which on a text that lies there is word-simple; -hybrid, which is -shared
 * or -swift-chunking; rabin-karp-matrix, which takes records; pss-gr with keys that its registers
 * do not hold.
 */
#include "gallery/kernels/gallery.h"
#include "diff/input.h"
#include "gallery/engine_gallery.h"
#include "measure.h"

#define ALGORITHMS_MAX 40u
#define LENGTHS 3u
#define TEXTS 2u
#define FIGURES (TEXTS * LENGTHS)
#define REPEATS_MAX 5u
#define PREFIX_FIRST (64ull << 10)
#define PREFIX_FACTOR 8u
#define PREFIXES_MAX 16u
#define SHARE_MAX 12.0 /* seconds for one figure */

static const uint64_t lengths[LENGTHS] = {8, 500, 1500};
static const enum measure_text texts[TEXTS] = {MEASURE_LETTERS, MEASURE_DNA};
static const char *const text_names[TEXTS] = {"a-z", "ACGT"};

struct figure {
    double kernel, call; /* bytes per second; 0: not measured */
    uint64_t bytes;      /* of the text's prefix */
    uint64_t child_grids, child_windows;
};

struct session {
    struct engine *engine, *gallery;
    struct trawl_searcher *cpu;
    uint8_t *bytes;
    uint64_t count;
    double deadline;
    const char *names[ALGORITHMS_MAX]; /* the first is NULL: trawl's own */
    uint32_t name_count;
    struct figure figures[ALGORITHMS_MAX][FIGURES];
    uint32_t figures_left;
    uint64_t measured, wrong, left_out;
};

/* One pattern in the text, and how often prefixes of the text hold it. */
struct row {
    const uint8_t *pattern;
    uint64_t pattern_bytes;
    uint64_t prefix[PREFIXES_MAX], expected[PREFIXES_MAX];
    uint32_t prefix_count;
};

/* ---- What is measured ------------------------------------------------------------------- */

static bool ends_with(const char *name, const char *end)
{
    size_t count = strlen(name), end_count = strlen(end);

    return count >= end_count && strcmp(name + count - end_count, end) == 0;
}

static void list_algorithms(struct session *s)
{
    const char *name;

    s->names[s->name_count++] = NULL;
    for (uint32_t i = 0; (name = trawl_algorithm(i, NULL)) != NULL; i++)
        if ((trawl_algorithm_engines(i) & 1u << TRAWL_ENGINE_CUDA) != 0 &&
            !ends_with(name, "-hybrid") && strcmp(name, "word-chunked") != 0 &&
            strncmp(name, "rabin-karp-matrix", 17) != 0 &&
            TEST_CHECK(s->name_count < ALGORITHMS_MAX))
            s->names[s->name_count++] = name;
}

static const char *name_of(const struct session *s, uint32_t algorithm)
{
    return s->names[algorithm] == NULL ? "trawl" : s->names[algorithm];
}

static void row_begin(const struct session *s, uint64_t pattern_bytes, struct row *row)
{
    uint64_t prefix = s->count < PREFIX_FIRST ? s->count : PREFIX_FIRST;

    row->pattern = s->bytes + prefix / 3;
    row->pattern_bytes = pattern_bytes;
    row->prefix_count = 0;
    for (;;) {
        row->prefix[row->prefix_count] = prefix;
        row->expected[row->prefix_count++] =
            measure_cpu_count(s->cpu, row->pattern, pattern_bytes, s->bytes, prefix);
        if (prefix == s->count || row->prefix_count == PREFIXES_MAX)
            break;
        prefix = s->count / PREFIX_FACTOR < prefix ? s->count : prefix * PREFIX_FACTOR;
    }
}

/* ---- One figure ------------------------------------------------------------------------- */

/* A worker of the CUDA engine or of the gallery on it. */
struct runner {
    const struct engine_ops *ops;
    struct engine_worker *worker;
    uint64_t *kernel_ns; /* of the CUDA engine's own kernels; NULL: results have the time */
};

/* Once over a prefix; false: a wrong count. */
static bool run(struct session *s, const struct runner *runner, const struct trawl_plan *plan,
                uint64_t bytes, uint64_t expected, double *kernel, double *call,
                struct measure_sums *sums)
{
    double begin = measure_now();
    uint64_t got;

    memset(sums, 0, sizeof *sums);
    if (runner->kernel_ns != NULL)
        *runner->kernel_ns = 0;
    got = measure_scan_sums(runner->ops, runner->worker, plan, s->bytes, bytes, ENGINE_WANT_COUNT,
                            sums);
    *call = measure_now() - begin;
    *kernel = (double)(runner->kernel_ns != NULL ? *runner->kernel_ns : sums->kernel_ns) * 1e-9;
    if (got == expected)
        return true;
    printf("WRONG: %" PRIu64 ", expected %" PRIu64 ", in %" PRIu64 " bytes: ", got, expected,
           bytes);
    return false;
}

/* Runs on larger and larger prefixes while there is time; false: a wrong count. */
static bool figure_measure(struct session *s, const struct runner *runner,
                           const struct trawl_plan *plan, const struct row *row, double share,
                           struct figure *figure)
{
    double kernels[REPEATS_MAX], calls[REPEATS_MAX], begun = measure_now();
    struct measure_sums sums;
    uint32_t done = 0;

    for (uint32_t p = 0; p < row->prefix_count; p++) {
        double ratio = p == 0 ? 0 : (double)row->prefix[p] / (double)row->prefix[p - 1];

        if (p > 0 && measure_now() - begun + ratio * calls[0] > share)
            break;
        if (p == 0 &&
            !run(s, runner, plan, row->prefix[p], row->expected[p], kernels, calls, &sums))
            return false; /* loads the kernel, too */
        if (!run(s, runner, plan, row->prefix[p], row->expected[p], kernels, calls, &sums))
            return false;
        figure->bytes = row->prefix[p];
        done = 1;
        if (figure->bytes < s->count)
            continue;
        while (done < REPEATS_MAX && measure_now() - begun + calls[0] < share) {
            if (!run(s, runner, plan, row->prefix[p], row->expected[p], &kernels[done],
                     &calls[done], &sums))
                return false;
            done++;
        }
    }
    figure->child_grids = sums.child_grids;
    figure->child_windows = sums.child_grids + sums.child_spills + sums.child_withheld;
    figure->kernel = (double)figure->bytes / measure_median(kernels, done);
    figure->call = (double)figure->bytes / measure_median(calls, done);
    return true;
}

static void measure(struct session *s, const struct row *row, uint32_t algorithm,
                    struct figure *figure)
{
    struct cuda_limits limits = cuda_limits_default;
    double share = (s->deadline - measure_now()) / s->figures_left--;
    struct runner runner = {.ops = algorithm == 0 ? &engine_cuda : &engine_gallery};
    struct trawl_plan *plan;
    struct trawl_error error;

    if (strcmp(name_of(s, algorithm), "pss-gr") == 0 && row->pattern_bytes > GALLERY_KEY_BYTES)
        return;
    if (share <= 0) {
        s->left_out++;
        return;
    }
    printf("m = %" PRIu64 ", %s:", row->pattern_bytes, name_of(s, algorithm));
    (void)fflush(stdout); /* who does not come to an end is seen */
    limits.kernels_timed = true;
    plan = measure_plan(row->pattern, row->pattern_bytes, s->bytes, s->count, TRAWL_METHOD_AUTO,
                        s->names[algorithm]);
    cuda_limits_replace(&limits);
    measure_must(runner.ops->compile(algorithm == 0 ? s->engine : s->gallery, ENGINE_DEVICES_MAX,
                                     NULL, &runner.worker, &error),
                 &error);
    cuda_limits_replace(NULL);
    if (algorithm == 0)
        runner.kernel_ns = &runner.worker->kernel_ns;
    measure_must(runner.ops->compile(NULL, 0, plan, &runner.worker, &error), &error);
    s->measured++;
    if (!figure_measure(s, &runner, plan, row, share < SHARE_MAX ? share : SHARE_MAX, figure)) {
        printf("%s, m = %" PRIu64 "\n", name_of(s, algorithm), row->pattern_bytes);
        s->wrong++;
    }
    runner.ops->release(runner.worker);
    trawl_plan_free(plan);
    printf(" %" PRIu64 " KiB\n", figure->bytes >> 10);
}

/* ---- Tables ----------------------------------------------------------------------------- */

static void print_head(void)
{
    printf("| |");
    for (uint32_t i = 0; i < FIGURES; i++)
        printf(" %s, m = %" PRIu64 " |", text_names[i / LENGTHS], lengths[i % LENGTHS]);
    printf("\n|---|");
    for (uint32_t i = 0; i < FIGURES; i++)
        printf("---:|");
    printf("\n");
}

static void print_figure(const struct session *s, uint32_t algorithm, uint32_t i)
{
    const struct figure *figure = &s->figures[algorithm][i], *own = &s->figures[0][i];

    if (figure->kernel <= 0 || own->kernel <= 0)
        printf(" - |");
    else if (algorithm == 0)
        printf(" %.0f %.0f |", figure->kernel * 1e-9, figure->call * 1e-9);
    else
        printf(" %.2f %.2f", own->kernel / figure->kernel, own->call / figure->call);
    if (algorithm > 0 && figure->kernel > 0 && own->kernel > 0 && figure->bytes < s->count)
        printf(" (%" PRIu64 " KiB)", figure->bytes >> 10);
    if (algorithm > 0 && figure->kernel > 0 && own->kernel > 0)
        printf(" |");
}

/* Which part of the windows whose ends matched child grids compared. */
static void print_children(const struct session *s, uint32_t algorithm)
{
    printf("| %s |", name_of(s, algorithm));
    for (uint32_t i = 0; i < FIGURES; i++) {
        const struct figure *figure = &s->figures[algorithm][i];
        uint64_t windows = figure->child_windows;

        if (windows == 0)
            printf(" - |");
        else
            printf(" %" PRIu64 " %.3f |", windows, (double)figure->child_grids / (double)windows);
    }
    printf("\n");
}

static void print_tables(const struct session *s)
{
    printf("\n## Counts, text on the device: trawl in GB/s, then how many times faster it is than "
           "each kernel (device's clock, host's)\n");
    print_head();
    for (uint32_t a = 0; a < s->name_count; a++) {
        printf("| %s |", name_of(s, a));
        for (uint32_t i = 0; i < FIGURES; i++)
            print_figure(s, a, i);
        printf("\n");
    }
    printf("\n## Windows that wanted a child grid, and which part of them got one\n");
    print_head();
    for (uint32_t a = 1; a < s->name_count; a++)
        if (strstr(s->names[a], "-swift") != NULL)
            print_children(s, a);
    if (s->left_out > 0)
        printf("out of time: %" PRIu64 " figures are left out\n", s->left_out);
    printf("%" PRIu64 " figures, %" PRIu64 " with a wrong answer\n", s->measured, s->wrong);
}

/* ---- All -------------------------------------------------------------------------------- */

static void session_open(struct session *s)
{
    struct engine_options options = {.size = sizeof options};
    struct trawl_error error;

    s->engine = gpu_open();
    options.cuda = s->engine;
    measure_must(engine_gallery.open(&options, &s->gallery, &error), &error);
    s->bytes = (uint8_t *)test_memory(s->count + MEASURE_SLACK_BYTES);
    memset(s->bytes + s->count, 0, MEASURE_SLACK_BYTES);
    s->cpu = measure_searcher(TRAWL_ENGINE_CPU, 0);
    list_algorithms(s);
    s->figures_left = s->name_count * FIGURES;
}

static void text_measure(struct session *s, uint32_t text)
{
    struct trawl_error error;
    struct row row;

    measure_fill(s->bytes, s->count, texts[text]);
    measure_must(cuda_residents_load(s->engine, s->bytes, s->count, true, &error), &error);
    for (uint32_t l = 0; l < LENGTHS; l++) {
        row_begin(s, lengths[l], &row);
        for (uint32_t a = 0; a < s->name_count; a++)
            measure(s, &row, a, &s->figures[a][text * LENGTHS + l]);
    }
    cuda_residents_unload(s->engine, s->bytes);
}

int main(int argc, char **argv)
{
    uint64_t kib = argc > 1 ? strtoull(argv[1], NULL, 10) : 8u << 20;
    uint64_t seconds = argc > 2 ? strtoull(argv[2], NULL, 10) : 150;
    static struct session s;

    test_begin("gpu gallery speed");
    s.count = (kib > 16 ? kib : 16) << 10;
    s.deadline = measure_now() + (double)seconds;
    session_open(&s);
    printf("text of %" PRIu64 " KiB, %" PRIu64 " s\n", s.count >> 10, seconds);
    for (uint32_t text = 0; text < TEXTS; text++)
        text_measure(&s, text);
    print_tables(&s);
    trawl_searcher_close(s.cpu);
    engine_gallery.close(s.gallery);
    engine_cuda.close(s.engine);
    free(s.bytes);
    return s.wrong == 0 && s.measured > 0 ? 0 : 1;
}
