/* measure: see measure.h. */
#include "diff/input.h"
#include "measure.h"

#include <pthread.h>

#include "base/clock.h"

#define FILLERS 16u
#define READ_THREADS 256u
#define SAMPLE_BYTES (64u << 10)

struct fill {
    uint8_t *bytes;
    uint64_t count;
    uint64_t seed;
    enum measure_text text;
};

/* Ranked; rank r comes as often as 1 / r (Zipf 1935). */
static const char *const words[] = {
    "the ",    "of ",     "and ",     "to ",      "a ",       "in ",    "that ",    "is ",
    "was ",    "he ",     "for ",     "it ",      "with ",    "as ",    "his ",     "on ",
    "be ",     "at ",     "by ",      "I ",       "this ",    "had ",   "not ",     "are ",
    "but ",    "from ",   "or ",      "have ",    "an ",      "they ",  "which ",   "one ",
    "you ",    "were ",   "her ",     "all ",     "she ",     "there ", "would ",   "their ",
    "we ",     "him ",    "been ",    "has ",     "when ",    "who ",   "will ",    "more ",
    "no ",     "if ",     "out ",     "so ",      "said ",    "what ",  "up ",      "its ",
    "about ",  "into ",   "than ",    "them ",    "can ",     "only ",  "other ",   "new ",
    "some ",   "could ",  "time.\n",  "these ",   "two ",     "may ",   "then ",    "do ",
    "first ",  "any ",    "my ",      "now ",     "such ",    "like ",  "our ",     "over ",
    "man ",    "me ",     "even ",    "most ",    "made ",    "after ", "also ",    "did ",
    "many ",   "before ", "must ",    "through ", "years, ",  "where ", "much ",    "your ",
    "way ",    "well ",   "down ",    "should ",  "because ", "each ",  "just ",    "those ",
    "people ", "Mr. ",    "how ",     "too ",     "little ",  "state ", "good ",    "very ",
    "make ",   "world ",  "still ",   "own ",     "see ",     "men ",   "work ",    "long ",
    "get ",    "here ",   "between ", "both ",    "life ",    "being ", "under.\n", "never "};
#define WORDS (sizeof words / sizeof *words)
#define WORD_DRAWS 4096u
#define LETTERS_MIN 5u /* of a random word */
#define LETTERS_MAX 12u

double measure_now(void)
{
    return (double)clock_now_ns() * 1e-9;
}

static void fill_english(const struct fill *fill)
{
    static const double harmonic = 5.43; /* of as many words, about */
    struct test_random random = {fill->seed};
    uint8_t rank[WORD_DRAWS];
    uint32_t draws = 0;

    for (uint32_t r = 0; r < WORDS && draws < WORD_DRAWS; r++)
        for (double share = WORD_DRAWS / (harmonic * (r + 1)); share > 0 && draws < WORD_DRAWS;
             share -= 1)
            rank[draws++] = (uint8_t)r;
    while (draws < WORD_DRAWS)
        rank[draws++] = 0;
    for (uint64_t i = 0; i < fill->count;) {
        const char *word = words[rank[test_random_u64(&random) % WORD_DRAWS]];

        while (*word != '\0' && i < fill->count)
            fill->bytes[i++] = (uint8_t)*word++;
    }
}

static void *fill_part(void *argument)
{
    const struct fill *fill = (const struct fill *)argument;
    struct test_random random = {fill->seed};

    if (fill->text == MEASURE_ENGLISH) {
        fill_english(fill);
        return NULL;
    }
    for (uint64_t i = 0; i < fill->count; i += 8) {
        uint64_t word = test_random_u64(&random);

        for (uint64_t j = i; j < i + 8 && j < fill->count; j++, word >>= 8)
            fill->bytes[j] = fill->text == MEASURE_DNA ? (uint8_t)("ACGT"[word & 3])
                                                       : (uint8_t)('a' + (word & 0xff) * 26 / 256);
    }
    return NULL;
}

void measure_fill(uint8_t *bytes, uint64_t count, enum measure_text text)
{
    pthread_t threads[FILLERS];
    struct fill fills[FILLERS];

    for (uint64_t i = 0; i < FILLERS; i++) {
        uint64_t begin = count / FILLERS * i;
        uint64_t end = i + 1 == FILLERS ? count : count / FILLERS * (i + 1);
        struct fill fill = {bytes + begin, end - begin, 1000 * i + text, text};

        fills[i] = fill;
        if (pthread_create(&threads[i], NULL, fill_part, &fills[i]) != 0)
            exit(1);
    }
    for (uint32_t i = 0; i < FILLERS; i++)
        (void)pthread_join(threads[i], NULL);
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

double measure_median(double *seconds, uint32_t count)
{
    qsort(seconds, count, sizeof *seconds, compare_doubles);
    return seconds[count / 2];
}

void measure_must(enum trawl_status status, const struct trawl_error *error)
{
    if (status == TRAWL_OK)
        return;
    printf("measure: %s\n", error->message);
    exit(1);
}

struct trawl_searcher *measure_searcher(enum trawl_engine engine, uint32_t threads)
{
    struct trawl_searcher_options options = TRAWL_SEARCHER_OPTIONS_INIT;
    struct trawl_searcher *searcher = NULL;
    struct trawl_error error;

    options.engine = engine;
    options.threads = threads;
    measure_must(trawl_searcher_open(&options, &searcher, &error), &error);
    return searcher;
}

struct trawl_plan *measure_plan(const uint8_t *pattern, uint64_t pattern_bytes, const uint8_t *text,
                                uint64_t text_bytes, enum trawl_method method,
                                const char *algorithm)
{
    struct trawl_plan_options options = TRAWL_PLAN_OPTIONS_INIT;
    struct trawl_pattern one = {pattern, pattern_bytes};
    struct trawl_plan *plan = NULL;
    struct trawl_error error;
    enum trawl_status status;

    options.sample = text;
    options.sample_bytes = text_bytes < SAMPLE_BYTES ? text_bytes : SAMPLE_BYTES;
    options.method = method;
    options.algorithm = algorithm;
    status = trawl_plan_build(&one, 1, &options, &plan, &error);
    if (status == TRAWL_ARGUMENT)
        return NULL;
    measure_must(status, &error);
    return plan;
}

struct trawl_plan *measure_random_plan(uint64_t count, uint64_t pattern_bytes, const char *seed)
{
    uint8_t *bytes = (uint8_t *)test_memory(count * pattern_bytes);
    struct trawl_pattern *patterns = (struct trawl_pattern *)test_memory(count * sizeof *patterns);
    struct test_random random = test_random_begin(seed);
    struct trawl_plan *plan = NULL;
    struct trawl_error error;

    for (uint64_t i = 0; i < count * pattern_bytes; i++)
        bytes[i] = (uint8_t)('a' + test_random_below(&random, 26));
    for (uint64_t i = 0; i < count; i++)
        patterns[i] = (struct trawl_pattern){bytes + i * pattern_bytes, pattern_bytes};
    measure_must(trawl_plan_build(patterns, count, NULL, &plan, &error), &error);
    free(patterns);
    free(bytes);
    return plan;
}

struct trawl_plan *measure_words_plan(uint8_t *bytes, uint64_t count)
{
    static uint8_t letters[MEASURE_WORDS][LETTERS_MAX];
    static struct trawl_pattern items[MEASURE_WORDS];
    struct test_random random = {7};
    struct trawl_plan *plan = NULL;
    struct trawl_error error;

    for (uint32_t i = 0; i < MEASURE_WORDS; i++) {
        uint64_t length = LETTERS_MIN + test_random_below(&random, LETTERS_MAX - LETTERS_MIN + 1);

        for (uint32_t j = 0; j < LETTERS_MAX; j++)
            letters[i][j] = (uint8_t)('a' + test_random_below(&random, 26));
        items[i] = (struct trawl_pattern){letters[i], length};
    }
    for (uint64_t at = 0; at < count;) {
        const struct trawl_pattern *word = &items[test_random_below(&random, MEASURE_WORDS)];
        uint64_t length = word->bytes_count < count - at ? word->bytes_count : count - at;

        memcpy(bytes + at, word->bytes, (size_t)length);
        at += length;
        if (at < count)
            bytes[at++] = ' ';
    }
    measure_must(trawl_plan_build(items, MEASURE_WORDS, NULL, &plan, &error), &error);
    return plan;
}

struct trawl_text *measure_text(const uint8_t *bytes, uint64_t bytes_count)
{
    struct trawl_text *text = NULL;
    struct trawl_error error;

    measure_must(trawl_text_from_memory(bytes, bytes_count, &text, &error), &error);
    return text;
}

uint64_t measure_cpu_count(struct trawl_searcher *cpu, const uint8_t *pattern,
                           uint64_t pattern_bytes, const uint8_t *text, uint64_t text_bytes)
{
    struct trawl_plan *plan =
        measure_plan(pattern, pattern_bytes, text, text_bytes, TRAWL_METHOD_AUTO, NULL);
    struct trawl_text *memory = measure_text(text, text_bytes);
    struct trawl_error error;
    uint64_t found = 0;

    measure_must(trawl_count(cpu, plan, memory, &found, &error), &error);
    trawl_text_close(memory);
    trawl_plan_free(plan);
    return found;
}

/* Do the chunk's hits ascend, and from where the last ended? */
static bool ascend(const struct engine_result *result, uint64_t from)
{
    for (uint64_t i = 0; i < result->hits.count; i++) {
        if (result->hits.items[i].offset < from)
            return false;
        from = result->hits.items[i].offset + 1ull;
    }
    return true;
}

uint64_t measure_scan(struct engine_worker *worker, const struct trawl_plan *plan,
                      const uint8_t *text, uint64_t text_bytes, enum engine_want want)
{
    return measure_scan_sums(&engine_cuda, worker, plan, text, text_bytes, want, NULL);
}

uint64_t measure_scan_sums(const struct engine_ops *ops, struct engine_worker *worker,
                           const struct trawl_plan *plan, const uint8_t *text, uint64_t text_bytes,
                           enum engine_want want, struct measure_sums *sums)
{
    uint64_t answer = want == ENGINE_WANT_FIRST ? UINT64_MAX : 0;
    struct engine_result result;
    struct trawl_error error;
    bool goes_on = true;
    uint64_t piece_bytes =
        want == ENGINE_WANT_COUNT && plan_counts_alone(plan) ? text_bytes : MEASURE_PIECE_BYTES;

    memset(&result, 0, sizeof result);
    for (uint64_t begin = 0; begin < text_bytes && goes_on; begin += piece_bytes) {
        uint64_t left = text_bytes - begin;
        struct engine_chunk chunk = {.bytes = text + begin, .begin = begin, .owned = left};

        if (left > piece_bytes) {
            chunk.owned = piece_bytes;
            chunk.after =
                left - piece_bytes < plan->need_after ? left - piece_bytes : plan->need_after;
            chunk.readable = chunk.after;
        }
        for (uint64_t from = 0; from < chunk.owned && goes_on; from = result.done) {
            measure_must(engine_scan(ops, worker, &chunk, from, want, &result, &error), &error);
            if (sums != NULL) {
                sums->kernel_ns += result.device_kernel_ns;
                sums->child_grids += result.child_grids;
                sums->child_spills += result.child_spills;
                sums->child_withheld += result.child_withheld;
                sums->candidates += result.candidate_count;
            }
            if (want == ENGINE_WANT_FIRST && result.hits.count > 0) {
                answer = begin + result.hits.items[0].offset;
                goes_on = false;
            } else if (want == ENGINE_WANT_HITS && !ascend(&result, from)) {
                answer = UINT64_MAX;
                goes_on = false;
            } else if (want != ENGINE_WANT_FIRST) {
                answer += want == ENGINE_WANT_HITS ? result.hits.count : result.count;
            }
        }
    }
    hits_release(&result.hits);
    return answer;
}

double measure_read(struct engine_worker *worker, const char *kernel, uint32_t loads,
                    uint32_t factor, const uint8_t *text, uint64_t text_bytes, uint32_t repeats)
{
    struct cuda_device *device = worker->device;
    struct cuda_function *function = NULL;
    struct cuda_module *module = NULL;
    struct scan_arguments arguments;
    struct trawl_error error;
    double seconds[MEASURE_REPEATS_MAX];
    uint64_t address = 0, at = 0, grid;
    void *parameters[] = {&arguments};
    int blocks = 0;

    memset(&arguments, 0, sizeof arguments);
    if (!cuda_worker_resident(worker, text, text_bytes, &address, &at))
        exit(1);
    arguments.text = (const uint8_t *)(uintptr_t)address;
    arguments.text_end = text_bytes;
    arguments.limit = 1;
    measure_must(cuda_device_enter(device, &error), &error);
    measure_must(cuda_device_module(device, &cuda_image_scan, &module, &error), &error);
    measure_must(CUDA_CALL(device, &error, module_function, &function, module, kernel), &error);
    measure_must(CUDA_CALL(device, &error, occupancy, &blocks, function, (int)READ_THREADS, 0),
                 &error);
    grid = (uint64_t)blocks * device->multiprocessors * factor;
    if (factor == 0)
        grid = text_bytes / (16ull * loads * READ_THREADS) + 1;
    for (uint32_t i = 0; i < repeats + 1; i++) {
        double begin = measure_now();

        measure_must(CUDA_CALL(device, &error, launch, function, (unsigned)grid, 1, 1, READ_THREADS,
                               1, 1, 0, worker->stream, parameters, NULL),
                     &error);
        measure_must(CUDA_CALL(device, &error, stream_wait, worker->stream), &error);
        if (i > 0)
            seconds[i - 1] = measure_now() - begin;
    }
    cuda_device_leave(device);
    return measure_median(seconds, repeats);
}
