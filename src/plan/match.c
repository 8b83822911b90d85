/* match: compares a literal with the text at one position, checks the conditions on an occurrence
 * (whole words, whole lines), and decides which occurrences cannot change when a stream goes on. */
#include <string.h>

#include "base/bytes.h"
#include "base/checked.h"
#include "plan/plan.h"
#include "plan/prices.def"

/* Replaces A-Z with a-z in each of eight bytes. `upper` gets the high bit of each byte in A..Z: the
 * first sum sets it for bytes ≥ 'A', the second for bytes > 'Z'; bytes ≥ 0x80 are masked out. */
static uint64_t fold_word(uint64_t word)
{
    uint64_t low = word & 0x7f7f7f7f7f7f7f7full;
    uint64_t upper = (low + 0x3f3f3f3f3f3f3f3full) & ~(low + 0x2525252525252525ull) & ~word &
                     0x8080808080808080ull;

    return word | (upper >> 2);
}

/* Implements plan_mismatch. `fold` is a compile-time constant. */
static inline __attribute__((always_inline)) uint64_t mismatch(const uint8_t *literal,
                                                               const uint8_t *text, uint64_t count,
                                                               bool fold)
{
    uint64_t i = 0;

    for (; i + 8 <= count; i += 8) {
        uint64_t word = bytes_load64(text + i);
        uint64_t difference = bytes_load64(literal + i) ^ (fold ? fold_word(word) : word);

        if (difference != 0)
            return i + (uint64_t)__builtin_ctzll(difference) / 8;
    }
    for (; i < count; i++)
        if (literal[i] != (fold ? fold_byte(text[i]) : text[i]))
            return i;
    return count;
}

uint64_t plan_mismatch(const struct trawl_plan *plan, const uint8_t *literal, const uint8_t *text,
                       uint64_t count)
{
    return (plan->flags & TRAWL_IGNORE_CASE) == 0 ? mismatch(literal, text, count, false)
                                                  : mismatch(literal, text, count, true);
}

/* Returns how many bytes of the text the element (a character with its variants) matches; 0 if the
 * text has none of its alternatives. */
static uint64_t element_match(const struct plan_element *element, const uint8_t *text,
                              uint64_t text_bytes)
{
    for (uint32_t i = 0; i < element->alternative_count; i++) {
        uint64_t count = element->alternative_bytes_count[i];

        if (count > text_bytes)
            continue;
        if (count == 1 ? element->alternative[i][0] == fold_byte(text[0])
                       : memcmp(element->alternative[i], text, count) == 0)
            return count;
    }
    return 0;
}

uint64_t plan_tail_match(const struct trawl_plan *plan, const struct plan_literal *literal,
                         const uint8_t *text, uint64_t text_bytes, uint64_t *looked)
{
    uint64_t count = literal->bytes_count;

    TRAWL_ASSERT(count <= text_bytes);
    TRAWL_ASSERT((uint64_t)literal->tail_begin + literal->tail_count <= plan->element_count);
    for (*looked = 0; *looked < literal->tail_count; (*looked)++) {
        uint64_t taken = element_match(&plan->elements[literal->tail_begin + *looked], text + count,
                                       text_bytes - count);

        if (taken == 0)
            return 0;
        count += taken;
    }
    return count;
}

bool plan_tail_is_open(const struct trawl_plan *plan, const struct plan_literal *literal,
                       const uint8_t *text, uint64_t text_bytes)
{
    uint64_t at = literal->bytes_count;

    for (uint32_t i = 0; i < literal->tail_count; i++) {
        const struct plan_element *element = &plan->elements[literal->tail_begin + i];
        uint64_t left = text_bytes - at, taken = element_match(element, text + at, left);

        for (uint32_t a = 0; taken == 0 && a < element->alternative_count; a++)
            if (element->alternative_bytes_count[a] > left &&
                memcmp(element->alternative[a], text + at, (size_t)left) == 0)
                return true;
        if (taken == 0)
            return false;
        at += taken;
    }
    return false;
}

uint64_t plan_literal_match(const struct trawl_plan *plan, const struct plan_literal *literal,
                            const uint8_t *text, uint64_t text_bytes)
{
    uint64_t count = literal->bytes_count, looked;

    TRAWL_ASSERT(literal->bytes_begin + count <= plan->literal_bytes_total);
    if (count > text_bytes ||
        plan_mismatch(plan, plan->literal_bytes + literal->bytes_begin, text, count) != count)
        return 0;
    return plan_tail_match(plan, literal, text, text_bytes, &looked);
}

static bool is_ascii_word(uint8_t byte)
{
    return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
           (byte >= 'A' && byte <= 'Z') || byte == '_';
}

/* Returns the length of a UTF-8 character that begins with this byte; 0 if none begins with it. */
static uint64_t utf8_length(uint8_t first)
{
    if (first < 0x80)
        return 1;
    if (first < 0xc2 || first > 0xf4)
        return 0;
    return first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
}

uint64_t plan_utf8_decode(const uint8_t *bytes, uint64_t count, uint32_t *code_point)
{
    static const uint32_t min[5] = {0, 0, 0x80, 0x800, 0x10000};
    uint64_t length;
    uint32_t value;

    if (count == 0)
        return 0;
    if (bytes[0] < 0x80) {
        *code_point = bytes[0];
        return 1;
    }
    length = utf8_length(bytes[0]);
    if (length == 0 || length > count)
        return 0;
    value = bytes[0] & (0x7fu >> length);
    for (uint64_t i = 1; i < length; i++) {
        if ((bytes[i] & 0xc0) != 0x80)
            return 0;
        value = value << 6 | (bytes[i] & 0x3f);
    }
    if (value < min[length] || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff))
        return 0;
    *code_point = value;
    return length;
}

uint64_t plan_decode(const struct trawl_plan *plan, const uint8_t *bytes, uint64_t count,
                     uint32_t *code_point)
{
    if ((plan->flags & TRAWL_SINGLE_BYTE) == 0)
        return plan_utf8_decode(bytes, count, code_point);
    if (count > 0)
        *code_point = bytes[0];
    return count > 0;
}

static bool word_follows(const struct trawl_plan *plan, const uint8_t *bytes, uint64_t count)
{
    uint32_t code_point;

    if (count == 0)
        return false;
    if (bytes[0] < 0x80 || !plan->utf8_is_set)
        return is_ascii_word(bytes[0]);
    if (plan_decode(plan, bytes, count, &code_point) == 0)
        return (plan->flags & TRAWL_STRICT_WORD) != 0;
    return plan->utf8.is_word(plan->utf8.context, code_point);
}

static bool word_precedes(const struct trawl_plan *plan, const uint8_t *end, uint64_t count)
{
    uint32_t code_point;
    uint64_t back = 1;

    if (count == 0)
        return false;
    if (end[-1] < 0x80 || !plan->utf8_is_set)
        return is_ascii_word(end[-1]);
    while ((plan->flags & TRAWL_SINGLE_BYTE) == 0 && back < 4 && back < count &&
           (end[-(int64_t)back] & 0xc0) == 0x80)
        back++;
    if (plan_decode(plan, end - back, back, &code_point) != back)
        return (plan->flags & TRAWL_STRICT_WORD) != 0;
    return plan->utf8.is_word(plan->utf8.context, code_point);
}

static bool ends_line(const struct trawl_plan *plan, uint8_t byte)
{
    return byte == plan->line_end || byte == plan->line_end_also;
}

bool plan_may_follow(const struct trawl_plan *plan, uint8_t byte)
{
    if ((plan->flags & TRAWL_WHOLE_LINE) != 0 && !ends_line(plan, byte))
        return false;
    return (plan->flags & TRAWL_WHOLE_WORD) == 0 || !is_ascii_word(byte);
}

bool plan_accepts_begin(const struct trawl_plan *plan, const uint8_t *chunk, uint64_t begin,
                        uint64_t before)
{
    uint64_t ahead = saturating_add(begin, before);

    if ((plan->flags & TRAWL_WHOLE_LINE) != 0 && ahead > 0 &&
        !ends_line(plan, chunk[(int64_t)begin - 1]))
        return false;
    return (plan->flags & TRAWL_WHOLE_WORD) == 0 || !word_precedes(plan, chunk + begin, ahead);
}

bool plan_accepts_end(const struct trawl_plan *plan, const uint8_t *chunk, uint64_t end,
                      uint64_t available)
{
    TRAWL_ASSERT(end <= available);
    if ((plan->flags & TRAWL_WHOLE_LINE) != 0 && end < available && !ends_line(plan, chunk[end]))
        return false;
    return (plan->flags & TRAWL_WHOLE_WORD) == 0 ||
           !word_follows(plan, chunk + end, available - end);
}

bool plan_end_is_decided(const struct trawl_plan *plan, const uint8_t *after, uint64_t available)
{
    if (!plan_has_conditions(plan))
        return true;
    if (available == 0 || available >= 4)
        return available > 0;
    if (!plan->utf8_is_set || (plan->flags & TRAWL_SINGLE_BYTE) != 0)
        return true;
    return available >= utf8_length(after[0]);
}

bool plan_accepts(const struct trawl_plan *plan, const uint8_t *chunk, uint64_t begin, uint64_t end,
                  uint64_t before, uint64_t available)
{
    TRAWL_ASSERT(begin < end);
    return plan_accepts_begin(plan, chunk, begin, before) &&
           plan_accepts_end(plan, chunk, end, available);
}

/* Returns true if bytes after text[count - 1] may still decide whether the literal occurs at
 * text[0]. Adds the work to *work. */
static bool literal_is_open(const struct trawl_plan *plan, uint32_t index, const uint8_t *text,
                            uint64_t count, uint64_t *work)
{
    const struct plan_literal literal = plan_literal_at(plan, index);
    uint64_t max = min_u64(literal.bytes_count, count), length;
    uint64_t same = plan_mismatch(plan, plan_literal_bytes(plan, index), text, max);

    *work += same + 1;
    if (same < max)
        return false;
    if (count < literal.bytes_count || plan_tail_is_open(plan, &literal, text, count))
        return true;
    length = plan_tail_match(plan, &literal, text, count, &same);
    return length > 0 && !plan_end_is_decided(plan, text + length, count - length);
}

uint64_t plan_decided(const struct trawl_plan *plan, const uint8_t *bytes, uint64_t before,
                      uint64_t have)
{
    uint64_t begin = have - min_u64(have, plan->need_after), work = 0;

    if (plan_judges(plan))
        return begin;
    for (; begin < have; begin++) {
        if (!plan_accepts_begin(plan, bytes, begin, before))
            continue;
        for (uint32_t i = 0; i < plan->literal_count; i++)
            if (work > DECIDED_WORK_MAX ||
                literal_is_open(plan, i, bytes + begin, have - begin, &work))
                return begin;
    }
    return begin;
}
