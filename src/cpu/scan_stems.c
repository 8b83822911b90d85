/* scan_stems: a class of a large set that goes by stems.
 *
 * Three steps (find.h), each over what the step before left of a tile, and none with a branch on
 * the text. Samples of four bytes name positions where a literal may begin. The first bytes there,
 * as many as all stems have, are looked up. Then the stems of each length are looked up. If a class
 * has few literals and the instruction set allows it, pairs of bytes name the positions instead of
 * samples.
 */
#include "cpu/sampling.h"

#define BATCH 256u /* begins whose stems are looked up before they are verified */

uint32_t stem_places(const struct sampling *sampling, uint64_t end, uint64_t words)
{
    const struct set_class *class = sampling->class;
    struct scan *scan = sampling->scan;
    const struct find_ops *find = scan->lane->find;
    const uint8_t *text = scan->chunk->bytes;
    uint32_t *places = scan->lane->scratch->places;
    uint64_t stride = class->stride, first = (sampling->begin + stride - 1) / stride * stride;

    if (words > 0)
        return find->pairs(text + sampling->begin, words, class->pairs, (uint32_t)sampling->begin,
                           places);
    return find->quads(text, first, end + stride - 1, scan->loadable, class,
                       sampling->matcher->fold, places);
}

enum trawl_status stem_verify(const struct sampling *sampling, uint64_t end, uint32_t stride,
                              const uint32_t *places, uint32_t place_count)
{
    const struct set_class *class = sampling->class;
    struct scan *scan = sampling->scan;
    struct set_scratch *scratch = scan->lane->scratch;
    const struct find_ops *find = scan->lane->find;
    const uint8_t *text = scan->chunk->bytes;
    uint64_t fold = sampling->matcher->fold;
    const uint32_t *begins = scratch->begins;
    uint32_t count = place_count;

    if (class->stride == 1 && class->stem_min == SET_STEM_Q)
        begins = places; /* all has been looked at */
    else
        count = find->begins(text, places, place_count, sampling->begin, end, stride, class, fold,
                             scratch->begins);
    for (uint32_t i = 0; i < count && scan->work <= scan->work_max; i += BATCH) {
        uint32_t passed = find->stems(text, begins + i, (uint32_t)min_u64(BATCH, count - i), class,
                                      fold, &scratch->passed);

        TRAWL_TRY(sample_verify(sampling, &scratch->passed, passed));
    }
    return TRAWL_OK;
}

/* The text's last begins: each stem is looked up. */
static enum trawl_status verify_last(const struct sampling *sampling)
{
    const struct set_class *class = sampling->class;
    struct scan *scan = sampling->scan;
    struct set_passed *passed = &scan->lane->scratch->passed;
    uint32_t count = 0;

    for (uint64_t x = sampling->begin; x < sampling->end; x++)
        for (uint32_t k = class->stem_min; k <= SET_STEM_BYTES; k++) {
            if (k > scan->available - x)
                break;
            passed->hash[count] = set_stem_hash(load_readable(scan, x), sampling->matcher->fold, k);
            passed->place[count] = (uint32_t)x;
            count += class->stem_lengths >> k & 1;
        }
    return sample_verify(sampling, passed, count);
}

uint64_t stem_pair_words(const struct sampling *sampling, uint64_t end)
{
    uint64_t room = sampling->scan->loadable - sampling->begin;

    if (sampling->class->pairs == NULL || sampling->scan->lane->find->pairs == NULL ||
        end < sampling->begin + 64 || room < FIND_LOAD_SLACK + 64)
        return 0;
    return min_u64((end - sampling->begin) / 64, (room - FIND_LOAD_SLACK) / 64);
}

enum trawl_status sample_stems(const struct sampling *sampling)
{
    struct sampling left = *sampling;
    uint64_t loadable = sampling->scan->loadable, reach = 8 + sampling->class->stride - 1;
    uint64_t end = min_u64(sampling->end, loadable < reach ? 0 : loadable - reach + 1), words;

    words = stem_pair_words(&left, end);
    if (words > 0) {
        uint64_t to = left.begin + 64 * words;
        uint32_t count = stem_places(&left, to, words);

        TRAWL_TRY(stem_verify(&left, to, 1, left.scan->lane->scratch->places, count));
        left.begin = to;
    }
    if (left.begin < end) {
        uint32_t count = stem_places(&left, end, 0);

        TRAWL_TRY(
            stem_verify(&left, end, left.class->stride, left.scan->lane->scratch->places, count));
        left.begin = end;
    }
    return left.begin < left.end ? verify_last(&left) : TRAWL_OK;
}
