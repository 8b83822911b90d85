/* trawl-bench: runs rows of competitors and writes their times. bench.h describes the input, and
 * README.md says how Python makes a benchmark of rows.
 *
 * Without arguments the program reads rows. `describe` prints facts about the build instead.
 *
 * First each competitor of a row answers once, and the answer is compared with the oracle's, or
 * else with the first competitor's. Then the competitors take turns, round by round, so that a
 * change of the machine's speed meets all of them alike. A wrong answer is reported; one of trawl's
 * makes the program fail at the end. A competitor that cannot run does not end the row.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#if TRAWL_GALLERY
#include "trawl_gallery.h"
#endif

#define ROUNDS 5u                     /* rounds of a row, unless the row sets a number */
#define SHARE_BYTES_MIN (16ull << 10) /* the first share of a text that is tried */
#define SHARE_FACTOR 4u               /* a share that takes too little time grows by this factor */
#define SHARE_OF_TIME 8 /* a share of the text takes at least 1 / SHARE_OF_TIME of limit= */

static bool any_wrong;

/* ---- Answers ------------------------------------------------------------------------------ */

static struct expected *find_expected(struct question *question, enum call call, uint64_t bytes)
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

static bool answers_agree(const struct answer *a, const struct answer *b)
{
    return a->count == b->count && (!a->summed || !b->summed || a->sum == b->sum);
}

/* Returns the expected answer; NULL: no oracle knows the answer, and no competitor has run yet. */
static struct expected *expected_of(struct competitor *it)
{
    struct expected *expected = find_expected(it->question, it->call, it->bytes);

    if (expected != NULL || it->agrees || it->bound ||
        field(&it->question->fields, "alike", NULL) != NULL ||
        it->bytes > field_number(&it->question->fields, "oracle", UINT64_MAX))
        return expected;
    return remember(it->question, it->call, it->bytes,
                    oracle_answer(it->question, it->call, it->bytes));
}

static double field_seconds(const struct fields *fields, const char *key, double otherwise)
{
    const char *value = field(fields, key, NULL);

    return value != NULL ? strtod(value, NULL) : otherwise;
}

static void samples_add(struct samples *samples, double seconds)
{
    if (samples->count < SAMPLES_MAX)
        samples->seconds[samples->count++] = seconds;
}

/* ---- One competitor ----------------------------------------------------------------------- */

/* Runs a competitor once and checks the answer; false: the competitor drops out of the row. */
static bool run_once(const struct bench_row *row, struct competitor *it, bool full)
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

/* Finds a share of the text for a slow competitor: enlarges the share until its search takes more
 * than `seconds` / SHARE_OF_TIME, or until it is the whole text. False: a run failed. */
static bool find_share(const struct bench_row *row, struct competitor *it, double seconds)
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

/* Lets the competitor answer once, and checks the answer. With a time limit, the competitor
 * searches only a share of the text. A competitor that fails or is wrong drops out. */
static void enter(const struct bench_row *row, struct competitor *it)
{
    uint64_t checked = field_number(&it->question->fields, "oracle", UINT64_MAX);
    double limit = field_seconds(&it->fields, "limit", 0);
    uint64_t all = it->question->bytes_count;

    it->bytes = all;
    it->right = true;
    if (checked < all && !it->bound &&
        !it->agrees) { /* the oracle has only searched a part of the text */
        it->bytes = question_share(it->question, checked);
        if (!run_once(row, it, true))
            return;
        it->bytes = all;
    }
    if (limit > 0 ? !find_share(row, it, limit) : !run_once(row, it, true))
        return;
    it->first_plan_seconds = it->last.part[PART_PLAN];
}

/* Runs the competitor once for each warm-up and once timed; after a run that took longer than the
 * row's seconds, without a warm-up. Does nothing if it has used up its seconds after at least
 * `min` runs, or its number of runs (`runs`), or has dropped out (`out`). The time for a share is
 * scaled to the whole text. */
static void time_once(const struct bench_row *row, struct competitor *it)
{
    double max = field_seconds(&row->fields, "seconds", 0), spent = 0;
    uint64_t min = field_number(&row->fields, "least", 1), warm;
    double factor = it->bytes > 0 ? (double)it->question->bytes_count / (double)it->bytes : 1;

    for (uint32_t i = 0; i < it->whole.count; i++)
        spent += it->whole.seconds[i] / factor;
    if (it->out || (max > 0 && spent > max && it->whole.count >= min) ||
        it->whole.count >= field_number(&it->fields, "runs", SAMPLES_MAX))
        return;
    warm = field_number(&it->fields, "warm", field_number(&row->fields, "warm", 0));
    for (uint64_t i = max > 0 && it->last.seconds > max ? 0 : warm; i > 0; i--)
        if (!run_once(row, it, false))
            return;
    if (!run_once(row, it, false))
        return;
    samples_add(&it->whole, it->last.seconds * factor);
    for (uint32_t part = 0; part < PARTS; part++)
        samples_add(&it->part[part], it->last.part[part]);
}

/* ---- Output ------------------------------------------------------------------------------- */

/* Prints `before`, then the text as a quoted JSON string. */
static void print_json_string(const char *before, const char *text)
{
    printf("%s\"", before);
    for (; *text != '\0'; text++) {
        unsigned char byte = (unsigned char)*text;

        if (byte == '"' || byte == '\\')
            printf("\\%c", byte);
        else if (byte < 0x20 || byte == 0x7f)
            printf("\\u%04x", byte);
        else
            putchar(byte);
    }
    putchar('"');
}

/* Prints a member whose value is an array of seconds. */
static void print_json_samples(const char *name, const struct samples *samples)
{
    printf(", \"%s\": [", name);
    for (uint32_t i = 0; i < samples->count; i++)
        printf("%s%.9f", i > 0 ? ", " : "", samples->seconds[i]);
    putchar(']');
}

/* Prints the times of those of the first `count` parts that are not zero in every run. */
static void print_parts(const struct competitor *it, uint32_t count)
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
        print_json_samples(names[part], &it->part[part]);
    }
}

/* Prints a competitor's result as a JSON object: why the competitor could not run, or times and
 * answer. */
static void print_competitor(const struct bench_row *row, const struct competitor *it)
{
    uint64_t all = it->question->bytes_count;

    print_json_string("{\"name\": ", it->name);
    if (it->last.why[0] != '\0') {
        print_json_string(", \"why\": ", it->last.why);
        printf("}");
        return;
    }
    print_json_samples("seconds", &it->whole);
    if (!it->right)
        printf(", \"wrong\": true");
    if (it->bytes < all)
        printf(", \"share\": %.9f", (double)it->bytes / (double)all);
    if (!it->bound && !it->agrees)
        printf(", \"count\": %" PRIu64, it->last.answer.count);
    if (it->memory_bytes > 0)
        printf(", \"memory_bytes\": %" PRIu64, it->memory_bytes);
    print_parts(it, field(&row->fields, "parts", NULL) != NULL ? PARTS : PART_PLAN + 1);
    if (it->last.part[PART_PLAN] <= 0 && it->first_plan_seconds > 0)
        printf(", \"compile\": [%.9f]", it->first_plan_seconds);
    if (it->method[0] != '\0')
        printf(", \"method\": \"%s\"", it->method);
    if (it->last.counts[0] > 0)
        for (uint32_t i = 0; i < COUNTS; i++)
            printf("%s%" PRIu64 "%s", i > 0 ? "," : ", \"counts\": [", it->last.counts[i],
                   i + 1 < COUNTS ? "" : "]");
    if (it->last.note[0] != '\0')
        print_json_string(", \"note\": ", it->last.note);
    printf("}");
}

/* Prints the row's result as a line of JSON. */
static void print_row(const struct bench_row *row)
{
    const struct question *question = &row->question[0];

    print_json_string("{\"name\": ", field(&row->fields, "name", ""));
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
    for (uint32_t i = 0; i < row->competitor_count; i++) {
        printf("%s", i > 0 ? ", " : "");
        print_competitor(row, &row->competitor[i]);
    }
    printf("]}\n");
    fflush(stdout);
}

/* ---- A row -------------------------------------------------------------------------------- */

/* Runs the row's competitors and prints a line of JSON. */
static void row_run(struct bench_row *row)
{
    uint32_t rounds = (uint32_t)field_number(&row->fields, "rounds", ROUNDS);
    uint32_t count = row->competitor_count;

    rounds = rounds < SAMPLES_MAX ? rounds : SAMPLES_MAX;
    for (uint32_t i = 0; i < count; i++)
        enter(row, &row->competitor[i]);
    for (uint32_t round = 0; round < rounds; round++)
        for (uint32_t i = 0; i < count; i++) {
            /* Odd rounds run in reverse order, so that a competitor does not always find the caches
             * as the same other competitor left them. */
            uint32_t next = round % 2 == 0 ? round + i : round + count - i;

            time_once(row, &row->competitor[next % count]);
        }
    print_row(row);
}

/* ---- Rows ----------------------------------------------------------------------------- */

/* Closes the row's competitors and questions, and empties it. */
static void row_close(struct bench_row *row)
{
    for (uint32_t i = 0; i < row->competitor_count; i++) {
        if (row->competitor[i].close != NULL)
            row->competitor[i].close(&row->competitor[i]);
        free(row->competitor[i].fields.line);
    }
    for (uint32_t i = 0; i < row->question_count; i++) {
        question_close(&row->question[i]);
        free(row->question[i].fields.line);
    }
    free(row->fields.line);
    memset(row, 0, sizeof *row);
}

/* Opens the row's questions, after the whole row is read, so that texts which none of them uses can
 * be freed first. */
static void row_open(struct bench_row *row)
{
    texts_drop_unused(row->question, row->question_count);
    for (uint32_t i = 0; i < row->question_count; i++)
        question_open(&row->question[i]);
    for (uint32_t i = 0; i < row->competitor_count; i++) {
        struct competitor *it = &row->competitor[i];

        it->bytes = it->question->bytes_count;
    }
}

/* Adds a competitor for the row's last question. Reads the fields `kind`, `name`, `call`, `threads`
 * and `ours`; the others are read when the row runs, by the file of the competitor's kind. */
static void take_competitor(struct bench_row *row, struct fields *fields)
{
    struct competitor *it = &row->competitor[row->competitor_count];
    const char *kind = field(fields, "kind", "trawl");

    if (row->question_count == 0 || row->competitor_count == COMPETITORS_MAX)
        fail("a competitor without a question, or more than %u", COMPETITORS_MAX);
    row->competitor_count++;
    it->fields = *fields;
    it->name = field(fields, "name", kind);
    it->question = &row->question[row->question_count - 1];
    it->call = call_named(field(fields, "call", field(&it->question->fields, "call", "count")));
    it->threads = (uint32_t)field_number(fields, "threads", cores_count());
    it->ours = field(fields, "ours", NULL) != NULL;
    if (!library_competitor(it, kind) && !rival_competitor(it, kind) &&
        !device_competitor(it, kind) && !command_competitor(it, kind) &&
        !server_competitor(it, kind))
        fail("there is no competitor of kind '%s'", kind);
}

/* Runs a row that has competitors, and empties it for the next. */
static void row_finish(struct bench_row *row)
{
    if (row->competitor_count > 0) {
        row_open(row);
        row_run(row);
    }
    row_close(row);
}

/* Handles an input line: begins a row, or adds a question or a competitor to the current row, which
 * then owns `line`. */
static void take_line(struct bench_row *row, char *line)
{
    struct fields fields;
    bool begins = strncmp(line, "row\t", 4) == 0, asks = strncmp(line, "ask\t", 4) == 0;

    if (begins)
        row_finish(row);
    else if (!asks && strncmp(line, "as\t", 3) != 0)
        fail("a line begins with none of row, ask and as: %.40s", line);
    fields_split(line, &fields);
    if (begins) {
        row->fields = fields;
    } else if (asks) {
        if (row->question_count == QUESTIONS_MAX)
            fail("a row has more than %u questions", QUESTIONS_MAX);
        row->question[row->question_count++].fields = fields;
    } else {
        take_competitor(row, &fields);
    }
}

/* ---- The program -------------------------------------------------------------------------- */

/* Prints facts about this build as JSON, for the head of a file of results. */
static int describe(void)
{
    const char *name;
    uint32_t engines;

    print_json_string("{\"trawl\": ", trawl_version());
#if defined(__clang__)
    print_json_string(", \"compiler\": ", __VERSION__);
#else
    print_json_string(", \"compiler\": ", "gcc " __VERSION__);
#endif
#define METHOD_WORD(member, number, word) ", \"" word "\""
    printf(", \"methods\": [%s]", (TRAWL_METHOD_LIST(METHOD_WORD)) + 2);
#undef METHOD_WORD
    printf(", \"instruction_set\": \"%s\", \"instruction_sets\": [", trawl_instruction_set(0));
    for (uint32_t i = 0; trawl_instruction_set(i) != NULL; i++)
        printf("%s\"%s\"", i > 0 ? ", " : "", trawl_instruction_set(i));
    printf("], \"algorithms\": {");
#if TRAWL_GALLERY
    for (uint32_t i = 0; (name = trawl_algorithm(i, NULL, &engines)) != NULL; i++)
        printf("%s\"%s\": %" PRIu32, i > 0 ? ", " : "", name, engines);
#else
    (void)name;
    (void)engines;
#endif
    printf("}}\n");
    return 0;
}

int main(int argc, char **argv)
{
    static struct bench_row row;
    char *line = NULL;
    size_t room = 0;

    if (argc == 2 && strcmp(argv[1], "describe") == 0)
        return describe();
    if (argc != 1) {
        fprintf(stderr, "trawl-bench reads rows on standard input; ./dev bench writes them\n");
        return 2;
    }
    while (getline(&line, &room, stdin) > 0)
        if (line[0] == '\n') /* an empty line ends a row */
            row_finish(&row);
        else
            take_line(&row, copy_text(line));
    row_finish(&row);
    texts_drop_unused(NULL, 0);
    free(line);
    library_close();
    return any_wrong ? 1 : 0;
}
