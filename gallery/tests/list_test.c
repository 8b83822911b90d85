/* list_test: the gallery's names, rejected options, what a plan says about its algorithm, and which
 * engine runs it.
 */
#include "calls.h"

#define ON_CPU (1u << TRAWL_ENGINE_CPU)
#define ON_CUDA (1u << TRAWL_ENGINE_CUDA)
#define ON_BOTH (ON_CPU | ON_CUDA)

/* Each algorithm, its engines, and a geometry that it takes: threads per block, BLOCKSxTHREADS, or
 * a hybrid's threshold. NULL: none. */
static const struct {
    const char *name;
    uint32_t engines;
    const char *geometry;
} rows[] = {
#define GIVEN_NONE NULL
#define GIVEN_THREADS "992"
#define GIVEN_GRID "132x33"
#define GIVEN_THRESHOLD "800"
#define ALGORITHM(enumerator, name, searched, engines, geometry, line, source) \
    {name, ON_##engines, GIVEN_##geometry},
#include "gallery/algorithms.def"
};
#define NAMES (sizeof rows / sizeof *rows)

static const struct trawl_pattern pattern = {"ana", 3};

static enum trawl_status build(const struct trawl_pattern *patterns, uint64_t pattern_count,
                               const char *algorithm, struct trawl_plan **plan,
                               struct trawl_error *error)
{
    return trawl_plan_build(patterns, pattern_count, PLAN_WITH(.algorithm = algorithm), plan,
                            error);
}

static void listed(void)
{
    for (uint32_t i = 0; i < NAMES; i++) {
        uint32_t engines = 0;
        const char *summary = NULL, *name = trawl_algorithm(i, &summary, &engines);

        if (!TEST_CHECK(name != NULL && strcmp(name, rows[i].name) == 0))
            continue;
        TEST_CHECK(summary != NULL && strlen(summary) > 5 && strchr(summary, '(') != NULL);
        TEST_CHECK(summary != NULL && strchr(summary, '\n') == NULL);
        TEST_CHECK(trawl_algorithm(i, NULL, NULL) == name);
        TEST_CHECK_U64(engines, rows[i].engines);
    }
    for (uint32_t i = 0; i < 2; i++) {
        const char *summary = "untouched";
        uint32_t engines = 77;

        TEST_CHECK(trawl_algorithm(i == 0 ? NAMES : UINT32_MAX, &summary, &engines) == NULL);
        TEST_CHECK(strcmp(summary, "untouched") == 0);
        TEST_CHECK_U64(engines, 77);
    }
}

/* Checks a name with options ("", ":geometry" or ",debug"): which engines the plan fits (0: it must
 * be rejected), and that the explanation has `words` or `or_words`. */
static void takes(uint32_t i, const char *options, uint32_t engines, const char *words,
                  const char *or_words)
{
    char text[100], lines[1000];
    AUTO_PLAN plan = NULL;
    uint64_t needed = 0;

    (void)snprintf(text, sizeof text, "%s%s", rows[i].name, options);
    if (engines == 0) {
        CHECK_ERROR(build(&pattern, 1, text, &plan, error), TRAWL_ARGUMENT);
        return;
    }
    MUST(build(&pattern, 1, text, &plan, NULL));
    TEST_CHECK_U64(call_describe(plan, 0).engines, engines);
    MUST(trawl_plan_explain(plan, lines, sizeof lines, &needed, NULL));
    TEST_CHECK(needed <= sizeof lines && strstr(lines, "method: ") == NULL &&
               strstr(lines, "\nsource: ") != NULL);
    TEST_CHECK(engines != ON_CUDA || strstr(lines, "\nengines: cuda\n") != NULL);
    TEST_CHECK(strstr(lines, words) != NULL || strstr(lines, or_words) != NULL);
}

/* Tests each name by itself, with a geometry, and with ",debug". */
static void names_with_options(void)
{
    for (uint32_t i = 0; i < NAMES; i++) {
        const char *geometry = rows[i].geometry;
        char text[64];

        (void)snprintf(text, sizeof text, "algorithm: %s\n", rows[i].name);
        takes(i, "", rows[i].engines, text, text);
        (void)snprintf(text, sizeof text, ":%s", geometry == NULL ? "64" : geometry);
        takes(i, text, geometry == NULL ? 0 : ON_CUDA, "threads per block: ", "threshold: ");
        takes(i, ",debug",
              (strncmp(rows[i].name, "pss-", 4) == 0 && strcmp(rows[i].name, "pss-gm-list") != 0) ||
                      strcmp(rows[i].name, "bmh") == 0
                  ? ON_CUDA
                  : 0,
              "\ndevice code: debug\n", "\n\n");
    }
}

static void options_that_do_not_fit(void)
{
    static const struct {
        const char *text, *named; /* the error message must have `named` */
    } wrong[] = {
        {"pss-gm:", "threads \"\""},
        {"pss-gm:0", "\"0\""},
        {"pss-gm:100", "\"100\""},
        {"pss-gm:1056", "\"1056\""},
        {"pss-gm:+64", "\"+64\""},
        {"pss-gm:64x64", "\"64x64\""},
        {"pss-gm:4294967360", "\"4294967360\""},
        {"pss-gm:64 ", "\"64 \""},
        {"bmh:256", "\"256\""},
        {"qs:256x16", "\"256x16\""},
        {"qs-segments:256", "\"256\""},
        {"bmh:x16", "\"x16\""},
        {"bmh:16x", "\"16x\""},
        {"bmh:0x16", "\"0x16\""},
        {"bmh:16x0", "\"16x0\""},
        {"bmh:16x1025", "\"16x1025\""},
        {"bmh:2147483648x1", "\"2147483648x1\""},
        {"bmh:1x2x3", "\"1x2x3\""},
        {"bf-hybrid:0", "\"0\""},
        {"bf-hybrid:-1", "\"-1\""},
        {"bf-hybrid:2147483648", "\"2147483648\""},
        {"pss-gm,", "option \"\""},
        {"pss-gm,debugs", "\"debugs\""},
        {"pss-gm:256,debug,debug", "debug is there twice"},
        {"bf-swift,uncounted,", "option \"\""},
        {"bf,ordered", "ordered does not apply to algorithm bf"},
        {"bf,uncounted", "uncounted does not apply to algorithm bf"},
        {"rabin-karp-matrix,global", "global does not apply"},
        {"pss-gm:256,release", "\"release\""},
        {"naive:64", "naive takes no geometry"},
        {"naive,debug", "debug does not apply to algorithm naive"},
        {"bmh-shared,debug", "debug does not apply to algorithm bmh-shared"},
        {"pss:64", "\"pss\" does not exist"},
        {":64", "\"\" does not exist"},
        {",debug", "\"\" does not exist"},
        {"", "\"\""},
        {"Naive", "\"Naive\""},
        {"naive ", "\"naive \""},
        {"boyer-moore", "\"boyer-moore\""},
        {"every", "\"every\""},
        {"rabin", "\"rabin\""},
    };

    for (uint32_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct trawl_error record = calls_error();
        struct trawl_plan *plan = NULL;

        CHECK_STATUS(build(&pattern, 1, wrong[i].text, &plan, &record), TRAWL_ARGUMENT);
        if (!TEST_CHECK(plan == NULL && strstr(record.message, wrong[i].named) != NULL))
            printf("  %s: %s\n", wrong[i].text, record.message);
    }
}

/* The CPU and "auto" reject an algorithm or options that the CPU lacks; the message names the
 * engine that has them, and the searcher stays usable. */
static void not_on_the_cpu(void)
{
    static const char *const texts[] = {"pss-gm", "bf-hybrid", "bmh:256x16", "qs:64"};

    for (uint32_t i = 0; i < 2 * sizeof texts / sizeof *texts; i++) {
        AUTO_SEARCHER searcher = must_searcher_with(
            SEARCHER_WITH(.engine = i % 2 == 0 ? TRAWL_ENGINE_CPU : TRAWL_ENGINE_AUTO,
                          .threads = 1));
        AUTO_PLAN plan = must_plan_with("ana", PLAN_WITH(.algorithm = texts[i / 2]));
        AUTO_PLAN own = must_plan("ana");
        AUTO_TEXT text = must_string("banana");
        struct trawl_error record = calls_error();
        uint64_t count = 7;

        CHECK_STATUS(trawl_count(searcher, plan, text, &count, &record), TRAWL_UNSUPPORTED);
        TEST_CHECK(count == 7 && strstr(record.message, "\"cuda\"") != NULL);
        TEST_CHECK_U64(must_count(searcher, own, text), 2);
        TEST_CHECK_U64(call_describe(own, 0).engines, ON_BOTH);
    }
}

/* A plan with an algorithm is rejected if it also names a method, or if strstr gets a pattern with
 * a NUL. */
static void what_does_not_fit(void)
{
    static const struct trawl_pattern nul[] = {{"ab", 2}, {"a\0b", 3}, {"c", 1}};
    struct trawl_error record = calls_error();
    AUTO_PLAN plan = NULL;

    CHECK_ERROR(trawl_plan_build(&pattern, 1,
                                 PLAN_WITH(.algorithm = "qs", .method = TRAWL_METHOD_EVERY), &plan,
                                 error),
                TRAWL_ARGUMENT);
    CHECK_STATUS(build(nul, 3, "strstr", &plan, &record), TRAWL_ARGUMENT);
    TEST_CHECK_U64(record.pattern_index, 1);
    TEST_CHECK(strstr(record.message, "NUL") != NULL);
    CHECK_STATUS(build(nul, 3, "memmem", &plan, NULL), TRAWL_OK);
}

/* The plan copies the algorithm's name. */
static void borrowed_name(void)
{
    AUTO_SEARCHER searcher = must_searcher(1, 0);
    AUTO_TEXT text = must_string("banana");
    char name[] = "bmh";
    AUTO_PLAN named = must_plan_with("ana", PLAN_WITH(.algorithm = name));

    memset(name, '#', sizeof name - 1);
    TEST_CHECK_U64(must_count(searcher, named, text), 2);
}

/* rabin-karp-matrix and -sample search only records: for a text they are rejected, and the
 * searcher stays usable. */
static void for_records_alone(const char *name)
{
    AUTO_SEARCHER searcher = must_searcher(2, 0);
    AUTO_TEXT text = must_string("banana");
    AUTO_PLAN plan = must_plan_with("ana", PLAN_WITH(.algorithm = name));
    AUTO_PLAN other = must_plan("a");
    struct trawl_match match;
    uint64_t count = 0;
    bool found;

    CHECK_ERROR(trawl_count(searcher, plan, text, &count, error), TRAWL_ARGUMENT);
    CHECK_ERROR(trawl_first(searcher, plan, text, &match, &found, error), TRAWL_ARGUMENT);
    CHECK_ERROR(ask_positions(searcher, plan, text, ignore_matches, NULL, error), TRAWL_ARGUMENT);
    CHECK_ERROR(ask_begins_into(searcher, plan, text, &count, 1, &count, error), TRAWL_ARGUMENT);
    CHECK_ERROR(ask_count_lines(searcher, plan, text, false, UINT64_MAX, &count, error),
                TRAWL_ARGUMENT);
    CHECK_ERROR(trawl_windows(searcher, plan, text, 0, ignore_window, NULL, error), TRAWL_ARGUMENT);
    TEST_CHECK_U64(must_count(searcher, other, text), 3);
}

/* Returns true if the CPU searches texts by the algorithm. */
static bool is_for_texts(uint32_t i)
{
    return (rows[i].engines & ON_CPU) != 0 && strncmp(rows[i].name, "rabin-karp-matrix", 17) != 0;
}

/* What three_alike takes for the same letter if case is ignored. The Kelvin sign has more bytes
 * than k and K. */
static uint32_t kelvin[] = {'k', 'K', 0x212a};

static bool is_word(void *context, uint32_t code_point)
{
    (void)context;
    return code_point == 0x212a;
}

#define KELVIN "\xe2\x84\xaa"

static int take_row(void *context, uint64_t row_first, uint64_t row_count, const int64_t *first)
{
    static const int64_t expected[][2] = {{0, -1}, {2, -1}, {0, -1}, {1, 1}, {-1, -1}};

    uint64_t *taken = (uint64_t *)context;

    TEST_CHECK(row_first == *taken % 5 && row_first + row_count <= 5);
    for (uint64_t i = 0; i < row_count * 2; i++)
        TEST_CHECK(first[i] == expected[row_first + i / 2][i % 2]);
    *taken += row_count;
    return 0;
}

/* Tests a pattern whose literals have several lengths, and one with too many variants, so that
 * only its first characters become literals and the others are compared after a hit. */
static void variants_of_other_lengths(void)
{
    static const struct trawl_letters utf8 = {sizeof utf8, kelvin, three_alike, is_word, NULL};
    static const struct trawl_pattern patterns[] = {{"k", 1}, {"kkkkkkkkkkkk", 12}};
    static const char tape[] = KELVIN "ak"                     /* the longer variant first */
                                      "a.k" KELVIN             /* the shorter one first */
                                          KELVIN               /* alone */
                                      ".kKkKkK" KELVIN "kkkkK" /* 12 */
                                      ".";
    static const uint64_t offsets[] = {0, 5, 11, 14, 29, 30};
    const struct trawl_record_array records = records_of(tape, offsets, 5);
    AUTO_SEARCHER searcher = must_searcher(2, 5);
    AUTO_TEXT text = must_text(tape, sizeof tape - 1);
    uint64_t taken = 0, runs = 0;

    TEST_CHECK_U64(sizeof tape - 1, offsets[5]);
    for (uint32_t i = 0; i <= NAMES; i++) {
        AUTO_PLAN plan = NULL;

        if (i < NAMES && (rows[i].engines & ON_CPU) == 0)
            continue;
        runs++;
        plan = must_plans(patterns, 2,
                          PLAN_WITH(.algorithm = i < NAMES ? rows[i].name : NULL,
                                    .flags = TRAWL_IGNORE_CASE, .letters = &utf8));
        if (i == NAMES || is_for_texts(i))
            TEST_CHECK_U64(must_count(searcher, plan, text), 2 + 2 + 1 + 12 + 1);
        MUST(call_rows(searcher, plan, &records, take_row, &taken, NULL));
    }
    TEST_CHECK_U64(taken, 5 * runs);
    TEST_CHECK(runs > 9);
}

int main(void)
{
    test_begin("gallery_list");
    listed();
    names_with_options();
    options_that_do_not_fit();
    not_on_the_cpu();
    what_does_not_fit();
    borrowed_name();
    for_records_alone("rabin-karp-matrix");
    for_records_alone("rabin-karp-matrix-sample");
    variants_of_other_lengths();
    return test_end();
}
