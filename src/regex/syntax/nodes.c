/* nodes: builds the nodes of a tree while an expression is read (parse.h), and reports mistakes. */
#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "regex/syntax/parse.h"
#include "regex/syntax/sets.h"

#define CHARACTER_BYTES_MAX 4u

#define BLOCK_BYTES 1024u /* size of the first block of memory; later blocks are larger */
#define BLOCK_BYTES_MAX (1u << 20)

/* A block of memory for nodes; all blocks of a tree are freed together. */
struct syntax_block {
    struct syntax_block *next;
    uint64_t bytes; /* size of the block, including this struct */
    uint64_t used;
};

uint64_t syntax_count_to(const struct syntax_reader *reader, char last)
{
    const char *from = reader->bytes + reader->at;
    const char *found = memchr(from, last, (size_t)(reader->bytes_count - reader->at));

    return found != NULL ? (uint64_t)(found + 1 - from) : 0;
}

uint64_t syntax_number(const struct syntax_reader *reader, uint64_t at, uint32_t *number)
{
    for (*number = 0; syntax_byte(reader, at) >= '0' && syntax_byte(reader, at) <= '9'; at++)
        *number = (uint32_t)min_u64(10 * *number + (uint32_t)(reader->bytes[at] - '0'),
                                    SYNTAX_NUMBER_MAX + 1);
    return at;
}

struct braces syntax_braces(const struct syntax_reader *reader, bool blanks)
{
    const bool escapes = reader->bytes[reader->at] == '\\';
    const uint64_t first = syntax_skip_blanks(reader, reader->at + 1 + escapes, blanks);
    bool min_may_lack = false; /* as in {,2}, and in grep also in {,} and {,0} */
    struct braces made = {.length = 0};
    uint64_t at = syntax_number(reader, first, &made.min), second;

    made.has_min = at > first;
    made.max = made.min;
    at = syntax_skip_blanks(reader, at, blanks);
    if (syntax_byte(reader, at) == ',') {
        second = syntax_skip_blanks(reader, at + 1, blanks);
        at = syntax_number(reader, second, &made.max);
        made.is_endless = at == second;
        at = syntax_skip_blanks(reader, at, blanks);
        min_may_lack = reader->syntax != TRAWL_PERL || (made.max > 0 && !made.is_endless);
    }
    if (syntax_stands(reader, at, escapes ? "\\}" : "}") && (made.has_min || min_may_lack))
        made.length = at + 1 + escapes - reader->at;
    return made;
}

enum trawl_status syntax_memory(struct syntax_reader *reader, uint64_t bytes, void **memory,
                                struct trawl_error *error)
{
    struct syntax_block *block = reader->out->blocks;
    const uint64_t wanted = (bytes + 7) / 8 * 8;

    if (block == NULL || wanted > block->bytes - block->used) {
        const uint64_t size =
            max_u64(block == NULL ? BLOCK_BYTES : min_u64(2 * block->bytes, BLOCK_BYTES_MAX),
                    wanted + sizeof *block);
        void *made;

        TRAWL_TRY(memory_allocate(1, size, &made, error));
        block = (struct syntax_block *)made;
        *block = (struct syntax_block){reader->out->blocks, size, sizeof *block};
        reader->out->blocks = block;
    }
    *memory = (char *)block + block->used;
    block->used += wanted;
    TRAWL_ASSERT(block->used <= block->bytes);
    return TRAWL_OK;
}

/* Makes a node, which is not in any list yet. */
static enum trawl_status make(struct syntax_reader *reader, enum syntax_kind kind, uint64_t from,
                              struct syntax_node **node, struct trawl_error *error)
{
    void *memory;

    TRAWL_TRY(syntax_memory(reader, sizeof **node, &memory, error));
    *node = (struct syntax_node *)memory;
    **node = (struct syntax_node){.kind = (uint8_t)kind,
                                  .flags = reader->flags,
                                  .may_be_empty = kind == SYNTAX_EMPTY || kind == SYNTAX_EDGE,
                                  .product = 1,
                                  .number = ++reader->out->node_count,
                                  .shortest = kind <= SYNTAX_BYTE && kind != SYNTAX_EMPTY,
                                  .from = (uint32_t)from,
                                  .size = 1,
                                  .steps = 2};
    return TRAWL_OK;
}

/* Adds a node to the list that is being read. */
static enum trawl_status push(struct syntax_reader *reader, struct syntax_node *node,
                              struct trawl_error *error)
{
    TRAWL_TRY(MEMORY_ROOM(reader->nodes, reader->capacity, reader->count + 1, error));
    reader->nodes[reader->count++] = node;
    return TRAWL_OK;
}

/* Sets node->shortest, by its items. */
static void note_shortest(struct syntax_node *node)
{
    uint64_t min = node->kind == SYNTAX_GROUP && node->count > 0 ? UINT32_MAX : 0;

    for (uint32_t i = 0; i < node->count; i++)
        min = node->kind == SYNTAX_GROUP ? min_u64(min, node->items[i]->shortest)
                                         : min + node->items[i]->shortest;
    min *= node->kind == SYNTAX_REPEAT ? node->min : 1;
    node->shortest = (uint32_t)min_u64(min, UINT32_MAX);
}

/* Makes nodes[first, reader->count) the items of `node`, and removes them from the stack. */
static enum trawl_status give_items(struct syntax_reader *reader, uint64_t first,
                                    struct syntax_node *node, struct trawl_error *error)
{
    const uint64_t count = reader->count - first;
    void *memory;

    TRAWL_TRY(syntax_memory(reader, count * sizeof *node->items, &memory, error));
    if (count > 0)
        memcpy(memory, reader->nodes + first, (size_t)count * sizeof *node->items);
    node->items = (const struct syntax_node *const *)memory;
    node->count = (uint32_t)count;
    node->may_be_empty = node->kind != SYNTAX_GROUP;
    for (uint64_t i = 0; i < count; i++) {
        const bool empty = node->items[i]->may_be_empty;

        TRAWL_ASSERT(node->items[i]->size > 0);
        syntax_add_facts(node, node->items[i]);
        node->may_be_empty =
            node->kind == SYNTAX_GROUP ? node->may_be_empty || empty : node->may_be_empty && empty;
    }
    note_shortest(node);
    node->may_be_empty |= node->kind == SYNTAX_REPEAT && node->min == 0;
    node->alternates |= node->kind == SYNTAX_GROUP && count > 1;
    node->groups += node->is_numbered;
    reader->count = first;
    return TRAWL_OK;
}

static enum trawl_status keep_set(struct syntax_reader *reader, struct syntax_node *node,
                                  const struct set *set, struct trawl_error *error)
{
    void *memory;

    TRAWL_TRY(syntax_memory(reader, set->count * sizeof *set->ranges, &memory, error));
    if (set->count > 0)
        memcpy(memory, set->ranges, (size_t)set->count * sizeof *set->ranges);
    node->set = (const struct code_range *)memory;
    node->set_count = (uint32_t)set->count;
    return TRAWL_OK;
}

/* Reads the set of a CHAR or a SET (sets_read). */
static enum trawl_status read_set(struct syntax_reader *reader, struct syntax_node *node,
                                  struct trawl_error *error)
{
    struct code_range range = {(uint8_t)node->bytes[0], (uint8_t)node->bytes[0]};
    struct set set = {&range, 1, 0, false};
    enum trawl_status status;

    if (node->kind == SYNTAX_SET || node->bytes_count > 1 || (reader->flags & SYNTAX_FOLDS) != 0 ||
        reader->rules->dna != REGEX_NO_DNA || (range.first >= 0x80 && !reader->rules->bytes))
        TRAWL_TRY(sets_read(reader, node, &set, error));
    else
        sets_report_letter(reader->told, range.first);
    status = keep_set(reader, node, &set, error);
    if (set.ranges != &range)
        sets_release(&set);
    return status;
}

enum trawl_status syntax_add(struct syntax_reader *reader, enum syntax_kind kind, const char *text,
                             uint64_t count, uint64_t length, struct trawl_error *error)
{
    struct syntax_node *node;

    TRAWL_TRY(make(reader, kind, reader->at, &node, error));
    node->bytes = text;
    node->bytes_count = (uint32_t)count;
    reader->at += length;
    TRAWL_ASSERT(reader->at <= reader->bytes_count);
    if (kind == SYNTAX_CHAR || kind == SYNTAX_SET)
        TRAWL_TRY(read_set(reader, node, error));
    return push(reader, node, error);
}

enum trawl_status syntax_take(struct syntax_reader *reader, enum syntax_kind kind, uint64_t length,
                              struct trawl_error *error)
{
    return syntax_add(reader, kind, reader->bytes + reader->at, length, length, error);
}

enum trawl_status syntax_add_set(struct syntax_reader *reader, struct trawl_error *error)
{
    const uint64_t from = reader->at;

    TRAWL_TRY(syntax_add(reader, SYNTAX_SET, reader->bytes + from, 1, 0, error));
    reader->nodes[reader->count - 1]->bytes_count = (uint32_t)(reader->at - from);
    return TRAWL_OK;
}

enum trawl_status syntax_add_edge(struct syntax_reader *reader, char letter, uint64_t length,
                                  struct trawl_error *error)
{
    TRAWL_TRY(syntax_add(reader, SYNTAX_EDGE, NULL, 0, length, error));
    reader->nodes[reader->count - 1]->letter = letter;
    return TRAWL_OK;
}

enum trawl_status syntax_add_literal(struct syntax_reader *reader, struct trawl_error *error)
{
    uint64_t length = 1;

    while ((uint8_t)syntax_byte(reader, reader->at) >= 0xc0 && !reader->rules->bytes &&
           ((uint8_t)syntax_byte(reader, reader->at + length) & 0xc0) == 0x80)
        length++;
    return syntax_take(reader, SYNTAX_CHAR, length, error);
}

enum trawl_status syntax_open(struct syntax_reader *reader, uint64_t from, bool is_numbered,
                              struct trawl_error *error)
{
    struct syntax_frame *frame;
    void *memory;

    reader->depth++;
    TRAWL_TRY(syntax_memory(reader, sizeof *frame, &memory, error));
    frame = (struct syntax_frame *)memory;
    *frame = (struct syntax_frame){.outer = reader->frame,
                                   .first = reader->count,
                                   .list = reader->count,
                                   .flags = reader->flags,
                                   .skips = reader->skips};
    TRAWL_TRY(make(reader, SYNTAX_GROUP, from, &frame->group, error));
    frame->group->is_numbered = is_numbered;
    reader->groups += is_numbered;
    frame->bit = is_numbered && reader->groups < 10 ? 1u << reader->groups : 0;
    reader->frame = frame;
    return TRAWL_OK;
}

/* Returns true if the node is a letter, a digit or '_' that is not optional, and that is not
 * another case of a non-ASCII letter. */
static bool is_word_char(const struct syntax_node *node)
{
    while (node->kind == SYNTAX_REPEAT && node->min > 0)
        node = node->items[0];
    return node->kind == SYNTAX_CHAR && node->bytes_count == 1 &&
           class_is_word_byte(node->bytes[0]) &&
           ((node->flags & SYNTAX_FOLDS) == 0 || strchr("kKsS", node->bytes[0]) == NULL);
}

/* Records the assertions among the node's items. Next to a letter, \m and \M mean the same as \b,
 * which trawl has, and are replaced with it. */
void syntax_note_edges(struct syntax *out, const struct syntax_node *node)
{
    const bool is_void = node->kind == SYNTAX_REPEAT && node->max == 0; /* as (?:^){0} is */

    for (uint32_t i = 0; i < node->count && !is_void; i++) {
        const struct syntax_node *item = node->items[i];
        struct syntax_node *edge = (struct syntax_node *)(uintptr_t)syntax_once(item);

        syntax_note_edges(out, item);
        if (node->kind != SYNTAX_LIST || edge->kind != SYNTAX_EDGE ||
            (item->kind == SYNTAX_REPEAT && item->max == 0))
            continue;
        if ((edge->letter == 'm' && i + 1 < node->count && is_word_char(node->items[i + 1])) ||
            (edge->letter == 'M' && i > 0 && is_word_char(node->items[i - 1])))
            edge->letter = 'b';
        if (edge->letter == '^' || edge->letter == '$') {
            out->has_lines = true;
            out->by_lines |= (edge->flags & SYNTAX_MANY_LINES) != 0;
        }
        out->has_ends |= edge->letter == 'A' || edge->letter == 'z';
        out->edges |= edge->letter == 'b' || edge->letter == 'B'   ? SYNTAX_EDGES
                      : edge->letter == 'm' || edge->letter == 'M' ? SYNTAX_BEGINS
                      : edge->letter == 'h' || edge->letter == 'H' ? SYNTAX_HALVES
                                                                   : 0;
    }
}

/* Drops assertions (?=text) of PCRE2's syntax, unless they are the last item of their list. */
static void drop_aheads(struct syntax_reader *reader)
{
    uint64_t count = reader->frame->list;

    for (uint64_t i = count; i < reader->count; i++)
        if (reader->nodes[i]->letter != SYNTAX_AHEAD || i + 1 == reader->count)
            reader->nodes[count++] = reader->nodes[i];
    reader->count = count;
}

enum trawl_status syntax_end_list(struct syntax_reader *reader, struct trawl_error *error)
{
    struct syntax_frame *frame = reader->frame;
    struct syntax_node *list;

    if (reader->beyond && reader->depth == 1)
        drop_aheads(reader);
    TRAWL_TRY(make(reader, SYNTAX_LIST, reader->at, &list, error));
    TRAWL_TRY(give_items(reader, frame->list, list, error));
    TRAWL_TRY(push(reader, list, error));
    frame->list = reader->count;
    return TRAWL_OK;
}

/* Makes one class of the alternatives of the group that ends, as of (a|e|[io]), if each is a
 * character or a class. */
static enum trawl_status join_characters(struct syntax_reader *reader, struct trawl_error *error)
{
    const uint64_t first = reader->frame->first;
    struct set set = {.count = 0};
    struct syntax_node *node;
    enum trawl_status status;

    for (uint64_t i = first; i < reader->count; i++) {
        const struct syntax_node *list = reader->nodes[i];

        if (list->count != 1 ||
            (list->items[0]->kind != SYNTAX_CHAR && list->items[0]->kind != SYNTAX_SET))
            return TRAWL_OK;
    }
    TRAWL_TRY(make(reader, SYNTAX_SET, reader->frame->group->from, &node, error));
    node->bytes = reader->bytes + node->from;
    node->bytes_count = (uint32_t)(reader->at - node->from);
    for (uint64_t i = first; i < reader->count; i++)
        sets_add(&set, reader->nodes[i]->items[0]);
    status = set.is_cut ? TRAWL_FAIL(error, MEMORY, "out of memory: a class")
                        : keep_set(reader, node, &set, error);
    sets_release(&set);
    TRAWL_TRY(status);
    reader->count = reader->frame->list = first;
    TRAWL_TRY(push(reader, node, error));
    return syntax_end_list(reader, error);
}

enum trawl_status syntax_close(struct syntax_reader *reader, struct trawl_error *error)
{
    struct syntax_frame *frame = reader->frame;
    struct syntax_node *group = frame->group;

    TRAWL_TRY(syntax_end_list(reader, error));
    if (reader->count - frame->first > 1 && !reader->beyond && reader->told == NULL &&
        reader->rules->dna == REGEX_NO_DNA) /* tell.c looks at each alternative */
        TRAWL_TRY(join_characters(reader, error));
    TRAWL_TRY(give_items(reader, frame->first, group, error));
    TRAWL_ASSERT(group->count > 0);
    if (group->height++ == SYNTAX_DEPTH_MAX && frame->outer != NULL)
        return syntax_refuse(group->from, error, "groups are nested too deeply");
    reader->flags = frame->flags;
    reader->skips = frame->skips;
    reader->closed |= frame->bit;
    reader->frame = frame->outer;
    reader->depth--;
    return reader->frame != NULL ? push(reader, group, error) : TRAWL_OK;
}

enum trawl_status syntax_repeat(struct syntax_reader *reader, const struct braces *counts,
                                bool is_lazy, struct trawl_error *error)
{
    const struct syntax_node *item = reader->nodes[reader->count - 1];
    struct syntax_node *node;
    uint64_t product = counts->is_endless ? counts->min : counts->max;

    TRAWL_TRY(make(reader, SYNTAX_REPEAT, reader->last_at, &node, error));
    node->is_lazy = is_lazy != ((reader->flags & SYNTAX_SHORTEST) != 0);
    node->min = counts->min;
    node->max = counts->is_endless ? SYNTAX_ENDLESS : counts->max;
    TRAWL_TRY(give_items(reader, reader->count - 1, node, error));
    product = max_u64(product, 1) * item->product;
    node->product = (uint32_t)min_u64(product, SYNTAX_PRODUCT_MAX + 1);
    /* x{2,} is xxx*, and x{2,3} is xxx?, each with a fork */
    node->steps = (uint32_t)min_u64((counts->is_endless ? counts->min + UINT64_C(1) : counts->max) *
                                            (item->steps + UINT64_C(1)) +
                                        1,
                                    UINT32_MAX);
    if (reader->large_count == 0 && product > SYNTAX_PRODUCT_MAX) {
        reader->large_at = reader->last_at;
        reader->large_count = reader->at - reader->last_at;
    }
    if (node->height++ == SYNTAX_DEPTH_MAX)
        return syntax_refuse(node->from, error, "repetitions are nested too deeply");
    return push(reader, node, error);
}

void syntax_forget(struct syntax *syntax)
{
    for (struct syntax_block *block = syntax->blocks, *next; block != NULL; block = next) {
        next = block->next;
        memory_release(block, 1, block->bytes);
    }
    memory_release(syntax->marks, syntax->mark_capacity, sizeof *syntax->marks);
    syntax->blocks = NULL;
    syntax->marks = NULL;
    syntax->mark_count = syntax->mark_capacity = 0;
    syntax->root.items = NULL;
    syntax->root.count = 0;
}

void syntax_release(struct syntax *syntax)
{
    syntax_forget(syntax);
    memset(syntax, 0, sizeof *syntax);
}

bool syntax_has(const struct syntax_node *node, enum syntax_kind kind)
{
    bool has = node->kind == kind;

    for (uint32_t i = 0; i < node->count && !has; i++)
        has = syntax_has(node->items[i], kind);
    return has;
}

uint32_t syntax_max_bytes(const struct syntax_node *node)
{
    uint64_t max = node->kind == SYNTAX_CHAR || node->kind == SYNTAX_SET ? CHARACTER_BYTES_MAX
                   : node->kind == SYNTAX_REFERENCE                      ? UINT32_MAX
                                                    : node->kind == SYNTAX_BYTE;

    for (uint32_t i = 0; i < node->count; i++) {
        const uint64_t item = syntax_max_bytes(node->items[i]);

        max = node->kind == SYNTAX_LIST     ? max + item
              : node->kind == SYNTAX_REPEAT ? item * node->max
                                            : max_u64(max, item);
    }
    return (uint32_t)min_u64(max, UINT32_MAX);
}

bool syntax_equals(const struct syntax_node *a, const struct syntax_node *b)
{
    bool equal = a->kind == b->kind && a->flags == b->flags && a->letter == b->letter &&
                 a->is_lazy == b->is_lazy && a->min == b->min && a->max == b->max &&
                 a->count == b->count && a->set_count == b->set_count &&
                 (a->set_count == 0 || memcmp(a->set, b->set, a->set_count * sizeof *a->set) == 0);

    for (uint32_t i = 0; i < a->count && equal; i++)
        equal = syntax_equals(a->items[i], b->items[i]);
    return equal;
}
