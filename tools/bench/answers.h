/* answers: what searches of a text for a set must give, by an automaton of all patterns (Aho,
 * Corasick 1975) as one whole table, which reads the text from its end: one look-up for each byte,
 * however many patterns begin there. Shares no code with the library.
 */
#ifndef BENCH_ANSWERS_H
#define BENCH_ANSWERS_H

#include <stdbool.h>
#include <stdint.h>

#include <trawl.h>

struct answers {
    uint64_t count;       /* of occurrences */
    uint64_t lines;       /* in which one begins */
    uint64_t digest;      /* the sum of all occurrences' marks, whatever their order */
    uint64_t *by_pattern; /* the caller's, to be freed */
};

struct automaton;

/* any_case: A-Z equal a-z. The patterns' bytes are not needed later. */
struct automaton *automaton_make(const struct trawl_pattern *patterns, uint64_t count,
                                 bool any_case);
void automaton_free(struct automaton *automaton);

/* Any number of threads at a time.
 * begins: NULL, or where each byte of the text counts as being. */
void automaton_answer(const struct automaton *automaton, const uint8_t *text, uint64_t text_bytes,
                      const uint32_t *begins, struct answers *answers);

/* Other bits for each number. */
static inline uint64_t answers_mix(uint64_t number)
{
    number *= UINT64_C(0x9e3779b97f4a7c15);
    number = (number ^ number >> 32) * UINT64_C(0xbf58476d1ce4e5b9);
    return number ^ number >> 29;
}

/* An occurrence's mark: no two are likely to have the same one. */
static inline uint64_t answers_mark(uint64_t begin, uint64_t pattern)
{
    return answers_mix(begin + 1) * (answers_mix(~pattern) | 1);
}

#endif
