/* gallery_case: the ways to run the gallery on a device, and inputs that suit them. */
#include "gallery_case.h"

#include "gallery/kernels/gallery.h"

#define PATTERNS_MAX 9u
#define LONG_BYTES 80000u /* more than two tiles of GALLERY_BIN_BYTES */
#define WORK_MAX 600000u  /* bytes compared by the algorithm that compares all */

const char *const gallery_ways[] = {
    "pss-gg:64",
    "pss-gr:96",
    "pss-gm:128",
    "pss-gm:64,debug",
    "pss-gg",
    "pss-shared:64",
    "bmh",
    "bmh:3x5",
    "bmh:1x1",
    "bmh:7x33,debug",
    "bmh-shared",
    "bmh-shared:2x16",
    "bmh-shared:1x64",
    "bmh-conflict-free",
    "bmh-conflict-free:2x16",
    "bmh-conflict-free:1x97",
    "bmh-conflict-free:3x5",
    "aho-corasick",
    "aho-corasick:64",
    "word-simple:64",
    "word-reduction:96",
    "word-chunked:64",
    "word-chunked",
    "bf:64",
    "bf",
    "bf-shared:64",
    "bf-swift:64",
    "bf-swift-binning:64",
    "bf-swift-chunking:96",
    "bf-hybrid:20",
    "bf-hybrid",
    "qs",
    "qs:64",
    "qs-shared:64",
    "qs-segments:3x5",
    "qs-segments-shared:64",
    "qs-swift:64",
    "qs-swift-binning:64",
    "qs-swift-chunking:64",
    "qs-hybrid:9",
    "qs-hybrid",
    "hp",
    "hp:96",
    "hp-shared:64",
    "hp-segments:9x32",
    "hp-segments-shared:64",
    "hp-swift:64",
    "hp-swift-binning:96",
    "hp-swift-chunking:64",
    "hp-hybrid:9",
    "hp-hybrid",
    "hp-swift,debug",
    NULL,
};

bool gallery_way_has_children(const char *way)
{
    return strstr(way, "-swift") != NULL || strstr(way, "-hybrid") != NULL;
}

/* The text again and again, on the device as a whole, so that there are several blocks, or several
 * tiles for a block to go over. */
static void make_long(struct diff_input *input, struct cuda_case *config)
{
    uint8_t *text = (uint8_t *)test_memory(LONG_BYTES);

    for (uint64_t i = 0; i < LONG_BYTES; i++)
        text[i] = input->text[i % input->text_bytes];
    free(input->text);
    input->text = text;
    input->text_bytes = LONG_BYTES;
    input->flags &= ~(uint32_t)NAIVE_IGNORE_CASE; /* a folded text comes in windows */
    config->want = WANT_COUNT;
    config->chunk_bytes = LONG_BYTES;
    config->resident = true;
}

/* Patterns away until few are left, and bytes of the text until the work is little. */
static void fit(const char *way, struct diff_input *input, struct cuda_case *config)
{
    uint64_t pattern_bytes = 1;

    while (input->pattern_count > PATTERNS_MAX)
        free(input->pattern_memory[--input->pattern_count]);
    for (uint64_t i = 0; i < input->pattern_count; i++)
        pattern_bytes += input->patterns[i].bytes_count;
    for (uint64_t i = 0; i < input->pattern_count && strncmp(way, "pss-gr", 6) == 0; i++)
        if (input->patterns[i].bytes_count > GALLERY_KEY_BYTES)
            input->patterns[i].bytes_count = GALLERY_KEY_BYTES;
    if (strncmp(way, "word", 4) == 0 && input->text_bytes > WORK_MAX / pattern_bytes)
        input->text_bytes = WORK_MAX / pattern_bytes;
    if (strstr(way, "-shared:") != NULL && pattern_bytes < 40 && input->text_bytes > 0)
        make_long(input, config);
}

static void limits_for(const struct cuda_limits *limits)
{
    struct gallery_limits own = gallery_limits_default;

    own.part_bytes = 1 + limits->text_bytes_max / 2;
    own.shift_begins = 1 + limits->threads / 3;
    own.child_threads_max = limits->threads;
    if (limits->blocks_max % 2 == 0) /* windows beyond them are compared by their parents */
        own.child_grids_max = (uint32_t)limits->hits_room_min;
    gallery_limits_replace(&own);
}

const struct case_kind gallery_case_kind = {&engine_gallery, limits_for, fit};

struct engine_worker *gallery_worker_open(struct engine *cuda, struct engine **gallery,
                                          struct trawl_error *error)
{
    struct engine_options options = {.size = sizeof options, .cuda = cuda};
    struct engine_worker *worker = NULL;

    if (engine_gallery.open(&options, gallery, error) != TRAWL_OK)
        return NULL;
    if (engine_gallery.compile(*gallery, ENGINE_DEVICES_MAX, NULL, &worker, error) == TRAWL_OK)
        return worker;
    engine_gallery.close(*gallery);
    return NULL;
}

void gallery_worker_close(struct engine *gallery, struct engine_worker *worker)
{
    engine_gallery.release(worker);
    engine_gallery.close(gallery);
}

void gallery_case_count(struct gallery_case_tally *tally, uint64_t index,
                        enum cuda_case_answer answer, const struct diff_expected *expected)
{
    if (tally == NULL)
        return;
    tally->right[index] += answer == CUDA_CASE_RIGHT;
    tally->with_matches[index] += answer == CUDA_CASE_RIGHT && expected->match_count > 0;
    tally->refused[index] += answer == CUDA_CASE_REFUSED;
}

bool gallery_cases_on(struct engine *engine, const char *name, uint64_t index, uint64_t count,
                      bool without_children, bool with_children, struct gallery_case_tally *tally)
{
    struct engine *gallery = NULL;
    struct trawl_error error = {.message = ""};
    struct engine_worker *worker;
    bool passed = true;
    uint64_t ways = 0;

    random_case_limits(name, index, &gallery_case_kind);
    worker = gallery_worker_open(engine, &gallery, &error);
    if (worker == NULL) {
        printf("  worker: %s\n", error.message);
        return false;
    }
    while (gallery_ways[ways] != NULL)
        ways++;
    for (uint64_t i = index; i < index + count && passed; i++) {
        const char *way = gallery_ways[i % ways];
        struct diff_expected expected;
        enum cuda_case_answer answer;
        struct cuda_case config;

        if (!(gallery_way_has_children(way) ? with_children : without_children))
            continue;
        passed = random_case_on(engine, worker, name, &gallery_case_kind, way, i, &expected,
                                &config, &answer);
        gallery_case_count(tally, i % ways, answer, &expected);
        expected_free(&expected);
    }
    gallery_worker_close(gallery, worker);
    return passed;
}
