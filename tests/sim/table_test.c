/* table_test: tests combinations of call, plan, engine, place of the text, buffer sizes (borders)
 * and number of the fault, on simulated devices.
 *
 * First, the test runs random scenes without a fault, for each place and each engine. A scene makes
 * all calls one after the other with the same objects, so each call meets the state that the
 * previous call left.
 *
 * Then each row of the table runs with faults: the N-th fault point fails (memory, threads, open,
 * read: base/fault.h), the N-th call to the driver fails, or a device is lost at its N-th call. The
 * fault occurs once, or at every point or call from the N-th on. A normal run skips a fault if an
 * earlier one was at the same place in the code. No answer may be wrong. A call that fails returns
 * a status from the allowed set, with a message. Nothing leaks. After a single fault the same
 * objects return the right answer.
 *
 * TRAWL_TEST_CASE=N runs only random scene N.
 */
#include <errno.h>
#include <fcntl.h>

#include "approximate/approx_choose.h"
#include "base/checked.h"
#include "base/fault.h"
#include "cpu/worker.h"
#include "cuda/residents.h"
#include "calls.h"
#include "faults/faults_blocks.h"
#include "letters.h"
#include "random_case.h"
#include "runtime/schedule.h"
#include "scene.h"
#include "sim_driver.h"
#if TRAWL_GALLERY
#include "gallery/gallery_limits.h"
#endif

#define CASES_NORMAL 240
#define CASES_LONG 20000
#define ENGINES 3u
#define NTH_MAX 1000000u

static const enum trawl_engine engines[ENGINES] = {TRAWL_ENGINE_CUDA, TRAWL_ENGINE_AUTO,
                                                   TRAWL_ENGINE_CPU};

static uint64_t open_descriptors(void)
{
    uint64_t count = 0;

    for (int i = 0; i < 64; i++)
        count += fcntl(i, F_GETFD) != -1;
    return count;
}

/* Checks that no memory and no object of the driver is left after all objects were closed. */
static void check_nothing_left(void)
{
    TEST_CHECK_U64((uint64_t)atomic_load(&live_blocks), 0);
    TEST_CHECK_U64((uint64_t)atomic_load(&live_bytes), 0);
    host_check_driver();
}

/* ---- Borders --------------------------------------------------------------------------------- */

enum border { BORDER_SMALL, BORDER_SPLIT, BORDER_PIECES, BORDERS };

/* Sets small sizes, so that even texts of a few hundred bytes cross buffers and chunks.
 * BORDER_SMALL makes buffers small. BORDER_SPLIT splits texts over devices. BORDER_PIECES copies
 * lists to the host in pieces, and cuts loaded texts into small chunks. */
static void set_border(enum border border)
{
    struct cuda_limits limits = letters_limits();

    limits.staging_bytes = 700;
    limits.text_bytes_max = 1200;
    limits.room_step_bytes = 1;
    limits.hits_room_min = 16;
    limits.hits_max = 200;
    limits.lists_min = 1u << 12;
    limits.sets_counted_min = 0;
    limits.seen_method = TRAWL_METHOD_EVERY;
    limits.begins_room = border == BORDER_SMALL ? 2000 : 160; /* a stripe has more begins than 80 */
    limits.piece_words = border == BORDER_SMALL ? 700 : 50;
    if (border != BORDER_SMALL) {
        limits.split_bytes_min = 400;
        limits.stripe_bytes = border == BORDER_SPLIT ? 300 : 100000;
        limits.split_overlap = 100;
        limits.launch_begins_max = 500;
    }
    cuda_limits_replace(&limits);
    resident_sizes = resident_sizes_default;
    if (border == BORDER_PIECES)
        resident_sizes = (struct resident_sizes){.first = 150,
                                                 .min = 60,
                                                 .max = 700,
                                                 .shared = 100,
                                                 .hits = 20,
                                                 .helped = 16,
                                                 .host = 300};
}

static void random_border(struct test_random *random, const struct diff_input *input)
{
    struct cuda_limits limits = cuda_case_limits(random);
    uint64_t longest = 0;

    for (uint64_t i = 0; i < input->pattern_count; i++)
        longest = max_u64(longest, input->patterns[i].bytes_count);

    limits.begins_room = 4 + test_random_below(random, 1200);
    limits.piece_words = 1 + test_random_below(random, 300);
    if (test_random_below(random, 2)) {
        limits.split_bytes_min = 400;
        limits.stripe_bytes = 200 + test_random_below(random, 2000);
        limits.split_overlap = 100;
        if (longest > 2) /* as many bytes as a pattern needs, one fewer, or one more */
            limits.split_overlap = longest - 2 + test_random_below(random, 3);
    }
    cuda_limits_replace(&limits);
    cuda_case_draw_residents(random);
}

static void reset(uint32_t devices, uint64_t seed, uint64_t memory_bytes, uint64_t memory_less)
{
    struct sim_driver_options options = {seed, devices, memory_bytes, 2, 0, 0, memory_less};

    sim_driver_reset(&options);
    sim_driver_fail(0, 0, false);
}

/* ---- Random scenes --------------------------------------------------------------------------- */

static uint64_t met[PLACES][ENGINES]; /* scenes with an occurrence, by place and engine */
static uint64_t arrays_on_device;     /* number of arrays that were filled on a device */
/* Checks the statistics of a call whose answer was right. */
static void check_stats(const struct scene *s, uint32_t call)
{
    struct trawl_stats stats = must_stats(s->searcher);

    if (call == HELD_COUNT || call == HELD_POSITIONS || call == HELD_BEGINS_INTO) {
        TEST_CHECK_U64(stats.text_bytes, s->input.text_bytes);
        TEST_CHECK_U64(stats.match_count, s->expected.match_count);
        TEST_CHECK_U64(trawl_searcher_progress(s->searcher), s->input.text_bytes);
    }
    TEST_CHECK((stats.device_chunk_count > 0) <= (s->engine != TRAWL_ENGINE_CPU));
    TEST_CHECK(stats.cpu_chunk_count == 0 ||
               (strstr(stats.engine, "cpu") == stats.engine && stats.instruction_set[0] != '\0'));
    TEST_CHECK(stats.device_chunk_count == 0 || strstr(stats.engine, "cuda") != NULL);
}

static uint64_t longest_pattern(const struct scene *s)
{
    uint64_t longest = 0;

    for (uint64_t i = 0; i < s->input.pattern_count; i++)
        longest = max_u64(longest, s->input.patterns[i].bytes_count);
    return longest;
}

/* Returns true if an occurrence that lies on two devices' parts of the text cannot be found,
 * because the parts do not overlap enough. */
static bool parts_lack_overlap(const struct scene *s)
{
    return s->devices > 1 && cuda_limits_now().split_overlap + 1 < longest_pattern(s);
}

/* Returns true if the copy of a lent text's end is too short for the patterns. */
static bool is_tail_short(const struct scene *s)
{
    return s->place == PLACE_LENT_COPIED && cuda_limits_now().tail_bytes < longest_pattern(s) +
                                                                               CUDA_BEFORE_BYTES +
                                                                               SCAN_AROUND_BYTES;
}

/* Returns true if the call may return this status although no fault occurred. */
static bool is_refusal(const struct scene *s, uint32_t call, enum trawl_status status)
{
    const struct cuda_limits limits = cuda_limits_now();

    return call == CALL_BEGINS_ON_DEVICE && status == TRAWL_UNSUPPORTED &&
           (!s->is_loaded || s->engine == TRAWL_ENGINE_CPU || parts_lack_overlap(s) ||
            is_tail_short(s) || cuda_case_lacks_table(&limits, &s->input, s->options.method) ||
            s->options.mismatches_max > 0 ||
            (s->input.flags & (NAIVE_WHOLE_WORD | NAIVE_WHOLE_LINE)) != 0);
}

static void all_calls(struct scene *s)
{
    struct trawl_error error = {.message = ""};

    if (!TEST_CHECK(scene_open(s, &error) == TRAWL_OK)) {
        printf("  opening: %s\n", error.message);
        return;
    }
    for (uint32_t call = 0; call < CALLS; call++) {
        enum trawl_status status;
        bool right = false;

        MUST(scene_open(s, NULL));
        if (call == CALL_BEGINS_ON_DEVICE && s->room == 0)
            continue;
        status = scene_call(s, call, &right, &error);
        if (!TEST_CHECK(right && (status == TRAWL_OK || is_refusal(s, call, status))))
            printf("  %s: right %d, status %d, %s\n", scene_call_name(call), right, (int)status,
                   status == TRAWL_OK ? "" : error.message);
        if (status == TRAWL_OK)
            check_stats(s, call);
        arrays_on_device += call == CALL_BEGINS_ON_DEVICE && status == TRAWL_OK && s->is_loaded;
    }
    trawl_text_unload(s->searcher, s->whole == NULL ? s->text : s->whole);
}

/* Puts the text into its place, makes all calls, then closes and removes everything. */
static void play(struct scene *s, enum place place, struct test_random *random)
{
    scene_put(s, place, random);
    all_calls(s);
    scene_close(s);
    scene_take_away(s);
    check_nothing_left();
}

static void case_run(uint64_t index)
{
    struct test_random random = test_random_begin("table");
    enum place place = (enum place)(index % PLACES);
    uint32_t engine = (uint32_t)(index / PLACES % ENGINES);
    uint64_t failures = test_failures, chunk_bytes;
    static struct scene s;

    random.state ^= index * 0x2545f4914f6cdd1du;
    chunk_bytes = test_random_below(&random, 2) ? 0 : 1 + test_random_below(&random, 2000);
    scene_make_random(&s, &random, chunk_bytes);
    s.chunk_bytes = chunk_bytes;
    s.devices = 1 + (uint32_t)test_random_below(&random, 3);
    s.threads = 1 + (uint32_t)test_random_below(&random, 4);
    s.map = (enum trawl_map)(test_random_below(&random, 3));
    random_border(&random, &s.input);
    reset(s.devices, index + 1, 64u << 20, 0);
    if (place == PLACE_LENT || place == PLACE_LENT_COPIED) /* the host's engine has no device */
        engine %= 2;
    s.engine = engines[engine];
    play(&s, place, &random);
    met[place][engine] += s.expected.match_count > 0;
    if (test_failures > failures)
        printf("  TRAWL_TEST_CASE=%" PRIu64
               ": place %d, engine %d, %u devices, %u threads, chunk %" PRIu64
               ", \"%s\" of %" PRIu64 " bytes, %" PRIu64 " patterns, flags %u, method %d\n",
               index, (int)place, (int)s.engine, s.devices, s.threads, s.chunk_bytes, s.input.kind,
               s.input.text_bytes, s.input.pattern_count, s.input.flags, (int)s.options.method);
    scene_free(&s);
}

/* Returns true if a scene at this place had an occurrence. The host's engine has no device. */
static bool has_case(uint64_t place, uint64_t engine)
{
    return met[place][engine] > 0 ||
           (engine == 2 && (place == PLACE_LENT || place == PLACE_LENT_COPIED));
}

/* ---- Short texts ---------------------------------------------------------------------- */

/* Makes all calls with a text that is empty, one byte shorter than the shortest pattern, as long as
 * that pattern, or longer. The plan has no pattern, one, several, or one with an error. If `other`,
 * a second text is loaded meanwhile; an empty text may be searched while only that text is
 * loaded. */
static void edge_run(uint32_t plan, uint64_t bytes, enum place place, uint32_t engine, bool other)
{
    struct test_random random = test_random_begin("edges");
    uint64_t failures = test_failures;
    static struct scene s;

    scene_make_edge(&s, plan, bytes);
    s.engine = engines[engine];
    s.devices = 1 + (uint32_t)(bytes + plan) % 2;
    s.threads = 2;
    s.has_other = other;
    set_border(BORDER_SPLIT);
    /* a plan with errors needs more memory than others */
    reset(s.devices, bytes + 1, 64u << 20, 0);
    play(&s, place, &random);
    if (test_failures > failures)
        printf("  edge: plan %u, %" PRIu64 " bytes, place %d, engine %d, %u devices, other %d\n",
               plan, bytes, (int)place, (int)s.engine, s.devices, other);
    scene_free(&s);
}

/* Makes all calls for a text that is split into stripes (parts) on several devices, with patterns
 * at the borders of the stripes. The stripes overlap by as many bytes as the pattern needs, by one
 * fewer and by one more. */
static void border_run(uint64_t pattern_bytes, uint32_t devices, enum place place)
{
    struct test_random random = test_random_begin("borders");
    struct cuda_limits limits = letters_limits();
    uint64_t failures = test_failures;
    static struct scene s;

    for (uint64_t less = 0; less < 3; less++) {
        scene_make_border(&s, pattern_bytes);
        s.engine = TRAWL_ENGINE_CUDA;
        s.devices = devices;
        s.threads = 4;
        limits.split_bytes_min = limits.stripe_bytes = SCENE_STRIPE;
        limits.split_overlap = pattern_bytes - less;
        limits.lists_min = 1u << 12;
        cuda_limits_replace(&limits);
        reset(devices, less + 1, 16u << 20, 0);
        play(&s, place, &random);
        if (test_failures > failures)
            printf("  border: pattern of %" PRIu64 ", overlap %" PRIu64 ", %u devices, place %d\n",
                   pattern_bytes, limits.split_overlap, devices, (int)place);
        scene_free(&s);
    }
}

static void edges(void)
{
    static const uint64_t shortest[] = {3, 2, 1, 5};

    for (uint64_t bytes = 5; bytes <= 40; bytes += 7)
        border_run(bytes, 2 + (uint32_t)(bytes % 2), bytes % 4 < 2 ? PLACE_LOADED : PLACE_PART);
    for (uint32_t plan = 0; plan < 4; plan++)
        for (uint32_t length = 0; length < (plan == 3 ? 2 : 4); length++)
            for (uint32_t place = 0; place < PLACES; place++)
                for (uint32_t i = 0; i < 2 * ENGINES && test_failures < 5; i++) {
                    uint64_t bytes = length == 0   ? 0
                                     : length == 3 ? 200
                                                   : shortest[plan] + length - 2;
                    bool lent = place == PLACE_LENT || place == PLACE_LENT_COPIED;

                    if (!lent || i / 2 != 2)
                        edge_run(plan, bytes, (enum place)place, i / 2, i % 2 != 0);
                }
}

/* ---- Faults ---------------------------------------------------------------------------------- */

#define P(...)      \
    {               \
        __VA_ARGS__ \
    }
#define ROW(row, kind, bytes, row_patterns, ...)                                              \
    {                                                                                         \
        .name = row, .text = kind, .text_bytes = bytes, .patterns = row_patterns, __VA_ARGS__ \
    }
#define DOZEN "abcabcabcabc"
#define OPTIONS(...) .options = P(__VA_ARGS__)

static const struct scene_row rows[] = {
    ROW("every", TEXT_CYCLE, 1500, P("abcab"), OPTIONS(.method = TRAWL_METHOD_EVERY)),
    ROW("set", TEXT_CYCLE, 600, P("a", "ab", "bca"), OPTIONS(.method = TRAWL_METHOD_SET)),
    ROW("sampled", TEXT_CYCLE, 2000, P(DOZEN DOZEN DOZEN), OPTIONS(.method = TRAWL_METHOD_SAMPLED)),
    ROW("every, long", TEXT_CYCLE, 2000, P(DOZEN DOZEN DOZEN DOZEN DOZEN DOZEN DOZEN),
        OPTIONS(.method = TRAWL_METHOD_EVERY)),
    ROW("grams", TEXT_CYCLE, 1500, P("cabcabca"), OPTIONS(.method = TRAWL_METHOD_GRAMS)),
    /* by the limits of set_border, a device searches a loaded text for this pattern as for a set */
    ROW("as a set", TEXT_CYCLE, 1000, P("bcabcabca"), OPTIONS(.method = TRAWL_METHOD_AUTO)),
    ROW("automaton", TEXT_CYCLE, 600, P("a", "ab", "bca"),
        OPTIONS(.method = TRAWL_METHOD_AUTOMATON)),
    ROW("automaton, folded", TEXT_LETTERS, 2000, P("aBc", "ab", "e"), .folds_utf8 = true,
        .piece_bytes = 12, OPTIONS(.method = TRAWL_METHOD_AUTOMATON, .flags = TRAWL_IGNORE_CASE)),
    ROW("classes", TEXT_CYCLE, 600, P(DOZEN, "bcabcabca", "cabcab"),
        OPTIONS(.method = TRAWL_METHOD_CLASSES)),
    ROW("parts", TEXT_PARTS, 3000, P("ab", "abc", "ca", "bcabca"), OPTIONS(.flags = 0)),
    ROW("folded", TEXT_LETTERS, 2000, P("aBc"), .piece_bytes = 40, .folds_utf8 = true,
        OPTIONS(.flags = TRAWL_IGNORE_CASE)),
    ROW("long", TEXT_LETTERS, 4000, P(NULL), .piece_bytes = 800),
    ROW("words", TEXT_LETTERS, 2000, P("a", "ab", "e"), OPTIONS(.flags = TRAWL_WHOLE_LINE)),
    ROW("flood", TEXT_FLOOD, 3000, P(NULL), OPTIONS(.method = TRAWL_METHOD_SET)),
    ROW("mismatches", TEXT_DNA, 700, P("ACGTNCC", "GGATTACA"),
        OPTIONS(.flags = TRAWL_REVERSE_COMPLEMENT, .alphabet = TRAWL_DNA, .mismatches_max = 2)),
    ROW("edits", TEXT_DNA, 500, P("ACCAGT", "GGATTACA"),
        OPTIONS(.flags = TRAWL_REVERSE_COMPLEMENT, .alphabet = TRAWL_DNA, .edits_max = 1)),
    ROW("edits of bytes", TEXT_PARTS, 600, P("abcabca", "xyzdxy"),
        OPTIONS(.flags = TRAWL_IGNORE_CASE, .edits_max = 2)),
    ROW("edits of characters", TEXT_PARTS, 400, P("abcabca", "xyzdxy"),
        OPTIONS(.alphabet = TRAWL_CHARACTERS, .edits_max = 1)),
    ROW("records", TEXT_RECORDS, 1, P(NULL), OPTIONS(.flags = 0)),
    ROW("records, marked", TEXT_RECORDS, 20, P(NULL), OPTIONS(.flags = 0)),
    ROW("expressions", TEXT_LETTERS, 1000, P("abc", "de"),
        .expressions = P("x*[a]bcy*", "d(e|x+y)"), OPTIONS(.syntax = TRAWL_EXTENDED)),
    ROW("expression, no atoms", TEXT_LETTERS, 500, P("ab"), .expressions = P("[^b-x\n]b"),
        OPTIONS(.syntax = TRAWL_PERL)),
    ROW("expressions, words", TEXT_PARTS, 1000, P("vutsrqp", "ab"),
        .expressions = P("vuts[a-r]*p", "a(b|[^a-z])"),
        OPTIONS(.syntax = TRAWL_EXTENDED, .flags = TRAWL_WHOLE_WORD)),
#if TRAWL_GALLERY
    ROW("records, published", TEXT_RECORDS, 1, P(NULL), OPTIONS(.algorithm = "rabin-karp-matrix")),
    ROW("pss-gr", TEXT_CYCLE, 900, P("abcab"), OPTIONS(.algorithm = "pss-gr:64,debug")),
    ROW("children", TEXT_CYCLE, 300, P("abca", "bca"), OPTIONS(.algorithm = "qs-swift-binning:64")),
    ROW("word-chunked", TEXT_CYCLE, 900, P("bcabd"), OPTIONS(.algorithm = "word-chunked:64")),
    ROW("bmh", TEXT_CYCLE, 600, P("cAB"),
        OPTIONS(.algorithm = "bmh-shared", .flags = TRAWL_IGNORE_CASE)),
    ROW("trie", TEXT_CYCLE, 300, P("abca", "bca"), OPTIONS(.algorithm = "aho-corasick")),
    ROW("word-reduction", TEXT_CYCLE, 700, P("bcab"), OPTIONS(.algorithm = "word-reduction:64")),
    /* strstr copies the text, so memory for the copy can fail, too */
    ROW("strstr", TEXT_CYCLE, 900, P("cabca"), OPTIONS(.algorithm = "strstr")),
#endif
};
#define ROWS (sizeof rows / sizeof *rows)

enum fault_kind { FAULT_OF_POINT, FAULT_OF_DRIVER, FAULT_OF_DEVICE };

static const struct fault {
    enum fault_kind kind;
    bool persistent;
    int code;
} faults[] = {
    {FAULT_OF_POINT, false, 0},
    {FAULT_OF_POINT, true, 0},
    {FAULT_OF_DRIVER, false, CUDA_CODE_OUT_OF_MEMORY},
    {FAULT_OF_DRIVER, true, CUDA_CODE_OUT_OF_MEMORY},
    {FAULT_OF_DRIVER, false, CUDA_CODE_LAUNCH_FAILED},
    {FAULT_OF_DRIVER, true, CUDA_CODE_LAUNCH_FAILED},
    {FAULT_OF_DRIVER, true, CUDA_CODE_UNKNOWN},
    {FAULT_OF_DEVICE, true, 0},
};
#define FAULTS (sizeof faults / sizeof *faults)

/* Three kinds of faults of the driver are lasting. A normal run makes one of them in each row. */
#define LASTING 3u

static bool is_lasting(uint64_t fault)
{
    return faults[fault].kind == FAULT_OF_DRIVER && faults[fault].persistent;
}

static uint64_t rounds, ended;

static const struct fault *armed;

/* Returns true if the place in the code from which the driver is now being called has not met a
 * fault of the same kind as `armed` before. All lasting faults count as one kind, and under
 * sanitizers all faults do. */
static bool is_new_call(void)
{
    uint64_t kind = armed->persistent ? (uint64_t)armed->kind : FAULTS + (uint64_t)armed->code;

    kind = TEST_SANITIZED ? 1 : kind;
    return fault_is_new_place(kind + 1, 4);
}

static void arm(const struct scene *s, const struct fault *fault, uint64_t nth)
{
    armed = fault;
    if (fault->kind == FAULT_OF_POINT && test_is_long())
        fault_arm(nth, fault->persistent);
    else if (fault->kind == FAULT_OF_POINT)
        fault_arm_new(fault->persistent);
    else if (!test_is_long())
        sim_driver_fail_when(is_new_call, fault->code, fault->persistent);
    else if (fault->kind == FAULT_OF_DRIVER)
        sim_driver_fail(nth, fault->code, fault->persistent);
    else
        sim_driver_lose((uint32_t)nth % s->devices, nth);
}

static bool has_met(const struct fault *fault)
{
    return fault->kind == FAULT_OF_POINT    ? fault_has_failed()
           : fault->kind == FAULT_OF_DRIVER ? sim_driver_has_failed()
                                            : sim_driver_has_lost();
}

/* Returns true if a call that meets the fault may return this status. With `auto` the search
 * continues without its device. After a failed launch MEMORY is not allowed. */
static bool may_end(const struct scene *s, const struct fault *fault, uint32_t call,
                    enum trawl_status status)
{
    bool from_source = s->place == PLACE_FILE || scene_is_stream(s);

    if (call == CALL_BEGINS_ON_DEVICE && /* the lost device may be the one with the caller's
                                            array */
        (status == TRAWL_UNSUPPORTED || (status == TRAWL_DEVICE && fault->kind == FAULT_OF_DEVICE)))
        return true;
    if (scene_is_lent(s) && (status == TRAWL_UNSUPPORTED || status == TRAWL_DEVICE))
        return true;
    if (fault->kind == FAULT_OF_POINT &&
        (status == TRAWL_MEMORY || (s->expressions != NULL && status == TRAWL_UNSUPPORTED) ||
         (from_source && (status == TRAWL_READ || status == TRAWL_OPEN)) ||
         (s->place == PLACE_COMPRESSED && status == TRAWL_UNSUPPORTED)))
        return true;
    if (s->engine == TRAWL_ENGINE_CPU)
        return false;
    if (s->engine == TRAWL_ENGINE_AUTO && !scene_is_lent(s) && s->options.algorithm == NULL)
        return false;
    /* with several devices, a search goes on without the lost one, but a published algorithm does
     * not, and loading records fails */
    if (fault->kind == FAULT_OF_DEVICE && s->devices > 1 && !scene_is_lent(s) &&
        s->options.algorithm == NULL && call != HELD_RECORDS)
        return false;
    return status == TRAWL_ENGINE || status == TRAWL_DEVICE ||
           (status == TRAWL_MEMORY && fault->code != CUDA_CODE_LAUNCH_FAILED);
}

static void say(const struct scene *s, const struct fault *fault, uint64_t nth, uint32_t call,
                const char *what, enum trawl_status status, const struct trawl_error *error)
{
    printf("  %s: %s, fault %d%s code %d at %" PRIu64
           ", place %d, engine %d, %u devices, %u threads: "
           "status %d %s; %s\n",
           what, call == CALLS ? "opening" : scene_call_name(call), (int)fault->kind,
           fault->persistent ? " and after" : "", fault->code, nth, (int)s->place, (int)s->engine,
           s->devices, s->threads, (int)status, status == TRAWL_OK ? "" : error->message,
           sim_driver_report());
}

/* Returns true if a call after a single fault may fail. Usually a single fault ends at most one
 * call. But `auto` continues without the device that has the text, and a device on which a launch
 * failed in its own thread counts as lost. */
static bool may_end_again(const struct scene *s, const struct fault *fault,
                          enum trawl_status status)
{
    return (s->engine == TRAWL_ENGINE_AUTO && scene_is_lent(s)) ||
           (s->threads > 1 && status == TRAWL_DEVICE && fault->code == CUDA_CODE_LAUNCH_FAILED);
}

/* Returns true if the error says what failed, and where. A failed read may be past the text's end,
 * because the search finds the end of a file by reading. */
static bool is_told(const struct scene *s, enum trawl_status status,
                    const struct trawl_error *error)
{
    if (status == TRAWL_READ &&
        ((error->os_code != EIO && s->place != PLACE_COMPRESSED) ||
         error->text_offset > s->input.text_bytes + s->threads * 2 * s->chunk_bytes))
        return false;
    return error->status == status && error->message[0] != '\0' &&
           (status != TRAWL_OPEN || error->os_code != 0);
}

/* Opens the objects that are not open, and makes the call. Returns true if the fault ended it. */
static bool call_with_fault(struct scene *s, const struct fault *fault, uint64_t nth, uint32_t call,
                            bool has_ended)
{
    struct trawl_error error;
    enum trawl_status status;
    bool right = true, opened;

    memset(&error, 0, sizeof error);
    status = scene_open(s, &error);
    opened = status == TRAWL_OK;
    if (opened)
        status = scene_call(s, call, &right, &error);
    if (!TEST_CHECK(right) || !TEST_CHECK(status == TRAWL_OK || may_end(s, fault, call, status)) ||
        !TEST_CHECK(status == TRAWL_OK || is_told(s, status, &error)))
        say(s, fault, nth, opened ? call : CALLS, right ? "may not end so" : s->held.message,
            status, &error);
    if (status == TRAWL_OK || (call == CALL_BEGINS_ON_DEVICE && status == TRAWL_UNSUPPORTED))
        return false;
    if (!TEST_CHECK(!has_ended || may_end_again(s, fault, status)))
        say(s, fault, nth, opened ? call : CALLS, "once more", status, &error);
    return true;
}

/* Returns true if the memory that was lacking may be an automaton's. A search for a set then
 * succeeds without the automaton. */
static bool may_lack_automaton(const struct scene *s, const struct fault *fault)
{
    return fault->code == CUDA_CODE_OUT_OF_MEMORY && s->input.pattern_count > 1;
}

/* Makes the calls in turn, all of them or, with a lasting fault, up to the first that fails. The
 * call that meets the fault may fail. After a single fault, later calls must succeed, except where
 * may_end_again allows a failure. Returns false if there is no fault of this number. */
static bool round_met_fault(struct scene *s, const struct fault *fault, uint64_t nth,
                            uint32_t first_call)
{
    uint64_t failures = test_failures;
    bool has_ended = false, is_replaced = false, is_met;

    if (fault->kind == FAULT_OF_DEVICE && scene_open(s, NULL) != TRAWL_OK)
        return false;
    arm(s, fault, nth);
    for (uint32_t i = 0; i < CALLS && !(has_ended && fault->persistent); i++) {
        uint32_t call = (first_call + i) % CALLS;
        bool was_met = has_met(fault);

        if (call_with_fault(s, fault, nth, call, has_ended)) {
            has_ended = true;
            if (!fault->persistent) /* what the call left behind must not change the next answer */
                (void)call_with_fault(s, fault, nth, call, true);
        }
        /* In these calls the library can fill the array in another way, or answer on the host, or
         * the test itself made the driver's call that failed. */
        if (!was_met && has_met(fault))
            is_replaced =
                call == CALL_BEGINS_ON_DEVICE || call == CALL_BEGINS_PINNED || call == HELD_RECORDS;
    }
    is_met = has_met(fault);
    TEST_CHECK(is_met || !has_ended);
    if (fault->kind == FAULT_OF_DRIVER && s->engine == TRAWL_ENGINE_CUDA && s->devices == 1)
        if (!TEST_CHECK(has_ended || is_replaced || s->is_loaded || sim_driver_needed() == NULL ||
                        may_lack_automaton(s, fault)))
            say(s, fault, nth, first_call, sim_driver_needed(), TRAWL_OK, NULL);
    fault_arm(0, false);
    if (fault->kind == FAULT_OF_DRIVER)
        sim_driver_fail(UINT64_MAX, 0, false);
    if (fault->kind == FAULT_OF_POINT && fault->persistent)
        (void)call_with_fault(s, fault, nth, first_call, true); /* the fault is gone */
    rounds++;
    ended += has_ended;
    if (test_failures > failures)
        printf("  with fault %" PRIu64 "\n", nth);
    return is_met;
}

static void reset_all(struct scene *s, uint64_t seed, struct test_random *random, enum place place)
{
    reset(s->devices, seed, 8u << 20, 0);
    scene_put(s, place, random);
}

/* Runs a row at a place, with an engine, once for each number of the fault. A normal run skips the
 * numbers whose point or call failed before at the same place in the code. */
static void run_row(const struct scene_row *row, const struct fault *fault, enum place place,
                    enum trawl_engine engine, uint64_t turn)
{
    static const enum approx_method methods[] = {APPROX_METHODS, APPROX_PIECES, APPROX_GRAMS};
    struct test_random random = test_random_begin(row->name);
    uint64_t nth = 0, failures = test_failures, descriptors = open_descriptors();
    static struct scene s;
    bool is_met = true;

    scene_make_row(&s, row);
    s.engine = engine;
    s.devices = (uint32_t)(1 + turn % (fault->kind == FAULT_OF_DEVICE ? 3 : 2));
    s.threads = (uint32_t)(1 + turn / 2 % 3);
    s.chunk_bytes = s.has_records ? s.records.tape.text_bytes : s.input.text_bytes;
    s.chunk_bytes = 1 + s.chunk_bytes / (1 + turn % 4);
    s.map = turn % 2 ? TRAWL_MAP_ALWAYS : TRAWL_MAP_NEVER;
    /* With the default prices, the rows with errors would never use grams or pieces, and no text
     * would be long enough for a device. So the test makes a device's start cost nothing, and
     * forces a method. */
    approx_device_fixed_ns = 0;
    approx_method_forced = methods[(turn ^ turn >> 2) % 3];
    set_border((enum border)(turn % BORDERS));
    while (is_met && nth < NTH_MAX && test_failures < 5) {
        nth++;
        reset_all(&s, nth, &random, place);
        is_met = round_met_fault(&s, fault, nth, (uint32_t)(turn + nth) % CALLS);
        scene_close(&s);
        scene_take_away(&s);
        check_nothing_left();
    }
    TEST_CHECK(nth < NTH_MAX);
    TEST_CHECK_U64(open_descriptors(), descriptors);
    if (test_failures > failures)
        printf("  row %s\n", row->name);
    scene_free(&s);
}

/* Returns true if the engine can run the row: a published algorithm may be for one engine only. */
static bool is_for(const struct scene_row *row, enum trawl_engine engine)
{
    const char *name, *given = row->options.algorithm;
    uint32_t for_engines = 0;

    for (uint32_t i = 0; given != NULL && (name = trawl_algorithm(i, NULL, &for_engines)) != NULL;
         i++)
        if (strncmp(name, given, strcspn(given, ":,")) == 0)
            return (for_engines & 1u << engine) != 0;
    return true;
}

/* Runs a row with a fault. The run determines the engines, and at how many of the row's places:
 *
 *    long run              all engines that fit the row, at all places (one, if a divisor is given)
 *    normal, fault point   each engine, at one place
 *    normal, other faults  one engine, at one place
 *
 * The CPU engine runs only with fault points. The place and the engine change with the row and the
 * fault. */
static void run_faults(uint64_t r, uint64_t f)
{
    const bool is_point = faults[f].kind == FAULT_OF_POINT;
    const uint64_t places = test_is_long() && test_divisor() == 1 ? PLACES : 1;
    uint64_t turn = 4 * r + f / 2 + test_setting("TRAWL_TEST_SEED", 1), count = 0;
    enum trawl_engine fit[ENGINES];

    for (uint32_t e = 0; e < ENGINES; e++)
        if (is_for(&rows[r], engines[e]) && (is_point || engines[e] != TRAWL_ENGINE_CPU))
            fit[count++] = engines[e];
    for (uint64_t e = 0; e < count; e++)
        for (uint64_t i = 0; i < places && test_failures < 5; i++) {
            enum place place = (enum place)((turn + turn / PLACES + 3 * e + i) % PLACES);

            if (!test_is_long() && !is_point && e != (r + f / 2) % count)
                continue;
            if (fit[e] == TRAWL_ENGINE_CPU && (place == PLACE_LENT || place == PLACE_LENT_COPIED))
                place = PLACE_COMPRESSED;
            run_row(&rows[r], &faults[f], place, fit[e], r + f + i);
        }
}

int main(void)
{
    uint64_t min = 2 * PLACES * ENGINES, cases = test_amount(CASES_NORMAL, CASES_LONG);
    bool all;

    test_begin("sim table");
    blocks_count();
    cuda_driver_replace(sim_driver_table());
    schedule_open_after(0);
    cpu_sizes.look_after = cpu_sizes.look_again = 0;
    cpu_sizes.look_lost_ns = 0;
    /* All strategies for a set are tried, so that their tables are made in the middle of a search.
     */
    cpu_sizes.trial_advance = UINT64_MAX / 2;
    cpu_sizes.trial_bytes = cpu_sizes.dense_bytes = cpu_sizes.dense_step = 64;
    cases = max_u64(cases, min);
    all = test_cases(cases, case_run);
    /* a short run draws more where no text had an occurrence */
    for (uint64_t i = cases; i < cases + 4 * min && all; i++)
        if (!has_case(i % PLACES, i / PLACES % ENGINES))
            case_run(i);
    for (uint32_t place = 0; place < PLACES && all; place++)
        for (uint32_t engine = 0; engine < ENGINES; engine++)
            TEST_CHECK(has_case(place, engine));
    TEST_CHECK(!all || arrays_on_device > 0);
    if (all)
        edges();
    for (uint64_t r = 0; r < ROWS && all; r++)
        for (uint64_t f = 0; f < FAULTS; f++)
            if (test_is_long() ||
                (test_turn(r + f, 8) && (!is_lasting(f) || r % LASTING == f % LASTING)))
                run_faults(r, f);
    printf("%" PRIu64 " rounds with a fault, of which %" PRIu64 " ended a call\n", rounds, ended);
    TEST_CHECK(!all || ended > 50);
    return test_end();
}
