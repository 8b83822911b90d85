/* scan_tiles: searches for a single literal: finds the candidates of a tile (a stretch of text),
 * and tests which of them are occurrences. The "every" method tests some bytes of the literal, the
 * probes, at every position. The "grams" method tests up to 8 bytes of the literal, a gram, at
 * every stride-th position.
 *
 * Comparing all candidates of a tile without a branch (sieve) makes first counts of strings in
 * most lines of a log, JSON, CSV or XML 1.5 to 5 times as fast; in Fibonacci and Thue-Morse words
 * 1.6 to 7 times [busy Xeon, AVX-512 (VBMI), 2026-11-27].
 */
#include <string.h>

#include "base/checked.h"
#include "cpu/worker.h"
#include "cpu/prices.def"

#define FIRST_PROBES_MIN 2u

void worker_probes_begin(struct cpu_worker *worker)
{
    const struct trawl_plan *plan = worker->plan;

    memcpy(worker->probes, worker->tuning->probes, sizeof worker->probes);
    worker->first_probes = worker->tuning->first_probes;
    worker->probe_count = worker->tuning->probe_count;
    worker->head_bytes = 0;
    /* If the whole literal fits a vector, all candidates are compared with it at once. That is
     * cheap, so no probe needs a branch. Not done for a literal that ignores case; nor for a
     * periodic one, whose runs are verified as a whole, so that few candidates are left. For longer
     * literals, comparing the first 64 bytes was slower (1024 bytes in a Fibonacci text: 1.9
     * against 2.4 GB/s), because dense texts also contain these 64 bytes. Nor for one with tails,
     * as of a character that is also found in UTF-16. */
    if (plan->literal_count == 1 && plan->period == 0 && (plan->flags & TRAWL_IGNORE_CASE) == 0 &&
        plan_literal_at(plan, 0).bytes_count <= sizeof worker->head &&
        plan_literal_at(plan, 0).bytes_count == plan->length_max) {
        worker->head_bytes = (uint32_t)plan_literal_at(plan, 0).bytes_count;
        memset(worker->head, 0, sizeof worker->head);
        memcpy(worker->head, plan_literal_bytes(plan, 0), worker->head_bytes);
        worker->probe_count = (uint32_t)min_u64(worker->probe_count, PLAN_FIRST_PROBES_MAX);
    }
    TRAWL_ASSERT(worker->first_probes <= worker->tuning->probe_count);
    TRAWL_ASSERT(worker->head_bytes == 0 || worker->head_bytes == worker->plan->length_max);
}

/* Makes a new first probe, of the literal's byte at the offset where candidates fail, and drops the
 * last probe. */
static void probes_learn(struct cpu_worker *worker)
{
    const struct trawl_plan *plan = worker->plan;
    uint8_t byte = plan_literal_bytes(plan, 0)[worker->learned];

    TRAWL_ASSERT(worker->probe_count > 0 && worker->probe_count <= PLAN_PROBES_MAX);
    TRAWL_ASSERT(worker->learned < plan_literal_at(plan, 0).bytes_count);
    for (uint32_t p = worker->probe_count - 1; p > 0; p--)
        worker->probes[p] = worker->probes[p - 1];
    worker->probes[0].offset = worker->learned;
    worker->probes[0].value = byte;
    worker->probes[0].fold = 0;
    if ((plan->flags & TRAWL_IGNORE_CASE) != 0 && byte >= 'a' && byte <= 'z')
        worker->probes[0].fold = 0x20;
}

/* Sets *positions to the number of positions of the next tile: first a short tile up to the start
 * of a cache line, then whole tiles. The first byte loaded for scan->at is at scan->at + lead.
 * Returns how many words vectors can fill, if position x depends on bytes up to x + reach. */
static uint64_t tile_size(const struct scan *scan, uint64_t lead, uint64_t reach,
                          uint64_t *positions)
{
    uint64_t skew = (uint64_t)(uintptr_t)(scan->chunk->bytes + scan->at + lead) % 64;

    TRAWL_ASSERT(scan->at < scan->limit && scan->at < scan->loadable);
    *positions = min_u64(skew > 0 ? 64 - skew : cpu_sizes.tile_positions, scan->limit - scan->at);
    TRAWL_ASSERT(*positions > 0 && *positions <= 64 * FIND_TILE_WORDS);
    return scan_words(scan, scan->at, *positions, reach + FIND_LOAD_SLACK);
}

static bool probes_match(const struct scan *scan, uint64_t x)
{
    TRAWL_ASSERT(x < scan->limit);
    for (uint32_t p = 0; p < scan->worker->probe_count; p++) {
        const struct plan_probe *probe = &scan->worker->probes[p];

        if ((scan->chunk->bytes[x + probe->offset] | probe->fold) != probe->value)
            return false;
    }
    return true;
}

/* Fills a word near the text's end, where vectors would load bytes that are not readable: tests up
 * to 64 positions in plain C. If the first probe does not ignore case, memchr finds the positions
 * to test. */
static void fill_last(struct scan *scan, uint64_t *positions, uint64_t *words)
{
    const struct plan_probe *probe = &scan->worker->probes[0];
    const uint8_t *text = scan->chunk->bytes + scan->at + probe->offset, *next;
    struct find_tile *tile = &scan->worker->tile;

    TRAWL_ASSERT(scan->worker->probe_count > 0);
    *positions = min_u64(*positions, 64);
    *words = 1;
    TRAWL_ASSERT(scan->at + *positions <= scan->limit);
    TRAWL_ASSERT(scan->at + *positions <= scan->available);
    tile->mask[0] = 0;
    for (uint64_t i = 0; i < *positions; i++) {
        next = probe->fold != 0 ? text + i : memchr(text + i, probe->value, *positions - i);
        if (next == NULL)
            break;
        i = (uint64_t)(next - text);
        tile->mask[0] |= (uint64_t)probes_match(scan, scan->at + i) << i;
    }
    tile->is_dense = true;
    tile->hot_count = tile->mask[0] != 0;
}

/* Adapts to the text how many probes are tested at every position. */
static void first_probes_adapt(struct cpu_worker *worker, uint64_t words, uint64_t passed)
{
    uint32_t max = (uint32_t)min_u64(worker->probe_count, PLAN_FIRST_PROBES_MAX);
    bool exact = worker->tuning->probes_exact && worker->probe_count == worker->tuning->probe_count;

    TRAWL_ASSERT(worker->tile.is_dense || passed <= words);
    /* If most words have candidates, a branch per word costs more than it saves. */
    if ((exact || worker->head_bytes > 0) && worker->tile.hot_count > words / 2)
        worker->first_probes = max;
    else if (exact && worker->tile.is_dense && worker->tile.hot_count == 0)
        worker->first_probes = worker->tuning->first_probes;
    if (64 * words < cpu_sizes.tile_positions || worker->tile.is_dense)
        return;
    /* a word with candidates passes however many probes are tested */
    passed -= worker->tile.hot_count;
    if (passed > words / PASSED_SHARE_MAX && worker->first_probes < max)
        worker->first_probes++;
    else if (passed <= words / RARE_SHARE && worker->first_probes > FIRST_PROBES_MIN &&
             worker->first_probes < worker->probe_count)
        worker->first_probes--;
}

/* Fills the worker's tile for the next positions with the "every" method. Sets *positions and
 * *words to the tile's number of positions and of words. */
static void fill_every(struct scan *scan, uint64_t *positions, uint64_t *words)
{
    struct cpu_worker *worker = scan->worker;
    uint32_t first = worker->first_probes;

    if (first + 1 == worker->probe_count && first < PLAN_FIRST_PROBES_MAX &&
        worker->costs->every_probe < FREE_PROBE_NS)
        first++;
    TRAWL_ASSERT(worker->first_probes > 0 && worker->first_probes <= worker->probe_count);
    *words = tile_size(scan, worker->probes[0].offset, scan->plan->length_max, positions);
    if (*words == 0) {
        fill_last(scan, positions, words);
        return;
    }
    *positions = min_u64(*positions, 64 * *words);
    worker->find->every(scan->chunk->bytes + scan->at, *words, worker->probes, first,
                        worker->probe_count, &worker->tile);
    scan->passed += worker->tile.is_dense ? 0 : worker->tile.passed;
    first_probes_adapt(worker, *words, worker->tile.passed);
}

static void fill_grams(struct scan *scan, uint64_t *positions, uint64_t *words)
{
    const struct plan_grams *grams = &scan->worker->tuning->grams;
    /* find_ops.grams takes grams from 8 bytes before its address, and sets a gram's bit up to
     * stride - 1 positions after the gram's start (find.h) */
    uint64_t lead = grams->offset + grams->stride - 1 + PLAN_GRAM_BYTES;

    TRAWL_ASSERT(grams->q + grams->stride - 1 + grams->offset <= scan->plan->length_min);
    TRAWL_ASSERT(lead >= PLAN_GRAM_BYTES && grams->stride <= PLAN_GRAM_STRIDE_MAX);
    *words = tile_size(scan, lead, lead, positions);
    if (*words == 0) {
        fill_last(scan, positions, words);
        return;
    }
    *positions = min_u64(*positions, 64 * *words);
    TRAWL_ASSERT(scan->at + lead + 64 * *words <= scan->loadable);
    scan->worker->find->grams(scan->chunk->bytes + scan->at + lead, *words, grams,
                              &scan->worker->tile);
}

/* Compares the whole literal at all candidates. Returns how many candidates were rejected. */
static uint64_t sieve(const struct scan *scan, uint64_t words)
{
    struct cpu_worker *worker = scan->worker;
    const uint8_t *text = scan->chunk->bytes + scan->at;
    uint64_t position = 0, cleared;

    TRAWL_ASSERT(worker->head_bytes > 0 && worker->head_bytes <= sizeof worker->head);
    cleared = worker->find->sieve(text, words, worker->head, worker->head_bytes, &worker->tile,
                                  &position);
    TRAWL_ASSERT(cleared <= 64 * words && position < 64 * words);
    if (cleared > 0)
        worker->learned = worker->find->mismatch(worker->head, text + position, worker->head_bytes);
    return cleared;
}

/* Finds the occurrences among the tile's candidates. If the probes are the whole literal, each
 * candidate is an occurrence. */
static void verify_candidates(struct scan *scan, uint64_t positions, uint64_t words)
{
    struct cpu_worker *worker = scan->worker;
    const struct trawl_plan *plan = scan->plan;
    uint64_t failed = scan->failed, found, cleared = 0;
    bool equal = worker->tuning->probes_exact &&
                 worker->probe_count == worker->tuning->probe_count &&
                 worker->method == TRAWL_METHOD_EVERY;
    bool exact = equal && !plan_has_conditions(plan);

    if (worker->at_borders)
        borders_apply(scan, words);
    if (scan->want == WANT_LINES && exact && worker->tile.is_dense &&
        scan->chunk->records == NULL) {
        verify_lines(scan, words, positions,
                     scan->loadable - scan->at >= 64 * words + FIND_LOAD_SLACK);
        verify_bits(scan, words, worker->find->count_bits(&worker->tile, words), NULL);
        return;
    }
    /* most candidates are skipped with their line or span, so test the others one by one */
    if (scan->want >= WANT_LINES) {
        verify_tile(scan, words, verify_one);
        return;
    }
    found = worker->find->count_bits(&worker->tile, words);
    TRAWL_ASSERT(found <= positions);
    if (plan->period > 0 && plan->length_min >= RUN_LENGTH_MIN && found > positions / RUN_SHARE_MIN)
        exact = false; /* verify_one handles a run of overlapping occurrences as a whole */
    if (!exact && !(equal && worker->at_borders) && worker->head_bytes > 0 &&
        scan->loadable - scan->at >= 64 * words + sizeof worker->head) {
        cleared = sieve(scan, words);
        exact = !plan_has_conditions(plan);
        scan->result->candidate_count += exact ? found : cleared;
    }
    TRAWL_ASSERT(cleared <= found);
    if (exact)
        verify_bits(scan, words, found - cleared, NULL);
    else
        verify_tile(scan, words, verify_one);
    failed = scan->failed - failed + cleared;
    TRAWL_ASSERT(failed <= positions + 64);
    if (!scan->over && worker->method == TRAWL_METHOD_EVERY && failed > positions / RARE_SHARE + 1)
        probes_learn(worker);
}

void scan_tiles(struct scan *scan)
{
    struct cpu_worker *worker = scan->worker;

    while (scan->at < scan->limit && !scan_is_full(scan)) {
        uint64_t positions, words;

        if (worker->method == TRAWL_METHOD_GRAMS)
            fill_grams(scan, &positions, &words);
        else
            fill_every(scan, &positions, &words);
        TRAWL_ASSERT(positions > 0 && scan->at + positions <= scan->limit);
        TRAWL_ASSERT(words <= FIND_TILE_WORDS && positions <= 64 * words);
        if (worker->method == TRAWL_METHOD_GRAMS &&
            worker->tile.hot_count > words / GRAMS_SHARE_MAX + 1) {
            /* search this tile and all later ones with the "every" method */
            worker->method = TRAWL_METHOD_EVERY;
            continue;
        }
        if (worker->tile.hot_count > 0) {
            tile_cut(&worker->tile, words, positions);
            verify_candidates(scan, positions, words);
            if (scan->over)
                return;
        }
        scan->at = max_u64(scan->at + positions, scan->run_until);
    }
}
