/* string_counts: how often each string occurs, for --count-by-pattern and --unmatched-patterns.
 *
 * A text's occurrences are counted in an array with an element for each pattern of the plan. There
 * is one array for each text that is searched at the same time; they are added up at the end.
 */
#ifndef TRAWL_STRING_COUNTS_H
#define TRAWL_STRING_COUNTS_H

#include "trawl/job.h"

struct text_scan;

/* False: message filled. */
bool string_counts_open(struct command_job *job, char *message);
/* Count what the text holds, and with -H print it. */
enum trawl_status string_counts_search(struct text_scan *scan, struct trawl_error *error);
/* After the last text: what was counted, unless each text's was printed. */
void string_counts_print(struct command_job *job);
void string_counts_close(struct command_job *job);

#endif
