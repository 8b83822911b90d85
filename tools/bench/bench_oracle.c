/* bench_oracle: computes the right answers with an automaton for all patterns (Aho, Corasick 1975),
 * which shares no code with the library. Threads take segments of the text. An occurrence belongs
 * to the segment in which it ends. The automaton starts longest - 1 bytes before a segment, so that
 * its state is right at the segment's start.
 */
#include <ctype.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"

#define PIECE_BYTES (1u << 20) /* a thread takes this part of the text at a time */
#define PATTERN_BITS 24

/* ---- The automaton ------------------------------------------------------------------------ */

struct node {
    /* first child, and next child of the same parent; 0: there is none. fail: node of the longest
     * proper suffix */
    uint32_t child, sibling, fail;
    uint32_t out;     /* nearest node at which a pattern ends, along `fail`, this node included */
    uint32_t pattern; /* 1 + index of the last pattern that ends here; 0: no pattern does */
    uint8_t byte;
    uint64_t total; /* number of patterns that end here or at a node along `fail` */
};

struct oracle {
    const struct question *question;
    uint64_t bytes;
    struct node *node; /* node 0 is the root */
    /* number of nodes except for the root; the root's child for each byte */
    uint32_t count, root[256];
    uint32_t *next;    /* for each pattern, 1 + the index of an earlier, equal one; 0: none */
    uint32_t *order;   /* the nodes by distance from the root */
    uint64_t longest;  /* length of the longest pattern */
    uint8_t fold[256]; /* each byte, in lower case if the question ignores case */
    enum call call;
    bool counts;                        /* node.total is enough: a count without conditions */
    uint8_t *begun;                     /* lines: 1 at each offset at which an occurrence begins */
    _Atomic uint64_t found, sum, first; /* first: least begin << PATTERN_BITS | pattern */
};

/* Returns the child of a node by this byte; 0: the node has no such child. */
static uint32_t child_of(const struct oracle *it, uint32_t node, uint8_t byte)
{
    uint32_t child;

    if (node == 0)
        return it->root[byte];
    for (child = it->node[node].child; child != 0 && it->node[child].byte != byte;)
        child = it->node[child].sibling;
    return child;
}

/* Returns the node after a byte: it represents the longest string that ends with this byte and is a
 * prefix of some pattern. */
static uint32_t step(const struct oracle *it, uint32_t node, uint8_t byte)
{
    uint32_t child;

    while ((child = child_of(it, node, byte)) == 0 && node != 0)
        node = it->node[node].fail;
    return child;
}

/* Adds a pattern's nodes to the trie. Patterns with equal bytes form a list by `next`. */
static void add_pattern(struct oracle *it, uint64_t index)
{
    const struct trawl_pattern *pattern = &it->question->patterns[index];
    uint32_t node = 0;

    for (uint64_t i = 0; i < pattern->bytes_count; i++) {
        uint8_t byte = it->fold[((const uint8_t *)pattern->bytes)[i]];
        uint32_t child = child_of(it, node, byte);

        if (child == 0) {
            child = ++it->count;
            it->node[child].byte = byte;
            it->node[child].sibling = it->node[node].child;
            it->node[node].child = child;
            if (node == 0)
                it->root[byte] = child;
        }
        node = child;
    }
    it->next[index] = it->node[node].pattern;
    it->node[node].pattern = (uint32_t)index + 1;
    it->node[node].total++;
    if (pattern->bytes_count > it->longest)
        it->longest = pattern->bytes_count;
}

/* Sets `fail`, `out` and `total` of all nodes, breadth first, so that shorter strings come
 * before longer strings. */
static void link_fails(struct oracle *it)
{
    uint32_t used = 1;

    it->order = (uint32_t *)allocate(((uint64_t)it->count + 1) * sizeof *it->order);
    for (uint32_t at = 0; at < used; at++)
        for (uint32_t child = it->node[it->order[at]].child; child != 0;
             child = it->node[child].sibling) {
            struct node *node = &it->node[child];

            node->fail = at == 0 ? 0 : step(it, it->node[it->order[at]].fail, node->byte);
            node->out = node->pattern != 0 ? child : it->node[node->fail].out;
            node->total += it->node[node->fail].total;
            it->order[used++] = child;
        }
}

/* Makes the automaton of the question's patterns, for a search of the text's first `bytes`
 * bytes. */
static void automaton_open(struct oracle *it, const struct question *question, enum call call,
                           uint64_t bytes)
{
    uint64_t nodes = 1;

    memset(it, 0, sizeof *it);
    it->question = question;
    it->call = call;
    it->bytes = bytes;
    it->first = UINT64_MAX;
    for (uint32_t i = 0; i < 256; i++)
        it->fold[i] =
            (uint8_t)((question->flags & TRAWL_IGNORE_CASE) != 0 ? tolower((int)i) : (int)i);
    for (uint64_t i = 0; i < question->pattern_count; i++)
        nodes += question->patterns[i].bytes_count;
    it->node = (struct node *)allocate(nodes * sizeof *it->node);
    it->next = (uint32_t *)allocate(question->pattern_count * sizeof *it->next);
    for (uint64_t i = 0; i < question->pattern_count; i++)
        add_pattern(it, i);
    link_fails(it);
    it->counts =
        call == CALL_COUNT && (question->flags & (TRAWL_WHOLE_WORD | TRAWL_WHOLE_LINE)) == 0;
    if (call_subject(call) == OF_LINES)
        it->begun = (uint8_t *)allocate(bytes + 1);
}

static void automaton_close(struct oracle *it)
{
    free(it->node);
    free(it->next);
    free(it->order);
    free(it->begun);
}

/* ---- Occurrences -------------------------------------------------------------------------- */

/* Returns true if a byte next to an occurrence means that it is not a whole word or line. */
static bool spoils(const struct oracle *it, uint8_t byte)
{
    bool word = byte == '_' || (byte < 0x80 && isalnum(byte));

    return ((it->question->flags & TRAWL_WHOLE_WORD) != 0 && word) ||
           ((it->question->flags & TRAWL_WHOLE_LINE) != 0 && byte != '\n');
}

/* Returns true if an occurrence is a whole word or line, or the question does not require that.
 * `within` is the text or the record: there are no bytes beyond it. */
static bool is_whole(const struct oracle *it, struct trawl_range occurrence,
                     struct trawl_range within)
{
    const uint8_t *bytes = it->question->bytes;

    return (occurrence.begin == within.begin || !spoils(it, bytes[occurrence.begin - 1])) &&
           (occurrence.end == within.end || !spoils(it, bytes[occurrence.end]));
}

static void take_first(struct oracle *it, uint64_t begin, uint64_t pattern)
{
    uint64_t found = begin << PATTERN_BITS | pattern, first = it->first;

    while (found < first && !atomic_compare_exchange_weak(&it->first, &first, found))
        ;
}

/* Adds an occurrence that ends at `end` to the answer, if it is whole. */
static void occurrence_take(struct oracle *it, uint64_t end, uint64_t pattern, struct answer *own)
{
    uint64_t begin = end - it->question->patterns[pattern].bytes_count;

    if (!is_whole(it, (struct trawl_range){begin, end}, (struct trawl_range){0, it->bytes}))
        return;
    own->count++;
    if (it->call == CALL_FIRST)
        take_first(it, begin, pattern);
    else if (it->begun != NULL) /* other threads write to other offsets */
        it->begun[begin] = 1;
    else
        own->sum += answer_mix(it->call == CALL_BY_PATTERN ? 0 : begin,
                               it->call == CALL_BEGINS ? 0 : pattern, 0);
}

/* Searches a segment of the text. If only the first occurrence is wanted, skips a segment that
 * starts after one that some thread has found. */
static void search_piece(void *context, uint64_t index)
{
    struct oracle *it = (struct oracle *)context;
    uint64_t begin = index * PIECE_BYTES, end = begin + PIECE_BYTES;
    uint64_t at = begin < it->longest ? 0 : begin - it->longest + 1;
    struct answer own = {0, 0, false};
    uint32_t node = 0;

    if (end > it->bytes)
        end = it->bytes;
    if (it->call == CALL_FIRST && it->first >> PATTERN_BITS <= at)
        return;
    for (; at < end; at++) {
        node = step(it, node, it->fold[it->question->bytes[at]]);
        if (at < begin)
            continue;
        if (it->counts)
            own.count += it->node[node].total;
        else
            for (uint32_t out = it->node[node].out; out != 0;
                 out = it->node[it->node[out].fail].out)
                for (uint32_t p = it->node[out].pattern; p != 0; p = it->next[p - 1])
                    occurrence_take(it, at + 1, p - 1, &own);
    }
    atomic_fetch_add(&it->found, own.count);
    atomic_fetch_add(&it->sum, own.sum);
}

/* ---- Records ------------------------------------------------------------------------------ */

/* Adds an occurrence that ends at `end` to the answer, if it is whole and the first in its record.
 * `last` holds 1 + the last record in which each pattern occurs; RECORDS_ANY has one entry for all.
 */
static void cell_take(struct oracle *it, uint64_t record, uint64_t end, uint64_t pattern,
                      uint64_t *last)
{
    const uint64_t *offsets = it->question->offsets + record;
    uint64_t begin = end - it->question->patterns[pattern].bytes_count;
    bool any = it->call == CALL_RECORDS_ANY;

    last += any ? 0 : pattern;
    if (*last == record + 1 || !is_whole(it, (struct trawl_range){begin, end},
                                         (struct trawl_range){offsets[0], offsets[1]}))
        return;
    *last = record + 1;
    it->found++;
    it->sum +=
        answer_mix(record, any ? 1 : pattern, it->call == CALL_CELLS ? begin - offsets[0] : 0);
}

/* Searches record by record, because only a pattern's first occurrence in each record counts. */
static void search_records(struct oracle *it)
{
    uint64_t *last = (uint64_t *)allocate(it->question->pattern_count * sizeof *last);
    uint64_t count = question_records(it->question, it->bytes);

    for (uint64_t record = 0; record < count; record++) {
        uint32_t node = 0;

        for (uint64_t at = it->question->offsets[record]; at < it->question->offsets[record + 1];
             at++) {
            node = step(it, node, it->fold[it->question->bytes[at]]);
            for (uint32_t out = it->node[node].out; out != 0;
                 out = it->node[it->node[out].fail].out)
                for (uint32_t p = it->node[out].pattern; p != 0; p = it->next[p - 1])
                    cell_take(it, record, at + 1, p - 1, last);
        }
    }
    free(last);
}

/* ---- Lines -------------------------------------------------------------------------------- */

/* Returns the number of lines in which an occurrence begins or, with OTHER_LINES, of all others. */
static uint64_t count_lines(const struct oracle *it)
{
    uint64_t count = 0;

    for (uint64_t at = 0, end; at < it->bytes; at = end) {
        const uint8_t *line = it->question->bytes + at, *next;

        next = (const uint8_t *)memchr(line, '\n', (size_t)(it->bytes - at));
        end = next != NULL ? (uint64_t)(next - it->question->bytes) + 1 : it->bytes;
        count +=
            (memchr(it->begun + at, 1, (size_t)(end - at)) != NULL) == (it->call == CALL_LINES);
    }
    return count;
}

/* ---- Answers ------------------------------------------------------------------------------ */

/* Answers the question for each pattern separately, and adds up the answers. */
static struct answer answer_each(const struct question *question, enum call call, uint64_t bytes)
{
    struct answer all = {0, 0, true};

    for (uint64_t p = 0; p < question->pattern_count; p++) {
        struct question one = *question;
        struct answer answer;

        memset(&one.fields, 0, sizeof one.fields);
        one.patterns = question->patterns + p;
        one.pattern_count = 1;
        answer = oracle_answer(&one, call, bytes);
        all.count += answer.count;
        all.sum += answer_mix(p, answer.count, 0);
    }
    return all;
}

struct answer oracle_answer(const struct question *question, enum call call, uint64_t bytes)
{
    bool summed = call != CALL_COUNT && call_subject(call) != OF_LINES;
    struct answer answer = {0, 0, summed};
    struct oracle it;

    if (field(&question->fields, "each", NULL) != NULL)
        return answer_each(question, call, bytes);
    automaton_open(&it, question, call, bytes);
    if (call_subject(call) >= OF_TAPE)
        search_records(&it);
    else
        (void)pieces_run(search_piece, &it, (bytes + PIECE_BYTES - 1) / PIECE_BYTES, cores_count());
    answer.count = it.begun != NULL ? count_lines(&it) : it.found;
    answer.sum = it.sum;
    if (call == CALL_FIRST) {
        answer.count = it.first == UINT64_MAX ? 0 : 1 + (it.first >> PATTERN_BITS);
        answer.sum = it.first == UINT64_MAX ? 0 : it.first & ((1u << PATTERN_BITS) - 1);
    }
    automaton_close(&it);
    return answer;
}
