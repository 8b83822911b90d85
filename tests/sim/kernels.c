/* kernels: the CUDA kernels, compiled for the simulator, and their table. */
#include <string.h>

#include "approximate/kernels/grams.cu"
#include "cuda/kernels/kernels.cu"
#include "cuda/kernels/sets.cu"
#if TRAWL_GALLERY
#include "gallery/device_rows.h"
#include "gallery/kernels/children.cu"
#include "gallery/kernels/gallery.cu"
#include "gallery/kernels/lists.cu"
#endif
#include "simulator.h"

/* A list of kernels for each image, the compiled code that the engine loads as a whole. */
#define SCAN(X)        \
    X(scan_planes)     \
    X(scan_stream)     \
    X(append_planes)   \
    X(append_stream)   \
    X(bins_sum)        \
    X(bins_sort)       \
    X(bins_gather)     \
    X(bins_ends)       \
    X(bins_marks)      \
    X(stream_sampled)  \
    X(write_automaton) \
    X(mark_automaton)  \
    X(automaton_rows)  \
    X(count_automaton) \
    X(sort_rank)       \
    X(sort_digits)     \
    X(sort_scatter)    \
    X(answer_lines)    \
    X(answer_gaps)     \
    X(answer_ends)     \
    X(answer_accept)   \
    X(answer_decide)   \
    X(answer_around)   \
    X(answer_read)     \
    X(answer_find)     \
    X(answer_patterns) \
    X(answer_steps)    \
    X(answer_records)  \
    X(answer_cells)    \
    X(answer_spans)    \
    X(rewrite_select)  \
    X(rewrite_groups)  \
    X(rewrite_scan)    \
    X(rewrite_ends)    \
    X(rewrite_gather)  \
    X(pages_map)       \
    X(pages_turn)      \
    X(pages_ask)       \
    X(pages_gather)

#define SETS_FORM(stride, gram, choices)               \
    ROW_SETS(stream_set_##stride##_##gram##_##choices) \
    ROW_SETS(stream_set_dense_##stride##_##gram##_##choices)

#define GRAMS(X)           \
    X(grams_begins_shared) \
    X(grams_begins_global) \
    X(grams_motifs_shared) \
    X(grams_motifs_global) \
    X(grams_ends_shared)   \
    X(grams_ends_global)

/* Companions of the gallery's kernels, and the kernels that algorithms.def does not name. */
#define GALLERY(X)            \
    X(gallery_pss_sums)       \
    X(gallery_bmh)            \
    X(gallery_word_minimum)   \
    X(gallery_fold)           \
    X(gallery_shifts_text)    \
    X(gallery_qs)             \
    X(gallery_records)        \
    X(gallery_records_sample) \
    X(gallery_records_amp)    \
    X(gallery_records_global) \
    X(gallery_records_bytes)  \
    X(gallery_records_wide)   \
    X(gallery_records_pairs)

#define ROW(name, image) {#name, name##_entry, name##_arguments_bytes, image},
#define ROW_SCAN(name) ROW(name, 0)
#define ROW_SETS(name) ROW(name, 3)
#define ROW_GRAMS(name) ROW(name, 4)
#define ROW_GALLERY(name) ROW(name, 1)
static const struct sim_kernel kernels[] = {
    SCAN(ROW_SCAN) ROW_SETS(set_runs) ROW_SETS(set_count) ROW_SETS(set_room) ROW_SETS(set_fill)
        SCAN_SETS_FORMS(SETS_FORM) GRAMS(ROW_GRAMS)
#if TRAWL_GALLERY
            GALLERY(ROW_GALLERY) ROW(gallery_pss_lists, 5) ROW(gallery_collect, 2)
#define ALGORITHM(enumerator, name, searched, engines, geometry, line, source)
#define ON_GPU(enumerator, name, geometry, kernel, threads, needs, line, source) \
    ROW(gallery_##kernel, ((needs)&CHILDREN) != 0 ? 2 : ((needs)&LISTS) != 0 ? 5 : 1)
#include "gallery/algorithms.def"
#endif
};

const struct sim_kernel *sim_kernel_find(const char *name)
{
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        if (strcmp(kernels[i].name, name) == 0)
            return &kernels[i];
    return NULL;
}

const struct sim_constant *sim_constant_find(const char *name)
{
#if TRAWL_GALLERY
    static const struct sim_constant constant = {"gallery_constant", gallery_constant,
                                                 gallery_constant_bytes};

    if (strcmp(constant.name, name) == 0)
        return &constant;
#endif
    (void)name;
    return NULL;
}
