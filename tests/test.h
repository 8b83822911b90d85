/* test: checks, repetitions and random numbers for the C tests of the project. Checks stay on in
 * every build.
 *
 * TEST_CHECK(condition)           counts a check; on failure prints where, and continues
 * TEST_CHECK_U64(got, expected)   counts a check of two numbers; on failure prints both
 * TEST_SKIP(reason)               prints why the test cannot run, and exits with 77
 * test_begin(name)                begins the test: prints the seed, so that a run can be repeated
 * test_wanted(name)               false if TRAWL_TEST_FILTER is set and not part of the name
 * test_amount(normal, long_run)   how many repetitions, by TRAWL_TEST_SCALE (a number, or "long")
 * test_amount_telling(normal, long_run, telling)   the same, but without sanitizers at least
 *                                 `telling`: enough repetitions for the test to check that it met
 *                                 every case that it looks for
 * test_is_long()                  whether this is a long run ("long", or a large number)
 * test_turn(index, share)         whether to try one of many similar combinations: one in `share`,
 *                                 or, in a long run, all
 * test_cases(count, run)          calls run(0) to run(count - 1), but ends after 5 failed checks;
 *                                 if TRAWL_TEST_CASE is set, calls only that case and returns false
 * test_random_*                   random numbers that depend on TRAWL_TEST_SEED (default 1) and the
 *                                 test's name
 * return test_end();              prints "N checks, N failed"; exit status 1 if a check failed or
 *                                 if there was no check
 *
 * The counters are atomic: any thread may call TEST_CHECK.
 */
#ifndef TRAWL_TEST_H
#define TRAWL_TEST_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sanitizers slow the library down severalfold, so tests then do fewer repetitions. */
#if defined(__has_feature)
#define TEST_HAS_FEATURE(name) __has_feature(name)
#else
#define TEST_HAS_FEATURE(name) 0
#endif
#if defined(__SANITIZE_THREAD__) || TEST_HAS_FEATURE(thread_sanitizer)
#define TEST_SANITIZED_DIVISOR 30
#elif defined(__SANITIZE_ADDRESS__) || TEST_HAS_FEATURE(address_sanitizer)
#define TEST_SANITIZED_DIVISOR 16
#else
#define TEST_SANITIZED_DIVISOR 1
#endif
#define TEST_SANITIZED (TEST_SANITIZED_DIVISOR > 1)
#define TEST_LONG_SCALE 20 /* a run with this TRAWL_TEST_SCALE or more is long */

/* Weak, so that all files of a program share the same counters. */
__attribute__((weak)) _Atomic(uint64_t) test_checks, test_failures;

#define TEST_FAILURES_SHOWN_MAX 20
#define TEST_FAILURES_IN_CASES_MAX 5

#define TEST_CHECK(condition) test_check((condition), #condition, __FILE__, __LINE__)
#define TEST_CHECK_U64(got, expected) test_check_u64((got), (expected), #got, __FILE__, __LINE__)
#define TEST_SKIP(reason)                  \
    do {                                   \
        printf("SKIPPED: %s\n", (reason)); \
        exit(77);                          \
    } while (0)

static inline bool test_check(bool passed, const char *what, const char *file, int line)
{
    test_checks++;
    if (!passed && test_failures++ < TEST_FAILURES_SHOWN_MAX)
        printf("%s:%d: failed: %s\n", file, line, what);
    return passed;
}

static inline bool test_check_u64(uint64_t got, uint64_t expected, const char *what,
                                  const char *file, int line)
{
    test_checks++;
    if (got != expected && test_failures++ < TEST_FAILURES_SHOWN_MAX)
        printf("%s:%d: %s is %" PRIu64 ", expected %" PRIu64 "\n", file, line, what, got, expected);
    return got == expected;
}

/* Returns a number from the environment, or the default if the variable is not set. */
static inline uint64_t test_setting(const char *name, uint64_t fallback)
{
    const char *value = getenv(name);
    char *end;
    uint64_t number;

    if (value == NULL || *value == '\0')
        return fallback;
    number = strtoull(value, &end, 0);
    if (*end != '\0' && strcmp(value, "long") != 0) {
        fprintf(stderr, "%s=%s is no number\n", name, value);
        exit(2);
    }
    return number;
}

static inline bool test_is_long(void)
{
    const char *scale = getenv("TRAWL_TEST_SCALE");

    return scale != NULL &&
           (strcmp(scale, "long") == 0 || strtoull(scale, NULL, 0) >= TEST_LONG_SCALE);
}

/* Returns the number by which repetitions are divided: TRAWL_TEST_DIVISOR, but at least
 * TEST_SANITIZED_DIVISOR under a sanitizer. */
static inline uint64_t test_divisor(void)
{
    uint64_t divisor = test_setting("TRAWL_TEST_DIVISOR", 1);

    return divisor > TEST_SANITIZED_DIVISOR ? divisor : TEST_SANITIZED_DIVISOR;
}

/* Returns a number of repetitions: `normal` times TRAWL_TEST_SCALE (default 1), or `long_run` if
 * the scale is "long"; divided by test_divisor, and at least 1. */
static inline uint64_t test_amount(uint64_t normal, uint64_t long_run)
{
    uint64_t scale = test_setting("TRAWL_TEST_SCALE", 1); /* 0: "long" */
    uint64_t amount = scale == 0 ? long_run : normal * scale;

    amount /= test_divisor();
    return amount > 0 ? amount : 1;
}

static inline uint64_t test_amount_telling(uint64_t normal, uint64_t long_run, uint64_t telling)
{
    uint64_t amount = test_amount(normal, long_run);

    return amount < telling && !TEST_SANITIZED ? telling : amount;
}

/* Returns true if the combination number `index` of many similar ones is to be tried. A normal run
 * tries one in `share`. Which one depends on the seed, and on whether there are sanitizers. */
static inline bool test_turn(uint64_t index, uint64_t share)
{
    return test_is_long() ||
           (index + test_setting("TRAWL_TEST_SEED", 1) + TEST_SANITIZED) % share == 0;
}

/* Runs the cases; stops once TEST_FAILURES_IN_CASES_MAX checks have failed. */
static inline bool test_cases(uint64_t count, void (*run)(uint64_t index))
{
    uint64_t only = test_setting("TRAWL_TEST_CASE", UINT64_MAX);

    for (uint64_t i = 0; i < count && test_failures < TEST_FAILURES_IN_CASES_MAX; i++)
        if (only == UINT64_MAX || only == i)
            run(i);
    return only == UINT64_MAX;
}

static inline bool test_wanted(const char *name)
{
    const char *filter = getenv("TRAWL_TEST_FILTER");

    return filter == NULL || *filter == '\0' || strstr(name, filter) != NULL;
}

/* Prints the seed. Flushes standard output after each line, so that a crash loses none. */
static inline void test_begin(const char *name)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    printf("%s: TRAWL_TEST_SEED=%" PRIu64 "\n", name, test_setting("TRAWL_TEST_SEED", 1));
}

/* A generator of random numbers: splitmix64 (Steele, Lea, Flood 2014). */
struct test_random {
    uint64_t state;
};

static inline struct test_random test_random_begin(const char *name)
{
    struct test_random random = {test_setting("TRAWL_TEST_SEED", 1)};

    for (; *name != '\0'; name++)
        random.state = random.state * 0x100000001b3u + (uint8_t)*name;
    return random;
}

static inline uint64_t test_random_u64(struct test_random *random)
{
    uint64_t z = (random->state += 0x9e3779b97f4a7c15u);

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Returns a random number in [0, bound); bound > 0. */
static inline uint64_t test_random_below(struct test_random *random, uint64_t bound)
{
    return test_random_u64(random) % bound;
}

/* Returns a random number in [min, max]. */
static inline uint64_t test_random_between(struct test_random *random, uint64_t min, uint64_t max)
{
    return min + test_random_below(random, max - min + 1);
}

/* Returns true in one of `bound` calls on average. */
static inline bool test_random_one_in(struct test_random *random, uint64_t bound)
{
    return test_random_below(random, bound) == 0;
}

static inline int test_end(void)
{
    printf("%" PRIu64 " checks, %" PRIu64 " failed\n", test_checks, test_failures);
    return test_failures == 0 && test_checks > 0 ? 0 : 1;
}

#endif
