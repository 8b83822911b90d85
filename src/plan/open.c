/* open: tells up to which position the occurrences near the end of a text are certain, whatever
 * bytes follow. Looks up, in the sorted literals, whether some literal begins with the last bytes
 * of the text. */
#include "base/checked.h"
#include "base/memory.h"
#include "plan/backwards.h"
#include "plan/plan.h"

/* After WORK_MIN + WORK_PER_BYTE × (bytes of the text so far) compared bytes, the work ends:
 * occurrences at the remaining positions count as not certain yet. */
#define WORK_MIN (1u << 20)
#define WORK_PER_BYTE 64u

/* The literals' own bytes (without tails), sorted as in a dictionary. */
struct plan_order {
    uint32_t count;
    struct backwards *strings;
};

static void order_release(void *object)
{
    struct plan_order *order = (struct plan_order *)object;

    memory_release(order->strings, order->count, sizeof *order->strings);
    memory_release(order, 1, sizeof *order);
}

static enum trawl_status order_make(const void *from, void **object, struct trawl_error *error)
{
    const struct trawl_plan *plan = (const struct trawl_plan *)from;
    struct plan_order *order = NULL;
    enum trawl_status status;

    TRAWL_TRY(MEMORY_NEW(order, 1, error));
    *order = (struct plan_order){.count = plan->literal_count};
    TRAWL_TRY_DONE(MEMORY_NEW(order->strings, order->count, error));
    for (uint32_t i = 0; i < plan->literal_count; i++) {
        uint64_t count = plan_literal_at(plan, i).bytes_count;

        order->strings[i] =
            (struct backwards){plan_literal_bytes(plan, i) + count, (uint32_t)count, i, 0};
    }
    TRAWL_TRY_DONE(backwards_sort_forwards(order->strings, order->count, error));
    *object = order;
done:
    if (status != TRAWL_OK)
        order_release(order);
    return status;
}

/* A check of the end of the bytes that a text has so far. */
struct look {
    const struct trawl_plan *plan;
    const struct plan_order *order;
    const uint8_t *bytes;
    uint64_t have;
    uint64_t work; /* compared bytes */
};

/* Compares the bytes [begin, end) with the sorted literals. Sets *is_string to whether some literal
 * has these bytes, and *is_begin to whether some longer literal begins with these bytes. */
static void look_up(struct look *look, uint64_t begin, uint64_t end, bool *is_string,
                    bool *is_begin)
{
    const bool folds = (look->plan->flags & TRAWL_IGNORE_CASE) != 0;
    const uint8_t *text = look->bytes + begin;
    uint64_t lo = 0, hi = look->order->count, count = end - begin;

    *is_string = *is_begin = false;
    while (lo < hi) {
        uint64_t middle = lo + (hi - lo) / 2;
        const struct backwards *string = &look->order->strings[middle];
        const uint8_t *bytes = string->end - string->bytes_count;
        uint64_t most = min_u64(string->bytes_count, count);
        uint64_t same = plan_mismatch(look->plan, bytes, text, most);
        bool is_greater = string->bytes_count > count;

        look->work += same + 1;
        if (same < most)
            is_greater = bytes[same] > (folds ? fold_byte(text[same]) : text[same]);
        else if (is_greater)
            *is_begin = true;
        else
            *is_string |= string->bytes_count == count;
        if (is_greater)
            hi = middle;
        else
            lo = middle + 1;
    }
}

/* Returns true if the literal, which has a tail, may still occur at `begin` with bytes to come. */
static bool tail_is_open(struct look *look, uint32_t index, uint64_t begin)
{
    const struct plan_literal literal = plan_literal_at(look->plan, index);
    const uint8_t *text = look->bytes + begin;
    uint64_t count = look->have - begin, same = min_u64(literal.bytes_count, count), length;

    look->work += same + 1;
    if (literal.tail_count == 0 ||
        plan_mismatch(look->plan, plan_literal_bytes(look->plan, index), text, same) < same)
        return false;
    if (count < literal.bytes_count || plan_tail_is_open(look->plan, &literal, text, count))
        return true;
    length = plan_tail_match(look->plan, &literal, text, count, &same);
    return length > 0 && !plan_end_is_decided(look->plan, text + length, count - length);
}

/* Returns true if bytes to come may decide about an occurrence that begins at `begin`. */
static bool is_open(struct look *look, uint64_t begin)
{
    const struct trawl_plan *plan = look->plan;
    bool is_string, is_begin;

    look_up(look, begin, look->have, &is_string, &is_begin);
    if (is_begin)
        return true;
    for (uint64_t end = look->have; plan_has_conditions(plan) && end > begin; end--) {
        if (look->have - end >= 4)
            break;
        if (plan_end_is_decided(plan, look->bytes + end, look->have - end))
            continue;
        look_up(look, begin, end, &is_string, &is_begin);
        if (is_string)
            return true;
    }
    for (uint32_t i = 0; plan->element_count > 0 && i < plan->literal_count; i++)
        if (tail_is_open(look, i, begin))
            return true;
    return false;
}

uint64_t plan_decided(const struct trawl_plan *plan, const uint8_t *bytes, uint64_t before,
                      uint64_t have)
{
    struct look look = {.plan = plan, .bytes = bytes, .have = have};
    uint64_t work_max = saturating_add(WORK_MIN, saturating_multiply(WORK_PER_BYTE, have));
    uint64_t begin = have - min_u64(have, plan->need_after);
    const void *order;

    if (plan_judges(plan) || plan->literal_count == 0 || plan->length_max > UINT32_MAX ||
        attachment_want(&plan->attached[PLAN_ORDER], plan, order_make, order_release, &order,
                        NULL) != TRAWL_OK)
        return begin;
    look.order = (const struct plan_order *)order;
    while (begin < have && look.work < work_max &&
           (!plan_accepts_begin(plan, bytes, begin, before) || !is_open(&look, begin)))
        begin++;
    return begin;
}
