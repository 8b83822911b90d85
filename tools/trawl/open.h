/* open: files opened beside the standard descriptors. */
#ifndef TRAWL_OPEN_H
#define TRAWL_OPEN_H

/* openat, with a descriptor that is none of the standard ones: where one of those is closed, the
 * next file opened would take its place. */
int open_above_standard(int directory, const char *path, int flags);

#endif
