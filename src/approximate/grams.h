/* grams: candidates by the pieces that begin with each gram of a text, on the host.
 *
 * With k errors one of k + 1 pieces of a literal occurs as it is. Piece j has the same place in all
 * literals, or in those that share an exact part. For each begin in the text at which that part
 * stands, and each j, the codes at the piece's place are looked up: a list of the literals whose
 * piece begins with them. Those are compared at once.
 * One file for each instruction set compiles grams_impl.h.
 */
#ifndef TRAWL_APPROXIMATE_GRAMS_H
#define TRAWL_APPROXIMATE_GRAMS_H

#include "approximate/codes.h"

#define GRAMS_LANES 8u /* literals that are compared side by side */
#define GRAMS_PLACES_MAX 8192u
#define GRAMS_LOOK_WORDS (GRAMS_PLACES_MAX / 64u + 4u)
#define GRAMS_BITS_BEFORE 64u /* of a look, before its first place */

/* Literals with the same exact part: it is looked at before their pieces. */
#define GRAMS_GROUPS_MAX 8u

struct grams_group {
    uint32_t high; /* its codes, as of an entry */
    uint32_t low;
    uint32_t care;
    uint32_t piece_end; /* pieces from the last group's end to this one's are its own */
};

/* A piece of each literal of a group. */
struct grams_piece {
    uint32_t symbol;       /* where it begins */
    uint32_t gram_symbols; /* of it, that are looked up */
    uint64_t heads; /* where its lists' begins are: one for each gram, and the last list's end */
};

struct approx_grams {
    uint32_t errors_max;
    bool edits;
    uint8_t code[256]; /* of the text's bytes */
    uint32_t group_count;
    struct grams_group groups[GRAMS_GROUPS_MAX];
    uint32_t piece_count;
    struct grams_piece pieces[GRAMS_GROUPS_MAX * (TRAWL_ERRORS_MAX + 1)];
    uint32_t *heads; /* into the entries: owned, head_count */
    uint64_t head_count;
    /* Of each entry, by piece and gram; GRAMS_LANES more are readable. All owned, five arrays of
     * entry_room words. */
    uint32_t *high;  /* bit j: that of symbol j's code, */
    uint32_t *low;   /* and the other one, */
    uint32_t *care;  /* where it has one code, and errors count; */
    uint32_t *exact; /* where there may be none */
    uint32_t *literal;
    uint64_t entry_room;
    uint32_t list_max; /* entries of the longest list */
    /* Of each literal: for each code the symbols that equal it, then which there are. Owned. */
    uint32_t (*masks)[8];
    uint32_t literal_count;
};

/* A stretch of text as bits: bit GRAMS_BITS_BEFORE + i for place i. */
struct grams_look {
    uint64_t high[GRAMS_LOOK_WORDS]; /* of each byte's code, */
    uint64_t low[GRAMS_LOOK_WORDS];
    uint64_t none[GRAMS_LOOK_WORDS]; /* or that it has no code */
    uint32_t place;                  /* the bit of the next begin, */
    uint32_t end;                    /* and where those end */
};

struct grams_ops {
    const char *name;
    /* Go on with the look's begins until the end, or until `room` may not do for one more. Writes
     * candidates, the literal above the bit of the place where it begins, or with edits up to
     * errors_max before or after, and GRAMS_LANES more. Returns how many. */
    uint64_t (*scan)(const struct approx_grams *grams, struct grams_look *look, uint64_t *found,
                     uint64_t room);
};

extern const struct grams_ops approx_grams_portable;
#if defined(__x86_64__)
extern const struct grams_ops approx_grams_avx2;
extern const struct grams_ops approx_grams_avx512;
#endif
/* By its name, as find_by_name has them; NULL: portable. */
const struct grams_ops *grams_by_name(const char *name);

/* Of the plan's literals, which are classes of bytes; immutable: for any number of threads. Errors:
 * MEMORY, LIMIT. */
enum trawl_status approx_grams_make(const struct approximate *approximate,
                                    struct approx_grams **grams, struct trawl_error *error);
void approx_grams_free(struct approx_grams *grams); /* NULL: nothing */
/* As much room as one begin may need, and more. */
uint64_t approx_grams_room(const struct approx_grams *grams);
/* Make a look of bytes [0, bytes), with nothing before and after, for occurrences that begin in [0,
 * places). Their first symbols may end up to 2 * TRAWL_ERRORS_MAX + CODED_SYMBOLS_MAX bytes later.
 */
void approx_grams_look(const struct approx_grams *grams, const uint8_t *text, uint32_t bytes,
                       uint32_t places, struct grams_look *look);

#endif
