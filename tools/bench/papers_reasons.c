/* papers_reasons: why trawl takes longer than another program, as far as the figures of the same
 * run say it.
 *
 * A reason has a condition on a cell's figures and a sentence with their values in it: it is given
 * where the condition holds, and turns with the figures. The first that holds is taken. */
#include <string.h>

#include "bench/losses.h"

#define NEAR_MOST \
    1.1 /* the other's share of trawl's time, at most, where runs that overlap say it */

struct reason {
    /* False: the figures do not bear it out. */
    bool (*holds)(const struct loss *loss, double value[REASON_VALUES]);
    const char *text; /* {n}: value n, from the least to the most over the cells; [n]: a count */
};

/* ---- Values ------------------------------------------------------------------------------- */

static bool part_ms(const struct figure *figure, enum part part, double *value)
{
    if (!figure_median(figure, part, value))
        return false;
    *value *= 1e3;
    return true;
}

/* 0 for programs that build none. */
static double plan_ms(const struct figure *figure)
{
    double value;

    return part_ms(figure, PART_PLAN, &value) ? value : 0;
}

static double least_ms(const struct figure *figure)
{
    return samples_least(&figure->part[PART_WHOLE]) * figure->factor * 1e3;
}

static bool on_device(const struct loss *loss)
{
    return loss->own->host == HOST_GPU_OWN;
}

/* ---- Conditions --------------------------------------------------------------------------- */

/* Without both plans trawl would take less. */
static bool is_plan(const struct loss *loss, double value[REASON_VALUES])
{
    value[0] = plan_ms(loss->own);
    value[1] = plan_ms(loss->rival);
    value[2] = loss->own_seconds * 1e3 - value[0];
    value[3] = loss->rival_seconds * 1e3 - value[1];
    return value[0] > 0 && value[2] <= value[3];
}

/* The same records, with few matches, take trawl less time than the other. */
static bool is_dense(const struct loss *loss, double value[REASON_VALUES])
{
    static const char dense[] = "dense, ";
    char sparse[NAME_BYTES];
    const struct figure *rival = NULL;
    double own, other;

    if (strncmp(loss->rival->on, dense, strlen(dense)) != 0 || loss->own->occurrences == 0)
        return false;
    snprintf(sparse, sizeof sparse, "sparse, %.80s", loss->rival->on + strlen(dense));
    for (uint32_t i = 0; i < loss->paper->figure_count && rival == NULL; i++)
        if (strcmp(loss->paper->figure[i].on, sparse) == 0 &&
            strcmp(loss->paper->figure[i].who, loss->rival->who) == 0)
            rival = &loss->paper->figure[i];
    if (rival == NULL || losses_own(loss->paper, sparse, loss->place, &own) == NULL ||
        !figure_median(rival, PART_WHOLE, &other) || own > other || own > loss->own_seconds)
        return false;
    value[0] = own * 1e3;
    value[1] = other * 1e3;
    value[2] = (double)loss->own->occurrences;
    value[3] = (double)loss->own->answers;
    value[4] = (loss->own_seconds - own) * 1e9 / value[2];
    return true;
}

/* In a process that runs the search takes less than the other process. */
static bool is_process(const struct loss *loss, double value[REASON_VALUES])
{
    double seconds;

    if (loss->rival->host != HOST_COMMAND ||
        losses_own(loss->paper, loss->rival->on, NULL, &seconds) == NULL ||
        seconds >= loss->rival_seconds)
        return false;
    value[0] = seconds * 1e3;
    return true;
}

/* trawl's quickest run took less than the other's median, and the medians lie near each other. */
static bool is_near(const struct loss *loss, double value[REASON_VALUES])
{
    value[0] = least_ms(loss->own);
    value[1] = loss->rival_seconds * 1e3;
    value[2] = loss->own_seconds * 1e3;
    return value[0] < value[1] && value[2] <= NEAR_MOST * value[1];
}

/* Many chunks against one copy and one kernel. */
static bool is_chunks(const struct loss *loss, double value[REASON_VALUES])
{
    value[0] = (double)loss->own->chunks;
    return on_device(loss) && loss->own->chunks > 1 && part_ms(loss->own, PART_READY, &value[1]) &&
           part_ms(loss->own, PART_SEARCH, &value[2]) &&
           part_ms(loss->rival, PART_COPY_IN, &value[3]) &&
           part_ms(loss->rival, PART_KERNEL, &value[4]);
}

/* One chunk each: what both do besides the kernel. */
static bool is_round_trip(const struct loss *loss, double value[REASON_VALUES])
{
    double whole = loss->rival_seconds * 1e3, search;

    if (!on_device(loss) || loss->own->chunks > 1 || !part_ms(loss->own, PART_SEARCH, &search) ||
        !part_ms(loss->rival, PART_COPY_IN, &value[2]) ||
        !part_ms(loss->rival, PART_KERNEL, &value[3]))
        return false;
    value[0] = plan_ms(loss->own);
    value[1] = search;
    value[4] = whole - value[2] - value[3];
    return true;
}

/* One core each: what the plan, the search and the call around it take. */
static bool is_call(const struct loss *loss, double value[REASON_VALUES])
{
    value[0] = plan_ms(loss->own);
    value[3] = plan_ms(loss->rival);
    if (loss->own->host != HOST_ONE || !part_ms(loss->own, PART_SEARCH, &value[1]))
        return false;
    value[2] = loss->own_seconds * 1e3 - value[0] - value[1];
    value[4] = loss->rival_seconds * 1e3 - value[3];
    return value[2] >= 0;
}

/* ---- Sentences ---------------------------------------------------------------------------- */

static const struct reason reasons[] = {
    {is_plan, "the plan: trawl chooses a method and builds its tables in {0} ms, the other's takes "
              "{1} ms; without them trawl takes {2} ms, the other {3} ms"},
    {is_dense,
     "the occurrences: where they are few, trawl takes {0} ms for as many cells, the other {1} ms; "
     "here trawl finds [2], of which [3] are the first of a cell, and each adds {4} ns"},
    {is_process, "the process: inside a running one, trawl's search takes {0} ms; the rest is "
                 "starting process and threads, reading the file, and ending"},
    {is_chunks,
     "the chunks: trawl copies [0] of them to pinned memory in {1} ms, summed over its threads, "
     "and "
     "searches them in {2} ms, summed over the device's workers; the other makes one copy in {3} "
     "ms and runs one kernel of {4} ms"},
    {is_near, "the runs overlap: trawl's quickest takes {0} ms, its median {2} ms, the other's "
              "median {1} ms"},
    {is_round_trip,
     "one round trip each: trawl's plan takes {0} ms, and tables, copies, kernels and answer {1} "
     "ms; the other's copy to the device {2} ms, its kernel {3} ms, and all else {4} ms"},
    {is_call, "the time around the search: trawl's plan takes {0} ms, its search {1} ms, and the "
              "call with both {2} ms; the other's plan takes {3} ms, its search and the call {4} "
              "ms"},
};

void losses_explain(struct loss *loss)
{
    loss->reason = NULL;
    for (uint32_t i = 0; i < sizeof reasons / sizeof reasons[0] && loss->reason == NULL; i++) {
        memset(loss->value, 0, sizeof loss->value);
        if (reasons[i].holds(loss, loss->value))
            loss->reason = &reasons[i];
    }
}

static void value_text(double value, bool is_count, char text[NAME_BYTES])
{
    if (is_count)
        snprintf(text, NAME_BYTES, "%.0f", value);
    else
        number_text(value, text);
}

static void say_value(const struct loss *losses, uint32_t count, uint32_t index, bool is_count,
                      FILE *file)
{
    double least = losses[0].value[index], most = least;
    char from[NAME_BYTES], to[NAME_BYTES];

    for (uint32_t i = 1; i < count; i++) {
        least = losses[i].value[index] < least ? losses[i].value[index] : least;
        most = losses[i].value[index] > most ? losses[i].value[index] : most;
    }
    value_text(least, is_count, from);
    value_text(most, is_count, to);
    fprintf(file, strcmp(from, to) == 0 ? "%s" : "%s to %s", from, to);
}

void losses_say(const struct loss *losses, uint32_t count, FILE *file)
{
    if (losses[0].reason == NULL) {
        fprintf(file, "not explained");
        return;
    }
    for (const char *at = losses[0].reason->text; *at != '\0'; at++) {
        if (*at == '{' || *at == '[') {
            say_value(losses, count, (uint32_t)(at[1] - '0'), *at == '[', file);
            at += 2;
        } else {
            fputc(*at, file);
        }
    }
}
