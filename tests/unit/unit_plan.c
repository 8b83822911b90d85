/* unit_plan: checks what a plan reports about itself, plans without a pattern, a first match far
 * into the text, the order of strings compared from their last bytes, the number of literals that
 * begin alike, and whether a set is searched with its filter or the automaton after trials on a
 * device. */
#include <strings.h>

#include "calls.h"
#include "cuda/cuda_choose.h"
#include "cuda/cuda_worker.h"
#include "plan/backwards.h"

#define SORTED_MAX 300u
#define SORTED_BYTES_MAX 40u
#define ALIKE_LITERALS 60u
#define ALIKE_BYTES_MAX 8u
#define ALIKE_CHANCE \
    12u /* maximum number of literals with different first bytes but equal hashes */

static void accessors(void)
{
    struct trawl_pattern patterns[3] = {{"one", 3}, {"\0two", 4}, {"one", 3}};
    struct trawl_pattern got;
    AUTO_PLAN plan = must_plans(patterns, 3, NULL);

    TEST_CHECK_U64(call_describe(plan, 0).pattern_count, 3);
    TEST_CHECK_U64(call_describe(plan, 0).line_end, '\n');
    for (uint64_t i = 0; i < 3; i++) {
        got = call_describe(plan, i).pattern;
        TEST_CHECK(got.bytes_count == patterns[i].bytes_count && got.bytes != patterns[i].bytes &&
                   memcmp(got.bytes, patterns[i].bytes, got.bytes_count) == 0);
    }
    got = call_describe(plan, 3).pattern;
    TEST_CHECK(got.bytes == NULL && got.bytes_count == 0);
    got = call_describe(plan, UINT64_MAX).pattern;
    TEST_CHECK(got.bytes == NULL && got.bytes_count == 0);
}

/* Checks that trawl_plan_tell returns a pattern unchanged, even if case is ignored. */
static void accessors_keep_case(void)
{
    AUTO_PLAN plan = must_plan_with("MiXed", PLAN_WITH(.flags = TRAWL_IGNORE_CASE));
    struct trawl_pattern got = call_describe(plan, 0).pattern;

    TEST_CHECK(got.bytes_count == 5 && memcmp(got.bytes, "MiXed", 5) == 0);
}

/* Checks trawl_plan_explain: lines of "name: value", truncated if the buffer is too small, but
 * always with a final NUL. */
static void explain(void)
{
    AUTO_PLAN plan = must_plan("a pattern of some length, so that the plan has a choice");
    uint64_t needed = 0, needed_again = 0;
    char *whole, *part;

    MUST(trawl_plan_explain(plan, NULL, 0, &needed, NULL));
    TEST_CHECK(needed > 20);
    whole = malloc(needed);
    part = malloc(needed + 12);
    MUST(trawl_plan_explain(plan, whole, needed, &needed_again, NULL));
    TEST_CHECK_U64(needed_again, needed);
    TEST_CHECK_U64(strlen(whole), needed - 1);
    TEST_CHECK(strstr(whole, "method: ") != NULL && strstr(whole, "why: ") != NULL);
    TEST_CHECK(strstr(whole, "q: ") != NULL && strstr(whole, "stride: ") != NULL);
    for (const char *line = whole; *line != '\0'; line = strchr(line, '\n') + 1) {
        const char *end = strchr(line, '\n'), *colon = strchr(line, ':');
        if (!TEST_CHECK(end != NULL && colon != NULL && colon < end))
            break;
    }
    for (uint64_t room = 1; room < needed + 8; room++) {
        uint64_t written = room < needed ? room : needed;
        memset(part, '#', needed + 12);
        MUST(trawl_plan_explain(plan, part, room, &needed_again, NULL));
        TEST_CHECK_U64(needed_again, needed);
        TEST_CHECK(part[written - 1] == '\0' && memcmp(part, whole, written - 1) == 0);
        TEST_CHECK(part[written] == '#');
    }
    free(part);
    free(whole);
}

static double price_of(const char *explanation, const char *method)
{
    char line[64];
    const char *found;

    (void)snprintf(line, sizeof line, "expected ns per byte of text, %s: ", method);
    found = strstr(explanation, line);
    return found == NULL ? 0 : strtod(found + strlen(line), NULL);
}

/* Checks that the explanation shows the lowest price for the method that was chosen. */
static void explain_costs(void)
{
    static const struct {
        uint64_t bytes;
        const char *method;
        uint32_t methods; /* number of methods that can search for the pattern */
    } rows[] = {{1, "method: every\n", 1}, {300, "method: sampled\n", 3}};
    struct test_random random = test_random_begin("costs");
    char bytes[300], buffer[2000];
    uint64_t needed;

    for (uint32_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)('a' + test_random_below(&random, 26));
    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct trawl_pattern pattern = {bytes, rows[i].bytes};
        AUTO_PLAN plan = must_plans(&pattern, 1, NULL);
        double every, grams, sampled;

        MUST(trawl_plan_explain(plan, buffer, sizeof buffer, &needed, NULL));
        every = price_of(buffer, "every");
        grams = price_of(buffer, "grams");
        sampled = price_of(buffer, "sampled");
        TEST_CHECK(strstr(buffer, rows[i].method) != NULL && every > 0);
        TEST_CHECK_U64(1u + (grams > 0) + (sampled > 0), rows[i].methods);
        TEST_CHECK(sampled <= every && (sampled <= grams || i == 0));
        TEST_CHECK(strstr(buffer, "text: unknown; the first bytes of a long one decide") != NULL);
    }
}

/* Checks that each part of a set has its own method: a few strings of a byte are searched one by
 * one, many long ones by classes. */
static void explain_host_parts(void)
{
    enum { STRINGS = 3000, LENGTH = 20 };
    static const struct {
        uint32_t short_count, short_bytes, count, bytes;
        const char *parts;
    } rows[] = {
        {2, 1, 40, 12, "host part 1: 1 of 1 byte, every\nhost part 2: 1 of 1 byte, every\n"},
        {4, 2, STRINGS, LENGTH, ": 3000 of 20 bytes, classes\n"},
    };
    static struct trawl_pattern patterns[STRINGS + 4];
    static char bytes[STRINGS * LENGTH], buffer[4000];
    struct test_random random = test_random_begin("parts");
    uint64_t needed;

    for (uint32_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)('a' + test_random_below(&random, 26));
    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const uint32_t few = rows[i].short_count, all = few + rows[i].count;

        for (uint32_t k = 0; k < all; k++)
            patterns[k] = k < few ? (struct trawl_pattern){&"qzjxwvkb"[2 * k], rows[i].short_bytes}
                                  : (struct trawl_pattern){bytes + (k - few) * (uint64_t)LENGTH,
                                                           rows[i].bytes};
        {
            AUTO_PLAN plan = must_plans(patterns, all, NULL);

            MUST(trawl_plan_explain(plan, buffer, sizeof buffer, &needed, NULL));
            if (!TEST_CHECK(strstr(buffer, rows[i].parts) != NULL))
                printf("%s", buffer);
        }
    }
}

/* Checks that a device searches for a long pattern with the "sampled" method even if the sample of
 * the text contains the pattern once, but not if it consists of copies of the pattern. */
static void sample_that_repeats(void)
{
    enum { SAMPLE = 65536, LENGTHS = 4 };
    static const uint32_t lengths[LENGTHS] = {64, 256, 4096, 16384};
    static uint8_t sample[SAMPLE], bytes[SAMPLE];
    struct test_random random = test_random_begin("samples");

    for (uint32_t i = 0; i < 3 * LENGTHS; i++) {
        struct trawl_pattern pattern = {bytes, lengths[i % LENGTHS]};
        AUTO_PLAN plan = NULL;
        enum trawl_method method;

        for (uint32_t k = 0; k < SAMPLE; k++) {
            bytes[k] = (uint8_t)('a' + test_random_below(&random, 26));
            sample[k] = i / LENGTHS == 2 ? bytes[k % pattern.bytes_count]
                                         : (uint8_t)('a' + test_random_below(&random, 26));
        }
        if (i / LENGTHS == 1)
            memcpy(sample + 777, bytes, pattern.bytes_count);
        plan = must_plans(&pattern, 1, PLAN_WITH(.sample = sample, .sample_bytes = SAMPLE));
        method = cuda_choose_method(plan, plan->method_asked);
        TEST_CHECK_U64(method == TRAWL_METHOD_SAMPLED, i / LENGTHS != 2);
    }
}

/* Chooses a device's method, with the rates that are left until a kernel runs. */
static enum trawl_method choose_seen(const struct trawl_plan *plan, const uint8_t *sample,
                                     uint64_t sample_bytes, struct plan_tuning *tuning,
                                     struct cuda_prices *prices)
{
    enum trawl_method method = cuda_choose_seen(plan, sample, sample_bytes, 1e5, tuning, prices);

    return prices->is_open ? cuda_choose_seen(plan, sample, sample_bytes, 1e5, tuning, prices)
                           : method;
}

/* Checks that the "grams" method keeps its widest stride if no gram is rare: in a text that repeats
 * the same bytes, narrower strides have as many candidates, but more comparisons. The sample's
 * rates differ by chance. */
static void strides_of_repeated(void)
{
    enum { SAMPLE = 16384, PERIOD = 1000, LENGTH = 64 };
    static uint8_t sample[SAMPLE];
    struct test_random random = test_random_begin("strides");

    for (uint32_t i = 0; i < 40; i++) {
        struct trawl_pattern pattern = {sample + i * LENGTH / 3, LENGTH};
        struct cuda_prices prices = {.is_rated = false};
        struct plan_tuning tuning;
        AUTO_PLAN plan = NULL;

        for (uint32_t k = 0; k < SAMPLE; k++)
            sample[k] =
                k < PERIOD ? (uint8_t)('a' + test_random_below(&random, 26)) : sample[k - PERIOD];
        plan = must_plans(&pattern, 1, NULL);
        (void)choose_seen(plan, sample, SAMPLE, &tuning, &prices);
        TEST_CHECK_U64(tuning.grams.stride, 8);
        trawl_plan_free(plan);
        plan = must_plans(&pattern, 1, PLAN_WITH(.sample = sample, .sample_bytes = SAMPLE));
        TEST_CHECK_U64(plan->tuning.grams.stride, 8);
    }
}

/* Checks the price of comparing at each position, for patterns from a periodic text with one byte
 * changed at each offset: there is no occurrence in the sample, so the price is that of reading the
 * text or of bit planes. So is that of the pattern itself, which occurs everywhere. */
static void prices_of_changed_bytes(void)
{
    enum { SAMPLE = 16384, LENGTH_MAX = 96 };
    static const uint32_t periods[] = {1, 2, 37, 64};
    static const double dense_price = 6;
    static uint8_t sample[SAMPLE], bytes[LENGTH_MAX];
    struct test_random random = test_random_begin("changed bytes");

    for (uint32_t i = 0; i < 4 * LENGTH_MAX; i++) {
        uint32_t period = periods[i % 4], length = LENGTH_MAX - 36 + i / 4 % 37, flags = i / 4 % 2;
        struct trawl_pattern pattern = {bytes, length};

        for (uint32_t k = 0; k < SAMPLE; k++)
            sample[k] =
                k < period ? (uint8_t)('a' + test_random_below(&random, 26)) : sample[k - period];
        for (uint32_t at = 0; at <= length; at++) {
            struct cuda_prices prices = {.is_rated = false};
            struct plan_tuning tuning;
            AUTO_PLAN plan = NULL;
            enum trawl_method method;

            memcpy(bytes, sample + 5 * period, length);
            if (at < length)
                bytes[at] = '#';
            plan = must_plans(&pattern, 1, PLAN_WITH(.flags = flags * TRAWL_IGNORE_CASE));
            method = choose_seen(plan, sample, SAMPLE, &tuning, &prices);
            if (!TEST_CHECK(prices.price[method] < dense_price))
                printf("  period %u, %u bytes, changed at %u: method %u, price %g\n", period,
                       length, at, method, prices.price[method]);
        }
    }
}

/* A chunk is searched in steps. Searches for a first match that lies after the first step. The
 * bytes before it nearly match, so verification leaves the rest of the chunk to the linear search
 * (two_way.h), which takes steps of 64 KiB. Published algorithms take steps of 1 MiB for a single
 * string, otherwise of 64 KiB. */
static void late_first(const struct trawl_plan_options *options, uint64_t pattern_count)
{
    enum { BYTES = 1400000, AT = 1300000, LENGTH = 400 };
    static char bytes[BYTES], string[LENGTH];
    const struct trawl_pattern patterns[2] = {{string, LENGTH}, {"#!", 2}};
    AUTO_SEARCHER searcher = must_searcher(1, 1u << 21);
    AUTO_TEXT text = must_text(bytes, BYTES);
    struct trawl_match match = {0, 0, 0, 0, 0};
    AUTO_PLAN plan = NULL;
    bool found = false;

    for (uint64_t i = 0; i < BYTES; i++)
        bytes[i] = i % 300 == 0 && (i < AT || i > AT + LENGTH) ? 'b' : 'a';
    memset(string, 'a', LENGTH);
    bytes[AT - 1] = 'b';
    if (trawl_plan_build(patterns, pattern_count, options, &plan, NULL) != TRAWL_OK) {
        /* only a build without published algorithms rejects this */
        TEST_CHECK(options->algorithm != NULL);
        return;
    }
    MUST(trawl_first(searcher, plan, text, &match, &found, NULL));
    TEST_CHECK(found);
    TEST_CHECK_U64(match.begin, AT);
}

static void no_pattern(void)
{
    AUTO_SEARCHER searcher = must_searcher(2, 3);
    AUTO_TEXT text = must_string("one\ntwo\nthree");
    struct trawl_match match;
    uint64_t count, needed = 0;
    bool found = true;
    AUTO_PLAN plan = must_plans(NULL, 0, NULL);

    TEST_CHECK_U64(call_describe(plan, 0).pattern_count, 0);
    MUST(trawl_plan_explain(plan, NULL, 0, &needed, NULL));
    TEST_CHECK(needed > 1);
    TEST_CHECK_U64(must_count(searcher, plan, text), 0);
    MUST(trawl_first(searcher, plan, text, &match, &found, NULL));
    TEST_CHECK(!found);
    MUST(ask_count_lines(searcher, plan, text, false, UINT64_MAX, &count, NULL));
    TEST_CHECK_U64(count, 0);
    MUST(ask_count_lines(searcher, plan, text, true, UINT64_MAX, &count, NULL));
    TEST_CHECK_U64(count, 3);
}

/* Compares two strings byte by byte, from their ends. Sets *common to the number of bytes that they
 * share at the end. */
static int compare_ends(const struct backwards *a, const struct backwards *b, uint32_t *common)
{
    const uint8_t *x = a->end - 1, *y = b->end - 1;
    uint32_t i = 0, min = a->bytes_count < b->bytes_count ? a->bytes_count : b->bytes_count;

    while (i < min && x[-(int64_t)i] == y[-(int64_t)i])
        i++;
    *common = i;
    return i < min ? x[-(int64_t)i] - y[-(int64_t)i]
                   : (a->bytes_count > b->bytes_count) - (a->bytes_count < b->bytes_count);
}

/* Sorts random strings over few letters; many of them share long endings or are equal. */
static void sorts_backwards(struct test_random *random)
{
    static uint8_t bytes[SORTED_MAX][SORTED_BYTES_MAX];
    uint32_t count = (uint32_t)test_random_between(random, 1, SORTED_MAX);
    uint64_t max = test_random_between(random, 1, SORTED_BYTES_MAX);
    uint64_t values = test_random_between(random, 1, 3), sum = 0;
    struct backwards strings[SORTED_MAX];

    for (uint32_t i = 0; i < count; i++) {
        uint32_t of = (uint32_t)test_random_between(random, 1, max);

        for (uint64_t k = 0; k < max; k++)
            bytes[i][k] = test_random_one_in(random, 8)
                              ? (uint8_t)(test_random_below(random, values) * 127)
                              : 0;
        strings[i] = (struct backwards){bytes[i] + of, of, i, 99};
        sum += i;
    }
    backwards_sort(strings, count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t common = 0;
        int order = i == 0 ? -1 : compare_ends(&strings[i - 1], &strings[i], &common);

        TEST_CHECK(order < 0 || (order == 0 && strings[i - 1].number < strings[i].number));
        TEST_CHECK_U64(strings[i].common, common);
        TEST_CHECK(strings[i].end == bytes[strings[i].number] + strings[i].bytes_count);
        sum -= strings[i].number;
    }
    TEST_CHECK_U64(sum, 0);
}

/* Checks the limit for the number of literals that can begin at the same offset of a text. The
 * expected number comes from comparing the first n bytes of every two literals, where n is the
 * length of the shortest literal. */
static void bounds_alike(struct test_random *random, bool folds)
{
    static char bytes[ALIKE_LITERALS][ALIKE_BYTES_MAX];
    struct trawl_pattern patterns[ALIKE_LITERALS];
    uint64_t max = 0, min = 1 + test_random_below(random, ALIKE_BYTES_MAX - 1);
    AUTO_PLAN plan = NULL;

    for (uint32_t i = 0; i < ALIKE_LITERALS; i++) {
        for (uint32_t k = 0; k < ALIKE_BYTES_MAX; k++)
            bytes[i][k] = (folds ? "aAbB" : "abab")[test_random_below(random, 4)];
        patterns[i] = (struct trawl_pattern){
            bytes[i], i == 0 ? min : test_random_between(random, min, ALIKE_BYTES_MAX)};
    }
    for (uint32_t i = 0; i < ALIKE_LITERALS; i++) {
        uint64_t alike = 0;

        for (uint32_t k = 0; k < ALIKE_LITERALS; k++)
            alike += (folds ? strncasecmp : strncmp)(bytes[i], bytes[k], min) == 0;
        max = alike > max ? alike : max;
    }
    plan = must_plans(patterns, ALIKE_LITERALS, PLAN_WITH(.flags = folds ? TRAWL_IGNORE_CASE : 0));
    TEST_CHECK(plan_alike_bound(plan) >= max && plan_alike_bound(plan) <= max + ALIKE_CHANCE);
}

/* A range that a device searches for a set, part by part, and what the filter takes in its first
 * first_bytes bytes, and in the rest, in units of reading the text once. The automaton takes
 * automaton_cost, and is built already. */
struct ranges_row {
    const char *what;
    uint64_t bytes, first_bytes;
    double first, rest;
    double share;   /* at least this share of the bytes is searched */
    bool automaton; /* by the automaton, or by the filter */
    uint32_t times; /* the range is searched so often before; only then is the share counted */
};

/* Searches the range; a launch takes 15 us more. Returns how many bytes the automaton searched. */
static uint64_t search_range(struct cuda_worker *worker, const struct ranges_row *row,
                             double automaton_cost)
{
    const double read_ns = 1 / worker->device->read_rate;
    uint64_t by_automaton = 0, left = row->bytes, turn;
    bool is_timed;

    for (; left > 0; left -= turn) {
        const uint64_t at = row->bytes - left;
        double ns = 15e3;

        turn = left;
        MUST(cuda_choose_turn(worker, WANT_COUNT, &turn, &is_timed, NULL));
        TEST_CHECK(turn > 0 && turn <= left);
        if (worker->tables->by_automaton) {
            ns += automaton_cost * read_ns * (double)turn;
            by_automaton += turn;
        } else {
            uint64_t first = at < row->first_bytes ? row->first_bytes - at : 0;

            first = first < turn ? first : turn;
            ns += read_ns * (row->first * (double)first + row->rest * (double)(turn - first));
        }
        if (is_timed)
            cuda_choose_note_turn(worker, WANT_COUNT, at + turn, turn, (uint64_t)ns, left - turn);
    }
    return by_automaton;
}

/* Searches ranges for a set with a device's contest between filter and automaton. The ranges of a
 * group are searched one after another. A row without a name begins a group: its `rest` is what the
 * filter is expected to take. */
static void contests(void)
{
    static const struct ranges_row rows[] = {
        {"a quick filter stays", 1u << 30, 0, 0, 1.2, 1, false, 0},
        {"and after counts of 16 MiB, most of whose time is the launch", 16u << 20, 0, 0, 20, 1,
         false, 2},
        {"", 0, 0, 0, 1.2, 0, false, 0},
        {"a slow filter goes, after a trial, once it has taken as long as that costs", 1u << 30, 0,
         0, 12, 0.95, true, 1},
        {"and stays away", 1u << 30, 0, 0, 12, 0.95, true, 3},
        {"until the text has been another one for some time", 1u << 30, 0, 0, 1.2, 1, false, 16},
        {"", 0, 0, 0, 1.2, 0, false, 0},
        {"one dense tile at the start is no reason", 1u << 30, 1u << 20, 60, 1.2, 0.95, false, 0},
        {"nor is it later", 1u << 30, 1u << 20, 60, 1.2, 0.95, false, 3},
        {"", 0, 0, 0, 5, 0, false, 0},
        {"a filter that is expected to be slow, and is", 1u << 30, 0, 0, 6, 0.95, true, 0},
        {"", 0, 0, 0, 5, 0, false, 0},
        {"one that is not", 1u << 30, 1u << 20, 40, 1.2, 0.95, false, 0},
    };
    static struct cuda_tables tables;
    static struct cuda_device device;
    static struct cuda_worker worker;
    const double automaton_cost = plan_part_costs_device.dense;
    struct method_changes changes = {.count = 0};
    const struct engine_call call = {.changes = &changes};
    const struct engine_chunk chunk = {.call = &call};
    const char *searches = "filter"; /* what the changes say */
    AUTO_PLAN plan = must_plan("abcdefgh");

    device.read_rate = 3000;
    worker.tables = &tables;
    worker.device = &device;
    worker.plan = plan;
    worker.chunk = &chunk;
    worker.limits = cuda_limits_default;
    device.shared_max = 1u << 17;
    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t by_automaton, right;

        if (i == 0 || rows[i].what[0] == '\0') {
            memset(&tables, 0, sizeof tables);
            tables.has_sets = true;
            tables.sets_price = i == 0 ? 1.2 : rows[i].rest;
            tables.automaton = CUDA_AUTOMATON_READY;
            tables.automaton_words = 100;
            searches = "filter";
            changes.count = 0;
            if (i > 0)
                continue;
        }
        for (uint32_t k = 0; k < rows[i].times; k++)
            (void)search_range(&worker, &rows[i], automaton_cost);
        by_automaton = search_range(&worker, &rows[i], automaton_cost);
        right = rows[i].automaton ? by_automaton : rows[i].bytes - by_automaton;
        if (!TEST_CHECK((double)right >= rows[i].share * (double)rows[i].bytes))
            printf("  %s: %.2f of it\n", rows[i].what, (double)right / (double)rows[i].bytes);
        for (uint64_t k = 0; k < changes.count && k < TRAWL_CHANGES_KEPT; k++) {
            const struct trawl_change *change = &changes.kept[k];

            TEST_CHECK(strcmp(change->before, searches) == 0);
            TEST_CHECK(change->before_ns > change->after_ns && change->offset > 0 &&
                       change->offset < rows[i].bytes);
            searches = change->after;
        }
        TEST_CHECK(strcmp(searches, rows[i].automaton ? "automaton" : "filter") == 0);
        changes.count = 0;
    }
}

int main(void)
{
    struct test_random random = test_random_begin("plan");

    test_begin("plan");
    for (uint32_t i = 0; i < 400; i++)
        sorts_backwards(&random);
    for (uint32_t i = 0; i < 100; i++)
        bounds_alike(&random, i % 2 == 1);
    contests();
    accessors();
    accessors_keep_case();
    explain();
    explain_costs();
    explain_host_parts();
    sample_that_repeats();
    strides_of_repeated();
    prices_of_changed_bytes();
    no_pattern();
    late_first(PLAN_WITH(.method = TRAWL_METHOD_EVERY), 1);
    for (uint64_t count = 1; count <= 2; count++)
        late_first(PLAN_WITH(.algorithm = "bf"), count);
    return test_end();
}
