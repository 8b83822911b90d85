/* plan: what patterns become. Built once, then read by any number of threads through const.
 *
 * A pattern becomes one literal, or several where characters have variants of other bytes (case in
 * UTF-8). A literal is a byte string that is searched whole. A literal with a tail is the first
 * part of a pattern with too many variants to list; the tail's elements are then matched one by
 * one.
 */
#ifndef TRAWL_PLAN_PLAN_H
#define TRAWL_PLAN_PLAN_H

#include "base/attachment.h"
#include "base/status.h"
#include "plan/algorithm.h"
#include "plan/layout.h"
#include "plan/nibbles.h"
#include "plan/tuning.h"

struct plan_literal {
    uint64_t bytes_begin; /* into plan->literal_bytes; folded to lower case if case is ignored */
    uint64_t bytes_count;
    uint32_t pattern;
    uint32_t tail_begin; /* into plan->elements; tail_count 0: no tail */
    uint32_t tail_count;
    uint32_t reversed; /* 1: the reverse complement of the pattern */
};

/* One character of a tail: any of up to 8 byte strings may stand there. */
struct plan_element {
    uint8_t alternative_count;
    uint8_t alternative_bytes_count[TRAWL_UTF8_VARIANTS_MAX + 1];
    uint8_t alternative[TRAWL_UTF8_VARIANTS_MAX + 1][4];
};

/* The first bytes of a set's literal, at most 8: a text's word, or-ed with the set's fold, holds
 * them if its bits in mask are these. */
struct plan_head {
    uint64_t bytes;
    uint64_t mask;
};

/* What is made of a plan when it is first needed. */
enum plan_attachment {
    PLAN_SAMPLED,      /* of plan/sampled.c */
    PLAN_AS_SET,       /* of plan_as_set */
    PLAN_PARTS_HOST,   /* of plan/parts.c */
    PLAN_PARTS_DEVICE, /* the same, by another target's costs */
    PLAN_MATCHER,      /* of cpu/set_matcher.c */
    PLAN_DENSE,        /* of cpu/dense_set.c */
    PLAN_ERRORS,       /* of approximate/compile.c */
    PLAN_ATTACHMENTS
};

/* What a plan with errors asks for, as its options had it. */
struct plan_errors {
    bool is_set;
    bool edits;   /* else mismatches */
    uint32_t max; /* 0 to TRAWL_ERRORS_MAX */
    enum trawl_alphabet alphabet;
    uint32_t exact_count;
    struct trawl_range *exact; /* owned */
};

struct trawl_plan {
    uint64_t serial; /* no other plan of the process has had it: addresses come again */
    uint32_t flags;
    uint8_t line_end;
    uint8_t line_end_also; /* ends lines as well; line_end again where there is no such */
    bool utf8_is_set;
    bool holds_line_end; /* some literal holds the line end, so a match may cross lines */
    struct trawl_utf8 utf8;

    uint64_t pattern_count;
    uint64_t *pattern_begin; /* pattern_count + 1 offsets into pattern_bytes */
    uint8_t *pattern_bytes;

    uint32_t literal_count;
    uint64_t literal_bytes_total;
    struct plan_literal *literals; /* ascending by pattern; NULL: pattern i is literal i as it is */
    uint8_t *literal_bytes;
    uint64_t literal_capacity; /* of literals; literal_bytes has literal_bytes_capacity */
    uint64_t literal_bytes_capacity;
    uint32_t element_count;
    uint32_t element_capacity;
    struct plan_element *elements;

    uint64_t length_min;  /* of the literals, without tails */
    uint64_t length_max;  /* of the longest occurrence, tails included */
    uint64_t need_before; /* context bytes before an occurrence's begin */
    uint64_t need_after;  /* bytes beyond the last begin: length_max - 1 + context */

    struct plan_errors errors;       /* where these are set, */
    struct plan_algorithm algorithm; /* or this is, no method was chosen: all below is zero */
    enum trawl_method method;        /* SET where one of its ways was asked for */
    enum trawl_method method_asked;  /* AUTO: the plan chose */
    const char *method_why;          /* static text */

    /* One literal without a tail: */
    uint64_t period;           /* the least period if at most half the length, else 0 */
    struct plan_tuning tuning; /* by the caller's sample, or without any */
    struct plan_prices prices; /* that the method was chosen by; 0: it was asked for */

    /* Several literals, or one with a tail: */
    struct plan_set set;
    struct plan_nibbles nibbles;
    double byte_bits;      /* entropy of a byte of the literals */
    bool has_classes;      /* the CPU begins by classes of length, with tables of its own, */
    bool has_either;       /* and tries whether buckets take less time; else the other way round */
    uint64_t *set_bitmap;  /* 1 << bitmap_bits bits */
    uint64_t *set_wide;    /* as many, of plan_hash_wide; NULL if set.wide_mask is 0 */
    uint32_t *set_buckets; /* (1 << bucket_bits) + 1 begins into set_entries */
    uint32_t *set_entries; /* literal indexes, grouped by bucket, ascending inside each */
    struct plan_head *set_heads; /* of set_entries: most of a bucket fails without a look at it;
                                    NULL where the CPU searches by classes alone */

    struct attachment *attached; /* PLAN_ATTACHMENTS */
};

/* trawl_plan_build, with the algorithms that there are; NULL: none. */
enum trawl_status plan_build(const struct trawl_pattern *patterns, uint64_t pattern_count,
                             const struct trawl_plan_options *options,
                             const struct plan_algorithms *algorithms, struct trawl_plan **plan,
                             struct trawl_error *error);

/* Is there an occurrence of the literal at text, of which `text_bytes` are readable? Returns its
 * length, 0 if not. Context conditions are not checked. */
uint64_t plan_literal_match(const struct trawl_plan *plan, const struct plan_literal *literal,
                            const uint8_t *text, uint64_t text_bytes);

/* The same where the literal's bytes are known to stand there; *looked: characters of the tail that
 * were compared. */
uint64_t plan_tail_match(const struct trawl_plan *plan, const struct plan_literal *literal,
                         const uint8_t *text, uint64_t text_bytes, uint64_t *looked);

/* The element that begins at bytes of a pattern; returns how many of them it takes. A byte that
 * begins no UTF-8 character stands for itself. */
uint64_t plan_element_read(const struct trawl_plan *plan, const uint8_t *bytes, uint64_t count,
                           struct plan_element *element);

/* The first position where the literal's and the text's bytes differ, `count` if none; ASCII case
 * is ignored if the plan ignores it. Both have `count` readable bytes. */
uint64_t plan_mismatch(const struct trawl_plan *plan, const uint8_t *literal, const uint8_t *text,
                       uint64_t count);

/* Decode one UTF-8 character of at most `count` bytes; returns its bytes, 0 if it is not one. */
uint64_t plan_utf8_decode(const uint8_t *bytes, uint64_t count, uint32_t *code_point);
/* The same in the plan's characters, which TRAWL_SINGLE_BYTE makes bytes. */
uint64_t plan_decode(const struct trawl_plan *plan, const uint8_t *bytes, uint64_t count,
                     uint32_t *code_point);

/* A symbol of a plan with errors that is a byte which is part of no character: more than that. */
#define PLAN_NO_CHARACTER 0x110000u
/* The symbol that begins at bytes[0], of a pattern or where one begins in a text; returns how many
 * bytes it has. */
uint64_t plan_symbol_bytes(const struct trawl_plan *plan, const uint8_t *bytes, uint64_t count,
                           uint32_t *symbol);

/* Do the plan's word and line conditions hold for an occurrence [begin, end) of a text chunk?
 * chunk[-before] to chunk[available - 1] are readable; before == 0 or available == end mean the
 * text's border. */
bool plan_accepts(const struct trawl_plan *plan, const uint8_t *chunk, uint64_t begin, uint64_t end,
                  uint64_t before, uint64_t available);

/* The two halves of that: what stands before the begin, and after the end. */
/* May an occurrence begin right after this byte? False: it would not be accepted, whatever comes
 * before the byte. */
bool plan_may_follow(const struct trawl_plan *plan, uint8_t byte);
bool plan_accepts_begin(const struct trawl_plan *plan, const uint8_t *chunk, uint64_t begin,
                        uint64_t before);
bool plan_accepts_end(const struct trawl_plan *plan, const uint8_t *chunk, uint64_t end,
                      uint64_t available);

/* One literal, all of whose bytes are the pattern's? */
static inline bool plan_is_one_literal(const struct trawl_plan *plan)
{
    return plan->literal_count == 1 && plan->element_count == 0;
}

/* Are the literals' bytes like letters: neither a few values, as of DNA, nor any? */
bool plan_has_letters(const struct trawl_plan *plan);

/* The plan itself, if its method is SET; of one literal, a plan that finds the same by that method,
 * without conditions. Made when first asked for, and the plan's. Errors: MEMORY. Any thread. */
enum trawl_status plan_as_set(const struct trawl_plan *plan, const struct trawl_plan **as_set,
                              struct trawl_error *error);

/* Of a set: may the CPU search it by classes of length? */
static inline bool plan_fits_classes(const struct trawl_plan *plan)
{
    return plan->element_count == 0 && (plan->flags & (TRAWL_WHOLE_WORD | TRAWL_WHOLE_LINE)) == 0;
}

/* Of a set: is it left to the plan and the text by which method the CPU searches it? */
static inline bool plan_method_is_open(const struct trawl_plan *plan)
{
    return plan->method_asked == TRAWL_METHOD_AUTO || plan->method_asked == TRAWL_METHOD_SET;
}

/* Engines that can run the plan, bits 1u << enum trawl_engine. */
uint32_t plan_engines(const struct trawl_plan *plan);

static inline bool plan_has_conditions(const struct trawl_plan *plan)
{
    return (plan->flags & (TRAWL_WHOLE_WORD | TRAWL_WHOLE_LINE)) != 0;
}

/* Does an engine search that is made of the host's and the devices' own? */
static inline bool plan_is_layered(const struct trawl_plan *plan)
{
    return plan->algorithm.name != NULL || plan->errors.is_set;
}

/* Is each occurrence of a literal to be checked in the text, for its conditions or its tail? */
static inline bool plan_needs_refining(const struct trawl_plan *plan)
{
    return plan_has_conditions(plan) || plan->element_count > 0;
}

/* Can a method's engine count without listing hits to be checked? */
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

/* Ask for the literal's description ahead of its use. */
static inline void plan_literal_fetch(const struct trawl_plan *plan, uint32_t literal)
{
    __builtin_prefetch(plan->literals != NULL ? (const void *)&plan->literals[literal]
                                              : (const void *)&plan->pattern_begin[literal]);
}

static inline uint8_t fold_byte(uint8_t byte)
{
    return byte >= 'A' && byte <= 'Z' ? (uint8_t)(byte | 0x20) : byte;
}

#endif
