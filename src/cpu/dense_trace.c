/* dense_trace: states in the order of a text's places, each where it was first met, with the hits
 * of each. Where a text repeats itself its states do, so those of many places lie here one after
 * the other, and their hits too.
 */
#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "cpu/dense.h"

#define PLACES_MAX (1u << 16)
#define HITS_MAX (1u << 18)

void dense_trace_release(struct dense_trace *trace)
{
    memory_release(trace->states, PLACES_MAX, sizeof *trace->states);
    memory_release(trace->first, PLACES_MAX, sizeof *trace->first);
    memory_release(trace->hits_end, PLACES_MAX, sizeof *trace->hits_end);
    memory_release(trace->bytes, PLACES_MAX, sizeof *trace->bytes);
    memory_release(trace->hits, HITS_MAX, sizeof *trace->hits);
    memset(trace, 0, sizeof *trace);
}

/* All of it: of what is not used the system keeps no pages. */
static enum trawl_status trace_allocate(struct dense_trace *trace, struct trawl_error *error)
{
    enum trawl_status status = TRAWL_OK;
    void *memory;

    TRAWL_ASSERT(trace->states == NULL && trace->count == 0);
    TRAWL_TRY_DONE(memory_allocate(PLACES_MAX, sizeof *trace->states, &memory, error));
    trace->states = (uint32_t *)memory;
    TRAWL_TRY_DONE(memory_allocate(PLACES_MAX, sizeof *trace->first, &memory, error));
    trace->first = (uint32_t *)memory;
    TRAWL_TRY_DONE(memory_allocate(PLACES_MAX, sizeof *trace->hits_end, &memory, error));
    trace->hits_end = (uint32_t *)memory;
    TRAWL_TRY_DONE(memory_allocate(PLACES_MAX, sizeof *trace->bytes, &memory, error));
    trace->bytes = (uint8_t *)memory;
    TRAWL_TRY_DONE(memory_allocate(HITS_MAX, sizeof *trace->hits, &memory, error));
    trace->hits = (struct hit *)memory;
    return TRAWL_OK;
done:
    dense_trace_release(trace);
    return status;
}

enum trawl_status dense_trace_add(struct dense_worker *worker, uint32_t transition, uint8_t byte,
                                  bool follows, bool *there, struct trawl_error *error)
{
    struct dense_trace *trace = &worker->trace;
    uint32_t state = transition >> worker->class_bits, count = worker->lists[state].count;
    uint32_t place = trace->count, end = dense_trace_begin(trace, place);
    uint32_t strings[DENSE_LIST_MAX];

    TRAWL_ASSERT(state < worker->node_count && worker->traced[state] == PLAN_NONE);
    TRAWL_ASSERT(!follows || place > 0);
    *there = place < PLACES_MAX && count <= DENSE_LIST_MAX && HITS_MAX - end >= count;
    if (!*there)
        return TRAWL_OK;
    if (trace->states == NULL)
        TRAWL_TRY(trace_allocate(trace, error));
    dense_list_strings(worker, state, strings);
    for (uint32_t i = 0; i < count; i++)
        trace->hits[end++] = (struct hit){place, strings[i]};
    trace->states[place] = transition;
    trace->first[place] = follows ? trace->first[place - 1] : place;
    trace->hits_end[place] = end;
    trace->bytes[place] = byte;
    trace->count++;
    worker->traced[state] = place;
    return TRAWL_OK;
}

/* How many bytes before these ends, at most `most`, are the same? */
static uint64_t same_before(const uint8_t *end, const uint8_t *other, uint64_t most)
{
    uint64_t count = 0, a, b;

    while (count + sizeof a <= most) {
        memcpy(&a, end - count - sizeof a, sizeof a);
        memcpy(&b, other - count - sizeof b, sizeof b);
        if (a != b)
            break;
        count += sizeof a;
    }
    while (count < most && end[-1 - (int64_t)count] == other[-1 - (int64_t)count])
        count++;
    return count;
}

uint64_t dense_trace_read(struct dense_worker *worker, const uint8_t *text, uint64_t at,
                          uint32_t state, uint32_t *states)
{
    const struct dense_trace *trace = &worker->trace;
    uint64_t begin = at, steps = 0, free = dense_runs_free(worker) * DENSE_RUN_PAYS, count;

    TRAWL_ASSERT(state < worker->node_count);
    while (at > 0 && steps * DENSE_RUN_PAYS <= begin - at + free) {
        uint32_t place = worker->traced[state], next;

        if (place != PLAN_NONE) {
            count = same_before(text + at, trace->bytes + place,
                                min_u64(at, place - trace->first[place]));
            worker->followed += count;
            at -= count;
            place -= (uint32_t)count;
            memcpy(states + at, trace->states + place, (size_t)count * sizeof *states);
            state = trace->states[place] >> worker->class_bits;
            if (at == 0)
                break;
        }
        next = worker->next[((uint64_t)state << worker->class_bits) +
                            worker->set->class_of[text[at - 1]]];
        if (next == PLAN_NONE)
            break;
        states[--at] = next;
        state = next >> worker->class_bits;
        steps++;
    }
    return at;
}
