/* hold: limits how long the output of a pipe's incomplete block is held back. */
#ifndef TRAWL_HOLD_H
#define TRAWL_HOLD_H

#include "trawl/job/command_scan.h"

/* The sink of a search calls hold_begin, handles a window, and passes its result to hold_end. */
void hold_begin(struct text_scan *scan);
void hold_end(struct text_scan *scan, int stops);
/* Called after the search. */
void hold_close(struct text_scan *scan);

#endif
