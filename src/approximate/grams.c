/* grams: makes the lists for the grams with which pieces of literals begin (grams.h), and turns the
 * codes of a text's bytes (codes.h) into bit planes. A gram's list has an entry for each literal
 * with a piece that begins with the gram. A head is the index of a list's first entry. */
#include "approximate/grams.h"

#include <string.h>

#include "approximate/codes.h"
#include "approximate/filter_ops.h"
#include "base/checked.h"
#include "base/memory.h"
#include "approximate/prices.def"

/* ---- Literals ------------------------------------------------------------------------------ */

static bool has_one_code(uint8_t set)
{
    return set != 0 && (set & (set - 1)) == 0;
}

/* Writes which symbols of a literal have exactly one code, and the bits of these codes. */
static void codes_of(const struct approx_coded *literal, uint32_t *high, uint32_t *low,
                     uint32_t *care)
{
    *high = *low = *care = 0;
    for (uint32_t i = 0; i < literal->count; i++) {
        uint32_t code;

        if (!has_one_code(literal->sets[i]))
            continue;
        code = (uint32_t)__builtin_ctz(literal->sets[i]);
        *care |= 1u << i;
        *high |= (code >> 1 & 1) << i;
        *low |= (code & 1) << i;
    }
}

static void write_entry(struct approx_grams *grams, uint64_t entry, uint32_t number,
                        const struct approx_coded *literal)
{
    codes_of(literal, &grams->high[entry], &grams->low[entry], &grams->care[entry]);
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

/* ---- Grams of pieces ------------------------------------------------------------------------ */

/* Returns how many different grams the literal's piece may begin with. */
static uint64_t count_grams(const struct approx_coded *literal, const struct grams_piece *piece)
{
    uint64_t count = 1;

    for (uint32_t i = 0; i < piece->gram_symbols; i++)
        count *= (uint64_t)__builtin_popcount(literal->sets[piece->symbol + i]);
    return count;
}

/* ---- Groups -------------------------------------------------------------------------------- */

struct lists_builder {
    const struct approximate *approximate;
    struct approx_codes codes;
    struct approx_grams *grams;
    uint8_t *group; /* the group of each literal; owned */
    struct approx_coded literal;
};

static void read_literal(struct lists_builder *builder, uint32_t number)
{
    approx_coded_read(builder->approximate, &builder->codes, number, &builder->literal);
}

/* Returns the group of the literal that was read last. A group has the literals with the same exact
 * part (symbols that allow no error). Makes a new group if necessary; returns GRAMS_GROUPS_MAX if
 * there is no room for it. */
static uint32_t group_of(struct lists_builder *builder)
{
    struct approx_grams *grams = builder->grams;
    const uint32_t exact = builder->literal.exact;
    struct grams_group own = {0};
    uint32_t i;

    codes_of(&builder->literal, &own.high, &own.low, &own.care);
    own.high &= exact;
    own.low &= exact;
    own.care &= exact;
    for (i = 0; i < grams->group_count; i++)
        if (grams->groups[i].high == own.high && grams->groups[i].low == own.low &&
            grams->groups[i].care == own.care)
            return i;
    if (i < GRAMS_GROUPS_MAX)
        grams->groups[grams->group_count++] = own;
    return i;
}

double approx_grams_rate(const struct approximate *approximate)
{
    struct approx_grams grams = {.group_count = 0};
    struct lists_builder builder = {.approximate = approximate, .grams = &grams};
    double rate = 0;

    approx_codes_make(approximate, &builder.codes);
    for (uint32_t i = 0; i < approximate->plan->literal_count; i++) {
        read_literal(&builder, i);
        if (group_of(&builder) == GRAMS_GROUPS_MAX)
            return 1;
    }
    for (uint32_t i = 0; i < grams.group_count; i++) {
        double halves = (double)(UINT64_C(1) << __builtin_popcount(grams.groups[i].care));

        rate += 1 / (halves * halves);
    }
    return min_double(rate, 1);
}

/* Assigns each literal to a group. If there are too many different exact parts, makes one group
 * without an exact part for all literals. */
static void make_groups(struct lists_builder *builder)
{
    struct approx_grams *grams = builder->grams;

    for (uint32_t i = 0; i < grams->literal_count; i++) {
        uint32_t group;

        read_literal(builder, i);
        group = group_of(builder);
        if (group == GRAMS_GROUPS_MAX) {
            memset(builder->group, 0, grams->literal_count);
            grams->groups[0] = (struct grams_group){0};
            grams->group_count = 1;
            return;
        }
        builder->group[i] = (uint8_t)group;
    }
}

/* ---- Lists --------------------------------------------------------------------------------- */

/* Returns how many entries a group's literals have on the lists of a piece, with the piece's gram
 * at its present length. */
static uint64_t entries_of(struct lists_builder *builder, uint32_t group,
                           const struct grams_piece *piece)
{
    uint64_t entries = 0;

    for (uint32_t i = 0; i < builder->grams->literal_count; i++)
        if (builder->group[i] == group) {
            read_literal(builder, i);
            entries += count_grams(&builder->literal, piece);
        }
    return entries;
}

/* Writes where each of the group's pieces begins, and where the last one ends. They reach as far as
 * the group's shortest literal. The symbols up to there that may have errors are divided evenly;
 * all symbols are, if fewer may have errors than there are pieces. Returns the number of the
 * group's literals. */
static uint64_t cut_pieces(struct lists_builder *builder, uint32_t group,
                           uint32_t begins[TRAWL_ERRORS_MAX + 2])
{
    const uint32_t pieces = builder->grams->errors_max + 1;
    uint32_t shortest = CODED_SYMBOLS_MAX, loose = 0, seen = 0, piece = 0;
    const uint32_t care = builder->grams->groups[group].care;
    uint64_t literals = 0;

    for (uint32_t i = 0; i < builder->grams->literal_count; i++)
        if (builder->group[i] == group) {
            read_literal(builder, i);
            shortest = (uint32_t)min_u64(shortest, builder->literal.count);
            literals++;
        }
    for (uint32_t i = 0; i < shortest; i++)
        loose += (care >> i & 1) == 0;
    for (uint32_t i = 0; i < shortest; i++) {
        bool is_loose = loose < pieces || (care >> i & 1) == 0;

        while (is_loose && piece < pieces && seen == max_u64(loose, pieces) * piece / pieces)
            begins[piece++] = i;
        seen += is_loose;
    }
    TRAWL_ASSERT(piece == pieces);
    begins[pieces] = shortest;
    return literals;
}

/* Makes the pieces of a group. A gram is as long as its piece, but has at most GRAM_SYMBOLS_MAX
 * symbols, and fewer if there would be too many lists or entries (PER_LITERAL).
 * Returns the number of entries of all pieces of the group. */
static uint64_t builder_pieces(struct lists_builder *builder, uint32_t group)
{
    struct approx_grams *grams = builder->grams;
    uint32_t begins[TRAWL_ERRORS_MAX + 2];
    uint64_t literals = cut_pieces(builder, group, begins), total = 0, entries;

    for (uint32_t j = 0; j <= grams->errors_max; j++) {
        struct grams_piece *piece = &grams->pieces[grams->piece_count++];

        piece->symbol = begins[j];
        piece->gram_symbols = (uint32_t)min_u64(begins[j + 1] - begins[j], GRAM_SYMBOLS_MAX);
        while (piece->gram_symbols > 1 &&
               UINT64_C(1) << 2 * piece->gram_symbols > PER_LITERAL * literals)
            piece->gram_symbols--;
        while ((entries = entries_of(builder, group, piece)) > PER_LITERAL * literals &&
               piece->gram_symbols > 1)
            piece->gram_symbols--;
        piece->heads = grams->head_count;
        grams->head_count += (UINT64_C(1) << 2 * piece->gram_symbols) + 1;
        total += entries;
    }
    grams->groups[group].piece_end = grams->piece_count;
    return total;
}

/* Writes the lists of a piece. The piece's entries begin at `begin`; returns where they end. */
static uint32_t write_lists(struct lists_builder *builder, uint32_t group,
                            const struct grams_piece *piece, uint32_t begin)
{
    struct approx_grams *grams = builder->grams;
    const uint32_t lists = 1u << 2 * piece->gram_symbols;
    uint32_t *heads = grams->heads + piece->heads, end = begin;

    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < grams->literal_count; i++) {
            if (builder->group[i] != group)
                continue;
            read_literal(builder, i);
            for (uint32_t gram = UINT32_MAX; approx_gram_next(builder->literal.sets + piece->symbol,
                                                              piece->gram_symbols, &gram);) {
                if (pass == 1)
                    write_entry(grams, heads[gram], i, &builder->literal);
                heads[gram]++;
            }
        }
        if (pass == 0)
            end = approx_heads_sum(heads, lists, begin);
    }
    approx_heads_return(heads, lists, begin);
    for (uint32_t list = 0; list < lists; list++)
        grams->list_max = (uint32_t)max_u64(grams->list_max, heads[list + 1] - heads[list]);
    return end;
}

/* Makes the classes of bytes for the bit planes of a stretch. */
static void make_planes(const struct approx_codes *codes, struct approx_grams *grams)
{
    uint64_t has[GRAMS_PLANES][4] = {{0}};

    for (uint32_t byte = 0; byte < 256; byte++) {
        const uint32_t code = codes->code[byte],
                       bits[GRAMS_PLANES] = {code >> 1 & 1, code & 1, code == CODES_NONE};

        for (uint32_t i = 0; i < GRAMS_PLANES; i++)
            has[i][byte / 64] |= (uint64_t)bits[i] << byte % 64;
    }
    for (uint32_t i = 0; i < GRAMS_PLANES; i++)
        filter_class_make(has[i], &grams->planes[i]);
}

/* ---- Open and close ------------------------------------------------------------------------ */

static enum trawl_status allocate(struct approx_grams *grams, uint64_t entries,
                                  struct trawl_error *error)
{
    uint32_t **arrays[] = {&grams->high, &grams->low, &grams->care, &grams->exact, &grams->literal};

    if (entries > UINT32_MAX - GRAMS_LANES)
        return TRAWL_FAIL(error, LIMIT, "the patterns have more than 2^32 pieces");
    TRAWL_TRY(MEMORY_ZEROED(grams->heads, grams->head_count, error));
    grams->entry_room = entries + GRAMS_LANES;
    for (uint32_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        TRAWL_TRY(MEMORY_ZEROED(*arrays[i], grams->entry_room, error));
    }
    TRAWL_TRY(MEMORY_NEW(grams->masks, grams->literal_count, error));
    return TRAWL_OK;
}

/* Makes the literals' groups, pieces, lists and masks. The caller has set builder->codes, and
 * errors_max, edits and literal_count of builder->grams. */
static enum trawl_status make_index(struct lists_builder *builder, struct trawl_error *error)
{
    struct approx_grams *grams = builder->grams;
    uint64_t entries = 0;
    uint32_t end = 0, piece = 0;

    make_groups(builder);
    for (uint32_t group = 0; group < grams->group_count; group++)
        entries += builder_pieces(builder, group);
    TRAWL_TRY(allocate(grams, entries, error));
    for (uint32_t group = 0; group < grams->group_count; group++)
        for (; piece < grams->groups[group].piece_end; piece++)
            end = write_lists(builder, group, &grams->pieces[piece], end);
    TRAWL_ASSERT(end == entries);
    for (uint32_t i = 0; i < grams->literal_count; i++) {
        read_literal(builder, i);
        write_masks(grams, i, &builder->literal);
    }
    return TRAWL_OK;
}

enum trawl_status approx_grams_make(const struct approximate *approximate,
                                    struct approx_grams **grams_out, struct trawl_error *error)
{
    struct lists_builder builder = {.approximate = approximate};
    struct approx_grams *grams;
    enum trawl_status status;

    TRAWL_ASSERT(approximate->class_count > 0 && approximate->plan->literal_count > 0);
    TRAWL_TRY(MEMORY_ZEROED(grams, 1, error));
    builder.grams = grams;
    grams->errors_max = approximate->errors_max;
    grams->edits = approximate->edits;
    grams->literal_count = approximate->plan->literal_count;
    approx_codes_make(approximate, &builder.codes);
    make_planes(&builder.codes, grams);
    status = MEMORY_NEW(builder.group, grams->literal_count, error);
    if (status == TRAWL_OK)
        status = make_index(&builder, error);
    memory_release(builder.group, grams->literal_count, sizeof *builder.group);
    if (status == TRAWL_OK)
        *grams_out = grams;
    else
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

void approx_grams_stretch(const struct approx_grams *grams, const struct filter_ops *ops,
                          const uint8_t *text, uint32_t bytes, uint32_t offsets,
                          struct grams_stretch *stretch)
{
    const uint32_t end = GRAMS_BITS_BEFORE + bytes;

    TRAWL_ASSERT(offsets <= bytes && offsets <= GRAMS_OFFSETS_MAX);
    TRAWL_ASSERT(end <= 64 * (GRAMS_STRETCH_WORDS - 1));
    ops->planes(grams->planes, GRAMS_PLANES, text, bytes,
                stretch->bits[GRAMS_HIGH] + GRAMS_BITS_BEFORE / 64, GRAMS_STRETCH_WORDS);
    memset(stretch->bits[GRAMS_NONE], 0xff, GRAMS_BITS_BEFORE / 8);
    if (end % 64 != 0)
        stretch->bits[GRAMS_NONE][end / 64] |= UINT64_MAX << end % 64;
    for (uint32_t word = (end + 63) / 64; word < GRAMS_STRETCH_WORDS; word++)
        stretch->bits[GRAMS_NONE][word] = UINT64_MAX;
    stretch->group = 0;
    stretch->offset = GRAMS_BITS_BEFORE;
    stretch->end = GRAMS_BITS_BEFORE + offsets;
    /* with edits, a piece may be up to errors_max further left or right in an occurrence than in
     * its literal */
    if (grams->edits) {
        stretch->offset -= grams->errors_max;
        stretch->end += grams->errors_max;
    }
}
