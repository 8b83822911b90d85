/* answers: see answers.h. */
#include <stdlib.h>
#include <string.h>

#include "bench/answers.h"
#include "bench/util.h"

#define STATES_FIRST 1024u
#define BYTE_VALUES 256u

struct state {
    uint64_t count;  /* of patterns that begin where it is */
    uint64_t keys;   /* the sum of what their marks are multiples of */
    uint64_t visits; /* in a text */
    uint32_t fail;
};

/* State 0 has read nothing that begins a pattern read backwards. */
struct automaton {
    uint32_t classes; /* of bytes; 0: those in no pattern */
    uint8_t class_of[BYTE_VALUES];
    uint32_t *next; /* [state * classes + class] */
    struct state *state;
    uint32_t *order; /* of states but the first: each after the one it fails to */
    uint32_t states, room;
    uint32_t *state_of; /* by pattern: where it ends, read backwards */
    uint64_t pattern_count;
};

/* ---- The automaton ------------------------------------------------------------------------ */

static void *grown(void *array, uint64_t bytes)
{
    void *more = realloc(array, bytes);

    if (more == NULL)
        fail("no memory for %llu bytes", (unsigned long long)bytes);
    return more;
}

static uint32_t new_state(struct automaton *automaton)
{
    if (automaton->states == automaton->room) {
        uint64_t room = automaton->room > 0 ? 2ull * automaton->room : STATES_FIRST;

        if (room > UINT32_MAX)
            fail("more than 2^32 states");
        automaton->next =
            (uint32_t *)grown(automaton->next, room * automaton->classes * sizeof *automaton->next);
        automaton->room = (uint32_t)room;
    }
    memset(automaton->next + (uint64_t)automaton->states * automaton->classes, 0,
           automaton->classes * sizeof *automaton->next);
    return automaton->states++;
}

static void take_classes(struct automaton *automaton, const struct trawl_pattern *patterns,
                         bool any_case)
{
    automaton->classes = 1;
    for (uint64_t i = 0; i < automaton->pattern_count; i++)
        for (uint64_t k = 0; k < patterns[i].bytes_count; k++) {
            uint8_t byte = ((const uint8_t *)patterns[i].bytes)[k];
            bool letter = (byte | 32) >= 'a' && (byte | 32) <= 'z';

            if (automaton->class_of[byte] != 0)
                continue;
            automaton->class_of[byte] = (uint8_t)automaton->classes;
            if (any_case && letter)
                automaton->class_of[byte ^ 32] = (uint8_t)automaton->classes;
            if (++automaton->classes == BYTE_VALUES)
                fail("patterns of more than %u different bytes", BYTE_VALUES - 2);
        }
}

static void add_pattern(struct automaton *automaton, const struct trawl_pattern *pattern,
                        uint32_t *state_of)
{
    const uint8_t *bytes = (const uint8_t *)pattern->bytes;
    uint32_t state = 0;

    for (uint64_t k = pattern->bytes_count; k-- > 0;) {
        uint64_t at = (uint64_t)state * automaton->classes + automaton->class_of[bytes[k]];
        uint32_t next = automaton->next[at];

        if (next == 0) {
            next = new_state(automaton);
            automaton->next[at] = next;
        }
        state = next;
    }
    *state_of = state;
}

/* State by state, the shorter strings first: where it fails to, and the transitions that it takes
 * from there. */
static void complete(struct automaton *automaton)
{
    uint32_t classes = automaton->classes, queued = 0;

    for (uint32_t done = 0; done <= queued; done++) {
        uint32_t at = done == 0 ? 0 : automaton->order[done - 1];
        struct state *state = &automaton->state[at];
        uint32_t *row = automaton->next + (uint64_t)at * classes;
        const uint32_t *fail_row = automaton->next + (uint64_t)state->fail * classes;

        if (at > 0) {
            state->count += automaton->state[state->fail].count;
            state->keys += automaton->state[state->fail].keys;
        }
        for (uint32_t column = 0; column < classes; column++) {
            uint32_t fail = at == 0 ? 0 : fail_row[column];

            if (row[column] == 0) {
                row[column] = fail;
                continue;
            }
            automaton->state[row[column]].fail = fail;
            automaton->order[queued++] = row[column];
        }
    }
}

struct automaton *automaton_make(const struct trawl_pattern *patterns, uint64_t count,
                                 bool any_case)
{
    struct automaton *automaton = (struct automaton *)allocate(sizeof *automaton);

    memset(automaton, 0, sizeof *automaton);
    automaton->pattern_count = count;
    automaton->state_of = (uint32_t *)allocate(count * sizeof *automaton->state_of);
    take_classes(automaton, patterns, any_case);
    (void)new_state(automaton);
    for (uint64_t i = 0; i < count; i++)
        add_pattern(automaton, &patterns[i], &automaton->state_of[i]);
    automaton->order = (uint32_t *)allocate(automaton->states * sizeof *automaton->order);
    automaton->state = (struct state *)allocate(automaton->states * sizeof *automaton->state);
    memset(automaton->state, 0, automaton->states * sizeof *automaton->state);
    for (uint64_t i = 0; i < count; i++) {
        automaton->state[automaton->state_of[i]].count++;
        automaton->state[automaton->state_of[i]].keys += answers_mix(~i) | 1;
    }
    complete(automaton);
    return automaton;
}

void automaton_free(struct automaton *automaton)
{
    free(automaton->next);
    free(automaton->state);
    free(automaton->order);
    free(automaton->state_of);
    free(automaton);
}

/* ---- Answers ------------------------------------------------------------------------------ */

/* A visit of a state is one of each state that it fails to as well. */
static void count_by_pattern(const struct automaton *automaton, struct state *states,
                             uint64_t *by_pattern)
{
    for (uint32_t i = automaton->states - 1; i-- > 0;) {
        const struct state *state = &states[automaton->order[i]];

        states[state->fail].visits += state->visits;
    }
    for (uint64_t i = 0; i < automaton->pattern_count; i++)
        by_pattern[i] = states[automaton->state_of[i]].visits;
}

void automaton_answer(const struct automaton *automaton, const uint8_t *text, uint64_t text_bytes,
                      const uint32_t *begins, struct answers *answers)
{
    uint64_t bytes = automaton->states * sizeof *automaton->state;
    struct state *states = (struct state *)allocate(bytes); /* with this text's visits */
    uint32_t at = 0;
    bool found = false; /* in this line */

    memcpy(states, automaton->state, bytes);
    memset(answers, 0, sizeof *answers);
    for (uint64_t x = text_bytes; x-- > 0;) {
        struct state *state;

        if (text[x] == '\n') {
            answers->lines += found;
            found = false;
        }
        at = automaton->next[(uint64_t)at * automaton->classes + automaton->class_of[text[x]]];
        state = &states[at];
        state->visits++;
        found |= state->count > 0;
        answers->count += state->count;
        answers->digest += answers_mix((begins != NULL ? begins[x] : x) + 1) * state->keys;
    }
    answers->lines += found;
    answers->by_pattern =
        (uint64_t *)allocate(automaton->pattern_count * sizeof *answers->by_pattern);
    count_by_pattern(automaton, states, answers->by_pattern);
    free(states);
}
