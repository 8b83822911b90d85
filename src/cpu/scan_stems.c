/* scan_stems: searches a tile for a class of a large set with stems, the first (up to) 8 bytes of
 * literals.
 *
 * The search has three steps (find.h), each of which processes all positions of the tile that
 * passed the step before, without a branch that depends on the text. First, samples of four bytes
 * select positions near which a literal may begin. Second, the first stem_min bytes at each
 * possible start are looked up. Third, the stems of each length are looked up. If a class has few
 * literals, positions are selected with pairs of bytes or with trigrams instead of samples.
 *
 * For fishes and market, samples are taken at a stride of 3, and the bitmap has the grams fish,
 * ishe, shes, mark, arke and rket:
 *
 *   offset      0 1 2 3 4 5 6 7 8
 *   text        a _ f i s h e s .
 *   samples     a _ f i                at 0: no gram of the bitmap
 *                     i s h e          at 3: passes, so a word may begin at 1, 2 or 3
 *   stems         _ f i s h e          at 1: not in the second bitmap; so at 3, i s h e s .
 *                   f i s h e s        at 2: passes, and the bucket says that this is fishes
 *
 * The words of a language share many grams: a byte carries only 3 to 6.5 bits. So stems search a
 * class of words whose shortest has 4 to 11 bytes (or 2 or 3, if most have). Of 97,788 words, per
 * byte of English, 0.27 positions pass the samples, 0.08 starts the bytes of the shortest stem's
 * length, and 0.05 stems, half of them occurrences, the stems of each length. A word of up to 8
 * bytes is not compared with the text: the bucket's key has the stem's length and an invertible
 * hash of it (with -i, only for words of letters). These words are searched at 0.40 GB/s; grams of
 * 5 or more bytes in a single step reach 0.12, Hyperscan 5.4 reaches 0.21.
 *
 * For up to 512 words, or 12,288 if less than a tenth of a sample's positions pass, AVX-512 VBMI
 * first looks up five pairs of neighbouring bytes in tables of 128 slot sets. For up to 3,072
 * words of at least three bytes, AVX2 and AVX-512 look up the three bytes at every second position
 * in a table of 32 KiB (find_trigrams.h): as in Hyperscan's FDR, an entry has the slots of four
 * start offsets, and neighbouring entries must share a slot. Fewer than 64 words are first
 * searched with nibble tables.
 *
 * Time without a mechanism / with it, in 4 or 8 MiB, one thread of a busy Xeon with AVX-512
 * (VBMI), 2026-11-27:
 *
 * - pairs of neighbouring bytes (VBMI; otherwise trigrams): 100 and 300 words: 1.0 to 1.4
 * - trigrams (AVX2): 100 to 3,000 rare words: 1.1 to 2.6, words of the text: 1.0 to 1.6; first
 *   counts: up to 2.8
 * - samples of four bytes, and stems, with vectors (AVX-512): counts of 5,000 to 20,000 words: 1.2
 *   to 1.5, of 3,000 or 40,000: 1.0 to 1.4; nothing in other steps
 */
#include "cpu/sampling.h"
#include "cpu/set_stems.h"

uint32_t stem_positions(const struct sampling *sampling, uint64_t end, uint64_t words)
{
    const struct set_span span = {(uint32_t)sampling->begin, (uint32_t)end};
    const struct find_ops *find = sampling->scan->worker->find;
    const uint8_t *bytes = sampling->scan->chunk->bytes;
    struct find_tile *tile = &sampling->scan->worker->tile;

    TRAWL_ASSERT(sampling->begin < end && end <= sampling->end);
    TRAWL_ASSERT(words == 0 || sampling->begin + 64 * (words - 1) < end);
    if (words == 0)
        return stem_span_positions(sampling, &span, 1);
    class_words_find(sampling->class, find, bytes + span.from, end - span.from, tile);
    /* this test alone has too many false positives */
    return find->positions(bytes, tile, span.from, sampling->class, sampling->matcher->fold,
                           sampling->scan->worker->scratch->positions);
}

uint32_t stem_span_positions(const struct sampling *sampling, const struct set_span *spans,
                             uint32_t span_count)
{
    const struct scan *scan = sampling->scan;
    uint32_t count;

    TRAWL_ASSERT(span_count > 0 && spans[0].from >= sampling->begin);
    TRAWL_ASSERT(spans[span_count - 1].to <= sampling->end);
    count = scan->worker->find->stem_samples(scan->chunk->bytes, spans, span_count, scan->loadable,
                                             sampling->class, sampling->matcher->fold,
                                             scan->worker->scratch->positions);
    TRAWL_ASSERT(count <= SET_PASSED_MAX);
    return count;
}

enum trawl_status stem_verify(const struct sampling *sampling, uint64_t end, uint32_t stride,
                              uint32_t count)
{
    const struct set_class *class = sampling->class;
    const struct scan *scan = sampling->scan;
    const struct find_ops *find = scan->worker->find;
    struct set_scratch *scratch = scan->worker->scratch;
    const uint32_t *begins = scratch->positions;
    const uint8_t *text = scan->chunk->bytes;
    uint64_t fold = sampling->matcher->fold;

    TRAWL_ASSERT(count <= SET_PASSED_MAX && end <= sampling->end);
    TRAWL_ASSERT(stride == 1 || stride == class->stride);
    if (class_looks_at_begins(class)) {
        count = find->stem_begins(text, begins, count, sampling->begin, end, stride, class, fold,
                                  scratch->begins);
        begins = scratch->begins;
    }
    for (uint32_t i = 0; i < count && scan->work <= scan->work_max;
         i += (uint32_t)cpu_sizes.stem_batch) {
        uint32_t batch = (uint32_t)min_u64(cpu_sizes.stem_batch, count - i);

        batch = find->stems(text, begins + i, batch, (uint32_t)sampling->begin, class, fold,
                            scratch->stems);
        TRAWL_TRY(stems_verify(sampling, scratch->stems, batch));
    }
    return TRAWL_OK;
}

/* Handles the last starts of the text, where the filters would load bytes that are not readable:
 * looks up the stems of all lengths at each start. */
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
            stems[count] = class_stem_code((uint32_t)(x - sampling->begin), k);
            count += class->stem_lengths >> k & 1;
        }
    TRAWL_ASSERT(count <= SET_STEMS_MAX);
    return stems_verify(sampling, stems, count);
}

uint64_t stem_pair_words(const struct sampling *sampling, uint64_t end)
{
    if (!class_words_fit(sampling->class, sampling->scan->worker->find) || end <= sampling->begin)
        return 0;
    TRAWL_ASSERT(end <= sampling->end);
    return scan_words(sampling->scan, sampling->begin, end - sampling->begin, FIND_SET_KEPT);
}

enum trawl_status sample_stems(const struct sampling *sampling)
{
    struct sampling left = *sampling;
    uint64_t loadable = sampling->scan->loadable, reach = 8 + sampling->class->stride - 1;
    uint64_t end = min_u64(sampling->end, loadable < reach ? 0 : loadable - reach + 1), words;

    TRAWL_ASSERT(left.class->by_stems && left.end <= left.scan->limit);
    words = stem_pair_words(&left, end);
    if (words > 0) {
        uint64_t to = min_u64(end, left.begin + 64 * words);
        uint32_t count = stem_positions(&left, to, words);

        TRAWL_TRY(stem_verify(&left, to, 1, count));
        left.begin = to;
    }
    TRAWL_ASSERT(left.begin <= left.end && end <= left.end);
    if (left.begin < end) {
        uint32_t count = stem_positions(&left, end, 0);

        TRAWL_TRY(stem_verify(&left, end, left.class->stride, count));
        left.begin = end;
    }
    return left.begin < left.end ? verify_last(&left) : TRAWL_OK;
}
