/* unit_mapped: checks that searches of mapped files return the same results as searches of files
 * that are read, even if a file becomes shorter or longer or changes during the search. Also checks
 * how the library handles SIGBUS.
 *
 * Where a sink changes the file and results are compared, the searches have one thread and small
 * chunks, so that the search of the mapped file and the search by reading have both searched the
 * same chunks when the file changes.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "calls.h"

#define PAGE ((uint64_t)4096)
#define CHUNK ((uint64_t)10000)
#define TEXT_BYTES ((uint64_t)300000)
#define LOG_MAX 4000
#define FAR ((uint64_t)2 << 20)
#define NO_LIMIT 2 /* exit status of a process for which RLIMIT_AS has no effect, as under qemu */

static int file = -1;
static char path[64];
static uint8_t text_bytes[TEXT_BYTES];
static struct trawl_plan *plan; /* a plan of "needle" */
static volatile sig_atomic_t repairs;

static void at_bus(int signal, siginfo_t *information, void *context)
{
    (void)signal;
    (void)context;
    if (!trawl_map_repair(information->si_addr))
        _exit(99);
    repairs++;
}

static void catch_bus(void)
{
    struct sigaction action = {0};

    action.sa_sigaction = at_bus;
    action.sa_flags = SA_SIGINFO;
    (void)sigemptyset(&action.sa_mask);
    TEST_CHECK(sigaction(SIGBUS, &action, NULL) == 0);
}

static void must(bool good, const char *what)
{
    if (good)
        return;
    perror(what);
    exit(1);
}

/* Replaces mmap in the library (glibc's mmap64). Puts each mapped file between two unreadable
 * pages, so that a read before its first page or past its last page crashes. Otherwise another
 * mapping might be there by chance. */
static uint64_t guarded;
void *__real_mmap64(void *place, size_t count, int protection, int flags, int descriptor,
                    off_t from);
void *__wrap_mmap64(void *place, size_t count, int protection, int flags, int descriptor,
                    off_t from);

void *__wrap_mmap64(void *place, size_t count, int protection, int flags, int descriptor,
                    off_t from)
{
    uint64_t whole = (count + PAGE - 1) / PAGE * PAGE;
    uint8_t *guards;

    if (place != NULL || descriptor < 0 || (flags & MAP_SHARED) == 0)
        return __real_mmap64(place, count, protection, flags, descriptor, from);
    guards = __real_mmap64(NULL, whole + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (guards == MAP_FAILED)
        return MAP_FAILED;
    guarded++;
    place = __real_mmap64(guards + PAGE, count, protection, flags | MAP_FIXED, descriptor, from);
    if (place == MAP_FAILED)
        (void)munmap(guards, whole + 2 * PAGE);
    return place;
}

static void write_at(uint64_t offset, const void *bytes, uint64_t count)
{
    must(pwrite(file, bytes, count, (off_t)offset) == (ssize_t)count, "pwrite");
}

static void file_begin(uint64_t bytes_count)
{
    must(ftruncate(file, 0) == 0, "ftruncate");
    write_at(0, text_bytes, bytes_count);
}

enum change { CHANGE_NONE, CHANGE_SHORTER, CHANGE_LONGER, CHANGE_BYTES, CHANGES };

struct log {
    uint64_t items[LOG_MAX];
    uint64_t count;
    enum trawl_status status;
    char message[TRAWL_ERROR_MESSAGE_BYTES];
    /* The sink makes the change in its first call at text offset `at` or later. `to` is the file's
     * new length, or the offset of the changed byte. */
    enum change change;
    uint64_t at, to;
};

static void log_add(struct log *log, uint64_t item)
{
    if (log->count < LOG_MAX)
        log->items[log->count] = item;
    log->count++;
}

static void log_change(struct log *log, uint64_t begin)
{
    static const char more[] = "\nneedle needle\n";

    if (log->change == CHANGE_NONE || begin < log->at)
        return;
    if (log->change == CHANGE_SHORTER)
        must(ftruncate(file, (off_t)log->to) == 0, "ftruncate");
    else if (log->change == CHANGE_LONGER)
        write_at(TEXT_BYTES, more, sizeof more - 1);
    else
        write_at(log->to, more, sizeof more - 1);
    log->change = CHANGE_NONE;
}

static int take_matches(void *context, const struct trawl_match *matches, uint64_t count)
{
    struct log *log = context;

    for (uint64_t i = 0; i < count; i++)
        log_add(log, matches[i].begin);
    log_change(log, matches[0].begin);
    return 0;
}

/* The sink of a search. Logs a window's length, its matches, and a sum of its bytes. */
static int take_window(void *context, const struct trawl_window *window)
{
    struct log *log = context;
    uint64_t sum = window->begin;

    for (uint64_t i = 0; i < window->bytes_count; i++)
        sum = sum * 31 + window->bytes[i];
    log_add(log, sum);
    log_add(log, window->bytes_count);
    log_add(log, window->line_end_count);
    for (uint64_t i = 0; i < window->match_count; i++)
        log_add(log, window->matches[i].begin);
    log_change(log, window->begin);
    return 0;
}

enum call { COUNT, LINES, POSITIONS, WINDOWS, CALLS };

static struct trawl_searcher *searcher_open(enum trawl_map map, uint32_t threads)
{
    return must_searcher_with(SEARCHER_WITH(.engine = TRAWL_ENGINE_CPU, .threads = threads,
                                            .chunk_bytes = CHUNK, .map = map));
}

static void search(enum call call, enum trawl_map map, uint32_t threads, uint64_t cut_before,
                   struct log *log)
{
    AUTO_SEARCHER searcher = searcher_open(map, threads);
    AUTO_TEXT text = must_file(path);
    struct trawl_error error = {0};
    uint64_t count = 0;

    if (cut_before != UINT64_MAX)
        must(ftruncate(file, (off_t)cut_before) == 0, "ftruncate");
    if (call == COUNT)
        log->status = trawl_count(searcher, plan, text, &count, &error);
    else if (call == LINES)
        log->status = ask_count_lines(searcher, plan, text, false, UINT64_MAX, &count, &error);
    else if (call == POSITIONS)
        log->status = ask_positions(searcher, plan, text, take_matches, log, &error);
    else
        log->status =
            trawl_windows(searcher, plan, text, TRAWL_LINE_ENDS, take_window, log, &error);
    log_add(log, count);
    TEST_CHECK(log->status != TRAWL_OK || stats_agree(searcher, false));
    (void)snprintf(log->message, sizeof log->message, "%s", error.message);
}

static void check_equal(const struct log *got, const struct log *expected, const char *what)
{
    bool same = got->status == expected->status && got->count == expected->count &&
                got->count <= LOG_MAX &&
                memcmp(got->items, expected->items, got->count * sizeof *got->items) == 0;

    if (!TEST_CHECK(same))
        printf("  %s: status %d (%s) and %" PRIu64 " items, read: status %d and %" PRIu64 "\n",
               what, (int)got->status, got->message, got->count, (int)expected->status,
               expected->count);
}

/* Searches a file twice, by mapping it and by reading it, and compares the logs. */
static void compare(enum call call, uint32_t threads, uint64_t bytes, uint64_t cut_before,
                    struct log begin, const char *what)
{
    static struct log mapped, read;

    mapped = read = begin;
    file_begin(bytes);
    search(call, TRAWL_MAP_ALWAYS, threads, cut_before, &mapped);
    file_begin(bytes);
    search(call, TRAWL_MAP_NEVER, threads, cut_before, &read);
    check_equal(&mapped, &read, what);
}

static void sizes(void)
{
    static const uint64_t bytes[] = {0,        1,         PAGE - 1,      PAGE,  PAGE + 1,
                                     3 * PAGE, 10 * PAGE, 12 * PAGE - 1, 99999, TEXT_BYTES};

    for (uint64_t i = 0; i < sizeof bytes / sizeof *bytes; i++)
        for (int call = COUNT; call < CALLS; call++)
            for (uint32_t threads = 1; threads <= 3; threads += 2)
                compare((enum call)call, threads, bytes[i], UINT64_MAX, (struct log){0}, "size");
}

/* Shortens the file after opening it and before searching it. The new end is inside a page, at a
 * page's end, or at 0. */
static void shorter_before(void)
{
    static const uint64_t cuts[] = {0, 1, 100, PAGE, 5 * PAGE, 5 * PAGE + 7, CHUNK, 99999, 299999};

    repairs = 0;
    for (uint64_t i = 0; i < sizeof cuts / sizeof *cuts; i++)
        for (int call = COUNT; call < CALLS; call++)
            compare((enum call)call, 1, TEXT_BYTES, cuts[i], (struct log){0}, "cut before");
    TEST_CHECK(repairs > 0 && guarded > 0); /* otherwise no file was mapped */
}

static void changed_meanwhile(void)
{
    struct test_random random = test_random_begin("changed_meanwhile");

    for (uint64_t i = test_amount(60, 2000); i > 0; i--) {
        struct log log = {.change =
                              (enum change)(1 + (int)test_random_below(&random, CHANGES - 1))};
        uint64_t after;

        log.at = test_random_below(&random, TEXT_BYTES / 2);
        /* The change is past the chunk that the sink sees, and past the bytes that the library may
         * have read ahead. */
        after = log.at + 3 * CHUNK;
        log.to = after + test_random_below(&random, TEXT_BYTES - after - 100);
        if (test_random_one_in(&random, 3))
            log.to = log.to / PAGE * PAGE + PAGE;
        compare(POSITIONS, 1, TEXT_BYTES, UINT64_MAX, log, "changed, positions");
        compare(WINDOWS, 1, TEXT_BYTES, UINT64_MAX, log, "changed, windows");
    }
}

/* The sink of a search. Truncates the file before the window, then reads the window's bytes. The
 * search must report an error. */
static int cut_and_look(void *context, const struct trawl_window *window)
{
    uint64_t sum = 0;

    (void)context;
    if (window->begin > 0)
        must(ftruncate(file, (off_t)window->begin) == 0, "ftruncate");
    for (uint64_t i = 0; i < window->bytes_count; i++)
        sum += window->bytes[i];
    return sum == 1;
}

static void shorter_in_sink(void)
{
    AUTO_SEARCHER searcher = searcher_open(TRAWL_MAP_ALWAYS, 1);
    AUTO_PLAN absent = must_plan("nowhere");
    AUTO_TEXT text = NULL;
    struct trawl_error error;

    file_begin(TEXT_BYTES);
    text = must_file(path);
    CHECK_STATUS(trawl_windows(searcher, absent, text, 0, cut_and_look, NULL, &error), TRAWL_READ);
    TEST_CHECK(strstr(error.message, path) != NULL);
    TEST_CHECK_U64(error.text_offset, CHUNK);
}

/* Searches a file from an offset just below 4 GiB. The bytes before the first occurrence, which
 * lies across offset 4 GiB, are a hole. */
static void far_in_a_hole(void)
{
    const uint64_t from = ((uint64_t)4 << 30) - 50000, at = ((uint64_t)4 << 30) - 3;
    AUTO_SEARCHER searcher = searcher_open(TRAWL_MAP_ALWAYS, 2);
    AUTO_TEXT text = NULL;
    struct trawl_match match = {0};
    bool found = false;

    must(ftruncate(file, 0) == 0, "ftruncate");
    write_at(at, "needle", 6);
    write_at(at + 60000, "needle", 6);
    must(lseek(file, (off_t)from, SEEK_SET) == (off_t)from, "lseek");
    text = must_descriptor(file);
    TEST_CHECK_U64(must_count(searcher, plan, text), 2);
    MUST(trawl_first(searcher, plan, text, &match, &found, NULL));
    TEST_CHECK(found);
    TEST_CHECK_U64(match.begin, at - from);
    must(lseek(file, 0, SEEK_SET) == 0, "lseek");
}

/* Checks that a file is read if the process has no address space left for a mapping. */
static void no_room_for_a_mapping(void)
{
    const uint64_t bytes = (uint64_t)8 << 30;
    pid_t child;
    int status = 0;

    if (TEST_SANITIZED) {
        printf("no room: not tried, sanitizers reserve address space\n");
        return;
    }
    must(ftruncate(file, 0) == 0, "ftruncate");
    write_at(0, text_bytes, TEXT_BYTES);
    must(ftruncate(file, (off_t)bytes) == 0, "ftruncate");
    child = fork();
    must(child >= 0, "fork");
    if (child == 0) {
        struct rlimit limit = {(rlim_t)4 << 30, (rlim_t)4 << 30};
        struct trawl_match match;
        bool found = false;

        if (setrlimit(RLIMIT_AS, &limit) != 0)
            _exit(1);
        if (mmap(NULL, bytes, PROT_READ, MAP_SHARED, file, 0) != MAP_FAILED)
            _exit(NO_LIMIT);
        MUST(trawl_first(searcher_open(TRAWL_MAP_ALWAYS, 1), plan, must_file(path), &match, &found,
                         NULL));
        _exit(found ? 0 : 1);
    }
    must(waitpid(child, &status, 0) == child, "waitpid");
    if (WIFEXITED(status) && WEXITSTATUS(status) == NO_LIMIT)
        printf("not tested: an address space that is too small (this emulator has no limit)\n");
    else
        TEST_CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* Checks that a memory limit that is enough to read a file is enough to map it, too. */
static void small_budget(void)
{
    AUTO_RUNTIME runtime = must_runtime(TRAWL_ENGINE_CPU, 1, 400000);
    AUTO_SEARCHER searcher =
        must_searcher_with(SEARCHER_WITH(.runtime = runtime, .map = TRAWL_MAP_ALWAYS));
    AUTO_TEXT text = NULL;

    must(ftruncate(file, 0) == 0, "ftruncate");
    for (uint64_t i = 0; i < 8; i++)
        write_at(i * TEXT_BYTES, text_bytes, TEXT_BYTES);
    write_at(8 * TEXT_BYTES, "needle", 6);
    text = must_file(path);
    TEST_CHECK(must_count(searcher, plan, text) % 8 == 1);
}

static _Atomic bool still_changing;

static void *change_size(void *context)
{
    struct test_random random = test_random_begin("change_size");

    (void)context;
    while (atomic_load(&still_changing)) {
        must(ftruncate(file, (off_t)test_random_below(&random, TEXT_BYTES)) == 0, "ftruncate");
        must(ftruncate(file, (off_t)TEXT_BYTES) == 0, "ftruncate");
    }
    return NULL;
}

struct seen {
    uint64_t end;
    bool last;
};

static int follow_windows(void *context, const struct trawl_window *window)
{
    struct seen *seen = context;

    TEST_CHECK(!seen->last);
    TEST_CHECK_U64(window->begin, seen->end);
    seen->end = window->begin + window->bytes_count;
    seen->last = window->last;
    return 0;
}

/* Checks that windows follow each other without a gap while the file's size changes all the time,
 * and that each search ends with the last window or with READ. One thread may meet the file's end
 * at a lower offset than other threads have already read. */
static void windows_follow_each_other(enum trawl_map map)
{
    AUTO_SEARCHER searcher = searcher_open(map, 3);
    pthread_t changer;

    file_begin(TEXT_BYTES);
    atomic_store(&still_changing, true);
    must(pthread_create(&changer, NULL, change_size, NULL) == 0, "pthread_create");
    for (uint64_t i = test_amount(300, 3000); i > 0; i--) {
        AUTO_TEXT text = must_file(path);
        struct seen seen = {0};
        enum trawl_status status =
            trawl_windows(searcher, plan, text, 0, follow_windows, &seen, NULL);

        TEST_CHECK(status == TRAWL_READ || (status == TRAWL_OK && seen.last));
    }
    atomic_store(&still_changing, false);
    (void)pthread_join(changer, NULL);
}

/* Truncates a file that is mapped as a text, then lets it grow again. The lost bytes stay zeros,
 * and the text reports that it was cut. */
static void grown_again(void)
{
    const struct trawl_text_options maps = {.size = sizeof maps, .flags = TRAWL_TEXT_MAP};
    struct trawl_text_told told = {.size = sizeof told};
    AUTO_TEXT text = NULL;

    file_begin(TEXT_BYTES);
    MUST(trawl_text_open(path, &maps, &text, NULL));
    MUST(trawl_text_tell(text, &told, NULL));
    must(told.is_cut == 0 && ftruncate(file, 0) == 0, "ftruncate");
    TEST_CHECK(((const volatile uint8_t *)told.bytes)[1] == 0);
    file_begin(TEXT_BYTES);
    MUST(trawl_text_tell(text, &told, NULL));
    TEST_CHECK_U64(told.is_cut, 1);
}

static int cut_far(void *context, const struct trawl_window *window)
{
    *(uint64_t *)context = window->begin + window->bytes_count;
    if (window->begin<FAR &&*(uint64_t *)context + 2 * CHUNK> FAR)
        must(ftruncate(file, FAR + 10) == 0, "ftruncate");
    return 0;
}

/* Truncates a file of several extents of 2 MiB shortly after the start of an extent. The search
 * touches that extent first, and then meets the cut: the text ends there. */
static void cut_in_an_extent(void)
{
    AUTO_SEARCHER searcher = searcher_open(TRAWL_MAP_ALWAYS, 1);
    AUTO_TEXT text = NULL;
    uint64_t end = 0;

    must(ftruncate(file, 3 * FAR) == 0, "ftruncate");
    text = must_file(path);
    MUST(trawl_windows(searcher, plan, text, 0, cut_far, &end, NULL));
    TEST_CHECK_U64(end, FAR + 10);
}

static void arguments(void)
{
    struct trawl_searcher *searcher = NULL;
    int local = 0;

    CHECK_REFUSED(trawl_searcher_open(SEARCHER_WITH(.map = (enum trawl_map)3), &searcher, error));
    TEST_CHECK(searcher == NULL);
    TEST_CHECK(!trawl_map_repair(NULL));
    TEST_CHECK(!trawl_map_repair(&local));
}

/* Runs more searches at the same time than the library can map files for; the others read the
 * file. */
static void many_at_a_time(void)
{
    struct trawl_search *searches[100] = {0};
    struct trawl_searcher *searchers[100] = {0};
    struct trawl_text *texts[100] = {0};

    file_begin(TEXT_BYTES);
    for (int i = 0; i < 100; i++) {
        searchers[i] = searcher_open(TRAWL_MAP_ALWAYS, 1);
        texts[i] = must_file(path);
        MUST(trawl_search_open(searchers[i], plan, texts[i], 0, &searches[i], NULL));
    }
    for (int i = 0; i < 100; i++) {
        struct trawl_batch batch = {.size = sizeof batch};
        uint64_t count = 0;

        while (trawl_search_next(searches[i], &batch, NULL) == TRAWL_OK && !batch.last)
            count += batch.match_count;
        count += batch.match_count;
        trawl_search_close(searches[i]);
        TEST_CHECK_U64(count, must_count(searchers[i], plan, texts[i]));
        trawl_text_close(texts[i]);
        trawl_searcher_close(searchers[i]);
    }
}

static void put_needle(uint64_t at)
{
    static const char needle[6] = {'n', 'e', 'e', 'd', 'l', 'e'};

    memcpy(text_bytes + at, needle, sizeof needle);
}

int main(void)
{
    struct test_random random = test_random_begin("mapped");

    test_begin("unit_mapped");
    catch_bus();
    file = memfd_create("mapped", MFD_CLOEXEC);
    must(file >= 0, "memfd_create");
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    plan = must_plan("needle");
    for (uint64_t i = 0; i < TEXT_BYTES; i++)
        text_bytes[i] = test_random_one_in(&random, 30) ? '\n' : (uint8_t)('a' + i % 26);
    /* Some of these lie inside a chunk, others across two chunks. */
    for (uint64_t i = 0; i < 40; i++)
        put_needle(test_random_below(&random, TEXT_BYTES - 6));
    for (uint64_t at = CHUNK; at < TEXT_BYTES; at += 4 * CHUNK)
        put_needle(at - 3);
    arguments();
    sizes();
    shorter_before();
    changed_meanwhile();
    shorter_in_sink();
    grown_again();
    cut_in_an_extent();
    many_at_a_time();
    far_in_a_hole();
    no_room_for_a_mapping();
    small_budget();
    windows_follow_each_other(TRAWL_MAP_NEVER);
    if (!TEST_SANITIZED) /* ThreadSanitizer reports the handler's write as a race */
        windows_follow_each_other(TRAWL_MAP_ALWAYS);
    trawl_plan_free(plan);
    close(file);
    return test_end();
}
