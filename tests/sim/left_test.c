/* left_test: checks that all host threads search what a device leaves to the host, for each call,
 * and that the answers are those of the engine CPU.
 *
 * A device leaves a text whose candidates take too long to verify in a single thread: those of
 * strings with tails (characters that are compared one by one), of expressions, and of approximate
 * search.
 */
#include <inttypes.h>

#include "calls.h"
#include "cuda/driver.h"
#include "runtime/runtime.h"
#include "sim_driver.h"
#include "sim_host.h"
#include "trawl_records.h"

#define THREADS 4u
#define TEXT_BYTES (320u << 10)
#define LINE_BYTES 256u
#define LINES (TEXT_BYTES / LINE_BYTES)
#define CHUNKS_LEAST 2u /* of 64 KiB each: the first occurrence is in the text's second half */
#define TRIES 200u
#define HITS_ROOM (2 * LINES)

enum call {
    COUNT,
    FIRST,
    POSITIONS,
    BEGINS,
    WINDOWS,
    LINES_WITH,
    LINES_WITHOUT,
    BITS,
    COUNTS,
    CALLS
};

static uint8_t bytes[TEXT_BYTES];
static uint64_t offsets[LINES + 1];
static uint32_t shared; /* the number of calls in which several host threads took part */

/* A pattern, and the word that lines repeat: it looks like the pattern, and takes long to verify.
 * At the end of some lines in the second half, `end` makes an occurrence. */
struct row {
    const char *name, *pattern, *word, *end;
    struct trawl_plan_options options;
};

#define K32 "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk"

static const struct row rows[] = {
    {"tails", K32 K32 "!", "k", "!", {.flags = TRAWL_IGNORE_CASE}},
    {"errors", "abcabcabcabcXYZ!", "abcabcabdabcabcabcabd ", "abcabcabcabcXY!", {.edits_max = 2}},
    {"an expression",
     "status=\\d+ .*(on|by) [^,]*[A-Z]!",
     "status=404 once by on 9 by the one ",
     "X!",
     {.syntax = TRAWL_PERL}},
    {"an expression with common atoms",
     "[A-Z]{4,}[0-9]+",
     "ABC0 FGHJK KLM2 PQ3 UVWXY ",
     "XYZT7",
     {.syntax = TRAWL_PERL}},
};

/* Adds to *sum what makes an answer known: its numbers in their order. */
static void add(uint64_t *sum, uint64_t number)
{
    *sum = (*sum ^ number) * UINT64_C(0x100000001b3) + 1;
}

static int take_matches(void *context, const struct trawl_match *matches, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        add((uint64_t *)context, matches[i].begin);
        add((uint64_t *)context, matches[i].end);
    }
    return 0;
}

static int take_window(void *context, const struct trawl_window *window)
{
    return take_matches(context, window->matches, window->match_count);
}

static uint64_t of_records(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                           enum trawl_what shape)
{
    static uint32_t values[LINES];
    struct trawl_record_array array = TRAWL_RECORD_ARRAY_INIT;
    struct trawl_answer into = TRAWL_ANSWER(TRAWL_RECORDS_BITS);
    struct trawl_records *records = NULL;
    uint64_t sum = 0;

    array.bytes = bytes;
    array.offsets = offsets;
    array.record_count = LINES;
    into.values = values;
    into.room = LINES;
    memset(values, 0, sizeof values);
    MUST(trawl_records_load(searcher, &array, &records, NULL));
    MUST(ask_records_into(searcher, plan, records, shape, &into, NULL));
    trawl_records_unload(records);
    for (uint32_t i = 0; i < LINES; i++)
        add(&sum, values[i]);
    return sum;
}

/* Makes a call, and returns a number that another answer would hardly have. */
static uint64_t ask(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                    struct trawl_text *text, enum call call)
{
    static uint64_t begins[HITS_ROOM];
    struct trawl_match first = {0, 0, 0, 0, 0};
    uint64_t sum = 0, count = 0;
    bool found = false;

    switch (call) {
    case COUNT:
        return must_count(searcher, plan, text);
    case FIRST:
        MUST(trawl_first(searcher, plan, text, &first, &found, NULL));
        add(&sum, first.begin);
        break;
    case POSITIONS:
        MUST(ask_positions(searcher, plan, text, take_matches, &sum, NULL));
        break;
    case BEGINS:
        MUST(ask_begins_into(searcher, plan, text, begins, HITS_ROOM, &count, NULL));
        for (uint64_t i = 0; i < count && i < HITS_ROOM; i++)
            add(&sum, begins[i]);
        break;
    case WINDOWS:
        MUST(trawl_windows(searcher, plan, text, TRAWL_SPANS, take_window, &sum, NULL));
        break;
    case LINES_WITH:
    case LINES_WITHOUT:
        MUST(ask_count_lines(searcher, plan, text, call == LINES_WITHOUT, UINT64_MAX, &sum, NULL));
        break;
    case BITS:
    case COUNTS:
        return of_records(searcher, plan,
                          call == BITS ? TRAWL_RECORDS_BYTES : TRAWL_RECORDS_COUNTS);
    case CALLS:
        break;
    }
    return sum;
}

static void make_text(const struct row *row)
{
    for (uint32_t i = 0; i < LINES; i++) {
        uint8_t *line = bytes + i * LINE_BYTES;

        for (uint32_t k = 0; k < LINE_BYTES - 1; k++)
            line[k] = (uint8_t)row->word[k % strlen(row->word)];
        line[LINE_BYTES - 1] = '\n';
        if (i > LINES / 2 && i % 7 == 0)
            memcpy(line + LINE_BYTES - 1 - strlen(row->end), row->end, strlen(row->end));
        offsets[i + 1] = offsets[i] + LINE_BYTES;
    }
}

/* Returns true if devices can answer without the host, about an expression. */
static bool is_for_devices(const struct row *row, enum call call)
{
    return row->options.syntax == TRAWL_PERL && call != FIRST && call != WINDOWS;
}

/* Checks that the host searched the text of the last call in several chunks. */
static bool check_cut(const struct trawl_searcher *searcher)
{
    const struct trawl_stats stats = must_stats(searcher);

    shared += stats.worker_thread_count > 1;
    return TEST_CHECK(stats.cpu_chunk_count >= CHUNKS_LEAST && stats.device_chunk_count <= 1);
}

/* Opens a runtime whose threads run, and that takes the cores for idle. */
static void open_awake(struct host *host, const struct trawl_plan *plan, struct trawl_text *text)
{
    struct trawl_searcher *waker;

    host_devices(1);
    host_open(host, TRAWL_ENGINE_CUDA, THREADS, 0);
    atomic_store(&host->runtime->cores_seen_ns, UINT64_MAX / 2);
    waker = must_searcher_of(host->runtime, 1u << 14);
    (void)must_count(waker, plan, text);
    trawl_searcher_close(waker);
    TEST_CHECK(atomic_load(&host->runtime->worker_count) > 0);
}

/* Asks the question about the row's text. */
static void run_call(const struct row *row, enum call call)
{
    const struct trawl_pattern pattern = {row->pattern, strlen(row->pattern)};
    struct trawl_plan_options options = row->options;
    AUTO_SEARCHER cpu = must_searcher(1, 0);
    AUTO_PLAN other = must_plan("a word that does not occur");
    AUTO_PLAN plan = NULL;
    AUTO_TEXT text = NULL;
    struct host host;

    make_text(row);
    text = must_text(bytes, sizeof bytes);
    options.size = sizeof options;
    options.letters = options.flags == TRAWL_IGNORE_CASE ? trawl_unicode() : NULL;
    plan = must_plans(&pattern, 1, &options);
    open_awake(&host, other, text);
    MUST(trawl_text_load(host.searcher, text, NULL));
    if (!TEST_CHECK_U64(ask(host.searcher, plan, text, call), ask(cpu, plan, text, call)) ||
        !(is_for_devices(row, call) || check_cut(host.searcher)))
        printf("  %s, call %u\n", row->name, call);
    trawl_text_unload(host.searcher, text);
    host_close(&host);
}

int main(void)
{
    const uint32_t count = sizeof rows / sizeof *rows;

    test_begin("sim left");
    cuda_driver_replace(sim_driver_table());
    for (uint32_t i = 0; i < count * CALLS; i++)
        if (test_turn(i, 3))
            run_call(&rows[i % count], (enum call)(i / count));
    /* on a busy machine, a thread often wakes only when the others are done */
    for (uint32_t i = 0; i < TRIES && shared == 0; i++)
        run_call(&rows[0], WINDOWS);
    TEST_CHECK(shared > 0);
    return test_end();
}
