/* pre: runs the command of --pre, which prints the text that is searched in place of a file's. */
#ifndef TRAWL_PRE_H
#define TRAWL_PRE_H

#include <sys/types.h>

#include "trawl/options/encoding.h"
#include "trawl/run/search_file.h"

/* A command that runs. */
struct pre {
    pid_t child;
    int output, errors;        /* what it prints, and a file with its standard error */
    struct encoding *encoding; /* converts `output`; NULL: not converted */
};

/* Reads the globs of --pre-glob into job->pre_globs, which filter_close frees. False: message says
 * why. */
bool pre_open(struct command_job *job, char *message);
/* Returns true if the command prints the text of a file with that name. */
bool pre_takes(const struct command_job *job, const char *name);
/* Starts the command for a file. Returns a descriptor of the text; -1: errno says why. */
int pre_begin(struct pre *pre, const struct command_job *job, const struct open_file *file);
/* Waits for the command, once. False: it has failed, as a message says. A command that was not read
 * to its end may fail without a word. */
bool pre_end(struct pre *pre, struct command_job *job, const char *name, bool at_end);

#endif
