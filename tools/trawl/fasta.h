/* fasta: --fasta: searches FASTA files. The lines of each sequence are joined to one text. */
#ifndef TRAWL_FASTA_H
#define TRAWL_FASTA_H

#include "trawl/scan.h"

/* Prints or counts all occurrences in the text's sequences. */
enum trawl_status fasta_search(struct text_scan *scan, struct trawl_error *error);

/* Calls `sink`, with the scan as context, for all occurrences. Begin and end are offsets in
 * memory. */
enum trawl_status fasta_positions(struct text_scan *scan, trawl_match_sink sink,
                                  struct trawl_error *error);

#endif
