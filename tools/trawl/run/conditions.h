/* conditions: --and and --andnot: what else a selected line, or with --in-file its file, must hold.
 *
 * Each option begins a group of patterns; an -e or -f that follows belongs to it. A line meets a
 * group if it matches one of its patterns, by the rules that hold for all patterns (-i, -w, ...).
 */
#ifndef TRAWL_CONDITIONS_H
#define TRAWL_CONDITIONS_H

#include "trawl/run/search_file.h"

/* Takes the groups out of settings->patterns, which keeps the patterns of the main group: `operand`
 * if there are none. If matches are shown, not replaced, those of the --and groups are added, and
 * the main group becomes a condition, too. With --write, the main group is a condition of the file.
 * Sets job->conditions; NULL without such options. False: `message` says why. */
bool conditions_open(struct command_job *job, struct settings *settings,
                     const struct value_item *operand, char *message);
/* Warns of lists that are probably not what they were meant to be. */
void conditions_warn(struct command_job *job, const struct patterns *patterns);
/* Frees what the job's own searches have opened; conditions_close frees the conditions. */
void conditions_leave(struct command_job *job);
void conditions_close(struct command_job *job);
/* --in-file: returns true if the file meets all conditions. A stream (a pipe, a decoded file) is
 * first copied to a file in memory: file->descriptor is then its descriptor, which conditions_drop
 * closes, and status->st_size its size. An error was reported. */
bool conditions_of_file(struct command_job *job, struct open_file *file, struct stat *status);
void conditions_drop(struct command_job *job, int descriptor);

#endif
