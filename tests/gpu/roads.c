/* roads: how fast a long text goes to its workers: counts of sets in host memory and in a file by
 * the CPU, by devices, by both; in a text that is loaded, counts and lists by all devices there
 * are.
 *
 *     gpu_roads [MIB [REPEATS [FOLDER]]]     default: 8192 MiB, 5 repeats; FOLDER: for the file,
 * /tmp; ".": without files; "loaded": the loaded text alone
 *
 * Random a-z; patterns of 10 bytes drawn from the seed, which rarely occur. All through the public
 * header, by the host's clock, medians, after one run that does not count (auto: after the time
 * that it takes to open a device). Beside the speed of a loaded text stands what as many devices
 * reach at most, by the time that one takes for its part alone; texts of more than 8 GiB for each
 * device are in more parts than one, and for them that figure says nothing. Each answer is held
 * against the CPU engine's; wrong ones are printed and end the program with status 1. With
 * CUDA_VISIBLE_DEVICES=0 one device alone.
 */
#include <string.h>
#include <unistd.h>

#include "base/checked.h"
#include "diff/input.h"
#include "measure.h"

#define PATTERN_BYTES 10u
#define PATTERNS_MAX 60000u
#define AUTO_SECONDS 2.0       /* until a device that pays stands and has been tried */
#define AUTO_BYTES (64u << 20) /* of a shorter text it stands too late to matter */
#define LISTED_BYTES 4u        /* one place in 460,000 */
#define ARRAY_BYTES 3u         /* one in 17,600 */

enum column { COLUMN_CPU, COLUMN_CUDA, COLUMN_AUTO, COLUMNS };

static const uint64_t sets[] = {1, 1000, 10000, PATTERNS_MAX};
#define SETS (sizeof sets / sizeof *sets)

struct session {
    uint8_t *bytes;
    uint64_t count;
    uint32_t repeats;
    struct trawl_searcher *searchers[COLUMNS];
    struct trawl_plan *plans[SETS];
    struct trawl_plan *listed;
    struct trawl_plan *filled;
    struct trawl_text *text, *part; /* one that is loaded, and what lies on one device of it */
    uint64_t expected[SETS];
    uint64_t wrong;
};

static void check(struct session *s, bool right, const char *what)
{
    if (!right)
        printf("WRONG: %s\n", what);
    s->wrong += !right;
}

static uint64_t count_once(const struct session *s, enum column column, uint64_t set,
                           struct trawl_text *text)
{
    struct trawl_error error;
    uint64_t count = 0;

    measure_must(trawl_count(s->searchers[column], s->plans[set], text, &count, &error), &error);
    return count;
}

/* GB/s, the median. */
static double count_speed(struct session *s, enum column column, uint64_t set,
                          struct trawl_text *text)
{
    double seconds[MEASURE_REPEATS_MAX], begin = measure_now();

    do
        check(s, count_once(s, column, set, text) == s->expected[set], "a count");
    while (column == COLUMN_AUTO && s->count >= AUTO_BYTES && measure_now() - begin < AUTO_SECONDS);
    for (uint32_t i = 0; i < s->repeats; i++) {
        begin = measure_now();
        check(s, count_once(s, column, set, text) == s->expected[set], "a count");
        seconds[i] = measure_now() - begin;
    }
    return (double)s->count / measure_median(seconds, s->repeats) / 1e9;
}

/* A text for each engine: what devices search again stays pinned until it is closed. */
static struct trawl_text *open_text(const struct session *s, const char *path)
{
    struct trawl_text *text = NULL;
    struct trawl_error error;

    if (path == NULL)
        return measure_text(s->bytes, s->count);
    measure_must(trawl_text_open_file(path, &text, &error), &error);
    return text;
}

/* The first search of a text by devices, which copies all of it. */
static void first_search(struct session *s)
{
    double seconds[MEASURE_REPEATS_MAX];

    for (uint32_t i = 0; i < s->repeats + 1; i++) {
        struct trawl_text *text = open_text(s, NULL);
        double begin = measure_now();

        check(s, count_once(s, COLUMN_CUDA, 0, text) == s->expected[0], "a count");
        if (i > 0)
            seconds[i - 1] = measure_now() - begin;
        trawl_text_close(text);
    }
    printf("\nA text's first search by devices, 1 pattern: %.1f GB/s\n",
           (double)s->count / measure_median(seconds, s->repeats) / 1e9);
}

static void compare_engines(struct session *s, const char *path)
{
    double speed[COLUMNS][SETS];

    for (uint32_t column = 0; column < COLUMNS; column++) {
        struct trawl_text *text = open_text(s, path);

        for (uint64_t set = 0; set < SETS; set++)
            speed[column][set] = count_speed(s, (enum column)column, set, text);
        trawl_text_close(text);
    }
    printf("\n## Counts of a text in %s, GB/s\n",
           path != NULL ? "a file that the page cache holds" : "memory");
    printf("| patterns | cpu | cuda | auto | auto of cpu + cuda |\n|---:|---:|---:|---:|---:|\n");
    for (uint64_t set = 0; set < SETS; set++)
        printf("| %" PRIu64 " | %.1f | %.1f | %.1f | %.2f |\n", sets[set], speed[COLUMN_CPU][set],
               speed[COLUMN_CUDA][set], speed[COLUMN_AUTO][set],
               speed[COLUMN_AUTO][set] / (speed[COLUMN_CPU][set] + speed[COLUMN_CUDA][set]));
    (void)fflush(stdout);
}

static void compare_file(struct session *s, const char *folder)
{
    char path[300];
    uint64_t written = 0;
    ssize_t now = 1;
    int file;

    (void)snprintf(path, sizeof path, "%.250s/trawl-roads-XXXXXX", folder);
    file = mkstemp(path);
    for (; file >= 0 && now > 0 && written < s->count; written += (uint64_t)now)
        now = write(file, s->bytes + written, (size_t)min_u64(s->count - written, 1u << 30));
    if (file < 0 || now <= 0) {
        printf("SKIPPED: no file of that size in %s\n", folder);
    } else {
        compare_engines(s, path);
    }
    if (file >= 0) {
        (void)close(file);
        (void)unlink(path);
    }
}

/* ---- Loaded ------------------------------------------------------------------------------- */

/* A search of a loaded text, which is tried in all of it and in a part. */
struct loaded_search {
    const struct trawl_plan *plan;
    enum { SEARCH_COUNT, SEARCH_LIST, SEARCH_ARRAY } kind;
    uint64_t expected; /* of the text at hand */
    uint64_t *begins;  /* so many */
};

struct listing {
    uint64_t count, last, wrong;
};

static int take(void *context, const struct trawl_match *matches, uint64_t match_count)
{
    struct listing *listing = (struct listing *)context;

    for (uint64_t i = 0; i < match_count; i++) {
        listing->wrong += listing->count > 0 && matches[i].begin <= listing->last;
        listing->last = matches[i].begin;
        listing->count++;
    }
    return 0;
}

/* Seconds. */
static double loaded_once(struct session *s, const struct loaded_search *search,
                          struct trawl_text *text)
{
    struct trawl_searcher *searcher = s->searchers[COLUMN_CUDA];
    struct listing listing = {0, 0, 0};
    struct trawl_error error;
    double begin = measure_now(), seconds;
    enum trawl_status status;

    if (search->kind == SEARCH_COUNT)
        status = trawl_count(searcher, search->plan, text, &listing.count, &error);
    else if (search->kind == SEARCH_LIST)
        status = trawl_positions(searcher, search->plan, text, take, &listing, &error);
    else
        status = trawl_begins_into(searcher, search->plan, text, search->begins, search->expected,
                                   &listing.count, &error);
    seconds = measure_now() - begin;
    measure_must(status, &error);
    for (uint64_t i = 1; search->kind == SEARCH_ARRAY && i < search->expected; i++)
        listing.wrong += search->begins[i] <= search->begins[i - 1];
    check(s, listing.wrong == 0 && listing.count == search->expected, "in a loaded text");
    return seconds;
}

static double loaded_median(struct session *s, struct loaded_search *search,
                            struct trawl_text *text)
{
    double seconds[MEASURE_REPEATS_MAX];
    struct trawl_error error;

    measure_must(
        trawl_count(s->searchers[COLUMN_CPU], search->plan, text, &search->expected, &error),
        &error);
    search->begins = NULL;
    if (search->kind == SEARCH_ARRAY)
        search->begins = (uint64_t *)test_memory((search->expected + 1) * sizeof *search->begins);
    (void)loaded_once(s, search, text);
    for (uint32_t i = 0; i < s->repeats; i++)
        seconds[i] = loaded_once(s, search, text);
    free(search->begins);
    return measure_median(seconds, s->repeats);
}

/* What the devices there are, or two where there is one, would reach if all were as fast as the
 * first one alone is with its part: what a launch costs besides its text is in that. */
static void loaded_row(struct session *s, const char *what, const struct trawl_plan *plan, int kind)
{
    struct loaded_search search = {.plan = plan, .kind = kind};
    double all = loaded_median(s, &search, s->text);
    uint64_t expected = search.expected;
    double part = loaded_median(s, &search, s->part);

    printf("| %s", what);
    if (kind != SEARCH_COUNT)
        printf(", %" PRIu64 " places", expected);
    printf(" | %.0f | %.0f |\n", (double)s->count / all / 1e9, (double)s->count / part / 1e9);
    (void)fflush(stdout);
}

static void loaded_length(struct session *s, uint64_t length)
{
    struct trawl_plan *plan = measure_plan(s->bytes + s->count / 3, length, s->bytes,
                                           min_u64(s->count, 1 << 16), TRAWL_METHOD_AUTO, NULL);
    char what[64];

    (void)snprintf(what, sizeof what, "count, 1 pattern of %" PRIu64 " bytes", length);
    loaded_row(s, what, plan, SEARCH_COUNT);
    trawl_plan_free(plan);
}

static void loaded(struct session *s)
{
    static const uint64_t lengths[] = {1, 2, 4, 8, 16, 47, 100, 272, 1040, 4112};
    struct trawl_worker_stats stats = {.size = sizeof stats};
    struct trawl_error error;
    uint32_t devices, kinds = 1;
    char what[64];

    measure_must(trawl_text_load(s->searchers[COLUMN_CUDA], s->text, &error), &error);
    (void)count_once(s, COLUMN_CUDA, 0, s->text);
    measure_must(trawl_searcher_workers(s->searchers[COLUMN_CUDA], 0, &stats, &kinds, &error),
                 &error);
    devices = kinds - 1;
    s->part = measure_text(s->bytes, s->count / (devices < 2 ? 2 : devices));
    printf("\n## The text loaded, %u device%s, GB/s\n| search | speed | at most, on %u |\n"
           "|---|---:|---:|\n",
           devices, devices == 1 ? "" : "s", devices < 2 ? 2 : devices);
    for (uint64_t set = 0; set < SETS; set++) {
        (void)snprintf(what, sizeof what, "count, %" PRIu64 " patterns", sets[set]);
        loaded_row(s, what, s->plans[set], SEARCH_COUNT);
    }
    for (uint64_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        loaded_length(s, lengths[i]);
    loaded_row(s, "list", s->listed, SEARCH_LIST);
    loaded_row(s, "array of begins", s->listed, SEARCH_ARRAY);
    loaded_row(s, "array of begins", s->filled, SEARCH_ARRAY);
    trawl_text_unload(s->searchers[COLUMN_CUDA], s->text);
    trawl_text_close(s->part);
}

int main(int argc, char **argv)
{
    uint64_t mib = argc > 1 ? strtoull(argv[1], NULL, 0) : 8192;
    const char *folder = argc > 3 ? argv[3] : "/tmp";
    struct session s = {.count = mib << 20, .repeats = 5};

    if (argc > 2)
        s.repeats = (uint32_t)min_u64(strtoull(argv[2], NULL, 0), MEASURE_REPEATS_MAX);
    s.bytes = (uint8_t *)malloc(s.count);
    if (s.bytes == NULL || s.count == 0 || s.repeats == 0) {
        printf("gpu_roads: no memory, or nothing to measure\n");
        return 2;
    }
    s.searchers[COLUMN_CUDA] = measure_searcher(TRAWL_ENGINE_CUDA, 0);
    s.searchers[COLUMN_CPU] = measure_searcher(TRAWL_ENGINE_CPU, 0);
    s.searchers[COLUMN_AUTO] = measure_searcher(TRAWL_ENGINE_AUTO, 0);
    measure_fill(s.bytes, s.count, MEASURE_LETTERS);
    s.text = measure_text(s.bytes, s.count);
    for (uint64_t set = 0; set < SETS; set++) {
        s.plans[set] = measure_random_plan(sets[set], PATTERN_BYTES, "roads");
        s.expected[set] = count_once(&s, COLUMN_CPU, set, s.text);
    }
    s.listed = measure_random_plan(1, LISTED_BYTES, "roads");
    s.filled = measure_random_plan(1, ARRAY_BYTES, "roads");
    printf("gpu_roads: %" PRIu64 " MiB, median of %u\n", mib, s.repeats);
    if (strcmp(folder, "loaded") != 0) {
        first_search(&s);
        compare_engines(&s, NULL);
    }
    if (strcmp(folder, ".") != 0 && strcmp(folder, "loaded") != 0)
        compare_file(&s, folder);
    loaded(&s);
    trawl_text_close(s.text);
    for (uint64_t set = 0; set < SETS; set++)
        trawl_plan_free(s.plans[set]);
    trawl_plan_free(s.listed);
    trawl_plan_free(s.filled);
    for (uint32_t i = 0; i < COLUMNS; i++)
        trawl_searcher_close(s.searchers[i]);
    free(s.bytes);
    printf("%" PRIu64 " wrong answers\n", s.wrong);
    return s.wrong == 0 ? 0 : 1;
}
