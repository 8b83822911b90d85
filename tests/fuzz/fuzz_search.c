/* fuzz_search: makes a plan, a searcher and a text from the input's bytes, and compares the
 * search's answer with the oracle's.
 *
 * Byte 0      bits 0-2: flags of the plan; bit 3: the plan gets the text as a sample; bit 4: lines
 *             end in 'a' instead of a newline; bit 5: a NUL ends lines, too
 * Byte 1      bits 0-3: method (15: the algorithm of the gallery that byte 4 chooses); bits 4-7:
 *             instruction set
 * Byte 2      chunk size; also the high byte of the number that the call gets
 * Byte 3      bits 0-3: call; bits 4-5: number of threads; bits 6-7: place of the text (two kinds
 *             of memory, a file's descriptor, a pipe)
 * Byte 4      the text's offset in its place; also the low byte of the number that the call gets
 * Byte 5      bits 0-3: repetitions of the text; bits 4-7: repetitions of each pattern
 * Byte 6      number of patterns
 * then        per pattern: its length, its bytes
 * then        the text
 */
#include "fuzz/fuzz.h"

#include "diff/diff_run.h"

#define HEADER_BYTES 7
#define PATTERNS_MAX 12
#define PATTERN_BYTES_MAX 48
#define PATTERN_REPEAT_MAX 16
#define TEXT_REPEAT_MAX 16
#define TEXT_BYTES_MAX 8192
#define CHUNK_SIZES 8
#define THREADS_MAX 3
#define ALGORITHM_ASKED 15

static const uint64_t chunk_sizes[CHUNK_SIZES] = {0, 1, 3, 16, 31, 64, 100, 512};

static void repeat(uint8_t *bytes, uint64_t unit_bytes, uint64_t total)
{
    for (uint64_t i = unit_bytes; i < total; i++)
        bytes[i] = bytes[i - unit_bytes];
}

/* Reads the patterns. Returns the offset of the first byte after the patterns in the input. */
static uint64_t read_patterns(const uint8_t *bytes, uint64_t count, struct diff_input *input)
{
    uint64_t at = HEADER_BYTES, wanted = bytes[6] % (PATTERNS_MAX + 1);
    uint8_t pattern[PATTERN_BYTES_MAX * PATTERN_REPEAT_MAX];

    while (input->pattern_count < wanted && at + 1 < count) {
        uint64_t unit = 1 + bytes[at++] % PATTERN_BYTES_MAX;
        uint64_t total;
        unit = unit < count - at ? unit : count - at;
        total = unit * (1 + bytes[5] / 16);
        memcpy(pattern, bytes + at, (size_t)unit);
        repeat(pattern, unit, total);
        input_add_pattern(input, pattern, total);
        at += unit;
    }
    return at;
}

static void read_text(const uint8_t *bytes, uint64_t count, uint64_t repeats,
                      struct diff_input *input)
{
    uint64_t total = count * repeats;

    input->text_bytes = total < TEXT_BYTES_MAX ? total : TEXT_BYTES_MAX;
    input->text = test_memory(input->text_bytes + count);
    memcpy(input->text, bytes, (size_t)count);
    if (count > 0)
        repeat(input->text, count, input->text_bytes);
}

static const char *choose_algorithm(uint8_t choice)
{
    uint32_t count = 0;

    while (cpu_algorithm(count) != NULL)
        count++;
    /* NULL if this build has no gallery */
    return count == 0 ? NULL : cpu_algorithm(choice % count);
}

static void read_config(const uint8_t *bytes, struct run_config *config, uint32_t *set,
                        uint32_t *chunk)
{
    static const enum place_kind places[4] = {PLACE_END_GUARDED, PLACE_ALIGNED, PLACE_DESCRIPTOR,
                                              PLACE_PIPE};

    *set = bytes[1] / 16 % instruction_set_count();
    *chunk = bytes[2] % CHUNK_SIZES;
    *config = (struct run_config){.method = (enum trawl_method)(bytes[1] % 16 % 8),
                                  .sample = (bytes[0] & 8) != 0,
                                  .instruction_set = trawl_instruction_set(*set),
                                  .threads = 1 + bytes[3] / 16 % 4 % THREADS_MAX,
                                  .chunk_bytes = chunk_sizes[*chunk],
                                  .place = places[bytes[3] >> 6],
                                  .place_offset = bytes[4],
                                  .call = (enum held_call)(bytes[3] % 16 % HELD_CALLS),
                                  .parameter = bytes[4] + (uint64_t)bytes[2] * 256};
    if (bytes[1] % 16 == ALGORITHM_ASKED) {
        config->method = TRAWL_METHOD_AUTO;
        config->algorithm = choose_algorithm(bytes[4]);
    }
}

/* Returns true if the chosen method or algorithm may reject some patterns. */
static bool may_refuse(const struct run_config *config)
{
    if (config->algorithm != NULL)
        return strcmp(config->algorithm, "strstr") == 0;
    return config->method != TRAWL_METHOD_AUTO;
}

static void fail(const struct diff_input *input, const struct run_config *config,
                 const char *message)
{
    char line[700];

    run_describe(input, config, line, sizeof line);
    printf("%s\n%s\n", line, message);
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t bytes_count)
{
    struct diff_input input = {.kind = "fuzz", .line_end = '\n'};
    struct diff_expected expected;
    struct run_config config;
    struct trawl_plan *plan = NULL;
    char message[HELD_MESSAGE_BYTES];
    enum trawl_status status;
    uint32_t set, chunk;
    uint64_t text_begin;

    if (bytes_count < HEADER_BYTES)
        return 0;
    read_config(bytes, &config, &set, &chunk);
    input.flags = bytes[0] & 7;
    input.line_end = bytes[0] & 16 ? 'a' : '\n';
    input.has_line_end_also = (bytes[0] & 32) != 0;
    text_begin = read_patterns(bytes, bytes_count, &input);
    read_text(bytes + text_begin, bytes_count - text_begin, 1 + bytes[5] % TEXT_REPEAT_MAX, &input);
    status = run_plan_build(&input, &config, &plan, NULL);
    if (status == TRAWL_OK) {
        expected_compute(&input, &expected);
        if (!run_call(&input, &expected, &config, plan, run_searcher_for(&config, set, chunk), NULL,
                      message))
            fail(&input, &config, message);
        expected_free(&expected);
        trawl_plan_free(plan);
    } else if (status != TRAWL_ARGUMENT || !may_refuse(&config)) {
        fail(&input, &config, trawl_status_message(status));
    }
    input_free(&input);
    return 0;
}
