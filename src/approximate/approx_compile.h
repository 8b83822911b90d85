/* approx_compile: compiles the plan of an approximate search. Splits its literals into symbols
 * (bytes or characters), and into pieces such that each occurrence contains one of its literal's
 * pieces without an error.
 *
 * docs/approximate.md defines occurrences. Each method finds candidates that include all
 * occurrences, and approx_verify.h checks each candidate exactly.
 */
#ifndef TRAWL_APPROXIMATE_APPROX_COMPILE_H
#define TRAWL_APPROXIMATE_APPROX_COMPILE_H

#include "approximate/approx_filter.h"
#include "plan/plan.h"

/* How an approximate search finds candidates. */
enum approx_method {
    /* an exact search for k + 1 pieces of each literal: an occurrence with at most k errors
     * contains at least one of them without an error */
    APPROX_PIECES,
    /* for short pieces: a table lists the pieces that begin with the next symbols of the text (a
     * gram), and the literals of these pieces are then compared with the text */
    APPROX_GRAMS,
    /* Counts errors at every offset: mismatches with operations on bit planes; edits by Sellers'
     * table, with 64 offsets of the text per word. A device searches by GRAMS instead. */
    APPROX_FILTER,
    APPROX_METHODS
};

/* One of the k + 1 parts of a literal. In struct approximate, piece[i] is pattern i of the plan
 * `pieces`. */
struct approx_piece {
    uint32_t literal;
    uint32_t symbol;  /* index of the piece's first symbol in the literal */
    uint32_t symbols; /* how many symbols the piece has */
};

#define APPROX_CLASSES_MAX 256u

#define APPROX_EXACT_SYMBOL 1u /* the symbol must not be replaced or deleted */
#define APPROX_EXACT_BEFORE 2u /* no symbol may be inserted before this symbol */

/* A compiled plan. A symbol of a literal is stored as the number of its class, the set of bytes
 * that it equals. With the alphabet TRAWL_CHARACTERS, it is stored as a code point. */
struct approximate {
    const struct trawl_plan *plan;
    uint32_t errors_max; /* maximum number of errors of an occurrence, called k */
    bool edits;
    /* the host's method; with TRAWL_CHARACTERS only where the text is ASCII, elsewhere PIECES */
    enum approx_method method;
    /* the host's method where PIECES has too many candidates and, with DNA, near a U; differs from
     * `method` only if that is PIECES */
    enum approx_method method_dense;
    /* if they differ: what PIECES takes per byte without candidates, and for each candidate, and
     * what method_dense takes per byte */
    double pieces_ns, candidate_ns, dense_ns;
    enum approx_method method_on_device;
    /* host_ns is the expected time of a host thread per byte of text, including verification;
     * device_ns is that of a device, without verification. device_rate is the number of candidates
     * per byte of random text that PIECES would find on a device. With GRAMS it is 0, because that
     * number is measured on a sample of the text. */
    double host_ns;
    double device_ns;
    double device_rate;
    uint32_t class_count; /* 0 with TRAWL_CHARACTERS if there would be too many classes */
    uint64_t classes[APPROX_CLASSES_MAX][4]; /* [c][b / 64], bit b % 64: byte b is in class c */
    uint64_t symbol_count;                   /* number of symbols in all literals */
    uint32_t *symbols;
    /* the class of each symbol; equal to `symbols` unless the alphabet is TRAWL_CHARACTERS */
    uint32_t *class_of;
    uint64_t *symbol_begin;    /* literal_count + 1 indexes: where each literal's symbols begin */
    uint8_t *exact;            /* APPROX_EXACT_* flags of each symbol */
    struct trawl_plan *pieces; /* the plan of the pieces if some method is PIECES; otherwise NULL */
    struct approx_piece *piece;
    uint64_t piece_count;
    struct approx_filter *filter; /* the filter if method_dense is FILTER; otherwise NULL */
    struct approx_grams *grams;   /* the tables if method_dense is GRAMS; otherwise NULL */
};

/* Returns true if the host searches for pieces, at least in some texts. */
static inline bool approx_needs_pieces(const struct approximate *approximate)
{
    return approximate->method == APPROX_PIECES ||
           approximate->plan->errors.alphabet == TRAWL_CHARACTERS;
}

/* Sets *approximate to the plan's compiled form, which the first call makes and the plan owns. The
 * host's method is the cheapest with the instruction set; NULL stands for the machine's best one.
 * Errors: MEMORY, LIMIT. Any thread may call. */
enum trawl_status approx_want(const struct trawl_plan *plan, const char *instruction_set,
                              const struct approximate **approximate, struct trawl_error *error);

#endif
