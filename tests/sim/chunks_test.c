/* chunks_test: lists of a loaded text whose chunks are cut anew, larger or smaller, by how many
 * hits the last ones had, and arrays of matches that come in pieces; on one simulated device or
 * more, with threads or without, held against two loops. Calls of the driver fail, and devices are
 * lost.
 */
#include "base/checked.h"
#include "cuda/limits.h"
#include "diff/input.h"
#include "host.h"
#include "letters.h"
#include "runtime/begins.h"
#include "runtime/road.h"
#include "runtime/search.h"
#include "sim_driver.h"
#include "calls.h"

#define TEXT_BYTES 40000u
#define PATTERNS 5u
#define KINDS 4u /* of parts of the text */
#define PART_MAX 6000u
#define CALLS 6u /* that list */

static const char *const strings[PATTERNS] = {"ab", "abc", "ca", "bcabca", "d"};

static struct {
    uint8_t bytes[TEXT_BYTES];
    struct trawl_plan *plan;
    struct trawl_text *text;
    struct trawl_match matches[PATTERNS * TEXT_BYTES];
    uint64_t count, counts[PATTERNS];
    uint64_t lines;
} fixture;

/* Parts without a hit, with few, with many, and where patterns begin at nearly each byte. */
static void fill(struct test_random *random)
{
    static const char *const letters[KINDS] = {"z", "xyzdxyzw\nvutsrqp", "abcxyz\n", "abc"};

    for (uint64_t at = 0; at < TEXT_BYTES;) {
        uint64_t end = min_u64(TEXT_BYTES, at + 1 + test_random_below(random, PART_MAX));
        const char *from = letters[test_random_below(random, KINDS)];

        for (; at < end; at++)
            fixture.bytes[at] = (uint8_t)from[test_random_below(random, strlen(from))];
    }
}

static void expect(void)
{
    uint64_t line = UINT64_MAX, number = 0;

    fixture.count = fixture.lines = 0;
    memset(fixture.counts, 0, sizeof fixture.counts);
    for (uint64_t i = 0; i < TEXT_BYTES; i++) {
        for (uint64_t p = 0; p < PATTERNS; p++) {
            uint64_t length = strlen(strings[p]);

            if (length > TEXT_BYTES - i || memcmp(fixture.bytes + i, strings[p], length) != 0)
                continue;
            fixture.matches[fixture.count++] = (struct trawl_match){i, i + length, p};
            fixture.counts[p]++;
            fixture.lines += line != number;
            line = number;
        }
        number += fixture.bytes[i] == '\n';
    }
}

static void fixture_open(struct test_random *random)
{
    struct trawl_pattern patterns[PATTERNS];

    for (uint32_t p = 0; p < PATTERNS; p++)
        patterns[p] = (struct trawl_pattern){strings[p], strlen(strings[p])};
    fill(random);
    expect();
    MUST(trawl_plan_build(patterns, PATTERNS, NULL, &fixture.plan, NULL));
    MUST(trawl_text_from_memory(fixture.bytes, TEXT_BYTES, &fixture.text, NULL));
}

static void fixture_close(void)
{
    trawl_text_close(fixture.text);
    trawl_plan_free(fixture.plan);
}

struct scene {
    enum trawl_engine engine;
    uint32_t devices, threads;
    struct host host;
};

static void scene_open(struct scene *s, struct test_random *random)
{
    struct cuda_limits limits = letters_limits();

    limits.split_bytes_min = 4000;
    limits.stripe_bytes = 3000 + test_random_below(random, 20000);
    limits.split_overlap = 100;
    limits.hits_room_min = 50;
    limits.begins_room = 10 + test_random_below(random, 500);
    limits.begins_piece = 1 + test_random_below(random, 50);
    limits.begins_piece_most = limits.begins_piece + test_random_below(random, 50);
    limits.hits_max = 100 + test_random_below(random, 1000);
    cuda_limits_replace(&limits);
    resident_sizes = (struct resident_sizes){.first = 100 + test_random_below(random, 3000),
                                             .least = 60,
                                             .most = 4000 + test_random_below(random, 9000),
                                             .shared = 1000,
                                             .hits = 20 + test_random_below(random, 300)};
    host_devices(s->devices);
    host_open(&s->host, s->engine, s->threads, 0);
    MUST(trawl_text_load(s->host.searcher, fixture.text, NULL));
}

static void scene_close(struct scene *s)
{
    host_close(&s->host);
    resident_sizes = resident_sizes_default;
}

/* How far a list goes that has to be the first so many matches. */
struct seen {
    uint64_t count;
    bool wrong;
};

static bool is_match(uint64_t index, uint64_t begin, uint64_t end, uint64_t pattern)
{
    const struct trawl_match *match = &fixture.matches[index];

    return index < fixture.count && match->begin == begin && match->end == end &&
           match->pattern_index == pattern;
}

static int take(void *context, const struct trawl_match *matches, uint64_t count)
{
    struct seen *seen = (struct seen *)context;

    for (uint64_t i = 0; i < count; i++)
        seen->wrong |=
            !is_match(seen->count++, matches[i].begin, matches[i].end, matches[i].pattern_index);
    return 0;
}

static enum trawl_status take_batches(const struct scene *s, struct seen *seen)
{
    struct trawl_batch batch = {.size = sizeof batch};
    struct trawl_search *search = NULL;
    uint64_t lines = 0, at = 0;
    enum trawl_status status = trawl_search_open(s->host.searcher, fixture.plan, fixture.text,
                                                 TRAWL_SEARCH_LINE_NUMBERS, &search, NULL);

    while (status == TRAWL_OK && !batch.last) {
        status = trawl_search_next(search, &batch, NULL);
        for (uint64_t i = 0; status == TRAWL_OK && i < batch.match_count; i++) {
            for (; at < batch.begins[i]; at++)
                lines += fixture.bytes[at] == '\n';
            seen->wrong |= !is_match(seen->count++, batch.begins[i], batch.ends[i],
                                     batch.pattern_indices[i]) ||
                           batch.line_numbers[i] != lines;
        }
    }
    trawl_search_close(search);
    return status;
}

static enum trawl_status fill_array(const struct scene *s, uint64_t room, struct seen *seen)
{
    struct trawl_match *matches = (struct trawl_match *)test_memory((room + 1) * sizeof *matches);
    enum trawl_status status;
    uint64_t count = 0;

    memset(matches, 0x77, (room + 1) * sizeof *matches);
    status = trawl_positions_into(s->host.searcher, fixture.plan, fixture.text, matches, room,
                                  &count, NULL);
    if (status == TRAWL_OK) {
        for (uint64_t i = 0; i < min_u64(room, count); i++)
            seen->wrong |= !is_match(i, matches[i].begin, matches[i].end, matches[i].pattern_index);
        seen->count = count;
    }
    TEST_CHECK_U64(matches[room].begin, 0x7777777777777777u);
    free(matches);
    return status;
}

static enum trawl_status fill_begins(const struct scene *s, uint64_t room, struct seen *seen)
{
    uint64_t *begins = (uint64_t *)test_memory((room + 1) * sizeof *begins);
    enum trawl_status status;
    uint64_t count = 0;

    begins[room] = room;
    status =
        trawl_begins_into(s->host.searcher, fixture.plan, fixture.text, begins, room, &count, NULL);
    for (uint64_t i = 0; status == TRAWL_OK && i < min_u64(room, count); i++)
        seen->wrong |= i >= fixture.count || begins[i] != fixture.matches[i].begin;
    seen->count = count;
    TEST_CHECK_U64(begins[room], room);
    free(begins);
    return status;
}

static int add_counts(void *context, const struct trawl_pattern_count *counts, uint64_t count)
{
    struct seen *seen = (struct seen *)context;
    static uint64_t sums[PATTERNS];

    if (seen->count == 0)
        memset(sums, 0, sizeof sums);
    for (uint64_t i = 0; i < count; i++) {
        sums[counts[i].pattern_index] += counts[i].count;
        seen->count += counts[i].count;
        seen->wrong |= sums[counts[i].pattern_index] > fixture.counts[counts[i].pattern_index];
    }
    return 0;
}

/* One of the calls that list; what it saw is right, as far as it came. */
static enum trawl_status call(const struct scene *s, uint32_t which, uint64_t room)
{
    struct seen seen = {0, false};
    uint64_t wanted = fixture.count;
    enum trawl_status status;

    switch (which % CALLS) {
    case 0:
        status = trawl_positions(s->host.searcher, fixture.plan, fixture.text, take, &seen, NULL);
        break;
    case 1:
        status = fill_array(s, room, &seen);
        break;
    case 2:
        status = take_batches(s, &seen);
        break;
    case 3:
        status = trawl_count_by_pattern(s->host.searcher, fixture.plan, fixture.text, add_counts,
                                        &seen, NULL);
        break;
    case 4:
        status = fill_begins(s, room, &seen);
        break;
    default:
        status = trawl_count_lines(s->host.searcher, fixture.plan, fixture.text, false, UINT64_MAX,
                                   &seen.count, NULL);
        wanted = fixture.lines;
    }
    if (!TEST_CHECK(!seen.wrong && (status != TRAWL_OK || seen.count == wanted)))
        printf("  call %u, %u devices, %u threads: %" PRIu64 " of %" PRIu64 "\n", which % CALLS,
               s->devices, s->threads, seen.count, wanted);
    return status;
}

static void listed(struct test_random *random)
{
    struct scene s = {TRAWL_ENGINE_CUDA,
                      1 + (uint32_t)test_random_below(random, 3),
                      1 + (uint32_t)test_random_below(random, 6),
                      {NULL, NULL}};

    scene_open(&s, random);
    for (uint32_t i = 0; i < CALLS; i++)
        TEST_CHECK(call(&s, i, test_random_below(random, 2 * fixture.count)) == TRAWL_OK);
    scene_close(&s);
}

/* Call `nth` of the driver finds no memory, or from it on a device is lost; then all is well.
 * false: there were fewer. */
static bool failing(struct test_random *random, bool lost, uint32_t which, uint64_t nth)
{
    struct scene s = {lost ? TRAWL_ENGINE_AUTO : TRAWL_ENGINE_CUDA, 2, 4, {NULL, NULL}};
    enum trawl_status status;
    bool failed;

    scene_open(&s, random);
    if (lost)
        sim_driver_lose((uint32_t)nth % 2, nth);
    else
        sim_driver_fail(nth, CUDA_CODE_OUT_OF_MEMORY, false);
    status = call(&s, which, fixture.count);
    TEST_CHECK(status == TRAWL_OK || (!lost && status == TRAWL_MEMORY));
    failed = lost ? sim_driver_has_lost() : sim_driver_calls() >= nth;
    sim_driver_fail(0, 0, false);
    if (!TEST_CHECK(call(&s, which, fixture.count) == TRAWL_OK))
        printf("  call %u, lost %d, driver's call %" PRIu64 "\n", which, lost, nth);
    scene_close(&s);
    return failed;
}

int main(void)
{
    struct test_random random;

    test_begin("sim chunks");
    cuda_driver_replace(sim_driver_table());
    road_open_after(0);
    begins_help_from(1);
    random = test_random_begin("sim chunks");
    for (uint32_t i = 0; i < test_amount(4, 400) && test_failures < 5; i++) {
        fixture_open(&random);
        listed(&random);
        fixture_close();
    }
    fixture_open(&random);
    for (uint32_t which = 0; which < CALLS; which++)
        for (uint64_t nth = 1 + test_random_below(&random, 3);
             failing(&random, nth % 2 != 0, which, nth) && test_failures < 5;
             nth += 1 + (test_is_long() ? 0 : 2 * nth))
            ;
    fixture_close();
    return test_end();
}
