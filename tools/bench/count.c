/* count: the expected count of a pattern, and the C library's memmem as the baseline. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "bench/count.h"
#include "bench/util.h"

#define LANES 4u /* parts of the text in lock step: each look-up waits for the one before it */
#define MEMMEM_STEP_BYTES (1u << 20)
#define MEMMEM_CLOCK_EVERY 256u

/* ---- Automaton ---------------------------------------------------------------------------- */

/* next[state * 256 + byte]: how much of the pattern ends here. State m continues as its longest
 * border does, so that overlapping occurrences are found. */
static uint32_t *automaton_build(const uint8_t *pattern, uint64_t pattern_bytes)
{
    uint32_t *next = (uint32_t *)allocate((pattern_bytes + 1) * 256 * sizeof *next);
    uint64_t border = 0;

    memset(next, 0, 256 * sizeof *next);
    next[pattern[0]] = 1;
    for (uint64_t state = 1; state <= pattern_bytes; state++) {
        memcpy(next + state * 256, next + border * 256, 256 * sizeof *next);
        if (state == pattern_bytes)
            break;
        border = next[border * 256 + pattern[state]];
        next[state * 256 + pattern[state]] = (uint32_t)(state + 1);
    }
    return next;
}

struct part {
    pthread_t thread;
    const uint32_t *next;
    const uint8_t *text;
    uint64_t begin, end; /* occurrences that end in (begin, end] */
    uint64_t pattern_bytes;
    uint64_t count;
};

/* A worker starts pattern_bytes - 1 bytes early: enough to know each occurrence that ends in it,
 * and too little for one that ends before. */
static uint64_t worker_begin(const struct part *part, uint64_t place)
{
    return place > part->pattern_bytes - 1 ? place - (part->pattern_bytes - 1) : 0;
}

static void *count_part(void *context)
{
    struct part *part = (struct part *)context;
    const uint32_t *next = part->next, full = (uint32_t)part->pattern_bytes;
    uint64_t bytes = part->end - part->begin, at[LANES], left[LANES], steps = UINT64_MAX;
    uint64_t count = 0;
    uint32_t state[LANES] = {0};

    for (uint32_t k = 0; k < LANES; k++) {
        uint64_t end = part->begin + bytes * (k + 1) / LANES;

        at[k] = worker_begin(part, part->begin + bytes * k / LANES);
        left[k] = end - at[k];
        if (left[k] < steps)
            steps = left[k];
    }
    for (uint64_t i = 0; i < steps; i++)
        for (uint32_t k = 0; k < LANES; k++) {
            state[k] = next[state[k] * 256u + part->text[at[k] + i]];
            count += state[k] == full;
        }
    for (uint32_t k = 0; k < LANES; k++)
        for (uint64_t i = steps; i < left[k]; i++) {
            state[k] = next[state[k] * 256u + part->text[at[k] + i]];
            count += state[k] == full;
        }
    part->count = count;
    return NULL;
}

uint64_t count_by_automaton(const uint8_t *text, uint64_t text_bytes, const uint8_t *pattern,
                            uint64_t pattern_bytes, uint32_t threads)
{
    uint32_t *next = automaton_build(pattern, pattern_bytes);
    struct part *parts = (struct part *)allocate(threads * sizeof *parts);
    uint64_t count = 0;

    for (uint32_t i = 0; i < threads; i++) {
        parts[i] =
            (struct part){.next = next,
                          .text = text,
                          .begin = text_bytes / threads * i,
                          .end = i + 1 < threads ? text_bytes / threads * (i + 1) : text_bytes,
                          .pattern_bytes = pattern_bytes};
        if (pthread_create(&parts[i].thread, NULL, count_part, &parts[i]) != 0)
            fail("a thread could not be started");
    }
    for (uint32_t i = 0; i < threads; i++) {
        pthread_join(parts[i].thread, NULL);
        count += parts[i].count;
    }
    free(parts);
    free(next);
    return count;
}

/* ---- memmem ------------------------------------------------------------------------------- */

/* Without a limit the text is searched in one call after each hit. With one, in steps of 1 MiB and
 * with a look at the clock now and then. */
uint64_t count_by_memmem(const uint8_t *text, uint64_t text_bytes, const uint8_t *pattern,
                         uint64_t pattern_bytes, double seconds_max, uint64_t *done_bytes)
{
    const uint64_t step = seconds_max > 0 ? MEMMEM_STEP_BYTES : text_bytes;
    double end_seconds = clock_seconds() + seconds_max;
    uint64_t count = 0, at = 0, border = 0;

    while (at < text_bytes) {
        uint64_t stop; /* occurrences that begin before it */

        border = border + step < text_bytes ? border + step : text_bytes;
        stop = border + pattern_bytes - 1 < text_bytes ? border + pattern_bytes - 1 : text_bytes;
        while (at < border) {
            const uint8_t *hit =
                (const uint8_t *)memmem(text + at, stop - at, pattern, pattern_bytes);

            if (hit == NULL)
                break;
            at = (uint64_t)(hit - text) + 1;
            if (++count % MEMMEM_CLOCK_EVERY == 0 && seconds_max > 0 &&
                clock_seconds() > end_seconds)
                break;
        }
        if (seconds_max > 0 && clock_seconds() > end_seconds)
            break;
        at = border;
    }
    *done_bytes = at < text_bytes ? at : text_bytes;
    return count;
}
