/* dense_set: the order of a set's strings by their ends, shared by all threads. */
#include "cpu/dense.h"

#include <pthread.h>
#include <string.h>

#include "base/checked.h"
#include "base/memory.h"

#define KEY_BYTES 8u
#define REST_MORE (KEY_BYTES + 1) /* the string goes on after these bytes */
#define PENDING_MAX 96u           /* halves of halves: more than log2 of any count, for two loops */

/* A string at some depth of its bytes or reversed bytes: the next eight, the first one most
 * significant. */
struct item {
    uint64_t key;
    uint32_t string;
    uint32_t rest; /* how many of the eight there are, REST_MORE if more follow */
};

static void item_load(const struct dense_set *set, bool reversed, uint64_t depth, struct item *item)
{
    const struct plan_literal *string = &set->strings[item->string];
    uint64_t left = string->bytes_count - depth;
    const uint8_t *begin = set->bytes + string->bytes_begin;
    uint64_t count = min_u64(left, KEY_BYTES);

    TRAWL_ASSERT(item->string < set->count && depth < string->bytes_count);
    item->key = 0;
    TRAWL_ASSERT(count > 0 && count <= KEY_BYTES);
    if (reversed) {
        memcpy((uint8_t *)&item->key + (KEY_BYTES - count), begin + left - count, (size_t)count);
    } else {
        memcpy(&item->key, begin + depth, (size_t)count);
        item->key = __builtin_bswap64(item->key);
    }
    item->rest = (uint32_t)min_u64(left, REST_MORE);
}

static int item_compare(const struct item *a, const struct item *b)
{
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    if (a->rest != b->rest)
        return a->rest < b->rest ? -1 : 1;
    if (a->rest == REST_MORE) /* not distinguished yet */
        return 0;
    return (a->string > b->string) - (a->string < b->string);
}

struct range {
    uint64_t lo, hi, depth;
};

static inline void swap_items(struct item *a, struct item *b)
{
    struct item other = *a;

    *a = *b;
    *b = other;
}

/* Items [lo, hi) in three parts around one of them: less, alike [*from, *to), greater. */
static void partition(struct item *items, uint64_t lo, uint64_t hi, uint64_t pick, uint64_t *from,
                      uint64_t *to)
{
    struct item pivot = items[lo + pick % (hi - lo)];
    uint64_t less = lo, i = lo, greater = hi;

    TRAWL_ASSERT(lo < hi);
    while (i < greater) {
        int order = item_compare(&items[i], &pivot);

        if (order < 0)
            swap_items(&items[less++], &items[i++]);
        else if (order > 0)
            swap_items(&items[i], &items[--greater]);
        else
            i++;
    }
    TRAWL_ASSERT(lo <= less && less < greater && greater <= hi);
    *from = less;
    *to = greater;
}

/* The three parts of a range to `pending`, the largest first, so that few ever wait. */
static uint32_t wait_parts(struct range parts[3], struct range *pending, uint32_t waiting)
{
    for (uint32_t i = 0; i < 3; i++)
        for (uint32_t j = i + 1; j < 3; j++)
            if (parts[j].hi - parts[j].lo > parts[i].hi - parts[i].lo) {
                struct range other = parts[i];

                parts[i] = parts[j];
                parts[j] = other;
            }
    TRAWL_ASSERT(parts[0].hi - parts[0].lo >= parts[2].hi - parts[2].lo);
    for (uint32_t i = 0; i < 3; i++)
        if (parts[i].hi - parts[i].lo > 1) {
            TRAWL_ASSERT(waiting < PENDING_MAX);
            pending[waiting++] = parts[i];
        }
    return waiting;
}

/* Quicksort of strings (Bentley and Sedgewick, "Fast algorithms for sorting and searching strings",
 * 1997), eight bytes at a time. */
static void sort_items(const struct dense_set *set, bool reversed, struct item *items,
                       uint64_t count)
{
    struct range pending[PENDING_MAX] = {{0, count, 0}};
    uint32_t waiting = count > 1;
    uint64_t random = 0x9e3779b97f4a7c15ull;

    for (uint64_t i = 0; i < count; i++)
        item_load(set, reversed, 0, &items[i]);
    while (waiting > 0) {
        struct range now = pending[--waiting], parts[3];
        uint64_t from, to;

        random = random * 6364136223846793005ull + 1442695040888963407ull;
        partition(items, now.lo, now.hi, random >> 33, &from, &to);
        parts[0] = (struct range){now.lo, from, now.depth};
        parts[1] = (struct range){from, to, now.depth + KEY_BYTES};
        parts[2] = (struct range){to, now.hi, now.depth};
        TRAWL_ASSERT(now.lo <= from && from < to && to <= now.hi);
        TRAWL_ASSERT(now.depth < set->length_max);
        if (items[from].rest != REST_MORE)
            parts[1].hi = from; /* one string */
        else if (to - from > 1)
            for (uint64_t i = from; i < to; i++)
                item_load(set, reversed, parts[1].depth, &items[i]);
        waiting = wait_parts(parts, pending, waiting);
    }
}

/* Byte classes: what no string holds is one, unless there is no such; each other byte, in its two
 * cases if case is ignored, one more. Those that the strings hold most come first, so that most of
 * a state's transitions lie in one line of the cache. */
static void order_classes(struct dense_set *set, bool fold)
{
    uint64_t times[256] = {0};
    uint32_t count = 0;

    for (uint32_t i = 0; i < set->count; i++)
        for (uint64_t j = 0; j < set->strings[i].bytes_count; j++)
            times[set->bytes[set->strings[i].bytes_begin + j]]++;
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t at = count;

        if (times[byte] == 0)
            continue;
        for (; at > 0 && times[set->byte_of[at - 1]] < times[byte]; at--)
            set->byte_of[at] = set->byte_of[at - 1];
        set->byte_of[at] = (uint8_t)byte;
        count++;
    }
    set->class_first = count < 256;
    set->classes = set->class_first + count;
    if (set->class_first > 0)
        memmove(set->byte_of + 1, set->byte_of, count);
    for (uint32_t class = set->class_first; class < set->classes; class ++)
        set->class_of[set->byte_of[class]] = (uint8_t) class;
    for (uint32_t byte = 'A'; byte <= 'Z' && fold; byte++)
        set->class_of[byte] = set->class_of[byte | 0x20];
    TRAWL_ASSERT(set->classes > 0 && set->classes <= 256);
    set->class_bits = 1;
    while (1u << set->class_bits < set->classes)
        set->class_bits++;
    TRAWL_ASSERT(set->class_bits <= 8);
}

static const uint8_t *string_bytes(const struct dense_set *set, uint32_t string)
{
    return set->bytes + set->strings[string].bytes_begin;
}

static bool is_prefix(const struct dense_set *set, uint32_t first, uint32_t string)
{
    uint64_t count = set->strings[first].bytes_count;

    return count <= set->strings[string].bytes_count &&
           memcmp(string_bytes(set, first), string_bytes(set, string), (size_t)count) == 0;
}

/* From `string` of nested the rest. The strings that are a prefix of one are those of the string
 * before it that are. */
static void order_nested(struct dense_set *set)
{
    struct dense_string *nested = set->nested;
    uint32_t before = PLAN_NONE, shorter;

    for (uint32_t i = 0, next; i < set->sorted_count; before = i, i = next) {
        uint64_t count = set->strings[nested[i].string].bytes_count;

        for (next = i + 1; next < set->sorted_count; next++)
            if (set->strings[nested[next].string].bytes_count != count ||
                !is_prefix(set, nested[i].string, nested[next].string))
                break;
            else
                nested[next].shorter = i;
        shorter = before;
        while (shorter != PLAN_NONE && !is_prefix(set, nested[shorter].string, nested[i].string))
            shorter = nested[shorter].shorter;
        TRAWL_ASSERT(shorter == PLAN_NONE || shorter < i);
        nested[i].alike = next - i;
        nested[i].shorter = shorter;
        nested[i].outputs = next - i + (shorter == PLAN_NONE ? 0 : nested[shorter].outputs);
        TRAWL_ASSERT(nested[i].outputs <= next);
    }
}

/* Sort all strings but those too long for the automaton. */
static enum trawl_status order(struct dense_set *set, bool fold, struct trawl_error *error)
{
    struct item *items = NULL;
    void *memory;

    TRAWL_TRY(memory_allocate(set->count, sizeof *set->sorted, &memory, error));
    set->sorted = (uint32_t *)memory;
    TRAWL_TRY(memory_allocate(set->count, sizeof *set->lengthy, &memory, error));
    set->lengthy = (uint32_t *)memory;
    TRAWL_TRY(memory_allocate_zeroed(set->count, sizeof *set->nested, &memory, error));
    set->nested = (struct dense_string *)memory;
    TRAWL_TRY(memory_allocate(set->count, sizeof *set->tails, &memory, error));
    set->tails = (uint64_t *)memory;
    TRAWL_TRY(memory_allocate(set->count, sizeof *set->nested_at, &memory, error));
    set->nested_at = (uint32_t *)memory;
    TRAWL_TRY(memory_allocate(set->count, sizeof *items, &memory, error));
    items = (struct item *)memory;
    TRAWL_ASSERT(set->sorted_count == 0 && set->lengthy_count == 0);
    order_classes(set, fold);
    for (uint32_t i = 0; i < set->count; i++) {
        if (set->strings[i].bytes_count > dense_nodes_max(set) / 4) {
            set->lengthy[set->lengthy_count++] = i;
            continue;
        }
        items[set->sorted_count++].string = i;
        set->length_max = max_u64(set->length_max, set->strings[i].bytes_count);
    }
    TRAWL_ASSERT(set->sorted_count + set->lengthy_count == set->count);
    sort_items(set, false, items, set->sorted_count);
    for (uint32_t i = 0; i < set->sorted_count; i++) {
        item_load(set, false, 0, &items[i]);
        set->nested[i].head = items[i].key;
        set->nested[i].string = items[i].string;
        set->nested_at[items[i].string] = i;
    }
    order_nested(set);
    sort_items(set, true, items, set->sorted_count);
    for (uint32_t i = 0; i < set->sorted_count; i++) {
        item_load(set, true, 0, &items[i]);
        set->tails[i] = items[i].key;
        set->sorted[i] = items[i].string;
    }
    memory_release(items, set->count, sizeof *items);
    return TRAWL_OK;
}

static void dense_free(void *object)
{
    struct dense_set *set = (struct dense_set *)object;

    if (set == NULL)
        return;
    memory_release(set->sorted, set->count, sizeof *set->sorted);
    memory_release(set->nested, set->count, sizeof *set->nested);
    memory_release(set->tails, set->count, sizeof *set->tails);
    memory_release(set->nested_at, set->count, sizeof *set->nested_at);
    memory_release(set->lengthy, set->count, sizeof *set->lengthy);
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
    if (!set->unfit)
        TRAWL_TRY_DONE(
            order(set, set->fold == NULL && (plan->flags & TRAWL_IGNORE_CASE) != 0, error));
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
