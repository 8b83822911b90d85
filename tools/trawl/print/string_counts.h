/* string_counts: counts how often each string occurs, for --count-by-pattern.
 *
 * A text's occurrences are counted in an array with an element for each pattern of the plan. Each
 * text that is searched at the same time has its own array; the arrays are added up at the end.
 */
#ifndef TRAWL_STRING_COUNTS_H
#define TRAWL_STRING_COUNTS_H

#include "trawl/job/command_job.h"

struct text_scan;

/* Makes job->string_counts. False: message[SETTINGS_ERROR_BYTES] says why. */
bool string_counts_open(struct command_job *job, char *message);
/* Counts the strings in a text, and with -H prints the counts. */
enum trawl_status string_counts_search(struct text_scan *scan, struct trawl_error *error);
/* Prints the counts after the last text, unless each text's counts were printed. */
void string_counts_print(struct command_job *job);
void string_counts_close(struct command_job *job);

#endif
