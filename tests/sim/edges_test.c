/* edges_test: every public call with a text of 0 bytes, of one byte less than the shortest pattern,
 * of that many bytes, and of more; with a plan of several patterns, of one, of one with errors and
 * of none; under each engine, with one device and with two; while the text is loaded or not, and
 * another text is or not, beside the text or around it. Each answer is compared with the oracle's.
 *
 * The suite had missed a text of 0 bytes that is not loaded while another one is: texts were loaded
 * alone, and random texts are seldom empty.
 */
#include "calls.h"
#include "cuda/limits.h"
#include "diff/held.h"
#include "host.h"
#include "letters.h"
#include "sim_driver.h"
#include "simulator.h"

#define MEMORY_BYTES 3000u
#define OTHER_BEGIN 500u /* the other text is memory[OTHER_BEGIN, OTHER_END) */
#define OTHER_END 2500u
#define LONG_BYTES 200u
#define UNTOUCHED 0x7777777777777777u
#define PATTERNS_MAX 3u

struct plan_row {
    const char *patterns[PATTERNS_MAX]; /* NULL after the last; the shortest is first */
    uint32_t mismatches;                /* if not 0, texts are shorter than the pattern */
};

static const struct plan_row plans[] = {
    {{"abc"}, 0}, {{"ab", "bab", "cabc"}, 0}, {{NULL}, 0}, {{"abcab"}, 1}};
#define PLANS (sizeof plans / sizeof *plans)

/* Where the text lies: in memory of its own, or here in the other text's. */
enum place { PLACE_APART, PLACE_FIRST, PLACE_INSIDE, PLACE_LAST, PLACE_BEHIND, PLACES };
enum length { LENGTH_NONE, LENGTH_SHORT, LENGTH_PATTERN, LENGTH_LONG, LENGTHS };
/* Bits: which texts are loaded. */
enum loaded { LOADED_TEXT = 1, LOADED_OTHER = 2, LOADED_COMBINATIONS = 4 };

enum more_call {
    CALL_LINES_INVERTED = HELD_CALLS,
    CALL_BEGINS_ON_DEVICE,
    CALL_MATRIX,
    CALL_CELLS,
    CALLS
};

static struct letters letters;
static uint64_t calls, answers_on_device;

static uint64_t length_of(const struct plan_row *row, enum length length)
{
    uint64_t shortest = row->patterns[0] == NULL ? 0 : strlen(row->patterns[0]);

    switch (length) {
    case LENGTH_NONE:
        return 0;
    case LENGTH_SHORT:
        return shortest == 0 ? 0 : shortest - 1;
    case LENGTH_PATTERN:
        return shortest;
    case LENGTH_LONG:
    case LENGTHS:
        break;
    }
    return LONG_BYTES;
}

static const uint8_t *bytes_at(enum place place, uint64_t length)
{
    switch (place) {
    case PLACE_APART:
    case PLACES:
        break;
    case PLACE_FIRST:
        return letters.bytes + OTHER_BEGIN;
    case PLACE_INSIDE:
        return letters.bytes + OTHER_BEGIN + 700;
    case PLACE_LAST:
        return letters.bytes + OTHER_END - length;
    case PLACE_BEHIND:
        return letters.bytes + OTHER_END;
    }
    return letters.bytes;
}

/* ---- Calls that held.h does not have ------------------------------------------------------ */

static bool lines_inverted(struct held *held, struct trawl_error *error)
{
    uint64_t lines = UNTOUCHED;

    return trawl_count_lines(held->searcher, held->plan, held->text, true, UINT64_MAX, &lines,
                             error) == TRAWL_OK &&
           lines == held->expected->line_count_inverted;
}

/* An array in a device's memory. Only a loaded text has begins there. */
static bool begins_on_device(struct held *held, bool is_loaded, struct trawl_error *error)
{
    uint64_t count = UNTOUCHED, room = held->room, found = held->expected->match_count;
    uint64_t *array = (uint64_t *)test_memory((room + 1) * sizeof *array);
    enum trawl_status status;
    bool right;

    for (uint64_t i = 0; i <= room; i++)
        array[i] = UNTOUCHED;
    sim_range_add(array, (room + 1) * sizeof *array);
    status = trawl_begins_on_device(held->searcher, held->plan, held->text,
                                    (uint64_t)(uintptr_t)array, room, &count, error);
    sim_range_remove(array);
    right = status == TRAWL_OK ? count == found : status == TRAWL_UNSUPPORTED && !is_loaded;
    for (uint64_t i = 0; i < found && status == TRAWL_OK; i++)
        right = right && array[i] == held->expected->matches[i].begin;
    right = right && array[room] == UNTOUCHED;
    answers_on_device += status == TRAWL_OK && found > 0;
    free(array);
    return right;
}

static int64_t first_of(const struct held *held, uint64_t pattern)
{
    for (uint64_t i = 0; i < held->expected->match_count; i++)
        if (held->expected->matches[i].pattern_index == pattern)
            return (int64_t)held->expected->matches[i].begin;
    return -1;
}

static int see_row(void *context, uint64_t row_first, uint64_t row_count, const int64_t *first)
{
    struct held *held = (struct held *)context;

    held->right = held->right && row_first == 0 && row_count == 1;
    for (uint64_t p = 0; p < held->input->pattern_count; p++)
        held->right = held->right && first[p] == first_of(held, p);
    held->room = row_count; /* which it saw */
    return 0;
}

/* The text as the only record of a tape. */
static bool matrix(struct held *held, const uint8_t *bytes, struct trawl_error *error)
{
    const uint64_t offsets[2] = {0, held->input->text_bytes};
    struct trawl_record_array records = records_of(bytes, offsets, 1);

    held->right = true;
    held->room = 0;
    return call_rows(held->searcher, held->plan, &records, see_row, held, error) == TRAWL_OK &&
           held->right && held->room == 1;
}

static bool cells(struct held *held, const uint8_t *bytes, struct trawl_error *error)
{
    const uint64_t offsets[2] = {0, held->input->text_bytes};
    struct trawl_record_array records = TRAWL_RECORD_ARRAY_INIT;
    struct trawl_matrix_batch batch = {.size = sizeof batch};
    struct trawl_matrix_search *search = NULL;
    uint64_t found = 0, expected = 0;
    bool right;

    records.bytes = bytes;
    records.offsets = offsets;
    records.record_count = 1;
    right = trawl_matrix_open(held->searcher, held->plan, &records, TRAWL_MATRIX_CELLS, &search,
                              error) == TRAWL_OK;
    while (right && !batch.last) {
        right = trawl_matrix_next(search, &batch, error) == TRAWL_OK;
        for (uint64_t i = 0; right && i < batch.cell_count; i++, found++)
            right = batch.cell_records[i] == 0 &&
                    (int64_t)batch.cell_begins[i] == first_of(held, batch.cell_patterns[i]);
    }
    trawl_matrix_close(search);
    for (uint64_t p = 0; p < held->input->pattern_count; p++)
        expected += first_of(held, p) >= 0;
    return right && found == expected;
}

/* ---- One text, each call ------------------------------------------------------------------ */

static bool is_right(struct held *held, uint32_t call, const uint8_t *bytes, bool is_loaded,
                     struct trawl_error *error)
{
    bool right;

    switch (call) {
    case CALL_LINES_INVERTED:
        return lines_inverted(held, error);
    case CALL_BEGINS_ON_DEVICE:
        return begins_on_device(held, is_loaded, error);
    case CALL_MATRIX:
        return matrix(held, bytes, error);
    case CALL_CELLS:
        return cells(held, bytes, error);
    default:
        right = held_search(held, (enum held_call)call, error) == TRAWL_OK;
        return right && held->right;
    }
}

/* The input's text is a copy of the bytes; the calls search the bytes themselves. */
static void try_text(struct trawl_searcher *searcher, enum trawl_engine engine,
                     const struct plan_row *row, const uint8_t *bytes, uint64_t length,
                     uint32_t loaded)
{
    struct test_random random = {1};
    struct trawl_plan_options options = TRAWL_PLAN_OPTIONS_INIT;
    AUTO_TEXT other = must_text(letters.bytes + OTHER_BEGIN, OTHER_END - OTHER_BEGIN);
    AUTO_TEXT text = must_text(bytes, length);
    bool in_other =
        bytes >= letters.bytes + OTHER_BEGIN && bytes + length <= letters.bytes + OTHER_END;
    bool is_loaded = engine != TRAWL_ENGINE_CPU && row->mismatches == 0 &&
                     ((loaded & LOADED_TEXT) != 0 || ((loaded & LOADED_OTHER) != 0 && in_other));
    struct diff_expected expected;
    struct trawl_error error = {.message = ""};
    struct diff_input input;
    struct trawl_plan *plan = NULL;

    input_begin(&random, INPUT_LETTERS_1, length, &input);
    memcpy(input.text, bytes, (size_t)length);
    for (uint32_t p = 0; p < PATTERNS_MAX && row->patterns[p] != NULL; p++)
        input_add_pattern(&input, (const uint8_t *)row->patterns[p], strlen(row->patterns[p]));
    expected_compute(&input, &expected);
    options.mismatches_max = row->mismatches;
    MUST(held_plan(&input, &options, &plan, NULL));
    if ((loaded & LOADED_TEXT) != 0)
        MUST(trawl_text_load(searcher, text, NULL));
    if ((loaded & LOADED_OTHER) != 0)
        MUST(trawl_text_load(searcher, other, NULL));
    for (uint32_t call = 0; call < CALLS; call++) {
        struct held held = held_begin(&input, &expected, plan, searcher, text);

        held.room++; /* an array of no words is filled by nobody */
        calls++;
        if (!TEST_CHECK(is_right(&held, call, bytes, is_loaded && length > 0, &error)))
            printf("  call %" PRIu32 ", engine %d, pattern \"%s\", %" PRIu64 " bytes at %td, "
                   "loaded %" PRIu32 ": %s\n",
                   call, (int)engine, row->patterns[0] == NULL ? "" : row->patterns[0], length,
                   bytes - letters.bytes, loaded, error.message);
        held_end(&held);
    }
    trawl_text_unload(searcher, other);
    trawl_text_unload(searcher, text);
    trawl_plan_free(plan);
    expected_free(&expected);
    input_free(&input);
}

static void with_engine(enum trawl_engine engine, uint32_t devices)
{
    /* A plan with errors takes more memory than other tests' devices have. */
    struct sim_driver_options options = {1, devices, 64u << 20, 2, 0, 0, 0};
    struct trawl_error error;
    struct trawl_searcher *searcher;
    uint32_t turn = devices + (uint32_t)engine;

    sim_driver_reset(&options);
    searcher = host_searcher(engine, 2, 0, &error);
    if (!TEST_CHECK(searcher != NULL))
        return;
    for (uint32_t p = 0; p < PLANS; p++)
        for (uint32_t length = 0; length < LENGTHS; length++)
            for (uint32_t place = 0; place < PLACES; place++)
                for (uint32_t loaded = 0; loaded < LOADED_COMBINATIONS; loaded++) {
                    uint64_t bytes = length_of(&plans[p], (enum length)length);
                    bool fits = plans[p].mismatches == 0 || length < LENGTH_PATTERN;

                    if (fits && (bytes == 0 || test_turn(turn++, 4)))
                        try_text(searcher, engine, &plans[p], bytes_at((enum place)place, bytes),
                                 bytes, loaded);
                }
    trawl_searcher_close(searcher);
    host_check_driver();
}

int main(void)
{
    static const enum trawl_engine engines[] = {TRAWL_ENGINE_CPU, TRAWL_ENGINE_CUDA,
                                                TRAWL_ENGINE_AUTO};
    struct cuda_limits limits = letters_limits();

    test_begin("sim edges");
    cuda_driver_replace(sim_driver_table());
    limits.split_bytes_min = 1500; /* the other text is split over two devices */
    limits.stripe_bytes = 512;
    limits.split_overlap = 64;
    cuda_limits_replace(&limits);
    letters_begin(&letters, "edges", MEMORY_BYTES);
    for (uint32_t i = 0; i < sizeof engines / sizeof *engines; i++)
        for (uint32_t devices = 1; devices <= 2; devices++)
            with_engine(engines[i], devices);
    printf("%" PRIu64 " calls, %" PRIu64 " arrays filled on a device\n", calls, answers_on_device);
    TEST_CHECK(answers_on_device > 0);
    letters_end(&letters);
    return test_end();
}
