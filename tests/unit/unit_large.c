/* unit_large: searches a text of more than 2^32 bytes, in memory and in a file, with occurrences
 * before, across and after offset 2^32. Memory and file are holes except for a few pages. */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "calls.h"

#define BORDER ((uint64_t)1 << 32)
#define TEXT_BYTES (BORDER + ((uint64_t)64 << 20))
static const char needle[] = "a needle beyond the border";
#define NEEDLE_BYTES (sizeof needle - 1)

static const uint64_t places[] = {5,          BORDER / 2 - 3, BORDER - 100,
                                  BORDER - 7, BORDER + 4096,  TEXT_BYTES - NEEDLE_BYTES};
#define PLACES (sizeof places / sizeof *places)

static int last_window(void *context, const struct trawl_window *window)
{
    uint64_t *end = context;

    if (window->begin == *end)
        *end += window->bytes_count;
    return 0;
}

static void check_text(struct trawl_text *text, uint32_t threads)
{
    AUTO_SEARCHER searcher = must_searcher(threads, 0);
    AUTO_PLAN plan = must_plan(needle);
    struct trawl_match matches[PLACES + 1];
    uint64_t count = 0, end = 0;

    TEST_CHECK(call_text(text).text_bytes == TEXT_BYTES);
    MUST(list_matches(searcher, plan, text, matches, PLACES + 1, &count, NULL));
    TEST_CHECK_U64(count, PLACES);
    for (uint64_t i = 0; i < PLACES && i < count; i++) {
        TEST_CHECK_U64(matches[i].begin, places[i]);
        TEST_CHECK_U64(matches[i].end, places[i] + NEEDLE_BYTES);
    }
    TEST_CHECK_U64(trawl_searcher_progress(searcher), TEXT_BYTES);
    if (test_is_long()) {
        MUST(ask_count_lines(searcher, plan, text, false, UINT64_MAX, &count, NULL));
        TEST_CHECK_U64(count, 1); /* the text is a single line of more than 4 GiB */
        MUST(trawl_windows(searcher, plan, text, 0, last_window, &end, NULL));
        TEST_CHECK_U64(end, TEXT_BYTES);
    }
}

static void in_memory(void)
{
    uint8_t *bytes = mmap(NULL, TEXT_BYTES, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    struct trawl_text *text;

    if (bytes == MAP_FAILED) {
        printf("in memory: not tried, there is no address space\n");
        return;
    }
    (void)madvise(bytes, TEXT_BYTES, MADV_HUGEPAGE); /* a page fault then fills 2 MiB of a hole */
    for (uint32_t i = 0; i < PLACES; i++)
        memcpy(bytes + places[i], needle, NEEDLE_BYTES);
    text = must_text(bytes, TEXT_BYTES);
    check_text(text, 2);
    trawl_text_close(text);
    munmap(bytes, TEXT_BYTES);
}

/* Searches a file with holes. If the file system supports holes, the file occupies only a few
 * pages of the disk. */
static void in_a_file(void)
{
    char path[] = "/tmp/trawl-large-XXXXXX";
    AUTO_TEXT text = NULL;
    struct statvfs disk;
    int file = mkstemp(path);

    if (file < 0 || fstatvfs(file, &disk) != 0 ||
        (uint64_t)disk.f_bavail * disk.f_frsize < 2 * TEXT_BYTES) {
        printf("in a file: not tried, there is too little room on the disk\n");
        if (file >= 0)
            close(file);
        return;
    }
    (void)unlink(path);
    for (uint32_t i = 0; i < PLACES; i++)
        if (pwrite(file, needle, NEEDLE_BYTES, (off_t)places[i]) != (ssize_t)NEEDLE_BYTES) {
            printf("in a file: not tried, files of that size cannot be made\n");
            close(file);
            return;
        }
    MUST(call_descriptor(file, "large", 0, &text, NULL));
    check_text(text, 2);
    close(file);
}

int main(void)
{
    test_begin("large");
    if (sizeof(size_t) < 8)
        TEST_SKIP("the address space is too small");
    if (TEST_SANITIZED && !test_is_long())
        TEST_SKIP("texts of more than 4 GiB: under sanitizers only in long runs");
    in_memory();
    if (test_is_long())
        in_a_file();
    return test_end();
}
