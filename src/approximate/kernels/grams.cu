/* grams: finds candidates within k mismatches or k edits, by looking up the pieces that begin with
 * a gram of the text. approx_grams.h defines the terms.
 *
 * Grid       any; blocks take tiles of GRAMS_TILE_OFFSETS offsets in turn. Up to 1,024 threads.
 * Shared     Static: 3.1 KB for the text's codes, 15.5 KB in all with motifs. Dynamic: all tables
 *            (grams_..._shared). grams_..._global read the tables from L2, and keep only the code
 *            of each byte value in another 0.25 KB of static shared memory.
 * Traffic    per text byte: reads 1. Per block: reads the tables once (shared). Per piece that
 *            begins with a gram of the text: reads 20 (global). Per candidate: writes 8.
 * Progress   no block waits for another.
 * Order      candidates are in any order; the host sorts.
 * Limits     end - begin + 2 * errors_max < 2^32.
 * Cost       one list per offset or, with motifs, one for each segment whose motif is there. A
 *            piece of a list costs about 15 instructions for mismatches; for edits, about 25 for
 *            each of symbols + 2k codes (Myers 1999, in 32 bits).
 * Measured   [H200, 1 GiB of random DNA, 1,000 patterns of 23, without motifs] positions x patterns
 *            a second: 31 T within 4 mismatches, 9.8 T within 3 edits.
 * Rejected   Counting the mismatches of all starts and patterns in bit planes: 6.9 T within 4
 *            mismatches [H200, a prototype]. Lists without motifs, for patterns that end in NGG
 *            without an error (N is any base), which compare NGG last: 7.3 T.
 */
#include "approximate/kernels/approx_grams.h"
#include "cuda/kernels/simt.h"

/* A literal begins up to 62 offsets before the tile's first offset, and ends up to 63 offsets after
 * its last one. */
#define GRAMS_WORDS_BEFORE 2u
#define GRAMS_WORDS_AFTER 4u
#define GRAMS_WORDS (GRAMS_WORDS_BEFORE + GRAMS_TILE_OFFSETS / 32u + GRAMS_WORDS_AFTER)

/* The codes of a tile's bytes: bit i % 32 of word i / 32 for byte i. */
struct grams_planes {
    uint32_t *high;
    uint32_t *low;
    uint32_t *none; /* set if the byte has no code; its bits of high and low are then 0 */
};

/* The codes of 32 consecutive bytes. */
struct grams_window {
    uint32_t high;
    uint32_t low;
    uint32_t none;
};

struct grams_tables {
    const uint32_t *words;
    int are_shared; /* the words are in shared memory */
};

SIMT_FUNCTION uint32_t grams_word(struct grams_tables tables, uint32_t at)
{
    return tables.are_shared ? tables.words[at] : simt_load_u32(tables.words + at);
}

/* Returns four words of the tables; `at` is a multiple of 4. */
SIMT_FUNCTION struct simt_u32x4 grams_words(struct grams_tables tables, uint32_t at)
{
    const uint64_t *pairs = (const uint64_t *)(const void *)(tables.words + at);
    struct simt_u32x4 words;

    if (!tables.are_shared)
        return simt_load_u32x4(tables.words + at);
    words.w[0] = (uint32_t)pairs[0];
    words.w[1] = (uint32_t)(pairs[0] >> 32);
    words.w[2] = (uint32_t)pairs[1];
    words.w[3] = (uint32_t)(pairs[1] >> 32);
    return words;
}

SIMT_FUNCTION struct grams_window grams_at(const struct grams_planes *planes, uint32_t at)
{
    uint32_t word = at / 32u, shift = at % 32u;
    struct grams_window window;

    window.high = simt_funnel(planes->high[word], planes->high[word + 1u], shift);
    window.low = simt_funnel(planes->low[word], planes->low[word + 1u], shift);
    window.none = simt_funnel(planes->none[word], planes->none[word + 1u], shift);
    return window;
}

/* Returns a word whose bit s is set if the literal's symbol s may be the text's code. */
SIMT_FUNCTION uint32_t grams_equal(const struct simt_u32x4 *literal, uint32_t high, uint32_t low)
{
    uint32_t upper = (low & literal->w[3]) | (~low & literal->w[2]);
    uint32_t lower = (low & literal->w[1]) | (~low & literal->w[0]);

    return (high & upper) | (~high & lower);
}

/* Fills the planes with the codes of the tile [first, first + offsets). Called by all threads of
 * the block. Bytes before a->begin and after the text get no code. */
SIMT_FUNCTION void grams_fill(const struct grams_arguments *a, const uint32_t *codes,
                              uint64_t first, uint32_t offsets, const struct grams_planes *planes)
{
    uint32_t warps = simt_threads() / SIMT_WARP_THREADS;
    uint32_t words = GRAMS_WORDS_BEFORE + (offsets + 31u) / 32u + GRAMS_WORDS_AFTER;

    for (uint32_t word = simt_warp(); word < words; word += warps) {
        /* `at` is the byte's offset plus 32 * GRAMS_WORDS_BEFORE, so that it is not negative. */
        uint64_t at = first + 32u * word + simt_lane();
        uint32_t code = GRAMS_NO_CODE, high, low, none;

        if (SIMT_BOUND(at >= a->begin + 32u * GRAMS_WORDS_BEFORE &&
                       at < a->text_end + 32u * GRAMS_WORDS_BEFORE)) {
            uint32_t byte = simt_load_u8(a->text + (at - 32u * GRAMS_WORDS_BEFORE));

            code = codes[byte / 4u] >> byte % 4u * 8u & 0xffu;
        }
        high = simt_ballot((code & 2u) != 0);
        low = simt_ballot((code & 1u) != 0);
        none = simt_ballot(code == GRAMS_NO_CODE);
        if (simt_lane() == 0) {
            planes->high[word] = high;
            planes->low[word] = low;
            planes->none[word] = none;
        }
    }
}

SIMT_FUNCTION void grams_emit(const struct grams_arguments *a, uint32_t literal, uint64_t offset)
{
    uint64_t slot = simt_atomic_add_u64(a->count, 1);

    if (SIMT_BOUND(slot < a->capacity))
        simt_store_u64(&a->found[slot], (uint64_t)literal << 32 | (uint32_t)offset);
}

/* ---- Mismatches ---------------------------------------------------------------------------- */

/* Returns true if an earlier piece of the literal occurs, too, and so yields the same start. */
SIMT_FUNCTION int grams_is_repeated(const struct grams_arguments *a, uint32_t pieces,
                                    uint32_t symbol, uint32_t differ)
{
    uint32_t mask = (1u << a->gram_symbols) - 1u;

    pieces &= (2u << symbol) - 1u; /* the pieces up to this one */
    while ((pieces & (pieces - 1u)) != 0) {
        uint32_t begin = simt_lowest_bit(pieces), next;

        pieces &= pieces - 1u;
        next = simt_lowest_bit(pieces);
        if ((differ >> begin & mask & ((1u << (next - begin)) - 1u)) == 0)
            return 1;
    }
    return 0;
}

/* Compares an entry's literal with these codes of the text, which have the entry's piece at
 * `offset`. Emits a candidate if at most errors_max symbols differ, if all of these allow errors,
 * if the candidate begins in [a->begin, a->end), and if no earlier piece of the literal yields the
 * same candidate. */
SIMT_FUNCTION void grams_try(const struct grams_arguments *a, struct grams_tables tables,
                             struct grams_window codes, uint32_t entry, uint64_t offset)
{
    uint32_t symbol = entry % (1u << GRAMS_SYMBOL_BITS), literal = entry >> GRAMS_SYMBOL_BITS;
    uint32_t literal_at = GRAMS_CODE_WORDS + GRAMS_LITERAL_WORDS * literal;
    struct simt_u32x4 masks = grams_words(tables, literal_at);
    uint32_t differ = ~grams_equal(&masks, codes.high, codes.low);

    if (codes.none != 0)
        differ |= codes.none & grams_word(tables, literal_at + GRAMS_COMPARED);
    if (simt_popcount(differ) > a->errors_max ||
        (differ & grams_word(tables, literal_at + GRAMS_EXACT)) != 0)
        return;
    if (offset >= a->begin + symbol && offset - symbol < a->end &&
        !grams_is_repeated(a, grams_word(tables, literal_at + GRAMS_PIECES), symbol, differ))
        grams_emit(a, literal, offset - symbol - a->begin);
}

/* Compares the literals of the entries [entry, entry_end), and emits candidates (grams_try). The
 * entries' pieces are at `offset` of the text, which is index `at` of the planes. */
SIMT_FUNCTION void grams_try_entries(const struct grams_arguments *a, struct grams_tables tables,
                                     const struct grams_planes *planes, uint32_t at,
                                     uint64_t offset, uint32_t entry, uint32_t entry_end)
{
    struct grams_window before = grams_at(planes, at - 32u), after = grams_at(planes, at);
    int any_none = (before.none | after.none) != 0;

    for (; entry < entry_end; entry++) {
        uint32_t word = grams_word(tables, a->entries_at + entry);
        uint32_t shift = 32u - word % (1u << GRAMS_SYMBOL_BITS);
        struct grams_window codes;

        codes.high = simt_funnel_clamp(before.high, after.high, shift);
        codes.low = simt_funnel_clamp(before.low, after.low, shift);
        codes.none = any_none ? simt_funnel_clamp(before.none, after.none, shift) : 0;
        grams_try(a, tables, codes, word, offset);
    }
}

/* ---- Edits --------------------------------------------------------------------------------- */

/* Returns true if the literal occurs within errors_max edits in the codes that begin at `at`. If n
 * symbols of the literal are compared, n + 2 * errors_max codes are read. Computes Sellers' table
 * column by column. */
SIMT_FUNCTION int grams_holds(const struct grams_arguments *a, const struct grams_planes *planes,
                              const struct simt_u32x4 *masks, uint32_t compared, uint32_t at)
{
    uint32_t symbols = simt_popcount(compared), last = compared ^ compared >> 1;
    uint32_t more = compared, less = 0, left = symbols + 2u * a->errors_max;
    uint32_t distance = symbols;
    struct grams_window window = {0, 0, 0};

    /* Each code lowers the distance by at most 1, so the loop ends if the distance is too large. */
    for (uint32_t i = 0; left > 0 && distance <= a->errors_max + left; i++, left--) {
        uint32_t equal, zero, below, above, carried;

        if (i % 32u == 0)
            window = grams_at(planes, at + i);
        equal = grams_equal(masks, 0u - (window.high & 1u), 0u - (window.low & 1u)) &
                ~(0u - (window.none & 1u));
        window.high >>= 1;
        window.low >>= 1;
        window.none >>= 1;
        carried = equal | less;
        zero = (((carried & more) + more) ^ more) | carried;
        below = more & zero;
        above = less | ~(more | zero);
        distance += (above & last) != 0;
        distance -= (below & last) != 0;
        if (distance <= a->errors_max)
            return 1;
        above <<= 1;
        less = above & zero;
        more = below << 1 | ~(above | zero);
    }
    return 0;
}

/* With edits: compares the literal of an entry whose piece is at `offset`, and emits a candidate if
 * it may occur there. An occurrence with this piece begins at (offset - symbol), or up to
 * errors_max before or after that. */
SIMT_FUNCTION void grams_try_edits(const struct grams_arguments *a, struct grams_tables tables,
                                   const struct grams_planes *planes, uint32_t at, uint32_t entry,
                                   uint64_t offset)
{
    uint32_t symbol = entry % (1u << GRAMS_SYMBOL_BITS), literal = entry >> GRAMS_SYMBOL_BITS;
    uint32_t literal_at = GRAMS_CODE_WORDS + GRAMS_LITERAL_WORDS * literal;
    struct simt_u32x4 masks;

    if (offset + a->errors_max < a->begin + symbol || offset >= a->end + symbol + a->errors_max)
        return;
    masks = grams_words(tables, literal_at);
    if (grams_holds(a, planes, &masks, grams_word(tables, literal_at + GRAMS_COMPARED),
                    at - symbol - a->errors_max))
        grams_emit(a, literal, offset + a->errors_max - symbol - a->begin);
}

/* ---- Lists that a warp shares -------------------------------------------------------------- */

/* Each lane of the warp has a list of pieces: the entries [entry, entry_end) of the tables.
 * Compares the literals on all these lists, and emits candidates. Called by the whole warp. The
 * pieces of a lane's list are at the lane's `at` in the planes, which begin at `origin` of the
 * text. The lists differ in length, so the lanes divide the entries of all lists among them. */
SIMT_FUNCTION void grams_share(const struct grams_arguments *a, struct grams_tables tables,
                               const struct grams_planes *planes, uint64_t origin, uint32_t at,
                               uint32_t entry, uint32_t entry_end, int edits)
{
    /* `behind` is the number of entries of the lanes up to and including this one. */
    uint32_t behind = simt_warp_upto_u32(entry_end - entry), total;

    total = simt_shuffle_u32(behind, SIMT_WARP_THREADS - 1u);
    for (uint32_t first = 0; first < total; first += SIMT_WARP_THREADS) {
        uint32_t number = first + simt_lane(), lane = 0, shared_at, shared;

        /* Find the lane whose list has the entry: the first lane with behind > number. */
        for (uint32_t half = SIMT_WARP_THREADS / 2u; half > 0; half /= 2u)
            lane += simt_shuffle_u32(behind, lane + half - 1u) <= number ? half : 0;
        shared_at = simt_shuffle_u32(at, lane);
        shared = simt_shuffle_u32(entry_end, lane) + number;
        shared -= simt_shuffle_u32(behind, lane);
        if (SIMT_BOUND(number < total)) {
            uint32_t word = grams_word(tables, a->entries_at + shared);

            if (edits)
                grams_try_edits(a, tables, planes, shared_at, word, origin + shared_at);
            else
                grams_try(a, tables, grams_at(planes, shared_at - word % (1u << GRAMS_SYMBOL_BITS)),
                          word, origin + shared_at);
        }
    }
}

/* ---- Motifs -------------------------------------------------------------------------------- */

#define GRAMS_QUEUE 64u /* entries of a warp's queue */

/* Fills each motif's plane: bit i % 32 of word i / 32 is set if the motif is at index i of the
 * planes. Called by all threads of the block. The planes cover the starts of all literals that have
 * a piece in the tile. */
SIMT_FUNCTION void grams_mark(const struct grams_arguments *a, struct grams_tables tables,
                              const struct grams_planes *planes, uint32_t offsets, uint32_t *motifs)
{
    uint32_t warps = simt_threads() / SIMT_WARP_THREADS;
    uint32_t words = GRAMS_WORDS_BEFORE + (offsets + 31u) / 32u;

    for (uint32_t word = GRAMS_WORDS_BEFORE - 1u + simt_warp(); word < words; word += warps) {
        struct grams_window codes = grams_at(planes, 32u * word + simt_lane());

        for (uint32_t motif = 0; motif < a->motif_count; motif++) {
            uint32_t motif_at = a->motifs_at + GRAMS_LITERAL_WORDS * motif, bits;
            struct simt_u32x4 masks = grams_words(tables, motif_at);

            bits = simt_ballot((grams_equal(&masks, codes.high, codes.low) & ~codes.none) ==
                               grams_word(tables, motif_at + GRAMS_EXACT));
            if (simt_lane() == 0)
                motifs[GRAMS_WORDS * motif + word] = bits;
        }
    }
}

/* Takes up to 32 pairs (segment << 16 | index in the planes) from the queue. A segment has the
 * pieces of one motif that begin at the same symbol. Compares the literals on the segment's list
 * for the gram at that index. Called by the whole warp; lanes `count` and above have no pair. */
SIMT_FUNCTION void grams_drain(const struct grams_arguments *a, struct grams_tables tables,
                               const struct grams_planes *planes, uint64_t origin,
                               const uint32_t *queue, uint32_t count)
{
    uint32_t mask = (1u << a->gram_symbols) - 1u, at = 0, entry = 0, entry_end = 0;

    simt_warp_sync();
    if (simt_lane() < count) {
        uint32_t pair = queue[simt_lane()], list;
        struct grams_window codes;

        at = pair & 0xffffu;
        codes = grams_at(planes, at);
        list = ((pair >> 16) << a->gram_symbols | (codes.high & mask)) << a->gram_symbols |
               (codes.low & mask);
        entry = grams_word(tables, a->heads_at + list);
        entry_end = grams_word(tables, a->heads_at + list + 1u);
    }
    grams_share(a, tables, planes, origin, at, entry, entry_end, 0);
}

/* A motif is an exact part that several literals share. A segment has the pieces of one motif that
 * begin at the same symbol (approx_grams.h). For each offset of the tile and each segment, queues
 * the pair (segment, offset) if the segment's motif is where a literal with such a piece at the
 * offset would begin. Then compares the literals on the lists of the queued pairs.
 */
SIMT_FUNCTION void grams_motifs(const struct grams_arguments *a, struct grams_tables tables,
                                const struct grams_planes *planes, uint64_t origin,
                                uint32_t offsets, const uint32_t *motifs, uint32_t *queue)
{
    uint32_t queued = 0, lane_bit = 1u << simt_lane();

    for (uint32_t i = simt_thread() - simt_lane(); i < offsets; i += simt_threads()) {
        for (uint32_t segment = 0; segment < a->segment_count; segment++) {
            uint32_t word = grams_word(tables, a->segments_at + segment);
            uint32_t at = 32u * GRAMS_WORDS_BEFORE + i;
            uint32_t from = at - word % (1u << GRAMS_SYMBOL_BITS);
            const uint32_t *plane = motifs + GRAMS_WORDS * (word >> GRAMS_SYMBOL_BITS) + from / 32u;
            uint32_t bits = simt_funnel(plane[0], plane[1], from % 32u);

            if ((bits & lane_bit) != 0)
                queue[queued + simt_popcount(bits & (lane_bit - 1u))] =
                    segment << 16 | (at + simt_lane());
            queued += simt_popcount(bits);
            if (queued >= SIMT_WARP_THREADS) {
                queued -= SIMT_WARP_THREADS;
                grams_drain(a, tables, planes, origin, queue + queued, SIMT_WARP_THREADS);
            }
        }
    }
    grams_drain(a, tables, planes, origin, queue, queued);
}

/* ---- All tiles ----------------------------------------------------------------------------- */

SIMT_FUNCTION void grams_copy(const struct grams_arguments *a, uint32_t *to, uint32_t words)
{
    for (uint32_t i = 4u * simt_thread(); i < words; i += 4u * simt_threads()) {
        struct simt_u32x4 loaded = simt_load_u32x4(a->tables + i);

        for (uint32_t k = 0; k < 4u; k++)
            to[i + k] = loaded.w[k];
    }
}

/* The kind of search: mismatches without motifs (exact parts that literals share), mismatches with
 * motifs, or edits. */
enum grams_kind { GRAMS_BEGINS, GRAMS_MOTIFS, GRAMS_ENDS };

/* Compares the literals on the lists of the grams at all offsets of the tile, and emits
 * candidates. */
SIMT_FUNCTION void grams_offsets(const struct grams_arguments *a, struct grams_tables tables,
                                 const struct grams_planes *planes, uint64_t origin,
                                 uint32_t offsets, enum grams_kind kind)
{
    uint32_t mask = (1u << a->gram_symbols) - 1u;

    for (uint32_t i = simt_thread(); i - simt_lane() < offsets; i += simt_threads()) {
        uint32_t at = 32u * GRAMS_WORDS_BEFORE + i, entry = 0, entry_end = 0;

        if (SIMT_BOUND(i < offsets)) {
            struct grams_window codes = grams_at(planes, at);
            uint32_t gram = (codes.high & mask) << a->gram_symbols | (codes.low & mask);

            entry = grams_word(tables, a->heads_at + gram);
            entry_end = grams_word(tables, a->heads_at + gram + 1u);
        }
        if (kind == GRAMS_ENDS)
            grams_share(a, tables, planes, origin, at, entry, entry_end, 1);
        else
            grams_try_entries(a, tables, planes, at, origin + at, entry, entry_end);
    }
}

SIMT_FUNCTION void grams_search(const struct grams_arguments *a, const uint32_t *codes,
                                struct grams_tables tables, enum grams_kind kind)
{
    SIMT_SHARED(uint32_t, grams_planes_words, 3u * GRAMS_WORDS);
    SIMT_SHARED(uint32_t, grams_motif_words, GRAMS_MOTIFS_MAX * GRAMS_WORDS);
    SIMT_SHARED(uint32_t, grams_queues, GRAMS_QUEUE * GRAMS_THREADS_MAX / SIMT_WARP_THREADS);
    struct grams_planes planes = {grams_planes_words, grams_planes_words + GRAMS_WORDS,
                                  grams_planes_words + 2u * GRAMS_WORDS};
    uint64_t step = (uint64_t)simt_blocks() * GRAMS_TILE_OFFSETS, first = a->begin & ~31ull;
    uint64_t end = a->end + GRAMS_SYMBOLS_MAX + a->errors_max;

    for (first += (uint64_t)simt_block() * GRAMS_TILE_OFFSETS; first < end; first += step) {
        uint32_t offsets =
            end - first < GRAMS_TILE_OFFSETS ? (uint32_t)(end - first) : GRAMS_TILE_OFFSETS;
        /* modulo 2^64, since the offset may be negative */
        uint64_t origin = first - 32u * GRAMS_WORDS_BEFORE;

        simt_barrier();
        grams_fill(a, codes, first, offsets, &planes);
        simt_barrier();
        if (kind != GRAMS_MOTIFS) {
            grams_offsets(a, tables, &planes, origin, offsets, kind);
            continue;
        }
        grams_mark(a, tables, &planes, offsets, grams_motif_words);
        simt_barrier();
        grams_motifs(a, tables, &planes, origin, offsets, grams_motif_words,
                     grams_queues + GRAMS_QUEUE * simt_warp());
    }
}

/* Searches with all tables in shared memory. */
SIMT_FUNCTION void grams_by_shared(const struct grams_arguments *a, enum grams_kind kind)
{
    SIMT_SHARED_DYNAMIC(uint64_t, grams_memory, a->shared_bytes);
    uint32_t *words = (uint32_t *)(void *)grams_memory;
    struct grams_tables tables = {words, 1};

    grams_copy(a, words, a->table_words);
    grams_search(a, words, tables, kind);
}

/* Searches with the codes in shared memory, and the other tables in L2. */
SIMT_FUNCTION void grams_by_global(const struct grams_arguments *a, enum grams_kind kind)
{
    SIMT_SHARED(uint32_t, grams_codes, GRAMS_CODE_WORDS);
    struct grams_tables tables = {a->tables, 0};

    grams_copy(a, grams_codes, GRAMS_CODE_WORDS);
    grams_search(a, grams_codes, tables, kind);
}

#define GRAMS_KERNELS(name, kind)                                             \
    SIMT_KERNEL(grams_##name##_shared, grams_arguments, GRAMS_THREADS_MAX, 1) \
    {                                                                         \
        grams_by_shared(&args, kind);                                         \
    }                                                                         \
    SIMT_KERNEL(grams_##name##_global, grams_arguments, GRAMS_THREADS_MAX, 1) \
    {                                                                         \
        grams_by_global(&args, kind);                                         \
    }
GRAMS_KERNELS(begins, GRAMS_BEGINS)
GRAMS_KERNELS(motifs, GRAMS_MOTIFS)
GRAMS_KERNELS(ends, GRAMS_ENDS)
#undef GRAMS_KERNELS
