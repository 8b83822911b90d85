/* finder_make: builds finders (sequence.h). */
#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "plan/analyse.h"
#include "regex/finder.h"
#include "regex/prices.def"

/* Returns true if RE2 also has all assertions of the sequence. */
static bool may_find(const struct sequence *sequence)
{
    bool may = true;

    for (uint32_t i = 0; i < sequence->count; i++) {
        const uint8_t edge = sequence->items[i].edge;

        may &= edge == 0 || edge == 6 || edge == 9 || edge >= EDGE_BEGIN;
    }
    return may;
}

/* Returns true if this item may be a character of several bytes. */
static bool is_wide(const struct around_automaton *made, uint32_t item)
{
    for (uint32_t i = 0; i + 1 < made->cut_count; i++)
        if (made->cuts[i].symbol == ELSE || (made->members[made->cuts[i].symbol] >> item & 1) != 0)
            return true;
    return false;
}

/* Returns the state after the first `least` bytes of a match, if it begins after a word character
 * (`last`) or after another one. Returns AROUND_FAILS if no match begins there, and AROUND_ASKS if
 * the state depends on the bytes. */
static uint32_t state_after(const struct finder *finder, uint32_t last)
{
    const struct around_automaton *made = finder->automaton;
    uint32_t state = made->first[last];

    for (uint64_t i = 0; i < finder->least && state > AROUND_ASKS; i++) {
        const uint8_t *next = around_row(made, state)->next;

        state = AROUND_FAILS;
        for (uint32_t byte = 0; byte < 0x80; byte++) {
            const uint32_t after = next[made->of_byte[byte]];

            if ((finder->kinds[byte] >> finder->item_of[i] & 1) != 0 && after != AROUND_FAILS)
                state = state == AROUND_FAILS || state == after ? after : AROUND_ASKS;
        }
    }
    return state;
}

/* Records to which items the first bytes of a match belong: to one item if that has characters of
 * several bytes, otherwise to all items up to the first whose number of characters varies. */
static void note_kinds(struct finder *finder)
{
    const struct around_automaton *made = finder->automaton;
    const struct sequence *sequence = &finder->sequence;
    uint64_t items = 0;
    uint32_t after[2];
    bool in_word = false; /* a match may begin after a word character, such as its own first one */

    finder->stride = 1;
    finder->least = 0;
    for (uint32_t i = finder->first; i < sequence->count; i++) {
        const struct sequence_item *item = &sequence->items[i];
        const bool wide = is_wide(made, i);
        uint8_t encoded[4];
        uint64_t left = item->least;

        if (item->edge != 0 && item->edge < EDGE_BEGIN && items == 0)
            continue;
        if (item->edge != 0 || left == 0 || item->skips > 0 || (wide && items != 0))
            break;
        if (wide && item->node->set_count > 0)
            left *= plan_utf8_encode(item->node->set[0].first, encoded);
        items |= UINT64_C(1) << i;
        for (; left > 0 && finder->least < LEAST_MAX; left--)
            finder->item_of[finder->least++] = (uint8_t)i;
        for (uint32_t byte = 0; byte < 256; byte++) {
            const uint32_t symbol = made->of_byte[byte];

            if (symbol == LONG ? wide : symbol == ELSE || (made->members[symbol] >> i & 1) != 0)
                finder->kinds[byte] |= UINT64_C(1) << i;
        }
        if (wide || left > 0 || item->least != item->most)
            break;
    }
    if (finder->least == 0) { /* the first byte may be any, subject to `starts` */
        finder->least = 1;
        memset(finder->kinds, 0xff, sizeof finder->kinds);
        return;
    }
    for (uint32_t last = 0; last < 2; last++)
        after[last] = state_after(finder, last);
    for (uint32_t byte = 0; byte < 256; byte++)
        in_word |= finder->starts[1][byte] ||
                   (byte < 0x80 && finder->kinds[byte] != 0 && !class_is_word_byte((char)byte));
    finder->stride = in_word ? 1 : finder->least + 1;
    if (after[0] == after[1] || after[0] == AROUND_FAILS || after[1] == AROUND_FAILS)
        finder->after = (uint32_t)max_u64(after[0], after[1]);
}

/* Records the bytes with which a match may begin. */
static void note_starts(struct finder *finder)
{
    const struct around_automaton *made = finder->automaton;
    const struct sequence_item *item = &finder->sequence.items[finder->first];
    const bool is_character = item->edge == 0 && item->least > 0 && item->skips == 0;
    bool starts_wide[2] = {false, false};

    for (uint32_t i = 0; i + 1 < made->cut_count; i++) {
        const uint32_t symbol = made->cuts[i].symbol;

        for (uint32_t last = 0; last < 2; last++)
            starts_wide[last] |= around_row(made, made->first[last])->next[symbol] != AROUND_FAILS;
    }
    for (uint32_t byte = 0; byte < 256; byte++) {
        const uint32_t symbol = made->of_byte[byte];

        for (uint32_t last = 0; last < 2; last++) {
            finder->starts[last][byte] =
                symbol == LONG ? starts_wide[last] && byte >= 0xc0
                               : around_row(made, made->first[last])->next[symbol] != AROUND_FAILS;
            finder->starts[2][byte] |= finder->starts[last][byte];
        }
    }
    note_kinds(finder);
    finder->is_greedy = is_character && (item->most == SYNTAX_ENDLESS ||
                                         finder->first + 1 == finder->sequence.count);
    if (is_character && item->least > LEAST_MAX)
        finder->run = item->least;
    if (made->is_clipped) /* it does not count */
        finder->after = AROUND_FAILS;
}

/* Returns true if read_items reads the same as the automaton: at most one item fits each character,
 * and a match has only one possible end. */
static bool reads_items(const struct around_automaton *made, const struct sequence *sequence,
                        uint32_t first)
{
    bool reads = made->is_one_pass && !sequence->is_lazy && !sequence->skips;

    for (uint32_t i = first; i < sequence->count; i++)
        reads &= sequence->items[i].edge == 0;
    return reads;
}

/* Returns true if the automaton knows which characters fit the item. */
static bool knows_all(const struct around_automaton *made)
{
    bool knows = true;

    for (uint32_t i = 0; i + 1 < made->cut_count; i++)
        knows &= made->cuts[i].symbol != ELSE;
    return knows;
}

/* Returns true if matches end with a line, and few bytes of it are read backwards from its end. */
static bool ends_lines(const struct finder *made, const struct byte_rates *rates)
{
    const struct sequence *sequence = &made->sequence;
    const uint32_t last = sequence->count - 1;
    double fits = 0;

    if (last == made->first || sequence->items[last].edge != EDGE_END ||
        sequence->items[last - 1].edge != 0 || sequence->skips || sequence->alternates)
        return false;
    /* the head's automaton, which reads backwards, does not know that a line end comes next */
    for (uint32_t i = made->first; i < last; i++)
        if (sequence->items[i].edge == EDGE_END)
            return false;
    for (uint32_t byte = 0; byte < 0x80; byte++)
        fits += (made->automaton->members[made->automaton->of_byte[byte]] >> (last - 1) & 1) != 0
                    ? rates->rate[byte]
                    : 0;
    return sequence->items[last - 1].most != SYNTAX_ENDLESS || fits < UNLIMITED_RATE_MAX;
}

/* Chooses the rarest ASCII character that every match has after its head. If it is so rare that
 * looking for it takes less time than looking for places where a match may begin, builds the head's
 * automaton. Errors: MEMORY. */
static enum trawl_status make_head(struct finder *made, const struct around_options *options,
                                   struct places **scratch, struct trawl_error *error)
{
    const struct sequence *sequence = &made->sequence;
    struct around_options backwards = *options;
    struct sequence head = {.count = 0};
    struct byte_rates rates;
    uint32_t end = made->first;
    double fits = 0, begins = 0, least;
    bool is_ascii = true; /* matches begin with ASCII characters */

    if (made->begins != AT_ALL)
        return TRAWL_OK;
    analyse_rates(NULL, 0, NULL, 0, false, &rates);
    for (uint32_t byte = 0; byte < 256; byte++) {
        fits += made->kinds[byte] != 0 ? rates.rate[byte] : 0;
        begins += made->starts[2][byte] ? rates.rate[byte] : 0;
        is_ascii &= byte < 0x80 || !made->starts[2][byte];
    }
    /* a look at a byte that is in no match advances by made->least; other looks by one or two */
    least = 1 / (fits + max_double(1 - fits, 0) * (double)made->least);
    made->scans = !made->is_empty && is_ascii && begins + 1 / SCANS_PER_LOOK < least;
    least = (made->scans ? begins + 1 / SCANS_PER_LOOK : least) / LOOKS_PER_BYTE;
    made->seeks_end = options->has_lines && ends_lines(made, &rates);
    if (made->seeks_end) {
        made->byte = '\n';
        made->seeks = true;
        end = made->head_end = sequence->count - 1;
    }
    for (uint32_t i = end; !made->seeks_end && i < sequence->count && sequence->items[i].skips == 0;
         i++) {
        const struct sequence_item *item = &sequence->items[i];
        const struct code_range *set = item->edge == 0 ? item->node->set : NULL;
        struct sequence before = {.count = i - made->first};

        memcpy(before.items, sequence->items + made->first, before.count * sizeof *before.items);
        if (!span_may_find(&before))
            break;
        if (set == NULL || item->least == 0 || item->node->set_count != 1 ||
            set->first != set->last || set->first >= 0x80 || rates.rate[set->first] >= least)
            continue;
        least = rates.rate[set->first];
        made->byte = (uint8_t)set->first;
        made->seeks = true;
        end = made->head_end = i;
    }
    for (; end > made->first; end--)
        head.items[head.count++] = sequence->items[end - 1];
    backwards.backwards = backwards.longest = true;
    backwards.clips = false;
    backwards.first = 0;
    if (head.count > 0)
        TRAWL_TRY(around_make(&head, &backwards, scratch, &made->head, error));
    made->seeks &= head.count == 0 || made->head != NULL;
    made->heads_by_items = made->head == NULL || reads_items(made->head, &head, 0);
    return TRAWL_OK;
}

enum trawl_status finder_make(const struct syntax_node *root, const struct regex_options *options,
                              struct finder **out, struct trawl_error *error)
{
    struct around_options automaton = {.bytes = options->bytes,
                                       .has_lines = options->lines,
                                       .longest = options->longest,
                                       .clips = true,
                                       .line_ends = {'\n', '\n'}};
    enum trawl_status status = TRAWL_OK;
    const struct sequence_item *item;
    const struct around_row *row;
    struct places *scratch = NULL;
    struct finder *made;

    *out = NULL;
    if (options->marks != REGEX_UNMARKED)
        return TRAWL_OK;
    TRAWL_TRY(MEMORY_ZEROED(made, 1, error));
    if (!sequence_add(&made->sequence, root, false) || !may_find(&made->sequence))
        goto done;
    item = made->sequence.items;
    for (; made->first < made->sequence.count && item->edge == EDGE_BEGIN; made->first++, item++)
        made->begins = /* for ^(?m:^), both must be true */
            made->begins != AT_TEXT && (options->lines || item->by_lines) ? AT_LINES : AT_TEXT;
    automaton.first = made->first;
    if (made->first < made->sequence.count)
        TRAWL_TRY_DONE(around_make(&made->sequence, &automaton, &scratch, &made->automaton, error));
    if (made->automaton == NULL)
        goto done;
    row = around_row(made->automaton, made->automaton->first[0]);
    made->is_empty = row->matches != 0;
    made->may_be_empty =
        (row->accepts | around_row(made->automaton, made->automaton->first[1])->accepts) != 0;
    note_starts(made);
    made->by_items = reads_items(made->automaton, &made->sequence, made->first);
    made->is_alone =
        made->by_items && made->first + 1 == made->sequence.count && knows_all(made->automaton);
    made->shortest = root->shortest;
    if (made->automaton->is_clipped && !made->by_items)
        goto done;
    TRAWL_TRY_DONE(make_head(made, &automaton, &scratch, error));
    /* if empty matches are possible only at some places, RE2 finds them, unless these are starts or
     * ends of lines */
    if (made->is_empty || !made->may_be_empty || made->begins != AT_ALL || made->seeks_end) {
        *out = made;
        made = NULL;
    }
done:
    around_release(scratch);
    finder_free(made);
    return status;
}

void finder_free(struct finder *finder)
{
    if (finder == NULL)
        return;
    around_free(finder->automaton);
    around_free(finder->head);
    memory_release(finder, 1, sizeof *finder);
}
