/* near: finds matches that may cross lines, near the atoms (strings that a match must hold).
 *
 * What comes before the atom in a match, the head, holds a fixed number of line ends (split.c),
 * mostly none. So matches through the atoms of a line begin in one line, that of the atom or an
 * earlier one. Of these matches, the match that begins first counts.
 */
#include "regex/near.h"

#include <string.h>

#include "base/checked.h"
#include "base/clock.h"
#include "regex/chain.h"
#include "regex/judge.h"

#define LINE_ATOMS_MAX 64u /* in a line with more atoms, RE2 searches instead */
/* A verification asks RE2 for a match that holds an atom. RE2 reads the following text itself once
 * failed verifications have taken FAILED_NS longer than RE2 would take, at BYTES_PER_NS, to read
 * the text in which these atoms stand. */
#define FAILED_NS 1000000u
#define BYTES_PER_NS 2u
/* the automaton beside an atom (chain.h) may read this many bytes more than CHAIN_BYTES */
#define SPARE_BYTES 64u
#define CONTEXT_BYTES 4u /* assertions in a head look at up to this many bytes before the head */

/* Returns the index of the first hit (occurrence of an atom) at `from` or later. */
static uint64_t first_from(const struct hits *hits, uint64_t from)
{
    uint64_t low = 0, high = hits->count;

    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;

        if (hits->items[middle].offset < from)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Finds the match that holds the atom of `length` bytes at `at`, begins at `from` or later, and
 * begins first. `begin` is the begin of the atom's line. Returns 1 for a match, 0 for none, or an
 * error below 0. */
static int match_at(const struct expressions *expressions, const struct anchor *anchor,
                    const struct judged *line, uint64_t begin, uint64_t from, uint64_t at,
                    uint64_t length, struct regex_span *span)
{
    const struct regex_ops *ops = expressions->ops;
    uint64_t spare = SPARE_BYTES;
    const struct around around = chain_read(anchor->before, length > 0 ? anchor->after : NULL,
                                            line->bytes, at, at + length, line->count, &spare);
    uint64_t first = at;
    int found;

    if (around.before == CHAIN_FAILS || around.after == CHAIN_FAILS)
        return 0;
    if (around.before == CHAIN_MATCHES && anchor->head_length > 0) {
        for (uint32_t i = 0; i < anchor->head_length; i++) {
            if (first <= from)
                return 0;
            first = words_before(expressions, line->bytes, first);
        }
    } else if (!anchor->begins) {
        found = ops->match(anchor->head, line->bytes + begin, at - begin,
                           from > begin ? from - begin : 0, at - begin, REGEX_ANYWHERE, span, 1);
        if (found <= 0)
            return found;
        first = begin + span->begin;
    }
    return ops->match(expressions->each[anchor->expression], line->bytes, line->count, first,
                      line->count, REGEX_AT_FROM, span, 1);
}

/* Of the matches that hold hit number `index`, an occurrence of an atom, finds the match that
 * begins first, and stores this match in *span if it begins before the match that *span holds.
 * Returns 1, even if there is no match. Returns NEAR_ASKS if RE2 could not compile the program of a
 * head, or an error below 0. */
static int match_hit(const struct expressions *expressions, uint32_t expression,
                     const struct judged *line, uint64_t begin, uint64_t from, uint64_t index,
                     struct regex_span *span)
{
    const struct hits *hits = line->near->hits;
    const uint64_t at = hits->items[index].offset;
    const struct atom atom = judge_atom(expressions, hits, index, line->bytes, line->count);
    const uint32_t end = expressions->atom_first[atom.pattern + 1];

    for (uint32_t i = expressions->atom_first[atom.pattern]; i < end; i++) {
        const struct anchor *anchor = &expressions->anchors[expressions->atom_anchors[i]];
        struct regex_span here;
        int found;

        if (anchor->expression != expression)
            continue;
        if (!anchor->begins && !expressions->ops->is_ready(anchor->head))
            return NEAR_ASKS;
        found = match_at(expressions, anchor, line, begin, from, at, atom.length, &here);
        if (found < 0)
            return found;
        if (found > 0 && here.begin < span->begin)
            *span = here;
    }
    return 1;
}

int near_match(const struct expressions *expressions, uint32_t expression,
               const struct judged *line, uint64_t from, struct regex_span *span)
{
    const uint8_t line_end = expressions->plan->line_end;
    const uint64_t floor = from - min_u64(from, CONTEXT_BYTES);
    struct near *near = line->near;
    const struct hits *hits = near->hits;

    *span = (struct regex_span){UINT64_MAX, from};
    for (uint64_t i = first_from(hits, from); i < hits->count;) {
        const uint64_t at = hits->items[i].offset, first = i, began_ns = clock_now_ns();
        uint64_t begin = judge_after_last(line->bytes, floor, at, line_end);
        bool same_line = true;

        for (uint32_t k = 0; k < expressions->near_lines && begin > floor; k++)
            begin = judge_after_last(line->bytes, floor, begin - 1, line_end);
        if (engine_call_is_over(line->call))
            return WORDS_CANCELLED;
        while (same_line) {
            const int found = i - first == LINE_ATOMS_MAX
                                  ? NEAR_ASKS
                                  : match_hit(expressions, expression, line, begin, from, i, span);

            if (found == NEAR_ASKS)
                *span = (struct regex_span){0, max_u64(from, begin)};
            if (found != 1)
                return found;
            i++;
            same_line = i < hits->count &&
                        memchr(line->bytes + hits->items[i - 1].offset, line_end,
                               hits->items[i].offset - hits->items[i - 1].offset) == NULL;
        }
        if (span->begin != UINT64_MAX)
            return 1;
        near->failed_ns += clock_now_ns() - began_ns;
        if (near->failed_ns > FAILED_NS + (at - min_u64(at, near->since)) / BYTES_PER_NS) {
            *near = (struct near){hits, at, 0};
            *span = (struct regex_span){0, max_u64(from, begin)};
            return NEAR_ASKS;
        }
    }
    return 0;
}
