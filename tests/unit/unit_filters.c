/* unit_filters: the masks of src/approximate/approx_filter.h against two loops and Sellers' table,
 * with every instruction set of this machine, and with texts that end before a page that cannot be
 * read. */
#include <sys/mman.h>
#include <unistd.h>

#include "approximate/approx_filter.h"
#include "test.h"
#include "trawl.h"

#define LITERALS_MAX 80u
#define SYMBOLS_MAX 90u
#define CLASSES_MAX 256u
#define WORDS (FILTER_BYTES_MAX / 64)

/* What is searched for, and in what. */
struct scene {
    uint64_t classes[CLASSES_MAX][4];
    uint32_t class_count;
    uint32_t symbols[LITERALS_MAX * SYMBOLS_MAX];
    uint8_t exact[LITERALS_MAX * SYMBOLS_MAX];
    uint64_t begin[LITERALS_MAX + 1];
    struct approx_filter_literals literals;
    uint8_t *text; /* that ends as the page does, but for the slack */
    uint32_t bytes;
    uint32_t values; /* of bytes of the text */
};

static struct scene scene;
static struct test_random drawn;
static uint64_t places_found;

/* Bytes whose slack is the end of what can be read. */
static uint8_t *text_room(uint32_t bytes)
{
    static uint8_t *end;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), room = (FILTER_BYTES_MAX / page + 2) * page;

    if (end == NULL) {
        uint8_t *map =
            mmap(NULL, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

        TEST_CHECK(map != MAP_FAILED && mprotect(map + room, page, PROT_NONE) == 0);
        end = map + room - FILTER_SLACK;
    }
    return end - bytes;
}

static bool equals(uint32_t class, uint8_t byte)
{
    return (scene.classes[class][byte / 64] >> byte % 64 & 1) != 0;
}

/* ---- Expected ------------------------------------------------------------------------------ */

static void expect_mismatches(const uint32_t *symbols, const uint8_t *exact, uint32_t count,
                              uint64_t *found)
{
    for (uint32_t x = 0; x + count <= scene.bytes; x++) {
        uint32_t errors = 0;

        for (uint32_t j = 0; j < count; j++)
            if (!equals(symbols[j], scene.text[x + j]))
                errors += (exact[j] & 1) != 0 ? 64 : 1;
        if (errors <= scene.literals.errors_max)
            found[x / 64] |= UINT64_C(1) << x % 64;
    }
}

static void expect_edits(const uint32_t *symbols, uint32_t count, uint64_t *found)
{
    uint32_t column[FILTER_SYMBOLS_MAX + 1];

    for (uint32_t j = 0; j <= count; j++)
        column[j] = j;
    for (uint32_t x = 0; x < scene.bytes; x++) {
        uint32_t before = 0;

        for (uint32_t j = 1; j <= count; j++) {
            uint32_t least = before + !equals(symbols[j - 1], scene.text[x]);

            before = column[j];
            least = least < before + 1 ? least : before + 1;
            column[j] = least < column[j - 1] + 1 ? least : column[j - 1] + 1;
        }
        if (column[count] <= scene.literals.errors_max)
            found[x / 64] |= UINT64_C(1) << x % 64;
    }
}

/* What the filter is to say of this literal; returns how many places. */
static uint64_t expect(uint32_t literal, uint64_t *found)
{
    uint64_t first = scene.begin[literal], end = scene.begin[literal + 1], places = 0;
    uint32_t count =
        end - first < FILTER_SYMBOLS_MAX ? (uint32_t)(end - first) : FILTER_SYMBOLS_MAX;

    memset(found, 0, WORDS * sizeof *found);
    if (scene.literals.edits)
        expect_edits(scene.symbols + end - count, count, found);
    else
        expect_mismatches(scene.symbols + first, scene.exact + first, count, found);
    for (uint32_t w = 0; w < WORDS; w++)
        places += (uint64_t)__builtin_popcountll(found[w]);
    return places;
}

/* ---- What is searched ---------------------------------------------------------------------- */

/* In [0, bound); 0 if that is empty. */
static uint32_t below(uint64_t bound)
{
    return bound == 0 ? 0 : (uint32_t)test_random_below(&drawn, bound);
}

/* One byte each; or several, so that classes overlap; or nearly all. */
static void draw_classes(uint32_t values)
{
    uint32_t kind = below(3);

    memset(scene.classes, 0, sizeof scene.classes);
    scene.values = values;
    scene.class_count = values + (kind > 0);
    for (uint32_t c = 0; c < scene.class_count; c++) {
        uint32_t members = kind == 0 || c < values ? 1 : 1 + below(values);

        for (uint32_t i = 0; i < members; i++) {
            uint32_t byte = (c + i) * 37 % 256; /* text_byte */

            scene.classes[c][byte / 64] |= UINT64_C(1) << byte % 64;
        }
        for (uint32_t w = 0; kind == 2 && c == values && w < 4; w++)
            scene.classes[c][w] = ~scene.classes[c][w];
    }
}

static uint8_t text_byte(uint32_t value)
{
    return (uint8_t)(value * 37 % 256);
}

static void draw_literals(uint32_t count, uint32_t errors_max, uint32_t length_max)
{
    uint32_t exact = below(3), period = 1 + below(8);

    scene.literals = (struct approx_filter_literals){scene.classes, scene.class_count, count,
                                                     scene.symbols, scene.begin,       NULL,
                                                     errors_max,    below(2) == 0};
    if (exact > 0)
        scene.literals.exact = scene.exact;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t length = errors_max + 1 + below(length_max - errors_max);
        uint64_t first = scene.begin[i];
        bool periodic = test_random_one_in(&drawn, 3);

        for (uint32_t j = 0; j < length; j++) {
            scene.symbols[first + j] = periodic && j >= period ? scene.symbols[first + j - period]
                                                               : below(scene.class_count);
            scene.exact[first + j] = 2; /* says nothing of mismatches */
            if (exact == 1 && test_random_one_in(&drawn, 4))
                scene.exact[first + j] = 3;
            if (exact == 2 && j < 2) { /* in common */
                scene.symbols[first + j] = j % scene.class_count;
                scene.exact[first + j] = 1;
            }
        }
        scene.begin[i + 1] = first + length;
    }
    if (exact == 0)
        memset(scene.exact, 0, sizeof scene.exact);
}

/* Put a literal at `at`, with at most `errors` errors, of which `inserted` says what they are;
 * returns where it ends. */
static uint64_t plant(uint32_t literal, uint64_t at, uint32_t errors, bool inserted)
{
    uint64_t first = scene.begin[literal], count = scene.begin[literal + 1] - first;

    for (uint64_t j = 0; j < count && at < scene.bytes; j++) {
        scene.text[at++] = text_byte(scene.symbols[first + j] % scene.values);
        if (errors == 0 || !test_random_one_in(&drawn, 1 + (count - j) / errors))
            continue;
        errors--;
        if (!inserted)
            at -= below(2);
        if (at < scene.bytes && (inserted || below(2) == 0))
            scene.text[at++] = text_byte(below(scene.values));
    }
    return at;
}

/* Random, of one value, or periodic, with literals in it that have some errors more or less than
 * are allowed: at the ends, before the end of a word of places, at random; or nothing but literals
 * with inserted bytes, which no window may begin too late for. */
static void draw_text(uint32_t bytes)
{
    uint32_t kind = below(5), period = 1 + below(70);

    scene.text = text_room(bytes);
    scene.bytes = bytes;
    for (uint32_t x = 0; x < bytes + FILTER_SLACK; x++) {
        scene.text[x] = text_byte(below(scene.values));
        if (kind == 0 && x > 0)
            scene.text[x] = scene.text[0];
        if (kind == 1 && x >= period)
            scene.text[x] = scene.text[x - period];
    }
    for (uint64_t at = 0; kind == 2 && at < bytes;)
        at = plant(below(scene.literals.literal_count), at, scene.literals.errors_max, true);
    for (uint32_t n = 0; kind != 2 && n < 12 + bytes / 512 && bytes > 0; n++) {
        uint32_t literal = below(scene.literals.literal_count);
        uint64_t count = scene.begin[literal + 1] - scene.begin[literal];
        uint64_t at = n == 0 ? 0 : below(bytes);

        if (n > 2 && below(2) == 0)
            at = (at + count + 63) / 64 * 64 - count;
        if (n == 1 && count <= bytes)
            at = bytes - count;
        (void)plant(literal, at, below(scene.literals.errors_max + 3), false);
    }
}

/* ---- The tests ----------------------------------------------------------------------------- */

static uint64_t expected[LITERALS_MAX][WORDS], expected_places[LITERALS_MAX];

static void check_set(const struct approx_filter *filter, const char *name, uint32_t first_bytes)
{
    const uint64_t words = (scene.bytes + 63) / 64;
    struct approx_scan *scan = NULL;
    uint64_t found[WORDS];
    uint64_t seen[(LITERALS_MAX + 63) / 64] = {0};

    if (!TEST_CHECK(approx_scan_open(filter, name, &scan, NULL) == TRAWL_OK))
        return;
    for (uint32_t round = 0; round < 2; round++) { /* nothing stays of the look before */
        approx_scan_stretch(scan, scene.text, round == 0 ? first_bytes : scene.bytes);
        for (uint32_t i = 0; i < scene.literals.literal_count; i++) {
            uint32_t literal = UINT32_MAX;
            uint64_t places = approx_scan_find(scan, i, &literal, found);

            if (round == 0 || !TEST_CHECK(literal < scene.literals.literal_count))
                continue;
            seen[literal / 64] |= UINT64_C(1) << literal % 64;
            TEST_CHECK_U64(places, expected_places[literal]);
            if (!TEST_CHECK(places == 0 ||
                            memcmp(found, expected[literal], words * sizeof *found) == 0))
                printf("  %s, %s: literal %u of %u symbols, k = %u, %u bytes\n", name,
                       scene.literals.edits ? "edits" : "mismatches", literal,
                       (unsigned)(scene.begin[literal + 1] - scene.begin[literal]),
                       scene.literals.errors_max, scene.bytes);
        }
    }
    for (uint32_t i = 0; i < scene.literals.literal_count; i++)
        TEST_CHECK((seen[i / 64] >> i % 64 & 1) != 0);
    approx_scan_close(scan);
}

static void check_scene(uint64_t index)
{
    static const uint32_t values[] = {1, 2, 4, 5, 20, 255};
    static const uint32_t errors[] = {4, 8, 32};
    struct approx_filter *filter = NULL;
    uint32_t errors_max, bytes;
    const char *name;

    drawn = test_random_begin("filters");
    drawn.state += index * UINT64_C(0xd1342543de82ef95);
    errors_max = below(errors[below(3)]);
    bytes = below(600);
    draw_classes(values[below(sizeof values / sizeof values[0])]);
    draw_literals(test_random_one_in(&drawn, 4) ? 33 + below(LITERALS_MAX - 32) : 1 + below(4),
                  errors_max, errors_max + 1 + below(SYMBOLS_MAX - errors_max));
    if (!TEST_CHECK(approx_filter_open(&scene.literals, &filter, NULL) == TRAWL_OK))
        return;
    if (below(3) == 0)
        bytes =
            below(approx_filter_bytes_max(filter) / (test_random_one_in(&drawn, 8) ? 1 : 8)) + 1;
    if (index % 16 == 0)
        bytes = approx_filter_bytes_max(filter);
    if (scene.literals.literal_count > 4 && bytes > 2048)
        bytes = 2048;
    draw_text(bytes);
    for (uint32_t i = 0; i < scene.literals.literal_count; i++)
        places_found += expected_places[i] = expect(i, expected[i]);
    for (uint32_t i = 0; (name = trawl_instruction_set(i)) != NULL; i++)
        check_set(filter, name, bytes / 2);
    approx_filter_close(filter);
}

/* A literal of different bytes, and a text of 8 KiB without them. */
static struct approx_filter *open_plain(uint32_t symbols, uint32_t errors_max)
{
    struct approx_filter *filter = NULL;

    memset(scene.classes, 0, sizeof scene.classes);
    for (uint32_t c = 0; c < symbols; c++) {
        scene.classes[c][c / 64] = UINT64_C(1) << c % 64;
        scene.symbols[c] = c;
    }
    scene.begin[1] = symbols;
    scene.literals = (struct approx_filter_literals){
        scene.classes, symbols, 1, scene.symbols, scene.begin, NULL, errors_max, true};
    scene.bytes = 8192;
    scene.text = text_room(scene.bytes);
    memset(scene.text, 255, scene.bytes + FILTER_SLACK);
    TEST_CHECK(approx_filter_open(&scene.literals, &filter, NULL) == TRAWL_OK);
    return filter;
}

static void check_plain(const struct approx_filter *filter)
{
    const char *name;

    expected_places[0] = expect(0, expected[0]);
    TEST_CHECK(expected_places[0] > 0);
    for (uint32_t i = 0; (name = trawl_instruction_set(i)) != NULL; i++)
        check_set(filter, name, 0);
}

/* The literal again and again, with as many bytes put in as there may be errors. Its ends stand at
 * each offset from a window's begin, which may not be too late for them. */
static void check_offsets(uint32_t symbols, uint32_t errors_max)
{
    struct approx_filter *filter = open_plain(symbols, errors_max);

    for (uint32_t offset = 0; offset < 64; offset++) {
        memset(scene.text, 255, scene.bytes);
        for (uint32_t at = offset + 400; at + symbols + errors_max <= scene.bytes; at += 512)
            for (uint32_t j = 0, x = at; j < symbols; j++, x++) {
                x += j >= symbols - errors_max;
                scene.text[x] = (uint8_t)j;
            }
        check_plain(filter);
    }
    approx_filter_close(filter);
}

/* Bytes 4 to 11 of the literal, nothing but its first byte in the next word of places, and then
 * bytes 12 to 22. The rows of that next word end early, and what was known of the rows below them
 * is not true any more; what stands near the text's begin, in another window, has them looked at.
 */
static void check_border(void)
{
    struct approx_filter *filter = open_plain(23, 3);
    uint8_t *middle = scene.text + scene.bytes / 2;

    for (uint32_t j = 0; j < 23; j++)
        scene.text[98 + j] = scene.text[261 + j] = (uint8_t)j;
    for (uint32_t j = 4; j < 12; j++)
        middle[180 + j] = (uint8_t)j;
    middle[255] = 0;
    for (uint32_t j = 12; j < 23; j++)
        middle[244 + j] = (uint8_t)j;
    check_plain(filter);
    approx_filter_close(filter);
}

/* By hand: "abc" within one error of "xabdx". */
static void check_few(void)
{
    const uint64_t classes[3][4] = {{0, UINT64_C(1) << ('a' - 64)},
                                    {0, UINT64_C(1) << ('b' - 64)},
                                    {0, UINT64_C(1) << ('c' - 64)}};
    const uint32_t symbols[] = {0, 1, 2};
    const uint64_t begin[] = {0, 3};
    const uint64_t wanted[] = {1 << 1, 1 << 2 | 1 << 3}; /* abd; ab, abd */
    uint8_t text[5 + FILTER_SLACK] = "xabdx";

    for (uint32_t edits = 0; edits < 2; edits++) {
        struct approx_filter_literals literals = {classes, 3,    1, symbols,
                                                  begin,   NULL, 1, edits == 1};
        struct approx_filter *filter = NULL;
        struct approx_scan *scan = NULL;
        uint64_t found[WORDS] = {0};
        uint32_t literal = 1;

        TEST_CHECK(approx_filter_open(&literals, &filter, NULL) == TRAWL_OK);
        TEST_CHECK(approx_scan_open(filter, NULL, &scan, NULL) == TRAWL_OK);
        approx_scan_stretch(scan, text, 5);
        TEST_CHECK_U64(approx_scan_find(scan, 0, &literal, found), 1 + edits);
        TEST_CHECK_U64(found[0], wanted[edits]);
        TEST_CHECK_U64(literal, 0);
        approx_scan_stretch(scan, text, 0);
        TEST_CHECK_U64(approx_scan_find(scan, 0, &literal, found), 0);
        approx_scan_close(scan);
        approx_filter_close(filter);
    }
}

/* A place is compared with all literals; or, if 64 begin with one exact byte that is a quarter of
 * the text, with a quarter, which cost twice as much, and 25 literals more. */
static void check_compared(void)
{
    const double class_rate[2] = {0.25, 0.75};
    struct approx_filter *filter = NULL;

    for (uint32_t exact = 0; exact < 2; exact++) {
        memset(scene.exact, 0, sizeof scene.exact);
        for (uint32_t i = 0; i < 64; i++) {
            scene.begin[i + 1] = 2 * (uint64_t)i + 2;
            scene.symbols[2 * i] = 0;
            scene.symbols[2 * i + 1] = 1;
            scene.exact[2 * i] = (uint8_t)exact;
        }
        scene.literals = (struct approx_filter_literals){
            scene.classes, 2, 64, scene.symbols, scene.begin, scene.exact, 1, false};
        TEST_CHECK(approx_filter_open(&scene.literals, &filter, NULL) == TRAWL_OK);
        TEST_CHECK_U64((uint64_t)approx_filter_compared(filter, class_rate), exact ? 57 : 64);
        approx_filter_close(filter);
    }
}

int main(void)
{
    test_begin("filters");
    check_few();
    check_compared();
    check_offsets(64, 31);
    check_border();
    if (test_cases(test_amount(1500, 40000), check_scene))
        TEST_CHECK(places_found > 10000); /* or there was nothing to find */
    printf("%" PRIu64 " places\n", places_found);
    return test_end();
}
