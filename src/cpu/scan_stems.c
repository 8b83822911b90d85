/* scan_stems: searches a class of a large set by stems.
 *
 * The search has three steps (find.h). Each works on what the step before left of a tile, without a
 * branch that depends on the text. First, samples of four bytes name positions where a literal may
 * begin. Second, the first stem_min bytes at each such begin are looked up. Third, the stems of
 * each length are looked up.
 */
#include "cpu/sampling.h"

/* Finds the begins below `end` where a literal may stand: among each of the positions and the
 * stride - 1 positions before. Returns the number of begins; *begins is their array. */
static uint32_t stem_begins_at(const struct sampling *sampling, uint64_t end,
                               const uint32_t *places, uint32_t place_count,
                               const uint32_t **begins)
{
    const struct set_class *class = sampling->class;
    const struct scan *scan = sampling->scan;
    uint32_t count;

    TRAWL_ASSERT(place_count <= SET_PASSED_MAX && end <= sampling->end);
    *begins = places;
    if (!set_looks_at_begins(class))
        return place_count;
    *begins = scan->worker->scratch->begins;
    count = scan->worker->find->stem_begins(scan->chunk->bytes, places, place_count,
                                            sampling->begin, end, class, sampling->matcher->fold,
                                            scan->worker->scratch->begins);
    TRAWL_ASSERT(count <= SET_PASSED_MAX);
    return count;
}

/* Looks up the stems of all lengths at the begins, each of which 8 readable bytes follow. Writes
 * the stems that pass to the worker's scratch, as set_stem_code. Returns their number. */
static uint32_t stems_at(const struct sampling *sampling, const uint32_t *begins, uint32_t count)
{
    const struct set_class *class = sampling->class;
    const uint8_t *text = sampling->scan->chunk->bytes;
    uint32_t *codes = sampling->scan->worker->scratch->stems, base = (uint32_t)sampling->begin;
    uint32_t stem_min = class->stem_min, lengths = class->stem_lengths, passed = 0;
    uint64_t fold = sampling->matcher->fold, word = 0;

    TRAWL_ASSERT(count <= SET_STEM_BATCH && stem_min <= SET_STEM_BYTES);
    TRAWL_ASSERT(lengths >> (SET_STEM_BYTES + 1) == 0 && lengths >> stem_min != 0);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t low = load64(text + begins[i]);

        TRAWL_ASSERT(begins[i] >= base && begins[i] - base < SET_TILE_PLACES);
        for (uint32_t k = stem_min; k <= SET_STEM_BYTES; k++) {
            uint64_t hash = set_stem_hash(low, fold, k);

            if (k == stem_min || k == SET_STEM_FAR)
                word = class->stem_map[set_stem_word(class, hash)];
            codes[passed] = set_stem_code(begins[i] - base, k);
            passed += set_passes(word, hash) & (lengths >> k & 1);
        }
    }
    TRAWL_ASSERT(passed <= SET_STEMS_MAX);
    return passed;
}

/* Gathers the occurrences whose begin is in [sampling->begin, end) and up to stride - 1 before a
 * position of `places`. */
static enum trawl_status stem_verify(const struct sampling *sampling, uint64_t end,
                                     const uint32_t *places, uint32_t place_count)
{
    const struct scan *scan = sampling->scan;
    const uint32_t *begins;
    uint32_t count = stem_begins_at(sampling, end, places, place_count, &begins);

    TRAWL_ASSERT(count <= SET_PASSED_MAX && end <= sampling->end);
    for (uint32_t i = 0; i < count && scan->work <= scan->work_max;
         i += (uint32_t)cpu_sizes.stem_batch) {
        uint32_t batch = (uint32_t)min_u64(cpu_sizes.stem_batch, count - i);

        TRAWL_TRY(stems_verify(sampling, scan->worker->scratch->stems,
                               stems_at(sampling, begins + i, batch)));
    }
    return TRAWL_OK;
}

/* Verifies the last begins of the text without a filter: a stem of each length at each begin. */
static enum trawl_status verify_last(const struct sampling *sampling)
{
    const struct set_class *class = sampling->class;
    struct scan *scan = sampling->scan;
    uint32_t *stems = scan->worker->scratch->stems, count = 0;

    TRAWL_ASSERT(sampling->end <= scan->available);
    TRAWL_ASSERT(sampling->end - sampling->begin < SET_STEM_BYTES + class->stride);
    for (uint64_t x = sampling->begin; x < sampling->end; x++)
        for (uint32_t k = class->stem_min; k <= SET_STEM_BYTES; k++) {
            if (k > scan->available - x)
                break;
            stems[count] = set_stem_code((uint32_t)(x - sampling->begin), k);
            count += class->stem_lengths >> k & 1;
        }
    TRAWL_ASSERT(count <= SET_STEMS_MAX);
    return stems_verify(sampling, stems, count);
}

enum trawl_status sample_stems(const struct sampling *sampling)
{
    struct scan *scan = sampling->scan;
    uint64_t loadable = scan->loadable, reach = 8 + sampling->class->stride - 1;
    uint64_t end = min_u64(sampling->end, loadable < reach ? 0 : loadable - reach + 1);
    struct sampling left = *sampling;

    TRAWL_ASSERT(sampling->class->by_stems && sampling->end <= scan->limit);
    if (sampling->begin < end) {
        uint32_t *places = scan->worker->scratch->places;
        uint32_t count =
            scan->worker->find->stem_samples(scan->chunk->bytes, sampling->begin, end, loadable,
                                             sampling->class, sampling->matcher->fold, places);

        TRAWL_ASSERT(count <= SET_PASSED_MAX);
        TRAWL_TRY(stem_verify(sampling, end, places, count));
        left.begin = end;
    }
    return left.begin < left.end ? verify_last(&left) : TRAWL_OK;
}
