/* grams: the lists of pieces, and a text's codes as bits. */
#include "approximate/grams.h"

#include <string.h>

#include "approximate/codes.h"
#include "base/checked.h"
#include "base/memory.h"

#define GRAM_SYMBOLS_MAX 9u
#define ENTRIES_PER_LITERAL 8u /* of a piece: symbols of several codes make more */

/* ---- Literals ------------------------------------------------------------------------------ */

static bool has_one_code(uint8_t set)
{
    return set != 0 && (set & (set - 1)) == 0;
}

static void write_entry(struct approx_grams *grams, uint64_t entry, uint32_t number,
                        const struct approx_coded *literal)
{
    uint32_t high = 0, low = 0, care = 0;

    for (uint32_t i = 0; i < literal->count; i++) {
        uint32_t code =
            has_one_code(literal->sets[i]) ? (uint32_t)__builtin_ctz(literal->sets[i]) : CODES_NONE;

        care |= (uint32_t)(code != CODES_NONE) << i;
        high |= (code >> 1 & 1) << i;
        low |= (code & 1) << i;
    }
    grams->high[entry] = high;
    grams->low[entry] = low;
    grams->care[entry] = care;
    grams->exact[entry] = literal->exact;
    grams->literal[entry] = number;
}

static void write_masks(struct approx_grams *grams, uint32_t number,
                        const struct approx_coded *literal)
{
    uint32_t *masks = grams->masks[number];

    memset(masks, 0, sizeof grams->masks[number]);
    for (uint32_t i = 0; i < literal->count; i++)
        for (uint32_t code = 0; code < CODES; code++)
            masks[code] |= (uint32_t)(literal->sets[i] >> code & 1) << i;
    masks[CODES] = UINT32_MAX >> (32 - literal->count);
}

/* ---- Lists --------------------------------------------------------------------------------- */

/* How many grams begin with the literal's piece. */
static uint64_t grams_of(const struct approx_coded *literal, const struct grams_piece *piece)
{
    uint64_t count = 1;

    for (uint32_t i = 0; i < piece->gram_symbols; i++)
        count *= (uint64_t)__builtin_popcount(literal->sets[piece->symbol + i]);
    return count;
}

/* Gram number `index` of those: its symbols' high bits above the low ones. */
static uint32_t gram_at(const struct approx_coded *literal, const struct grams_piece *piece,
                        uint64_t index)
{
    uint32_t gram = 0;

    for (uint32_t i = 0; i < piece->gram_symbols; i++) {
        uint32_t set = literal->sets[piece->symbol + i], count, code;

        count = (uint32_t)__builtin_popcount(set);
        for (uint64_t skip = index % count; skip > 0; skip--)
            set &= set - 1;
        index /= count;
        code = (uint32_t)__builtin_ctz(set);
        gram |= (code >> 1) << (piece->gram_symbols + i) | (code & 1) << i;
    }
    return gram;
}

/* Pieces share the symbols that all literals have evenly. A gram is as long as its piece, unless
 * its lists would be many more than the literals, or their entries. */
static uint64_t place_pieces(const struct approximate *approximate,
                             const struct approx_codes *codes, struct approx_grams *grams)
{
    const uint64_t literals = approximate->plan->literal_count;
    uint64_t entries[TRAWL_ERRORS_MAX + 1] = {0}, total = 0;
    uint32_t shortest = CODED_SYMBOLS_MAX;
    struct approx_coded literal;

    for (uint32_t i = 0; i < literals; i++) {
        approx_coded_read(approximate, codes, i, &literal);
        shortest = (uint32_t)min_u64(shortest, literal.count);
    }
    for (uint32_t j = 0; j < grams->piece_count; j++) {
        struct grams_piece *piece = &grams->pieces[j];
        uint32_t end = shortest * (j + 1) / grams->piece_count;

        piece->symbol = shortest * j / grams->piece_count;
        piece->gram_symbols = (uint32_t)min_u64(end - piece->symbol, GRAM_SYMBOLS_MAX);
        while (piece->gram_symbols > 4 && UINT64_C(1) << 2 * piece->gram_symbols > 16 * literals)
            piece->gram_symbols--;
        for (;; piece->gram_symbols--) {
            entries[j] = 0;
            for (uint32_t i = 0; i < literals; i++) {
                approx_coded_read(approximate, codes, i, &literal);
                entries[j] += grams_of(&literal, piece);
            }
            if (piece->gram_symbols == 1 || entries[j] <= ENTRIES_PER_LITERAL * literals)
                break;
        }
        piece->heads = grams->head_count;
        grams->head_count += (UINT64_C(1) << 2 * piece->gram_symbols) + 1;
        total += entries[j];
    }
    return total;
}

/* Count the lists' entries, then write them; a head moves over its list meanwhile. */
static void write_lists(const struct approximate *approximate, const struct approx_codes *codes,
                        struct approx_grams *grams)
{
    uint32_t begin = 0;
    struct approx_coded literal;

    for (uint32_t j = 0; j < grams->piece_count; j++) {
        const struct grams_piece *piece = &grams->pieces[j];
        const uint32_t lists = 1u << 2 * piece->gram_symbols;
        uint32_t *heads = grams->heads + piece->heads;

        for (uint32_t pass = 0; pass < 2; pass++) {
            for (uint32_t i = 0; i < approximate->plan->literal_count; i++) {
                approx_coded_read(approximate, codes, i, &literal);
                for (uint64_t g = grams_of(&literal, piece); g-- > 0;) {
                    uint32_t *head = &heads[gram_at(&literal, piece, g)];

                    if (pass == 1)
                        write_entry(grams, *head, i, &literal);
                    ++*head;
                }
            }
            for (uint32_t list = 0; pass == 0 && list < lists; list++) {
                uint32_t count = heads[list];

                grams->list_max = (uint32_t)max_u64(grams->list_max, count);
                heads[list] = begin;
                begin += count;
            }
        }
        /* Each head is now its list's end, which is the next one's begin. */
        memmove(heads + 1, heads, lists * sizeof *heads);
        heads[0] = j == 0 ? 0 : heads[-1];
    }
}

/* ---- Open and close ------------------------------------------------------------------------ */

static enum trawl_status allocate(struct approx_grams *grams, uint64_t entries,
                                  struct trawl_error *error)
{
    uint32_t **arrays[] = {&grams->high, &grams->low, &grams->care, &grams->exact, &grams->literal};
    void *memory;

    if (entries > UINT32_MAX - GRAMS_LANES)
        return TRAWL_FAIL(error, LIMIT, "the patterns have more than 2^32 pieces");
    TRAWL_TRY(memory_allocate_zeroed(grams->head_count, sizeof *grams->heads, &memory, error));
    grams->heads = (uint32_t *)memory;
    grams->entry_room = entries + GRAMS_LANES;
    for (uint32_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        TRAWL_TRY(memory_allocate_zeroed(grams->entry_room, sizeof **arrays[i], &memory, error));
        *arrays[i] = (uint32_t *)memory;
    }
    TRAWL_TRY(memory_allocate(grams->literal_count, sizeof *grams->masks, &memory, error));
    grams->masks = (uint32_t(*)[8])memory;
    return TRAWL_OK;
}

enum trawl_status approx_grams_make(const struct approximate *approximate,
                                    struct approx_grams **grams_out, struct trawl_error *error)
{
    enum trawl_status status = TRAWL_OK;
    struct approx_codes codes;
    struct approx_grams *grams;
    struct approx_coded literal;
    void *memory;

    TRAWL_ASSERT(approximate->class_count > 0 && approximate->plan->literal_count > 0);
    TRAWL_TRY(memory_allocate_zeroed(1, sizeof *grams, &memory, error));
    grams = (struct approx_grams *)memory;
    grams->errors_max = approximate->errors_max;
    grams->edits = approximate->edits;
    grams->piece_count = approximate->errors_max + 1;
    grams->literal_count = approximate->plan->literal_count;
    approx_codes_make(approximate, &codes);
    memcpy(grams->code, codes.code, sizeof grams->code);
    TRAWL_TRY_DONE(allocate(grams, place_pieces(approximate, &codes, grams), error));
    write_lists(approximate, &codes, grams);
    for (uint32_t i = 0; i < grams->literal_count; i++) {
        approx_coded_read(approximate, &codes, i, &literal);
        write_masks(grams, i, &literal);
    }
    *grams_out = grams;
    grams = NULL;
done:
    approx_grams_free(grams);
    return status;
}

void approx_grams_free(struct approx_grams *grams)
{
    if (grams == NULL)
        return;
    memory_release(grams->heads, grams->head_count, sizeof *grams->heads);
    memory_release(grams->high, grams->entry_room, sizeof *grams->high);
    memory_release(grams->low, grams->entry_room, sizeof *grams->low);
    memory_release(grams->care, grams->entry_room, sizeof *grams->care);
    memory_release(grams->exact, grams->entry_room, sizeof *grams->exact);
    memory_release(grams->literal, grams->entry_room, sizeof *grams->literal);
    memory_release(grams->masks, grams->literal_count, sizeof *grams->masks);
    memory_release(grams, 1, sizeof *grams);
}

uint64_t approx_grams_room(const struct approx_grams *grams)
{
    return 4096 + 2 * ((uint64_t)grams->piece_count * grams->list_max + GRAMS_LANES);
}

/* ---- Texts --------------------------------------------------------------------------------- */

#define ONES UINT64_C(0x0101010101010101)

/* Bit `bit` of each of eight codes, the first one's lowest. */
static uint64_t bits_of(uint64_t codes, uint32_t bit)
{
    return ((codes >> bit & ONES) * UINT64_C(0x0102040810204080)) >> 56;
}

void approx_grams_look(const struct approx_grams *grams, const uint8_t *text, uint32_t bytes,
                       uint32_t places, struct grams_look *look)
{
    TRAWL_ASSERT(places <= bytes && places <= GRAMS_PLACES_MAX);
    TRAWL_ASSERT(GRAMS_BITS_BEFORE + bytes <= 64 * (GRAMS_LOOK_WORDS - 1));
    memset(look->high, 0, sizeof look->high);
    memset(look->low, 0, sizeof look->low);
    memset(look->none, 0xff, sizeof look->none);
    for (uint32_t at = 0; at < bytes; at += 8) {
        uint32_t left = (uint32_t)min_u64(bytes - at, 8), shift = at % 64;
        uint32_t word = (GRAMS_BITS_BEFORE + at) / 64;
        uint64_t codes = ONES * CODES_NONE;

        for (uint32_t i = 0; i < left; i++)
            ((uint8_t *)&codes)[i] = grams->code[text[at + i]];
        look->high[word] |= bits_of(codes, 1) << shift;
        look->low[word] |= bits_of(codes, 0) << shift;
        look->none[word] ^= (bits_of(codes, 2) ^ 0xff) << shift;
    }
    look->place = GRAMS_BITS_BEFORE;
    look->end = GRAMS_BITS_BEFORE + places;
    if (grams->edits) { /* a piece may say that its occurrence begins before, or after */
        look->place -= grams->errors_max;
        look->end += grams->errors_max;
    }
}

const struct grams_ops *grams_by_name(const char *name)
{
#if defined(__x86_64__) && !defined(TRAWL_ONLY_PORTABLE)
    if (name != NULL && strncmp(name, "avx512", 6) == 0)
        return &approx_grams_avx512;
    if (name != NULL && strcmp(name, "avx2") == 0)
        return &approx_grams_avx2;
#endif
    (void)name;
    return &approx_grams_portable;
}
