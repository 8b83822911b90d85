/* utf8_test: what is valid UTF-8, by blocks, against RFC 3629's table of byte ranges. The suite had
 * only texts in which a block's border meets no character of four bytes.
 */
#include <stdlib.h>
#include <string.h>

#include "test.h"
#include "trawl/utf8.h"

#define BYTES_MAX 160u

/* Leads that are near a border, and others. */
static const uint8_t pool[] = {0,    'a',  ' ',  0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0,
                               0xbf, 0xc0, 0xc1, 0xc2, 0xd0, 0xdf, 0xe0, 0xe1, 0xec,
                               0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff};

/* Rows of the RFC's table: lead, and the second byte; the others are 80 to BF. */
static const struct {
    uint8_t lead, lead_end, second, second_end, length;
} rows[] = {{0x00, 0x7f, 0, 0, 1},       {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
            {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
            {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4}};

#define ROWS (sizeof rows / sizeof *rows)
#define ROWS_SHORT 2u /* of characters of one or two bytes */

static size_t naive_character(const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < ROWS; i++) {
        size_t k = 2;

        if (bytes[0] < rows[i].lead || bytes[0] > rows[i].lead_end || rows[i].length > count)
            continue;
        if (rows[i].length > 1 && (bytes[1] < rows[i].second || bytes[1] > rows[i].second_end))
            return 0;
        while (k < rows[i].length && bytes[k] >= 0x80 && bytes[k] <= 0xbf)
            k++;
        return rows[i].length < 3 || k == rows[i].length ? rows[i].length : 0;
    }
    return 0;
}

static bool naive_is_valid(const uint8_t *bytes, size_t count)
{
    size_t length = 1;

    for (size_t at = 0; at < count && length > 0; at += length)
        length = naive_character(bytes + at, count - at);
    return length > 0;
}

/* Mostly whole characters, of all rows alike or of the first two, now and then a byte that may be
 * wrong there. */
static size_t make(struct test_random *random, uint8_t *bytes)
{
    size_t count = (size_t)test_random_below(random, BYTES_MAX + 1), i = 0;
    bool may_be_wrong = test_random_below(random, 2) == 0;
    size_t rows_used = test_random_below(random, 2) == 0 ? ROWS : ROWS_SHORT;

    while (i < count) {
        size_t row = (size_t)test_random_below(random, rows_used);

        if (may_be_wrong && test_random_below(random, 16) == 0) {
            bytes[i++] = pool[test_random_below(random, sizeof pool)];
            continue;
        }
        for (size_t k = 0; k < rows[row].length && i < count; k++) {
            uint8_t from = k == 0 ? rows[row].lead : k == 1 ? rows[row].second : 0x80;
            uint8_t to = k == 0 ? rows[row].lead_end : k == 1 ? rows[row].second_end : 0xbf;

            bytes[i++] = (uint8_t)(from + test_random_below(random, (uint64_t)(to - from) + 1));
        }
    }
    return count;
}

int main(void)
{
    struct test_random random;
    uint64_t valid = 0, cases = test_amount(100000, 5000000);

    test_begin("cli utf8");
    random = test_random_begin("cli utf8");
    for (uint64_t i = 0; i < cases && test_failures == 0; i++) {
        uint8_t made[BYTES_MAX];
        size_t count = make(&random, made);
        uint8_t *bytes = malloc(count + 1); /* of just so many: sanitizers see a byte more */
        bool expected;

        if (bytes == NULL)
            exit(1);
        memcpy(bytes, made, count);
        expected = naive_is_valid(bytes, count);
        TEST_CHECK(utf8_is_valid(bytes, count) == expected);
        valid += expected;
        free(bytes);
    }
    TEST_CHECK(valid > cases / 10 && valid < cases - cases / 10);
    return test_end();
}
