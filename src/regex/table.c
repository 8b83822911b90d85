/* table: searches records with the automaton of all expressions (table.h). */
#include "regex/table.h"

#include "base/bytes.h"
#include "regex/automaton.h"
#include "regex/prices.def"

/* Returns how many of a line's first bytes the automaton need not read. */
static uint64_t skip_of(const struct line_automaton *table, uint64_t count)
{
    return table->tail > 0 && count > table->tail ? count - table->tail : 0;
}

/* The automaton would take a line end in a record for the record's end. */
bool table_reads(const struct step *step)
{
    const struct expressions *expressions = step->worker->expressions;
    const struct trawl_plan *plan = expressions->plan;
    const uint8_t *bytes = step->chunk->bytes + step->from;
    const uint64_t count = step->to - step->from;

    return (plan->flags & TRAWL_CRLF) == 0 &&
           bytes_find_either(bytes, count, plan->line_end, plan->line_end_also) == count &&
           !((expressions->has_marked || expressions->needs_marks) &&
             !words_are_ascii(bytes, count));
}

/* Reads several records at the same time, because each state depends on the one before. */
enum trawl_status table_search(struct step *step, const struct line_automaton *table,
                               struct trawl_error *error)
{
    const struct records *records = step->chunk->records;
    const uint8_t *bytes = step->chunk->bytes;
    uint64_t at[RECORD_LANES], left[RECORD_LANES], skip[RECORD_LANES], begin = step->from, record;

    if (engine_call_is_over(step->chunk->call))
        return TRAWL_STOPPED;
    (void)line_after(step, begin); /* looks the record up */
    record = step->worker->record;
    while (begin < step->to) {
        uint32_t states[RECORD_LANES], count = 0;
        uint64_t least = UINT64_MAX;

        for (; count < RECORD_LANES && begin<step->to; count += left[count]> 0) {
            at[count] = begin;
            begin = min_u64(records_begin(records, ++record) - step->chunk->begin, step->to);
            skip[count] = skip_of(table, begin - at[count]);
            at[count] += skip[count];
            left[count] = begin - at[count]; /* 0: an empty record, which is not searched here */
            states[count] = LINE_BEGIN;
            least = left[count] > 0 ? min_u64(least, left[count]) : least;
        }
        for (uint64_t i = 0; i < least && count == RECORD_LANES; i++)
            for (uint32_t k = 0; k < RECORD_LANES; k++)
                states[k] = table->next[256 * states[k] + bytes[at[k] + i]];
        for (uint32_t k = 0; k < count; k++) {
            uint64_t i = count == RECORD_LANES ? least : 0;

            while (i < left[k] && states[k] > LINE_HOLDS)
                states[k] = table->next[256 * states[k] + bytes[at[k] + i++]];
            if (states[k] == LINE_HOLDS || (states[k] != LINE_FAILS && table->ends[states[k]] != 0))
                TRAWL_TRY(step_push(step, at[k] - skip[k], 0, left[k] + skip[k], error));
        }
    }
    return TRAWL_OK;
}
