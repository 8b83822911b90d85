/* cuda_answer: computes answers (counts of lines or patterns, records, ...) from hits that stay on
 * the device
 *
 * For each range of the chunk, cuda_scan.c puts the hits into one of the worker's lists. If the
 * plan has conditions, answer_accept then keeps only the hits that are whole words or lines. The
 * other kernels of answer.cu compute the answer from that list. A plan of expressions' strings gets
 * other hits first: the lines that match, or the matches (expressions.cu).
 */
#include "cuda/cuda_answer.h"

#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "cuda/cuda_anchors.h"
#include "cuda/cuda_lists.h"
#include "cuda/cuda_records.h"
#include "cuda/cuda_scan.h"
#include "cuda/residents.h"

/* maximum number of patterns for which a device counts: all counts are copied to the host */
#define PATTERNS_MAX (1u << 20)

/* Returns true if the hits that answer_accept keeps are exactly the plan's occurrences. */
static bool finds_all(const struct trawl_plan *plan)
{
    const bool folds = (plan->flags & TRAWL_WHOLE_WORD) != 0 && plan->utf8_is_set;

    return plan->kind == PLAN_KIND_STRINGS && plan->element_count == 0 && !folds;
}

bool cuda_answer_is_for(const struct trawl_plan *plan, enum answer_form form)
{
    if (cuda_plan_finds(plan))
        return form != ANSWER_OF_LINES && finds_all(plan);
    if (plan->line_reader != NULL) /* it decides whether the lines or records with hits match */
        return form != ANSWER_OF_COUNT && form != ANSWER_OF_PATTERNS && finds_all(plan);
    return form != ANSWER_OF_HITS && finds_all(plan) &&
           (form != ANSWER_OF_PATTERNS || plan->pattern_count <= PATTERNS_MAX);
}

bool cuda_answer_checks(const struct trawl_plan *plan)
{
    return plan_has_conditions(plan) && finds_all(plan);
}

static bool plan_reads_all(const struct trawl_plan *plan)
{
    return plan->line_reader != NULL && plan->line_reader->reads_all;
}

/* ---- Tables ------------------------------------------------------------------------------- */

/* Copies the literals' lengths and patterns to the device, unless all are the same. */
static enum trawl_status literals_want(struct cuda_worker *worker, struct trawl_error *error)
{
    struct cuda_answering *own = worker->answering;
    const struct trawl_plan *plan = worker->plan;
    uint64_t count = plan->literal_count;
    enum trawl_status status;
    uint32_t *words;
    void *host;

    if (own->literals_serial == plan->serial)
        return TRAWL_OK;
    own->literals_serial = 0;
    own->lengths = own->patterns = NULL;
    if (plan->literals != NULL || plan->length_min != plan->length_max) {
        TRAWL_TRY(cuda_memory_reserve(worker->device, &own->literals, 2 * count * sizeof(uint32_t),
                                      error));
        TRAWL_TRY(cuda_worker_stage(worker, 2 * count * sizeof(uint32_t), &host, error));
        words = (uint32_t *)host;
        for (uint32_t i = 0; i < count; i++) {
            const struct plan_literal literal = plan_literal_at(plan, i);

            words[i] = (uint32_t)literal.bytes_count;
            words[count + i] = literal.pattern;
        }
        status = cuda_worker_upload(worker, own->literals.address, host,
                                    2 * count * sizeof(uint32_t), error);
        cuda_worker_unstage(worker, host, 2 * count * sizeof(uint32_t));
        TRAWL_TRY(status);
        own->lengths = (const uint32_t *)(uintptr_t)own->literals.address;
        own->patterns = own->lengths + count;
    }
    own->literals_serial = plan->serial;
    return TRAWL_OK;
}

static uint64_t next_bytes(const struct line_automaton *automaton)
{
    return (automaton->columns * sizeof *automaton->next * automaton->state_count + 15) / 16 * 16;
}

/* Returns the size of the tables of the first `count` automata: of each, `next`, `column_of` and
 * `ends`. */
static uint64_t tables_bytes(const struct line_reader *reader, uint32_t count)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < count; i++)
        bytes += next_bytes(&reader->automata[i]) + sizeof reader->automata[i].column_of +
                 (reader->automata[i].state_count + 15) / 16 * 16;
    return bytes;
}

/* Copies the plan's automata to the device. */
static enum trawl_status automata_want(struct cuda_worker *worker, struct trawl_error *error)
{
    const struct line_reader *reader = worker->plan->line_reader;
    struct cuda_answering *own = worker->answering;
    const bool of_records = own->answer->form == ANSWER_OF_RECORDS;
    enum trawl_status status = TRAWL_OK;
    uint32_t count;
    uint64_t bytes;
    void *host;

    if (reader == NULL ||
        (own->automaton_serial == worker->plan->serial && own->automaton_of_records == of_records))
        return TRAWL_OK;
    own->automaton_serial = 0;
    if (reader->first != NULL)
        TRAWL_TRY(cuda_anchors_want(worker, of_records, error));
    count = reader->finds ? reader->automaton_count : reader->read_count;
    bytes = tables_bytes(reader, count);
    if (bytes == 0)
        goto done;
    TRAWL_TRY(cuda_memory_reserve(worker->device, &own->automaton, bytes, error));
    TRAWL_TRY(cuda_worker_stage(worker, bytes, &host, error));
    for (uint32_t k = 0; k < count; k++) {
        const struct line_automaton *automaton = &reader->automata[k];
        uint8_t *to = (uint8_t *)host + tables_bytes(reader, k);
        uint16_t *next = (uint16_t *)(void *)to;

        if (automaton->next == NULL)
            continue;
        memcpy(next, automaton->next,
               (size_t)automaton->columns * automaton->state_count * sizeof *next);
        to += next_bytes(automaton);
        memcpy(to, automaton->column_of, sizeof automaton->column_of);
        memcpy(to + sizeof automaton->column_of, automaton->ends, automaton->state_count);
        if (!of_records)
            cuda_anchors_end_lines(worker->plan, automaton, next);
    }
    status = cuda_worker_upload(worker, own->automaton.address, host, bytes, error);
    cuda_worker_unstage(worker, host, bytes);
done:
    if (status == TRAWL_OK) {
        own->automaton_serial = worker->plan->serial;
        own->automaton_of_records = of_records;
    }
    return status;
}

static struct answer_automaton automaton_at(const struct cuda_worker *worker, uint32_t index)
{
    const struct line_reader *reader = worker->plan->line_reader;
    const struct line_automaton *of = &reader->automata[index];
    const uint64_t address = worker->answering->automaton.address + tables_bytes(reader, index);
    const uint8_t *column_of = (const uint8_t *)(uintptr_t)(address + next_bytes(of));
    struct answer_automaton automaton = {(const uint16_t *)(uintptr_t)address,
                                         column_of + sizeof of->column_of,
                                         of->columns == 256 ? NULL : column_of,
                                         of->columns,
                                         of->state_count,
                                         {0}};

    _Static_assert(ANSWER_MATCH == LINE_MATCH && ANSWER_BEGINS == (int)LINE_BEFORE_BEGIN &&
                       ANSWER_AFTER_WORD == (int)LINE_BEFORE_WORD &&
                       ANSWER_AFTER_NEWLINE == (int)LINE_BEFORE_NEWLINE &&
                       ANSWER_AFTER_OTHER == (int)LINE_BEFORE_OTHER &&
                       ANSWER_AFTER_BEYOND == (int)LINE_BEFORE_BEYOND &&
                       ANSWER_UNDECIDED == (int)LINE_UNDECIDED && ANSWER_STATE == (int)LINE_BEGIN,
                   "kernels use the automata's numbers");
    for (uint32_t i = 0; i < LINE_BEFORES; i++)
        automaton.first[i] = of->first[i];
    return automaton;
}

/* Allocates the memory that the kernels for a range write to. */
static enum trawl_status range_begin(struct cuda_worker *worker, uint64_t bytes,
                                     struct trawl_error *error)
{
    struct cuda_answering *own = worker->answering;
    uint64_t gap_bytes = ANSWER_GAP_WORDS * sizeof(uint64_t);

    TRAWL_TRY(cuda_lists_sums(worker, error));
    if (own->answer->form != ANSWER_OF_LINES)
        return TRAWL_OK;
    TRAWL_TRY(cuda_worker_reserve(worker, &own->gaps,
                                  (bytes / worker->limits.gap_warp + 1) * gap_bytes, error));
    return cuda_worker_reserve(worker, &own->vast,
                               (bytes / worker->limits.gap_block + 1) * gap_bytes, error);
}

/* Sets the arguments that all kernels for the range, up to `end`, share. */
static void arguments_of(const struct cuda_worker *worker, const struct cuda_range *range,
                         uint64_t end, struct answer_arguments *a)
{
    const struct cuda_answering *own = worker->answering;
    const struct trawl_plan *plan = worker->plan;
    const struct engine_chunk *chunk = worker->chunk;
    uint32_t flags = own->answer->records == NULL ? plan->flags : own->answer->records->flags;
    bool fetched;

    memset(a, 0, sizeof *a);
    a->text = (const uint8_t *)(uintptr_t)range->address;
    a->begin = range->begin;
    a->end = end;
    a->text_end = range->text_end;
    a->line_end = plan->line_end * 0x01010101u;
    a->line_end_also = plan->line_end_also * 0x01010101u;
    a->near_bytes = worker->limits.gap_near;
    a->warp_bytes = worker->limits.gap_warp;
    a->block_bytes = worker->limits.gap_block;
    a->gaps = (uint64_t *)(uintptr_t)own->gaps.address;
    if (!cuda_plan_finds(plan)) {
        a->lengths = own->lengths;
        a->literal_bytes = plan->literal_count == 0 ? 0 : (uint32_t)plan->length_min;
        a->patterns = own->patterns;
    }
    a->counts = (uint64_t *)(uintptr_t)own->counts.address;
    a->pattern_count = (uint32_t)cuda_plan_patterns(plan);
    a->kept_room = UINT64_MAX;
    if ((flags & TRAWL_WHOLE_WORD) != 0)
        a->conditions |= ANSWER_WORDS;
    if ((flags & TRAWL_WHOLE_LINE) != 0)
        a->conditions |= ANSWER_LINES;
    if (plan->line_reader != NULL) {
        if (plan->line_reader->first != NULL)
            cuda_anchors_arguments(worker, a);
        else if (!plan->line_reader->reads_all)
            a->automaton = automaton_at(worker, 0);
        a->crlf = plan->line_reader->crlf && own->answer->form != ANSWER_OF_RECORDS;
    }
    a->decide_bytes = worker->limits.decide_bytes;
    /* false in the copy of a borrowed text's end, where the chunk would begin before the memory */
    a->decide_begins = (int64_t)own->chunk_at >= 0;
    a->decide_low = a->decide_begins ? own->chunk_at : 0;
    a->lead_at = own->chunk_at;
    a->lead = ANSWER_NO_BYTE;
    if (chunk->before > 0)
        a->lead = cuda_residents_borrowed(worker->engine, chunk->bytes, &fetched)
                      ? ANSWER_IN_TEXT
                      : chunk->bytes[-1];
}

/* ---- Answers of a list --------------------------------------------------------------------- */

static uint64_t blocks_resident(const struct cuda_worker *worker, enum cuda_kernel kernel)
{
    return worker->limits.blocks_max != 0 ? worker->limits.blocks_max
                                          : worker->device->resident[kernel];
}

/* The numbers of gaps between hits that contain a line end: before the first hit, between hits, and
 * after the last. */
struct gaps_found {
    uint64_t first, inner, last;
    uint8_t byte; /* the last byte of the range */
};

static void add_gaps(struct gaps_found *found, const uint64_t *sums)
{
    found->first += sums[ANSWER_FIRST];
    found->inner += sums[ANSWER_INNER];
    found->last += sums[ANSWER_LAST];
}

/* Counts the gaps between hits that contain a line end. Three launches: short gaps, longer ones,
 * and then the longest, each with all blocks. */
static enum trawl_status search_gaps(struct cuda_worker *worker, struct answer_arguments *a,
                                     struct gaps_found *found, struct trawl_error *error)
{
    uint64_t blocks = blocks_resident(worker, CUDA_KERNEL_ANSWER_GAPS);
    const uint64_t *sums;

    memset(found, 0, sizeof *found);
    TRAWL_TRY(cuda_lists_run(worker, CUDA_KERNEL_ANSWER_LINES, a->count + 1, 0, a, &sums, error));
    found->byte = (uint8_t)sums[ANSWER_BYTE];
    add_gaps(found, sums);
    a->gap_count = sums[ANSWER_FAR];
    if (a->gap_count == 0)
        return TRAWL_OK;
    a->vast = (uint64_t *)(uintptr_t)worker->answering->vast.address;
    TRAWL_ASSERT(a->gap_count * ANSWER_GAP_WORDS * sizeof(uint64_t) <=
                 worker->answering->gaps.bytes);
    TRAWL_TRY(cuda_lists_run(worker, CUDA_KERNEL_ANSWER_GAPS, a->gap_count * LISTS_THREADS, blocks,
                             a, &sums, error));
    add_gaps(found, sums);
    a->gap_count = sums[ANSWER_VAST];
    if (a->gap_count == 0)
        return TRAWL_OK;
    a->gaps = a->vast;
    a->vast = NULL;
    TRAWL_ASSERT(a->gap_count * ANSWER_GAP_WORDS * sizeof(uint64_t) <=
                 worker->answering->vast.bytes);
    TRAWL_TRY(cuda_lists_run(worker, CUDA_KERNEL_ANSWER_GAPS, blocks * LISTS_THREADS, 0, a, &sums,
                             error));
    add_gaps(found, sums);
    return TRAWL_OK;
}

/* Counts the line ends in the range, unless an earlier call has counted them. */
static enum trawl_status count_ends(struct cuda_worker *worker, struct answer_arguments *a,
                                    uint64_t *ends, struct trawl_error *error)
{
    const struct cuda_answering *own = worker->answering;
    const uint8_t *bytes = worker->chunk->bytes + (a->begin - own->chunk_at);
    struct cuda_line_ends known = {.count = a->end - a->begin,
                                   .line_end = worker->plan->line_end,
                                   .line_end_also = worker->plan->line_end_also};
    const uint64_t *sums;

    if (!cuda_worker_ends(worker, bytes, false, &known)) {
        TRAWL_TRY(cuda_lists_run(worker, CUDA_KERNEL_ANSWER_ENDS, known.count / 16 + 1,
                                 blocks_resident(worker, CUDA_KERNEL_ANSWER_ENDS), a, &sums,
                                 error));
        known.ends = sums[ANSWER_ENDS];
        (void)cuda_worker_ends(worker, bytes, true, &known);
    }
    *ends = known.ends;
    return TRAWL_OK;
}

/* Adds the range's lines to the answer. The range has `count` hits, which are sorted in list
 * `which`. */
static enum trawl_status add_lines(struct cuda_worker *worker, struct answer_arguments *a,
                                   uint32_t which, uint64_t count, struct trawl_error *error)
{
    struct cuda_answering *own = worker->answering;
    struct line_digest lines = {.has_bytes = a->end > a->begin, .tail_has_bytes = true};
    struct gaps_found found;
    uint64_t distinct;

    if (a->end == a->begin)
        return TRAWL_OK;
    a->hits = (const uint64_t *)(uintptr_t)worker->lists[which].address;
    a->count = count;
    TRAWL_TRY(search_gaps(worker, a, &found, error));
    lines.has_line_end = found.first + found.inner + found.last > 0;
    lines.tail_hit = count > 0 && (!lines.has_line_end || found.last == 0);
    lines.head_hit = lines.has_line_end && count > 0 && found.first == 0;
    distinct = count == 0 ? 0 : 1 + found.inner;
    if (lines.has_line_end) {
        TRAWL_ASSERT(distinct >= (uint64_t)lines.head_hit + lines.tail_hit);
        lines.inside_hit = distinct - lines.head_hit - lines.tail_hit;
        lines.tail_has_bytes =
            found.byte != worker->plan->line_end && found.byte != worker->plan->line_end_also;
    }
    if (own->answer->counts_ends)
        TRAWL_TRY(count_ends(worker, a, &lines.line_end_count, error));
    if (own->has_lines)
        line_digest_join(&own->answer->lines, &lines);
    else
        own->answer->lines = lines;
    own->has_lines = true;
    return TRAWL_OK;
}

static enum trawl_status add_patterns(struct cuda_worker *worker, struct answer_arguments *a,
                                      uint32_t which, uint64_t count, struct trawl_error *error)
{
    if (count == 0)
        return TRAWL_OK;
    a->hits = (const uint64_t *)(uintptr_t)worker->lists[which].address;
    a->count = count;
    return cuda_lists_launch(worker, CUDA_KERNEL_ANSWER_PATTERNS, count,
                             blocks_resident(worker, CUDA_KERNEL_ANSWER_PATTERNS), a, error);
}

/* Divides the literals of the last `count` hits into expressions and lengths. */
static void divide_literals(struct hits *hits, uint64_t count)
{
    for (uint64_t i = hits->count - count; i < hits->count; i++) {
        hits->lengths[i] = hits->items[i].literal & ((1u << LENGTH_BITS) - 1);
        hits->items[i].literal >>= LENGTH_BITS;
    }
    hits->lengths_valid = true;
}

/* Sorts the `count` hits of list `which`, and writes their start offsets to the room, as far as
 * they fit, or the hits to the result. */
static enum trawl_status add_hits(struct cuda_worker *worker, const struct answer_arguments *a,
                                  uint32_t which, uint64_t count, struct engine_result *result,
                                  struct trawl_error *error)
{
    const bool finds = cuda_plan_finds(worker->plan);
    const uint32_t bits = log2_ceiling(a->end - a->begin);
    struct cuda_hits_room hits = {
        .literal = 1ull << 32, .count = count, .base = a->begin - worker->answering->chunk_at};
    const uint64_t max = worker->answering->answer->hits_max;

    if (count == 0 || (max > 0 && result->count > max) ||
        (worker->answering->room != NULL && worker->answering->room->count == 0))
        return TRAWL_OK;
    if (worker->answering->room != NULL) {
        TRAWL_TRY(cuda_lists_sort(worker, &which, count, bits, 0, worker->answering->room, error));
        return CUDA_CALL(worker->device, error, stream_wait, worker->stream);
    }
    TRAWL_TRY(cuda_worker_reserve(worker, &worker->hits, count * sizeof(struct hit), error));
    hits.address = worker->hits.address;
    TRAWL_TRY(cuda_lists_sort(worker, &which, count, bits,
                              finds ? 0 : log2_ceiling(worker->plan->literal_count), &hits, error));
    if (finds) /* now, because cuda_bring_hits would drop the lengths */
        TRAWL_TRY(hits_reserve_lengths(&result->hits, count, error));
    TRAWL_TRY(cuda_bring_hits(worker, count, result, error));
    if (finds)
        divide_literals(&result->hits, count);
    return TRAWL_OK;
}

/* Adds the range's `count` hits, which are in list `which`, to the answer. */
static enum trawl_status add_list(struct cuda_worker *worker, struct answer_arguments *a,
                                  uint32_t which, uint64_t count, struct engine_result *result,
                                  struct trawl_error *error)
{
    enum answer_form form = worker->answering->answer->form;
    /* filtering does not keep the order */
    const bool ordered = a->conditions == 0 && worker->plan->line_reader == NULL;

    if (form == ANSWER_OF_RECORDS)
        return cuda_records_add(worker, a, which, count, error);
    if (!cuda_plan_is_mixed(worker->plan))
        TRAWL_TRY(cuda_lists_decide(worker, a, &which, &count, error));
    if (a->conditions != 0)
        TRAWL_TRY(cuda_lists_filter(worker, CUDA_KERNEL_ANSWER_ACCEPT, a, form != ANSWER_OF_COUNT,
                                    &which, &count, error));
    result->count += count;
    if (form == ANSWER_OF_HITS)
        return add_hits(worker, a, which, count, result, error);
    if (form == ANSWER_OF_PATTERNS)
        return add_patterns(worker, a, which, count, error);
    if (form != ANSWER_OF_LINES)
        return TRAWL_OK;
    if (!ordered && count > 0)
        TRAWL_TRY(cuda_lists_sort(worker, &which, count, log2_ceiling(a->end - a->begin), 0, NULL,
                                  error));
    return add_lines(worker, a, which, count, error);
}

/* ---- Ranges ------------------------------------------------------------------------------- */

/* Appends the lines that begin in the range and contain a match of a group to list `which`, as hits
 * at their first bytes, as far as they fit; of records, marks those with a match. Adds their number
 * to *total: a line may be listed for each group. */
static enum trawl_status read_groups(struct cuda_worker *worker, struct answer_arguments *a,
                                     uint32_t which, uint64_t *total, struct trawl_error *error)
{
    const struct line_reader *reader = worker->plan->line_reader;
    const uint64_t room = worker->lists[which].bytes / sizeof(uint64_t);
    const bool of_records = worker->answering->answer->form == ANSWER_OF_RECORDS;
    const uint64_t threads =
        of_records ? a->record_count : (a->end - a->begin + READ_BYTES - 1) / READ_BYTES;
    const uint64_t *sums;

    for (uint32_t i = 0; i < reader->read_count && threads > 0; i++) {
        const uint64_t put = min_u64(*total, room);

        a->automaton = automaton_at(worker, i);
        a->kept =
            of_records
                ? NULL
                : (uint64_t *)(uintptr_t)(worker->lists[which].address + put * sizeof *a->kept);
        a->kept_room = room - put;
        TRAWL_TRY(cuda_lists_run(worker, CUDA_KERNEL_ANSWER_READ, threads, 0, a, &sums, error));
        *total += sums[ANSWER_KEPT];
        TRAWL_TRY(cuda_lists_check(worker, sums, error));
    }
    a->automaton.next = NULL;
    a->kept_room = UINT64_MAX;
    return TRAWL_OK;
}

/* Lists the lines that begin in [range->begin, limit) and contain a match, if they take at most
 * `words`. */
static enum trawl_status read_lines(struct cuda_worker *worker, const struct cuda_range *range,
                                    uint64_t limit, uint64_t words, uint64_t *total,
                                    struct trawl_error *error)
{
    struct answer_arguments a;

    TRAWL_TRY(cuda_lists_sums(worker, error));
    TRAWL_TRY(cuda_lists_reserve(worker, words, error));
    arguments_of(worker, range, limit, &a);
    *total = 0;
    TRAWL_TRY(read_groups(worker, &a, 0, total, error));
    cuda_tables_note_share(worker, *total, limit - range->begin);
    return TRAWL_OK;
}

/* Puts the hits that answer_around keeps and the lines with a match of a group into the second
 * list. Sets *count to their number. If that is too much for the list, makes room, and sets *fits
 * to false: the range's hits must be listed again. */
static enum trawl_status match_mixed(struct cuda_worker *worker, struct answer_arguments *a,
                                     uint64_t *count, bool *fits, struct trawl_error *error)
{
    uint32_t which = 0;

    TRAWL_TRY(cuda_lists_decide(worker, a, &which, count, error));
    TRAWL_TRY(read_groups(worker, a, 1, count, error));
    *fits = *count <= worker->lists[1].bytes / sizeof(uint64_t);
    return *fits || *count > worker->limits.lists_max ? TRAWL_OK
                                                      : cuda_lists_reserve(worker, *count, error);
}

/* Lists the range's hits that start below *limit; if there are too many, lowers *limit. */
static enum trawl_status list_range(struct cuda_worker *worker, const struct cuda_range *range,
                                    uint64_t *limit, struct cuda_hits_room *room, uint64_t *total,
                                    struct engine_result *result, struct trawl_error *error)
{
    do { /* again, with more room or fewer positions, if there are more hits than expected */
        *limit = min_u64(*limit, range->begin + cuda_lists_reach(worker));
        *room = (struct cuda_hits_room){.count = cuda_lists_words(worker, *limit - range->begin),
                                        .literal = 1ull << 32};
        if (plan_reads_all(worker->plan))
            TRAWL_TRY(read_lines(worker, range, *limit, room->count, total, error));
        else
            TRAWL_TRY(cuda_list_hits(worker, range, *limit, room, total, &result->candidate_count,
                                     error));
        if (*total > worker->limits.lists_max && *limit - range->begin == 1)
            return TRAWL_FAIL(error, UNSUPPORTED, "too many occurrences begin at one place");
    } while (*total > room->count && !worker->leaves);
    return TRAWL_OK;
}

/* Lists the matches of the plan's expressions in the lines or records of the `*count` hits of the
 * first list, or in all, in the second list; a count or counts of records need not be listed or
 * ordered. Sets *count to their number. If that is too much for the list, makes room, and sets
 * *fits to false: the range's hits must be listed again. */
static enum trawl_status find_matches(struct cuda_worker *worker, struct answer_arguments *a,
                                      uint64_t *count, bool *fits, struct trawl_error *error)
{
    struct cuda_answering *own = worker->answering;
    const struct line_reader *reader = worker->plan->line_reader;
    const uint64_t room = worker->lists[1].bytes / sizeof(uint64_t);
    uint64_t threads = *count, found = 0, upto = 0;
    const uint64_t *sums;

    *fits = true;
    if (reader->reads_all)
        threads =
            a->steps != NULL ? a->record_count : (a->end - a->begin + READ_BYTES - 1) / READ_BYTES;
    else
        a->hits = (const uint64_t *)(uintptr_t)worker->lists[0].address;
    a->count = *count;
    a->find_from = own->chunk_at + own->found_before;
    a->find_base = a->begin - min_u64(a->begin - a->decide_low, LINE_BYTES_MAX);
    a->find_as = own->answer->form == ANSWER_OF_HITS ? FIND_SPANS
                 : own->answer->form == ANSWER_OF_RECORDS
                     ? record_matches(own->answer->records->shape) ? FIND_SPANS : FIND_RECORDS
                     : FIND_NUMBERS;
    if (a->find_as == FIND_SPANS && a->end - a->find_base > UINT32_MAX)
        return TRAWL_FAIL(error, UNSUPPORTED, "%s lists no matches of 4 GiB without a string",
                          worker->device->name);
    if (a->find_as == FIND_RECORDS && reader->may_be_empty && reader->within)
        return TRAWL_FAIL(error, UNSUPPORTED,
                          "%s leaves expressions to the host: a record's only match may be empty, "
                          "beside the edge of a word",
                          worker->device->name);
    for (uint32_t i = 0; i < reader->count && threads > 0; i++) {
        const uint64_t put = min_u64(found, room);

        if (a->find_as == FIND_SPANS && reader->automata[2 * i + 1].next == NULL)
            return TRAWL_FAIL(error, UNSUPPORTED,
                              "%s cannot tell where matches begin: an expression's automaton would "
                              "be too large",
                              worker->device->name);
        a->automaton = automaton_at(worker, 2 * i);
        a->begins = (struct answer_automaton){.next = NULL};
        if (a->find_as == FIND_SPANS || reader->automata[2 * i].may_be_empty)
            a->begins = automaton_at(worker, 2 * i + 1);
        a->expression = i;
        a->kept = NULL;
        if (own->answer->form != ANSWER_OF_COUNT)
            a->kept = (uint64_t *)(uintptr_t)(worker->lists[1].address + put * sizeof *a->kept);
        a->kept_room = room - put;
        TRAWL_TRY(cuda_lists_run(worker, CUDA_KERNEL_ANSWER_FIND, threads, 0, a, &sums, error));
        found += sums[ANSWER_KEPT];
        upto = max_u64(upto, sums[ANSWER_UPTO]);
        TRAWL_TRY(cuda_lists_check(worker, sums, error));
    }
    *count = found;
    *fits = found <= room || own->answer->form == ANSWER_OF_COUNT;
    if (!*fits)
        return found > worker->limits.lists_max ? TRAWL_OK
                                                : cuda_lists_reserve(worker, found, error);
    own->found_upto = max_u64(own->found_before, upto);
    if (own->room != NULL)
        own->room->base -= a->begin - a->find_base;
    a->kept_room = UINT64_MAX;
    a->begin = a->find_base;
    a->end += LINE_BYTES_MAX;
    return TRAWL_OK;
}

static enum trawl_status add_range(struct cuda_worker *worker, const struct cuda_range *range,
                                   uint64_t limit, uint64_t at, struct engine_result *result,
                                   uint64_t *done, struct trawl_error *error)
{
    struct cuda_answering *own = worker->answering;
    const bool of_records = own->answer->form == ANSWER_OF_RECORDS;
    const bool finds = cuda_plan_finds(worker->plan), reads_all = plan_reads_all(worker->plan);
    const bool is_mixed = cuda_plan_is_mixed(worker->plan);
    const uint64_t end = *done;
    struct cuda_hits_room room = {.address = 0};
    uint64_t total = 0, reached = limit;
    struct answer_arguments a;
    bool fits = true;

    own->chunk_at = range->begin - at;
    if (at > 0 && of_records && reads_all) /* the call for the first range has read all records */
        return TRAWL_OK;
    if (at == 0 || at != own->found_at) /* a range may be searched again */
        own->found_before = at == 0 ? 0 : own->found_upto;
    own->found_at = at;
    do {
        total = 0;
        if (limit > range->begin && !(reads_all && (finds || of_records)))
            TRAWL_TRY(list_range(worker, range, &reached, &room, &total, result, error));
        if (worker->leaves)
            return TRAWL_OK;
        *done = reached < limit ? reached : end;
        if (of_records && !reads_all)
            TRAWL_TRY(cuda_records_cut(worker, range, done, error));
        TRAWL_TRY(range_begin(worker, *done - range->begin, error));
        arguments_of(worker, range, of_records && reads_all ? limit : *done, &a);
        if (of_records)
            cuda_records_arguments(worker, &a);
        if (finds)
            TRAWL_TRY(find_matches(worker, &a, &total, &fits, error));
        else if (is_mixed && !of_records)
            TRAWL_TRY(match_mixed(worker, &a, &total, &fits, error));
        if (fits || total <= worker->limits.lists_max)
            continue;
        reached = range->begin + (reached - range->begin) / 2;
        if (reached == range->begin || (of_records && reads_all))
            return TRAWL_FAIL(error, UNSUPPORTED, "too many matches for one list of %s",
                              worker->device->name);
    } while (!fits);
    if (of_records && !finds && (reads_all || (is_mixed && at == 0)))
        TRAWL_TRY(read_groups(worker, &a, 0, &own->answer->records->count, error));
    if (of_records && !finds && reads_all)
        return TRAWL_OK;
    return add_list(worker, &a, finds || (is_mixed && !of_records) ? 1 : 0, total, result, error);
}

/* ---- Tasks -------------------------------------------------------------------------------- */

/* Prepares the answer to a task. The device's context is current. */
static enum trawl_status answer_begin(struct cuda_worker *worker, struct trawl_error *error)
{
    struct cuda_answering *own = worker->answering;
    uint64_t bytes = cuda_plan_patterns(worker->plan) * sizeof(uint64_t);

    memset(&own->answer->lines, 0, sizeof own->answer->lines);
    own->answer->by_pattern = NULL;
    own->has_lines = false;
    TRAWL_TRY(literals_want(worker, error));
    TRAWL_TRY(automata_want(worker, error));
    if (own->answer->form == ANSWER_OF_RECORDS)
        return cuda_records_begin(worker, error);
    if (own->answer->form != ANSWER_OF_PATTERNS)
        return TRAWL_OK;
    TRAWL_TRY(cuda_memory_reserve(worker->device, &own->counts, bytes, error));
    TRAWL_TRY(cuda_pinned_reserve(worker->device, &own->by_pattern, bytes, 0, error));
    return CUDA_CALL(worker->device, error, fill, own->counts.address, 0, (size_t)bytes,
                     worker->stream);
}

/* Copies an answer about records, or the counts by pattern, to the host; other forms are there
 * already. */
static enum trawl_status answer_finish(struct cuda_worker *worker, struct trawl_error *error)
{
    struct cuda_answering *own = worker->answering;

    if (own->answer->form == ANSWER_OF_RECORDS)
        return cuda_records_copy_answer(worker, error);
    if (own->answer->form != ANSWER_OF_PATTERNS)
        return TRAWL_OK;
    TRAWL_TRY(
        CUDA_CALL(worker->device, error, copy_to_host, own->by_pattern.bytes, own->counts.address,
                  (size_t)(cuda_plan_patterns(worker->plan) * sizeof(uint64_t)), worker->stream));
    own->answer->by_pattern = (const uint64_t *)(const void *)own->by_pattern.bytes;
    return CUDA_CALL(worker->device, error, stream_wait, worker->stream);
}

enum trawl_status cuda_answer(struct cuda_worker *worker, struct engine_task *task,
                              enum trawl_status (*scan)(struct cuda_worker *worker,
                                                        struct engine_task *task,
                                                        struct trawl_error *error),
                              struct trawl_error *error)
{
    const struct engine_chunk *chunk = task->chunk;
    bool lists = task->answer->form == ANSWER_OF_HITS;
    enum trawl_status status;
    struct cuda_place place;

    TRAWL_TRY(cuda_lists_answering(worker, error));
    if (!(lists ? chunk->owned <= UINT32_MAX
                : cuda_answer_is_for(worker->plan, task->answer->form)) ||
        !cuda_worker_resident(worker, chunk->bytes, chunk->owned + chunk->after,
                              worker->plan->need_after, &place))
        return TRAWL_FAIL(error, UNSUPPORTED, "%s alone cannot make this answer",
                          worker->device->name);
    worker->answering->answer = task->answer;
    worker->answering->room = NULL;
    worker->answering->add_range = add_range;
    worker->chunk = chunk;
    TRAWL_TRY_DONE(cuda_device_enter(worker->device, error));
    status = answer_begin(worker, error);
    if (status == TRAWL_OK)
        status = scan(worker, task, error);
    if (status == TRAWL_OK && !task->result->is_left)
        status = answer_finish(worker, error);
    if (status != TRAWL_OK) {
        cuda_worker_failed(worker);
        worker->answering->sums_ready = false;
    }
    cuda_device_leave(worker->device);
    if (status == TRAWL_OK && task->result->is_left && !lists)
        status =
            TRAWL_FAIL(error, UNSUPPORTED, "%s leaves the chunk to the host", worker->device->name);
done:
    worker->answering->answer = NULL;
    return status;
}

enum trawl_status cuda_answer_begins(struct cuda_worker *worker, const struct engine_chunk *chunk,
                                     const struct cuda_range *range, uint64_t limit, uint64_t at,
                                     struct cuda_hits_room *room, struct engine_result *result,
                                     uint64_t *done, struct trawl_error *error)
{
    struct hits_answer answer = {.form = ANSWER_OF_HITS};
    enum trawl_status status;

    TRAWL_TRY(cuda_lists_answering(worker, error));
    worker->answering->answer = &answer;
    worker->answering->room = room;
    worker->chunk = chunk;
    status = literals_want(worker, error);
    if (status == TRAWL_OK)
        status = automata_want(worker, error);
    if (status == TRAWL_OK)
        status = add_range(worker, range, limit, at, result, done, error);
    if (status != TRAWL_OK)
        worker->answering->sums_ready = false;
    worker->answering->answer = NULL;
    return status;
}
