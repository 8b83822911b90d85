/* unit_options: passes structs of older and newer versions of the library, which are smaller or
 * larger than this version's; checks the texts of statuses, and the version. */
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

/* Passes `options`, whose first member is their size, `bytes`, as structs of other sizes. */
static void sizes(enum trawl_status (*call)(const void *, struct trawl_error *),
                  const void *options, uint64_t bytes)
{
    union {
        uint64_t size;
        uint8_t bytes[sizeof(struct trawl_plan_options) + sizeof(struct trawl_searcher_options) +
                      LATER_BYTES];
    } later = {0};
    /* with a pointer's size, all options were once silently ignored (2026-11-27) */
    const uint64_t wrong[] = {0,         7,         sizeof(void *), sizeof(void *) + 8,
                              bytes - 4, bytes + 4, UINT64_MAX};

    memcpy(&later, options, bytes);
    TEST_CHECK_U64(later.size, bytes);
    CHECK_STATUS(call(NULL, NULL), TRAWL_OK);
    CHECK_STATUS(call(&later, NULL), TRAWL_OK);
    for (uint64_t i = bytes; i < bytes + LATER_BYTES; i += 24) {
        later.size = bytes + LATER_BYTES;
        CHECK_STATUS(call(&later, NULL), TRAWL_OK);
        later.bytes[i] = 1;
        CHECK_REFUSED(call(&later, error));
        later.size = i; /* the struct ends right before the byte that is set */
        CHECK_STATUS(call(&later, NULL), TRAWL_OK);
        later.bytes[i] = 0;
    }
    for (uint32_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        later.size = wrong[i];
        CHECK_REFUSED(call(&later, error));
    }
}

static void stats_sizes(void)
{
    AUTO_SEARCHER searcher = must_searcher(1, 0);
    AUTO_PLAN plan = must_plan("a");
    AUTO_TEXT text = must_string("banana");
    struct later_stats later;

    TEST_CHECK_U64(must_count(searcher, plan, text), 3);
    memset(&later, 0xcd, sizeof later);
    later.known.size = sizeof later;
    MUST(trawl_searcher_stats(searcher, &later.known, NULL));
    TEST_CHECK_U64(later.known.match_count, 3);
    for (uint64_t i = sizeof later.known; i < sizeof later; i++)
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
    if (count > 1) /* the build has instruction sets to choose from */
        TEST_CHECK(has_set("avx2") ==
                   (__builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi2") != 0));
#endif
}

/* Checks that on a machine without a CUDA device the engine cuda is rejected, with the reason. */
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

/* Checks some letters that differ only in case. tests/grep/test_fold.py has all letters. */
static void letters(void)
{
    uint32_t variants[TRAWL_UTF8_VARIANTS_MAX];

    TEST_CHECK_U64(trawl_unicode()->variants(NULL, 'k', variants), 3);
    TEST_CHECK(variants[0] == 'k' && variants[1] == 0x212a && variants[2] == 'K');
    TEST_CHECK_U64(trawl_unicode()->variants(NULL, 0x1c3, variants), 1);
    TEST_CHECK_U64(trawl_unicode()->variants(NULL, UINT32_MAX, variants), 1);
}

/* Case is ignored by Unicode's rules, of A to Z alone if `letters` says so. Also checks the members
 * of struct trawl_plan_told, and rejected options about letters. */
static void letters_of_plans(void)
{
    static const uint64_t ids[] = {700, 7};
    static const struct trawl_pattern patterns[] = {{"\xc3\x89t\xc3\xa9", 5}, {"b", 1}};
    struct trawl_letters lacking = {sizeof lacking, NULL, NULL, NULL, NULL};
    struct trawl_plan_told told = {.size = sizeof told, .pattern_index = 1};
    AUTO_SEARCHER searcher = must_searcher(1, 0);
    AUTO_TEXT text = must_string("\xc3\xa9T\xc3\x89");
    AUTO_PLAN usual = must_plans(patterns, 2, PLAN_WITH(.flags = TRAWL_IGNORE_CASE));
    AUTO_PLAN ascii =
        must_plans(patterns, 2, PLAN_WITH(.flags = TRAWL_IGNORE_CASE, .letters = trawl_ascii()));
    AUTO_PLAN unicode = must_plans(
        patterns, 2,
        PLAN_WITH(.flags = TRAWL_IGNORE_CASE, .letters = trawl_unicode(), .pattern_ids = ids));
    AUTO_PLAN bytes = must_plans(patterns + 1, 1, PLAN_WITH(.flags = TRAWL_IGNORE_CASE));

    TEST_CHECK(must_count(searcher, ascii, text) == 0 && must_count(searcher, unicode, text) == 1);
    TEST_CHECK_U64(must_count(searcher, usual, text), 1);
    MUST(trawl_plan_tell(ascii, &told, NULL));
    TEST_CHECK(told.pattern_count == 2 && told.pattern_id == 1 && told.pattern.bytes_count == 1 &&
               memcmp(told.pattern.bytes, "b", 1) == 0);
    MUST(trawl_plan_tell(unicode, &told, NULL));
    TEST_CHECK_U64(told.pattern_id, 7);
    told.pattern_index = 2;
    MUST(trawl_plan_tell(unicode, &told, NULL));
    TEST_CHECK(told.pattern.bytes == NULL && told.pattern_id == 2);
    MUST(trawl_plan_tell(bytes, &told, NULL));
    TEST_CHECK(told.line_end == '\n' && told.pattern_count == 1);
    told.size = 0;
    CHECK_REFUSED(trawl_plan_tell(bytes, &told, error));
    CHECK_REFUSED(trawl_plan_tell(NULL, &told, error));
    CHECK_REFUSED(trawl_plan_tell(bytes, NULL, error));
    CHECK_REFUSED(build(PLAN_WITH(.letters = &lacking), error));
    CHECK_REFUSED(build(PLAN_WITH(.line_ends = {0, {'x'}}), error));
    CHECK_REFUSED(build(PLAN_WITH(.line_ends = {1, {'\n', 'x'}}), error));
    CHECK_REFUSED(build(PLAN_WITH(.alphabet = TRAWL_CHARACTERS), error));
    lacking.size = 3;
    CHECK_REFUSED(build(PLAN_WITH(.letters = &lacking), error));
    TEST_CHECK(trawl_unicode()->is_word(NULL, 0xe9) && trawl_unicode()->is_word(NULL, 0x301) &&
               !trawl_unicode()->is_word(NULL, 0x2014) &&
               !trawl_unicode()->is_word(NULL, UINT32_MAX));
}

/* Checks how often each pattern occurs by default, with trawl_unicode() and with trawl_ascii(). The
 * case of k, but not U+212A, is ignored by default. Whole words are those of ASCII by default. */
static void cases(void)
{
    static const struct {
        const char *pattern, *text;
        uint32_t flags;
        uint8_t usual, unicode, ascii;
    } rows[] = {
        {"\xd0\xba\xd0\xbe", "\xd0\x9a\xd0\x9e \xd0\xba\xd0\x9e \xd0\xba\xd0\xbe", 0, 3, 3, 1},
        {"kos", "KOS \xe2\x84\xaaos ko\xc5\xbf", 0, 1, 3, 1},
        {"k\xc3\xa9", "K\xc3\x89 \xe2\x84\xaa\xc3\x89 k\xc3\xa9 K\xc3\xa9", 0, 3, 4, 2},
        {"\xe2\x84\xaa", "k K \xe2\x84\xaa", 0, 1, 3, 1},
        {"\xc3\xa9", "\xc3\x89\xc3\x9f, \xc3\x89_, \xff\xc3\xa9", TRAWL_WHOLE_WORD, 2, 1, 1},
        {"\xc3\xa9", "\xff\xc3\x89", TRAWL_WHOLE_WORD | TRAWL_STRICT_WORD, 1, 0, 0},
        {"\xc3\xa9\xc3", "\xc3\x89\xc3 \xc3\xa9\xc3", 0, 2, 2, 1},
    };
    AUTO_SEARCHER searcher = must_searcher(1, 0);

    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct trawl_letters *const letters[] = {NULL, trawl_unicode(), trawl_ascii()};
        const uint8_t expected[] = {rows[i].usual, rows[i].unicode, rows[i].ascii};
        AUTO_TEXT text = must_string(rows[i].text);

        for (uint32_t j = 0; j < 3; j++) {
            AUTO_PLAN plan = must_plan_with(
                rows[i].pattern,
                PLAN_WITH(.flags = TRAWL_IGNORE_CASE | rows[i].flags, .letters = letters[j]));

            if (!TEST_CHECK(must_count(searcher, plan, text) == expected[j]))
                printf("  row %u, letters %u\n", i, j);
        }
    }
    for (uint32_t j = 0; j < 2; j++) { /* with errors, in characters */
        AUTO_TEXT text = must_string("\xd0\x9a\xd0\x9ex");
        AUTO_PLAN plan = must_plan_with("\xd0\xba\xd0\xbe\xd1\x82",
                                        PLAN_WITH(.flags = TRAWL_IGNORE_CASE,
                                                  .alphabet = TRAWL_CHARACTERS, .mismatches_max = 1,
                                                  .letters = j == 0 ? NULL : trawl_ascii()));

        TEST_CHECK_U64(must_count(searcher, plan, text), 1 - j);
    }
}

static uint64_t held_bytes;

static void *allocate(void *context, uint64_t bytes, uint64_t alignment)
{
    void *pointer = NULL;

    held_bytes += bytes;
    TEST_CHECK(context == &held_bytes);
    return posix_memalign(&pointer, alignment < sizeof(void *) ? sizeof(void *) : alignment,
                          bytes) == 0
               ? pointer
               : NULL;
}

static void release(void *context, void *pointer, uint64_t bytes)
{
    (void)context;
    held_bytes -= bytes;
    free(pointer);
}

/* Checks what trawl.h says about a set's memory. */
static void set_memory(uint32_t length, uint64_t bytes_max)
{
    static char bytes[10000][16], text[160000]; /* with few matches: no automaton is built */
    static struct trawl_pattern patterns[10000];
    struct test_random random = {5};
    const uint64_t before = held_bytes;
    struct trawl_searcher *searcher;
    struct trawl_plan *plan;
    uint64_t count = 0;

    for (uint32_t i = 0; i < 10000; i++) {
        for (uint32_t j = 0; j < length; j++)
            bytes[i][j] = (char)('a' + test_random_below(&random, 26));
        patterns[i] = (struct trawl_pattern){bytes[i], length};
    }
    memset(text, '.', sizeof text);
    memcpy(text + 9000, bytes[7], length);
    plan = must_plans(patterns, 10000, NULL);
    TEST_CHECK(held_bytes - before < 10000 * (length + 9));
    searcher = must_searcher(1, 0);
    MUST(trawl_list_bytes(searcher, plan, text, sizeof text, 0, NULL, 0, &count, NULL));
    trawl_searcher_close(searcher);
    TEST_CHECK(count == 1 && held_bytes - before > 10000 * (length + 30));
    TEST_CHECK(held_bytes - before < 10000 * (length + bytes_max));
    trawl_plan_free(plan);
}

static void memory(void)
{
    struct trawl_memory functions = {sizeof functions, &held_bytes, allocate, release};
    struct trawl_pattern patterns[1000];
    struct trawl_stream *stream;
    struct trawl_plan *plan;
    char bytes[1064];
    uint64_t before;

    for (uint32_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)('a' + i * i % 23);
    for (uint32_t i = 0; i < 1000; i++)
        patterns[i] = (struct trawl_pattern){bytes + i, 64};
    MUST(trawl_set_memory(&functions, NULL));
    plan = must_plans(patterns, 1000, NULL);
    before = held_bytes;
    MUST(trawl_stream_open(plan, NULL, &stream, NULL));
    /* a stream must be small, because a server holds thousands of streams */
    TEST_CHECK(held_bytes > before && held_bytes - before <= 4096);
    trawl_stream_close(stream);
    trawl_plan_free(plan);
    set_memory(8, 80);
    set_memory(16, 180);
    TEST_CHECK_U64(held_bytes, 0);
    MUST(trawl_set_memory(NULL, NULL));
    functions.release = NULL;
    CHECK_REFUSED(trawl_set_memory(&functions, error));
    functions.size = 1;
    CHECK_REFUSED(trawl_set_memory(&functions, error));
}

static void add_letter(void *letters, uint32_t letter)
{
    const size_t count = strlen((char *)letters);

    ((char *)letters)[count] = letter < 0x80 ? (char)letter : '?';
}

/* What a plan reports about expressions: their letters, and whether they require a line end. */
static void reported_expressions(void)
{
    static const struct row {
        const char *first, *second, *letters;
        uint8_t asks; /* number of the expression that requires a line end; 0: none does */
    } rows[] = {{"a\\x41[b\\u0043-\\x{e9}\\d]|(?i:\\Q.\\E)", "(?<Nu>\\pL[[:upper:]])", "aAbC?.", 0},
                {"a|\\n", "b", "a\nb", 0},
                {"a|\\n", "bc", "a\nbc", 1},
                {"a", "(?i:b|[\\n]|-)", "ab\n-", 2},
                {"(?:\\n|-)a", "(?x)\\ # B", "\n-a ", 0},
                {"[^\\n]", "(\\x0a*)", "\n\n", 2},
                {"\\n{0}a", "b", "\nab", 0},
                {"b", "a\\n?", "ba\n", 2}};
    char letters[32];
    struct trawl_expression_told told = {
        .size = sizeof told, .letter = add_letter, .context = letters};
    const struct trawl_plan_options *options =
        PLAN_WITH(.syntax = TRAWL_RIPGREP, .alphabet = TRAWL_CHARACTERS);

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *row = &rows[i];
        const struct trawl_pattern both[] = {{row->first, strlen(row->first)},
                                             {row->second, strlen(row->second)}};

        memset(letters, 0, sizeof letters);
        MUST(trawl_expression_tell(both, 2, options, &told, NULL));
        TEST_CHECK(strcmp(letters, row->letters) == 0);
        TEST_CHECK_U64(told.asks, row->asks > 0);
        TEST_CHECK(told.pattern_index + 1 == row->asks);
        TEST_CHECK(row->asks == 0 || told.line_end == '\n');
    }
    CHECK_REFUSED(trawl_expression_tell(&(struct trawl_pattern){"(", 1}, 1, options, &told, error));
    CHECK_REFUSED(trawl_expression_tell(&(struct trawl_pattern){"", 0}, 1, options, &told, error));
    CHECK_REFUSED(trawl_expression_tell(NULL, 0, options, &told, error));
    CHECK_REFUSED(trawl_expression_tell(&pattern, 1, PLAN_WITH(.flags = 0), &told, error));
    told.size = 8;
    CHECK_REFUSED(trawl_expression_tell(&pattern, 1, options, &told, error));
}

int main(void)
{
    test_begin("options");
    sizes(build, PLAN_WITH(.flags = 0), sizeof(struct trawl_plan_options));
    sizes(open_searcher, SEARCHER_WITH(.threads = 0), sizeof(struct trawl_searcher_options));
    stats_sizes();
    status_texts();
    version();
    instruction_sets();
    engines();
    letters();
    letters_of_plans();
    cases();
    reported_expressions();
    memory();
    return test_end();
}
