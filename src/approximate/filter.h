/* filter: candidates among all begins, or all ends, of a part of a text, for one literal.
 *
 * Both compare 64 symbols of a literal at most, so they may say yes where verify.h says no, but
 * never the other way round. One file for each instruction set fills the table.
 */
#ifndef TRAWL_APPROXIMATE_FILTER_H
#define TRAWL_APPROXIMATE_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#define FILTER_SYMBOLS_MAX 64u
#define FILTER_PLACES_MAX 8192u /* of a tile: a multiple of 512 */
#define FILTER_SLACK 64u        /* bytes readable beyond what is looked at */
#define FILTER_PLANE_WORDS                                                \
    160u /* of a tile's places and symbols, with room to load beyond them \
          */

/* Where in a tile's text the bytes of each class stand: planes[c] has the bit of place i at bit
 * i % 64 of word i / 64. Places beyond `bytes` have no bit. */
struct filter_tile {
    uint64_t planes_room; /* words of each plane, room beyond the places included */
    uint64_t *planes;     /* class_count * planes_room, aligned to 64 */
    const uint8_t *text;
    uint64_t bytes; /* of text: at most FILTER_PLACES_MAX + FILTER_SYMBOLS_MAX + slack */
};

/* The part of a literal that is compared. */
struct filter_literal {
    const uint32_t *classes; /* of its symbols: count */
    uint32_t count;          /* 1 to FILTER_SYMBOLS_MAX */
    uint32_t errors_max;     /* less than count */
    uint64_t exact;          /* bit j: symbol j has no error (mismatches) */
};

struct filter_ops {
    const char *name;
    /* Fill the tile's planes. */
    void (*planes)(const uint64_t (*classes)[4], uint32_t class_count, const uint8_t *text,
                   uint64_t bytes, struct filter_tile *tile);
    /* Mismatches: a bit for each begin in [0, places) that has at most errors_max of them and whose
     * count symbols lie in the tile's bytes. Returns how many there are. found: places / 64 words,
     * rounded up; bits beyond `places` are 0. */
    uint64_t (*mismatches)(const struct filter_tile *tile, const struct filter_literal *literal,
                           uint64_t places, uint64_t *found);
    /* Edits: a bit for each place i in [0, bytes) such that some span of text[0 .. bytes) that ends
     * with place i is within errors_max edits. Returns how many there are. found: bytes / 64 words,
     * rounded up. */
    uint64_t (*edits)(const uint64_t (*classes)[4], const struct filter_literal *literal,
                      const uint8_t *text, uint64_t bytes, uint64_t *found);
};

/* The table of an instruction set by its name, as find_by_name has them; NULL: portable. */
const struct filter_ops *filter_by_name(const char *name);

#endif
