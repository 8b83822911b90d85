/* unit_options: options in structs of older and newer versions of the library, which are smaller or
 * larger than this version's structs; texts of statuses; the version. */
#include "calls.h"

#define LATER_BYTES 64 /* fields that a later version may have added */

struct later_stats {
    struct trawl_stats known;
    uint8_t later[LATER_BYTES];
};

static const struct trawl_pattern pattern = {"a", 1};

static enum trawl_status build(const void *options, struct trawl_error *error)
{
    AUTO_PLAN plan = NULL;
    enum trawl_status status = trawl_plan_build(&pattern, 1, options, &plan, error);

    TEST_CHECK((plan != NULL) == (status == TRAWL_OK));
    return status;
}

static enum trawl_status open_searcher(const void *options, struct trawl_error *error)
{
    AUTO_SEARCHER searcher = NULL;
    enum trawl_status status = trawl_searcher_open(options, &searcher, error);

    TEST_CHECK((searcher != NULL) == (status == TRAWL_OK));
    return status;
}

/* Passes options of `bytes` bytes, which begin with their size, as structs of other sizes. */
static void sizes(enum trawl_status (*call)(const void *, struct trawl_error *),
                  const void *options, uint64_t bytes)
{
    union {
        uint64_t size;
        uint8_t bytes[sizeof(struct trawl_plan_options) + sizeof(struct trawl_searcher_options) +
                      LATER_BYTES];
    } later = {0};
    static const uint64_t wrong[] = {0, 7, UINT64_MAX};

    memcpy(&later, options, bytes);
    TEST_CHECK_U64(later.size, bytes);
    CHECK_STATUS(call(NULL, NULL), TRAWL_OK);
    CHECK_STATUS(call(&later, NULL), TRAWL_OK);
    for (uint64_t i = bytes; i < bytes + LATER_BYTES; i += 21) {
        later.size = bytes + LATER_BYTES;
        CHECK_STATUS(call(&later, NULL), TRAWL_OK);
        later.bytes[i] = 1;
        CHECK_REFUSED(call(&later, error));
        later.size = i; /* the struct ends before the byte that is set */
        CHECK_STATUS(call(&later, NULL), TRAWL_OK);
        later.bytes[i] = 0;
    }
    for (uint32_t i = 0; i < 3; i++) {
        later.size = wrong[i];
        CHECK_REFUSED(call(&later, error));
    }
}

/* Checks that the library reads no field beyond the struct's size, since the struct of a caller of
 * an older version ends earlier. */
static void smaller_structs(void)
{
    struct trawl_plan_options older = TRAWL_PLAN_OPTIONS_INIT;
    struct trawl_searcher_options older_searcher = TRAWL_SEARCHER_OPTIONS_INIT;
    AUTO_PLAN plan = NULL;
    AUTO_SEARCHER searcher = NULL;
    AUTO_TEXT text = must_string("Aa");

    older.size = offsetof(struct trawl_plan_options, method);
    older.flags = TRAWL_IGNORE_CASE;
    older.method = (enum trawl_method)99; /* this field lies beyond the size */
    older.sample_bytes = 5;
    MUST(trawl_plan_build(&pattern, 1, &older, &plan, NULL));
    older_searcher.size = offsetof(struct trawl_searcher_options, chunk_bytes);
    older_searcher.engine = TRAWL_ENGINE_CPU;
    older_searcher.instruction_set = "no such set";
    MUST(trawl_searcher_open(&older_searcher, &searcher, NULL));
    TEST_CHECK_U64(must_count(searcher, plan, text), 2);
}

static void stats_sizes(void)
{
    AUTO_SEARCHER searcher = must_searcher(1, 0);
    AUTO_PLAN plan = must_plan("a");
    AUTO_TEXT text = must_string("banana");
    struct later_stats later;
    uint64_t older_bytes = offsetof(struct trawl_stats, candidate_count);

    TEST_CHECK_U64(must_count(searcher, plan, text), 3);
    memset(&later, 0xcd, sizeof later);
    later.known.size = sizeof later;
    MUST(trawl_searcher_stats(searcher, &later.known, NULL));
    TEST_CHECK_U64(later.known.match_count, 3);
    memset(&later, 0xcd, sizeof later);
    later.known.size = older_bytes; /* the library must write nothing behind an older struct */
    MUST(trawl_searcher_stats(searcher, &later.known, NULL));
    TEST_CHECK_U64(later.known.match_count, 3);
    for (uint64_t i = older_bytes; i < sizeof later; i++)
        if (!TEST_CHECK(((const uint8_t *)&later)[i] == 0xcd))
            break;
}

static void status_texts(void)
{
    static const int unknown[] = {-1, 2, 9, 15, 22, 23, 24, 33, 1000, 0x7fffffff};
    static const struct {
        int number;
        const char *message;
    } known[] = {
        {0, "success"},
        {1, "a sink stopped the search, or it was cancelled"},
        {10, "an argument is not valid for this function"},
        {11, "the searcher is already inside a call"},
        {12, "out of memory"},
        {13, "a thread could not be started"},
        {14, "a size or a count is too large for this build or machine"},
        {20, "a file could not be opened"},
        {21, "reading the text failed"},
        {30, "the requested engine is not available"},
        {31, "the device or its driver failed"},
        {32, "this engine or build does not support the request"},
    };

    for (uint32_t i = 0; i < sizeof known / sizeof *known; i++)
        TEST_CHECK(strcmp(trawl_status_message((enum trawl_status)known[i].number),
                          known[i].message) == 0);
    for (uint32_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        TEST_CHECK(strcmp(trawl_status_message((enum trawl_status)unknown[i]), "unknown status") ==
                   0);
}

static void version(void)
{
    char expected[40];

    (void)snprintf(expected, sizeof expected, "%d.%d.%d", TRAWL_VERSION_MAJOR, TRAWL_VERSION_MINOR,
                   TRAWL_VERSION_PATCH);
    TEST_CHECK(strcmp(trawl_version(), expected) == 0);
    TEST_CHECK(strcmp(TRAWL_VERSION, expected) == 0);
}

#ifdef __x86_64__
static bool has_set(const char *name)
{
    uint32_t i = 0;

    while (trawl_instruction_set(i) != NULL && strcmp(trawl_instruction_set(i), name) != 0)
        i++;
    return trawl_instruction_set(i) != NULL;
}
#endif

static void instruction_sets(void)
{
    bool portable = false;
    uint32_t count = 0;

    for (; trawl_instruction_set(count) != NULL; count++) {
        const char *name = trawl_instruction_set(count);

        portable = portable || strcmp(name, "portable") == 0;
        CHECK_STATUS(
            open_searcher(SEARCHER_WITH(.engine = TRAWL_ENGINE_CPU, .instruction_set = name), NULL),
            TRAWL_OK);
    }
    TEST_CHECK(portable);
    TEST_CHECK(trawl_instruction_set(count + 1) == NULL);
    TEST_CHECK(trawl_instruction_set(UINT32_MAX) == NULL);
#ifdef __x86_64__
    if (count > 1) /* the build has more than portable code */
        TEST_CHECK(has_set("avx2") ==
                   (__builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi2") != 0));
#endif
}

/* Checks that the engine cuda without a device is refused with a reason. */
static void engines(void)
{
    struct trawl_error record = calls_error();
    enum trawl_status status = open_searcher(SEARCHER_WITH(.engine = TRAWL_ENGINE_CUDA), &record);

    CHECK_STATUS(open_searcher(SEARCHER_WITH(.engine = TRAWL_ENGINE_AUTO), NULL), TRAWL_OK);
    if (status == TRAWL_OK)
        printf("engine cuda: there is a device here\n");
    else
        TEST_CHECK(status == TRAWL_ENGINE && record.status == TRAWL_ENGINE &&
                   record.message[0] != '\0');
}

/* Letters that differ in case alone. tests/grep/fold.py has all letters. */
static void letters(void)
{
    uint32_t variants[TRAWL_UTF8_VARIANTS_MAX];

    TEST_CHECK_U64(trawl_case_variants(NULL, 'k', variants), 3);
    TEST_CHECK(variants[0] == 'k' && variants[1] == 0x212a && variants[2] == 'K');
    TEST_CHECK_U64(trawl_case_variants(NULL, 0x1c3, variants), 1);
    TEST_CHECK_U64(trawl_case_variants(NULL, UINT32_MAX, variants), 1);
}

int main(void)
{
    test_begin("options");
    sizes(build, PLAN_WITH(.flags = 0), sizeof(struct trawl_plan_options));
    sizes(open_searcher, SEARCHER_WITH(.threads = 0), sizeof(struct trawl_searcher_options));
    smaller_structs();
    stats_sizes();
    status_texts();
    version();
    instruction_sets();
    engines();
    letters();
    return test_end();
}
