/* device_tables: cuts the literals into pieces, and makes the list of pieces for each gram.
 *
 * The longer a gram, the fewer pieces are on its list. But a piece that is shorter than a gram is
 * on the list of every gram that begins with the piece. A motif is an exact part that literals
 * share; a segment has the pieces of one motif that begin at the same symbol
 * (kernels/approx_grams.h).
 */
#include "approximate/device_tables.h"

#include <string.h>

#include "approximate/codes.h"
#include "approximate/kernels/approx_grams.h"
#include "base/checked.h"
#include "base/memory.h"
#include "approximate/prices.def"

#define ANY_CODE ((1u << CODES) - 1u)
#define LITERALS_MAX (1u << (32 - GRAMS_SYMBOL_BITS))

/* The costs of an offset without comparisons, and of a comparison. The unit is a comparison with
 * tables in shared memory. */
struct cost {
    double offset, comparison;
};
static const struct cost costs[2][2] = {
    /* first pair: tables in global memory; second pair: tables in shared memory */
    {{10, 3}, {2.5, 1}},     /* mismatches: a comparison takes about 15 instructions */
    {{0.2, 1.1}, {0.05, 1}}, /* edits: a comparison takes about 800 instructions */
};

uint64_t approx_shared_bytes_max = UINT64_MAX;

_Static_assert(GRAMS_SYMBOLS_MAX == CODED_SYMBOLS_MAX, "kernels compare this many symbols");
_Static_assert(GRAMS_CODES == CODES, "kernels have as many codes");

struct literal_piece {
    uint32_t begin, end; /* the piece is the literal's symbols [begin, end) */
};

struct cut_literal {
    struct approx_coded coded;
    /* bit j: symbol j belongs to the motif, and so is compared before a list is read */
    uint32_t known;
    double rate; /* fraction of offsets in random text at which all known symbols match */
    uint32_t piece_count;
    struct literal_piece pieces[CODED_SYMBOLS_MAX];
};

struct builder {
    const struct approximate *approximate;
    struct approx_codes codes;
    struct approx_tables *tables;
    bool has_motifs;
    uint32_t motifs[GRAMS_MOTIFS_MAX][GRAMS_LITERAL_WORDS];
    uint32_t segments[GRAMS_SEGMENTS_MAX];
};

/* ---- Pieces -------------------------------------------------------------------------------- */

static double set_rate(const struct cut_literal *literal, uint32_t symbol)
{
    return (double)__builtin_popcount(literal->coded.sets[symbol]) / CODES;
}

/* Returns the fraction of offsets in random text that match a piece's first `symbols` symbols.
 * Symbols of the motif are not counted. */
static double piece_rate(const struct cut_literal *literal, const struct literal_piece *piece,
                         uint32_t symbols)
{
    double rate = 1;

    for (uint32_t i = piece->begin; i < piece->end && i < piece->begin + symbols; i++)
        if ((literal->known >> i & 1) == 0)
            rate *= set_rate(literal, i);
    return rate;
}

/* Makes the pieces of a literal. Each occurrence contains at least one piece without an error. The
 * symbols that may have errors are divided evenly among the pieces. If all of these may be wrong
 * together, or if random text is expected to contain a piece at every offset, the literal gets a
 * single piece without symbols. */
static void literal_pieces(struct cut_literal *literal, uint32_t errors_max)
{
    uint32_t count = errors_max + 1, loose, seen = 0, piece = 0;
    double rate = 0;

    loose = literal->coded.count - (uint32_t)__builtin_popcount(literal->coded.exact);
    literal->piece_count = 1;
    literal->pieces[0] = (struct literal_piece){0, 0};
    if (loose < count)
        return;
    for (uint32_t i = 0; i < literal->coded.count; i++) {
        if ((literal->coded.exact >> i & 1) == 0 && piece + 1 < count &&
            seen++ == loose * (piece + 1) / count) {
            literal->pieces[piece++].end = i;
            literal->pieces[piece].begin = i;
        }
    }
    TRAWL_ASSERT(piece == errors_max);
    literal->pieces[piece].end = literal->coded.count;
    for (uint32_t i = 0; i < count; i++) {
        while ((literal->known >> literal->pieces[i].begin & 1) != 0)
            literal->pieces[i].begin++;
        rate += piece_rate(literal, &literal->pieces[i], GRAM_SYMBOLS_MAX);
    }
    if (rate < 1)
        literal->piece_count = count;
    else
        literal->pieces[0] = (struct literal_piece){0, 0};
}

static void read_literal(const struct builder *builder, uint32_t number,
                         struct cut_literal *literal)
{
    approx_coded_read(builder->approximate, &builder->codes, number, &literal->coded);
    literal->known = builder->has_motifs ? literal->coded.exact : 0;
    literal->rate = 1;
    for (uint32_t i = 0; i < literal->coded.count; i++)
        if ((literal->known >> i & 1) != 0)
            literal->rate *= set_rate(literal, i);
    literal_pieces(literal, builder->approximate->errors_max);
}

static void write_literal(const struct cut_literal *literal, uint32_t *words)
{
    uint32_t compared = UINT32_MAX >> (32 - literal->coded.count);

    for (uint32_t code = 0; code < CODES; code++) {
        words[code] = ~compared;
        for (uint32_t i = 0; i < literal->coded.count; i++)
            words[code] |= (uint32_t)(literal->coded.sets[i] >> code & 1) << i;
    }
    words[GRAMS_COMPARED] = compared;
    words[GRAMS_EXACT] = literal->coded.exact;
    words[GRAMS_PIECES] = 0;
    for (uint32_t i = 0; i < literal->piece_count; i++)
        words[GRAMS_PIECES] |= 1u << literal->pieces[i].begin;
}

/* ---- Motifs -------------------------------------------------------------------------------- */

/* Returns the number of the literal's motif; GRAMS_MOTIFS_MAX if it is new and there is no room. */
static uint32_t motif_of(struct builder *builder, const struct cut_literal *literal)
{
    uint32_t words[GRAMS_LITERAL_WORDS], motif = 0, *count = &builder->tables->motif_count;

    write_literal(literal, words);
    for (uint32_t code = 0; code < CODES; code++)
        words[code] &= literal->coded.exact;
    words[GRAMS_COMPARED] = words[GRAMS_PIECES] = words[7] = 0;
    while (motif < *count && memcmp(builder->motifs[motif], words, sizeof words) != 0)
        motif++;
    if (motif == *count && *count < GRAMS_MOTIFS_MAX)
        memcpy(builder->motifs[(*count)++], words, sizeof words);
    return motif;
}

/* Returns the number of the segment for a motif's pieces that begin at the symbol;
 * GRAMS_SEGMENTS_MAX if it is new and there is no room. */
static uint32_t segment_of(struct builder *builder, uint32_t motif, uint32_t symbol)
{
    uint32_t word = motif << GRAMS_SYMBOL_BITS | symbol, segment = 0;
    uint32_t *count = &builder->tables->segment_count;

    while (segment < *count && builder->segments[segment] != word)
        segment++;
    if (segment == *count && *count < GRAMS_SEGMENTS_MAX)
        builder->segments[(*count)++] = word;
    return segment;
}

/* Finds the motifs and segments, if the literals have few different exact parts. Otherwise, the
 * tables have no motifs. */
static void find_motifs(struct builder *builder)
{
    const struct approximate *approximate = builder->approximate;
    struct approx_tables *tables = builder->tables;
    bool fits = true;

    builder->has_motifs = !approximate->edits && approximate->plan->errors.exact_count > 0;
    for (uint32_t i = 0; builder->has_motifs && fits && i < approximate->plan->literal_count; i++) {
        struct cut_literal literal;
        uint32_t motif;

        read_literal(builder, i, &literal);
        motif = motif_of(builder, &literal);
        fits = motif < GRAMS_MOTIFS_MAX;
        for (uint32_t j = 0; fits && j < literal.piece_count; j++)
            fits = segment_of(builder, motif, literal.pieces[j].begin) < GRAMS_SEGMENTS_MAX;
    }
    if (builder->has_motifs && fits)
        return;
    builder->has_motifs = false;
    tables->motif_count = 0;
    tables->segment_count = 1;
}

/* ---- Lists --------------------------------------------------------------------------------- */

/* Returns the codes that symbol i may have in a gram that begins with the piece. */
static uint32_t gram_set(const struct cut_literal *literal, const struct literal_piece *piece,
                         uint32_t i)
{
    return piece->begin + i < piece->end ? literal->coded.sets[piece->begin + i] : ANY_CODE;
}

/* Adds the piece to the list of each gram that begins with it. If `entries` is NULL, only counts
 * the entries. */
static void list_piece(const struct cut_literal *literal, const struct literal_piece *piece,
                       uint32_t symbols, uint32_t entry, uint32_t *heads, uint32_t *entries)
{
    uint8_t sets[GRAM_SYMBOLS_MAX];

    for (uint32_t i = 0; i < symbols; i++)
        sets[i] = (uint8_t)gram_set(literal, piece, i);
    for (uint32_t gram = UINT32_MAX; approx_gram_next(sets, symbols, &gram); heads[gram]++)
        if (entries != NULL)
            entries[heads[gram]] = entry;
}

/* Writes the lists of pieces for all grams. */
static void write_lists(struct builder *builder)
{
    struct approx_tables *tables = builder->tables;
    uint32_t *heads = tables->words + tables->heads_at;
    uint32_t grams = 1u << 2 * tables->gram_symbols, lists = tables->segment_count * grams;
    struct cut_literal literal;

    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < builder->approximate->plan->literal_count; i++) {
            uint32_t motif;

            read_literal(builder, i, &literal);
            motif = builder->has_motifs ? motif_of(builder, &literal) : 0;
            if (pass == 0)
                write_literal(&literal,
                              tables->words + GRAMS_CODE_WORDS + (uint64_t)GRAMS_LITERAL_WORDS * i);
            for (uint32_t j = 0; j < literal.piece_count; j++) {
                uint32_t begin = literal.pieces[j].begin;
                uint32_t segment = builder->has_motifs ? segment_of(builder, motif, begin) : 0;

                list_piece(&literal, &literal.pieces[j], tables->gram_symbols,
                           i << GRAMS_SYMBOL_BITS | begin, heads + (uint64_t)segment * grams,
                           pass == 0 ? NULL : tables->words + tables->entries_at);
            }
        }
        if (pass == 0)
            (void)approx_heads_sum(heads, lists, 0);
    }
    approx_heads_return(heads, lists, 0);
}

/* ---- Sizes --------------------------------------------------------------------------------- */

struct size {
    double words; /* words of all tables */
    double rate;  /* pieces that are compared per offset of random text */
};

/* Computes the tables' sizes for each length of gram. Returns how many symbols the longest piece
 * has, at most GRAM_SYMBOLS_MAX. */
static uint32_t measure_tables(const struct builder *builder,
                               struct size sizes[GRAM_SYMBOLS_MAX + 1])
{
    uint32_t literals = builder->approximate->plan->literal_count, longest = 1;
    const struct approx_tables *tables = builder->tables;
    struct cut_literal literal;

    for (uint32_t symbols = 1; symbols <= GRAM_SYMBOLS_MAX; symbols++)
        sizes[symbols].words = GRAMS_CODE_WORDS +
                               GRAMS_LITERAL_WORDS * ((double)literals + tables->motif_count) +
                               tables->segment_count * (1.0 + (double)(1u << 2 * symbols)) + 4;
    for (uint32_t i = 0; i < literals; i++) {
        read_literal(builder, i, &literal);
        for (uint32_t j = 0; j < literal.piece_count; j++) {
            const struct literal_piece *piece = &literal.pieces[j];
            double entries = 1;

            longest = (uint32_t)max_u64(longest, piece->end - piece->begin);
            for (uint32_t symbols = 1; symbols <= GRAM_SYMBOLS_MAX; symbols++) {
                entries *= __builtin_popcount(gram_set(&literal, piece, symbols - 1));
                sizes[symbols].words += entries;
                sizes[symbols].rate += literal.rate * piece_rate(&literal, piece, symbols);
            }
        }
    }
    return (uint32_t)min_u64(longest, GRAM_SYMBOLS_MAX);
}

/* Returns the cost per offset of random text. */
static double cost_of(const struct builder *builder, const struct size *size, bool are_shared)
{
    const struct cost *cost = &costs[builder->approximate->edits][are_shared];

    return cost->offset + size->rate * cost->comparison;
}

/* Returns the length of the shortest gram whose tables take at most bytes_max bytes, and whose cost
 * is at most LONGER_GAIN times the lowest cost; 0 if all tables are larger. */
static uint32_t shortest_fitting_gram(const struct builder *builder, const struct size *sizes,
                                      uint32_t longest, uint64_t bytes_max, bool are_shared)
{
    double min;

    while (longest > 0 && sizes[longest].words * 4 > (double)bytes_max)
        longest--;
    min = cost_of(builder, &sizes[longest], are_shared);
    while (longest > 1 && cost_of(builder, &sizes[longest - 1], are_shared) <= LONGER_GAIN * min)
        longest--;
    return longest;
}

static enum trawl_status choose_gram(const struct builder *builder, uint64_t shared_bytes,
                                     struct size *chosen, struct trawl_error *error)
{
    struct size sizes[GRAM_SYMBOLS_MAX + 1] = {{0, 0}};
    struct approx_tables *tables = builder->tables;
    uint32_t longest = measure_tables(builder, sizes);
    uint32_t shared = shortest_fitting_gram(builder, sizes, longest,
                                            min_u64(shared_bytes, approx_shared_bytes_max), true);
    uint32_t global = shortest_fitting_gram(builder, sizes, longest, GLOBAL_BYTES, false);

    if (global == 0)
        global = shortest_fitting_gram(builder, sizes, longest, GLOBAL_BYTES_MAX, false);
    if (global == 0 || builder->approximate->plan->literal_count >= LITERALS_MAX)
        return TRAWL_FAIL(error, UNSUPPORTED, "too many patterns with errors for a device");
    tables->are_shared = shared > 0 && cost_of(builder, &sizes[shared], true) <=
                                           GLOBAL_GAIN * cost_of(builder, &sizes[global], false);
    tables->gram_symbols = tables->are_shared ? shared : global;
    *chosen = sizes[tables->gram_symbols];
    return TRAWL_OK;
}

/* ---- All ----------------------------------------------------------------------------------- */

enum trawl_status approx_tables_make(const struct approximate *approximate, uint64_t shared_bytes,
                                     bool whole, struct approx_tables *tables,
                                     struct trawl_error *error)
{
    struct builder builder = {.approximate = approximate, .tables = tables};
    struct size size = {0, 0};

    TRAWL_ASSERT(approximate->class_count > 0 && approximate->plan->literal_count > 0);
    approx_tables_release(tables);
    approx_codes_make(approximate, &builder.codes);
    find_motifs(&builder);
    TRAWL_TRY(choose_gram(&builder, shared_bytes, &size, error));
    tables->word_count = ((uint64_t)size.words + 3) & ~3ull;
    if (!whole)
        return TRAWL_OK;
    tables->motifs_at = GRAMS_CODE_WORDS + GRAMS_LITERAL_WORDS * approximate->plan->literal_count;
    tables->segments_at = tables->motifs_at + GRAMS_LITERAL_WORDS * tables->motif_count;
    tables->heads_at = tables->segments_at + tables->segment_count;
    tables->entries_at = tables->heads_at + (tables->segment_count << 2 * tables->gram_symbols) + 1;
    TRAWL_TRY(MEMORY_ZEROED(tables->words, tables->word_count, error));
    for (uint32_t byte = 0; byte < 256; byte++)
        tables->words[byte / 4] |= (uint32_t)builder.codes.code[byte] << byte % 4 * 8;
    memcpy(tables->words + tables->motifs_at, builder.motifs,
           tables->motif_count * sizeof *builder.motifs);
    memcpy(tables->words + tables->segments_at, builder.segments,
           tables->segment_count * sizeof *builder.segments);
    write_lists(&builder);
    return TRAWL_OK;
}

void approx_tables_release(struct approx_tables *tables)
{
    memory_release(tables->words, tables->word_count, sizeof *tables->words);
    memset(tables, 0, sizeof *tables);
}
