/* oracle_aho: the Aho-Corasick automaton: a trie of the patterns, in which each node has a link to
 * the node of its longest proper suffix (`fail`), and the patterns that end there. */
#include "oracle_aho.h"

#include <stdlib.h>

struct node {
    uint32_t child;   /* the first child; 0: no child */
    uint32_t sibling; /* the next node with the same parent; 0: no such node */
    uint32_t fail;
    uint32_t output;  /* the first pattern that ends here, plus 1; 0: no pattern does */
    uint32_t shorter; /* the nearest node with an output along `fail` links; 0: no such node */
    uint8_t byte;
};

struct trie {
    struct node *nodes;
    /* per pattern: the next equal pattern, plus 1; 0: no equal pattern follows */
    uint32_t *next_output;
    uint32_t count;
};

static uint8_t fold(uint8_t byte, uint32_t flags)
{
    return (flags & NAIVE_IGNORE_CASE) && byte >= 'A' && byte <= 'Z' ? (uint8_t)(byte + 32) : byte;
}

static uint32_t child_by(const struct trie *trie, uint32_t node, uint8_t byte)
{
    uint32_t child = trie->nodes[node].child;

    while (child != 0 && trie->nodes[child].byte != byte)
        child = trie->nodes[child].sibling;
    return child;
}

static void add(struct trie *trie, const struct naive_query *query, uint32_t pattern)
{
    uint32_t node = 0;

    for (uint64_t i = 0; i < query->patterns[pattern].bytes_count; i++) {
        uint8_t byte = fold(query->patterns[pattern].bytes[i], query->flags);
        uint32_t child = child_by(trie, node, byte);

        if (child == 0) {
            child = trie->count++;
            trie->nodes[child] = (struct node){0, trie->nodes[node].child, 0, 0, 0, byte};
            trie->nodes[node].child = child;
        }
        node = child;
    }
    trie->next_output[pattern] = trie->nodes[node].output;
    trie->nodes[node].output = pattern + 1;
}

static uint32_t step(const struct trie *trie, uint32_t node, uint8_t byte)
{
    uint32_t child;

    while ((child = child_by(trie, node, byte)) == 0 && node != 0)
        node = trie->nodes[node].fail;
    return child;
}

/* Sets `fail` and `shorter` of all nodes, breadth first. `queue` has room for all nodes. */
static void link_nodes(struct trie *trie, uint32_t *queue)
{
    uint32_t head = 0, tail = 1;

    for (queue[0] = 0; head < tail; head++) {
        uint32_t parent = queue[head];

        for (uint32_t child = trie->nodes[parent].child; child != 0;
             child = trie->nodes[child].sibling) {
            uint32_t fail =
                parent == 0 ? 0 : step(trie, trie->nodes[parent].fail, trie->nodes[child].byte);

            trie->nodes[child].fail = fail;
            trie->nodes[child].shorter =
                trie->nodes[fail].output != 0 ? fail : trie->nodes[fail].shorter;
            queue[tail++] = child;
        }
    }
}

/* Returns true if, by the query's flags, no occurrence may be next to this byte. */
static bool blocks(const struct naive_query *query, uint8_t c)
{
    bool word = (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') || c == '_';

    if (query->flags & NAIVE_WHOLE_LINE) /* then WHOLE_WORD changes nothing */
        return !naive_ends_line(query, c);
    return (query->flags & NAIVE_WHOLE_WORD) && word;
}

struct list {
    struct naive_match *items;
    uint64_t count, capacity;
    bool failed;
};

static void keep(struct list *list, const struct naive_query *query, struct naive_bytes text,
                 uint64_t end, uint32_t pattern)
{
    uint64_t begin = end - query->patterns[pattern].bytes_count;

    if ((begin > 0 && blocks(query, text.bytes[begin - 1])) ||
        (end < text.bytes_count && blocks(query, text.bytes[end])))
        return;
    if (list->count == list->capacity) {
        uint64_t capacity = list->capacity == 0 ? 1024 : 2 * list->capacity;
        void *items = realloc(list->items, (size_t)capacity * sizeof *list->items);

        list->failed = list->failed || items == NULL;
        if (items == NULL)
            return;
        list->items = items;
        list->capacity = capacity;
    }
    list->items[list->count++] = (struct naive_match){begin, end, pattern};
}

static void read_text(const struct trie *trie, const struct naive_query *query,
                      struct naive_bytes text, struct list *list)
{
    uint32_t node = 0;

    for (uint64_t i = 0; i < text.bytes_count && !list->failed; i++) {
        uint32_t at = node = step(trie, node, fold(text.bytes[i], query->flags));

        for (; at != 0; at = trie->nodes[at].shorter)
            for (uint32_t p = trie->nodes[at].output; p != 0; p = trie->next_output[p - 1])
                keep(list, query, text, i + 1, p - 1);
    }
}

static int compare(const void *a, const void *b)
{
    const struct naive_match *first = a, *second = b;

    if (first->begin != second->begin)
        return first->begin < second->begin ? -1 : 1;
    return (first->pattern_index > second->pattern_index) -
           (first->pattern_index < second->pattern_index);
}

struct naive_match *aho_matches(const struct naive_query *query, struct naive_bytes text,
                                uint64_t *match_count)
{
    uint64_t total = 1;
    struct trie trie = {NULL, NULL, 1};
    struct list list = {NULL, 0, 0, false};
    uint32_t *queue;

    for (uint64_t i = 0; i < query->pattern_count; i++)
        total += query->patterns[i].bytes_count;
    trie.nodes = calloc((size_t)total, sizeof *trie.nodes);
    trie.next_output = calloc((size_t)query->pattern_count + 1, sizeof *trie.next_output);
    queue = calloc((size_t)total, sizeof *queue);
    if (trie.nodes != NULL && trie.next_output != NULL && queue != NULL) {
        for (uint64_t i = 0; i < query->pattern_count; i++)
            add(&trie, query, (uint32_t)i);
        link_nodes(&trie, queue);
        read_text(&trie, query, text, &list);
    }
    free(queue);
    free(trie.next_output);
    free(trie.nodes);
    if (list.failed || list.count == 0) {
        free(list.items);
        list = (struct list){NULL, 0, 0, false};
    } else {
        qsort(list.items, (size_t)list.count, sizeof *list.items, compare);
    }
    *match_count = list.count;
    return list.items;
}
