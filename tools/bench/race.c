/* race: runs a row's programs in turns, checks each answer, and writes the times as JSON.
 *
 * main.c calls row_run for each row. First each contestant answers once, and the answer is compared
 * with the oracle's, or else with the first contestant's. Then the contestants take turns, round by
 * round, so that a change of the machine's speed meets all of them alike. A wrong answer is
 * reported; one of trawl's makes the program fail at the end (race_went_wrong). A contestant that
 * cannot run does not end the race.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"

#define ROUNDS 5u                     /* rounds of a row, unless the row gives a number */
#define SHARE_BYTES_MIN (16ull << 10) /* the first share of a text that is tried */
#define SHARE_FACTOR 4u               /* a share that takes too little time grows by this factor */
#define SHARE_OF_TIME 8 /* a share of the text takes at least 1 / SHARE_OF_TIME of limit= */

static bool any_wrong;

/* ---- Answers ------------------------------------------------------------------------------ */

static struct expected *known(struct question *question, enum call call, uint64_t bytes)
{
    for (uint32_t i = 0; i < question->expected_count; i++)
        if (question->expected[i].call == call && question->expected[i].bytes == bytes)
            return &question->expected[i];
    return NULL;
}

static struct expected *remember(struct question *question, enum call call, uint64_t bytes,
                                 struct answer answer)
{
    if (question->expected_count == EXPECTED_MAX)
        fail("a question has more than %u answers", EXPECTED_MAX);
    question->expected[question->expected_count] = (struct expected){call, bytes, answer};
    return &question->expected[question->expected_count++];
}

/* Returns the expected answer; NULL: no oracle knows the answer, and no contestant has run yet. */
static struct expected *expected_of(struct contestant *it)
{
    struct expected *expected = known(it->question, it->call, it->bytes);

    if (expected != NULL || it->agrees || it->bound ||
        field(&it->question->fields, "alike", NULL) != NULL ||
        it->bytes > field_number(&it->question->fields, "oracle", UINT64_MAX))
        return expected;
    return remember(it->question, it->call, it->bytes,
                    oracle_answer(it->question, it->call, it->bytes));
}

/* ---- One contestant ----------------------------------------------------------------------- */

/* Runs a contestant once and checks the answer; false: the contestant is out of the race. */
static bool run_once(const struct bench_row *row, struct contestant *it, bool full)
{
    struct expected *expected = expected_of(it);

    memset(&it->last, 0, sizeof it->last);
    it->run(it, full, &it->last);
    it->out = it->last.why[0] != '\0';
    if (it->last.method[0] != '\0')
        memcpy(it->method, it->last.method, sizeof it->method);
    if (it->out || it->bound)
        return !it->out;
    it->last.answer.count += field(&it->fields, "lie", NULL) != NULL;
    if (it->last.memory_bytes > it->memory_bytes)
        it->memory_bytes = it->last.memory_bytes;
    if (expected == NULL)
        expected = remember(it->question, it->call, it->bytes, it->last.answer);
    it->right = answers_agree(&it->last.answer, &expected->answer);
    if (it->right)
        return true;
    fprintf(stderr,
            "WRONG: %s: %s finds %" PRIu64 " (%016" PRIx64 "), expected %" PRIu64 " (%016" PRIx64
            ")\n",
            field(&row->fields, "name", ""), it->name, it->last.answer.count, it->last.answer.sum,
            expected->answer.count, expected->answer.sum);
    any_wrong |= it->ours;
    it->out = true;
    return false;
}

/* Gives a slow contestant a share of the text: enlarges the share until a search of the share takes
 * more than `seconds` / SHARE_OF_TIME, or to the whole text. False: a run failed. */
static bool find_share(const struct bench_row *row, struct contestant *it, double seconds)
{
    uint64_t all = it->bytes;

    it->bytes = SHARE_BYTES_MIN;
    for (;;) {
        it->bytes = it->bytes < all ? question_share(it->question, it->bytes) : all;
        if (!run_once(row, it, true))
            return false;
        if (it->bytes == all || it->last.seconds * SHARE_OF_TIME > seconds)
            return true;
        it->bytes *= SHARE_FACTOR;
    }
}

/* Lets the contestant answer once, and compares the answer. A contestant with a limit of time gets
 * a share of the text. A contestant that fails or is wrong does not take part. */
static void enter(const struct bench_row *row, struct contestant *it)
{
    uint64_t checked = field_number(&it->question->fields, "oracle", UINT64_MAX);
    double limit = field_seconds(&it->fields, "limit", 0);
    uint64_t all = it->question->bytes_count;

    it->bytes = all;
    it->right = true;
    if (checked < all && !it->bound) { /* the oracle has only searched a part of the text */
        it->bytes = question_share(it->question, checked);
        if (!run_once(row, it, true))
            return;
        it->bytes = all;
    }
    if (limit > 0 ? !find_share(row, it, limit) : !run_once(row, it, true))
        return;
    it->first_plan_seconds = it->last.part[PART_PLAN];
}

/* Runs the contestant once for each warm-up and once for the time. Does nothing if the contestant
 * has used up its seconds or its runs (`runs`), has failed or was wrong (out). Times of a share are
 * scaled to the whole text. */
static void time_once(const struct bench_row *row, struct contestant *it)
{
    double most = field_seconds(&row->fields, "seconds", 0), spent = 0;
    double factor = it->bytes > 0 ? (double)it->question->bytes_count / (double)it->bytes : 1;

    for (uint32_t i = 0; i < it->whole.count; i++)
        spent += it->whole.seconds[i] / factor;
    if (it->out || (most > 0 && spent > most) ||
        it->whole.count >= field_number(&it->fields, "runs", SAMPLES_MAX))
        return;
    for (uint64_t i = field_number(&it->fields, "warm", field_number(&row->fields, "warm", 0));
         i > 0; i--)
        if (!run_once(row, it, false))
            return;
    if (!run_once(row, it, false))
        return;
    samples_add(&it->whole, it->last.seconds * factor);
    for (uint32_t part = 0; part < PARTS; part++)
        samples_add(&it->part[part], it->last.part[part]);
}

/* ---- Output ------------------------------------------------------------------------------- */

/* Prints the times of those of the first `count` parts that took time in some run. */
static void print_parts(const struct contestant *it, uint32_t count)
{
    static const char *const names[PARTS] = {
#define PART_NAME(name, word) word,
        PART_LIST(PART_NAME)
#undef PART_NAME
    };

    for (uint32_t part = 0; part < count; part++) {
        bool any = false;

        for (uint32_t i = 0; i < it->part[part].count; i++)
            any |= it->part[part].seconds[i] > 0;
        if (!any)
            continue;
        printf(", \"%s\": ", names[part]);
        print_json_samples(stdout, &it->part[part]);
    }
}

/* Prints a contestant's result as a JSON object: why the contestant could not run, or times and
 * answer. */
static void print_contestant(const struct bench_row *row, const struct contestant *it)
{
    uint64_t all = it->question->bytes_count;

    printf("{\"name\": ");
    print_json_string(stdout, it->name);
    if (it->last.why[0] != '\0') {
        printf(", \"why\": ");
        print_json_string(stdout, it->last.why);
        printf("}");
        return;
    }
    printf(", \"seconds\": ");
    print_json_samples(stdout, &it->whole);
    if (!it->right)
        printf(", \"wrong\": true");
    if (it->bytes < all)
        printf(", \"share\": %.9f", (double)it->bytes / (double)all);
    if (!it->bound && !it->agrees)
        printf(", \"count\": %" PRIu64, it->last.answer.count);
    if (it->agrees)
        printf(", \"status\": %d, \"output_bytes\": %" PRIu64, it->last.status,
               it->last.output_bytes);
    if (it->memory_bytes > 0)
        printf(", \"memory_bytes\": %" PRIu64, it->memory_bytes);
    print_parts(it, field(&row->fields, "parts", NULL) != NULL ? PARTS : PART_PLAN + 1);
    if (it->last.part[PART_PLAN] <= 0 && it->first_plan_seconds > 0)
        printf(", \"compile\": [%.9f]", it->first_plan_seconds);
    if (it->last.chunks > 0 && field(&row->fields, "parts", NULL) != NULL)
        printf(", \"chunks\": %" PRIu64 ", \"occurrences\": %" PRIu64, it->last.chunks,
               it->last.occurrences);
    if (it->method[0] != '\0')
        printf(", \"method\": \"%s\"", it->method);
    if (it->last.note[0] != '\0') {
        printf(", \"note\": ");
        print_json_string(stdout, it->last.note);
    }
    printf("}");
}

/* Prints the row's result as a line of JSON. */
static void print_row(const struct bench_row *row)
{
    const struct question *question = &row->question[0];

    printf("{\"name\": ");
    print_json_string(stdout, field(&row->fields, "name", ""));
    if (question->bytes_count > 0)
        printf(", \"text_bytes\": %" PRIu64 ", \"pattern_count\": %" PRIu64, question->bytes_count,
               question->pattern_count);
    if (question->pattern_count == 1)
        printf(", \"pattern_bytes\": %" PRIu64, question->patterns[0].bytes_count);
    for (uint32_t i = 0; i < question->expected_count; i++)
        if (question->expected[i].bytes == question->bytes_count && question->bytes_count > 0) {
            printf(", \"found\": %" PRIu64, question->expected[i].answer.count);
            break;
        }
    printf(", \"results\": [");
    for (uint32_t i = 0; i < row->contestant_count; i++) {
        printf("%s", i > 0 ? ", " : "");
        print_contestant(row, &row->contestant[i]);
    }
    printf("]}\n");
    fflush(stdout);
}

/* ---- A row -------------------------------------------------------------------------------- */

void row_run(struct bench_row *row)
{
    uint32_t rounds = (uint32_t)field_number(&row->fields, "rounds", ROUNDS);
    uint32_t count = row->contestant_count;

    rounds = rounds < SAMPLES_MAX ? rounds : SAMPLES_MAX;
    for (uint32_t i = 0; i < count; i++)
        enter(row, &row->contestant[i]);
    for (uint32_t round = 0; round < rounds; round++)
        for (uint32_t i = 0; i < count; i++) {
            /* In every second round the contestants run in reverse order, so that a contestant does
             * not always find the caches as the same other contestant left them. */
            uint32_t next = round % 2 == 0 ? round + i : round + count - i;

            time_once(row, &row->contestant[next % count]);
        }
    print_row(row);
}

bool race_went_wrong(void)
{
    return any_wrong;
}
