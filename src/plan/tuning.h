/* tuning: chooses which bytes of a single literal a search tests, based on what is known about the
 * text, and computes the expected costs of the methods.
 *
 * A plan's own tuning is based at most on the caller's sample. A worker that searches a long text
 * makes a better one from that text. A wrong tuning costs time, but never changes an answer.
 */
#ifndef TRAWL_PLAN_TUNING_H
#define TRAWL_PLAN_TUNING_H

#include "base/status.h"
#include "plan/layout.h"

#define PLAN_GRAMS_LENGTH_MIN 7u    /* bytes of the shortest literal for the "grams" method */
#define PLAN_SAMPLE_BYTES_MIN 4096u /* shorter samples are ignored */

struct trawl_plan;
struct byte_rates;

/* A text is divided into parts of `part` bytes. Returns where in part number `nth` a sample of
 * `bytes` bytes begins. This offset differs from part to part, because many texts repeat themselves
 * in step with pages or records. It is seldom 0, even in part 0, because a text often begins with a
 * header unlike the rest, from which a pattern may have been taken. */
static inline uint64_t plan_sample_at(uint64_t nth, uint64_t part, uint64_t bytes)
{
    TRAWL_ASSERT(bytes <= part);
    return ((nth + 1) * 0x9e3779b97f4a7c15ull >> 20) % (part - bytes + 1);
}

/* Rates for the "sampled" method, measured at samples of the text. */
struct sampled_rates {
    double named;  /* mean number of the literal's offsets that have the bytes of a sample */
    double naming; /* fraction of the samples that are at some offset of the literal */
};

struct plan_tuning {
    /* tuned with a sample of the text; if false, with the literal and byte frequencies of typical
     * text */
    bool is_seen;
    /* every byte of the literal is a probe, so each candidate is an occurrence */
    bool probes_exact;
    /* probes are bytes that the "every" method tests; probes[0] rules out the most positions */
    uint32_t probe_count;
    /* how many probes are tested at every position; more would rule out few more blocks */
    uint32_t first_probes;
    struct plan_probe probes[PLAN_PROBES_MAX]; /* all within PLAN_PROBE_SPAN_BYTES */
    /* set only if the literal has at least PLAN_GRAMS_LENGTH_MIN bytes */
    struct plan_grams grams;
    /* expected candidates of the "every" method per byte of text */
    double every_rate;
    /* expected candidates of the "grams" method per byte of text */
    double gram_rate;
    /* The "sampled" method can be used: the literal is long enough, and if the text is known, the
     * method's tables exist; if not, the literal hardly repeats itself. */
    bool samples;
    struct sampled_rates sampled;
    /* ns per byte that "sampled" took in a search that then left this method; 0: unknown */
    double sampled_took;
    /* for GPUs: offset of the literal's rarest 7 bytes, or 8 bytes if a GPU sampled the text */
    uint64_t rare_offset;
};

/* Fill a tuning for a single literal. plan_tune_probes is called first, and also sets *rates; then
 * plan_tune_grams, if the literal has at least PLAN_GRAMS_LENGTH_MIN bytes. A sample of fewer than
 * PLAN_SAMPLE_BYTES_MIN bytes is ignored. Cost: a few microseconds each. */
void plan_tune_probes(const struct trawl_plan *plan, const uint8_t *sample, uint64_t sample_bytes,
                      struct byte_rates *rates, struct plan_tuning *tuning);
void plan_tune_grams(const struct trawl_plan *plan, const uint8_t *sample, uint64_t sample_bytes,
                     const struct byte_rates *rates, struct plan_tuning *tuning);
/* Tunes the "sampled" method: builds its tables, and measures struct sampled_rates in `text`, which
 * may be a part of the text. If `text` is NULL, only checks that the literal hardly repeats
 * itself. */
void plan_tune_sampled(const struct trawl_plan *plan, const uint8_t *text, uint64_t text_bytes,
                       struct plan_tuning *tuning);

/* Returns true if the tuning's grams are rare enough in the text for the "grams" method to be worth
 * while. */
bool plan_reads_grams(const struct trawl_plan *plan, const struct plan_tuning *tuning);

/* How many ns each method's steps take with an instruction set: the columns of methods.def. */
struct plan_costs {
#define COST(member) double member;
#include "plan/methods.def"
};

/* Returns the costs with the instruction set of this name; for NULL, with the one that most
 * machines have. */
const struct plan_costs *plan_costs_of_instruction_set(const char *instruction_set);

/* The expected cost of each method for a single literal, in ns per byte of text. */
struct plan_prices {
    double of[TRAWL_METHODS_COUNT]; /* 0: the method cannot search for the literal */
    enum trawl_method min;          /* the cheapest method */
};

/* Returns the expected cost of each method in the text that the tuning was made for. */
struct plan_prices plan_price(const struct trawl_plan *plan, const struct plan_tuning *tuning,
                              const struct plan_costs *costs);
/* Returns the cheapest method except `but`, which must not be EVERY. */
enum trawl_method plan_cheapest(const struct plan_prices *prices, enum trawl_method but);
/* Returns the cost of the method in a text without candidates, in ns per byte of text. `probes` is
 * the number of probes that the "every" method tests at each position. */
double plan_price_bare(const struct trawl_plan *plan, const struct plan_tuning *tuning,
                       const struct plan_costs *costs, enum trawl_method method, double probes);

/* What a method reads to search for a single literal: q bytes at every stride-th position. */
struct plan_form {
    uint64_t q, stride;
    uint64_t table_bytes; /* size of the method's tables */
};
struct plan_form plan_form_of(const struct trawl_plan *plan, enum trawl_method method);

/* Returns a cost below which no method can search for the literal, in ns per byte of text. */
double plan_price_min(const struct trawl_plan *plan, const struct plan_costs *costs);

/* Both functions look at a text to compute each method's expected cost there. `sample` is a part of
 * the text, with at least PLAN_SAMPLE_BYTES_MIN bytes. plan_look_far tunes the "sampled" method by
 * the whole text, and returns true if no other method can cost less. If it returns false, plan_look
 * is called: it tunes "every", and also "grams" if that could be the cheapest. */
bool plan_look_far(const struct trawl_plan *plan, const struct plan_costs *costs,
                   const uint8_t *text, uint64_t text_bytes, struct plan_tuning *tuning,
                   struct plan_prices *prices);
void plan_look(const struct trawl_plan *plan, const struct plan_costs *costs, const uint8_t *sample,
               uint64_t sample_bytes, struct plan_tuning *tuning, struct plan_prices *prices);

/* The tables of the "sampled" method (struct plan_sampled in layout.h). */
struct sampled_tables {
    struct plan_sampled layout;
    uint64_t *bitmap; /* 2^bitmap_bits bits */
    uint32_t *heads;  /* 2^hash_bits entries */
    uint32_t *next;   /* `stride` entries */
};

/* Returns the stride of the "sampled" method for a literal of this length; 0 if the literal is too
 * short for the method. */
uint64_t sampled_stride(uint64_t length);

/* Returns the layout of the tables. The literal must be long enough (sampled_stride). */
struct plan_sampled sampled_layout(const struct trawl_plan *plan);
/* Gets the tables. The first call makes them, and the plan owns them. The literal must be long
 * enough (sampled_stride). Any thread may call. Errors: MEMORY. */
enum trawl_status sampled_want(const struct trawl_plan *plan, const struct sampled_tables **tables,
                               struct trawl_error *error);

/* Measures the rates at samples that are spread over the text. */
struct sampled_rates sampled_seen(const struct trawl_plan *plan, const uint8_t *text,
                                  uint64_t text_bytes);

/* Estimates how many offsets of the plan's literal have the bytes of a sample, on average,
 * supposing that sequences of q bytes are as frequent in the text as in the literal. The result is
 * 1 if no sequence repeats; at 2, candidates are already frequent. q is 8 or 16. Counts only some
 * of the literal's offsets. */
double sampled_repeats(const struct trawl_plan *plan, uint32_t q);

#endif
