/* roofline_sets: part s of gpu_roofline: counts of sets, by text, length and number of patterns.
 *
 * Each pattern is a piece of the text or, on texts of random letters, nearly always none: one in 16
 * is. Of English only pieces that the text's first MiB does not hold, so that they are rare. The
 * counts are held against a search that shares nothing with trawl: each place's first eight bytes
 * are looked for in a hash table, by all threads. Columns: as chosen; without stream_set; and the
 * fastest of all strides with either kernel, and which that was.
 */
#include <pthread.h>

#include "roofline.h"

#include "diff/input.h"

#define COUNTERS 16u
#define HEAD_BYTES 8u
#define BITMAP_BITS 27u
#define KNOWN_BYTES (1u << 20)
#define TRIES_MAX 64u

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
static uint64_t *known_heads(const struct session *s)
{
    uint64_t *bitmap = (uint64_t *)test_memory((1ull << BITMAP_BITS) / 8);

    memset(bitmap, 0, (1ull << BITMAP_BITS) / 8);
    for (uint64_t i = 0; i < s->count / 4 && i < KNOWN_BYTES; i++) {
        uint64_t bit = head_hash(s->bytes + i, BITMAP_BITS);

        bitmap[bit / 64] |= 1ull << bit % 64;
    }
    return bitmap;
}

static void make_patterns(const struct session *s, enum measure_text text, uint64_t count,
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

/* Median seconds of the kernels and of whole calls; 0: not taken, or wrong. */
static double measure(struct session *s, const struct cuda_limits *limits,
                      const struct trawl_plan *plan, uint64_t expected, double *call,
                      struct scan_sets *used)
{
    double kernels[MEASURE_REPEATS_MAX], calls[MEASURE_REPEATS_MAX], begun = measure_now();
    struct engine_lane *lane = NULL;
    struct trawl_error error;
    uint32_t done = 0;

    cuda_limits_replace(limits);
    measure_must(engine_cuda.lane_open(s->engine, &lane, &error), &error);
    cuda_limits_replace(NULL);
    measure_must(engine_cuda.lane_begin(lane, plan, &error), &error);
    for (uint32_t i = 0; i < s->repeats + 1; i++) {
        double begin = measure_now();
        uint64_t got;

        lane->kernel_ns = 0;
        got = measure_scan(lane, plan, s->bytes, s->count, ENGINE_WANT_COUNT);
        if (got != expected) {
            printf("WRONG: %" PRIu64 ", expected %" PRIu64 " (stride %" PRIu32 ")\n", got, expected,
                   lane->tables.sets.stride);
            s->wrong++;
            done = 0;
            break;
        }
        calls[done] = measure_now() - begin;
        kernels[done] = (double)lane->kernel_ns * 1e-9;
        done += i > 0;
        if (done >= 2 && measure_now() - begun > 0.5)
            break;
    }
    *used = lane->tables.sets;
    used->budget = lane->tables.sets_ready && lane->tables.floods_left == 0;
    used->shared_bytes = lane->tables.sets_kernel == CUDA_KERNEL_STREAM_SET_DENSE;
    engine_cuda.lane_close(lane);
    s->figures++;
    *call = done > 0 ? measure_median(calls, done) : 1e9;
    return done > 0 ? measure_median(kernels, done) : 1e9;
}

static void print_used(const struct scan_sets *used)
{
    printf(" s %" PRIu32 ", q %" PRIu32 ", %s%s%s |", used->stride, used->gram_bytes,
           used->bit_factors[1] == SCAN_SETS_BIT ? "1 bit" : "2 bits",
           used->shared_bytes != 0 ? ", dense" : "", used->budget != 0 ? "" : ", given up");
}

static void row(struct session *s, enum measure_text text, const char *name, uint64_t count,
                uint64_t length)
{
    struct trawl_plan_options options = TRAWL_PLAN_OPTIONS_INIT;
    struct cuda_limits limits = cuda_limits_default;
    struct trawl_plan *plan = NULL;
    struct patterns patterns;
    struct trawl_error error;
    struct scan_sets used, best_used;
    double best = 1e9, call, seconds, begin, built;
    uint64_t expected;

    make_patterns(s, text, count, length, &patterns);
    expected = count_patterns(&patterns, s->bytes, s->count);
    begin = measure_now();
    measure_must(trawl_plan_build(patterns.items, count, &options, &plan, &error), &error);
    built = measure_now() - begin;
    limits.kernels_timed = true;
    seconds = measure(s, &limits, plan, expected, &call, &used);
    printf("| %s | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " | %.2f | %.3f %.3f |", name, length,
           count, expected, built, s->read_seconds / call, s->read_seconds / seconds);
    print_used(&used);
    if (strchr(s->parts, 'S') != NULL) {
        memset(&best_used, 0, sizeof best_used);
        for (uint32_t stride = 1; stride <= SCAN_SETS_STRIDE_MAX && stride < length; stride *= 2) {
            for (uint32_t dense = 0; dense < 2; dense++) {
                limits.sets_stride = stride;
                limits.sets_dense = dense != 0;
                limits.sets_rare = dense == 0;
                if (stride < used.stride / 4 || stride > used.stride * 4)
                    continue;
                seconds = measure(s, &limits, plan, expected, &call, &used);
                if (used.stride != stride || used.budget == 0)
                    continue;
                printf(" %" PRIu32 "%s %.3f", stride, dense ? "d" : "", s->read_seconds / seconds);
                if (seconds < best)
                    best_used = used;
                best = seconds < best ? seconds : best;
            }
        }
        printf(" | %.3f |", s->read_seconds / best);
        print_used(&best_used);
    }
    printf("\n");
    (void)fflush(stdout);
    trawl_plan_free(plan);
    free(patterns.bytes);
    free(patterns.items);
}

void roofline_sets(struct session *s)
{
    static const struct {
        enum measure_text text;
        const char *name;
        uint64_t lengths[4];
    } texts[] = {{MEASURE_LETTERS, "a-z", {16, 8, 80, 0}},
                 {MEASURE_DNA, "ACGT", {23, 16, 0, 0}},
                 {MEASURE_ENGLISH, "English", {16, 80, 24, 0}}};
    static const uint64_t counts[] = {10, 100, 1000, 10000, 100000, 1000000, 10000000};

    printf(
        "\n## Sets: x read by the host's clock, by the device's\n| text | m | patterns | count | "
        "plan, s | as chosen | how |\n|---|---:|---:|---:|---:|---:|---|\n");
    for (uint32_t t = 0; t < 3; t++) {
        measure_fill(s->bytes, s->room, texts[t].text);
        roofline_load(s, s->room);
        for (uint32_t c = 0; c < sizeof counts / sizeof *counts; c++)
            for (uint32_t l = 0; texts[t].lengths[l] != 0; l++)
                if (counts[c] * texts[t].lengths[l] <= s->count / 4 && !roofline_late(s, "sets"))
                    row(s, texts[t].text, texts[t].name, counts[c], texts[t].lengths[l]);
        roofline_unload(s);
    }
}
