/* best: --best: finds the least distance in a text, before the search proper. */
#ifndef TRAWL_BEST_H
#define TRAWL_BEST_H

#include "trawl/scan.h"

/* Sets scan->distance_max to the least distance in the text, or scan->stop if nothing occurs. A
 * text that can be read only once is copied to a temporary file, which replaces scan->text.
 */
enum trawl_status best_begin(struct text_scan *scan, struct trawl_error *error);
/* Closes the copy, for texts that were copied. */
void best_close(struct text_scan *scan);

#endif
