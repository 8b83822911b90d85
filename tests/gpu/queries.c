/* queries: what a short search of a loaded text takes, and how many a second there are in one call.
 *
 *     gpu_queries [REPEATS [KIB]]     default: 21 repeats, texts of up to 64 MiB
 *
 * All through the public header, by the host's clock, medians; plans are built before. Each answer
 * is held against the CPU engine's; wrong ones are printed and end the program with status 1.
 */
#include "base/checked.h"
#include "diff/input.h"
#include "measure.h"

#define PATTERN_BYTES 16u
#define QUERIES 4096u
#define THREADS_MAX 3u

struct session {
    uint8_t *bytes;
    uint64_t room;
    uint32_t repeats;
    struct trawl_searcher *cpu;
    uint64_t wrong;
};

struct many {
    struct trawl_query queries[QUERIES];
    uint64_t counts[QUERIES], expected[QUERIES];
    uint64_t count;
};

static struct trawl_plan *plan_at(const struct session *s, uint64_t at)
{
    return measure_plan(s->bytes + at, PATTERN_BYTES, s->bytes, min_u64(s->room, 1 << 16),
                        TRAWL_METHOD_AUTO, NULL);
}

static void check(struct session *s, bool right, const char *what)
{
    if (!right)
        printf("WRONG: %s\n", what);
    s->wrong += !right;
}

/* ---- One at a time ------------------------------------------------------------------------ */

static double one_call(struct session *s, struct trawl_searcher *searcher,
                       const struct trawl_plan *plan, struct trawl_text *text, bool first)
{
    uint64_t count = 0, expected = 0;
    double seconds[MEASURE_REPEATS_MAX];
    struct trawl_match match, expected_match;
    bool found = false, expected_found = false;
    struct trawl_error error;

    measure_must(trawl_count(s->cpu, plan, text, &expected, &error), &error);
    measure_must(trawl_first(s->cpu, plan, text, &expected_match, &expected_found, &error), &error);
    for (uint32_t i = 0; i < s->repeats + 1; i++) { /* the first warms up */
        double begin = measure_now();

        if (first)
            measure_must(trawl_first(searcher, plan, text, &match, &found, &error), &error);
        else
            measure_must(trawl_count(searcher, plan, text, &count, &error), &error);
        if (i > 0)
            seconds[i - 1] = measure_now() - begin;
    }
    if (first)
        check(s, found && expected_found && match.begin == expected_match.begin, "first");
    else
        check(s, count == expected, "count");
    return measure_median(seconds, s->repeats);
}

static void part_one(struct session *s)
{
    printf(
        "\n## One call, a-z, m = %u: microseconds\n| text KiB | count, the plan of the last call "
        "| count, another plan | first |\n|---:|---:|---:|---:|\n",
        PATTERN_BYTES);
    for (uint64_t bytes = 1 << 10; bytes <= s->room; bytes *= 4) {
        struct trawl_searcher *searcher = measure_searcher(TRAWL_ENGINE_CUDA, 1);
        struct trawl_text *text = measure_text(s->bytes, bytes);
        struct trawl_plan *plans[2] = {plan_at(s, bytes / 3), plan_at(s, bytes / 4)};
        double seconds[MEASURE_REPEATS_MAX];
        struct trawl_error error;
        uint64_t count = 0;

        measure_must(trawl_text_load(searcher, text, &error), &error);
        printf("| %" PRIu64 " | %.1f |", bytes >> 10,
               1e6 * one_call(s, searcher, plans[0], text, false));
        for (uint32_t i = 0; i < s->repeats; i++) {
            double begin = measure_now();

            measure_must(trawl_count(searcher, plans[i % 2], text, &count, &error), &error);
            seconds[i] = measure_now() - begin;
            check(s, count > 0, "another plan");
        }
        printf(" %.1f | %.1f |\n", 1e6 * measure_median(seconds, s->repeats),
               1e6 * one_call(s, searcher, plans[0], text, true));
        (void)fflush(stdout);
        trawl_plan_free(plans[0]);
        trawl_plan_free(plans[1]);
        trawl_text_close(text);
        trawl_searcher_close(searcher);
    }
}

/* ---- Many in one call --------------------------------------------------------------------- */

/* Queries per second. */
static void many_figure(struct session *s, struct many *many, uint32_t threads, bool loaded)
{
    struct trawl_searcher *searcher = measure_searcher(TRAWL_ENGINE_CUDA, threads);
    double seconds[MEASURE_REPEATS_MAX];
    struct trawl_error error;

    if (loaded)
        measure_must(trawl_text_load(searcher, many->queries[0].text, &error), &error);
    for (uint32_t i = 0; i < s->repeats + 1; i++) { /* the first warms up */
        double begin = measure_now();

        measure_must(trawl_count_many(searcher, many->queries, many->count, many->counts, &error),
                     &error);
        if (i > 0)
            seconds[i - 1] = measure_now() - begin;
    }
    trawl_searcher_close(searcher);
    check(s, memcmp(many->counts, many->expected, many->count * sizeof *many->counts) == 0, "many");
    printf(" %.0f |", (double)many->count / measure_median(seconds, s->repeats));
}

/* Many plans and one loaded text, or one plan and many texts that go over with each call. */
static void many_row(struct session *s, uint64_t bytes, bool many_plans)
{
    struct many *many = (struct many *)test_memory(sizeof *many);
    uint64_t texts = s->room / bytes;
    struct trawl_error error;

    many->count = s->repeats > 1 ? QUERIES : 16;
    if (!many_plans)
        many->count = min_u64(many->count, texts);
    for (uint64_t i = 0; i < many->count; i++) {
        struct trawl_query *query = &many->queries[i];

        *query = many->queries[0];
        if (i == 0 || many_plans)
            query->plan = plan_at(s, many_plans ? (bytes - PATTERN_BYTES) / many->count * i : 0);
        if (i == 0 || !many_plans)
            query->text = measure_text(s->bytes + i * bytes, bytes);
    }
    measure_must(trawl_count_many(s->cpu, many->queries, many->count, many->expected, &error),
                 &error);
    printf("| %s | %" PRIu64 " | %" PRIu64 " |",
           many_plans ? "many plans, one loaded text" : "one plan, many texts, copied", bytes >> 10,
           many->count);
    for (uint32_t threads = 1; threads <= THREADS_MAX; threads++)
        many_figure(s, many, threads, many_plans);
    printf("\n");
    (void)fflush(stdout);
    for (uint64_t i = 0; i < many->count; i++) {
        if (i == 0 || many_plans)
            trawl_plan_free((struct trawl_plan *)(uintptr_t)many->queries[i].plan);
        if (i == 0 || !many_plans)
            trawl_text_close(many->queries[i].text);
    }
    free(many);
}

static void part_many(struct session *s)
{
    printf("\n## Many queries in one call: per second\n"
           "| queries | text KiB | number | 1 thread | 2 | 3 |\n|---|---:|---:|---:|---:|---:|\n");
    for (uint64_t bytes = 1 << 10; bytes <= 4 << 20 && bytes <= s->room; bytes *= 8)
        many_row(s, bytes, true);
    for (uint64_t bytes = 1 << 10; bytes <= 64 << 10 && bytes <= s->room; bytes *= 8)
        many_row(s, bytes, false);
}

int main(int argc, char **argv)
{
    uint64_t repeats = argc > 1 ? strtoull(argv[1], NULL, 10) : 21;
    uint64_t kib = argc > 2 ? strtoull(argv[2], NULL, 10) : 64 << 10;
    static struct session s;

    test_begin("gpu queries");
    s.repeats = (uint32_t)(repeats > 0 && repeats <= MEASURE_REPEATS_MAX ? repeats : 21);
    s.room = kib << 10;
    s.bytes = (uint8_t *)test_memory(s.room);
    measure_fill(s.bytes, s.room, MEASURE_LETTERS);
    s.cpu = measure_searcher(TRAWL_ENGINE_CPU, 0);
    part_one(&s);
    part_many(&s);
    trawl_searcher_close(s.cpu);
    free(s.bytes);
    printf("%" PRIu64 " wrong answers\n", s.wrong);
    return s.wrong == 0 ? 0 : 1;
}
