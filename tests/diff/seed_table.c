/* seed_table: searches short texts whose matches were written by hand (seed_table.def), padded so
 * that each text crosses the boundaries of vectors, pages and chunks, under every method,
 * instruction set and published algorithm. The tests' simple search must find the same matches. */
#include "diff/diff_run.h"

#define PATTERNS_MAX 8
#define MATCHES_MAX 8
/* A row's text is moved across a boundary: at first it ends EDGE_REACH bytes before the boundary,
 * at last it begins 2 bytes after it. */
#define EDGE_REACH 40
/* calls that count lines, and searches of pipes, are made for texts up to this length */
#define LINES_BYTES_MAX 1000u

struct seed_bytes {
    const char *bytes;
    uint64_t bytes_count;
};
struct seed_match {
    uint64_t begin, pattern_index;
};
struct seed_row {
    const char *name;
    uint32_t flags;
    struct seed_bytes patterns[PATTERNS_MAX];
    struct seed_bytes text;
    struct seed_match matches[MATCHES_MAX];
    uint64_t match_count;
};

#define S(literal)                  \
    {                               \
        literal, sizeof literal - 1 \
    }
#define PATTERNS(...) \
    {                 \
        __VA_ARGS__   \
    }
#define MATCHES(...) \
    {__VA_ARGS__}, sizeof((struct seed_match[]){__VA_ARGS__}) / sizeof(struct seed_match)
#define NO_MATCHES {{0, 0}}, 0
/* The highest 8 bits of a row's flags may be a byte that ends lines instead of a newline. */
#define ENDS(byte) ((uint32_t)(byte) << 24)
#define ROW(name, flags, patterns, text, ...) {name, flags, patterns, text, __VA_ARGS__},

static const struct seed_row rows[] = {
#include "diff/seed_table.def"
};
#define ROWS (sizeof rows / sizeof *rows)

/* Each row is placed across each of these offsets: boundaries of vectors, of a page, and of pieces
 * into which the library may divide a text. */
static const uint64_t edges[] = {0, 64, 128, 256, 512, 1024, 4096, 16384, 32768, 65536};
static const uint64_t edges_long[] = {131072, 262144, 524288, 1048576, 2097152};
static const uint64_t chunk_sizes[] = {0, 1, 3, 16, 64, 100, 4096};
#define CHUNK_SIZES (sizeof chunk_sizes / sizeof *chunk_sizes)
#define SETS_MAX 8
#define WAYS_MAX (TRAWL_METHODS_COUNT + 32) /* the methods, then the published algorithms */

static uint64_t searches[WAYS_MAX][SETS_MAX], plans[WAYS_MAX], refused[WAYS_MAX];
static uint32_t ways;

static struct run_config way_config(uint32_t way)
{
    if (way < TRAWL_METHODS_COUNT)
        return (struct run_config){.method = (enum trawl_method)way};
    return (struct run_config){.algorithm = cpu_algorithm(way - TRAWL_METHODS_COUNT)};
}

static const char *way_name(uint32_t way)
{
    return way < TRAWL_METHODS_COUNT ? method_name((enum trawl_method)way)
                                     : cpu_algorithm(way - TRAWL_METHODS_COUNT);
}

/* Returns the number of instruction sets to try. A published algorithm is compiled for a single
 * instruction set. */
static uint32_t way_sets(uint32_t way)
{
    return way < TRAWL_METHODS_COUNT ? instruction_set_count() : 1;
}

static uint32_t ways_count(void)
{
    uint32_t count = 0;

    while (cpu_algorithm(count) != NULL)
        count++;
    return TRAWL_METHODS_COUNT + count;
}

static uint8_t line_end_of(const struct seed_row *row)
{
    return row->flags >> 24 != 0 ? (uint8_t)(row->flags >> 24) : '\n';
}

/* Returns a byte for the padding, which must add no match and no word character. For whole lines,
 * it ends lines. */
static uint8_t padding_byte(const struct seed_row *row)
{
    return row->flags & TRAWL_WHOLE_LINE ? line_end_of(row) : 0xfe;
}

static void row_input(const struct seed_row *row, struct diff_input *input)
{
    memset(input, 0, sizeof *input);
    input->kind = row->name;
    input->flags = row->flags & (ENDS(1) - 1);
    input->line_end = line_end_of(row);
    for (uint64_t i = 0; i < PATTERNS_MAX && row->patterns[i].bytes != NULL; i++)
        input_add_pattern(input, (const uint8_t *)row->patterns[i].bytes,
                          row->patterns[i].bytes_count);
}

/* Makes a text of `front` bytes of padding, the row's text, and `back` bytes of padding. */
static void row_text(const struct seed_row *row, uint64_t front, uint64_t back,
                     struct diff_input *input, struct diff_expected *expected)
{
    input->text_bytes = front + row->text.bytes_count + back;
    memset(input->text, padding_byte(row), (size_t)input->text_bytes);
    memcpy(input->text + front, row->text.bytes, (size_t)row->text.bytes_count);
    expected->match_count = row->match_count;
    for (uint64_t i = 0; i < row->match_count; i++) {
        uint64_t begin = row->matches[i].begin + front, j = row->matches[i].pattern_index;
        expected->matches[i] = (struct naive_match){begin, begin + row->patterns[j].bytes_count, j};
    }
    if (input->text_bytes <= LINES_BYTES_MAX) {
        const struct naive_query query = input_query(input);
        const struct naive_bytes text = {input->text, input->text_bytes};

        expected->line_count =
            naive_lines(&query, text, expected->matches, expected->match_count, false);
        expected->line_count_inverted =
            naive_lines(&query, text, expected->matches, expected->match_count, true);
    }
}

static void check_oracle(const struct seed_row *row, const struct diff_input *input,
                         const struct diff_expected *expected)
{
    struct naive_match matches[MATCHES_MAX];
    struct naive_query query = input_query(input);
    struct naive_bytes text = {input->text, input->text_bytes};
    uint64_t count = naive_matches(&query, text, matches, MATCHES_MAX);

    if (!TEST_CHECK_U64(count, expected->match_count) ||
        !TEST_CHECK(memcmp(matches, expected->matches, count * sizeof *matches) == 0))
        printf("  the oracle on row \"%s\"\n", row->name);
}

struct seed_run {
    const struct seed_row *row;
    struct diff_input input;
    struct diff_expected expected;
    struct test_random random;
    struct trawl_plan *plans[WAYS_MAX];
    struct trawl_searcher *searchers[2][SETS_MAX][CHUNK_SIZES]; /* 1 and 2 threads */
};

/* Searches a padded row with every method and instruction set, each with a random call and chunk
 * size. */
static void search_row(struct seed_run *run)
{
    static const enum held_call calls[] = {
        HELD_COUNT,   HELD_FIRST,       HELD_POSITIONS,    HELD_BEGINS_INTO, HELD_COUNT_BY_PATTERN,
        HELD_WINDOWS, HELD_COUNT_LINES, HELD_LINES_WITHOUT};
    const bool is_short = run->input.text_bytes <= LINES_BYTES_MAX;
    char message[HELD_MESSAGE_BYTES], line[600];

    for (uint32_t way = 0; way < ways; way++)
        for (uint32_t set = 0; set < way_sets(way); set++) {
            uint64_t chunk = run->input.text_bytes > 600
                                 ? CHUNK_SIZES - 1 - test_random_below(&run->random, 3)
                                 : test_random_below(&run->random, CHUNK_SIZES);
            struct run_config config = way_config(way);
            uint32_t helpers = test_random_one_in(&run->random, 8);
            struct trawl_searcher **searcher = &run->searchers[helpers][set][chunk];
            if (run->plans[way] == NULL)
                continue;
            config.instruction_set = trawl_instruction_set(set);
            config.chunk_bytes = chunk_sizes[chunk];
            config.threads = 1 + helpers;
            config.place = is_short && test_random_one_in(&run->random, 8) ? PLACE_PIPE_PIECES
                                                                           : PLACE_END_GUARDED;
            config.parameter = test_random_u64(&run->random);
            config.call = calls[test_random_below(&run->random, is_short ? 8 : 6)];
            if (*searcher == NULL &&
                !TEST_CHECK(run_searcher_open(&config, searcher, NULL) == TRAWL_OK))
                exit(test_end());
            searches[way][set]++;
            if (!TEST_CHECK(run_call(&run->input, &run->expected, &config, run->plans[way],
                                     *searcher, NULL, message))) {
                run_describe(&run->input, &config, line, sizeof line);
                printf("  row \"%s\": %s\n  %s\n", run->row->name, line, message);
            }
        }
}

static void build_plans(struct seed_run *run)
{
    for (uint32_t way = 0; way < ways; way++) {
        struct run_config config = way_config(way);
        struct trawl_error error;
        enum trawl_status status = run_plan_build(&run->input, &config, &run->plans[way], &error);
        plans[way] += status == TRAWL_OK;
        refused[way] += status != TRAWL_OK;
        if (!TEST_CHECK(status == TRAWL_OK ||
                        (status == TRAWL_ARGUMENT && way != TRAWL_METHOD_AUTO)))
            printf("  row \"%s\", %s: %s\n", run->row->name, way_name(way), error.message);
    }
}

static void lay_across(struct seed_run *run, uint64_t edge, uint64_t step)
{
    uint64_t reach = run->row->text.bytes_count + EDGE_REACH;
    uint64_t begin = edge > reach ? edge - reach : 0;

    /* A normal run tries every fifth offset, from a random one on. */
    if (!test_is_long()) {
        begin += test_random_below(&run->random, 5);
        step *= 5;
    }
    for (uint64_t front = begin; front <= edge + 2; front += step) {
        uint64_t back =
            test_random_one_in(&run->random, 3) ? 0 : test_random_below(&run->random, 140);
        row_text(run->row, front, back, &run->input, &run->expected);
        search_row(run);
    }
}

static void run_row(const struct seed_row *row, struct seed_run *run)
{
    struct naive_match matches[MATCHES_MAX];
    uint64_t slow = test_divisor() < 16 ? test_divisor() : 16;
    uint64_t step =
        (test_is_long() ? (slow + 3) / 4 : slow) * (row->text.bytes_count > EDGE_REACH ? 3u : 1u);

    run->row = row;
    run->expected = (struct diff_expected){.matches = matches};
    row_input(row, &run->input);
    run->input.text = test_memory(3 << 20);
    build_plans(run);
    for (uint64_t front = 0; front < 3; front++) {
        row_text(row, front, 2 - front, &run->input, &run->expected);
        check_oracle(row, &run->input, &run->expected);
    }
    for (uint32_t i = 0; i < sizeof edges / sizeof *edges; i++)
        if (slow == 1 || test_turn(i + (uint64_t)(row - rows), slow < 16 ? 2 : 4))
            lay_across(run, edges[i], edges[i] > 4096 ? step * 5 : step);
    for (uint32_t i = 0; i < sizeof edges_long / sizeof *edges_long && test_is_long(); i++)
        lay_across(run, edges_long[i], 5);
    for (uint32_t way = 0; way < ways; way++) {
        trawl_plan_free(run->plans[way]);
        run->plans[way] = NULL;
    }
    input_free(&run->input);
}

static void report_and_check(void)
{
    for (uint32_t way = 0; way < ways; way++) {
        printf("%-10s rows run %" PRIu64 ", refused %" PRIu64 ", searches", way_name(way),
               plans[way], refused[way]);
        for (uint32_t set = 0; set < way_sets(way); set++)
            printf(" %s %" PRIu64, trawl_instruction_set(set), searches[way][set]);
        printf("\n");
        TEST_CHECK(plans[way] > 0);
    }
    TEST_CHECK_U64(plans[TRAWL_METHOD_AUTO], ROWS);
}

int main(void)
{
    static struct seed_run run;

    test_begin("seed_table");
    run.random = test_random_begin("seed_table");
    ways = ways_count();
    for (uint64_t i = 0; i < ROWS && test_failures < 10; i++)
        if (test_wanted(rows[i].name))
            run_row(&rows[i], &run);
    for (uint32_t i = 0; i < 2 * SETS_MAX * CHUNK_SIZES; i++)
        trawl_searcher_close((&run.searchers[0][0][0])[i]);
    if (getenv("TRAWL_TEST_FILTER") == NULL)
        report_and_check();
    return test_end();
}
