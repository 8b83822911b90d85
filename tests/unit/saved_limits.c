/* saved_limits: saved plans whose numbers are at their limits, with checksums that fit, as somebody
 * would make them: refused, or searched with exact answers. */
#include <fcntl.h>
#include <unistd.h>

#include "oracle/naive.h"
#include "unit/mend.h"
#include "calls.h"

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
    bytes = end > 0 ? calloc(1, (size_t)end + 16) : NULL; /* the last number has a next one */
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
    AUTO_TEXT searched = must_text(text_bytes, TEXT_BYTES);
    uint64_t count = 0, expected_count;
    bool same;

    if (query.pattern_count > PATTERNS_MAX)
        return false;
    if (trawl_plan_errors(plan, NULL, NULL, NULL)) /* this oracle knows none */
        return true;
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
        AUTO_PLAN plan = NULL;
        enum trawl_status status;

        memcpy(bytes + at, &values[i], size);
        saved_mend(bytes, bytes_count);
        status = trawl_plan_load_memory(bytes, bytes_count, NULL, &plan, NULL);
        if (status == TRAWL_OK) {
            ++*loaded;
            wrong += !is_exact(plan);
        } else { /* ARGUMENT: it asks for what load options have */
            TEST_CHECK(plan == NULL && (status == TRAWL_FORMAT || status == TRAWL_ARGUMENT));
        }
    }
    memcpy(bytes + at, &was, size);
    return wrong;
}

/* Every number of the header and of the patterns' ends. */
static void numbers(struct test_random *random, uint64_t patterns)
{
    uint64_t bytes_count, wrong = 0, loaded = 0;
    uint8_t *bytes = save_small(random, patterns, &bytes_count);
    uint64_t end = sizeof(struct plan_saved_header) + patterns * sizeof(uint64_t);

    for (uint64_t size = 8; size > 0; size /= 2)
        for (uint64_t at = 0; at < end; at += size)
            wrong += limits_at(bytes, bytes_count, at, size, &loaded);
    printf("%" PRIu64 " patterns: %" PRIu64 " loaded\n", patterns, loaded);
    TEST_CHECK(loaded > 0);
    TEST_CHECK_U64(wrong, 0);
    free(bytes);
}

/* Cut off at each byte, with a header that says so: the last pattern ends later. */
static void cut(struct test_random *random, uint64_t patterns)
{
    uint64_t bytes_count, accepted = 0;
    uint8_t *bytes = save_small(random, patterns, &bytes_count);
    struct plan_saved_header *header = (struct plan_saved_header *)(void *)bytes;
    struct trawl_plan *plan = NULL;

    for (uint64_t count = sizeof *header; count < bytes_count; count++) {
        header->pattern_bytes = count - sizeof *header - patterns * sizeof(uint64_t); /* may wrap */
        saved_mend(bytes, count);
        accepted += trawl_plan_load_memory(bytes, count, NULL, &plan, NULL) != TRAWL_FORMAT;
    }
    TEST_CHECK_U64(accepted, 0);
    free(bytes);
}

/* Sums that only fit modulo 2^64, and bytes that belong to two or to nobody. */
static void sums(struct test_random *random)
{
    uint64_t bytes_count;
    uint8_t *bytes = save_small(random, 3, &bytes_count);
    struct plan_saved_header *header = (struct plan_saved_header *)(void *)bytes;
    uint64_t *ends = (uint64_t *)(void *)(bytes + sizeof *header);
    struct trawl_plan *plan = NULL;

    for (uint64_t more = 1ull << 63; more > 0; more /= 2) {
        for (uint32_t i = 0; i < 2; i++) { /* the last pattern ends there, too */
            header->pattern_bytes += i == 0 ? more : 0;
            header->note_bytes -= i == 0 ? more : 0;
            ends[2] += i == 0 ? 0 : more;
            saved_mend(bytes, bytes_count);
            CHECK_ERROR(trawl_plan_load_memory(bytes, bytes_count, NULL, &plan, error),
                        TRAWL_FORMAT);
        }
        header->pattern_bytes -= more;
        header->note_bytes += more;
        ends[2] -= more;
    }
    for (uint32_t i = 0; i < 2; i++) {
        header->pattern_bytes -= i == 0; /* bytes of the last pattern are the note's, */
        header->note_bytes += i == 0;
        ends[2] -= 2 * i; /* or nobody's */
        saved_mend(bytes, bytes_count);
        CHECK_ERROR(trawl_plan_load_memory(bytes, bytes_count, NULL, &plan, error), TRAWL_FORMAT);
    }
    TEST_CHECK(plan == NULL);
    free(bytes);
}

/* A pattern of no bytes, which no plan is built with, in a file that is consistent otherwise. */
static void no_bytes(struct test_random *random)
{
    uint64_t bytes_count;
    uint8_t *bytes = save_small(random, 1, &bytes_count);
    struct plan_saved_header *header = (struct plan_saved_header *)(void *)bytes;
    AUTO_PLAN plan = NULL;

    memset(bytes + sizeof *header, 0, sizeof(uint64_t)); /* where it ends */
    header->pattern_bytes = 0;
    saved_mend(bytes, sizeof *header + sizeof(uint64_t));
    CHECK_ERROR(
        trawl_plan_load_memory(bytes, sizeof *header + sizeof(uint64_t), NULL, &plan, error),
        TRAWL_FORMAT);
    header->pattern_count = 0; /* no pattern is fine */
    saved_mend(bytes, sizeof *header);
    MUST(trawl_plan_load_memory(bytes, sizeof *header, NULL, &plan, NULL));
    TEST_CHECK_U64(trawl_plan_pattern_count(plan), 0);
    free(bytes);
}

int main(void)
{
    static const uint64_t counts[] = {1, 3, PATTERNS_MAX};
    struct test_random random = test_random_begin("saved_limits");

    test_begin("saved_limits");
    searcher = must_searcher(1, 0);
    for (uint32_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        numbers(&random, counts[i]);
        cut(&random, counts[i]);
    }
    sums(&random);
    no_bytes(&random);
    trawl_searcher_close(searcher);
    return test_end();
}
