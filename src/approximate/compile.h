/* compile: what a plan with errors is searched with: its literals as symbols, and pieces of them.
 *
 * docs/approximate.md says what an occurrence is. Every method finds candidates, among them all
 * occurrences, and verify.h decides each of them exactly.
 */
#ifndef TRAWL_APPROXIMATE_COMPILE_H
#define TRAWL_APPROXIMATE_COMPILE_H

#include "approximate/filter.h"
#include "plan/plan.h"

/* How candidates are found. */
enum approx_method {
    APPROX_PIECES,  /* by a set of exact pieces: with k errors one of k + 1 pieces is untouched */
    APPROX_GRAMS,   /* the same for short pieces, whose literals are compared at once */
    APPROX_PLANES,  /* mismatches: those of all begins are counted, in bit planes */
    APPROX_COLUMNS, /* edits: columns of Sellers' table, in bits (Myers 1999) */
    APPROX_ALL,     /* every place is a candidate */
    APPROX_METHODS
};

/* An exact part of a literal: pattern number i of the plan `pieces` is piece i. */
struct approx_piece {
    uint32_t literal;
    uint32_t symbol;  /* of the literal: the piece's first, */
    uint32_t symbols; /* and how many it has */
};

#define APPROX_CLASSES_MAX 256u

#define APPROX_EXACT_SYMBOL 1u /* is not replaced or deleted, */
#define APPROX_EXACT_BEFORE 2u /* and nothing is inserted before it */

/* A symbol of a literal is a class: a set of bytes, which it equals. CHARACTERS: a code point. */
struct approximate {
    const struct trawl_plan *plan;
    uint32_t errors_max; /* k */
    bool edits;
    enum approx_method method;           /* on the host; of CHARACTERS where the text is ASCII */
    enum approx_method method_beyond;    /* CHARACTERS: where it is not: PIECES or ALL */
    enum approx_method method_on_device; /* PIECES, or by grams; ALL: devices have no method */
    /* Nanoseconds that a byte of text takes: one thread of the host, with all it does; a device,
     * without the verification of what it finds. And the candidates of a byte that pieces would
     * propose to it in random text; 0 by grams, since only a text can tell. */
    double host_ns;
    double device_ns;
    double device_rate;
    uint32_t class_count;                    /* 0 of CHARACTERS */
    uint64_t classes[APPROX_CLASSES_MAX][4]; /* byte b is in class c: bit b % 64 of [c][b / 64] */
    uint64_t symbol_count;                   /* of all literals: */
    uint32_t *symbols;
    uint32_t *class_of;        /* of each symbol; of bytes these are the symbols themselves */
    uint64_t *symbol_begin;    /* where those of each literal begin: literal_count + 1 */
    uint8_t *exact;            /* of each symbol: APPROX_EXACT_*, or-ed */
    struct trawl_plan *pieces; /* where a method is PIECES, else NULL */
    struct approx_piece *piece;
    uint64_t piece_count;
    struct approx_filter *filter; /* where the host's method is PLANES or COLUMNS, else NULL */
    struct approx_grams *grams;   /* where it is GRAMS, else NULL */
};

/* The plan's, made when first asked for and freed with it. Errors: MEMORY, LIMIT. Any thread. */
enum trawl_status approx_want(const struct trawl_plan *plan, const struct approximate **approximate,
                              struct trawl_error *error);

#endif
