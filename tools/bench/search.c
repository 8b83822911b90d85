/* search: see search.h. */
#include <stdio.h>
#include <string.h>

#include "bench/search.h"
#include "bench/util.h"

#define SAMPLE_BYTES (64u << 10)

void search_need(enum trawl_status status, const struct trawl_error *error)
{
    if (status != TRAWL_OK)
        fail("%s (%s)", error->message, trawl_status_message(status));
}

struct trawl_plan *search_plan(const uint8_t *pattern, uint64_t pattern_bytes,
                               enum trawl_method method, const void *sample, uint64_t sample_bytes)
{
    struct trawl_plan_options options = TRAWL_PLAN_OPTIONS_INIT;
    struct trawl_pattern one = {pattern, pattern_bytes};
    struct trawl_error error = {0};
    struct trawl_plan *plan = NULL;
    enum trawl_status status;

    options.method = method;
    options.sample = sample;
    if (sample != NULL)
        options.sample_bytes = sample_bytes < SAMPLE_BYTES ? sample_bytes : SAMPLE_BYTES;
    status = trawl_plan_build(&one, 1, &options, &plan, &error);
    if (status == TRAWL_ARGUMENT)
        return NULL;
    search_need(status, &error);
    return plan;
}

void search_method(const struct trawl_plan *plan, enum trawl_engine engine,
                   char name[METHOD_NAME_BYTES])
{
    const char *label = engine == TRAWL_ENGINE_CUDA ? "method on devices: " : "method: ";
    struct trawl_error error = {0};
    char text[4096];
    const char *line;
    uint64_t needed;

    search_need(trawl_plan_explain(plan, text, sizeof text, &needed, &error), &error);
    line = strstr(text, label);
    if (line != NULL)
        snprintf(name, METHOD_NAME_BYTES, "%.*s", (int)strcspn(line + strlen(label), "\n"),
                 line + strlen(label));
}

struct trawl_searcher *search_open(const struct options *options, enum trawl_engine engine,
                                   uint32_t threads, struct trawl_error *error)
{
    struct trawl_searcher_options searcher_options = TRAWL_SEARCHER_OPTIONS_INIT;
    struct trawl_searcher *searcher = NULL;
    enum trawl_status status;

    searcher_options.engine = engine;
    searcher_options.threads = threads;
    searcher_options.instruction_set = engine == TRAWL_ENGINE_CPU ? options->instruction_set : NULL;
    status = trawl_searcher_open(&searcher_options, &searcher, error);
    if (status == TRAWL_ENGINE)
        return NULL;
    search_need(status, error);
    return searcher;
}
