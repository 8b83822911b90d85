/* oracle: see oracle.h. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "bench/oracle.h"
#include "bench/util.h"

#define BASE UINT64_C(0x9e3779b97f4a7c15)

/* ---- Hashing ------------------------------------------------------------------------------ */

struct table {
    uint32_t *slots; /* pattern + 1; 0: none */
    uint64_t mask;
};

static uint64_t slot_of(const struct table *table, uint64_t hash)
{
    return (hash ^ hash >> 29) * BASE >> 20 & table->mask;
}

static uint64_t hash_of(const uint8_t *bytes, uint64_t count)
{
    uint64_t hash = 0;

    for (uint64_t i = 0; i < count; i++)
        hash = hash * BASE + bytes[i];
    return hash;
}

static void fill(struct table *table, const struct trawl_pattern *patterns, uint64_t pattern_count,
                 uint64_t length)
{
    uint64_t slots = 1024, wanted = 0;

    for (uint64_t i = 0; i < pattern_count; i++)
        wanted += patterns[i].bytes_count == length;
    while (slots < 4 * wanted)
        slots *= 2;
    table->slots = (uint32_t *)allocate(slots * sizeof *table->slots);
    memset(table->slots, 0, slots * sizeof *table->slots);
    table->mask = slots - 1;
    for (uint64_t i = 0; i < pattern_count; i++) {
        uint64_t at;

        if (patterns[i].bytes_count != length)
            continue;
        at = slot_of(table, hash_of((const uint8_t *)patterns[i].bytes, length));
        while (table->slots[at] != 0)
            at = (at + 1) & table->mask;
        table->slots[at] = (uint32_t)(i + 1);
    }
}

static void one_length(const struct trawl_pattern *patterns, uint64_t pattern_count,
                       const uint8_t *text, uint64_t text_bytes, uint64_t length, oracle_sink sink,
                       void *context)
{
    uint64_t hash, power = 1;
    struct table table;

    if (length > text_bytes)
        return;
    fill(&table, patterns, pattern_count, length);
    for (uint64_t i = 0; i < length; i++)
        power *= BASE;
    hash = hash_of(text, length);
    for (uint64_t at = 0;; at++) {
        for (uint64_t slot = slot_of(&table, hash); table.slots[slot] != 0;
             slot = (slot + 1) & table.mask) {
            uint32_t pattern = table.slots[slot] - 1;

            if (memcmp(patterns[pattern].bytes, text + at, length) == 0)
                sink(context, at, pattern);
        }
        if (at + length == text_bytes)
            break;
        hash = hash * BASE + text[at + length] - text[at] * power;
    }
    free(table.slots);
}

void oracle_each(const struct trawl_pattern *patterns, uint64_t pattern_count, const uint8_t *text,
                 uint64_t text_bytes, oracle_sink sink, void *context)
{
    for (uint64_t length = 1, left = pattern_count; left > 0; length++) {
        uint64_t wanted = 0;

        for (uint64_t i = 0; i < pattern_count; i++)
            wanted += patterns[i].bytes_count == length;
        if (wanted > 0)
            one_length(patterns, pattern_count, text, text_bytes, length, sink, context);
        left -= wanted;
    }
}

static void count_one(void *context, uint64_t position, uint64_t pattern)
{
    (void)position;
    (void)pattern;
    ++*(uint64_t *)context;
}

uint64_t oracle_count(const struct trawl_pattern *patterns, uint64_t pattern_count,
                      const uint8_t *text, uint64_t text_bytes)
{
    uint64_t count = 0;

    oracle_each(patterns, pattern_count, text, text_bytes, count_one, &count);
    return count;
}

/* ---- Pieces ------------------------------------------------------------------------------- */

struct pieces {
    piece_of_work work;
    void *context;
    uint64_t count;
    double end_seconds;
    _Atomic uint64_t next;
    _Atomic uint64_t sum;
};

static void *pieces_serve(void *argument)
{
    struct pieces *pieces = (struct pieces *)argument;

    for (;;) {
        uint64_t index = atomic_load(&pieces->next);

        if (index > 0 && pieces->end_seconds > 0 && clock_seconds() > pieces->end_seconds)
            return NULL;
        index = atomic_fetch_add(&pieces->next, 1);
        if (index >= pieces->count)
            return NULL;
        atomic_fetch_add(&pieces->sum, pieces->work(pieces->context, index));
    }
}

uint64_t pieces_run(piece_of_work work, void *context, uint64_t piece_count, uint32_t threads,
                    double seconds_max, uint64_t *sum)
{
    struct pieces pieces = {.work = work,
                            .context = context,
                            .count = piece_count,
                            .end_seconds = seconds_max > 0 ? clock_seconds() + seconds_max : 0};
    pthread_t *thread = (pthread_t *)allocate(threads * sizeof *thread);
    uint64_t next;

    for (uint32_t i = 1; i < threads; i++)
        if (pthread_create(&thread[i], NULL, pieces_serve, &pieces) != 0)
            fail("a thread could not be started");
    (void)pieces_serve(&pieces);
    for (uint32_t i = 1; i < threads; i++)
        pthread_join(thread[i], NULL);
    free(thread);
    *sum = atomic_load(&pieces.sum);
    next = atomic_load(&pieces.next);
    return next < piece_count ? next : piece_count;
}
