/* corpora: every algorithm of the gallery, on each engine that has it, finds in whole corpora what
 * trawl's own search on the CPU finds, and so does trawl's own on the device: all positions,
 * pattern by pattern. (Of rabin-karp-matrix, which takes records: tests/grep/matrix.py.)
 *
 *     gpu_corpora [FOLDER [SECONDS [BYTES]]]      of each text its first BYTES
 *
 * bible.txt, world192.txt and ecoli-nc008253.txt of the folder; generated texts stand in for those
 * that are not there. Patterns of 14 lengths, cut from the text at places drawn from the seed, and
 * the same with one byte changed so that the text does not hold them. When the seconds are over no
 * search begins, and what is left out is counted.
 */
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "calls.h"
#include "diff/input.h"
#include "gallery/kernels/gallery.h"
#include "gpu/gpu.h"

#define LENGTHS 14u
#define PATTERNS (2u * LENGTHS)
#define GENERATED_BYTES (4u << 20)
#define FAILURES_MAX 5

static const uint64_t lengths[LENGTHS] = {1, 2, 3, 4, 7, 8, 16, 17, 64, 65, 500, 1500, 3999, 4000};
static const struct {
    const char *name;
    enum input_kind kind; /* of the text that stands in for it */
} corpora[] = {
    {"bible.txt", INPUT_WORDS}, {"world192.txt", INPUT_WORDS}, {"ecoli-nc008253.txt", INPUT_DNA}};

/* A pattern, and where it is. */
struct query {
    uint8_t *bytes;
    uint64_t count;
    bool held;
    struct trawl_match *places;
    uint64_t place_count;
};

struct session {
    struct trawl_searcher *cpu, *device;
    uint8_t *text;
    uint64_t text_bytes;
    struct trawl_text *handle;
    struct query queries[PATTERNS];
    uint32_t query_count;
    struct trawl_match *room; /* for what is found; one more than a place each */
    double deadline;
    uint64_t compared, refused, left_out;
};

static double now_seconds(void)
{
    return (double)clock_now_ns() * 1e-9;
}

static void must(enum trawl_status status, const struct trawl_error *error)
{
    if (status == TRAWL_OK)
        return;
    printf("corpora: %s\n", error->message);
    exit(1);
}

static struct trawl_searcher *searcher_of(enum trawl_engine engine)
{
    struct trawl_searcher *searcher = NULL;
    struct trawl_error error;

    must(trawl_searcher_open(SEARCHER_WITH(.engine = engine), &searcher, &error), &error);
    return searcher;
}

/* ---- A text and its patterns ------------------------------------------------------------- */

static void text_take(struct session *s, const char *folder, uint32_t corpus, uint64_t most)
{
    struct test_random random = test_random_begin("corpora");
    char path[4096];
    FILE *file;

    (void)snprintf(path, sizeof path, "%s/%s", folder, corpora[corpus].name);
    file = fopen(path, "rb");
    s->text_bytes = most < GENERATED_BYTES ? most : GENERATED_BYTES;
    if (file != NULL) {
        (void)fseek(file, 0, SEEK_END);
        s->text_bytes = (uint64_t)ftell(file);
        s->text_bytes = s->text_bytes < most ? s->text_bytes : most;
        rewind(file);
    }
    s->text = (uint8_t *)test_memory(s->text_bytes + 1);
    if (file == NULL)
        (void)input_fill(&random, corpora[corpus].kind, s->text, s->text_bytes);
    else if (fread(s->text, 1, s->text_bytes, file) != s->text_bytes)
        exit(1);
    printf("%s: %s, %" PRIu64 " bytes\n", corpora[corpus].name,
           file == NULL ? "generated" : "as given", s->text_bytes);
    if (file != NULL)
        (void)fclose(file);
}

static struct trawl_plan *plan_of(const struct query *query, const char *algorithm)
{
    struct trawl_pattern one = {query->bytes, query->count};
    struct trawl_plan *plan = NULL;
    struct trawl_error error;

    must(trawl_plan_build(&one, 1, PLAN_WITH(.algorithm = algorithm), &plan, &error), &error);
    return plan;
}

/* All places, by trawl's own search on the CPU. */
static void query_answer(const struct session *s, struct query *query)
{
    struct trawl_plan *plan = plan_of(query, NULL);
    struct trawl_error error;
    uint64_t total = 0;

    must(trawl_count(s->cpu, plan, s->handle, &total, &error), &error);
    free(query->places);
    query->places = (struct trawl_match *)test_memory((total + 1) * sizeof *query->places);
    must(trawl_positions_into(s->cpu, plan, s->handle, query->places, total + 1,
                              &query->place_count, &error),
         &error);
    TEST_CHECK_U64(query->place_count, total);
    trawl_plan_free(plan);
}

/* Change a byte for another one of the text's, or for one that it has not. */
static void make_absent(const struct session *s, struct query *query, struct test_random *random)
{
    uint8_t *at = query->bytes + test_random_below(random, query->count);

    *at = s->text[test_random_below(random, s->text_bytes)];
    query_answer(s, query);
    for (*at = query->place_count > 0 ? 1 : *at; query->place_count > 0; (*at)++)
        query_answer(s, query);
}

static void queries_make(struct session *s, struct test_random *random)
{
    uint64_t most = 0;

    s->query_count = 0;
    for (uint32_t i = 0; i < PATTERNS; i++) {
        struct query *query = &s->queries[s->query_count];
        uint64_t count = lengths[i / 2], place, at = 0;

        if (count > s->text_bytes)
            continue;
        memset(query, 0, sizeof *query);
        place = test_random_below(random, s->text_bytes - count + 1);
        query->count = count;
        query->held = i % 2 == 0;
        query->bytes = (uint8_t *)test_memory(count);
        memcpy(query->bytes, s->text + place, count);
        if (query->held)
            query_answer(s, query);
        else
            make_absent(s, query, random);
        while (at < query->place_count && query->places[at].begin != place)
            at++;
        TEST_CHECK((at < query->place_count) == query->held);
        most = query->place_count > most ? query->place_count : most;
        s->query_count++;
    }
    s->room = (struct trawl_match *)test_memory((most + 2) * sizeof *s->room);
}

static void queries_free(struct session *s)
{
    for (uint32_t i = 0; i < s->query_count; i++) {
        free(s->queries[i].bytes);
        free(s->queries[i].places);
    }
    free(s->room);
}

/* ---- The comparison ---------------------------------------------------------------------- */

/* May this algorithm refuse the pattern? Where the key lies in registers. */
static bool may_refuse(const char *algorithm, const struct query *query)
{
    return strcmp(algorithm, "pss-gr") == 0 && query->count > GALLERY_KEY_BYTES;
}

static bool is_same(const struct query *query, const struct trawl_match *found, uint64_t count)
{
    bool same = count == query->place_count;

    for (uint64_t i = 0; i < count && same; i++)
        same = found[i].begin == query->places[i].begin;
    return same;
}

/* `algorithm` NULL: trawl's own. */
static void compare(struct session *s, struct trawl_searcher *searcher, const char *algorithm,
                    const struct query *query)
{
    struct trawl_plan *plan = plan_of(query, algorithm);
    struct trawl_error error;
    enum trawl_status status;
    uint64_t count = 0;

    status = trawl_positions_into(searcher, plan, s->handle, s->room, query->place_count + 1,
                                  &count, &error);
    trawl_plan_free(plan);
    if (status == TRAWL_UNSUPPORTED && algorithm != NULL && may_refuse(algorithm, query)) {
        s->refused++;
        return;
    }
    s->compared++;
    if (!TEST_CHECK(status == TRAWL_OK && is_same(query, s->room, count)))
        printf("  %s, m = %" PRIu64 "%s: %" PRIu64 " places, expected %" PRIu64 "; %s\n",
               algorithm == NULL ? "trawl" : algorithm, query->count, query->held ? "" : ", absent",
               count, query->place_count, status == TRAWL_OK ? "" : error.message);
}

static void compare_all(struct session *s, struct trawl_searcher *searcher, const char *algorithm)
{
    double begin = now_seconds();

    printf("  %s %-20s", searcher == s->cpu ? "cpu " : "cuda",
           algorithm == NULL ? "trawl" : algorithm);
    (void)fflush(stdout); /* who does not come to an end is seen */
    for (uint32_t i = 0; i < s->query_count && test_failures < FAILURES_MAX; i++)
        if (now_seconds() < s->deadline)
            compare(s, searcher, algorithm, &s->queries[i]);
        else
            s->left_out++;
    printf(" %6.2f s\n", now_seconds() - begin);
}

static void text_compare(struct session *s, const char *folder, uint32_t corpus, uint64_t most)
{
    struct test_random random = test_random_begin(corpora[corpus].name);
    struct trawl_error error;
    const char *name;

    text_take(s, folder, corpus, most);
    must(trawl_text_from_memory(s->text, s->text_bytes, &s->handle, &error), &error);
    queries_make(s, &random);
    compare_all(s, s->device, NULL);
    for (uint32_t i = 0; (name = trawl_algorithm(i, NULL)) != NULL; i++) {
        if (strncmp(name, "rabin-karp-matrix", 17) == 0)
            continue;
        if ((trawl_algorithm_engines(i) & 1u << TRAWL_ENGINE_CUDA) != 0)
            compare_all(s, s->device, name);
        if ((trawl_algorithm_engines(i) & 1u << TRAWL_ENGINE_CPU) != 0)
            compare_all(s, s->cpu, name);
    }
    queries_free(s);
    trawl_text_close(s->handle);
    free(s->text);
}

int main(int argc, char **argv)
{
    uint64_t seconds = argc > 2 ? strtoull(argv[2], NULL, 10) : 300;
    uint64_t most = argc > 3 ? strtoull(argv[3], NULL, 10) : UINT64_MAX;
    static struct session s;

    test_begin("gpu corpora");
    engine_cuda.close(gpu_open()); /* or skipped */
    s.deadline = now_seconds() + (double)seconds;
    s.cpu = searcher_of(TRAWL_ENGINE_CPU);
    s.device = searcher_of(TRAWL_ENGINE_CUDA);
    for (uint32_t i = 0; i < sizeof corpora / sizeof *corpora && test_failures < FAILURES_MAX; i++)
        text_compare(&s, argc > 1 ? argv[1] : ".", i, most);
    trawl_searcher_close(s.cpu);
    trawl_searcher_close(s.device);
    printf("%" PRIu64 " lists of positions compared, %" PRIu64 " refused, %" PRIu64 " left out\n",
           s.compared, s.refused, s.left_out);
    TEST_CHECK(s.compared > 0);
    return test_end();
}
