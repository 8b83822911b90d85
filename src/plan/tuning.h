/* tuning: which bytes of a single literal a search tests, given what is known of the text.
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

struct plan_tuning {
    /* tuned by a sample; else by the prior of usual texts and by the literal */
    bool is_seen;
    bool repeats;         /* the sample repeats the literal's own words (analyse_repeats) */
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
    /* for devices: offset of the rarest 7 bytes of the literal; with a sample, 8 bytes */
    uint64_t rare_offset;
};

/* Tune for a single literal. A sample of fewer than PLAN_SAMPLE_BYTES_MIN bytes is ignored.
 * plan_tune_probes comes first and also sets *rates. plan_tune_grams follows for a literal of at
 * least PLAN_GRAMS_LENGTH_MIN bytes. Cost: some microseconds for the sample and for the literal. */
void plan_tune_probes(const struct trawl_plan *plan, const uint8_t *sample, uint64_t sample_bytes,
                      struct byte_rates *rates, struct plan_tuning *tuning);
void plan_tune_grams(const struct trawl_plan *plan, const uint8_t *sample, uint64_t sample_bytes,
                     const struct byte_rates *rates, struct plan_tuning *tuning);

/* Returns whether the tuning's grams are rare enough in the text for method grams. */
bool plan_reads_grams(const struct trawl_plan *plan, const struct plan_tuning *tuning);

/* What each method costs an engine, in ns, in a text without candidates. */
struct plan_costs {
    double every;       /* method every, per byte of text */
    double every_probe; /* for each probe that is tested at every position, per byte of text */
    double grams[4];    /* method grams, per byte of text, for strides 1, 2, 4, 8 */
    double sample;      /* method sampled, per sample */
    double compared;    /* per candidate of method every that a single vector comparison decides */
    double candidate;   /* per other candidate */
};

/* Returns the costs for the instruction set of this name, from costs.def. NULL: the costs for the
 * set that most machines have. */
const struct plan_costs *plan_costs_of(const char *instruction_set);

/* Expected cost of each method for a single literal, in ns per text byte. 0: the method does not
 * fit. */
struct plan_prices {
    double every;
    double grams;
    double sampled;
    /* measured cost of method sampled in a text where the method proved too slow; the next look
     * uses the value and sets it to 0 */
    double sampled_learnt;
    enum trawl_method least;
    /* tables of method sampled, if pricing had to make them; else NULL */
    const struct sampled_tables *tables;
};

/* Returns the prices for a text of which `sample` is a part; NULL: the text is unknown. With a
 * sample, the function makes the tables of method sampled if the literal is long enough, to count
 * how many samples of the text would name an offset. If memory for these tables is lacking, method
 * sampled is not chosen. */
struct plan_prices plan_price(const struct trawl_plan *plan, const struct plan_tuning *tuning,
                              const struct plan_costs *costs, const uint8_t *sample,
                              uint64_t sample_bytes);

/* Prices methods every and grams, which read the whole text, and sets prices->least, also
 * considering prices->sampled. */
void plan_price_others(const struct trawl_plan *plan, const struct plan_tuning *tuning,
                       const struct plan_costs *costs, struct plan_prices *prices);
/* Returns a lower bound on what any method costs for the plan's literal, in ns per text byte. */
double plan_price_least(const struct trawl_plan *plan, const struct plan_costs *costs);
/* Returns the cheaper of methods every and grams, and its price in *price. */
static inline enum trawl_method plan_least_other(const struct plan_prices *prices, double *price)
{
    bool grams = prices->grams > 0 && prices->grams < prices->every;

    *price = grams ? prices->grams : prices->every;
    return grams ? TRAWL_METHOD_GRAMS : TRAWL_METHOD_EVERY;
}

/* Prices method sampled for this text, and makes its tables. Returns whether no other method can
 * cost less. */
bool plan_look_far(const struct trawl_plan *plan, const struct plan_costs *costs,
                   const uint8_t *text, uint64_t text_bytes, struct plan_prices *prices);
/* Runs after plan_look_far has returned false. Tunes for a text of which `sample` is a part,
 * sample_bytes ≥ PLAN_SAMPLE_BYTES_MIN, and prices methods every and grams there. Grams are not
 * tuned if they could not be the cheapest. */
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

/* named: the number of the literal's offsets that a sample names, on average. naming: the share of
 * samples that name at least one offset. */
struct sampled_rates {
    double named;
    double naming;
};
/* Counts `named` and `naming` in this text. The samples are spread over the whole text. */
struct sampled_rates sampled_seen(const uint8_t *bytes, const struct sampled_tables *tables,
                                  const uint8_t *text, uint64_t text_bytes);

/* Estimates how many offsets of the plan's literal a sample names on average, if the grams are as
 * frequent in the text as in the literal. The result is 1 if no gram repeats. In a text of few
 * grams, 2 already makes the text dense. q is 8 or 16. Only some of the literal's offsets are
 * counted. */
double sampled_repeats(const struct trawl_plan *plan, uint32_t q);

#endif
