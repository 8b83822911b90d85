/* limits: the default limits, which tests replace. */
#include "cuda/limits.h"

#include "cuda/kernels/lists.h"
#include "cuda/kernels/scan.h"
#include "engine.h"
#include "match/line_automaton.h"

const struct cuda_limits cuda_limits_default = {
    .text_bytes_max = 256u << 20,
    .lists_min = 1u << 18,
    .lists_max = 1u << 23,
    .ranked_max = SORT_RANKED_MAX,
    .gap_near = 256,
    .gap_warp = 64u << 10,
    .gap_block = 1u << 20,
    .decide_bytes = LINE_BYTES_MAX,
    .resident_room_left = 1ull << 30,
    .seen_bytes_min = 64u << 20,
    .seen_method = TRAWL_METHOD_AUTO,
    .split_bytes_min = 1ull << 30,
    .stripe_bytes = 8ull << 30,
    .split_overlap = 1u << 20,
    .tail_bytes = 4u << 20,
    .launch_begins_max = CUDA_RANGE_BYTES_MAX,
    .staging_bytes = 4u << 20,
    .room_step_bytes = 64u << 10,
    .hits_room_min = 1u << 16,
    .hits_max = ENGINE_HITS_MAX,
    .begins_room = 16u << 20,
    .piece_words = 1u << 20,
    .threads = SCAN_THREADS_MAX,
    .tile_words_max = SCAN_TILE_WORDS_MAX,
    .blocks_max = 0,
    .dense_always = false,
    .plane_window_max = SCAN_PLANE_WINDOW_MAX,
    .sets = true,
    .sets_variant = CUDA_SETS_VARIANTS,
    .sets_stride = 0,
    .sets_gram = 0,
    .sets_choices = 0,
    .sets_bits = 0,
    .sets_filter_words_max = 1u << 20,
    .sets_table_words_max = UINT32_MAX,
    .sets_entries_max = 1u << 28,
    .sets_counted_min = 1u << 17,
    .sets_items_max = SCAN_SETS_ITEMS_MAX,
    .automaton = true,
    .automaton_always = false,
    .automaton_words_max = 1ull << 28,
    .automaton_kept_bytes = UINT32_MAX,
    .patient_bytes = 256u << 10,
    .tried_bytes = 4u << 20,
    .listed_min = 16,
};

static const struct cuda_limits *limits_replaced;
static struct cuda_limits limits_copy;

void cuda_limits_replace(const struct cuda_limits *limits)
{
    if (limits != NULL)
        limits_copy = *limits;
    limits_replaced = limits == NULL ? NULL : &limits_copy;
}

struct cuda_limits cuda_limits_now(void)
{
    return limits_replaced == NULL ? cuda_limits_default : *limits_replaced;
}
