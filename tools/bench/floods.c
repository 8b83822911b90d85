/* floods: sets of patterns in texts where they are dense, against the same sets on random letters:
 * one thread, each answer checked.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "bench/floods.h"
#include "bench/oracle.h"
#include "bench/rivals.h"
#include "bench/search.h"

#define FLOODS_TEXT_BYTES_MAX (32ull << 20) /* unless --bytes says less */
/* Of the occurrences that a timed run delivers, one in so many is looked at. */
#define TALLY_EVERY 61u

const char *const want_labels[WANTS] = {
#define WANT_LABEL(name, label) label,
    WANT_LIST(WANT_LABEL)
#undef WANT_LABEL
};

/* ---- Rows --------------------------------------------------------------------------------- */

#define DELIVERED (WANT_BIT(POSITIONS) | WANT_BIT(BATCHES))
#define COUNTED (WANT_BIT(COUNT) | WANT_BIT(BY_PATTERN))
#define PLAIN (COUNTED | DELIVERED) /* a text without lines */
#define ALL (PLAIN | WANT_BIT(LINES))

#define CUT 16, 64 /* bytes of substrings of letters */
#define REPEATED(period) NULL, TEXT_LETTERS, period, 0
#define RUN(byte) NULL, TEXT_RUN, 0, byte
#define WORDS(word)                                                                    \
    {                                                                                  \
        "words of 5 letters and more, and " word, "English", SET_WORDS, 0, 5, 5, word, \
            TEXT_ENGLISH, 0, 0, true, CASE_AS_IS, WANT_BIT(COUNT) | WANT_BIT(LINES)    \
    }

static const char on_letters[] = "4,000 letters repeated";
static const char on_lines[] = "4,000 letters repeated, in lines";
static const char on_more[] = "100,000 letters repeated";
static const char on_more_lines[] = "100,000 letters repeated, in lines";

/* patterns, on, set, count, least, most, word, text, period, byte, lines, letters, wants */
const struct flood floods[] = {
    {"1,000 substrings", on_letters, SET_PIECES, 1000, CUT, REPEATED(4000), false, CASE_AS_IS,
     PLAIN},
    {"1,000 substrings", on_lines, SET_PIECES, 1000, CUT, REPEATED(4000), true, CASE_AS_IS, ALL},
    {"3,000 substrings", on_letters, SET_PIECES, 3000, CUT, REPEATED(4000), false, CASE_AS_IS,
     PLAIN},
    {"3,000 substrings", on_lines, SET_PIECES, 3000, CUT, REPEATED(4000), true, CASE_AS_IS, ALL},
    {"10,000 substrings", on_letters, SET_PIECES, 10000, CUT, REPEATED(4000), false, CASE_AS_IS,
     PLAIN},
    {"10,000 substrings", on_lines, SET_PIECES, 10000, CUT, REPEATED(4000), true, CASE_AS_IS, ALL},
    {"28,000 substrings", on_letters, SET_PIECES, 28000, CUT, REPEATED(4000), false, CASE_AS_IS,
     PLAIN},
    {"1,000 substrings, any case", on_letters, SET_PIECES, 1000, CUT, REPEATED(4000), false,
     CASE_ANY, PLAIN},
    {"1,000 substrings, any case", on_lines, SET_PIECES, 1000, CUT, REPEATED(4000), true, CASE_ANY,
     ALL},
    {"3,000 substrings, any case", on_letters, SET_PIECES, 3000, CUT, REPEATED(4000), false,
     CASE_ANY, PLAIN},
    {"3,000 substrings, any case", on_lines, SET_PIECES, 3000, CUT, REPEATED(4000), true, CASE_ANY,
     ALL},
    {"10,000 substrings, any case", on_letters, SET_PIECES, 10000, CUT, REPEATED(4000), false,
     CASE_ANY, PLAIN},
    {"10,000 substrings, any case", on_lines, SET_PIECES, 10000, CUT, REPEATED(4000), true,
     CASE_ANY, ALL},
    {"10,000 substrings, any case in UTF-8", on_lines, SET_PIECES, 10000, CUT, REPEATED(4000), true,
     CASE_ANY_UTF8, ALL},
    {"10,000 substrings", on_more, SET_PIECES, 10000, CUT, REPEATED(100000), false, CASE_AS_IS,
     PLAIN},
    {"10,000 substrings", on_more_lines, SET_PIECES, 10000, CUT, REPEATED(100000), true, CASE_AS_IS,
     ALL},
    {"10,000 substrings of 4 to 9 bytes", "English", SET_PIECES, 10000, 4, 9, NULL, TEXT_ENGLISH, 0,
     0, true, CASE_AS_IS, ALL},
    {"= to 80 x =", "lines of =", SET_RUNS, 0, 1, 80, RUN('='), true, CASE_AS_IS,
     COUNTED | WANT_BIT(LINES)},
    {"0 to 10 x 0", "lines of 0", SET_RUNS, 0, 1, 10, RUN('0'), true, CASE_AS_IS,
     COUNTED | WANT_BIT(LINES)},
    {"a^k, k to 2,999", "a^n", SET_RUNS, 0, 1, 2999, RUN('a'), false, CASE_AS_IS, COUNTED},
    {"a^k, k to 10,000", "a^n", SET_RUNS, 0, 1, 10000, RUN('a'), false, CASE_AS_IS, COUNTED},
    {"a^k b, k to 10,000", "a^n", SET_RUNS_B, 0, 1, 10000, RUN('a'), false, CASE_AS_IS, COUNTED},
    {"a^k b, k to 10,000, any case", "a^n", SET_RUNS_B, 0, 1, 10000, RUN('a'), false, CASE_ANY,
     COUNTED},
    {"10,000 that begin with the same 8 bytes", "a^n", SET_HEAD, 10000, 16, 16, RUN('a'), false,
     CASE_AS_IS, COUNTED},
    {"factors of 16 to 64 bytes", "the Fibonacci word", SET_FACTORS, 0, 16, 64, NULL,
     TEXT_FIBONACCI, 0, 0, false, CASE_AS_IS, COUNTED},
    {"its prefixes of 8 to 1,999 bytes", "the Fibonacci word", SET_PREFIXES, 0, 8, 1999, NULL,
     TEXT_FIBONACCI, 0, 0, false, CASE_AS_IS, COUNTED},
    {"factors of 16 to 64 bytes", "the Thue-Morse word", SET_FACTORS, 0, 16, 64, NULL,
     TEXT_THUE_MORSE, 0, 0, false, CASE_AS_IS, COUNTED},
    WORDS("#"),
    WORDS("th"),
    WORDS("the"),
    WORDS("that"),
};
const uint32_t flood_count = sizeof floods / sizeof floods[0];

void flood_name(const struct flood *flood, enum want want, char name[FLOODS_NAME_BYTES])
{
    snprintf(name, FLOODS_NAME_BYTES, "%s; %s; %s", flood->patterns, flood->on, want_labels[want]);
}

double flood_ratio(const struct flood_result *result)
{
    double random = samples_median(&result->side[SIDE_RANDOM].samples);

    return random > 0 ? samples_median(&result->side[SIDE_DENSE].samples) / random : 0;
}

double flood_each(const struct flood_results *results, const struct flood_result *result)
{
    uint64_t found = result->side[SIDE_DENSE].found;
    bool many = (DELIVERED >> result->want & 1) != 0 && found > results->text_bytes / 2;

    return many ? samples_median(&result->side[SIDE_DENSE].samples) / (double)found * 1e9 : 0;
}

const char *flood_verdict(const struct flood_result *result)
{
    return flood_ratio(result) <= FLOODS_BAR ? "ok" : "low";
}

/* ---- One search --------------------------------------------------------------------------- */

/* One of the two texts, with what searches it and what must come out. */
struct side {
    const struct flood *flood;
    const struct options *options;
    enum want want;
    const struct flood_patterns *patterns;
    uint8_t *bytes;
    uint64_t bytes_count;
    struct trawl_text *text;
    struct answers answers;
    struct trawl_searcher *searcher;
    struct trawl_plan *plan; /* NULL: not searched yet */
    uint64_t seen; /* of the whole answer, when it was right: the marks of one in so many */
    uint64_t *by_pattern;
    double first_seconds;
};

/* What was delivered: of all occurrences, or of one in TALLY_EVERY. */
struct tally {
    const struct side *side;
    uint64_t count, next; /* so many came; the number of the next one to look at */
    uint64_t seen;        /* the sum of the marks of one in TALLY_EVERY */
    bool whole;           /* look at each */
    uint64_t digest;      /* of all */
    uint64_t begin, pattern;
    bool wrong; /* out of order, or with a wrong end */
};

static void look(struct tally *tally, uint64_t begin, uint64_t end, uint64_t pattern)
{
    const struct side *side = tally->side;
    uint64_t mark = answers_mark(begin, pattern);

    if (tally->next % TALLY_EVERY == 0)
        tally->seen += mark + end;
    tally->next += tally->whole ? 1 : TALLY_EVERY;
    if (!tally->whole)
        return;
    tally->wrong |= tally->next > 1 &&
                    (begin < tally->begin || (begin == tally->begin && pattern <= tally->pattern));
    tally->wrong |= pattern >= side->patterns->count ||
                    (side->flood->letters != CASE_ANY_UTF8 &&
                     end - begin != side->patterns->patterns[pattern].bytes_count);
    tally->begin = begin;
    tally->pattern = pattern;
    tally->digest += mark;
}

static int take_matches(void *context, const struct trawl_match *matches, uint64_t match_count)
{
    struct tally *tally = (struct tally *)context;

    while (tally->next - tally->count < match_count) {
        const struct trawl_match *match = &matches[tally->next - tally->count];

        look(tally, match->begin, match->end, match->pattern_index);
    }
    tally->count += match_count;
    return 0;
}

static void take_batches(struct side *side, struct tally *tally)
{
    struct trawl_batch batch = {.size = sizeof batch};
    struct trawl_search *search = NULL;
    struct trawl_error error = {0};

    search_need(trawl_search_open(side->searcher, side->plan, side->text, 0, &search, &error),
                &error);
    while (!batch.last) {
        search_need(trawl_search_next(search, &batch, &error), &error);
        while (tally->next - tally->count < batch.match_count) {
            uint64_t at = tally->next - tally->count;

            look(tally, batch.begins[at], batch.ends[at], batch.pattern_indices[at]);
        }
        tally->count += batch.match_count;
    }
    trawl_search_close(search);
}

static int take_counts(void *context, const struct trawl_pattern_count *counts,
                       uint64_t counts_count)
{
    uint64_t *by_pattern = (uint64_t *)context;

    for (uint64_t i = 0; i < counts_count; i++)
        by_pattern[counts[i].pattern_index] += counts[i].count;
    return 0;
}

/* Returns the seconds of processor time. */
static double run_search(struct side *side, struct tally *tally)
{
    struct trawl_error error = {0};
    enum trawl_status status = TRAWL_OK;
    double begin;

    memset(side->by_pattern, 0, side->patterns->count * sizeof *side->by_pattern);
    begin = processor_seconds();
    switch (side->want) {
    case WANT_COUNT:
        status = trawl_count(side->searcher, side->plan, side->text, &tally->count, &error);
        break;
    case WANT_LINES:
        status = trawl_count_lines(side->searcher, side->plan, side->text, false, UINT64_MAX,
                                   &tally->count, &error);
        break;
    case WANT_POSITIONS:
        status =
            trawl_positions(side->searcher, side->plan, side->text, take_matches, tally, &error);
        break;
    case WANT_BATCHES:
        take_batches(side, tally);
        break;
    default:
        status = trawl_count_by_pattern(side->searcher, side->plan, side->text, take_counts,
                                        side->by_pattern, &error);
        break;
    }
    search_need(status, &error);
    return processor_seconds() - begin;
}

/* ---- A row -------------------------------------------------------------------------------- */

static void build_plan(struct side *side)
{
    static const struct trawl_utf8 utf8 = {NULL, flood_variants, flood_is_word};
    struct trawl_plan_options options = TRAWL_PLAN_OPTIONS_INIT;
    struct trawl_error error = {0};

    options.method = side->options->method;
    options.flags = side->flood->letters != CASE_AS_IS ? TRAWL_IGNORE_CASE : 0;
    options.utf8 = side->flood->letters == CASE_ANY_UTF8 ? &utf8 : NULL;
    search_need(trawl_plan_build(side->patterns->patterns, side->patterns->count, &options,
                                 &side->plan, &error),
                &error);
}

static bool by_pattern_is_right(const struct side *side)
{
    uint64_t wrong = side->by_pattern[0] != side->answers.by_pattern[0] + side->options->falsify;

    for (uint64_t i = 1; i < side->patterns->count; i++)
        wrong += side->by_pattern[i] != side->answers.by_pattern[i];
    return wrong == 0;
}

/* The whole answer, not timed: in order, and all of it what the automaton found. */
static bool whole_is_right(struct side *side)
{
    struct tally tally = {.side = side, .whole = true};

    (void)run_search(side, &tally);
    side->seen = tally.seen;
    return tally.digest == side->answers.digest + side->options->falsify && !tally.wrong &&
           tally.count == side->answers.count;
}

/* The first run makes the plan, and is timed by itself. */
static void run_side(struct side *side, struct rival_run *run)
{
    bool first = side->plan == NULL;
    bool delivers = (DELIVERED >> side->want & 1) != 0;
    struct tally tally = {.side = side};

    if (first)
        build_plan(side);
    run->seconds = run_search(side, &tally);
    if (first)
        side->first_seconds = run->seconds;
    run->expected = side->want == WANT_LINES ? side->answers.lines : side->answers.count;
    run->count = tally.count;
    if (side->want == WANT_BY_PATTERN) {
        run->count = run->expected;
        run->others = !by_pattern_is_right(side);
    } else if (delivers) {
        run->others = (first && !whole_is_right(side)) || tally.seen != side->seen;
    } else {
        run->expected += side->options->falsify;
    }
}

struct bench {
    const struct options *options;
    struct side side[SIDES];
    struct rivals rivals; /* whether an answer was wrong */
    struct rivals_row measured;
    struct flood_results results;
};

static void run_dense(void *context, struct rival_run *run)
{
    run_side(&((struct bench *)context)->side[SIDE_DENSE], run);
}

static void run_random(void *context, struct rival_run *run)
{
    run_side(&((struct bench *)context)->side[SIDE_RANDOM], run);
}

static const struct rival contestants[SIDES] = {
    {"the dense text", true, run_dense},
    {"the random text", true, run_random},
};

static void run_row(struct bench *bench, const struct flood *flood, enum want want)
{
    struct flood_result *result = &bench->results.row[bench->results.count];
    struct rivals_row *measured = &bench->measured;

    if (bench->results.count == FLOODS_ROWS_MAX)
        fail("more than %u rows", FLOODS_ROWS_MAX);
    flood_name(flood, want, result->name);
    snprintf(measured->name, sizeof measured->name, "%.95s", result->name);
    for (uint32_t i = 0; i < SIDES; i++)
        bench->side[i].want = want;
    rivals_measure(&bench->rivals, measured, contestants, SIDES, bench, bench->options);
    result->flood = flood;
    result->want = want;
    result->pattern_count = bench->side[0].patterns->count;
    for (uint32_t i = 0; i < SIDES; i++) {
        struct side *side = &bench->side[i];

        result->side[i].found = want == WANT_LINES ? side->answers.lines : side->answers.count;
        result->side[i].first_seconds = side->first_seconds;
        result->side[i].samples = measured->result[i].work;
        trawl_plan_free(side->plan);
        side->plan = NULL;
    }
    bench->results.count++;
    if (!bench->rivals.wrong)
        floods_report_row(&bench->results, result);
}

/* ---- Rows that share a set and a text ----------------------------------------------------- */

static void expect(struct side *side, const struct automaton *automaton)
{
    uint32_t *begins;
    uint8_t *letters;
    uint64_t letter_count;

    if (side->flood->letters != CASE_ANY_UTF8) {
        automaton_answer(automaton, side->bytes, side->bytes_count, NULL, &side->answers);
        return;
    }
    letters = (uint8_t *)allocate(side->bytes_count);
    begins = (uint32_t *)allocate(side->bytes_count * sizeof *begins);
    letter_count = flood_unfold(side->bytes, side->bytes_count, letters, begins);
    automaton_answer(automaton, letters, letter_count, begins, &side->answers);
    free(letters);
    free(begins);
}

struct prepared {
    struct bench *bench;
    const struct flood *flood;
    const struct flood_part *part;
    struct automaton *automaton;
};

static uint64_t prepare(void *context, uint64_t index)
{
    struct prepared *prepared = (struct prepared *)context;
    struct side *side = &prepared->bench->side[index];

    if (index == SIDE_DENSE)
        flood_fill(prepared->flood, prepared->part, side->bytes, side->bytes_count);
    else
        flood_fill_random(prepared->flood, side->bytes, side->bytes_count);
    expect(side, prepared->automaton);
    return 0;
}

/* Both texts, and what must be found there. */
static void open_sides(struct bench *bench, const struct flood *flood,
                       const struct flood_part *part, const struct flood_patterns *patterns)
{
    struct prepared prepared = {
        bench, flood, part,
        automaton_make(patterns->patterns, patterns->count, flood->letters != CASE_AS_IS)};
    uint64_t sum;

    for (uint32_t i = 0; i < SIDES; i++) {
        struct side *side = &bench->side[i];

        side->flood = flood;
        side->patterns = patterns;
        side->by_pattern = (uint64_t *)allocate(patterns->count * sizeof *side->by_pattern);
    }
    (void)pieces_run(prepare, &prepared, SIDES, SIDES, 0, &sum);
    automaton_free(prepared.automaton);
}

static void run_flood(struct bench *bench, const struct flood *flood, uint32_t wants)
{
    struct flood_patterns patterns;
    struct flood_part part;

    if (!flood_part_make(flood, bench->options, &part)) {
        floods_report_skipped(flood);
        bench->results.skipped[bench->results.skipped_count++] = flood;
        free(part.bytes);
        return;
    }
    flood_patterns_make(flood, bench->options, &part, &patterns);
    open_sides(bench, flood, &part, &patterns);
    for (uint32_t want = 0; want < WANTS && !bench->rivals.wrong; want++)
        if (wants >> want & 1)
            run_row(bench, flood, (enum want)want);
    for (uint32_t i = 0; i < SIDES; i++) {
        free(bench->side[i].by_pattern);
        free(bench->side[i].answers.by_pattern);
    }
    flood_patterns_free(&patterns);
    free(part.bytes);
}

/* ---- The run ------------------------------------------------------------------------------ */

static uint32_t wanted(const struct options *options, const struct flood *flood)
{
    char name[FLOODS_NAME_BYTES];
    uint32_t wants = 0;

    for (uint32_t want = 0; want < WANTS; want++) {
        flood_name(flood, (enum want)want, name);
        if ((flood->wants >> want & 1) != 0 && options_wants(options, name))
            wants |= 1u << want;
    }
    return wants;
}

static void open_bench(struct bench *bench, const struct options *options)
{
    uint64_t bytes =
        options->text_bytes < FLOODS_TEXT_BYTES_MAX ? options->text_bytes : FLOODS_TEXT_BYTES_MAX;
    struct trawl_error error = {0};

    memset(bench, 0, sizeof *bench);
    bench->options = options;
    bench->results.text_bytes = bytes;
    for (uint32_t i = 0; i < SIDES; i++) {
        struct side *side = &bench->side[i];

        side->options = options;
        side->bytes = text_allocate(bytes);
        side->bytes_count = bytes;
        side->searcher = search_open(options, TRAWL_ENGINE_CPU, 1, &error);
        search_need(trawl_text_from_memory(side->bytes, bytes, &side->text, &error), &error);
    }
}

static void close_bench(struct bench *bench)
{
    for (uint32_t i = 0; i < SIDES; i++) {
        trawl_text_close(bench->side[i].text);
        trawl_searcher_close(bench->side[i].searcher);
        text_release(bench->side[i].bytes, bench->side[i].bytes_count);
    }
    free(bench);
}

int bench_floods(const struct options *options)
{
    struct bench *bench = (struct bench *)allocate(sizeof *bench);
    struct machine machine;
    bool wrong;

    machine_describe(options, &machine);
    machine_print(&machine, options, stdout, "");
    open_bench(bench, options);
    floods_report_begin(&bench->results);
    for (uint32_t i = 0; i < flood_count && !bench->rivals.wrong; i++) {
        uint32_t wants = wanted(options, &floods[i]);

        if (wants != 0)
            run_flood(bench, &floods[i], wants);
    }
    wrong = bench->rivals.wrong;
    if (bench->results.count + bench->results.skipped_count == 0)
        fail("no row has a name that contains '%s'", options->filter);
    if (!wrong)
        floods_report_end(&bench->results, &machine, options);
    close_bench(bench);
    return wrong ? 1 : 0;
}
