/* best: --best: the least distance in a text, found before the rest. */
#ifndef TRAWL_BEST_H
#define TRAWL_BEST_H

#include "trawl/scan.h"

/* scan->distance_max is the least distance of the text's occurrences from now on; scan->stop: there
 * are none. A text that can be read only once is copied to a temporary file, which takes its place.
 */
enum trawl_status best_begin(struct text_scan *scan, struct trawl_error *error);
/* After that, of a text that was copied. */
void best_close(struct text_scan *scan);

#endif
