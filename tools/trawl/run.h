/* run: one search, from its settings to its exit status. */
#ifndef TRAWL_RUN_H
#define TRAWL_RUN_H

#include "trawl/job.h"

/* Do what parsed settings say: strings, plan, files, report. `job` is zero but for output,
 * input_is_closed, held and runtime. Returns the exit status; what is wrong was said. */
int job_run(struct command_job *job, struct settings *settings);

/* A document was printed, which is an answer too: what cannot be written is an error. Returns the
 * exit status. */
int job_end_document(struct command_job *job);

#endif
