/* automaton: builds an automaton from the trees of a plan's expressions. On devices, it checks the
 * lines that contain an atom; on the host, it replaces RE2 where most lines are short or match.
 *
 * The trees become an NFA (Thompson, 1968), whose states are called *places*: a place takes a byte
 * of a range, forks, is an assertion, or is the end of a match. A state of the automaton is a set
 * of places, and what kind of byte came before (the subset construction). A match may begin at each
 * byte, so each state contains the first place. Assertions wait in a state until the next byte is
 * known, as in RE2.
 */
#include "regex/automaton.h"

#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "match/line_automaton.h"
#include "plan/plan.h"
#include "regex/regex_compile.h"

#define PLACES_MAX 2048u
#define STATES_MAX 512u
#define STATE_WORDS (PLACES_MAX / 64)
/* Number of steps after which the automaton counts as too large; a step adds a place to a state.
 * 2^21 steps take about 5 ms. */
#define STEPS_MAX (1u << 21)
/* Reading all lines is faster than searching for several strings, if one of them is shorter than
 * this. */
#define STRING_BYTES_MIN 4u
#define END_OF_LINE 256u /* read at the end of a line, instead of a byte */
#define NO_PLACE UINT16_MAX

/* The word boundaries, by the letters of syntax_node, and where each is true: bit 0 between two
 * characters outside words, bit 1 after a word, bit 2 before a word, bit 3 inside a word. */
static const char boundaries[] = "bBmMhH";
static const uint8_t boundary_bits[] = {6, 9, 4, 2, EDGE_NO_WORD_BEFORE, EDGE_NO_WORD_AFTER};

enum place_kind { PLACE_BYTES, PLACE_FORK, PLACE_EDGE, PLACE_END };

/* What comes before the byte that a state reads next. */
enum before { BEFORE_LINE, BEFORE_WORD, BEFORE_NEWLINE, BEFORE_OTHER };

struct place {
    uint8_t kind;
    uint8_t low, high; /* for BYTES: the range of bytes */
    char letter;       /* for EDGE: as in syntax_node */
    bool by_lines;     /* for EDGE: ^ and $ also match at newlines */
    uint16_t next;
    uint16_t other; /* for FORK: the other place after `next` */
};

struct state {
    uint64_t places[STATE_WORDS]; /* a bit for each place */
    enum before before;
};

struct line_maker {
    const struct expressions *made;
    struct place places[PLACES_MAX];
    uint32_t place_count;
    bool on_host;
    bool fails; /* the automaton would be too large, or cannot decide */
    bool has_edges;
    uint32_t words; /* how many words of a state's `places` are used */
    uint32_t steps;
    uint16_t first;
    uint8_t class_of[256];
    uint8_t byte_of[256]; /* for each class, one of its bytes */
    uint32_t class_count;
    struct state states[STATES_MAX]; /* states[0] and [1], FAILS and HOLDS, are unused */
    uint32_t state_count;
    uint16_t next[256 * STATES_MAX];
    uint8_t ends[STATES_MAX];
};

/* ---- Places ------------------------------------------------------------------------------- */

static uint16_t put(struct line_maker *maker, struct place place)
{
    if (maker->place_count == PLACES_MAX)
        maker->fails = true;
    if (maker->fails)
        return 0;
    maker->places[maker->place_count] = place;
    return (uint16_t)maker->place_count++;
}

static uint16_t put_bytes(struct line_maker *maker, uint32_t low, uint32_t high, uint16_t next)
{
    return put(maker,
               (struct place){
                   .kind = PLACE_BYTES, .low = (uint8_t)low, .high = (uint8_t)high, .next = next});
}

static uint16_t put_fork(struct line_maker *maker, uint16_t next, uint16_t other)
{
    if (next == NO_PLACE || other == NO_PLACE)
        return next == NO_PLACE ? other : next;
    return put(maker, (struct place){.kind = PLACE_FORK, .next = next, .other = other});
}

/* Adds places for all non-ASCII characters as RE2 does: its sets also accept encodings that are too
 * long, and code points beyond U+10FFFF. */
static uint16_t put_beyond(struct line_maker *maker, uint16_t next)
{
    const uint16_t last = put_bytes(maker, 0x80, 0xbf, next);
    const uint16_t third = put_bytes(maker, 0x80, 0xbf, last);
    const uint16_t two = put_bytes(maker, 0xc2, 0xdf, last);
    const uint16_t three = put_bytes(maker, 0xe0, 0xef, third);
    const uint16_t four = put_bytes(maker, 0xf0, 0xf4, put_bytes(maker, 0x80, 0xbf, third));

    return put_fork(maker, two, put_fork(maker, three, four));
}

/* Adds places for the characters from `low` to `high` in UTF-8. */
static uint16_t put_range(struct line_maker *maker, uint32_t low, uint32_t high, uint16_t next)
{
    static const uint32_t lengths[] = {0x7f, 0x7ff, 0xffff};
    uint8_t from[4], to[4];

    if (low == 0x80 && high == 0x10ffff)
        return put_beyond(maker, next);
    for (uint32_t i = 0; i < 3; i++)
        if (low <= lengths[i] && lengths[i] < high)
            return put_fork(maker, put_range(maker, low, lengths[i], next),
                            put_range(maker, lengths[i] + 1, high, next));
    for (uint32_t bits = 6; high >= 0x80 && bits <= 18; bits += 6) {
        const uint32_t rest = (1u << bits) - 1;

        if ((low & ~rest) == (high & ~rest))
            break;
        if ((low & rest) != 0)
            return put_fork(maker, put_range(maker, low, low | rest, next),
                            put_range(maker, (low | rest) + 1, high, next));
        if ((high & rest) != rest)
            return put_fork(maker, put_range(maker, low, (high & ~rest) - 1, next),
                            put_range(maker, high & ~rest, high, next));
    }
    (void)plan_utf8_encode(high, to);
    for (uint32_t i = plan_utf8_encode(low, from); i-- > 0;) /* a range for each byte */
        next = put_bytes(maker, from[i], to[i], next);
    return next;
}

static uint16_t put_characters(struct line_maker *maker, const struct syntax_node *node,
                               uint16_t next)
{
    uint16_t all = NO_PLACE;

    for (uint32_t i = 0; i < node->set_count && !maker->fails; i++) {
        const struct code_range range = node->set[i];

        all = put_fork(maker,
                       maker->made->options.bytes ? put_bytes(maker, range.first, range.last, next)
                                                  : put_range(maker, range.first, range.last, next),
                       all);
    }
    /* for a class without characters, a range without bytes */
    return all == NO_PLACE ? put_bytes(maker, 1, 0, next) : all;
}

static uint16_t put_node(struct line_maker *maker, const struct syntax_node *node, uint16_t next);

static uint16_t put_repeat(struct line_maker *maker, const struct syntax_node *node, uint16_t next)
{
    const struct syntax_node *item = node->items[0];
    uint16_t from = next;

    if (node->most == SYNTAX_ENDLESS) {
        from = put(maker, (struct place){.kind = PLACE_FORK, .other = next});
        maker->places[from].next = put_node(maker, item, from);
    }
    for (uint32_t i = node->least; node->most != SYNTAX_ENDLESS && i < node->most && !maker->fails;
         i++)
        from = put_fork(maker, put_node(maker, item, from), next);
    for (uint32_t i = 0; i < node->least && !maker->fails; i++)
        from = put_node(maker, item, from);
    return from;
}

static uint16_t put_edge(struct line_maker *maker, char letter, bool by_lines, uint16_t next)
{
    maker->has_edges = true;
    maker->fails |= strchr("^$Az", letter) == NULL && strchr(boundaries, letter) == NULL;
    return put(
        maker,
        (struct place){.kind = PLACE_EDGE, .letter = letter, .by_lines = by_lines, .next = next});
}

/* Adds the places of a node before `next`, the place that follows it. Returns the first of them. */
static uint16_t put_node(struct line_maker *maker, const struct syntax_node *node, uint16_t next)
{
    uint16_t all = NO_PLACE;

    if (maker->fails)
        return 0;
    switch ((enum syntax_kind)node->kind) {
    case SYNTAX_EMPTY:
        return next;
    case SYNTAX_CHAR:
    case SYNTAX_SET:
        return put_characters(maker, node, next);
    case SYNTAX_BYTE:
        return put_bytes(maker, 0, 0xff, next);
    case SYNTAX_EDGE:
        return put_edge(maker, node->letter, (node->flags & SYNTAX_MANY_LINES) != 0, next);
    case SYNTAX_REPEAT:
        return put_repeat(maker, node, next);
    case SYNTAX_LIST:
        for (uint32_t i = node->count; i-- > 0;)
            next = put_node(maker, node->items[i], next);
        return next;
    case SYNTAX_GROUP:
        for (uint32_t i = node->count; i-- > 0;)
            all = put_fork(maker, put_node(maker, node->items[i], next), all);
        return all == NO_PLACE ? next : all;
    case SYNTAX_REFERENCE:
        break;
    }
    maker->fails = true;
    return 0;
}

/* ---- States ------------------------------------------------------------------------------- */

/* Adds a place to the set, and all places that can be reached from it without reading a byte. */
static void add(struct line_maker *maker, uint64_t *set, uint16_t place)
{
    uint16_t stack[64];
    uint32_t depth = 0;

    stack[depth++] = place;
    while (depth > 0) {
        const uint16_t at = stack[--depth];

        if ((set[at / 64] >> at % 64 & 1) != 0)
            continue;
        set[at / 64] |= UINT64_C(1) << at % 64;
        maker->steps++;
        if (maker->places[at].kind != PLACE_FORK)
            continue;
        if (depth + 2 > sizeof stack / sizeof *stack) {
            maker->fails = true;
            return;
        }
        stack[depth++] = maker->places[at].other;
        stack[depth++] = maker->places[at].next;
    }
}

static enum before before_of(uint32_t byte)
{
    return byte == '\n'                     ? BEFORE_NEWLINE
           : class_is_word_byte((char)byte) ? BEFORE_WORD
                                            : BEFORE_OTHER;
}

/* Returns true if an assertion is true between what was read and `next`, a byte or END_OF_LINE. */
static bool holds(const struct place *place, enum before before, uint32_t next)
{
    const bool is_word = next != END_OF_LINE && class_is_word_byte((char)next);
    const bool ends = next == END_OF_LINE || (place->by_lines && next == '\n');

    switch (place->letter) {
    case '^':
        return before == BEFORE_LINE || (place->by_lines && before == BEFORE_NEWLINE);
    case '$':
        return ends;
    case 'A':
        return before == BEFORE_LINE;
    case 'z':
        return next == END_OF_LINE;
    default:
        return (boundary_bits[strchr(boundaries, place->letter) - boundaries] >>
                    ((before == BEFORE_WORD) + 2 * is_word) &
                1) != 0;
    }
}

/* Adds to the set the places after its assertions that are true before `next`. Returns true if the
 * set contains the end of a match. */
static bool settle(struct line_maker *maker, uint64_t *set, enum before before, uint32_t next)
{
    bool ends = false, grows = true;

    while (grows && !maker->fails) {
        grows = false;
        for (uint32_t i = 0; i < maker->place_count; i++) {
            const struct place *place = &maker->places[i];

            if ((set[i / 64] >> i % 64 & 1) == 0)
                continue;
            ends |= place->kind == PLACE_END;
            if (place->kind != PLACE_EDGE || (set[place->next / 64] >> place->next % 64 & 1) != 0 ||
                !holds(place, before, next))
                continue;
            add(maker, set, place->next);
            grows = true;
        }
    }
    return ends;
}

/* Returns the number of the state. Adds the state if it is new. */
static uint16_t state_of(struct line_maker *maker, const struct state *state)
{
    for (uint32_t i = LINE_BEGIN; i < maker->state_count; i++)
        if (maker->states[i].before == state->before &&
            memcmp(maker->states[i].places, state->places, maker->words * sizeof(uint64_t)) == 0)
            return (uint16_t)i;
    maker->steps += maker->state_count;
    if (maker->state_count == STATES_MAX) {
        maker->fails = true;
        return LINE_FAILS;
    }
    maker->states[maker->state_count] = *state;
    return (uint16_t)maker->state_count++;
}

/* Returns the state after `byte`. */
static uint16_t follow(struct line_maker *maker, const struct state *from, uint32_t byte)
{
    struct state set = *from, to = {.before = maker->has_edges ? before_of(byte) : BEFORE_OTHER};

    if (settle(maker, set.places, from->before, byte))
        return LINE_HOLDS;
    for (uint32_t i = 0; i < maker->place_count; i++) {
        const struct place *place = &maker->places[i];

        if ((set.places[i / 64] >> i % 64 & 1) != 0 && place->kind == PLACE_BYTES &&
            place->low <= byte && byte <= place->high)
            add(maker, to.places, place->next);
    }
    maker->steps += maker->place_count / 16;
    add(maker, to.places, maker->first);
    for (uint32_t i = 0; i < maker->place_count; i++)
        if (maker->places[i].kind == PLACE_END && (to.places[i / 64] >> i % 64 & 1) != 0)
            return LINE_HOLDS;
    return state_of(maker, &to);
}

/* Divides the bytes into classes that no place or assertion distinguishes. */
static void divide(struct line_maker *maker)
{
    const struct trawl_plan *plan = maker->made->plan;
    bool cuts[257] = {false};

    for (uint32_t i = 0; i < maker->place_count; i++)
        if (maker->places[i].kind == PLACE_BYTES && maker->places[i].low <= maker->places[i].high)
            cuts[maker->places[i].low] = cuts[maker->places[i].high + 1] = true;
    for (uint32_t byte = 1; byte < 256 && maker->has_edges; byte++)
        cuts[byte] |= before_of(byte) != before_of(byte - 1);
    for (uint32_t end = 0; end < 2 && maker->on_host; end++) { /* line ends lead elsewhere (fill) */
        const uint8_t byte = end == 0 ? plan->line_end : plan->line_end_also;

        cuts[byte] = cuts[byte + 1] = true;
    }
    maker->class_count = 0;
    for (uint32_t byte = 0; byte < 256; byte++) {
        maker->class_count += byte > 0 && cuts[byte];
        maker->class_of[byte] = (uint8_t)maker->class_count;
        maker->byte_of[maker->class_count] = (uint8_t)byte;
    }
    maker->class_count++;
}

/* Replaces states from which no match can be reached with LINE_FAILS. States are numbered in the
 * order in which they are reached, so most are found in the first round. */
static void prune(struct line_maker *maker)
{
    bool holds[STATES_MAX] = {[LINE_HOLDS] = true}, grows = true;

    while (grows) {
        grows = false;
        for (uint32_t i = maker->state_count; i-- > LINE_BEGIN;) {
            bool found = maker->ends[i] != 0;

            for (uint32_t class = 0; class < maker->class_count && !found && !holds[i]; class ++)
                found = holds[maker->next[256 * i + maker->byte_of[class]]];
            grows |= found && !holds[i];
            holds[i] |= found;
        }
    }
    for (uint32_t i = 256 * LINE_BEGIN; i < 256 * maker->state_count; i++)
        if (!holds[maker->next[i]])
            maker->next[i] = LINE_FAILS;
}

static void fill(struct line_maker *maker)
{
    struct state begin = {.before = maker->has_edges ? BEFORE_LINE : BEFORE_OTHER};

    maker->words = (maker->place_count + 63) / 64;
    maker->state_count = LINE_BEGIN;
    for (uint32_t byte = 0; byte < 256; byte++)
        maker->next[256 * LINE_HOLDS + byte] = LINE_HOLDS;
    maker->ends[LINE_HOLDS] = 1;
    add(maker, begin.places, maker->first);
    (void)state_of(maker, &begin);
    for (uint32_t i = LINE_BEGIN; i < maker->state_count && !maker->fails; i++) {
        struct state last = maker->states[i];
        uint16_t by_class[256];

        for (uint32_t class = 0; class < maker->class_count && !maker->fails; class ++)
            by_class[class] = follow(maker, &maker->states[i], maker->byte_of[class]);
        for (uint32_t byte = 0; byte < 256 && !maker->fails; byte++)
            maker->next[256 * i + byte] = by_class[maker->class_of[byte]];
        maker->ends[i] = settle(maker, last.places, last.before, END_OF_LINE);
        maker->fails |= maker->steps > STEPS_MAX;
        for (uint32_t end = 0; end < 2 && maker->on_host; end++)
            maker->next[256 * i + (end == 0 ? maker->made->plan->line_end
                                            : maker->made->plan->line_end_also)] =
                maker->ends[i] != 0 ? LINE_HOLDS : LINE_FAILS;
    }
    if (!maker->fails)
        prune(maker);
}

/* ---- Plans -------------------------------------------------------------------------------- */

struct line_form {
    struct trawl_plan *plan; /* the plan for devices; NULL: there is none */
    struct line_automaton automaton;
    uint16_t *next;
    uint8_t *ends;
};

static void form_release(void *object)
{
    struct line_form *form = (struct line_form *)object;

    trawl_plan_free(form->plan);
    memory_release(form->next, form->automaton.state_count, 256 * sizeof *form->next);
    memory_release(form->ends, form->automaton.state_count, 1);
    memory_release(form, 1, sizeof *form);
}

/* Returns true if the automaton may decide about lines: they need neither PCRE2 nor a copy with
 * marks, and matches stay within a line. */
static bool may_decide(const struct expressions *made)
{
    const uint32_t not_taken = TRAWL_WHOLE_WORD | TRAWL_WHOLE_LINE | TRAWL_MULTILINE | TRAWL_CRLF;
    const struct trawl_plan *plan = made->plan;

    return !made->has_beyond && !made->has_marked && !made->needs_marks && !made->crosses &&
           (plan->flags & not_taken) == 0 && plan->line_end == '\n' && plan->line_end_also == '\n';
}

/* Copies the tables to the form. */
static enum trawl_status keep(const struct line_maker *maker, struct line_form *form,
                              struct trawl_error *error)
{
    const uint32_t count = maker->state_count;

    form->automaton.state_count = count;
    TRAWL_TRY(MEMORY_NEW(form->ends, count, error));
    memcpy(form->ends, maker->ends, count);
    TRAWL_TRY(MEMORY_NEW(form->next, 256 * (uint64_t)count, error));
    memcpy(form->next, maker->next, 256 * sizeof *form->next * count);
    form->automaton.ends = form->ends;
    form->automaton.next = form->next;
    return TRAWL_OK;
}

/* Adds the places of all expressions. */
static void put_all(struct line_maker *maker)
{
    const struct expressions *made = maker->made;
    const bool lines = (made->plan->flags & TRAWL_WHOLE_LINE) != 0;
    const bool words = !lines && (made->plan->flags & TRAWL_WHOLE_WORD) != 0;
    uint16_t end = put(maker, (struct place){.kind = PLACE_END}), all = NO_PLACE;

    if (lines || words)
        end = put_edge(maker, lines ? 'z' : 'H', false, end);
    for (uint32_t i = 0; i < made->count && !maker->fails; i++)
        all = put_fork(maker, put_node(maker, made->items[i].tree.root, end), all);
    maker->first = lines || words ? put_edge(maker, lines ? 'A' : 'h', false, all) : all;
}

/* Builds the automaton of the expressions. Leaves form->next NULL if it would be too large or
 * cannot decide. */
static enum trawl_status build(const struct expressions *made, bool on_host, struct line_form *form,
                               struct trawl_error *error)
{
    enum trawl_status status = TRAWL_OK;
    struct line_maker *maker;

    TRAWL_TRY(MEMORY_ZEROED(maker, 1, error));
    maker->made = made;
    maker->on_host = on_host;
    put_all(maker);
    divide(maker);
    if (!maker->fails)
        fill(maker);
    if (!maker->fails)
        status = keep(maker, form, error);
    memory_release(maker, 1, sizeof *maker);
    return status;
}

/* Builds the plan of the strings once more, because `atoms` itself must not have an automaton.
 * Without strings, builds a plan that searches for line ends: there is one for each line. */
static enum trawl_status copy_atoms(const struct trawl_plan *atoms, struct trawl_plan **plan,
                                    struct trawl_error *error)
{
    static const struct trawl_pattern line_end = {"\n", 1};
    struct trawl_plan_options options = TRAWL_PLAN_OPTIONS_INIT;
    struct trawl_pattern *patterns;
    enum trawl_status status;

    if (atoms == NULL)
        return plan_build(&line_end, 1, &options, NULL, plan, error);
    TRAWL_TRY(MEMORY_NEW(patterns, atoms->pattern_count, error));
    for (uint64_t i = 0; i < atoms->pattern_count; i++)
        patterns[i] = plan_pattern(atoms, i);
    options.flags = atoms->flags;
    if (atoms->utf8_is_set)
        options.letters = &atoms->utf8;
    status = plan_build(patterns, atoms->pattern_count, &options, NULL, plan, error);
    memory_release(patterns, atoms->pattern_count, sizeof *patterns);
    return status;
}

/* Returns true if a device should read all lines instead of searching for these strings. */
static bool reads_all(const struct trawl_plan *atoms)
{
    return atoms == NULL || (atoms->literal_count > 1 && atoms->length_min < STRING_BYTES_MIN);
}

static enum trawl_status form_make(const void *from, void **object, struct trawl_error *error)
{
    const struct expressions_source *source = (const struct expressions_source *)from;
    enum trawl_status status = TRAWL_OK;
    const struct trawl_plan *atoms; /* NULL: some expression has none */
    const struct expressions *made;
    struct line_form *form;
    void *sampled = NULL;

    TRAWL_TRY(MEMORY_ZEROED(form, 1, error));
    if (source->sample != NULL)
        TRAWL_TRY_DONE(expressions_make(source, &sampled, error));
    made = (const struct expressions *)sampled;
    if (made == NULL)
        TRAWL_TRY_DONE(expressions_want(source->plan, &made, error));
    atoms = made->rest == NULL ? made->atoms : NULL;
    if (may_decide(made) && atoms != NULL && made->atoms_are_exact) {
        TRAWL_TRY_DONE(copy_atoms(atoms, &form->plan, error));
    } else if (may_decide(made)) {
        TRAWL_TRY_DONE(build(made, false, form, error));
        form->automaton.reads_all = reads_all(atoms);
        if (form->next == NULL)
            goto done;
        TRAWL_TRY_DONE(copy_atoms(form->automaton.reads_all ? NULL : atoms, &form->plan, error));
        form->plan->line_automaton = &form->automaton;
        form->plan->need_after = max_u64(form->plan->need_after, LINE_BYTES_MAX);
    }
done:
    expressions_free(sampled);
    if (status != TRAWL_OK)
        form_release(form);
    else
        *object = form;
    return status;
}

enum trawl_status regex_line_plan(const struct trawl_plan *plan, const uint8_t *sample,
                                  uint64_t sample_bytes, const struct trawl_plan **lines,
                                  struct trawl_error *error)
{
    const struct expressions_source source = {plan, sample, sample_bytes};
    const void *object;

    TRAWL_TRY(attachment_want(&plan->attached[PLAN_LINES], &source, form_make, form_release,
                              &object, error));
    *lines = ((const struct line_form *)object)->plan;
    return TRAWL_OK;
}

static enum trawl_status table_make(const void *from, void **object, struct trawl_error *error)
{
    const struct expressions *made = (const struct expressions *)from;
    enum trawl_status status = TRAWL_OK;
    struct line_form *form;

    TRAWL_TRY(MEMORY_ZEROED(form, 1, error));
    if (!made->has_beyond && !expressions_cross(made))
        status = build(made, true, form, error);
    if (status != TRAWL_OK)
        form_release(form);
    else
        *object = form;
    return status;
}

enum trawl_status regex_line_table(const struct expressions *made,
                                   const struct line_automaton **table, struct trawl_error *error)
{
    const struct line_form *form;
    const void *object;

    TRAWL_TRY(attachment_want(&made->plan->attached[PLAN_LINE_TABLE], made, table_make,
                              form_release, &object, error));
    form = (const struct line_form *)object;
    *table = form->next != NULL ? &form->automaton : NULL;
    return TRAWL_OK;
}
