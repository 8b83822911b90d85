/* unit_sinks: a sink is the caller's function that receives the matches of a search. Checks that a
 * call on a searcher that is inside a call returns BUSY, that a sink can stop the search, and that
 * the search then ends soon. */
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

#include "calls.h"

#define TEXT_BYTES ((uint64_t)32 << 20)
#define CHUNK_BYTES ((uint64_t)64 << 10)
/* Limit for the bytes that a stopped search has read: far more than are in progress at a time. */
#define STOP_BYTES_MAX (TEXT_BYTES / 4)

struct scene {
    struct trawl_searcher *searcher, *other;
    struct trawl_plan *plan;
    struct trawl_text *text;
    pthread_t caller;
    uint64_t calls, matches;
    uint64_t stop_after_matches, stop_after_calls;
    uint64_t begin_next;
    int stop_value;
    bool right_thread, right_order, all_busy, other_right, read_right;
    bool one_per_line; /* each window has at most one match in a line */
    uint64_t nulls;    /* number of windows that report a NUL */
    bool nulls_right;  /* each window reports a NUL if and only if it contains one */
};

/* Returns true if seven kinds of search with this searcher, and a load, return BUSY and do not
 * change their outputs. Checks the error record of one of them. */
static bool all_busy(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                     struct trawl_text *text)
{
    struct trawl_error error = calls_error();
    struct trawl_match match = {5, 5, 5, 5, 5};
    uint64_t count = 5;
    bool found = false;

    return trawl_count(searcher, plan, text, &count, &error) == TRAWL_BUSY &&
           error.status == TRAWL_BUSY &&
           trawl_first(searcher, plan, text, &match, &found, NULL) == TRAWL_BUSY &&
           ask_positions(searcher, plan, text, ignore_matches, NULL, NULL) == TRAWL_BUSY &&
           ask_begins_into(searcher, plan, text, &count, 1, &count, NULL) == TRAWL_BUSY &&
           ask_count_lines(searcher, plan, text, false, 1, &count, NULL) == TRAWL_BUSY &&
           ask_count_by_pattern(searcher, plan, text, ignore_counts, NULL, NULL) == TRAWL_BUSY &&
           trawl_windows(searcher, plan, text, 0, ignore_window, NULL, NULL) == TRAWL_BUSY &&
           trawl_text_load(searcher, text, NULL) == TRAWL_BUSY && count == 5 && match.begin == 5 &&
           !found;
}

static void scene_begin(struct scene *scene, uint32_t threads, const char *pattern,
                        const void *bytes, uint64_t bytes_count)
{
    *scene = (struct scene){.caller = pthread_self(),
                            .right_thread = true,
                            .right_order = true,
                            .all_busy = true,
                            .other_right = true,
                            .read_right = true,
                            .stop_after_matches = UINT64_MAX,
                            .stop_after_calls = UINT64_MAX,
                            .stop_value = 1};
    scene->searcher = must_searcher(threads, CHUNK_BYTES);
    scene->other = must_searcher(1, 0);
    scene->plan = must_plan(pattern);
    scene->text = must_text(bytes, bytes_count);
}

static void scene_end(struct scene *scene)
{
    trawl_text_close(scene->text);
    trawl_plan_free(scene->plan);
    trawl_searcher_close(scene->other);
    trawl_searcher_close(scene->searcher);
}

/* Does in a sink what is allowed there and what is not. The test checks the results after the
 * call. */
static void try_everything(struct scene *scene)
{
    uint64_t read_bytes = 0, count = 0;
    AUTO_TEXT text = NULL;
    uint8_t bytes[2];

    scene->right_thread = scene->right_thread && pthread_equal(pthread_self(), scene->caller) != 0;
    if (scene->calls++ > 0)
        return;
    scene->all_busy = all_busy(scene->searcher, scene->plan, scene->text);
    scene->read_right =
        trawl_text_read(scene->text, 0, bytes, 2, &read_bytes, NULL) == TRAWL_OK && read_bytes == 2;
    scene->other_right = call_memory("xx", 2, &text, NULL) == TRAWL_OK &&
                         trawl_count(scene->other, scene->plan, text, &count, NULL) == TRAWL_OK &&
                         count == 2;
}

static int match_sink(void *context, const struct trawl_match *matches, uint64_t match_count)
{
    struct scene *scene = context;

    try_everything(scene);
    for (uint64_t i = 0; i < match_count; i++) {
        scene->right_order = scene->right_order && matches[i].begin >= scene->begin_next;
        scene->begin_next = matches[i].begin + 1;
    }
    scene->matches += match_count;
    return scene->matches >= scene->stop_after_matches ? scene->stop_value : 0;
}

static int window_sink(void *context, const struct trawl_window *window)
{
    struct scene *scene = context;

    try_everything(scene);
    scene->right_order = scene->right_order && window->begin == scene->begin_next;
    scene->begin_next = window->begin + window->bytes_count;
    scene->matches += window->match_count;
    scene->one_per_line = scene->one_per_line && window->one_per_line;
    scene->nulls += window->has_null;
    scene->nulls_right =
        scene->nulls_right &&
        window->has_null == (window->bytes_count > 0 &&
                             memchr(window->bytes, 0, (size_t)window->bytes_count) != NULL);
    return scene->calls >= scene->stop_after_calls ? scene->stop_value : 0;
}

static void check_scene(const struct scene *scene)
{
    TEST_CHECK(scene->right_thread);
    TEST_CHECK(scene->right_order);
    TEST_CHECK(scene->all_busy);
    TEST_CHECK(scene->other_right);
    TEST_CHECK(scene->read_right);
}

static void from_inside(const uint8_t *bytes)
{
    for (uint32_t threads = 1; threads <= 3; threads++) {
        struct scene scene;
        scene_begin(&scene, threads, "x", bytes, TEXT_BYTES);
        MUST(ask_positions(scene.searcher, scene.plan, scene.text, match_sink, &scene, NULL));
        TEST_CHECK_U64(scene.matches, TEXT_BYTES / 1000 + 1);
        check_scene(&scene);
        scene.calls = scene.matches = scene.begin_next = 0;
        MUST(trawl_windows(scene.searcher, scene.plan, scene.text, 0, window_sink, &scene, NULL));
        TEST_CHECK_U64(scene.matches, TEXT_BYTES / 1000 + 1);
        TEST_CHECK_U64(scene.begin_next, TEXT_BYTES);
        check_scene(&scene);
        scene.matches = scene.begin_next = 0;
        scene.one_per_line = true;
        MUST(trawl_windows(scene.searcher, scene.plan, scene.text, TRAWL_LINES, window_sink, &scene,
                           NULL));
        TEST_CHECK(scene.matches > 0 && scene.one_per_line);
        TEST_CHECK_U64(scene.nulls, 0);
        scene_end(&scene);
    }
}

/* Checks that a window reports whether it contains a NUL, if the caller asks for that. The NUL is
 * the text's first byte, a byte in the middle, or the last byte. */
static void nulls_in_windows(uint8_t *bytes)
{
    static const uint64_t places[] = {0, TEXT_BYTES / 2, TEXT_BYTES - 1};

    for (uint32_t i = 0; i < sizeof places / sizeof *places; i++) {
        uint8_t byte = bytes[places[i]];
        struct scene scene;

        bytes[places[i]] = '\0';
        scene_begin(&scene, 3, "x", bytes, TEXT_BYTES);
        scene.nulls_right = true;
        MUST(trawl_windows(scene.searcher, scene.plan, scene.text, TRAWL_NULLS | TRAWL_LINE_ENDS,
                           window_sink, &scene, NULL));
        TEST_CHECK_U64(scene.nulls, 1);
        TEST_CHECK(scene.nulls_right);
        scene_end(&scene);
        bytes[places[i]] = byte;
    }
}

static int counted_window(void *context, const struct trawl_window *window)
{
    uint64_t line_ends = 0, nulls = 0;

    *(uint64_t *)context += window->bytes_count;
    for (uint64_t i = 0; i < window->bytes_count; i++) {
        line_ends += window->bytes[i] == '\n';
        nulls += window->bytes[i] == '\0';
    }
    TEST_CHECK_U64(window->line_end_count, line_ends);
    TEST_CHECK(window->has_null == (nulls > 0));
    return 0;
}

/* Checks the line ends and NULs of windows of any length, at any alignment. Some consist of line
 * ends alone, and in some the only NUL is the last byte. */
static void line_ends_in_windows(void)
{
    static uint8_t bytes[20000];
    AUTO_SEARCHER searcher = must_searcher_with(SEARCHER_WITH(.threads = 1));
    AUTO_PLAN plan = must_plan("x");
    struct test_random random = test_random_begin("line_ends_in_windows");

    for (uint64_t i = 0; i < 1200; i++) {
        uint64_t count = i < 600 ? i : test_random_below(&random, sizeof bytes - 64), seen = 0;
        uint8_t *begin = bytes + test_random_below(&random, 64);
        uint64_t one_in = 1 + test_random_below(&random, 4);
        AUTO_TEXT text = NULL;

        for (uint64_t k = 0; k < count; k++)
            begin[k] = test_random_one_in(&random, one_in) ? '\n' : 'a';
        if (count > 0 && test_random_one_in(&random, 2))
            begin[test_random_one_in(&random, 2) ? count - 1 : test_random_below(&random, count)] =
                '\0';
        MUST(call_memory(begin, count, &text, NULL));
        MUST(trawl_windows(searcher, plan, text, TRAWL_NULLS | TRAWL_LINE_ENDS, counted_window,
                           &seen, NULL));
        TEST_CHECK_U64(seen, count);
    }
}

static int second_span(void *context, const struct trawl_window *window)
{
    (void)context;
    TEST_CHECK_U64(window->match_count, 2);
    TEST_CHECK(window->line_ends_before != NULL && window->line_ends_before[1] == 1);
    return 0;
}

/* Checks line_ends_before of a span that follows a match which is not a span: it must be the span's
 * own number, not that of the match before. */
static void line_ends_of_spans(void)
{
    static char bytes[4096] = "xxx\n.xx";
    AUTO_SEARCHER searcher = must_searcher(1, 0);
    AUTO_PLAN xx = must_plan("xx");
    AUTO_TEXT text = must_text(bytes, sizeof bytes);

    MUST(trawl_windows(searcher, xx, text, TRAWL_SPANS_FIRST | TRAWL_LINE_ENDS, second_span, NULL,
                       NULL));
}

struct meeting {
    sem_t inside, leave;
    struct trawl_searcher *searcher;
    struct trawl_plan *plan;
    struct trawl_text *text;
    enum trawl_status status;
    uint64_t waits;
};

static int waiting_sink(void *context, const struct trawl_match *matches, uint64_t match_count)
{
    struct meeting *meeting = context;

    (void)matches;
    (void)match_count;
    if (meeting->waits++ == 0) {
        sem_post(&meeting->inside);
        sem_wait(&meeting->leave);
    }
    return 0;
}

static void *search_and_wait(void *context)
{
    struct meeting *meeting = context;

    meeting->status =
        ask_positions(meeting->searcher, meeting->plan, meeting->text, waiting_sink, meeting, NULL);
    return NULL;
}

static void from_another_thread(void)
{
    struct meeting meeting = {
        .searcher = must_searcher(2, 0), .plan = must_plan("x"), .text = must_string("x marks x")};
    pthread_t thread;

    sem_init(&meeting.inside, 0, 0);
    sem_init(&meeting.leave, 0, 0);
    if (pthread_create(&thread, NULL, search_and_wait, &meeting) != 0)
        exit(1);
    sem_wait(&meeting.inside);
    TEST_CHECK(all_busy(meeting.searcher, meeting.plan, meeting.text));
    sem_post(&meeting.leave);
    pthread_join(thread, NULL);
    CHECK_STATUS(meeting.status, TRAWL_OK);
    TEST_CHECK_U64(must_count(meeting.searcher, meeting.plan, meeting.text), 2);
    trawl_text_close(meeting.text);
    trawl_plan_free(meeting.plan);
    trawl_searcher_close(meeting.searcher);
}

static void check_stopped_soon(struct scene *scene)
{
    struct trawl_stats stats = {.size = sizeof stats};

    MUST(trawl_searcher_stats(scene->searcher, &stats, NULL));
    if (!TEST_CHECK(stats.text_bytes <= STOP_BYTES_MAX))
        printf("  %" PRIu64 " of %" PRIu64 " bytes searched\n", stats.text_bytes, TEXT_BYTES);
}

static void stop(const uint8_t *bytes)
{
    for (uint32_t threads = 1; threads <= 4; threads++) {
        struct scene scene;
        scene_begin(&scene, threads, "x", bytes, TEXT_BYTES);
        scene.stop_after_matches = 100;
        scene.stop_value = threads % 2 == 0 ? -7 : 1;
        CHECK_STATUS(
            ask_positions(scene.searcher, scene.plan, scene.text, match_sink, &scene, NULL),
            TRAWL_STOPPED);
        TEST_CHECK(scene.matches >= 100);
        check_scene(&scene);
        check_stopped_soon(&scene);
        scene.calls = scene.matches = scene.begin_next = 0;
        scene.stop_after_calls = 3;
        CHECK_STATUS(
            trawl_windows(scene.searcher, scene.plan, scene.text, 0, window_sink, &scene, NULL),
            TRAWL_STOPPED);
        TEST_CHECK_U64(scene.calls, 3);
        check_stopped_soon(&scene);
        /* After the stop, the same searcher must work. */
        TEST_CHECK_U64(must_count(scene.searcher, scene.plan, scene.text), TEXT_BYTES / 1000 + 1);
        scene_end(&scene);
    }
}

static void first_and_lines_stop(const uint8_t *bytes)
{
    for (uint32_t threads = 1; threads <= 4; threads++) {
        struct scene scene;
        struct trawl_match match = {0, 0, 0, 0, 0};
        uint64_t count = 0;
        bool found = false;
        scene_begin(&scene, threads, ".x", bytes, TEXT_BYTES);
        MUST(trawl_first(scene.searcher, scene.plan, scene.text, &match, &found, NULL));
        TEST_CHECK(found && match.begin == 999 && match.end == 1001 && match.pattern_index == 0);
        check_stopped_soon(&scene);
        MUST(ask_count_lines(scene.searcher, scene.plan, scene.text, false, 5, &count, NULL));
        TEST_CHECK_U64(count, 5);
        check_stopped_soon(&scene);
        scene_end(&scene);
    }
}

int main(void)
{
    uint8_t *bytes = malloc(TEXT_BYTES);

    test_begin("sinks");
    alarm(300); /* ends the test if a search waits forever */
    memset(bytes, '.', TEXT_BYTES);
    for (uint64_t i = 0; i < TEXT_BYTES; i += 1000)
        bytes[i] = 'x';
    for (uint64_t i = 500; i < TEXT_BYTES; i += 5000)
        bytes[i] = '\n';
    from_inside(bytes);
    nulls_in_windows(bytes);
    line_ends_in_windows();
    line_ends_of_spans();
    from_another_thread();
    stop(bytes);
    first_and_lines_stop(bytes);
    free(bytes);
    return test_end();
}
