/* allocator: all memory of the library goes through the caller's functions, comes back with the
 * size that was requested, and is aligned as requested. */
#include <pthread.h>
#include <unistd.h>

#include "calls.h"

#define TEXT_BYTES ((uint64_t)1 << 20)
#define BLOCKS_MAX 100000

struct block {
    void *pointer;
    uint64_t bytes;
};

/* A plain list: slow, but nothing can hide in it. */
struct ledger {
    pthread_mutex_t lock;
    struct block blocks[BLOCKS_MAX];
    uint64_t live, allocated, misaligned, odd_alignments, unknown, wrong_size, empty;
};
static struct ledger ledger = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void *take(void *context, uint64_t bytes, uint64_t alignment)
{
    struct ledger *books = context;
    void *pointer = NULL;

    pthread_mutex_lock(&books->lock);
    books->empty += bytes == 0;
    if (alignment == 0 || (alignment & (alignment - 1)) != 0)
        books->odd_alignments++;
    else if (books->live < BLOCKS_MAX &&
             posix_memalign(&pointer, alignment < 8 ? 8 : alignment, bytes) == 0) {
        books->misaligned += (uintptr_t)pointer % alignment != 0;
        memset(pointer, 0xdb, bytes);
        books->blocks[books->live++] = (struct block){pointer, bytes};
        books->allocated++;
    }
    pthread_mutex_unlock(&books->lock);
    return pointer;
}

static void give_back(void *context, void *pointer, uint64_t bytes)
{
    struct ledger *books = context;
    uint64_t i = 0;

    pthread_mutex_lock(&books->lock);
    while (i < books->live && books->blocks[i].pointer != pointer)
        i++;
    if (i == books->live) {
        books->unknown++;
    } else {
        books->wrong_size += books->blocks[i].bytes != bytes;
        memset(pointer, 0xdd, books->blocks[i].bytes);
        books->blocks[i] = books->blocks[--books->live];
        free(pointer);
    }
    pthread_mutex_unlock(&books->lock);
}

static void search(const char *bytes, const struct trawl_plan *plan, uint32_t threads, int kind)
{
    struct trawl_searcher *searcher = must_searcher(threads, threads == 3 ? 5000 : 0);
    struct trawl_text *text = NULL;
    struct trawl_match match;
    uint64_t count = 0;
    bool found;
    int ends[2] = {-1, -1};

    if (kind == 0)
        MUST(trawl_text_from_memory(bytes, TEXT_BYTES, &text, NULL));
    else if (kind == 1)
        MUST(trawl_text_open_file("/proc/self/exe", &text, NULL));
    else if (pipe(ends) != 0 || write(ends[1], bytes, 30000) != 30000 || close(ends[1]) != 0)
        exit(1);
    else
        MUST(trawl_text_from_descriptor(ends[0], NULL, &text, NULL));
    MUST(trawl_count(searcher, plan, text, &count, NULL));
    if (kind != 2) {
        MUST(trawl_first(searcher, plan, text, &match, &found, NULL));
        MUST(trawl_positions(searcher, plan, text, ignore_matches, NULL, NULL));
        MUST(trawl_positions_into(searcher, plan, text, &match, 1, &count, NULL));
        MUST(trawl_count_lines(searcher, plan, text, true, UINT64_MAX, &count, NULL));
        MUST(
            trawl_windows(searcher, plan, text, TRAWL_WINDOW_LINE_ENDS, ignore_window, NULL, NULL));
    }
    trawl_text_close(text);
    trawl_searcher_close(searcher);
    if (ends[0] >= 0)
        close(ends[0]);
}

static void build_and_search(const char *bytes)
{
    static const uint64_t lengths[] = {1, 3, 9, 300};
    static const enum trawl_method methods[] = {TRAWL_METHOD_AUTO, TRAWL_METHOD_EVERY,
                                                TRAWL_METHOD_GRAMS, TRAWL_METHOD_SAMPLED,
                                                TRAWL_METHOD_SET};

    for (uint32_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (uint32_t m = 0; m < sizeof methods / sizeof *methods; m++) {
            struct trawl_pattern patterns[2] = {{bytes, lengths[i]}, {bytes + 5000, lengths[i]}};
            AUTO_PLAN plan = NULL;
            if (trawl_plan_build(patterns, 1 + i % 2, PLAN_WITH(.method = methods[m]), &plan,
                                 NULL) != TRAWL_OK)
                continue;
            for (int kind = 0; kind < 3; kind++)
                search(bytes, plan, 1 + (uint32_t)kind, kind);
        }
}

int main(void)
{
    struct test_random random = test_random_begin("allocator");
    struct trawl_allocator functions = {&ledger, take, give_back};
    char *bytes = malloc(TEXT_BYTES);
    uint64_t allocated;
    struct trawl_plan *plan;

    test_begin("allocator");
    for (uint64_t i = 0; i < TEXT_BYTES; i++)
        bytes[i] = (char)('a' + test_random_below(&random, 5));
    trawl_set_allocator(&functions);
    build_and_search(bytes);
    printf("%" PRIu64 " blocks allocated\n", ledger.allocated);
    TEST_CHECK(ledger.allocated > 100);
    TEST_CHECK_U64(ledger.live, 0);
    TEST_CHECK_U64(ledger.unknown, 0);
    TEST_CHECK_U64(ledger.wrong_size, 0);
    TEST_CHECK_U64(ledger.misaligned, 0);
    TEST_CHECK_U64(ledger.odd_alignments, 0);
    TEST_CHECK_U64(ledger.empty, 0);
    allocated = ledger.allocated;
    trawl_set_allocator(NULL); /* the C library's again */
    plan = must_plan("x");
    trawl_plan_free(plan);
    TEST_CHECK_U64(ledger.allocated, allocated);
    free(bytes);
    return test_end();
}
