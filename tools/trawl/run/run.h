/* run: a search, from settings to exit status. */
#ifndef TRAWL_RUN_H
#define TRAWL_RUN_H

#include "trawl/job/command_job.h"

/* Carries out parsed settings: strings, plan, files, report. All members of `job` are zero except
 * output, input_is_closed, supply and runtime. Reports errors and returns the exit status. */
int run_job(struct command_job *job, struct settings *settings);

/* Flushes the output after a document such as --explain was printed. Returns the exit status. */
int run_end_document(struct command_job *job);

/* version.c: prints what --version says. */
void version_print(struct output *output);

#endif
