/* facts: gives a new file what a file has that it replaces. The Python package is compiled with
 * this file, so that both have the same rule. */
#ifndef TRAWL_FACTS_H
#define TRAWL_FACTS_H

#include <sys/types.h>

enum { FACTS_LOST_BYTES = 512 };

/* Gives the new file the old one's owner, group, extended attributes and mode, and puts into `lost`
 * the names of those that the system denies: with commas between them; "" for none. Of another
 * owner or group, no program runs with their rights; another group, or one without the access list,
 * may do no more than others. */
void facts_keep(const char *old, uid_t owner, gid_t group, mode_t mode, int made, char *lost);

#endif
