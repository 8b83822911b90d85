/* searchers: opens the command's searchers, and writes the message if that fails. */
#ifndef TRAWL_SEARCHERS_H
#define TRAWL_SEARCHERS_H

#include "trawl/job/command_job.h"
#include "trawl/text/sizes.h"

/* Returns the engine that --engine names. Without --engine, returns CUDA if only CUDA has the
 * algorithm of --algorithm, otherwise TRAWL_ENGINE_AUTO. */
enum trawl_engine searchers_engine(const struct settings *settings,
                                   const struct patterns *patterns);

/* Returns how many threads may search. */
uint32_t searchers_threads(const struct settings *settings);

/* If the first match will probably end the search, this many bytes are read at a time. */
#define SEARCHERS_BYTES_FIRST SIZE_OR_SMALL(UINT64_C(64) << 10, UINT64_C(100))

/* Opens a searcher as the options say. If `single`, the searcher runs on the CPU, in the caller's
 * thread. False: message[SETTINGS_ERROR_BYTES] says why. */
bool searchers_open(const struct command_job *job, bool single, struct trawl_searcher **searcher,
                    char *message);

/* Returns the options of a searcher that only reads a text. */
struct trawl_searcher_options searchers_reader_options(const struct settings *settings);
/* Opens a searcher that only reads a text, while job->searcher searches the bytes read. Builds the
 * plan that this reader needs, which never matches. The caller closes both, even after an error. */
enum trawl_status searchers_open_reader(const struct settings *settings,
                                        struct trawl_searcher **reader, struct trawl_plan **plan,
                                        struct trawl_error *error);

#endif
