/* walk: through the operands and the directories below them. */
#ifndef TRAWL_WALK_H
#define TRAWL_WALK_H

#include "trawl/exclude.h"
#include "trawl/job.h"

/* Search the operands; without any, standard input or, if recursive, the working directory. */
void job_walk(struct job *job, struct exclude *exclude, const struct typed_item *operands,
              size_t operand_count);

#endif
