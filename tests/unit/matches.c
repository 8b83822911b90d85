/* matches: hits become matches by each instruction set, held against a plain loop: every small
 * count, every place of hits, lengths and matches in a cache line, numbers near their bounds.
 */
#include "test.h"

#include "cpu/find.h"
#include "match/hits.h"
#include "trawl.h"

#define COUNT_MAX 70u
#define PLACES 8u /* of a word in a cache line */
#define LITERALS 300u
#define MANY ((1u << 20) + 200000u) /* matches: the last ones are written past the caches */
#define GUARD 0x5a5a5a5a5a5a5a5aull
#define WORDS ((COUNT_MAX + PLACES + 2) * 3)

struct made {
    _Alignas(64) uint64_t words[WORDS];
};

/* Offsets near 2^32, and begins near 2^63 and 2^64, are as good as others. */
static void fill(struct test_random *random, struct hit *items, uint16_t *lengths, uint64_t *begin)
{
    static const uint64_t begins[] = {0, 1, UINT32_MAX, (1ull << 63) - 7, UINT64_MAX - 1000};

    *begin = begins[test_random_below(random, sizeof begins / sizeof begins[0])];
    for (uint32_t i = 0; i < LITERALS; i++)
        lengths[i] = (uint16_t)(test_random_one_in(random, 4) ? UINT16_MAX - i : 1 + i);
    for (uint32_t i = 0; i < COUNT_MAX + PLACES; i++) {
        bool far = test_random_one_in(random, 2);
        uint32_t offset = (uint32_t)test_random_below(random, 5000);

        items[i].offset = far ? UINT32_MAX - offset : offset;
        items[i].literal = (uint32_t)test_random_below(random, LITERALS);
    }
}

static void expect(const struct find_hits *hits, struct trawl_match *expected)
{
    for (uint64_t i = 0; i < hits->count; i++) {
        uint64_t literal = hits->items[i].literal;

        expected[i].begin = hits->begin + hits->items[i].offset;
        expected[i].end = expected[i].begin + hits->lengths[hits->in_order ? i : literal];
        expected[i].pattern_index = literal;
    }
}

/* Words beside those of the matches stay as they were. */
static bool check_structs(const struct find_ops *find, const struct find_hits *hits,
                          const struct trawl_match *expected, uint32_t place, bool streams)
{
    static struct made made;
    uint64_t used = 3 * hits->count;
    bool right;

    for (uint32_t i = 0; i < WORDS; i++)
        made.words[i] = GUARD;
    if (streams)
        find->streamed(hits, (struct trawl_match *)(void *)(made.words + place));
    else
        find->matches(hits, (struct trawl_match *)(void *)(made.words + place));
    right = memcmp(made.words + place, expected, (size_t)used * sizeof(uint64_t)) == 0;
    for (uint32_t i = 0; i < WORDS; i++)
        right = right && ((i >= place && i < place + used) || made.words[i] == GUARD);
    return right;
}

static bool check_columns(const struct find_ops *find, const struct find_hits *hits,
                          const struct trawl_match *expected, uint32_t place)
{
    static struct made made;
    uint64_t room = hits->count + place % 3, *columns = made.words + place;
    bool right = true;

    for (uint32_t i = 0; i < WORDS; i++)
        made.words[i] = GUARD;
    find->columns(hits, columns, room);
    for (uint64_t i = 0; i < hits->count; i++)
        right = right && columns[i] == expected[i].begin && columns[room + i] == expected[i].end &&
                columns[2 * room + i] == expected[i].pattern_index;
    for (uint64_t i = 0; i < WORDS; i++) {
        bool inside =
            room > 0 && i >= place && i < place + 3 * room && (i - place) % room < hits->count;

        right = right && (inside || made.words[i] == GUARD);
    }
    return right;
}

static void check_variant(const struct find_ops *find, struct test_random *random)
{
    static struct hit items[COUNT_MAX + PLACES];
    static uint16_t lengths[LITERALS];
    static struct trawl_match expected[COUNT_MAX];
    struct find_hits hits;

    for (uint32_t count = 0; count <= COUNT_MAX; count++)
        for (uint32_t place = 0; place < PLACES; place++) {
            uint32_t from = (uint32_t)test_random_below(random, PLACES);

            fill(random, items, lengths, &hits.begin);
            hits.in_order = place % 2 == count % 2;
            hits.items = items + from;
            hits.count = count;
            hits.lengths = hits.in_order ? lengths + (LITERALS - count) : lengths;
            expect(&hits, expected);
            if (!TEST_CHECK(check_structs(find, &hits, expected, place, false)) ||
                !TEST_CHECK(check_structs(find, &hits, expected, place, true)) ||
                !TEST_CHECK(check_columns(find, &hits, expected, place)))
                printf("  %s: %u hits, word %u, lengths %s\n", find->name, count, place,
                       hits.in_order ? "in order" : "of literals");
        }
}

/* An array that is filled beyond what the caches hold, and ends before the last matches. */
static void fill_array(uint32_t word)
{
    const struct trawl_pattern patterns[] = {{"a", 1}, {"aa", 2}};
    uint64_t room = MANY - 100 * word, count = 0, wrong = 0;
    uint64_t *words = malloc((3 * MANY + 8) * sizeof *words);
    struct trawl_match *matches = (struct trawl_match *)(void *)(words + word);
    uint8_t *bytes = malloc(MANY / 2 + 1);
    struct trawl_searcher *searcher = NULL;
    struct trawl_text *text = NULL;
    struct trawl_plan *plan = NULL;

    if (!TEST_CHECK(words != NULL && bytes != NULL))
        exit(test_end());
    memset(bytes, 'a', MANY / 2 + 1);
    memset(words, 0x5a, (3 * MANY + 8) * sizeof *words);
    TEST_CHECK(trawl_plan_build(patterns, 2, NULL, &plan, NULL) == TRAWL_OK);
    TEST_CHECK(trawl_searcher_open(NULL, &searcher, NULL) == TRAWL_OK);
    TEST_CHECK(trawl_text_from_memory(bytes, MANY / 2 + 1, &text, NULL) == TRAWL_OK);
    TEST_CHECK(trawl_positions_into(searcher, plan, text, matches, room, &count, NULL) == TRAWL_OK);
    TEST_CHECK_U64(count, MANY + 1);
    for (uint64_t i = 0; i < room; i++)
        wrong += matches[i].begin != i / 2 || matches[i].pattern_index != i % 2 ||
                 matches[i].end != i / 2 + 1 + i % 2;
    for (uint64_t i = 0; i < 3 * MANY + 8; i++)
        wrong += (i < word || i >= 3 * room + word) && words[i] != GUARD;
    TEST_CHECK_U64(wrong, 0);
    trawl_text_close(text);
    trawl_searcher_close(searcher);
    trawl_plan_free(plan);
    free(bytes);
    free(words);
}

int main(void)
{
    struct test_random random = test_random_begin("matches");
    const struct find_ops *find;

    test_begin("matches");
    for (uint64_t i = test_amount(2, 50); i > 0; i--)
        for (uint32_t variant = 0; (find = find_variant(variant)) != NULL; variant++)
            check_variant(find, &random);
    for (uint32_t word = 0; word < 4; word++)
        fill_array(word);
    return test_end();
}
