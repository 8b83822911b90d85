/* reach_make: compiles expressions for reach.c (reach.h). */
#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "plan/plan.h"
#include "regex/reach_parts.h"
#include "regex/reach.h"
#include "regex/prices.def"

struct reach_maker {
    struct reach_part parts[PARTS_MAX];
    struct classes sets;      /* the different sets of characters */
    enum trawl_status status; /* of `sets`, and its error */
    struct trawl_error *error;
    uint64_t chars;    /* number of characters, with all finite repetitions */
    uint64_t min;      /* the largest minimum of a repetition */
    bool is_long;      /* some repetition is */
    bool fails;        /* some part is not for a reach */
    struct reach made; /* without its parts */
};

static uint32_t add_part(struct reach_maker *maker, struct reach_part part)
{
    struct reach *made = &maker->made;

    maker->fails |= made->count == PARTS_MAX;
    if (maker->fails)
        return 0;
    maker->parts[made->count] = part;
    return made->count++;
}

/* Returns the number of the set, which all equal sets share. */
static uint32_t intern_set(struct reach_maker *maker, const struct syntax_node *node)
{
    uint32_t index = 0;

    if (maker->status == TRAWL_OK)
        maker->status = classes_know(&maker->sets, node, &index, maker->error);
    /* the last one is kept for words */
    maker->fails |= maker->status != TRAWL_OK || index + 1 >= SYMBOLS_CLASSES;
    return index;
}

static uint32_t add_chars(struct reach_maker *maker, const struct syntax_node *node, uint32_t min,
                          uint32_t max, bool is_lazy, uint32_t next)
{
    const struct reach_part part = {.kind = REACH_CHARS,
                                    .set = (uint8_t)intern_set(maker, node),
                                    .is_lazy = is_lazy,
                                    .next = (uint16_t)next,
                                    .min = min,
                                    .max = max};

    maker->chars += max == SYNTAX_ENDLESS ? max_u64(min, 1) : max;
    maker->min = max_u64(maker->min, min);
    maker->is_long |= max != SYNTAX_ENDLESS && max - min >= LONG_NODES;
    return add_part(maker, part);
}

static uint32_t add_edge(struct reach_maker *maker, uint8_t edge, bool by_lines, uint32_t next)
{
    const struct reach_part part = {
        .kind = REACH_EDGE, .set = edge, .by_lines = by_lines, .next = (uint16_t)next};

    maker->made.by_words |= edge < EDGE_BEGIN;
    return add_part(maker, part);
}

static uint32_t add_fork(struct reach_maker *maker, uint32_t next, uint32_t other)
{
    const struct reach_part part = {
        .kind = REACH_FORK, .next = (uint16_t)next, .other = (uint16_t)other};

    return add_part(maker, part);
}

static uint32_t add_node(struct reach_maker *maker, const struct syntax_node *node, uint32_t next);

/* Adds the items of a list, from last to first. */
static uint32_t add_list(struct reach_maker *maker, const struct syntax_node *list, uint32_t next)
{
    for (uint32_t i = list->count; i-- > 0 && !maker->fails;)
        next = add_node(maker, list->items[i], next);
    return next;
}

static uint32_t add_group(struct reach_maker *maker, const struct syntax_node *node, uint32_t next)
{
    uint32_t first = 0;

    for (uint32_t i = node->count; i-- > 0 && !maker->fails;) {
        const uint32_t list = add_list(maker, node->items[i], next);

        first = i + 1 == node->count ? list : add_fork(maker, list, first);
    }
    return first;
}

/* Adds a repetition of more than a character, with all repetitions written out. */
static uint32_t add_repeat(struct reach_maker *maker, const struct syntax_node *node, uint32_t next)
{
    const struct syntax_node *item = node->items[0];
    const uint32_t end = next;

    maker->is_long |= (uint64_t)(node->max - node->min) * item->size >= LONG_NODES;
    maker->fails |= node->max == SYNTAX_ENDLESS || (item->may_be_empty && node->max > 1);
    for (uint32_t i = node->max; i > 0 && !maker->fails; i--) {
        next = add_node(maker, item, next);
        if (i > node->min)
            next = node->is_lazy ? add_fork(maker, end, next) : add_fork(maker, next, end);
    }
    return next;
}

static uint32_t add_node(struct reach_maker *maker, const struct syntax_node *node, uint32_t next)
{
    static const char letters[] = "bBmMhH^$Az";
    static const uint8_t edges[] = {
        6,          9,        4,          2,       EDGE_NO_WORD_BEFORE, EDGE_NO_WORD_AFTER,
        EDGE_BEGIN, EDGE_END, EDGE_BEGIN, EDGE_END};
    const struct syntax_node *item;

    switch (node->kind) {
    case SYNTAX_EMPTY:
        return next;
    case SYNTAX_CHAR:
    case SYNTAX_SET:
        return add_chars(maker, node, 1, 1, false, next);
    case SYNTAX_EDGE:
        return add_edge(
            maker, edges[strchr(letters, node->letter) - letters],
            strchr("^$", node->letter) != NULL && (node->flags & SYNTAX_MANY_LINES) != 0, next);
    case SYNTAX_LIST:
        return add_list(maker, node, next);
    case SYNTAX_GROUP:
        return add_group(maker, node, next);
    case SYNTAX_REPEAT:
        item = node->items[0];
        return item->kind == SYNTAX_CHAR || item->kind == SYNTAX_SET
                   ? add_chars(maker, item, node->min, node->max, node->is_lazy, next)
                   : add_repeat(maker, node, next);
    default:
        maker->fails = true;
        return next;
    }
}

static void maker_free(struct reach_maker *maker)
{
    if (maker == NULL)
        return;
    classes_release(&maker->sets);
    symbols_release(&maker->made.symbols);
    memory_release(maker, 1, sizeof *maker);
}

/* Finds the parts of an expression. Sets *out to NULL if it does not fit. */
static enum trawl_status find_parts(const struct syntax_node *root, bool whole_word,
                                    struct reach_maker **out, struct trawl_error *error)
{
    struct reach_maker *maker;
    enum trawl_status status;
    uint32_t first;

    *out = NULL;
    if (root->may_be_empty || root->product == 1)
        return TRAWL_OK;
    TRAWL_TRY(MEMORY_ZEROED(maker, 1, error));
    maker->error = error;
    first = add_part(maker, (struct reach_part){.kind = REACH_ACCEPT});
    if (whole_word)
        first = add_edge(maker, EDGE_NO_WORD_AFTER, false, first);
    first = add_node(maker, root, first);
    if (whole_word)
        first = add_edge(maker, EDGE_NO_WORD_BEFORE, false, first);
    maker->is_long |=
        maker->min >= (maker->parts[first].kind == REACH_EDGE ? VAST_LEAST : LONG_LEAST);
    maker->made.shortest = root->shortest;
    maker->made.first = first;
    if (!maker->fails && maker->is_long && maker->chars > FEW_CHARS) {
        *out = maker;
        return TRAWL_OK;
    }
    status = maker->status;
    maker_free(maker);
    return status;
}

enum trawl_status reach_fits(const struct syntax_node *root, bool whole_word, bool *fits,
                             struct trawl_error *error)
{
    struct reach_maker *maker;

    TRAWL_TRY(find_parts(root, whole_word, &maker, error));
    *fits = maker != NULL;
    maker_free(maker);
    return TRAWL_OK;
}

static uint64_t bytes_of(const struct reach *reach)
{
    return sizeof *reach + reach->count * sizeof reach->parts[0];
}

/* Gives each byte a symbol. Returns false if there are too many. */
static bool number_bytes(struct reach_maker *maker, bool bytes)
{
    struct reach *made = &maker->made;
    uint32_t count = SYMBOL_BEYOND + made->symbols.count;

    if (count > SYMBOL_LONG)
        return false;
    for (uint32_t i = 0; i < made->symbols.count; i++)
        made->members[SYMBOL_BEYOND + i] = made->symbols.members[i];
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint64_t members = byte < 0x80 && class_is_word_byte((char)byte) ? made->words : 0;
        uint32_t symbol = SYMBOL_NONE;

        made->of_byte[byte] = SYMBOL_LONG;
        if (byte >= 0x80 && !bytes)
            continue;
        for (uint32_t i = 0; i < maker->sets.known_count; i++)
            members |= (uint64_t)classes_hold(&maker->sets, i, byte) << i;
        while (symbol < count && made->members[symbol] != members)
            symbol++;
        if (symbol == SYMBOL_LONG)
            return false;
        made->members[symbol] = members;
        made->of_byte[byte] = (uint8_t)symbol;
        count = (uint32_t)max_u64(count, symbol + 1);
    }
    return true;
}

enum trawl_status reach_make(const struct syntax_node *root, const struct regex_options *options,
                             bool whole_word, const struct word_ranges *words, struct reach **out,
                             struct trawl_error *error)
{
    const struct syntax_node none = {.set_count = 0};
    enum trawl_status status = TRAWL_OK;
    struct syntax_node set = none;
    struct reach_maker *maker;
    uint32_t index;
    void *memory;

    *out = NULL;
    TRAWL_TRY(find_parts(root, whole_word, &maker, error));
    if (maker == NULL)
        return TRAWL_OK;
    maker->made.longest = options->longest;
    maker->made.known_end = UINT32_MAX;
    if (maker->made.by_words) {
        if (words != NULL) {
            maker->made.known_end = words->end;
            set.set = words->ranges;
            set.set_count = words->count;
        }
        TRAWL_TRY_DONE(classes_know(&maker->sets, &set, &index, error));
        if (index + 1 < maker->sets.known_count) /* it is that of a repetition, too */
            goto done;
        maker->made.words = UINT64_C(1) << index;
    }
    status = symbols_make(&maker->made.symbols, &maker->sets, error);
    if (status == TRAWL_LIMIT || (status == TRAWL_OK && !number_bytes(maker, options->bytes))) {
        status = TRAWL_OK; /* there are too many symbols */
        goto done;
    }
    if (status == TRAWL_OK)
        TRAWL_TRY_DONE(memory_allocate(1, bytes_of(&maker->made), &memory, error));
    if (status != TRAWL_OK)
        goto done;
    *out = (struct reach *)memory;
    **out = maker->made;
    maker->made.symbols = (struct symbols){.cuts = NULL};
    memcpy((*out)->parts, maker->parts, maker->made.count * sizeof maker->parts[0]);
done:
    maker_free(maker);
    return status;
}

void reach_free(struct reach *reach)
{
    if (reach == NULL)
        return;
    symbols_release(&reach->symbols);
    memory_release(reach, 1, bytes_of(reach));
}
