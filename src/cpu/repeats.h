/* repeats: what one thread keeps of a text that repeats itself: bytes and their hits. */
#ifndef TRAWL_CPU_REPEATS_H
#define TRAWL_CPU_REPEATS_H

#include "engine.h"

#define REPEATS_ANCHOR_BITS 16u

/* Kept bytes that followed each other in a text. */
struct repeats_part {
    uint64_t begin;
    uint64_t until; /* of begins before this the hits are kept */
    uint64_t end;   /* of the bytes: as many more as the longest literal needs */
};

struct repeats {
    uint64_t serial; /* of the plan it is for; 0: none */
    bool active;     /* the text repeats itself: it is kept */
    uint64_t *seen;  /* samples of texts that were dear: where, and a part of the hash; 0: none */
    uint64_t seen_bytes;   /* of such texts */
    uint64_t seen_begin;   /* of those, before this search */
    uint64_t look_next;    /* of those, where samples are looked up next */
    uint64_t looks;        /* so often they were, */
    uint64_t finds;        /* and so often they had been seen, */
    uint64_t farthest;     /* so far back at most */
    uint64_t bytes_before; /* that were searched while this was not active, */
    uint64_t work_before;  /* and their work: of the last ones */
    uint64_t skips;        /* so many bytes are not looked at */
    uint32_t later;        /* how often keeping did not pay */
    uint8_t *bytes;        /* kept */
    uint64_t bytes_count;
    uint64_t bytes_room;
    struct repeats_part *parts; /* of them, ascending */
    uint64_t parts_count;
    uint64_t parts_room;
    struct hits kept;  /* their hits; offset: the place in bytes */
    uint16_t *lengths; /* of the kept hits: the first ones, as far as any were lent */
    uint64_t lengths_count;
    uint64_t lengths_room;
    uint32_t *visits; /* of kept hits: how many more than of the one before; all 0 between
                         scans */
    uint64_t visits_room;
    uint64_t visited_from;      /* visits were added to hits from this one on, */
    uint64_t visited_to;        /* before this one; 0: none were */
    uint32_t *anchors;          /* by hash of a sample: its place; PLAN_NONE: none */
    uint64_t anchored;          /* samples before this place are among them */
    uint8_t *copy;              /* of a part of a text that may change; NULL: none yet */
    struct engine_result found; /* in a part of the text */
    uint64_t part_bytes;        /* of text that is not known, to be searched next */
    uint64_t next;              /* the place that the text is expected to go on at */
    uint64_t next_hit;          /* kept hits before this one are before that place */
    uint64_t trial_bytes;       /* since it was last judged whether this pays, */
    uint64_t trial_known;       /* of them, those found among the kept ones, */
    uint64_t trial_free;        /* and those that may be new; */
    uint64_t trial_work;        /* what the new ones took, beyond those */
    uint64_t work_per_byte;     /* before it was active */
    uint64_t followed;          /* ever: bytes found among the kept ones; tests ask */
    uint64_t lent;              /* ever: hits of theirs that were; tests ask */
    uint64_t tallied;           /* ever: hits of theirs that were visits alone; tests ask */
};

struct scan;

void repeats_begin(struct repeats *repeats, uint64_t serial);
void repeats_end(struct repeats *repeats);
/* The text repeats itself, for all that is known after so many bytes. Until now a byte took so much
 * work. */
void repeats_activate(struct repeats *repeats, uint64_t distance, uint64_t work_per_byte);
/* Can what the scan wants be had from hits of equal bytes? */
bool repeats_fit(const struct scan *scan);
/* Search begins from scan->at on as scan_by_method does; what is known by what is kept. */
void scan_repeats(struct scan *scan);

#endif
