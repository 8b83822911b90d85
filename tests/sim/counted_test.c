/* counted_test: how much work a call does where its answer does not show it. A searcher makes each
 * call twice. The second call finds its tables and buffers made, so the plan and the text decide
 * how many positions it verifies, how many chunks it cuts, how many blocks of memory it allocates,
 * and, on a simulated device that has the text, how many kernels it launches, and how much it
 * copies and reads. The bounds are about a quarter above what was measured: a filter that lets more
 * pass, a buffer that is not kept, or a text that is read twice exceeds them. A last part makes
 * lists of many hits, beside counts of them.
 */
#include "calls.h"
#include "cuda/limits.h"
#include "diff/held.h"
#include "lent.h"
#include "sim_driver.h"
#include "sim_host.h"
#include "simulator.h"

#define TEXT_BYTES 40000u
#define CHUNK_BYTES 6000u
#define STRINGS_MAX 900u
#define LENGTH_MAX 200u

enum { VERIFIED, CHUNKS, ALLOCATIONS, LAUNCHES, COPIED, READ, COUNTED };

static const char *const names[COUNTED] = {"verified", "chunks", "allocations",
                                           "launches", "copied", "read"};

/* A plan of `count` pieces of the text, of `min` to `max` bytes; the last byte of every second
 * piece becomes one that the text lacks. If the options have a syntax, the first byte of each piece
 * becomes a class. Bounds: how many positions are verified with vectors, without, and on a device;
 * and how many bytes the device's kernels read. */
static const struct row {
    const char *name;
    enum input_kind kind;
    uint32_t count, min, max;
    struct trawl_plan_options options;
    uint64_t by_vectors, by_bytes, on_device, read;
} rows[] = {
#define EVERY .method = TRAWL_METHOD_EVERY
#define BUCKETS .method = TRAWL_METHOD_BUCKETS
    {"a byte", INPUT_LETTERS_26, 1, 1, 1, {EVERY}, 9, 9, 9, 167000},
    {"every", INPUT_DNA, 1, 12, 12, {EVERY}, 3, 3, 3, 120000},
    {"long", INPUT_DNA, 1, 90, 90, {EVERY}, 2, 2, 3, 124000},
    {"of both cases", INPUT_MIXED_CASE, 1, 12, 12, {EVERY, .flags = 1}, 2, 2, 2, 124000},
    {"words", INPUT_MIXED_CASE, 1, 3, 3, {EVERY, .flags = TRAWL_WHOLE_WORD}, 31, 31, 1, 113000},
    {"grams", INPUT_DNA, 1, 24, 24, {.method = TRAWL_METHOD_GRAMS}, 3, 3, 3, 122000},
    {"sampled", INPUT_DNA, 1, 200, 200, {.method = TRAWL_METHOD_SAMPLED}, 2, 2, 2, 29000},
    {"few strings", INPUT_LETTERS_26, 4, 5, 9, {BUCKETS}, 5, 42, 3, 240000},
    {"strings", INPUT_LETTERS_26, 40, 4, 12, {BUCKETS}, 42, 268, 28, 252000},
    {"many strings", INPUT_LETTERS_26, 900, 4, 12, {BUCKETS}, 1360, 1360, 810, 2140000},
    {"of DNA", INPUT_DNA, 40, 8, 30, {BUCKETS}, 75, 286, 39, 256000},
    {"folded", INPUT_MIXED_CASE, 40, 5, 12, {BUCKETS, .flags = 1}, 117, 378, 110, 124000},
    {"classes", INPUT_LETTERS_26, 40, 4, 12, {.method = TRAWL_METHOD_CLASSES}, 31, 31, 41, 280000},
    {"table",
     INPUT_LETTERS_26,
     40,
     3,
     12,
     {.method = TRAWL_METHOD_AUTOMATON},
     31,
     31,
     380,
     1260000},
    {"expression", INPUT_LETTERS_26, 1, 9, 9, {.syntax = TRAWL_PERL}, 40, 40, 2, 303000},
    {"expressions", INPUT_LETTERS_26, 9, 9, 12, {.syntax = TRAWL_PERL}, 60, 60, 8, 2010000},
};
#define ROWS (sizeof rows / sizeof *rows)

/* What each call may do. A device also reads the lines that it counts. Which of their tables
 * expressions make depends on the clock, so their memory blocks are not bounded. */
static const uint64_t max[HELD_CALLS][COUNTED] = {
    [HELD_COUNT] = {[ALLOCATIONS] = 1, [LAUNCHES] = 3},
    [HELD_POSITIONS] = {[ALLOCATIONS] = 1, [LAUNCHES] = 4},
    [HELD_BEGINS_INTO] = {[LAUNCHES] = 4},
    [HELD_COUNT_BY_PATTERN] = {[ALLOCATIONS] = 1, [LAUNCHES] = 4},
    [HELD_COUNT_LINES] = {[LAUNCHES] = 5, [READ] = TEXT_BYTES + 2000},
    [HELD_LINES_WITHOUT] = {[LAUNCHES] = 5, [READ] = TEXT_BYTES + 2000},
    [HELD_FIRST] = {[LAUNCHES] = 3},
    [HELD_BATCHES] = {[ALLOCATIONS] = 1, [LAUNCHES] = 4},
    [HELD_WINDOWS] = {[LAUNCHES] = 4},
    [HELD_STREAM] = {[ALLOCATIONS] = 32},
    [HELD_RECORDS] = {[ALLOCATIONS] = 46, [LAUNCHES] = 32, [COPIED] = 60000, [READ] = 5200000},
};

static uint64_t allocations;

static void *take(void *context, uint64_t bytes, uint64_t alignment)
{
    void *pointer = NULL;

    (void)context;
    __atomic_fetch_add(&allocations, 1, __ATOMIC_RELAXED);
    return posix_memalign(&pointer, alignment < 8 ? 8 : alignment, bytes) == 0 ? pointer : NULL;
}

static void give(void *context, void *pointer, uint64_t bytes)
{
    (void)context;
    (void)bytes;
    free(pointer);
}

/* Adds the work done so far. */
static void add(int64_t sign, uint64_t work[COUNTED])
{
    work[ALLOCATIONS] += (uint64_t)sign * __atomic_load_n(&allocations, __ATOMIC_RELAXED);
    work[LAUNCHES] += (uint64_t)sign * sim_counters().launches;
    work[COPIED] += (uint64_t)sign * sim_driver_copied();
    work[READ] += (uint64_t)sign * sim_counters().global_read_bytes;
}

/* Makes each call twice, and checks what the second one did. */
static void check(const struct row *row, const char *by, uint64_t verified, struct held *held)
{
    for (uint32_t call = 0; call < HELD_CALLS; call++) {
        uint64_t work[COUNTED], bound[COUNTED];
        struct trawl_stats stats;

        for (uint32_t i = 0; i < 2; i++) {
            memset(work, 0, sizeof work);
            add(-1, work);
            TEST_CHECK(held_search(held, (enum held_call)call, NULL) == TRAWL_OK && held->right);
            add(1, work);
        }
        stats = must_stats(held->searcher);
        work[VERIFIED] = stats.candidate_count;
        work[CHUNKS] = stats.chunk_count;
        memcpy(bound, max[call], sizeof bound);
        bound[VERIFIED] = verified;
        bound[CHUNKS] = TEXT_BYTES / CHUNK_BYTES + 1;
        bound[READ] += row->read;
        if (row->options.syntax != TRAWL_LITERAL) {
            bound[ALLOCATIONS] = UINT64_MAX;
            bound[LAUNCHES] += row->count; /* one finds the matches of an expression in the line */
        }
        for (uint32_t k = 0; k < COUNTED; k++)
            if (!TEST_CHECK(work[k] <= bound[k]))
                printf("  %s, %s, %s: %s %" PRIu64 "\n", row->name, by,
                       held_name((enum held_call)call), names[k], work[k]);
    }
}

/* Makes the text and its pieces, which are the same in every run, and the plan. Returns false
 * after a failure. */
static bool make(const struct row *row, struct diff_input *input, struct trawl_plan **plan)
{
    static uint8_t written[STRINGS_MAX][LENGTH_MAX + 2];
    struct test_random random = {(uint64_t)(row - rows) + 1};
    struct trawl_plan_options options = row->options;
    struct naive_bytes strings[STRINGS_MAX];
    struct diff_input in_syntax;

    input_begin(&random, row->kind, TEXT_BYTES, input);
    for (uint32_t i = 0; i < row->count; i++) {
        uint64_t bytes = test_random_between(&random, row->min, row->max);
        uint8_t *string = written[i];

        memcpy(string + 2, input->text + test_random_below(&random, TEXT_BYTES - 200), bytes);
        if (i % 2 == 1)
            string[bytes + 1] = '#';
        input_add_pattern(input, string + 2, bytes);
        memcpy(string, (const uint8_t[]){'[', string[2], ']'}, 3);
        strings[i] = (struct naive_bytes){string, bytes + 2};
    }
    input->flags = options.flags;
    options.size = sizeof options;
    in_syntax = *input;
    if (options.syntax != TRAWL_LITERAL)
        in_syntax.patterns = strings;
    return TEST_CHECK(held_plan(&in_syntax, &options, plan, NULL) == TRAWL_OK);
}

/* Runs a row on a device, which has the text, or (`set`) on the CPU with an instruction set. */
static void run(const struct row *row, const char *set)
{
    struct sim_driver_options device = {1, 1, 64u << 20, 2, 0, 0, 0};
    struct diff_expected expected = {0};
    struct trawl_plan *plan = NULL;
    struct diff_input input;

    sim_driver_reset(&device);
    if (make(row, &input, &plan)) {
        AUTO_TEXT text = must_text(input.text, TEXT_BYTES);
        AUTO_SEARCHER searcher = must_searcher_with(
            SEARCHER_WITH(.engine = set == NULL ? TRAWL_ENGINE_CUDA : TRAWL_ENGINE_CPU,
                          .threads = 1, .instruction_set = set,
                          .chunk_bytes = set == NULL ? 0 : CHUNK_BYTES));
        struct held held = held_begin(&input, &expected, plan, searcher, text);

        expected_compute(&input, &expected);
        held.room = expected.match_count;
        if (set == NULL)
            MUST(trawl_text_load(searcher, text, NULL));
        check(row, set == NULL ? "a device" : set,
              set == NULL                   ? row->on_device
              : strncmp(set, "avx", 3) == 0 ? row->by_vectors
                                            : row->by_bytes,
              &held);
        held_end(&held);
        expected_free(&expected);
    }
    trawl_plan_free(plan);
    input_free(&input);
}

#define LISTED_BYTES 120000u

/* Makes a text of letters with `count` strings of `bytes` upper-case letters in turn, one at every
 * `every`-th byte below `upto`. */
static void make_listed(uint32_t count, uint32_t bytes, uint32_t every, uint64_t upto,
                        struct diff_input *input)
{
    struct test_random random = {every};
    uint8_t string[LENGTH_MAX];

    input_begin(&random, INPUT_LETTERS_26, LISTED_BYTES, input);
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < bytes; k++)
            string[k] = (uint8_t)('A' + test_random_below(&random, 26));
        input_add_pattern(input, string, bytes);
        for (uint64_t at = (uint64_t)i * every; at + bytes <= upto; at += count * every)
            memcpy(input->text + at, string, bytes);
    }
}

/* Lists many hits, several times, where lists are as for a long text. The first list may read the
 * text twice, since nobody knows how many hits there are, and if they lie close together, three
 * times; later ones read little more than a count. */
static void run_listed(uint32_t count, uint32_t bytes, uint32_t every, uint64_t upto)
{
    static const enum held_call calls[] = {HELD_BEGINS_INTO, HELD_POSITIONS, HELD_COUNT_LINES,
                                           HELD_BATCHES};
    struct sim_driver_options device = {1, 1, 64u << 20, 2, 0, 0, 0};
    struct diff_expected expected = {0};
    struct diff_input input;
    uint64_t counted = 0;

    sim_driver_reset(&device);
    make_listed(count, bytes, every, upto, &input);
    expected_compute(&input, &expected);
    for (uint32_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        AUTO_TEXT text = must_text(input.text, LISTED_BYTES);
        AUTO_SEARCHER searcher =
            must_searcher_with(SEARCHER_WITH(.engine = TRAWL_ENGINE_CUDA, .threads = 1));
        struct trawl_plan *plan = NULL;
        struct held held;

        MUST(held_plan(&input, NULL, &plan, NULL));
        MUST(trawl_text_load(searcher, text, NULL));
        held = held_begin(&input, &expected, plan, searcher, text);
        for (uint32_t k = 0; k < 5; k++) {
            enum held_call call = k == 0 ? HELD_COUNT : calls[k == 1 ? i : (i + k) % 4];
            uint64_t work[COUNTED] = {0}, bound;

            add(-1, work);
            TEST_CHECK(held_search(&held, call, NULL) == TRAWL_OK && held.right);
            add(1, work);
            counted = k == 0 ? work[READ] : counted;
            bound = counted + (k == 1 ? counted * (upto < LISTED_BYTES ? 2 : 1) : 0) +
                    (call == HELD_COUNT_LINES ? LISTED_BYTES * 5 / 4 : 0) + counted * 3 / 10;
            if (!TEST_CHECK(k == 0 || work[READ] <= bound))
                printf("  %u strings of %u, one in %u, call %u, %s: read %.2f, a count %.2f\n",
                       count, bytes, every, k, held_name(call), (double)work[READ] / LISTED_BYTES,
                       (double)counted / LISTED_BYTES);
        }
        held_end(&held);
        trawl_plan_free(plan);
    }
    expected_free(&expected);
    input_free(&input);
}

static void run_all_listed(struct cuda_limits *limits)
{
    static const uint32_t everies[] = {1000, 400, 100};
    static const uint32_t shapes[][2] = {{1, 4}, {1, 8}, {1, 10}, {1, 16}, {10, 8}, {30, 12}};

    limits->lists_min = 1;
    limits->ranked_max = 0;
    cuda_limits_replace(limits);
    for (uint32_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (uint32_t k = 0; k < sizeof everies / sizeof *everies; k++)
            run_listed(shapes[i][0], shapes[i][1], everies[k], LISTED_BYTES);
    for (uint32_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        run_listed(shapes[i][0], shapes[i][1], 20, LISTED_BYTES / 8);
}

/* Counts 16 bytes that repeat `period` letters, in a text that repeats them too, except for every
 * 5,000th byte. Nearly all of its tiles are dense, and the plane of a bit, and the bytes that equal
 * those a period later, leave most starts: of these, few may be compared (comparing each reads 40
 * and 22 bytes for each of the text's). */
static void run_repeated(uint32_t period, uint64_t max_read)
{
    struct sim_driver_options device = {1, 1, 64u << 20, 2, 0, 0, 0};
    struct test_random random = {period};
    struct diff_expected expected = {0};
    struct trawl_plan *plan = NULL;
    struct diff_input input;

    sim_driver_reset(&device);
    input_begin(&random, INPUT_LETTERS_26, LISTED_BYTES, &input);
    for (uint64_t i = 0; i < LISTED_BYTES; i++)
        input.text[i] = (uint8_t)(i % 5000 == 0 ? 'Z' : 'a' + i % period);
    input_add_pattern(&input, input.text + period, 16);
    expected_compute(&input, &expected);
    TEST_CHECK(expected.match_count > LISTED_BYTES / period - 2000);
    MUST(held_plan(&input, NULL, &plan, NULL));
    {
        AUTO_TEXT text = must_text(input.text, LISTED_BYTES);
        AUTO_SEARCHER searcher =
            must_searcher_with(SEARCHER_WITH(.engine = TRAWL_ENGINE_CUDA, .threads = 1));
        struct held held = held_begin(&input, &expected, plan, searcher, text);
        uint64_t work[COUNTED] = {0};

        MUST(trawl_text_load(searcher, text, NULL));
        TEST_CHECK(held_search(&held, HELD_COUNT, NULL) == TRAWL_OK && held.right);
        add(-1, work);
        TEST_CHECK(held_search(&held, HELD_COUNT, NULL) == TRAWL_OK && held.right);
        add(1, work);
        if (!TEST_CHECK(work[READ] <= max_read * LISTED_BYTES))
            printf("  a period of %u: read %.2f\n", period, (double)work[READ] / LISTED_BYTES);
        held_end(&held);
    }
    trawl_plan_free(plan);
    expected_free(&expected);
    input_free(&input);
}

/* ---- Borrowed memory ------------------------------------------------------------------------ */

/* what a call may repeat of the driver's slow calls */
enum { STREAMS, ROOMS, PINNED, TO_HOST, WAITS, SLOW };
static uint64_t slow[SLOW];
static struct cuda_driver behind;

static int stream_create(struct cuda_stream **stream, unsigned flags)
{
    slow[STREAMS]++;
    return behind.stream_create(stream, flags);
}

static int memory_allocate_counted(uint64_t *address, size_t bytes)
{
    slow[ROOMS]++;
    return behind.memory_allocate(address, bytes);
}

static int host_allocate(void **pointer, size_t bytes, unsigned flags)
{
    slow[PINNED]++;
    return behind.host_allocate(pointer, bytes, flags);
}

static int copy_to_host(void *host, uint64_t address, size_t bytes, struct cuda_stream *stream)
{
    slow[TO_HOST]++;
    return behind.copy_to_host(host, address, bytes, stream);
}

static int stream_wait(struct cuda_stream *stream)
{
    slow[WAITS]++;
    return behind.stream_wait(stream);
}

static void count_slow_calls(void)
{
    static struct cuda_driver counted;

    behind = counted = *sim_driver_table();
    counted.stream_create = stream_create;
    counted.memory_allocate = memory_allocate_counted;
    counted.host_allocate = host_allocate;
    counted.copy_to_host = copy_to_host;
    counted.stream_wait = stream_wait;
    cuda_driver_replace(&counted);
}

/* Counts in a text that the caller has on a device, and changes between calls: each call opens,
 * loads and closes it. The second call and later ones open no worker, allocate nothing, and take no
 * sample, whether the text is searched in place (`after`: bytes behind it), or in part in a copy of
 * its end. */
static void run_borrowed(uint64_t after, uint64_t waits)
{
    static uint8_t text[TEXT_BYTES];
    struct cuda_limits limits = cuda_limits_default;
    struct forms_machine machine;
    AUTO_PLAN plan = must_plan("needle");

    limits.seen_bytes_min = 4096;
    limits.tail_bytes = 8192;
    cuda_limits_replace(&limits);
    count_slow_calls();
    lent_devices(&machine, NULL, 7, 1);
    {
        AUTO_SEARCHER searcher =
            must_searcher_with(SEARCHER_WITH(.engine = TRAWL_ENGINE_CUDA, .threads = 1));
        struct lent lent;

        memset(text, '.', sizeof text);
        lent = lent_begin(&machine, text, TEXT_BYTES, 256, after);
        for (uint64_t i = 0; i < 6; i++) {
            struct trawl_text *own = NULL;
            uint64_t count = UINT64_MAX;

            memcpy(text + TEXT_BYTES - 6 - 6000 * i, "needle", 6);
            forms_block_copy(&machine, &lent.block, 256, text, TEXT_BYTES, true);
            memset(slow, 0, sizeof slow);
            MUST(call_device(lent.block.address + 256, TEXT_BYTES, &own, NULL));
            MUST(trawl_text_load(searcher, own, NULL));
            MUST(trawl_count(searcher, plan, own, &count, NULL));
            trawl_text_unload(searcher, own);
            trawl_text_close(own);
            TEST_CHECK_U64(count, i + 1);
            for (uint32_t k = 0; k < SLOW; k++)
                if (i > 0 && !TEST_CHECK(slow[k] <= (k == WAITS ? waits : 0)))
                    printf("  borrowed, %" PRIu64 " bytes behind: slow call %u, %" PRIu64 "\n",
                           after, k, slow[k]);
        }
        lent_end(&lent);
    }
    lent_devices_end(&machine, NULL);
    cuda_driver_replace(sim_driver_table());
}

/* Asks about 1,000 short records that the caller has on a device, and changes between calls, into
 * memory of the device. */
static void run_borrowed_records(void)
{
    static uint8_t tape[20000];
    uint32_t offsets[1001];
    struct forms_machine machine;
    AUTO_PLAN plan = must_plan("needle");

    count_slow_calls();
    lent_devices(&machine, NULL, 7, 1);
    for (uint32_t i = 0; i <= 1000; i++)
        offsets[i] = 20 * i;
    {
        AUTO_SEARCHER searcher =
            must_searcher_with(SEARCHER_WITH(.engine = TRAWL_ENGINE_CUDA, .threads = 1));
        struct forms_block blocks[3] = {{0}};
        struct trawl_record_array array = TRAWL_RECORD_ARRAY_INIT;

        memset(tape, '.', sizeof tape);
        forms_block_begin(&machine, 0, tape, 256, sizeof tape, 4096, &blocks[0]);
        forms_block_begin(&machine, 0, offsets, 0, sizeof offsets, 0, &blocks[1]);
        forms_block_begin(&machine, 0, offsets, 0, sizeof offsets, 0, &blocks[2]);
        array.bytes = (const uint8_t *)(uintptr_t)(blocks[0].address + 256);
        array.offsets = (const void *)(uintptr_t)blocks[1].address;
        array.offset_bytes = 4;
        array.record_count = 1000;
        for (uint64_t i = 0; i < 6; i++) {
            struct trawl_answer out = TRAWL_ANSWER(TRAWL_RECORDS_BYTES);
            struct trawl_records *records = NULL;
            uint64_t calls;

            memcpy(tape + 20 * i, "needle", 6);
            forms_block_copy(&machine, &blocks[0], 256, tape, sizeof tape, true);
            memset(slow, 0, sizeof slow);
            calls = sim_driver_calls();
            out.values = (void *)(uintptr_t)blocks[2].address;
            out.room = 1000;
            MUST(trawl_records_load(searcher, &array, &records, NULL));
            MUST(trawl_ask_records(searcher, plan, records, &out, NULL));
            trawl_records_unload(records);
            TEST_CHECK_U64(out.count, i + 1);
            if (i == 0)
                continue;
            TEST_CHECK(sim_driver_calls() - calls <= 45);
            TEST_CHECK(slow[STREAMS] + slow[ROOMS] + slow[PINNED] == 0 && slow[TO_HOST] <= 2 &&
                       slow[WAITS] <= 5);
        }
        for (uint32_t i = 0; i < 3; i++)
            forms_block_end(&machine, &blocks[i]);
    }
    lent_devices_end(&machine, NULL);
    cuda_driver_replace(sim_driver_table());
}

int main(void)
{
    const struct trawl_memory allocator = {sizeof allocator, NULL, take, give};
    struct cuda_limits limits = cuda_limits_default;

    test_begin("sim counted");
    limits.lists_min = 1u << 14;
    cuda_limits_replace(&limits);
    MUST(trawl_set_memory(&allocator, NULL));
    cuda_driver_replace(sim_driver_table());
    for (uint32_t i = 0; i < ROWS; i++)
        for (uint32_t k = 0; k == 0 || trawl_instruction_set(k - 1) != NULL; k++)
            run(&rows[i], k == 0 ? NULL : trawl_instruction_set(k - 1));
    run_all_listed(&limits);
    run_repeated(1, 22);
    run_repeated(2, 15);
    run_borrowed_records();
    run_borrowed(100000, 1); /* for the search */
    run_borrowed(0, 3);      /* for the copy, and for two parts of the search */
    return test_end();
}
