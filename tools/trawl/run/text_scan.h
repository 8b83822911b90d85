/* text_scan: sets up the search of a file. */
#ifndef TRAWL_TEXT_SCAN_H
#define TRAWL_TEXT_SCAN_H

#include "trawl/job/command_scan.h"
#include "trawl/run/search_file.h"

/* Sets up the scan of a file, and checks whether a hole already makes the file binary. */
void text_scan_begin(struct text_scan *scan, struct command_job *job, struct trawl_text *text,
                     const struct open_file *file);

#endif
