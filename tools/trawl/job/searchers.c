/* searchers: opens the command's searchers. */
#include "trawl/job/searchers.h"

#include <errno.h>
#include <string.h>

#include "trawl/text/sizes.h"
#include "trawl/job/supply.h"
#include "trawl/text/message.h"
#include "trawl/text/thread.h"
#include "trawl/text/calls.h"
#include "trawl/options/settings.h"
#include "trawl/text/guard.h"

#define CHUNK_BYTES SIZE_OR_SMALL(UINT64_C(0), UINT64_C(64)) /* 0: the library chooses */

enum trawl_engine searchers_engine(const struct settings *settings, const struct patterns *patterns)
{
    if (settings->search.engine == NULL)
        return settings->search.algorithm != NULL &&
                       describe_plan(patterns->plan, 0).engines == 1u << TRAWL_ENGINE_CUDA
                   ? TRAWL_ENGINE_CUDA
                   : TRAWL_ENGINE_AUTO;
    return strcmp(settings->search.engine, "cpu") == 0    ? TRAWL_ENGINE_CPU
           : strcmp(settings->search.engine, "cuda") == 0 ? TRAWL_ENGINE_CUDA
                                                          : TRAWL_ENGINE_AUTO;
}

uint32_t searchers_threads(const struct settings *settings)
{
    return settings->search.threads > 0 ? (uint32_t)settings->search.threads : thread_cores();
}

static uint64_t chunk_bytes(const struct settings *settings)
{
    return settings->search.chunk_bytes > 0 ? settings->search.chunk_bytes : CHUNK_BYTES;
}

bool searchers_open(const struct command_job *job, bool single, struct trawl_searcher **searcher,
                    char *message)
{
    struct trawl_searcher_options options = TRAWL_SEARCHER_OPTIONS_INIT;
    const struct settings *settings = job->settings;
    enum trawl_engine engine =
        single ? TRAWL_ENGINE_CPU : searchers_engine(settings, job->patterns);
    /* If lines without a match are printed, the bytes must not change between search and output, so
     * files are not mapped. */
    bool prints_others = settings->invert || settings->passthru ||
                         settings_have_context(settings) || settings->function != FUNCTION_NONE;
    struct trawl_error error;

    options.chunk_bytes = chunk_bytes(settings);
    if (single || job->runtime == NULL) {
        options.engine = engine;
        options.threads = single ? 1 : (uint32_t)settings->search.threads;
        options.instruction_set = settings->search.instruction_set;
    } else {
        options.runtime = job->runtime;
    }
    if (options.threads == 1 && settings->search.chunk_bytes == 0 && settings->stops_early)
        options.chunk_bytes = SEARCHERS_BYTES_FIRST;
    options.map = prints_others ? TRAWL_MAP_NEVER : settings->search.map;
    if (trawl_searcher_open(&options, searcher, &error) == TRAWL_OK) {
        if (job->supply == NULL || job->supply->watch(job->supply->context, *searcher))
            return true;
        trawl_searcher_close(*searcher);
        *searcher = NULL;
        return message_exhausted(message);
    }
    guard_note(settings->guard, error.status == TRAWL_MEMORY ? ENOMEM : error.os_code);
    if (engine == TRAWL_ENGINE_CUDA && settings->search.engine == NULL)
        return message_fail(
            message,
            "--algorithm: %s needs --engine=cuda: %s; --list-algorithms says what runs "
            "on the CPU",
            settings->search.algorithm, error.message);
    return message_fail(message, "%s%s",
                        engine == TRAWL_ENGINE_CUDA ? "--engine=cuda: "
                        : error.status == TRAWL_ARGUMENT && settings->search.instruction_set != NULL
                            ? "--instruction-set: "
                            : "",
                        error.message);
}

struct trawl_searcher_options searchers_reader_options(const struct settings *settings)
{
    struct trawl_searcher_options options = TRAWL_SEARCHER_OPTIONS_INIT;

    options.engine = TRAWL_ENGINE_CPU;
    /* a second thread reads ahead; with -z, all threads decompress */
    options.threads = settings->search_zip            ? (uint32_t)settings->search.threads
                      : settings->search.threads == 1 ? 1
                                                      : 2;
    options.chunk_bytes = chunk_bytes(settings);
    return options;
}

enum trawl_status searchers_open_reader(const struct settings *settings,
                                        struct trawl_searcher **reader, struct trawl_plan **plan,
                                        struct trawl_error *error)
{
    const struct trawl_searcher_options options = searchers_reader_options(settings);
    enum trawl_status status = trawl_plan_build(NULL, 0, NULL, plan, error);

    return status != TRAWL_OK ? status : trawl_searcher_open(&options, reader, error);
}
