/* diff_approximate: compares occurrences within k errors with the answers of a simple search, for
 * every method, instruction set, chunk size, number of threads, kind of text and call.
 * TRAWL_TEST_SEED, TRAWL_TEST_CASE and TRAWL_TEST_SCALE choose the cases as in diff.c. */
#include <signal.h>
#include <unistd.h>

#include "approximate/approx_choose.h"
#include "approximate/approx_host.h"
#include "approximate/approx_verify.h"
#include "calls.h"
#include "diff/borders.h"
#include "diff/diff_run.h"
#include "diff/shapes.h"
#include "oracle/oracle_approximate.h"

#define CASES_NORMAL 1000
#define CASES_LONG 100000 /* each case is searched about eight times */
/* after this many cases, each of the CELLS kinds of cases must have had matches */
#define CASES_TELLING 1000
#define THREADS_MAX 4
#define PATTERNS_MAX 40
#define PATTERN_BYTES_MAX 4000
#define MATCHES_MAX 400000u
#define EXACT_MAX 2
#define LETTER_BYTES_MAX 4u
#define SMALL_BYTES 1000u /* a shorter text may be searched in chunks of a few bytes */
#define PLAIN_BYTES 70    /* added to short texts, so that some chunks end inside the text */
#define RECORDS_MAX 100
/* A case that takes longer counts as hung. Under an emulator a case took 400 seconds. */
#define SILENCE_SECONDS 1200
/* Each row has letters that equal each other; in the last row only the first letter equals the two
 * that follow. 0x1f600 and 0xf600 share a slot in the library's cache of answers about letters, but
 * equal different letters. */
static const uint32_t groups[][3] = {
    {'k', 'K', 0x212a}, {0xe9, 0xc9, 0xc9}, {0x1f600, 0xe8, 0xe8}, {0x20ac, 0x4e2d, 0xdf}};
#define GROUPS (sizeof groups / sizeof groups[0])

static uint32_t variants(void *context, uint32_t c, uint32_t found[TRAWL_UTF8_VARIANTS_MAX])
{
    uint32_t count = 0;

    (void)context;
    found[count++] = c;
    for (uint32_t g = 0; g < GROUPS; g++)
        for (uint32_t i = 0; i < 3; i++)
            if (groups[g][i] == c && (g + 1 < GROUPS || i == 0))
                for (uint32_t j = 0; j < 3; j++)
                    found[count++] = groups[g][j];
    return count;
}

static bool alike(uint32_t of_pattern, uint32_t of_text)
{
    uint32_t found[TRAWL_UTF8_VARIANTS_MAX];

    for (uint32_t i = variants(NULL, of_pattern, found); i > 0; i--)
        if (found[i - 1] == of_text ||
            (found[i - 1] < 128 && of_text < 128 && (found[i - 1] | 32) == (of_text | 32)))
            return true;
    return false;
}

static bool is_word_character(uint32_t c)
{
    return c == 0xe9 || c == 0x4e2d || c == 0x212a;
}

static bool is_word(void *context, uint32_t c)
{
    (void)context;
    return is_word_character(c);
}

static const struct trawl_letters utf8 = {sizeof utf8, NULL, variants, is_word, NULL};

/* A case's number modulo CELLS is its cell, which determines the alphabet, whether errors are
 * edits, whether several threads search, and whether patterns have exact parts, in which no error
 * is allowed. */
#define CELLS 24u

/* Numbers of errors near those at which the library's mismatch counters need another bit.
 */
static const uint32_t borders[] = {3, 4, 5, 7, 8, 9, 15, 16};
#define BORDERS (sizeof borders / sizeof *borders)

struct input {
    struct diff_input diff; /* text and patterns */
    struct approximate_query query;
    struct trawl_range exact[EXACT_MAX];
    struct approximate_range exact_again[EXACT_MAX];
    uint64_t symbols_max; /* symbols of the longest pattern */
    bool is_plain;        /* no condition applies, so the first three patterns must occur */
    bool with_utf8;
    bool with_also; /* a second byte ends lines, too */
    struct approximate_match *matches;
    uint64_t match_count;
};

static const char *const letters_of[3][5] = {
    {"a", "ab", "abAB", "ab \n", "abcdefghij KLM_\n"},
    {"a\xc3\xa9", "k\xe2\x84\xaaK\xf0\x9f\x98\x80\xef\x98\x80\xc3\xa8", "ab\xc3\xa9\xc3\x89 \n",
     "\xe2\x82\xac\xe4\xb8\xad\xc3\x9f k", "a\xf0\x9f\x98\x80\x80\xc3\xe2\x82\xff\xc3\xa9\n"},
    {"AU", "ACGT", "ACGTUacgtu", "ACGUN", "ACGTURYKMSWBDHVN-\n"}};

/* Draws a letter from `letters`, or the last bytes of a letter, and returns the number of bytes. */
static uint64_t draw(struct test_random *random, const char *letters, uint8_t *bytes)
{
    uint64_t count = strlen(letters), at = test_random_below(random, count), taken = 1;

    if (!test_random_one_in(random, 8))
        while (at > 0 && ((uint8_t)letters[at] & 0xc0) == 0x80)
            at--;
    bytes[0] = (uint8_t)letters[at];
    while (bytes[0] >= 0xc0 && at + taken < count &&
           ((uint8_t)letters[at + taken] & 0xc0) == 0x80) {
        bytes[taken] = (uint8_t)letters[at + taken];
        taken++;
    }
    return taken;
}

static void fill(struct test_random *random, const char *letters, uint8_t *text, uint64_t bytes)
{
    uint64_t period = test_random_one_in(random, 4) ? test_random_between(random, 1, 9) : 0;
    uint8_t letter[8];

    for (uint64_t at = 0; at < bytes;) {
        uint64_t count = draw(random, letters, letter);

        if (period > 0 && at >= period && !test_random_one_in(random, 50)) {
            text[at] = text[at - period];
            at++;
            continue;
        }
        for (uint64_t i = 0; i < count && at < bytes; i++)
            text[at++] = letter[i];
    }
}

static bool is_inside_letter(uint8_t byte)
{
    return (byte & 0xc0) == 0x80;
}

/* Adds a pattern: a part of the text with some bytes changed, deleted or inserted. */
static void add_pattern(struct test_random *random, struct input *input, const char *letters,
                        uint64_t bytes_max, uint64_t number)
{
    const struct diff_input *diff = &input->diff;
    /* enough symbols for k errors, even if each letter has LETTER_BYTES_MAX bytes */
    uint64_t symbol_bytes = input->is_plain && input->query.alphabet == APPROXIMATE_CHARACTERS
                                ? LETTER_BYTES_MAX
                                : 1 + test_random_below(random, 2);
    uint64_t min = (input->query.k + 1) * symbol_bytes, count = 0, at;
    uint64_t wanted = test_random_between(random, min, min + bytes_max);
    uint32_t errors =
        (uint32_t)(test_random_one_in(random, 2) ? input->query.k + test_random_below(random, 2)
                                                 : test_random_below(random, input->query.k + 2));
    uint8_t bytes[PATTERN_BYTES_MAX + 16];

    at = test_random_below(random, diff->text_bytes);
    /* the first three patterns are copies of the text's start, end and middle, where chunks may
     * meet */
    if (input->is_plain && number < 3) {
        errors = 0;
        at = number == 0 || wanted > diff->text_bytes ? 0
             : number == 1                            ? diff->text_bytes - wanted
                                                      : (diff->text_bytes - wanted) / 2;
        /* extend the copied part of the text to whole letters */
        for (; at > 0 && is_inside_letter(diff->text[at]); at--)
            wanted++;
        while (at + wanted < diff->text_bytes && is_inside_letter(diff->text[at + wanted]))
            wanted++;
    }
    while (count < wanted) {
        if (at < diff->text_bytes && !(errors > 0 && test_random_one_in(random, 4))) {
            bytes[count++] = diff->text[at++];
            continue;
        }
        errors -= errors > 0;
        at += test_random_below(random, 2);
        if (at >= diff->text_bytes || test_random_one_in(random, 2))
            count += draw(random, letters, bytes + count);
    }
    if (input->query.alphabet == APPROXIMATE_DNA)
        for (uint64_t i = 0; i < count; i++)
            if (strchr("ACGTURYKMSWBDHVN", bytes[i] & 0xdf) == NULL || (bytes[i] & 0xdf) == 0)
                bytes[i] = 'A';
    input_add_pattern(&input->diff, bytes, count);
}

static void choose_flags(struct test_random *random, struct input *input, uint64_t index)
{
    struct approximate_query *query = &input->query;
    bool dna = query->alphabet == APPROXIMATE_DNA;

    query->ignore_case = test_random_one_in(random, 2);
    query->whole_word = !input->is_plain && test_random_one_in(random, 6);
    query->whole_line = !input->is_plain && test_random_one_in(random, 12);
    query->within_lines = test_random_one_in(random, 3);
    query->every_end = query->edits && test_random_one_in(random, 3);
    query->both_strands = dna && test_random_one_in(random, 2);
    query->any_base = dna && !input->is_plain && test_random_one_in(random, 3);
    input->with_also = test_random_one_in(random, 10);
    input->with_utf8 = !dna && !test_random_one_in(random, 4);
    query->line_end = '\n';
    if (test_random_one_in(random, 10))
        query->line_end = (uint8_t[]){0xa9, 0xa9, 'b', 'B'}[test_random_below(random, 4)];
    query->line_end_also = input->with_also ? 'a' : query->line_end;
    query->exact_count = index / 6 % 2 != 0 ? 1 + test_random_below(random, EXACT_MAX) : 0;
    for (uint64_t i = 0; i < query->exact_count; i++) {
        uint64_t begin = test_random_below(random, 8);
        uint64_t end = begin + test_random_between(random, 1, 4);

        /* a plain input must be accepted, and exact parts beyond symbol k may leave a pattern too
         * few symbols for its errors */
        if (input->is_plain && end > query->k + 1) {
            begin %= query->k + 1;
            end = begin + 1;
        }
        input->exact[i].begin = input->exact_again[i].begin = begin;
        input->exact[i].end = input->exact_again[i].end = end;
    }
    query->exact = input->exact_again;
    if (input->with_utf8 && query->alphabet == APPROXIMATE_CHARACTERS)
        query->alike = alike;
    query->is_word = input->with_utf8 ? is_word_character : NULL;
}

/* Makes the exact parts of the patterns equal, except for those of patterns 1 to 3. Then the
 * library compares these patterns together, wherever the exact part is in the text. In other inputs
 * no patterns share an exact part, or it is at every offset. */
static void share_exact(struct input *input)
{
    struct naive_bytes first = input->diff.patterns[0];

    for (uint64_t i = 4; i < input->diff.pattern_count; i++)
        for (uint64_t r = 0; r < input->query.exact_count; r++)
            for (uint64_t j = input->exact[r].begin; j < input->exact[r].end; j++)
                if (j < first.bytes_count && j < input->diff.patterns[i].bytes_count)
                    input_pattern(&input->diff, i)[j] = first.bytes[j];
}

static uint32_t plan_flags(const struct approximate_query *query)
{
    return (query->ignore_case ? TRAWL_IGNORE_CASE : 0u) |
           (query->whole_word ? TRAWL_WHOLE_WORD : 0u) |
           (query->whole_line ? TRAWL_WHOLE_LINE : 0u) |
           (query->within_lines ? TRAWL_WITHIN_LINES : 0u) |
           (query->every_end ? TRAWL_EVERY_END : 0u) |
           (query->both_strands ? TRAWL_REVERSE_COMPLEMENT : 0u) |
           (query->any_base ? TRAWL_ANY_BASE : 0u);
}

/* Returns the input's plan; NULL: the library rejects the patterns, for example as too short. */
static struct trawl_plan *plan_of(const struct input *input)
{
    const struct approximate_query *query = &input->query;
    struct trawl_plan_options options = TRAWL_PLAN_OPTIONS_INIT;
    struct trawl_pattern patterns[PATTERNS_MAX];
    struct trawl_plan *plan = NULL;

    for (uint64_t i = 0; i < query->pattern_count; i++)
        patterns[i] =
            (struct trawl_pattern){query->patterns[i].bytes, query->patterns[i].bytes_count};
    options.flags = plan_flags(query);
    options.alphabet = (enum trawl_alphabet)query->alphabet;
    options.mismatches_max = query->edits ? 0 : query->k;
    options.edits_max = query->edits ? query->k : 0;
    options.exact = input->exact;
    options.exact_count = (uint32_t)query->exact_count;
    options.line_ends.count = input->with_also ? 2 : 1;
    options.line_ends.bytes[0] = query->line_end;
    options.line_ends.bytes[1] = input->with_also ? query->line_end_also : 0;
    options.letters = input->with_utf8 ? &utf8 : trawl_ascii();
    if (trawl_plan_build(patterns, query->pattern_count, &options, &plan, NULL) != TRAWL_OK)
        return NULL;
    return plan;
}

/* Makes the input of a case. The case's number determines alphabet, edits and exact parts. */
static void input_make(struct test_random *random, struct input *input, uint64_t index)
{
    bool is_long = test_random_one_in(random, 40), is_wide = test_random_one_in(random, 30);
    /* large enough that a device or a host worker searches it in several steps */
    bool is_large = test_random_one_in(random, 200);
    /* whether the patterns share their exact parts; in half of the cases with mismatches and exact
     * parts they do */
    bool is_set = !is_large && !is_long && test_random_one_in(random, index / 3 % 4 == 2 ? 2 : 12);
    uint64_t text_bytes = test_random_between(random, 1, is_wide ? 3000 : is_long ? 700 : 250);
    uint64_t bytes_max = is_long ? 150 : is_wide ? 10 : 4 + test_random_below(random, 24), patterns;
    struct approximate_query *query = &input->query;
    const char *letters;

    memset(input, 0, sizeof *input);
    input->is_plain = index / CELLS % 2 == 0;
    if (input->is_plain)
        text_bytes += PLAIN_BYTES;
    if (is_set)
        text_bytes += 1000;
    query->alphabet = (enum approximate_alphabet)(index % 3);
    query->edits = index / 3 % 2 != 0;
    query->k = test_random_one_in(random, 3) ? borders[test_random_below(random, BORDERS)]
                                             : (uint32_t)test_random_below(random, 4);
    if (is_long && test_random_one_in(random, 4))
        query->k = (uint32_t)test_random_below(random, TRAWL_ERRORS_MAX + 1);
    if (is_large) {
        text_bytes = test_random_between(random, 10000, 120000);
        query->k %= 3;
    }
    if (query->k == 0 && (query->alphabet != APPROXIMATE_DNA || query->edits))
        query->k = 1;
    letters = letters_of[query->alphabet][input->is_plain ? 1 : test_random_below(random, 5)];
    input_begin(random, INPUT_LETTERS_1, text_bytes, &input->diff);
    input->diff.kind = letters;
    fill(random, letters, input->diff.text, text_bytes);
    for (uint64_t i = test_random_below(random, 4); query->alphabet == APPROXIMATE_DNA && i > 1;
         i--)
        input->diff.text[test_random_below(random, text_bytes)] = 'u';
    patterns = input->is_plain ? 4 : 1 + test_random_below(random, 3);
    if (is_set)
        patterns = PATTERNS_MAX;
    for (uint64_t i = 0; i < patterns; i++)
        add_pattern(random, input, letters, bytes_max, i);
    choose_flags(random, input, index);
    if (is_set && query->alphabet != APPROXIMATE_CHARACTERS)
        share_exact(input);
    query->patterns = input->diff.patterns;
    query->pattern_count = input->diff.pattern_count;
    input->diff.flags = 0;
    input->diff.line_end = query->line_end;
}

/* Computes the expected occurrences. Returns false if there are more than MATCHES_MAX. */
static bool expect(struct input *input, struct diff_expected *expected)
{
    const struct naive_bytes text = {input->diff.text, input->diff.text_bytes};
    struct naive_query lines = {.line_end = input->query.line_end};

    input->matches = (struct approximate_match *)test_memory(MATCHES_MAX * sizeof *input->matches);
    input->match_count = approximate_matches(&input->query, text, input->matches, MATCHES_MAX);
    if (input->match_count > MATCHES_MAX)
        return false;
    expected->match_count = input->match_count;
    expected->matches =
        (struct naive_match *)test_memory((input->match_count + 1) * sizeof *expected->matches);
    for (uint64_t i = 0; i < input->match_count; i++)
        expected->matches[i] = (struct naive_match){input->matches[i].begin, input->matches[i].end,
                                                    input->matches[i].pattern};
    expected->line_count =
        naive_lines(&lines, text, expected->matches, expected->match_count, false);
    expected->line_count_inverted =
        naive_lines(&lines, text, expected->matches, expected->match_count, true);
    return true;
}

enum where { AT_BEGIN, AT_END, OVER_BORDER, INSIDE, PLACES };

static struct {
    /* Numbers of expected matches. `cells` counts by method, cell and place in the text. `spans`
     * counts by whether edits are allowed, whether every end is wanted, and whether matches must
     * lie within lines. */
    uint64_t cells[APPROX_METHODS][CELLS][PLACES];
    uint64_t spans[2][2][2];
    uint64_t refused, runs, by_method[APPROX_METHODS], matches, reversed, far;
} report;

static const uint64_t chunk_sizes[] = {0, 1, 2, 5, 16, 33, 64, 257, 1000};
#define CHUNK_SIZES (sizeof chunk_sizes / sizeof *chunk_sizes)

/* Checks whole matches, with their distance and strand, which most calls do not deliver. */
struct whole {
    const struct input *input;
    uint64_t at;
    bool right;
};

static void see(struct whole *whole, uint64_t begin, uint64_t end, uint64_t pattern,
                uint32_t distance, uint32_t reversed)
{
    const struct approximate_match *expected = &whole->input->matches[whole->at];

    if (whole->at++ >= whole->input->match_count || expected->begin != begin ||
        expected->end != end || expected->pattern != pattern || expected->distance != distance ||
        expected->reversed != reversed) {
        if (whole->right)
            printf("  match %" PRIu64 ": (%" PRIu64 ", %" PRIu64 ", %" PRIu64
                   ") at distance %u%s\n",
                   whole->at - 1, begin, end, pattern, distance, reversed ? " reversed" : "");
        whole->right = false;
    }
}

static int see_matches(void *context, const struct trawl_match *matches, uint64_t match_count)
{
    for (uint64_t i = 0; i < match_count; i++)
        see((struct whole *)context, matches[i].begin, matches[i].end, matches[i].pattern_index,
            matches[i].distance, matches[i].reversed);
    return 0;
}

static bool check_positions(const struct input *input, const struct trawl_plan *plan,
                            struct trawl_searcher *searcher)
{
    AUTO_TEXT text = must_text(input->diff.text, input->diff.text_bytes);
    struct whole whole = {input, 0, true};

    MUST(ask_positions(searcher, plan, text, see_matches, &whole, NULL));
    return whole.right && whole.at == input->match_count;
}

static bool check_batches(const struct input *input, const struct trawl_plan *plan,
                          struct trawl_searcher *searcher)
{
    AUTO_TEXT text = must_text(input->diff.text, input->diff.text_bytes);
    struct trawl_batch batch = {.size = sizeof batch};
    struct whole whole = {input, 0, true};
    struct trawl_search *search = NULL;

    MUST(trawl_search_open(searcher, plan, text, 0, &search, NULL));
    while (!batch.last) {
        MUST(trawl_search_next(search, &batch, NULL));
        for (uint64_t i = 0; i < batch.match_count; i++)
            see(&whole, batch.begins[i], batch.ends[i], (uint32_t)batch.pattern_indices[i],
                batch.distances[i], batch.reversed[i]);
    }
    trawl_search_close(search);
    return whole.right && whole.at == input->match_count;
}

/* Cuts the text into records, each of which is searched like a separate text. */
static void check_matrix(struct test_random *random, const struct input *input,
                         const struct trawl_plan *plan, struct trawl_searcher *searcher)
{
    const uint64_t columns = input->query.pattern_count;
    struct shapes_case c = {.tape = input->diff};
    struct approximate_match *matches;
    uint64_t count = 0, width = test_random_between(random, 1, 120);

    c.offsets = (uint64_t *)test_memory((RECORDS_MAX + 1) * sizeof *c.offsets);
    c.offsets[0] = test_random_below(random, 3) % input->diff.text_bytes;
    while (c.offsets[count] < input->diff.text_bytes && count < RECORDS_MAX) {
        uint64_t end = c.offsets[count] + test_random_below(random, width + 1);

        c.offsets[++count] = end < input->diff.text_bytes ? end : input->diff.text_bytes;
    }
    matches = (struct approximate_match *)test_memory(MATCHES_MAX * sizeof *matches);
    c.expected = (int64_t *)test_memory((count * columns + 1) * sizeof *c.expected);
    memset(c.expected, 0xff, (size_t)(count * columns * sizeof *c.expected));
    for (uint64_t r = 0; r < count; r++) {
        struct naive_bytes record = {input->diff.text + c.offsets[r],
                                     c.offsets[r + 1] - c.offsets[r]};
        uint64_t found = approximate_matches(&input->query, record, matches, MATCHES_MAX);

        MUST(found <= MATCHES_MAX ? TRAWL_OK : TRAWL_LIMIT);
        while (found-- > 0)
            c.expected[r * columns + matches[found].pattern] = (int64_t)matches[found].begin;
    }
    c.array = (struct trawl_record_array)TRAWL_RECORD_ARRAY_INIT;
    c.array.bytes = input->diff.text;
    c.array.record_count = count;
    c.array.offsets = c.offsets;
    CHECK_STATUS(shapes_search(&c, searcher, plan,
                               (enum shapes_form)test_random_below(random, SHAPES), NULL),
                 TRAWL_OK);
    free(matches);
    free(c.expected);
    free(c.offsets);
}

static void describe(const struct input *input, uint64_t index, const struct run_config *config)
{
    const struct approximate_query *query = &input->query;
    char line[600];

    run_describe(&input->diff, config, line, sizeof line);
    printf("  TRAWL_TEST_CASE=%" PRIu64 ": alphabet %d, %u %s, flags %u, method %d, %" PRIu64
           " exact, first pattern of %" PRIu64 " bytes, utf8 %d, also %d\n  %s\n",
           index, (int)query->alphabet, query->k, query->edits ? "edits" : "mismatches",
           plan_flags(query), (int)approx_method_forced, query->exact_count,
           query->patterns[0].bytes_count, input->with_utf8, input->with_also, line);
}

/* Counts the expected matches of an input by method, cell and place in the text (enum where). */
static void tally(const struct input *input, enum approx_method method, uint64_t index,
                  uint64_t chunk_bytes)
{
    for (uint64_t i = 0; i < input->match_count; i++) {
        const struct approximate_match *match = &input->matches[i];
        enum where place = INSIDE;

        if (match->begin == 0)
            place = AT_BEGIN;
        else if (match->end == input->diff.text_bytes)
            place = AT_END;
        else if (chunk_bytes > 0 && match->begin / chunk_bytes != (match->end - 1) / chunk_bytes)
            place = OVER_BORDER;
        report.cells[method][index % CELLS][place]++;
    }
    report.spans[input->query.edits][input->query.every_end][input->query.within_lines] +=
        input->match_count;
}

/* Checks that each method had matches in each cell, at each place in the text
 * (enum where). */
static void check_filled(void)
{
    for (uint32_t method = 0; method < APPROX_METHODS; method++)
        for (uint32_t cell = 0; cell < CELLS; cell++)
            for (uint32_t place = 0; place < PLACES; place++)
                if (!TEST_CHECK(report.cells[method][cell][place] > 0))
                    printf("  method %u, cell %u, place %u\n", method, cell, place);
    for (uint32_t i = 0; i < 8; i++)
        if (i != 2 && i != 3) /* only searches with edits can request every end */
            TEST_CHECK(report.spans[i / 4][i / 2 % 2][i % 2] > 100);
}

static bool run_one(struct test_random *random, struct input *input,
                    const struct diff_expected *expected, const struct trawl_plan *plan,
                    enum approx_method method, uint64_t index)
{
    uint32_t set = (uint32_t)test_random_below(random, instruction_set_count());
    uint64_t chunk = input->is_plain ? 5 : test_random_below(random, CHUNK_SIZES);
    uint64_t failures = test_failures;
    struct run_config config = {.place = PLACE_END_GUARDED};
    char message[HELD_MESSAGE_BYTES] = "";
    struct trawl_searcher *searcher;
    bool passed;

    while (chunk_sizes[chunk] > 0 &&
           chunk_sizes[chunk] * 100 < input->diff.text_bytes * input->query.pattern_count)
        chunk = (chunk + 1) % CHUNK_SIZES;
    config.threads =
        index / 12 % 2 == 0 ? 1 : (uint32_t)test_random_between(random, 2, THREADS_MAX);
    if (test_random_one_in(random, 2))
        config.place = (enum place_kind)test_random_below(random, PLACE_KINDS);
    config.place_offset = test_random_u64(random) >> 8;
    config.call = (enum held_call)test_random_below(random, HELD_CALLS);
    config.parameter = test_random_u64(random);
    config.instruction_set = trawl_instruction_set(set);
    config.chunk_bytes = chunk_sizes[chunk];
    searcher = run_searcher_for(&config, set, chunk);
    tally(input, method, index, config.chunk_bytes);
    switch (test_random_below(random, 4)) {
    case 0:
        passed = check_positions(input, plan, searcher);
        break;
    case 1:
        passed = check_batches(input, plan, searcher);
        break;
    case 2:
        check_matrix(random, input, plan, searcher);
        passed = test_failures == failures;
        break;
    default:
        /* the simple search has no second line end, so only positions are compared */
        if (input->with_also)
            config.call = HELD_POSITIONS;
        passed = run_call(&input->diff, expected, &config, plan, searcher, NULL, message);
    }
    report.runs++;
    if (!TEST_CHECK(passed)) {
        describe(input, index, &config);
        printf("  %s\n", message);
    }
    return passed;
}

static char current[40];

static void say_current(int signal_number)
{
    ssize_t ignored = write(1, current, strlen(current));

    (void)ignored;
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static void run_case(uint64_t index)
{
    struct test_random random = test_random_begin("approximate");
    struct diff_expected expected;
    struct input input;
    bool passed = true;

    random.state ^= index * 0x2545f4914f6cdd1du;
    (void)snprintf(current, sizeof current, "TRAWL_TEST_CASE=%" PRIu64 "\n", index);
    alarm(SILENCE_SECONDS);
    input_make(&random, &input, index);
    memset(&expected, 0, sizeof expected);
    for (uint32_t method = 0; method <= APPROX_METHODS && passed; method++) {
        AUTO_PLAN plan = plan_of(&input);
        const struct approximate *approximate = NULL;

        if (plan == NULL || (method == 0 && !expect(&input, &expected))) {
            report.refused++;
            break;
        }
        approx_method_forced = (enum approx_method)method;
        approx_beyond_min = test_random_one_in(&random, 2) ? 1 : APPROX_BEYOND_MIN;
        approx_ends_min = test_random_one_in(&random, 2) ? 1 : APPROX_ENDS_MIN;
        approx_candidates_max = APPROX_CANDIDATES_MAX;
        cpu_sizes = cpu_sizes_default;
        if (input.diff.text_bytes < SMALL_BYTES && test_random_one_in(&random, 2)) {
            approx_candidates_max = test_random_between(&random, 1, 60);
            borders_draw(&random);
        }
        MUST(approx_want(plan, NULL, &approximate, NULL));
        if (method < APPROX_METHODS && (uint32_t)approximate->method != method)
            continue;
        report.by_method[approximate->method]++;
        for (uint32_t i = 0; i < 2 && passed; i++)
            passed = run_one(&random, &input, &expected, plan, approximate->method, index);
    }
    report.matches += expected.match_count;
    for (uint64_t i = 0; i < expected.match_count; i++) {
        report.reversed += input.matches[i].reversed;
        report.far += input.matches[i].distance > 0;
    }
    free(input.matches);
    expected_free(&expected);
    input_free(&input.diff);
}

/* Searches a text of ASCII with a single character of four bytes. One pattern ends with that
 * character, and the text has an error before it. The second pattern begins with the character's
 * last byte, which is not a symbol of the text, so this pattern must not occur there. */
#define BESIDE_BYTES 120u
#define BESIDE_LENGTHS 12u

static void check_beside(bool edits, uint64_t letters)
{
    static const char character[] = "\xf0\x9f\x98\x80";
    struct test_random random = test_random_begin("beside");
    uint8_t bytes[2 * BESIDE_BYTES + 4], first[BESIDE_LENGTHS + 4], second[BESIDE_LENGTHS + 1];
    const struct naive_bytes again[2] = {{first, letters + 4}, {second, letters + 1}};
    const struct trawl_pattern patterns[2] = {{first, letters + 4}, {second, letters + 1}};
    const struct approximate_query query = {.patterns = again,
                                            .pattern_count = 2,
                                            .alphabet = APPROXIMATE_CHARACTERS,
                                            .edits = edits,
                                            .k = 1,
                                            .line_end = '\n',
                                            .line_end_also = '\n'};
    AUTO_SEARCHER searcher = must_searcher(1, 0);
    AUTO_TEXT text = must_text(bytes, sizeof bytes);
    AUTO_PLAN plan = NULL;

    for (uint64_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)('a' + test_random_below(&random, 2));
    memcpy(bytes + BESIDE_BYTES, character, 4);
    memcpy(first, bytes + BESIDE_BYTES - letters, letters + 4);
    first[test_random_below(&random, letters)] = 'z';
    memcpy(second, bytes + BESIDE_BYTES + 3, letters + 1);
    plan = must_plans(patterns, 2,
                      PLAN_WITH(.alphabet = TRAWL_CHARACTERS, .mismatches_max = edits ? 0 : 1,
                                .edits_max = edits));
    TEST_CHECK_U64(must_count(searcher, plan, text),
                   approximate_matches(&query, (struct naive_bytes){bytes, sizeof bytes}, NULL, 0));
}

#define FLOOD_BYTES 150000u
/* The test makes an engine list at most this many hits and candidates at once. The text has more,
 * so several lists are needed. */
#define FLOOD_HITS 40000u
#define FLOOD_LITERAL 9u
#define FLOOD_ERRORS 2u
/* All patterns have the same exact part, which is everywhere in this text. */
#define FLOOD_PATTERNS 40u

/* What a sink expects of a text of a single letter. `at` is the number of the next occurrence. With
 * mismatches, an occurrence begins at each offset; with edits, one ends at each offset. */
struct flood {
    bool edits;
    uint64_t at;
    uint64_t wrong;
};

/* Checks occurrence number flood->at. With mismatches it begins at offset flood->at. With edits,
 * the first FLOOD_ERRORS occurrences begin with the text and lack letters. */
static void see_flood(struct flood *flood, const struct trawl_match *match)
{
    uint64_t lacks = !flood->edits ? 0 : flood->at < FLOOD_ERRORS ? FLOOD_ERRORS - flood->at : 0;
    uint64_t begin = !flood->edits || flood->at < FLOOD_ERRORS ? 0 : flood->at - FLOOD_ERRORS;

    if (!flood->edits)
        begin = flood->at;
    flood->wrong += match->begin != begin || match->distance != lacks ||
                    match->end != begin + FLOOD_LITERAL - lacks;
    flood->at++;
}

static int see_floods(void *context, const struct trawl_match *matches, uint64_t match_count)
{
    for (uint64_t i = 0; i < match_count; i++)
        see_flood((struct flood *)context, &matches[i]);
    return 0;
}

static void check_flood(bool edits, uint32_t threads, uint64_t chunk_bytes)
{
    const uint64_t expected = FLOOD_BYTES - FLOOD_LITERAL + 1 + (edits ? FLOOD_ERRORS : 0);
    uint8_t *bytes = (uint8_t *)test_memory(FLOOD_BYTES);
    const bool with_exact = !edits && approx_method_forced == APPROX_FILTER;
    static const struct trawl_range first = {0, 1};
    uint8_t patterns[FLOOD_PATTERNS][FLOOD_LITERAL];
    struct trawl_pattern list[FLOOD_PATTERNS];
    struct flood flood = {.edits = edits};
    AUTO_SEARCHER searcher = must_searcher(threads, chunk_bytes);
    AUTO_TEXT text = must_text(bytes, FLOOD_BYTES);
    AUTO_PLAN plan = NULL;

    for (uint32_t i = 0; i < FLOOD_PATTERNS; i++) {
        memset(patterns[i], i == 0 ? 'a' : 'b' + (int)(i % 25), FLOOD_LITERAL);
        patterns[i][0] = 'a';
        patterns[i][1 + i / 25] = 'z';
        list[i] = (struct trawl_pattern){patterns[i], FLOOD_LITERAL};
    }
    memset(patterns[0], 'a', FLOOD_LITERAL);
    plan = must_plans(list, with_exact ? FLOOD_PATTERNS : 1,
                      PLAN_WITH(.mismatches_max = edits ? 0 : FLOOD_ERRORS,
                                .edits_max = edits ? FLOOD_ERRORS : 0, .exact = &first,
                                .exact_count = with_exact, .flags = edits ? TRAWL_EVERY_END : 0));
    memset(bytes, 'a', FLOOD_BYTES);
    TEST_CHECK_U64(must_count(searcher, plan, text), expected);
    MUST(ask_positions(searcher, plan, text, see_floods, &flood, NULL));
    TEST_CHECK_U64(flood.at, expected);
    TEST_CHECK_U64(flood.wrong, 0);
    free(bytes);
}

static void check_floods(void)
{
    const uint64_t share = TEST_SANITIZED ? APPROX_METHODS : 2;

    cpu_sizes = cpu_sizes_default;
    cpu_sizes.hits = approx_candidates_max = FLOOD_HITS;
    for (uint32_t method = 0; method <= APPROX_METHODS; method++) {
        approx_method_forced = (enum approx_method)method;
        alarm(SILENCE_SECONDS);
        if (method == APPROX_FILTER || test_turn(method, share))
            check_flood(false, 1 + method % 2, 0);
        if (test_turn(method + 1, share))
            check_flood(true, 1 + method % 2, (uint64_t)4 << 20);
    }
}

int main(void)
{
    uint64_t cases = test_amount(CASES_NORMAL, CASES_LONG);

    test_begin("diff_approximate");
    signal(SIGALRM, say_current);
    signal(SIGSEGV, say_current);
    signal(SIGABRT, say_current);
    if (!test_cases(cases, run_case))
        return test_end();
    approx_beyond_min = 1;
    for (uint32_t i = 0; i < 2 * APPROX_METHODS * BESIDE_LENGTHS; i++) {
        approx_method_forced = (enum approx_method)(i / 2 % APPROX_METHODS);
        check_beside(i % 2 != 0, 1 + i / (2 * APPROX_METHODS));
    }
    check_floods();
    printf("%" PRIu64 " runs, %" PRIu64 " inputs refused; %" PRIu64 " matches, %" PRIu64
           " with errors, %" PRIu64 " reversed; inputs by method:",
           report.runs, report.refused, report.matches, report.far, report.reversed);
    for (uint32_t method = 0; method < APPROX_METHODS; method++)
        printf(" %" PRIu64, report.by_method[method]);
    printf("\n");
    TEST_CHECK(report.refused <= 2 + cases / 4);
    if (cases >= CASES_TELLING) {
        for (uint32_t method = 0; method < APPROX_METHODS; method++)
            TEST_CHECK(report.by_method[method] > cases / 50);
        check_filled();
        TEST_CHECK(report.far > cases && report.reversed > cases / 10);
    }
    return test_end();
}
