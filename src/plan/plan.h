/* plan: the compiled form of patterns. It is built once, and then used by any number of threads at
 * the same time.
 *
 * A literal is a string of bytes that is searched for as a whole. Usually a pattern is a single
 * literal. If characters have variants with other bytes (the cases of a letter in UTF-8), a pattern
 * becomes several literals. If these would be too many, only the pattern's first characters are
 * expanded into literals; the remaining characters are its tail, whose elements a search matches
 * one by one.
 */
#ifndef TRAWL_PLAN_PLAN_H
#define TRAWL_PLAN_PLAN_H

#include <string.h>

#include "base/attachment.h"
#include "base/status.h"
#include "plan/algorithm.h"
#include "plan/layout.h"
#include "plan/tuning.h"

struct plan_literal {
    /* offset in plan->literal_bytes; if case is ignored, the letters there are lower-case */
    uint64_t bytes_begin;
    uint64_t bytes_count;
    uint32_t pattern;
    uint32_t tail_begin; /* index in plan->elements; meaningless if tail_count is 0 */
    uint32_t tail_count;
    /* 1: the literal is the reverse complement of the pattern, 0: the pattern itself */
    uint32_t reversed;
};

/* A character of a tail: the strings of bytes that may stand for it in a text, which are its own
 * bytes and those of its variants. */
struct plan_element {
    uint8_t alternative_count;
    uint8_t alternative_bytes_count[TRAWL_UTF8_VARIANTS_MAX + 1];
    uint8_t alternative[TRAWL_UTF8_VARIANTS_MAX + 1][4];
};

/* Up to 8 bytes of a literal and its tail, from plan_head_at on: the bytes before are those by
 * which the literals of a bucket have the same hash, so they would distinguish few. The literal may
 * occur only where the text equals `bytes` in the bits of `mask`. */
struct plan_head {
    uint64_t bytes;
    uint64_t mask;
};

/* The tables with which the CPU's method "buckets" and GPUs search for a set, a plan with several
 * literals (layout.h): bitmaps rule out most positions of the text, and a hash table of buckets
 * lists the literals that may begin at the others. */
struct plan_set_tables {
    uint64_t bytes;    /* size of this object with its arrays, which are one block of memory */
    uint64_t *bitmap;  /* 2^bitmap_bits bits, by plan_hash32 */
    uint64_t *wide;    /* 2^bitmap_bits bits, by plan_hash_wide; NULL if set.wide_mask is 0 */
    uint32_t *buckets; /* 2^bucket_bits + 1 indexes: where each bucket begins in `entries` */
    uint32_t *entries; /* literal numbers by bucket, ascending inside each bucket */
    /* Heads of the literals in `entries`, in the same order. They rule out most entries of a bucket
     * without a look at the literal itself. NULL if the CPU does not search with buckets. */
    struct plan_head *heads;
};

/* Objects that a plan owns, each made when a search, or the build of the plan, first needs it. */
enum plan_attachment {
    PLAN_SAMPLED,      /* tables of the "sampled" method: plan/sampled.c */
    PLAN_ALONE,        /* each pattern as a separate plan: plan/parts.c */
    PLAN_PARTS_HOST,   /* parts in which the host searches for a set: plan/parts.c */
    PLAN_PARTS_DEVICE, /* parts in which a GPU searches for a set */
    /* PLAN_ALONE and the two kinds of parts once more, for a plan that requires whole words or
     * lines. A search of records uses a copy of the plan without these conditions, which has the
     * other three. The plan and its copy share one array of objects. */
    PLAN_WHOLE_ALONE,
    PLAN_WHOLE_PARTS_HOST,
    PLAN_WHOLE_PARTS_DEVICE,
    PLAN_SET_TABLES,  /* bitmaps and buckets of a set: plan/tables.c */
    PLAN_NIBBLES,     /* nibble tables for low halves of bytes: plan/nibbles.c */
    PLAN_NIBBLES_SIX, /* nibble tables for six low bits */
    PLAN_MATCHER,     /* tables of a large set: cpu/set_matcher.c */
    PLAN_DENSE,       /* the automaton of a set: cpu/dense_set.c */
    PLAN_ERRORS,      /* the compiled approximate search: approximate/approx_compile.c */
    PLAN_LINE,        /* an open line for short texts, while no call uses it: regex/judge.c */
    PLAN_EXPRESSIONS, /* the compiled expressions: regex/regex_compile.c */
    PLAN_SEEN,        /* PLAN_EXPRESSIONS, with strings that are rare in a text: regex/anchors.c */
    PLAN_LINES,       /* strings and automaton of expressions, for devices: regex/automaton.c */
    PLAN_FINDS,       /* the same, with automata that find matches */
    PLAN_ATTACHMENTS
};

/* Options of a plan of an approximate search. */
struct plan_errors {
    bool is_set;
    bool edits; /* true: edits; false: mismatches */
    uint32_t
        max; /* maximum number of errors that an occurrence may have, at most TRAWL_ERRORS_MAX */
    enum trawl_alphabet alphabet;
    uint32_t exact_count;
    /* exact_count ranges of symbols in which no error is allowed; owned by the plan */
    struct trawl_range *exact;
};

/* Options of a plan of regular expressions. */
struct plan_expressions {
    enum trawl_syntax syntax; /* TRAWL_LITERAL if the patterns are strings, not expressions */
    bool characters;          /* characters are UTF-8; false: each byte is a character */
    bool dna;                 /* letters are codes for bases (TRAWL_DNA) */
    uint32_t memory_mib;      /* limit for the memory of all compiled expressions; 0: none */
    int (*poll)(void *poll_context); /* NULL, or returns true to stop compiling the expressions;
                                        NULL after the build */
    void *poll_context;
};

struct line_reader;

/* What the patterns are, and so which engine searches for them: the plain engines for strings, a
 * layer on top of these for each other kind. */
enum plan_kind {
    PLAN_KIND_STRINGS,
    PLAN_KIND_ALGORITHM, /* strings, for a published algorithm */
    PLAN_KIND_ERRORS,    /* strings that may occur with errors */
    PLAN_KIND_EXPRESSIONS,
    PLAN_KINDS
};

struct trawl_plan {
    /* unique in the process, unlike the plan's address, which may be reused */
    uint64_t serial;
    enum plan_kind kind;
    uint32_t flags;
    uint8_t line_end;
    /* a second byte that ends lines; equal to line_end if there is only one */
    uint8_t line_end_also;
    bool utf8_is_set;
    /* a literal may contain a line end, so an occurrence may cross lines */
    bool holds_line_end;
    struct trawl_letters utf8;

    /* 0: PCRE2 searches for none of the expressions. 1: for some. 2: for some, of which one may
     * match the empty string */
    uint8_t pcre;
    uint64_t pattern_count;
    uint64_t *pattern_ids;   /* numbers that the caller gave to the patterns; NULL: none */
    uint64_t *pattern_begin; /* pattern_count + 1 offsets into pattern_bytes */
    uint8_t *pattern_bytes;

    uint32_t literal_count;
    uint64_t literal_bytes_total;
    /* sorted by pattern; NULL: literal i is pattern i, in lower case if case is ignored */
    struct plan_literal *literals;
    uint8_t *literal_bytes;
    /* how many literals, and bytes of literals, there is room for */
    uint64_t literal_capacity;
    uint64_t literal_bytes_capacity;
    uint32_t element_count;
    uint64_t element_capacity;
    struct plan_element *elements;

    /* Bytes of the shortest literal, without its tail. In an approximate search, symbols of the
     * shortest occurrence. With expressions, both length_min and length_max are 1. */
    uint64_t length_min;
    uint64_t length_max;  /* length of the longest occurrence in bytes, with its tail */
    uint64_t need_before; /* how many bytes before an occurrence a search reads */
    /* How many bytes after the start of the last occurrence a search reads: length_max - 1, and the
     * bytes after an occurrence that the plan's conditions look at; more in an approximate search
     * (errors_need). */
    uint64_t need_after;

    /* In an approximate search, or with expressions or an algorithm, no method is chosen, and the
     * members from `method` to `strategies` are 0. */
    struct plan_errors errors;
    struct plan_expressions expressions;
    struct plan_algorithm algorithm;
    /* EVERY, GRAMS or SAMPLED if the caller asked for that method. AUTO if the caller asked for no
     * method and the plan has a single literal without a tail; then each worker chooses the
     * cheapest. SET for all other plans. */
    enum trawl_method method;
    enum trawl_method method_asked;

    /* The next two are set if the plan has a single literal without a tail: */
    uint64_t period; /* the literal's smallest period; 0 if that exceeds half of the literal */
    /* which bytes of the literal are tested, chosen with the caller's sample if there is one */
    struct plan_tuning tuning;

    /* The next members are set if `method` is SET: */
    struct plan_set set;
    double byte_bits;     /* entropy of a byte of the literals, in bits */
    uint32_t byte_values; /* different bytes in them; of many literals, some are not counted */
    /* The strategies (search loops) by which the CPU may search, as bits 1u << enum strategy: see
     * set_prices.def and cpu/strategies.c. */
    uint32_t strategies;

    /* For a plan of the strings that expressions require: reads the lines that contain one of
     * them. NULL for other plans. */
    const struct line_reader *line_reader;
    /* the plan whose patterns the hits' literal numbers mean; NULL: this one's */
    const struct trawl_plan *found;
    struct attachment *attached; /* one for each enum plan_attachment */
};

/* Implements trawl_plan_build (trawl.h). `algorithms` is the gallery's table; NULL in a build
 * without the gallery. */
enum trawl_status plan_build(const struct trawl_pattern *patterns, uint64_t pattern_count,
                             const struct trawl_plan_options *options,
                             const struct plan_algorithms *algorithms, struct trawl_plan **plan,
                             struct trawl_error *error);

/* Returns the options of a plan without errors, as far as they affect its occurrences. `letters`
 * points into the plan. */
struct trawl_plan_options plan_options(const struct trawl_plan *plan);

/* Builds a plan of some of a plan's patterns, with plan_options: of patterns indices[0 .. count -
 * 1], or of the first `count` if indices is NULL. */
enum trawl_status plan_build_some(const struct trawl_plan *plan, const uint32_t *indices,
                                  uint64_t count, enum trawl_method method,
                                  struct trawl_plan **some, struct trawl_error *error);

/* Returns the length of the literal's occurrence at text[0], or 0. text_bytes bytes are readable.
 * Does not check the plan's conditions (whole words, whole lines). */
uint64_t plan_literal_match(const struct trawl_plan *plan, const struct plan_literal *literal,
                            const uint8_t *text, uint64_t text_bytes);

/* Compares only the tail of a literal whose own bytes are known to be at text[0], and returns what
 * plan_literal_match would return. Sets *looked to the number of tail characters that matched. */
uint64_t plan_tail_match(const struct trawl_plan *plan, const struct plan_literal *literal,
                         const uint8_t *text, uint64_t text_bytes, uint64_t *looked);

/* Returns true if the text may become an occurrence of a literal with a tail when more bytes
 * arrive: the tail's first characters match, and the text ends before the tail does. The literal's
 * own bytes are known to be at text[0]. */
bool plan_tail_is_open(const struct trawl_plan *plan, const struct plan_literal *literal,
                       const uint8_t *text, uint64_t text_bytes);

/* `bytes` are the `have` bytes of a stream that have arrived so far. Returns an offset such that
 * later bytes cannot change which occurrences begin before it. The offset may be lower than
 * necessary, to save work or memory. bytes[-before] is readable, as for plan_accepts. Any thread
 * may call. */
uint64_t plan_decided(const struct trawl_plan *plan, const uint8_t *bytes, uint64_t before,
                      uint64_t have);

/* Reads the element (a character with its variants) that begins at bytes[0] of a pattern, of which
 * `count` bytes are left. Returns the element's length in bytes. A byte that begins no UTF-8
 * character is a separate element. */
uint64_t plan_element_read(const struct trawl_plan *plan, const uint8_t *bytes, uint64_t count,
                           struct plan_element *element);

/* Returns the first offset at which the literal's byte differs from the text's; `count` if none
 * does. Ignores ASCII case if the plan ignores case. `count` bytes of each must be readable. */
uint64_t plan_mismatch(const struct trawl_plan *plan, const uint8_t *literal, const uint8_t *text,
                       uint64_t count);

/* Decodes the UTF-8 character at bytes[0], of at most `count` bytes. Returns its length in bytes,
 * or 0 if there is no character. */
uint64_t plan_utf8_decode(const uint8_t *bytes, uint64_t count, uint32_t *code_point);
/* Writes a character, whose code point is at most 0x10ffff, in UTF-8. Returns its length. */
uint32_t plan_utf8_encode(uint32_t code_point, uint8_t bytes[4]);
/* Reports what a plan was built with, and about the pattern told->pattern_index: all that
 * trawl_plan_tell reports but the groups of expressions. The other members of *told are 0. */
void plan_describe(const struct trawl_plan *plan, struct trawl_plan_told *told);
/* Implements trawl_plan_explain. `lines` are what the plan's engine says (engine_ops.explain): at
 * most PLAN_LINES_BYTES bytes. */
#define PLAN_LINES_BYTES 1024u
enum trawl_status plan_explain(const struct trawl_plan *plan, const char *lines, char *buffer,
                               uint64_t buffer_bytes, uint64_t *needed_bytes,
                               struct trawl_error *error);
/* Returns the bytes of a pattern, as given. */
struct trawl_pattern plan_pattern(const struct trawl_plan *plan, uint64_t index);
/* Decodes a character like plan_utf8_decode; with TRAWL_SINGLE_BYTE, each byte is a character. */
uint64_t plan_decode(const struct trawl_plan *plan, const uint8_t *bytes, uint64_t count,
                     uint32_t *code_point);

/* A symbol of an approximate search is a character, or a byte that belongs to none. The symbol of
 * such a byte is PLAN_NO_CHARACTER + byte, which exceeds all characters. */
#define PLAN_NO_CHARACTER 0x110000u
/* Reads the symbol that begins at bytes[0]. Returns its length in bytes. */
uint64_t plan_symbol_bytes(const struct trawl_plan *plan, const uint8_t *bytes, uint64_t count,
                           uint32_t *symbol);

/* Returns true if an occurrence [begin, end) of a chunk meets the plan's conditions (whole words,
 * whole lines). chunk[-before] to chunk[available - 1] are readable. If begin + before == 0, the
 * occurrence is at the start of the text; if end == available, at its end. */
bool plan_accepts(const struct trawl_plan *plan, const uint8_t *chunk, uint64_t begin, uint64_t end,
                  uint64_t before, uint64_t available);

/* Returns true if an occurrence may begin directly after this byte. If not, the plan's conditions
 * rule it out, whatever bytes precede this one. */
bool plan_may_follow(const struct trawl_plan *plan, uint8_t byte);
bool plan_accepts_begin(const struct trawl_plan *plan, const uint8_t *chunk, uint64_t begin,
                        uint64_t before);
bool plan_accepts_end(const struct trawl_plan *plan, const uint8_t *chunk, uint64_t end,
                      uint64_t available);
/* Returns true if the `available` bytes after an occurrence determine what plan_accepts_end
 * returns, whatever bytes follow them. Reads at most after[0]. */
bool plan_end_is_decided(const struct trawl_plan *plan, const uint8_t *after, uint64_t available);

const char *plan_method_name(enum trawl_method method);

/* Returns true if the plan has a single literal that is the whole pattern. */
static inline bool plan_is_one_literal(const struct trawl_plan *plan)
{
    return plan->literal_count == 1 && plan->element_count == 0;
}

/* Returns true if the literals' bytes are distributed like those of words: neither over a few
 * values, as in DNA, nor evenly over all. */
bool plan_has_letters(const struct trawl_plan *plan);

/* Gets the tables of a set. The first call makes them, and the plan owns them. Any thread may call.
 * Errors: MEMORY. */
enum trawl_status plan_set_want(const struct trawl_plan *plan,
                                const struct plan_set_tables **tables, struct trawl_error *error);

/* Returns an upper bound on how many literals of a set can occur at the same position. Reads each
 * literal once, and needs no tables. The bound is seldom much too high. */
uint32_t plan_alike_bound(const struct trawl_plan *plan);

/* Returns true if the CPU can search the set with the "classes" method. */
static inline bool plan_fits_classes(const struct trawl_plan *plan)
{
    return plan->element_count == 0 && (plan->flags & (TRAWL_WHOLE_WORD | TRAWL_WHOLE_LINE)) == 0;
}

/* Returns true if the caller leaves the choice of the set's method to the CPU engine. */
static inline bool plan_method_is_open(const struct trawl_plan *plan)
{
    return plan->method_asked == TRAWL_METHOD_AUTO || plan->method_asked == TRAWL_METHOD_SET;
}

/* Returns the engines that can run the plan, as bits 1u << enum trawl_engine. */
uint32_t plan_engines(const struct trawl_plan *plan);

static inline bool plan_has_conditions(const struct trawl_plan *plan)
{
    return (plan->flags & (TRAWL_WHOLE_WORD | TRAWL_WHOLE_LINE)) != 0;
}

/* Returns true if this plan's engine checks the plan's conditions itself, for which it must know
 * where records begin and end. */
static inline bool plan_judges(const struct trawl_plan *plan)
{
    return plan->kind >= PLAN_KIND_ERRORS;
}

/* Returns true if each occurrence of a literal must be checked in the text, because the plan has
 * conditions or tails. */
static inline bool plan_needs_refining(const struct trawl_plan *plan)
{
    return plan_has_conditions(plan) || plan->element_count > 0;
}

/* Returns the offset in a literal of its head's first byte. */
static inline uint64_t plan_head_at(const struct trawl_plan *plan)
{
    return plan->length_min < sizeof(uint64_t) ? plan->length_min : sizeof(uint64_t);
}

/* Returns true if an engine can count the occurrences without listing hits. */
static inline bool plan_counts_alone(const struct trawl_plan *plan)
{
    return !plan_needs_refining(plan) && plan->kind == PLAN_KIND_STRINGS &&
           plan->line_reader == NULL;
}

static inline struct plan_literal plan_literal_at(const struct trawl_plan *plan, uint32_t literal)
{
    const uint64_t *begin = plan->pattern_begin + literal;
    struct plan_literal plain = {0, 0, literal, 0, 0, 0};

    TRAWL_ASSERT(literal < plan->literal_count);
    if (plan->literals != NULL)
        return plan->literals[literal];
    plain.bytes_begin = begin[0];
    plain.bytes_count = begin[1] - begin[0];
    return plain;
}

static inline const uint8_t *plan_literal_bytes(const struct trawl_plan *plan, uint32_t literal)
{
    TRAWL_ASSERT(literal < plan->literal_count);
    return plan->literal_bytes + (plan->literals != NULL ? plan->literals[literal].bytes_begin
                                                         : plan->pattern_begin[literal]);
}

/* Prefetches the members that describe the literal. */
static inline void plan_literal_fetch(const struct trawl_plan *plan, uint32_t literal)
{
    __builtin_prefetch(plan->literals != NULL ? (const void *)&plan->literals[literal]
                                              : (const void *)&plan->pattern_begin[literal]);
}

static inline uint8_t fold_byte(uint8_t byte)
{
    return byte >= 'A' && byte <= 'Z' ? (uint8_t)(byte | 0x20) : byte;
}

/* Returns true if an occurrence of the string `bytes` could contain `byte`. If case is ignored,
 * returns true for every letter and every non-ASCII byte, since it may be a variant of a letter in
 * the string. */
static inline bool plan_may_hold(const uint8_t *bytes, uint64_t bytes_count, bool ignores_case,
                                 uint8_t byte)
{
    if (bytes_count == 0)
        return false;
    if (ignores_case && (((byte | 0x20) >= 'a' && (byte | 0x20) <= 'z') || byte >= 0x80))
        return true;
    return memchr(bytes, byte, (size_t)bytes_count) != NULL;
}

#endif
