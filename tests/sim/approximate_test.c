/* approximate_test: approximate searches on the simulated driver must find what the oracle finds,
 * with each method of a device, and, for DNA, have few candidates that are not occurrences. With
 * the argument `device`, a real device searches.
 */
#include "approximate/approx_choose.h"
#include "approximate/approx_device.h"
#include "approximate/device_tables.h"
#include "approximate/kernels/approx_grams.h"
#include "calls.h"
#include "cuda/engine_cuda.h"
#include "cuda/limits.h"
#include "gpu/gpu.h"
#include "sim_host.h"
#include "oracle/oracle_approximate.h"
#include "sim_driver.h"

#define CASES_NORMAL 80
#define CASES_LONG 20000
#define CASES_LONG_DEVICE 1000
#define PATTERNS_MAX 12u
#define PATTERN_BYTES_MAX 45u
#define TEXT_BYTES_MAX 20000u
#define PADDING 64u

/* Bases of a letter: bits 1, 2, 4, 8 for A, C, G, and T or U. */
static uint32_t bases_of(uint8_t letter)
{
    static const char letters[] = "ACMGRSVTWYHKDBN";
    const char *at = letter == 0 ? NULL : strchr(letters, letter & ~0x20);

    if ((letter & ~0x20) == 'U')
        return 8;
    return (letter & 0xc0) == 0x40 && at != NULL ? (uint32_t)(at - letters) + 1 : 0;
}

/* Each case belongs to a cell of a table, which says which letters and method, which errors, and
 * whether patterns have an exact part, in which no error is allowed. */
enum letters { OF_BYTES, OF_CHARACTERS, OF_DNA, OF_ANY_BASE };
enum errors { FEW_MISMATCHES, MANY_MISMATCHES, FEW_EDITS, MANY_EDITS, ERRORS };
/* Where an occurrence is: AT_BEGIN and AT_END of the text, OVER_BORDER of two chunks, or elsewhere.
 */
enum place { AT_BEGIN, OVER_BORDER, AT_END, INSIDE, PLACES };

static const struct way {
    enum letters letters;
    bool by_pieces;
    bool is_far; /* with grams whose tables do not fit shared memory */
} ways[] = {{OF_BYTES, true, false},      {OF_BYTES, false, false},    {OF_BYTES, false, true},
            {OF_CHARACTERS, true, false}, {OF_DNA, true, false},       {OF_DNA, false, false},
            {OF_DNA, false, true},        {OF_ANY_BASE, false, false}, {OF_ANY_BASE, false, true}};

#define WAYS (sizeof ways / sizeof *ways)
#define CELLS (WAYS * ERRORS * 2)
static uint64_t filled[CELLS][PLACES];

struct approx_case {
    /* turn: a number that decides flags, threads, chunks and long texts. The cases of a cell have
     * different numbers. */
    uint64_t cell, turn;
    bool has_tiles; /* the text is longer than a tile of the kernel */
    struct way way;
    enum errors errors;
    struct trawl_plan_options options;
    struct trawl_range exact;
    struct trawl_pattern patterns[PATTERNS_MAX];
    uint8_t pattern_bytes[PATTERNS_MAX][PATTERN_BYTES_MAX];
    uint64_t pattern_count, shortest;
    uint32_t errors_max;
    bool edits;
    bool is_plain; /* for DNA: the patterns have only the letters A, C, G and T */
    uint8_t text[TEXT_BYTES_MAX + PADDING];
    uint64_t text_bytes;
    uint64_t chunk_begin; /* length of a chunk in most cases */
};

static struct approx_case c; /* too large for a stack */

/* What a run has counted. whole[edits][threads][every end][within lines] is a number of matches; an
 * index is 1 for searches with edits, with several threads, of every end, or within lines, else
 * 0. */
static struct {
    uint64_t cases, on_device, occurrences, candidates, at_tiles, whole[2][2][2][2];
} tally;

static bool is_dna(void)
{
    return c.options.alphabet == TRAWL_DNA;
}

/* ---- Cases ----------------------------------------------------------------------------------- */

static uint8_t draw_letter(struct test_random *random, bool of_text)
{
    static const char some[] = "ACUTacguRYSWKMBDHVNNnX*\n";

    if (!is_dna())
        return (uint8_t)('a' + test_random_below(random, of_text ? 6 : 5));
    if (!c.is_plain && test_random_below(random, of_text ? 40 : 12) == 0)
        return (uint8_t)some[test_random_below(random, of_text ? 24 : 23 - 2)];
    if (of_text && test_random_below(random, 200) == 0)
        return (uint8_t)some[test_random_below(random, 24)];
    return (uint8_t) "ACGT"[test_random_below(random, 4)];
}

/* Draws the number of mismatches or edits: at most 3, or one or two less than the shortest pattern
 * has letters. */
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
    uint64_t longest = 0;

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
        longest = count > longest ? count : longest;
    }
    if (c.cell / (WAYS * ERRORS) != 0) {
        c.exact.begin = test_random_below(random, c.shortest);
        c.exact.end = c.exact.begin + 1 + test_random_below(random, 4);
        c.exact.end = c.exact.end < longest ? c.exact.end : longest;
        c.options.exact = &c.exact;
        c.options.exact_count = 1;
    }
    draw_errors(random);
}

static bool is_exact(uint64_t symbol)
{
    return c.options.exact_count > 0 && symbol >= c.exact.begin && symbol < c.exact.end;
}

/* Writes a copy of a pattern, with at most errors_max errors, at the offset `at`, or at the text's
 * end if `at` is TEXT_BYTES_MAX. If `shifts`, letters may also be inserted and deleted. */
static void plant(struct test_random *random, uint64_t at, uint32_t errors_max, bool shifts)
{
    const struct trawl_pattern *pattern = &c.patterns[test_random_below(random, c.pattern_count)];
    const uint8_t *letters = (const uint8_t *)pattern->bytes;
    uint64_t errors = test_random_below(random, (uint64_t)errors_max + 1);

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

/* Divides a pattern into errors_max + 1 pieces, and writes a copy with an error in each piece
 * except `spared`, so that only this piece makes the copy a candidate. The error is at a piece's
 * second symbol, which the piece's gram includes. `kind` 0 replaces symbols, 1 inserts them, 2
 * deletes them. Insertions move the copy's end as far away from the spared piece as edits can,
 * deletions as near. */
static void plant_spread(struct test_random *random, uint64_t at, uint64_t kind, uint64_t spared)
{
    const struct trawl_pattern *pattern = &c.patterns[test_random_below(random, c.pattern_count)];
    const uint8_t *letters = (const uint8_t *)pattern->bytes;
    const uint64_t pieces = (uint64_t)c.errors_max + 1;
    const uint64_t count = c.way.by_pieces || pattern->bytes_count < GRAMS_SYMBOLS_MAX
                               ? pattern->bytes_count
                               /* a kernel uses only this many first symbols for pieces */
                               : GRAMS_SYMBOLS_MAX;

    for (uint64_t j = 0; j < pattern->bytes_count; j++) {
        uint64_t piece = j * pieces / count, first = (piece * count + pieces - 1) / pieces;
        uint64_t next = ((piece + 1) * count + pieces - 1) / pieces;

        if (j >= count || j != first + (next > first + 1) || piece == spared || is_exact(j)) {
            c.text[at++] = letters[j];
            continue;
        }
        if (kind < 2)
            c.text[at++] = is_dna() ? (letters[j] == 'A' ? 'C' : 'A') : 'f';
        if (kind == 1)
            c.text[at++] = letters[j];
    }
}

/* Draws random letters and line ends, copies of patterns, and a run of a letter. */
static void draw_text(struct test_random *random)
{
    /* one copy is across the boundary of two chunks. If many edits are allowed, it has no error:
     * otherwise an end elsewhere could have a smaller distance. */
    const uint32_t errors_max = c.errors == MANY_EDITS ? 0 : c.errors_max;
    uint64_t copies = test_random_below(random, 6);

    c.has_tiles = c.turn % 16 == 5 || (!c.edits && c.options.exact_count > 0 && !c.way.by_pieces);
    c.text_bytes = (c.has_tiles ? GRAMS_TILE_OFFSETS + 200 : 736) + test_random_below(random, 100);
    c.chunk_begin =
        (c.text_bytes / 4 + 63 + test_random_below(random, c.text_bytes / 12)) / 64 * 64;
    for (uint64_t i = 0; i < c.text_bytes; i++)
        c.text[i] = test_random_below(random, 60) == 0 ? '\n' : draw_letter(random, true);
    if (test_random_below(random, 4) == 0)
        memset(c.text + test_random_below(random, 200), "AN"[test_random_below(random, 2)], 100);
    for (uint64_t i = 0; i < copies; i++)
        plant(random, test_random_below(random, c.text_bytes), c.errors_max, c.edits);
    if (c.has_tiles) /* the spared piece, the last, is in the second tile */
        plant_spread(random, GRAMS_TILE_OFFSETS - 1 - test_random_below(random, 3),
                     c.edits ? c.turn % 3 : 0, c.errors_max);
    plant(random, 50 + test_random_below(random, 5), c.errors_max, c.edits);
    for (uint64_t i = 0; c.errors_max < 4 && i < 4; i++) /* each copy has 60 bytes of room */
        plant_spread(random, i < 2 ? 110 + 60 * i : c.text_bytes + 60 * i - 300,
                     c.edits ? (c.turn + i) % 3 : 0,
                     i % 2 == 0 ? 0 : test_random_below(random, (uint64_t)c.errors_max + 1));
    if (c.errors_max < 4) /* begins at the first chunk's last byte */
        plant_spread(random, c.chunk_begin - 1, c.edits, c.errors_max);
    plant(random, 2 * c.chunk_begin - 1 - test_random_below(random, c.shortest / 2), errors_max,
          false);
    plant(random, 0, c.edits ? 0 : c.errors_max, false);
    plant(random, TEXT_BYTES_MAX, c.edits ? 0 : c.errors_max, false);
}

/* ---- Searches -------------------------------------------------------------------------------- */

#define MATCHES_MAX 400000u

static struct approximate_match expected[MATCHES_MAX];
static uint64_t expected_count;

static void expect(void)
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
    expected_count = approximate_matches(&query, (struct naive_bytes){c.text, c.text_bytes},
                                         expected, MATCHES_MAX);
    TEST_CHECK(expected_count <= MATCHES_MAX);
}

/* Counts the case's occurrences by where they lie in chunks of chunk_bytes, for the case's cell. */
static void fill(uint64_t chunk_bytes)
{
    for (uint64_t i = 0; i < expected_count; i++) {
        const uint64_t begin = expected[i].begin, end = expected[i].end;
        bool is_over = begin / chunk_bytes < (end - 1) / chunk_bytes;

        filled[c.cell][begin == 0            ? AT_BEGIN
                       : end == c.text_bytes ? AT_END
                       : is_over             ? OVER_BORDER
                                             : INSIDE]++;
        tally.at_tiles += begin < GRAMS_TILE_OFFSETS && end > GRAMS_TILE_OFFSETS;
    }
    tally.occurrences += expected_count;
}

/* The sink of a search: compares the matches with the oracle's next matches. `context` points to
 * the number of matches seen so far, or to UINT64_MAX if a match was wrong. */
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

/* Returns true if a device's candidates are all occurrences, except at the text's end. This is so
 * for DNA searches with grams, with mismatches, if occurrences may cross lines, and if each letter
 * of the patterns represents a single base. */
static bool proposes_exactly(void)
{
    return is_dna() && c.is_plain && !c.way.by_pieces && !c.edits &&
           (c.options.flags & TRAWL_WITHIN_LINES) == 0;
}

static void search(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                   const char *engine)
{
    AUTO_TEXT text = must_text(c.text, c.text_bytes);

    for (uint32_t is_loaded = 0; is_loaded < 2; is_loaded++) {
        struct trawl_stats stats;
        uint64_t seen = 0;

        if (is_loaded)
            MUST(trawl_text_load(searcher, text, NULL));
        if (!is_loaded && c.turn % 2 == 0)
            seen = must_count(searcher, plan, text);
        else
            MUST(ask_positions(searcher, plan, text, see_matches, &seen, NULL));
        TEST_CHECK_U64(seen, expected_count);
        stats = must_stats(searcher);
        tally.candidates += stats.candidate_count;
        if (is_loaded && engine != NULL)
            TEST_CHECK(strcmp(stats.engine, engine) == 0);
        if (is_loaded && engine != NULL && proposes_exactly())
            /* At the text's end, a device may propose each strand of a pattern although the last
             * letters are missing. */
            TEST_CHECK(stats.candidate_count <=
                       expected_count + 2 * c.errors_max * c.pattern_count);
    }
    trawl_text_unload(searcher, text);
}

static void run_case(uint64_t index)
{
    struct test_random random = test_random_begin("approximate");
    struct cuda_limits limits = cuda_limits_default;
    struct sim_driver_options driver = {1 + index, 1 + index % 2, 64u << 20, 2, 0, 0, 0};
    const struct approximate *approximate = NULL;
    uint64_t failures = test_failures, chunk_bytes;
    uint32_t threads;

    random.state ^= ~index * 0x2545f4914f6cdd1du;
    draw_options(&random, index);
    draw_text(&random);
    approx_method_forced = c.way.by_pieces ? APPROX_PIECES : APPROX_FILTER;
    limits.threads = 32u << test_random_below(&random, 3);
    limits.hits_max =
        test_random_below(&random, 3) == 0 ? 20 + test_random_below(&random, 100) : ENGINE_HITS_MAX;
    limits.blocks_max = (uint32_t)test_random_below(&random, 4);
    limits.text_bytes_max = test_random_below(&random, 3) == 0 ? 256 : limits.text_bytes_max;
    limits.room_step_bytes = 256;
    cuda_limits_replace(&limits);
    approx_shared_bytes_max = c.way.is_far ? 0 : UINT64_MAX;
    sim_driver_reset(&driver);
    threads = 1 + (c.turn >> 2 & 1);
    chunk_bytes = c.has_tiles ? 0 : c.turn % 4 == 3 ? 64 : c.chunk_begin;
    expect();
    fill(c.chunk_begin);
    tally.whole[c.edits][threads > 1][(c.options.flags & TRAWL_EVERY_END) != 0]
               [(c.options.flags & TRAWL_WITHIN_LINES) != 0] += expected_count;
    {
        AUTO_PLAN plan = must_plans(c.patterns, c.pattern_count, &c.options);
        AUTO_SEARCHER searcher = host_searcher(
            index % 4 < 2 ? TRAWL_ENGINE_AUTO : TRAWL_ENGINE_CUDA, threads, chunk_bytes, NULL);

        MUST(approx_want(plan, NULL, &approximate, NULL));
        tally.on_device += approximate->method_on_device == approx_method_forced;
        search(searcher, plan,
               approximate->method_on_device == approx_method_forced ? "cuda" : NULL);
    }
    TEST_CHECK_U64(sim_driver_live(), 0);
    if (!TEST_CHECK(sim_driver_report()[0] == '\0'))
        printf("  %s\n", sim_driver_report());
    tally.cases++;
    if (test_failures > failures)
        printf("TRAWL_TEST_CASE=%" PRIu64 ": %s, k = %u\n", index, c.edits ? "edits" : "mismatches",
               c.errors_max);
}

/* Checks that the cases of each cell had occurrences at each place (enum place), that each kind of
 * search had matches, and that in most cases a method of devices was forced. */
static void check_filled(void)
{
    for (uint64_t cell = 0; cell < CELLS; cell++)
        for (uint32_t place = 0; place < PLACES; place++)
            if (!TEST_CHECK(filled[cell][place] > 0))
                printf("  cell %" PRIu64 " (way %" PRIu64 ", errors %" PRIu64
                       "), place %u: no occurrence\n",
                       cell, cell % WAYS, cell / WAYS % ERRORS, place);
    for (uint32_t i = 0; i < 16; i++)
        if ((i & 1) != 0 || (i & 4) == 0) /* only searches with edits can request every end */
            if (!TEST_CHECK(tally.whole[i & 1][i >> 1 & 1][i >> 2 & 1][i >> 3] > 0))
                printf("  searches %x\n", i);
    TEST_CHECK(tally.on_device > tally.cases * 3 / 4 && tally.at_tiles > 0);
}

int main(int argument_count, char **arguments)
{
    const bool on_device = argument_count > 1 && strcmp(arguments[1], "device") == 0;
    uint64_t cases = test_amount(CASES_NORMAL, on_device ? CASES_LONG_DEVICE : CASES_LONG);

    struct engine *kept = NULL; /* keeps the device open from case to case */

    test_begin("sim approximate");
    if (on_device)
        kept = gpu_open();
    else
        cuda_driver_replace(sim_driver_table());
    if (!test_cases(cases < CELLS ? CELLS : cases, run_case))
        return test_end();
    if (on_device)
        engine_cuda.close(kept);
    printf("%" PRIu64 " cases, %" PRIu64 " of them on a device, %" PRIu64 " occurrences, %" PRIu64
           " of them over a tile's end, %" PRIu64 " candidates\n",
           tally.cases, tally.on_device, tally.occurrences, tally.at_tiles, tally.candidates);
    check_filled();
    return test_end();
}
