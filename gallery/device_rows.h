/* device_rows: what each of the gallery's kernels requires, and which kernel a hybrid runs for a
 * pattern of a given length. */
#ifndef TRAWL_GALLERY_DEVICE_ROWS_H
#define TRAWL_GALLERY_DEVICE_ROWS_H

#include "gallery/device_worker.h"

enum gallery_grid {
    PLACES,   /* a thread per start offset */
    SEGMENTS, /* a thread per segment of start offsets; as many blocks as the device can run at a
                 time, unless the plan sets the number */
};

enum gallery_need {
    SHIFTS_HP = 1, /* shifts by the window's last byte */
    SHIFTS_QS = 2, /* shifts by the byte after the window */
    WINDOWS = 4,   /* gallery_shifts_text runs first, and flags where windows start */
    CHILDREN = 8,  /* the kernel launches child grids; gallery_collect then reads a flag per start
                      offset */
    CONSTANT = 16, /* pattern in constant memory, the block's text in shared memory */
    KEY = 32,      /* pattern in registers */
    MINIMA = 64,   /* each block finds its first hit, gallery_word_minimum the first of all */
    SUMS = 128,    /* with MINIMA: the kernel counts, then gallery_pss_sums runs, then it writes */
    LISTS = 256,   /* with MINIMA: each block makes a list of hits, which gallery_pss_lists reads */
    TRIE = 512,    /* follows a trie of all literals at once */
};

struct gallery_row {
    const char *kernel; /* NULL: a hybrid, or an algorithm without a kernel */
    enum gallery_grid grid;
    uint32_t threads; /* per block, unless the plan sets the number */
    uint32_t needs;
    /* Only for a hybrid, otherwise GALLERY_NONE: `longer` runs for patterns of at least
     * own->threshold bytes, `shorter` for others, and `generic` if such a pattern is too long for
     * `shorter`. */
    enum gallery_algorithm generic, shorter, longer;
};

/* Returns the row of the kernel that searches for a pattern of this length. Call gallery_choose for
 * own->plan first. */
const struct gallery_row *gallery_row_for(const struct gallery_device *own, uint64_t pattern_bytes);

/* Loads the images that own->plan needs, and sets a hybrid's threshold, the pattern length from
 * which it launches child grids. Errors: ENGINE if the build has no code for this device. */
enum trawl_status gallery_choose(struct gallery_device *own, struct trawl_error *error);

/* Returns true if the kernel of any literal of own->plan has any of these needs. */
bool gallery_needs(const struct gallery_device *own, uint32_t needs);

/* ---- device_tables.c ---- */

#define GALLERY_ALIGNMENT 16u /* alignment of a literal's bytes in the tables */
#define GALLERY_SHIFTS 256u

/* Returns the maximum number of bytes that a literal needs in the tables: its padded bytes and its
 * shifts, or in a trie a state per byte, and a word. */
uint64_t gallery_literal_room(const struct gallery_device *own, uint32_t literal);
/* Returns the maximum number of bytes of all tables. */
uint64_t gallery_tables_bytes(const struct gallery_device *own);
/* Writes the tables of own->plan into `memory`, all zeros, and sets own->trie_states. Returns the
 * number of bytes written. */
uint64_t gallery_tables_fill(struct gallery_device *own, void *memory);

#endif
