/* reduce: make a failing run small and print it so that it can be repeated by hand. */
#include "diff/reduce.h"

#define WORK_MAX 300000000  /* bytes searched by all attempts, patterns weighed in */
#define ATTEMPT_BYTES 50000 /* what an attempt costs at least */
#define HEX_BYTES_MAX 512

struct reduction {
    const struct run_config *config;
    uint64_t work;
    char message[HELD_MESSAGE_BYTES]; /* of the last failing attempt */
};

/* With a new plan and a new searcher: does the run still fail? */
static bool fails(struct reduction *reduction, const struct diff_input *input)
{
    struct diff_expected expected;
    struct trawl_plan *plan = NULL;
    struct trawl_searcher *searcher = NULL;
    char message[HELD_MESSAGE_BYTES];
    bool passed = true;

    reduction->work += ATTEMPT_BYTES + input->text_bytes * (input->pattern_count + 1);
    if (run_plan_build(input, reduction->config, &plan, NULL) != TRAWL_OK)
        return false;
    if (run_searcher_open(reduction->config, &searcher, NULL) == TRAWL_OK) {
        expected_compute(input, &expected);
        passed = run_call(input, &expected, reduction->config, plan, searcher, NULL, message);
        expected_free(&expected);
    }
    trawl_searcher_close(searcher);
    trawl_plan_free(plan);
    if (!passed)
        memcpy(reduction->message, message, sizeof message);
    return !passed;
}

/* Take `cut` bytes out at `begin`; keep that if the run still fails. */
static bool cut_text(struct reduction *reduction, struct diff_input *input, uint64_t begin,
                     uint64_t cut)
{
    uint64_t rest = input->text_bytes - begin - cut;
    uint8_t *kept = test_memory(input->text_bytes);

    memcpy(kept, input->text, (size_t)input->text_bytes);
    memmove(input->text + begin, input->text + begin + cut, (size_t)rest);
    input->text_bytes -= cut;
    if (fails(reduction, input)) {
        free(kept);
        return true;
    }
    input->text_bytes += cut;
    memcpy(input->text, kept, (size_t)input->text_bytes);
    free(kept);
    return false;
}

static void reduce_text(struct reduction *reduction, struct diff_input *input)
{
    for (uint64_t cut = input->text_bytes / 2; cut > 0; cut /= 2)
        for (uint64_t begin = 0; begin + cut <= input->text_bytes;) {
            if (reduction->work > WORK_MAX)
                return;
            if (!cut_text(reduction, input, begin, cut))
                begin += cut;
        }
}

static void reduce_pattern_count(struct reduction *reduction, struct diff_input *input)
{
    for (uint64_t i = input->pattern_count; i-- > 0 && reduction->work < WORK_MAX;) {
        struct naive_bytes dropped = input->patterns[i];
        uint64_t rest = input->pattern_count - i - 1;
        memmove(&input->patterns[i], &input->patterns[i + 1], rest * sizeof dropped);
        input->pattern_count--;
        if (!fails(reduction, input)) {
            memmove(&input->patterns[i + 1], &input->patterns[i], rest * sizeof dropped);
            input->patterns[i] = dropped;
            input->pattern_count++;
        }
    }
}

static void reduce_pattern_bytes(struct reduction *reduction, struct naive_bytes *pattern,
                                 struct diff_input *input)
{
    for (uint64_t cut = pattern->bytes_count / 2; cut > 0; cut /= 2)
        for (int front = 0; front < 2; front++)
            while (pattern->bytes_count > cut && reduction->work < WORK_MAX) {
                struct naive_bytes kept = *pattern;
                pattern->bytes_count -= cut;
                pattern->bytes += front ? cut : 0;
                if (!fails(reduction, input)) {
                    *pattern = kept;
                    break;
                }
            }
}

static void print_hex(const char *name, uint64_t index, const uint8_t *bytes, uint64_t count)
{
    printf("  %s %" PRIu64 ", %" PRIu64 " bytes: ", name, index, count);
    for (uint64_t i = 0; i < count && i < HEX_BYTES_MAX; i++)
        printf("%02x", bytes[i]);
    printf(count > HEX_BYTES_MAX ? "... (cut here)\n" : "\n");
}

void reduce_and_print(struct diff_input *input, const struct run_config *config)
{
    struct reduction reduction = {.config = config};
    uint64_t pattern_count = input->pattern_count; /* pattern_memory keeps its length */
    char line[600];

    if (fails(&reduction, input)) {
        reduce_text(&reduction, input);
        reduce_pattern_count(&reduction, input);
        for (uint64_t i = 0; i < input->pattern_count; i++)
            reduce_pattern_bytes(&reduction, &input->patterns[i], input);
        reduce_text(&reduction, input);
        printf("  reduced: %s\n", reduction.message);
    } else {
        printf("  not repeated by a new searcher on the same input\n");
    }
    run_describe(input, config, line, sizeof line);
    printf("  %s\n", line);
    for (uint64_t i = 0; i < input->pattern_count && i < 8; i++)
        print_hex("pattern", i, input->patterns[i].bytes, input->patterns[i].bytes_count);
    print_hex("text", 0, input->text, input->text_bytes);
    input->pattern_count = pattern_count;
}
