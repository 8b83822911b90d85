/* saved_limits: saved plans whose numbers are at their limits, with sums that fit, as somebody
 * would make them: refused, or searched with exact answers.
 *
 * Random numbers at random places (unit_saved) meet hardly any limit, and what they were accepted
 * with was not held against the oracle. */
#include <fcntl.h>
#include <unistd.h>

#include "oracle/naive.h"
#include "unit/mend.h"
#include "unit/unit.h"

#define PATTERNS_MAX 64u
#define TEXT_BYTES 300u
#define MATCHES_MAX (4 * TEXT_BYTES)
#define VALUES 10

static uint8_t text_bytes[TEXT_BYTES];
static struct trawl_searcher *searcher;

/* A plan of so many patterns of 1 to 9 letters, as a file has it. */
static uint8_t *save_small(struct test_random *random, uint64_t count, uint64_t *bytes_count)
{
    char path[] = "/tmp/trawl-limits-XXXXXX";
    struct trawl_pattern patterns[PATTERNS_MAX];
    uint8_t letters[PATTERNS_MAX][9], *bytes;
    struct trawl_plan *plan = NULL;
    int file = mkstemp(path);
    off_t end;

    for (uint64_t i = 0; i < count; i++) {
        patterns[i] = (struct trawl_pattern){letters[i], 1 + test_random_below(random, 9)};
        for (uint64_t j = 0; j < sizeof letters[i]; j++)
            letters[i][j] = (uint8_t)('a' + test_random_below(random, 6));
    }
    for (uint64_t at = 0; at < TEXT_BYTES; at++)
        text_bytes[at] = letters[at / 9 % count][at % 9];
    MUST(trawl_plan_build(patterns, count, NULL, &plan, NULL));
    MUST(trawl_plan_save(plan, path, NULL, NULL));
    trawl_plan_free(plan);
    (void)close(file);
    file = open(path, O_RDONLY | O_CLOEXEC);
    end = lseek(file, 0, SEEK_END);
    bytes = end > 0 ? malloc((size_t)end) : NULL;
    if (bytes == NULL || pread(file, bytes, (size_t)end, 0) != (ssize_t)end)
        exit(1);
    (void)close(file);
    (void)unlink(path);
    *bytes_count = (uint64_t)end;
    return bytes;
}

/* Does the plan find of the patterns that it says it has what the oracle finds? */
static bool is_exact(const struct trawl_plan *plan)
{
    static struct naive_match expected[MATCHES_MAX];
    static struct trawl_match got[MATCHES_MAX];
    struct naive_bytes patterns[PATTERNS_MAX], text = {text_bytes, TEXT_BYTES};
    struct naive_query query = {patterns, trawl_plan_pattern_count(plan), trawl_plan_flags(plan),
                                trawl_plan_line_end(plan)};
    struct trawl_text *searched = unit_text(text_bytes, TEXT_BYTES);
    uint64_t count = 0, expected_count;
    bool same;

    if (query.pattern_count > PATTERNS_MAX)
        return false;
    for (uint64_t i = 0; i < query.pattern_count; i++) {
        struct trawl_pattern pattern = trawl_plan_pattern(plan, i);

        patterns[i] = (struct naive_bytes){pattern.bytes, pattern.bytes_count};
        if (pattern.bytes_count == 0)
            return false;
    }
    expected_count = naive_matches(&query, text, expected, MATCHES_MAX);
    MUST(trawl_positions_into(searcher, plan, searched, got, MATCHES_MAX, &count, NULL));
    same = count == expected_count;
    for (uint64_t i = 0; i < count && i < MATCHES_MAX && same; i++)
        same = got[i].begin == expected[i].begin && got[i].end == expected[i].end &&
               got[i].pattern_index == expected[i].pattern_index;
    trawl_text_close(searched);
    return same;
}

/* The number of `size` bytes at `at` is one more or less, the next one, or at a limit. Returns how
 * many plans were accepted and are not exact. */
static uint64_t limits_at(uint8_t *bytes, uint64_t bytes_count, uint64_t at, uint64_t size,
                          uint64_t *loaded)
{
    uint64_t was = 0, next = 0, wrong = 0;

    memcpy(&was, bytes + at, size);
    memcpy(&next, bytes + at + size, size);
    for (uint32_t i = 0; i < VALUES; i++) {
        const uint64_t values[VALUES] = {was + 1,    was - 1,    next,         next - 1,
                                         0,          1,          PATTERNS_MAX, PATTERNS_MAX + 1,
                                         UINT64_MAX, bytes_count};
        struct trawl_plan *plan = NULL;
        enum trawl_status status;

        memcpy(bytes + at, &values[i], size);
        image_mend(bytes, bytes_count);
        status = trawl_plan_load_memory(bytes, bytes_count, NULL, &plan, NULL);
        if (status == TRAWL_OK) {
            ++*loaded;
            wrong += !is_exact(plan);
        } else { /* ARGUMENT: it asks for what load options have */
            TEST_CHECK(plan == NULL && (status == TRAWL_FORMAT || status == TRAWL_ARGUMENT));
        }
        trawl_plan_free(plan);
    }
    memcpy(bytes + at, &was, size);
    return wrong;
}

/* Every number of the header and of the patterns' places. The bytes of tables may be any: what they
 * must not do is for unit_saved. */
static void numbers(struct test_random *random, uint64_t patterns)
{
    uint64_t bytes_count, wrong = 0, loaded = 0, step = TEST_SANITIZED && !test_is_long() ? 7 : 1;
    uint8_t *bytes = save_small(random, patterns, &bytes_count);
    const struct plan_image_header *header = (const struct plan_image_header *)(void *)bytes;
    uint64_t end = header->sections[0].offset + header->sections[0].bytes_count;

    for (uint64_t at = 0; at < end; at += 8 * step)
        wrong += limits_at(bytes, bytes_count, at, 8, &loaded);
    for (uint64_t at = 0; at < end; at += 4 * step)
        wrong += limits_at(bytes, bytes_count, at, 4, &loaded);
    for (uint64_t at = 0; at < offsetof(struct plan_image_header, sections); at += step)
        wrong += limits_at(bytes, bytes_count, at, 1, &loaded);
    printf("%" PRIu64 " patterns: %" PRIu64 " loaded\n", patterns, loaded);
    TEST_CHECK(loaded > 0);
    TEST_CHECK_U64(wrong, 0);
    free(bytes);
}

/* Cut off at each byte, with a header that says so. */
static void cut(struct test_random *random, uint64_t patterns)
{
    uint64_t bytes_count, accepted = 0;
    uint8_t *bytes = save_small(random, patterns, &bytes_count);
    struct plan_image_header *header = (struct plan_image_header *)(void *)bytes;
    struct trawl_plan *plan = NULL;

    for (uint64_t count = sizeof *header; count < bytes_count; count += count < 3000 ? 1 : 61) {
        header->image_bytes = count;
        image_mend(bytes, count);
        accepted += trawl_plan_load_memory(bytes, count, NULL, &plan, NULL) != TRAWL_FORMAT;
    }
    TEST_CHECK_U64(accepted, 0);
    free(bytes);
}

/* A pattern of no bytes, which no plan is built with, in a file that is consistent otherwise. */
static void no_bytes(struct test_random *random)
{
    uint64_t bytes_count;
    uint8_t *bytes = save_small(random, 1, &bytes_count);
    struct plan_image_header *header = (struct plan_image_header *)(void *)bytes;
    struct trawl_plan *plan = NULL;

    TEST_CHECK_U64(header->section_count, 2);
    memset(bytes + header->sections[0].offset, 0, 2 * sizeof(uint64_t)); /* where it begins, ends */
    header->sections[1].bytes_count = 0;
    header->image_bytes = header->sections[1].offset;
    image_mend(bytes, header->image_bytes);
    CHECK_ERROR(trawl_plan_load_memory(bytes, header->image_bytes, NULL, &plan, error),
                TRAWL_FORMAT);
    trawl_plan_free(plan);
    free(bytes);
}

int main(void)
{
    static const uint64_t counts[] = {1, 3, PATTERNS_MAX};
    struct test_random random = test_random_begin("saved_limits");

    test_begin("saved_limits");
    searcher = unit_searcher(1, 0);
    for (uint32_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        numbers(&random, counts[i]);
        cut(&random, counts[i]);
    }
    no_bytes(&random);
    trawl_searcher_close(searcher);
    return test_end();
}
