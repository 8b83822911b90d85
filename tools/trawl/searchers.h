/* searchers: those that the command opens, and what is wrong where one cannot be had. */
#ifndef TRAWL_SEARCHERS_H
#define TRAWL_SEARCHERS_H

#include "trawl/job.h"

/* The engine asked for, or the only one that has the algorithm asked for. */
enum trawl_engine searchers_engine(const struct settings *settings,
                                   const struct patterns *patterns);

/* Where a search is likely to end with the first match, so much is read at once. */
#define SEARCHERS_BYTES_FIRST (UINT64_C(64) << 10)

/* As the options say, or single: on the CPU, in the caller's thread. False:
 * message[SETTINGS_ERROR_BYTES] is filled. */
bool searchers_open(const struct command_job *job, bool single, struct trawl_searcher **searcher,
                    char *message);

/* What reads a text while job->searcher searches what was read: a searcher, and a plan that finds
 * nothing. Both are to be closed, also after an error. */
enum trawl_status searchers_open_reader(const struct settings *settings,
                                        struct trawl_searcher **reader, struct trawl_plan **plan,
                                        struct trawl_error *error);

#endif
