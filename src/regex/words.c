/* words: finds an expression's matches in a line (words.h). */
#include "regex/words.h"

#include <stddef.h>
#include <string.h>

#include "base/bytes.h"
#include "base/checked.h"
#include "base/clock.h"
#include "base/memory.h"
#include "regex/prices.def"

/* Automata know the caller's words only below code point WORDS_END: asking whether each of 65,536
 * characters belongs to a word takes 3 ms. */
#define WORDS_END 0x3000u
#define WORDS_ALL 0x110000u

uint64_t words_step(const struct expressions *expressions, const uint8_t *text, uint64_t count,
                    uint64_t at)
{
    uint64_t taken = 0;
    uint32_t code_point;

    if (!expressions->options.bytes && at < count)
        taken = plan_utf8_decode(text + at, count - at, &code_point);
    return at + (taken > 0 ? taken : 1);
}

bool at_character_middle(const struct expressions *expressions, const uint8_t *text, uint64_t count,
                         uint64_t at)
{
    uint64_t back = 0;
    uint32_t code_point;

    while (at < count && back < 3 && back < at && (text[at - back] & 0xc0) == 0x80)
        back++;
    return back > 0 && !expressions->options.bytes &&
           plan_utf8_decode(text + at - back, count - at + back, &code_point) > back;
}

/* Asks the caller's functions which characters belong to words. */
static enum trawl_status list_words(struct expressions *expressions, struct trawl_error *error)
{
    const struct trawl_letters *letters = &expressions->options.letters;
    struct word_ranges *words = &expressions->words;

    words->end = expressions->options.bytes ? 0x100 : WORDS_END;
    TRAWL_TRY(MEMORY_NEW(expressions->own_words, words->end / 2, error));
    words->ranges = expressions->own_words;
    for (uint32_t code = 0x80; code < words->end; code++) {
        struct code_range *last = &expressions->own_words[words->count - (words->count > 0)];

        if (!letters->is_word(letters->context, code))
            continue;
        if (words->count > 0 && last->last + 1 == code)
            last->last = code;
        else
            expressions->own_words[words->count++] = (struct code_range){code, code};
    }
    return TRAWL_OK;
}

void words_free(struct expressions *expressions)
{
    memory_release(expressions->own_words, expressions->words.end / 2,
                   sizeof *expressions->own_words);
}

enum trawl_status words_find(struct expressions *expressions, struct trawl_error *error)
{
    const struct trawl_letters *letters = &expressions->options.letters;

    if (expressions->words.end > 0)
        return TRAWL_OK;
    if (letters->is_word == trawl_unicode()->is_word && !expressions->options.bytes)
        expressions->words =
            (struct word_ranges){unicode_words()->of, unicode_words()->count, WORDS_ALL};
    else if (letters->is_word != NULL)
        TRAWL_TRY(list_words(expressions, error));
    else
        expressions->words.end = WORDS_ALL;
    return TRAWL_OK;
}

void words_begin(const struct judged *line)
{
    struct words *words = line->words;

    memset(words, 0, offsetof(struct words, windows));
    for (uint32_t i = 0; i < WORDS_WINDOWS; i++)
        words->windows[i].of = words->windows[i].gave_up = NULL;
}

void words_release(struct words *words)
{
    for (uint32_t i = 0; i < WORDS_WINDOWS; i++)
        reach_release(&words->windows[i]);
    words_forget(words);
    groups_forget(&words->groups);
    *words = (struct words){.near = 0};
}

void words_forget(struct words *words)
{
    lazy_spans_free(&words->spans);
}

/* Returns the offset after the continuation bytes (0x80 to 0xbf) at `at`. Remembers which bytes it
 * has read, so that the time is linear in the line. */
static uint64_t after_character(const struct judged *line, uint64_t at)
{
    struct words *words = line->words;

    if (at < words->inside_from || at > words->inside_to)
        words->inside_from = words->inside_to = at;
    while (words->inside_to < line->count && (line->bytes[words->inside_to] & 0xc0) == 0x80)
        words->inside_to++;
    return words->inside_to;
}

/* Searches from `from` to `stop` with text.steps and text.machine. Adds the time to
 * words->granted_ns. Results are those of pcre2_find, or WORDS_CANCELLED. */
static int find_timed(const struct pcre2 *pcre2, const struct judged *line, struct pcre2_line text,
                      uint64_t from, uint64_t stop, struct regex_span *spans, uint32_t span_count)
{
    const uint64_t began_ns = clock_now_ns();
    const int found = pcre2_find(pcre2, text, from, stop, spans, span_count);

    line->words->granted_ns += clock_now_ns() - began_ns;
    return found == PCRE2_OVER && engine_call_is_over(line->call) ? WORDS_CANCELLED : found;
}

/* Searches from `from` to `stop`, where the steps granted at first were not enough. Repeats the
 * search with more and more steps, until they are enough or the line has spent its time. If the JIT
 * decides, stores its steps in line->words for the rest of the line. */
static int find_with_more_steps(const struct pcre2 *pcre2, const struct judged *line,
                                struct pcre2_line text, uint64_t from, uint64_t stop,
                                struct regex_span *spans, uint32_t span_count)
{
    const uint64_t max_ns = min_u64(GRANTED_NS * line->count, GRANTED_NS_MOST);
    const uint64_t steps = text.steps;
    struct words *words = line->words;
    const uint64_t *spent_ns = &words->granted_ns;
    uint64_t began_ns;
    int found = PCRE2_OVER;

    if (max_ns < GRANTED_NS_LEAST)
        return found;
    do {
        began_ns = *spent_ns;
        text.machine = text.steps = text.machine * MACHINE_GROWS;
        if (*spent_ns < max_ns && text.machine <= MACHINE_MOST)
            found = find_timed(pcre2, line, text, from, stop, spans, span_count);
    } while (found == PCRE2_OVER && *spent_ns > began_ns &&
             *spent_ns - began_ns <
                 MACHINE_NS + (max_ns - min_u64(max_ns, *spent_ns)) / MACHINE_PART);
    if (found >= 0) {
        words->granted = pcre2;
        words->machine = text.machine;
    }
    text.machine = 0;
    for (text.steps = 2 * steps; found == PCRE2_OVER && *spent_ns < max_ns; text.steps *= 2)
        found = find_timed(pcre2, line, text, from, stop, spans, span_count);
    return found;
}

/* Like words_match, for PCRE2. Each position where a match may begin may be slow, so the search of
 * a long line stops now and then to check whether the call was cancelled. Where a position needs
 * more steps, the search is repeated position by position. */
static int match_beyond(const struct pcre2 *pcre2, const struct judged *line, uint64_t from,
                        struct regex_span *spans, uint32_t span_count)
{
    struct pcre2_line text = {line->bytes, line->count, &line->words->run, from, 0, 0};
    const uint64_t max_ns = min_u64(GRANTED_NS * line->count, GRANTED_NS_MOST);
    struct words *words = line->words;
    const bool hides = pcre2_steps(pcre2, &text, line->count), has_head = pcre2->head != HEAD_OTHER;
    const uint64_t max = has_head ? 1 : line->count > PART_LEAST ? BEGINS : PART_LEAST;
    uint64_t begins = words->granted == pcre2 ? 1 : max;

    program_note(&words->pcre2, line->count - from);
    do {
        const bool is_rest = !pcre2->may_stop || line->count - from <= begins;
        const uint64_t began_ns = is_rest ? 0 : clock_now_ns();
        const uint64_t stop = is_rest ? line->count : after_character(line, from + begins);
        const uint64_t granted_ns = words->granted_ns;
        uint64_t spent_ns;
        int found;

        if (hides) /* unless the line has spent its time, the JIT goes on part by part */
            (void)pcre2_steps(pcre2, &text,
                              words->granted_ns < max_ns ? min_u64(begins, BEGINS) : line->count);
        if (words->granted == pcre2)
            text.machine = words->machine;
        found = pcre2_find(pcre2, text, from, stop, spans, span_count);
        if (found == PCRE2_OVER && begins > 1 && pcre2->may_stop) {
            begins = 1;
            continue;
        }
        if (found == PCRE2_OVER)
            found = find_with_more_steps(pcre2, line, text, from, stop, spans, span_count);
        if (found != 0 || is_rest)
            return found;
        if (engine_call_is_over(line->call))
            return WORDS_CANCELLED;
        spent_ns = clock_now_ns() - began_ns;
        words->granted_ns = hides ? granted_ns + spent_ns : words->granted_ns;
        if (spent_ns < BEGINS_NS)
            begins *= 2;
        if (words->granted == pcre2 || spent_ns >= BEGINS_NS)
            begins = min_u64(begins, BEGINS);
        from = has_head ? pcre2_next(pcre2, text, from) : stop;
        begins = has_head ? 1 : begins;
    } while (from <= line->count);
    return 0;
}

int words_groups(const struct expressions *expressions, uint32_t expression,
                 const struct judged *line, uint64_t from, uint64_t to, struct regex_span *spans,
                 uint32_t span_count)
{
    const struct groups_text text = {line->bytes, line->count, from, to, line->call};
    const struct groups *groups;

    if (expression_steps(expressions, expression, &groups) != TRAWL_OK)
        return -1;
    return groups_find(groups, &line->words->groups, &text, spans, span_count);
}

/* Finds a match where automata do not. Results are those of words_match. */
static int by_steps(const struct expressions *expressions, uint32_t expression,
                    const struct judged *line, uint64_t from, uint64_t to, enum regex_anchor anchor,
                    struct regex_span *span)
{
    const struct groups_text text = {line->bytes, line->count, from, to, line->call};
    const struct groups *groups;

    if (expression_steps(expressions, expression, &groups) != TRAWL_OK)
        return -1;
    program_note(&line->words->steps, to - from);
    return groups_match(groups, &line->words->groups, &text, anchor, span);
}

int words_match(const struct expressions *expressions, uint32_t expression,
                const struct judged *line, uint64_t from, uint64_t to, enum regex_anchor anchor,
                struct regex_span *spans, uint32_t span_count)
{
    struct words *words = line->words;
    const struct expression *asked = &expressions->items[expression];
    struct regex_span own, *span = span_count > 0 ? spans : NULL;

    if (asked->beyond != NULL)
        return line->count < asked->shortest
                   ? 0
                   : match_beyond(asked->beyond, line, from, spans, span_count);
    if (span_count > 1) {
        const int found = words_match(expressions, expression, line, from, to, anchor, &own, 1);

        return found <= 0 ? found
                          : words_groups(expressions, expression, line, own.begin, own.end, spans,
                                         span_count);
    }
    if (words->spans.made == expressions) {
        const struct lazy_line read = {
            .bytes = line->bytes, .count = line->count, .from = from, .call = line->call};
        uint32_t one = expression;
        struct regex_span *wanted = span != NULL ? span : &own;
        const int found = lazy_span(&words->spans, &one, &read, to, anchor, wanted);

        while (found == LAZY_ENDED && asked->has_words && wanted->begin < wanted->end &&
               at_character_middle(expressions, line->bytes, line->count, wanted->begin))
            wanted->begin++;     /* as no match begins there */
        if (found == LAZY_ENDED) /* so little is left that a reach would not be faster */
            return by_steps(expressions, expression, line, wanted->begin, wanted->end, anchor,
                            wanted);
        if (found != LAZY_ASKS)
            return found;
    }
    if (asked->has_reach) {
        const struct reach *reach = expression_reach(expressions, expression);
        int found = -1;

        if (reach != NULL) {
            program_note(&words->reach, to - from);
            found = reach_match(reach, words_window(words, expression), line->bytes, line->count,
                                from, UINT64_MAX, to, anchor, span);
        }
        if (found >= 0)
            return found;
    }
    return by_steps(expressions, expression, line, from, to, anchor, span != NULL ? span : &own);
}
