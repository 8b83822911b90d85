/* device_rows: lists what each of the gallery's kernels needs, and chooses the form of a hybrid: an
 * algorithm that runs by one of three other algorithms, by the pattern's length. A begin is an
 * offset in the text at which an occurrence may begin. */
#ifndef TRAWL_GALLERY_DEVICE_ROWS_H
#define TRAWL_GALLERY_DEVICE_ROWS_H

#include "gallery/device_worker.h"

enum gallery_grid {
    PLACES,   /* a thread per begin */
    SEGMENTS, /* a thread per segment of begins; the plan sets the number of blocks, otherwise the
                 grid has as many blocks as the device holds at a time */
};

enum gallery_need {
    SHIFTS_HP = 1, /* shifts by the window's last byte */
    SHIFTS_QS = 2, /* shifts by the byte after the window */
    WINDOWS = 4,   /* gallery_shifts_text runs before the kernel and flags the begins of windows */
    CHILDREN = 8, /* the kernel launches child grids; gallery_collect then reads a flag per begin */
    CONSTANT = 16, /* the pattern lies in constant memory, the block's text in shared memory */
    KEY = 32,      /* the pattern lies in registers */
    MINIMA = 64,   /* gallery_word_minimum then takes the least of the blocks' first hits */
    TRIE = 128,    /* the kernel follows a trie of all literals at once */
};

struct gallery_row {
    const char *kernel; /* NULL: a hybrid, or an algorithm without a kernel */
    enum gallery_grid grid;
    uint32_t threads; /* threads of a block, unless the plan sets the number */
    uint32_t needs;
    /* the algorithms of a hybrid; NONE in other rows. `longer` runs for patterns from the threshold
     * on. For shorter patterns `shorter` runs, or `generic` if `shorter` cannot take the
     * pattern. */
    enum gallery_algorithm generic, shorter, longer;
};

/* Returns the row of the kernel for a pattern of this many bytes. gallery_choose must have been
 * called for own->plan. */
const struct gallery_row *gallery_row_for(const struct gallery_device *own, uint64_t pattern_bytes);

/* Loads the images that own->plan needs, and decides from which length on a hybrid launches child
 * grids. Errors: ENGINE if the build holds no code for this device. */
enum trawl_status gallery_choose(struct gallery_device *own, struct trawl_error *error);

/* Returns true if the kernel of any literal of own->plan has any of these needs. */
bool gallery_needs(const struct gallery_device *own, uint32_t needs);

#endif
