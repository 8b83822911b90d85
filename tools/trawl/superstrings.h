/* superstrings: strings that contain others. A line that holds a string holds all that it contains,
 * so where only lines are wanted, the strings that contain no other one select the same lines.
 */
#ifndef TRAWL_SUPERSTRINGS_H
#define TRAWL_SUPERSTRINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "trawl.h"

/* Leaves out strings that contain another one, with `fold` in letters of ASCII of either case. None
 * may be there twice. Linear in their bytes, so not all such strings are found: each that is left
 * out contains one that stays; without memory none is. */
void superstrings_leave_out(struct trawl_pattern *patterns, uint64_t *count, bool fold);

#endif
