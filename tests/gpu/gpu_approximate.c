/* gpu_approximate: searches with errors on a real device beside the host's engine, in random cases:
 * any base, exact parts, both strands, k from 0 to m - 1 (at most TRAWL_ERRORS_MAX, and 3 with more
 * than 24 patterns). In a short text every match is compared, in a longer text the count and the
 * time. The program fails where the engines' answers differ, and prints where a device took more
 * than 1.5 times the host's time and 5 ms. (tests/sim compares both engines with the oracle, on the
 * same kernels.)
 *
 *     TRAWL_TEST_DIVISOR=1 build/gpu/tests/gpu/gpu_approximate [FIRST [COUNT]]
 *
 * (./dev build builds the program, too.) Without arguments: 5,000 cases from the first one on. The
 * machine has to be idle, since the host's engine is timed on all its threads. Once
 * TRAWL_TEST_SECONDS (280) have passed, the program says how many cases are left out.
 * How fast these searches are: ./dev bench gpu approximate.
 */
#include <time.h>

#include "approximate/approx_choose.h"
#include "calls.h"
#include "diff/diff_input.h"
#include "gpu/gpu.h"

#define CASES_NORMAL 5000
#define CASES_LONG 50000
#define PATTERNS_FEW 24u
#define PATTERNS_MANY 1000u /* in a case of MANY_EVERY, at most */
#define MANY_EVERY 16u
#define MANY_ERRORS_MAX 3u
#define RANDOM_BYTES 34u
#define SHORT_BYTES 2000u
#define MATCHES_MAX 20000u /* that are compared one by one */
#define REPORT_EVERY 128u  /* cases */
#define PROBE_BYTES (2u << 10)
#define PROBE_LONG_BYTES (64u << 10)
#define LONG_MAX (4u << 20)
/* A longer text takes the host's engine about LONG_SECONDS, in one case in LONGER LONGER_TIMES as
 * long. */
#define LONG_SECONDS 0.006
#define LONGER 8u
#define LONGER_TIMES 5
#define ROUNDS_MAX 5u
#define SURE_TIMES 0.7 /* a time below this part of the allowed time is not taken again */
#define SLOWER_TIMES 1.5
#define SLOWER_SECONDS 0.005
#define SHOWN 30u

struct random_case {
    uint64_t index;
    struct test_random random;
    struct trawl_plan_options options;
    struct trawl_range exact;
    uint32_t count, length, k;
    bool edits;
    const char *letters;
    uint8_t bytes[PATTERNS_MANY][RANDOM_BYTES];
};

/* The device's and the host's time in a case. */
struct slow {
    double device, host, times; /* seconds; device / (SLOWER_TIMES * host + SLOWER_SECONDS) */
    bool is_loaded;
    uint64_t text_bytes, index;
    char what[160];
};

static struct {
    struct trawl_searcher *gpu, *cpu;
    uint8_t *text, *noise; /* LONG_MAX bytes each; noise: random bytes */
    double begin, seconds_max;
    uint64_t cases, matches, wrong, timed, slower;
    struct slow worst[SHOWN]; /* the slowest first */
} all;

static double seconds(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void draw_case(struct random_case *c)
{
    struct test_random *random = &c->random;
    static const char *const letters[] = {"ACGT", "ACGTN", "ACGTRYKMSWBDHVN", "ab",
                                          "abcdefghij KLM_\n"};
    const uint64_t kind = test_random_below(random, 5);
    const bool dna = kind < 3;

    c->options = (struct trawl_plan_options)TRAWL_PLAN_OPTIONS_INIT;
    c->letters = letters[kind];
    c->options.alphabet = dna ? TRAWL_DNA : TRAWL_BYTES;
    if (dna && test_random_below(random, 2) == 0)
        c->options.flags |= TRAWL_ANY_BASE;
    if (dna && test_random_below(random, 2) == 0)
        c->options.flags |= TRAWL_REVERSE_COMPLEMENT;
    c->count = 1 + (uint32_t)test_random_below(random, c->index % MANY_EVERY == 1 ? PATTERNS_MANY
                                                                                  : PATTERNS_FEW);
    c->length = 4 + (uint32_t)test_random_below(random, RANDOM_BYTES - 3);
    c->edits = test_random_below(random, 2) == 0;
    c->k = (uint32_t)test_random_below(random, test_random_below(random, 2) == 0 ? 4 : c->length);
    if (c->count > PATTERNS_FEW && c->k > MANY_ERRORS_MAX)
        c->k = MANY_ERRORS_MAX; /* else the host takes seconds for each of some thirty calls */
    if (c->k == 0 && (!dna || c->edits))
        c->k = 1;
    c->k = c->k < TRAWL_ERRORS_MAX ? c->k : TRAWL_ERRORS_MAX;
    if (c->edits && test_random_below(random, 2) == 0)
        c->options.flags |= TRAWL_EVERY_END;
    c->options.edits_max = c->edits ? c->k : 0;
    c->options.mismatches_max = c->edits ? 0 : c->k;
    c->exact.begin = test_random_below(random, c->length);
    c->exact.end = c->exact.begin + 1 + test_random_below(random, 4);
    c->options.exact = &c->exact;
    c->options.exact_count = c->k > 0 && test_random_below(random, 3) == 0;
    for (uint32_t i = 0; i < c->count; i++)
        for (uint32_t j = 0; j < c->length; j++)
            c->bytes[i][j] = (uint8_t)c->letters[test_random_below(random, strlen(c->letters))];
}

/* Draws a text of random letters. About every 100 bytes a pattern is planted, with up to k letters
 * replaced. */
static void draw_random_text(struct random_case *c, uint8_t *text, uint64_t bytes)
{
    const uint64_t letters = strlen(c->letters);
    struct test_random *random = &c->random;
    uint8_t letter_of[256];

    for (uint32_t i = 0; i < 256; i++)
        letter_of[i] = (uint8_t)c->letters[i * letters / 256];
    for (uint64_t i = 0, at = test_random_below(random, LONG_MAX); i < bytes; i++, at++)
        text[i] = letter_of[all.noise[at % LONG_MAX]];
    for (uint64_t at = 0; at + c->length <= bytes; at += 40 + test_random_below(random, 120)) {
        memcpy(text + at, c->bytes[test_random_below(random, c->count)], c->length);
        for (uint64_t i = test_random_below(random, (uint64_t)c->k + 1); i > 0; i--)
            text[at + test_random_below(random, c->length)] =
                (uint8_t)c->letters[test_random_below(random, letters)];
    }
}

static struct trawl_plan *random_plan(const struct random_case *c)
{
    struct trawl_pattern list[PATTERNS_MANY];

    for (uint32_t i = 0; i < c->count; i++)
        list[i] = (struct trawl_pattern){c->bytes[i], c->length};
    return must_plans(list, c->count, &c->options);
}

/* ---- Answers --------------------------------------------------------------------------------- */

static bool are_equal(const struct trawl_match *a, const struct trawl_match *b)
{
    return a->begin == b->begin && a->end == b->end && a->pattern_index == b->pattern_index &&
           a->distance == b->distance && a->reversed == b->reversed;
}

static void say(const struct random_case *c, char *what, size_t room)
{
    (void)snprintf(what, room, "%u patterns of %u of %zu letters, flags %x, k = %u %s, %s",
                   c->count, c->length, strlen(c->letters), c->options.flags, c->k,
                   c->edits ? "edits" : "mismatches",
                   c->options.exact_count > 0 ? "an exact part" : "no exact part");
}

static void wrong(const struct random_case *c, bool is_loaded, uint64_t count, uint64_t expected)
{
    char what[160];

    say(c, what, sizeof what);
    printf("WRONG: TRAWL_TEST_CASE=%" PRIu64 ", %s: %" PRIu64 " instead of %" PRIu64
           " matches, or other ones: %s\n",
           c->index, is_loaded ? "loaded" : "not loaded", count, expected, what);
    all.wrong++;
}

/* Compares the device's answers for a short text with those of the host's engine. In two of the
 * four ways a method is forced, so that the device searches the short text, which else the host
 * would search. */
static void compare_answers(struct random_case *c)
{
    static struct trawl_match expected[MATCHES_MAX], found[MATCHES_MAX];
    AUTO_PLAN plan = random_plan(c);
    uint64_t expected_count;
    AUTO_TEXT text = NULL;

    draw_random_text(c, all.text, SHORT_BYTES);
    text = must_text(all.text, SHORT_BYTES);
    MUST(list_matches(all.cpu, plan, text, expected, MATCHES_MAX, &expected_count, NULL));
    for (uint32_t way = 0; way < 4; way++) {
        const bool is_loaded = (way & 1) != 0;
        AUTO_PLAN forced = NULL;
        uint64_t count, alike = 0;

        approx_method_forced = way < 2 ? APPROX_METHODS : c->edits ? APPROX_COLUMNS : APPROX_PLANES;
        forced = random_plan(c);
        if (is_loaded)
            MUST(trawl_text_load(all.gpu, text, NULL));
        MUST(list_matches(all.gpu, forced, text, found, MATCHES_MAX, &count, NULL));
        if (is_loaded)
            trawl_text_unload(all.gpu, text);
        approx_method_forced = APPROX_METHODS;
        while (alike < count && alike < expected_count && alike < MATCHES_MAX &&
               are_equal(&found[alike], &expected[alike]))
            alike++;
        if (!TEST_CHECK(count == expected_count && (alike == count || alike == MATCHES_MAX)))
            wrong(c, is_loaded, count, expected_count);
    }
    all.matches += expected_count;
}

/* ---- Times ----------------------------------------------------------------------------------- */

/* Times one count, with a new plan. Returns seconds. */
static double time_once(struct trawl_searcher *searcher, const struct random_case *c,
                        struct trawl_text *text, uint64_t *count)
{
    AUTO_PLAN plan = random_plan(c);
    double begin = seconds();

    *count = must_count(searcher, plan, text);
    return seconds() - begin;
}

/* Draws the longer text into all.text. Returns its length: the host's engine needs about
 * LONG_SECONDS for the text, as measured with a shorter text. */
static uint64_t draw_long(struct random_case *c)
{
    const double wanted = LONG_SECONDS * (c->index % LONGER == 0 ? LONGER_TIMES : 1);
    uint64_t bytes = PROBE_BYTES, count, next;

    for (;;) {
        double took;

        draw_random_text(c, all.text, bytes);
        if (bytes >= PROBE_LONG_BYTES)
            break;
        {
            AUTO_TEXT text = must_text(all.text, bytes);

            took = time_once(all.cpu, c, text, &count);
        }
        if (took * PROBE_LONG_BYTES / PROBE_BYTES > wanted) {
            next = (uint64_t)(wanted / took * PROBE_BYTES);
            bytes = next > bytes ? next : bytes;
            break;
        }
        bytes = PROBE_LONG_BYTES;
    }
    if (bytes == PROBE_LONG_BYTES) {
        AUTO_TEXT text = must_text(all.text, bytes);
        double took = time_once(all.cpu, c, text, &count);

        next = (uint64_t)(wanted / took * PROBE_LONG_BYTES);
        bytes = next > bytes ? next : bytes;
    }
    bytes = bytes < LONG_MAX ? bytes : LONG_MAX;
    draw_random_text(c, all.text, bytes);
    return bytes;
}

static void keep_worst(const struct slow *slow)
{
    uint32_t at = SHOWN - 1;

    if (slow->times <= all.worst[at].times)
        return;
    for (; at > 0 && all.worst[at - 1].times < slow->times; at--)
        all.worst[at] = all.worst[at - 1];
    all.worst[at] = *slow;
}

/* Takes the best time of several counts by the host and by the device, in turn, after a count that
 * is not timed. */
static void compare_text(const struct random_case *c, struct trawl_text *text, uint64_t bytes,
                         bool is_loaded)
{
    struct slow slow = {.device = 1e9, .host = 1e9, .is_loaded = is_loaded, .index = c->index};
    uint64_t expected, count;

    slow.text_bytes = bytes;
    (void)time_once(all.cpu, c, text, &expected);
    (void)time_once(all.gpu, c, text, &count);
    for (uint32_t round = 0; round < ROUNDS_MAX; round++) {
        double host = time_once(all.cpu, c, text, &expected);
        double device = time_once(all.gpu, c, text, &count);

        slow.host = host < slow.host ? host : slow.host;
        slow.device = device < slow.device ? device : slow.device;
        slow.times = slow.device / (SLOWER_TIMES * slow.host + SLOWER_SECONDS);
        if (!TEST_CHECK_U64(count, expected))
            wrong(c, is_loaded, count, expected);
        if (slow.times < SURE_TIMES)
            break;
    }
    say(c, slow.what, sizeof slow.what);
    all.timed++;
    all.slower += slow.times > 1;
    keep_worst(&slow);
}

static void compare_times(struct random_case *c)
{
    uint64_t bytes = draw_long(c);
    AUTO_TEXT text = must_text(all.text, bytes);

    compare_text(c, text, bytes, false);
    MUST(trawl_text_load(all.gpu, text, NULL));
    compare_text(c, text, bytes, true);
    trawl_text_unload(all.gpu, text);
}

static void report(void)
{
    printf("%" PRIu64 " cases in %.0f s, %" PRIu64 " matches, %" PRIu64 " wrong answers; %" PRIu64
           " texts timed, %" PRIu64 " slower than %.1f x the host + %.0f ms. The worst:\n",
           all.cases, seconds() - all.begin, all.matches, all.wrong, all.timed, all.slower,
           SLOWER_TIMES, SLOWER_SECONDS * 1e3);
    for (uint32_t i = 0; i < SHOWN && all.worst[i].times > 0; i++)
        printf("  %.2f of the bar: %.2f ms, the host %.2f ms: case %" PRIu64 ", %s, %" PRIu64
               " bytes, %s\n",
               all.worst[i].times, all.worst[i].device * 1e3, all.worst[i].host * 1e3,
               all.worst[i].index, all.worst[i].is_loaded ? "loaded" : "not loaded",
               all.worst[i].text_bytes, all.worst[i].what);
    fflush(stdout);
}

static void check_cases(uint64_t first, uint64_t count)
{
    static struct random_case c;
    struct test_random random = test_random_begin("approximate noise");
    uint64_t only = test_setting("TRAWL_TEST_CASE", UINT64_MAX);

    first = only == UINT64_MAX ? first : only;
    count = only == UINT64_MAX ? count : 1;
    all.begin = seconds();
    all.seconds_max = (double)test_setting("TRAWL_TEST_SECONDS", 280);
    all.gpu = must_searcher_with(SEARCHER_WITH(.engine = TRAWL_ENGINE_CUDA));
    all.cpu = must_searcher_with(SEARCHER_WITH(.engine = TRAWL_ENGINE_CPU));
    all.text = (uint8_t *)test_memory(LONG_MAX);
    all.noise = (uint8_t *)test_memory(LONG_MAX);
    for (uint64_t i = 0; i < LONG_MAX; i++)
        all.noise[i] = (uint8_t)test_random_below(&random, 256);
    for (uint64_t i = 0; i < count && test_failures < TEST_FAILURES_IN_CASES_MAX; i++) {
        if (seconds() - all.begin > all.seconds_max) {
            printf("out of time: %" PRIu64 " cases are left out\n", count - i);
            break;
        }
        if (i % REPORT_EVERY == 0)
            report(); /* so that a run that is stopped leaves figures */
        c.index = first + i;
        c.random = test_random_begin("approximate random");
        c.random.state ^= ~c.index * 0x2545f4914f6cdd1du;
        draw_case(&c);
        compare_answers(&c);
        compare_times(&c);
        all.cases++;
    }
    report();
    trawl_searcher_close(all.gpu);
    trawl_searcher_close(all.cpu);
    free(all.noise);
    free(all.text);
}

int main(int argument_count, char **arguments)
{
    uint64_t first = argument_count > 1 ? strtoull(arguments[1], NULL, 10) : 0;
    uint64_t count = argument_count > 2 ? strtoull(arguments[2], NULL, 10)
                                        : test_amount(CASES_NORMAL, CASES_LONG);

    test_begin("gpu approximate");
    engine_cuda.close(gpu_open());
    check_cases(first, count);
    return test_end();
}
