/* unit_streams: checks that the bytes of a pipe are searched on arrival, and that a search that has
 * its answer does not wait for further bytes. No test measures time: the writer writes the next
 * piece only after the match in the piece before was delivered, so a search that holds results back
 * never ends. */
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
    bool patient; /* the match of each piece was delivered */
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

/* Searches a pipe with these flags (O_NONBLOCK: that the pipe is empty does not mean that the text
 * has ended). stops: the sink stops the search at the last piece's match, while several threads
 * search and one thread waits for more bytes. */
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
    MUST(trawl_text_from_descriptor(slow.ends[0], "pipe", &text, NULL));
    if (pthread_create(&writer, NULL, write_slowly, &slow) != 0)
        exit(1);
    CHECK_STATUS(windows ? trawl_windows(searcher, plan, text, TRAWL_WINDOW_LINE_ENDS, see_window,
                                         &slow, NULL)
                         : trawl_positions(searcher, plan, text, see_matches, &slow, NULL),
                 stops ? TRAWL_STOPPED : TRAWL_OK);
    pthread_join(writer, NULL);
    TEST_CHECK(slow.patient);
    TEST_CHECK_U64(slow.matches, (uint64_t)pieces);
    close(slow.ends[0]);
    if (stops)
        close(slow.ends[1]);
}

/* Makes calls whose answer lies in the first piece. The writer writes a single piece and keeps the
 * pipe open; each call must return nevertheless. */
static void answers_without_the_end(uint32_t threads)
{
    AUTO_SEARCHER searcher = must_searcher(threads, 0);
    AUTO_PLAN plan = must_plan("needle");

    /* Whether a second thread is already waiting for more bytes is a matter of luck, so there are
     * many rounds. */
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
        MUST(trawl_text_from_descriptor(slow.ends[0], "pipe", &text, NULL));
        if (call == 0) {
            MUST(trawl_first(searcher, plan, text, &match, &found, NULL));
            TEST_CHECK(found && match.begin == 2 && match.end == 8);
        } else if (call == 1) {
            CHECK_STATUS(trawl_positions(searcher, plan, text, see_matches, &slow, NULL),
                         TRAWL_STOPPED);
        } else if (call == 2) {
            CHECK_STATUS(trawl_windows(searcher, plan, text, 0, see_window, &slow, NULL),
                         TRAWL_STOPPED);
        } else {
            MUST(trawl_count_lines(searcher, plan, text, false, 1, &count, NULL));
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
    MUST(trawl_text_open_file("/dev/zero", &text, NULL));
    MUST(trawl_first(searcher, plan, text, &match, &found, NULL));
    TEST_CHECK(found && match.begin == 0 && match.end == 10);
    trawl_text_close(text);
    MUST(trawl_text_open_file("/dev/zero", &text, NULL));
    CHECK_STATUS(trawl_positions(searcher, plan, text, see_matches, &slow, NULL), TRAWL_STOPPED);
    TEST_CHECK(slow.matches >= 1000000);
    trawl_text_close(text);
    close(slow.ends[0]);
    close(slow.ends[1]);
}

struct source {
    int to;
    uint64_t matches;
};

/* A sink: at the first match, writes the rest of the source and closes the source. */
static int see_letter(void *context, const struct trawl_match *matches, uint64_t match_count)
{
    struct source *source = context;

    (void)matches;
    if (source->matches == 0 && (write(source->to, "b", 1) != 1 || close(source->to) != 0))
        exit(1);
    source->matches += match_count;
    return 0;
}

/* Searches for "aNb" with case ignored in lines that end with 'n'. An occurrence may hold the line
 * end, so the search must not take the bytes up to a line end for complete. */
static void letter_ends_lines(void)
{
    struct trawl_pattern pattern = {"aNb", 3};
    AUTO_SEARCHER searcher = must_searcher(1, 0);
    AUTO_PLAN plan = must_plans(
        &pattern, 1, PLAN_WITH(.flags = TRAWL_IGNORE_CASE, .line_end_set = 1, .line_end = 'n'));
    AUTO_TEXT text = NULL;
    struct source source;
    int ends[2];

    if (pipe(ends) != 0 || write(ends[1], "anb----an", 9) != 9)
        exit(1);
    source = (struct source){ends[1], 0};
    MUST(trawl_text_from_descriptor(ends[0], "pipe", &text, NULL));
    MUST(trawl_positions(searcher, plan, text, see_letter, &source, NULL));
    TEST_CHECK_U64(source.matches, 2);
    close(ends[0]);
}

/* Checks that a second search of a stream fails: the bytes are gone, and an answer of 0 would be
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
    MUST(trawl_text_from_descriptor(slow.ends[0], "pipe", &text, NULL));
    TEST_CHECK_U64(must_count(searcher, plan, text), 1);
    CHECK_ERROR(trawl_count(searcher, plan, text, &count, error), TRAWL_UNSUPPORTED);
    TEST_CHECK_U64(count, 77);
    close(slow.ends[0]);
}

int main(void)
{
    test_begin("streams");
    alarm(300);
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
