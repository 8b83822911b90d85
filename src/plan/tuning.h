/* tuning: chooses which bytes of a single literal a search tests, by what is known of the text, and
 * prices the methods.
 *
 * A plan has a tuning that knows at most the caller's sample. A worker that searches a long text
 * makes a better tuning from the text. A wrong tuning costs time, never an answer.
 */
#ifndef TRAWL_PLAN_TUNING_H
#define TRAWL_PLAN_TUNING_H

#include "base/status.h"
#include "plan/layout.h"

#define PLAN_GRAMS_LENGTH_MIN 7u    /* shortest literal that method grams searches */
#define PLAN_SAMPLE_BYTES_MIN 4096u /* shorter samples are ignored */

struct trawl_plan;
struct byte_rates;

/* Returns where a sample of `bytes` begins inside the nth of a text's equal parts. The offset
 * differs from part to part, because many texts repeat themselves in step with pages and
 * records. */
static inline uint64_t plan_sample_at(uint64_t nth, uint64_t part, uint64_t bytes)
{
    TRAWL_ASSERT(bytes <= part);
    return (nth * 0x9e3779b97f4a7c15ull >> 20) % (part - bytes + 1);
}

/* For method sampled: the average number of the literal's offsets with the same bytes as a sample
 * of the text, and the share of samples with at least one such offset. */
struct sampled_rates {
    double named;
    double naming;
};

struct plan_tuning {
    /* tuned by a sample; else by the prior of usual texts and by the literal */
    bool is_seen;
    bool repeats; /* strings of the literal stand in the sample at many places (analyse_repeats) */
    bool probes_exact;    /* every byte of the literal is a probe: a candidate is an occurrence */
    uint32_t probe_count; /* for method every; probes[0] rules out most positions */
    /* number of probes after which the later probes rule out few more blocks of 64 positions */
    uint32_t first_probes;
    struct plan_probe probes[PLAN_PROBES_MAX]; /* all within PLAN_PROBE_SPAN_BYTES */
    /* set if the literal has at least PLAN_GRAMS_LENGTH_MIN bytes */
    struct plan_grams grams;
    /* expected candidates of method every per text byte */
    double every_rate;
    /* expected candidates of method grams per text byte */
    double gram_rate;
    /* method sampled can be chosen: the literal is long and does not repeat itself, and memory
     * suffices */
    bool samples;
    struct sampled_rates sampled;
    /* ns per byte of text that method sampled took before a search changed the method; 0: not
     * known */
    double sampled_took;
    /* for devices: offset of the rarest 7 bytes of the literal; with a sample, 8 bytes */
    uint64_t rare_offset;
};

/* Fill a tuning for a single literal. A sample of fewer than PLAN_SAMPLE_BYTES_MIN bytes is
 * ignored. plan_tune_probes comes first and also sets *rates. plan_tune_grams follows for a literal
 * of at least PLAN_GRAMS_LENGTH_MIN bytes. Cost: some microseconds for the sample and for the
 * literal. */
void plan_tune_probes(const struct trawl_plan *plan, const uint8_t *sample, uint64_t sample_bytes,
                      struct byte_rates *rates, struct plan_tuning *tuning);
void plan_tune_grams(const struct trawl_plan *plan, const uint8_t *sample, uint64_t sample_bytes,
                     const struct byte_rates *rates, struct plan_tuning *tuning);
/* Tunes method sampled. Makes the method's tables and counts in this text, or part of a text, how
 * many samples equal an offset of the literal. NULL: the text is unknown. */
void plan_tune_sampled(const struct trawl_plan *plan, const uint8_t *text, uint64_t text_bytes,
                       struct plan_tuning *tuning);

/* Returns whether the tuning's grams are rare enough in the text for method grams. */
bool plan_reads_grams(const struct trawl_plan *plan, const struct plan_tuning *tuning);

/* What the steps of each method cost on an instruction set, in ns: the columns of methods.def. */
struct plan_costs {
#define COST(member) double member;
#include "plan/methods.def"
};

/* Returns the costs for the instruction set of this name, from methods.def. NULL: the costs for the
 * set that most machines have. */
const struct plan_costs *plan_costs_of(const char *instruction_set);

/* Expected cost of each method for a single literal, in ns per text byte. */
struct plan_prices {
    double of[TRAWL_METHODS_COUNT]; /* the cost of each method; 0: the method does not fit */
    enum trawl_method least;        /* the method with the least price */
};

/* Returns the expected cost of each method in the text that the tuning knows. */
struct plan_prices plan_price(const struct trawl_plan *plan, const struct plan_tuning *tuning,
                              const struct plan_costs *costs);
/* Returns the cheapest method that has a price and is not `but`. */
enum trawl_method plan_cheapest(const struct plan_prices *prices, enum trawl_method but);
/* Returns what the method costs without candidates, in ns per text byte, if method every tests so
 * many probes at each position. */
double plan_price_bare(const struct trawl_plan *plan, const struct plan_tuning *tuning,
                       const struct plan_costs *costs, enum trawl_method method, double probes);

/* What a method for a single literal reads: q bytes at every stride-th position. */
struct plan_form {
    uint64_t q, stride;
    uint64_t table_bytes; /* size of the method's tables */
};
struct plan_form plan_form_of(const struct trawl_plan *plan, enum trawl_method method);

/* Returns a lower bound on what any method costs for the plan's literal, in ns per text byte. */
double plan_price_least(const struct trawl_plan *plan, const struct plan_costs *costs);

/* Look at a text of which `sample` is a part, sample_bytes ≥ PLAN_SAMPLE_BYTES_MIN, in order to
 * price each method there. plan_look_far tunes method sampled by the whole text, and returns
 * whether no other method can cost less. If not, plan_look tunes methods every and grams, but grams
 * only if they could be the cheapest. */
bool plan_look_far(const struct trawl_plan *plan, const struct plan_costs *costs,
                   const uint8_t *text, uint64_t text_bytes, struct plan_tuning *tuning,
                   struct plan_prices *prices);
void plan_look(const struct trawl_plan *plan, const struct plan_costs *costs, const uint8_t *sample,
               uint64_t sample_bytes, struct plan_tuning *tuning, struct plan_prices *prices);

/* The tables of method sampled (struct plan_sampled). */
struct sampled_tables {
    struct plan_sampled layout;
    uint64_t *bitmap; /* 2^bitmap_bits bits */
    uint32_t *heads;  /* 2^hash_bits entries */
    uint32_t *next;   /* `stride` entries */
};

/* Returns the stride of method sampled for a literal of this length; 0 if the literal is too
 * short. */
uint64_t sampled_stride(uint64_t length);

/* Returns the layout of the tables. sampled_stride of the plan's literal is not 0. */
struct plan_sampled sampled_layout(const struct trawl_plan *plan);
/* Returns the tables, which the first call makes and the plan owns. sampled_stride of the plan's
 * literal is not 0. Errors: MEMORY. Any thread may call. */
enum trawl_status sampled_want(const struct trawl_plan *plan, const struct sampled_tables **tables,
                               struct trawl_error *error);

/* Measures the rates by samples spread over this text. */
struct sampled_rates sampled_seen(const uint8_t *bytes, const struct sampled_tables *tables,
                                  const uint8_t *text, uint64_t text_bytes);

/* Estimates how many offsets of the plan's literal a sample names on average, if the grams are as
 * frequent in the text as in the literal. The result is 1 if no gram repeats. In a text of few
 * grams, 2 already makes the text dense. q is 8 or 16. Only some of the literal's offsets are
 * counted. */
double sampled_repeats(const struct trawl_plan *plan, uint32_t q);

#endif
