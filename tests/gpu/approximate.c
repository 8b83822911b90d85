/* approximate: searches with errors on a real device: right on a sample, and how fast.
 *
 * gpu_approximate [KIB]: the text's size, 1 MiB where it is not given. The sample is held against
 * two loops (mismatches) and Sellers' table (edits); the number of occurrences in the whole text
 * against the host's engine where the text is small.
 */
#include "approximate/choose.h"
#include "approximate/device.h"
#include "base/clock.h"
#include "calls.h"
#include "diff/input.h"
#include "gpu/gpu.h"

#define GUIDES 1000u
#define GUIDE_BYTES 23u
#define LONG_BYTES 80u
#define SAMPLE_BYTES (64u << 10)
#define SAMPLE_GUIDES 40u
#define HOST_BYTES_MAX (4u << 20)
#define LARGE_SETS_FROM (64u << 20)
#define TIMES 3

enum kind { MISMATCHES, EDITS };

struct row {
    const char *what;
    enum kind kind;
    uint32_t k;
    uint32_t patterns;
    uint32_t pattern_bytes;
    bool both_strands;
    bool has_motif; /* the last three letters are NGG, without errors */
};

static const struct row rows[] = {
    {"1,000 guides of 23, k = 3 mismatches", MISMATCHES, 3, GUIDES, GUIDE_BYTES, false, false},
    {"1,000 guides of 23, k = 4 mismatches", MISMATCHES, 4, GUIDES, GUIDE_BYTES, false, false},
    {"  both strands", MISMATCHES, 4, GUIDES, GUIDE_BYTES, true, false},
    {"  both strands, exact NGG", MISMATCHES, 4, GUIDES, GUIDE_BYTES, true, true},
    {"1,000 guides of 23, k = 6 mismatches", MISMATCHES, 6, GUIDES, GUIDE_BYTES, false, false},
    {"  both strands, exact NGG", MISMATCHES, 6, GUIDES, GUIDE_BYTES, true, true},
    {"1,000 guides of 23, k = 2 edits", EDITS, 2, GUIDES, GUIDE_BYTES, false, false},
    {"1,000 guides of 23, k = 3 edits", EDITS, 3, GUIDES, GUIDE_BYTES, false, false},
    {"  both strands", EDITS, 3, GUIDES, GUIDE_BYTES, true, false},
    {"1,000 guides of 23, k = 4 edits", EDITS, 4, GUIDES, GUIDE_BYTES, false, false},
    {"1 pattern of 40, k = 3 mismatches", MISMATCHES, 3, 1, 40, false, false},
    {"1 pattern of 40, k = 3 edits", EDITS, 3, 1, 40, false, false},
    {"100,000 patterns of 80, k = 2 mismatches", MISMATCHES, 2, 100000, LONG_BYTES, false, false},
    {"100,000 patterns of 80, k = 2 edits", EDITS, 2, 100000, LONG_BYTES, false, false},
};

struct fixture {
    struct engine *engine;
    struct trawl_searcher *gpu;
    struct trawl_searcher *cpu;
    uint8_t *bytes;
    uint64_t count;
    uint8_t *patterns; /* LONG_BYTES each, of which a row takes the first */
    struct trawl_pattern *list;
};

static void fill_letters(struct test_random *random, uint8_t *bytes, uint64_t count)
{
    for (uint64_t i = 0; i < count;) {
        uint64_t bits = test_random_u64(random);

        for (uint32_t j = 0; j < 32 && i < count; j++, bits >>= 2)
            bytes[i++] = (uint8_t) "ACGT"[bits & 3];
    }
}

static uint8_t complement(uint8_t letter)
{
    return (uint8_t)(letter == 'A'   ? 'T'
                     : letter == 'C' ? 'G'
                     : letter == 'G' ? 'C'
                     : letter == 'T' ? 'A'
                                     : letter); /* N: of any base */
}

static struct trawl_plan *plan_of(const struct fixture *f, const struct row *row, uint32_t patterns)
{
    static const struct trawl_range motif = {GUIDE_BYTES - 3, GUIDE_BYTES};
    struct trawl_plan_options options = TRAWL_PLAN_OPTIONS_INIT;

    options.alphabet = TRAWL_DNA;
    options.mismatches_max = row->kind == MISMATCHES ? row->k : 0;
    options.edits_max = row->kind == EDITS ? row->k : 0;
    options.flags = (row->both_strands ? TRAWL_REVERSE_COMPLEMENT : 0) |
                    (row->kind == EDITS ? TRAWL_EVERY_END : 0);
    for (uint32_t i = 0; i < patterns; i++) {
        uint8_t *bytes = f->patterns + (uint64_t)i * LONG_BYTES;

        f->list[i] = (struct trawl_pattern){bytes, row->pattern_bytes};
        if (row->has_motif)
            memcpy(bytes + GUIDE_BYTES - 3, "NGG", 3);
    }
    options.exact = &motif;
    options.exact_count = row->has_motif;
    return must_plans(f->list, patterns, &options);
}

/* ---- The sample ------------------------------------------------------------------------------ */

static bool equals(uint8_t pattern, uint8_t text)
{
    return pattern == 'N' || pattern == text;
}

static uint64_t count_begins(const struct row *row, const uint8_t *pattern, bool reversed,
                             const uint8_t *text)
{
    uint64_t count = 0, m = row->pattern_bytes;

    for (uint64_t x = 0; x + m <= SAMPLE_BYTES; x++) {
        uint64_t differ = 0;

        for (uint64_t i = 0; i < m && differ <= row->k; i++) {
            uint8_t letter = reversed ? complement(text[x + m - 1 - i]) : text[x + i];

            if (!equals(pattern[i], letter))
                differ += row->has_motif && i >= m - 3 ? m : 1;
        }
        count += differ <= row->k;
    }
    return count;
}

static uint64_t count_ends(const struct row *row, const uint8_t *pattern, bool reversed,
                           const uint8_t *text)
{
    uint64_t column[LONG_BYTES + 1], count = 0, m = row->pattern_bytes;

    for (uint64_t i = 0; i <= m; i++)
        column[i] = i;
    for (uint64_t x = 0; x < SAMPLE_BYTES; x++) {
        uint64_t corner = 0;

        for (uint64_t i = 1; i <= m; i++) {
            uint8_t letter = reversed ? complement(pattern[m - i]) : pattern[i - 1];
            uint64_t best = corner + !equals(letter, text[x]);

            corner = column[i];
            best = corner + 1 < best ? corner + 1 : best;
            column[i] = column[i - 1] + 1 < best ? column[i - 1] + 1 : best;
        }
        count += column[m] <= row->k;
    }
    return count;
}

/* The sample's text holds damaged copies of the patterns that are searched for. */
static void check_sample(const struct fixture *f, const struct row *row)
{
    uint32_t patterns = row->patterns < SAMPLE_GUIDES ? row->patterns : SAMPLE_GUIDES;
    struct test_random random = test_random_begin(row->what);
    uint8_t *text = (uint8_t *)test_memory(SAMPLE_BYTES);
    uint64_t expected = 0;

    AUTO_PLAN plan = plan_of(f, row, patterns);
    AUTO_TEXT sample = NULL;

    fill_letters(&random, text, SAMPLE_BYTES);
    for (uint64_t at = 0; at + LONG_BYTES < SAMPLE_BYTES; at += 200) {
        const uint8_t *pattern =
            f->patterns + test_random_below(&random, patterns) * (uint64_t)LONG_BYTES;

        memcpy(text + at, pattern, row->pattern_bytes);
        for (uint32_t i = 0; i <= row->k; i++)
            text[at + test_random_below(&random, row->pattern_bytes)] = 'A';
    }
    for (uint32_t i = 0; i < patterns; i++)
        for (uint32_t reversed = 0; reversed <= row->both_strands; reversed++)
            expected += (row->kind == EDITS ? count_ends : count_begins)(
                row, f->patterns + (uint64_t)i * LONG_BYTES, reversed != 0, text);
    sample = must_text(text, SAMPLE_BYTES);
    if (!TEST_CHECK_U64(must_count(f->gpu, plan, sample), expected))
        printf("  %s\n", row->what);
    TEST_CHECK(expected > 0);
    free(text);
}

/* ---- Time ------------------------------------------------------------------------------------ */

/* Seconds for the candidates of the whole text, which the engine holds; how many there are. */
static double time_candidates(const struct fixture *f, const struct trawl_plan *plan,
                              uint64_t *count)
{
    struct engine_chunk chunk = {.bytes = f->bytes, .owned = f->count};
    struct approx_candidates candidates = {NULL, 0, 0};
    const struct approximate *approximate = NULL;
    struct approx_device *device = NULL;
    double best = 1e9;

    MUST(approx_want(plan, &approximate, NULL));
    MUST(approx_device_open(f->engine, ENGINE_DEVICES_MAX, &device, NULL));
    MUST(approx_device_begin(device, approximate, NULL));
    for (uint32_t i = 0; i < TIMES; i++) {
        uint64_t begin = clock_now_ns(), step = f->count;
        double seconds;

        *count = 0;
        for (uint64_t at = 0, to; at < chunk.owned; at = to) {
            to = at + (step < chunk.owned - at ? step : chunk.owned - at);
            candidates.count = 0;
            MUST(approx_device_candidates(device, &chunk, at, &to, &candidates, NULL));
            *count += candidates.count;
            step = to - at;
        }
        seconds = (double)(clock_now_ns() - begin) / 1e9;
        best = seconds < best ? seconds : best;
    }
    approx_candidates_release(&candidates);
    approx_device_close(device);
    return best;
}

static double time_count(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                         struct trawl_text *text, uint64_t *count)
{
    double best = 1e9;

    for (uint32_t i = 0; i < TIMES; i++) {
        uint64_t begin = clock_now_ns();
        double seconds;

        *count = must_count(searcher, plan, text);
        seconds = (double)(clock_now_ns() - begin) / 1e9;
        best = seconds < best ? seconds : best;
    }
    return best;
}

static const char *method_name(const struct trawl_plan *plan)
{
    const struct approximate *approximate = NULL;

    MUST(approx_want(plan, &approximate, NULL));
    return approximate->method_on_device == APPROX_PIECES ? "pieces" : "grams";
}

/* Both methods where there are both. */
static void time_row(const struct fixture *f, const struct row *row, struct trawl_text *text)
{
    static const enum approx_method methods[2] = {APPROX_PIECES, APPROX_METHODS};
    double work = (double)f->count * row->patterns * (row->both_strands ? 2 : 1) / 1e12;

    for (uint32_t i = row->patterns == GUIDES ? 1 : 0; i < 2; i++) {
        AUTO_PLAN plan = NULL;
        uint64_t candidates = 0, count = 0, on_host = 0;
        double found, counted;

        approx_method_forced = i == 0               ? methods[0]
                               : row->kind == EDITS ? APPROX_COLUMNS
                                                    : APPROX_PLANES;
        plan = plan_of(f, row, row->patterns);
        found = time_candidates(f, plan, &candidates);
        counted = time_count(f->gpu, plan, text, &count);
        printf("%-42s %-7s %9.3f %8.2f %8.1f %9.3f %8.2f %12" PRIu64 " %10" PRIu64 "\n", row->what,
               method_name(plan), found * 1e3, work / found, (double)f->count / found / 1e9,
               counted * 1e3, work / counted, candidates, count);
        if (f->count <= HOST_BYTES_MAX && row->patterns <= GUIDES) {
            on_host = must_count(f->cpu, plan, text);
            TEST_CHECK_U64(count, on_host);
        }
    }
}

/* ---- Beside searches without errors ---------------------------------------------------------- */

#define LETTERS_PATTERN 40u
#define LISTED_MAX (1u << 20)

static double time_list(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                        struct trawl_text *text)
{
    struct trawl_match *matches = (struct trawl_match *)test_memory(LISTED_MAX * sizeof *matches);
    double best = 1e9;

    for (uint32_t i = 0; i < TIMES; i++) {
        uint64_t begin = clock_now_ns(), found = 0;
        double seconds;

        MUST(trawl_positions_into(searcher, plan, text, matches, LISTED_MAX, &found, NULL));
        seconds = (double)(clock_now_ns() - begin) / 1e9;
        best = seconds < best ? seconds : best;
    }
    free(matches);
    return best;
}

/* A pattern of 40 bytes within 3 errors, and its four pieces without. */
static void time_beside(const struct fixture *f, struct trawl_text *text, const char *what,
                        const uint8_t *pattern, enum trawl_alphabet alphabet)
{
    double counted[3], listed[3];

    approx_method_forced = APPROX_METHODS;
    for (uint32_t i = 0; i < 3; i++) {
        struct trawl_plan_options options = TRAWL_PLAN_OPTIONS_INIT;
        uint64_t count;
        AUTO_PLAN plan = NULL;

        for (uint32_t j = 0; j < 4; j++)
            f->list[j] = (struct trawl_pattern){pattern + 10 * j, 10};
        if (i > 0) {
            f->list[0].bytes_count = LETTERS_PATTERN;
            options.alphabet = alphabet;
            options.mismatches_max = i == 1 ? 3 : 0;
            options.edits_max = i == 2 ? 3 : 0;
        }
        plan = must_plans(f->list, i == 0 ? 4 : 1, &options);
        counted[i] = time_count(f->gpu, plan, text, &count);
        listed[i] = time_list(f->gpu, plan, text);
    }
    printf("%s, 4 strings of 10: count %.3f ms, list %.3f ms; 1 of 40 within 3 mismatches: count "
           "%.3f (%.2f x the speed), list %.3f (%.2f x); within 3 edits: count %.3f (%.2f x), list "
           "%.3f (%.2f x)\n",
           what, counted[0] * 1e3, listed[0] * 1e3, counted[1] * 1e3, counted[0] / counted[1],
           listed[1] * 1e3, listed[0] / listed[1], counted[2] * 1e3, counted[0] / counted[2],
           listed[2] * 1e3, listed[0] / listed[2]);
}

/* In the text, and in one of random letters. */
static void beside(struct fixture *f, struct trawl_text *text, struct test_random *random)
{
    uint8_t *letters = (uint8_t *)test_memory(f->count);
    struct trawl_text *second = NULL;

    time_beside(f, text, "DNA", f->patterns, TRAWL_DNA);
    for (uint64_t i = 0; i < f->count; i += 8) {
        uint64_t bits = test_random_u64(random);

        for (uint64_t j = i; j < i + 8; j++, bits >>= 8)
            letters[j] = (uint8_t)('a' + (bits & 255) * 26 / 256);
    }
    second = must_text(letters, f->count);
    MUST(trawl_text_load(f->gpu, second, NULL));
    time_beside(f, second, "letters", letters + f->count / 2, TRAWL_BYTES);
    trawl_text_unload(f->gpu, second);
    trawl_text_close(second);
    free(letters);
}

int main(int argc, char **argv)
{
    struct test_random random = test_random_begin("approximate");
    struct fixture f = {.count = (argc > 1 ? strtoull(argv[1], NULL, 10) : 1024) << 10};
    const uint32_t most = 100000;
    struct engine_text held;
    struct trawl_text *text;

    test_begin("gpu approximate");
    f.engine = gpu_open();
    f.gpu = must_searcher_with(SEARCHER_WITH(.engine = TRAWL_ENGINE_CUDA));
    f.cpu = must_searcher_with(SEARCHER_WITH(.engine = TRAWL_ENGINE_CPU));
    f.bytes = (uint8_t *)test_memory(f.count);
    f.patterns = (uint8_t *)test_memory((uint64_t)most * LONG_BYTES);
    f.list = (struct trawl_pattern *)test_memory(most * sizeof *f.list);
    fill_letters(&random, f.bytes, f.count);
    fill_letters(&random, f.patterns, (uint64_t)most * LONG_BYTES);
    held = (struct engine_text){.bytes = f.bytes, .bytes_count = f.count, .how = ENGINE_HOLD_COPY};
    MUST(engine_cuda.hold(f.engine, &held, NULL));
    text = must_text(f.bytes, f.count);
    MUST(trawl_text_load(f.gpu, text, NULL));
    printf("text of %" PRIu64 " KiB; T: 10^12 positions x patterns (x strands) a second\n"
           "%-42s %-7s %9s %8s %8s %9s %8s %12s %10s\n",
           f.count >> 10, "", "by", "found ms", "T", "GB/s", "count ms", "T", "candidates",
           "found");
    for (uint32_t i = 0; i < sizeof rows / sizeof *rows && test_failures == 0; i++) {
        if (rows[i].patterns > GUIDES && f.count < LARGE_SETS_FROM)
            continue;
        /* NGG was written over the guides' ends */
        if (i > 0 && rows[i - 1].has_motif)
            fill_letters(&random, f.patterns, (uint64_t)GUIDES * LONG_BYTES);
        approx_method_forced = APPROX_METHODS;
        check_sample(&f, &rows[i]);
        time_row(&f, &rows[i], text);
    }
    beside(&f, text, &random);
    trawl_text_unload(f.gpu, text);
    trawl_text_close(text);
    (void)engine_cuda.drop(f.engine, &held);
    engine_cuda.close(f.engine);
    trawl_searcher_close(f.gpu);
    trawl_searcher_close(f.cpu);
    free(f.bytes);
    free(f.patterns);
    free(f.list);
    return test_end();
}
