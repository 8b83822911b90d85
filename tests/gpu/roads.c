/* roads: how fast a long text goes to its workers: counts of sets in host memory and in a file by
 * the CPU, by devices, by both; in a text that is loaded, counts and lists by all devices there
 * are.
 *
 *     gpu_roads [MIB [REPEATS [FOLDER]]]     default: 8192 MiB, 5 repeats; FOLDER: for the file,
 * /tmp; ".": without files; "loaded": the loaded text alone
 *
 * Random a-z; patterns of 10 bytes drawn from the seed, which rarely occur. All through the public
 * header, by the host's clock, medians, after one run that does not count (auto: after the time
 * that it takes to open a device). Each answer is held against the CPU engine's; wrong ones are
 * printed and end the program with status 1. With CUDA_VISIBLE_DEVICES=0 one device alone.
 */
#include <string.h>
#include <unistd.h>

#include "base/checked.h"
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

static double list_seconds(struct session *s, struct trawl_text *text, uint64_t expected)
{
    double seconds[MEASURE_REPEATS_MAX];
    struct trawl_error error;

    for (uint32_t i = 0; i < s->repeats + 1; i++) {
        struct listing listing = {0, 0, 0};
        double begin = measure_now();

        measure_must(
            trawl_positions(s->searchers[COLUMN_CUDA], s->listed, text, take, &listing, &error),
            &error);
        if (i > 0)
            seconds[i - 1] = measure_now() - begin;
        check(s, listing.wrong == 0 && listing.count == expected, "a list");
    }
    return measure_median(seconds, s->repeats);
}

/* The same as an array. */
static void fill(struct session *s, struct trawl_text *text, const struct trawl_plan *plan)
{
    double seconds[MEASURE_REPEATS_MAX];
    uint64_t expected = 0, count = 0, *begins;
    struct trawl_error error;

    measure_must(trawl_count(s->searchers[COLUMN_CPU], plan, text, &expected, &error), &error);
    begins = (uint64_t *)calloc(expected + 1, sizeof *begins);
    if (begins == NULL)
        return;
    for (uint32_t i = 0; i < s->repeats + 1; i++) {
        double begin = measure_now();

        measure_must(trawl_begins_into(s->searchers[COLUMN_CUDA], plan, text, begins, expected,
                                       &count, &error),
                     &error);
        if (i > 0)
            seconds[i - 1] = measure_now() - begin;
        check(s, count == expected, "an array's count");
        for (uint64_t k = 1; k < expected; k++)
            if (begins[k] <= begins[k - 1])
                check(s, false, "an array");
    }
    free(begins);
    printf("| array of begins, %" PRIu64 " places | %.0f |\n", expected,
           (double)s->count / measure_median(seconds, s->repeats) / 1e9);
}

/* GB/s of the count of a pattern of the text. */
static double length_speed(struct session *s, struct trawl_text *text, uint64_t length)
{
    struct trawl_plan *plan = measure_plan(s->bytes + s->count / 3, length, s->bytes,
                                           min_u64(s->count, 1 << 16), TRAWL_METHOD_AUTO, NULL);
    double seconds[MEASURE_REPEATS_MAX];
    uint64_t count = 0, expected = 0;
    struct trawl_error error;

    measure_must(trawl_count(s->searchers[COLUMN_CPU], plan, text, &expected, &error), &error);
    for (uint32_t i = 0; i < s->repeats + 1; i++) {
        double begin = measure_now();

        measure_must(trawl_count(s->searchers[COLUMN_CUDA], plan, text, &count, &error), &error);
        if (i > 0)
            seconds[i - 1] = measure_now() - begin;
        check(s, count == expected, "a pattern's count");
    }
    trawl_plan_free(plan);
    return (double)s->count / measure_median(seconds, s->repeats) / 1e9;
}

static void loaded(struct session *s, struct trawl_text *text)
{
    static const uint64_t lengths[] = {1, 2, 4, 8, 16, 47, 100, 272, 1040, 4112};
    struct trawl_worker_stats stats = {.size = sizeof stats};
    struct trawl_error error;
    uint32_t kinds = 1;
    uint64_t expected = 0;
    double speed;

    measure_must(trawl_count(s->searchers[COLUMN_CPU], s->listed, text, &expected, &error), &error);
    measure_must(trawl_text_load(s->searchers[COLUMN_CUDA], text, &error), &error);
    (void)count_once(s, COLUMN_CUDA, 0, text);
    measure_must(trawl_searcher_workers(s->searchers[COLUMN_CUDA], 0, &stats, &kinds, &error),
                 &error);
    printf("\n## The text loaded, %u device%s, GB/s\n| search | speed |\n|---|---:|\n", kinds - 1,
           kinds == 2 ? "" : "s");
    for (uint64_t set = 0; set < SETS; set++) {
        speed = count_speed(s, COLUMN_CUDA, set, text);
        printf("| count, %" PRIu64 " patterns | %.0f |\n", sets[set], speed);
    }
    for (uint64_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        printf("| count, 1 pattern of %" PRIu64 " bytes | %.0f |\n", lengths[i],
               length_speed(s, text, lengths[i]));
    speed = (double)s->count / list_seconds(s, text, expected) / 1e9;
    printf("| list, %" PRIu64 " places | %.0f |\n", expected, speed);
    fill(s, text, s->listed);
    fill(s, text, s->filled);
    trawl_text_unload(s->searchers[COLUMN_CUDA], text);
}

int main(int argc, char **argv)
{
    uint64_t mib = argc > 1 ? strtoull(argv[1], NULL, 0) : 8192;
    const char *folder = argc > 3 ? argv[3] : "/tmp";
    struct session s = {.count = mib << 20, .repeats = 5};
    struct trawl_text *text = NULL;

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
    text = measure_text(s.bytes, s.count);
    for (uint64_t set = 0; set < SETS; set++) {
        s.plans[set] = measure_random_plan(sets[set], PATTERN_BYTES, "roads");
        s.expected[set] = count_once(&s, COLUMN_CPU, set, text);
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
    loaded(&s, text);
    trawl_text_close(text);
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
