/* unit_rewritten: another program may rewrite a mapped file during a search. What the search has
 * learned from the old bytes must not make later searches wrong. The file is rewritten at the N-th
 * memory allocation of a search; a long run tries every N, a normal run every second N or fewer.
 * After that search, the same searcher has to return the right answer for the new bytes. */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#include "calls.h"

#define PERIOD ((uint64_t)3000)
#define TEXT_BYTES (PERIOD * 150)
#define CHUNK (40 * PERIOD)
#define PATTERNS 2000
#define ALLOCATIONS_MAX 300

enum call { COUNT, LINES, BY_PATTERN, POSITIONS, CALLS };

static int file = -1;
static char path[64];
static uint8_t texts[2][TEXT_BYTES];
static struct trawl_plan *plan;
static uint64_t allocations, rewrite_at; /* rewrite_at: N; 0: the file stays as it is */

static void file_write(const uint8_t *bytes)
{
    if (pwrite(file, bytes, TEXT_BYTES, 0) == (ssize_t)TEXT_BYTES)
        return;
    perror("pwrite");
    exit(1);
}

static void *take(void *context, uint64_t bytes, uint64_t alignment)
{
    void *pointer = NULL;

    (void)context;
    if (++allocations == rewrite_at)
        file_write(texts[1]);
    return posix_memalign(&pointer, alignment < 8 ? 8 : alignment, bytes) == 0 ? pointer : NULL;
}

static void give_back(void *context, void *pointer, uint64_t bytes)
{
    (void)context;
    (void)bytes;
    free(pointer);
}

static int add_up(void *context, const struct trawl_pattern_count *counts, uint64_t counts_count)
{
    uint64_t *sum = (uint64_t *)context;

    for (uint64_t i = 0; i < counts_count; i++)
        *sum += counts[i].count * (2 * counts[i].pattern_index + 1);
    return 0;
}

static int add_up_matches(void *context, const struct trawl_match *matches, uint64_t match_count)
{
    uint64_t *sum = (uint64_t *)context;

    for (uint64_t i = 0; i < match_count; i++)
        *sum += matches[i].begin * (2 * matches[i].pattern_index + 1);
    return 0;
}

/* Makes a call, and returns a number that depends on all that the call found. */
static uint64_t search(enum call call, struct trawl_searcher *searcher)
{
    uint64_t found = 0;
    AUTO_TEXT text = must_file(path);

    if (call == COUNT)
        MUST(trawl_count(searcher, plan, text, &found, NULL));
    else if (call == LINES)
        MUST(ask_count_lines(searcher, plan, text, false, UINT64_MAX, &found, NULL));
    else if (call == BY_PATTERN)
        MUST(ask_count_by_pattern(searcher, plan, text, add_up, &found, NULL));
    else
        MUST(ask_positions(searcher, plan, text, add_up_matches, &found, NULL));
    return found;
}

static struct trawl_searcher *searcher_open(enum trawl_map map)
{
    return must_searcher_with(
        SEARCHER_WITH(.engine = TRAWL_ENGINE_CPU, .threads = 1, .chunk_bytes = CHUNK, .map = map));
}

static void rewritten_at_each_allocation(enum call call)
{
    uint64_t expected[2], searched = 1;
    uint64_t step = test_is_long() ? 1 : TEST_SANITIZED ? 7 : 2;
    struct trawl_searcher *searcher = searcher_open(TRAWL_MAP_NEVER);

    for (uint32_t i = 0; i < 2; i++) {
        file_write(texts[i]);
        expected[i] = search(call, searcher);
    }
    trawl_searcher_close(searcher);
    TEST_CHECK(expected[0] != expected[1]);
    for (rewrite_at = 1; rewrite_at <= searched && rewrite_at < ALLOCATIONS_MAX;
         rewrite_at += step) {
        file_write(texts[0]);
        searcher = searcher_open(TRAWL_MAP_ALWAYS);
        allocations = 0;
        /* this call sees bytes of both texts, so any answer is right */
        (void)search(call, searcher);
        searched = allocations;
        allocations = UINT64_MAX / 2; /* past rewrite_at, so that the file is not rewritten */
        if (!TEST_CHECK_U64(search(call, searcher), expected[searched >= rewrite_at]))
            printf("  call %d, rewritten at allocation %" PRIu64 "\n", (int)call, rewrite_at);
        trawl_searcher_close(searcher);
    }
    printf("call %d: rewritten at %" PRIu64 " of %" PRIu64 " allocations\n", (int)call,
           (rewrite_at - 1) / step, searched);
    TEST_CHECK(rewrite_at > 2 && rewrite_at < ALLOCATIONS_MAX);
}

/* Makes two texts that repeat themselves, and patterns from the first text. In the second text, the
 * first quarter of each period, except line ends, consists of the letter x, so other patterns
 * occur, and fewer lines have one: at least a whole line lies in that quarter. */
static void texts_begin(struct test_random *random)
{
    struct trawl_pattern patterns[PATTERNS];

    for (uint64_t i = 0; i < TEXT_BYTES; i++) {
        bool is_new = i < PERIOD;

        texts[0][i] = !is_new ? texts[0][i - PERIOD]
                      : i == 20 || i == 40 || test_random_one_in(random, 300)
                          ? '\n'
                          : (uint8_t)('a' + test_random_below(random, 6));
        texts[1][i] = !is_new                                          ? texts[1][i - PERIOD]
                      : texts[0][i] != '\n' && i % PERIOD < PERIOD / 4 ? 'x'
                                                                       : texts[0][i];
    }
    for (uint32_t i = 0; i < PATTERNS; i++) {
        uint64_t length = 2 + test_random_below(random, 12);

        patterns[i] = (struct trawl_pattern){texts[0] + test_random_below(random, PERIOD), length};
    }
    MUST(trawl_plan_build(patterns, PATTERNS, NULL, &plan, NULL));
}

static bool is_word(void *context, uint32_t code_point)
{
    (void)context;
    return code_point == 0x17f;
}

static void *rewrite(void *stop)
{
    for (uint32_t i = 0; !atomic_load((_Atomic bool *)stop); i++)
        file_write(texts[i % 2]);
    return NULL;
}

/* Searches with case ignored in UTF-8 while the file is rewritten all the time. The bytes of one
 * character of one text belong to two characters of the other. Searches during the rewriting may
 * return any number; a search after it must return the right number. */
static void rewritten_all_the_time(void)
{
    static const uint8_t letters[] = {'s', 'a', 'b', 's'};
    static const uint8_t long_letters[] = {0xc5, 0xbf, 's', 'a'};
    uint32_t alike[] = {'s', 'S', 0x17f}; /* the last letter, the long s, has two bytes */
    struct trawl_letters utf8 = {sizeof utf8, alike, three_alike, is_word, NULL};
    struct trawl_pattern patterns[PATTERNS];
    AUTO_SEARCHER searcher = searcher_open(TRAWL_MAP_ALWAYS);
    _Atomic bool stop = false;
    pthread_t writer;
    uint64_t expected;

    for (uint64_t i = 0; i < TEXT_BYTES; i++) {
        texts[0][i] = letters[i % 997 % 4];
        texts[1][i] = long_letters[i % 997 % 4];
    }
    for (uint32_t i = 0; i < PATTERNS; i++)
        patterns[i] = (struct trawl_pattern){texts[0] + i % 1100, 2 + i % 13};
    trawl_plan_free(plan);
    plan = must_plans(patterns, PATTERNS, PLAN_WITH(.flags = TRAWL_IGNORE_CASE, .letters = &utf8));
    file_write(texts[1]);
    expected = search(COUNT, searcher);
    if (!TEST_CHECK(pthread_create(&writer, NULL, rewrite, &stop) == 0))
        exit(1);
    for (uint64_t i = test_amount(20, 300); i > 0; i--)
        (void)search(i % 2 != 0 ? COUNT : LINES, searcher);
    atomic_store(&stop, true);
    TEST_CHECK(pthread_join(writer, NULL) == 0);
    file_write(texts[1]);
    TEST_CHECK_U64(search(COUNT, searcher), expected);
}

int main(void)
{
    struct test_random random = test_random_begin("rewritten");
    struct trawl_memory functions = {sizeof functions, NULL, take, give_back};

    test_begin("unit_rewritten");
    file = memfd_create("rewritten", MFD_CLOEXEC);
    if (file < 0) {
        perror("memfd_create");
        return 1;
    }
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    MUST(trawl_set_memory(&functions, NULL));
    texts_begin(&random);
    for (int call = COUNT; call < CALLS; call++)
        rewritten_at_each_allocation((enum call)call);
    rewrite_at = 0;
    rewritten_all_the_time();
    trawl_plan_free(plan);
    close(file);
    return test_end();
}
