/* cuda_anchors: one allocation with all tables (lists.h): of each literal, its anchors; of each of
 * these, its automata; the automata. */
#include "cuda/cuda_anchors.h"

#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "plan/plan.h"
#include "cuda/prices.def"

void cuda_anchors_end_lines(const struct trawl_plan *plan, const struct line_automaton *automaton,
                            uint16_t *next)
{
    const uint8_t ends[] = {plan->line_end, plan->line_end_also};

    for (uint32_t i = 0; i < 2 * automaton->state_count; i++)
        next[automaton->columns * (i / 2) + automaton->column_of[ends[i % 2]]] =
            automaton->ends[i / 2] == LINE_HOLDS && plan->line_reader->finds
                ? LINE_MATCH
                : automaton->ends[i / 2];
}

/* The bytes that are copied to the device: a word for each literal, then the anchors, then the
 * automata. anchors_at and tables_at return the offsets of the last two. */
static uint64_t anchors_at(const struct trawl_plan *plan)
{
    return plan->literal_count * sizeof(uint64_t);
}

static uint64_t tables_at(const struct trawl_plan *plan)
{
    const struct line_reader *reader = plan->line_reader;

    return (anchors_at(plan) + reader->first[reader->string_count] * sizeof(uint64_t) + 15) &
           ~15ull;
}

static uint64_t next_bytes(const struct line_automaton *automaton)
{
    return (uint64_t)automaton->columns * automaton->state_count * sizeof *automaton->next;
}

static uint64_t table_bytes(const struct line_automaton *automaton)
{
    return automaton->next == NULL ? 0
                                   : (sizeof(struct around_header) + sizeof automaton->column_of +
                                      next_bytes(automaton) + automaton->state_count + 15) &
                                         ~15ull;
}

static void put_table(const struct trawl_plan *plan, const struct line_automaton *automaton,
                      bool of_records, uint8_t *to)
{
    struct around_header header = {.columns = (uint16_t)automaton->columns,
                                   .state_count = (uint16_t)automaton->state_count};
    uint16_t *next = (uint16_t *)(void *)(to + sizeof header + sizeof automaton->column_of);

    memcpy(header.first, automaton->first, sizeof header.first);
    memcpy(to, &header, sizeof header);
    memcpy(to + sizeof header, automaton->column_of, sizeof automaton->column_of);
    memcpy(next, automaton->next, next_bytes(automaton));
    memcpy((uint8_t *)next + next_bytes(automaton), automaton->ends, automaton->state_count);
    if (!of_records)
        cuda_anchors_end_lines(plan, automaton, next);
}

enum trawl_status cuda_anchors_want(struct cuda_worker *worker, bool of_records,
                                    struct trawl_error *error)
{
    const struct trawl_plan *plan = worker->plan;
    const struct line_reader *reader = plan->line_reader;
    const uint64_t count = 2 * (uint64_t)reader->anchor_count;
    struct cuda_answering *own = worker->answering;
    uint64_t bytes = tables_at(plan), at = 0, *words;
    enum trawl_status status;
    uint32_t *starts;
    void *host;

    _Static_assert(sizeof(struct around_header) == 16, "tables are aligned to it");
    TRAWL_TRY(MEMORY_NEW(starts, count, error));
    for (uint64_t i = 0; i < count; i++) {
        starts[i] = reader->around[i].next == NULL ? AROUND_NOTHING : (uint32_t)at;
        if (i % 2 == 0 && reader->around[i].fails != NULL)
            starts[i] = AROUND_LINE;
        at += table_bytes(&reader->around[i]) / 16;
    }
    bytes += 16 * at;
    TRAWL_TRY_DONE(cuda_memory_reserve(worker->device, &own->anchors, bytes, error));
    TRAWL_TRY_DONE(cuda_worker_stage(worker, bytes, &host, error));
    words = (uint64_t *)host;
    for (uint32_t i = 0; i < plan->literal_count; i++) {
        const uint32_t string = plan_literal_at(plan, i).pattern;

        words[i] = (uint64_t)reader->first[string] << 32 |
                   (reader->first[string + 1] - reader->first[string]);
    }
    words += plan->literal_count;
    for (uint32_t i = 0; i < reader->first[reader->string_count]; i++) {
        const uint32_t anchor = reader->anchors[i];

        words[i] = (uint64_t)starts[2 * anchor] << 32 | starts[2 * anchor + 1];
    }
    for (uint64_t i = 0; i < count; i++)
        if (reader->around[i].next != NULL)
            put_table(plan, &reader->around[i], of_records,
                      (uint8_t *)host + tables_at(plan) + 16ull * starts[i]);
    status = cuda_worker_upload(worker, own->anchors.address, host, bytes, error);
    cuda_worker_unstage(worker, host, bytes);
done:
    memory_release(starts, count, sizeof *starts);
    return status;
}

void cuda_anchors_arguments(const struct cuda_worker *worker, struct answer_arguments *a)
{
    const struct trawl_plan *plan = worker->plan;
    const uint64_t address = worker->answering->anchors.address;

    a->literal_anchors = (const uint64_t *)(uintptr_t)address;
    a->anchors = (const uint64_t *)(uintptr_t)(address + anchors_at(plan));
    a->tables = (const uint8_t *)(uintptr_t)(address + tables_at(plan));
    a->long_max = (LONG_FACTOR * (a->end - a->begin) + LONG_BYTES) / AROUND_PIECE;
}
