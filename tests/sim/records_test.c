/* records_test: loaded records in edge cases: no record, no byte, no pattern, a tape of whole KiB,
 * records that span two launches, a device that is lost, invalid arrays. forms_test draws records
 * at random, and few of those are such cases.
 */
#include "calls.h"
#include "cuda/limits.h"
#include "sim_driver.h"
#include "sim_host.h"

#define RECORDS_MAX 600u
#define ARRAYS_MAX 16u
#define STRIPE_BYTES (64u << 10) /* minimum size of a device's part of a text */

/* Memory of device 0, which the simulated device shares with the host. */
static struct cuda_context *context;
static uint64_t arrays[ARRAYS_MAX];
static uint32_t array_count;

static void devices_begin(const struct cuda_limits *limits)
{
    host_devices(1);
    cuda_limits_replace(limits);
    TEST_CHECK(sim_driver_table()->init(0) == 0);
    TEST_CHECK(sim_driver_table()->context_retain(&context, 0) == 0);
}

static void devices_end(void)
{
    const struct cuda_driver *driver = sim_driver_table();
    struct cuda_context *popped;

    TEST_CHECK(driver->context_push(context) == 0);
    while (array_count > 0)
        (void)driver->memory_free(arrays[--array_count]);
    (void)driver->context_pop(&popped);
    (void)driver->context_release(0);
    host_check_driver();
}

static void *put(const void *bytes, uint64_t bytes_count)
{
    struct cuda_context *popped;

    TEST_CHECK(sim_driver_table()->context_push(context) == 0);
    TEST_CHECK(sim_driver_table()->memory_allocate(&arrays[array_count], (size_t)bytes_count + 1) ==
               0);
    TEST_CHECK(sim_driver_table()->context_pop(&popped) == 0);
    memcpy((void *)(uintptr_t)arrays[array_count], bytes, (size_t)bytes_count);
    return (void *)(uintptr_t)arrays[array_count++];
}

/* Loads records from the host's or the device's memory. */
static enum trawl_status load(struct trawl_searcher *searcher, const char *tape,
                              const uint64_t *offsets, uint64_t count, bool there,
                              struct trawl_records **records, struct trawl_error *error)
{
    struct trawl_record_array array = records_of(tape, offsets, count);

    if (there) {
        array.bytes = (const uint8_t *)put(tape, strlen(tape));
        array.offsets = put(offsets, (count + 1) * sizeof *offsets);
    }
    return trawl_records_load(searcher, &array, records, error);
}

/* Requests each record's count, in the host's or the device's memory. Returns the status. */
static enum trawl_status ask(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                             struct trawl_records *records, bool there, uint32_t *counts,
                             uint64_t count, struct trawl_answer *into)
{
    struct trawl_error error;
    enum trawl_status status;

    *into = (struct trawl_answer)TRAWL_ANSWER(TRAWL_RECORDS_BITS);
    memset(counts, 0x77, (size_t)count * sizeof *counts);
    into->values = there ? put(counts, count * sizeof *counts) : counts;
    into->room = count;
    status = ask_records_into(searcher, plan, records, TRAWL_RECORDS_COUNTS, into, &error);
    if (there)
        memcpy(counts, into->values, (size_t)count * sizeof *counts);
    return status;
}

/* No record, records without bytes, and a plan without patterns: all answers are zeros. */
static void nothing(struct trawl_searcher *searcher, bool there, bool to_device)
{
    static const uint64_t offsets[] = {2, 2, 2, 2, 8};
    AUTO_PLAN plan = must_plan("ab");
    AUTO_PLAN none = must_plans(NULL, 0, NULL);

    for (uint64_t count = 0; count <= 4; count++) {
        const struct trawl_plan *asked = count == 4 ? none : plan;
        struct trawl_records *records = NULL;
        struct trawl_answer into;
        uint32_t counts[4];

        MUST(load(searcher, "xxababab", offsets, count, there, &records, NULL));
        CHECK_STATUS(ask(searcher, asked, records, to_device, counts, count, &into), TRAWL_OK);
        TEST_CHECK_U64(into.count, 0);
        for (uint64_t i = 0; i < count; i++)
            TEST_CHECK_U64(counts[i], 0);
        trawl_records_unload(records);
    }
}

/* The tape's last KiB is whole, and each of its records has one more occurrence than the one
 * before. */
static void whole_kib(struct trawl_searcher *searcher, uint64_t kib)
{
    static char tape[4096 + 1];
    static uint64_t offsets[RECORDS_MAX + 1];
    static uint32_t counts[RECORDS_MAX];
    AUTO_PLAN plan = must_plan("#");
    struct trawl_records *records = NULL;
    struct trawl_answer into;
    uint64_t count = kib * 1024 / 64;

    memset(tape, 'x', sizeof tape - 1);
    tape[kib * 1024] = '\0';
    for (uint64_t i = 0; i <= count; i++)
        offsets[i] = 64 * i;
    for (uint64_t i = 0; i < count; i++)
        memset(tape + 64 * i, '#', i % 16);
    MUST(load(searcher, tape, offsets, count, true, &records, NULL));
    CHECK_STATUS(ask(searcher, plan, records, false, counts, count, &into), TRAWL_OK);
    TEST_CHECK_U64(into.on_device, 1);
    for (uint64_t i = 0; i < count; i++)
        TEST_CHECK_U64(counts[i], i % 16);
    trawl_records_unload(records);
}

/* Launches end in the middle of records that have an occurrence before and after that place: each
 * record has one cell. A record that is longer than a launch is left to the host. In the device's
 * memory the tape fills its allocation, so its end is searched in a copy, and records straddle the
 * copy's start. */
static void divided(struct trawl_searcher *searcher, uint64_t record_bytes, bool there)
{
    static char tape[4000 + 1];
    static uint64_t offsets[RECORDS_MAX + 1], rows[RECORDS_MAX], patterns[RECORDS_MAX];
    struct trawl_answer into = TRAWL_ANSWER(TRAWL_RECORDS_BITS);
    AUTO_PLAN plan = must_plan("#");
    struct trawl_records *records = NULL;
    uint64_t count = 4000 / record_bytes;

    memset(tape, 'x', sizeof tape - 1);
    for (uint64_t i = 0; i < 4000; i += 50)
        tape[i] = '#';
    for (uint64_t i = 0; i <= count; i++)
        offsets[i] = record_bytes * i;
    tape[offsets[count]] = '\0';
    MUST(load(searcher, tape, offsets, count, there, &records, NULL));
    into.values = rows;
    into.patterns = patterns;
    into.room = count;
    CHECK_STATUS(ask_records_into(searcher, plan, records, TRAWL_RECORDS_CELLS, &into, NULL),
                 TRAWL_OK);
    TEST_CHECK_U64(into.count, count);
    TEST_CHECK_U64(into.on_device, record_bytes < 700);
    for (uint64_t i = 0; i < count; i++)
        TEST_CHECK(rows[i] == i && patterns[i] == 0);
    trawl_records_unload(records);
}

/* The host counts in records and in a text alternately: in the text, fewer occurrences are whole
 * lines than in the records. */
static void by_turns(void)
{
    static const uint64_t offsets[] = {0, 2, 4, 6};
    AUTO_SEARCHER searcher = must_searcher(1, 0);
    AUTO_PLAN plan = must_plan_with("ab", PLAN_WITH(.flags = TRAWL_WHOLE_LINE));
    AUTO_TEXT text = must_text("ab\nabab", 7);
    struct trawl_records *records = NULL;
    struct trawl_answer into;
    uint32_t counts[3];

    MUST(load(searcher, "ababab", offsets, 3, false, &records, NULL));
    for (int i = 0; i < 3; i++) {
        TEST_CHECK_U64(must_count(searcher, plan, text), 1);
        CHECK_STATUS(ask(searcher, plan, records, false, counts, 3, &into), TRAWL_OK);
        TEST_CHECK(into.count == 3 && counts[0] == 1 && counts[1] == 1 && counts[2] == 1);
    }
    TEST_CHECK_U64(must_count(searcher, plan, text), 1);
    trawl_records_unload(records);
}

/* Texts of this length are split over two devices; a tape is not, so each record is on one device.
 */
static void several_devices(enum trawl_engine engine)
{
    static char tapes[2][3 * STRIPE_BYTES + 1];
    static const uint64_t offsets[] = {0, 2, 4, sizeof tapes[0] - 1};
    struct cuda_limits limits = cuda_limits_default;
    struct trawl_records *records[2] = {NULL, NULL};
    struct trawl_answer into;
    uint32_t counts[3];

    limits.split_bytes_min = STRIPE_BYTES;
    limits.split_overlap = 4;
    cuda_limits_replace(&limits);
    host_devices(2);
    {
        AUTO_SEARCHER searcher = must_searcher_with(SEARCHER_WITH(.engine = engine, .threads = 1));
        AUTO_PLAN plan = must_plan("ab");

        for (uint32_t i = 0; i < 2; i++) {
            memset(tapes[i], 'x', sizeof tapes[i] - 1);
            for (uint64_t at = 0; at < sizeof tapes[i] - 1; at += 1024)
                memcpy(tapes[i] + at, "ab", 2);
            MUST(load(searcher, tapes[i], offsets, 3, false, &records[i], NULL));
            CHECK_STATUS(ask(searcher, plan, records[i], false, counts, 3, &into), TRAWL_OK);
            TEST_CHECK(into.count == 2 && into.on_device == 1 && counts[0] == 1 && counts[1] == 0);
            TEST_CHECK_U64(counts[2], 3 * STRIPE_BYTES / 1024 - 1);
        }
        for (uint32_t i = 0; i < 2; i++)
            trawl_records_unload(records[i]);
    }
    cuda_limits_replace(NULL);
}

/* The device is lost between two calls: the host answers about records in its own memory. */
static void lost(enum trawl_engine engine, bool there)
{
    static const uint64_t offsets[] = {0, 2, 4, 8};
    struct trawl_records *records = NULL;
    struct trawl_searcher *searcher;
    struct trawl_answer into;
    enum trawl_status status;
    uint32_t counts[3];

    devices_begin(NULL);
    searcher = must_searcher_with(SEARCHER_WITH(.engine = engine, .threads = 1));
    {
        AUTO_PLAN plan = must_plan("ab");

        MUST(load(searcher, "abxxabab", offsets, 3, there, &records, NULL));
        CHECK_STATUS(ask(searcher, plan, records, false, counts, 3, &into), TRAWL_OK);
        TEST_CHECK(into.count == 2 && into.on_device == 1 && counts[2] == 2);
        sim_driver_lose(0, 1);
        for (int i = 0; i < 2; i++) {
            status = ask(searcher, plan, records, false, counts, 3, &into);
            if (there || engine == TRAWL_ENGINE_CUDA)
                TEST_CHECK(status == TRAWL_DEVICE || status == TRAWL_UNSUPPORTED ||
                           (!there && status == TRAWL_OK));
            else
                CHECK_STATUS(status, TRAWL_OK);
            if (status == TRAWL_OK)
                TEST_CHECK(into.count == 2 && into.on_device == 0 && counts[0] == 1 &&
                           counts[1] == 0 && counts[2] == 2);
        }
    }
    trawl_records_unload(records);
    trawl_searcher_close(searcher);
    array_count = 0;
    (void)sim_driver_table()->context_release(0);
}

/* Invalid arrays are rejected, with the record's offset, from either memory. */
static void refused(struct trawl_searcher *searcher, bool there)
{
    static const uint64_t descends[] = {0, 4, 3, 8}, vast[] = {0, 4, 1ull << 63, 8},
                          ends[] = {0, 4, 8, UINT64_MAX};
    static const uint64_t *const offsets[] = {descends, vast, ends};
    static const int32_t negative[] = {0, 4, -1, 8}, narrow[] = {0, 6, 2, 8};
    struct trawl_record_array array;
    struct trawl_records *records = NULL;
    struct trawl_error error;

    for (uint32_t i = 0; i < 3; i++) {
        CHECK_STATUS(load(searcher, "abxxabab", offsets[i], 3, there, &records, &error),
                     TRAWL_ARGUMENT);
        TEST_CHECK(i > 0 || error.text_offset == 4);
    }
    for (uint32_t i = 0; i < 2; i++) {
        const int32_t *given = i == 0 ? negative : narrow;

        array = records_of(there ? put("abxxabab", 8) : "abxxabab", NULL, 3);
        array.offsets = there ? put(given, sizeof negative) : (const void *)given;
        array.offset_bytes = 4;
        CHECK_STATUS(trawl_records_load(searcher, &array, &records, &error), TRAWL_ARGUMENT);
        TEST_CHECK_U64(error.text_offset, (uint64_t)given[1]);
    }
    array = records_of("abxxabab", descends, 1);
    array.offsets = put(descends, sizeof descends);
    CHECK_STATUS(trawl_records_load(searcher, &array, &records, &error), TRAWL_ARGUMENT);
    array = records_of(put("abxxabab", 8), descends, 1);
    CHECK_STATUS(trawl_records_load(searcher, &array, &records, &error), TRAWL_ARGUMENT);
    array = records_of("ab", descends, 1);
    array.offset_bytes = 2;
    CHECK_STATUS(trawl_records_load(searcher, &array, &records, &error), TRAWL_ARGUMENT);
    TEST_CHECK(records == NULL);
}

/* Loads records, requests a shape in the device's memory or the host's, and unloads them when no
 * more calls to the driver may fail. Sets *has_failed to true if one has failed. Returns true if a
 * successful call gave the right answer, and a failed one may fail so: if the device failed, which
 * was to fill the arrays, the count is 0. */
static bool survives(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                     const struct trawl_record_array *array, struct trawl_answer *into,
                     enum trawl_what shape, bool *has_failed)
{
    static const uint8_t bits = 5, bytes[] = {1, 0, 1};
    static const uint32_t counts[] = {1, 0, 2};
    static const uint64_t rows[] = {0, 2};
    static const void *const right[] = {&bits, bytes, counts, rows};
    static const size_t sizes[] = {1, sizeof bytes, sizeof counts, sizeof rows};
    struct trawl_records *records = NULL;
    struct trawl_error error;
    enum trawl_status status = trawl_records_load(searcher, array, &records, &error);
    const bool is_loaded = status == TRAWL_OK;

    into->count = 3;
    if (is_loaded)
        status = ask_records_into(searcher, plan, records, shape, into, &error);
    *has_failed = sim_driver_has_failed();
    /* no more calls fail, but objects whose release has failed may be left */
    sim_driver_fail(UINT64_MAX, 0, false);
    trawl_records_unload(records);
    if (status == TRAWL_OK)
        return into->count == 2 && memcmp(into->values, right[shape - TRAWL_RECORDS_BITS],
                                          sizes[shape - TRAWL_RECORDS_BITS]) == 0;
    if (is_loaded && status == TRAWL_DEVICE)
        return into->count == 0;
    return status == TRAWL_MEMORY || status == TRAWL_DEVICE || status == TRAWL_UNSUPPORTED;
}

/* One call to the driver after the other fails while records in a device's memory are loaded and
 * searched. No answer may be wrong, nothing may be left behind, and without the fault the same
 * searcher answers again, unless the device is lost. */
static void faults(enum trawl_what shape, int code, bool to_device)
{
    static const uint64_t offsets[] = {0, 2, 4, 8}, zeros[4];
    struct cuda_limits limits = cuda_limits_default;
    bool has_failed = true, again;
    uint64_t nth = 0;

    limits.lists_min = 1u << 12;
    while (has_failed && test_failures < 5) {
        struct trawl_record_array array;
        struct trawl_answer into = TRAWL_ANSWER(TRAWL_RECORDS_BITS);
        struct trawl_searcher *searcher;
        uint64_t values[4], patterns[4];

        nth++;
        devices_begin(&limits);
        searcher = must_searcher_with(SEARCHER_WITH(.engine = TRAWL_ENGINE_CUDA, .threads = 1));
        {
            AUTO_PLAN plan = must_plan("ab");

            array = records_of(put("abxxabab", 8), put(offsets, sizeof offsets), 3);
            into.values = to_device ? put(zeros, sizeof zeros) : values;
            into.patterns = shape != TRAWL_RECORDS_CELLS ? NULL
                            : to_device                  ? put(zeros, sizeof zeros)
                                                         : patterns;
            into.room = 3;
            sim_driver_fail(nth, code, false);
            if (!TEST_CHECK(survives(searcher, plan, &array, &into, shape, &has_failed)))
                printf("  shape %d, code %d, fault %" PRIu64 "\n", (int)shape, code, nth);
            if (!TEST_CHECK(survives(searcher, plan, &array, &into, shape, &again)))
                printf("  shape %d, code %d, after fault %" PRIu64 "\n", (int)shape, code, nth);
        }
        trawl_searcher_close(searcher);
        devices_end();
    }
    TEST_CHECK(nth > 20);
}

/* Loads records, lists their matches, and rewrites them. Returns the first status that is not OK.
 */
static enum trawl_status rewrite_matches(struct trawl_searcher *searcher,
                                         const struct trawl_plan *plan,
                                         const struct trawl_record_array *array,
                                         struct trawl_answer *matches,
                                         struct trawl_rewrite *rewrite, struct trawl_error *error)
{
    struct trawl_records *records = NULL;
    enum trawl_status status = trawl_records_load(searcher, array, &records, error);

    if (status == TRAWL_OK)
        status = trawl_ask_records(searcher, plan, records, matches, error);
    if (status == TRAWL_OK)
        status = trawl_records_rewrite(searcher, records, rewrite, error);
    trawl_records_unload(records);
    return status;
}

/* Each member of the struct is wrong in turn. */
static void wrong_members(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                          const struct trawl_record_array *array, struct trawl_answer *matches,
                          struct trawl_rewrite rewrite)
{
    struct trawl_answer narrow = *matches;
    struct trawl_error error;

    narrow.cell_bytes = 2;
    for (uint32_t i = 0; i < 17; i++) {
        const struct trawl_value no_bytes = {NULL, 1};
        struct trawl_rewrite wrong = rewrite;
        enum trawl_status status;

        wrong.how = i == 0 ? (enum trawl_rewriting)5 : i == 1 ? TRAWL_SPLIT : wrong.how;
        wrong.flags = i == 2 ? 0 : wrong.flags;
        wrong.matches = i == 3 ? NULL : i == 15 ? &narrow : wrong.matches;
        wrong.values = i == 16 ? &no_bytes : wrong.values;
        wrong.values_count = i == 4 ? 0 : i == 5 ? 2 : 1; /* several need patterns */
        wrong.offset_bytes = i == 6 ? 1 : 8;
        wrong.offsets = i == 7 ? NULL : i == 8 ? &wrong : wrong.offsets;
        wrong.offsets = i == 9 ? (uint8_t *)wrong.offsets + 4 : wrong.offsets;
        wrong.bytes = i == 10 ? (uint8_t *)wrong.bytes + 8 : wrong.bytes;
        wrong.room = i == 11 ? 9 : 16;
        if (i >= 12 && i < 15) { /* no plan, no such group, no bitmap */
            wrong.how = TRAWL_GROUP;
            wrong.values = NULL;
            wrong.values_count = 0;
            wrong.plan = i == 12 ? NULL : plan;
            wrong.group = 1;
            wrong.validity = i == 14 ? NULL : wrong.offsets;
        }
        status = rewrite_matches(searcher, plan, array, matches, &wrong, &error);
        if (!TEST_CHECK(status == (i == 11 ? TRAWL_LIMIT : TRAWL_ARGUMENT)))
            printf("  wrong member %u: status %d\n", i, (int)status);
    }
}

/* Each call to the driver fails in turn. expression: its first group is found; NULL: a string is
 * replaced. */
static void rewritten(int code, const char *expression)
{
    static const uint64_t offsets[] = {0, 5, 6, 6, 8}, zeros[8];
    static const uint64_t right[][5] = {{0, 7, 8, 8, 10}, {0, 1, 1, 1, 1}};
    static const uint8_t valid = 7;
    const bool groups = expression != NULL;
    static const struct trawl_value stars[] = {{"**", 2}, {"*", 1}};
    struct cuda_limits limits = cuda_limits_default;
    bool has_failed = true;
    uint64_t nth = 0;

    limits.lists_min = 1u << 12;
    while (has_failed && test_failures < 5) {
        struct trawl_answer matches = TRAWL_ANSWER(TRAWL_RECORDS_MATCHES);
        struct trawl_rewrite rewrite = {.size = sizeof rewrite, .how = TRAWL_REPLACE};
        struct trawl_record_array array;
        struct trawl_searcher *searcher;
        struct trawl_error error;
        enum trawl_status status;

        nth++;
        devices_begin(&limits);
        searcher = must_searcher_with(SEARCHER_WITH(.engine = TRAWL_ENGINE_CUDA, .threads = 1));
        {
            AUTO_PLAN plan = groups ? must_plan_with(expression, PLAN_WITH(.syntax = TRAWL_PERL))
                                    : must_plan("b");

            array = records_of(put("babaaxab", 8), put(offsets, sizeof offsets), 4);
            array.validity = (const uint8_t *)put(&valid, 1);
            matches.values = put(zeros, sizeof zeros);
            matches.begins = put(zeros, sizeof zeros);
            matches.ends = put(zeros, sizeof zeros);
            matches.room = 8;
            rewrite.matches = &matches;
            rewrite.flags = TRAWL_SPANS;
            rewrite.values = groups ? NULL : stars;
            rewrite.values_count = groups ? 0 : 1;
            rewrite.offsets = put(zeros, sizeof zeros);
            rewrite.offset_bytes = 8;
            rewrite.bytes = put(zeros, sizeof zeros);
            rewrite.room = 16;
            if (groups) {
                rewrite.how = TRAWL_GROUP;
                rewrite.plan = plan;
                rewrite.group = 1;
                rewrite.validity = put(zeros, sizeof zeros);
            }
            sim_driver_fail(nth, code, false);
            status = rewrite_matches(searcher, plan, &array, &matches, &rewrite, &error);
            has_failed = sim_driver_has_failed();
            sim_driver_fail(UINT64_MAX, 0, false);
            TEST_CHECK(status == TRAWL_OK ||
                       (has_failed && (status == TRAWL_MEMORY || status == TRAWL_DEVICE ||
                                       status == TRAWL_UNSUPPORTED)));
            status = rewrite_matches(searcher, plan, &array, &matches, &rewrite, &error);
            if (status == TRAWL_OK || !has_failed) {
                TEST_CHECK(status == TRAWL_OK && rewrite.count == right[groups][4] &&
                           rewrite.strings == 4);
                TEST_CHECK(memcmp(rewrite.offsets, right[groups], sizeof right[groups]) == 0 &&
                           memcmp(rewrite.bytes, groups ? "a" : "**a**aaxab", rewrite.count) == 0 &&
                           (!groups || *(const uint32_t *)rewrite.validity == 1));
            }
            if (!has_failed && !groups)
                wrong_members(searcher, plan, &array, &matches, rewrite);
        }
        trawl_searcher_close(searcher);
        devices_end();
    }
    TEST_CHECK(nth > 20);
}

static void borders(void)
{
    static const uint64_t record_bytes[] = {50, 60, 64, 100, 333, 500, 650};
    struct cuda_limits limits = cuda_limits_default;
    struct trawl_searcher *searcher;

    limits.lists_min = 1u << 12;
    limits.launch_begins_max = 700;
    limits.text_bytes_max = 5000;
    limits.tail_bytes = 1000;
    devices_begin(&limits);
    searcher = must_searcher_with(SEARCHER_WITH(.engine = TRAWL_ENGINE_CUDA, .threads = 1));
    for (uint32_t i = 0; i < sizeof record_bytes / sizeof *record_bytes; i++) {
        divided(searcher, record_bytes[i], false);
        divided(searcher, record_bytes[i], true);
    }
    divided(searcher, 2000, false);
    trawl_searcher_close(searcher);
    devices_end();
    limits.launch_begins_max = cuda_limits_default.launch_begins_max;
    for (uint32_t i = 0; i < 4; i++) {
        devices_begin(&limits);
        searcher = must_searcher_with(SEARCHER_WITH(.engine = TRAWL_ENGINE_CUDA, .threads = 1));
        nothing(searcher, i % 2 != 0, i / 2 != 0);
        trawl_searcher_close(searcher);
        devices_end();
    }
    for (uint64_t kib = 1; kib <= 4; kib++) {
        devices_begin(&limits);
        searcher = must_searcher_with(SEARCHER_WITH(.engine = TRAWL_ENGINE_CUDA, .threads = 1));
        whole_kib(searcher, kib);
        trawl_searcher_close(searcher);
        devices_end();
    }
    for (uint32_t there = 0; there < 2; there++) {
        devices_begin(&limits);
        searcher = must_searcher_with(SEARCHER_WITH(.engine = TRAWL_ENGINE_CUDA, .threads = 1));
        refused(searcher, there != 0);
        trawl_searcher_close(searcher);
        devices_end();
    }
}

int main(void)
{
    test_begin("sim records");
    cuda_driver_replace(sim_driver_table());
    borders();
    by_turns();
    rewritten(CUDA_CODE_OUT_OF_MEMORY, NULL);
    rewritten(CUDA_CODE_LAUNCH_FAILED, NULL);
    rewritten(CUDA_CODE_OUT_OF_MEMORY, "b(a?)");
    rewritten(CUDA_CODE_LAUNCH_FAILED, "b(a?)");
    several_devices(TRAWL_ENGINE_AUTO);
    several_devices(TRAWL_ENGINE_CUDA);
    for (uint32_t i = 0; i < 4; i++) {
        faults((enum trawl_what)(TRAWL_RECORDS_BITS + i), CUDA_CODE_OUT_OF_MEMORY, i % 2 == 0);
        faults((enum trawl_what)(TRAWL_RECORDS_BITS + i), CUDA_CODE_LAUNCH_FAILED, i % 2 != 0);
    }
    for (uint32_t i = 0; i < 4; i++)
        lost(i % 2 == 0 ? TRAWL_ENGINE_AUTO : TRAWL_ENGINE_CUDA, i / 2 != 0);
    return test_end();
}
