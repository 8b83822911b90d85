/* names: --files: the names of the files that would be searched. */
#ifndef TRAWL_NAMES_H
#define TRAWL_NAMES_H

#include "trawl/job.h"

/* The exit status. */
int names_print(struct command_job *job, const struct value_item *operands, size_t operand_count);

#endif
