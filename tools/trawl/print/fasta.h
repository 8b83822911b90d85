/* fasta: --fasta: searches FASTA files. The lines of each sequence are joined to one text. */
#ifndef TRAWL_FASTA_H
#define TRAWL_FASTA_H

#include "trawl/job/command_scan.h"

/* Prints or counts the occurrences in the text's sequences. */
enum trawl_status fasta_search(struct text_scan *scan, struct trawl_error *error);

#endif
