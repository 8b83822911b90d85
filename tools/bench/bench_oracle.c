/* bench_oracle: computes the right answers with the tests' automaton for all patterns
 * (oracle_aho.h), which shares no code with the library. Threads take segments of the text; an
 * occurrence belongs to the segment in which it ends.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "oracle/oracle_aho.h"

#define PIECE_BYTES (1u << 20) /* a thread takes this part of the text at a time */
#define PATTERN_BITS 24

struct oracle {
    const struct question *question;
    const struct naive_query *query;
    const struct aho *aho;
    struct naive_bytes text; /* the bytes that are searched */
    enum call call;
    uint64_t longest;                   /* bytes of the longest pattern */
    uint8_t *begun;                     /* lines: 1 at each offset at which an occurrence begins */
    _Atomic uint64_t found, sum, first; /* first: least begin << PATTERN_BITS | pattern */
};

/* What a thread found in its segment, or in a record. */
struct piece {
    struct oracle *it;
    struct answer own;
    uint64_t record;
    /* 1 + the last record in which each pattern occurs; RECORDS_ANY has one entry for all */
    uint64_t *last;
};

/* ---- Occurrences -------------------------------------------------------------------------- */

static void take_first(struct oracle *it, uint64_t begin, uint64_t pattern)
{
    uint64_t found = begin << PATTERN_BITS | pattern, first = it->first;

    while (found < first && !atomic_compare_exchange_weak(&it->first, &first, found))
        ;
}

static bool take_occurrence(void *context, uint64_t end, uint32_t pattern)
{
    struct piece *piece = (struct piece *)context;
    struct oracle *it = piece->it;
    uint64_t begin = end - it->query->patterns[pattern].bytes_count;

    piece->own.count++;
    if (it->call == CALL_FIRST)
        take_first(it, begin, pattern);
    else if (it->begun != NULL) /* other threads write to other offsets */
        it->begun[begin] = 1;
    else
        piece->own.sum += answer_mix(it->call == CALL_BY_PATTERN ? 0 : begin,
                                     it->call == CALL_BEGINS ? 0 : pattern, 0);
    return true;
}

/* Searches a segment of the text. If only the first occurrence is wanted, skips a segment that
 * starts after one that some thread has found. */
static void search_piece(void *context, uint64_t index)
{
    struct oracle *it = (struct oracle *)context;
    uint64_t begin = index * PIECE_BYTES, end = begin + PIECE_BYTES;
    struct piece piece = {.it = it};

    if (it->call == CALL_FIRST && (it->first >> PATTERN_BITS) + it->longest <= begin)
        return;
    aho_read(it->aho, it->text, begin, end < it->text.bytes_count ? end : it->text.bytes_count,
             take_occurrence, &piece);
    atomic_fetch_add(&it->found, piece.own.count);
    atomic_fetch_add(&it->sum, piece.own.sum);
}

/* ---- Records ------------------------------------------------------------------------------ */

/* Adds an occurrence to the answer if it is the first of its pattern in its record. */
static bool take_cell(void *context, uint64_t end, uint32_t pattern)
{
    struct piece *piece = (struct piece *)context;
    struct oracle *it = piece->it;
    uint64_t begin = end - it->query->patterns[pattern].bytes_count;
    bool any = it->call == CALL_RECORDS_ANY;
    uint64_t *last = piece->last + (any ? 0 : pattern);

    if (*last == piece->record + 1)
        return true;
    *last = piece->record + 1;
    it->found++;
    it->sum += answer_mix(piece->record, any ? 1 : pattern, it->call == CALL_CELLS ? begin : 0);
    return true;
}

/* Searches record by record, because only a pattern's first occurrence in each record counts. */
static void search_records(struct oracle *it)
{
    uint64_t count = question_records(it->question, it->text.bytes_count);
    struct piece piece = {.it = it};

    piece.last = (uint64_t *)allocate(it->question->pattern_count * sizeof *piece.last);
    for (; piece.record < count; piece.record++) {
        const uint64_t *offsets = it->question->offsets + piece.record;
        struct naive_bytes record = {it->text.bytes + offsets[0], offsets[1] - offsets[0]};

        aho_read(it->aho, record, 0, record.bytes_count, take_cell, &piece);
    }
    free(piece.last);
}

/* ---- Lines -------------------------------------------------------------------------------- */

/* Returns the number of lines in which an occurrence begins or, with OTHER_LINES, of all others. */
static uint64_t count_lines(const struct oracle *it)
{
    uint64_t count = 0;

    for (uint64_t at = 0, end; at < it->text.bytes_count; at = end) {
        const uint8_t *line = it->text.bytes + at, *next;

        next = (const uint8_t *)memchr(line, '\n', (size_t)(it->text.bytes_count - at));
        end = next != NULL ? (uint64_t)(next - it->text.bytes) + 1 : it->text.bytes_count;
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
    struct answer answer = {0, 0, call != CALL_COUNT && call_subject(call) != OF_LINES};
    const uint64_t count = question->pattern_count;
    const uint32_t flags = question->flags;
    struct naive_bytes *patterns;
    struct naive_query query = {.pattern_count = count, .line_end = '\n'};
    struct oracle it = {.question = question, .query = &query, .call = call, .first = UINT64_MAX};
    struct aho *aho;

    if (field(&question->fields, "each", NULL) != NULL)
        return answer_each(question, call, bytes);
    query.flags = ((flags & TRAWL_IGNORE_CASE) != 0 ? NAIVE_IGNORE_CASE : 0u) |
                  ((flags & TRAWL_WHOLE_WORD) != 0 ? NAIVE_WHOLE_WORD : 0u) |
                  ((flags & TRAWL_WHOLE_LINE) != 0 ? NAIVE_WHOLE_LINE : 0u);
    query.patterns = patterns = (struct naive_bytes *)allocate(count * sizeof *patterns);
    for (uint64_t i = 0; i < count; i++) {
        patterns[i] =
            (struct naive_bytes){question->patterns[i].bytes, question->patterns[i].bytes_count};
        it.longest = it.longest > patterns[i].bytes_count ? it.longest : patterns[i].bytes_count;
    }
    it.text = (struct naive_bytes){question->bytes, bytes};
    it.aho = aho = aho_open(&query);
    if (aho == NULL)
        fail("no memory for the oracle");
    if (call_subject(call) == OF_LINES)
        it.begun = (uint8_t *)allocate(bytes + 1);
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
    aho_close(aho);
    free(patterns);
    free(it.begun);
    return answer;
}
