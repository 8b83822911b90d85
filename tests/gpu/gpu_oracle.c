/* gpu_oracle: compares the CUDA engine on a real device with the oracle, in thousands of the random
 * cases of tests/sim. Each worker of the engine has different limits: sizes of grids, tiles and
 * buffers.
 *
 *     gpu_oracle [PART...]      default: all parts
 *
 * Parts: methods    the library's own methods
 *        gallery    the gallery's algorithms without child grids
 *        children   the gallery's algorithms with child grids
 *
 * TRAWL_TEST_SEED and TRAWL_TEST_SCALE work as in every test.
 * TRAWL_TEST_CASE=N: runs only case N of each part, with the other cases of the same worker.
 * TRAWL_TEST_SECONDS=N: opens no worker after N seconds, and prints how many cases were run.
 * TRAWL_TEST_THREADS=N: runs the gallery's cases in N threads, each with a worker. (Processes would
 * take turns on a device, and wait for a turn after each small kernel.)
 */
#include <string.h>
#include <time.h>

#include "gpu/gpu.h"
#if TRAWL_GALLERY
#include "gallery/tests/gallery_case.h"
#endif
#include "sim/random_case.h"

#define CASES_NORMAL 2000
#define CASES_LONG 40000
#define CASES_PER_WORKER 16u
#define THREADS 8u
#define CASES_TELLING 800 /* after this many cases each algorithm must have found occurrences */
#define FAILURES_MAX 5

struct parts {
    bool methods, gallery, children;
};

static bool parts_read(int argc, char **argv, struct parts *parts)
{
    memset(parts, argc < 2 ? 1 : 0, sizeof *parts);
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "methods") == 0) {
            parts->methods = true;
        } else if (strcmp(argv[i], "gallery") == 0) {
            parts->gallery = true;
        } else if (strcmp(argv[i], "children") == 0) {
            parts->children = true;
        } else {
            printf("no such part: %s (methods, gallery, children)\n", argv[i]);
            return false;
        }
    }
    return true;
}

#if TRAWL_GALLERY
static void report_gallery(const struct gallery_case_tally *tally, const struct parts *parts,
                           bool telling)
{
    uint64_t right = 0, refused = 0, failed = 0;

    for (uint32_t i = 0; gallery_setups[i] != NULL; i++) {
        if (!(gallery_setup_has_children(gallery_setups[i]) ? parts->children : parts->gallery))
            continue;
        printf("%-22s right %" PRIu64 ", with matches %" PRIu64 ", refused %" PRIu64
               ", failed %" PRIu64 "\n",
               gallery_setups[i], tally->right[i], tally->with_matches[i], tally->refused[i],
               tally->failed[i]);
        right += tally->right[i];
        refused += tally->refused[i];
        failed += tally->failed[i];
        if (telling)
            TEST_CHECK(tally->with_matches[i] > 0 && tally->refused[i] < tally->right[i]);
    }
    printf("gallery: %" PRIu64 " cases right, %" PRIu64 " refused, %" PRIu64 " failed\n", right,
           refused, failed);
}
#endif

static bool run_methods(struct engine *engine, uint64_t index, uint64_t count,
                        struct random_case_tally *tally)
{
    bool passed = true;

    for (uint64_t i = index; i < index + count && passed; i += CASES_PER_WORKER)
        passed = random_cases_on(engine, "gpu", i, CASES_PER_WORKER, tally);
    return passed;
}

int main(int argc, char **argv)
{
    uint64_t only = test_setting("TRAWL_TEST_CASE", UINT64_MAX), cases, i;
    uint64_t seconds = test_setting("TRAWL_TEST_SECONDS", UINT64_MAX);
#if TRAWL_GALLERY
    static struct gallery_case_tally gallery;
#endif
    uint32_t threads =
        only != UINT64_MAX ? 1 : (uint32_t)test_setting("TRAWL_TEST_THREADS", THREADS);
    struct random_case_tally tally;
    time_t begin = time(NULL);
    struct engine *engine;
    struct parts parts;

    if (!parts_read(argc, argv, &parts))
        return 2;
    test_begin("gpu oracle");
    engine = gpu_open();
    memset(&tally, 0, sizeof tally);
    cases = test_amount(CASES_NORMAL, CASES_LONG);
    if (threads == 0 || threads * CASES_PER_WORKER > cases)
        threads = 1;
    for (i = 0; i < cases && test_failures < FAILURES_MAX; i += threads * CASES_PER_WORKER) {
        if (only != UINT64_MAX && i != only / CASES_PER_WORKER * CASES_PER_WORKER)
            continue;
        if (i > 0 && (uint64_t)(time(NULL) - begin) >= seconds)
            break;
        if (parts.methods)
            TEST_CHECK(run_methods(engine, i, threads * CASES_PER_WORKER, &tally));
#if TRAWL_GALLERY
        if (parts.gallery || parts.children)
            TEST_CHECK(
                gallery_cases_on(engine,
                                 &(struct gallery_cases){"gpu gallery", CASES_PER_WORKER, threads,
                                                         parts.gallery, parts.children},
                                 i, &gallery));
#endif
    }
#if TRAWL_GALLERY
    report_gallery(&gallery, &parts, only == UINT64_MAX && i >= CASES_TELLING);
#endif
    engine_cuda.close(engine);
    if (i < cases && test_failures < FAILURES_MAX)
        printf("out of time: %" PRIu64 " of %" PRIu64 " cases of each part were run\n", i, cases);
    printf("cases: every %" PRIu64 ", grams %" PRIu64 ", sampled %" PRIu64 ", set %" PRIu64
           ", auto %" PRIu64 ", refused %" PRIu64 "; %" PRIu64 " matches\n",
           tally.method[TRAWL_METHOD_EVERY], tally.method[TRAWL_METHOD_GRAMS],
           tally.method[TRAWL_METHOD_SAMPLED], tally.method[TRAWL_METHOD_SET],
           tally.method[TRAWL_METHOD_AUTO], tally.refused, tally.matches);
    return test_end();
}
