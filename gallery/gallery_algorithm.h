/* gallery_algorithm: the names of the gallery's algorithms, and the option string that selects
 * one. */
#ifndef TRAWL_GALLERY_GALLERY_ALGORITHM_H
#define TRAWL_GALLERY_GALLERY_ALGORITHM_H

#include "plan/plan.h"

enum gallery_algorithm {
    GALLERY_NONE,
#define ALGORITHM(enumerator, name, searches, engines, geometry, summary, source) \
    GALLERY_##enumerator,
#include "gallery/algorithms.def"
    GALLERY_COUNT
};

/* The algorithm that a plan names, and its options. */
struct gallery_choice {
    enum gallery_algorithm algorithm;
    uint32_t blocks;  /* blocks in a grid; 0: the default */
    uint32_t threads; /* threads in a block; 0: the default */
    /* shortest pattern, in bytes, for which a hybrid launches child grids; 0: the length measured
     * for this device, or no child grids if none was measured */
    uint32_t threshold;
    bool debug;     /* pss, bmh: device code compiled without optimisation */
    bool uncounted; /* a swift form that does not count child grids, as in the paper */
    bool ordered;   /* a swift form whose child grids go to the block's stream, as in the paper */
    bool global;    /* rabin-karp-matrix-sample: hashes in global, not in constant memory */
};

/* Returns the algorithm and the options that the plan names. The plan must name an algorithm. */
struct gallery_choice gallery_choice_of(const struct trawl_plan *plan);

/* The functions through which a plan has its option string parsed, and queries the algorithm. The
 * string is NAME[:GEOMETRY][,debug][,uncounted][,ordered][,global]; the order of the words after
 * the commas does not matter. */
extern const struct plan_algorithms gallery_algorithms;
/* Implements engine_ops.explain. */
enum trawl_status gallery_explain(const struct trawl_plan *plan, char *lines, uint64_t lines_bytes,
                                  struct trawl_error *error);

#endif
