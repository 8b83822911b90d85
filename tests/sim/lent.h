/* lent: texts in the memory of a device, which a test lends to the library. */
#ifndef TRAWL_TESTS_SIM_LENT_H
#define TRAWL_TESTS_SIM_LENT_H

#include "forms_case.h"

struct lent {
    struct forms_machine *machine;
    struct forms_block block;
    struct trawl_text *text;
};

/* Opens the first of the real devices or, if `real` is NULL, of `devices` new simulated ones of 64
 * MiB. */
void lent_devices(struct forms_machine *machine, const struct cuda_driver *real, uint64_t seed,
                  uint32_t devices);
/* Closes it, and checks that no object is left in the simulated driver. */
void lent_devices_end(struct forms_machine *machine, const struct cuda_driver *real);

/* Copies the bytes to the device, `before` bytes after an allocation's start, with `behind` zeros
 * after them. The caller ends the lent text once no search uses it. */
struct lent lent_begin(struct forms_machine *machine, const void *bytes, uint64_t count,
                       uint64_t before, uint64_t behind);
void lent_end(struct lent *lent);

/* Counts the lines of a loaded text, which is on a device if `is_lent`. Returns true if the device
 * made the answer without a copy of the text for the host; also false if that is unknown. */
bool lent_count_lines(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                      struct trawl_text *text, bool is_lent, bool invert, uint64_t max,
                      uint64_t *count);

#endif
