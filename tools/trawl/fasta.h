/* fasta: --fasta: the sequences of FASTA files, whose lines are parts of one text each. */
#ifndef TRAWL_FASTA_H
#define TRAWL_FASTA_H

#include "trawl/scan.h"

/* All occurrences in the text's sequences, printed or counted. */
enum trawl_status fasta_search(struct text_scan *scan, struct trawl_error *error);

/* The same for a sink whose context is the scan: begin and end are offsets in memory. */
enum trawl_status fasta_positions(struct text_scan *scan, trawl_match_sink sink,
                                  struct trawl_error *error);

#endif
