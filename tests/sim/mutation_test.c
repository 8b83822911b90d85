/* mutation_test: would the suite notice? Each barrier, warp operation, atomic and bound check of
 * the kernels is taken out in turn, and the cases of kernels_test, or of gallery_test and
 * swift_test for the gallery's kernels, must then fail: by a wrong answer, a report of the
 * simulator, or a crash.
 *
 * TRAWL_TEST_FILTER: only places in files whose name holds this.
 *
 * A normal run takes one place in SHARE, by the seed; a scale of SHARE or a filter takes all.
 *
 * Places that may go without notice are listed with the reason. The list is part of the test: a
 * place on it that is noticed after all fails too, unless that is up to the schedules.
 */
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cuda_case.h"
#if TRAWL_GALLERY
#include "gallery/tests/gallery_case.h"
#include "gallery/tests/swift_case.h"
#endif
#include "random_case.h"
#include "sim_driver.h"
#include "simulator.h"

#define SHARE 32u
#define SHARE_FIRST 18u /* with the seed 1 there are places of all five kinds */
#define CASES_NORMAL 500
#define CASES_LONG 3000
#define GALLERY_DIVISOR 3u  /* a case there is 15 launches */
#define HARMLESS_DIVISOR 8u /* what nobody notices takes all its cases */
#define SWITCHES_MAX 3000000u
#define SILENCE_SECONDS 5 /* of processor time for one case, which takes thousandths */
#define RIGHT_DIVISOR 4u  /* without a mutation: kernels_test and its like run more */
#define PATIENCE 14       /* a mutant may need this many times the cases to meet its schedule */

static const char *const kind_names[] = {"barrier", "warp operation", "atomic", "bound check",
                                         "fence"};

/* Nothing of the kernels' answer depends on these; `text` is part of the source line. */
static const struct harmless {
    const char *text;
    const char *reason;
    bool is_chance; /* whether anything shows depends on the schedules: both are right */
} harmless[] = {
    {"uint32_t lanes = simt_ballot(count != 0);", "without it each lane lowers the first by itself",
     false},
    {"simt_popcount(simt_ballot(found != 0)) >= a->dense_lanes",
     "without it no tile is dense: more is verified before one is", false},
    {"simt_add_u64(&a->result->listed, dense_count);",
     "a launch in vain ends later: whether it was, the host sees from the blocks' own sums", false},
    {"simt_atomic_add_u64(&a->result->listed, a->listed_max + 1u) & SET_NO_TILE;",
     "a launch in vain ends later: whether it was, the host sees from the blocks' own sums", false},
    {"looked = simt_warp_sum_u32(looked);", "the number of candidates is a statistic", false},
    {"looked += simt_popcount(simt_ballot(mask != 0));",
     "the number of candidates is a statistic, which only streams_test looks at", true},
    {"return simt_ballot(too_many) != 0;", "the launch is in vain: what it counts is thrown away",
     false},
    {"simt_fence(); /* all signatures before their sums */",
     "shows where the last block has found nothing itself: rare in these cases, see answers_test.c",
     true},
    {"simt_fence_host();", "shows where the host looks in a moment: see answers_test.c", true},
    {"simt_warp_sync();",
     "the ballots around may keep the lanes together; it orders memory, which the simulator always "
     "does",
     true},
    {"!SIMT_BOUND(record.w[1] <= a->text_end - *x))",
     "shows where the bytes beside a gram are a literal's, but its end is beyond the text: rare",
     true},
    {"simt_add_u64(order_group_words(a, partition >> a->partition_group_log2),",
     "shows where two blocks add to a group at the same moment: rare in these cases", true},
    {"/* the others' slots nobody reads */",
     "each array of cells has a place for every lane: what lies beyond the tile's is not read",
     false},
    {"/* the others' sums nobody reads */", "likewise", false},
    {"return simt_ballot(hit) != 0 && hit ? stream_places(a, words, kind) : 0;",
     "a lane without a hit answers 0 by itself: the ballot saves a warp without hits the branch",
     false},
    {"spent += simt_warp_sum_u32(cost);",
     "each lane then counts its own: the budget ends later, and for some lanes first", true},
};

/* A signal ends a process that works so long on: a mutant may loop for ever. 0: none does. */
static void end_after(time_t seconds)
{
    struct itimerval timer = {{0, 0}, {seconds, 0}};

    (void)setitimer(ITIMER_VIRTUAL, &timer, NULL);
}

static bool gallery_is_right(uint64_t index)
{
#if TRAWL_GALLERY
    return swift_case_run("mutation", index, SWITCHES_MAX, NULL) &&
           gallery_case_run("mutation", index, SWITCHES_MAX, NULL);
#else
    (void)index;
    return true; /* no such site is compiled */
#endif
}

/* Run the cases of the scan kernels, or of the gallery's, until one goes wrong; how many were right
 * before it. */
static uint64_t run_cases(bool gallery, uint64_t cases)
{
    uint64_t index = 0;

    while (index < cases) {
        end_after(SILENCE_SECONDS);
        if (gallery ? !gallery_is_right(index)
                    : !random_case_run("mutation", index, SWITCHES_MAX, NULL))
            break;
        index++;
    }
    end_after(0);
    return index;
}

/* A kernel that searches for sets alone. */
static bool is_for_sets(const struct sim_site *site)
{
    const char *name = strrchr(site->file, '/');

    return strstr(name == NULL ? site->file : name, "set") != NULL ||
           strstr(name == NULL ? site->file : name, "automaton") != NULL;
}

static bool is_gallery(const struct sim_site *site)
{
    return strstr(site->file, "/gallery/kernels/") != NULL;
}

/* The source line of a site, without its indentation. */
static void site_text(const struct sim_site *site, char *text, size_t text_bytes)
{
    const char *name = site->file; /* as the compiler was given it: it may be relative */
    char line[300] = "", path[600];
    FILE *file;

    while (strncmp(name, "../", 3) == 0)
        name += 3;
    (void)snprintf(path, sizeof path, "%s%s%s", name[0] == '/' ? "" : TRAWL_SOURCE_FOLDER,
                   name[0] == '/' ? "" : "/", name);
    file = fopen(path, "r");
    TEST_CHECK(file != NULL);

    for (int i = 0; file != NULL && i < site->line; i++)
        if (fgets(line, sizeof line, file) == NULL)
            break;
    if (file != NULL)
        (void)fclose(file);
    line[strcspn(line, "\n")] = '\0';
    (void)snprintf(text, text_bytes, "%s", line + strspn(line, " "));
}

/* In a process of its own, since anything may happen there. */
static bool mutant_is_noticed(const struct sim_site *site, uint64_t cases, const char **how)
{
    pid_t child = fork();
    int status = 0;

    if (child == 0) {
        if (freopen("/dev/null", "w", stdout) == NULL || freopen("/dev/null", "w", stderr) == NULL)
            _exit(99);
        random_case_want(is_for_sets(site) ? RANDOM_CASE_SETS : RANDOM_CASE_NO_SETS);
        sim_counters_reset(); /* schedules follow the launches: more cases begin with the same */
        sim_mutate(site);
        _exit(run_cases(is_gallery(site), cases) == cases ? 0 : 1);
    }
    if (child < 0 || waitpid(child, &status, 0) != child) {
        *how = "could not be run";
        return false;
    }
    *how = !WIFEXITED(status)          ? "a crash"
           : WEXITSTATUS(status) == 0  ? "nothing"
           : WEXITSTATUS(status) == 1  ? "a wrong answer or a report"
           : WEXITSTATUS(status) == 99 ? "could not be run"
                                       : "a sanitizer";
    return !WIFEXITED(status) || (WEXITSTATUS(status) != 0 && WEXITSTATUS(status) != 99);
}

/* The row of the list for a line of source; NULL: its places must be noticed. */
static const struct harmless *harmless_for(const char *text)
{
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
        if (strstr(text, harmless[i].text) != NULL)
            return &harmless[i];
    return NULL;
}

static bool in_share(uint64_t place)
{
    const char *filter = getenv("TRAWL_TEST_FILTER");

    return (filter != NULL && *filter != '\0') ||
           (place + SHARE_FIRST + test_setting("TRAWL_TEST_SEED", 1)) % SHARE <
               test_amount(1, SHARE);
}

int main(void)
{
    uint64_t cases, right, noticed[5] = {0}, sites_of[5] = {0}, harmless_count = 0;
    static struct sim_site sites[SIM_SITES_MAX];
    uint32_t site_count;

    if (TEST_SANITIZED)
        TEST_SKIP("a build without sanitizers does this, in less time");
    test_begin("sim mutation");
    cuda_driver_replace(sim_driver_table());
    cases = test_is_long() ? test_amount(CASES_NORMAL, CASES_LONG) : CASES_NORMAL;
    right = cases / RIGHT_DIVISOR;
    random_case_want(RANDOM_CASE_SETS);
    TEST_CHECK_U64(run_cases(false, right / 2), right / 2);
    random_case_want(RANDOM_CASE_NO_SETS);
    TEST_CHECK_U64(run_cases(false, right / 2), right / 2);
    TEST_CHECK_U64(run_cases(true, right / GALLERY_DIVISOR), right / GALLERY_DIVISOR);
    site_count = sim_sites(sites, SIM_SITES_MAX);
    TEST_CHECK(site_count > 60 && site_count < SIM_SITES_MAX);
    for (uint32_t i = 0; i < site_count; i++) {
        const char *how = "", *base = strrchr(sites[i].file, '/');
        char text[200];
        const struct harmless *row;
        bool is_noticed;

        if (!test_wanted(base == NULL ? sites[i].file : base + 1) || !in_share(i))
            continue;
        site_text(&sites[i], text, sizeof text);
        row = harmless_for(text);
        is_noticed = mutant_is_noticed(
            &sites[i], row == NULL ? PATIENCE * cases : cases / HARMLESS_DIVISOR, &how);
        sites_of[sites[i].kind]++;
        noticed[sites[i].kind] += is_noticed;
        harmless_count += row != NULL;
        if (!TEST_CHECK(is_noticed == (row == NULL) || (row != NULL && row->is_chance)))
            printf("  %s without its %s at %s:%d: %s\n    %s\n",
                   is_noticed ? "noticed" : "unnoticed", kind_names[sites[i].kind],
                   base == NULL ? sites[i].file : base + 1, sites[i].line, how, text);
    }
    for (uint32_t kind = 0; kind < 5; kind++)
        printf("%s: %" PRIu64 " taken out, %" PRIu64 " noticed\n", kind_names[kind], sites_of[kind],
               noticed[kind]);
    printf("harmless, with a reason: %" PRIu64 "; places in all: %u\n", harmless_count, site_count);
    return test_end();
}
