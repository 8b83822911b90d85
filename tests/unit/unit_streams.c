/* unit_streams: checks that the bytes of a pipe are searched as they arrive, and that a search that
 * has its answer does not wait for more bytes. Checks the functions of trawl_stream.h, too. In most
 * tests the writer writes a piece only after the match in the previous piece was delivered. So a
 * search that holds matches back fails or hangs, and no test depends on how fast a search is. */
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>
#include <unistd.h>

#include "calls.h"

#define PIECES 20
#define PATIENCE_SECONDS 60
#define ROUNDS 25
static const char piece[] = "a needle, and enough behind it that it is whole.\n";
#define PIECE_BYTES (sizeof piece - 1)

struct slow {
    int ends[2];
    sem_t seen;
    bool patient; /* each piece's match was delivered within PATIENCE_SECONDS */
    uint64_t matches;
    uint64_t stop_after;
    int pieces;     /* number of pieces to write */
    bool keep_open; /* the writer does not close the pipe at the end */
};

static void slow_begin(struct slow *slow)
{
    *slow = (struct slow){.patient = true, .stop_after = UINT64_MAX, .pieces = PIECES};
    if (pipe(slow->ends) != 0 || sem_init(&slow->seen, 0, 0) != 0)
        exit(1);
}

static void write_piece(struct slow *slow)
{
    if (write(slow->ends[1], piece, PIECE_BYTES) != (ssize_t)PIECE_BYTES)
        exit(1);
}

static void *write_slowly(void *context)
{
    struct slow *slow = context;
    struct timespec until;

    for (int i = 0; i < slow->pieces && slow->patient; i++) {
        write_piece(slow);
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += PATIENCE_SECONDS;
        slow->patient = sem_timedwait(&slow->seen, &until) == 0;
    }
    if (!slow->keep_open)
        close(slow->ends[1]);
    return NULL;
}

static int see_matches(void *context, const struct trawl_match *matches, uint64_t match_count)
{
    struct slow *slow = context;

    (void)matches;
    for (uint64_t i = 0; i < match_count; i++, slow->matches++)
        sem_post(&slow->seen);
    return slow->matches >= slow->stop_after;
}

static int see_window(void *context, const struct trawl_window *window)
{
    return see_matches(context, window->matches, window->match_count);
}

/* Searches a pipe that is opened with these flags. With O_NONBLOCK, a moment without bytes must not
 * end the text. stops: the sink stops the search at the last piece's match, while several threads
 * search and one waits for more bytes. */
static void promptly(uint32_t threads, bool windows, int pieces, bool stops, int flags)
{
    AUTO_SEARCHER searcher = must_searcher(threads, 0);
    AUTO_PLAN plan = must_plan("needle");
    AUTO_TEXT text = NULL;
    struct slow slow;
    pthread_t writer;

    slow_begin(&slow);
    slow.pieces = pieces;
    slow.keep_open = stops;
    slow.stop_after = stops ? (uint64_t)pieces : UINT64_MAX;
    if (fcntl(slow.ends[0], F_SETFL, flags) != 0)
        exit(1);
    MUST(call_descriptor(slow.ends[0], "pipe", 0, &text, NULL));
    if (pthread_create(&writer, NULL, write_slowly, &slow) != 0)
        exit(1);
    CHECK_STATUS(windows
                     ? trawl_windows(searcher, plan, text, TRAWL_LINE_ENDS, see_window, &slow, NULL)
                     : ask_positions(searcher, plan, text, see_matches, &slow, NULL),
                 stops ? TRAWL_STOPPED : TRAWL_OK);
    pthread_join(writer, NULL);
    TEST_CHECK(slow.patient);
    TEST_CHECK_U64(slow.matches, (uint64_t)pieces);
    close(slow.ends[0]);
    if (stops)
        close(slow.ends[1]);
}

/* Makes calls whose answer is in the first piece. The writer writes only that piece and keeps the
 * pipe open; each call must return nevertheless. */
static void answers_without_the_end(uint32_t threads)
{
    AUTO_SEARCHER searcher = must_searcher(threads, 0);
    AUTO_PLAN plan = must_plan("needle");

    /* Only in some rounds does a second thread wait for more bytes, so there are many rounds. */
    for (int round = 0; round < 4 * ROUNDS; round++) {
        int call = round % 4;
        struct trawl_match match = {0, 0, 0, 0, 0};
        AUTO_TEXT text = NULL;
        uint64_t count = 0;
        bool found = false;
        struct slow slow;
        slow_begin(&slow);
        slow.stop_after = 1;
        write_piece(&slow);
        MUST(call_descriptor(slow.ends[0], "pipe", 0, &text, NULL));
        if (call == 0) {
            MUST(trawl_first(searcher, plan, text, &match, &found, NULL));
            TEST_CHECK(found && match.begin == 2 && match.end == 8);
        } else if (call == 1) {
            CHECK_STATUS(ask_positions(searcher, plan, text, see_matches, &slow, NULL),
                         TRAWL_STOPPED);
        } else if (call == 2) {
            CHECK_STATUS(trawl_windows(searcher, plan, text, 0, see_window, &slow, NULL),
                         TRAWL_STOPPED);
        } else {
            MUST(ask_count_lines(searcher, plan, text, false, 1, &count, NULL));
            TEST_CHECK_U64(count, 1);
        }
        close(slow.ends[0]);
        close(slow.ends[1]);
    }
}

/* Searches /dev/zero, which has no end: first for the first match, then with a sink that stops the
 * search after a million matches. */
static void endless(uint32_t threads)
{
    AUTO_SEARCHER searcher = must_searcher(threads, 0);
    struct trawl_pattern zeros = {"\0\0\0\0\0\0\0\0\0\0", 10};
    struct trawl_match match = {77, 77, 77, 0, 0};
    AUTO_PLAN plan = NULL;
    struct trawl_text *text = NULL;
    struct slow slow;
    bool found = false;

    slow_begin(&slow);
    slow.stop_after = 1000000;
    MUST(trawl_plan_build(&zeros, 1, NULL, &plan, NULL));
    MUST(call_file("/dev/zero", 0, &text, NULL));
    MUST(trawl_first(searcher, plan, text, &match, &found, NULL));
    TEST_CHECK(found && match.begin == 0 && match.end == 10);
    trawl_text_close(text);
    MUST(call_file("/dev/zero", 0, &text, NULL));
    CHECK_STATUS(ask_positions(searcher, plan, text, see_matches, &slow, NULL), TRAWL_STOPPED);
    TEST_CHECK(slow.matches >= 1000000);
    trawl_text_close(text);
    close(slow.ends[0]);
    close(slow.ends[1]);
}

struct source {
    int to;
    uint64_t matches;
};

/* The sink of a search. At the first match, writes the rest of the source and closes the source. */
static int see_letter(void *context, const struct trawl_match *matches, uint64_t match_count)
{
    struct source *source = context;

    (void)matches;
    if (source->matches == 0 && (write(source->to, "b", 1) != 1 || close(source->to) != 0))
        exit(1);
    source->matches += match_count;
    return 0;
}

/* Searches for "aNb" with case ignored, in lines that end with 'n'. An occurrence may contain a
 * line end, so at a line end an occurrence may still be unfinished. */
static void letter_ends_lines(void)
{
    struct trawl_pattern pattern = {"aNb", 3};
    AUTO_SEARCHER searcher = must_searcher(1, 0);
    AUTO_PLAN plan =
        must_plans(&pattern, 1, PLAN_WITH(.flags = TRAWL_IGNORE_CASE, .line_ends = {1, {'n'}}));
    AUTO_TEXT text = NULL;
    struct source source;
    int ends[2];

    if (pipe(ends) != 0 || write(ends[1], "anb----an", 9) != 9)
        exit(1);
    source = (struct source){ends[1], 0};
    MUST(call_descriptor(ends[0], "pipe", 0, &text, NULL));
    MUST(ask_positions(searcher, plan, text, see_letter, &source, NULL));
    TEST_CHECK_U64(source.matches, 2);
    close(ends[0]);
}

/* Checks that a second search of a stream fails: the bytes are gone, so an answer of 0 would be
 * wrong. */
static void only_once(void)
{
    AUTO_SEARCHER searcher = must_searcher(1, 0);
    AUTO_PLAN plan = must_plan("needle");
    AUTO_TEXT text = NULL;
    struct slow slow;
    uint64_t count = 77;

    slow_begin(&slow);
    write_piece(&slow);
    close(slow.ends[1]);
    MUST(call_descriptor(slow.ends[0], "pipe", 0, &text, NULL));
    TEST_CHECK_U64(must_count(searcher, plan, text), 1);
    CHECK_ERROR(trawl_count(searcher, plan, text, &count, error), TRAWL_UNSUPPORTED);
    TEST_CHECK_U64(count, 77);
    close(slow.ends[0]);
}

#define UTF8 0x40000000u /* a flag of at_once: the caller passes the letters of UTF-8 */

static bool is_greek(void *context, uint32_t code_point)
{
    (void)context;
    return code_point >= 0x370 && code_point < 0x400;
}

static bool has_expressions(void)
{
    struct trawl_pattern pattern = {"a+", 2};
    struct trawl_plan *plan = NULL;
    enum trawl_status status =
        trawl_plan_build(&pattern, 1, PLAN_WITH(.syntax = TRAWL_PERL), &plan, NULL);

    trawl_plan_free(plan);
    return status == TRAWL_OK;
}

#define Q20 "qqqqqqqqqqqqqqqqqqqq"
#define Q100 Q20 Q20 Q20 Q20 Q20

/* Writes `bytes` to a pipe that stays open, and waits until the search has delivered `matches`
 * matches. `bytes` are enough to decide these, so the search must not wait for as many more bytes
 * as the longest pattern has. */
static void at_once(const char *pattern, uint32_t flags, enum trawl_syntax syntax,
                    const char *bytes, uint64_t matches)
{
    static uint32_t letters[3] = {'k', 'K', 0x212a}; /* 0x212a: the Kelvin sign */
    const struct trawl_letters utf8 = {sizeof utf8, letters, three_alike, is_greek, NULL};
    struct trawl_pattern patterns[2] = {{pattern, strlen(pattern)}, {Q100, 100}};
    AUTO_PLAN plan =
        must_plans(patterns, 2,
                   PLAN_WITH(.flags = flags & ~UTF8, .letters = flags & UTF8 ? &utf8 : NULL,
                             .syntax = syntax));

    for (uint32_t call = 0; call < 4; call++) {
        AUTO_SEARCHER searcher = must_searcher(1 + call % 2, 0);
        AUTO_TEXT text = NULL;
        struct slow slow;

        slow_begin(&slow);
        slow.stop_after = matches;
        if (write(slow.ends[1], bytes, strlen(bytes)) != (ssize_t)strlen(bytes))
            exit(1);
        MUST(call_descriptor(slow.ends[0], "pipe", 0, &text, NULL));
        CHECK_STATUS(
            call < 2 ? ask_positions(searcher, plan, text, see_matches, &slow, NULL)
                     : trawl_windows(searcher, plan, text, TRAWL_SPANS, see_window, &slow, NULL),
            TRAWL_STOPPED);
        TEST_CHECK_U64(slow.matches, matches);
        close(slow.ends[0]);
        close(slow.ends[1]);
    }
}

static void all_at_once(void)
{
    at_once("login:", 0, TRAWL_LITERAL, "login:", 1);
    at_once("login:", 0, TRAWL_LITERAL, "\nlogin: login:q", 2);
    at_once("login:", 0, TRAWL_LITERAL, "login:qqqlogin:" Q20, 2);
    at_once("login\n", TRAWL_IGNORE_CASE, TRAWL_LITERAL, "qqQ.LOGIN\n", 1);
    at_once("login", TRAWL_WHOLE_WORD, TRAWL_LITERAL, "a login ", 1);
    at_once("login", TRAWL_WHOLE_WORD, TRAWL_LITERAL, "a login loginlogin", 1);
    at_once("login", TRAWL_WHOLE_WORD | UTF8, TRAWL_LITERAL, "login\xe2\x80\x94", 1);
    at_once("login", TRAWL_WHOLE_WORD | UTF8 | TRAWL_SINGLE_BYTE, TRAWL_LITERAL, "login\xe9", 1);
    at_once("login", TRAWL_WHOLE_LINE, TRAWL_LITERAL, "login\nq", 1);
    at_once("kkkkkkkkkkkkkkkkkkkkkkkkK", TRAWL_IGNORE_CASE | UTF8, TRAWL_LITERAL,
            "kkkkkkKKKK\xe2\x84\xaakkkkkkkkkkkkkk", 1);
    at_once("kkkkkkkkkkkkkkkkkkkkkkkkk", TRAWL_IGNORE_CASE | TRAWL_WHOLE_WORD | UTF8, TRAWL_LITERAL,
            "kkkkkkkkkkkkkkkkkkkkkkkkk kkkkkkkkkkkkkkkkkkkkkkkkk", 1); /* the last may continue */
    if (has_expressions()) {
        at_once("lo+gin:", 0, TRAWL_PERL, "login: looogin:\nlogin", 2);
        at_once("login", TRAWL_WHOLE_WORD, TRAWL_EXTENDED, "login\n", 1);
        at_once("login", TRAWL_WHOLE_WORD | UTF8 | TRAWL_SINGLE_BYTE, TRAWL_EXTENDED, "login\xe9\n",
                1);
    }
}

static enum trawl_status feed(struct trawl_searcher *searcher, struct trawl_stream *stream,
                              const char *bytes, struct calls_list *list)
{
    list->count = 0;
    return trawl_stream_feed(searcher, stream, bytes, strlen(bytes), calls_list_sink, list, NULL);
}

static int stop_now(void *context, const struct trawl_match *matches, uint64_t match_count)
{
    (void)context;
    (void)matches;
    (void)match_count;
    return 1;
}

/* The sink of a feed; tries to feed the same searcher again. */
static int feed_inside(void *context, const struct trawl_match *matches, uint64_t match_count)
{
    struct trawl_stream **streams = context;

    (void)matches;
    (void)match_count;
    CHECK_STATUS(trawl_stream_feed((struct trawl_searcher *)(void *)streams[0], streams[1], "x", 1,
                                   ignore_matches, NULL, NULL),
                 TRAWL_BUSY);
    return 0;
}

static void fed_strings(void)
{
    AUTO_SEARCHER searcher = must_searcher(1, 0);
    AUTO_PLAN plan = must_plan_with("log", PLAN_WITH(.flags = TRAWL_WHOLE_WORD));
    struct trawl_stream *stream = NULL, *copy = NULL, *pair[2];
    struct trawl_match first[4];
    struct calls_list list = {first, 4, 0};

    MUST(trawl_stream_open(plan, NULL, &stream, NULL));
    MUST(feed(searcher, stream, "a lo", &list));
    MUST(feed(searcher, stream, "g", &list));
    TEST_CHECK_U64(list.count, 0); /* the next letter may be an s */
    MUST(trawl_stream_copy(stream, &copy, NULL));
    MUST(feed(searcher, stream, "", &list));
    MUST(feed(searcher, stream, "s", &list));
    TEST_CHECK_U64(list.count, 0);
    CHECK_STATUS(trawl_stream_feed(searcher, copy, ".", 1, stop_now, NULL, NULL), TRAWL_STOPPED);
    /* the stopped feed has not changed the copy: the same feed again delivers the match */
    MUST(feed(searcher, copy, ".", &list));
    TEST_CHECK(list.count == 1 && first[0].begin == 2 && first[0].end == 5);
    pair[0] = (struct trawl_stream *)(void *)searcher;
    pair[1] = copy;
    MUST(trawl_stream_feed(searcher, copy, " log ", 5, feed_inside, pair, NULL));
    trawl_searcher_cancel(searcher, true);
    CHECK_STATUS(feed(searcher, copy, "log", &list), TRAWL_STOPPED);
    MUST(feed(searcher, copy, "log", &list));
    list.count = 0;
    MUST(trawl_stream_end(searcher, copy, calls_list_sink, &list, NULL));
    TEST_CHECK(list.count == 1 && first[0].begin == 11);
    CHECK_REFUSED(trawl_stream_feed(searcher, copy, "a", 1, ignore_matches, NULL, error));
    CHECK_REFUSED(trawl_stream_end(searcher, copy, ignore_matches, NULL, error));
    trawl_stream_reset(copy);
    MUST(feed(searcher, copy, "log ", &list));
    TEST_CHECK(list.count == 1 && first[0].begin == 0);
    trawl_stream_close(copy);
    trawl_stream_close(stream);
}

/* A line without an end yet may not exceed a limit. A feed that fails at this limit does not change
 * the stream. */
static void fed_lines(void)
{
    AUTO_SEARCHER searcher = must_searcher(1, 0);
    AUTO_PLAN plan = must_plan_with("a+b$", PLAN_WITH(.syntax = TRAWL_PERL));
    struct trawl_stream_options options = TRAWL_STREAM_OPTIONS_INIT;
    struct trawl_stream *stream = NULL;
    struct trawl_match first[4];
    struct calls_list list = {first, 4, 0};

    options.line_bytes_max = 10;
    MUST(trawl_stream_open(plan, &options, &stream, NULL));
    MUST(feed(searcher, stream, "ab\nab", &list));
    TEST_CHECK(list.count == 1 && first[0].begin == 0);
    MUST(feed(searcher, stream, "12345aab", &list));
    TEST_CHECK_U64(list.count, 0);
    CHECK_ERROR(trawl_stream_feed(searcher, stream, "x", 1, calls_list_sink, &list, error),
                TRAWL_LIMIT);
    MUST(feed(searcher, stream, "\n" Q100 "\nb aab", &list));
    TEST_CHECK(list.count == 1 && first[0].begin == 10 && first[0].end == 13);
    list.count = 0;
    MUST(trawl_stream_end(searcher, stream, calls_list_sink, &list, NULL));
    TEST_CHECK(list.count == 1 && first[0].begin == 117);
    trawl_stream_close(stream);
}

#define FED_STRINGS 1000
#define FED_BYTES 64
#define FED_THREADS 4

struct feeder {
    pthread_t thread;
    struct trawl_searcher *searcher;
    const struct trawl_plan *plan;
    const char *text;
    uint64_t found;
};

static int count_fed(void *context, const struct trawl_match *matches, uint64_t match_count)
{
    (void)matches;
    ((struct feeder *)context)->found += match_count;
    return 0;
}

/* A line without an end is searched in parts, between which no match goes on. */
static void fed_without_lines(void)
{
    static const char part[] = "id=12ab34 key: \"0123456789\" x ";
    AUTO_SEARCHER searcher = must_searcher(1, 0);
    AUTO_PLAN plan =
        must_plan_with("key:\\s*\"\\w+\"|\\bid=\\w+\\b|4 k", PLAN_WITH(.syntax = TRAWL_PERL));
    struct trawl_stream_options options = TRAWL_STREAM_OPTIONS_INIT;
    struct feeder found = {.found = 0};
    struct trawl_stream *stream = NULL;

    options.line_bytes_max = 1000;
    MUST(trawl_stream_open(plan, &options, &stream, NULL));
    for (uint32_t i = 0; i < 1000; i++)
        MUST(trawl_stream_feed(searcher, stream, part, sizeof part - 1, count_fed, &found, NULL));
    TEST_CHECK(found.found > 1900);
    MUST(trawl_stream_end(searcher, stream, count_fed, &found, NULL));
    TEST_CHECK_U64(found.found, 2000);
    trawl_stream_close(stream);
}

static void *feed_text(void *context)
{
    struct feeder *by = context;
    struct trawl_stream *stream = NULL;
    enum trawl_status status = trawl_stream_open(by->plan, NULL, &stream, NULL);

    for (uint32_t at = 0; status == TRAWL_OK && at < FED_STRINGS * FED_BYTES; at += 50)
        status = trawl_stream_feed(by->searcher, stream, by->text + at, 50, count_fed, by, NULL);
    trawl_stream_close(stream);
    return NULL;
}

/* Threads feed separate streams of the same plan at once. The first feed makes the plan's
 * tables. */
static void fed_by_threads(uint32_t strings_count)
{
    static char text[FED_STRINGS * FED_BYTES + 1];
    struct trawl_pattern strings[FED_STRINGS];
    struct feeder feeders[FED_THREADS];
    struct trawl_plan *plan;

    for (int i = 0; i < FED_STRINGS; i++) {
        (void)snprintf(text + FED_BYTES * i, FED_BYTES + 1, "%-*d", FED_BYTES, i * 7919);
        strings[i] = (struct trawl_pattern){text + FED_BYTES * i, FED_BYTES};
    }
    plan = must_plans(strings, strings_count, NULL);
    for (int i = 0; i < FED_THREADS; i++) {
        feeders[i] = (struct feeder){.searcher = must_searcher(1, 0), .plan = plan, .text = text};
        if (pthread_create(&feeders[i].thread, NULL, feed_text, &feeders[i]) != 0)
            exit(1);
    }
    for (int i = 0; i < FED_THREADS; i++) {
        (void)pthread_join(feeders[i].thread, NULL);
        TEST_CHECK_U64(feeders[i].found, strings_count);
        trawl_searcher_close(feeders[i].searcher);
    }
    trawl_plan_free(plan);
}

static void fed_wrongly(void)
{
    AUTO_SEARCHER searcher = must_searcher(1, 0);
    AUTO_PLAN plan = must_plan("a");
    AUTO_PLAN near = must_plan_with("abcd", PLAN_WITH(.edits_max = 1));
    struct trawl_stream *stream = NULL;

    CHECK_ERROR(trawl_stream_open(near, NULL, &stream, error), TRAWL_UNSUPPORTED);
    CHECK_REFUSED(trawl_stream_open(NULL, NULL, &stream, error));
    CHECK_REFUSED(trawl_stream_open(plan, NULL, NULL, error));
    MUST(trawl_stream_open(plan, NULL, &stream, NULL));
    CHECK_REFUSED(trawl_stream_feed(NULL, stream, "", 0, ignore_matches, NULL, error));
    CHECK_REFUSED(trawl_stream_feed(searcher, NULL, "", 0, ignore_matches, NULL, error));
    CHECK_REFUSED(trawl_stream_feed(searcher, stream, NULL, 1, ignore_matches, NULL, error));
    CHECK_REFUSED(trawl_stream_feed(searcher, stream, "", 0, NULL, NULL, error));
    CHECK_REFUSED(trawl_stream_copy(NULL, &stream, error));
    CHECK_REFUSED(trawl_stream_copy(stream, NULL, error));
    trawl_stream_reset(NULL);
    trawl_stream_close(NULL);
    trawl_stream_close(stream);
}

/* Checks that trawl_stream_open rejects an expression whose matches may cross lines. A stream would
 * miss each such match that begins in one piece and ends in the next. */
static void fed_across_lines(void)
{
    AUTO_PLAN across =
        must_plan_with("a\\s+b", PLAN_WITH(.syntax = TRAWL_PERL, .flags = TRAWL_MULTILINE));
    AUTO_PLAN within =
        must_plan_with("a b", PLAN_WITH(.syntax = TRAWL_PERL, .flags = TRAWL_MULTILINE));
    struct trawl_stream *stream = NULL;

    CHECK_ERROR(trawl_stream_open(across, NULL, &stream, error), TRAWL_UNSUPPORTED);
    MUST(trawl_stream_open(within, NULL, &stream, NULL)); /* a match cannot cross lines */
    trawl_stream_close(stream);
}

int main(void)
{
    test_begin("streams");
    alarm(300);
    all_at_once();
    fed_strings();
    /* for so few strings a feed uses the search of short texts (engine_ops.brief) */
    fed_by_threads(100);
    fed_by_threads(FED_STRINGS);
    fed_wrongly();
    if (has_expressions()) {
        fed_lines();
        fed_without_lines();
        fed_across_lines();
    }
    for (uint32_t threads = 1; threads <= 4; threads++) {
        answers_without_the_end(threads);
        for (int i = 0; i < 2; i++)
            promptly(threads, i == 0, PIECES, false, 0);
        for (int i = 0; i < 2 * ROUNDS; i++)
            promptly(threads, i % 2 == 0, 3, true, 0);
        endless(threads);
    }
    promptly(2, false, PIECES, false, O_NONBLOCK);
    letter_ends_lines();
    only_once();
    return test_end();
}
