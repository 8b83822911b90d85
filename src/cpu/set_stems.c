/* set_stems: builds the tables of a class of literals that is searched with stems, the first (up
 * to) 8 bytes of the literals (set_class.h). */
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "cpu/find.h"
#include "cpu/set_stems.h"
#include "cpu/prices.def"

#define MAP_BITS_MIN 13u
#define MAP_BITS_MAX 28u

void class_stems_begin(struct set_class *class, const uint32_t counts[SET_STEM_LENGTHS])
{
    uint32_t shorter = 0;

    TRAWL_ASSERT(class->length_min >= SET_STEM_MIN);
    for (uint32_t k = SET_STEM_MIN; k < SET_STEM_BYTES; k++) {
        class->stem_counts[k - SET_STEM_MIN] = k < class->length_min ? 0 : counts[k - SET_STEM_MIN];
        shorter += class->stem_counts[k - SET_STEM_MIN];
    }
    TRAWL_ASSERT(shorter <= class->literal_count);
    class->stem_counts[SET_STEM_BYTES - SET_STEM_MIN] = class->literal_count - shorter;
    class->by_stems = true;
    class->q = SET_STEM_Q;
    class->stem_min = class_stem_bytes(class->length_min);
    class->stride = (uint32_t)min_u64(max_u64(class->length_min, SET_STEM_Q) - SET_STEM_Q + 1,
                                      SET_STEM_STRIDE_MAX);
    TRAWL_ASSERT(class->stride == 1 || class->stride + SET_STEM_Q - 1 <= class->length_min);
}

uint32_t class_bucket_bits(uint64_t entries)
{
    uint64_t log = log2_ceiling(entries);

    log = log > BUCKET_BITS_LIGHT ? max_u64(BUCKET_BITS_LIGHT, log - 2) : log;
    return (uint32_t)max_u64(log, SET_KEY_BUCKET_BITS_MIN);
}

uint32_t class_map_word_bits(uint64_t entries)
{
    uint64_t log = log2_ceiling(entries),
             bits = max_u64(min_u64(log + MAP_BITS_PER_ENTRY, MAP_BITS_CACHED),
                            log + MAP_BITS_PER_ENTRY_MIN);

    return (uint32_t)min_u64(max_u64(bits, MAP_BITS_MIN), MAP_BITS_MAX) - 6;
}

void class_stems_complete(struct set_class *class)
{
    class->bucket_count = 0;
    class->stem_lengths = 0;
    for (uint32_t i = 0; i < SET_STEM_LENGTHS; i++) {
        uint32_t bits = class_bucket_bits(class->stem_counts[i]);

        class->stem_shifts[i] = 64 - bits;
        class->stem_buckets[i] = class->bucket_count;
        if (class->stem_counts[i] == 0)
            continue;
        class->bucket_count += 1ull << bits;
        class->stem_lengths |= 1u << (i + SET_STEM_MIN);
    }
}

void class_stems_add(struct set_class *class, const uint8_t *bytes, uint64_t length, uint64_t fold)
{
    uint32_t *bitmap = (uint32_t *)(void *)class->bitmap, shift = class_sample_shift(class);
    uint32_t four = 0, product, words = 2u << class->word_bits;

    TRAWL_ASSERT(length >= class->length_min && (length >= SET_STEM_Q || class->stride == 1));
    for (uint32_t offset = 0; offset < class->stride && length >= SET_STEM_Q; offset++) {
        memcpy(&four, bytes + offset, sizeof four);
        product = class_sample_product(four, (uint32_t)fold);
        TRAWL_ASSERT(product >> shift < words);
        bitmap[product >> shift] |= 1u << (product >> 8 & 31);
    }
    if (length >= SET_STEM_Q)
        return;
    /* A sample has four bytes. After a shorter literal, any bytes may follow, so the bits of all
     * samples that begin with the literal are set. If the literal has two bytes, the upper 16 bits
     * of the product may have any value, so one bit is set in every word. */
    memcpy(&four, bytes, (size_t)length);
    product = class_sample_product(four, (uint32_t)fold);
    TRAWL_ASSERT(length > 2 || (length == 2 && shift >= 16));
    for (uint32_t word = 0; length == 2 && word < words; word++)
        bitmap[word] |= 1u << (product >> 8 & 31);
    for (uint32_t next = 0; length > 2 && next < 256; next++) {
        product = class_sample_product(four | next << 24, (uint32_t)fold);
        bitmap[product >> shift] |= 1u << (product >> 8 & 31);
    }
}

static int compare_keys(const void *a, const void *b)
{
    uint64_t first, second;

    memcpy(&first, a, sizeof first);
    memcpy(&second, b, sizeof second);
    return (first > second) - (first < second);
}

/* A key: a literal's first pairs of adjacent bytes in FIND_PAIRS fields of PAIR_BITS bits, the
 * first pair in the highest field. The bits above the fields are the number of pairs. */
#define PAIR_BITS 7u
#define KEY_COUNT_SHIFT (PAIR_BITS * FIND_PAIRS)
_Static_assert(sizeof((struct find_pair_table *)NULL)->slots[0] == 1u << PAIR_BITS,
               "a field is a value of find_pair");

static uint64_t pairs_key(const struct find_pair_table *pairs, const uint8_t *bytes,
                          uint64_t length)
{
    uint32_t count = (uint32_t)min_u64(length - 1, FIND_PAIRS);
    uint64_t key = count;

    TRAWL_ASSERT(length >= 2);
    for (uint32_t j = 0; j < FIND_PAIRS; j++)
        key = key << PAIR_BITS |
              (j < count ? find_pair(bytes[j] | pairs->fold, bytes[j + 1] | pairs->fold) : 0);
    return key;
}

/* Returns the weight of a literal, 2^(number of missing pairs): if a literal is too short for a
 * pair, every value of that pair passes, so its slot rejects fewer positions. */
static uint64_t key_weight(uint64_t key)
{
    TRAWL_ASSERT(key >> KEY_COUNT_SHIFT <= FIND_PAIRS);
    return 1ull << (FIND_PAIRS - (uint32_t)(key >> KEY_COUNT_SHIFT));
}

/* Divides the sorted keys into slots of about the same weight. Literals with the same first pairs
 * share a slot. */
static void deal_slots(struct find_pair_table *pairs, const uint64_t *keys, uint64_t count)
{
    uint64_t total = 0, before = 0;

    for (uint64_t i = 0; i < count; i++)
        total += key_weight(keys[i]);
    TRAWL_ASSERT(count == 0 || total >= count);
    for (uint64_t i = 0; i < count; i++) {
        uint32_t slot = (uint32_t)(before * 8 / total);

        TRAWL_ASSERT(slot < 8);
        before += key_weight(keys[i]);
        for (uint32_t j = 0; j < FIND_PAIRS; j++) {
            bool has = j < keys[i] >> KEY_COUNT_SHIFT;
            uint32_t value = keys[i] >> PAIR_BITS * (FIND_PAIRS - 1 - j) & 127;

            for (uint32_t v = has ? value : 0; v <= (has ? value : 127); v++)
                pairs->slots[j][v] |= (uint8_t)(1u << slot);
        }
    }
    TRAWL_ASSERT(before == total);
}

/* Returns the weight of a literal in a slot of trigrams: the fewer samples fit into the literal,
 * the fewer positions its slot rejects. */
static uint64_t trigrams_weight(uint64_t length)
{
    return length < 5 ? 4 : length < 6 ? 2 : 1;
}

/* Adds a literal of the slot, with `length` bytes, to the sets of its trigrams. Where the literal
 * is so short that every trigram may occur there, adds it to *open, the sets that all entries
 * share. */
static void trigrams_add(struct find_trigrams *trigrams, const uint8_t bytes[6], uint64_t length,
                         uint32_t slot, uint32_t *open)
{
    uint32_t *slots = trigrams->slots;

    TRAWL_ASSERT(length >= FIND_TRIGRAMS_MIN);
    slots[find_trigram(bytes[0], bytes[1], bytes[2])] |= slot << 8;
    for (uint32_t v = length > 3 ? bytes[3] : 0; v <= (length > 3 ? bytes[3] : UINT8_MAX); v++)
        slots[find_trigram(bytes[1], bytes[2], (uint8_t)v)] |= slot;
    if (length < 5)
        *open |= slot << 24;
    else
        slots[find_trigram(bytes[2], bytes[3], bytes[4])] |= slot << 24;
    if (length < 6)
        *open |= slot << 16;
    else
        slots[find_trigram(bytes[3], bytes[4], bytes[5])] |= slot << 16;
}

/* Makes class->trigrams. stem_literals is sorted by length of stem, so a slot has literals of
 * similar length, and those with few samples share slots. */
static enum trawl_status trigrams_make(const struct trawl_plan *plan, struct set_class *class,
                                       uint64_t fold, struct trawl_error *error)
{
    uint64_t total = 0, before = 0;
    uint32_t open = 0;
    void *made;

    TRAWL_TRY(memory_allocate_zeroed(sizeof *class->trigrams, 1, &made, error));
    class->trigrams = (struct find_trigrams *)made;
    class->trigrams->fold = (uint8_t)fold;
    for (uint64_t i = 0; i < class->entry_count; i++)
        total += trigrams_weight(plan_literal_at(plan, class->stem_literals[i]).bytes_count);
    for (uint64_t i = 0; i < class->entry_count; i++) {
        uint32_t literal = class->stem_literals[i];
        uint64_t length = plan_literal_at(plan, literal).bytes_count;
        uint8_t bytes[6] = {0};

        for (uint32_t j = 0; j < min_u64(length, sizeof bytes); j++)
            bytes[j] = plan_literal_bytes(plan, literal)[j] | (uint8_t)fold;
        trigrams_add(class->trigrams, bytes, length, 1u << 8 * before / total, &open);
        before += trigrams_weight(length);
    }
    TRAWL_ASSERT(before == total);
    for (uint32_t i = 0; i < 1u << FIND_TRIGRAM_BITS; i++)
        class->trigrams->slots[i] |= open;
    return TRAWL_OK;
}

/* Returns the share of the sample's positions that pass the filter of pairs; 1 if the sample is
 * missing or too short. */
static double pairs_pass(const struct set_sample *sample, const struct find_pair_table *pairs)
{
    const uint64_t words = sample->bytes_count / 64 - 2; /* loads reach beyond a word */
    uint64_t passed = 0;
    struct find_tile tile;

    if (sample->bytes_count < PLAN_SAMPLE_BYTES_MIN)
        return 1;
    for (uint64_t at = 0; at < words; at += FIND_TILE_WORDS) {
        const uint64_t count = min_u64(words - at, FIND_TILE_WORDS);

        sample->find->pairs(sample->bytes + 64 * at, count, pairs, &tile);
        for (uint64_t w = 0; w < count; w++)
            passed += (uint64_t)__builtin_popcountll(tile.mask[w]);
    }
    return (double)passed / (64.0 * (double)words);
}

static enum trawl_status pairs_make(const struct trawl_plan *plan, struct set_class *class,
                                    uint64_t fold, struct trawl_error *error)
{
    uint64_t *keys;
    uint64_t count = 0, distinct = 0;
    void *pairs;

    TRAWL_TRY(memory_allocate_zeroed(sizeof *class->pairs, 1, &pairs, error));
    class->pairs = (struct find_pair_table *)pairs;
    TRAWL_ASSERT(class->entry_count == class->literal_count);
    class->pairs->fold = (uint8_t)fold;
    TRAWL_TRY(MEMORY_NEW(keys, class->entry_count, error));
    for (; count < class->entry_count; count++) {
        uint32_t literal = class->stem_literals[count];

        keys[count] = pairs_key(class->pairs, plan_literal_bytes(plan, literal),
                                plan_literal_at(plan, literal).bytes_count);
    }
    if (count > 1)
        qsort(keys, (size_t)count, sizeof *keys, compare_keys);
    for (uint64_t i = 0; i < count; i++)
        if (i == 0 || keys[i] != keys[distinct - 1])
            keys[distinct++] = keys[i];
    TRAWL_ASSERT(count == class->entry_count && distinct <= count);
    deal_slots(class->pairs, keys, distinct);
    memory_release(keys, class->entry_count, sizeof *keys);
    return TRAWL_OK;
}

enum trawl_status class_stems_finish(const struct set_sample *sample, struct set_class *class,
                                     uint64_t fold, struct trawl_error *error)
{
    TRAWL_ASSERT(class->pairs == NULL && class->trigrams == NULL);
    if (class->by_pairs)
        TRAWL_TRY(pairs_make(sample->plan, class, fold, error));
    if (class->by_pairs && (class->literal_count <= SET_PAIRS_LITERALS_MAX ||
                            pairs_pass(sample, class->pairs) < PAIRS_PASS))
        return TRAWL_OK;
    class_stems_free(class);
    return class->by_trigrams ? trigrams_make(sample->plan, class, fold, error) : TRAWL_OK;
}

bool class_words_fit(const struct set_class *class, const struct find_ops *find)
{
    return (class->pairs != NULL && find->pairs != NULL) ||
           (class->trigrams != NULL && find->trigrams != NULL);
}

void class_words_find(const struct set_class *class, const struct find_ops *find,
                      const uint8_t *text, uint64_t positions, struct find_tile *tile)
{
    const uint64_t words = (positions + 63) / 64;

    if (class->pairs != NULL && find->pairs != NULL)
        find->pairs(text, words, class->pairs, tile);
    else
        find->trigrams(text, words, class->trigrams, tile);
    tile_cut(tile, words, positions);
}

void class_stems_free(struct set_class *class)
{
    memory_release(class->pairs, sizeof *class->pairs, 1);
    memory_release(class->trigrams, sizeof *class->trigrams, 1);
    class->pairs = NULL;
    class->trigrams = NULL;
}
