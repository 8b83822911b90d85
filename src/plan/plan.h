/* plan: declares the compiled form of patterns. A plan is built once; then any number of threads
 * read the plan.
 *
 * A literal is a byte string that is searched whole. A pattern becomes a single literal, or several
 * literals where characters have variants of other bytes (case in UTF-8). If a pattern has too many
 * variants to list, its literals are variants of its first characters only. The characters after
 * these are the pattern's tail, whose elements a search matches character by character.
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
    /* offset in plan->literal_bytes, which hold lower-case letters if case is ignored */
    uint64_t bytes_begin;
    uint64_t bytes_count;
    uint32_t pattern;
    uint32_t tail_begin; /* index into plan->elements; meaningless if tail_count is 0 */
    uint32_t tail_count;
    uint32_t reversed; /* 1: the literal is the reverse complement of the pattern; else 0 */
};

/* A character of a tail: any of up to 8 byte strings may stand in the text. */
struct plan_element {
    uint8_t alternative_count;
    uint8_t alternative_bytes_count[TRAWL_UTF8_VARIANTS_MAX + 1];
    uint8_t alternative[TRAWL_UTF8_VARIANTS_MAX + 1][4];
};

/* The first bytes of a set's literal, at most 8. A word of the text holds these bytes if (word |
 * the set's head_fold) and `bytes` agree in the bits of mask. */
struct plan_head {
    uint64_t bytes;
    uint64_t mask;
};

/* The bitmaps and buckets of a set. */
struct plan_set_tables {
    uint64_t bytes;    /* of this object and its arrays, which are one block of memory */
    uint64_t *bitmap;  /* 2^bitmap_bits bits */
    uint64_t *wide;    /* 2^bitmap_bits bits by plan_hash_wide; NULL if set.wide_mask is 0 */
    uint32_t *buckets; /* 2^bucket_bits + 1 indexes into `entries`: the begin of each bucket */
    uint32_t *entries; /* literal numbers, grouped by bucket, ascending inside each bucket */
    /* The first bytes of the literals in `entries`, in the same order: with these most entries of a
     * bucket fail without a read of the literal. NULL unless the CPU may search by buckets. */
    struct plan_head *heads;
};

/* Objects that the first search which needs them makes, and that the plan then owns. */
enum plan_attachment {
    PLAN_SAMPLED,      /* sampled_tables, plan/sampled.c */
    PLAN_ALONE,        /* each pattern as a plan of its own, plan/parts.c */
    PLAN_PARTS_HOST,   /* the parts in which the host searches, plan/parts.c */
    PLAN_PARTS_DEVICE, /* the parts in which a device searches */
    /* As the three above, of a plan with conditions on words or lines. A search of records has a
     * copy of the plan without the conditions, and both plans share their attachments. */
    PLAN_WHOLE_ALONE,
    PLAN_WHOLE_PARTS_HOST,
    PLAN_WHOLE_PARTS_DEVICE,
    PLAN_SET_TABLES,  /* plan_set_tables, plan/tables.c */
    PLAN_NIBBLES,     /* the tables of a small set by low halves of bytes, plan/nibbles.c */
    PLAN_NIBBLES_SIX, /* the same by six low bits */
    PLAN_MATCHER,     /* the tables of a large set, cpu/set_matcher.c */
    PLAN_DENSE,       /* the automaton, cpu/dense_set.c */
    PLAN_ERRORS,      /* the compiled plan, approximate/approx_compile.c */
    PLAN_EXPRESSIONS, /* the compiled plan, regex/regex_compile.c */
    PLAN_RESPLIT,     /* the compiled plan with the atoms that are rare in a text's sample */
    PLAN_ORDER,       /* the literals in order, plan/open.c */
    PLAN_ATTACHMENTS
};

/* The options of a plan with errors. */
struct plan_errors {
    bool is_set;
    bool edits;   /* true: edits; false: mismatches */
    uint32_t max; /* errors of an occurrence: 0 ≤ max ≤ TRAWL_ERRORS_MAX */
    enum trawl_alphabet alphabet;
    uint32_t exact_count;
    /* exact_count ranges of symbols without errors; the plan owns the array */
    struct trawl_range *exact;
};

/* The options of a plan of expressions. */
struct plan_expressions {
    enum trawl_syntax syntax; /* LITERAL: the plan has strings */
    bool characters;          /* UTF-8; false: each byte is a character */
    uint32_t memory_mib;      /* for all programs together; 0: no limit */
};

struct trawl_plan {
    /* unique in the process; a plan's address may be reused after trawl_plan_free */
    uint64_t serial;
    uint32_t flags;
    uint8_t line_end;
    /* a second byte that ends lines; equal to line_end if there is no second byte */
    uint8_t line_end_also;
    bool utf8_is_set;
    /* a literal may hold the line end, so that an occurrence may cross lines */
    bool holds_line_end;
    struct trawl_letters utf8;

    bool misses_letters; /* as in struct trawl_plan_told */
    uint64_t pattern_count;
    uint64_t *pattern_ids;   /* the caller's numbers; NULL: there are none */
    uint64_t *pattern_begin; /* pattern_count + 1 offsets into pattern_bytes */
    uint8_t *pattern_bytes;

    uint32_t literal_count;
    uint64_t literal_bytes_total;
    /* ascending by pattern; NULL: literal i is pattern i unchanged */
    struct plan_literal *literals;
    uint8_t *literal_bytes;
    /* allocated literals; literal_bytes_capacity: allocated bytes of literal_bytes */
    uint64_t literal_capacity;
    uint64_t literal_bytes_capacity;
    uint32_t element_count;
    uint32_t element_capacity;
    struct plan_element *elements;

    uint64_t length_min;  /* bytes of the shortest literal, without tails */
    uint64_t length_max;  /* bytes of the longest occurrence, tails included */
    uint64_t need_before; /* bytes that a search reads before an occurrence's begin */
    /* bytes that a search reads after the last begin: length_max - 1 + context */
    uint64_t need_after;

    /* If the plan has errors, expressions or an algorithm, no method is chosen: the members from
     * `method` on are zero. */
    struct plan_errors errors;
    struct plan_expressions expressions;
    struct plan_algorithm algorithm;
    /* SET if BUCKETS, CLASSES or AUTOMATON was asked for; AUTO: each worker chooses by prices the
     * method for a single literal */
    enum trawl_method method;
    enum trawl_method method_asked;

    /* Set if the plan has a single literal without a tail: */
    uint64_t period;           /* the least period if at most half the length, else 0 */
    struct plan_tuning tuning; /* made from the caller's sample, or without a sample */

    /* Set if the plan has several literals, or a literal with a tail: */
    struct plan_set set;
    double byte_bits; /* entropy of a byte of the literals, in bits */
    /* by which programs the CPU may search (tournament_of in cpu/programs.c: which begins) */
    bool has_buckets; /* by struct plan_set_tables */
    bool has_classes; /* strings by length, each class with its own tables */
    bool has_automaton;

    struct attachment *attached; /* PLAN_ATTACHMENTS entries */
};

/* Returns the length of the literal's occurrence at text[0], of which text_bytes are readable; 0 if
 * there is no occurrence. Conditions (whole word, whole line) are not checked. */
uint64_t plan_literal_match(const struct trawl_plan *plan, const struct plan_literal *literal,
                            const uint8_t *text, uint64_t text_bytes);

/* As plan_literal_match, but compares only the tail: the literal's own bytes are known to stand at
 * text[0]. *looked: the tail's characters that were compared and matched. */
uint64_t plan_tail_match(const struct trawl_plan *plan, const struct plan_literal *literal,
                         const uint8_t *text, uint64_t text_bytes, uint64_t *looked);

/* Returns whether the literal's own bytes and the first characters of its tail stand at text[0],
 * and the text's `text_bytes` bytes end before the tail does. The own bytes are known to stand
 * there. */
bool plan_tail_is_open(const struct trawl_plan *plan, const struct plan_literal *literal,
                       const uint8_t *text, uint64_t text_bytes);

/* Returns up to where occurrences are decided, whatever bytes follow the `have` bytes that a text
 * has so far: about no occurrence that begins before can these bytes decide. bytes[-before] is
 * readable, as for plan_accepts. May return less to save work or memory. Any thread may call. */
uint64_t plan_decided(const struct trawl_plan *plan, const uint8_t *bytes, uint64_t before,
                      uint64_t have);

/* Reads the element that begins at bytes[0] of a pattern with `count` bytes left. Returns how many
 * bytes the element takes. A byte that begins no UTF-8 character is an element by itself. */
uint64_t plan_element_read(const struct trawl_plan *plan, const uint8_t *bytes, uint64_t count,
                           struct plan_element *element);

/* Returns the first offset where the literal's and the text's bytes differ; `count` if no bytes
 * differ. Ignores ASCII case if the plan ignores case. Both have `count` readable bytes. */
uint64_t plan_mismatch(const struct trawl_plan *plan, const uint8_t *literal, const uint8_t *text,
                       uint64_t count);

/* Decodes a UTF-8 character of at most `count` bytes. Returns the character's length in bytes; 0 if
 * the bytes are no UTF-8 character. */
uint64_t plan_utf8_decode(const uint8_t *bytes, uint64_t count, uint32_t *code_point);
/* Writes a character, whose code point is at most 0x10ffff, in UTF-8. Returns its length. */
uint32_t plan_utf8_encode(uint32_t code_point, uint8_t bytes[4]);
/* As plan_utf8_decode, but under TRAWL_SINGLE_BYTE each byte is a character. */
uint64_t plan_decode(const struct trawl_plan *plan, const uint8_t *bytes, uint64_t count,
                     uint32_t *code_point);

/* Symbols of plans with errors: a byte that is part of no character is the symbol PLAN_NO_CHARACTER
 * + byte, which is greater than all characters. */
#define PLAN_NO_CHARACTER 0x110000u
/* Reads the symbol that begins at bytes[0], in a pattern or at a symbol's begin in a text. Returns
 * the symbol's length in bytes. */
uint64_t plan_symbol_bytes(const struct trawl_plan *plan, const uint8_t *bytes, uint64_t count,
                           uint32_t *symbol);

/* Returns whether an occurrence [begin, end) of a chunk meets the plan's conditions (whole word,
 * whole line). chunk[-before] to chunk[available - 1] are readable. begin + before == 0 means that
 * the text begins at the occurrence; end == available means that the text ends there. */
bool plan_accepts(const struct trawl_plan *plan, const uint8_t *chunk, uint64_t begin, uint64_t end,
                  uint64_t before, uint64_t available);

/* Returns whether an occurrence may begin right after this byte. False means that the plan's
 * conditions rule the occurrence out, whatever bytes precede this byte. */
bool plan_may_follow(const struct trawl_plan *plan, uint8_t byte);
bool plan_accepts_begin(const struct trawl_plan *plan, const uint8_t *chunk, uint64_t begin,
                        uint64_t before);
bool plan_accepts_end(const struct trawl_plan *plan, const uint8_t *chunk, uint64_t end,
                      uint64_t available);
/* Returns whether the `available` bytes after an occurrence of a string decide what
 * plan_accepts_end returns, whatever bytes follow. Reads at most after[0]. */
bool plan_end_is_decided(const struct trawl_plan *plan, const uint8_t *after, uint64_t available);

const char *plan_method_name(enum trawl_method method);

/* Returns whether the plan has a single literal that is the whole pattern. */
static inline bool plan_is_one_literal(const struct trawl_plan *plan)
{
    return plan->literal_count == 1 && plan->element_count == 0;
}

/* Returns whether the literals' bytes are spread like letters: neither over a few values, as in
 * DNA, nor evenly over all values. */
bool plan_has_letters(const struct trawl_plan *plan);

/* For a set: sets *tables to the set's tables. The first call makes the tables, and the plan owns
 * them. Errors: MEMORY. Any thread may call. */
enum trawl_status plan_set_want(const struct trawl_plan *plan,
                                const struct plan_set_tables **tables, struct trawl_error *error);

/* For a set: returns a number of literals of which no more can occur at the same begin. Reads each
 * literal once, and needs no tables; the number is seldom far above the least such number. */
uint32_t plan_alike_bound(const struct trawl_plan *plan);

/* For a set: returns whether the CPU can search the set by method classes. */
static inline bool plan_fits_classes(const struct trawl_plan *plan)
{
    return plan->element_count == 0 && (plan->flags & (TRAWL_WHOLE_WORD | TRAWL_WHOLE_LINE)) == 0;
}

/* For a set: returns whether the caller left open by which method the CPU searches. */
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

static inline bool plan_has_expressions(const struct trawl_plan *plan)
{
    return plan->expressions.syntax != TRAWL_LITERAL;
}

/* Returns whether the plan's engine needs to know where records begin and end, and reports only
 * occurrences that meet the plan's conditions there. */
static inline bool plan_judges(const struct trawl_plan *plan)
{
    return plan->errors.is_set || plan_has_expressions(plan);
}

/* Returns whether a layer searches for the plan: the gallery, approximate search or expressions,
 * which use the host's and the devices' engines. */
static inline bool plan_is_layered(const struct trawl_plan *plan)
{
    return plan->algorithm.name != NULL || plan_judges(plan);
}

/* Returns whether a search must check each occurrence of a literal in the text, for the plan's
 * conditions or for a tail. */
static inline bool plan_needs_refining(const struct trawl_plan *plan)
{
    return plan_has_conditions(plan) || plan->element_count > 0;
}

/* Returns whether an engine can count the occurrences without listing hits. */
static inline bool plan_counts_alone(const struct trawl_plan *plan)
{
    return !plan_needs_refining(plan) && !plan_is_layered(plan);
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

/* Prefetches the literal's description. */
static inline void plan_literal_fetch(const struct trawl_plan *plan, uint32_t literal)
{
    __builtin_prefetch(plan->literals != NULL ? (const void *)&plan->literals[literal]
                                              : (const void *)&plan->pattern_begin[literal]);
}

static inline uint8_t fold_byte(uint8_t byte)
{
    return byte >= 'A' && byte <= 'Z' ? (uint8_t)(byte | 0x20) : byte;
}

/* Returns whether an occurrence of one of the strings in `bytes` could hold `byte`. If case is
 * ignored, a letter or a byte of a longer character may stand for a different byte. */
static inline bool plan_may_hold(const uint8_t *bytes, uint64_t bytes_count, bool ignores_case,
                                 uint8_t byte)
{
    uint8_t lower = fold_byte(byte);

    if (bytes_count == 0)
        return false;
    if (ignores_case && ((lower >= 'a' && lower <= 'z') || byte >= 0x80))
        return true;
    return memchr(bytes, byte, (size_t)bytes_count) != NULL;
}

#endif
