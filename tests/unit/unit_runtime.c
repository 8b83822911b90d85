/* unit_runtime: checks many searchers that use one runtime (threads and memory) at the same time;
 * searches whose results are pulled, abandoned or cancelled; and the limit for the memory of
 * chunks. */
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "oracle/oracle_naive.h"
#include "calls.h"

#define TEXT_BYTES ((uint64_t)150000)
#define WORKERS 6
#define MATCHES_MAX 120000

static uint8_t bytes[TEXT_BYTES];
static struct naive_match expected[MATCHES_MAX];
static uint64_t expected_lines[MATCHES_MAX];
static uint64_t expected_count;
static char path[] = "/tmp/trawl-runtime-XXXXXX";

static const struct naive_bytes patterns[] = {
    {(const uint8_t *)"ab", 2}, {(const uint8_t *)"b\nc", 3}, {(const uint8_t *)"abca", 4}};

static void make_text(void)
{
    struct naive_query query = {patterns, 3, 0, '\n', false, 0};
    struct test_random random = test_random_begin("runtime");
    uint64_t line = 0, at = 0;
    int file = mkstemp(path);

    for (uint64_t i = 0; i < TEXT_BYTES; i++)
        bytes[i] = (uint8_t) "abc\n"[test_random_below(&random, 4)];
    expected_count =
        naive_matches(&query, (struct naive_bytes){bytes, TEXT_BYTES}, expected, MATCHES_MAX);
    TEST_CHECK(expected_count > 10000 && expected_count <= MATCHES_MAX);
    for (uint64_t i = 0; i < expected_count; i++) {
        for (; at < expected[i].begin; at++)
            line += bytes[at] == '\n';
        expected_lines[i] = line;
    }
    if (file < 0 || write(file, bytes, TEXT_BYTES) != (ssize_t)TEXT_BYTES)
        exit(1);
    (void)close(file);
}

static struct trawl_plan *make_plan_by(enum trawl_method method)
{
    struct trawl_pattern given[3];
    struct trawl_plan *plan = NULL;

    for (uint32_t i = 0; i < 3; i++)
        given[i] = (struct trawl_pattern){patterns[i].bytes, patterns[i].bytes_count};
    MUST(trawl_plan_build(given, 3, PLAN_WITH(.method = method), &plan, NULL));
    return plan;
}

static struct trawl_plan *make_plan(void)
{
    return make_plan_by(TRAWL_METHOD_AUTO);
}

/* Pulls batches, at most batches_max or until the last one, and checks the occurrences. Returns the
 * number of occurrences, or UINT64_MAX if one was wrong. */
static uint64_t pull(struct trawl_search *search, uint64_t batches_max, bool lines, bool *ended)
{
    uint64_t count = 0, end = 0, wrong = 0;

    *ended = false;
    for (uint64_t b = 0; b < batches_max && !*ended; b++) {
        struct trawl_batch batch = {.size = sizeof batch};

        if (trawl_search_next(search, &batch, NULL) != TRAWL_OK)
            return UINT64_MAX;
        wrong += batch.text_begin != end || batch.text_end < end;
        end = batch.text_end;
        for (uint64_t i = 0; i < batch.match_count && count < expected_count; i++, count++)
            wrong += batch.begins[i] != expected[count].begin ||
                     batch.ends[i] != expected[count].end ||
                     batch.pattern_indices[i] != expected[count].pattern_index ||
                     (lines && batch.line_numbers[i] != expected_lines[count]);
        wrong += !lines && batch.line_numbers != NULL;
        *ended = batch.last;
    }
    wrong += *ended && end != TEXT_BYTES;
    return wrong == 0 ? count : UINT64_MAX;
}

static void pulls(struct trawl_plan *plan, uint32_t threads, uint64_t chunk_bytes, bool from_file)
{
    AUTO_RUNTIME runtime = must_runtime(TRAWL_ENGINE_CPU, threads, 0);
    AUTO_SEARCHER searcher = must_searcher_of(runtime, chunk_bytes);
    struct trawl_text *text = must_text(bytes, TEXT_BYTES), *file = NULL;
    struct trawl_search *search = NULL;
    struct trawl_batch batch = {.size = sizeof batch};
    uint64_t total = 0;
    bool ended;

    MUST(call_file(path, 0, &file, NULL));
    for (uint32_t flags = 0; flags <= TRAWL_LINE_ENDS; flags += TRAWL_LINE_ENDS) {
        MUST(trawl_search_open(searcher, plan, from_file ? file : text, flags, &search, NULL));
        CHECK_ERROR(trawl_count(searcher, plan, text, &total, error), TRAWL_BUSY);
        TEST_CHECK_U64(pull(search, UINT64_MAX, flags != 0, &ended), expected_count);
        CHECK_REFUSED(trawl_search_next(search, &batch, error));
        trawl_search_close(search);
        /* Closes a search after two batches; the searcher must then be free again. */
        MUST(trawl_search_open(searcher, plan, from_file ? file : text, flags, &search, NULL));
        TEST_CHECK(pull(search, 2, flags != 0, &ended) != UINT64_MAX);
        trawl_search_close(search);
        /* A call with an invalid struct size must not lose a batch. */
        MUST(trawl_search_open(searcher, plan, from_file ? file : text, flags, &search, NULL));
        batch = (struct trawl_batch){.size = offsetof(struct trawl_batch, line_numbers)};
        CHECK_REFUSED(trawl_search_next(search, &batch, error));
        TEST_CHECK_U64(pull(search, UINT64_MAX, flags != 0, &ended), expected_count);
        trawl_search_close(search);
    }
    trawl_text_close(file);
    trawl_text_close(text);
}

/* Checks that the matches of a search in batches are the expected spans. */
static void check_spans(struct trawl_plan *plan, const struct trawl_match *right, uint64_t count,
                        const uint8_t *from, uint64_t bytes_count, uint32_t flags,
                        uint64_t chunk_bytes)
{
    AUTO_SEARCHER searcher = must_searcher(2, chunk_bytes);
    AUTO_TEXT text = must_text(from, bytes_count);
    struct trawl_batch batch = {.size = sizeof batch};
    struct trawl_search *search = NULL;
    uint64_t seen = 0;
    bool good = true;

    MUST(trawl_search_open(searcher, plan, text, flags, &search, NULL));
    while (!batch.last) {
        MUST(trawl_search_next(search, &batch, NULL));
        for (uint64_t i = 0; i < batch.match_count; i++, seen++)
            good &= seen < count && batch.begins[i] == right[seen].begin &&
                    batch.ends[i] == right[seen].end &&
                    batch.pattern_indices[i] == right[seen].pattern_index;
    }
    trawl_search_close(search);
    if (!TEST_CHECK(good && seen == count))
        printf("  flags %u, chunks of %" PRIu64 "\n", flags, chunk_bytes);
}

/* Batches have matches that do not overlap, also across chunks: the longest, or the first pattern,
 * and of equally long matches with errors one with the fewest. */
static void spans_in_batches(void)
{
    static const char *const words[] = {"ab", "aba", "b", "abab", "ba"};
    static const uint64_t chunks[] = {0, 1, 7, 64};
    struct trawl_pattern strings[5];
    const struct trawl_pattern near[] = {{"abc", 3}, {"abd", 3}};
    AUTO_PLAN errors = must_plans(near, 2, PLAN_WITH(.mismatches_max = 1));
    struct test_random random = test_random_begin("spans");
    uint8_t letters[500];

    for (uint32_t i = 0; i < 5; i++)
        strings[i] = (struct trawl_pattern){words[i], strlen(words[i])};
    for (uint64_t i = 0; i < sizeof letters; i++)
        letters[i] = (uint8_t)("abababc"[test_random_below(&random, 7)]);
    for (uint32_t turn = 0; turn < 8; turn++) {
        AUTO_PLAN plan = must_plans(strings, 5, NULL);
        const bool longest = turn % 2 == 0;
        struct trawl_match right[sizeof letters];
        uint64_t count = 0, at = 0;

        while (at < sizeof letters) {
            uint64_t best = 5;

            for (uint64_t i = 0; i < 5; i++)
                if (strings[i].bytes_count <= sizeof letters - at &&
                    memcmp(letters + at, words[i], (size_t)strings[i].bytes_count) == 0 &&
                    (best == 5 || (longest && strings[i].bytes_count > strings[best].bytes_count)))
                    best = i;
            if (best < 5)
                right[count++] =
                    (struct trawl_match){at, at + strings[best].bytes_count, (uint32_t)best, 0, 0};
            at += best < 5 ? strings[best].bytes_count : 1;
        }
        check_spans(plan, right, count, letters, sizeof letters,
                    longest ? TRAWL_SPANS : TRAWL_SPANS_FIRST, chunks[turn / 2]);
    }
    check_spans(errors, &(struct trawl_match){0, 3, 1, 0, 0}, 1, (const uint8_t *)"abd", 3,
                TRAWL_SPANS, 0);
    check_spans(errors, &(struct trawl_match){0, 3, 0, 0, 0}, 1, (const uint8_t *)"abd", 3,
                TRAWL_SPANS_FIRST, 0);
}

/* Cancels the search that calls this sink. Returns 0, so the sink itself does not stop it. */
static int cancels(void *searcher, const struct trawl_match *matches, uint64_t match_count)
{
    (void)matches;
    (void)match_count;
    trawl_searcher_cancel(searcher, false);
    return 0;
}

static void arguments(struct trawl_plan *plan)
{
    AUTO_RUNTIME runtime = must_runtime(TRAWL_ENGINE_CPU, 2, 0);
    AUTO_SEARCHER searcher = must_searcher_of(runtime, 0);
    AUTO_TEXT text = must_text(bytes, TEXT_BYTES);
    AUTO_TEXT brief = must_text(bytes, 1000);
    struct trawl_searcher *none = NULL;
    struct trawl_stats stats;
    struct trawl_search *search = NULL;
    struct trawl_batch batch = {.size = sizeof batch};
    struct trawl_runtime *other = NULL;
    const struct trawl_searcher_options *const of_searchers[] = {
        SEARCHER_WITH(.runtime = runtime), SEARCHER_WITH(.chunk_bytes = 1),
        SEARCHER_WITH(.map = TRAWL_MAP_ALWAYS), SEARCHER_WITH(.poll_context = &other)};

    CHECK_REFUSED(trawl_runtime_open(NULL, NULL, error));
    for (uint32_t i = 0; i < 4; i++)
        CHECK_REFUSED(trawl_runtime_open(of_searchers[i], &other, error));
    CHECK_ERROR(trawl_runtime_close(runtime, error), TRAWL_BUSY);
    CHECK_REFUSED(trawl_search_open(searcher, plan, text, TRAWL_LINES, &search, error));
    CHECK_REFUSED(trawl_search_open(searcher, plan, text, 0, NULL, error));
    CHECK_REFUSED(trawl_search_open(searcher, NULL, text, 0, &search, error));
    CHECK_REFUSED(
        trawl_searcher_open(SEARCHER_WITH(.runtime = runtime, .threads = 2), &none, error));
    CHECK_REFUSED(trawl_searcher_open(SEARCHER_WITH(.runtime = runtime, .host_memory_bytes = 1),
                                      &none, error));
    MUST(trawl_searcher_open(SEARCHER_WITH(.engine = TRAWL_ENGINE_CPU, .threads = 1024), &none,
                             NULL)); /* the largest number of threads */
    trawl_searcher_close(none);
    CHECK_REFUSED(trawl_searcher_open(SEARCHER_WITH(.engine = TRAWL_ENGINE_CPU, .threads = 1025),
                                      &none, error));
    TEST_CHECK_U64(must_count(searcher, plan, text), expected_count);
    stats = must_stats(searcher);
    TEST_CHECK(stats.worker_count == 1 && strcmp(stats.worker_name, "cpu") == 0);
    TEST_CHECK_U64(stats.worker_text_bytes, TEXT_BYTES);
    TEST_CHECK(stats.worker_thread_count == stats.thread_count && stats.thread_count >= 1);
    TEST_CHECK(stats.worker_search_ns <= stats.thread_count * stats.wall_ns);
    trawl_search_close(NULL);
    trawl_searcher_cancel(NULL, false);
    trawl_searcher_cancel(searcher, false); /* no call is running */
    TEST_CHECK_U64(must_count(searcher, plan, text), expected_count);
    MUST(trawl_search_open(searcher, plan, text, 0, &search, NULL));
    trawl_searcher_cancel(searcher, false);
    CHECK_STATUS(trawl_search_next(search, &batch, NULL), TRAWL_STOPPED);
    trawl_search_close(search);
    CHECK_STATUS(ask_positions(searcher, plan, brief, cancels, searcher, NULL), TRAWL_STOPPED);
    TEST_CHECK_U64(must_count(searcher, plan, text), expected_count);
    MUST(trawl_runtime_close(NULL, NULL));
}

struct worker {
    struct trawl_searcher *searcher;
    const struct trawl_plan *plan;
    uint64_t rounds, wrong, cancelled;
    uint32_t kind;
};

static int take(void *context, const struct trawl_match *matches, uint64_t match_count)
{
    uint64_t *at = (uint64_t *)context;

    for (uint64_t i = 0; i < match_count; i++)
        *at = *at < expected_count && matches[i].begin == expected[*at].begin ? *at + 1
                                                                              : UINT64_MAX / 2;
    return 0;
}

/* A worker's thread. Counts wrong answers and cancelled calls; the caller checks these numbers once
 * the threads have ended. */
static void *work(void *context)
{
    struct worker *worker = (struct worker *)context;

    for (uint64_t round = 0; round < worker->rounds; round++) {
        AUTO_TEXT text = NULL;
        enum trawl_status status;
        uint64_t count = 0;

        if ((worker->kind & 1) != 0)
            status = call_file(path, 0, &text, NULL);
        else
            status = call_memory(bytes, TEXT_BYTES, &text, NULL);
        if (status == TRAWL_OK && worker->kind % 3 == 0)
            status = trawl_count(worker->searcher, worker->plan, text, &count, NULL);
        else if (status == TRAWL_OK)
            status = ask_positions(worker->searcher, worker->plan, text, take, &count, NULL);
        if (status == TRAWL_STOPPED)
            worker->cancelled++;
        else if (status != TRAWL_OK || count != expected_count)
            worker->wrong++;
    }
    return NULL;
}

static void many_searchers(struct trawl_plan *plan, uint32_t threads, uint64_t chunk_bytes)
{
    AUTO_RUNTIME runtime = must_runtime(TRAWL_ENGINE_CPU, threads, 0);
    static struct worker workers[WORKERS];
    pthread_t handles[WORKERS];

    for (uint32_t w = 0; w < WORKERS; w++) {
        workers[w] = (struct worker){
            must_searcher_of(runtime, chunk_bytes), plan, test_amount(12, 500), 0, 0, w};
        if (pthread_create(&handles[w], NULL, work, &workers[w]) != 0)
            exit(1);
    }
    /* Occasionally cancels the last worker's calls, at any moment. */
    for (uint32_t i = 0; i < 20; i++) {
        trawl_searcher_cancel(workers[WORKERS - 1].searcher, false);
        (void)usleep(200);
    }
    for (uint32_t w = 0; w < WORKERS; w++) {
        (void)pthread_join(handles[w], NULL);
        TEST_CHECK_U64(workers[w].wrong, 0);
        TEST_CHECK(w == WORKERS - 1 || workers[w].cancelled == 0);
        trawl_searcher_close(workers[w].searcher);
    }
}

/* Checks that no search waits for another one whose results nobody pulls. */
static void one_is_never_taken(struct trawl_plan *plan)
{
    AUTO_RUNTIME runtime = must_runtime(TRAWL_ENGINE_CPU, 3, 0);
    AUTO_SEARCHER idle = must_searcher_of(runtime, 1000);
    AUTO_SEARCHER busy = must_searcher_of(runtime, 1000);
    AUTO_TEXT text = must_text(bytes, TEXT_BYTES);
    struct trawl_search *search = NULL;
    bool ended;

    MUST(trawl_search_open(idle, plan, text, 0, &search, NULL));
    TEST_CHECK(pull(search, 3, false, &ended) != UINT64_MAX);
    for (uint32_t i = 0; i < 5; i++)
        TEST_CHECK_U64(must_count(busy, plan, text), expected_count);
    trawl_search_close(search);
}

/* Checks the statistics of bytes by method, for a pipe that for a while has no bytes. */
static void methods(void)
{
    AUTO_PLAN plan =
        /* with AUTO the measured time could change the method */
        make_plan_by(TRAWL_METHOD_BUCKETS);
    AUTO_RUNTIME runtime = must_runtime(TRAWL_ENGINE_CPU, 2, 0);
    AUTO_SEARCHER searcher = must_searcher_of(runtime, 20000);
    struct trawl_text *text;
    uint64_t count = 0;
    pid_t writer;
    int ends[2];

    if (pipe(ends) != 0 || (writer = fork()) < 0)
        exit(1);
    if (writer == 0) {
        (void)usleep(50000);
        _exit(write(ends[1], bytes, 1000) != 1000);
    }
    (void)close(ends[1]);
    MUST(call_descriptor(ends[0], "pipe", 0, &text, NULL));
    MUST(trawl_count(searcher, plan, text, &count, NULL));
    for (uint32_t i = 0; i < TRAWL_METHODS_COUNT; i++)
        TEST_CHECK_U64(must_stats(searcher).worker_method_bytes[i],
                       i == TRAWL_METHOD_BUCKETS ? 1000 : 0);
    (void)waitpid(writer, NULL, 0);
    (void)close(ends[0]);
    trawl_text_close(text);
}

static int cancel_at_row(void *context, uint64_t row_first, uint64_t row_count,
                         const int64_t *first)
{
    (void)row_first;
    (void)row_count;
    (void)first;
    trawl_searcher_cancel((struct trawl_searcher *)context, false);
    return 0;
}

/* Cancels searches from inside their sinks, and checks that the sink is not called again. */
static void cancelled_by_sinks(struct trawl_plan *plan)
{
    static uint8_t empty[TEXT_BYTES];
    static uint64_t offsets[TEXT_BYTES / 3 + 1]; /* room for more records than a batch has */
    AUTO_RUNTIME runtime = must_runtime(TRAWL_ENGINE_CPU, 2, 0);
    AUTO_SEARCHER searcher = must_searcher_of(runtime, 1000);
    struct trawl_record_array records = records_of(bytes, offsets, TEXT_BYTES / 3);
    AUTO_TEXT text = must_text(bytes, TEXT_BYTES);
    struct trawl_stats stats = {.size = sizeof stats};

    for (uint64_t i = 0; i <= records.record_count; i++)
        offsets[i] = 3 * i;
    CHECK_STATUS(ask_positions(searcher, plan, text, cancels, searcher, NULL), TRAWL_STOPPED);
    MUST(trawl_searcher_stats(searcher, &stats, NULL));
    TEST_CHECK(stats.text_bytes <= 1000);
    CHECK_STATUS(call_rows(searcher, plan, &records, cancel_at_row, searcher, NULL), TRAWL_STOPPED);
    memset(empty, 'c', sizeof empty); /* without matches, the sink gets all rows at the end */
    records.bytes = empty;
    CHECK_STATUS(call_rows(searcher, plan, &records, cancel_at_row, searcher, NULL), TRAWL_STOPPED);
    TEST_CHECK_U64(must_count(searcher, plan, text), expected_count);
}

struct polled {
    struct trawl_searcher *searcher;
    _Atomic uint32_t calls;
    uint32_t last; /* this call cancels the search */
};

static void poll_until(void *context)
{
    struct polled *polled = (struct polled *)context;

    if (atomic_fetch_add(&polled->calls, 1) + 1 == polled->last)
        trawl_searcher_cancel(polled->searcher, false);
}

/* Checks that a searcher calls `poll` before each chunk, and within a slow chunk, and that `poll`
 * can cancel the search. */
static void polls(struct trawl_plan *plan, uint32_t threads)
{
    struct trawl_pattern pattern = {bytes, 30};
    struct trawl_plan_options edits = {.size = sizeof edits, .edits_max = 4};
    struct polled polled = {.last = UINT32_MAX};
    struct trawl_searcher_options options = TRAWL_SEARCHER_OPTIONS_INIT;
    AUTO_TEXT text = must_text(bytes, TEXT_BYTES);
    AUTO_PLAN within = NULL;
    uint64_t count;

    options.engine = TRAWL_ENGINE_CPU;
    options.threads = threads;
    options.chunk_bytes = 1000;
    options.poll = poll_until;
    options.poll_context = &polled;
    MUST(trawl_searcher_open(&options, &polled.searcher, NULL));
    TEST_CHECK_U64(must_count(polled.searcher, plan, text), expected_count);
    TEST_CHECK(atomic_load(&polled.calls) >= TEXT_BYTES / 1000);
    polled.last = atomic_load(&polled.calls) + 3;
    CHECK_STATUS(trawl_count(polled.searcher, plan, text, &count, NULL), TRAWL_STOPPED);
    trawl_searcher_close(polled.searcher);
    options.chunk_bytes = TEXT_BYTES;
    MUST(trawl_plan_build(&pattern, 1, &edits, &within, NULL));
    MUST(trawl_searcher_open(&options, &polled.searcher, NULL));
    polled.last = atomic_load(&polled.calls) + 3;
    CHECK_STATUS(trawl_count(polled.searcher, within, text, &count, NULL), TRAWL_STOPPED);
    trawl_searcher_close(polled.searcher);
}

static _Atomic uint64_t live, max, largest = UINT64_MAX;

static void *limited_take(void *context, uint64_t count, uint64_t alignment)
{
    uint64_t now = atomic_fetch_add(&live, count) + count, before = atomic_load(&max);
    void *pointer = NULL;

    (void)context;
    if (count > atomic_load(&largest)) {
        atomic_fetch_sub(&live, count);
        return NULL;
    }
    while (now > before && !atomic_compare_exchange_weak(&max, &before, now))
        ;
    return posix_memalign(&pointer, alignment, count) == 0 ? pointer : NULL;
}

static void limited_give(void *context, void *pointer, uint64_t count)
{
    (void)context;
    atomic_fetch_sub(&live, count);
    free(pointer);
}

/* Checks that a stream can be searched within a memory limit that is enough for a file. */
static void stream_in_little(void)
{
    AUTO_RUNTIME runtime = must_runtime(TRAWL_ENGINE_CPU, 2, 300000);
    AUTO_SEARCHER searcher = must_searcher_of(runtime, 0);
    struct trawl_text *text = must_text(bytes, 30000), *stream = NULL;
    AUTO_PLAN plan = make_plan();
    int ends[2];

    if (pipe(ends) != 0 || write(ends[1], bytes, 30000) != 30000 || close(ends[1]) != 0)
        exit(1);
    MUST(call_descriptor(ends[0], NULL, 0, &stream, NULL));
    TEST_CHECK_U64(must_count(searcher, plan, stream), must_count(searcher, plan, text));
    trawl_text_close(stream);
    trawl_text_close(text);
    (void)close(ends[0]);
}

/* Checks that for a matrix of one bit per record no memory is used for each occurrence. One byte in
 * 16 begins an occurrence, and an array of occurrences would need 8 bytes for each, and twice that
 * while it grows. */
static void bit_in_little(void)
{
    const uint64_t offsets[] = {0, TEXT_BYTES};
    const struct trawl_record_array record = records_of(bytes, offsets, 1);
    struct trawl_answer out = TRAWL_ANSWER(TRAWL_RECORDS_BITS);
    uint8_t bits = 0;
    AUTO_SEARCHER searcher = must_searcher(1, 0);
    AUTO_PLAN plan = must_plan("ab");
    uint64_t base = atomic_load(&live);

    atomic_store(&max, base);
    out.values = &bits;
    out.room = 1;
    MUST(call_records(searcher, plan, &record, TRAWL_RECORDS_BITS, &out, NULL));
    TEST_CHECK_U64(bits, 1);
    TEST_CHECK(atomic_load(&max) - base < 2 * TEXT_BYTES);
}

static void budget(void)
{
    const struct trawl_memory allocator = {sizeof allocator, NULL, limited_take, limited_give};
    struct trawl_runtime *runtime;
    struct trawl_searcher *searcher;
    struct trawl_text *file = NULL;
    struct trawl_plan *plan;
    uint64_t count = 0, base;

    MUST(trawl_set_memory(&allocator, NULL));
    plan = make_plan_by(TRAWL_METHOD_BUCKETS);
    for (uint64_t limit = 12000; limit <= 60000; limit += 12000) {
        runtime = must_runtime(TRAWL_ENGINE_CPU, 4, limit);
        searcher = must_searcher_of(runtime, 8000);
        base = atomic_load(&live);
        atomic_store(&max, base);
        MUST(call_file(path, 0, &file, NULL));
        TEST_CHECK_U64(must_count(searcher, plan, file), expected_count);
        /* Besides the chunks, only four workers may use memory, 56,000 bytes each. */
        TEST_CHECK(atomic_load(&max) - base <= limit + 4 * 56000);
        /* A chunk whose allocation fails does not count, so the limit is enough afterwards. */
        atomic_store(&largest, 8000);
        CHECK_ERROR(trawl_count(searcher, plan, file, &count, error), TRAWL_MEMORY);
        atomic_store(&largest, UINT64_MAX);
        TEST_CHECK_U64(must_count(searcher, plan, file), expected_count);
        trawl_text_close(file);
        trawl_searcher_close(searcher);
        MUST(trawl_runtime_close(runtime, NULL));
    }
    stream_in_little();
    bit_in_little();
    runtime = must_runtime(TRAWL_ENGINE_CPU, 4, 5000); /* less memory than a chunk needs */
    searcher = must_searcher_of(runtime, 8000);
    MUST(call_file(path, 0, &file, NULL));
    CHECK_ERROR(trawl_count(searcher, plan, file, &count, error), TRAWL_MEMORY);
    trawl_text_close(file);
    trawl_searcher_close(searcher);
    MUST(trawl_runtime_close(runtime, NULL));
    trawl_plan_free(plan);
    TEST_CHECK_U64(atomic_load(&live), 0);
    MUST(trawl_set_memory(NULL, NULL));
}

struct counting {
    struct trawl_plan *plan;
    struct trawl_searcher *searcher;
    struct trawl_text *text;
    enum trawl_status status;
    uint64_t count;
};

static void *count_text(void *context)
{
    struct counting *c = (struct counting *)context;

    c->status = trawl_count(c->searcher, c->plan, c->text, &c->count, NULL);
    return NULL;
}

/* Checks what happens while one search, which waits for a pipe, has all the memory that the limit
 * allows. A second search waits a little for memory. If `gives`, the first search then ends, and
 * the second returns an answer; otherwise the second fails with MEMORY. */
static void budget_of_others(struct trawl_plan *plan, bool gives)
{
    AUTO_RUNTIME runtime = must_runtime(TRAWL_ENGINE_CPU, 1, 12000);
    struct counting holder = {plan, must_searcher_of(runtime, 8000), NULL, TRAWL_OK, 0};
    struct counting counting = {plan, must_searcher_of(runtime, 8000), NULL, TRAWL_OK, 0};
    pthread_t threads[2];
    int ends[2], unread = 0;

    if (pipe(ends) != 0 || write(ends[1], "~", 1) != 1)
        exit(1);
    MUST(call_descriptor(ends[0], NULL, 0, &holder.text, NULL));
    MUST(call_file(path, 0, &counting.text, NULL));
    if (pthread_create(&threads[0], NULL, count_text, &holder) != 0)
        exit(1);
    /* Once the search has read the byte, it has its memory. */
    while (ioctl(ends[0], FIONREAD, &unread) == 0 && unread > 0)
        (void)usleep(1000);
    if (pthread_create(&threads[1], NULL, count_text, &counting) != 0)
        exit(1);
    (void)usleep(20000);
    if (!gives)
        (void)pthread_join(threads[1], NULL);
    (void)close(ends[1]);
    (void)pthread_join(threads[0], NULL);
    if (gives)
        (void)pthread_join(threads[1], NULL);
    TEST_CHECK(holder.status == TRAWL_OK && holder.count == 0);
    TEST_CHECK_U64((uint64_t)counting.status, (uint64_t)(gives ? TRAWL_OK : TRAWL_MEMORY));
    TEST_CHECK(!gives || counting.count == expected_count);
    trawl_text_close(holder.text);
    trawl_text_close(counting.text);
    (void)close(ends[0]);
    trawl_searcher_close(counting.searcher);
    trawl_searcher_close(holder.searcher);
}

/* Returns how many of the process's threads are allowed other cores than the calling thread is. */
static uint32_t threads_elsewhere(void)
{
    DIR *tasks = opendir("/proc/self/task");
    struct dirent *entry;
    uint32_t count = 0;
    cpu_set_t mine, theirs;

    TEST_CHECK(tasks != NULL && sched_getaffinity(0, sizeof mine, &mine) == 0);
    while (tasks != NULL && (entry = readdir(tasks)) != NULL) {
        pid_t thread = (pid_t)strtol(entry->d_name, NULL, 10);

        if (thread > 0 && sched_getaffinity(thread, sizeof theirs, &theirs) == 0)
            count += CPU_EQUAL(&mine, &theirs) == 0;
    }
    if (tasks != NULL)
        (void)closedir(tasks);
    return count;
}

static void count_all(struct trawl_searcher *searcher, const struct trawl_plan *plan)
{
    AUTO_TEXT text = must_text(bytes, TEXT_BYTES);

    TEST_CHECK_U64(must_count(searcher, plan, text), expected_count);
}

/* Checks on which cores workers may run. A thread that wakes a worker removes its own core from
 * those that the worker may use; once running, the worker may use that core again. If the caller of
 * a search is allowed further cores meanwhile, the worker may use them, too. */
static void cores(struct trawl_plan *plan)
{
    AUTO_RUNTIME runtime = must_runtime(TRAWL_ENGINE_CPU, 4, 0);
    AUTO_SEARCHER searcher = must_searcher_of(runtime, 700);
    cpu_set_t all, first;
    /* others: the number of threads other than workers, such as a sanitizer's */
    uint32_t others, few;

    for (uint32_t round = 0; round < 20; round++) {
        count_all(searcher, plan);
        while (threads_elsewhere() > 0)
            (void)sched_yield();
    }
    trawl_searcher_close(searcher);
    MUST(trawl_runtime_close(runtime, NULL));

    TEST_CHECK(sched_getaffinity(0, sizeof all, &all) == 0);
    CPU_ZERO(&first);
    for (size_t core = 0; CPU_COUNT(&first) == 0; core++)
        if (CPU_ISSET(core, &all))
            CPU_SET(core, &first);
    TEST_CHECK(sched_setaffinity(0, sizeof first, &first) == 0);
    others = threads_elsewhere();
    runtime = must_runtime(TRAWL_ENGINE_CPU, 4, 0);
    searcher = must_searcher_of(runtime, 700);
    for (uint32_t round = 0; round < 20; round++)
        count_all(searcher, plan);
    TEST_CHECK(threads_elsewhere() == others);
    TEST_CHECK(sched_setaffinity(0, sizeof all, &all) == 0);
    few = threads_elsewhere();
    do
        count_all(searcher, plan);
    while (few > 0 && threads_elsewhere() >= few);
}

#define LONG_LINES 700u
#define LONG_LINE_BYTES 2400u /* including the line end */

struct needed {
    uint32_t flags;
    uint64_t expected; /* number of matches in each line */
    uint64_t count, from;
};

/* Counts the matches that a caller needs: with TRAWL_LINES the first of each line, otherwise
 * all that the library delivers. */
static int add_needed(void *context, const struct trawl_window *window)
{
    struct needed *needed = (struct needed *)context;

    for (uint64_t i = 0; i < window->match_count; i++) {
        const struct trawl_match *match = &window->matches[i];

        if (match->begin < needed->from)
            continue;
        needed->count++;
        if (needed->flags == TRAWL_LINES) /* spans do not overlap, so each span counts */
            needed->from = (match->begin / LONG_LINE_BYTES + 1) * LONG_LINE_BYTES;
    }
    return 0;
}

/* Checks matches that depend on the chunk before: each line is longer than a chunk, and full of a
 * string that overlaps itself. The caller searches chunks while helpers are still searching earlier
 * ones. In other texts, a match seldom depends on more than its own bytes. */
static void overtaking(void)
{
    static uint8_t lines[LONG_LINES * LONG_LINE_BYTES];
    struct trawl_plan *plan = must_plan_with("aa", NULL);

    memset(lines, 'a', sizeof lines);
    for (uint64_t line = 1; line <= LONG_LINES; line++)
        lines[line * LONG_LINE_BYTES - 1] = '\n';
    for (uint32_t i = 0; i < 6; i++) {
        struct needed rows[] = {{TRAWL_SPANS, LONG_LINE_BYTES / 2 - 1, 0, 0},
                                {TRAWL_LINES, 1, 0, 0},
                                {0, LONG_LINE_BYTES - 2, 0, 0}};
        struct needed *row = &rows[i % 3];
        AUTO_RUNTIME runtime = must_runtime(TRAWL_ENGINE_CPU, 2 + i / 3, 0);
        AUTO_SEARCHER searcher = must_searcher_of(runtime, 701);
        AUTO_TEXT text = must_text(lines, sizeof lines);

        MUST(trawl_windows(searcher, plan, text, row->flags, add_needed, row, NULL));
        TEST_CHECK_U64(row->count, LONG_LINES * row->expected);
    }
    trawl_plan_free(plan);
}

int main(void)
{
    struct trawl_plan *plan;

    test_begin("runtime");
    make_text();
    plan = make_plan();
    for (uint32_t threads = 1; threads <= 4; threads++) {
        pulls(plan, threads, 0, threads % 2 != 0);
        pulls(plan, threads, 700 * threads, threads % 2 == 0);
        many_searchers(plan, threads, threads % 2 != 0 ? 3000 : 0);
        polls(plan, threads);
    }
    overtaking();
    cores(plan);
    arguments(plan);
    spans_in_batches();
    one_is_never_taken(plan);
    cancelled_by_sinks(plan);
    methods();
    budget_of_others(plan, true);
    budget_of_others(plan, false);
    trawl_plan_free(plan);
    budget();
    (void)unlink(path);
    return test_end();
}
