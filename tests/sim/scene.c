/* scene: makes texts and patterns, opens what a search needs, and checks each call's answer. */
#include "scene.h"

#include <sys/mman.h>
#include <unistd.h>

#include "base/checked.h"
#include "calls.h"
#include "diff/borders.h"
#include "oracle/oracle_approximate.h"
#include "random_case.h"
#include "sim_driver.h"

#define UNTOUCHED 0x7777777777777777u
#define PADDING_BYTES 79u /* bytes after a text that is searched in place */
/* Limit for the occurrences of a random scene, which the simulator searches a dozen times. */
#define RANDOM_MATCHES_MAX 500u
#define RANDOM_TEXT_MAX 4000u /* limit for a text that may be searched in steps of single bytes */
#define APPROXIMATE_MIN 5u
#define APPROXIMATE_MAX 500u
#define PART_MAX 300u

/* ---- The text and its patterns -------------------------------------------------------------- */

/* Fills the text with parts of four kinds in random order: parts without an occurrence, with few
 * occurrences, with many, and parts in which a pattern begins at nearly each byte. */
static void fill_parts(struct test_random *random, uint8_t *text, uint64_t bytes)
{
    static const char *const letters[] = {"z", "xyzdxyzw\nvutsrqp", "abcxyz\n", "abc"};

    for (uint64_t at = 0; at < bytes;) {
        uint64_t end = min_u64(bytes, at + 1 + test_random_below(random, PART_MAX));
        const char *from = letters[test_random_below(random, 4)];

        for (; at < end; at++)
            text[at] = (uint8_t)from[test_random_below(random, strlen(from))];
    }
}

static void fill(struct test_random *random, enum scene_text kind, uint8_t *text, uint64_t bytes)
{
    static const char *const letters[] = {
        [TEXT_LETTERS] = "abcde\n", [TEXT_DNA] = "ACGTACGTN", [TEXT_RECORDS] = "a"};

    if (kind == TEXT_PARTS)
        fill_parts(random, text, bytes);
    for (uint64_t i = 0; i < bytes && kind != TEXT_PARTS; i++)
        text[i] = kind == TEXT_CYCLE ? (uint8_t)("abc"[i % 97 % 3])
                  : kind == TEXT_FLOOD
                      ? (uint8_t)(i % 100 == 99 ? 'd' : 'a')
                      : (uint8_t)letters[kind][test_random_below(random, strlen(letters[kind]))];
}

/* A round of a row with records takes longer than a second if there are more cells or more
 * occurrences than this. */
#define RECORD_CELLS_MAX 3000u
#define RECORD_MATCHES_MAX 3000u
/* Counts the expected lines with a match and the lines without a match. */
static void expect_lines(struct scene *s)
{
    uint64_t at = 0, match = 0;

    while (at < s->input.text_bytes) {
        uint64_t end = at;

        while (end < s->input.text_bytes && s->input.text[end] != s->input.line_end)
            end++;
        while (match < s->expected.match_count && s->expected.matches[match].begin < at)
            match++;
        if (match < s->expected.match_count && s->expected.matches[match].begin <= end)
            s->expected.line_count++;
        else
            s->expected.line_count_inverted++;
        at = end + 1;
    }
}

/* Computes the expected occurrences of a plan with errors. Returns false if there are fewer than
 * APPROXIMATE_MIN or more than APPROXIMATE_MAX. */
static bool expect_approximate(struct scene *s)
{
    const struct approximate_query query = {
        .patterns = s->input.patterns,
        .pattern_count = s->input.pattern_count,
        .alphabet = (enum approximate_alphabet)s->options.alphabet,
        .edits = s->options.edits_max > 0,
        .k = s->options.edits_max + s->options.mismatches_max,
        .ignore_case = (s->input.flags & TRAWL_IGNORE_CASE) != 0,
        .whole_word = (s->input.flags & TRAWL_WHOLE_WORD) != 0,
        .both_strands = (s->input.flags & TRAWL_REVERSE_COMPLEMENT) != 0,
        .any_base = (s->input.flags & TRAWL_ANY_BASE) != 0,
        .line_end = '\n',
        .line_end_also = '\n'};
    static struct approximate_match matches[APPROXIMATE_MAX];
    uint64_t count = approximate_matches(
        &query, (struct naive_bytes){s->input.text, s->input.text_bytes}, matches, APPROXIMATE_MAX);

    if (count < APPROXIMATE_MIN || count > APPROXIMATE_MAX)
        return false;
    s->expected = (struct diff_expected){.match_count = count};
    s->expected.matches = (struct naive_match *)test_memory(count * sizeof *s->expected.matches);
    for (uint64_t i = 0; i < count; i++)
        s->expected.matches[i] =
            (struct naive_match){matches[i].begin, matches[i].end, matches[i].pattern};
    expect_lines(s);
    return true;
}

static bool has_errors(const struct scene *s)
{
    return s->options.edits_max + s->options.mismatches_max > 0;
}

/* Returns true if the records, if they are made already, have the size that a row needs. */
static bool are_records_fit(const struct shapes_case *records, uint64_t hits_min)
{
    const struct diff_input *tape = &records->tape;
    uint64_t hits;
    struct naive_query query;

    if (records->array.record_count <= 4 || records->array.validity != NULL ||
        tape->text_bytes < 500 || tape->text_bytes > 1500 ||
        records->array.record_count * tape->pattern_count > RECORD_CELLS_MAX)
        return false;
    query = input_query(tape);
    hits = naive_matches(&query, (struct naive_bytes){tape->text, tape->text_bytes}, NULL, 0);
    return hits >= hits_min * records->array.record_count && hits <= RECORD_MATCHES_MAX;
}

void scene_make_row(struct scene *s, const struct scene_row *row)
{
    struct test_random random = test_random_begin(row->name);

    *s = (struct scene){.options = row->options,
                        .folds_utf8 = row->folds_utf8,
                        .expressions = row->expressions[0] == NULL ? NULL : row->expressions,
                        .has_records = row->text == TEXT_RECORDS,
                        .file = -1,
                        .pipe_end = -1};
    s->options.size = sizeof s->options;
    while (s->has_records && !are_records_fit(&s->records, row->text_bytes)) {
        if (s->records.offsets != NULL)
            shapes_free(&s->records);
        shapes_make(&random, false, &s->records);
    }
    input_begin(&random, INPUT_LETTERS_1, row->text_bytes, &s->input);
    fill(&random, row->text, s->input.text, s->input.text_bytes);
    s->input.flags = row->options.flags;
    for (uint32_t i = 0; i < 4 && row->patterns[i] != NULL; i++)
        input_add_pattern(&s->input, (const uint8_t *)row->patterns[i], strlen(row->patterns[i]));
    if (row->piece_bytes > 0)
        input_add_pattern(&s->input, s->input.text + row->text_bytes / 3, row->piece_bytes);
    for (uint64_t i = 2; i < 22 && row->text == TEXT_FLOOD;
         i++) /* patterns of 2, 3, 4, ... bytes */
        input_add_pattern(&s->input, s->input.text + 100 - i, i);
    while (has_errors(s) && !expect_approximate(s))
        fill(&random, row->text, s->input.text, s->input.text_bytes);
    if (!has_errors(s))
        expected_compute(&s->input, &s->expected);
    s->room = s->expected.match_count;
}

/* Splits a pattern: its end becomes the text's first bytes, and its start the text's last bytes.
 * scene_put repeats the text's bytes before and after the text, so the pattern then crosses both
 * ends. */
static void plant_around(struct test_random *random, struct diff_input *input)
{
    struct naive_bytes pattern;
    uint64_t first;

    if (input->pattern_count == 0 || test_random_below(random, 2))
        return;
    pattern = input->patterns[test_random_below(random, input->pattern_count)];
    if (pattern.bytes_count > input->text_bytes)
        return;
    first = test_random_below(random, pattern.bytes_count + 1);
    memcpy(input->text, pattern.bytes + first, (size_t)(pattern.bytes_count - first));
    memcpy(input->text + input->text_bytes - first, pattern.bytes, (size_t)first);
}

void scene_make_random(struct scene *s, struct test_random *random, uint64_t chunk_bytes)
{
    struct trawl_plan *plan;
    bool too_much;

    *s = (struct scene){.file = -1, .pipe_end = -1};
    do {
        random_case_input(random, &s->input);
        for (uint32_t i = 0; i < 3 && chunk_bytes > 0 && s->input.pattern_count > 0; i++)
            border_plant(random, &s->input, chunk_bytes);
        plant_around(random, &s->input);
        expected_compute(&s->input, &s->expected);
        too_much = s->expected.match_count > RANDOM_MATCHES_MAX ||
                   s->input.text_bytes > RANDOM_TEXT_MAX || s->input.text_bytes == 0;
        if (too_much) {
            expected_free(&s->expected);
            input_free(&s->input);
        }
    } while (too_much);
    s->options = (struct trawl_plan_options)TRAWL_PLAN_OPTIONS_INIT;
    s->options.method = (enum trawl_method)test_random_below(random, TRAWL_METHOD_SET + 1);
    if (held_plan(&s->input, &s->options, &plan, NULL) == TRAWL_OK)
        trawl_plan_free(plan);
    else
        s->options.method = TRAWL_METHOD_AUTO;
    s->room = test_random_below(random, 3) ? s->expected.match_count
                                           : test_random_below(random, s->expected.match_count + 9);
}

void scene_make_edge(struct scene *s, uint32_t plan, uint64_t text_bytes)
{
    static const char *const patterns[][3] = {{"abc"}, {"ab", "bab", "cabc"}, {NULL}, {"abcab"}};
    struct test_random random = test_random_begin("edge");

    *s = (struct scene){.file = -1, .pipe_end = -1};
    s->options = (struct trawl_plan_options)TRAWL_PLAN_OPTIONS_INIT;
    s->options.mismatches_max = plan == 3;
    input_begin(&random, INPUT_LETTERS_1, text_bytes, &s->input);
    for (uint64_t i = 0; i < text_bytes; i++)
        s->input.text[i] = (uint8_t)("abcab\n"[test_random_below(&random, 6)]);
    for (uint32_t i = 0; i < 3 && patterns[plan][i] != NULL; i++)
        input_add_pattern(&s->input, (const uint8_t *)patterns[plan][i], strlen(patterns[plan][i]));
    /* also right for the plan that allows a mismatch: its texts are shorter than its pattern, so
     * nothing occurs */
    expected_compute(&s->input, &s->expected);
    s->room = s->expected.match_count + 1;
}

void scene_make_border(struct scene *s, uint64_t pattern_bytes)
{
    struct test_random random = test_random_begin("border");
    uint8_t pattern[64];

    *s = (struct scene){.file = -1, .pipe_end = -1};
    s->options = (struct trawl_plan_options)TRAWL_PLAN_OPTIONS_INIT;
    if (pattern_bytes % 2 == 0 && pattern_bytes > 16)
        /* in so short a text, AUTO would choose a different method */
        s->options.method = TRAWL_METHOD_SAMPLED;
    input_begin(&random, INPUT_LETTERS_26, 5 * SCENE_STRIPE + 100, &s->input);
    (void)input_fill(&random, INPUT_DNA, pattern, pattern_bytes);
    for (uint64_t at = SCENE_STRIPE; at < s->input.text_bytes; at += SCENE_STRIPE) {
        /* A copy of the pattern begins at offset `at`, where two stripes may meet, or one or two
         * bytes before it. A second copy ends where this one begins. */
        uint64_t before = test_random_below(&random, 3);

        memcpy(s->input.text + at - before, pattern, (size_t)pattern_bytes);
        memcpy(s->input.text + at - before - pattern_bytes, pattern, (size_t)pattern_bytes);
    }
    input_add_pattern(&s->input, pattern, pattern_bytes);
    expected_compute(&s->input, &s->expected);
    s->room = s->expected.match_count;
}

void scene_free(struct scene *s)
{
    if (s->has_records)
        shapes_free(&s->records);
    expected_free(&s->expected);
    input_free(&s->input);
}

/* ---- Where the text lies --------------------------------------------------------------------- */

bool scene_is_stream(const struct scene *s)
{
    return s->place == PLACE_PIPE || s->place == PLACE_COMPRESSED;
}

bool scene_is_lent(const struct scene *s)
{
    return s->place == PLACE_LENT || s->place == PLACE_LENT_COPIED;
}

static void put_little(uint8_t *to, uint32_t value, int bytes_count)
{
    for (int i = 0; i < bytes_count; i++)
        to[i] = (uint8_t)(value >> 8 * i);
}

/* Writes the text to a file in memory. If `compressed`, writes gzip data with a stored block (RFC
 * 1951, 1952). */
static void put_file(struct scene *s, bool compressed)
{
    uint8_t head[15] = {0x1f, 0x8b, 8, [9] = 255, [10] = 1}, tail[8];
    uint32_t bytes = (uint32_t)s->input.text_bytes, sum = UINT32_MAX;

    s->file = memfd_create("text", MFD_CLOEXEC);
    for (uint64_t i = 0; i < bytes; i++) {
        sum ^= s->input.text[i];
        for (int bit = 0; bit < 8; bit++)
            sum = sum >> 1 ^ (sum & 1 ? 0xedb88320u : 0);
    }
    put_little(head + 11, bytes, 2);
    put_little(head + 13, ~bytes, 2);
    put_little(tail, ~sum, 4);
    put_little(tail + 4, bytes, 4);
    if (s->file < 0 || (compressed && write(s->file, head, sizeof head) != (ssize_t)sizeof head) ||
        write(s->file, s->input.text, bytes) != (ssize_t)bytes ||
        (compressed && write(s->file, tail, sizeof tail) != (ssize_t)sizeof tail))
        exit(1);
    (void)snprintf(s->path, sizeof s->path, "/proc/self/fd/%d", s->file);
}

/* Allocates memory of the last device, with room for the bytes before and after the text. It is
 * really host memory, so scene_put can write the text to it.
 */
static void put_lent(struct scene *s, uint64_t behind)
{
    const struct cuda_driver *driver = sim_driver_table();
    struct cuda_context *popped;

    TEST_CHECK(driver->init(0) == 0);
    TEST_CHECK(driver->context_retain(&s->context, (int)s->devices - 1) == 0 &&
               driver->context_push(s->context) == 0);
    TEST_CHECK(
        driver->memory_allocate(&s->lent, (size_t)(s->before + s->input.text_bytes + behind)) == 0);
    TEST_CHECK(driver->context_pop(&popped) == 0);
}

void scene_put(struct scene *s, enum place place, struct test_random *random)
{
    uint64_t behind = place == PLACE_PART ? test_random_below(random, 40) : 0, bytes;
    uint8_t *all;

    s->place = place;
    s->before = place == PLACE_PART || scene_is_lent(s) ? test_random_below(random, 40) : 0;
    if (place == PLACE_FILE || place == PLACE_COMPRESSED)
        put_file(s, place == PLACE_COMPRESSED);
    if (scene_is_lent(s)) {
        behind = place == PLACE_LENT ? PADDING_BYTES : test_random_below(random, PADDING_BYTES);
        put_lent(s, behind);
    }
    bytes = s->input.text_bytes;
    s->memory_bytes = s->before + bytes + behind;
    s->memory = scene_is_lent(s) ? NULL : (uint8_t *)test_memory(s->memory_bytes);
    all = scene_is_lent(s) ? (uint8_t *)(uintptr_t)s->lent : s->memory;
    for (uint64_t i = 0; i < s->memory_bytes; i++) /* the text's bytes continue around the text */
        all[i] = bytes == 0 ? 'a' : s->input.text[(i + bytes - s->before % bytes) % bytes];
}

void scene_take_away(struct scene *s)
{
    const struct cuda_driver *driver = sim_driver_table();
    struct cuda_context *popped;

    if (s->file >= 0)
        (void)close(s->file);
    if (scene_is_lent(s)) {
        TEST_CHECK(driver->context_push(s->context) == 0);
        (void)driver->memory_free(s->lent);
        TEST_CHECK(driver->context_pop(&popped) == 0);
        (void)driver->context_release((int)s->devices - 1);
    }
    free(s->memory);
    s->memory = NULL;
    s->file = -1;
}

/* ---- Opening --------------------------------------------------------------------------------- */

/* Each letter equals its other case and a character of three bytes that is in no text: a pattern
 * becomes several literals, and a long pattern gets a tail. */
static uint32_t variants(void *context, uint32_t code_point,
                         uint32_t found[TRAWL_UTF8_VARIANTS_MAX])
{
    uint32_t lower = code_point | 32;

    (void)context;
    found[0] = code_point;
    if (code_point >= 128 || lower < 'a' || lower > 'z')
        return 1;
    found[1] = code_point ^ 32;
    found[2] = 0x2c00 + lower;
    return 3;
}

static bool is_word(void *context, uint32_t code_point)
{
    (void)context;
    return code_point >= 128;
}

static enum trawl_status open_plan(struct scene *s, struct trawl_error *error)
{
    struct trawl_letters utf8 = {sizeof utf8, NULL, variants, is_word, NULL};
    struct trawl_plan_options options = s->options;
    struct diff_input input = s->input;
    struct naive_bytes expressions[4];

    for (uint64_t i = 0; s->expressions != NULL && i < input.pattern_count; i++)
        expressions[i] =
            (struct naive_bytes){(const uint8_t *)s->expressions[i], strlen(s->expressions[i])};
    if (s->expressions != NULL)
        input.patterns = expressions;
    if (s->has_records)
        return held_plan(&s->records.tape, &options, &s->plan, error);
    if (s->folds_utf8)
        options.letters = &utf8;
    return held_plan(&input, &options, &s->plan, error);
}

static void close_text(struct scene *s)
{
    trawl_text_close(s->text);
    trawl_text_close(s->whole);
    trawl_text_close(s->other);
    if (s->pipe_end >= 0)
        (void)close(s->pipe_end);
    s->text = s->whole = s->other = NULL;
    s->pipe_end = -1;
}

static enum trawl_status open_text(struct scene *s, struct trawl_error *error)
{
    uint64_t bytes = s->input.text_bytes;
    int ends[2];

    close_text(s);
    if (s->place == PLACE_FILE)
        return call_file(s->path, 0, &s->text, error);
    if (s->place == PLACE_COMPRESSED)
        return call_file(s->path, TRAWL_TEXT_UNPACK, &s->text, error);
    if (scene_is_lent(s))
        return call_device(s->lent + s->before, bytes, &s->text, error);
    if (s->place == PLACE_PIPE) {
        if (pipe(ends) != 0 || write(ends[1], s->input.text, bytes) != (ssize_t)bytes)
            exit(1);
        (void)close(ends[1]);
        s->pipe_end = ends[0];
        return call_descriptor(ends[0], NULL, 0, &s->text, error);
    }
    if (s->place == PLACE_PART)
        TRAWL_TRY(call_memory(s->memory, s->memory_bytes, &s->whole, error));
    return call_memory(s->memory + s->before, bytes, &s->text, error);
}

enum trawl_status scene_open(struct scene *s, struct trawl_error *error)
{
    static const uint8_t other[2000] = "abcab";

    if (s->plan == NULL)
        TRAWL_TRY(open_plan(s, error));
    if (s->searcher == NULL)
        TRAWL_TRY(trawl_searcher_open(SEARCHER_WITH(.engine = s->engine, .threads = s->threads,
                                                    .chunk_bytes = s->chunk_bytes, .map = s->map),
                                      &s->searcher, error));
    if (s->has_records)
        return TRAWL_OK;
    if (s->text == NULL || scene_is_stream(s)) { /* a stream can be read only once */
        s->is_loaded = false;
        TRAWL_TRY(open_text(s, error));
    }
    if (s->has_other && s->other == NULL) {
        TRAWL_TRY(call_memory(other, sizeof other, &s->other, error));
        TRAWL_TRY(trawl_text_load(s->searcher, s->other, error));
    }
    if (s->place >= PLACE_LOADED && s->place <= PLACE_LENT_COPIED && !s->is_loaded) {
        TRAWL_TRY(trawl_text_load(s->searcher, s->whole == NULL ? s->text : s->whole, error));
        s->is_loaded = true;
    }
    return TRAWL_OK;
}

/* ---- Calls ----------------------------------------------------------------------------------- */

const char *scene_call_name(uint32_t call)
{
    return call < HELD_CALLS            ? held_name((enum held_call)call)
           : call == CALL_BEGINS_PINNED ? "begins_into, pinned"
                                        : "begins_into, on a device";
}

/* Pins the array, so that devices copy to it directly. Returns false if the driver refuses. */
static bool array_pin(struct scene *s, uint64_t bytes)
{
    const struct cuda_driver *driver = sim_driver_table();
    struct cuda_context *popped;
    int code;

    if (driver->context_retain(&s->pinned_in, 0) != CUDA_CODE_OK)
        return false;
    code = driver->context_push(s->pinned_in);
    if (code == CUDA_CODE_OK) {
        code = driver->host_register(s->array, (size_t)bytes, 0);
        (void)driver->context_pop(&popped);
    }
    if (code != CUDA_CODE_OK)
        (void)driver->context_release(0);
    return code == CUDA_CODE_OK;
}

static void array_unpin(struct scene *s)
{
    const struct cuda_driver *driver = sim_driver_table();
    struct cuda_context *popped;

    if (s->is_pinned && driver->context_push(s->pinned_in) == CUDA_CODE_OK) {
        (void)driver->host_unregister(s->array);
        (void)driver->context_pop(&popped);
    }
    if (s->is_pinned)
        (void)driver->context_release(0);
    s->is_pinned = false;
}

static void array_end(struct scene *s)
{
    array_unpin(s);
    if (s->is_registered)
        sim_driver_disown(s->array);
    free(s->array);
    s->array = NULL;
    s->is_registered = false;
}

/* Makes a search write start offsets into an array that is on a device or pinned. The host's engine
 * gets an array that is not pinned. */
static enum trawl_status fill_begins(struct scene *s, bool on_device, bool *right,
                                     struct trawl_error *error)
{
    uint64_t bytes = (s->room + 1) * sizeof *s->array, count = UNTOUCHED;
    enum trawl_status status;
    bool taken_for_host;

    array_end(s);
    s->array = (uint64_t *)test_memory(bytes);
    memset(s->array, 0x77, (size_t)bytes); /* so that no begins of an earlier call are left */
    if (on_device) {
        sim_driver_own(s->array, max_u64(s->room, 1) * sizeof *s->array,
                       scene_is_lent(s) ? s->devices - 1 : 0);
        s->is_registered = true;
    } else {
        s->is_pinned = s->engine != TRAWL_ENGINE_CPU && array_pin(s, bytes);
    }
    status = ask_begins_into(s->searcher, s->plan, s->text, s->array, s->room, &count, error);
    /* If the simulated driver does not know where an array is, `auto` treats it as the host's,
     * because the host can read the simulated device's memory. */
    taken_for_host = s->engine == TRAWL_ENGINE_AUTO && status == TRAWL_DEVICE;
    *right = s->array[s->room] == UNTOUCHED &&
             (status != TRAWL_OK || count == s->expected.match_count) &&
             (status == TRAWL_OK || status == TRAWL_READ || taken_for_host || !on_device ||
              count == (status == TRAWL_DEVICE ? 0 : UNTOUCHED));
    for (uint64_t i = 0; status == TRAWL_OK && i < min_u64(s->room, count) && *right; i++)
        *right = s->array[i] == s->expected.matches[i].begin;
    return status;
}

enum trawl_status scene_call(struct scene *s, uint32_t call, bool *right, struct trawl_error *error)
{
    uint64_t failures = test_failures;
    enum trawl_status status;

    if (s->has_records) {
        *right = true;
        /* algorithms accept only offsets of 8 bytes, and no nulls */
        if (s->options.algorithm != NULL) {
            if (s->records.array.validity != NULL)
                return TRAWL_OK;
            s->records.array.offsets = s->records.offsets;
            s->records.array.offset_bytes = 8;
        }
        status = shapes_search(&s->records, s->searcher, s->plan, (enum shapes_form)(call % SHAPES),
                               error);
        *right = test_failures == failures;
        return status;
    }
    if (call == CALL_BEGINS_PINNED || call == CALL_BEGINS_ON_DEVICE)
        return fill_begins(s, call == CALL_BEGINS_ON_DEVICE, right, error);
    held_end(&s->held);
    s->held = held_begin(&s->input, &s->expected, s->plan, s->searcher, s->text);
    s->held.room = s->room;
    status = held_search(&s->held, (enum held_call)call, error);
    *right = s->held.right;
    return status;
}

void scene_close(struct scene *s)
{
    close_text(s);
    array_unpin(s); /* while the array's context exists */
    trawl_searcher_close(s->searcher);
    trawl_plan_free(s->plan);
    held_end(&s->held);
    array_end(s);
    s->searcher = NULL;
    s->plan = NULL;
    s->is_loaded = false;
}
