/* string_counts: counts how often each string occurs, for the option --count-by-pattern.
 *
 * Occurrences are counted in an array with an element for each pattern of the plan. Texts that are
 * searched at the same time have separate arrays, which are added up at the end.
 */
#ifndef TRAWL_STRING_COUNTS_H
#define TRAWL_STRING_COUNTS_H

#include "trawl/job/command_job.h"

struct text_scan;

/* Makes job->string_counts. Returns false on failure; message[SETTINGS_ERROR_BYTES] says why. */
bool string_counts_open(struct command_job *job, char *message);
/* Counts the strings in a text. Under -H, prints the text's counts. */
enum trawl_status strings_report(struct text_scan *scan, struct trawl_error *error);
/* Prints the sums after the last text; not under -H, which prints each text's counts. */
void string_counts_print(struct command_job *job);
void string_counts_close(struct command_job *job);

#endif
