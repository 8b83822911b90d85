/* records_case: makes records and patterns, and compares the cells of trawl_ask_records with a
 * simple search (the oracle). A cell of the matrix is the offset of a pattern's first occurrence in
 * a record, or -1. */
#ifndef TRAWL_TESTS_GALLERY_RECORDS_CASE_H
#define TRAWL_TESTS_GALLERY_RECORDS_CASE_H

#include "diff/diff_input.h"
#include "calls.h"

struct scene {
    struct diff_input tape; /* the bytes of the records (the tape), and the patterns */
    uint64_t *offsets;
    struct trawl_record_array records;
    uint64_t rows_seen;
    uint64_t stop_at; /* rows after which the sink stops; 0: never */
    uint64_t cells_set;
    const char *algorithm; /* NULL: trawl's own methods */
};

/* Returns the cell that the oracle expects. */
static inline int64_t scene_expected_cell(const struct scene *scene, uint64_t record,
                                          uint64_t pattern)
{
    struct naive_query query = input_query(&scene->tape);
    struct naive_bytes text = {scene->tape.text + scene->offsets[record],
                               scene->offsets[record + 1] - scene->offsets[record]};
    struct naive_match match;

    query.patterns += pattern;
    query.pattern_count = 1;
    return naive_matches(&query, text, &match, 1) == 0 ? -1 : (int64_t)match.begin;
}

/* A sink whose context is the scene: checks that rows come in order, and each cell against the
 * oracle. */
static inline int scene_take_rows(void *context, uint64_t row_first, uint64_t row_count,
                                  const int64_t *first)
{
    struct scene *scene = (struct scene *)context;
    uint64_t columns = scene->tape.pattern_count;

    TEST_CHECK_U64(row_first, scene->rows_seen);
    for (uint64_t i = 0; i < row_count * columns; i++) {
        uint64_t record = row_first + i / columns, pattern = i % columns;

        scene->cells_set += first[i] >= 0;
        if (!TEST_CHECK(first[i] == scene_expected_cell(scene, record, pattern)))
            printf("  %s: record %" PRIu64 ", pattern %" PRIu64 ": %" PRId64 "\n",
                   scene->algorithm == NULL ? "own" : scene->algorithm, record, pattern, first[i]);
    }
    scene->rows_seen += row_count;
    return scene->stop_at > 0 && scene->rows_seen >= scene->stop_at;
}

/* Returns a plan of the scene's patterns under `algorithm`. */
static inline struct trawl_plan *scene_plan(const struct scene *scene)
{
    struct trawl_plan_options options = TRAWL_PLAN_OPTIONS_INIT;
    uint64_t count = scene->tape.pattern_count;
    struct trawl_pattern *patterns = test_memory((count + 1) * sizeof *patterns);
    struct trawl_plan *plan = NULL;

    for (uint64_t i = 0; i < count; i++)
        patterns[i] = (struct trawl_pattern){scene->tape.patterns[i].bytes,
                                             scene->tape.patterns[i].bytes_count};
    options.flags = scene->tape.flags;
    options.algorithm = scene->algorithm;
    MUST(trawl_plan_build(patterns, count, &options, &plan, NULL));
    free(patterns);
    return plan;
}

/* Computes and checks the whole matrix with an open searcher. Returns the status of call_rows. */
static inline enum trawl_status scene_matrix(struct scene *scene, const char *algorithm,
                                             struct trawl_searcher *searcher,
                                             struct trawl_error *error)
{
    struct trawl_plan *plan;
    enum trawl_status status;

    scene->algorithm = algorithm;
    scene->rows_seen = 0;
    scene->cells_set = 0;
    plan = scene_plan(scene);
    status = call_rows(searcher, plan, &scene->records, scene_take_rows, scene, error);
    if (status == TRAWL_OK)
        TEST_CHECK_U64(scene->rows_seen, scene->records.record_count);
    trawl_plan_free(plan);
    return status;
}

/* Makes a scene without patterns: records of up to `record_bytes_max` bytes on a tape of this kind.
 */
static inline void scene_begin(struct test_random *random, enum input_kind kind,
                               uint64_t record_count, uint64_t record_bytes_max,
                               struct scene *scene)
{
    uint64_t at = test_random_below(random, 5); /* the first record need not begin the tape */

    memset(scene, 0, sizeof *scene);
    scene->offsets = test_memory((record_count + 1) * sizeof *scene->offsets);
    for (uint64_t i = 0; i <= record_count; i++) {
        scene->offsets[i] = at;
        at += test_random_one_in(random, 4) ? 0 : test_random_below(random, record_bytes_max + 1);
    }
    input_begin(random, kind, at + 1, &scene->tape);
    scene->records = records_of(scene->tape.text, scene->offsets, record_count);
}

static inline void scene_end(struct scene *scene)
{
    input_free(&scene->tape);
    free(scene->offsets);
}

/* Adds patterns copied from random offsets of the tape, some of which straddle two records. */
static inline void scene_add_patterns(struct test_random *random, uint64_t count,
                                      uint64_t bytes_max, struct scene *scene)
{
    for (uint64_t i = 0; i < count; i++) {
        uint64_t begin = test_random_below(random, scene->tape.text_bytes);
        uint64_t room = scene->tape.text_bytes - begin;

        input_add_pattern(&scene->tape, scene->tape.text + begin,
                          test_random_between(random, 1, room < bytes_max ? room : bytes_max));
    }
}

#endif
