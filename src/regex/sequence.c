/* sequence: makes sequences from nodes (sequence.h). */
#include "regex/sequence.h"

#include <string.h>

static bool add_item(struct sequence *sequence, struct sequence_item item)
{
    if (sequence->count == SEQUENCE_MAX)
        return false;
    sequence->items[sequence->count++] = item;
    return true;
}

bool sequence_add_edge(struct sequence *sequence, uint8_t edge)
{
    return add_item(sequence, (struct sequence_item){.edge = edge, .min = 1, .max = 1});
}

static bool add_letter(struct sequence *sequence, const struct syntax_node *edge)
{
    static const char letters[] = "bBmMhH^$";
    static const uint8_t edges[] = {
        6, 9, 4, 2, EDGE_NO_WORD_BEFORE, EDGE_NO_WORD_AFTER, EDGE_BEGIN, EDGE_END};
    const char *found = strchr(letters, edge->letter);

    return found != NULL &&
           add_item(sequence,
                    (struct sequence_item){.edge = edges[found - letters],
                                           .by_lines = (edge->flags & SYNTAX_MANY_LINES) != 0,
                                           .min = 1,
                                           .max = 1});
}

static bool add_list(struct sequence *sequence, const struct syntax_node *list, bool backwards)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (!sequence_add(sequence, list->items[backwards ? list->count - 1 - i : i], backwards))
            return false;
    return true;
}

/* Returns true if the list consists of ASCII letters, digits and blanks. */
static bool is_plain(const struct syntax_node *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        const struct syntax_node *node = list->items[i];

        if (node->kind != SYNTAX_CHAR || node->bytes_count > 1 ||
            (!class_is_word_byte(node->bytes[0]) && node->bytes[0] != ' '))
            return false;
    }
    return list->count > 0;
}

/* Adds the alternatives of a group, each of which must be a string of characters and classes. */
static bool add_alternatives(struct sequence *sequence, const struct syntax_node *group,
                             bool backwards)
{
    const uint32_t begin = sequence->count;
    uint32_t at = begin;

    for (uint32_t i = 0; i < group->count; i++) {
        const struct syntax_node *list = group->items[i];
        uint32_t k = 0;

        for (; k < list->count; k++)
            if (list->items[k]->kind != SYNTAX_CHAR && list->items[k]->kind != SYNTAX_SET)
                break;
        if (list->count == 0 || k < list->count || !add_list(sequence, list, backwards)) {
            sequence->count = begin;
            return false;
        }
    }
    for (uint32_t i = 0; i + 1 < group->count; at += group->items[i++]->count) {
        const uint32_t count = group->items[i]->count;

        sequence->items[at].skips = (uint8_t)count;
        sequence->items[at + count - 1].jumps = (uint8_t)(sequence->count - at - count);
    }
    sequence->alternates = true;
    return true;
}

/* Adds the content of a group. */
static bool add_group(struct sequence *sequence, const struct syntax_node *group, bool backwards)
{
    return group->count == 1 ? add_list(sequence, group->items[0], backwards)
                             : add_alternatives(sequence, group, backwards);
}

/* Adds an optional group of such lists, as `(mut )?` or `(s|dom)?`: the last alternative can be
 * skipped, too. */
static bool add_optional(struct sequence *sequence, const struct syntax_node *group, bool backwards,
                         bool is_lazy)
{
    const struct syntax_node *last = group->items[group->count - 1];
    const uint32_t begin = sequence->count;
    bool may = group->count == 1 || !is_lazy;
    struct sequence_item *item;

    for (uint32_t i = 0; i < group->count; i++)
        may = may && is_plain(group->items[i]);
    if (!may || !add_group(sequence, group, backwards)) {
        sequence->count = begin;
        return false;
    }
    item = &sequence->items[sequence->count - last->count];
    item->skips = (uint8_t)last->count;
    item->is_lazy = is_lazy;
    sequence->skips = true;
    return true;
}

/* Adds a repetition of a group that is a character as often as the repetition says, such as
 * (?:a{3}){4} or (a)+. */
static bool add_multiple(struct sequence *sequence, const struct syntax_node *repeat)
{
    const struct syntax_node *node = repeat->items[0];
    uint64_t times = 1;

    while (node->kind == SYNTAX_GROUP && node->count == 1 && node->items[0]->count == 1) {
        node = node->items[0]->items[0];
        if (node->kind != SYNTAX_REPEAT)
            continue;
        times = node->min == node->max ? times * node->min : 0;
        node = node->items[0];
        if (times == 0 || times > SYNTAX_PRODUCT_MAX)
            return false;
    }
    if ((node->kind != SYNTAX_CHAR && node->kind != SYNTAX_SET) ||
        (times > 1 && repeat->min != repeat->max) || times * repeat->min > SYNTAX_PRODUCT_MAX)
        return false;
    return add_item(sequence, (struct sequence_item){
                                  .is_lazy = repeat->is_lazy,
                                  .min = (uint32_t)times * repeat->min,
                                  .max = times > 1 ? (uint32_t)times * repeat->max : repeat->max,
                                  .node = node});
}

bool sequence_add(struct sequence *sequence, const struct syntax_node *node, bool backwards)
{
    const bool repeats = node->kind == SYNTAX_REPEAT;
    const struct syntax_node *item = repeats ? node->items[0] : node;

    switch (item->kind) {
    case SYNTAX_CHAR:
    case SYNTAX_SET:
        return add_item(sequence, (struct sequence_item){.is_lazy = node->is_lazy,
                                                         .min = repeats ? node->min : 1,
                                                         .max = repeats ? node->max : 1,
                                                         .node = item});
    case SYNTAX_EDGE:
        return !repeats && add_letter(sequence, item);
    case SYNTAX_LIST:
        return add_list(sequence, item, backwards);
    case SYNTAX_GROUP:
        if (item->count == 0) /* a plan without expressions */
            return false;
        if (repeats && add_multiple(sequence, node))
            return true;
        if (repeats && node->min > 0)
            (void)add_group(sequence, item, backwards);
        if (repeats)
            return node->min == 0 && node->max == 1 &&
                   add_optional(sequence, item, backwards, node->is_lazy);
        return add_group(sequence, item, backwards);
    default:
        return false;
    }
}

bool sequence_add_rest(struct sequence *sequence, const struct syntax_node *node)
{
    const struct syntax_node *item = node->items[0];

    return (item->kind == SYNTAX_CHAR || item->kind == SYNTAX_SET) &&
           add_item(sequence, (struct sequence_item){.is_lazy = node->is_lazy,
                                                     .max = node->max == SYNTAX_ENDLESS
                                                                ? SYNTAX_ENDLESS
                                                                : node->max - node->min,
                                                     .node = item});
}

bool sequence_equals(const struct sequence *a, const struct sequence *b)
{
    bool equal = a->count == b->count && a->is_cut == b->is_cut;

    for (uint32_t i = 0; i < a->count && equal; i++) {
        const struct sequence_item *one = &a->items[i], *other = &b->items[i];
        const struct syntax_node *node = one->node;

        equal = one->edge == other->edge && one->by_lines == other->by_lines &&
                one->is_lazy == other->is_lazy && one->skips == other->skips &&
                one->jumps == other->jumps && one->min == other->min && one->max == other->max &&
                (node == NULL ||
                 (node->set_count == other->node->set_count &&
                  (node->set_count == 0 ||
                   memcmp(node->set, other->node->set, node->set_count * sizeof *node->set) == 0)));
    }
    return equal;
}
