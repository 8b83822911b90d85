/* dense_set: the strings of a set, in the order of their ends, shared by all threads. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "cpu/dense.h"

/* A string, while they are sorted. */
struct item {
    uint64_t tail;      /* the last eight bytes, the last one most significant; 0 before them */
    const uint8_t *end; /* behind the last byte */
    uint64_t count;
    uint32_t string;
};

/* By the reversed bytes alone. */
static int compare_bytes(const struct item *a, const struct item *b)
{
    uint64_t both = min_u64(a->count, b->count), i = min_u64(both, sizeof a->tail);

    if (a->tail != b->tail && both >= sizeof a->tail)
        return a->tail < b->tail ? -1 : 1;
    for (i = both < sizeof a->tail ? 0 : i; i < both; i++)
        if (*(a->end - 1 - i) != *(b->end - 1 - i))
            return *(a->end - 1 - i) < *(b->end - 1 - i) ? -1 : 1;
    return (a->count > b->count) - (a->count < b->count);
}

static int compare_items(const void *first, const void *second)
{
    const struct item *a = (const struct item *)first, *b = (const struct item *)second;
    int order = compare_bytes(a, b);

    return order != 0 ? order : (a->string > b->string) - (a->string < b->string);
}

static struct item item_of(const struct dense_set *set, uint32_t string)
{
    uint64_t count = set->strings[string].bytes_count;
    struct item item = {0, set->bytes + set->strings[string].bytes_begin + count, count, string};

    TRAWL_ASSERT(count > 0);
    for (uint64_t i = 0; i < sizeof item.tail; i++)
        item.tail = item.tail << 8 | (i < count ? *(item.end - 1 - i) : 0);
    return item;
}

/* Sort the strings, those with the same bytes next to each other. */
static enum trawl_status sort_strings(struct dense_set *set, struct trawl_error *error)
{
    struct item *items;
    void *memory;

    TRAWL_ASSERT(set->count > 0 && set->end_count == 0);
    TRAWL_TRY(memory_allocate(set->count, sizeof *set->sorted, &memory, error));
    set->sorted = (uint32_t *)memory;
    TRAWL_TRY(memory_allocate(set->count, sizeof *set->ends, &memory, error));
    set->ends = (struct dense_end *)memory;
    TRAWL_TRY(memory_allocate(set->count, sizeof *items, &memory, error));
    items = (struct item *)memory;
    for (uint32_t i = 0; i < set->count; i++) {
        items[i] = item_of(set, i);
        set->length_max = max_u64(set->length_max, items[i].count);
    }
    qsort(items, set->count, sizeof *items, compare_items);
    for (uint32_t i = 0; i < set->count; i++) {
        set->sorted[i] = items[i].string;
        if (i > 0 && compare_bytes(&items[i - 1], &items[i]) == 0)
            set->ends[set->end_count - 1].alike++;
        else
            set->ends[set->end_count++] = (struct dense_end){i, 1, PLAN_NONE, 0};
    }
    memory_release(items, set->count, sizeof *items);
    return TRAWL_OK;
}

/* Byte classes: what no string holds is one, unless there is no such; each other byte, in its two
 * cases if case is ignored, one more. */
static void make_classes(struct dense_set *set, bool fold)
{
    bool held[256] = {false};
    uint32_t count = 0;

    for (uint32_t i = 0; i < set->count; i++)
        for (uint64_t j = 0; j < set->strings[i].bytes_count; j++)
            held[set->bytes[set->strings[i].bytes_begin + j]] = true;
    for (uint32_t byte = 0; byte < 256; byte++)
        count += held[byte];
    set->classes = count < 256;
    for (uint32_t byte = 0; byte < 256; byte++)
        if (held[byte])
            set->class_of[byte] = (uint8_t)set->classes++;
    for (uint32_t byte = 'A'; byte <= 'Z' && fold; byte++)
        set->class_of[byte] = set->class_of[byte | 0x20];
    TRAWL_ASSERT(set->classes > 0 && set->classes <= 256);
}

static void dense_free(void *object)
{
    struct dense_set *set = (struct dense_set *)object;

    if (set == NULL)
        return;
    memory_release(set->cells, set->cell_count, sizeof *set->cells);
    memory_release(set->sorted, set->count, sizeof *set->sorted);
    memory_release(set->ends, set->count, sizeof *set->ends);
    memory_release(set->own_strings, set->count, sizeof *set->own_strings);
    memory_release(set->own_bytes, set->own_bytes_count, 1);
    dense_fold_free(set->fold);
    memory_release(set, 1, sizeof *set);
}

/* The set's own list of the plan's literals. */
static enum trawl_status own_literals(const struct trawl_plan *plan, struct dense_set *set,
                                      struct trawl_error *error)
{
    void *memory;

    TRAWL_TRY(memory_allocate(set->count, sizeof *set->own_strings, &memory, error));
    set->own_strings = (struct plan_literal *)memory;
    for (uint32_t i = 0; i < set->count; i++)
        set->own_strings[i] = plan_literal_at(plan, i);
    set->strings = set->own_strings;
    return TRAWL_OK;
}

static enum trawl_status dense_build(const struct trawl_plan *plan, struct dense_set **set_out,
                                     struct trawl_error *error)
{
    enum trawl_status status = TRAWL_OK;
    struct dense_set *set;
    void *memory;

    TRAWL_TRY(memory_allocate_zeroed(1, sizeof *set, &memory, error));
    set = (struct dense_set *)memory;
    set->bytes = plan->literal_bytes;
    set->count = plan->literal_count;
    set->strings = plan->literals;
    if (plan->literals == NULL)
        TRAWL_TRY_DONE(own_literals(plan, set, error));
    if (plan->element_count > 0)
        TRAWL_TRY_DONE(dense_fold_strings(plan, set, error));
    if (!set->unfit) {
        make_classes(set, set->fold == NULL && (plan->flags & TRAWL_IGNORE_CASE) != 0);
        TRAWL_TRY_DONE(sort_strings(set, error));
        TRAWL_TRY_DONE(dense_automaton_make(set, error));
    }
    *set_out = set;
    set = NULL;
done:
    dense_free(set);
    return status;
}

/* For all plans alike: a set is made once in a plan's life, and rarely. */
static pthread_mutex_t dense_lock = PTHREAD_MUTEX_INITIALIZER;

enum trawl_status dense_want(const struct trawl_plan *plan, const struct dense_set **set,
                             struct trawl_error *error)
{
    enum trawl_status status = TRAWL_OK;
    struct dense_set *made = NULL;

    (void)pthread_mutex_lock(&dense_lock);
    if (plan->dense->object == NULL) {
        status = dense_build(plan, &made, error);
        plan->dense->object = made;
        plan->dense->release = dense_free;
    }
    *set = (const struct dense_set *)plan->dense->object;
    (void)pthread_mutex_unlock(&dense_lock);
    return status;
}

bool dense_is_there(const struct trawl_plan *plan)
{
    bool there;

    if (pthread_mutex_trylock(&dense_lock) != 0)
        return false; /* one is being made */
    there = plan->dense->object != NULL;
    (void)pthread_mutex_unlock(&dense_lock);
    return there;
}
