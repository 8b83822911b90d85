/* plans: bytes become changes of a saved plan, which is loaded and searched with.
 *
 * Byte 0 chooses the plan; 255: what follows are the saved bytes themselves. Then changes of six
 * bytes: in the header or behind it, where there (two bytes), how many bytes are changed (1, 2, 4
 * or 8), and the value (two bytes, the upper one repeated). It aborts if a plan that was not
 * changed is refused, or if one that is accepted does not find what the oracle finds. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "oracle/approximate.h"
#include "unit/mend.h"

#define PLANS 10u
#define LARGEST 5u /* of the plans: it takes longest */
#define TEXT_BYTES 1500u
#define SEARCHED_BYTES 300u
#define CHANGE_BYTES 6u
#define PATTERNS_MAX 32768u
#define RAW 255u
#define WITH_ERRORS_MAX 1000u /* bytes of patterns that the oracle compares with every span */
#define EXACT_MAX 16u

static const struct trawl_range exact_part = {1, 3};
static const struct {
    uint64_t count, least, most;
    uint32_t flags, mismatches_max, edits_max;
    enum trawl_alphabet alphabet;
    uint32_t exact_count;
} shapes[PLANS] = {{1, 5, 5, 0, 0, 0, TRAWL_BYTES, 0},
                   {1, 900, 900, TRAWL_IGNORE_CASE, 0, 0, TRAWL_BYTES, 0},
                   {3, 1, 4, 0, 0, 0, TRAWL_BYTES, 0},
                   {60, 12, 20, 0, 0, 0, TRAWL_BYTES, 0},
                   {300, 1, 9, TRAWL_IGNORE_CASE, 0, 0, TRAWL_BYTES, 0},
                   {8200, 2, 24, 0, 0, 0, TRAWL_BYTES, 0},
                   {2, 6, 7, TRAWL_IGNORE_CASE | TRAWL_WITHIN_LINES, 2, 0, TRAWL_BYTES, 0},
                   {2, 5, 9, TRAWL_WHOLE_WORD, 0, 1, TRAWL_CHARACTERS, 1},
                   {2, 5, 6, TRAWL_REVERSE_COMPLEMENT | TRAWL_EVERY_END, 0, 1, TRAWL_DNA, 1},
                   {2, 5, 6, TRAWL_REVERSE_COMPLEMENT | TRAWL_ANY_BASE, 1, 0, TRAWL_DNA, 0}};

struct base {
    uint8_t *bytes;
    uint64_t bytes_count;
};

static uint8_t text[TEXT_BYTES];

static void must(bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "fuzz_plan: %s\n", what);
    abort();
}

/* How many the oracle finds, for a plan with errors; UINT64_MAX: it would take too long. */
static uint64_t count_with_errors(const struct trawl_plan *plan, const struct naive_query *asked)
{
    const struct plan_errors *errors = &plan->errors;
    struct approximate_range exact[EXACT_MAX];
    struct approximate_query query = {
        .patterns = asked->patterns,
        .pattern_count = asked->pattern_count,
        .alphabet = (enum approximate_alphabet)errors->alphabet,
        .edits = errors->edits,
        .k = errors->max,
        .ignore_case = (asked->flags & TRAWL_IGNORE_CASE) != 0,
        .whole_word = (asked->flags & TRAWL_WHOLE_WORD) != 0,
        .whole_line = (asked->flags & TRAWL_WHOLE_LINE) != 0,
        .within_lines = (asked->flags & TRAWL_WITHIN_LINES) != 0,
        .every_end = (asked->flags & TRAWL_EVERY_END) != 0,
        .both_strands = (asked->flags & TRAWL_REVERSE_COMPLEMENT) != 0,
        .any_base = (asked->flags & TRAWL_ANY_BASE) != 0,
        .line_end = '\n',
        .line_end_also = '\n',
        .exact = exact,
        .exact_count = errors->exact_count,
    };

    if (plan->pattern_begin[plan->pattern_count] > WITH_ERRORS_MAX || query.exact_count > EXACT_MAX)
        return UINT64_MAX;
    for (uint32_t i = 0; i < query.exact_count; i++)
        exact[i] = (struct approximate_range){errors->exact[i].begin, errors->exact[i].end};
    return approximate_matches(&query, (struct naive_bytes){text, SEARCHED_BYTES}, NULL, 0);
}

/* As many as the oracle finds of the patterns that the plan says it has? */
static bool is_exact(const struct trawl_plan *plan)
{
    static struct trawl_searcher *searcher;
    static struct naive_bytes patterns[PATTERNS_MAX];
    struct trawl_searcher_options options = TRAWL_SEARCHER_OPTIONS_INIT;
    struct naive_query query = {patterns, trawl_plan_pattern_count(plan), trawl_plan_flags(plan),
                                '\n'};
    struct naive_bytes searched = {text, SEARCHED_BYTES};
    struct trawl_match matches[64];
    struct trawl_text *opened = NULL;
    uint64_t count = 0, listed = 0, expected;

    options.engine = TRAWL_ENGINE_CPU;
    options.threads = 1;
    if (searcher == NULL)
        must(trawl_searcher_open(&options, &searcher, NULL) == TRAWL_OK, "no searcher");
    must(query.pattern_count <= PATTERNS_MAX, "more patterns than it has room for");
    for (uint64_t i = 0; i < query.pattern_count; i++) {
        struct trawl_pattern pattern = trawl_plan_pattern(plan, i);

        patterns[i] = (struct naive_bytes){pattern.bytes, pattern.bytes_count};
    }
    must(trawl_text_from_memory(text, SEARCHED_BYTES, &opened, NULL) == TRAWL_OK, "no text");
    must(trawl_count(searcher, plan, opened, &count, NULL) == TRAWL_OK, "the count failed");
    must(trawl_positions_into(searcher, plan, opened, matches, 64, &listed, NULL) == TRAWL_OK,
         "the list failed");
    trawl_text_close(opened);
    expected = trawl_plan_errors(plan, NULL, NULL, NULL) ? count_with_errors(plan, &query)
                                                         : naive_matches(&query, searched, NULL, 0);
    return count == listed && (count == expected || expected == UINT64_MAX);
}

static void save(const struct trawl_plan *plan, struct base *base)
{
    struct trawl_plan_save_options options = TRAWL_PLAN_SAVE_OPTIONS_INIT;

    options.note = "note";
    options.note_bytes = 4;
    must(plan_saved_make(plan, &options, &base->bytes, &base->bytes_count, NULL) == TRAWL_OK,
         "it is not saved");
}

/* A de Bruijn-like text of few letters, and patterns that are pieces of it and others. */
static void make(uint32_t shape, struct base *base)
{
    struct trawl_pattern *patterns = calloc(shapes[shape].count, sizeof *patterns);
    struct trawl_plan_options options = TRAWL_PLAN_OPTIONS_INIT;
    struct trawl_plan *plan = NULL;
    uint64_t state = 1;

    must(patterns != NULL, "no memory");
    for (uint32_t i = 0; i < TEXT_BYTES; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        text[i] = (uint8_t) "abcAd\n"[(state >> 33) % 6];
    }
    for (uint64_t i = 0; i < shapes[shape].count; i++) {
        uint64_t length = shapes[shape].least + i % (shapes[shape].most - shapes[shape].least + 1);

        patterns[i].bytes = text + i * 37 % (TEXT_BYTES - length);
        patterns[i].bytes_count = length;
        while (shapes[shape].alphabet == TRAWL_DNA && /* the text's letters are of DNA, too */
               memchr(patterns[i].bytes, '\n', length) != NULL)
            patterns[i].bytes = (const uint8_t *)patterns[i].bytes + 1;
    }
    options.flags = shapes[shape].flags;
    options.mismatches_max = shapes[shape].mismatches_max;
    options.edits_max = shapes[shape].edits_max;
    options.alphabet = shapes[shape].alphabet;
    options.exact = &exact_part;
    options.exact_count = shapes[shape].exact_count;
    must(trawl_plan_build(patterns, shapes[shape].count, &options, &plan, NULL) == TRAWL_OK,
         "no plan");
    must(is_exact(plan), "a wrong answer");
    save(plan, base);
    trawl_plan_free(plan);
    free(patterns);
}

/* One change; where it would not fit it is none. */
static void change(uint8_t *saved, uint64_t saved_bytes, const uint8_t bytes[CHANGE_BYTES])
{
    bool behind = bytes[0] % 2 != 0;
    uint64_t begin = behind ? sizeof(struct plan_saved_header) : 0;
    uint64_t end = behind ? saved_bytes : sizeof(struct plan_saved_header);
    uint64_t width = 1ull << bytes[3] % 4, at = bytes[1] * 256u + bytes[2], value = bytes[4];

    for (uint32_t i = 1; i < 8; i++)
        value |= (uint64_t)bytes[5] << 8 * i;
    at = begin + (at - at % width);
    if (at + width <= end)
        memcpy(saved + at, &value, width);
}

static void try_bytes(const uint8_t *saved, uint64_t saved_bytes, const struct base *base)
{
    struct trawl_plan_load_options options = TRAWL_PLAN_LOAD_OPTIONS_INIT;
    struct trawl_plan *plan = NULL;
    bool same = base != NULL && memcmp(saved, base->bytes, saved_bytes) == 0;
    enum trawl_status status;

    options.line_end_set = 1; /* the oracle knows one */
    options.line_end = '\n';
    status = trawl_plan_load_memory(saved, saved_bytes, &options, &plan, NULL);
    must(status == TRAWL_OK || status == TRAWL_FORMAT || status == TRAWL_ARGUMENT,
         "a status that is not to be expected");
    must(status == TRAWL_OK || !same, "what was saved is refused");
    must(status != TRAWL_OK || is_exact(plan), "a wrong answer");
    trawl_plan_free(plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t bytes_count)
{
    static struct base bases[PLANS];
    struct base *base;
    uint8_t *saved;
    uint32_t shape;

    if (bytes_count == 0)
        return 0;
    if (bytes[0] == RAW) {
        try_bytes(bytes + 1, bytes_count - 1, NULL);
        return 0;
    }
    shape = bytes[0] < PLANS ? bytes[0] : bytes[0] % LARGEST;
    base = &bases[shape];
    if (base->bytes == NULL)
        make(shape, base);
    saved = malloc(base->bytes_count);
    must(saved != NULL, "no memory");
    memcpy(saved, base->bytes, base->bytes_count);
    for (size_t at = 1; at + CHANGE_BYTES <= bytes_count; at += CHANGE_BYTES)
        change(saved, base->bytes_count, bytes + at);
    saved_mend(saved, base->bytes_count);
    try_bytes(saved, base->bytes_count, base);
    free(saved);
    return 0;
}
