/* sets: the tables and queues that the kernels of stream_set.cu share.
 *
 * A *gram* is q neighbouring bytes. At every s-th position of the text the kernels take a *sample*:
 * of c grams at consecutive bytes, the gram with the lowest hash. The *run* of a literal (a
 * pattern) is the part of the literal whose grams are in the tables. A gram's hash says where to
 * look in each table: in a bitmap in shared memory, in 64-bit words in L2, and in *lists*. A list's
 * *entry* is a gram of a literal. The entry's *key* is the gram's hash, to which a *tag* is added
 * if sets.tagged is set: a hash of the bytes beside the gram. The list's first entry is in the
 * list's *head*.
 *
 * The kernels have two variants: *rare*, for sets for which few samples of the text pass the
 * bitmap, and *dense*. The first queue holds samples that passed the bitmap: in the dense variant
 * with the samples' hashes, in the rare variant with the text around the samples. A sample goes on
 * to the second queue if the 64-bit words have the sample's bits (dense), or if the sample's list
 * may have the sample's key (rare). The lists of the second queue's samples propose literals, which
 * are compared.
 */
#ifndef TRAWL_CUDA_KERNELS_SETS_H
#define TRAWL_CUDA_KERNELS_SETS_H

#include "tile.h"

#define SETS_COST_BYTES 64u /* comparing this many bytes costs as much as testing an entry */
#define SETS_LOADS 8u       /* loads of 16 bytes that a thread has in flight for the bitmap */
#define SETS_SAMPLES 4u     /* samples of a lane between two tests of the queue's length */
/* The lowest of several hashes is not evenly distributed; this factor spreads it again. */
#define SETS_SPREAD 0x9e3779b1u
/* An entry's low SETS_INDEX_BITS bits are literal × stride + the offset of a sample in the
 * literal's run. The 4 bits above are the place of the entry's gram among the c grams of this
 * sample. */
#define SETS_INDEX_BITS 28u
#define SETS_KEY (UINT32_MAX / 2) /* mask of the 31 bits of a key */
/* The second word of a list's head has three parts, starting at its lowest bit: where the list's
 * later entries end in `entries`; from SETS_ITEMS_SHIFT, their number (above SCAN_SETS_ITEMS_MAX:
 * too many for any text); from SETS_FILTER_SHIFT, the list's filter, in which each later entry sets
 * two bits. */
#define SETS_ITEMS_SHIFT 28u
#define SETS_FILTER_SHIFT 48u

/* The constants of a kernel, known when the kernel is compiled. */
struct sets_form {
    uint32_t stride; /* 16 also stands for the multiples of 16 */
    uint32_t gram;   /* bytes of a gram; with choices = 1, the maximum length of a gram */
    /* number of grams at consecutive bytes, of which a sample takes the gram with the lowest
     * hash */
    uint32_t choices;
    uint32_t rows; /* rows of 16 bytes per lane in a step */
    int rare;      /* 1: the rare variant */
};

/* A warp's queues and sums, in shared memory. Except in `first`, an entry is the sample's number,
 * which counts from a->scan.position, plus the hash of its gram << 32. */
struct sets_warp {
    uint64_t spent; /* cost of verification so far */
    uint64_t count;
    uint64_t candidates;
    uint32_t second_count;
    uint32_t gives_up;
    uint64_t second[SCAN_SETS_SECOND]; /* the second queue */
    /* the first queue: SCAN_SETS_FIRST entries (dense), or words of text (rare) */
    uint64_t first[SCAN_SETS_AROUND * SCAN_SETS_RARE];
};

/* In the rare variant the first queue is two arrays: the samples' numbers, in `second` after the
 * SCAN_SETS_RARE entries of the second queue; and words of the text around each sample, in `first`,
 * where word k of sample i is sets_around()[k * SCAN_SETS_RARE + i] (sets_copy_around). */
SIMT_FUNCTION uint32_t *sets_numbers(struct sets_warp *warp)
{
    return (uint32_t *)(void *)(warp->second + SCAN_SETS_RARE);
}

SIMT_FUNCTION uint64_t *sets_around(struct sets_warp *warp)
{
    return warp->first;
}

/* The state of a lane in registers. */
struct sets_lane {
    const uint32_t *filter;
    struct sets_warp *warp;
    uint32_t queued; /* entries in the first queue */
    uint32_t below;  /* mask of the lower lanes */
    uint32_t steps;  /* steps that the warp has searched */
};

struct sets_step {
    uint32_t w[4u * SCAN_SETS_ROWS];
    uint32_t behind[3];
};

/* Returns a copy of the launch's arguments in shared memory, which sets_verify reads in the dense
 * variant. A function that is not inlined reads the launch's own arguments through L1, where the
 * text that streams through displaces them: 100,000 words of 8 bytes had 0.044 instead of 0.050 of
 * the read speed. In the rare variant the copy made two of the kernels spill in their loop: 10,000
 * words of 8 bytes had 0.205 instead of 0.216 [H200]. */
SIMT_FUNCTION struct set_arguments *sets_arguments(void)
{
    SIMT_SHARED(struct set_arguments, sets_kept, 1);

    return sets_kept;
}

/* ---- Tables ----------------------------------------------------------------------------- */

/* 16 bytes of the text or of a literal. */
struct sets_bytes {
    uint64_t low, high;
};

SIMT_FUNCTION struct sets_bytes sets_folded(const struct set_arguments *a, uint64_t low,
                                            uint64_t high)
{
    uint64_t fold = (uint64_t)a->sets.fold << 32 | a->sets.fold;
    struct sets_bytes bytes = {low | fold, high | fold};

    return bytes;
}

/* Returns 16 bytes of the literals starting at byte `at`, where 24 bytes can be loaded. */
SIMT_FUNCTION struct sets_bytes sets_literal_bytes(const struct set_arguments *a, uint64_t at)
{
    const uint64_t *from = a->literal_bytes + at / 8u;
    uint32_t shift_bits = (uint32_t)(at & 7u) * 8u;
    uint64_t low = simt_load_u64(from), high = simt_load_u64(from + 1);

    if (shift_bits != 0) {
        uint64_t more = simt_load_u64(from + 2);

        low = low >> shift_bits | high << (64u - shift_bits);
        high = high >> shift_bits | more << (64u - shift_bits);
    }
    return sets_folded(a, low, high);
}

/* sets_filter_word returns the word of the bitmap in which a gram with this hash has its bits. The
 * lowest five bits of sets_bit, for `which` 0 or 1, are the number of one of these bits. */
SIMT_FUNCTION uint32_t sets_filter_word(const struct set_arguments *a, uint32_t hash)
{
    return simt_high_u32(hash, a->sets.filter_words);
}

SIMT_FUNCTION uint32_t sets_bit(const struct set_arguments *a, uint32_t hash, uint32_t which)
{
    return hash >> a->sets.bit_shifts[which];
}

SIMT_FUNCTION uint32_t sets_mix(uint32_t hash)
{
    hash = (hash ^ hash >> 15) * 0x2c1b3c6du;
    return hash ^ hash >> 13;
}

SIMT_FUNCTION uint32_t sets_table_word(const struct set_arguments *a, uint32_t mixed)
{
    return simt_high_u32(mixed, a->sets.table_words);
}

SIMT_FUNCTION uint64_t sets_table_bits(uint32_t mixed)
{
    uint32_t bits = mixed * 0x297a2d39u;

    return 1ull << (bits >> 26) | 1ull << (bits >> 20 & 63u);
}

SIMT_FUNCTION uint32_t sets_head(const struct set_arguments *a, uint32_t mixed)
{
    return simt_high_u32(mixed * 0x85157af5u, a->sets.head_count);
}

/* Returns the last four bytes of a gram of 4 to 8 bytes, some of which may be among the first four.
 * They change the high bits of a hash as much as the first four do. With the bytes starting at the
 * fifth instead, shifted up, many grams of 6 or 7 bytes would share a hash. */
SIMT_FUNCTION uint32_t sets_last_word(const struct set_arguments *a, uint32_t low, uint32_t high)
{
    return simt_funnel_clamp(low, high, 8u * a->sets.gram_bytes - 32u);
}

/* Returns the tag: a hash of up to four bytes before and up to four after the gram, as far as
 * the run of its literal has them. The gram begins at `offset` in the run. The bytes of `before`
 * are at the word's upper end, those of `after` at the lower end. */
SIMT_FUNCTION uint32_t sets_tag(const struct set_arguments *a, uint32_t offset, uint32_t before,
                                uint32_t after)
{
    uint32_t more = a->sets.stride + a->sets.choices - 2u - offset;

    if (!a->sets.tagged)
        return 0;
    before = offset == 0 ? 0 : offset >= 4u ? before : before >> (32u - 8u * offset);
    after = more >= 4u ? after : after & ((1u << 8u * more) - 1u);
    return sets_mix(before * 0x7feb352du) + sets_mix(after * 0x846ca68bu);
}

/* Returns true if the entry has this key. */
SIMT_FUNCTION int sets_is_key(uint64_t entry, uint32_t key)
{
    return (((uint32_t)(entry >> 32) ^ key) & SETS_KEY) == 0;
}

SIMT_FUNCTION uint32_t sets_index(uint64_t entry)
{
    return (uint32_t)entry & ((1u << SETS_INDEX_BITS) - 1u);
}

SIMT_FUNCTION uint32_t sets_items(uint64_t others)
{
    return (uint32_t)(others >> SETS_ITEMS_SHIFT) & (SCAN_SETS_ITEMS_MAX + 1u);
}

SIMT_FUNCTION uint32_t sets_items_end(uint64_t others)
{
    return (uint32_t)others & ((1u << SETS_ITEMS_SHIFT) - 1u);
}

/* Returns the offset of an entry's gram in the run of its literal. */
SIMT_FUNCTION uint32_t sets_offset(const struct set_arguments *a, uint64_t entry)
{
    return (sets_index(entry) & (a->sets.stride - 1u)) + ((uint32_t)entry >> SETS_INDEX_BITS);
}

/* Sets *before and *after for sets_tag, to up to four bytes on each side of a gram. The gram begins
 * at byte `at` of the array of all literals, and `offset` bytes after its literal's run begins. */
SIMT_FUNCTION void sets_literal_beside(const struct set_arguments *a, uint64_t at, uint32_t offset,
                                       uint32_t *before, uint32_t *after)
{
    uint32_t bytes = offset < 4u ? offset : 4u;

    *before = (uint32_t)sets_literal_bytes(a, at - bytes).low;
    *before = bytes == 0 ? 0 : *before << (32u - 8u * bytes);
    *after = (uint32_t)sets_literal_bytes(a, at + a->sets.gram_bytes).low;
}

SIMT_FUNCTION uint32_t sets_filter_bits(uint32_t mixed)
{
    return 1u << (mixed >> 28) | 1u << (mixed >> 24 & 15u);
}

/* An entry's two bits in the filter of its list follow from one or two bytes after the gram
 * (sets_after_bits), or if the run has no such bytes, from those before it (sets_before_bits).
 * Without tags they follow from the hash. */
SIMT_FUNCTION uint32_t sets_after_bits(const struct set_arguments *a, uint32_t after)
{
    return sets_filter_bits((after << a->sets.beside_shift) * 0x9e3779b1u);
}

SIMT_FUNCTION uint32_t sets_before_bits(const struct set_arguments *a, uint32_t before)
{
    return sets_filter_bits((before >> a->sets.beside_shift) * 0x85ebca77u);
}

SIMT_FUNCTION uint32_t sets_entry_bits(const struct set_arguments *a, uint64_t entry)
{
    uint32_t index = sets_index(entry), offset = sets_offset(a, entry), before, after;
    struct simt_u32x4 record =
        simt_load_u32x4(a->sets.literals + 4u * (uint64_t)(index >> a->sets.stride_log2));

    if (!a->sets.tagged)
        return sets_filter_bits((uint32_t)(entry >> 32) << 1);
    sets_literal_beside(a, (uint64_t)record.w[0] * 8u + record.w[2] + offset, offset, &before,
                        &after);
    return 8u * (a->sets.stride + a->sets.choices - 2u - offset) + a->sets.beside_shift >= 32u
               ? sets_after_bits(a, after)
               : sets_before_bits(a, before);
}

/* Returns true if a later entry of the list may have the sample's gram and the bytes beside it.
 * `others` is the second word of the list's head. */
SIMT_FUNCTION int sets_may_meet(const struct set_arguments *a, uint64_t others, uint32_t hash,
                                uint32_t before, uint32_t after)
{
    uint32_t without = ~(uint32_t)(others >> SETS_FILTER_SHIFT);

    if (!a->sets.tagged)
        return (sets_filter_bits(hash << 1) & without) == 0;
    return (sets_after_bits(a, after) & without) == 0 ||
           (sets_before_bits(a, before) & without) == 0;
}

/* Returns the hash of a sample with these bytes. *chosen is the place of the gram that the sample
 * takes: the first of the c grams with the lowest hash. */
SIMT_FUNCTION uint32_t sets_bytes_hash(const struct set_arguments *a, struct sets_bytes bytes,
                                       uint32_t *chosen)
{
    uint32_t min = 0;

    *chosen = 0;
    SIMT_ROLLED
    for (uint32_t c = 0; c < a->sets.choices; c++) {
        uint32_t w[4] = {(uint32_t)bytes.low, (uint32_t)(bytes.low >> 32), (uint32_t)bytes.high,
                         (uint32_t)(bytes.high >> 32)};
        uint32_t hash = 0;

        if (a->sets.words == 2u)
            w[1] = sets_last_word(a, w[0], w[1]);
        SIMT_UNROLL
        for (uint32_t k = 0; k < 4u; k++)
            hash += k < a->sets.words ? w[k] * a->sets.factors[k] : 0;
        if (c == 0 || hash < min) {
            min = hash;
            *chosen = c;
        }
        bytes.low = bytes.low >> 8 | bytes.high << 56;
        bytes.high >>= 8;
    }
    return a->sets.choices > 1u ? min * SETS_SPREAD : min;
}

/* ---- Hashes of the text ------------------------------------------------------------------ */

/* Returns the 4 bytes at byte j of the lane's words. j is a constant once the loop is unrolled. */
SIMT_FUNCTION uint32_t sets_text_word(const uint32_t *w, uint32_t j)
{
    return j % 4u == 0 ? w[j / 4u] : simt_funnel(w[j / 4u], w[j / 4u + 1u], j % 4u * 8u);
}

/* Returns true if the grams of this form have one more bit in the bitmap, in addition to the bits
 * of sets_bit. */
SIMT_FUNCTION int sets_one_more(struct sets_form form)
{
    return form.rare && form.stride >= SCAN_SETS_MORE_STRIDE;
}

/* Returns a word whose lowest bit tells whether a gram with this hash passes the bitmap; the other
 * bits mean nothing. */
SIMT_FUNCTION uint32_t sets_pass(const struct set_arguments *a, const uint32_t *filter,
                                 uint32_t hash, struct sets_form form)
{
    uint32_t word = filter[sets_filter_word(a, hash)];
    uint32_t pass = simt_funnel(word, word, sets_bit(a, hash, 0)) &
                    simt_funnel(word, word, sets_bit(a, hash, 1));

    return sets_one_more(form) ? pass & simt_funnel(word, word, hash) : pass;
}

/* Returns how many entries of the first queue are taken at a time. */
SIMT_FUNCTION uint32_t sets_take(struct sets_form form)
{
    return (form.rare ? 1u : 2u) * SIMT_WARP_THREADS;
}

SIMT_FUNCTION uint32_t sets_words(struct sets_form form)
{
    return (form.gram + 3u) / 4u;
}

/* Returns the hash of the gram at byte j of the lane's words. */
SIMT_FUNCTION uint32_t sets_gram_hash(const struct set_arguments *a, const uint32_t *w, uint32_t j,
                                      struct sets_form form)
{
    uint32_t hash = 0;

    if (sets_words(form) == 2u) {
        uint32_t first = sets_text_word(w, j);
        uint32_t last = form.choices > 1u ? sets_text_word(w, j + form.gram - 4u)
                                          : sets_last_word(a, first, sets_text_word(w, j + 4u));

        return first * a->sets.factors[0] + last * a->sets.factors[1];
    }
    SIMT_UNROLL
    for (uint32_t k = 0; k < sets_words(form); k++)
        hash += sets_text_word(w, j + 4u * k) * a->sets.factors[k];
    return hash;
}

/* Returns the hash of the sample at byte j of the lane's words; equal to sets_bytes_hash. */
SIMT_FUNCTION uint32_t sets_hash(const struct set_arguments *a, const uint32_t *w, uint32_t j,
                                 struct sets_form form)
{
    uint32_t min = sets_gram_hash(a, w, j, form);

    SIMT_UNROLL
    for (uint32_t c = 1; c < form.choices; c++) {
        uint32_t hash = sets_gram_hash(a, w, j + c, form);

        min = hash < min ? hash : min;
    }
    return form.choices > 1u ? min * SETS_SPREAD : min;
}

/* Returns the hash of the sample at `place`, read from memory. */
SIMT_FUNCTION uint32_t sets_text_hash(const struct set_arguments *a, uint64_t place,
                                      struct sets_form form)
{
    uint64_t low = tile_text_word(&a->scan, place);
    uint64_t high = form.gram + form.choices > 9u ? tile_text_word(&a->scan, place + 8u) : 0;
    struct sets_bytes bytes = sets_folded(a, low, high);
    uint32_t w[4] = {(uint32_t)bytes.low, (uint32_t)(bytes.low >> 32), (uint32_t)bytes.high,
                     (uint32_t)(bytes.high >> 32)};

    return sets_hash(a, w, 0, form);
}

/* Returns the 8 bytes starting at byte `count` < 16 of three words. */
SIMT_FUNCTION uint64_t sets_from_byte(uint64_t low, uint64_t mid, uint64_t high, uint32_t count)
{
    uint32_t shift_bits = 8u * (count & 7u);
    uint64_t first = count >= 8u ? mid : low, second = count >= 8u ? high : mid;

    return first >> shift_bits | second << 1u << (63u - shift_bits);
}

/* Returns true if word k of the four 64-bit words around a sample is needed. Word 1 is the aligned
 * word in which the sample begins, word 0 the word before, words 2 and 3 the words after. */
SIMT_FUNCTION int sets_is_around(const struct set_arguments *a, uint32_t k, struct sets_form form)
{
    uint32_t first =
        form.stride >= 8u ? 0 : 8u - form.stride; /* the last start of a sample in word 1 */

    return k == 0   ? a->sets.tagged != 0
           : k < 3u ? 1
                    : first + form.gram + form.choices - 1u + (a->sets.tagged ? 4u : 0) > 16u;
}

/* Copies the needed words around the sample at `place`, as entry `own` of the first queue. Copies
 * zeros for bytes before the text. */
SIMT_FUNCTION void sets_copy_around(const struct set_arguments *a, uint64_t *around, uint32_t own,
                                    uint64_t place, struct sets_form form)
{
    const uint64_t *at = (const uint64_t *)(const void *)(a->scan.text + (place & ~7ull));

    SIMT_UNROLL
    for (uint32_t k = 0; k < SCAN_SETS_AROUND; k++) {
        if (!sets_is_around(a, k, form))
            continue;
        if (k > 0 || place >= 8u)
            simt_copy_u64(around + k * SCAN_SETS_RARE + own, at + k - 1);
        else
            around[own] = 0;
    }
}

/* Returns the hash of a sample from the words around the sample. Sets *before and *after to the
 * bytes before and after the chosen gram, for sets_tag. */
SIMT_FUNCTION uint32_t sets_around_hash(const struct set_arguments *a, const uint64_t *w,
                                        uint64_t place, struct sets_form form, uint32_t *before,
                                        uint32_t *after)
{
    uint32_t from = form.stride >= 8u ? 0 : (uint32_t)(place & 7u), min, chosen = 0;
    uint64_t earlier = sets_from_byte(w[0], w[1], w[2], from);
    uint64_t low = sets_from_byte(w[1], w[2], w[3], from);
    uint64_t high = sets_from_byte(w[2], w[3], 0, from);
    uint64_t beyond = sets_from_byte(w[3], 0, 0, from);
    uint32_t words[4] = {(uint32_t)low, (uint32_t)(low >> 32), (uint32_t)high,
                         (uint32_t)(high >> 32)};

    min = sets_gram_hash(a, words, 0, form);
    SIMT_UNROLL
    for (uint32_t c = 1; c < form.choices; c++) {
        uint32_t hash = sets_gram_hash(a, words, c, form);

        chosen = hash < min ? c : chosen;
        min = hash < min ? hash : min;
    }
    if (a->sets.tagged) {
        uint32_t end = chosen + a->sets.gram_bytes;

        *before = (uint32_t)sets_from_byte(earlier, low, 0, chosen + 4u);
        *after = (uint32_t)(end == 16u ? beyond : sets_from_byte(low, high, beyond, end));
    }
    return form.choices > 1u ? min * SETS_SPREAD : min;
}

/* Sets *before and *after to the bytes before and after the gram at `place` of the text, for
 * sets_tag. */
SIMT_FUNCTION void sets_beside(const struct set_arguments *a, uint64_t place, uint32_t *before,
                               uint32_t *after)
{
    *before =
        a->sets.fold | (uint32_t)(place >= 4u ? tile_text_word(&a->scan, place - 4u)
                                              : tile_text_word(&a->scan, 0) << 8u * (4u - place));
    *after = a->sets.fold | (uint32_t)tile_text_word(&a->scan, place + a->sets.gram_bytes);
}

/* ---- Queues ----------------------------------------------------------------------------- */

/* Returns the text position of the sample of a queue's entry. */
SIMT_FUNCTION uint64_t sets_place(const struct set_arguments *a, uint64_t entry)
{
    return a->scan.position + ((uint64_t)(uint32_t)entry << a->sets.stride_log2);
}

/* A sample whose list is searched. */
struct sets_sample {
    uint64_t first, others; /* the two words of the list's head (scan_sets.heads) */
    uint32_t number;        /* the sample's number, as in the queues */
    uint32_t hash;
    uint32_t chosen;        /* place of the chosen gram; set only with tags */
    uint32_t before, after; /* bytes beside the gram, for sets_tag */
};

/* Returns the place of the gram that the sample at `place` takes: the gram with the lowest hash. */
SIMT_FUNCTION uint32_t sets_chosen(const struct set_arguments *a, uint64_t place)
{
    uint32_t chosen = 0;

    if (a->sets.choices > 1u)
        (void)sets_bytes_hash(
            a,
            sets_folded(a, tile_text_word(&a->scan, place), tile_text_word(&a->scan, place + 8u)),
            &chosen);
    return chosen;
}

/* Reads the head of the list of an entry of the second queue. Sets sample->others to 0 if no later
 * entry may have the sample's gram. */
SIMT_FUNCTION void sets_open(const struct set_arguments *a, uint64_t entry,
                             struct sets_sample *sample)
{
    uint64_t place = sets_place(a, entry);
    const uint64_t *head;

    sample->number = (uint32_t)entry;
    sample->hash = (uint32_t)(entry >> 32);
    if (!SIMT_BOUND(place <
                    a->scan.text_end)) /* a sample beyond the text, whose bytes may be zeros */
        return;
    head = a->sets.heads + 2u * (uint64_t)sets_head(a, sets_mix(sample->hash));
    sample->first = simt_load_l2_u64(head);
    sample->others = simt_load_l2_u64(head + 1);
    if (a->sets.tagged) {
        sample->chosen = sets_chosen(a, place);
        sets_beside(a, place + sample->chosen, &sample->before, &sample->after);
    }
    if (!sets_may_meet(a, sample->others, sample->hash, sample->before, sample->after))
        sample->others = 0;
}

/* Returns a copy of the sample of lane `lane`, except `first`. Called by all lanes of the warp. */
SIMT_FUNCTION struct sets_sample sets_sample_of(const struct set_arguments *a,
                                                const struct sets_sample *own, uint32_t lane)
{
    struct sets_sample sample = *own;

    sample.others = simt_shuffle_u64(own->others, lane);
    sample.number = simt_shuffle_u32(own->number, lane);
    sample.hash = simt_shuffle_u32(own->hash, lane);
    if (a->sets.tagged) {
        sample.chosen = simt_shuffle_u32(own->chosen, lane);
        sample.before = simt_shuffle_u32(own->before, lane);
        sample.after = simt_shuffle_u32(own->after, lane);
    }
    return sample;
}

/* Returns the lane whose list has later entry number `item`, counting lane by lane. `through` is
 * the number of later entries in the lists of this lane and all lower ones. */
SIMT_FUNCTION uint32_t sets_owner(uint32_t through, uint32_t item)
{
    uint32_t owner = 0;

    SIMT_UNROLL
    for (uint32_t step = SIMT_WARP_THREADS / 2u; step != 0; step /= 2u)
        owner += simt_shuffle_u32(through, owner + step - 1u) <= item ? step : 0;
    return owner;
}

/* Returns true if the entry has the sample's gram, and sets *proposal to the sample's number << 32
 * | the literal's index << stride_log2 | the sample's offset in the literal's run. */
SIMT_FUNCTION int sets_is_met(const struct set_arguments *a, const struct sets_sample *sample,
                              uint64_t entry, uint64_t *proposal)
{
    uint32_t offset = sets_offset(a, entry), chosen = sample->chosen;

    if (entry == SCAN_SETS_END ||
        !sets_is_key(entry, sample->hash + sets_tag(a, offset, sample->before, sample->after)))
        return 0;
    if (!a->sets.tagged)
        chosen = sets_chosen(a, sets_place(a, sample->number));
    *proposal = (uint64_t)sample->number << 32 |
                ((sets_index(entry) & ~(a->sets.stride - 1u)) + offset - chosen);
    /* a sample proposes nothing if it begins before the run, or so far into it that the literal may
     * end before the sample does */
    return offset - chosen < a->sets.stride;
}

/* Returns 1 if the literal occurs where the proposal says, at a start *x that is searched, and sets
 * *literal to its number; 0 otherwise. Adds the cost to *cost. */
SIMT_FUNCTION uint32_t sets_matches(const struct set_arguments *a, uint64_t proposal, uint64_t *x,
                                    uint32_t *literal, uint32_t *cost)
{
    uint64_t place = sets_place(a, proposal >> 32);
    uint32_t index = (uint32_t)proposal, before = index & (a->sets.stride - 1u);
    struct simt_u32x4 record =
        simt_load_u32x4(a->sets.literals + 4u * (uint64_t)(index >> a->sets.stride_log2));

    before += record.w[2];
    *x = place - before;
    *literal = record.w[3];
    if (place < a->scan.begin + before || !SIMT_BOUND(*x < a->scan.limit) ||
        !SIMT_BOUND(record.w[1] <= a->scan.text_end - *x))
        return 0;
    *cost += 1u + record.w[1] / SETS_COST_BYTES;
    return tile_equal(&a->scan, *x, a->literal_bytes + record.w[0], record.w[1]) ? 1u : 0;
}

/* Compares the literals of `count` ≤ 32 proposals, and records the occurrences in a->scan.hits
 * unless that is NULL. Called by all lanes of the warp. */
SIMT_FUNCTION void sets_compare(const struct set_arguments *a, const uint64_t *proposals,
                                uint32_t count, uint32_t *found, uint64_t *spent)
{
    uint32_t cost = 0, own = 0, literal = 0;
    uint64_t x = 0;

    simt_warp_sync(); /* all lanes have written the proposals before other lanes read */
    if (SIMT_BOUND(simt_lane() < count))
        own = sets_matches(a, proposals[simt_lane()], &x, &literal, &cost);
    if (a->scan.hits != 0)
        tile_append(&a->scan, own != 0, x, literal);
    *found += own;
    *spent += simt_warp_sum_u32(cost);
    simt_warp_sync(); /* all lanes have read the proposals before a lane writes new proposals */
}

/* Searches the lists of `count` ≤ 32 entries of the second queue, starting at `from`. Each lane
 * tests the first entry of its own list; then the lanes share the later entries of all lists
 * evenly, since the longest list would keep 31 lanes waiting. Proposals replace the queue's
 * entries, and up to 32 are compared at once. The warp gives up once its verification has cost
 * more than `max`. */
SIMT_FUNCTION_LARGE void sets_verify(const struct set_arguments *a, struct sets_warp *warp,
                                     uint32_t from, uint32_t count, uint64_t max)
{
    struct sets_sample own = {SCAN_SETS_END, 0, 0, 0, 0, 0, 0}, sample;
    uint32_t found = 0, looked = 0, pending = 0, at = 0, items, through, total;
    uint64_t spent = warp->spent + count, *proposals = warp->second + from, entry;

    if (SIMT_BOUND(simt_lane() < count))
        sets_open(a, proposals[simt_lane()], &own);
    simt_warp_sync(); /* all lanes have read the entries before a lane writes proposals */
    items = sets_items(own.others);
    if (simt_ballot(items > SCAN_SETS_ITEMS_MAX) != 0)
        spent = max + 1u;
    through = simt_ballot(items != 0) != 0 ? simt_warp_upto_u32(items) : 0;
    total = simt_shuffle_u32(through, SIMT_WARP_THREADS - 1u);
    sample = own;
    entry = own.first;
    SIMT_ROLLED
    for (;;) {
        uint64_t proposal = 0;
        int met = sets_is_met(a, &sample, entry, &proposal);
        uint32_t lanes = simt_ballot(met), below = lanes & ((1u << simt_lane()) - 1u), owner;

        if (pending + simt_popcount(lanes) > SIMT_WARP_THREADS) {
            sets_compare(a, proposals, pending, &found, &spent);
            pending = 0;
        }
        if (met)
            proposals[pending + simt_popcount(below)] = proposal;
        pending += simt_popcount(lanes);
        looked += simt_popcount(lanes);
        if (!SIMT_BOUND(at < total) || spent > max)
            break;
        owner = sets_owner(through, at + simt_lane());
        sample = sets_sample_of(a, &own, owner);
        /* the distance of the lane's entry from the end of its list */
        items = simt_shuffle_u32(through, owner) - at - simt_lane();
        entry = SCAN_SETS_END;
        if (SIMT_BOUND(at + simt_lane() < total))
            entry = simt_load_l2_u64(a->sets.entries + sets_items_end(sample.others) - items);
        at += SIMT_WARP_THREADS;
        spent += SIMT_WARP_THREADS;
    }
    sets_compare(a, proposals, pending, &found, &spent);
    found = simt_warp_sum_u32(found);
    if (simt_lane() == 0) {
        warp->spent = spent;
        warp->count += found;
        warp->candidates += looked;
        warp->gives_up |= spent > max; /* stays set, since the skipped entries are lost */
        warp->second_count = from;
    }
    simt_warp_sync(); /* lane 0 has written before other lanes read */
}

/* Sets the second queue's length to `queued`, and searches lists while the queue has an entry for
 * each lane. */
SIMT_FUNCTION void sets_verify_full(const struct set_arguments *a, struct sets_warp *warp,
                                    uint32_t queued, uint64_t max)
{
    simt_warp_sync(); /* all lanes have read the length, and written their entries */
    if (simt_lane() == 0)
        warp->second_count = queued;
    SIMT_ROLLED
    for (; queued >= SIMT_WARP_THREADS; queued -= SIMT_WARP_THREADS)
        sets_verify(a, warp, queued - SIMT_WARP_THREADS, SIMT_WARP_THREADS, max);
    simt_warp_sync();
}

/* Appends the entries of the lanes whose `pass` is 1 to the second queue, which has `queued`
 * entries. Returns the queue's new length. */
SIMT_FUNCTION uint32_t sets_push_second_queue(struct sets_warp *warp, uint32_t queued, int pass,
                                              uint64_t entry)
{
    uint32_t lanes = simt_ballot(pass);

    if (pass)
        warp->second[queued + simt_popcount(lanes & ((1u << simt_lane()) - 1u))] = entry;
    return queued + simt_popcount(lanes);
}

/* sets_is_own returns true if the lane has a k-th sample among `count` queued ones. sets_own
 * returns its index, or 0 if there is none, so that loads need no branch. */
SIMT_FUNCTION int sets_is_own(uint32_t k, uint32_t count)
{
    return SIMT_BOUND(k * SIMT_WARP_THREADS + simt_lane() < count);
}

SIMT_FUNCTION uint32_t sets_own(uint32_t k, uint32_t count)
{
    uint32_t own = k * SIMT_WARP_THREADS + simt_lane();

    return own < count ? own : 0;
}

/* In the dense variant: takes `count` ≤ 64 entries of the first queue, starting at `from`, and
 * moves those whose bits are set in the 64-bit words to the second. */
SIMT_FUNCTION void sets_look_up(const struct set_arguments *a, struct sets_warp *warp,
                                uint32_t from, uint32_t count, uint64_t max)
{
    uint64_t entries[2], found[2];
    uint32_t queued;

    SIMT_UNROLL
    for (uint32_t k = 0; k < 2u; k++) {
        entries[k] = warp->first[from + sets_own(k, count)];
        found[k] = simt_load_l2_u64(a->sets.table +
                                    sets_table_word(a, sets_mix((uint32_t)(entries[k] >> 32))));
    }
    queued = warp->second_count;
    SIMT_UNROLL
    for (uint32_t k = 0; k < 2u; k++) {
        uint64_t bits = sets_table_bits(sets_mix((uint32_t)(entries[k] >> 32)));

        queued = sets_push_second_queue(
            warp, queued, sets_is_own(k, count) && (found[k] & bits) == bits, entries[k]);
    }
    sets_verify_full(sets_arguments(), warp, queued, max);
}

/* In the rare variant: takes `count` ≤ 32 entries of the first queue, starting at `from`, and moves
 * an entry to the second if the first entry of the sample's list has its key, or a later one may
 * have it. */
SIMT_FUNCTION void sets_look_up_rare(const struct set_arguments *a, struct sets_warp *warp,
                                     uint32_t from, uint32_t count, uint64_t max,
                                     struct sets_form form)
{
    uint32_t own = from + sets_own(0, count), before = 0, after = 0, hash;
    uint64_t entry = sets_numbers(warp)[own], first, w[SCAN_SETS_AROUND];
    struct simt_u32x4 head;
    int pass;

    SIMT_UNROLL
    for (uint32_t k = 0; k < SCAN_SETS_AROUND; k++)
        w[k] = sets_is_around(a, k, form) ? sets_around(warp)[k * SCAN_SETS_RARE + own] : 0;
    hash = sets_around_hash(a, w, sets_place(a, entry), form, &before, &after);
    entry |= (uint64_t)hash << 32;
    head = simt_load_kept_u32x4(
        (const uint32_t *)(const void *)(a->sets.heads +
                                         2u * (uint64_t)sets_head(a, sets_mix(hash))));
    first = (uint64_t)head.w[1] << 32 | head.w[0];
    pass = first != SCAN_SETS_END &&
           (sets_is_key(first, hash + sets_tag(a, sets_offset(a, first), before, after)) ||
            sets_may_meet(a, (uint64_t)head.w[3] << 32 | head.w[2], hash, before, after));
    pass = pass && sets_is_own(0, count);
    sets_verify_full(a, warp, sets_push_second_queue(warp, warp->second_count, pass, entry), max);
}

/* Returns the cost that the warp's verification may have reached by now: SCAN_SETS_BUDGET_MIN, plus
 * sets.budget for each step searched so far. */
SIMT_FUNCTION uint64_t sets_max(const struct set_arguments *a, const struct sets_lane *s)
{
    return SCAN_SETS_BUDGET_MIN + (uint64_t)s->steps * a->sets.budget;
}

/* Takes entries of the first queue while the queue has more than `left`. */
SIMT_FUNCTION void sets_drain(const struct set_arguments *a, struct sets_lane *s, uint32_t left,
                              struct sets_form form)
{
    uint32_t take = sets_take(form);

    SIMT_ROLLED
    while (s->queued > left) {
        uint32_t count = s->queued < take ? s->queued : take;

        s->queued -= count;
        if (form.rare)
            simt_copies_wait();
        simt_warp_sync(); /* all lanes have written the queue before other lanes read */
        if (form.rare)
            sets_look_up_rare(a, s->warp, s->queued, count, sets_max(a, s), form);
        else
            sets_look_up(a, s->warp, s->queued, count, sets_max(a, s));
    }
}

#endif
