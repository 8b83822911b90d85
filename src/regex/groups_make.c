/* groups_make: makes the program of an expression (groups.h). */
#include <string.h>

#include "base/memory.h"
#include "plan/plan.h"
#include "regex/groups_parts.h"

/* a program of more steps or forks does not know by the next byte which way leads on */
#define AHEAD_STEPS 4096u
#define AHEAD_FORKS 512u

struct maker {
    struct groups *made;
    uint32_t *sets; /* by the node's number: the index of its set + 1 */
    uint32_t group; /* the number of the next group, from the last on */
    enum trawl_status status;
};

static uint32_t put(struct maker *maker, struct step step)
{
    struct groups *made = maker->made;

    if (maker->status == TRAWL_OK)
        maker->status = MEMORY_ROOM(made->steps, made->step_capacity, made->step_count + 1u, NULL);
    if (maker->status != TRAWL_OK)
        return 0;
    made->steps[made->step_count] = step;
    return made->step_count++;
}

/* Adds a fork to `item` and to `next`, of which the former is preferred unless `is_lazy`. */
static uint32_t put_fork(struct maker *maker, bool is_lazy, uint32_t item, uint32_t next)
{
    return put(maker, (struct step){.kind = STEP_FORK,
                                    .next = is_lazy ? next : item,
                                    .other = is_lazy ? item : next,
                                    .number = maker->made->fork_count++});
}

/* Adds the range to the bits of the characters below LOW_CODES, and to those of first bytes. */
static void note_range(struct group_set *set, struct code_range range, bool bytes)
{
    uint8_t from[4] = {(uint8_t)range.first}, to[4] = {(uint8_t)range.last};

    for (uint32_t code = range.first; code <= range.last && code < LOW_CODES; code++)
        set->low[code / 64] |= UINT64_C(1) << code % 64;
    if (!bytes) {
        (void)plan_utf8_encode(range.first, from);
        (void)plan_utf8_encode(range.last, to);
    }
    for (uint32_t byte = from[0]; byte <= to[0]; byte++)
        set->first[byte / 64] |= UINT64_C(1) << byte % 64;
}

static uint32_t put_set(struct maker *maker, const struct syntax_node *node, uint32_t next)
{
    struct groups *made = maker->made;
    const bool bytes = made->options->bytes;
    struct step step = {.kind = STEP_SET, .next = next, .other = maker->sets[node->number] - 1};
    struct group_set *set;

    if (node->set_count == 1 && node->set->first == node->set->last) {
        step = (struct step){.kind = STEP_CODE, .next = next, .other = node->set->first};
        return put(maker, step);
    }
    if (maker->sets[node->number] > 0 || maker->status != TRAWL_OK)
        return put(maker, step);
    maker->status = MEMORY_ROOM(made->sets, made->set_capacity, made->set_count + 1, NULL);
    if (maker->status == TRAWL_OK)
        maker->status = MEMORY_ROOM(made->ranges, made->range_capacity,
                                    made->range_count + node->set_count, NULL);
    if (maker->status != TRAWL_OK)
        return 0;
    set = &made->sets[made->set_count];
    *set = (struct group_set){.from = (uint32_t)made->range_count, .count = node->set_count};
    for (uint32_t i = 0; i < node->set_count; i++) {
        made->ranges[made->range_count++] = node->set[i];
        note_range(set, node->set[i], bytes);
    }
    step.other = (uint32_t)made->set_count++;
    maker->sets[node->number] = step.other + 1;
    return put(maker, step);
}

static uint32_t put_node(struct maker *maker, const struct syntax_node *node, uint32_t next);

/* Adds x+, of which `item` is the last x, or x* if x is never empty. */
static uint32_t put_loop(struct maker *maker, const struct syntax_node *node, uint32_t next)
{
    const bool is_star = node->min == 0 && !node->items[0]->may_be_empty;
    const uint32_t fork = put_fork(maker, node->is_lazy, 0, next);
    const uint32_t item = put_node(maker, node->items[0], fork);

    if (maker->status == TRAWL_OK && node->is_lazy)
        maker->made->steps[fork].other = item;
    else if (maker->status == TRAWL_OK)
        maker->made->steps[fork].next = item;
    return is_star ? fork : item;
}

/* Adds x{3,5} as xxx(x(x)?)?, x{3,} as xxx+, and if x may be empty, x* as (x+)?, so that x may be
 * taken once without a byte. All repetitions have the same groups. */
static uint32_t put_repeat(struct maker *maker, const struct syntax_node *node, uint32_t next)
{
    const struct syntax_node *item = node->items[0];
    const uint32_t group = maker->group;
    const bool is_endless = node->max == SYNTAX_ENDLESS;
    uint32_t from = next;

    if (node->max == 0)
        maker->group -= item->groups;
    if (is_endless)
        from = put_loop(maker, node, next);
    if (is_endless && node->min == 0 && item->may_be_empty)
        from = put_fork(maker, node->is_lazy, from, next);
    for (uint32_t i = node->min; !is_endless && i < node->max && maker->status == TRAWL_OK; i++) {
        maker->group = group;
        from = put_fork(maker, node->is_lazy, put_node(maker, item, from), next);
    }
    for (uint32_t i = is_endless; i < node->min && maker->status == TRAWL_OK; i++) {
        maker->group = group;
        from = put_node(maker, item, from);
    }
    return from;
}

/* Adds the steps of a node before `next`, the step that follows it. Returns the first of them. */
static uint32_t put_node(struct maker *maker, const struct syntax_node *node, uint32_t next)
{
    uint32_t all = 0, number;

    switch ((enum syntax_kind)node->kind) {
    case SYNTAX_EMPTY:
    case SYNTAX_REFERENCE: /* PCRE2 searches */
        return next;
    case SYNTAX_CHAR:
    case SYNTAX_SET:
        return put_set(maker, node, next);
    case SYNTAX_BYTE:
        maker->made->has_part |= !maker->made->options->bytes;
        return put(maker, (struct step){.kind = STEP_BYTE, .next = next});
    case SYNTAX_EDGE:
        return put(maker, (struct step){.kind = STEP_EDGE,
                                        .letter = node->letter,
                                        .by_lines = (node->flags & SYNTAX_MANY_LINES) != 0,
                                        .next = next});
    case SYNTAX_REPEAT:
        return put_repeat(maker, node, next);
    case SYNTAX_LIST:
        for (uint32_t i = node->count; i-- > 0;)
            next = put_node(maker, node->items[i], next);
        return next;
    case SYNTAX_GROUP:
        break;
    }
    number = maker->group - node->groups + 1;
    if (node->is_numbered)
        next = put(maker, (struct step){.kind = STEP_SAVE, .next = next, .other = 2 * number + 1});
    for (uint32_t i = node->count; i-- > 0;) {
        const uint32_t list = put_node(maker, node->items[i], next);

        all = i + 1 == node->count ? list : put_fork(maker, false, list, all);
    }
    maker->group -= node->is_numbered;
    return node->is_numbered
               ? put(maker, (struct step){.kind = STEP_SAVE, .next = all, .other = 2 * number})
               : all;
}

/* With which bytes a way may lead on. */
struct ahead {
    uint64_t bytes[4];
    bool ends;
};

/* Adds what `from` has. Returns true if that was more. */
static bool ahead_add(struct ahead *to, const struct ahead *from)
{
    const struct ahead before = *to;
    bool changes;

    for (uint32_t i = 0; i < 4; i++)
        to->bytes[i] |= from->bytes[i];
    to->ends |= from->ends;
    changes = to->ends != before.ends;
    for (uint32_t i = 0; i < 4; i++)
        changes |= to->bytes[i] != before.bytes[i];
    return changes;
}

/* Sets *ahead to what a step that takes a character may take. */
static void ahead_of(const struct groups *groups, const struct step *step, struct ahead *ahead)
{
    uint8_t bytes[4] = {(uint8_t)step->other};

    *ahead = (struct ahead){.ends = step->kind == STEP_END};
    if (step->kind == STEP_BYTE)
        memset(ahead->bytes, 0xff, sizeof ahead->bytes);
    if (step->kind == STEP_SET)
        memcpy(ahead->bytes, groups->sets[step->other].first, sizeof ahead->bytes);
    if (step->kind == STEP_CODE && !groups->options->bytes)
        (void)plan_utf8_encode(step->other, bytes);
    if (step->kind == STEP_CODE)
        ahead->bytes[bytes[0] / 64] |= UINT64_C(1) << bytes[0] % 64;
}

static bool is_loop(const struct groups *groups, uint32_t fork, uint32_t way)
{
    return groups->steps[way].kind != STEP_END && groups->steps[way].kind < STEP_FORK &&
           groups->steps[way].next == fork;
}

static void set_ways(const struct ahead *next, const struct ahead *other, uint8_t ways[COLUMNS])
{
    for (uint32_t byte = 0; byte < END_COLUMN; byte++)
        ways[byte] = (uint8_t)((next->bytes[byte / 64] >> byte % 64 & 1) |
                               (other->bytes[byte / 64] >> byte % 64 & 1) << 1);
    ways[END_COLUMN] = (uint8_t)(next->ends | other->ends << 1);
}

/* Makes groups->ways. A loop is gone through until nothing is added. */
static enum trawl_status make_ways(struct groups *groups, struct trawl_error *error)
{
    bool changes = true;
    struct ahead *all;

    if (groups->fork_count == 0 || groups->fork_count > AHEAD_FORKS ||
        groups->step_count > AHEAD_STEPS)
        return TRAWL_OK;
    TRAWL_TRY(MEMORY_NEW(groups->ways, groups->fork_count * COLUMNS, error));
    TRAWL_TRY(MEMORY_ZEROED(all, groups->step_count, error));
    for (uint32_t i = 0; i < groups->step_count; i++)
        ahead_of(groups, &groups->steps[i], &all[i]);
    while (changes) {
        changes = false;
        for (uint32_t i = 0; i < groups->step_count; i++) {
            const struct step *step = &groups->steps[i];

            if (step->kind >= STEP_FORK)
                changes |= ahead_add(&all[i], &all[step->next]);
            if (step->kind == STEP_FORK)
                changes |= ahead_add(&all[i], &all[step->other]);
        }
    }
    for (uint32_t i = 0; i < groups->step_count; i++) {
        struct step *step = &groups->steps[i];

        if (step->kind != STEP_FORK)
            continue;
        set_ways(&all[step->next], &all[step->other], groups->ways + step->number * COLUMNS);
        step->loop = is_loop(groups, i, step->next) ? 1 : is_loop(groups, i, step->other) ? 2 : 0;
    }
    memory_release(all, groups->step_count, sizeof *all);
    return TRAWL_OK;
}

enum trawl_status groups_make(const struct syntax *tree, const struct regex_options *options,
                              bool whole_word, bool is_strict, struct groups **out,
                              struct trawl_error *error)
{
    struct maker maker = {.group = tree->root.groups};
    struct groups *made;
    uint32_t last;

    TRAWL_TRY(MEMORY_ZEROED(made, 1, error));
    made->options = options;
    made->is_strict = is_strict;
    maker.made = made;
    maker.status = MEMORY_ZEROED(maker.sets, tree->node_count + 1u, error);
    last = put(&maker, (struct step){.kind = STEP_END});
    if (whole_word)
        last = put(&maker, (struct step){.kind = STEP_EDGE, .letter = 'H', .next = last});
    if (maker.status == TRAWL_OK)
        made->first = put_node(&maker, &tree->root, last);
    if (whole_word)
        made->first =
            put(&maker, (struct step){.kind = STEP_EDGE, .letter = 'h', .next = made->first});
    memory_release(maker.sets, tree->node_count + 1u, sizeof *maker.sets);
    if (maker.status == TRAWL_OK)
        maker.status = make_ways(made, error);
    if (maker.status != TRAWL_OK) {
        groups_free(made);
        return maker.status;
    }
    *out = made;
    return TRAWL_OK;
}

void groups_free(struct groups *groups)
{
    if (groups == NULL)
        return;
    memory_release(groups->steps, groups->step_capacity, sizeof *groups->steps);
    memory_release(groups->sets, groups->set_capacity, sizeof *groups->sets);
    memory_release(groups->ranges, groups->range_capacity, sizeof *groups->ranges);
    memory_release(groups->ways, groups->fork_count * COLUMNS, 1);
    memory_release(groups, 1, sizeof *groups);
}
