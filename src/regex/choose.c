/* choose: makes the choices of a search for expressions (choose.h). The numbers are in prices.def.
 */
#include "regex/choose.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "cpu/sizes.h"
#include "plan/analyse.h"
#include "regex/engine_regex.h"
#include "regex/prices.def"

uint64_t regex_step_bytes = UINT64_C(64) << 10;

/* Returns the fraction of the first `bytes` offsets of the sample at which the string occurs. If it
 * does not occur, returns `rate`, which is estimated from the frequencies of its bytes, but at most
 * the rate of one occurrence in these bytes. */
static double seen_rate(const uint8_t *sample, uint64_t bytes, const struct split_string *string,
                        double rate)
{
    const uint8_t *at = sample, *end = sample + bytes;
    uint64_t count = 0;

    while ((at = (const uint8_t *)memmem(at, (size_t)(end - at), string->bytes,
                                         string->bytes_count)) != NULL) {
        count++;
        at++;
    }
    return count > 0 ? (double)count / (double)bytes : min_double(rate, 1.0 / (double)bytes);
}

double choose_score(const struct split_options *options, const struct split_strings *strings,
                    bool folds)
{
    /* strings of a list share the time that counting takes */
    const uint64_t share = options->weighs ? strings->count : 1;
    double sum = 0, bits;

    if (strings->count == 0)
        return NO_SCORE;
    for (uint32_t i = 0; i < strings->count; i++) {
        const struct split_string *string = &strings->items[i];
        double rate = 1;

        if (string->bytes_count == 0)
            return NO_SCORE;
        for (uint32_t k = 0; k < string->bytes_count; k++)
            rate *= max_double(options->rates->rate[string->bytes[k]],
                               string->bytes[k] >= '0' && string->bytes[k] <= '9' ? DIGIT_RATE : 0);
        sum += options->sample_bytes > 0 && !folds
                   ? seen_rate(options->sample, max_u64(options->sample_bytes / share, 1), string,
                               rate)
                   : rate;
    }
    if (options->weighs)
        return analyse_log2(
            max_double(1 / (sum + (strings->count > 1 ? LIST_SCAN : STRING_SCAN)), 1));
    bits = min_double(sum > 0 ? analyse_log2(max_double(1 / sum, 1)) : BITS_MAX, BITS_MAX);
    /* A string that seems rare may still be a common word, so of the bits above BITS_ENOUGH, only a
     * quarter is counted. */
    if (bits > BITS_ENOUGH)
        bits = BITS_ENOUGH + (bits - BITS_ENOUGH) / 4;
    return bits - 1.5 * analyse_log2(strings->count);
}

static const char *const way_names[] = {[WAY_ATOMS] = "atoms", [WAY_WHOLE] = "whole lines"};

/* Returns true if a list has so many short atoms that most lines of most texts have several. */
static bool has_dense_atoms(const struct expressions *expressions)
{
    uint32_t count = 0;

    for (uint32_t i = 0; expressions->count > 1 && i < expressions->atoms->literal_count; i++)
        count += plan_literal_at(expressions->atoms, i).bytes_count < 3;
    return count > SHORT_ATOMS_MAX;
}

/* Returns the ways in which steps can be read, as bits. */
static uint32_t ways(const struct expressions *expressions)
{
    const bool whole =
        expressions->atoms == NULL ||
        (expressions->count > 1 ? !expressions_cross(expressions)
                                : expressions->has_beyond || expressions->whole != NULL);
    const bool atoms = expressions->atoms != NULL && !(whole && has_dense_atoms(expressions));

    return (uint32_t)atoms << WAY_ATOMS | (uint32_t)whole << WAY_WHOLE;
}

/* Returns what WAY_WHOLE takes at least, in ns per byte. */
static double whole_price(const struct expressions *expressions)
{
    return expressions->count > 1                                                    ? LAZY_NS
           : expressions->has_beyond || program_has_plain_finder(expressions->whole) ? FINDER_NS
                                                                                     : RE2_NS;
}

void choose_begin(struct regex_worker *worker)
{
    const struct contest_rules rules = {regex_step_bytes / 4 + 1, regex_step_bytes / 2 + 1,
                                        TRIAL_NS, 0};

    contest_begin(&worker->contest, &rules, ways(worker->expressions),
                  (ways(worker->expressions) >> WAY_ATOMS & 1) != 0 ? WAY_ATOMS : WAY_WHOLE);
    worker->contest.of[WAY_ATOMS].price.byte_ns = FINDER_NS;
}

void choose_explain(const struct expressions *expressions, char *lines, uint64_t lines_bytes)
{
    uint64_t used;

    used = (uint64_t)snprintf(lines, lines_bytes, "atoms: %" PRIu64 "\n",
                              expressions->atoms == NULL ? 0 : expressions->atom_count);
    for (enum way way = WAY_ATOMS; way <= WAY_WHOLE; way++)
        if ((ways(expressions) >> way & 1) != 0)
            used += (uint64_t)snprintf(lines + used, lines_bytes - used,
                                       "expected ns per byte of text, %s: at least %.4f\n",
                                       way_names[way],
                                       way == WAY_ATOMS ? FINDER_NS : whole_price(expressions));
    if (ways(expressions) == (1u << WAY_ATOMS | 1u << WAY_WHOLE))
        used += (uint64_t)snprintf(lines + used, lines_bytes - used,
                                   "trials: the CPU tries these two in turn\n");
    TRAWL_ASSERT(used < lines_bytes);
}

/* Tells the call that the next step is read in another way. */
static void tell(const struct step *step, const struct contest_change *change)
{
    engine_changed(step->chunk, step->to, way_names[change->from], change->from_ns,
                   way_names[change->to], change->to_ns, change->why);
}

/* Chooses the automaton of all expressions for the next steps if calls of a program have taken
 * longer than it needs for the step's bytes. */
static void choose_table(const struct step *step, bool by_atoms, uint64_t count)
{
    struct regex_worker *worker = step->worker;
    const struct expressions *expressions = worker->expressions;
    const uint64_t calls = step->judged + (by_atoms || expressions->count > 1 ? 0 : count);
    const bool finds =
        !by_atoms && step->judged == 0 && program_has_plain_finder(expressions->whole);

    if (calls > (step->to - step->from) / (finds ? FINDER_CALL_BYTES : RE2_CALL_BYTES))
        worker->table_steps = TABLE_STEPS;
}

/* Returns what it takes to make the states of the lazy automaton. */
static double lazy_rules_ns(const struct expressions *expressions)
{
    double sum = 0;

    for (uint32_t i = 0; i < expressions->count; i++)
        sum += LAZY_RULE_NS + LAZY_REPEAT_NS * expressions->items[i].tree.root.product;
    return sum;
}

void choose_next(const struct step *step, bool by_atoms, uint64_t count, uint64_t ns)
{
    struct regex_worker *worker = step->worker;
    struct contest *contest = &worker->contest;
    const struct program *whole = worker->expressions->whole;
    const bool on_device = refine_is_on_device(&worker->refiner);
    const bool has_many = by_atoms && !on_device && worker->refiner.found.hits.count > FEW_ATOMS;
    const bool is_first = contest->all_bytes == 0; /* something may have been compiled */
    struct contest_change change;

    choose_table(step, by_atoms, count);
    if (worker->expressions->atoms == NULL)
        return;
    if (is_first && !contest_is_decided(contest))
        contest->of[WAY_WHOLE].price =
            (struct price){worker->expressions->count > 1 ? lazy_rules_ns(worker->expressions) : 0,
                           whole_price(worker->expressions)};
    /* as if the text ended, so that rechoose_strings can choose better atoms first */
    if (contest_count(contest, step->to - step->from, 0, ns, !is_first, 0, &change))
        tell(step, &change);
    if (contest->now == WAY_WHOLE && worker->expressions->count == 1 && !step_is_beyond(step) &&
        !program_is_ready(whole) && contest_drop(contest, &change))
        tell(step, &change);
    if (contest->now == WAY_WHOLE || worker->table_steps > 0 || has_many)
        worker->refiner.step = regex_step_bytes;
    else
        refine_grow(&worker->refiner,
                    STEP_GROWS * (on_device ? DEVICE_GROWS : 1) * regex_step_bytes);
}

bool choose_host(const struct step *step, uint64_t ns)
{
    const struct regex_worker *worker = step->worker;
    const uint64_t others = step->chunk->threads_left - min_u64(step->chunk->threads_left, 1);

    if (!step_may_hand_over(step))
        return false;
    return worker->contest.now == WAY_WHOLE || worker->table_steps > 0 ||
           (worker->refiner.found.hits.count >= TRIAL_ATOMS &&
            (double)(others * ns) > FINDER_NS * (double)(step->to - step->from));
}

/* A step of more than cpu_sizes.hits bytes must meet two more conditions: only the count is
 * wanted, because by_whole cannot stop inside a line, which may have too many hits; and the program
 * is exact, so that no line is read twice. */
bool choose_whole(const struct step *step)
{
    const struct expressions *expressions = step->worker->expressions;

    return expressions->count == 1 && !step_is_beyond(step) &&
           may_read_whole(step, step->from, step->to) &&
           (step->to - step->from <= cpu_sizes.hits ||
            (expressions->whole_is_exact && step->want == WANT_COUNT));
}
