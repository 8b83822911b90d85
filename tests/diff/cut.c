/* cut: random records in a text, and the answers that a simple search gives about them. */
#include "cut.h"

#define STEP_BYTES 1024u /* step of the device's table of records */

/* ---- Records -------------------------------------------------------------------------------- */

enum lengths {
    LENGTHS_SHORT,
    LENGTHS_MIXED, /* empty, short and long */
    LENGTHS_ONE_BYTE,
    LENGTHS_STEPS,   /* records end near multiples of STEP_BYTES */
    LENGTHS_MATCHES, /* records begin and end in, before and after matches */
    LENGTHS_WHOLE,
    LENGTHS_LONG,
    LENGTHS_KINDS
};

/* Returns where a record that begins at `at` ends; may be beyond the text's end. */
static uint64_t record_end(struct test_random *random, enum lengths lengths,
                           const struct diff_expected *expected, uint64_t at)
{
    const struct naive_match *match;

    switch (lengths) {
    case LENGTHS_SHORT:
        return at + test_random_below(random, 30);
    case LENGTHS_ONE_BYTE:
        return at + !test_random_one_in(random, 8);
    case LENGTHS_STEPS:
        return (at / STEP_BYTES + test_random_below(random, 3)) * STEP_BYTES +
               test_random_below(random, 3) + STEP_BYTES - 1;
    case LENGTHS_WHOLE:
        return UINT64_MAX;
    case LENGTHS_LONG:
        return at + test_random_below(random, 5000);
    case LENGTHS_MATCHES:
        if (expected == NULL || expected->match_count == 0)
            return at + test_random_below(random, 300);
        match = &expected->matches[test_random_below(random, expected->match_count)];
        if (match->end + 3 < at)
            return at + test_random_below(random, 100);
        return match->begin + test_random_below(random, match->end - match->begin + 3) - 1;
    default:
        return at + (test_random_one_in(random, 3)   ? 0
                     : test_random_one_in(random, 8) ? test_random_below(random, 3000)
                                                     : test_random_below(random, 40));
    }
}

static int compare_offsets(const void *a, const void *b)
{
    uint64_t one = *(const uint64_t *)a, two = *(const uint64_t *)b;

    return (one > two) - (one < two);
}

/* Returns how many records there are: at most `most`. */
static uint64_t draw_offsets(struct test_random *random, enum lengths lengths,
                             const struct diff_expected *expected, uint64_t most, struct cut *cut)
{
    uint64_t bytes = cut->input->text_bytes, count = 0, empty;

    cut->offsets[0] = test_random_one_in(random, 2) ? 0 : test_random_below(random, bytes + 1);
    if (cut->offsets[0] > 40)
        cut->offsets[0] %= 40;
    if (test_random_one_in(random, 16))
        return 0;
    while (count < most) {
        uint64_t at = cut->offsets[count], end = record_end(random, lengths, expected, at);

        end = end < at ? at : end > bytes ? bytes : end;
        cut->offsets[++count] = end;
        if (end == bytes || test_random_one_in(random, 2000))
            break;
    }
    if (lengths == LENGTHS_MATCHES && count > 1)
        qsort(cut->offsets + 1, (size_t)count, sizeof *cut->offsets, compare_offsets);
    /* a run of empty records at the end, longer than a warp or a block has threads */
    for (empty = test_random_one_in(random, 6) ? test_random_below(random, 600) : 0;
         empty > 0 && count < most; empty--, count++)
        cut->offsets[count + 1] = cut->offsets[count];
    return count;
}

static bool is_null(const struct cut *cut, uint64_t record)
{
    uint64_t bit = cut->validity_begin + record;

    return cut->has_validity && (cut->validity[bit / 8] >> bit % 8 & 1) == 0;
}

/* Counts the expected matches that are inside a record. */
static void count_matches(struct cut *cut, const struct diff_expected *expected)
{
    uint64_t record = 0;

    for (uint64_t i = 0; i < expected->match_count; i++) {
        const struct naive_match *match = &expected->matches[i];

        while (record < cut->record_count && cut->offsets[record + 1] <= match->begin)
            record++;
        if (record < cut->record_count && cut->offsets[record] <= match->begin &&
            match->end <= cut->offsets[record + 1] && !is_null(cut, record))
            cut->counts[record * cut->input->pattern_count + match->pattern_index]++;
    }
}

static void count_all(struct cut *cut, const struct diff_expected *expected)
{
    const struct naive_query query = input_query(cut->input);
    uint64_t patterns = cut->input->pattern_count;
    uint64_t bytes = (cut->record_count * patterns + 1) * sizeof *cut->counts;

    cut->counts = (uint32_t *)test_memory(bytes);
    memset(cut->counts, 0, (size_t)bytes);
    if (expected != NULL && (cut->input->flags & (NAIVE_WHOLE_WORD | NAIVE_WHOLE_LINE)) == 0) {
        count_matches(cut, expected);
        return;
    }
    for (uint64_t r = 0; r < cut->record_count; r++)
        if (!is_null(cut, r))
            naive_counts(&query,
                         (struct naive_bytes){cut->input->text + cut->offsets[r],
                                              cut->offsets[r + 1] - cut->offsets[r]},
                         cut->counts + r * patterns);
}

void cut_make(struct test_random *random, const struct diff_input *input,
              const struct diff_expected *expected, struct cut *cut)
{
    static const uint32_t widths[] = {0, 4, 8};
    uint64_t most = 2 * input->text_bytes + 700;
    uint64_t density = test_random_below(random, 4);

    memset(cut, 0, sizeof *cut);
    cut->input = input;
    cut->offsets = (uint64_t *)test_memory((most + 1) * sizeof *cut->offsets);
    cut->record_count = draw_offsets(random, (enum lengths)test_random_below(random, LENGTHS_KINDS),
                                     expected, most, cut);
    cut->offsets_narrow =
        (int32_t *)test_memory((cut->record_count + 1) * sizeof *cut->offsets_narrow);
    for (uint64_t i = 0; i <= cut->record_count; i++)
        cut->offsets_narrow[i] = (int32_t)cut->offsets[i];
    cut->offset_bytes = widths[test_random_below(random, 3)];
    cut->has_validity = test_random_one_in(random, 2);
    cut->validity_begin = test_random_below(random, 70);
    cut->validity_bytes = (cut->validity_begin + cut->record_count + 7) / 8;
    cut->validity = (uint8_t *)test_memory(cut->validity_bytes + 1);
    for (uint64_t i = 0; i <= cut->validity_bytes; i++)
        cut->validity[i] =
            (uint8_t)(density == 0   ? 255
                      : density == 1 ? 0
                                     : test_random_u64(random) | test_random_u64(random));
    if (density == 1 && cut->validity_bytes > 0) /* nearly all records are null */
        cut->validity[test_random_below(random, cut->validity_bytes)] = 0x42;
    count_all(cut, expected);
}

void cut_free(struct cut *cut)
{
    free(cut->offsets);
    free(cut->offsets_narrow);
    free(cut->validity);
    free(cut->counts);
    memset(cut, 0, sizeof *cut);
}

struct trawl_record_array cut_array(const struct cut *cut)
{
    struct trawl_record_array array = TRAWL_RECORD_ARRAY_INIT;

    array.bytes = cut->input->text_bytes == 0 ? NULL : cut->input->text;
    array.record_count = cut->record_count;
    array.offset_bytes = cut->offset_bytes;
    array.offsets =
        cut->offset_bytes == 4 ? (const void *)cut->offsets_narrow : (const void *)cut->offsets;
    if (cut->has_validity) {
        array.validity = cut->validity;
        array.validity_begin = cut->validity_begin;
    }
    return array;
}

/* ---- Answers -------------------------------------------------------------------------------- */

/* Returns the number of cells, or for other shapes of records with an occurrence. */
static uint64_t count_of(const struct cut *cut, enum trawl_what shape)
{
    uint64_t cells = 0, records = 0;

    for (uint64_t r = 0; r < cut->record_count; r++) {
        uint64_t before = cells;

        for (uint64_t p = 0; p < cut->input->pattern_count; p++)
            cells += cut->counts[r * cut->input->pattern_count + p] > 0;
        records += cells > before;
    }
    return shape == TRAWL_RECORDS_CELLS ? cells : records;
}

static uint64_t bytes_of(enum trawl_what shape, uint64_t room, uint32_t cell_bytes)
{
    switch (shape) {
    case TRAWL_RECORDS_BITS:
        return room / 8 + (room % 8 != 0);
    case TRAWL_RECORDS_BYTES:
        return room;
    case TRAWL_RECORDS_COUNTS:
        return room * sizeof(uint32_t);
    default:
        return room * (cell_bytes == 0 ? 8 : cell_bytes);
    }
}

static uint8_t *array_of(uint64_t bytes)
{
    uint8_t *array = (uint8_t *)test_memory(bytes + CUT_GUARD_BYTES);

    memset(array, CUT_UNTOUCHED, (size_t)bytes + CUT_GUARD_BYTES);
    return array;
}

void cut_ask(struct test_random *random, const struct cut *cut, enum trawl_what shape,
             struct cut_answer *answer)
{
    static const uint32_t widths[] = {0, 4, 8};
    bool cells = shape == TRAWL_RECORDS_CELLS;
    uint64_t wanted = cells ? count_of(cut, shape) : cut->record_count;

    memset(answer, 0, sizeof *answer);
    answer->shape = shape;
    answer->count = count_of(cut, shape);
    answer->into = (struct trawl_answer)TRAWL_ANSWER(TRAWL_RECORDS_BITS);
    answer->into.room = wanted;
    if (test_random_one_in(random, 4))
        answer->into.room += test_random_below(random, 40);
    else if (test_random_one_in(random, 4))
        answer->into.room = test_random_below(random, wanted + 1);
    if (cells)
        answer->into.cell_bytes = widths[test_random_below(random, 3)];
    answer->values_bytes = bytes_of(shape, answer->into.room, answer->into.cell_bytes);
    answer->values = array_of(answer->values_bytes);
    answer->into.values = answer->values;
    if (cells) {
        answer->patterns_bytes = answer->values_bytes;
        answer->patterns = array_of(answer->patterns_bytes);
        answer->into.patterns = answer->patterns;
    }
    if (answer->into.room == 0 && test_random_one_in(random, 2))
        answer->into.values = answer->into.patterns = NULL;
}

void cut_answer_free(struct cut_answer *answer)
{
    free(answer->values);
    free(answer->patterns);
    answer->values = answer->patterns = NULL;
}

static bool is_untouched(const uint8_t *bytes, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        if (bytes[i] != CUT_UNTOUCHED)
            return false;
    return true;
}

static bool say(char message[CUT_MESSAGE_BYTES], const char *what, uint64_t at, uint64_t got,
                uint64_t expected)
{
    (void)snprintf(message, CUT_MESSAGE_BYTES, "%s %" PRIu64 " is %" PRIu64 ", expected %" PRIu64,
                   what, at, got, expected);
    return false;
}

static uint64_t number_at(const uint8_t *array, uint64_t index, uint32_t width)
{
    uint64_t number = 0;

    memcpy(&number, array + index * width, width); /* all machines are little-endian */
    return number;
}

static bool judge_cells(const struct cut *cut, const struct cut_answer *answer,
                        char message[CUT_MESSAGE_BYTES])
{
    uint32_t width = answer->into.cell_bytes == 0 ? 8 : answer->into.cell_bytes;
    uint64_t at = 0, patterns = cut->input->pattern_count;

    for (uint64_t i = 0; i < cut->record_count * patterns && at < answer->into.room; i++) {
        if (cut->counts[i] == 0)
            continue;
        if (number_at(answer->values, at, width) != i / patterns)
            return say(message, "the record of cell", at, number_at(answer->values, at, width),
                       i / patterns);
        if (number_at(answer->patterns, at, width) != i % patterns)
            return say(message, "the pattern of cell", at, number_at(answer->patterns, at, width),
                       i % patterns);
        at++;
    }
    return true;
}

static bool judge_values(const struct cut *cut, const struct cut_answer *answer,
                         char message[CUT_MESSAGE_BYTES])
{
    uint64_t patterns = cut->input->pattern_count, records = cut->record_count;

    for (uint64_t r = 0; r < records; r++) {
        uint32_t got = answer->values[answer->shape == TRAWL_RECORDS_BITS ? r / 8 : r];
        uint32_t sum = 0;

        for (uint64_t p = 0; p < patterns; p++)
            sum += cut->counts[r * patterns + p];
        if (answer->shape == TRAWL_RECORDS_BITS)
            got = got >> r % 8 & 1;
        else if (answer->shape == TRAWL_RECORDS_COUNTS)
            got = (uint32_t)number_at(answer->values, r, sizeof sum);
        if (answer->shape != TRAWL_RECORDS_COUNTS)
            sum = sum > 0;
        if (got != sum)
            return say(message, "the value of record", r, got, sum);
    }
    if (answer->shape == TRAWL_RECORDS_BITS && records % 8 != 0 &&
        answer->values[records / 8] >> records % 8 != 0)
        return say(message, "the last byte of bits", records / 8, answer->values[records / 8], 0);
    return true;
}

bool cut_judge(const struct cut *cut, const struct cut_answer *answer, enum trawl_status status,
               const struct trawl_answer *into, char message[CUT_MESSAGE_BYTES])
{
    bool cells = answer->shape == TRAWL_RECORDS_CELLS;
    uint64_t wanted = cells ? answer->count : cut->record_count;
    bool fits = answer->into.room >= wanted;

    if (!is_untouched(answer->values + answer->values_bytes, CUT_GUARD_BYTES) ||
        (cells && !is_untouched(answer->patterns + answer->patterns_bytes, CUT_GUARD_BYTES)))
        return say(message, "a byte behind the array, with room for", answer->into.room, 1, 0);
    if (into->values != answer->into.values || into->patterns != answer->into.patterns ||
        into->room != answer->into.room || into->cell_bytes != answer->into.cell_bytes)
        return say(message, "a field that the caller sets has changed: room", 0, into->room,
                   answer->into.room);
    if (status != TRAWL_OK && status != TRAWL_LIMIT)
        return true;
    if ((status == TRAWL_OK) != fits)
        return say(message, "the status with room for", answer->into.room, (uint64_t)status,
                   fits ? TRAWL_OK : TRAWL_LIMIT);
    if (into->on_device > 1)
        return say(message, "on_device of shape", (uint64_t)answer->shape, into->on_device, 1);
    if (!cells && !fits)
        return is_untouched(answer->values, answer->values_bytes) ||
               say(message, "a value was written with room for", answer->into.room, 1, 0);
    if (cells ? !judge_cells(cut, answer, message) : !judge_values(cut, answer, message))
        return false;
    return into->count == answer->count ||
           say(message, "the count of shape", (uint64_t)answer->shape, into->count, answer->count);
}
