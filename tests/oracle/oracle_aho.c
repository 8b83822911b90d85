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

struct aho {
    const struct naive_query *query;
    struct node *nodes;
    /* per pattern: the next equal pattern, plus 1; 0: no equal pattern follows */
    uint32_t *next_output;
    uint32_t count, first[256]; /* nodes; the root's child by each byte */
    uint64_t longest;
};

static uint32_t child_by(const struct aho *trie, uint32_t node, uint8_t byte)
{
    uint32_t child = node == 0 ? trie->first[byte] : trie->nodes[node].child;

    while (child != 0 && trie->nodes[child].byte != byte)
        child = trie->nodes[child].sibling;
    return child;
}

static void add(struct aho *trie, const struct naive_query *query, uint32_t pattern)
{
    uint32_t node = 0;

    for (uint64_t i = 0; i < query->patterns[pattern].bytes_count; i++) {
        uint8_t byte = naive_fold(query->patterns[pattern].bytes[i], query->flags);
        uint32_t child = child_by(trie, node, byte);

        if (child == 0) {
            child = trie->count++;
            trie->nodes[child] = (struct node){0, trie->nodes[node].child, 0, 0, 0, byte};
            trie->nodes[node].child = child;
            if (node == 0)
                trie->first[byte] = child;
        }
        node = child;
    }
    if (query->patterns[pattern].bytes_count > trie->longest)
        trie->longest = query->patterns[pattern].bytes_count;
    trie->next_output[pattern] = trie->nodes[node].output;
    trie->nodes[node].output = pattern + 1;
}

static uint32_t step(const struct aho *trie, uint32_t node, uint8_t byte)
{
    uint32_t child;

    while ((child = child_by(trie, node, byte)) == 0 && node != 0)
        node = trie->nodes[node].fail;
    return child;
}

/* Sets `fail` and `shorter` of all nodes, breadth first. `queue` has room for all nodes. */
static void link_nodes(struct aho *trie, uint32_t *queue)
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

void aho_read(const struct aho *aho, struct naive_bytes text, uint64_t begin, uint64_t end,
              aho_found *found, void *context)
{
    const struct naive_query *query = aho->query;
    uint32_t node = 0;

    for (uint64_t i = begin < aho->longest ? 0 : begin - aho->longest + 1; i < end; i++) {
        uint32_t at = node = step(aho, node, naive_fold(text.bytes[i], query->flags));

        for (; at != 0 && i >= begin; at = aho->nodes[at].shorter)
            for (uint32_t p = aho->nodes[at].output; p != 0; p = aho->next_output[p - 1]) {
                uint64_t from = i + 1 - query->patterns[p - 1].bytes_count;

                if ((from > 0 && naive_blocks(query, text.bytes[from - 1])) ||
                    (i + 1 < text.bytes_count && naive_blocks(query, text.bytes[i + 1])))
                    continue;
                if (!found(context, i + 1, p - 1))
                    return;
            }
    }
}

void aho_close(struct aho *aho)
{
    if (aho == NULL)
        return;
    free(aho->next_output);
    free(aho->nodes);
    free(aho);
}

struct aho *aho_open(const struct naive_query *query)
{
    struct aho *aho = calloc(1, sizeof *aho);
    uint64_t total = 1;
    uint32_t *queue;

    for (uint64_t i = 0; i < query->pattern_count; i++)
        total += query->patterns[i].bytes_count;
    queue = calloc((size_t)total, sizeof *queue);
    if (aho != NULL) {
        aho->query = query;
        aho->count = 1;
        aho->nodes = calloc((size_t)total, sizeof *aho->nodes);
        aho->next_output = calloc((size_t)query->pattern_count + 1, sizeof *aho->next_output);
    }
    if (aho == NULL || aho->nodes == NULL || aho->next_output == NULL || queue == NULL) {
        aho_close(aho);
        aho = NULL;
    } else {
        for (uint64_t i = 0; i < query->pattern_count; i++)
            add(aho, query, (uint32_t)i);
        link_nodes(aho, queue);
    }
    free(queue);
    return aho;
}

struct list {
    const struct naive_query *query;
    struct naive_match *items;
    uint64_t count, capacity;
    bool failed;
};

static bool keep(void *context, uint64_t end, uint32_t pattern)
{
    struct list *list = context;

    if (list->count == list->capacity) {
        uint64_t capacity = list->capacity == 0 ? 1024 : 2 * list->capacity;
        void *items = realloc(list->items, (size_t)capacity * sizeof *list->items);

        list->failed = items == NULL;
        if (list->failed)
            return false;
        list->items = items;
        list->capacity = capacity;
    }
    list->items[list->count++] =
        (struct naive_match){end - list->query->patterns[pattern].bytes_count, end, pattern};
    return true;
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
    struct list list = {query, NULL, 0, 0, false};
    struct aho *aho = aho_open(query);

    if (aho != NULL)
        aho_read(aho, text, 0, text.bytes_count, keep, &list);
    aho_close(aho);
    if (list.failed) {
        free(list.items);
        list.items = NULL;
        list.count = 0;
    } else if (list.count > 0) {
        qsort(list.items, (size_t)list.count, sizeof *list.items, compare);
    }
    *match_count = list.count;
    return list.items;
}
