/* codes: chooses which bytes of a text share a code. A class is the set of bytes that some symbol
 * of the patterns equals. */
#include "approximate/codes.h"

#include <string.h>

#include "base/checked.h"

static bool has_byte(const struct approximate *approximate, uint32_t number, uint32_t byte)
{
    return (approximate->classes[number][byte / 64] >> byte % 64 & 1) != 0;
}

/* Returns true if every class contains both bytes or neither. */
static bool are_in_same_classes(const struct approximate *approximate, uint32_t first,
                                uint32_t second)
{
    for (uint32_t number = 0; number < approximate->class_count; number++)
        if (has_byte(approximate, number, first) != has_byte(approximate, number, second))
            return false;
    return true;
}

static void give_code(const struct approximate *approximate, struct approx_codes *codes,
                      uint32_t byte, uint32_t code)
{
    for (uint32_t other = 0; other < 256; other++)
        if (codes->code[other] == CODES_NONE && are_in_same_classes(approximate, byte, other))
            codes->code[other] = (uint8_t)code;
}

/* Returns the byte of class `number` that is in the fewest classes; 256 if some byte of the class
 * already has a code. */
static uint32_t own_byte(const struct approximate *approximate, const struct approx_codes *codes,
                         uint32_t number)
{
    uint32_t best = 256, best_classes = UINT32_MAX;

    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t classes = 0;

        if (!has_byte(approximate, number, byte))
            continue;
        if (codes->code[byte] != CODES_NONE)
            return 256;
        for (uint32_t other = 0; other < approximate->class_count; other++)
            classes += has_byte(approximate, other, byte);
        if (classes < best_classes) {
            best = byte;
            best_classes = classes;
        }
    }
    return best;
}

/* Assigns codes to bytes, class by class, beginning with the class that is most frequent in the
 * literals. All remaining bytes of the classes get the last code. With ANY_BASE, these are the
 * letters that stand for several bases: if these letters were spread over the codes, each base's
 * class would have all codes. */
void approx_codes_make(const struct approximate *approximate, struct approx_codes *codes)
{
    uint64_t symbols[APPROX_CLASSES_MAX] = {0};
    uint32_t next = 0, byte;

    memset(codes->code, CODES_NONE, sizeof codes->code);
    memset(codes->sets, 0, sizeof codes->sets);
    for (uint64_t i = 0; i < approximate->symbol_count; i++)
        symbols[approximate->class_of[i]]++;
    for (uint32_t i = 0; i < approximate->class_count; i++) {
        uint32_t number = 0;

        for (uint32_t other = 1; other < approximate->class_count; other++)
            number = symbols[other] > symbols[number] ? other : number;
        symbols[number] = 0;
        byte = own_byte(approximate, codes, number);
        if (byte < 256)
            give_code(approximate, codes, byte, next++ % CODES);
    }
    for (uint32_t number = 0; number < approximate->class_count; number++) {
        for (byte = 0; byte < 256; byte++)
            if (has_byte(approximate, number, byte)) {
                if (codes->code[byte] == CODES_NONE)
                    give_code(approximate, codes, byte, CODES - 1);
                codes->sets[number] |= (uint8_t)(1u << codes->code[byte]);
            }
    }
}

void approx_coded_read(const struct approximate *approximate, const struct approx_codes *codes,
                       uint32_t literal, struct approx_coded *coded)
{
    const uint64_t begin = approximate->symbol_begin[literal];

    coded->count =
        (uint32_t)min_u64(approximate->symbol_begin[literal + 1] - begin, CODED_SYMBOLS_MAX);
    coded->exact = 0;
    TRAWL_ASSERT(coded->count > approximate->errors_max);
    for (uint32_t i = 0; i < coded->count; i++) {
        coded->sets[i] = codes->sets[approximate->class_of[begin + i]];
        if (!approximate->edits && (approximate->exact[begin + i] & APPROX_EXACT_SYMBOL) != 0)
            coded->exact |= 1u << i;
    }
}

bool approx_gram_next(const uint8_t *sets, uint32_t symbols, uint32_t *gram)
{
    const bool is_first = *gram == UINT32_MAX;

    *gram = is_first ? 0 : *gram;
    for (uint32_t i = 0; i < symbols; i++) {
        const uint32_t high = symbols + i, code = (*gram >> high & 1) << 1 | (*gram >> i & 1),
                       later = is_first ? 0 : (uint32_t)sets[i] >> (code + 1) << (code + 1);
        uint32_t next;

        if (sets[i] == 0)
            return false;
        next = (uint32_t)__builtin_ctz(later != 0 ? later : sets[i]);
        *gram = (*gram & ~(1u << high | 1u << i)) | (next >> 1) << high | (next & 1) << i;
        if (later != 0)
            return true;
    }
    return is_first;
}

uint32_t approx_heads_sum(uint32_t *heads, uint32_t lists, uint32_t begin)
{
    for (uint32_t list = 0; list < lists; list++) {
        const uint32_t count = heads[list];

        heads[list] = begin;
        begin += count;
    }
    return begin;
}

void approx_heads_return(uint32_t *heads, uint32_t lists, uint32_t begin)
{
    memmove(heads + 1, heads, lists * sizeof *heads);
    heads[0] = begin;
}
