/* find_matches: hits become matches, for find_impl.h.
 *
 * A variant with vectors defines MATCH_AT_ONCE, how many hits one step takes, and
 *   match_vectors                       begins, ends and patterns of so many hits
 *   match_lengths_order(lengths)        the lengths of these hits, which lie there in order
 *   match_lengths_of(hits, lengths)     the same, looked up by literal
 *   match_make(hits, begin, lengths)    match_vectors of these hits
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

/* Those that fill whole vectors; returns how many. */
static inline __attribute__((always_inline)) uint64_t match_whole(const struct find_hits *hits,
                                                                  struct trawl_match *matches,
                                                                  uint64_t *columns, uint64_t room,
                                                                  bool in_order)
{
    uint64_t i = 0;

#ifdef MATCH_AT_ONCE
    for (; i + MATCH_AT_ONCE <= hits->count; i += MATCH_AT_ONCE) {
        struct match_vectors vectors = match_next(hits, i, in_order);

        if (matches != NULL)
            match_put(&vectors, matches + i);
        else
            match_put_columns(&vectors, columns + i, room);
    }
#else
    (void)hits, (void)matches, (void)columns, (void)room, (void)in_order;
#endif
    return i;
}

static inline __attribute__((always_inline)) void match_all(const struct find_hits *hits,
                                                            struct trawl_match *matches,
                                                            uint64_t *columns, uint64_t room,
                                                            bool in_order)
{
    uint64_t i = match_whole(hits, matches, columns, room, in_order);

    for (; i < hits->count; i++) {
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
}

static void FIND_NAME(matches)(const struct find_hits *hits, struct trawl_match *matches)
{
    if (hits->in_order)
        match_all(hits, matches, NULL, 0, true);
    else
        match_all(hits, matches, NULL, 0, false);
}

static void FIND_NAME(columns)(const struct find_hits *hits, uint64_t *columns, uint64_t room)
{
    TRAWL_ASSERT(hits->count <= room);
    if (hits->in_order)
        match_all(hits, NULL, columns, room, true);
    else
        match_all(hits, NULL, columns, room, false);
}

#endif
