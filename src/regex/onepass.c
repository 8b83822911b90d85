/* onepass: makes the automata that find a match's groups
 *
 * A state is a place (nfa.h) and what kind of byte came before. From the place, forks, assertions
 * and marks lead to places that take a byte; the marks on the way become bits of the step. If two
 * ways lead on from there with the same byte to different places, the automaton would have to
 * remember both: the expression is not one-pass. All places from which no mark can be reached
 * count as one, as do, backwards, all after the group's begin: there the group is known. Forwards,
 * if two ways lead to the same place, the one that Perl prefers counts.
 *
 *     forwards                 (a+)b.*      not (a+)(a|b): after an a, another may be either's
 *     backwards                .*=(a+)      not .*(a+)
 *
 * Source     Cox, "Regular Expression Matching in the Wild", 2010: RE2's one-pass matcher, which
 *            reads forwards, and has all groups at once.
 */
#include "regex/onepass.h"

#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "regex/nfa.h"

#define PLACES_MAX 4096u
#define STATES_MAX 4096u
#define STEPS_MAX (1u << 18) /* of all states and columns: 4 MiB */
#define KNOWN (NO_PLACE - 1)

struct way {
    uint32_t place, bits;
};

struct onepass {
    struct nfa nfa;
    struct place places[PLACES_MAX];
    struct classes classes;
    uint16_t slots[NFA_SLOTS];
    uint8_t class_of[256], byte_of[256];
    uint32_t columns;
    uint16_t state_of[PLACES_MAX * LINE_BEFORES]; /* + 1; 0: not yet a state */
    uint32_t states[STATES_MAX];                  /* place * LINE_BEFORES + before */
    uint32_t state_count;
    struct way ways[2 * PLACES_MAX]; /* a stack */
    uint32_t seen[PLACES_MAX], seen_bits[PLACES_MAX], turn;
    bool has_mark[PLACES_MAX]; /* a mark can be reached from the place */
    bool fails;
};

/* Returns the number of the state, plus 1. */
static uint32_t state_of(struct onepass *maker, uint32_t place, enum line_before before)
{
    const uint32_t key =
        place * LINE_BEFORES + (maker->nfa.has_edges ? (uint32_t)before : LINE_BEFORE_OTHER);

    if (maker->state_of[key] != 0)
        return maker->state_of[key];
    maker->fails |= maker->state_count == STATES_MAX ||
                    (maker->state_count + 1) * (maker->columns + 1) > STEPS_MAX;
    if (maker->fails)
        return 0;
    maker->states[maker->state_count++] = key;
    maker->state_of[key] = (uint16_t)maker->state_count;
    return maker->state_count;
}

/* Sets maker->has_mark. */
static void find_marks(struct onepass *maker)
{
    bool changes = true;

    while (changes) {
        changes = false;
        for (uint32_t i = 0; i < maker->nfa.count; i++) {
            const struct place *place = &maker->places[i];
            const bool has = place->kind == PLACE_MARK ||
                             (place->kind != PLACE_END && maker->has_mark[place->next]) ||
                             (place->kind == PLACE_FORK && maker->has_mark[place->other]);

            changes |= has && !maker->has_mark[i];
            maker->has_mark[i] = has;
        }
    }
}

/* Follows all paths from the state that read nothing before `byte`, or before END_OF_LINE. */
static struct line_step step_of(struct onepass *maker, uint32_t state, uint32_t byte)
{
    const struct border border = {.before = maker->states[state] % LINE_BEFORES, .next = byte};
    struct line_step step = {0, 0, 0, 0};
    const bool back = maker->nfa.backwards;
    uint32_t next = NO_PLACE, count = 0, to;

    maker->turn++;
    maker->ways[count++] = (struct way){maker->states[state] / LINE_BEFORES, 0};
    while (count > 0) {
        struct way way = maker->ways[--count];
        const struct place *place = &maker->places[way.place];

        if (maker->seen[way.place] == maker->turn) {
            maker->fails |= back && maker->seen_bits[way.place] != way.bits;
            continue;
        }
        maker->seen[way.place] = maker->turn;
        maker->seen_bits[way.place] = way.bits;
        switch ((enum place_kind)place->kind) {
        case PLACE_END:
            step.is_end = 1;
            step.end_bits = way.bits;
            break;
        case PLACE_BYTES:
            if (byte < place->low || byte > place->high)
                break;
            to = !maker->has_mark[place->next] || (back && (way.bits & 1) != 0) ? KNOWN
                                                                                : place->next;
            maker->fails |= next != NO_PLACE &&
                            (next != to || ((back || to == KNOWN) && step.bits != way.bits));
            if (next == NO_PLACE)
                step.bits = way.bits;
            next = to;
            break;
        case PLACE_CLASS: /* not made */
            break;
        case PLACE_FORK:
            maker->ways[count++] = (struct way){place->other, way.bits};
            maker->ways[count++] = (struct way){place->next, way.bits};
            break;
        case PLACE_EDGE:
            if (nfa_holds(&maker->nfa, place, &border))
                maker->ways[count++] = (struct way){place->next, way.bits};
            break;
        case PLACE_MARK:
            maker->ways[count++] = (struct way){place->next, way.bits | 1u << place->other};
            break;
        }
    }
    if (next == KNOWN)
        step.next = LINE_GROUP_KNOWN;
    else if (next != NO_PLACE)
        step.next = state_of(maker, next, nfa_before(&maker->nfa, byte, UNIT_INSIDE));
    return step;
}

static enum trawl_status make_steps(struct onepass *maker, uint32_t first, struct line_group *group,
                                    struct trawl_error *error)
{
    const uint32_t row = maker->columns + 1;
    struct line_step *steps;

    for (uint32_t before = 0; before < LINE_BEFORES; before++)
        group->first[before] = state_of(maker, first, (enum line_before)before) - 1;
    TRAWL_TRY(MEMORY_NEW(steps, STEPS_MAX, error));
    for (uint32_t state = 0; state < maker->state_count && !maker->fails; state++)
        for (uint32_t column = 0; column < row && !maker->fails; column++)
            steps[state * row + column] = step_of(
                maker, state, column < maker->columns ? maker->byte_of[column] : END_OF_LINE);
    if (!maker->fails) {
        const uint64_t count = (uint64_t)maker->state_count * row;
        enum trawl_status status = MEMORY_NEW(group->steps, count, error);

        if (status != TRAWL_OK) {
            memory_release(steps, STEPS_MAX, sizeof *steps);
            return status;
        }
        memcpy(group->steps, steps, (size_t)count * sizeof *steps);
        group->state_count = maker->state_count;
        group->columns = maker->columns;
        memcpy(group->column_of, maker->class_of, sizeof group->column_of);
    }
    memory_release(steps, STEPS_MAX, sizeof *steps);
    return TRAWL_OK;
}

/* Makes the automaton of a group in one direction, if the expression is one-pass. */
static enum trawl_status make_group(const struct expressions *made, const struct syntax *tree,
                                    uint32_t number, bool backwards, struct line_group *group,
                                    struct trawl_error *error)
{
    const bool is_wide =
        made->has_words && (made->options.letters.is_word != NULL || made->is_strict);
    enum trawl_status status = TRAWL_OK;
    bool cuts[257] = {false};
    struct onepass *maker;
    uint32_t first;

    TRAWL_TRY(MEMORY_ZEROED(maker, 1, error));
    maker->nfa = (struct nfa){.options = &made->options,
                              .backwards = backwards,
                              .is_ordered = true,
                              .marked = number,
                              .classes = &maker->classes,
                              .slots = maker->slots,
                              .slot_count = NFA_SLOTS,
                              .places = maker->places,
                              .max = PLACES_MAX};
    group->backwards = backwards;
    first = nfa_put_node(&maker->nfa, &tree->root,
                         nfa_put(&maker->nfa, (struct place){.kind = PLACE_END}));
    if (!maker->nfa.fails && !(maker->nfa.has_edges && is_wide)) {
        find_marks(maker);
        maker->columns =
            nfa_divide(&maker->nfa, 0, NULL, NULL, cuts, maker->class_of, maker->byte_of);
        status = make_steps(maker, first, group, error);
    }
    classes_release(&maker->classes);
    memory_release(maker, 1, sizeof *maker);
    return status;
}

enum trawl_status onepass_make(const struct expressions *made, struct line_group **groups,
                               uint32_t *count, struct trawl_error *error)
{
    const struct syntax_node *root = &made->items[0].tree.root;
    enum trawl_status status = TRAWL_OK;
    struct syntax tree;

    if (root->groups == 0 || root->groups > ONEPASS_GROUPS_MAX || made->options.longest ||
        made->has_beyond || made->items[0].tree.edges > SYNTAX_EDGES ||
        (made->plan->flags & (TRAWL_WHOLE_LINE | TRAWL_WHOLE_WORD)) != 0)
        return TRAWL_OK;
    TRAWL_TRY(syntax_again(&made->items[0].tree, &tree, error));
    TRAWL_TRY_DONE(MEMORY_ZEROED(*groups, root->groups, error));
    *count = root->groups;
    for (uint32_t i = 0; i < 2 * *count; i++)
        if ((*groups)[i / 2].steps == NULL)
            TRAWL_TRY_DONE(
                make_group(made, &tree, i / 2 + 1, i % 2 != 0, &(*groups)[i / 2], error));
done:
    syntax_release(&tree);
    return status;
}

void onepass_free(struct line_group *groups, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        memory_release(groups[i].steps, (uint64_t)groups[i].state_count * (groups[i].columns + 1),
                       sizeof *groups[i].steps);
    memory_release(groups, count, sizeof *groups);
}
