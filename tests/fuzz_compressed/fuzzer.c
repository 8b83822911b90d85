/* fuzzer: any bytes as a compressed file, searched twice, in large chunks and in small ones, by one
 * thread and by three: no crash, and the same bytes and the same end both times. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz/fuzz.h"
#include "trawl.h"

#define UNPACKED_MAX (UINT64_C(1) << 20) /* of a bomb */

struct seen {
    uint64_t bytes, matches, sum;
};

static void fail(const char *what)
{
    fprintf(stderr, "fuzz_compressed: %s\n", what);
    abort();
}

static int see(void *context, const struct trawl_window *window)
{
    struct seen *seen = context;

    if (window->begin != seen->bytes)
        fail("windows with a gap");
    for (uint64_t i = 0; i < window->bytes_count && seen->bytes < UNPACKED_MAX; i++, seen->bytes++)
        seen->sum = seen->sum * 31 + window->bytes[i];
    for (uint64_t i = 0; i < window->match_count; i++)
        seen->matches += window->matches[i].begin < UNPACKED_MAX;
    return seen->bytes >= UNPACKED_MAX;
}

static enum trawl_status search(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                                int file, struct seen *seen)
{
    struct trawl_text *text = NULL;
    struct trawl_error error;
    enum trawl_status status = trawl_text_from_compressed(file, "fuzz", &text, &error);

    memset(seen, 0, sizeof *seen);
    if (status == TRAWL_OK)
        status = trawl_windows(searcher, plan, text, 0, see, seen, &error);
    trawl_text_close(text);
    if (status != TRAWL_OK && status != TRAWL_STOPPED && status != TRAWL_READ &&
        status != TRAWL_UNSUPPORTED)
        fail(error.message);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t bytes_count)
{
    static struct trawl_searcher *searchers[2];
    static struct trawl_plan *plan;
    struct trawl_searcher_options options = TRAWL_SEARCHER_OPTIONS_INIT;
    struct trawl_pattern pattern = {"ay", 2};
    enum trawl_status status[2];
    struct seen seen[2];
    int file = memfd_create("fuzz", MFD_CLOEXEC);

    if (plan == NULL) {
        options.threads = 1;
        if (trawl_plan_build(&pattern, 1, NULL, &plan, NULL) != TRAWL_OK ||
            trawl_searcher_open(&options, &searchers[0], NULL) != TRAWL_OK)
            fail("no searcher");
        options.threads = 3;
        options.chunk_bytes = 100;
        if (trawl_searcher_open(&options, &searchers[1], NULL) != TRAWL_OK)
            fail("no searcher");
    }
    if (file < 0 || write(file, bytes, bytes_count) != (ssize_t)bytes_count ||
        lseek(file, 0, SEEK_SET) != 0)
        fail("no file");
    for (int i = 0; i < 2; i++)
        status[i] = search(searchers[i], plan, file, &seen[i]);
    close(file);
    if (status[0] != status[1] || (status[0] != TRAWL_READ && seen[0].sum != seen[1].sum) ||
        (status[0] != TRAWL_READ && seen[0].matches != seen[1].matches))
        fail("chunks of another size find something else");
    return 0;
}
