/* saved: saving and loading a plan while the world fails at the N-th point, for N = 1, 2, ... until
 * a run meets no fault; once as a single fault, once as "from N on".
 *
 * Each round: the status is one that the header allows, a save that failed leaves the old file and
 * nothing else, a load that failed leaves no plan and no memory, and a plan that was loaded finds
 * what it should.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fault.h"
#include "faults/blocks.h"
#include "calls.h"

#define PATTERNS 9000u /* a file that is read in several parts */
#define ROUNDS_MAX 1000u

static uint8_t bytes[PATTERNS * 12];
static struct trawl_pattern patterns[PATTERNS];
static char folder[] = "/tmp/trawl-faults-XXXXXX";
static char path[64];

static bool is_plan(const char *file_path, uint64_t pattern_count)
{
    AUTO_PLAN plan = NULL;
    bool good = trawl_plan_load(file_path, NULL, &plan, NULL) == TRAWL_OK &&
                trawl_plan_pattern_count(plan) == pattern_count;

    return good;
}

static void put_old(void)
{
    AUTO_PLAN old = must_plans(patterns, 1, NULL);

    MUST(trawl_plan_save(old, path, NULL, NULL));
}

/* The folder can be removed once the file is gone: nothing else is in it. */
static void check_alone(void)
{
    TEST_CHECK(unlink(path) == 0 && rmdir(folder) == 0 && mkdir(folder, 0700) == 0);
}

/* One round; false: it met no fault. */
static bool save_round(const struct trawl_plan *plan, uint64_t nth, bool persistent)
{
    struct trawl_plan_save_options options = TRAWL_PLAN_SAVE_OPTIONS_INIT;
    struct trawl_error error = {0};
    enum trawl_status status;
    bool met;

    put_old();
    options.note = "note";
    options.note_bytes = 4;
    fault_arm(nth, persistent);
    status = trawl_plan_save(plan, path, &options, &error);
    met = fault_points_passed() >= nth;
    fault_arm(0, false);
    TEST_CHECK(status == TRAWL_OK || status == TRAWL_MEMORY || status == TRAWL_OPEN ||
               status == TRAWL_WRITE);
    TEST_CHECK(status == TRAWL_OK || (error.status == status && error.message[0] != '\0'));
    TEST_CHECK((status == TRAWL_OK) == !met);
    TEST_CHECK(is_plan(path, status == TRAWL_OK ? PATTERNS : 1));
    TEST_CHECK(status == TRAWL_OK || trawl_plan_save(plan, path, NULL, NULL) == TRAWL_OK);
    TEST_CHECK(is_plan(path, PATTERNS));
    check_alone();
    return met;
}

static bool load_round(uint64_t nth, bool persistent)
{
    int64_t blocks = atomic_load(&live_blocks);
    struct trawl_plan *plan = NULL;
    struct trawl_error error = {0};
    enum trawl_status status;
    uint64_t wrong = 0;
    bool met;

    fault_arm(nth, persistent);
    status = trawl_plan_load(path, NULL, &plan, &error);
    met = fault_points_passed() >= nth;
    fault_arm(0, false);
    TEST_CHECK(status == TRAWL_OK || status == TRAWL_MEMORY || status == TRAWL_OPEN ||
               status == TRAWL_READ);
    TEST_CHECK(status == TRAWL_OK || (error.status == status && error.message[0] != '\0'));
    TEST_CHECK((status == TRAWL_OK) == (plan != NULL));
    for (uint64_t i = 0; plan != NULL && i < PATTERNS; i++)
        wrong += trawl_plan_pattern(plan, i).bytes_count != patterns[i].bytes_count;
    TEST_CHECK_U64(wrong, 0);
    trawl_plan_free(plan);
    TEST_CHECK_U64((uint64_t)atomic_load(&live_blocks), (uint64_t)blocks);
    return met;
}

int main(void)
{
    struct test_random random = test_random_begin("faults_saved");
    struct trawl_plan *plan = NULL;
    uint64_t rounds = 0;

    test_begin("faults_saved");
    if (mkdtemp(folder) == NULL)
        return 1;
    (void)snprintf(path, sizeof path, "%s/set", folder);
    for (uint64_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)('a' + test_random_below(&random, 26));
    for (uint64_t i = 0; i < PATTERNS; i++)
        patterns[i] = (struct trawl_pattern){bytes + 12 * i, 1 + test_random_below(&random, 12)};
    blocks_count();
    MUST(trawl_plan_build(patterns, PATTERNS, NULL, &plan, NULL));
    for (uint32_t persistent = 0; persistent < 2; persistent++) {
        uint64_t nth = 1;

        for (; nth < ROUNDS_MAX && save_round(plan, nth, persistent == 1); nth++)
            rounds++;
        TEST_CHECK(nth > 5 && nth < ROUNDS_MAX);
    }
    put_old();
    MUST(trawl_plan_save(plan, path, NULL, NULL));
    trawl_plan_free(plan);
    for (uint32_t persistent = 0; persistent < 2; persistent++) {
        uint64_t nth = 1;

        for (; nth < ROUNDS_MAX && load_round(nth, persistent == 1); nth++)
            rounds++;
        TEST_CHECK(nth > 5 && nth < ROUNDS_MAX);
    }
    TEST_CHECK_U64((uint64_t)atomic_load(&live_blocks), 0);
    TEST_CHECK(unlink(path) == 0 && rmdir(folder) == 0);
    printf("%" PRIu64 " rounds\n", rounds);
    return test_end();
}
