/* device_rows: what each of the gallery's kernels needs, and which form of a hybrid runs. */
#ifndef TRAWL_GALLERY_DEVICE_ROWS_H
#define TRAWL_GALLERY_DEVICE_ROWS_H

#include "gallery/device_worker.h"

enum gallery_grid {
    PLACES,   /* a thread per begin */
    SEGMENTS, /* a thread per segment, in as many blocks as the device holds or as the plan says */
    TILED,    /* the segments of a block and its windows fit GALLERY_BIN_BYTES if they can */
};

enum gallery_need {
    SHIFTS_HP = 1, /* by the last byte */
    SHIFTS_QS = 2, /* by the byte after the window */
    WINDOWS = 4,   /* a flag per begin, from gallery_shifts_text before */
    CHILDREN = 8,  /* it launches child grids: a flag per begin, gallery_collect after it */
    CONSTANT = 16, /* the pattern in constant memory */
    KEY = 32,      /* in registers */
    MINIMA = 64,   /* the first by gallery_word_minimum after it */
    TRIE = 128,    /* of all literals, which it searches at once */
};

struct gallery_row {
    const char *kernel; /* NULL: the CUDA engine has no such algorithm, or not as one kernel */
    enum gallery_grid grid;
    uint32_t threads; /* by default */
    uint32_t needs;
    enum gallery_algorithm generic, shorter, longer; /* -hybrid's */
};

/* The row that runs a pattern of so many bytes, once gallery_choose has been called
 * for own->plan. */
const struct gallery_row *gallery_row_for(const struct gallery_device *own, uint64_t pattern_bytes);

/* Load the images that own->plan needs, and decide from which length on a hybrid launches
 * child grids. ENGINE: the build holds no code for this device. */
enum trawl_status gallery_choose(struct gallery_device *own, struct trawl_error *error);

/* Does any literal of own->plan have one of these needs? */
bool gallery_needs(const struct gallery_device *own, uint32_t needs);

#endif
