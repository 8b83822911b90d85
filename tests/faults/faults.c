/* faults: the N-th point that can fail (memory, threads, open, read, stat) fails, for N = 1, 2, ...
 * until a run meets no fault; once as a single fault, once as "from N on".
 *
 * Each round: the status is one that the header allows, outputs are untouched or a prefix of the
 * right answer, nothing leaks, and the same objects give the right answer when the fault is gone.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/fault.h"
#include "calls.h"
#include "cpu/worker.h"
#include "diff/held.h"
#include "faults/blocks.h"

#define TEXT_BYTES ((uint64_t)60000) /* a pipe holds it, so that no writer thread is needed */
#define CHUNK_BYTES 4096
#define ROUNDS_MAX 100000
#define PATTERNS_MAX 40
#define RARE_STEP 1000 /* of a text that floods: one byte in so many is another */

enum text_kind { TEXT_IN_MEMORY, TEXT_IN_FILE, TEXT_IN_PIPE, TEXT_COMPRESSED, TEXT_KINDS };

static const char *const text_names[TEXT_KINDS] = {"memory", "file", "pipe", "compressed"};

static int open_descriptors(void)
{
    int count = 0;

    for (int i = 0; i < 256; i++)
        count += fcntl(i, F_GETFD) != -1;
    return count;
}

/* ---- What is searched ---------------------------------------------------------------------- */

struct scene {
    uint8_t bytes[TEXT_BYTES];
    struct trawl_pattern patterns[PATTERNS_MAX];
    uint64_t pattern_count;
    enum trawl_method method;
    const char *algorithm;
    uint32_t flags; /* with TRAWL_IGNORE_CASE the text counts as UTF-8 */
    uint32_t threads;
    bool is_first; /* pattern */
    bool unpacks;  /* this build can */
    enum text_kind kind;
    enum held_call call;
    int file, pipe_end;
    char path[64], path_compressed[64];
    struct naive_bytes naive_patterns[PATTERNS_MAX];
    struct diff_input input;
    struct diff_expected expected;

    struct trawl_plan *plan;
    struct trawl_searcher *searcher;
    struct trawl_text *text;
};
static struct scene scene;
static uint64_t rounds_total, faults_total;

static void fail_test(const char *what)
{
    perror(what);
    exit(1);
}

static void make_text(void)
{
    struct test_random random = test_random_begin("faults");
    int file = memfd_create("text", 0);

    for (uint64_t i = 0; i < TEXT_BYTES; i++)
        scene.bytes[i] = (uint8_t) "abcd\n"[test_random_below(&random, 5)];
    if (file < 0 || write(file, scene.bytes, TEXT_BYTES) != (ssize_t)TEXT_BYTES)
        fail_test("the test's file");
    scene.file = file;
    (void)snprintf(scene.path, sizeof scene.path, "/proc/self/fd/%d", file);
}

static uint32_t sum_crc32(const uint8_t *bytes, uint64_t count)
{
    uint32_t sum = UINT32_MAX;

    for (uint64_t i = 0; i < count; i++) {
        sum ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            sum = sum >> 1 ^ (sum & 1 ? 0xedb88320u : 0);
    }
    return ~sum;
}

static void put_little(uint8_t *to, uint32_t value, int bytes_count)
{
    for (int i = 0; i < bytes_count; i++)
        to[i] = (uint8_t)(value >> 8 * i);
}

/* The text as gzip data of one stored block (RFC 1951, 1952). */
static void make_compressed(void)
{
    static uint8_t head[15] = {0x1f, 0x8b, 8, [9] = 255, [10] = 1}, tail[8];
    int file = memfd_create("compressed", 0);

    put_little(head + 11, TEXT_BYTES, 2);
    put_little(head + 13, ~(uint32_t)TEXT_BYTES, 2);
    put_little(tail, sum_crc32(scene.bytes, TEXT_BYTES), 4);
    put_little(tail + 4, TEXT_BYTES, 4);
    if (file < 0 || write(file, head, sizeof head) != (ssize_t)sizeof head ||
        write(file, scene.bytes, TEXT_BYTES) != (ssize_t)TEXT_BYTES ||
        write(file, tail, sizeof tail) != (ssize_t)sizeof tail)
        fail_test("the test's compressed file");
    (void)snprintf(scene.path_compressed, sizeof scene.path_compressed, "/proc/self/fd/%d", file);
}

static bool is_stream(void)
{
    return scene.kind == TEXT_IN_PIPE || scene.kind == TEXT_COMPRESSED;
}

static void expect(void)
{
    for (uint64_t i = 0; i < scene.pattern_count; i++)
        scene.naive_patterns[i] =
            (struct naive_bytes){scene.patterns[i].bytes, scene.patterns[i].bytes_count};
    scene.input = (struct diff_input){.text = scene.bytes,
                                      .text_bytes = TEXT_BYTES,
                                      .patterns = scene.naive_patterns,
                                      .pattern_count = scene.pattern_count,
                                      .flags = scene.flags,
                                      .line_end = '\n'};
    expected_free(&scene.expected);
    expected_compute(&scene.input, &scene.expected);
}

static enum trawl_status search(struct trawl_error *error)
{
    struct held held =
        held_begin(&scene.input, &scene.expected, scene.plan, scene.searcher, scene.text);
    enum trawl_status status = held_search(&held, scene.call, error);

    TEST_CHECK(held.right);
    held_end(&held);
    return status;
}

/* ---- Opening -------------------------------------------------------------------------------- */

/* Each letter has its other case and one of three bytes, which the text does not hold: patterns
 * become several literals, and the long one gets a tail. */
static uint32_t variants(void *context, uint32_t code_point,
                         uint32_t found[TRAWL_UTF8_VARIANTS_MAX])
{
    uint32_t lower = code_point | 32;

    (void)context;
    found[0] = code_point;
    if (code_point >= 128 || lower < 'a' || lower > 'z')
        return 1;
    found[1] = code_point ^ 32;
    found[2] = 0x2c00 + lower;
    return 3;
}

static bool is_word(void *context, uint32_t code_point)
{
    (void)context;
    return code_point >= 128;
}

static enum trawl_status build(struct trawl_error *error)
{
    struct trawl_utf8 utf8 = {NULL, variants, is_word};

    return trawl_plan_build(scene.patterns, scene.pattern_count,
                            PLAN_WITH(.method = scene.method, .algorithm = scene.algorithm,
                                      .flags = scene.flags,
                                      .utf8 = scene.flags & TRAWL_IGNORE_CASE ? &utf8 : NULL),
                            &scene.plan, error);
}

static enum trawl_status open_searcher(struct trawl_error *error)
{
    return trawl_searcher_open(
        SEARCHER_WITH(.engine = TRAWL_ENGINE_CPU, .threads = scene.threads,
                      .chunk_bytes = CHUNK_BYTES,
                      .map = scene.threads > 1 ? TRAWL_MAP_ALWAYS : TRAWL_MAP_NEVER),
        &scene.searcher, error);
}

static enum trawl_status open_text(struct trawl_error *error)
{
    if (scene.kind == TEXT_IN_MEMORY)
        return trawl_text_from_memory(scene.bytes, TEXT_BYTES, &scene.text, error);
    if (scene.kind == TEXT_IN_FILE)
        return trawl_text_open_file(scene.path, &scene.text, error);
    if (scene.kind == TEXT_COMPRESSED)
        return trawl_text_open_compressed(scene.path_compressed, &scene.text, error);
    return trawl_text_from_descriptor(scene.pipe_end, NULL, &scene.text, error);
}

static void pipe_fill(void)
{
    int ends[2];

    scene.pipe_end = -1;
    if (scene.kind != TEXT_IN_PIPE)
        return;
    if (pipe(ends) != 0 || write(ends[1], scene.bytes, TEXT_BYTES) != (ssize_t)TEXT_BYTES)
        fail_test("the test's pipe");
    close(ends[1]);
    scene.pipe_end = ends[0];
}

static void close_text(void)
{
    trawl_text_close(scene.text);
    scene.text = NULL;
    if (scene.pipe_end >= 0)
        close(scene.pipe_end);
    scene.pipe_end = -1;
}

static void close_all(void)
{
    close_text();
    trawl_searcher_close(scene.searcher);
    trawl_plan_free(scene.plan);
    scene.searcher = NULL;
    scene.plan = NULL;
}

/* ---- Rounds --------------------------------------------------------------------------------- */

static bool allowed(enum trawl_status status)
{
    return status == TRAWL_OK || status == TRAWL_MEMORY || status == TRAWL_READ ||
           status == TRAWL_OPEN ||
           (status == TRAWL_UNSUPPORTED && scene.kind == TEXT_COMPRESSED); /* its library */
}

static void check_record(enum trawl_status status, const struct trawl_error *error)
{
    if (status == TRAWL_OK)
        return;
    TEST_CHECK(error->status == status && error->message[0] != '\0');
    if (status == TRAWL_READ) { /* the end is looked for by reading: perhaps beyond it */
        TEST_CHECK_U64((uint64_t)error->os_code, EIO);
        TEST_CHECK(error->text_offset <= TEXT_BYTES + scene.threads * 2 * CHUNK_BYTES);
    }
    if (status == TRAWL_OPEN)
        TEST_CHECK(error->os_code != 0);
}

/* What a fault may hit: only the search, or everything from the plan on. */
static enum trawl_status run_armed(bool whole, struct trawl_error *error)
{
    enum trawl_status status = TRAWL_OK;

    if (whole) {
        status = build(error);
        TEST_CHECK((status == TRAWL_OK) == (scene.plan != NULL));
        if (status == TRAWL_OK) {
            status = open_searcher(error);
            TEST_CHECK((status == TRAWL_OK) == (scene.searcher != NULL));
        }
        if (status == TRAWL_OK) {
            status = open_text(error);
            TEST_CHECK((status == TRAWL_OK) == (scene.text != NULL));
        }
    }
    return status == TRAWL_OK ? search(error) : status;
}

/* After the fault: what was not made is made now, and the answer is right. A stream that was read
 * is gone, so it gets a new text. */
static void run_again(void)
{
    struct trawl_error error;

    if (scene.plan == NULL)
        TEST_CHECK(build(&error) == TRAWL_OK);
    if (scene.searcher == NULL)
        TEST_CHECK(open_searcher(&error) == TRAWL_OK);
    if (is_stream()) {
        close_text();
        pipe_fill();
    }
    if (scene.text == NULL)
        TEST_CHECK(open_text(&error) == TRAWL_OK);
    TEST_CHECK(search(&error) == TRAWL_OK);
}

/* True if the run met its fault. */
static bool round_met_fault(bool whole, bool persistent, uint64_t nth)
{
    uint64_t failures = test_failures;
    struct trawl_error error;
    enum trawl_status status;
    bool met;

    memset(&error, 0xab, sizeof error);
    pipe_fill();
    if (!whole && (build(&error) != TRAWL_OK || open_searcher(&error) != TRAWL_OK ||
                   open_text(&error) != TRAWL_OK))
        fail_test("setting up without faults");
    fault_arm(nth, persistent);
    status = run_armed(whole, &error);
    met = fault_points_passed() >= nth;
    fault_arm(0, false);
    TEST_CHECK(allowed(status));
    TEST_CHECK(met || status == TRAWL_OK);
    check_record(status, &error);
    run_again();
    close_all();
    TEST_CHECK_U64((uint64_t)atomic_load(&live_blocks), 0);
    TEST_CHECK_U64((uint64_t)atomic_load(&live_bytes), 0);
    if (test_failures > failures)
        printf("  %s over %s, method %d, %" PRIu64 " patterns, %u threads, %s: %s fault %" PRIu64
               ", status %d\n",
               held_name(scene.call), text_names[scene.kind], (int)scene.method,
               scene.pattern_count, scene.threads, whole ? "everything armed" : "search armed",
               persistent ? "every from" : "single", nth, (int)status);
    rounds_total++;
    faults_total += met;
    return met;
}

/* In a normal run each scene meets either single or persistent faults, and the others in the build
 * with sanitizers. */
static bool in_other_scenes(bool whole, bool persistent)
{
    uint32_t turn = (uint32_t)scene.kind + (uint32_t)scene.call + scene.threads / 2 + whole;

    return !test_is_long() && (turn % 2 != persistent) == TEST_SANITIZED;
}

static void run_scene(bool whole)
{
    int descriptors = open_descriptors();

    for (int persistent = 0; persistent < 2; persistent++) {
        uint64_t nth = 1;

        if (in_other_scenes(whole, persistent != 0))
            continue;
        while (round_met_fault(whole, persistent != 0, nth) && test_failures < 10)
            if (!TEST_CHECK(++nth < ROUNDS_MAX))
                break;
        TEST_CHECK(nth > 1 || test_failures > 0 || scene.kind == TEXT_IN_MEMORY);
    }
    TEST_CHECK_U64((uint64_t)open_descriptors(), (uint64_t)descriptors);
}

/* Can this build unpack at all? Its library is loaded but once, so each way to miss it is now. */
static bool can_unpack(void)
{
    bool missed = false;

    for (uint64_t nth = 1; nth < 100; nth++) {
        struct trawl_text *text = NULL;
        struct trawl_error error;
        enum trawl_status status;

        fault_arm(nth, false);
        status = trawl_text_open_compressed(scene.path_compressed, &text, &error);
        fault_arm(0, false);
        trawl_text_close(text);
        if (status == TRAWL_OK)
            return TEST_CHECK(missed);
        missed |= strstr(error.message, "cannot be loaded") != NULL;
        if (strstr(error.message, "this build is without") != NULL)
            break;
    }
    printf("left out: this build cannot unpack gzip data\n");
    return false;
}

/* Of a compressed text only what is its own: a stream is a pipe's business. */
static bool is_left_out(int kind, int call)
{
    return kind == TEXT_COMPRESSED &&
           ((call != HELD_COUNT && call != HELD_POSITIONS_INTO && call != HELD_WINDOWS) ||
            !scene.unpacks);
}

/* In a normal run several threads meet each call with the first pattern, and counts with others:
 * what threads share does not depend on patterns. */
static bool has_threads(int call)
{
    return scene.is_first || call == HELD_COUNT || test_is_long();
}

static void run_calls(enum trawl_method method, uint32_t flags, int kinds, uint32_t calls)
{
    static const uint32_t thread_counts[] = {1, 3};

    scene.method = method;
    scene.flags = flags;
    expect();
    for (int kind = 0; kind < kinds; kind++)
        for (int call = 0; call < HELD_CALLS; call++)
            for (uint32_t t = 0; t < (has_threads(call) ? 2 : 1) && (calls >> call & 1) != 0 &&
                                 test_failures < 10 && !is_left_out(kind, call);
                 t++) {
                scene.kind = (enum text_kind)kind;
                scene.call = (enum held_call)call;
                scene.threads = thread_counts[t];
                run_scene(false);
                if (t == 0 || call == HELD_COUNT)
                    run_scene(true);
            }
}

static void run_patterns(enum trawl_method method, uint32_t flags)
{
    run_calls(method, flags, TEXT_KINDS, UINT32_MAX);
}

/* A text of one letter, but for rare bytes, and strings of that letter that end in such a byte,
 * from `shortest` on, each a byte longer: candidates are everywhere, and the automaton is made. */
static void make_flood(uint64_t shortest, uint64_t count)
{
    memset(scene.bytes, 'a', TEXT_BYTES);
    for (uint64_t i = RARE_STEP - 1; i < TEXT_BYTES; i += RARE_STEP)
        scene.bytes[i] = i / RARE_STEP % 5 == 4 ? '\n' : 'd';
    if (pwrite(scene.file, scene.bytes, TEXT_BYTES, 0) != (ssize_t)TEXT_BYTES)
        fail_test("the test's file");
    for (uint64_t i = 0; i < count; i++)
        scene.patterns[i] =
            (struct trawl_pattern){scene.bytes + RARE_STEP - shortest - i, shortest + i};
    scene.pattern_count = count;
}

/* Sets by their own tables, by classes of lengths, by folded strings; each then by the automaton.
 */
static void run_floods(void)
{
    const uint32_t calls = 1u << HELD_COUNT | 1u << HELD_POSITIONS;

    make_flood(2, 20);
    run_calls(TRAWL_METHOD_SET, 0, TEXT_IN_MEMORY + 1, calls | 1u << HELD_COUNT_BY_PATTERN);
    run_calls(TRAWL_METHOD_SET, TRAWL_IGNORE_CASE, TEXT_IN_MEMORY + 1, calls);
    make_flood(12, PATTERNS_MAX);
    run_calls(TRAWL_METHOD_SET, 0, TEXT_IN_FILE + 1, calls | 1u << HELD_FIRST | 1u << HELD_WINDOWS);
}

/* A pattern too short for method sampled, until the text is looked at: its tables are asked for
 * then, and a search goes on without them. Other scenes' chunks are too few to be looked at. */
static void run_looks(void)
{
    look_sizes = (struct look_sizes){0, 0, 0};
    scene.patterns[0] = (struct trawl_pattern){scene.bytes + 30000, 100};
    scene.pattern_count = 1;
    run_calls(TRAWL_METHOD_AUTO, 0, TEXT_IN_FILE + 1, 1u << HELD_COUNT | 1u << HELD_POSITIONS);
    look_sizes = look_sizes_default;
}

int main(void)
{
    test_begin("faults");
    alarm(1200);
    make_text();
    make_compressed();
    blocks_count();
    scene.patterns[0] = (struct trawl_pattern){scene.bytes + 3000, 3};
    scene.pattern_count = 1;
    scene.unpacks = can_unpack();
    scene.is_first = true;
    run_patterns(TRAWL_METHOD_AUTO, 0);
    scene.is_first = false;
    scene.patterns[1] = (struct trawl_pattern){scene.bytes + 50000, 9};
    scene.pattern_count = 2;
    run_patterns(TRAWL_METHOD_SET, 0);
    scene.patterns[1] = (struct trawl_pattern){scene.bytes + 50000, 40};
    run_patterns(TRAWL_METHOD_AUTO, TRAWL_IGNORE_CASE);
    scene.patterns[0] = (struct trawl_pattern){scene.bytes + 30000, 800};
    scene.pattern_count = 1;
    run_patterns(TRAWL_METHOD_AUTO, 0); /* chooses sampled, by counting in memory of its own */
    scene.algorithm = "strstr";         /* one that works on a copy of the text */
    if (trawl_algorithm(0, NULL, NULL) != NULL)
        run_patterns(TRAWL_METHOD_AUTO, 0);
    scene.algorithm = NULL;
    run_looks();
    run_floods();
    printf("%" PRIu64 " rounds, %" PRIu64 " met a fault\n", rounds_total, faults_total);
    TEST_CHECK(faults_total > 100);
    expected_free(&scene.expected);
    return test_end();
}
