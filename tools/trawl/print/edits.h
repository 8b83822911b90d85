/* edits: --diff: which lines of a text are replaced by which. */
#ifndef TRAWL_EDITS_H
#define TRAWL_EDITS_H

#include "trawl/text/output.h"

/* Lines [begin, end) of the old text, and the lines [made, made_end) of the new one in their place.
 */
struct edit {
    uint64_t begin, end, made, made_end;
};

struct edits {
    struct edit *items; /* in order */
    uint64_t count, capacity;
};

/* Prints a unified diff of the two texts. Changes `edits`. */
void edits_print(struct output *output, const char *name, struct edits *edits, const uint8_t *old,
                 uint64_t old_bytes, const uint8_t *made, uint64_t made_bytes);

#endif
