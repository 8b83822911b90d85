/* diff_run: makes a call to the library on an input, and compares the answer with the expected
 * answer. */
#include "diff/diff_run.h"

#include "calls.h"
#include "plan/pages.h"

#define SETS_MAX 8
#define THREADS_MAX 4
#define CHUNKS_MAX 16
#define PAGES_MAX 300u /* maximum number of pages of a text with a filter */

/* what choose() draws for windows */
static const uint32_t whiches[] = {TRAWL_ALL,         TRAWL_NO_MATCHES, TRAWL_LINES,
                                   TRAWL_LINES_ALONE, TRAWL_SPANS,      TRAWL_SPANS_FIRST};

const char *cpu_algorithm(uint32_t index)
{
    const char *name;
    uint32_t engines;

    for (uint32_t i = 0; (name = trawl_algorithm(i, NULL, &engines)) != NULL; i++)
        if ((engines & 1u << TRAWL_ENGINE_CPU) != 0 &&
            strncmp(name, "rabin-karp-matrix", 17) != 0 && index-- == 0)
            return name;
    return NULL;
}

const char *method_name(enum trawl_method method)
{
    switch (method) {
#define METHOD_NAME(name, number, text) \
    case TRAWL_METHOD_##name:           \
        return text;
        TRAWL_METHOD_LIST(METHOD_NAME)
#undef METHOD_NAME
    }
    return "?";
}

uint32_t instruction_set_count(void)
{
    uint32_t count = 0;

    while (trawl_instruction_set(count) != NULL)
        count++;
    return count;
}

void run_describe(const struct diff_input *input, const struct run_config *config, char *line,
                  uint64_t line_bytes)
{
    (void)snprintf(line, (size_t)line_bytes,
                   "trawl_%s(parameter 0x%" PRIx64 "): %s %s%s, %s, %u threads, chunk %" PRIu64
                   ", %s (offset %" PRIu64 "), text \"%s\" of %" PRIu64 " bytes, %" PRIu64
                   " patterns, flags %u, line end 0x%02x%s",
                   held_name(config->call), config->parameter,
                   config->algorithm == NULL ? "method" : "algorithm",
                   config->algorithm == NULL ? method_name(config->method) : config->algorithm,
                   config->sample ? " with sample" : "",
                   config->instruction_set == NULL ? "" : config->instruction_set, config->threads,
                   config->chunk_bytes, place_name(config->place), config->place_offset,
                   input->kind, input->text_bytes, input->pattern_count, input->flags,
                   input->line_end, input->has_line_end_also ? " and NUL" : "");
}

enum trawl_status run_plan_build(const struct diff_input *input, const struct run_config *config,
                                 struct trawl_plan **plan, struct trawl_error *error)
{
    struct trawl_plan_options options = TRAWL_PLAN_OPTIONS_INIT;

    options.method = config->method;
    options.algorithm = config->algorithm;
    if (config->sample) {
        options.sample = input->text;
        options.sample_bytes = input->text_bytes;
    }
    return held_plan(input, &options, plan, error);
}

enum trawl_status run_searcher_open(const struct run_config *config,
                                    struct trawl_searcher **searcher, struct trawl_error *error)
{
    struct trawl_searcher_options options = TRAWL_SEARCHER_OPTIONS_INIT;

    options.engine = TRAWL_ENGINE_CPU;
    options.threads = config->threads;
    options.chunk_bytes = config->chunk_bytes;
    options.instruction_set = config->instruction_set;
    if (config->place_offset % 2 == 1) /* only a file can be mapped */
        options.map = TRAWL_MAP_ALWAYS;
    return trawl_searcher_open(&options, searcher, error);
}

struct trawl_searcher *run_searcher_for(const struct run_config *config, uint32_t set,
                                        uint64_t chunk)
{
    static struct trawl_searcher *pool[SETS_MAX][THREADS_MAX][CHUNKS_MAX];
    struct trawl_searcher **searcher;

    TRAWL_ASSERT(set < SETS_MAX && config->threads <= THREADS_MAX && chunk < CHUNKS_MAX);
    searcher = &pool[set][config->threads - 1][chunk];
    if (*searcher == NULL)
        MUST(run_searcher_open(config, searcher, NULL));
    return *searcher;
}

/* Sets from the bits of config->parameter where the sink stops, how large an array is, and up to
 * how many lines are counted. */
static void choose(struct held *held, const struct run_config *config)
{
    uint64_t parameter = config->parameter, number = parameter >> 8;

    switch (config->call) {
    case HELD_POSITIONS:
    case HELD_COUNT_BY_PATTERN:
        if (parameter % 4 == 0)
            held->stop_after = 1 + number % (held->expected->match_count + 1);
        break;
    case HELD_BEGINS_INTO:
        if (parameter % 2 == 1)
            held->room = number % (held->room + 3);
        break;
    case HELD_COUNT_LINES:
    case HELD_LINES_WITHOUT:
        if (parameter % 8 >= 4)
            held->lines_max = 1 + number % (held->expected->line_count + 3);
        break;
    case HELD_WINDOWS:
        held->window_flags = whiches[parameter % 6] | (uint32_t)(parameter & TRAWL_LINE_ENDS);
        if ((parameter >> 16 & 7) == 0)
            held->stop_after = 1 + number % 6;
        break;
    default:
        break;
    }
}

/* Checks that the finished call left the error record unchanged and reports that the whole text was
 * searched. Returns NULL if so. */
static const char *wrong_after(const struct held *held, const struct run_config *config,
                               const struct trawl_error *error)
{
    bool counts_all = config->call != HELD_COUNT_LINES && config->call != HELD_LINES_WITHOUT &&
                      (held->window_flags | TRAWL_LINE_ENDS) == (TRAWL_ALL | TRAWL_LINE_ENDS);
    struct trawl_stats stats = {.size = sizeof stats};

    if (memcmp(&error->os_code, "\xab\xab\xab\xab", 4) != 0 || (uint8_t)error->message[0] != 0xab)
        return "the error record was written on success";
    if (held->stopped || config->call == HELD_FIRST || config->call == HELD_STREAM ||
        config->call == HELD_RECORDS || held->lines_max != UINT64_MAX)
        return NULL;
    if (trawl_searcher_stats(held->searcher, &stats, NULL) != TRAWL_OK)
        return "trawl_searcher_stats failed";
    if (stats.text_bytes != held->input->text_bytes)
        return "stats.text_bytes is wrong";
    if (counts_all && stats.match_count != held->expected->match_count)
        return "stats.match_count is wrong";
    return config->instruction_set == NULL ||
                   strcmp(stats.instruction_set, config->instruction_set) == 0
               ? NULL
               : "stats.instruction_set is another";
}

/* Returns NULL if a search of the text's bytes, without a text object, returns the expected count
 * and first occurrence; otherwise what is wrong. */
static const char *wrong_bytes(const struct held *held)
{
    const struct diff_input *input = held->input;
    const struct naive_match *first = held->expected->matches;
    struct trawl_match match;
    uint64_t count, found;

    if (trawl_list_bytes(held->searcher, held->plan, input->text, input->text_bytes, 0, NULL, 0,
                         &count, NULL) != TRAWL_OK ||
        count != held->expected->match_count)
        return "trawl_list_bytes counts wrong";
    if (trawl_list_bytes(held->searcher, held->plan, input->text, input->text_bytes, 0, &match, 1,
                         &found, NULL) != TRAWL_OK ||
        found != (count > 0) ||
        (found > 0 && (match.begin != first->begin || match.end != first->end ||
                       match.pattern_index != first->pattern_index)))
        return "trawl_list_bytes finds another first occurrence";
    return NULL;
}

/* Loads the text with a filter of a few pages, which every search uses, however alike they are. */
static void filter(const struct place *place, uint64_t parameter, struct trawl_searcher *searcher)
{
    plan_pages_sizes = (struct plan_pages_sizes){
        .page = place->input->text_bytes / (1 + (parameter >> 32) % PAGES_MAX) + 1,
        .alike_max = 2,
        .kept_max = 1,
        .device_max = 1};
    MUST(trawl_text_load(searcher, place->text, NULL));
}

bool run_call(const struct diff_input *input, const struct diff_expected *expected,
              const struct run_config *config, const struct trawl_plan *plan,
              struct trawl_searcher *searcher, uint64_t *address_offset,
              char message[HELD_MESSAGE_BYTES])
{
    struct held held = held_begin(input, expected, plan, searcher, NULL);
    struct trawl_error error;
    struct place place;
    const char *wrong = NULL;

    memset(&error, 0xab, sizeof error);
    if (place_open(input, config->place, config->place_offset, &place, &error)) {
        enum trawl_status status;

        held.text = place.text;
        if (config->place == PLACE_FILTERED)
            filter(&place, config->parameter, searcher);
        choose(&held, config);
        status = held_search(&held, config->call, &error);
        if (status != (held.stopped ? TRAWL_STOPPED : TRAWL_OK))
            wrong = status >= TRAWL_ARGUMENT ? error.message : "the status is another";
        else if (held.right)
            wrong = wrong_after(&held, config, &error);
        if (wrong == NULL && held.right && config->call == HELD_FIRST)
            wrong = wrong_bytes(&held);
    } else {
        wrong = error.message;
    }
    if (wrong != NULL || !held.right)
        (void)snprintf(message, HELD_MESSAGE_BYTES, "%s", wrong != NULL ? wrong : held.message);
    held_end(&held);
    if (address_offset != NULL)
        *address_offset = place.address_offset;
    if (config->place == PLACE_FILTERED)
        trawl_text_unload(searcher, place.text);
    place_close(&place);
    return wrong == NULL && held.right;
}
