/* stream_set: finds the occurrences of a set of patterns using a sample at each multiple of a
 * stride s.
 *
 * Method     takes a sample at every s-th position: the gram of q bytes that begins there, or, if
 *            the form has c > 1 choices, of the c grams that begin at c consecutive bytes the first
 *            gram with the lowest hash. For each pattern, the tables hold the grams sampled at s
 *            consecutive offsets, so every occurrence meets exactly one sample that proposes it. A
 *            pattern needs s + c + q - 2 bytes. With c choices a pattern has about 1 + 2 (s - 1) /
 *            (c + 1) grams instead of s, because neighbouring samples often choose the same gram.
 *            Tables name the (pattern, offset) pairs with a sample's hash; each table lets fewer
 *            samples pass than the table before:
 *
 *              text -> hash -> bitmap ---> first queue --> 64-bit words --> second queue --> lists
 *                              shared;     shared, per     L2; two bits     shared, per      heads,
 *                              1 or 2      warp; 64 at                      warp; 32 at      then
 *                              bits        a time                           a time           bytes
 *
 *            The device builds the tables: set_runs, set_count, set_room, set_fill. A list's first
 *            entry is in its head; the later entries lie side by side. Lists differ in length, so
 *            the lanes share the later entries of 32 samples. An entry's key is the hash of its
 *            gram. With tags (small strides, or sets of which the text meets many grams), up to
 *            eight bytes beside the gram count for the key too. The head has a filter of 16 bits,
 *            in which two bits for each later entry say which bytes are next to the entry's gram.
 *            There are two variants. The *dense* variant (stream_set_dense_S_Q_C) is for sets of
 *            which many samples pass the bitmap: a lane queues each sample that passes, with its
 *            hash. The *rare* variant (stream_set_S_Q_C) is for sets of which few samples pass: the
 *            lanes set a bit for each sample that passes, without a branch, and the warp votes once
 *            for 32 samples of each lane. The rare variant's queue has the samples' numbers and the
 *            text around each sample; the text is copied from L2 to shared memory while the warp
 *            goes on. The warp then reads the heads of the samples' lists instead of the 64-bit
 *            words. From s = 4 on, a gram has one more bit in the rare variant's bitmap.
 * Grid       any; a warp's first tile is the tile of the warp's number, and the warp draws further
 *            tiles from a ticket. One block per multiprocessor, so that the bitmap can be large.
 * Shared     dynamic: the bitmap, and queues of 2.3 KiB per warp, 2.8 in the rare variant. Static:
 *            0.4 KiB, and in the dense variant the launch's arguments, 1 KiB.
 * Traffic    per text byte: reads 1 (with strides of 64 and more, a sector of 32 bytes per stride),
 *            and 1 / s words of shared memory. Per sample that passes the bitmap: 8 bytes of L2.
 *            Per sample that passes the 64-bit words: 16 bytes of heads, 8 for each later entry, 16
 *            of the literal, and bytes of the text and of the literal.
 * Bound      by the text's loads while few samples pass the bitmap, else by the lookups in L2: 160
 *            G/s, and while text is streamed 3.9 TB/s with 3 lookups per 128 bytes, 3.2 with 4, 2.0
 *            with 8, 1.04 with 16 [H200]. If many samples pass, instructions bound the rare
 *            variant: about 15 for each sample that passes. cost_of() in cuda_choose.c weighs
 *            stride, q, choices and tables.
 * Progress   no block waits for another block.
 * Order      no order: a count, the first, or hits in bins (bins.cu).
 * Limits     A warp whose lists and comparisons cost more than
 *            the budget ends the launch; the host then repeats the search with a larger budget,
 *            or by automaton.cu or on the CPU.
 * Rejected   speeds without a unit are fractions of the read speed, as "variant instead of the
 *            kernel then". No bitmap, each sample looked up in L2: 0.15 instead of 0.21 for
 *            1,000,000 patterns of 16 bytes. Loading text at two places in the code: the compiler
 *            then made a use of one load wait for both. A bitmap spread over the shared memory of a
 *            cluster of blocks: 164 G lookups/s in clusters of 2, and 94, 80 and 70 in clusters of
 *            4, 8 and 16, while L2 has 160 and a block's own shared memory 3,100. The rare variant
 *            without copies of the text, which read the bytes of 64 queued samples again: 0.74
 *            instead of 0.90 for 10,000 patterns of 8 bytes, since the text had left L2 [H200].
 * Source     the lowest of several hashes: Schleimer, Wilkerson and Aiken, "Winnowing: local
 *            algorithms for document fingerprinting", 2003; two bits of one word: Putze, Sanders
 *            and Singler, "Cache-, hash- and space-efficient Bloom filters", 2009.
 */
#include "sets.h"

/* ---- Tables ----------------------------------------------------------------------------- */

/* A gram of a literal. */
struct sets_gram {
    uint64_t at; /* the byte of literal_bytes at which the gram's sample begins */
    /* A gram: `offset` is where the sample begins in the literal's run (the part that is
     * sampled), `hash` is the sample's hash, and `chosen` the place of the chosen gram among the
     * c grams. */
    uint32_t offset, hash, chosen;
};

/* Sets *gram to that of the sample at offset i % stride in the run of literal i / stride. Returns 0
 * if sample i - 1 chooses the same gram. */
SIMT_FUNCTION int sets_gram(const struct set_arguments *a, uint64_t i, struct sets_gram *gram)
{
    struct simt_u32x4 record = simt_load_u32x4(a->sets.literals + 4u * (i / a->sets.stride));
    uint32_t before = 0;

    gram->offset = (uint32_t)(i % a->sets.stride);
    gram->at = (uint64_t)record.w[0] * 8u + record.w[2] + gram->offset;
    gram->hash = sets_bytes_hash(a, sets_literal_bytes(a, gram->at), &gram->chosen);
    if (a->sets.choices == 1u || gram->offset == 0)
        return 1;
    (void)sets_bytes_hash(a, sets_literal_bytes(a, gram->at - 1u), &before);
    return before != gram->chosen + 1u;
}

/* Chooses each literal's run, from which its grams are taken: the rarest `span` neighbouring bytes
 * that begin at an offset of at most SCAN_SETS_RUN_MAX. */
SIMT_KERNEL(set_runs, set_arguments, SCAN_THREADS_MAX, 1)
{
    uint32_t span = args.sets.stride + args.sets.choices + args.sets.gram_bytes - 2u;
    uint64_t step = (uint64_t)simt_blocks() * simt_threads();
    uint64_t literal = (uint64_t)simt_block() * simt_threads() + simt_thread();

    for (; SIMT_BOUND(literal < args.sets.literal_count); literal += step) {
        struct simt_u32x4 record = simt_load_u32x4(args.sets.literals + 4u * literal);
        const uint8_t *bytes = (const uint8_t *)(const void *)(args.literal_bytes + record.w[0]);
        uint32_t sum = 0, best = 0, run = 0;

        for (uint32_t i = 0; SIMT_BOUND(i < record.w[1]) && i < span + SCAN_SETS_RUN_MAX; i++) {
            sum += simt_load_u32(args.sets.rarity + simt_load_u8(bytes + i));
            if (i >= span)
                sum -= simt_load_u32(args.sets.rarity + simt_load_u8(bytes + i - span));
            if (i + 1u < span || sum <= best)
                continue;
            best = sum;
            run = i + 1u - span;
        }
        simt_store_u32(args.sets.literals + 4u * literal + 2u, run);
    }
}

/* Enters each gram of each literal's run into the bitmap and, if table_words is not 0, into the
 * 64-bit words, and counts it in the head of its list. The host has zeroed all tables. */
SIMT_KERNEL(set_count, set_arguments, SCAN_THREADS_MAX, 1)
{
    uint64_t total = (uint64_t)args.sets.literal_count * args.sets.stride;
    uint64_t step = (uint64_t)simt_blocks() * simt_threads();
    uint64_t i = (uint64_t)simt_block() * simt_threads() + simt_thread();

    for (; SIMT_BOUND(i < total); i += step) {
        struct sets_gram gram;
        uint32_t mixed, *word;
        uint64_t bits;

        if (!sets_gram(&args, i, &gram))
            continue;
        (void)simt_atomic_or_u32(args.sets.filter + sets_filter_word(&args, gram.hash),
                                 1u << (sets_bit(&args, gram.hash, 0) & 31u) |
                                     1u << (sets_bit(&args, gram.hash, 1) & 31u) |
                                     args.sets.one_more << (gram.hash & 31u));
        mixed = sets_mix(gram.hash);
        bits = args.sets.table_words == 0 ? 0 : sets_table_bits(mixed);
        word = (uint32_t *)(void *)(args.sets.table + sets_table_word(&args, mixed));
        if ((uint32_t)bits != 0)
            (void)simt_atomic_or_u32(word, (uint32_t)bits);
        if ((uint32_t)(bits >> 32) != 0)
            (void)simt_atomic_or_u32(word + 1, (uint32_t)(bits >> 32));
        (void)simt_atomic_add_u64(args.sets.heads + 2u * (uint64_t)sets_head(&args, mixed) + 1u, 1);
    }
}

/* After set_count: empties each list and gives it room for its later entries; all lanes of a warp
 * take their lists' room at once. */
SIMT_KERNEL(set_room, set_arguments, SCAN_THREADS_MAX, 1)
{
    uint64_t step = (uint64_t)simt_blocks() * simt_threads();
    uint64_t at = (uint64_t)simt_block() * simt_threads() + simt_warp() * SIMT_WARP_THREADS;

    for (; SIMT_BOUND(at < args.sets.head_count); at += step) {
        uint64_t i = at + simt_lane(), taken = 0;
        int is_own = SIMT_BOUND(i < args.sets.head_count);
        uint32_t count = is_own ? (uint32_t)simt_load_l2_u64(args.sets.heads + 2u * i + 1u) : 0;
        uint32_t others = count > 1u ? count - 1u : 0, through = simt_warp_upto_u32(others);

        if (simt_lane() == SIMT_WARP_THREADS - 1u && through != 0)
            taken = simt_atomic_add_u64(args.sets.taken, through);
        taken = simt_shuffle_u64(taken, SIMT_WARP_THREADS - 1u);
        if (!is_own)
            continue;
        simt_store_u64(args.sets.heads + 2u * i, SCAN_SETS_END);
        simt_store_u64(args.sets.heads + 2u * i + 1u,
                       (uint64_t)(others <= args.sets.items_max ? others : SCAN_SETS_ITEMS_MAX + 1u)
                               << SETS_ITEMS_SHIFT |
                           (taken + through - others));
    }
}

/* After set_room: enters each gram into its list, as the first entry; the previous first joins the
 * later ones. */
SIMT_KERNEL(set_fill, set_arguments, SCAN_THREADS_MAX, 1)
{
    uint64_t total = (uint64_t)args.sets.literal_count * args.sets.stride;
    uint64_t step = (uint64_t)simt_blocks() * simt_threads();
    uint64_t i = (uint64_t)simt_block() * simt_threads() + simt_thread();

    for (; SIMT_BOUND(i < total); i += step) {
        uint64_t *head, entry, joins;
        uint32_t before, after;
        struct sets_gram gram;

        if (!sets_gram(&args, i, &gram))
            continue;
        sets_literal_beside(&args, gram.at + gram.chosen, gram.offset + gram.chosen, &before,
                            &after);
        entry = (uint64_t)((gram.hash + sets_tag(&args, gram.offset + gram.chosen, before, after)) &
                           SETS_KEY)
                    << 32 |
                gram.chosen << SETS_INDEX_BITS | (uint32_t)i;
        head = args.sets.heads + 2u * (uint64_t)sets_head(&args, sets_mix(gram.hash));
        joins = simt_atomic_exchange_u64(head, entry);
        if (joins == SCAN_SETS_END)
            continue;
        simt_store_u64(args.sets.entries + sets_items_end(simt_atomic_add_u64(head + 1, 1)), joins);
        (void)simt_atomic_or_u32((uint32_t *)(void *)(head + 1) + 1,
                                 sets_entry_bits(&args, joins) << (SETS_FILTER_SHIFT - 32u));
    }
}

/* ---- Rows of 16 bytes per lane ---------------------------------------------------------- */

/* Returns the distance in bytes between the 16 bytes of neighbouring lanes. */
SIMT_FUNCTION uint32_t sets_apart(const struct set_arguments *a, struct sets_form form)
{
    return form.stride >= 16u ? a->sets.stride : 16u;
}

/* Returns how many samples of a lane begin in one row of the step (its 16 bytes). */
SIMT_FUNCTION uint32_t sets_row_samples(uint32_t stride)
{
    return 16u / stride;
}

/* Returns how many words after a lane's 16 bytes the lane's samples reach. */
SIMT_FUNCTION uint32_t sets_behind(struct sets_form form)
{
    uint32_t bytes = form.choices > 1u ? form.gram + form.choices - 1u : 4u * sets_words(form);

    return form.stride >= 16u ? 0 : (16u - form.stride + bytes + 3u) / 4u - 4u;
}

/* Copies row k of the step to w: the lane's 16 bytes and the next `behind` words. The next lane has
 * these; for the last lane, lane 0 has them in row k + 1, and in the last row they are in its
 * step->behind. Called by all lanes of the warp. */
SIMT_FUNCTION void sets_row_words(const struct sets_step *step, uint32_t k, uint32_t rows,
                                  uint32_t behind, uint32_t *w)
{
    const uint32_t *next = step->w + 4u * (k + 1u < SCAN_SETS_ROWS ? k + 1u : k);

    SIMT_UNROLL
    for (uint32_t i = 0; i < 4u; i++)
        w[i] = step->w[4u * k + i];
    SIMT_UNROLL
    for (uint32_t i = 0; i < behind; i++) {
        uint32_t given = k + 1u < rows && simt_lane() == 0 ? next[i] : step->w[4u * k + i];
        uint32_t got = simt_shuffle_u32(given, (simt_lane() + 1u) % SIMT_WARP_THREADS);

        w[4u + i] = k + 1u == rows && simt_lane() == SIMT_WARP_THREADS - 1u ? step->behind[i] : got;
    }
}

/* Queues the sample of each lane that passes, with the sample's number and hash. */
SIMT_FUNCTION void sets_push(struct sets_lane *s, int pass, uint32_t place, uint32_t hash)
{
    uint32_t lanes = simt_ballot(pass);

    if (pass)
        s->warp->first[s->queued + simt_popcount(lanes & s->below)] = (uint64_t)hash << 32 | place;
    s->queued += simt_popcount(lanes);
}

/* Queues the samples of a row that pass the bitmap. `sample` is the lane's first one. The queue
 * is drained after every SETS_SAMPLES samples of a lane. */
SIMT_FUNCTION void sets_row(const struct set_arguments *a, struct sets_lane *s, const uint32_t *w,
                            uint32_t sample, struct sets_form form)
{
    uint32_t hashes[16], passes[16], count = sets_row_samples(form.stride);

    SIMT_UNROLL
    for (uint32_t i = 0; i < count; i++) {
        hashes[i] = sets_hash(a, w, i * form.stride, form);
        passes[i] = sets_pass(a, s->filter, hashes[i], form);
    }
    SIMT_UNROLL
    for (uint32_t i = 0; i < count; i++) {
        sets_push(s, (passes[i] & 1u) != 0, sample + i, hashes[i]);
        if ((i + 1u) % SETS_SAMPLES != 0 && i + 1u < count)
            continue;
        sets_drain(a, s, sets_take(form) - 1u, form);
    }
}

/* ---- Steps and tiles -------------------------------------------------------------------- */

/* Issues the loads of the step at `place` of the text. Rows of a lane that begin beyond the text
 * become zeros. Only the last lane loads to->behind, and only if the whole step is text; otherwise
 * these words are zeros, too. */
SIMT_FUNCTION void sets_load(const struct set_arguments *a, uint64_t place, uint32_t apart,
                             uint32_t rows, uint32_t behind, struct sets_step *to)
{
    uint32_t row_bytes = apart * SIMT_WARP_THREADS;
    uint64_t own = place + apart * simt_lane();
    const uint8_t *at = a->scan.text + own;

    SIMT_UNROLL
    for (uint32_t i = 0; i < behind; i++)
        to->behind[i] = 0;
    if (SIMT_BOUND(place + rows * row_bytes <= a->scan.text_end)) {
        SIMT_UNROLL
        for (uint32_t k = 0; k < rows; k++) {
            struct simt_u32x4 row =
                simt_load_once_u32x4((const uint32_t *)(const void *)(at + k * row_bytes));

            SIMT_UNROLL
            for (uint32_t i = 0; i < 4u; i++)
                to->w[4u * k + i] = row.w[i];
        }
        if (behind != 0 && simt_lane() == SIMT_WARP_THREADS - 1u) {
            struct simt_u32x4 more = simt_load_u32x4(
                (const uint32_t *)(const void *)(a->scan.text + place + rows * row_bytes));

            SIMT_UNROLL
            for (uint32_t i = 0; i < behind; i++)
                to->behind[i] = more.w[i];
        }
        return;
    }
    SIMT_UNROLL
    for (uint32_t k = 0; k < rows; k++) {
        struct simt_u32x4 row = {{0, 0, 0, 0}};

        if (SIMT_BOUND(own + k * row_bytes < a->scan.text_end))
            row = simt_load_once_u32x4((const uint32_t *)(const void *)(at + k * row_bytes));
        SIMT_UNROLL
        for (uint32_t i = 0; i < 4u; i++)
            to->w[4u * k + i] = row.w[i];
    }
}

/* Returns the position at which the tile begins. */
SIMT_FUNCTION uint64_t sets_begin(const struct set_arguments *a, uint64_t tile)
{
    return a->scan.position + tile * a->tile_bytes;
}

/* Searches the step at `at` (dense variant). */
SIMT_FUNCTION void sets_look(const struct set_arguments *a, struct sets_lane *s,
                             const struct sets_step *step, uint64_t at, struct sets_form form)
{
    uint32_t w[SCAN_SETS_ROWS][7], behind = sets_behind(form), rows = form.rows;
    uint32_t count = sets_row_samples(form.stride);
    uint32_t first =
        (uint32_t)((at - a->scan.position) >> a->sets.stride_log2) + simt_lane() * count;

    s->steps++;
    /* If the samples reach one word beyond the lane's 16 bytes, it fetches its neighbour's word for
     * all rows at once, so that no row waits. Two words would take too many registers. */
    SIMT_UNROLL
    for (uint32_t k = 0; k < rows && behind == 1u; k++)
        sets_row_words(step, k, rows, behind, w[k]);
    SIMT_UNROLL
    for (uint32_t k = 0; k < rows; k++) {
        if (behind != 1u)
            sets_row_words(step, k, rows, behind, w[k]);
        SIMT_UNROLL
        for (uint32_t i = 0; i < 4u + behind; i++)
            w[k][i] |= a->sets.fold;
        sets_row(a, s, w[k], first + k * SIMT_WARP_THREADS * count, form);
    }
}

/* ---- The rare variant ------------------------------------------------------------------- */

/* Returns true if the whole step at `at` lies in the text. */
SIMT_FUNCTION int sets_is_whole(const struct set_arguments *a, uint64_t at, uint32_t step_bytes)
{
    return SIMT_BOUND(at + step_bytes <= a->scan.text_end);
}

/* Issues the loads of the step at `at`. If the step is not whole, loads the text's first bytes
 * instead: sets_edge reads such a step from memory itself. */
SIMT_FUNCTION void sets_rare_load(const struct set_arguments *a, uint64_t at, uint32_t apart,
                                  uint32_t rows, uint32_t behind, struct sets_step *to)
{
    uint32_t row_bytes = SIMT_WARP_THREADS * apart;
    int whole = sets_is_whole(a, at, rows * row_bytes);
    const uint8_t *from = a->scan.text + (whole ? at + apart * simt_lane() : a->scan.position);
    uint32_t pitch = whole ? row_bytes : 0;

    SIMT_UNROLL
    for (uint32_t k = 0; k < rows; k++) {
        struct simt_u32x4 row = simt_load_u32x4((const uint32_t *)(const void *)(from + k * pitch));

        SIMT_UNROLL
        for (uint32_t i = 0; i < 4u; i++)
            to->w[4u * k + i] = row.w[i];
    }
    SIMT_UNROLL
    for (uint32_t i = 0; i < behind; i++)
        to->behind[i] = 0;
    if (behind != 0 && whole && simt_lane() == SIMT_WARP_THREADS - 1u) {
        struct simt_u32x4 more =
            simt_load_u32x4((const uint32_t *)(const void *)(a->scan.text + at + rows * row_bytes));

        SIMT_UNROLL
        for (uint32_t i = 0; i < behind; i++)
            to->behind[i] = more.w[i];
    }
}

/* Queues the number of each lane's sample that passes, and starts to copy the text around it, which
 * would otherwise have left L2 when 32 samples are queued. */
SIMT_FUNCTION void sets_push_rare(const struct set_arguments *a, struct sets_lane *s, int pass,
                                  uint32_t sample, struct sets_form form)
{
    uint32_t lanes = simt_ballot(pass), own = s->queued + simt_popcount(lanes & s->below);

    if (pass) {
        sets_numbers(s->warp)[own] = sample;
        sets_copy_around(a, sets_around(s->warp), own, sets_place(a, sample), form);
    }
    s->queued += simt_popcount(lanes);
    sets_drain(a, s, sets_take(form) - 1u, form);
}

/* Queues the samples whose bits are set in `bits`: from bit 0, those of the last row, then those of
 * the row before, and so on. `top` is the lane's first sample in the last row. */
SIMT_FUNCTION void sets_collect(const struct set_arguments *a, struct sets_lane *s, uint32_t bits,
                                uint32_t top, struct sets_form form)
{
    uint32_t count = sets_row_samples(form.stride);

    SIMT_ROLLED
    while (simt_ballot(bits != 0) != 0) {
        uint32_t bit = bits != 0 ? simt_lowest_bit(bits) : 0;

        sets_push_rare(a, s, bits != 0,
                       top - bit / count * (SIMT_WARP_THREADS * count) + bit % count, form);
        bits &= bits - 1u;
    }
}

/* Searches a partial step, sample by sample. */
SIMT_FUNCTION void sets_edge(const struct set_arguments *a, struct sets_lane *s, uint64_t at,
                             struct sets_form form)
{
    uint32_t apart = sets_apart(a, form), count = sets_row_samples(form.stride);
    uint64_t from = at + apart * simt_lane();

    SIMT_ROLLED
    for (uint32_t n = 0; n < form.rows * count; n++) {
        uint64_t place =
            from + n / count * (SIMT_WARP_THREADS * apart) + (uint64_t)(n % count) * form.stride;
        int pass = SIMT_BOUND(place < a->scan.text_end);

        if (pass)
            pass = (sets_pass(a, s->filter, sets_text_hash(a, place, form), form) & 1u) != 0;
        sets_push_rare(a, s, pass, (uint32_t)((place - a->scan.position) >> a->sets.stride_log2),
                       form);
    }
}

/* Issues the loads of the step at `following`, then searches the step at `at`. There is no branch
 * between the samples: each sets a bit, and the warp votes once for 32 samples of a lane. The rows
 * are searched downwards, because the last lane's grams reach into the next row. */
SIMT_FUNCTION void sets_rare_step(const struct set_arguments *a, struct sets_lane *s,
                                  struct sets_step *step, uint64_t at, uint64_t following,
                                  struct sets_form form)
{
    uint32_t count = sets_row_samples(form.stride), behind = sets_behind(form), rows = form.rows;
    uint32_t apart = sets_apart(a, form), row_bytes = SIMT_WARP_THREADS * apart;
    uint32_t group = count * rows <= 32u ? rows : 32u / count, carried[3], bits = 0;
    uint32_t first =
        (uint32_t)((at - a->scan.position) >> a->sets.stride_log2) + simt_lane() * count;
    struct sets_step now = *step;

    s->steps++;
    sets_rare_load(a, following, apart, rows, behind, step);
    if (!sets_is_whole(a, at, rows * row_bytes)) {
        sets_edge(a, s, at, form);
        return;
    }
    SIMT_UNROLL
    for (uint32_t i = 0; i < behind; i++)
        carried[i] = now.behind[i];
    SIMT_UNROLL
    for (uint32_t n = 0; n < rows; n++) {
        uint32_t k = rows - 1u - n, w[7];

        SIMT_UNROLL
        for (uint32_t i = 0; i < 4u; i++)
            w[i] = now.w[4u * k + i];
        SIMT_UNROLL
        for (uint32_t i = 0; i < behind; i++) {
            uint32_t got = simt_shuffle_u32(w[i], (simt_lane() + 1u) % SIMT_WARP_THREADS);

            w[4u + i] = simt_lane() == SIMT_WARP_THREADS - 1u ? carried[i] : got;
            carried[i] = got;
        }
        SIMT_UNROLL
        for (uint32_t i = 0; i < count; i++)
            bits = simt_funnel(
                bits, sets_pass(a, s->filter, sets_hash(a, w, i * form.stride, form), form), 1u);
        if ((n + 1u) % group != 0)
            continue;
        bits >>= 32u - group * count;
        sets_collect(a, s, bits, first + (k + group - 1u) * SIMT_WARP_THREADS * count, form);
        bits = 0;
    }
}

/* Searches a tile. `next` is the warp's next one. The loads of a step are issued before the step
 * before is searched. The code loads in only one place: two would share a counter, and the
 * search waits for all loads that the compiler counts by the same counter. */
SIMT_FUNCTION void sets_tile(const struct set_arguments *a, struct sets_lane *s, uint32_t tile,
                             uint32_t next, struct sets_step *ahead, struct sets_form form)
{
    uint32_t apart = sets_apart(a, form), step_bytes = form.rows * SIMT_WARP_THREADS * apart;
    uint64_t at = sets_begin(a, tile);

    SIMT_ROLLED
    for (uint32_t left = a->tile_steps; left != 0; left--) {
        uint64_t following = left > 1u ? at + step_bytes : sets_begin(a, next);

        if (form.rare) {
            sets_rare_step(a, s, ahead, at, following, form);
        } else {
            struct sets_step step = *ahead;

            sets_load(a, following, apart, form.rows, sets_behind(form), ahead);
            sets_look(a, s, &step, at, form);
        }
        at = following;
    }
}

/* Empties both queues. */
SIMT_FUNCTION void sets_end(const struct set_arguments *a, struct sets_lane *s,
                            struct sets_form form)
{
    sets_drain(a, s, 0, form);
    sets_verify(form.rare ? a : sets_arguments(), s->warp, 0, s->warp->second_count,
                sets_max(a, s));
}

/* Searches the tiles that the warp draws, without waiting for another warp. Returns the lane's last
 * ticket, for tile_finish. */
SIMT_FUNCTION uint32_t sets_tiles(const struct set_arguments *a, struct sets_lane *s,
                                  struct sets_form form)
{
    uint32_t apart = sets_apart(a, form), ahead = 0;
    uint32_t warps = simt_threads() / SIMT_WARP_THREADS, first = simt_blocks() * warps;
    uint32_t tile = simt_block() * warps + simt_warp(), next;
    struct sets_step step;

    if (form.rare)
        sets_rare_load(a, sets_begin(a, tile), apart, form.rows, sets_behind(form), &step);
    else
        sets_load(a, sets_begin(a, tile), apart, form.rows, sets_behind(form), &step);
    if (simt_lane() == 0)
        ahead = tile_ticket(&a->scan);
    next = simt_shuffle_u32(ahead, 0) + first;
    if (simt_lane() == 0)
        ahead = tile_ticket(&a->scan);
    while (SIMT_BOUND(tile < a->scan.tile_count)) {
        uint64_t listed = simt_lane() == 0 ? simt_hint_u64(&a->scan.result->listed) : 0;
        uint32_t third;

        sets_tile(a, s, tile, next, &step, form);
        if (s->warp->gives_up != 0)
            break;
        third = ahead + first;
        if (simt_lane() == 0) {
            if (listed > a->scan.listed_max)
                third = a->scan.tile_count;
            ahead = tile_ticket(&a->scan);
        }
        tile = next;
        next = simt_shuffle_u32(third, 0);
    }
    if (s->warp->gives_up == 0)
        sets_end(a, s, form);
    /* Use the atomic's result, so that the atomic completes before this block reports. Otherwise
     * the sum could arrive after the last block has reset `listed`. */
    if (s->warp->gives_up != 0 && simt_lane() == 0)
        ahead |= simt_atomic_add_u64(&a->scan.result->listed, a->scan.listed_max + 1u) > UINT32_MAX;
    return ahead;
}

/* Copies the launch's arguments to shared memory. Called by all threads of the block. */
SIMT_FUNCTION void sets_keep_arguments(const struct set_arguments *a)
{
    const uint32_t *from = (const uint32_t *)(const void *)a;
    uint32_t *to = (uint32_t *)(void *)sets_arguments();

    for (uint32_t i = simt_thread(); i < sizeof *a / sizeof *to; i += simt_threads())
        to[i] = from[i];
}

SIMT_FUNCTION void sets_stream(const struct set_arguments *a, struct sets_form form)
{
    /* The bitmap lies first, at an address that the compiler knows. */
    SIMT_SHARED_DYNAMIC(uint64_t, sets_memory, a->sets.shared_bytes);
    uint64_t *warps = sets_memory + a->sets.filter_words / 2u;
    struct tile_totals totals = {0, 0, 0};
    struct sets_lane s;
    uint32_t asked;

    s.filter = (uint32_t *)(void *)sets_memory;
    s.warp = (struct sets_warp *)(void *)(warps + simt_warp() *
                                                      (form.rare ? SCAN_SETS_RARE_WARP_BYTES
                                                                 : SCAN_SETS_WARP_BYTES) /
                                                      8u);
    s.queued = s.steps = 0;
    s.below = (1u << simt_lane()) - 1u;
    if (simt_lane() == 0) {
        s.warp->spent = s.warp->count = s.warp->candidates = 0;
        s.warp->second_count = s.warp->gives_up = 0;
    }
    if (!form.rare)
        sets_keep_arguments(a);
    tile_keep_words((uint32_t *)(void *)sets_memory, a->sets.filter, a->sets.filter_words,
                    SETS_LOADS);
    simt_barrier();
    asked = sets_tiles(a, &s, form);
    totals.count = simt_lane() == 0 ? s.warp->count : 0;
    totals.candidates = simt_lane() == 0 ? s.warp->candidates : 0;
    totals.dense_count = simt_lane() == 0 ? s.warp->gives_up : 0;
    tile_finish(&a->scan, &totals, asked == UINT32_MAX ? UINT64_MAX : 0);
}

/* Defines two kernels for a form, one of the rare and one of the dense variant, so that each kernel
 * takes only the registers that the form needs. */
#define SETS_KERNELS(stride, gram, choices)                                                    \
    SIMT_KERNEL(stream_set_##stride##_##gram##_##choices, set_arguments, SCAN_SETS_THREADS, 1) \
    {                                                                                          \
        struct sets_form form = {stride, gram, choices, SCAN_SETS_ROWS, 1};                    \
                                                                                               \
        sets_stream(&args, form);                                                              \
    }                                                                                          \
    SIMT_KERNEL(stream_set_dense_##stride##_##gram##_##choices, set_arguments,                 \
                SCAN_SETS_DENSE_THREADS, 1)                                                    \
    {                                                                                          \
        struct sets_form form = {stride, gram, choices, SCAN_SETS_DENSE_ROWS, 0};              \
                                                                                               \
        sets_stream(&args, form);                                                              \
    }
SCAN_SETS_FORMS(SETS_KERNELS)
#undef SETS_KERNELS
