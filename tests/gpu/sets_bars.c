/* sets_bars: counts of sets on a device against its read speed: random a-z, English and DNA, by the
 * patterns' length and number; and the pairs of position and pattern that a dense set delivers.
 *
 *     gpu_sets_bars [MIB [SECONDS [PARTS [SWEEP [COUNT LENGTH]...]]]]
 *                                                       default: 8192 MiB, 100 s, "dwfaem", 1 s
 *
 * PARTS: a random letters, e words of letters as often as they are in English, d DNA, m ten million
 * patterns of random letters, w a dense set of words, by both ways to list one, f sets that flood,
 * in up to 1 GiB, against the same sets on random letters; x: each row for SWEEP seconds with other
 * strides, kernels, bits and sizes of the bitmap and the table, u: rows by the automaton too, so
 * that the model in src/cuda/sets.c can be fitted. COUNT patterns of LENGTH bytes, several times:
 * no other rows. A row that would take long is measured on the text's first part alone, which its
 * line says. Each pattern is a piece of the text or, on texts of random letters, nearly always
 * none: one in 16 is. Of English only pieces that the text's first MiB does not hold, so that they
 * are rare. A count of the text's first part is held against a search that shares nothing with
 * trawl (each place's first eight bytes, looked for in a hash table, by all threads); of the whole
 * text all forms must count the same. What is wrong ends the program with status 1.
 */
#include <pthread.h>

#include "measure.h"

#include "diff/input.h"

#define COUNTERS 16u
#define HEAD_BYTES 8u
#define BITMAP_BITS 27u
#define KNOWN_BYTES (1u << 20)
#define TRIES_MAX 64u
#define SHARE_BYTES (64ull << 20) /* that the other search counts */
#define REPEATS 3u
#define SLOW_SECONDS 0.3 /* of a count of the whole text */
#define VOCABULARY_LOG2 15u
#define FILLERS 16u
#define ONLY_MAX 16u
#define FLOOD_SMALL (64ull << 20)

struct bars {
    struct engine *engine;
    struct engine_worker *worker; /* for loading and reading */
    uint8_t *bytes;
    uint64_t count;
    double deadline, read_seconds, sweep_seconds;
    const char *parts;
    uint64_t only[ONLY_MAX][2]; /* counts and lengths */
    uint32_t only_count;        /* 0: all rows */
    uint64_t figures, wrong;
};

/* How a count was done. */
struct form {
    struct scan_sets sets;
    const char *way;
    bool ready, share_alone;
    double candidates, found; /* per byte of the text */
    double table_bytes;       /* per pattern, on the device, beside its own */
    uint64_t automaton_bytes; /* 0: there is none */
    double first_seconds;     /* of the first call, which makes it */
};

struct patterns {
    uint8_t *bytes;
    uint64_t count, length;
    struct trawl_pattern *items;
};

/* Patterns by their first 8 bytes. */
struct index {
    const struct patterns *patterns;
    uint64_t *bitmap;
    uint32_t *heads, *next; /* UINT32_MAX ends */
    uint32_t bits;
};

struct counter {
    const struct index *index;
    const uint8_t *text;
    uint64_t begin, end, found;
};

static uint64_t head_hash(const uint8_t *bytes, uint32_t bits)
{
    uint64_t head;

    memcpy(&head, bytes, sizeof head);
    return (head ^ head >> 29) * 0xbf58476d1ce4e5b9ull >> (64 - bits);
}

static void *count_part(void *argument)
{
    struct counter *counter = (struct counter *)argument;
    const struct index *index = counter->index;
    const struct patterns *patterns = index->patterns;

    for (uint64_t i = counter->begin; i < counter->end; i++) {
        const uint8_t *at = counter->text + i;
        uint64_t bit = head_hash(at, BITMAP_BITS);

        if ((index->bitmap[bit / 64] >> bit % 64 & 1) == 0)
            continue;
        for (uint32_t p = index->heads[head_hash(at, index->bits)]; p != UINT32_MAX;
             p = index->next[p])
            counter->found += memcmp(patterns->items[p].bytes, at, (size_t)patterns->length) == 0;
    }
    return NULL;
}

static uint64_t count_patterns(const struct patterns *patterns, const uint8_t *text, uint64_t count)
{
    struct index index = {patterns, NULL, NULL, NULL, 10};
    struct counter counters[COUNTERS];
    pthread_t threads[COUNTERS];
    uint64_t places = count >= patterns->length ? count - patterns->length + 1 : 0, found = 0;

    while (1ull << index.bits < patterns->count && index.bits < 26)
        index.bits++;
    index.bitmap = (uint64_t *)test_memory((1ull << BITMAP_BITS) / 8);
    index.heads = (uint32_t *)test_memory(sizeof(uint32_t) << index.bits);
    index.next = (uint32_t *)test_memory(patterns->count * sizeof(uint32_t));
    memset(index.bitmap, 0, (1ull << BITMAP_BITS) / 8);
    memset(index.heads, 0xff, sizeof(uint32_t) << index.bits);
    for (uint32_t p = 0; p < patterns->count; p++) {
        uint64_t bit = head_hash(patterns->items[p].bytes, BITMAP_BITS);
        uint32_t *head = &index.heads[head_hash(patterns->items[p].bytes, index.bits)];

        index.bitmap[bit / 64] |= 1ull << bit % 64;
        index.next[p] = *head;
        *head = p;
    }
    for (uint64_t i = 0; i < COUNTERS; i++) {
        struct counter counter = {&index, text, places / COUNTERS * i,
                                  i + 1 == COUNTERS ? places : places / COUNTERS * (i + 1), 0};

        counters[i] = counter;
        if (pthread_create(&threads[i], NULL, count_part, &counters[i]) != 0)
            exit(1);
    }
    for (uint32_t i = 0; i < COUNTERS; i++) {
        (void)pthread_join(threads[i], NULL);
        found += counters[i].found;
    }
    free(index.bitmap);
    free(index.heads);
    free(index.next);
    return found;
}

/* Does the text's first part have these 8 bytes? By a bitmap of hashes. */
static uint64_t *known_heads(const struct bars *s)
{
    uint64_t *bitmap = (uint64_t *)test_memory((1ull << BITMAP_BITS) / 8);

    memset(bitmap, 0, (1ull << BITMAP_BITS) / 8);
    for (uint64_t i = 0; i < s->count / 4 && i < KNOWN_BYTES; i++) {
        uint64_t bit = head_hash(s->bytes + i, BITMAP_BITS);

        bitmap[bit / 64] |= 1ull << bit % 64;
    }
    return bitmap;
}

static void make_patterns(const struct bars *s, enum measure_text text, uint64_t count,
                          uint64_t length, struct patterns *patterns)
{
    struct test_random random = {count * 1000 + length};
    uint64_t *known = known_heads(s);

    patterns->count = count;
    patterns->length = length;
    patterns->bytes = (uint8_t *)test_memory(count * length);
    patterns->items = (struct trawl_pattern *)test_memory(count * sizeof *patterns->items);
    for (uint64_t p = 0; p < count; p++) {
        uint8_t *to = patterns->bytes + p * length;
        uint64_t from = test_random_below(&random, s->count - length), bit;

        for (uint32_t tries = 0; tries < TRIES_MAX && text == MEASURE_ENGLISH; tries++) {
            bit = head_hash(s->bytes + from + length - HEAD_BYTES, BITMAP_BITS);
            if ((known[bit / 64] >> bit % 64 & 1) == 0)
                break;
            from = test_random_below(&random, s->count - length);
        }
        memcpy(to, s->bytes + from, length);
        for (uint64_t i = 0; text != MEASURE_ENGLISH && p % 16 != 0 && i < length; i++)
            to[i] = text == MEASURE_DNA ? (uint8_t) "ACGT"[test_random_below(&random, 4)]
                                        : (uint8_t)('a' + test_random_below(&random, 26));
        patterns->items[p].bytes = to;
        patterns->items[p].bytes_count = length;
    }
    free(known);
}

/* ---- Figures ---------------------------------------------------------------------------- */

static bool is_late(const struct bars *s)
{
    return measure_now() >= s->deadline;
}

static void load(struct bars *s)
{
    static const struct {
        const char *kernel;
        uint32_t loads, factor;
    } reads[] = {{"scan_read", 4, 1}, {"scan_read", 4, 0}, {"scan_read_8", 8, 1}};
    struct trawl_error error;

    memset(s->bytes + s->count, 0, MEASURE_SLACK_BYTES);
    measure_must(cuda_residents_load(s->engine, s->bytes, s->count, true, &error), &error);
    s->read_seconds = 1e9;
    for (uint32_t i = 0; i < sizeof reads / sizeof *reads; i++) {
        double seconds = measure_read(s->worker, reads[i].kernel, reads[i].loads, reads[i].factor,
                                      s->bytes, s->count, 5);

        s->read_seconds = seconds < s->read_seconds ? seconds : s->read_seconds;
    }
    printf("read: %.0f GB/s\n", (double)s->count * 1e-9 / s->read_seconds);
}

static struct engine_worker *open_worker(struct bars *s, const struct cuda_limits *limits,
                                         const struct trawl_plan *plan)
{
    struct engine_worker *worker = NULL;
    struct trawl_error error;

    cuda_limits_replace(limits);
    measure_must(engine_cuda.compile(s->engine, ENGINE_DEVICES_MAX, NULL, &worker, &error), &error);
    cuda_limits_replace(NULL);
    measure_must(engine_cuda.compile(NULL, 0, plan, &worker, &error), &error);
    return worker;
}

static void check(struct bars *s, uint64_t got, uint64_t expected, const char *what)
{
    if (got == expected)
        return;
    printf("WRONG: %" PRIu64 ", expected %" PRIu64 ": %s\n", got, expected, what);
    s->wrong++;
}

/* Median seconds of the kernels, and of whole calls, for the whole text; *expected UINT64_MAX: not
 * known yet. */
static double measure(struct bars *s, const struct cuda_limits *limits,
                      const struct trawl_plan *plan, uint64_t share, uint64_t *expected,
                      double *call, struct form *form)
{
    double kernels[REPEATS], calls[REPEATS], begin, scale = 1;
    struct engine_worker *worker = open_worker(s, limits, plan);
    uint64_t share_bytes = s->count < SHARE_BYTES ? s->count : SHARE_BYTES, bytes = s->count;
    uint64_t *wanted = expected;
    struct measure_sums sums;

    for (uint32_t i = 0; i < 2; i++) { /* the first time memory is taken */
        begin = measure_now();
        worker->kernel_ns = 0;
        check(s, measure_scan(worker, plan, s->bytes, share_bytes, ENGINE_WANT_COUNT), share,
              "the text's first part");
        form->first_seconds = i == 0 ? measure_now() - begin : form->first_seconds;
    }
    form->share_alone =
        (double)worker->kernel_ns * 1e-9 * (double)s->count / (double)share_bytes > SLOW_SECONDS;
    if (form->share_alone) {
        bytes = share_bytes;
        wanted = &share;
        scale = (double)s->count / (double)share_bytes;
    }
    for (uint32_t i = 0; i < REPEATS; i++) {
        uint64_t got;

        begin = measure_now();
        worker->kernel_ns = 0;
        memset(&sums, 0, sizeof sums);
        got = measure_scan_sums(&engine_cuda, worker, plan, s->bytes, bytes, ENGINE_WANT_COUNT,
                                &sums);
        calls[i] = (measure_now() - begin) * scale;
        kernels[i] = (double)worker->kernel_ns * 1e-9 * scale;
        *wanted = *wanted == UINT64_MAX ? got : *wanted;
        check(s, got, *wanted, "the whole text");
    }
    form->candidates = (double)sums.candidates / (double)bytes;
    form->found = (double)*wanted / (double)bytes;
    form->sets = worker->tables.sets;
    form->way = worker->tables.sets_kernel >= CUDA_KERNEL_SETS_DENSE ? " dense" : " rare";
    form->table_bytes =
        ((double)worker->tables.memory.bytes + (double)worker->tables.sets_memory.bytes +
         (double)worker->tables.entries_memory.bytes - (double)plan->literal_bytes_total) /
        plan->literal_count;
    form->ready = worker->tables.sets_ready && worker->tables.dense_left == 0;
    form->automaton_bytes = worker->tables.automaton == CUDA_AUTOMATON_READY
                                ? worker->tables.automaton_memory.bytes
                                : 0;
    engine_cuda.release(worker);
    s->figures++;
    *call = measure_median(calls, REPEATS);
    return measure_median(kernels, REPEATS);
}

static void print_form(const struct form *form)
{
    const struct scan_sets *sets = &form->sets;

    if (!form->ready)
        printf(" without samples");
    else
        printf(" s%" PRIu32 " q%" PRIu32 "x%" PRIu32 " bits %" PRIu32 "%s %" PRIu32 "K+%" PRIu64
               "K",
               sets->stride, sets->gram_bytes, sets->choices,
               (sets->bit_shifts[0] == sets->bit_shifts[1] ? 1 : 2) + sets->one_more, form->way,
               sets->filter_words / 256, (uint64_t)sets->table_words * 8 >> 10);
}

/* What a sweep tries: kernels, and for each of them ways, bits and sizes of the bitmap. */
static const struct {
    uint32_t stride, gram, choices;
} forms[] = {
#define FORM(stride, gram, choices) {stride, gram, choices},
    SCAN_SETS_FORMS(FORM)
#undef FORM
};
#define FORMS (sizeof forms / sizeof *forms)

static void sweep_one(struct bars *s, const struct cuda_limits *limits,
                      const struct trawl_plan *plan, uint64_t share, uint64_t *expected,
                      double *best)
{
    struct form form;
    double call, seconds = measure(s, limits, plan, share, expected, &call, &form);

    if (!form.ready)
        return;
    printf("  x");
    print_form(&form);
    printf(": %.3f%s\n", s->read_seconds / seconds, seconds < *best ? " *" : "");
    *best = seconds < *best ? seconds : *best;
}

/* The same set in other forms, those of the chosen stride first. */
static void sweep(struct bars *s, struct cuda_limits limits, const struct trawl_plan *plan,
                  uint64_t share, uint64_t *expected, const struct form *chosen, double deadline)
{
    static const uint32_t filters[] = {40448, 24064, UINT32_MAX};
    uint32_t strides[] = {chosen->sets.stride, chosen->sets.stride / 2, chosen->sets.stride * 2};
    double best = 1e9;

    for (uint32_t words = 1u << 18;
         chosen->sets.table_words != 0 && words <= 1u << 22 && measure_now() < deadline;
         words *= 2) {
        limits.sets_table_words_max = words;
        sweep_one(s, &limits, plan, share, expected, &best);
    }
    limits.sets_table_words_max = cuda_limits_default.sets_table_words_max;
    for (uint32_t i = 0; i < 3 * 3 * FORMS * 2 * 3; i++) {
        uint32_t f = i / 6 % FORMS, stride = strides[i / 6 / FORMS % 3], choices = forms[f].choices;
        uint32_t least = choices > 1 ? forms[f].gram : forms[f].gram > 8 ? 9 : 4;

        if (stride == 0 || measure_now() > deadline ||
            (stride < 16 ? stride : 16) != forms[f].stride ||
            stride + choices + least - 2 > plan->length_min)
            continue;
        limits.sets_stride = stride;
        limits.sets_choices = choices;
        limits.sets_gram = choices > 1 ? forms[f].gram : 0;
        limits.sets_way = i % 2;
        limits.sets_filter_words = filters[i / 2 % 3];
        limits.sets_bits = i / 6 / FORMS / 3; /* as chosen, then 1, then 2 */
        sweep_one(s, &limits, plan, share, expected, &best);
    }
}

/* The same set by the automaton, if the device takes its table. */
static void by_automaton(struct bars *s, struct cuda_limits limits, const struct trawl_plan *plan,
                         uint64_t share, uint64_t *expected)
{
    struct form form;
    double call, seconds;

    limits.automaton_always = true;
    seconds = measure(s, &limits, plan, share, expected, &call, &form);
    if (form.automaton_bytes > 0)
        printf("  u automaton of %" PRIu64 " KiB made in %.3f s: %.4f, %.4f occurrences a byte%s\n",
               form.automaton_bytes >> 10, form.first_seconds, s->read_seconds / seconds,
               form.found, form.share_alone ? ", the first part alone" : "");
}

static void row(struct bars *s, enum measure_text text, const char *name, uint64_t count,
                uint64_t length)
{
    struct trawl_plan_options options = TRAWL_PLAN_OPTIONS_INIT;
    struct cuda_limits limits = cuda_limits_default;
    struct trawl_plan *plan = NULL;
    struct patterns patterns;
    struct trawl_error error;
    struct form form;
    double call, seconds, begin, built;
    uint64_t share, expected = UINT64_MAX;

    make_patterns(s, text, count, length, &patterns);
    share = count_patterns(&patterns, s->bytes, s->count < SHARE_BYTES ? s->count : SHARE_BYTES);
    begin = measure_now();
    measure_must(trawl_plan_build(patterns.items, count, &options, &plan, &error), &error);
    built = measure_now() - begin;
    limits.kernels_timed = true;
    seconds = measure(s, &limits, plan, share, &expected, &call, &form);
    printf("| %s | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " | %.2f | %.3f | %.3f | %.3f |", name,
           length, count, form.share_alone ? share : expected, built, form.first_seconds,
           s->read_seconds / call, s->read_seconds / seconds);
    print_form(&form);
    printf(", %.0f B a pattern%s |\n", form.table_bytes,
           form.share_alone ? ", the first part alone" : "");
    if (strchr(s->parts, 'u') != NULL)
        printf("  u samples: %.4f, %.4f candidates a byte\n", s->read_seconds / seconds,
               form.candidates);
    if (strchr(s->parts, 'u') != NULL)
        by_automaton(s, limits, plan, share, &expected);
    if (strchr(s->parts, 'x') != NULL && form.ready)
        sweep(s, limits, plan, share, &expected, &form, measure_now() + s->sweep_seconds);
    (void)fflush(stdout);
    trawl_plan_free(plan);
    free(patterns.bytes);
    free(patterns.items);
}

/* ---- Words of letters as often as they are in English ----------------------------------- */

struct filler {
    uint8_t *bytes;
    uint64_t count, seed;
};

static char vocabulary[1u << VOCABULARY_LOG2][12];

static void make_vocabulary(void)
{
    static const char letters[] = "eeeeeeeeeeeettttttttttaaaaaaaaaoooooooiiiiiiinnnnnnnsssssshhhhhh"
                                  "rrrrrrddddlllluuucccmmmwwffggyyppbbvk";
    struct test_random random = {11};

    for (uint32_t i = 1; i < 1u << VOCABULARY_LOG2; i++) {
        uint64_t length =
            i < 32 ? 2 + test_random_below(&random, 2) : 3 + test_random_below(&random, 8);

        for (uint64_t j = 0; j < length; j++)
            vocabulary[i][j] = letters[test_random_below(&random, sizeof letters - 1)];
        vocabulary[i][length] = ' ';
    }
}

/* A word comes about half as often as one of half its rank (Zipf 1935). */
static void *fill_part(void *argument)
{
    const struct filler *filler = (const struct filler *)argument;
    struct test_random random = {filler->seed};

    for (uint64_t at = 0; at < filler->count;) {
        uint64_t octave = test_random_below(&random, VOCABULARY_LOG2);
        const char *word =
            vocabulary[(1ull << octave) + test_random_below(&random, 1ull << octave)];

        while (*word != '\0' && at < filler->count)
            filler->bytes[at++] = (uint8_t)*word++;
    }
    return NULL;
}

static void fill_words(struct bars *s)
{
    struct filler fillers[FILLERS];
    pthread_t threads[FILLERS];

    make_vocabulary();
    for (uint64_t i = 0; i < FILLERS; i++) {
        uint64_t begin = s->count / FILLERS * i;

        fillers[i] = (struct filler){
            s->bytes + begin, i + 1 == FILLERS ? s->count - begin : s->count / FILLERS, i + 1};
        if (pthread_create(&threads[i], NULL, fill_part, &fillers[i]) != 0)
            exit(1);
    }
    for (uint32_t i = 0; i < FILLERS; i++)
        (void)pthread_join(threads[i], NULL);
}

/* ---- The table -------------------------------------------------------------------------- */

static bool is_wanted(const struct bars *s, uint64_t count, uint64_t length)
{
    bool wanted = s->only_count == 0;

    for (uint32_t i = 0; i < s->only_count; i++)
        wanted = wanted || (count == s->only[i][0] && length == s->only[i][1]);
    return wanted;
}

static void rows(struct bars *s, enum measure_text text, const char *name, const uint64_t *lengths,
                 const uint64_t *counts)
{
    if (text == MEASURE_ENGLISH)
        fill_words(s);
    else
        measure_fill(s->bytes, s->count, text);
    load(s);
    printf(
        "| text | m | patterns | count | plan, s | first call, s | x read, calls | x read, kernels "
        "| how |\n"
        "|---|---:|---:|---:|---:|---:|---:|---:|---|\n");
    for (; *counts != 0; counts++)
        for (uint32_t l = 0; lengths[l] != 0; l++)
            if (*counts * lengths[l] <= s->count / 4 && !is_late(s) &&
                is_wanted(s, *counts, lengths[l]))
                row(s, text, name, *counts, lengths[l]);
    cuda_residents_unload(s->engine, s->bytes);
}

/* ---- Many words, listed ----------------------------------------------------------------- */

/* Pairs that a worker lists, in pieces as large as may be; UINT64_MAX: they do not ascend. */
static uint64_t list(struct engine_worker *worker, const struct bars *s)
{
    struct engine_chunk chunk = {.bytes = s->bytes, .owned = s->count};
    struct engine_result result;
    struct trawl_error error;
    uint64_t pairs = 0;

    memset(&result, 0, sizeof result);
    for (uint64_t from = 0; from < chunk.owned; from = result.done) {
        measure_must(
            engine_scan(&engine_cuda, worker, &chunk, from, ENGINE_WANT_HITS, &result, &error),
            &error);
        pairs += result.hits.count;
        for (uint64_t i = 1; i < result.hits.count; i += 997)
            if (result.hits.items[i].offset < result.hits.items[i - 1].offset)
                return UINT64_MAX;
    }
    hits_release(&result.hits);
    return pairs;
}

/* A text of words with blanks between them, each of the set, all alike often; count and list, by
 * literals that are compared and by the automaton. */
static void words(struct bars *s)
{
    struct cuda_limits limits = cuda_limits_default;
    struct trawl_plan *plan;
    uint64_t whole = s->count, counted = 0;

    s->count = s->count < (1ull << 30) ? s->count : 1ull << 30;
    plan = measure_words_plan(s->bytes, s->count);
    load(s);
    limits.kernels_timed = true;
    for (uint32_t w = 0; w < 4; w++) {
        double seconds = 1e9, kernels = 1e9;
        struct engine_worker *worker;
        uint64_t got = 0;

        limits.automaton_always = w >= 2;
        worker = open_worker(s, &limits, plan);
        for (uint32_t i = 0; i < REPEATS && !is_late(s); i++) {
            double begin = measure_now();

            worker->kernel_ns = 0;
            got = w % 2 == 0 ? measure_scan(worker, plan, s->bytes, s->count, ENGINE_WANT_COUNT)
                             : list(worker, s);
            seconds = measure_now() - begin < seconds ? measure_now() - begin : seconds;
            kernels = (double)worker->kernel_ns * 1e-9;
        }
        printf("%s of %u words in %" PRIu64 " MiB of them, %s: %" PRIu64
               " pairs, %.3f G/s by calls, %.3f by kernels\n",
               w % 2 == 0 ? "count" : "list", MEASURE_WORDS, s->count >> 20,
               w < 2 ? "compared" : "by the automaton", got, (double)got * 1e-9 / seconds,
               (double)got * 1e-9 / kernels);
        check(s, got, w == 0 ? got : counted, "pairs of words");
        counted = got;
        s->figures++;
        engine_cuda.release(worker);
    }
    trawl_plan_free(plan);
    cuda_residents_unload(s->engine, s->bytes);
    s->count = whole;
}

/* ---- Floods ----------------------------------------------------------------------------- */

enum flood {
    FLOOD_ODD_END,
    FLOOD_BEGINNINGS,
    FLOOD_ONE_HEAD,
    FLOOD_FIBONACCI,
    FLOOD_THUE_MORSE,
    FLOOD_PIECES,
    FLOOD_SHORT,
    FLOODS
};

static const char *const flood_names[FLOODS] = {
    "a^k b on a^n",         "beginnings of a^n, on it", "one head of 8 bytes, on a^n",
    "pieces of Fibonacci",  "pieces of Thue-Morse",     "pieces of 1 MiB, which is repeated",
    "words, and one letter"};

static void fill_flood(struct bars *s, enum flood flood)
{
    uint64_t known = 1, piece = s->count < 4 * KNOWN_BYTES ? s->count / 4 : KNOWN_BYTES; /* bytes */

    memset(s->bytes, 'a', (size_t)(flood <= FLOOD_ONE_HEAD ? s->count : 2));
    if (flood == FLOOD_FIBONACCI) /* each word is the last one and the one before it */
        s->bytes[known++] = 'b';
    for (uint64_t before = 1; flood == FLOOD_FIBONACCI && known < s->count;) {
        uint64_t more = before < s->count - known ? before : s->count - known;

        memcpy(s->bytes + known, s->bytes, (size_t)more);
        before = known;
        known += more;
    }
    for (; flood == FLOOD_THUE_MORSE && known < s->count; known *= 2)
        for (uint64_t i = 0; i < known && known + i < s->count; i++)
            s->bytes[known + i] = (uint8_t)('a' + 'b' - s->bytes[i]);
    if (flood >= FLOOD_PIECES)
        measure_fill(s->bytes, piece, MEASURE_LETTERS);
    for (uint64_t i = piece; flood >= FLOOD_PIECES && i < s->count; i++)
        s->bytes[i] = s->bytes[i - piece];
}

/* The set, pieces of the text there is. */
static struct trawl_plan *make_flood(const struct bars *s, enum flood flood, uint64_t count)
{
    struct test_random random = {flood + 1};
    uint8_t *bytes = (uint8_t *)test_memory(count * (count + 64));
    struct trawl_pattern *items = (struct trawl_pattern *)test_memory(count * sizeof *items);
    struct trawl_plan *plan = NULL;
    struct trawl_error error;
    uint64_t at = 0;

    for (uint64_t i = 0; i < count; i++) {
        uint64_t from = flood < FLOOD_FIBONACCI ? 0 : test_random_below(&random, s->count / 8);
        uint64_t length = flood < FLOOD_ONE_HEAD ? i + 1 : 8 + test_random_below(&random, 33);
        uint64_t kept = flood == FLOOD_ONE_HEAD ? 8 : flood == FLOOD_SHORT ? 0 : length;

        memcpy(bytes + at, s->bytes + from, (size_t)length);
        if (flood == FLOOD_ODD_END)
            bytes[at + length++] = 'b';
        for (uint64_t k = kept; flood != FLOOD_ODD_END && k < length; k++)
            bytes[at + k] = (uint8_t)('b' + test_random_below(&random, 25));
        length = flood == FLOOD_SHORT && i == 0 ? 1 : length;
        items[i] = (struct trawl_pattern){bytes + at, length};
        at += length;
    }
    measure_must(trawl_plan_build(items, count, NULL, &plan, &error), &error);
    free(bytes);
    free(items);
    return plan;
}

static uint64_t count_on_host(const struct bars *s, const struct trawl_plan *plan, uint64_t bytes)
{
    struct engine_options options = {.size = sizeof options};
    struct engine_worker *worker = NULL;
    struct engine *engine = NULL;
    struct trawl_error error;
    uint64_t count;

    measure_must(engine_cpu.open(&options, &engine, &error), &error);
    measure_must(engine_cpu.compile(engine, ENGINE_DEVICES_MAX, NULL, &worker, &error), &error);
    measure_must(engine_cpu.compile(NULL, 0, plan, &worker, &error), &error);
    count = measure_scan_sums(&engine_cpu, worker, plan, s->bytes, bytes, ENGINE_WANT_COUNT, NULL);
    engine_cpu.release(worker);
    engine_cpu.close(engine);
    return count;
}

/* Seconds of a count of the text; *first those of the first one, with all tables. */
static double time_flood(struct bars *s, const struct trawl_plan *plan, double *first)
{
    struct cuda_limits limits = cuda_limits_default;
    struct engine_worker *worker = open_worker(s, &limits, plan);
    uint64_t share = s->count < KNOWN_BYTES / 4 ? s->count : KNOWN_BYTES / 4;
    double seconds[REPEATS], begin = measure_now();
    uint64_t count = measure_scan(worker, plan, s->bytes, s->count, ENGINE_WANT_COUNT);

    *first = measure_now() - begin;
    for (uint32_t i = 0; i < REPEATS; i++) {
        begin = measure_now();
        check(s, measure_scan(worker, plan, s->bytes, s->count, ENGINE_WANT_COUNT), count, "again");
        seconds[i] = measure_now() - begin;
    }
    check(s, measure_scan(worker, plan, s->bytes, share, ENGINE_WANT_COUNT),
          count_on_host(s, plan, share), "a flood, against the host");
    engine_cuda.release(worker);
    s->figures++;
    return measure_median(seconds, REPEATS);
}

static void floods(struct bars *s)
{
    struct trawl_plan *plans[FLOODS];
    double random[FLOODS], seconds, first;
    uint64_t whole = s->count;

    if (s->count < FLOOD_SMALL) /* where no device is, and a byte takes a thousand times as long */
        s->count = 1u << 15;
    s->count = s->count < (1ull << 30) ? s->count : 1ull << 30;
    for (uint32_t f = 0; f < FLOODS; f++) {
        fill_flood(s, (enum flood)f);
        plans[f] = make_flood(s, (enum flood)f, s->count < FLOOD_SMALL ? 100 : 10000);
    }
    measure_fill(s->bytes, s->count, MEASURE_LETTERS);
    load(s);
    for (uint32_t f = 0; f < FLOODS; f++)
        random[f] = time_flood(s, plans[f], &first);
    cuda_residents_unload(s->engine, s->bytes);
    printf("| flood, 10,000 patterns | GB/s | on random letters | x | first, s |\n"
           "|---|---:|---:|---:|---:|\n");
    for (uint32_t f = 0; f < FLOODS && !is_late(s); f++) {
        double gigabytes = (double)s->count * 1e-9;

        fill_flood(s, (enum flood)f);
        load(s);
        seconds = time_flood(s, plans[f], &first);
        printf("| %s | %.1f | %.1f | %.1f | %.3f |\n", flood_names[f], gigabytes / seconds,
               gigabytes / random[f], seconds / random[f], first);
        cuda_residents_unload(s->engine, s->bytes);
    }
    for (uint32_t f = 0; f < FLOODS; f++)
        trawl_plan_free(plans[f]);
    s->count = whole;
}

int main(int argc, char **argv)
{
    static const uint64_t letters[] = {16, 8, 80, 10, 0}, dna[] = {23, 0};
    static const uint64_t counts[] = {1000, 10000, 100000, 1000000, 100, 10, 0};
    static const uint64_t guides[] = {1000, 100000, 0}, many[] = {10000000, 0};
    static const uint64_t many_lengths[] = {8, 16, 80, 0};
    uint64_t mib = argc > 1 ? strtoull(argv[1], NULL, 10) : 8192;
    uint64_t seconds = argc > 2 ? strtoull(argv[2], NULL, 10) : 100;
    struct bars s = {.parts = argc > 3 ? argv[3] : "dwfaem", .count = mib << 20};
    struct trawl_error error;

    test_begin("gpu sets");
    s.deadline = measure_now() + (double)seconds;
    s.sweep_seconds = argc > 4 ? strtod(argv[4], NULL) : 1;
    for (int i = 5; i + 1 < argc && s.only_count < ONLY_MAX; i += 2, s.only_count++) {
        s.only[s.only_count][0] = strtoull(argv[i], NULL, 10);
        s.only[s.only_count][1] = strtoull(argv[i + 1], NULL, 10);
    }
    (void)setvbuf(stdout, NULL, _IOLBF, 0);
    s.engine = gpu_open();
    s.bytes = (uint8_t *)test_memory(s.count + MEASURE_SLACK_BYTES);
    measure_must(engine_cuda.compile(s.engine, ENGINE_DEVICES_MAX, NULL, &s.worker, &error),
                 &error);
    printf("%s; %" PRIu64 " MiB\n", s.worker->device->name, mib);
    if (strchr(s.parts, 'd') != NULL)
        rows(&s, MEASURE_DNA, "ACGT", dna, guides);
    if (strchr(s.parts, 'w') != NULL)
        words(&s);
    if (strchr(s.parts, 'f') != NULL)
        floods(&s);
    if (strchr(s.parts, 'a') != NULL)
        rows(&s, MEASURE_LETTERS, "a-z", letters, counts);
    if (strchr(s.parts, 'm') != NULL && !is_late(&s))
        rows(&s, MEASURE_LETTERS, "a-z", many_lengths, many);
    if (strchr(s.parts, 'e') != NULL && !is_late(&s))
        rows(&s, MEASURE_ENGLISH, "words", letters, counts);
    if (is_late(&s))
        printf("out of time: the rest is left out\n");
    engine_cuda.release(s.worker);
    engine_cuda.close(s.engine);
    free(s.bytes);
    printf("%" PRIu64 " figures, %" PRIu64 " wrong\n", s.figures, s.wrong);
    return s.wrong == 0 && s.figures > 0 ? 0 : 1;
}
