/* approximate_test: searches with errors on the simulated driver. What the kernels propose is every
 * occurrence, by two loops (mismatches) and Sellers' table (edits), and of DNA little else. Whole
 * searches find what the oracle finds.
 */
#include "approximate/approx_choose.h"
#include "approximate/approx_device.h"
#include "approximate/device_tables.h"
#include "approximate/kernels/grams.h"
#include "calls.h"
#include "cuda/engine_cuda.h"
#include "cuda/limits.h"
#include "host.h"
#include "oracle/approximate.h"
#include "sim_driver.h"

#define CASES_NORMAL 80
#define CASES_LONG 20000
#define FILLED_MIN 1u /* occurrences at each place of each cell */
#define PATTERNS_MAX 12u
#define PATTERN_BYTES_MAX 45u
#define TEXT_BYTES_MAX 20000u
#define PADDING 64u

/* Bases of a letter: bits 1, 2, 4, 8 for A, C, G, T. */
static uint32_t bases_of(uint8_t letter)
{
    static const char letters[] = "ACMGRSVTWYHKDBN";
    const char *at = letter == 0 ? NULL : strchr(letters, letter & ~0x20);

    return (letter & 0xc0) == 0x40 && at != NULL ? (uint32_t)(at - letters) + 1 : 0;
}

/* Each case belongs to a cell: letters and method, errors, with an exact part or without. */
enum letters { OF_BYTES, OF_CHARACTERS, OF_DNA, OF_ANY_BASE };
enum errors { FEW_MISMATCHES, MANY_MISMATCHES, FEW_EDITS, MANY_EDITS, ERRORS };
/* Where an occurrence lies. */
enum place { AT_BEGIN, OVER_BORDER, AT_END, INSIDE, PLACES };

static const struct way {
    enum letters letters;
    bool by_pieces;
    bool is_far; /* by grams, whose tables are not in shared memory */
} ways[] = {{OF_BYTES, true, false},      {OF_BYTES, false, false},    {OF_BYTES, false, true},
            {OF_CHARACTERS, true, false}, {OF_DNA, true, false},       {OF_DNA, false, false},
            {OF_DNA, false, true},        {OF_ANY_BASE, false, false}, {OF_ANY_BASE, false, true}};

#define WAYS (sizeof ways / sizeof *ways)
#define CELLS (WAYS * ERRORS * 2)
static uint64_t filled[CELLS][PLACES];

struct approx_case {
    uint64_t cell, turn; /* cells take spans, threads and long texts in turn */
    struct way way;
    enum errors errors;
    struct trawl_plan_options options;
    struct trawl_range exact;
    struct trawl_pattern patterns[PATTERNS_MAX];
    uint8_t pattern_bytes[PATTERNS_MAX][PATTERN_BYTES_MAX];
    uint64_t pattern_count, shortest;
    uint32_t errors_max;
    bool edits;
    bool is_plain; /* letters A, C, G and T alone in the patterns */
    uint8_t text[TEXT_BYTES_MAX + PADDING];
    uint64_t text_bytes;
    uint64_t chunk_begin; /* a border between two chunks */
};

static struct approx_case c; /* too large for a stack */

/* Matches of whole searches, by edits, searches with threads, spans: the best ends, all ends; and
 * within lines. */
static struct {
    uint64_t cases, occurrences, candidates, halved, at_tiles, whole[2][2][2][2];
} tally;

static bool is_dna(void)
{
    return c.options.alphabet == TRAWL_DNA;
}

static bool are_equal(uint8_t of_pattern, uint8_t of_text)
{
    uint32_t pattern = bases_of(of_pattern), text = bases_of(of_text);

    if (!is_dna())
        return of_pattern == of_text;
    if ((c.options.flags & TRAWL_ANY_BASE) != 0)
        return (pattern & text) != 0;
    return text != 0 && (text & ~pattern) == 0;
}

/* ---- The right answer ------------------------------------------------------------------------ */

/* A literal as symbols, with its exact part. */
struct literal {
    uint8_t bytes[PATTERN_BYTES_MAX];
    uint64_t count, exact_begin, exact_end;
};

static struct literal literal_of(const struct trawl_plan *plan, uint32_t number)
{
    struct plan_literal row = plan_literal_at(plan, number);
    struct literal literal = {{0}, row.bytes_count, 0, 0};

    memcpy(literal.bytes, plan_literal_bytes(plan, number), (size_t)literal.count);
    if (c.options.exact_count > 0 && c.exact.begin < literal.count) {
        uint64_t end = c.exact.end < literal.count ? c.exact.end : literal.count;

        literal.exact_begin = row.reversed != 0 ? literal.count - end : c.exact.begin;
        literal.exact_end = row.reversed != 0 ? literal.count - c.exact.begin : end;
    }
    return literal;
}

static bool begins_at(const struct literal *literal, uint64_t x)
{
    uint32_t differ = 0;

    if (x + literal->count > c.text_bytes)
        return false;
    for (uint64_t i = 0; i < literal->count; i++) {
        if (are_equal(literal->bytes[i], c.text[x + i]))
            continue;
        if (i >= literal->exact_begin && i < literal->exact_end)
            return false;
        differ++;
    }
    return differ <= c.errors_max;
}

/* The least distance of spans that end after byte `end` - 1, of those that begin in [from, to):
 * Sellers' table, by columns, with a begin in that range alone. Returns the end before which such
 * spans within errors_max end. */
static uint64_t distances(const struct literal *literal, uint64_t from, uint64_t to,
                          uint32_t *least)
{
    uint64_t end, last = to + literal->count + c.errors_max;
    uint32_t column[PATTERN_BYTES_MAX + 1];

    for (uint64_t i = 0; i <= literal->count; i++)
        column[i] = (uint32_t)i;
    for (end = from; end <= c.text_bytes && end <= last; end++) {
        uint32_t corner = column[0];

        if (end > from) {
            column[0] = end < to ? 0 : (uint32_t)(end - to + 1);
            for (uint64_t i = 1; i <= literal->count; i++) {
                uint32_t before = column[i];
                uint32_t best = corner + !are_equal(literal->bytes[i - 1], c.text[end - 1]);

                best = before + 1 < best ? before + 1 : best;
                best = column[i - 1] + 1 < best ? column[i - 1] + 1 : best;
                column[i] = best;
                corner = before;
            }
        }
        least[end] = column[literal->count];
    }
    return end;
}

/* ---- Cases ----------------------------------------------------------------------------------- */

static uint8_t draw_letter(struct test_random *random, bool of_text)
{
    static const char some[] = "ACGTacgtRYSWKMBDHVNNnX*\n";

    if (!is_dna())
        return (uint8_t)('a' + test_random_below(random, of_text ? 6 : 5));
    if (!c.is_plain && test_random_below(random, of_text ? 40 : 12) == 0)
        return (uint8_t)some[test_random_below(random, of_text ? 24 : 23 - 2)];
    if (of_text && test_random_below(random, 200) == 0)
        return (uint8_t)some[test_random_below(random, 24)];
    return (uint8_t) "ACGT"[test_random_below(random, 4)];
}

/* Mismatches or edits, few or up to one less than the shortest pattern has letters. */
static void draw_errors(struct test_random *random)
{
    const bool many = c.errors == MANY_MISMATCHES || c.errors == MANY_EDITS;
    uint64_t errors = many ? c.shortest - 1 - test_random_below(random, 2)
                           : test_random_below(random, is_dna() ? 4 : 3);

    c.edits = c.errors >= FEW_EDITS;
    if (errors == 0 && (!is_dna() || c.edits || c.options.exact_count > 0))
        errors = 1;
    c.errors_max = (uint32_t)errors;
    c.options.edits_max = c.edits ? c.errors_max : 0;
    c.options.mismatches_max = c.edits ? 0 : c.errors_max;
}

static void draw_options(struct test_random *random, uint64_t index)
{
    static const enum trawl_alphabet alphabets[] = {TRAWL_BYTES, TRAWL_CHARACTERS, TRAWL_DNA,
                                                    TRAWL_DNA};

    c.cell = index % CELLS;
    c.turn = index % WAYS + 5 * (index / WAYS);
    c.way = ways[c.cell % WAYS];
    c.errors = (enum errors)(c.cell / WAYS % ERRORS);
    c.options = (struct trawl_plan_options)TRAWL_PLAN_OPTIONS_INIT;
    c.options.alphabet = alphabets[c.way.letters];
    c.is_plain = c.way.by_pieces || (c.way.letters == OF_DNA && test_random_below(random, 2) == 0);
    if (is_dna() && test_random_below(random, 2) == 0)
        c.options.flags |= TRAWL_REVERSE_COMPLEMENT;
    if (c.way.letters == OF_ANY_BASE)
        c.options.flags |= TRAWL_ANY_BASE;
    if (c.errors >= FEW_EDITS && (c.turn & 1) != 0)
        c.options.flags |= TRAWL_EVERY_END;
    if ((c.turn & 2) != 0)
        c.options.flags |= TRAWL_WITHIN_LINES;
    c.pattern_count = 1 + test_random_below(random, index % 8 == 0 ? PATTERNS_MAX : 4);
    c.shortest = c.errors == MANY_MISMATCHES || c.errors == MANY_EDITS
                     ? 3 + test_random_below(random, 7)
                     : 5 + test_random_below(random, PATTERN_BYTES_MAX - 5);
    for (uint64_t i = 0; i < c.pattern_count; i++) {
        uint64_t count = c.shortest + test_random_below(random, PATTERN_BYTES_MAX - c.shortest + 1);

        if (c.errors == MANY_MISMATCHES || c.errors == MANY_EDITS ||
            test_random_below(random, 2) == 0)
            count = c.shortest;
        for (uint64_t j = 0; j < count; j++) {
            uint8_t letter = draw_letter(random, false);

            c.pattern_bytes[i][j] = is_dna() && bases_of(letter) == 0 ? 'N' : letter;
        }
        c.patterns[i] = (struct trawl_pattern){c.pattern_bytes[i], count};
    }
    if (c.cell / (WAYS * ERRORS) != 0) {
        c.exact.begin = test_random_below(random, c.shortest);
        c.exact.end = c.exact.begin + 1 + test_random_below(random, 4);
        c.options.exact = &c.exact;
        c.options.exact_count = 1;
    }
    draw_errors(random);
}

static bool is_exact(uint64_t symbol)
{
    return c.options.exact_count > 0 && symbol >= c.exact.begin && symbol < c.exact.end;
}

/* A copy of a pattern with at most errors_max errors, whose first byte is `at`, or which ends with
 * the text if that is TEXT_BYTES_MAX. shifts: letters may be put in and left out, too. */
static void plant(struct test_random *random, uint64_t at, bool shifts)
{
    const struct trawl_pattern *pattern = &c.patterns[test_random_below(random, c.pattern_count)];
    const uint8_t *letters = (const uint8_t *)pattern->bytes;
    uint64_t errors = test_random_below(random, (uint64_t)c.errors_max + 1);

    if (at == TEXT_BYTES_MAX)
        at = c.text_bytes - pattern->bytes_count;
    for (uint64_t j = 0; j < pattern->bytes_count && at < c.text_bytes; j++) {
        uint64_t kind = test_random_below(random, shifts ? 3 : 1);

        if (errors == 0 || is_exact(j) || test_random_below(random, 3) != 0) {
            c.text[at++] = letters[j];
            continue;
        }
        errors--;
        if (kind < 2)
            c.text[at++] = draw_letter(random, true);
        if (kind == 1 && at < c.text_bytes)
            c.text[at++] = letters[j];
    }
}

/* A copy with an error in the middle of each piece but one, all of one kind: replaced, put in or
 * left out. So that piece alone proposes it, and of edits the copy's end is as far from the piece
 * as an end can be. */
static void plant_spread(struct test_random *random, uint64_t at, uint64_t kind, uint64_t spared)
{
    const struct trawl_pattern *pattern = &c.patterns[test_random_below(random, c.pattern_count)];
    const uint8_t *letters = (const uint8_t *)pattern->bytes;
    const uint64_t count = pattern->bytes_count, pieces = (uint64_t)c.errors_max + 1;

    for (uint64_t j = 0; j < count; j++) {
        uint64_t piece = j * pieces / count, first = (piece * count + pieces - 1) / pieces;
        uint64_t middle = (first + ((piece + 1) * count + pieces - 1) / pieces) / 2;

        if (j != middle || piece == spared || is_exact(j)) {
            c.text[at++] = letters[j];
            continue;
        }
        if (kind < 2)
            c.text[at++] = is_dna() ? (letters[j] == 'A' ? 'C' : 'A') : 'f';
        if (kind == 1)
            c.text[at++] = letters[j];
    }
}

/* Random letters and line ends, copies of patterns, and a run of one letter. */
static void draw_text(struct test_random *random)
{
    bool has_tiles = c.turn % 16 == 5;
    uint64_t copies = test_random_below(random, 6);

    c.text_bytes = (has_tiles ? GRAMS_TILE_OFFSETS + 200 : 736) + test_random_below(random, 100);
    c.chunk_begin = c.text_bytes / 3 + test_random_below(random, c.text_bytes / 3);
    for (uint64_t i = 0; i < c.text_bytes; i++)
        c.text[i] = test_random_below(random, 60) == 0 ? '\n' : draw_letter(random, true);
    if (test_random_below(random, 4) == 0)
        memset(c.text + test_random_below(random, 200), "AN"[test_random_below(random, 2)], 100);
    for (uint64_t i = 0; i < copies; i++)
        plant(random, test_random_below(random, c.text_bytes), c.edits);
    if (has_tiles)
        plant(random, GRAMS_TILE_OFFSETS - test_random_below(random, PATTERN_BYTES_MAX), c.edits);
    plant(random, 50 + test_random_below(random, 5), c.edits);
    if (c.edits && c.errors_max < 4 && c.turn % 3 != 0) /* the chunk's last begin */
        plant_spread(random, c.chunk_begin - 1, 1, c.errors_max);
    else
        plant(random, c.chunk_begin - 1 - test_random_below(random, c.shortest / 2), false);
    for (uint64_t i = 0; c.errors_max < 4 && i < 4; i++) /* each a place of 60 bytes */
        plant_spread(random, i < 2 ? 110 + 60 * i : c.text_bytes + 60 * i - 300,
                     c.edits ? (c.turn + i) % 3 : 0,
                     i % 2 == 0 ? 0 : test_random_below(random, (uint64_t)c.errors_max + 1));
    plant(random, 0, false);
    plant(random, TEXT_BYTES_MAX, false);
}

/* ---- Checks ---------------------------------------------------------------------------------- */

/* Count an occurrence between these bytes, of edits about. */
static void fill(uint64_t begin, uint64_t end)
{
    enum place place = begin == 0                                     ? AT_BEGIN
                       : end >= c.text_bytes                          ? AT_END
                       : begin < c.chunk_begin && end > c.chunk_begin ? OVER_BORDER
                                                                      : INSIDE;

    filled[c.cell][place]++;
    tally.occurrences++;
    tally.at_tiles += begin < GRAMS_TILE_OFFSETS && end > GRAMS_TILE_OFFSETS;
}

/* Of one literal and a step: the places that candidates propose, from PLACES_BEFORE before the
 * chunk on. */
#define PLACES_BEFORE 256u
static uint8_t proposed[TEXT_BYTES_MAX + 4 * PLACES_BEFORE];

static void propose(const struct approx_candidates *candidates, uint32_t literal)
{
    memset(proposed, 0, sizeof proposed);
    for (uint64_t i = 0; i < candidates->count; i++) {
        const struct approx_candidate *item = &candidates->items[i];

        if (item->literal == literal)
            memset(proposed + (item->offset + (int64_t)PLACES_BEFORE), 1, (size_t)item->reach + 1);
    }
}

/* Of mismatches: all begins in [from, to), of DNA whose letters stand for one base each no other.
 */
static void check_begins(const struct literal *literal, uint32_t number, uint64_t chunk,
                         uint64_t from, uint64_t to, const struct approx_candidates *candidates)
{
    for (uint64_t x = chunk + from; x < chunk + to; x++)
        if (begins_at(literal, x)) {
            fill(x, x + literal->count);
            TEST_CHECK(proposed[x - chunk + PLACES_BEFORE]);
        }
    if (!is_dna() || !c.is_plain || c.way.by_pieces || literal->count > 32)
        return;
    for (uint64_t i = 0; i < candidates->count; i++)
        if (candidates->items[i].literal == number)
            TEST_CHECK(
                candidates->items[i].offset >= (int64_t)from &&
                candidates->items[i].offset < (int64_t)to &&
                (begins_at(literal, (uint64_t)candidates->items[i].offset + chunk) ||
                 (uint64_t)candidates->items[i].offset + chunk + literal->count > c.text_bytes));
}

/* Of edits: all ends of spans that begin in [from, to); near each candidate of plain DNA there is
 * such an end, wherever its span begins. */
static void check_ends(const struct literal *literal, uint32_t number, uint64_t chunk,
                       uint64_t from, uint64_t to, const struct approx_candidates *candidates)
{
    static uint32_t least[TEXT_BYTES_MAX + 1];
    uint64_t behind = distances(literal, chunk + from, chunk + to, least);

    for (uint64_t end = chunk + from; end < behind; end++)
        if (least[end] <= c.errors_max) {
            uint64_t begin = end > literal->count ? end - literal->count : 0;

            fill(begin < chunk + to ? begin : chunk + to - 1, end);
            TEST_CHECK(proposed[end - chunk + PLACES_BEFORE]);
        }
    if (!is_dna() || !c.is_plain || c.way.by_pieces || literal->count > 32)
        return;
    if (from > 0 || chunk + to < c.text_bytes) /* that would take long */
        return;
    (void)distances(literal, 0, c.text_bytes + 1, least);
    for (uint64_t i = 0; i < candidates->count; i++) {
        const struct approx_candidate *item = &candidates->items[i];
        bool has_end = false;

        if (item->literal != number)
            continue;
        for (uint64_t j = 0; j <= 2 * item->reach; j++) {
            int64_t at = item->offset - item->reach + (int64_t)(j + chunk);

            has_end |= at >= 0 && at <= (int64_t)c.text_bytes && least[at] <= c.errors_max;
        }
        TEST_CHECK(has_end);
    }
}

static void check_step(const struct trawl_plan *plan, uint64_t chunk, uint64_t from, uint64_t to,
                       const struct approx_candidates *candidates)
{
    for (uint32_t i = 0; i < plan->literal_count; i++) {
        struct literal literal = literal_of(plan, i);

        propose(candidates, i);
        (c.edits ? check_ends : check_begins)(&literal, i, chunk, from, to, candidates);
    }
    tally.candidates += candidates->count;
}

/* All steps of a chunk [begin, end) of the text. */
static void run_chunk(struct approx_device *device, const struct trawl_plan *plan, uint64_t begin,
                      uint64_t end)
{
    struct engine_chunk chunk = {.bytes = c.text + begin,
                                 .begin = begin,
                                 .owned = end - begin,
                                 .before = begin,
                                 .after = c.text_bytes - end,
                                 .readable = c.text_bytes - end};
    struct approx_candidates candidates = {NULL, 0, 0};
    struct trawl_error error;

    for (uint64_t at = 0, step = chunk.owned; at < chunk.owned;) {
        uint64_t to = at + (step < chunk.owned - at ? step : chunk.owned - at), asked = to;

        candidates.count = 0;
        if (!TEST_CHECK(approx_device_candidates(device, &chunk, at, &to, &candidates, &error) ==
                        TRAWL_OK)) {
            printf("  %s\n", error.message);
            break;
        }
        tally.halved += to < asked;
        step = to < asked ? to - at : 2 * step;
        if (!TEST_CHECK(to > at && to <= chunk.owned))
            break;
        check_step(plan, begin, at, to, &candidates);
        at = to;
    }
    approx_candidates_release(&candidates);
}

static void run_plan(struct engine *engine, const struct trawl_plan *plan)
{
    const struct approximate *approximate = NULL;
    struct approx_device *device = NULL;

    MUST(approx_want(plan, &approximate, NULL));
    MUST(approx_device_open(engine, ENGINE_DEVICES_MAX, &device, NULL));
    MUST(approx_device_begin(device, approximate, NULL));
    if (c.chunk_begin > 0)
        run_chunk(device, plan, 0, c.chunk_begin);
    run_chunk(device, plan, c.chunk_begin, c.text_bytes);
    approx_device_close(device);
}

/* ---- Whole searches -------------------------------------------------------------------------- */

#define MATCHES_MAX 200000u
#define SEARCHED_BYTES 200u /* the oracle compares every span */

static struct approximate_match expected[MATCHES_MAX];
static uint64_t expected_count;

/* What the oracle says of the text's first bytes. */
static void expect(uint64_t text_bytes)
{
    struct naive_bytes patterns[PATTERNS_MAX];
    struct approximate_range exact = {c.exact.begin, c.exact.end};
    struct approximate_query query = {.patterns = patterns,
                                      .pattern_count = c.pattern_count,
                                      .alphabet = (enum approximate_alphabet)c.options.alphabet,
                                      .edits = c.edits,
                                      .k = c.errors_max,
                                      .line_end = '\n',
                                      .line_end_also = '\n',
                                      .exact = &exact,
                                      .exact_count = c.options.exact_count,
                                      .every_end = (c.options.flags & TRAWL_EVERY_END) != 0,
                                      .within_lines = (c.options.flags & TRAWL_WITHIN_LINES) != 0};

    for (uint64_t i = 0; i < c.pattern_count; i++)
        patterns[i] = (struct naive_bytes){c.pattern_bytes[i], c.patterns[i].bytes_count};
    query.both_strands = (c.options.flags & TRAWL_REVERSE_COMPLEMENT) != 0;
    query.any_base = (c.options.flags & TRAWL_ANY_BASE) != 0;
    expected_count = approximate_matches(&query, (struct naive_bytes){c.text, text_bytes}, expected,
                                         MATCHES_MAX);
}

/* How many of the matches so far are as they should be; then UINT64_MAX. */
static int see_matches(void *context, const struct trawl_match *matches, uint64_t match_count)
{
    uint64_t *seen = (uint64_t *)context;

    for (uint64_t i = 0; i < match_count && *seen != UINT64_MAX; i++) {
        const struct approximate_match *right = &expected[*seen];

        if (*seen < expected_count && matches[i].begin == right->begin &&
            matches[i].end == right->end && matches[i].pattern_index == right->pattern &&
            matches[i].distance == right->distance && matches[i].reversed == right->reversed)
            ++*seen;
        else
            *seen = UINT64_MAX;
    }
    return 0;
}

/* Both with the text in chunks from the host, and with one that is loaded. */
static enum trawl_status search(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                                struct trawl_text *text, bool is_loaded, struct trawl_error *error)
{
    uint64_t count = 0, seen = 0;

    if (is_loaded)
        TRAWL_TRY(trawl_text_load(searcher, text, error));
    TRAWL_TRY(trawl_count(searcher, plan, text, &count, error));
    TEST_CHECK_U64(count, expected_count);
    TRAWL_TRY(trawl_positions(searcher, plan, text, see_matches, &seen, error));
    TEST_CHECK_U64(seen, expected_count);
    if (is_loaded)
        trawl_text_unload(searcher, text);
    return TRAWL_OK;
}

/* With AUTO a device searches what is loaded, and the host all else. */
static void search_whole(const struct trawl_plan *plan, enum trawl_engine engine, uint32_t threads,
                         uint64_t chunk_bytes)
{
    struct trawl_stats stats = {.size = sizeof stats};
    const struct approximate *approximate = NULL;
    uint64_t text_bytes = c.text_bytes < SEARCHED_BYTES ? c.text_bytes : SEARCHED_BYTES;
    AUTO_TEXT text = must_text(c.text, text_bytes);
    AUTO_SEARCHER searcher = host_searcher(engine, threads, chunk_bytes, NULL);

    expect(text_bytes);
    if (expected_count > MATCHES_MAX || !TEST_CHECK(searcher != NULL))
        return;
    tally.whole[c.edits][threads > 1][(c.options.flags & TRAWL_EVERY_END) != 0]
               [(c.options.flags & TRAWL_WITHIN_LINES) != 0] += expected_count;
    MUST(search(searcher, plan, text, false, NULL));
    MUST(search(searcher, plan, text, true, NULL));
    MUST(trawl_searcher_stats(searcher, &stats, NULL));
    MUST(approx_want(plan, &approximate, NULL));
    if (approximate->method_on_device == approx_method_forced)
        TEST_CHECK(text_bytes == 0 || strcmp(stats.engine, "cuda") == 0);
}

static void run_case(uint64_t index)
{
    struct test_random random = test_random_begin("approximate");
    struct cuda_limits limits = cuda_limits_default;
    struct engine_options options = {.size = sizeof options};
    struct sim_driver_options driver = {1 + index, 1 + index % 2, 64u << 20, 2, 0, 0, 0};
    struct engine *engine = NULL;
    struct trawl_plan *plan = NULL;
    uint64_t failures = test_failures;

    random.state ^= ~index * 0x2545f4914f6cdd1du;
    draw_options(&random, index);
    draw_text(&random);
    approx_method_forced = c.way.by_pieces ? APPROX_PIECES
                           : c.edits       ? APPROX_COLUMNS
                                           : APPROX_PLANES;
    limits.threads = 32 << test_random_below(&random, 3);
    limits.hits_max =
        test_random_below(&random, 3) == 0 ? 20 + test_random_below(&random, 100) : ENGINE_HITS_MAX;
    limits.blocks_max = (uint32_t)test_random_below(&random, 4);
    limits.text_bytes_max = test_random_below(&random, 3) == 0 ? 256 : limits.text_bytes_max;
    limits.room_step_bytes = 256;
    cuda_limits_replace(&limits);
    approx_shared_bytes_max = c.way.is_far ? 0 : UINT64_MAX;
    sim_driver_reset(&driver);
    MUST(engine_cuda.open(&options, &engine, NULL));
    MUST(trawl_plan_build(c.patterns, c.pattern_count, &c.options, &plan, NULL));
    run_plan(engine, plan);
    engine_cuda.close(engine);
    if (c.pattern_count <= 4)
        search_whole(plan, index % 4 < 2 ? TRAWL_ENGINE_AUTO : TRAWL_ENGINE_CUDA,
                     1 + (c.turn >> 2 & 1), test_random_below(&random, 2) == 0 ? 0 : 64);
    trawl_plan_free(plan);
    TEST_CHECK_U64(sim_driver_live(), 0);
    if (!TEST_CHECK(sim_driver_report()[0] == '\0'))
        printf("  %s\n", sim_driver_report());
    tally.cases++;
    if (test_failures > failures)
        printf("TRAWL_TEST_CASE=%" PRIu64 ": %s, k = %u\n", index, c.edits ? "edits" : "mismatches",
               c.errors_max);
}

/* No cell is without occurrences at each of its places, and no kind of whole search without
 * matches. */
static void check_filled(void)
{
    for (uint64_t cell = 0; cell < CELLS; cell++)
        for (uint32_t place = 0; place < PLACES; place++)
            if (!TEST_CHECK(filled[cell][place] >= FILLED_MIN))
                printf("  cell %" PRIu64 " (way %" PRIu64 ", errors %" PRIu64
                       "), place %u: %" PRIu64 "\n",
                       cell, cell % WAYS, cell / WAYS % ERRORS, place, filled[cell][place]);
    for (uint32_t i = 0; i < 16; i++)
        if ((i & 1) != 0 || (i & 4) == 0) /* all ends are asked for with edits alone */
            if (!TEST_CHECK(tally.whole[i & 1][i >> 1 & 1][i >> 2 & 1][i >> 3] > 0))
                printf("  whole searches %x\n", i);
    TEST_CHECK(tally.halved > 10 && tally.at_tiles >= 5);
}

int main(void)
{
    uint64_t cases = test_amount(CASES_NORMAL, CASES_LONG);

    test_begin("sim approximate");
    cuda_driver_replace(sim_driver_table());
    if (!test_cases(cases < CELLS ? CELLS : cases, run_case))
        return test_end();
    printf("%" PRIu64 " cases, %" PRIu64 " occurrences, %" PRIu64
           " of them over a tile's end, %" PRIu64 " candidates; %" PRIu64 " steps were shortened\n",
           tally.cases, tally.occurrences, tally.at_tiles, tally.candidates, tally.halved);
    check_filled();
    return test_end();
}
