/* expand: makes literals and tails from patterns whose characters have variants with other bytes,
 * such as the two cases of a letter in UTF-8.
 *
 * The first characters of a pattern become literals, one for each combination of variants, as long
 * as there are at most EXPAND_LITERALS_MAX combinations. The remaining characters are the tail. An
 * element is a character of a pattern with its variants. No character's bytes begin with another's,
 * so at each position at most one literal of a pattern matches, and the tail matches in at most one
 * way.
 */
#include "plan/steps.h"

#include <string.h>

#include "base/checked.h"
#include "base/memory.h"

#define EXPAND_LITERALS_MAX 16u

static enum trawl_status literal_append(struct trawl_plan *plan, uint32_t pattern,
                                        struct trawl_error *error)
{
    struct plan_literal literal = {plan->literal_bytes_total, 0, pattern, 0, 0, 0};

    if (plan->literal_count == UINT32_MAX)
        return TRAWL_FAIL(error, LIMIT, "the patterns need more than 2^32 literals");
    TRAWL_TRY(
        MEMORY_ROOM(plan->literals, plan->literal_capacity, plan->literal_count + 1ull, error));
    plan->literals[plan->literal_count++] = literal;
    return TRAWL_OK;
}

/* Returns true if a byte's two cases are equal. */
static bool folds(const struct trawl_plan *plan)
{
    return (plan->flags & TRAWL_WIDE) == 0;
}

/* Appends bytes, in lower case if case is ignored, to the last literal. */
static enum trawl_status bytes_append(struct trawl_plan *plan, const uint8_t *bytes, uint64_t count,
                                      struct trawl_error *error)
{
    uint64_t needed = plan->literal_bytes_total + count;

    TRAWL_TRY(MEMORY_ROOM(plan->literal_bytes, plan->literal_bytes_capacity, needed, error));
    for (uint64_t i = 0; i < count; i++)
        plan->literal_bytes[plan->literal_bytes_total + i] =
            folds(plan) ? fold_byte(bytes[i]) : bytes[i];
    plan->literal_bytes_total = needed;
    plan->literals[plan->literal_count - 1].bytes_count += count;
    return TRAWL_OK;
}

uint32_t plan_utf8_encode(uint32_t code_point, uint8_t bytes[4])
{
    TRAWL_ASSERT(code_point <= 0x10ffff);
    if (code_point < 0x80) {
        bytes[0] = (uint8_t)code_point;
        return 1;
    }
    if (code_point < 0x800) {
        bytes[0] = (uint8_t)(0xc0 | code_point >> 6);
        bytes[1] = (uint8_t)(0x80 | (code_point & 0x3f));
        return 2;
    }
    if (code_point < 0x10000) {
        bytes[0] = (uint8_t)(0xe0 | code_point >> 12);
        bytes[1] = (uint8_t)(0x80 | (code_point >> 6 & 0x3f));
        bytes[2] = (uint8_t)(0x80 | (code_point & 0x3f));
        return 3;
    }
    bytes[0] = (uint8_t)(0xf0 | code_point >> 18);
    bytes[1] = (uint8_t)(0x80 | (code_point >> 12 & 0x3f));
    bytes[2] = (uint8_t)(0x80 | (code_point >> 6 & 0x3f));
    bytes[3] = (uint8_t)(0x80 | (code_point & 0x3f));
    return 4;
}

static void element_add(const struct trawl_plan *plan, struct plan_element *element,
                        const uint8_t *bytes, uint32_t count)
{
    uint8_t folded[4] = {0};

    TRAWL_ASSERT(count > 0 && count <= sizeof folded);
    memcpy(folded, bytes, count);
    if (count == 1 && folds(plan))
        folded[0] = fold_byte(folded[0]);
    for (uint32_t i = 0; i < element->alternative_count; i++)
        if (element->alternative_bytes_count[i] == count &&
            memcmp(element->alternative[i], folded, count) == 0)
            return;
    TRAWL_ASSERT(element->alternative_count <= TRAWL_UTF8_VARIANTS_MAX);
    memcpy(element->alternative[element->alternative_count], folded, 4);
    element->alternative_bytes_count[element->alternative_count++] = (uint8_t)count;
}

static uint32_t code_point_encode(const struct trawl_plan *plan, uint32_t code_point,
                                  uint8_t bytes[4])
{
    if ((plan->flags & TRAWL_SINGLE_BYTE) == 0)
        return code_point <= 0x10ffff ? plan_utf8_encode(code_point, bytes) : 0;
    bytes[0] = (uint8_t)code_point;
    return code_point <= UINT8_MAX;
}

uint64_t plan_element_read(const struct trawl_plan *plan, const uint8_t *bytes, uint64_t count,
                           struct plan_element *element)
{
    uint32_t variants[TRAWL_UTF8_VARIANTS_MAX], code_point, variant_count;
    uint64_t taken = plan_decode(plan, bytes, count, &code_point);
    uint8_t encoded[4] = {0};

    TRAWL_ASSERT(count > 0 && taken <= count);
    element->alternative_count = 0;
    if (taken == 0) {
        element_add(plan, element, bytes, 1);
        return 1;
    }
    element_add(plan, element, bytes, (uint32_t)taken);
    variant_count = plan->utf8.variants(plan->utf8.context, code_point, variants);
    for (uint32_t i = 0; i < variant_count && i < TRAWL_UTF8_VARIANTS_MAX; i++) {
        uint32_t length = code_point_encode(plan, variants[i], encoded);

        if (length > 0)
            element_add(plan, element, encoded, length);
    }
    return taken;
}

/* Turns the alternatives of an element from UTF-8 into UTF-16LE. */
static void element_widen(struct plan_element *element)
{
    for (uint32_t i = 0; i < element->alternative_count; i++) {
        uint8_t *bytes = element->alternative[i];
        uint32_t code_point = bytes[0], low = 0;

        (void)plan_utf8_decode(bytes, element->alternative_bytes_count[i], &code_point);
        element->alternative_bytes_count[i] = code_point > 0xffff ? 4 : 2;
        if (code_point > 0xffff) {
            low = 0xdc00 | ((code_point - 0x10000) & 0x3ff);
            code_point = 0xd800 | (code_point - 0x10000) >> 10;
        }
        bytes[0] = (uint8_t)code_point;
        bytes[1] = (uint8_t)(code_point >> 8);
        bytes[2] = (uint8_t)low;
        bytes[3] = (uint8_t)(low >> 8);
    }
}

static enum trawl_status element_append(struct trawl_plan *plan, const struct plan_element *element,
                                        struct trawl_error *error)
{
    if (plan->element_count == UINT32_MAX)
        return TRAWL_FAIL(error, LIMIT, "the patterns have more than 2^32 characters");
    TRAWL_TRY(
        MEMORY_ROOM(plan->elements, plan->element_capacity, plan->element_count + 1ull, error));
    plan->elements[plan->element_count++] = *element;
    return TRAWL_OK;
}

/* Makes literal number `index` of the `variants` literals that a pattern has. It is composed from
 * the pattern's first `count` elements, which begin at plan->elements[elements]. The alternatives
 * of the last element vary fastest. */
static enum trawl_status literal_compose(struct trawl_plan *plan, uint32_t pattern,
                                         uint32_t elements, uint32_t count, uint32_t variants,
                                         uint32_t index, struct trawl_error *error)
{
    TRAWL_ASSERT(index < variants && elements + count <= plan->element_count);
    TRAWL_TRY(literal_append(plan, pattern, error));
    for (uint32_t i = 0; i < count; i++) {
        const struct plan_element *element = &plan->elements[elements + i];
        uint32_t a;

        TRAWL_ASSERT(variants % element->alternative_count == 0);
        variants /= element->alternative_count;
        a = index / variants % element->alternative_count;
        TRAWL_TRY(bytes_append(plan, element->alternative[a], element->alternative_bytes_count[a],
                               error));
    }
    return TRAWL_OK;
}

/* Removes the last literal if a literal from `first` on begins with it, or it with that literal, of
 * which the common bytes stay. */
static void merge_last(struct trawl_plan *plan, uint32_t first)
{
    const struct plan_literal last = plan->literals[plan->literal_count - 1];

    for (uint32_t i = first; i < plan->literal_count - 1; i++) {
        struct plan_literal *one = &plan->literals[i];
        const uint64_t count = min_u64(one->bytes_count, last.bytes_count);

        if (memcmp(plan->literal_bytes + one->bytes_begin, plan->literal_bytes + last.bytes_begin,
                   (size_t)count) == 0) {
            one->bytes_count = count;
            plan->literal_bytes_total -= last.bytes_count;
            plan->literal_count--;
            return;
        }
    }
}

/* Makes literals and a tail from a pattern whose characters may have variants; `wide`: in UTF-16LE.
 * Appends all elements of the pattern to plan->elements, makes literals from the first ones, and
 * removes those, so that only the tail remains. A wide literal of a single character is merged with
 * one of the pattern's literals, from `first` on, that begins alike: a pattern occurs once at a
 * place. Sets *length_max to the bytes of the longest occurrence. */
static enum trawl_status expand_utf8(struct trawl_plan *plan, uint32_t pattern, bool wide,
                                     uint32_t first, uint64_t *length_max,
                                     struct trawl_error *error)
{
    const uint8_t *bytes = plan->pattern_bytes + plan->pattern_begin[pattern];
    const uint8_t *end = plan->pattern_bytes + plan->pattern_begin[pattern + 1];
    uint32_t made = plan->literal_count, begin = plan->element_count, variants = 1, count = 0;
    uint32_t tail_count;

    while (bytes < end) {
        struct plan_element element;
        uint32_t widest = 0;

        bytes += plan_element_read(plan, bytes, (uint64_t)(end - bytes), &element);
        if (wide)
            element_widen(&element);
        for (uint32_t i = 0; i < element.alternative_count; i++)
            widest = (uint32_t)max_u64(widest, element.alternative_bytes_count[i]);
        *length_max += widest;
        if (count == plan->element_count - begin &&
            variants * element.alternative_count <= EXPAND_LITERALS_MAX) {
            variants *= element.alternative_count;
            count++;
        }
        TRAWL_TRY(element_append(plan, &element, error));
    }
    tail_count = plan->element_count - begin - count;
    for (uint32_t i = 0; i < variants; i++) {
        TRAWL_TRY(literal_compose(plan, pattern, begin, count, variants, i, error));
        if (wide && plan->element_count - begin == 1)
            merge_last(plan, first);
    }
    TRAWL_ASSERT(begin + count <= plan->element_count && variants <= EXPAND_LITERALS_MAX);
    memmove(plan->elements + begin, plan->elements + begin + count,
            tail_count * sizeof *plan->elements);
    plan->element_count = begin + tail_count;
    for (uint32_t i = made; i < plan->literal_count; i++) {
        plan->literals[i].tail_begin = begin;
        plan->literals[i].tail_count = tail_count;
    }
    return TRAWL_OK;
}

enum trawl_status expand_variants(struct trawl_plan *plan, struct trawl_error *error)
{
    TRAWL_TRY(MEMORY_ROOM(plan->literals, plan->literal_capacity, plan->pattern_count, error));
    TRAWL_TRY(MEMORY_ROOM(plan->literal_bytes, plan->literal_bytes_capacity,
                          plan->pattern_begin[plan->pattern_count], error));
    for (uint64_t pattern = 0; pattern < plan->pattern_count; pattern++) {
        uint32_t first = plan->literal_count;
        uint64_t length_max = 0, wide_max = 0;

        TRAWL_TRY(expand_utf8(plan, (uint32_t)pattern, false, first, &length_max, error));
        if ((plan->flags & TRAWL_WIDE) != 0)
            TRAWL_TRY(expand_utf8(plan, (uint32_t)pattern, true, first, &wide_max, error));
        plan->length_max = max_u64(plan->length_max, max_u64(length_max, wide_max));
        for (uint32_t i = first; i < plan->literal_count; i++)
            plan->length_min = min_u64(plan->length_min, plan->literals[i].bytes_count);
    }
    return TRAWL_OK;
}
