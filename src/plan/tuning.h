/* tuning: where one literal is looked at, by what is known of the text.
 *
 * A plan has one that knows at most the caller's sample. Who searches a text that is worth a look
 * makes another from the text itself: it costs time when it is wrong, never an answer.
 */
#ifndef TRAWL_PLAN_TUNING_H
#define TRAWL_PLAN_TUNING_H

#include "base/status.h"
#include "plan/layout.h"

#define PLAN_GRAMS_LENGTH_MIN 7u    /* of a literal that grams search */
#define PLAN_SAMPLE_BYTES_MIN 4096u /* below this a sample says too little */

struct trawl_plan;
struct byte_rates;

/* Where in the nth of a text's equal parts the sample takes `bytes`: not at the same place of each,
 * since texts repeat themselves in step with pages and records. */
static inline uint64_t plan_sample_at(uint64_t nth, uint64_t part, uint64_t bytes)
{
    TRAWL_ASSERT(bytes <= part);
    return (nth * 0x9e3779b97f4a7c15ull >> 20) % (part - bytes + 1);
}

struct plan_tuning {
    bool is_seen;          /* of a sample; else of usual texts, and of the literal itself */
    bool repeats;          /* the sample was the literal's own words over and over */
    bool probes_exact;     /* all bytes are probes: a candidate is an occurrence */
    uint32_t probe_count;  /* every: ordered, most telling first */
    uint32_t first_probes; /* expected to leave few blocks of 64 positions with a candidate */
    struct plan_probe probes[PLAN_PROBES_MAX]; /* within PLAN_PROBE_SPAN_BYTES */
    struct plan_grams grams;                   /* of a literal of 7 bytes or more */
    double every_rate;                         /* expected candidates of every per text byte */
    double gram_rate;                          /* the same of grams */
    uint64_t rare_offset; /* for devices: where the rarest 7 bytes begin; of a sample, 8 */
};

/* Of one literal; a sample of fewer than PLAN_SAMPLE_BYTES_MIN is none. First the probes, which
 * also tells the rates of bytes, then the grams, of a literal that is long enough for them. Cost:
 * some microseconds, for the sample and for the literal. */
void plan_tune_probes(const struct trawl_plan *plan, const uint8_t *sample, uint64_t sample_bytes,
                      struct byte_rates *rates, struct plan_tuning *tuning);
void plan_tune_grams(const struct trawl_plan *plan, const uint8_t *sample, uint64_t sample_bytes,
                     const struct byte_rates *rates, struct plan_tuning *tuning);

/* Are aligned grams enough, where all of the text is read? */
bool plan_reads_grams(const struct trawl_plan *plan, const struct plan_tuning *tuning);

/* What a method costs an engine where the text has no candidates, in ns. */
struct plan_costs {
    double every;       /* a byte of text, */
    double every_probe; /* and for each probe that is tested everywhere */
    double grams[4];    /* a byte, by stride: 1, 2, 4, 8 */
    double sample;      /* of method sampled */
    double compared;    /* a candidate of every that one vector decides, */
    double candidate;   /* and any other */
};

/* Of an instruction set, by name: costs.def. NULL: of the one that most machines have. */
const struct plan_costs *plan_costs_of(const char *instruction_set);

/* What each method of one literal is expected to cost, in ns per text byte; 0: it does not fit. */
struct plan_prices {
    double every;
    double grams;
    double sampled;
    enum trawl_method least;
    const struct sampled_tables *tables; /* of method sampled, if they had to be made */
};

/* The cheapest method for a text of which `sample` is some, or that is not known: NULL. Makes the
 * tables of method sampled where it has to know how many samples of the text would name a position;
 * without memory for them that method is not chosen. */
struct plan_prices plan_price(const struct trawl_plan *plan, const struct plan_tuning *tuning,
                              const struct plan_costs *costs, const uint8_t *sample,
                              uint64_t sample_bytes);

/* Price the methods that read all of the text, and find the least price, sampled's included. */
void plan_price_others(const struct trawl_plan *plan, const struct plan_tuning *tuning,
                       const struct plan_costs *costs, struct plan_prices *prices);
/* What no method of the one literal undercuts, in ns per text byte. */
double plan_price_least(const struct trawl_plan *plan, const struct plan_costs *costs);
/* The cheapest that reads all of the text, and its price. */
static inline enum trawl_method plan_least_other(const struct plan_prices *prices, double *price)
{
    bool grams = prices->grams > 0 && prices->grams < prices->every;

    *price = grams ? prices->grams : prices->every;
    return grams ? TRAWL_METHOD_GRAMS : TRAWL_METHOD_EVERY;
}

/* Price method sampled anew in a text like this, and make its tables. Can no other cost less? */
bool plan_look_far(const struct trawl_plan *plan, const struct plan_costs *costs,
                   const uint8_t *text, uint64_t text_bytes, struct plan_prices *prices);
/* After that, if others can: tune for a text of which `sample` is some, at least
 * PLAN_SAMPLE_BYTES_MIN bytes, and price the other methods there. Those that could not win are left
 * out. */
void plan_look(const struct trawl_plan *plan, const struct plan_costs *costs, const uint8_t *sample,
               uint64_t sample_bytes, struct plan_tuning *tuning, struct plan_prices *prices);

/* The tables of method sampled. */
struct sampled_tables {
    struct plan_sampled layout;
    uint64_t *bitmap; /* 1 << bitmap_bits bits */
    uint32_t *heads;  /* 1 << hash_bits */
    uint32_t *next;   /* stride */
};

/* The stride the method sampled would use for a literal of this length; 0 if it is too short. */
uint64_t sampled_stride(uint64_t length);

/* Of a literal with a stride. */
struct plan_sampled sampled_layout(const struct trawl_plan *plan);
/* Made when first asked for, and the plan's. For a literal with a stride. Errors: MEMORY. Any
 * thread. */
enum trawl_status sampled_want(const struct trawl_plan *plan, const struct sampled_tables **tables,
                               struct trawl_error *error);

/* How many of the literal's offsets one sample names on average, and how many samples name any. */
struct sampled_rates {
    double named;
    double naming;
};
/* In a text like this. Samples are spread over all of it. */
struct sampled_rates sampled_seen(const uint8_t *bytes, const struct sampled_tables *tables,
                                  const uint8_t *text, uint64_t text_bytes);

/* How many of the one literal's positions a sample names on average, if the text's grams come as
 * often as the literal's own: 1 if no gram repeats. Two, in a text of few grams, are dense. q is 8
 * or 16. An estimate, from some of its positions. */
double sampled_repeats(const struct trawl_plan *plan, uint32_t q);

#endif
