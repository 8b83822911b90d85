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

/* Returns how many records there are: at most `max`. */
static uint64_t draw_offsets(struct test_random *random, enum lengths lengths,
                             const struct diff_expected *expected, uint64_t max, struct cut *cut)
{
    uint64_t bytes = cut->input->text_bytes, count = 0, empty;

    cut->offsets[0] = test_random_one_in(random, 2) ? 0 : test_random_below(random, bytes + 1);
    if (cut->offsets[0] > 40)
        cut->offsets[0] %= 40;
    if (test_random_one_in(random, 16))
        return 0;
    while (count < max) {
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
         empty > 0 && count < max; empty--, count++)
        cut->offsets[count + 1] = cut->offsets[count];
    return count;
}

static bool is_null(const struct cut *cut, uint64_t record)
{
    uint64_t bit = cut->validity_begin + record;

    return cut->has_validity && (cut->validity[bit / 8] >> bit % 8 & 1) == 0;
}

static void put_match(struct cut *cut, uint64_t record, const struct naive_match *match,
                      uint64_t shift)
{
    const uint64_t at = cut->firsts[record + 1]++;

    cut->matches[at] = *match;
    cut->matches[at].begin -= shift;
    cut->matches[at].end -= shift;
    cut->counts[record * cut->input->pattern_count + match->pattern_index]++;
}

/* Finds the occurrences in each record. */
static void find_all(struct cut *cut, const struct diff_expected *expected)
{
    const struct naive_query query = input_query(cut->input);
    const bool parts = (cut->input->flags & (NAIVE_WHOLE_WORD | NAIVE_WHOLE_LINE)) == 0;
    const uint64_t patterns = cut->input->pattern_count;
    const uint64_t bytes = (cut->record_count * patterns + 1) * sizeof *cut->counts;
    uint64_t max = expected != NULL && parts ? expected->match_count : 0, next = 0, room = 0;
    struct naive_match *found = NULL;

    cut->counts = (uint32_t *)test_memory(bytes);
    memset(cut->counts, 0, (size_t)bytes);
    cut->firsts = (uint64_t *)test_memory((cut->record_count + 1) * sizeof *cut->firsts);
    cut->firsts[0] = 0;
    cut->matches = (struct naive_match *)test_memory((max + 1) * sizeof *cut->matches);
    for (uint64_t r = 0; r < cut->record_count; r++) {
        const uint64_t begin = cut->offsets[r], end = cut->offsets[r + 1];
        const struct naive_bytes record = {cut->input->text + begin, end - begin};

        cut->firsts[r + 1] = cut->firsts[r];
        if (is_null(cut, r))
            continue;
        if (expected != NULL && parts) {
            while (next < expected->match_count && expected->matches[next].begin < begin)
                next++;
            for (; next < expected->match_count && expected->matches[next].begin < end; next++)
                if (expected->matches[next].end <= end)
                    put_match(cut, r, &expected->matches[next], begin);
            continue;
        }
        for (uint64_t count; (count = naive_matches(&query, record, found, room)) > 0;) {
            if (count > room) {
                free(found);
                room = count;
                found = (struct naive_match *)test_memory(room * sizeof *found);
                continue;
            }
            if (cut->firsts[r] + count > max) {
                max = 2 * max + count;
                cut->matches = (struct naive_match *)realloc(
                    cut->matches, (size_t)((max + 1) * sizeof *cut->matches));
                if (cut->matches == NULL)
                    abort();
            }
            for (uint64_t i = 0; i < count; i++)
                put_match(cut, r, &found[i], 0);
            break;
        }
    }
    free(found);
}

void cut_make(struct test_random *random, const struct diff_input *input,
              const struct diff_expected *expected, struct cut *cut)
{
    static const uint32_t widths[] = {0, 4, 8};
    uint64_t max = 2 * input->text_bytes + 700;
    uint64_t density = test_random_below(random, 4);

    memset(cut, 0, sizeof *cut);
    cut->input = input;
    cut->offsets = (uint64_t *)test_memory((max + 1) * sizeof *cut->offsets);
    cut->record_count = draw_offsets(random, (enum lengths)test_random_below(random, LENGTHS_KINDS),
                                     expected, max, cut);
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
    find_all(cut, expected);
}

void cut_free(struct cut *cut)
{
    free(cut->offsets);
    free(cut->offsets_narrow);
    free(cut->validity);
    free(cut->counts);
    free(cut->matches);
    free(cut->firsts);
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

/* Returns the number of cells, of occurrences, or for other shapes of records with an
 * occurrence. */
static uint64_t count_of(const struct cut *cut, enum trawl_what shape)
{
    uint64_t cells = 0, records = 0;

    if (shape == TRAWL_RECORDS_MATCHES)
        return cut->firsts[cut->record_count];
    for (uint64_t r = 0; r < cut->record_count; r++) {
        uint64_t before = cells;

        for (uint64_t p = 0; p < cut->input->pattern_count; p++)
            cells += cut->counts[r * cut->input->pattern_count + p] > 0;
        records += cells > before;
    }
    return shape == TRAWL_RECORDS_CELLS ? cells : records;
}

/* Returns how many bytes an array has; 0: the shape has no such array. */
static uint64_t bytes_of(const struct cut *cut, const struct cut_answer *answer, uint32_t array)
{
    const uint64_t room = answer->into.room;
    const uint64_t width = answer->into.cell_bytes == 0 ? 8 : answer->into.cell_bytes;

    switch (answer->shape) {
    case TRAWL_RECORDS_BITS:
        return array == CUT_VALUES ? room / 8 + (room % 8 != 0) : 0;
    case TRAWL_RECORDS_BYTES:
        return array == CUT_VALUES ? room : 0;
    case TRAWL_RECORDS_COUNTS:
        return array == CUT_VALUES ? room * sizeof(uint32_t) : 0;
    case TRAWL_RECORDS_CELLS:
        return array <= CUT_PATTERNS ? room * width : 0;
    case TRAWL_RECORDS_FIRST:
        return array == CUT_VALUES ? 0 : room * width;
    default:
        return array == CUT_VALUES ? (cut->record_count + 1) * width : room * width;
    }
}

void **cut_array_in(struct trawl_answer *into, uint32_t array)
{
    return array == CUT_VALUES     ? &into->values
           : array == CUT_PATTERNS ? &into->patterns
           : array == CUT_BEGINS   ? &into->begins
                                   : &into->ends;
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
    const bool lists = shape == TRAWL_RECORDS_CELLS || shape == TRAWL_RECORDS_MATCHES;
    const uint64_t wanted = lists ? count_of(cut, shape) : cut->record_count;
    const bool none = test_random_one_in(random, 2);

    memset(answer, 0, sizeof *answer);
    answer->shape = shape;
    answer->count = count_of(cut, shape);
    answer->into = (struct trawl_answer)TRAWL_ANSWER(TRAWL_RECORDS_BITS);
    answer->into.room = wanted;
    if (test_random_one_in(random, 4))
        answer->into.room += test_random_below(random, 40);
    else if (test_random_one_in(random, 4))
        answer->into.room = test_random_below(random, wanted + 1);
    if (shape >= TRAWL_RECORDS_CELLS)
        answer->into.cell_bytes = widths[test_random_below(random, 3)];
    for (uint32_t i = 0; i < CUT_ARRAYS; i++) {
        const bool leaves = i == CUT_VALUES   ? false
                            : i == CUT_BEGINS ? shape == TRAWL_RECORDS_MATCHES
                                              : shape >= TRAWL_RECORDS_FIRST;

        answer->bytes[i] = bytes_of(cut, answer, i);
        /* an array that may be left out, or that has no room */
        if ((answer->bytes[i] == 0 && (none || shape < TRAWL_RECORDS_CELLS || i > CUT_PATTERNS)) ||
            (leaves && test_random_one_in(random, 4)) ||
            (shape == TRAWL_RECORDS_FIRST && i == CUT_VALUES)) /* which it does not use */
            continue;
        answer->arrays[i] = array_of(answer->bytes[i]);
        *cut_array_in(&answer->into, i) = answer->arrays[i];
    }
}

void cut_answer_free(struct cut_answer *answer)
{
    for (uint32_t i = 0; i < CUT_ARRAYS; i++) {
        free(answer->arrays[i]);
        answer->arrays[i] = NULL;
    }
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
        if (number_at(answer->arrays[CUT_VALUES], at, width) != i / patterns)
            return say(message, "the record of cell", at,
                       number_at(answer->arrays[CUT_VALUES], at, width), i / patterns);
        if (number_at(answer->arrays[CUT_PATTERNS], at, width) != i % patterns)
            return say(message, "the pattern of cell", at,
                       number_at(answer->arrays[CUT_PATTERNS], at, width), i % patterns);
        at++;
    }
    return true;
}

static bool judge_values(const struct cut *cut, const struct cut_answer *answer,
                         char message[CUT_MESSAGE_BYTES])
{
    uint64_t patterns = cut->input->pattern_count, records = cut->record_count;

    for (uint64_t r = 0; r < records; r++) {
        uint32_t got = answer->arrays[CUT_VALUES][answer->shape == TRAWL_RECORDS_BITS ? r / 8 : r];
        uint32_t sum = 0;

        for (uint64_t p = 0; p < patterns; p++)
            sum += cut->counts[r * patterns + p];
        if (answer->shape == TRAWL_RECORDS_BITS)
            got = got >> r % 8 & 1;
        else if (answer->shape == TRAWL_RECORDS_COUNTS)
            got = (uint32_t)number_at(answer->arrays[CUT_VALUES], r, sizeof sum);
        if (answer->shape != TRAWL_RECORDS_COUNTS)
            sum = sum > 0;
        if (got != sum)
            return say(message, "the value of record", r, got, sum);
    }
    if (answer->shape == TRAWL_RECORDS_BITS && records % 8 != 0 &&
        answer->arrays[CUT_VALUES][records / 8] >> records % 8 != 0)
        return say(message, "the last byte of bits", records / 8,
                   answer->arrays[CUT_VALUES][records / 8], 0);
    return true;
}

/* Compares number `at` of an array that is wanted. */
static bool judge_number(const struct cut_answer *answer, uint32_t array, uint64_t at,
                         uint64_t expected, char message[CUT_MESSAGE_BYTES])
{
    static const char *const names[] = {"values", "patterns", "begins", "ends"};
    const uint32_t width = answer->into.cell_bytes == 0 ? 8 : answer->into.cell_bytes;
    const uint64_t got =
        answer->arrays[array] == NULL ? expected : number_at(answer->arrays[array], at, width);

    if (width == 4)
        expected = (uint32_t)expected;
    return got == expected || answer->arrays[array] == NULL ||
           say(message, names[array], at, got, expected);
}

/* Compares match `match`, or none, with number `at` of the arrays. */
static bool judge_match(const struct cut_answer *answer, uint64_t at,
                        const struct naive_match *match, char message[CUT_MESSAGE_BYTES])
{
    return judge_number(answer, CUT_BEGINS, at, match == NULL ? UINT64_MAX : match->begin,
                        message) &&
           judge_number(answer, CUT_ENDS, at, match == NULL ? UINT64_MAX : match->end, message) &&
           judge_number(answer, CUT_PATTERNS, at, match == NULL ? UINT64_MAX : match->pattern_index,
                        message);
}

static bool judge_matches(const struct cut *cut, const struct cut_answer *answer,
                          char message[CUT_MESSAGE_BYTES])
{
    const uint64_t records = cut->record_count;

    for (uint64_t r = 0; r < records && answer->shape == TRAWL_RECORDS_FIRST; r++)
        if (!judge_match(answer, r,
                         cut->firsts[r] < cut->firsts[r + 1] ? &cut->matches[cut->firsts[r]] : NULL,
                         message))
            return false;
    for (uint64_t r = 0; r <= records && records > 0 && answer->shape != TRAWL_RECORDS_FIRST; r++)
        if (!judge_number(answer, CUT_VALUES, r, cut->firsts[r], message))
            return false;
    for (uint64_t i = 0;
         i < answer->count && i < answer->into.room && answer->shape != TRAWL_RECORDS_FIRST; i++)
        if (!judge_match(answer, i, &cut->matches[i], message))
            return false;
    return true;
}

bool cut_judge(const struct cut *cut, const struct cut_answer *answer, enum trawl_status status,
               const struct trawl_answer *into, char message[CUT_MESSAGE_BYTES])
{
    const bool cells = answer->shape == TRAWL_RECORDS_CELLS;
    const bool lists = cells || answer->shape == TRAWL_RECORDS_MATCHES;
    const bool fits = answer->into.room >= (lists ? answer->count : cut->record_count);
    struct trawl_answer before = answer->into, after = *into;

    for (uint32_t i = 0; i < CUT_ARRAYS; i++) {
        if (answer->arrays[i] != NULL &&
            !is_untouched(answer->arrays[i] + answer->bytes[i], CUT_GUARD_BYTES))
            return say(message, "a byte behind the array, with room for", answer->into.room, 1, 0);
        if (*cut_array_in(&before, i) != *cut_array_in(&after, i))
            return say(message, "the caller's array has changed:", i, 1, 0);
    }
    if (into->room != answer->into.room || into->cell_bytes != answer->into.cell_bytes)
        return say(message, "a field that the caller sets has changed: room", 0, into->room,
                   answer->into.room);
    if (status != TRAWL_OK && status != TRAWL_LIMIT)
        return true;
    if ((status == TRAWL_OK) != fits)
        return say(message, "the status with room for", answer->into.room, (uint64_t)status,
                   fits ? TRAWL_OK : TRAWL_LIMIT);
    if (into->on_device > 1)
        return say(message, "on_device of shape", (uint64_t)answer->shape, into->on_device, 1);
    for (uint32_t i = 0; i < CUT_ARRAYS && !lists && !fits; i++)
        if (answer->arrays[i] != NULL && !is_untouched(answer->arrays[i], answer->bytes[i]))
            return say(message, "a value was written with room for", answer->into.room, 1, 0);
    if (!lists && !fits)
        return true;
    if (answer->shape >= TRAWL_RECORDS_FIRST ? !judge_matches(cut, answer, message)
        : cells                              ? !judge_cells(cut, answer, message)
                                             : !judge_values(cut, answer, message))
        return false;
    return into->count == answer->count ||
           say(message, "the count of shape", (uint64_t)answer->shape, into->count, answer->count);
}
