/* gallery_case: lists the setups with which random cases run the gallery on a device, and fits
 * inputs to each. */
#include "gallery_case.h"

#include <pthread.h>

#include "base/checked.h"
#include "gallery/kernels/gallery.h"

#define PATTERNS_MAX 9u
#define LONG_BYTES 80000u /* more than two tiles of GALLERY_BIN_BYTES */
/* the maximum of text bytes x pattern bytes of a thread, if the setup sets the grid, or of a word
 * search */
#define WORK_MAX 600000u
/* parts of a case's text, at most; each costs a launch and copies */
#define STEPS_MAX 100u
#define STAGING_BYTES_MIN 300u

const char *const gallery_setups[] = {
    "pss-gr:96",
    "pss-gm:128",
    "pss-gm:64,debug",
    "pss-gm-passes:96",
    "pss-gm-passes,debug",
    "pss-gg",
    "bmh",
    "bmh:3x5",
    "bmh:3x5,debug",
    "bmh:1x1",
    "bmh:7x33",
    "bmh-shared",
    "bmh-shared:2x16",
    "bmh-shared:1x64",
    "bmh-conflict-free",
    "bmh-conflict-free:2x16",
    "bmh-conflict-free:1x97",
    "aho-corasick",
    "word-reduction:96",
    "word-chunked",
    "bf:64",
    "bf",
    "bf-tay",
    "bf-tay-shared",
    "bf-swift-chunking:96",
    "bf-hybrid:20",
    "bf-hybrid",
    "qs",
    "qs:64",
    "qs-segments:9x32",
    "qs-hybrid:9",
    "qs-hybrid",
    "hp",
    "hp:96",
    "hp-tay",
    "qs-tay-shared",
    "hp-swift-binning:96",
    "hp-hybrid:9",
    "hp-hybrid",
    "bf-hybrid-binning:9",
    "qs-hybrid-binning:9",
    "hp-hybrid-binning:9",
    "bf-swift:64,uncounted",
    "hp-swift:64,ordered",
    "qs-swift-binning,uncounted",
    "hp-swift-chunking:64,uncounted",
/* and each algorithm of the list, with a small block */
#define SETUP_THREADS ":64"
#define SETUP_GRID ":3x5"
#define ALGORITHM(enumerator, name, searched, engines, geometry, line, source)
#define ON_GPU(enumerator, name, geometry, kernel, threads, needs, line, source) \
    name SETUP_##geometry,
#include "gallery/algorithms.def"
    NULL,
};

_Static_assert(sizeof gallery_setups / sizeof *gallery_setups <= GALLERY_SETUPS_MAX,
               "tallies for all");

bool gallery_setup_has_children(const char *setup)
{
    return strstr(setup, "-swift") != NULL || strstr(setup, "-hybrid") != NULL;
}

/* Repeats the text, and lets the device hold all of it, so that a launch has several blocks, or a
 * block several tiles. */
static void make_long(struct diff_input *input, struct cuda_case *config)
{
    uint8_t *text = (uint8_t *)test_memory(LONG_BYTES);

    for (uint64_t i = 0; i < LONG_BYTES; i++)
        text[i] = input->text[i % input->text_bytes];
    free(input->text);
    input->text = text;
    input->text_bytes = LONG_BYTES;
    /* otherwise the text would be folded, and so searched, in small parts */
    input->flags &= ~(uint32_t)NAIVE_IGNORE_CASE;
    config->want = WANT_COUNT;
    config->chunk_bytes = LONG_BYTES;
    config->resident = true;
}

/* Returns true if counting with this setup (one that make_long fits) takes a single launch for the
 * whole text. The -shared forms of qs and hp do not: they need a flag per start offset, so memory
 * limits a launch. */
static bool in_one_part(const char *setup)
{
    return strncmp(setup, "qs-", 3) != 0 && strncmp(setup, "hp-", 3) != 0;
}

/* Returns how many text bytes the setup searches in little time, even if each start offset has an
 * occurrence. With small limits, a longer text would take seconds, mostly spent waiting for the
 * device. */
static uint64_t text_bytes_for(const char *setup, const struct cuda_limits *limits,
                               const struct diff_input *input, const struct cuda_case *config)
{
    uint64_t sum = 1, longest = 0, step = 1 + limits->text_bytes_max / 2, max;
    bool counted = config->want == WANT_COUNT && input->flags == 0;
    const char *options = strchr(setup, ':');
    unsigned blocks = 0, threads = 0;

    for (uint64_t i = 0; i < input->pattern_count; i++) {
        sum += input->patterns[i].bytes_count;
        longest = max_u64(longest, input->patterns[i].bytes_count);
    }
    if (!counted)
        step = min_u64(step, limits->hits_max);
    else if (config->resident && in_one_part(setup))
        step = LONG_BYTES;
    max = max_u64(STEPS_MAX * step / max_u64(input->pattern_count, 1), longest + step);
    if (options != NULL && sscanf(options, ":%ux%u", &blocks, &threads) == 2)
        max = min_u64(max, longest + (uint64_t)WORK_MAX * blocks * threads / sum);
    else if (strncmp(setup, "word", 4) == 0)
        max = min_u64(max, longest + WORK_MAX / sum);
    return max;
}

/* Keeps few patterns, cuts keys to the registers of pss-gr, and lengthens the text for some forms
 * -shared or cuts it for slow setups. */
static void fit(const char *setup, const struct cuda_limits *limits, struct diff_input *input,
                struct cuda_case *config)
{
    uint64_t pattern_bytes = 1;

    while (input->pattern_count > PATTERNS_MAX)
        free(input_pattern(input, --input->pattern_count));
    for (uint64_t i = 0; i < input->pattern_count; i++)
        pattern_bytes += input->patterns[i].bytes_count;
    for (uint64_t i = 0; i < input->pattern_count && strncmp(setup, "pss-gr", 6) == 0; i++)
        if (input->patterns[i].bytes_count > GALLERY_KEY_BYTES)
            input->patterns[i].bytes_count = GALLERY_KEY_BYTES;
    if (strstr(setup, "-shared:") != NULL && pattern_bytes < 40 && input->text_bytes > 0 &&
        (input->flags & ~(uint32_t)NAIVE_IGNORE_CASE) == 0)
        make_long(input, config);
    input->text_bytes = min_u64(input->text_bytes, text_bytes_for(setup, limits, input, config));
}

static void limits_for(struct cuda_limits *limits)
{
    struct gallery_limits own = gallery_limits_default;

    limits->staging_bytes = max_u64(limits->staging_bytes, STAGING_BYTES_MIN);
    own.part_bytes = 1 + limits->text_bytes_max / 2;
    own.shift_begins = 1 + limits->threads / 3;
    own.child_threads_max = limits->threads;
    own.child_begins_min = 1 + limits->threads / 2;
    /* Half of the cases have few child grids, so that the parent compares the other windows. */
    if (limits->blocks_max % 2 == 0)
        own.child_grids_max = (uint32_t)limits->hits_room_min;
    gallery_limits_replace(&own);
}

const struct case_kind gallery_case_kind = {&engine_gallery, limits_for, fit};

void gallery_case_count(struct gallery_case_tally *tally, uint64_t index,
                        enum cuda_case_answer answer, const struct diff_expected *expected)
{
    if (tally == NULL)
        return;
    tally->right[index] += answer == CUDA_CASE_RIGHT;
    tally->with_matches[index] += answer == CUDA_CASE_RIGHT && expected->match_count > 0;
    tally->refused[index] += answer == CUDA_CASE_REFUSED;
}

/* A thread's cases. */
struct batch {
    pthread_t thread;
    struct engine *engine;
    struct engine_worker *worker;
    struct cuda_limits limits;
    const struct gallery_cases *cases;
    uint64_t index;
    struct gallery_case_tally tally;
    bool passed;
};

static void *run_batch(void *argument)
{
    struct batch *batch = (struct batch *)argument;
    const struct gallery_cases *cases = batch->cases;
    uint64_t setups = 0;

    while (gallery_setups[setups] != NULL)
        setups++;
    batch->passed = true;
    for (uint64_t i = batch->index; i < batch->index + cases->count && batch->passed; i++) {
        const char *setup = gallery_setups[i % setups];
        struct diff_expected expected;
        enum cuda_case_answer answer;
        struct cuda_case config;

        if (!(gallery_setup_has_children(setup) ? cases->with_children : cases->without_children))
            continue;
        batch->passed =
            random_case_on(batch->engine, batch->worker, cases->name, &gallery_case_kind, setup, i,
                           &batch->limits, &expected, &config, &answer);
        batch->tally.failed[i % setups] += !batch->passed;
        gallery_case_count(&batch->tally, i % setups, answer, &expected);
        expected_free(&expected);
    }
    return NULL;
}

static void tally_add(struct gallery_case_tally *sum, const struct gallery_case_tally *tally)
{
    for (uint32_t i = 0; i < GALLERY_SETUPS_MAX; i++) {
        sum->right[i] += tally->right[i];
        sum->with_matches[i] += tally->with_matches[i];
        sum->refused[i] += tally->refused[i];
        sum->failed[i] += tally->failed[i];
    }
}

bool gallery_cases_on(struct engine *engine, const struct gallery_cases *cases, uint64_t index,
                      struct gallery_case_tally *tally)
{
    struct batch *batches = (struct batch *)calloc(
        /* one by one, because each worker copies the current limits */
        cases->threads, sizeof *batches);
    uint32_t opened = 0, started = 0;
    bool passed = batches != NULL;

    while (passed && opened < cases->threads) {
        struct batch *batch = &batches[opened];
        struct trawl_error error = {.message = ""};

        batch->engine = engine;
        batch->cases = cases;
        batch->index = index + opened * cases->count;
        batch->limits = random_case_limits(cases->name, batch->index, &gallery_case_kind);
        passed = engine_gallery.compile(engine, ENGINE_DEVICES_MAX, NULL, &batch->worker, &error) ==
                 TRAWL_OK;
        opened += passed;
        if (!passed)
            printf("  worker: %s\n", error.message);
    }
    while (passed && started < opened) {
        struct batch *batch = &batches[started];

        passed = pthread_create(&batch->thread, NULL, run_batch, batch) == 0;
        started += passed;
    }
    for (uint32_t i = 0; i < started; i++) {
        (void)pthread_join(batches[i].thread, NULL);
        passed &= batches[i].passed;
        tally_add(tally, &batches[i].tally);
    }
    for (uint32_t i = 0; i < opened; i++)
        engine_gallery.release(batches[i].worker);
    free(batches);
    return passed;
}
