/* papers_claims: what a source says and what this run adds, as sentences made from the figures.
 *
 * A sentence never says more than its cases do: how many are so, how many are not, which ones, and
 * from which ratio to which. */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "bench/papers.h"

#define ALIKE 0.05        /* ratios this close to 1 are counted once more */
#define NAMED_MAX 4u      /* cases of the smaller side that are named */
#define CROSSING_NEAR 2.0 /* a crossing within this factor of the source's counts as the same */

/* ---- Putting claims together -------------------------------------------------------------- */

struct claim *paper_claim(struct paper *paper, enum claim_kind kind, bool ours, const char *left,
                          const char *right)
{
    struct claim *claim;

    for (uint32_t i = 0; i < paper->claim_count; i++) {
        claim = &paper->claim[i];
        if (claim->kind == kind && claim->ours == ours && strcmp(claim->left, left) == 0 &&
            strcmp(claim->right, right) == 0)
            return claim;
    }
    if (paper->claim_count == PAPER_CLAIMS_MAX)
        fail("%s: more than %u claims", paper->name, PAPER_CLAIMS_MAX);
    claim = &paper->claim[paper->claim_count++];
    claim->kind = kind;
    claim->ours = ours;
    claim->at_least = kind == CLAIM_BEST;
    claim->bound = kind == CLAIM_CROSSINGS ? 0 : 1;
    snprintf(claim->left, sizeof claim->left, "%s", left);
    snprintf(claim->right, sizeof claim->right, "%s", right);
    return claim;
}

struct claim_case *claim_add(struct claim *claim, const char *name, const struct figure *left,
                             enum part left_part, const struct figure *right, enum part right_part)
{
    struct claim_case *one;

    if (left == NULL || right == NULL)
        return NULL;
    if (claim->count == CLAIM_CASES_MAX)
        fail("%s, %s: more than %u cases", claim->left, claim->right, CLAIM_CASES_MAX);
    one = &claim->cases[claim->count++];
    snprintf(one->name, sizeof one->name, "%s", name);
    one->left = left;
    one->left_part = left_part;
    one->right = right;
    one->right_part = right_part;
    return one;
}

static void put_published(struct claim_case *one, double published)
{
    if (one != NULL)
        one->published = published;
}

void paper_faster(struct paper *paper, const char *left_name, const struct figure *left,
                  enum part left_part, const char *right_name, const struct figure *right,
                  enum part right_part, double published, const char *name)
{
    struct claim *claim = paper_claim(paper, CLAIM_RATIO, false, left_name, right_name);

    put_published(claim_add(claim, name, left, left_part, right, right_part), published);
}

void paper_slower(struct paper *paper, const char *left_name, const struct figure *left,
                  enum part left_part, const char *right_name, const struct figure *right,
                  enum part right_part, double published, const char *name)
{
    struct claim *claim = paper_claim(paper, CLAIM_RATIO, false, left_name, right_name);

    claim->at_least = true;
    put_published(claim_add(claim, name, left, left_part, right, right_part), published);
}

void paper_ours(struct paper *paper, const char *left_name, const struct figure *left,
                enum part left_part, const char *right_name, const struct figure *right,
                enum part right_part, const char *name)
{
    (void)claim_add(paper_claim(paper, CLAIM_RATIO, true, left_name, right_name), name, left,
                    left_part, right, right_part);
}

/* ---- What the figures say ----------------------------------------------------------------- */

static bool ratio_of(const struct figure *left, enum part left_part, const struct figure *right,
                     enum part right_part, double *ratio)
{
    double a, b;

    if (left == NULL || right == NULL || !figure_median(left, left_part, &a) ||
        !figure_median(right, right_part, &b) || b <= 0 || a <= 0)
        return false;
    *ratio = a / b;
    return true;
}

static bool case_value(const struct claim *claim, const struct claim_case *one, double *value)
{
    double base;

    if (!ratio_of(one->left, one->left_part, one->right, one->right_part, value))
        return false;
    if (claim->kind == CLAIM_BEST)
        *value = 1 / *value;
    if (claim->kind != CLAIM_GAIN)
        return true;
    if (!ratio_of(one->base_left, PART_WHOLE, one->base_right, PART_WHOLE, &base))
        return false;
    *value /= base;
    return true;
}

static bool is_so(const struct claim *claim, double value)
{
    return claim->at_least ? value >= claim->bound : value < claim->bound;
}

/* What all cases of a claim come to. */
struct outcome_of {
    uint32_t known, holds, alike;
    double least, most, published_least, published_most;
    double value[CLAIM_CASES_MAX];
    bool is_known[CLAIM_CASES_MAX];
};

static void widen(double value, bool first, double *least, double *most)
{
    *least = first || value < *least ? value : *least;
    *most = first || value > *most ? value : *most;
}

static void gather(const struct claim *claim, struct outcome_of *out)
{
    memset(out, 0, sizeof *out);
    for (uint32_t i = 0; i < claim->count; i++) {
        double value;

        out->is_known[i] = case_value(claim, &claim->cases[i], &value);
        if (!out->is_known[i])
            continue;
        out->value[i] = value;
        widen(value, out->known == 0, &out->least, &out->most);
        if (claim->cases[i].published > 0)
            widen(claim->cases[i].published, out->published_least <= 0, &out->published_least,
                  &out->published_most);
        out->known++;
        out->holds += is_so(claim, value);
        out->alike += fabs(value - 1) <= ALIKE;
    }
}

/* ---- Words -------------------------------------------------------------------------------- */

struct words {
    char *text;
    size_t used;
};

static void say(struct words *words, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(struct words *words, const char *format, ...)
{
    va_list arguments;
    int wrote;

    va_start(arguments, format);
    wrote = vsnprintf(words->text + words->used, SENTENCE_BYTES - words->used, format, arguments);
    va_end(arguments);
    if (wrote < 0 || (size_t)wrote >= SENTENCE_BYTES - words->used)
        fail("a sentence is too long: %s", words->text);
    words->used += (size_t)wrote;
}

static void say_range(struct words *words, double least, double most)
{
    char from[NAME_BYTES], to[NAME_BYTES];

    number_text(least, from);
    number_text(most, to);
    say(words, strcmp(from, to) == 0 ? "%s" : "%s to %s", from, to);
}

/* Which cases are the few: those that are so, or those that are not. */
static void say_cases(struct words *words, const struct claim *claim, const struct outcome_of *out,
                      const char *so, const char *not_so)
{
    uint32_t against = out->known - out->holds;
    bool name_holds = out->holds < against;
    uint32_t few = name_holds ? out->holds : against;
    const char *separator = "";

    if (few == 0 || few > NAMED_MAX)
        return;
    say(words, " %s: ", name_holds ? so : not_so);
    for (uint32_t i = 0; i < claim->count; i++)
        if (out->is_known[i] && is_so(claim, out->value[i]) == name_holds) {
            say(words, "%s%s", separator, claim->cases[i].name);
            separator = "; ";
        }
    say(words, ".");
}

static void say_published(struct words *words, const struct claim *claim,
                          const struct outcome_of *out, const char *word)
{
    if (claim->ours)
        return;
    say(words, " Published: ");
    if (claim->published[0] != '\0')
        say(words, "%s", claim->published);
    else
        say(words, "%s", word);
    if (out->published_most > 0) {
        say(words, " (");
        say_range(words, out->published_least, out->published_most);
        say(words, ")");
    }
    say(words, "; holds in %u of %u.", out->holds, out->known);
}

static void say_times(struct words *words, const struct claim *claim, const struct outcome_of *out)
{
    say(words, "%s: ", claim->left);
    say_range(words, out->least, out->most);
    say(words, " times the time of %s", claim->right);
}

/* "a: 0.43 to 0.67 times the time of b; faster in 3 of 4 cells, slower in 1, within 5 % in 2." */
static void say_ratio(struct words *words, const struct claim *claim, const struct outcome_of *out)
{
    uint32_t faster = claim->at_least ? out->known - out->holds : out->holds;

    say_times(words, claim, out);
    say(words, "; faster in %u of %u cells, slower in %u", faster, out->known, out->known - faster);
    if (out->alike > 0)
        say(words, ", within 5 %% in %u", out->alike);
    say(words, ".");
    say_cases(words, claim, out, claim->at_least ? "Slower" : "Faster",
              claim->at_least ? "Faster" : "Slower");
    say_published(words, claim, out, claim->at_least ? "slower" : "faster");
}

static void say_bound(struct words *words, const struct claim *claim, const struct outcome_of *out)
{
    char bound[NAME_BYTES], word[NAME_BYTES + 32];

    snprintf(bound, sizeof bound, "%.3g", claim->bound);
    snprintf(word, sizeof word, "at %s %s times", claim->at_least ? "least" : "most", bound);
    say_times(words, claim, out);
    say(words, "; %s in %u of %u cells.", word, out->holds, out->known);
    say_cases(words, claim, out, "So", "Not so");
    say_published(words, claim, out, word);
}

static void say_gain(struct words *words, const struct claim *claim, const struct outcome_of *out)
{
    const char *word = claim->at_least ? "larger" : "smaller";

    say(words, "%s is ", claim->left);
    say_range(words, out->least, out->most);
    say(words, " times %s: smaller in %u of %u cells.", claim->right,
        claim->at_least ? out->known - out->holds : out->holds, out->known);
    say_cases(words, claim, out, claim->at_least ? "Larger" : "Smaller",
              claim->at_least ? "Smaller" : "Larger");
    say_published(words, claim, out, word);
}

static void say_best(struct words *words, const struct claim *claim, const struct outcome_of *out)
{
    char least[NAME_BYTES], most[NAME_BYTES], bound[NAME_BYTES];
    uint32_t best = 0;

    for (uint32_t i = 0; i < claim->count; i++)
        if (out->is_known[i] && fabs(out->value[i] - out->most) <= 0)
            best = i;
    number_text(out->least, least);
    number_text(out->most, most);
    say(words, "%s is at best %s times as fast as %s (%s), at worst %s times.", claim->left, most,
        claim->right, claim->cases[best].name, least);
    if (claim->ours)
        return;
    snprintf(bound, sizeof bound, "%g", claim->bound);
    say(words, " Published: up to %s times; reached in %u of %u cells.", bound, out->holds,
        out->known);
}

/* A point on the straight line of both logarithms. */
static double crossing_between(double x0, double value0, double x1, double value1)
{
    double part = log(value0) / (log(value0) - log(value1));

    return x0 * exp(log(x1 / x0) * part);
}

static void say_place(struct words *words, double x)
{
    say(words, "%.0f", x);
}

/* All crossings, from the least x on; the nearest to the source's is *nearest, or 0. */
static void say_crossings(struct words *words, const struct claim *claim,
                          const struct outcome_of *out, double *nearest)
{
    uint32_t last = CLAIM_CASES_MAX, crossings = 0;
    double first_x = 0, last_x = 0;

    *nearest = 0;
    say(words, "%s compared with %s", claim->left, claim->right);
    for (uint32_t i = 0; i < claim->count; i++) {
        double x = claim->cases[i].x, at;

        if (!out->is_known[i])
            continue;
        last_x = x;
        if (last == CLAIM_CASES_MAX) {
            first_x = x;
            say(words, ": %s at ", out->value[i] < 1 ? "faster" : "slower");
            say_place(words, x);
        } else if ((out->value[i] < 1) != (out->value[last] < 1)) {
            at = crossing_between(claim->cases[last].x, out->value[last], x, out->value[i]);
            say(words, ", %s from ", out->value[i] < 1 ? "faster" : "slower");
            say_place(words, at);
            crossings++;
            if (claim->bound > 0 && (*nearest <= 0 || fabs(log(at / claim->bound)) <
                                                          fabs(log(*nearest / claim->bound))))
                *nearest = at;
        }
        last = i;
    }
    say(words, "; %u crossing%s between ", crossings, crossings == 1 ? "" : "s");
    say_place(words, first_x);
    say(words, " and ");
    say_place(words, last_x);
    say(words, "%s%s (ratios ", claim->unit[0] != '\0' ? " " : "", claim->unit);
    say_range(words, out->least, out->most);
    say(words, ").");
}

static bool is_near(double nearest, double bound)
{
    return nearest > 0 && nearest <= bound * CROSSING_NEAR && nearest >= bound / CROSSING_NEAR;
}

static void say_crossing_claim(struct words *words, const struct claim *claim,
                               const struct outcome_of *out)
{
    double nearest;

    say_crossings(words, claim, out, &nearest);
    if (claim->bound <= 0)
        return;
    say(words, " Published: %s", claim->published);
    if (nearest > 0)
        say(words, "; the nearest here is %.2f times that: %s.", nearest / claim->bound,
            is_near(nearest, claim->bound) ? "holds within a factor of 2" : "does not hold");
    else
        say(words, "; there is none here: does not hold.");
}

/* ---- Sentences ---------------------------------------------------------------------------- */

struct claim_count claim_count(const struct claim *claim)
{
    char scratch[SENTENCE_BYTES];
    struct words words = {scratch, 0};
    struct outcome_of out;
    double nearest;

    gather(claim, &out);
    if (claim->kind != CLAIM_CROSSINGS || out.known == 0)
        return (struct claim_count){out.known, out.holds};
    say_crossings(&words, claim, &out, &nearest);
    return (struct claim_count){claim->bound > 0,
                                claim->bound > 0 && is_near(nearest, claim->bound)};
}

bool claim_sentence(const struct claim *claim, char text[SENTENCE_BYTES])
{
    struct words words = {text, 0};
    struct outcome_of out;

    text[0] = '\0';
    gather(claim, &out);
    if (out.known == 0)
        return false;
    if (claim->ours)
        say(&words, "Ours: ");
    if (claim->kind == CLAIM_CROSSINGS)
        say_crossing_claim(&words, claim, &out);
    else if (claim->kind == CLAIM_BEST)
        say_best(&words, claim, &out);
    else if (claim->kind == CLAIM_GAIN)
        say_gain(&words, claim, &out);
    else if (fabs(claim->bound - 1) > 0)
        say_bound(&words, claim, &out);
    else
        say_ratio(&words, claim, &out);
    return true;
}

void papers_claims(const struct paper *paper, const char *not_measured, FILE *file)
{
    char text[SENTENCE_BYTES];
    uint32_t known = 0, holds = 0, unknown = 0, cases = 0;

    for (uint32_t i = 0; i < paper->claim_count; i++) {
        struct claim_count count = claim_count(&paper->claim[i]);

        if (!claim_sentence(&paper->claim[i], text)) {
            unknown++;
            continue;
        }
        if (paper->claim[i].ours)
            continue;
        known += count.known;
        holds += count.holds;
        cases++;
    }
    fprintf(file, "\n**What the figures say.** ");
    if (known > 0)
        fprintf(file, "The source's orderings: %u, over %u cells; they hold in %u cells here. ",
                cases, known, holds);
    fprintf(file, "Times are medians; \"Published\" is what the source has.\n\n");
    for (uint32_t ours = 0; ours < 2; ours++)
        for (uint32_t i = 0; i < paper->claim_count; i++)
            if (paper->claim[i].ours == (ours == 1) && claim_sentence(&paper->claim[i], text))
                fprintf(file, "- %s\n", text);
    if (unknown > 0)
        fprintf(file, "- %u more: %s.\n", unknown, not_measured);
}
