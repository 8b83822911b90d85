/* tally: how often each string occurs, for --count-by-pattern and --unmatched-patterns.
 *
 * A text's occurrences are counted in an array with an element for each pattern of the plan. There
 * is one array for each text that is searched at the same time; they are added up at the end.
 */
#ifndef TRAWL_TALLY_H
#define TRAWL_TALLY_H

#include "trawl/job.h"

struct scan;

/* False: message filled. */
bool tally_open(struct job *job, char *message);
/* Count what the text holds, and with -H print it. */
enum trawl_status tally_search(struct scan *scan, struct trawl_error *error);
/* After the last text: what was counted, unless each text's was printed. */
void tally_print(struct job *job);
void tally_close(struct job *job);

#endif
