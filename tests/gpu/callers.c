/* callers: what threads gain and cost: short texts and sets by one thread and by all; many
 * searchers of one runtime at once against one call that counts as much.
 *
 *     gpu_callers [MIB [REPEATS]]     default: sets in 1024 MiB, 9 repeats
 *
 * Random a-z, patterns of 10 bytes drawn from the seed, through the public header, by the host's
 * clock. Contestants take turns, in an order that rotates; medians. Each answer is held against
 * that of one thread of the CPU engine; wrong ones are printed and end the program with status 1.
 * Without a device its part is skipped.
 */
#include <pthread.h>
#include <string.h>

#include "base/checked.h"
#include "diff/input.h"
#include "measure.h"

#define PATTERN_BYTES 10u
#define PATTERNS_MAX 60000u
#define SHORT_MIN (1u << 10)
#define SHORT_MAX (16u << 20)
#define BATCH_BYTES (64u << 20) /* of short texts, as one time */
#define CALLERS 64u
#define QUERIES 4096u

enum contestant { ONE, ALL, CONTESTANTS };

struct session {
    uint8_t *bytes;
    uint64_t count;
    uint32_t repeats;
    struct trawl_searcher *searchers[CONTESTANTS]; /* of the CPU engine */
    uint64_t wrong;
};

static void check(struct session *s, bool right, const char *what)
{
    if (!right)
        printf("WRONG: %s\n", what);
    s->wrong += !right;
}

/* ---- One thread and all ------------------------------------------------------------------- */

static double seconds_of(struct session *s, enum contestant who, const struct trawl_plan *plan,
                         struct trawl_text *text, uint64_t times, uint64_t expected)
{
    double begin = measure_now();
    struct trawl_error error;
    uint64_t count = 0, wrong = 0;

    for (uint64_t i = 0; i < times; i++) {
        measure_must(trawl_count(s->searchers[who], plan, text, &count, &error), &error);
        wrong += count != expected;
    }
    check(s, wrong == 0, "a count");
    return measure_now() - begin;
}

/* Both in turn; seconds[who] is the median. */
static void compare(struct session *s, const struct trawl_plan *plan, struct trawl_text *text,
                    uint64_t times, double seconds[CONTESTANTS])
{
    double all[CONTESTANTS][MEASURE_REPEATS_MAX];
    struct trawl_error error;
    uint64_t expected = 0;

    measure_must(trawl_count(s->searchers[ONE], plan, text, &expected, &error), &error);
    for (uint32_t i = 0; i < s->repeats + 1; i++) /* the first warms up */
        for (uint32_t j = 0; j < CONTESTANTS; j++) {
            enum contestant who = (enum contestant)((i + j) % CONTESTANTS);

            all[who][i == 0 ? 0 : i - 1] = seconds_of(s, who, plan, text, times, expected);
        }
    for (uint32_t i = 0; i < CONTESTANTS; i++)
        seconds[i] = measure_median(all[i], s->repeats);
}

static void short_texts(struct session *s)
{
    struct trawl_plan *plan = measure_random_plan(1, PATTERN_BYTES, "short");

    printf("\n## Short texts in memory, 1 pattern, GB/s\n| KiB | one thread | all | all of one "
           "|\n|---:|---:|---:|---:|\n");
    for (uint64_t bytes = SHORT_MIN; bytes <= min_u64(SHORT_MAX, s->count); bytes *= 4) {
        struct trawl_text *text = measure_text(s->bytes, bytes);
        uint64_t times = min_u64(BATCH_BYTES, s->count) / bytes;
        double seconds[CONTESTANTS], work = (double)(bytes * times) / 1e9;

        compare(s, plan, text, times, seconds);
        printf("| %" PRIu64 " | %.2f | %.2f | %.2f |\n", bytes >> 10, work / seconds[ONE],
               work / seconds[ALL], seconds[ONE] / seconds[ALL]);
        (void)fflush(stdout);
        trawl_text_close(text);
    }
    trawl_plan_free(plan);
}

static void sets(struct session *s)
{
    static const uint64_t counts[] = {1, 10, 100, 1000, 10000, PATTERNS_MAX};
    struct trawl_text *text = measure_text(s->bytes, s->count);

    printf("\n## Sets, %" PRIu64 " MiB in memory, GB/s\n| patterns | one thread | all | all of one "
           "|\n|---:|---:|---:|---:|\n",
           s->count >> 20);
    for (uint64_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct trawl_plan *plan = measure_random_plan(counts[i], PATTERN_BYTES, "sets");
        double seconds[CONTESTANTS];

        compare(s, plan, text, 1, seconds);
        printf("| %" PRIu64 " | %.2f | %.2f | %.1f |\n", counts[i],
               (double)s->count / seconds[ONE] / 1e9, (double)s->count / seconds[ALL] / 1e9,
               seconds[ONE] / seconds[ALL]);
        (void)fflush(stdout);
        trawl_plan_free(plan);
    }
    trawl_text_close(text);
}

/* ---- Many searchers ----------------------------------------------------------------------- */

struct callers {
    struct trawl_query queries[QUERIES];
    uint64_t expected[QUERIES], counts[QUERIES];
    uint64_t count;
    pthread_barrier_t barrier;
};

struct caller {
    struct callers *callers;
    struct trawl_searcher *searcher;
    uint64_t index;
    uint64_t wrong;
};

static void *call(void *context)
{
    struct caller *caller = (struct caller *)context;
    struct callers *callers = caller->callers;

    for (uint32_t round = 0; round < 2; round++) { /* the first warms up */
        (void)pthread_barrier_wait(&callers->barrier);
        for (uint64_t i = caller->index; i < callers->count; i += CALLERS) {
            const struct trawl_query *query = &callers->queries[i];
            struct trawl_error error;
            uint64_t count = 0;

            measure_must(trawl_count(caller->searcher, query->plan, query->text, &count, &error),
                         &error);
            caller->wrong += count != callers->expected[i];
        }
        (void)pthread_barrier_wait(&callers->barrier);
    }
    return NULL;
}

/* Seconds for all queries by CALLERS threads, each with a searcher of its own. */
static double call_all(struct session *s, struct callers *callers, struct trawl_runtime *runtime)
{
    struct trawl_searcher_options options = TRAWL_SEARCHER_OPTIONS_INIT;
    static struct caller caller[CALLERS];
    pthread_t threads[CALLERS];
    struct trawl_error error;
    double begin = 0, seconds = 0;

    options.runtime = runtime;
    (void)pthread_barrier_init(&callers->barrier, NULL, CALLERS + 1);
    for (uint32_t i = 0; i < CALLERS; i++) {
        caller[i] = (struct caller){.callers = callers, .index = i};
        measure_must(trawl_searcher_open(&options, &caller[i].searcher, &error), &error);
        if (pthread_create(&threads[i], NULL, call, &caller[i]) != 0)
            exit(2);
    }
    for (uint32_t round = 0; round < 2; round++) {
        (void)pthread_barrier_wait(&callers->barrier);
        begin = measure_now();
        (void)pthread_barrier_wait(&callers->barrier);
        seconds = measure_now() - begin;
    }
    for (uint32_t i = 0; i < CALLERS; i++) {
        (void)pthread_join(threads[i], NULL);
        check(s, caller[i].wrong == 0, "a caller's count");
        trawl_searcher_close(caller[i].searcher);
    }
    (void)pthread_barrier_destroy(&callers->barrier);
    return seconds;
}

static void callers_row(struct session *s, struct trawl_runtime *runtime,
                        struct trawl_searcher *searcher, struct callers *callers, uint64_t bytes)
{
    double many[MEASURE_REPEATS_MAX], each[MEASURE_REPEATS_MAX], queries = (double)callers->count;
    struct trawl_text *text = measure_text(s->bytes, bytes);
    struct trawl_error error;

    for (uint64_t i = 0; i < callers->count; i++)
        callers->queries[i].text = text;
    measure_must(trawl_text_load(searcher, text, &error), &error);
    measure_must(trawl_count_many(s->searchers[ONE], callers->queries, callers->count,
                                  callers->expected, &error),
                 &error);
    for (uint32_t i = 0; i < s->repeats + 1; i++) {
        double begin = measure_now();

        measure_must(
            trawl_count_many(searcher, callers->queries, callers->count, callers->counts, &error),
            &error);
        many[i == 0 ? 0 : i - 1] = measure_now() - begin;
        check(s, memcmp(callers->counts, callers->expected, callers->count * sizeof(uint64_t)) == 0,
              "count_many");
        each[i == 0 ? 0 : i - 1] = call_all(s, callers, runtime);
    }
    trawl_text_unload(searcher, text);
    trawl_text_close(text);
    printf("| %" PRIu64 " | %.0f | %.0f | %.2f |\n", bytes >> 10,
           queries / measure_median(many, s->repeats), queries / measure_median(each, s->repeats),
           measure_median(many, s->repeats) / measure_median(each, s->repeats));
    (void)fflush(stdout);
}

static void many_callers(struct session *s)
{
    struct trawl_runtime_options options = TRAWL_RUNTIME_OPTIONS_INIT;
    struct trawl_searcher_options handle = TRAWL_SEARCHER_OPTIONS_INIT;
    struct callers *callers = (struct callers *)test_memory(sizeof *callers);
    struct trawl_plan *plans[CALLERS];
    struct trawl_searcher *searcher = NULL;
    struct trawl_error error;

    options.engine = TRAWL_ENGINE_CUDA;
    if (trawl_runtime_open(&options, &handle.runtime, &error) != TRAWL_OK) {
        printf("\nSKIPPED: many searchers: %s\n", error.message);
        free(callers);
        return;
    }
    measure_must(trawl_searcher_open(&handle, &searcher, &error), &error);
    callers->count = s->repeats > 1 ? QUERIES : CALLERS;
    for (uint32_t i = 0; i < CALLERS; i++) {
        char seed[16];

        (void)snprintf(seed, sizeof seed, "caller %u", i);
        plans[i] = measure_random_plan(1, PATTERN_BYTES, seed);
    }
    for (uint64_t i = 0; i < callers->count; i++)
        callers->queries[i].plan = plans[i % CALLERS];
    printf(
        "\n## Counts of a loaded text, per second\n| KiB | one call of count_many | %u searchers "
        "| searchers of one call |\n|---:|---:|---:|---:|\n",
        CALLERS);
    for (uint64_t bytes = SHORT_MIN; bytes <= min_u64(SHORT_MAX, s->count); bytes *= 8)
        callers_row(s, handle.runtime, searcher, callers, bytes);
    for (uint32_t i = 0; i < CALLERS; i++)
        trawl_plan_free(plans[i]);
    trawl_searcher_close(searcher);
    measure_must(trawl_runtime_close(handle.runtime, &error), &error);
    free(callers);
}

int main(int argc, char **argv)
{
    uint64_t mib = argc > 1 ? strtoull(argv[1], NULL, 0) : 1024;
    struct session s = {.count = mib << 20, .repeats = 9};

    if (argc > 2)
        s.repeats = (uint32_t)min_u64(strtoull(argv[2], NULL, 0), MEASURE_REPEATS_MAX);
    if (s.count == 0 || s.repeats == 0) {
        printf("gpu_callers: nothing to measure\n");
        return 2;
    }
    s.bytes = (uint8_t *)test_memory(s.count);
    measure_fill(s.bytes, s.count, MEASURE_LETTERS);
    s.searchers[ONE] = measure_searcher(TRAWL_ENGINE_CPU, 1);
    s.searchers[ALL] = measure_searcher(TRAWL_ENGINE_CPU, 0);
    printf("gpu_callers: median of %u\n", s.repeats);
    short_texts(&s);
    sets(&s);
    many_callers(&s);
    for (uint32_t i = 0; i < CONTESTANTS; i++)
        trawl_searcher_close(s.searchers[i]);
    free(s.bytes);
    printf("%" PRIu64 " wrong answers\n", s.wrong);
    return s.wrong == 0 ? 0 : 1;
}
