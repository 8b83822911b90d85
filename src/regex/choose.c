/* choose: makes the choices of a search for expressions (choose.h). The numbers are in prices.def.
 */
#include "regex/choose.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/checked.h"
#include "cpu/sizes.h"
#include "plan/analyse.h"
#include "regex/engine_regex.h"
#include "regex/prices.def"

uint64_t regex_step_bytes = UINT64_C(64) << 10;
uint32_t regex_runs_pause = RUNS_PAUSE;
uint32_t regex_ways = UINT32_MAX;

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

/* Returns true if a list has so many short atoms that most lines of most texts have several. */
static bool has_dense_atoms(const struct expressions *expressions)
{
    uint32_t count = 0;

    for (uint32_t i = 0; expressions->count > 1 && i < expressions->atoms->literal_count; i++)
        count += plan_literal_at(expressions->atoms, i).bytes_count < 3;
    return count > SHORT_ATOMS_MAX;
}

/* Returns the ways that fit the expressions, as bits. */
static uint32_t ways(const struct expressions *made, bool has_atoms)
{
    const bool crosses = expressions_cross(made), is_one = made->count == 1;
    const bool automaton = !crosses || (!is_one && !has_atoms);
    const bool lines =
        is_one && (has_atoms ? made->has_beyond || (!crosses && made->items[0].has_reach)
                             : !automaton || made->has_beyond || made->items[0].has_reach);
    const bool atoms = has_atoms && !(automaton && has_dense_atoms(made));

    return (uint32_t)atoms << WAY_ATOMS | (uint32_t)automaton << WAY_AUTOMATON |
           (uint32_t)lines << WAY_LINES;
}

const char *choose_name(const struct expressions *made, enum way way)
{
    static const char *const names[] = {
        [WAY_ATOMS] = "atoms", [WAY_AUTOMATON] = "automaton", [WAY_LINES] = "line by line"};

    return way != WAY_LINES || made->count > 1 ? names[way]
           : made->has_beyond                  ? "PCRE2"
           : made->items[0].has_reach          ? "long repetitions"
                                               : names[way];
}

/* Returns the fraction of a text's offsets at which an atom is expected. */
static double rate_of_atoms(const struct trawl_plan *atoms)
{
    struct byte_rates rates;
    double sum = 0;

    analyse_rates(NULL, 0, NULL, 0, false, &rates);
    for (uint32_t i = 0; i < min_u64(atoms->literal_count, SHORT_ATOMS_MAX); i++) {
        const struct plan_literal literal = plan_literal_at(atoms, i);
        const uint8_t *bytes = plan_literal_bytes(atoms, i);
        double rate = 1;

        for (uint64_t k = 0; k < literal.bytes_count && rate > FEW_RATE; k++)
            rate *= rates.rate[bytes[k]];
        sum += rate;
    }
    return min_double(sum, 1);
}

/* Returns what a way takes at least. */
static struct price price_of(const struct expressions *made, enum way way)
{
    double rules_ns = 0;

    switch (way) {
    case WAY_ATOMS:
        return (struct price){0, ATOMS_NS +
                                     (made->count > 1 ? 0 : ATOM_NS * rate_of_atoms(made->atoms))};
    case WAY_AUTOMATON:
        for (uint32_t i = 0; i < made->count; i++)
            rules_ns += LAZY_RULE_NS + LAZY_REPEAT_NS * made->items[i].tree.root.product;
        return (struct price){rules_ns, LAZY_NS};
    default:
        return (struct price){0, ATOMS_NS};
    }
}

static void set_prices(struct regex_worker *worker)
{
    for (enum way way = WAY_ATOMS; way < WAYS; way++)
        if ((worker->contest.fits >> way & 1) != 0)
            worker->contest.of[way].price = price_of(worker->expressions, way);
}

/* Writes the first atoms to `name`. */
static void name_atoms(const struct expressions *made, char *name, uint64_t room)
{
    uint64_t used = 0;

    name[0] = '\0';
    for (uint32_t i = 0; made->atoms != NULL && i < made->atom_count && used + 12 < room; i++) {
        const struct trawl_pattern atom = plan_pattern(made->atoms, i);

        used += (uint64_t)snprintf(name + used, room - used, "%s\"", i > 0 ? ", " : "");
        used +=
            bytes_show((const uint8_t *)atom.bytes, atom.bytes_count, name + used, room - used - 1);
        used += (uint64_t)snprintf(name + used, room - used, "\"");
    }
}

void choose_begin(struct regex_worker *worker)
{
    const struct contest_rules rules = {regex_step_bytes / 4 + 1, regex_step_bytes / 2 + 1,
                                        TRIAL_NS, 0};
    const uint32_t all = ways(worker->expressions, worker->expressions->atoms != NULL);
    const uint32_t fits = (all & regex_ways) != 0 ? all & regex_ways : all;
    enum way first = (enum way)__builtin_ctz(fits);

    if (first == WAY_ATOMS && (fits >> WAY_AUTOMATON & 1) != 0 && worker->expressions->count == 1 &&
        price_of(worker->expressions, WAY_ATOMS).byte_ns > WORTH_AUTOMATON * LAZY_NS)
        first = WAY_AUTOMATON;
    if (worker->expressions->has_beyond && (fits >> WAY_LINES & 1) != 0 && first != WAY_ATOMS)
        first = WAY_LINES;
    contest_begin(&worker->contest, &rules, fits, first);
    set_prices(worker);
}

void choose_explain(const struct expressions *made, char *lines, uint64_t lines_bytes)
{
    const bool has_atoms = made->atoms != NULL;
    const struct runs *runs = NULL;
    char name[sizeof((struct trawl_way *)0)->what];
    uint32_t fits = ways(made, has_atoms);
    bool has_reach = false;
    uint64_t used;

    for (uint32_t i = 0; i < made->count; i++)
        has_reach |= made->items[i].has_reach;
    if (made->count == 1 && !expressions_cross(made))
        runs = program_runs(made->items[0].each);
    name_atoms(made, name, sizeof name);
    used = (uint64_t)snprintf(lines, lines_bytes, "atoms: %" PRIu64 "%s%s\n",
                              has_atoms ? made->atom_count : 0, has_atoms ? ": " : "", name);
    if (runs != NULL)
        used += (uint64_t)snprintf(lines + used, lines_bytes - used,
                                   "other ways read lines with: %s\n", runs_name(runs));
    for (enum way way = WAY_ATOMS; way < WAYS; way++)
        if ((fits >> way & 1) != 0)
            used += (uint64_t)snprintf(lines + used, lines_bytes - used,
                                       "expected ns per byte of text, %s: at least %.4f\n",
                                       choose_name(made, way), price_of(made, way).byte_ns);
    used += (uint64_t)snprintf(
        lines + used, lines_bytes - used, "may be asked about a line: automaton%s%s%s\n",
        made->has_beyond && made->count == 1 ? "" : ", NFA", made->has_beyond ? ", PCRE2" : "",
        has_reach ? ", long repetitions" : "");
    if ((fits & (fits - 1)) != 0)
        used += (uint64_t)snprintf(lines + used, lines_bytes - used,
                                   "trials: the CPU tries these in turn\n");
    TRAWL_ASSERT(used < lines_bytes);
}

void choose_report(struct regex_worker *worker, const struct engine_chunk *chunk, uint64_t bytes,
                   const struct runs *runs, uint64_t read_bytes, uint64_t ns)
{
    const struct expressions *made = worker->expressions;
    struct words *words = &worker->words;
    const enum way way = (enum way)worker->contest.now;
    const struct {
        const char *name;
        struct program_asks *of;
    } asks[] = {{"automaton", &worker->lazily},
                {"NFA", &words->steps},
                {"PCRE2", &words->pcre2},
                {"long repetitions", &words->reach}};
    struct trawl_way told = {.name = choose_name(made, way),
                             .bytes = bytes,
                             .read_bytes = runs != NULL ? read_bytes : bytes,
                             .ns = ns};

    if (worker->named != made)
        name_atoms(made, worker->atoms_name, sizeof worker->atoms_name);
    worker->named = made;
    if (way == WAY_ATOMS || runs != NULL)
        memcpy(told.what, runs != NULL ? runs_name(runs) : worker->atoms_name, sizeof told.what);
    for (uint32_t i = 0; i < sizeof asks / sizeof *asks; i++) {
        const struct program_asks of = *asks[i].of;

        *asks[i].of = (struct program_asks){0, 0};
        if (of.count > 0 && strcmp(asks[i].name, told.name) == 0)
            told.asks = of.count;
        else if (of.count > 0)
            engine_searched(chunk, &(struct trawl_way){asks[i].name, "", 0, of.bytes, of.count, 0});
    }
    engine_searched(chunk, &told);
}

/* Tells the call that the next step is read in another way. */
static void tell(const struct step *step, const struct contest_change *change)
{
    const struct expressions *made = step->worker->expressions;

    engine_changed(step->chunk, step->to, choose_name(made, (enum way)change->from),
                   change->from_ns, choose_name(made, (enum way)change->to), change->to_ns,
                   change->why);
}

void choose_next(const struct step *step, uint64_t began_ns, uint64_t ended_ns, bool counts)
{
    struct regex_worker *worker = step->worker;
    struct contest *contest = &worker->contest;
    const bool on_device = refine_is_on_device(&worker->refiner);
    const bool by_atoms = contest->now == WAY_ATOMS;
    const bool has_many = by_atoms && !on_device && worker->refiner.found.hits.count > FEW_ATOMS;
    const bool is_first = contest->all_bytes == 0; /* something may have been compiled */
    struct contest_change change;

    /* as if the text ended, so that rechoose_strings can choose better atoms first */
    if (contest_count(contest, step->to - step->from, began_ns, ended_ns, counts && !is_first, 0,
                      &change))
        tell(step, &change);
    while (contest->now == WAY_AUTOMATON && worker->divides)
        if (contest_drop(contest, &change))
            tell(step, &change);
    if (contest->now != WAY_ATOMS || has_many)
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
    return worker->contest.now != WAY_ATOMS ||
           (worker->refiner.found.hits.count >= TRIAL_ATOMS &&
            (double)(others * ns) > ATOMS_NS * (double)(step->to - step->from));
}

const struct runs *choose_runs(const struct step *step)
{
    struct regex_worker *worker = step->worker;

    if (worker->expressions->count > 1 || judges_whole(step) ||
        refine_is_on_device(&worker->refiner))
        return NULL;
    if (worker->runs_rest > 0) {
        worker->runs_rest -= worker->runs_rest < UINT32_MAX;
        return NULL;
    }
    worker->runs_steps++;
    if (regex_runs_pause > 0 && worker->runs_steps >= RUNS_COMPARED &&
        (worker->runs_steps & (worker->runs_steps - 1)) == 0)
        return NULL;
    return program_runs(worker->expressions->items[0].each);
}

void choose_count_runs(const struct step *step, const struct runs_cost *cost, uint64_t ns)
{
    struct regex_worker *worker = step->worker;
    const double bytes = (double)(step->to - step->from);
    double left, looked, read;

    if (cost == NULL) {
        if (worker->runs_rest == 0 && (double)ns < worker->runs_rate * bytes) {
            worker->runs_rest = RUNS_PAUSE_MOST;
            worker->runs_steps = 0;
        }
        return;
    }
    left = (double)cost->bytes;
    looked = RUNS_NS * bytes + RUNS_CALL_NS * (double)cost->calls;
    read = max_double((double)ns - looked, ATOMS_NS * left);
    worker->runs_rate = (double)ns / bytes;
    if (regex_runs_pause == 0 || read * (bytes - left) >= looked * left) {
        worker->runs_pause = regex_runs_pause;
        return;
    }
    worker->runs_rest = worker->runs_pause;
    worker->runs_pause = (uint32_t)min_u64(UINT64_C(2) * worker->runs_pause, RUNS_PAUSE_MOST);
}
