/* papers_claims: what a source claims and what this run adds, in how many cases it holds. Orderings
 * that differ only in the case, which stands before the last ": ", are one claim. */
#include <string.h>

#include "bench/papers.h"

#define TODAY "today: "

struct claim {
    const struct ordering *first;
    const char *common; /* what stands behind the case */
    bool today;         /* about contestants that the source had not */
    uint32_t cases, known, holds;
    double least, most, published_least, published_most; /* published: 0: the source gives none */
};

struct claims {
    struct claim claim[PAPER_ORDERINGS_MAX];
    uint32_t count;
};

static struct claim claim_begin(const struct ordering *ordering)
{
    struct claim claim = {.first = ordering, .common = ordering->text};

    claim.today = strstr(ordering->text, TODAY) != NULL;
    for (const char *at = ordering->text; *at != '\0' && *at != '('; at++)
        if (at[0] == ':' && at[1] == ' ')
            claim.common = at + 2;
    return claim;
}

static void widen(double value, double *least, double *most)
{
    *least = value < *least ? value : *least;
    *most = value > *most ? value : *most;
}

static void claim_add(struct claim *claim, const struct ordering *ordering)
{
    claim->cases++;
    if (ordering->state == ORDERING_UNKNOWN)
        return;
    if (claim->known++ == 0) {
        claim->least = claim->most = ordering->value;
        claim->published_least = claim->published_most = ordering->published;
    }
    claim->holds += ordering->state == ORDERING_HOLDS;
    widen(ordering->value, &claim->least, &claim->most);
    widen(ordering->published, &claim->published_least, &claim->published_most);
}

static void claims_gather(const struct paper *paper, struct claims *claims)
{
    claims->count = 0;
    for (uint32_t i = 0; i < paper->ordering_count; i++) {
        struct claim claim = claim_begin(&paper->ordering[i]);
        uint32_t at = 0;

        while (at < claims->count && (claims->claim[at].today != claim.today ||
                                      strcmp(claims->claim[at].common, claim.common) != 0))
            at++;
        if (at == claims->count)
            claims->claim[claims->count++] = claim;
        claim_add(&claims->claim[at], &paper->ordering[i]);
    }
}

/* "12 of the 40 that were measured hold"; nothing where there is none. */
static void write_sum(const struct claims *claims, bool today, const char *whose, FILE *file)
{
    uint32_t known = 0, holds = 0;

    for (uint32_t i = 0; i < claims->count; i++)
        if (claims->claim[i].today == today) {
            known += claims->claim[i].known;
            holds += claims->claim[i].holds;
        }
    if (known > 0)
        fprintf(file, "- %s: %u of %u hold\n", whose, holds, known);
}

/* "0.97", or "0.97 to 1.20"; "-" where the source gives no number. */
static void range_text(double least, double most, char text[2 * NAME_BYTES + 8])
{
    char from[NAME_BYTES], to[NAME_BYTES];

    number_text(least, from);
    number_text(most, to);
    if (most <= 0 && least <= 0)
        snprintf(text, 2 * NAME_BYTES + 8, "%s", "-");
    else if (strcmp(from, to) == 0)
        snprintf(text, 2 * NAME_BYTES + 8, "%s", from);
    else
        snprintf(text, 2 * NAME_BYTES + 8, "%s to %s", from, to);
}

static void write_claim(const struct claim *claim, FILE *file)
{
    char here[2 * NAME_BYTES + 8], there[2 * NAME_BYTES + 8];

    range_text(claim->least, claim->most, here);
    range_text(claim->published_least, claim->published_most, there);
    if (claim->least <= 0 && claim->most <= 0)
        snprintf(here, sizeof here, "0");
    fprintf(file, "| %s%s | %u of %u | %s | %s |\n", claim->today && claim->cases > 1 ? TODAY : "",
            claim->cases > 1 ? claim->common : claim->first->text, claim->holds, claim->known, here,
            there);
}

void papers_claims(const struct paper *paper, const char *not_measured, FILE *file)
{
    static struct claims claims;
    uint32_t unknown = 0;

    claims_gather(paper, &claims);
    for (uint32_t i = 0; i < paper->ordering_count; i++)
        unknown += paper->ordering[i].state == ORDERING_UNKNOWN;
    fprintf(file, "\n**In short**\n\n");
    write_sum(&claims, false, "orderings by the source's figures", file);
    write_sum(&claims, true, "orderings with contestants of today", file);
    if (unknown > 0)
        fprintf(file, "- %u %s: %s\n", unknown, unknown < paper->ordering_count ? "more" : "in all",
                not_measured);
    if (unknown == paper->ordering_count)
        return;
    fprintf(file, "\n| the left time <= or >= the right one, or what the line says | holds in | "
                  "left / right, or the number | the source's |\n|---|--:|--:|--:|\n");
    for (uint32_t i = 0; i < claims.count; i++)
        if (claims.claim[i].known > 0)
            write_claim(&claims.claim[i], file);
}
