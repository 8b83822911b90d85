/* papers_losses: where trawl loses, and why: each cell in which a published program answers the
 * whole question in less time than trawl does on the same kind of processor. */
#include <string.h>

#include "bench/losses.h"

#define LINE_RIVALS_MAX 128u /* twice as many as race: small texts give two the same name */

/* Alike processors; NULL: not compared. */
static const char *place_of(const struct figure *figure)
{
    switch (figure->host) {
    case HOST_ONE:
        return "one core";
    case HOST_ALL:
        return "all cores";
    case HOST_GPU:
    case HOST_GPU_OWN:
        return "device";
    case HOST_COMMAND:
        return "whole process";
    default:
        return NULL;
    }
}

const struct figure *losses_own(const struct paper *paper, const char *on, const char *place,
                                double *seconds)
{
    const struct figure *best = NULL;
    double taken;

    for (uint32_t i = 0; i < paper->figure_count; i++) {
        const struct figure *figure = &paper->figure[i];
        const char *own = place_of(figure);

        if (figure->side != SIDE_OWN || own == NULL || strcmp(figure->on, on) != 0 ||
            (place != NULL ? strcmp(own, place) != 0 : figure->host == HOST_COMMAND) ||
            !figure_median(figure, PART_WHOLE, &taken))
            continue;
        if (best == NULL || taken < *seconds) {
            best = figure;
            *seconds = taken;
        }
    }
    return best;
}

/* False where the figure is of no published program, or nothing is to be compared with it. */
static bool compare(const struct paper *paper, uint32_t index, struct loss *loss)
{
    const struct figure *rival = &paper->figure[index];
    double best = 0;

    loss->paper = paper;
    loss->rival = rival;
    loss->place = place_of(rival);
    if (rival->side != SIDE_PUBLISHED || loss->place == NULL ||
        !figure_median(rival, PART_WHOLE, &loss->rival_seconds) || loss->rival_seconds <= 0)
        return false;
    loss->own = losses_own(paper, rival->on, loss->place, &loss->own_seconds);
    if (loss->own == NULL)
        return false;
    losses_explain(loss);
    loss->all = rival->host != HOST_COMMAND && losses_own(paper, rival->on, NULL, &best) != NULL &&
                best > loss->rival_seconds;
    return true;
}

static bool is_lost(const struct loss *loss)
{
    return loss->own_seconds > loss->rival_seconds;
}

/* Those that take less than trawl on one place for one question, for one reason, are one line. */
static bool is_same_line(const struct loss *a, const struct loss *b)
{
    return strcmp(a->rival->on, b->rival->on) == 0 && strcmp(a->place, b->place) == 0 &&
           a->reason == b->reason;
}

static void write_rival(const struct loss *loss, FILE *file)
{
    char rival[NAME_BYTES];

    number_text(loss->rival_seconds * 1e3, rival);
    fprintf(file, "%s (%s ms)%s", loss->rival->who, rival, loss->all ? "*" : "");
}

static void write_line(const struct paper *paper, uint32_t index, const struct loss *first,
                       FILE *file)
{
    static struct loss line[LINE_RIVALS_MAX];
    uint32_t count = 0;
    char own[NAME_BYTES];
    struct loss loss;

    for (uint32_t i = 0; i < index; i++)
        if (compare(paper, i, &loss) && is_lost(&loss) && is_same_line(&loss, first))
            return; /* written already */
    number_text(first->own_seconds * 1e3, own);
    fprintf(file, "- %s, %s, %s: trawl takes %s ms, longer than ", paper->name, first->place,
            first->rival->on, own);
    for (uint32_t i = index; i < paper->figure_count; i++) {
        if (!compare(paper, i, &loss) || !is_lost(&loss) || !is_same_line(&loss, first))
            continue;
        if (count == LINE_RIVALS_MAX)
            fail("%s: more than %u programs take less time than trawl: %s", paper->name,
                 LINE_RIVALS_MAX, first->rival->on);
        fprintf(file, "%s", count > 0 ? ", " : "");
        write_rival(&loss, file);
        line[count++] = loss;
    }
    fprintf(file, ". Why: ");
    losses_say(line, count, file);
    fprintf(file, ".\n");
}

void papers_losses(struct paper *const *paper, uint32_t paper_count, FILE *file)
{
    uint32_t compared = 0, lost = 0, all = 0;
    struct loss loss;

    for (uint32_t k = 0; k < paper_count; k++)
        for (uint32_t i = 0; i < paper[k]->figure_count; i++)
            if (compare(paper[k], i, &loss)) {
                compared++;
                lost += is_lost(&loss);
                all += is_lost(&loss) && loss.all;
            }
    fprintf(file,
            "## Where we lose, and why\n\n"
            "In %u cells trawl does the same whole job as an algorithm of the gallery, or as the "
            "command in a source's table, on the same kind of processor. It takes longer in %u of "
            "them; "
            "in %u of those (*) no form of trawl on any processor is faster.\n\n",
            compared, lost, all);
    for (uint32_t k = 0; k < paper_count; k++)
        for (uint32_t i = 0; i < paper[k]->figure_count; i++)
            if (compare(paper[k], i, &loss) && is_lost(&loss))
                write_line(paper[k], i, &loss, file);
}
