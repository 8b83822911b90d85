/* units: several threads search and print the rest of a large file of which many lines are printed.
 *
 * The library searches in several threads, but delivers its windows to one, which would then print
 * alone. So once a window has had many matches, the rest of the file is divided at line ends into
 * units, which a pool (pool.h) handles like files: a worker searches a unit, prints into its
 * buffer, and buffers are written in order. What precedes a unit matters in two ways. The number of
 * its first line is known only when all earlier units are counted, so each worker counts first. And
 * a line of the unit may be context of an earlier line, or vice versa, so the worker also searches
 * the lines before the unit, without printing them.
 *
 * Units end before a part of the file that they cannot handle: the last lines, a NUL that makes the
 * file binary, and very long lines. From there, the file is searched window by window again.
 */
#ifndef TRAWL_UNITS_H
#define TRAWL_UNITS_H

#include "trawl/job/command_scan.h"

/* Returns true if units may search files of the job, which is about to start. */
bool units_fit(const struct command_job *job);
/* Searches and prints all units from scan->part.units_begin on. Afterwards scan->part is the rest
 * of the text, which begins where the last unit ends. */
enum trawl_status units_search(struct text_scan *scan, struct trawl_error *error);

#endif
