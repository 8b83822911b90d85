/* superstrings_test: strings that contain others are left out, by hand and against every pair. */
#include "test.h"
#include "trawl/superstrings.h"

#define STRINGS_MAX 3000u
#define BYTES_MAX 40u

static uint8_t to_lower(uint8_t byte, bool fold)
{
    return fold && byte >= 'A' && byte <= 'Z' ? (uint8_t)(byte | 0x20) : byte;
}

static bool contains(const struct trawl_pattern *text, const struct trawl_pattern *part, bool fold)
{
    const uint8_t *bytes = text->bytes, *wanted = part->bytes;

    for (uint64_t at = 0; at + part->bytes_count <= text->bytes_count; at++) {
        uint64_t same = 0;

        while (same < part->bytes_count &&
               to_lower(bytes[at + same], fold) == to_lower(wanted[same], fold))
            same++;
        if (same == part->bytes_count)
            return true;
    }
    return false;
}

/* Those kept are some of those given, in their order; each other one contains one of them. */
static uint64_t check_set(const struct trawl_pattern *given, uint64_t given_count, bool fold)
{
    static struct trawl_pattern kept[STRINGS_MAX];
    uint64_t count = given_count, next = 0;
    bool good = true;

    memcpy(kept, given, (size_t)given_count * sizeof *kept);
    superstrings_leave_out(kept, &count, fold);
    for (uint64_t i = 0; i < given_count && good; i++) {
        bool found = false;

        if (next < count && kept[next].bytes == given[i].bytes) {
            good = kept[next++].bytes_count == given[i].bytes_count;
            continue;
        }
        for (uint64_t j = 0; j < count && !found; j++)
            found =
                kept[j].bytes_count < given[i].bytes_count && contains(&given[i], &kept[j], fold);
        good = found;
    }
    TEST_CHECK(good && next == count);
    return count;
}

static uint64_t check_strings(const char *const *strings, uint64_t count, bool fold)
{
    struct trawl_pattern given[16];

    for (uint64_t i = 0; i < count; i++) {
        given[i].bytes = strings[i];
        given[i].bytes_count = strlen(strings[i]);
    }
    return check_set(given, count, fold);
}

static void check_by_hand(void)
{
    static const char *const nested[] = {"===", "=", "====", "=="};
    static const char *const apart[] = {"ab", "bc", "cde", "aca"};
    static const char *const cases[] = {"xAb", "aB", "AB_", "b"};
    static const char *const rounds[] = {"a", "bb", "ccc", "dddd", "xa", "xbb", "xccc", "xddddx"};

    TEST_CHECK_U64(check_strings(nested, 4, false), 1);
    TEST_CHECK_U64(check_strings(apart, 4, false), 4);
    TEST_CHECK_U64(check_strings(cases, 4, false), 3);
    TEST_CHECK_U64(check_strings(cases, 4, true), 1);
    TEST_CHECK_U64(check_strings(rounds, 8, false), 4);
    TEST_CHECK_U64(check_strings(apart, 1, false), 1);
    TEST_CHECK_U64(check_strings(apart, 0, false), 0);
}

static void check_random(struct test_random *random)
{
    static uint8_t bytes[STRINGS_MAX][BYTES_MAX];
    static struct trawl_pattern given[STRINGS_MAX];
    bool many = test_random_one_in(random, 20);
    uint64_t drawn = test_random_between(random, 1, many ? STRINGS_MAX : 60), count = 0;
    uint64_t letters = test_random_between(random, 1, many ? 20 : 5);
    uint64_t least = test_random_between(random, 1, 12);

    for (uint64_t i = 0; i < drawn; i++) {
        uint64_t length = test_random_between(random, least, BYTES_MAX);
        bool twice = false;

        for (uint64_t j = 0; j < length; j++)
            bytes[i][j] = (uint8_t)((test_random_one_in(random, 4) ? 'A' : 'a') +
                                    test_random_below(random, letters));
        given[count].bytes = bytes[i];
        given[count].bytes_count = length;
        for (uint64_t j = 0; j < count && !twice; j++)
            twice = given[j].bytes_count == length && memcmp(given[j].bytes, bytes[i], length) == 0;
        count += !twice;
    }
    check_set(given, count, test_random_one_in(random, 2));
}

int main(void)
{
    struct test_random random = test_random_begin("cli_superstrings");
    uint64_t amount = test_amount(200, 10000);

    check_by_hand();
    for (uint64_t i = 0; i < amount; i++)
        check_random(&random);
    return test_end();
}
