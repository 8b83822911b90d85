/* swift_case: the kernels bf, qs and hp in all their forms, launched as they are, without the
 * host's code: random texts, patterns and grids, few or no child grids allowed, against the oracle.
 */
#ifndef TRAWL_TESTS_SIM_SWIFT_CASE_H
#define TRAWL_TESTS_SIM_SWIFT_CASE_H

#include <stdbool.h>
#include <stdint.h>

/* What the cases did, added up. */
struct swift_case_tally {
    uint64_t launches;
    uint64_t matches;
    uint64_t passed; /* windows that passed a parent's test */
    uint64_t launched;
    uint64_t spilled;     /* refused */
    uint64_t withheld;    /* not asked for */
    uint64_t all_spilled; /* launches with windows, all of which the parents compared */
    uint64_t none_spilled;
};

/* All follows from the name and the number. True if all went well; else it is printed. tally may be
 * NULL; switches_max as in simulator.h. */
bool swift_case_run(const char *name, uint64_t index, uint64_t switches_max,
                    struct swift_case_tally *tally);

/* The same for a text of one letter, where every window passes, with so many child grids allowed.
 */
bool swift_flood_run(uint32_t pending, uint64_t seed, struct swift_case_tally *tally);

#endif
