/* totals: sums over all files. */
#ifndef TRAWL_TOTALS_H
#define TRAWL_TOTALS_H

#include "trawl/job/command_job.h"

/* --stats: adds to the totals what the searcher's last call did, in the file with this name, whose
 * text it searched from offset `begin` on. */
void totals_add_stats(struct command_job *job, const char *name, uint64_t begin);
void totals_add(struct job_totals *sum, const struct job_totals *more);
/* Adds files without an occurrence: files that the searcher's last call searched together, or files
 * that a server skipped without a search. */
void totals_add_passed(struct command_job *job, uint64_t file_count, uint64_t text_bytes);

#endif
