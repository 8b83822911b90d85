/* wide: the characters next to an occurrence, for --wide with -w. Those of an occurrence in
 * UTF-16LE are UTF-16LE, too; those of another are UTF-8. The text is in scan->around. */
#include "trawl/options/patterns.h"
#include "trawl/print/occurrences.h"
#include "trawl/text/utf8.h"

#define NO_CHARACTER 0x110000u /* as in words_utf8 */

/* Returns the length of the character at bytes[0], 2 or 4; 0: there are not enough bytes. */
static uint64_t wide_character(const uint8_t *bytes, uint64_t count, uint32_t *code_point)
{
    uint32_t low;

    if (count < 2)
        return 0;
    *code_point = bytes[0] | (uint32_t)bytes[1] << 8;
    if (count < 4 || (*code_point & 0xfc00) != 0xd800)
        return 2;
    low = bytes[2] | (uint32_t)bytes[3] << 8;
    if ((low & 0xfc00) != 0xdc00)
        return 2;
    *code_point = 0x10000 + ((*code_point & 0x3ff) << 10 | (low & 0x3ff));
    return 4;
}

/* Returns how many of the bytes are the pattern in UTF-8 or, if `wide`, in UTF-16LE; 0: none. */
static uint64_t form_length(const struct patterns *patterns, const struct trawl_pattern *pattern,
                            const uint8_t *bytes, uint64_t count, bool wide)
{
    const struct trawl_letters *letters = &patterns->letters;
    const uint8_t *given = pattern->bytes;
    uint64_t at = 0, length;

    for (uint64_t i = 0; i < pattern->bytes_count; i += length) {
        uint32_t code_point, found = 0, equal[TRAWL_UTF8_VARIANTS_MAX], left;
        uint64_t taken = wide ? wide_character(bytes + at, count - at, &found)
                              : utf8_character(bytes + at, count - at, &found);

        length = utf8_character(given + i, pattern->bytes_count - i, &code_point);
        if (length == 0 && !wide) { /* an invalid byte equals itself */
            taken = taken == 0 && at < count && bytes[at] == given[i];
            found = code_point = given[i];
        } else if (length == 0) {
            code_point = given[i];
        }
        length = length > 0 ? length : 1;
        left = letters->variants(letters->context, code_point, equal);
        while (left > 0 && equal[left - 1] != found)
            left--;
        if (taken == 0 || left == 0)
            return 0;
        at += taken;
    }
    return at;
}

/* Returns the character that ends before bytes[at]; UINT32_MAX: none. */
static uint32_t character_before(const uint8_t *bytes, uint64_t at, bool wide)
{
    uint32_t code_point;

    if (wide && at >= 4 && wide_character(bytes + at - 4, 4, &code_point) == 4)
        return code_point;
    if (wide)
        return at >= 2 && wide_character(bytes + at - 2, 2, &code_point) == 2 ? code_point
                                                                              : UINT32_MAX;
    for (uint64_t back = 1; back <= UTF8_BYTES_MAX && back <= at; back++)
        if (utf8_character(bytes + at - back, back, &code_point) == back)
            return code_point;
    return at > 0 ? NO_CHARACTER : UINT32_MAX;
}

static uint32_t character_after(const uint8_t *bytes, uint64_t count, bool wide)
{
    uint32_t code_point;

    if (wide)
        return wide_character(bytes, count, &code_point) > 0 ? code_point : UINT32_MAX;
    if (count == 0)
        return UINT32_MAX;
    return utf8_character(bytes, count, &code_point) > 0 ? code_point : NO_CHARACTER;
}

bool wide_is_word(const struct text_scan *scan, struct trawl_match *match)
{
    const struct patterns *patterns = scan->job->patterns;
    const struct trawl_letters words = words_utf8(scan->settings);
    const uint8_t *bytes = scan->around.bytes;
    const uint64_t count = scan->around.count - match->begin;

    for (int wide = 0; wide < 2; wide++) { /* a single character may be both */
        const uint64_t length = form_length(patterns, &patterns->items[match->pattern_index],
                                            bytes + match->begin, count, wide);
        const uint32_t before = character_before(bytes, match->begin, wide);
        const uint32_t after = character_after(bytes + match->begin + length, count - length, wide);

        if (length > 0 && (before == UINT32_MAX || !words.is_word(words.context, before)) &&
            (after == UINT32_MAX || !words.is_word(words.context, after))) {
            match->end = match->begin + length;
            return true;
        }
    }
    return false;
}
