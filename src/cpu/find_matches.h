/* find_matches: hits become matches, for find_impl.h.
 *
 * A variant with vectors defines MATCH_AT_ONCE, how many hits one step takes, and
 *   match_vectors                       begins, ends and patterns of so many hits
 *   match_lengths_order(lengths)        the lengths of these hits, which lie there in order
 *   match_lengths_of(hits, lengths)     the same, looked up by literal
 *   match_make(hits, begin, lengths)    match_vectors of these hits
 * If it can write past the caches it defines MATCH_STREAM_BYTES, the bytes of a vector, and
 *   match_interleave(vectors)           match_structs: the same as three parts of structs
 *   match_store(to, place, vector)      to `place` vectors behind the address
 *   match_store_past(to, place, vector) the same past the caches, to a multiple of those bytes
 *   match_stream_end()                  after the last ones
 * and otherwise
 *   match_put(vectors, matches)         to structs
 *   match_put_columns(vectors, columns, room)
 * A struct has three words: vectors of begins, ends and patterns become as many whole vectors of
 * structs. Three stores of a word for each match take 1.4 times as long with lengths to be looked
 * up, of 28,000 patterns, and 3.5 times as long with lengths in order (Zen 4).
 *
 * Lost: gathering the lengths (as slow as three stores), structs from 64-byte vectors (0 to 1.3
 * times as long as from 32-byte ones).
 */
#ifndef TRAWL_CPU_FIND_MATCHES_H
#define TRAWL_CPU_FIND_MATCHES_H

#include "match/hits.h"

/* Hits in memory come sooner: 1.2 times as fast, past the caches. */
#define MATCH_AHEAD_BYTES 1024u

#ifdef MATCH_STREAM_BYTES
static inline void match_put(const struct match_vectors *vectors, struct trawl_match *matches)
{
    struct match_structs structs = match_interleave(vectors);

    for (uint32_t i = 0; i < 3; i++)
        match_store(matches, i, structs.part[i]);
}

static inline void match_stream(const struct match_vectors *vectors, struct trawl_match *matches)
{
    struct match_structs structs = match_interleave(vectors);

    for (uint32_t i = 0; i < 3; i++)
        match_store_past(matches, i, structs.part[i]);
}

static inline void match_put_columns(const struct match_vectors *vectors, uint64_t *columns,
                                     uint64_t room)
{
    match_store(columns, 0, vectors->begins);
    match_store(columns + room, 0, vectors->ends);
    match_store(columns + 2 * room, 0, vectors->patterns);
}
#endif

#ifdef MATCH_AT_ONCE
/* The next hits from `i` on. */
static inline __attribute__((always_inline)) struct match_vectors match_next(
    const struct find_hits *hits, uint64_t i, bool in_order)
{
    const struct hit *items = hits->items + i;

    return match_make(items, hits->begin,
                      in_order ? match_lengths_order(hits->lengths + i)
                               : match_lengths_of(items, hits->lengths));
}
#endif

/* Where matches go. */
enum match_target { MATCH_STRUCTS, MATCH_STREAM, MATCH_COLUMNS };

static inline void match_one(const struct find_hits *hits, uint64_t i, bool in_order,
                             struct trawl_match *matches, uint64_t *columns, uint64_t room)
{
    uint64_t begin = hits->begin + hits->items[i].offset, pattern = hits->items[i].literal;
    uint64_t end = begin + hits->lengths[in_order ? i : pattern];

    if (matches != NULL) {
        matches[i] = (struct trawl_match){begin, end, pattern};
    } else {
        columns[i] = begin;
        columns[room + i] = end;
        columns[2 * room + i] = pattern;
    }
}

/* From hit `i` on those that fill whole vectors; returns the next one. */
static inline __attribute__((always_inline)) uint64_t match_whole(const struct find_hits *hits,
                                                                  uint64_t i, bool in_order,
                                                                  enum match_target target,
                                                                  struct trawl_match *matches,
                                                                  uint64_t *columns, uint64_t room)
{
#ifdef MATCH_AT_ONCE
    for (; i + MATCH_AT_ONCE <= hits->count; i += MATCH_AT_ONCE) {
        struct match_vectors vectors = match_next(hits, i, in_order);

        if (target == MATCH_COLUMNS)
            match_put_columns(&vectors, columns + i, room);
        else if (target == MATCH_STRUCTS)
            match_put(&vectors, matches + i);
#ifdef MATCH_STREAM_BYTES
        else
            match_stream(&vectors, matches + i);
        if (target == MATCH_STREAM)
            __builtin_prefetch((const uint8_t *)(hits->items + i) + MATCH_AHEAD_BYTES);
#endif
    }
#else
    (void)hits, (void)in_order, (void)target, (void)matches, (void)columns, (void)room;
#endif
    return i;
}

static inline __attribute__((always_inline)) void match_all(const struct find_hits *hits,
                                                            bool in_order, enum match_target target,
                                                            struct trawl_match *matches,
                                                            uint64_t *columns, uint64_t room)
{
    uint64_t i = 0;

#ifdef MATCH_STREAM_BYTES
    for (; target == MATCH_STREAM && i < hits->count &&
           (uintptr_t)(matches + i) % MATCH_STREAM_BYTES != 0;
         i++)
        match_one(hits, i, in_order, matches, NULL, 0);
#endif
    i = match_whole(hits, i, in_order, target, matches, columns, room);
    for (; i < hits->count; i++)
        match_one(hits, i, in_order, matches, columns, room);
}

static void FIND_NAME(matches)(const struct find_hits *hits, struct trawl_match *matches)
{
    if (hits->in_order)
        match_all(hits, true, MATCH_STRUCTS, matches, NULL, 0);
    else
        match_all(hits, false, MATCH_STRUCTS, matches, NULL, 0);
}

#ifdef MATCH_STREAM_BYTES
static void FIND_NAME(streamed)(const struct find_hits *hits, struct trawl_match *matches)
{
    if (hits->in_order)
        match_all(hits, true, MATCH_STREAM, matches, NULL, 0);
    else
        match_all(hits, false, MATCH_STREAM, matches, NULL, 0);
    match_stream_end();
}
#endif

static void FIND_NAME(columns)(const struct find_hits *hits, uint64_t *columns, uint64_t room)
{
    TRAWL_ASSERT(hits->count <= room);
    if (hits->in_order)
        match_all(hits, true, MATCH_COLUMNS, NULL, columns, room);
    else
        match_all(hits, false, MATCH_COLUMNS, NULL, columns, room);
}

#endif
