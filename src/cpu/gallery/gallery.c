/* gallery: the loop that runs the published algorithms, one literal after the other. */
#include "cpu/gallery/gallery.h"

#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "cpu/lane.h"

#define STEP_ALONE (1u << 20) /* begins per step of one literal that takes the text as it is */

struct algorithm {
    void (*prepare)(struct gallery_search *search);
    uint64_t (*next)(struct gallery_search *search, const uint8_t *text, uint64_t limit);
};

static const struct algorithm algorithms[PLAN_ALGORITHM_COUNT] = {
#define GALLERY_ROW(enumerator, name) \
    [PLAN_ALGORITHM_##enumerator] = {gallery_##name##_prepare, gallery_##name##_next},
    GALLERY_TEXT_LIST(GALLERY_ROW)
#undef GALLERY_ROW
};

/* Does the algorithm work on a copy of the text: folded, or closed by a NUL? */
static bool needs_copy(const struct trawl_plan *plan)
{
    return (plan->flags & TRAWL_IGNORE_CASE) != 0 || plan->algorithm == PLAN_ALGORITHM_STRSTR;
}

/* A step's begins, and the rest of the longest occurrence at the last of them. */
static uint64_t text_bytes_max(const struct trawl_plan *plan)
{
    uint64_t step = max_u64(SETTLE_STEP, saturating_multiply(2, plan->length_max));

    return saturating_add(step, plan->length_max);
}

enum trawl_status gallery_begin(struct gallery_lane *lane, const struct trawl_plan *plan,
                                struct trawl_error *error)
{
    uint64_t bytes;
    void *memory;

    if ((plan_engines(plan) & 1u << TRAWL_ENGINE_CPU) == 0)
        return TRAWL_FAIL(error, UNSUPPORTED,
                          "algorithm %s as asked for is one of the engine \"cuda\" alone, which "
                          "must be asked for too",
                          plan_algorithm_name(plan->algorithm));
    lane->prepared = PLAN_NONE;
    lane->copied_at = UINT64_MAX;
    if (algorithms[plan->algorithm].next == NULL || !needs_copy(plan))
        return TRAWL_OK;
    bytes = saturating_add(text_bytes_max(plan), saturating_add(plan->length_max, 2));
    if (bytes <= lane->copy_bytes_max)
        return TRAWL_OK;
    gallery_end(lane);
    TRAWL_TRY(memory_allocate(bytes, 1, &memory, error));
    lane->copy = (uint8_t *)memory;
    lane->copy_bytes_max = bytes;
    return TRAWL_OK;
}

void gallery_end(struct gallery_lane *lane)
{
    memory_release(lane->copy, lane->copy_bytes_max, 1);
    lane->copy = NULL;
    lane->copy_bytes_max = 0;
}

/* Copy what a step needs: begins from scan->at, and all bytes of the longest literal at the last of
 * them. */
static void copy_step(struct scan *scan)
{
    struct gallery_lane *lane = &scan->lane->gallery;
    const uint8_t *text = scan->chunk->bytes + scan->at;
    uint64_t count = min_u64(scan->available - scan->at, text_bytes_max(scan->plan));

    TRAWL_ASSERT(count < lane->copy_bytes_max);
    lane->copied_at = scan->at;
    if ((scan->plan->flags & TRAWL_IGNORE_CASE) == 0)
        memcpy(lane->copy, text, (size_t)count);
    else
        for (uint64_t i = 0; i < count; i++)
            lane->copy[i] = fold_byte(text[i]);
    lane->copy[count] = '\0';
}

static void prepare(struct gallery_lane *lane, const struct trawl_plan *plan, uint32_t index)
{
    uint64_t count = plan->literals[index].bytes_count;

    if (lane->prepared == index)
        return;
    lane->search.bytes = plan_literal_bytes(plan, index);
    lane->search.count = count;
    if (plan->algorithm == PLAN_ALGORITHM_STRSTR) { /* wants a NUL behind the literal */
        uint8_t *copy = lane->copy + text_bytes_max(plan) + 1;

        memcpy(copy, lane->search.bytes, (size_t)count);
        copy[count] = '\0';
        lane->search.bytes = copy;
    }
    algorithms[plan->algorithm].prepare(&lane->search);
    lane->prepared = index;
}

static void search_literal(struct scan *scan, uint32_t index, uint64_t to)
{
    struct gallery_lane *lane = &scan->lane->gallery;
    const struct algorithm *algorithm = &algorithms[scan->plan->algorithm];
    const uint8_t *text = scan->chunk->bytes + scan->at;
    uint64_t x;

    if (needs_copy(scan->plan)) {
        if (lane->copied_at != scan->at)
            copy_step(scan);
        text = lane->copy;
    }
    prepare(lane, scan->plan, index);
    lane->search.at = 0;
    lane->search.rolling_known = false;
    scan->over = false; /* one literal's first hit ends this literal alone */
    while (!scan->over && (x = algorithm->next(&lane->search, text, to - scan->at)) != UINT64_MAX) {
        TRAWL_ASSERT(x < to - scan->at);
        settle_occurrence(scan, index, scan->at + x);
    }
}

void gallery_scan(struct scan *scan)
{
    bool alone = scan->plan->literal_count == 1 && !needs_copy(scan->plan);

    TRAWL_ASSERT(algorithms[scan->plan->algorithm].next != NULL);
    scan->lane->gallery.copied_at = UINT64_MAX;
    settle_steps(scan, alone ? STEP_ALONE : SETTLE_STEP, search_literal);
}
