/* unit_texts: checks files that are missing, are directories, have an unknown size, or grow or
 * shrink during a search; descriptors whose position is not 0; reads at any offset; and system
 * calls that a signal interrupts. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <unistd.h>

#include "calls.h"

static char folder[] = "/tmp/trawl-texts-XXXXXX";
static struct trawl_searcher *searcher;
static struct trawl_plan *plan; /* a plan of "needle" */

static void path_in_folder(char path[200], const char *name)
{
    (void)snprintf(path, 200, "%s/%s", folder, name);
}

static int make_file(char path[200], const char *name, const void *bytes, uint64_t bytes_count)
{
    int file;

    path_in_folder(path, name);
    file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (file < 0 || write(file, bytes, bytes_count) != (ssize_t)bytes_count) {
        perror(path);
        exit(1);
    }
    return file;
}

static void missing_file(void)
{
    struct trawl_error record = calls_error();
    struct trawl_text *text = NULL;
    char path[200];

    path_in_folder(path, "missing");
    CHECK_STATUS(call_file(path, 0, &text, &record), TRAWL_OPEN);
    TEST_CHECK(text == NULL && record.os_code == ENOENT);
    TEST_CHECK(strstr(record.message, path) != NULL);
    CHECK_ERROR(call_file("", 0, &text, error), TRAWL_OPEN);
    /* Line ends in a file's name must not break the message into lines. */
    CHECK_STATUS(call_file("two\nlines\r\n", 0, &text, &record), TRAWL_OPEN);
    TEST_CHECK(strstr(record.message, "two?lines??") != NULL);
}

static void unreadable_file(void)
{
    struct trawl_text *text = NULL;
    char path[200];

    close(make_file(path, "unreadable", "needle", 6));
    if (geteuid() == 0) {
        printf("unreadable file: not tried, root may read everything\n");
        return;
    }
    chmod(path, 0);
    CHECK_ERROR(call_file(path, 0, &text, error), TRAWL_OPEN);
}

/* Checks that a directory is rejected as a text, both as a path and as a descriptor, and that no
 * descriptor stays open. */
static void directory(void)
{
    struct trawl_error record = calls_error();
    AUTO_TEXT text = NULL;
    int descriptor = open(folder, O_RDONLY), next = dup(descriptor);

    close(next);
    CHECK_STATUS(trawl_text_open(folder, NULL, &text, &record), TRAWL_OPEN);
    TEST_CHECK(record.os_code == EISDIR && strstr(record.message, folder) != NULL);
    CHECK_ERROR(call_descriptor(descriptor, NULL, 0, &text, error), TRAWL_OPEN);
    CHECK_ERROR(call_file(folder, TRAWL_TEXT_UNPACK, &text, error), TRAWL_OPEN);
    TEST_CHECK(text == NULL && dup(descriptor) == next);
    close(next);
    close(descriptor);
}

static void unreadable_descriptor(void)
{
    struct trawl_error record = calls_error();
    struct trawl_text *text = NULL;
    uint64_t count = 77;
    char path[200];
    int file;

    close(make_file(path, "for writing", "needle", 6));
    file = open(path, O_WRONLY);
    MUST(call_descriptor(file, "for writing", 0, &text, NULL));
    CHECK_STATUS(trawl_count(searcher, plan, text, &count, &record), TRAWL_READ);
    TEST_CHECK(record.os_code == EBADF && count == 0); /* no occurrence precedes the error */
    TEST_CHECK_U64(record.text_offset, 0);
    TEST_CHECK(strstr(record.message, "for writing") != NULL);
    trawl_text_close(text);
    close(file);
    text = NULL;
    /* the file is closed */
    CHECK_ERROR(call_descriptor(file, NULL, 0, &text, error), TRAWL_OPEN);
}

static void *write_to_fifo(void *context)
{
    int file = open((const char *)context, O_WRONLY);

    if (file < 0 || write(file, "a needle, needles", 17) != 17)
        exit(1);
    close(file);
    return NULL;
}

static void fifo(void)
{
    AUTO_TEXT text = NULL;
    pthread_t writer;
    uint64_t bytes = 77;
    char path[200];

    path_in_folder(path, "fifo");
    if (mkfifo(path, 0600) != 0 || pthread_create(&writer, NULL, write_to_fifo, path) != 0)
        exit(1);
    MUST(call_file(path, 0, &text, NULL));
    TEST_CHECK(!call_text(text).is_seekable);
    TEST_CHECK(call_text(text).text_bytes == UINT64_MAX);
    CHECK_ERROR(trawl_text_read(text, 0, path, 1, &bytes, error), TRAWL_UNSUPPORTED);
    TEST_CHECK_U64(must_count(searcher, plan, text), 2);
    pthread_join(writer, NULL);
}

static void file_of_unknown_size(void)
{
    AUTO_PLAN name = must_plan("Name:\t");
    AUTO_PLAN threads = must_plan("Threads:\t");
    struct trawl_text *text = NULL;

    if (access("/proc/self/status", R_OK) != 0) {
        printf("files of the kernel: not tried, there is no /proc\n");
        return;
    }
    MUST(call_file("/proc/self/status", 0, &text, NULL));
    TEST_CHECK_U64(must_count(searcher, name, text), 1);
    trawl_text_close(text);
    MUST(call_file("/proc/self/status", 0, &text, NULL));
    TEST_CHECK_U64(must_count(searcher, threads, text), 1);
    trawl_text_close(text);
}

static void empty_and_null_device(void)
{
    AUTO_TEXT null = must_file("/dev/null");
    AUTO_TEXT empty = NULL;
    char path[200];

    TEST_CHECK_U64(must_count(searcher, plan, null), 0);
    close(make_file(path, "empty", "", 0));
    empty = must_file(path);
    TEST_CHECK_U64(must_count(searcher, plan, empty), 0);
}

/* Checks that offsets count from the descriptor's position, and that searches do not change the
 * position. */
static void descriptor_offset(void)
{
    struct trawl_text *text = NULL;
    struct trawl_match match = {0, 0, 0, 0, 0};
    uint64_t read_bytes = 0;
    char path[200], buffer[8];
    bool found = false;
    int file = make_file(path, "offset", "needle--needle", 14);

    lseek(file, 3, SEEK_SET);
    MUST(call_descriptor(file, NULL, 0, &text, NULL));
    TEST_CHECK(call_text(text).is_seekable);
    TEST_CHECK(call_text(text).text_bytes == 11);
    TEST_CHECK_U64(must_count(searcher, plan, text), 1);
    MUST(trawl_first(searcher, plan, text, &match, &found, NULL));
    TEST_CHECK(found && match.begin == 5 && match.end == 11);
    MUST(trawl_text_read(text, 5, buffer, 8, &read_bytes, NULL));
    TEST_CHECK(read_bytes == 6 && memcmp(buffer, "needle", 6) == 0);
    TEST_CHECK_U64((uint64_t)lseek(file, 0, SEEK_CUR), 3);
    TEST_CHECK(ftruncate(file, 20) == 0 && call_text(text).text_bytes == 17);
    TEST_CHECK(ftruncate(file, 2) == 0 && call_text(text).text_bytes == 0);
    trawl_text_close(text);
    /* the library does not close the descriptor */
    TEST_CHECK_U64((uint64_t)lseek(file, 0, SEEK_CUR), 3);
    lseek(file, 100, SEEK_SET); /* past the end */
    MUST(call_descriptor(file, NULL, 0, &text, NULL));
    TEST_CHECK_U64(must_count(searcher, plan, text), 0);
    trawl_text_close(text);
    close(file);
}

static void read_anywhere(void)
{
    static const char bytes[] = "0123456789";
    struct trawl_text *texts[2] = {must_text(bytes, 10), NULL};
    char path[200];
    int file = make_file(path, "read", bytes, 10);

    MUST(call_descriptor(file, NULL, 0, &texts[1], NULL));
    TEST_CHECK(lseek(file, 0, SEEK_CUR) == 10);
    trawl_text_close(texts[1]);
    MUST(call_file(path, 0, &texts[1], NULL));
    for (int i = 0; i < 2; i++) {
        char buffer[16] = "";
        uint64_t read_bytes = 77;
        TEST_CHECK(call_text(texts[i]).text_bytes == 10);
        MUST(trawl_text_read(texts[i], 3, buffer, 4, &read_bytes, NULL));
        TEST_CHECK(read_bytes == 4 && memcmp(buffer, "3456\0", 5) == 0);
        MUST(trawl_text_read(texts[i], 8, buffer, 4, &read_bytes, NULL));
        TEST_CHECK(read_bytes == 2 && memcmp(buffer, "8956\0", 5) == 0);
        MUST(trawl_text_read(texts[i], 10, buffer, 4, &read_bytes, NULL));
        TEST_CHECK_U64(read_bytes, 0);
        MUST(trawl_text_read(texts[i], UINT64_MAX - 2, buffer, 4, &read_bytes, NULL));
        TEST_CHECK_U64(read_bytes, 0);
        MUST(trawl_text_read(texts[i], 0, NULL, 0, &read_bytes, NULL));
        TEST_CHECK_U64(read_bytes, 0);
        trawl_text_close(texts[i]);
    }
    close(file);
}

/* Loads and unloads a text on the CPU, where this has no effect. */
static void load_and_unload(void)
{
    AUTO_TEXT text = must_string("a needle, needles");

    MUST(trawl_text_load(searcher, text, NULL));
    TEST_CHECK_U64(must_count(searcher, plan, text), 2);
    MUST(trawl_text_load(searcher, text, NULL)); /* loading again has no effect */
    trawl_text_unload(searcher, text);
    TEST_CHECK_U64(must_count(searcher, plan, text), 2);
}

#define CHANGING_BYTES ((uint64_t)4 << 20)
#define PIECE_BYTES 4096

struct change {
    int file;
    bool grow;
    uint64_t windows, end, matches;
    bool gapless, last;
};

/* The sink of a search. Changes the file at the first window, when the library has read far less
 * than the whole file. */
static int change_file(void *context, const struct trawl_window *window)
{
    struct change *change = context;

    if (change->windows++ == 0) {
        int failed = change->grow ? pwrite(change->file, "needle", 6, (off_t)CHANGING_BYTES) != 6
                                  : ftruncate(change->file, (off_t)(CHANGING_BYTES / 2));
        if (failed) {
            perror("changing the file");
            exit(1);
        }
    }
    change->gapless = change->gapless && window->begin == change->end && !change->last;
    change->end = window->begin + window->bytes_count;
    change->last = window->last;
    change->matches += window->match_count;
    return 0;
}

static void changing_file(bool grow, uint32_t threads)
{
    uint8_t *bytes = malloc(CHANGING_BYTES);
    AUTO_SEARCHER own = must_searcher(threads, PIECE_BYTES);
    struct change change = {.grow = grow, .gapless = true};
    AUTO_TEXT text = NULL;
    char path[200];

    memset(bytes, '.', CHANGING_BYTES);
    memcpy(bytes, "needle", 6);
    memcpy(bytes + CHANGING_BYTES - 6, "needle", 6);
    change.file = make_file(path, "changing", bytes, CHANGING_BYTES);
    MUST(call_file(path, 0, &text, NULL));
    CHECK_STATUS(trawl_windows(own, plan, text, 0, change_file, &change, NULL), TRAWL_OK);
    TEST_CHECK(change.gapless && change.last);
    TEST_CHECK_U64(change.end, grow ? CHANGING_BYTES + 6 : CHANGING_BYTES / 2);
    TEST_CHECK_U64(change.matches, grow ? 3 : 1);
    TEST_CHECK_U64(must_count(own, plan, text), grow ? 3 : 1);
    close(change.file);
    free(bytes);
}

static void remove_folder(void)
{
    static const char *const names[] = {"unreadable", "unreadable from", "for writing", "fifo",
                                        "empty",      "offset",          "read",        "changing"};
    char path[200];

    for (uint32_t i = 0; i < sizeof names / sizeof *names; i++) {
        path_in_folder(path, names[i]);
        (void)unlink(path);
    }
    TEST_CHECK(rmdir(folder) == 0);
}

/* The first byte of a file or a pipe that cannot be read. */
static int64_t readable_bytes = INT64_MAX;
static bool is_interrupted; /* true: a signal ends every second call to a function */

static bool interrupt(atomic_uint *calls)
{
    bool ends = atomic_fetch_add(calls, 1) % 2 == 0 && is_interrupted;

    if (ends)
        errno = EINTR;
    return ends;
}

ssize_t __real_pread64(int descriptor, void *buffer, size_t count, off_t offset);
ssize_t __wrap_pread64(int descriptor, void *buffer, size_t count, off_t offset);
ssize_t __wrap_pread64(int descriptor, void *buffer, size_t count, off_t offset)
{
    static atomic_uint calls;

    if (interrupt(&calls))
        return -1;
    errno = EIO;
    if (offset >= readable_bytes)
        return -1;
    if ((int64_t)count > readable_bytes - offset)
        count = (size_t)(readable_bytes - offset);
    return __real_pread64(descriptor, buffer, count, offset);
}

ssize_t __real_read(int descriptor, void *buffer, size_t count);
ssize_t __wrap_read(int descriptor, void *buffer, size_t count);
ssize_t __wrap_read(int descriptor, void *buffer, size_t count)
{
    static atomic_uint calls;
    ssize_t got;

    if (interrupt(&calls))
        return -1;
    errno = EIO;
    if (readable_bytes == 0)
        return -1;
    got = __real_read(descriptor, buffer,
                      (int64_t)count > readable_bytes ? (size_t)readable_bytes : count);
    readable_bytes -= got > 0 ? got : 0;
    return got;
}

/* Makes reads fail at each byte of the first three chunks. The search must find all occurrences
 * before that byte and report the error. For expressions, chunks consist of whole lines, so the
 * callers pass plans of strings and of an expression. */
static void unreadable_from(const struct trawl_plan *of, bool is_file, uint32_t threads)
{
    enum { CHUNK = 64, STEP = 9, BYTES = 300 };
    AUTO_SEARCHER own = must_searcher(threads, CHUNK);
    char path[200], bytes[BYTES + 1] = "";

    for (uint64_t i = 0; i + STEP <= BYTES; i += STEP)
        memcpy(bytes + i, i % 2 == 0 ? "needle..\n" : "needle...", STEP);
    for (int64_t at = 0; at < 3 * CHUNK; at++) {
        struct trawl_error record = calls_error();
        int file = make_file(path, "unreadable from", bytes, BYTES), ends[2];
        struct trawl_text *text;
        uint64_t count = 0;

        if (pipe(ends) != 0 || write(ends[1], bytes, BYTES) != BYTES)
            exit(1);
        text = is_file ? must_file(path) : must_descriptor(ends[0]);
        readable_bytes = at;
        CHECK_STATUS(trawl_count(own, of, text, &count, &record), TRAWL_READ);
        readable_bytes = INT64_MAX;
        TEST_CHECK(record.os_code == EIO && record.text_offset == (uint64_t)at);
        TEST_CHECK_U64(count, (uint64_t)(at + STEP - 6) / STEP);
        trawl_text_close(text);
        close(file);
        close(ends[0]);
        close(ends[1]);
    }
}

/* Searches a file, a pipe, and a pipe that could be compressed. A signal interrupts every second
 * system call, and the library has to repeat the call. */
static void interrupted(void)
{
    static const char bytes[] = "a needle, and another needle.\n";

    for (uint32_t way = 0; way < 3; way++) {
        char path[200];
        int file = make_file(path, "offset", bytes, sizeof bytes - 1), ends[2];
        struct trawl_text *text = NULL;

        if (pipe(ends) != 0 || write(ends[1], bytes, sizeof bytes - 1) != sizeof bytes - 1)
            exit(1);
        close(ends[1]);
        is_interrupted = true;
        if (way == 2)
            MUST(call_descriptor(ends[0], "pipe", TRAWL_TEXT_UNPACK, &text, NULL));
        else
            text = way == 0 ? must_file(path) : must_descriptor(ends[0]);
        TEST_CHECK_U64(must_count(searcher, plan, text), 2);
        is_interrupted = false;
        trawl_text_close(text);
        close(file);
        close(ends[0]);
    }
}

int main(void)
{
    struct trawl_plan *expression;

    test_begin("texts");
    alarm(300);
    if (mkdtemp(folder) == NULL)
        TEST_SKIP("no temporary folder can be made");
    searcher = must_searcher(2, 0);
    plan = must_plan("needle");
    expression = must_plan_with("n[e]+dle", PLAN_WITH(.syntax = TRAWL_PERL));
    missing_file();
    unreadable_file();
    directory();
    unreadable_descriptor();
    fifo();
    file_of_unknown_size();
    empty_and_null_device();
    descriptor_offset();
    read_anywhere();
    load_and_unload();
    interrupted();
    for (uint32_t threads = 1; threads <= 4; threads++) {
        changing_file(true, threads);
        changing_file(false, threads);
        unreadable_from(plan, true, threads);
        unreadable_from(plan, false, threads);
        for (uint32_t i = 0; i < 2; i++)
            unreadable_from(expression, i == 0, threads);
    }
    trawl_plan_free(expression);
    trawl_plan_free(plan);
    trawl_searcher_close(searcher);
    remove_folder();
    return test_end();
}
