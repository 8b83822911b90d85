/* swift_case: see swift_case.h. */
#include "swift_case.h"

#include "gallery/kernels/gallery.h"
#include "diff/input.h"
#include "oracle/naive.h"
#include "sim/simulator.h"

#define TEXT_BYTES_MAX 2600u
#define LONG_TEXT_BYTES_MAX 50000u /* longer than a bin in shared memory, and few begins */
#define LONG_BEGINS_MAX 12u
#define MESSAGE_BYTES 300u

enum form {
    FORM_GENERIC,
    FORM_SHARED,
    FORM_SEGMENTS, /* not of bf */
    FORM_SEGMENTS_SHARED,
    FORM_SWIFT,
    FORM_BINNING,
    FORM_CHUNKING,
    FORMS
};
enum rule { RULE_BF, RULE_QS, RULE_HP, RULES };

static const char *const kernel_names[RULES][FORMS] = {
    {"gallery_bf", "gallery_bf_shared", NULL, NULL, "gallery_bf_swift", "gallery_bf_swift_binning",
     "gallery_bf_swift_chunking"},
    {"gallery_qs", "gallery_qs_shared", "gallery_qs_segments", "gallery_qs_segments_shared",
     "gallery_skip_swift", "gallery_skip_swift_binning", "gallery_skip_swift_chunking"},
    {"gallery_hp", "gallery_hp_shared", "gallery_hp_segments", "gallery_hp_segments_shared",
     "gallery_skip_swift", "gallery_skip_swift_binning", "gallery_skip_swift_chunking"},
};

struct swift_case {
    enum form form;
    enum rule rule;
    uint8_t *text; /* 256-byte aligned, with padding that goes on as the text might */
    uint8_t *pattern;
    struct naive_match *matches; /* with begins in [begin, limit) */
    uint64_t match_count;
    uint64_t text_bytes, begin, limit, segment;
    uint32_t pattern_bytes, threads, blocks, pending, shifts_threads, shifts_blocks;
    uint32_t want, child_threads_max, child_grids_max;
    uint64_t capacity;
    struct gallery_result result;
    uint32_t *offsets;
    uint32_t shifts[256];
    char message[MESSAGE_BYTES];
};

static bool has_segments(const struct swift_case *c)
{
    return c->form == FORM_SEGMENTS || c->form == FORM_SEGMENTS_SHARED;
}

/* Are windows noted beforehand? */
static bool has_windows(const struct swift_case *c)
{
    return c->rule != RULE_BF && !has_segments(c);
}

/* ---- What the answer is ----------------------------------------------------------------- */

static bool ends_match(const struct swift_case *c, uint64_t x)
{
    return c->text[x] == c->pattern[0] &&
           c->text[x + c->pattern_bytes - 1] == c->pattern[c->pattern_bytes - 1];
}

/* How far a byte moves the window, by looking for it in the pattern. */
static uint64_t shift_of(const struct swift_case *c, uint8_t byte)
{
    uint64_t end = c->rule == RULE_QS ? c->pattern_bytes : c->pattern_bytes - 1;

    for (uint64_t i = end; i > 0; i--)
        if (c->pattern[i - 1] == byte)
            return end - (i - 1);
    return end + 1;
}

/* The windows that pass the parent's test, by walking each segment. */
static uint64_t passed_count(const struct swift_case *c)
{
    uint64_t count = 0;

    for (uint64_t from = c->begin; from < c->limit; from += c->rule == RULE_BF ? 1 : c->segment)
        for (uint64_t x = from, end = c->rule == RULE_BF ? 1 : c->segment;
             x < from + end && x < c->limit;) {
            count += ends_match(c, x);
            if (c->rule == RULE_BF || x + c->pattern_bytes >= c->text_bytes)
                break;
            x += shift_of(c, c->text[x + c->pattern_bytes - (c->rule == RULE_HP ? 1 : 0)]);
        }
    return count;
}

static bool wrong(struct swift_case *c, const char *what, uint64_t got, uint64_t expected)
{
    (void)snprintf(c->message, MESSAGE_BYTES, "%s is %" PRIu64 ", expected %" PRIu64, what, got,
                   expected);
    return false;
}

static int compare_offsets(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return x < y ? -1 : x > y;
}

static bool check_hits(struct swift_case *c)
{
    uint64_t kept = c->match_count < c->capacity ? c->match_count : c->capacity, i = 0;

    if (c->result.cursor != c->match_count)
        return wrong(c, "the cursor", c->result.cursor, c->match_count);
    if (c->want != WANT_HITS)
        return true;
    qsort(c->offsets, (size_t)kept, sizeof *c->offsets, compare_offsets);
    for (uint64_t k = 0; k < kept; k++) {
        /* All of them, or some: each is one of the matches, and none comes twice. */
        while (i < c->match_count && c->matches[i].begin - c->begin < c->offsets[k])
            i++;
        if (i == c->match_count || c->matches[i].begin - c->begin != c->offsets[k])
            return wrong(c, "an offset", c->offsets[k],
                         k < c->match_count ? c->matches[k].begin - c->begin : 0);
        i++;
    }
    return true;
}

static bool check(struct swift_case *c)
{
    uint64_t first = c->match_count == 0 ? UINT64_MAX : c->matches[0].begin - c->begin;
    const struct gallery_result *r = &c->result;
    uint64_t passed = c->form >= FORM_SWIFT ? passed_count(c) : 0;

    if (c->want == WANT_FIRST ? r->first != first : !check_hits(c))
        return c->want == WANT_FIRST ? wrong(c, "the first", r->first, first) : false;
    if (r->passed != passed)
        return wrong(c, "the windows passed", r->passed, passed);
    if (r->launched + r->spilled + r->withheld != r->passed)
        return wrong(c, "launched, spilled and withheld", r->launched + r->spilled + r->withheld,
                     r->passed);
    if (r->withheld != (passed > c->child_grids_max ? passed - c->child_grids_max : 0))
        return wrong(c, "withheld", r->withheld, passed);
    if (r->children != r->launched)
        return wrong(c, "child grids that ran", r->children, r->launched);
    if (c->pending == 0 && r->launched != 0)
        return wrong(c, "launched with none allowed", r->launched, 0);
    if (r->launched > c->child_grids_max)
        return wrong(c, "more launched than allowed", r->launched, c->child_grids_max);
    if (r->refusal != 0)
        return wrong(c, "the code of a launch that failed", r->refusal, 0);
    return true;
}

/* ---- The launch ------------------------------------------------------------------------- */

static void *memory_for_kernels(uint64_t bytes, const void *from, uint64_t from_bytes)
{
    uint64_t whole = (bytes + 255) / 256 * 256;
    uint8_t *memory = (uint8_t *)aligned_alloc(256, (size_t)(whole == 0 ? 256 : whole));

    if (memory == NULL)
        abort();
    memset(memory, 0, (size_t)whole);
    if (from_bytes > 0)
        memcpy(memory, from, (size_t)from_bytes);
    sim_range_add(memory, bytes);
    return memory;
}

static void memory_drop(void *memory)
{
    sim_range_remove(memory);
    free(memory);
}

static void shifts_make(struct swift_case *c)
{
    for (uint32_t i = 0; i < 256; i++)
        c->shifts[i] = (uint32_t)shift_of(c, (uint8_t)i);
}

static bool grids_run(struct swift_case *c, const struct gallery_arguments *arguments,
                      struct test_random *random)
{
    uint32_t collect_blocks = (uint32_t)test_random_between(random, 1, 3);
    uint32_t collect_threads = (uint32_t)test_random_between(random, 1, 40);
    const char *report = "";

    sim_pending_max(c->pending);
    if ((has_windows(c) && !sim_grid(sim_kernel_find("gallery_shifts_text"), arguments,
                                     c->shifts_blocks, c->shifts_threads, &report)) ||
        !sim_grid(sim_kernel_find(kernel_names[c->rule][c->form]), arguments, c->blocks, c->threads,
                  &report) ||
        (c->form >= FORM_SWIFT && !sim_grid(sim_kernel_find("gallery_collect"), arguments,
                                            collect_blocks, collect_threads, &report))) {
        (void)snprintf(c->message, MESSAGE_BYTES, "%s", report);
        return false;
    }
    return true;
}

/* With a pattern in constant memory or not, as the form has it; the other place holds garbage. */
static bool run(struct swift_case *c, struct test_random *random)
{
    const struct sim_constant *constant = sim_constant_find("gallery_constant");
    bool is_constant =
        c->form == FORM_SHARED || c->form == FORM_SEGMENTS_SHARED || c->form == FORM_BINNING;
    uint64_t begins = c->limit - c->begin, pattern_bytes = (c->pattern_bytes + 15u) / 16 * 16;
    struct gallery_arguments a;
    bool passed;

    memset(&a, 0, sizeof a);
    memset(&c->result, 0, sizeof c->result);
    c->result.first = UINT64_MAX;
    shifts_make(c);
    memset(constant->memory, 0xc9, (size_t)constant->bytes);
    if (is_constant)
        memcpy(constant->memory, c->pattern, c->pattern_bytes);
    else
        a.pattern =
            (const uint8_t *)memory_for_kernels(pattern_bytes, c->pattern, c->pattern_bytes);
    a.text = (const uint8_t *)memory_for_kernels(c->text_bytes + SCAN_PADDING_BYTES, c->text,
                                                 c->text_bytes + SCAN_PADDING_BYTES);
    a.begin = c->begin;
    a.limit = c->limit;
    a.text_end = c->text_bytes;
    a.shifts = (const uint32_t *)memory_for_kernels(sizeof c->shifts, c->shifts, sizeof c->shifts);
    a.flags = (uint8_t *)memory_for_kernels((begins + 15) / 16 * 16, NULL, 0);
    memset(a.flags, 1, (size_t)((begins + 15) / 16 * 16)); /* those after the last mean nothing */
    memset(a.flags, c->rule == RULE_BF, (size_t)begins);
    a.result =
        (struct gallery_result *)memory_for_kernels(sizeof c->result, &c->result, sizeof c->result);
    a.offsets = (uint32_t *)memory_for_kernels(c->capacity * sizeof(uint32_t), NULL, 0);
    a.capacity = c->capacity;
    a.segment = c->segment;
    a.pattern_bytes = c->pattern_bytes;
    a.shift_at = c->pattern_bytes - (c->rule == RULE_HP ? 1 : 0);
    a.want = c->want;
    a.child_threads_max = c->child_threads_max;
    a.child_grids_max = c->child_grids_max;
    passed = grids_run(c, &a, random);
    c->result = *a.result;
    c->offsets = a.offsets;
    passed = passed && check(c);
    for (uint32_t i = 0; i < 6; i++) {
        const void *used[] = {a.text, a.pattern, a.shifts, a.flags, a.result, a.offsets};

        if (used[i] != NULL)
            memory_drop((void *)(uintptr_t)used[i]);
    }
    return passed;
}

/* ---- Cases ------------------------------------------------------------------------------ */

static uint64_t pattern_length(struct test_random *random, uint64_t text_bytes)
{
    uint64_t most = test_random_below(random, 3) == 0   ? 6
                    : test_random_below(random, 3) == 0 ? text_bytes
                                                        : 120;

    if (text_bytes > TEXT_BYTES_MAX)
        most = GALLERY_CONSTANT_BYTES;
    return test_random_between(random, 1, most < text_bytes ? most : text_bytes);
}

/* A text, and a pattern out of it, now and then with a byte changed. The padding goes on as the
 * text might, so that an occurrence may seem to reach into it. */
static void text_choose(struct test_random *random, struct swift_case *c)
{
    uint64_t most = test_random_one_in(random, 15)  ? LONG_TEXT_BYTES_MAX
                    : test_random_one_in(random, 3) ? TEXT_BYTES_MAX
                                                    : 300;
    uint64_t at, room;

    c->text_bytes = test_random_between(random, 1, most);
    room = c->text_bytes + SCAN_PADDING_BYTES;
    c->text = (uint8_t *)test_memory(room);
    (void)input_fill(random, (enum input_kind)test_random_below(random, INPUT_KINDS), c->text,
                     room);
    c->pattern_bytes = (uint32_t)pattern_length(random, c->text_bytes);
    c->pattern = (uint8_t *)test_memory(c->pattern_bytes);
    at = test_random_below(random, c->text_bytes - c->pattern_bytes + 1);
    memcpy(c->pattern, c->text + at, c->pattern_bytes);
    if (test_random_one_in(random, 4))
        c->pattern[test_random_below(random, c->pattern_bytes)] ^= 1;
    if (test_random_one_in(random, 4)) /* at the last place */
        memcpy(c->text + c->text_bytes - c->pattern_bytes, c->pattern, c->pattern_bytes);
}

static void range_choose(struct test_random *random, struct swift_case *c)
{
    uint64_t most = c->text_bytes - c->pattern_bytes + 1;

    c->begin = test_random_one_in(random, 2) ? 0 : test_random_below(random, most);
    c->limit =
        test_random_one_in(random, 2) ? most : test_random_between(random, c->begin + 1, most);
    if (c->text_bytes > TEXT_BYTES_MAX && c->limit - c->begin > LONG_BEGINS_MAX) {
        if (test_random_one_in(random, 2))
            c->begin = c->limit - LONG_BEGINS_MAX;
        else
            c->limit = c->begin + LONG_BEGINS_MAX;
    }
}

static void launch_choose(struct test_random *random, struct swift_case *c)
{
    static const uint32_t pending[] = {0, 1, 2, SIM_PENDING_SEEDED, SIM_PENDING_SEEDED, 1u << 20};
    static const uint32_t child_threads[] = {1, 7, 32, 100, 1024};
    static const uint32_t child_grids[] = {0, 1, 5, 1u << 20, 1u << 20, 1u << 20};
    uint64_t begins = c->limit - c->begin, per_block;

    c->threads = (uint32_t)test_random_between(random, 1,
                                               test_random_one_in(random, 6)   ? 1024
                                               : test_random_one_in(random, 2) ? 100
                                                                               : 8);
    c->segment = test_random_between(random, 1, test_random_one_in(random, 2) ? 12 : 600);
    per_block = c->threads * (has_segments(c) ? c->segment : 1);
    c->blocks = (uint32_t)((begins + per_block - 1) / per_block);
    c->shifts_threads = (uint32_t)test_random_between(random, 1, 40);
    per_block = c->shifts_threads * c->segment;
    c->shifts_blocks = (uint32_t)((begins + per_block - 1) / per_block);
    if (test_random_one_in(random, 4)) /* a fixed grid has blocks without work */
        c->blocks += (uint32_t)test_random_between(random, 1, 3);
    if (test_random_one_in(random, 4))
        c->shifts_blocks++;
    c->want = (uint32_t)test_random_below(random, 3);
    c->capacity = test_random_one_in(random, 2) ? begins : test_random_between(random, 1, begins);
    c->pending = pending[test_random_below(random, 6)];
    c->child_threads_max = child_threads[test_random_below(random, 5)];
    c->child_grids_max = child_grids[test_random_below(random, 6)];
}

static void expect(struct swift_case *c)
{
    struct naive_bytes pattern = {c->pattern, c->pattern_bytes}, text = {c->text, c->text_bytes};
    struct naive_query query = {&pattern, 1, 0, '\n'};

    c->matches = (struct naive_match *)test_memory((c->text_bytes + 1) * sizeof *c->matches);
    text.bytes += c->begin; /* no more than the begins that are asked for */
    text.bytes_count = c->limit - c->begin + c->pattern_bytes - 1;
    c->match_count = naive_matches(&query, text, c->matches, c->text_bytes + 1);
    for (uint64_t i = 0; i < c->match_count; i++)
        c->matches[i].begin += c->begin;
}

static void count_case(struct swift_case_tally *tally, const struct swift_case *c)
{
    if (tally == NULL)
        return;
    tally->launches++;
    tally->matches += c->match_count;
    tally->passed += c->result.passed;
    tally->launched += c->result.launched;
    tally->spilled += c->result.spilled;
    tally->withheld += c->result.withheld;
    tally->all_spilled += c->result.passed > 0 && c->result.launched == 0;
    tally->none_spilled += c->result.passed > 0 && c->result.spilled + c->result.withheld == 0;
}

/* One launch that is chosen; false, and printed, if it goes wrong. */
static bool run_and_tell(struct swift_case *c, struct test_random *random, uint64_t index,
                         struct swift_case_tally *tally)
{
    bool passed = run(c, random);

    count_case(tally, c);
    if (!passed)
        printf("  TRAWL_TEST_CASE=%" PRIu64 ": %s: %s\n  text of %" PRIu64
               ", pattern of %u, begins %" PRIu64 "...%" PRIu64 ", %u x %u, segment %" PRIu64
               ", want %u, room %" PRIu64 ", pending %u, child threads %u, grids %u\n",
               index, kernel_names[c->rule][c->form], c->message, c->text_bytes, c->pattern_bytes,
               c->begin, c->limit, c->blocks, c->threads, c->segment, c->want, c->capacity,
               c->pending, c->child_threads_max, c->child_grids_max);
    return passed;
}

static void case_end(struct swift_case *c)
{
    sim_pending_max(SIM_PENDING_SEEDED);
    sim_switches_max(0);
    free(c->text);
    free(c->pattern);
    free(c->matches);
}

bool swift_case_run(const char *name, uint64_t index, uint64_t switches_max,
                    struct swift_case_tally *tally)
{
    struct test_random random = test_random_begin(name);
    struct swift_case c;
    bool passed = true;

    memset(&c, 0, sizeof c);
    random.state ^= index * 0x2545f4914f6cdd1du;
    sim_seed(test_random_u64(&random));
    sim_switches_max(switches_max);
    text_choose(&random, &c);
    range_choose(&random, &c);
    expect(&c);
    for (uint32_t rule = 0; rule < RULES; rule++)
        for (uint32_t form = 0; form < FORMS && passed; form++) {
            if (kernel_names[rule][form] == NULL)
                continue;
            c.rule = (enum rule)rule;
            c.form = (enum form)form;
            launch_choose(&random, &c);
            passed = run_and_tell(&c, &random, index, tally);
        }
    case_end(&c);
    return passed;
}

bool swift_flood_run(uint32_t pending, uint64_t seed, struct swift_case_tally *tally)
{
    struct test_random random = test_random_begin("flood");
    struct swift_case c;
    bool passed = true;

    memset(&c, 0, sizeof c);
    random.state ^= seed * 0x2545f4914f6cdd1du;
    sim_seed(test_random_u64(&random));
    c.text_bytes = test_random_between(&random, 50, 400);
    c.pattern_bytes = (uint32_t)test_random_between(&random, 1, 50);
    c.text = (uint8_t *)test_memory(c.text_bytes + SCAN_PADDING_BYTES);
    c.pattern = (uint8_t *)test_memory(c.pattern_bytes);
    memset(c.text, 'a', c.text_bytes + SCAN_PADDING_BYTES);
    memset(c.pattern, 'a', c.pattern_bytes);
    c.limit = c.text_bytes - c.pattern_bytes + 1;
    expect(&c);
    for (uint32_t rule = 0; rule < RULES; rule++)
        for (uint32_t form = FORM_SWIFT; form < FORMS && passed; form++) {
            c.rule = (enum rule)rule;
            c.form = (enum form)form;
            launch_choose(&random, &c);
            c.pending = pending;
            c.child_grids_max = UINT32_MAX;
            passed = run_and_tell(&c, &random, seed, tally);
        }
    case_end(&c);
    return passed;
}
