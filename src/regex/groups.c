/* groups: runs the program of an expression over a match, or over a text to find one (groups.h).
 *
 * A fork knows by the next byte which of its ways may lead on. As long as only one may, nothing has
 * to be remembered, as in the one-pass matcher of RE2. Otherwise the other way is tried later, and
 * no fork twice at the same place (backtracking with a bit for each fork and place). If the match
 * is too long for that, or where it begins or ends is not known, all ways are followed at once,
 * character by character.
 *
 * Source     Pike, "The text editor sam", 1987; Cox, "Regular Expression Matching: the Virtual
 *            Machine Approach", 2009, and "... in the Wild", 2010.
 */
#include "regex/groups.h"

#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "plan/plan.h"
#include "regex/groups_parts.h"
#include "regex/words.h"

#define LOOK_EVERY (1u << 14)          /* whether the call is cancelled: each so many steps */
#define LOOP_BYTES (UINT64_C(1) << 20) /* of a loop at a time; LOOP_LOOKS bytes count as a step */
#define LOOP_LOOKS 64u
#define BACK_BYTES 4096u   /* read backwards to learn whether a match goes on */
#define NO_CODE UINT32_MAX /* of a byte that belongs to no character */
#define ASKS (-9)          /* the match is too long for bits */

uint64_t groups_bits = UINT64_C(256) << 10;

/* ---- Characters and assertions ----------------------------------------------------------------
 */

/* Returns the character at `at`, before `end`, and sets *length. */
static inline uint32_t code_at(const struct groups *groups, const uint8_t *bytes, uint64_t at,
                               uint64_t end, uint64_t *length)
{
    uint32_t code = bytes[at];

    *length = 1;
    if (code < 0x80 || groups->options->bytes)
        return code;
    *length = plan_utf8_decode(bytes + at, end - at, &code);
    if (*length > 0)
        return code;
    *length = 1;
    return NO_CODE;
}

static inline bool takes(const struct groups *groups, const struct step *step, uint32_t code)
{
    const struct group_set *set;

    if (step->kind != STEP_SET)
        return step->kind == STEP_BYTE || step->other == code;
    set = &groups->sets[step->other];
    if (code < LOW_CODES)
        return (set->low[code / 64] >> code % 64 & 1) != 0;
    return unicode_holds(groups->ranges + set->from, set->count, code);
}

/* What is next to a place: nothing or a character outside words, one of a word, or a byte of no
 * character, if those matter. */
enum beside { BESIDE_OTHER, BESIDE_WORD, BESIDE_NONE };

static enum beside beside_of(const struct groups *groups, uint32_t code)
{
    const struct trawl_letters *letters = &groups->options->letters;

    if (code == NO_CODE)
        return groups->is_strict ? BESIDE_NONE : BESIDE_OTHER;
    if (code < 0x80)
        return class_is_word_byte((char)code) ? BESIDE_WORD : BESIDE_OTHER;
    return letters->is_word != NULL && letters->is_word(letters->context, code) ? BESIDE_WORD
                                                                                : BESIDE_OTHER;
}

/* Returns how many bytes the character before `at` has, above 0; 1 for a byte of no character. */
static uint64_t back_to(const struct groups *groups, const struct groups_text *text, uint64_t at)
{
    uint64_t back = 1, length;

    while (!groups->options->bytes && back < 4 && back < at &&
           (text->bytes[at - back] & 0xc0) == 0x80)
        back++;
    (void)code_at(groups, text->bytes, at - back, at, &length);
    return length == back ? back : 1;
}

static enum beside before(const struct groups *groups, const struct groups_text *text, uint64_t at)
{
    uint64_t length;

    if (at == 0)
        return BESIDE_OTHER;
    return beside_of(groups,
                     code_at(groups, text->bytes, at - back_to(groups, text, at), at, &length));
}

static bool holds(const struct groups *groups, const struct groups_text *text,
                  const struct step *step, uint64_t at)
{
    enum beside left, right = BESIDE_OTHER;
    uint64_t length;

    switch (step->letter) {
    case '^':
        return at == 0 || (step->by_lines && text->bytes[at - 1] == '\n');
    case '$':
        return at == text->count || (step->by_lines && text->bytes[at] == '\n');
    case 'A':
        return at == 0;
    case 'z':
        return at == text->count;
    default:
        break;
    }
    left = before(groups, text, at);
    if (at < text->count)
        right = beside_of(groups, code_at(groups, text->bytes, at, text->count, &length));
    switch (step->letter) {
    case 'b':
        return (left == BESIDE_WORD) != (right == BESIDE_WORD);
    case 'B':
        return (left == BESIDE_WORD) == (right == BESIDE_WORD);
    case 'm':
        return left == BESIDE_OTHER && right == BESIDE_WORD;
    case 'M':
        return left == BESIDE_WORD && right == BESIDE_OTHER;
    case 'h':
        return left == BESIDE_OTHER;
    default:
        return right == BESIDE_OTHER;
    }
}

/* ---- One way after the other ------------------------------------------------------------------
 */

/* What is done later: a step, or to restore what was saved. */
struct groups_job {
    uint64_t at;
    uint32_t step, save; /* save UINT32_MAX: a step */
};

struct search {
    const struct groups *groups;
    const struct groups_text *text;
    struct groups_memory *memory;
    struct regex_span *spans;
    uint32_t span_count;
    uint32_t looks;
    uint64_t job_count;
    bool has_bits; /* memory->seen is prepared */
    bool is_longest;
    enum regex_anchor anchor;
};

/* Returns true if the call was cancelled. Looks now and then. */
static inline bool is_over(struct search *search)
{
    if (search->looks++ < LOOK_EVERY)
        return false;
    search->looks = 0;
    return engine_call_is_over(search->text->call);
}

static inline uint64_t *saved(struct regex_span *spans, uint32_t save)
{
    return save % 2 == 0 ? &spans[save / 2].begin : &spans[save / 2].end;
}

/* Adds a job. Returns false if memory cannot be allocated. */
static bool push(struct search *search, struct groups_job job)
{
    struct groups_memory *memory = search->memory;

    if (MEMORY_ROOM(memory->jobs, memory->job_capacity, search->job_count + 1, NULL) != TRAWL_OK)
        return false;
    memory->jobs[search->job_count++] = job;
    return true;
}

/* Notes that the fork is taken at `at`. Returns 1 if it was already; 0 if not; -1 if memory cannot
 * be allocated; ASKS if it would be too much. */
static int see(struct search *search, uint32_t fork, uint64_t at)
{
    const struct groups_text *text = search->text;
    const uint64_t bits = (text->to - text->from + 1) * search->groups->fork_count;
    const uint64_t bit = (at - text->from) * search->groups->fork_count + fork;
    struct groups_memory *memory = search->memory;
    bool is_seen;

    if (!search->has_bits) {
        if (bits > groups_bits && !search->groups->has_part)
            return ASKS;
        if (MEMORY_ROOM(memory->seen, memory->seen_capacity, bits / 64 + 1, NULL) != TRAWL_OK)
            return -1;
        memset(memory->seen, 0, (size_t)(bits / 64 + 1) * sizeof *memory->seen);
        search->has_bits = true;
    }
    is_seen = (memory->seen[bit / 64] >> bit % 64 & 1) != 0;
    memory->seen[bit / 64] |= UINT64_C(1) << bit % 64;
    return is_seen;
}

/* Returns where the characters of a byte end that the fork's loop alone takes from `from` on, or a
 * place before that. */
static inline uint64_t over_loop(struct search *search, const struct step *fork, uint64_t from)
{
    const uint64_t end = min_u64(search->text->to, from + LOOP_BYTES);
    const uint8_t *ways = search->groups->ways + fork->number * COLUMNS;
    const uint8_t *bytes = search->text->bytes;
    const uint32_t max = search->groups->options->bytes ? 0xff : 0x7f;
    uint64_t at = from;

    while (at < end && bytes[at] <= max && ways[bytes[at]] == fork->loop)
        at++;
    search->looks += (uint32_t)((at - from) / LOOP_LOOKS);
    return at;
}

static inline bool may_end(const struct search *search, uint64_t at)
{
    return search->anchor != REGEX_WHOLE || at == search->text->to;
}

/* Returns which ways of the fork may lead on, where the byte of the column follows. */
static inline uint32_t ways_of(const struct search *search, const struct step *fork,
                               uint32_t column)
{
    const uint8_t *ways = search->groups->ways + fork->number * COLUMNS;

    return ways[column] | (search->anchor != REGEX_WHOLE ? ways[END_COLUMN] : 0u);
}

/* Takes the fork at `at`. Returns 1 and sets *next to the way that is tried first; 0 if there is
 * none. Other results are those of `see`, and WORDS_CANCELLED. */
static inline int take_fork(struct search *search, const struct step *step, uint64_t at,
                            uint32_t *next)
{
    const struct groups_text *text = search->text;
    const uint32_t column = at < text->to ? text->bytes[at] : END_COLUMN;
    const uint32_t ways = search->groups->ways != NULL ? ways_of(search, step, column) : 3;
    int seen;

    *next = ways == 2 ? step->other : step->next;
    if (is_over(search))
        return WORDS_CANCELLED;
    /* A loop through nothing but forks of a single way would lead to no byte. */
    if (ways == 0 || (ways < 3 && search->job_count == 0))
        return ways != 0;
    seen = see(search, step->number, at);
    if (seen != 0)
        return seen < 0 ? seen : 0;
    return ways < 3 || push(search, (struct groups_job){at, step->other, UINT32_MAX}) ? 1 : -1;
}

/* Tries all ways from `begin` on in order. Returns 1 and sets spans[0] if one leads to the match's
 * end, 0 if none does. Other results are those of take_fork. */
static int try_ways(struct search *search, uint64_t begin)
{
    const struct groups *groups = search->groups;
    const struct groups_text *text = search->text;
    struct groups_job job = {begin, groups->first, UINT32_MAX};

    for (;;) {
        const struct step *step = &groups->steps[job.step];
        uint64_t length, *save;
        int goes = 0;

        switch ((enum step_kind)step->kind) {
        case STEP_END:
            if (!may_end(search, job.at))
                break;
            search->spans[0] = (struct regex_span){begin, job.at};
            return 1;
        case STEP_CODE:
        case STEP_SET:
        case STEP_BYTE:
            if (job.at == text->to ||
                !takes(groups, step, code_at(groups, text->bytes, job.at, text->to, &length)))
                break;
            job.at += step->kind == STEP_BYTE ? 1 : length;
            job.step = step->next;
            continue;
        case STEP_FORK:
            if (step->loop != 0 && search->job_count == 0 && search->anchor == REGEX_WHOLE)
                job.at = over_loop(search, step, job.at);
            goes = take_fork(search, step, job.at, &job.step);
            break;
        case STEP_EDGE:
            goes = holds(groups, text, step, job.at);
            job.step = step->next;
            break;
        case STEP_SAVE:
            goes = 1;
            job.step = step->next;
            if (step->other / 2 >= search->span_count)
                break;
            save = saved(search->spans, step->other);
            if (search->job_count > 0 && !push(search, (struct groups_job){*save, 0, step->other}))
                return -1;
            *save = job.at;
            break;
        }
        while (goes == 0 && search->job_count > 0) {
            job = search->memory->jobs[--search->job_count];
            goes = job.save == UINT32_MAX;
            if (goes == 0)
                *saved(search->spans, job.save) = job.at;
        }
        if (goes <= 0)
            return goes;
    }
}

/* ---- All ways at once -------------------------------------------------------------------------
 */

/* Adds the threads that the step leads to at `at`, with these saves, which are as before
 * afterwards. Returns false if memory cannot be allocated. */
static bool add_threads(struct search *search, struct groups_threads *threads, uint32_t first,
                        uint64_t at, struct regex_span *saves)
{
    const struct groups *groups = search->groups;
    const struct groups_text *text = search->text;
    const uint32_t column = at < text->to ? text->bytes[at] : END_COLUMN;
    const uint64_t now = at - text->from + 1, size = 2 * (uint64_t)search->span_count;
    struct groups_memory *memory = search->memory;

    search->job_count = 0;
    if (!push(search, (struct groups_job){0, first, UINT32_MAX}))
        return false;
    while (search->job_count > 0) {
        const struct groups_job job = memory->jobs[--search->job_count];
        const struct step *step = &groups->steps[job.step];
        uint32_t ways = 3;

        if (job.save != UINT32_MAX) {
            *saved(saves, job.save) = job.at;
            continue;
        }
        if (memory->seen[job.step] == now)
            continue;
        memory->seen[job.step] = now;
        search->looks++;
        if (step->kind == STEP_FORK) {
            if (groups->ways != NULL)
                ways = ways_of(search, step, column);
            if (((ways & 2) != 0 &&
                 !push(search, (struct groups_job){0, step->other, UINT32_MAX})) ||
                ((ways & 1) != 0 && !push(search, (struct groups_job){0, step->next, UINT32_MAX})))
                return false;
        } else if (step->kind == STEP_EDGE || step->kind == STEP_SAVE) {
            const bool saves_here = step->kind == STEP_SAVE && step->other / 2 < search->span_count;

            if (step->kind == STEP_EDGE && !holds(groups, text, step, at))
                continue;
            if (saves_here) {
                uint64_t *save = saved(saves, step->other);

                if (!push(search, (struct groups_job){*save, 0, step->other}))
                    return false;
                *save = at;
            }
            if (!push(search, (struct groups_job){0, step->next, UINT32_MAX}))
                return false;
        } else if (step->kind == STEP_END ? may_end(search, at) : at < text->to) {
            if (MEMORY_ROOM(threads->steps, threads->step_capacity, threads->count + 1, NULL) !=
                    TRAWL_OK ||
                MEMORY_ROOM(threads->saves, threads->save_capacity, (threads->count + 1) * size,
                            NULL) != TRAWL_OK)
                return false;
            memcpy(threads->saves + threads->count * size, saves, size * sizeof *threads->saves);
            threads->steps[threads->count++] = job.step;
        }
    }
    return true;
}

/* Moves the threads over the character at `at`. Returns 1 after a match's end, which is stored in
 * search->spans: of later threads, only those of as early a match go on, and only for the longest.
 * Returns 0 if there is none. Other results are those of groups_find. */
static int move_threads(struct search *search, uint64_t at, bool is_found, uint64_t *length)
{
    const struct groups *groups = search->groups;
    const struct groups_text *text = search->text;
    struct groups_threads *now = &search->memory->threads[0], *then = now + 1;
    const uint32_t code =
        at < text->to ? code_at(groups, text->bytes, at, text->to, length) : NO_CODE;
    const uint64_t size = 2 * (uint64_t)search->span_count;
    int found = 0;

    then->count = 0;
    for (uint64_t i = 0; i < now->count; i++) {
        const struct step *step = &groups->steps[now->steps[i]];
        struct regex_span *saves = (struct regex_span *)(now->saves + i * size);

        if (is_over(search))
            return WORDS_CANCELLED;
        if ((is_found || found > 0) && saves->begin > search->spans->begin)
            break;
        if (step->kind == STEP_END) {
            memcpy(search->spans, saves, search->span_count * sizeof *saves);
            search->spans->end = at;
            found = 1;
            if (!search->is_longest)
                break;
        } else if (takes(groups, step, code) &&
                   !add_threads(search, then, step->next, at + *length, saves)) {
            return -1;
        }
    }
    return found;
}

/* Follows all ways at once. Results are those of groups_find. */
static int follow_ways(struct search *search)
{
    const struct groups_text *text = search->text;
    struct groups_memory *memory = search->memory;
    uint64_t length = 1;
    int found = 0;

    if (MEMORY_ROOM(memory->seen, memory->seen_capacity, search->groups->step_count, NULL) !=
        TRAWL_OK)
        return -1;
    memset(memory->seen, 0, search->groups->step_count * sizeof *memory->seen);
    memory->threads[0].count = 0;
    for (uint64_t at = text->from; at <= text->to; at += length) {
        struct groups_threads last = memory->threads[0];
        int moved;

        /* a match that begins here comes after all that have begun */
        search->spans->begin = found > 0 ? search->spans->begin : at;
        if (found == 0 && (at == text->from || search->anchor == REGEX_ANYWHERE) &&
            !add_threads(search, &memory->threads[0], search->groups->first, at, search->spans))
            return -1;
        moved = move_threads(search, at, found > 0, &length);
        if (moved < 0)
            return moved;
        found |= moved;
        last = memory->threads[0];
        memory->threads[0] = memory->threads[1];
        memory->threads[1] = last;
        if (memory->threads[0].count == 0 && (found > 0 || search->anchor != REGEX_ANYWHERE))
            break;
    }
    return found;
}

/* Tries the ways of matches that begin at each byte in turn, as \C takes a part of a character. */
static int try_begins(struct search *search)
{
    const struct groups_text *text = search->text;
    int found = 0;

    for (uint64_t at = text->from; at <= text->to && found == 0; at++) {
        found = try_ways(search, at);
        if (search->anchor != REGEX_ANYWHERE)
            break;
    }
    return found;
}

int groups_match(const struct groups *groups, struct groups_memory *memory,
                 const struct groups_text *text, enum regex_anchor anchor, struct regex_span *span)
{
    struct search search = {.groups = groups,
                            .text = text,
                            .memory = memory,
                            .spans = span,
                            .span_count = 1,
                            .anchor = anchor,
                            .is_longest = groups->options->longest};

    return groups->has_part ? try_begins(&search) : follow_ways(&search);
}

int groups_find(const struct groups *groups, struct groups_memory *memory,
                const struct groups_text *text, struct regex_span *spans, uint32_t span_count)
{
    struct search search = {.groups = groups,
                            .text = text,
                            .memory = memory,
                            .spans = spans,
                            .span_count = span_count,
                            .anchor = REGEX_WHOLE};
    int found;

    TRAWL_ASSERT(span_count > 0 && text->from <= text->to && text->to <= text->count);
    for (uint32_t i = 0; i < span_count; i++)
        spans[i] = (struct regex_span){UINT64_MAX, UINT64_MAX};
    found = try_ways(&search, text->from);
    if (found == ASKS) {
        for (uint32_t i = 0; i < span_count; i++)
            spans[i] = (struct regex_span){UINT64_MAX, UINT64_MAX};
        found = follow_ways(&search);
    }
    return found;
}

/* ---- Backwards --------------------------------------------------------------------------------
 */

/* Sets reach[i] for each step that leads, without a character, to one with alive[step], as if every
 * assertion held. Loops lead to steps that are set later, so all are asked again. */
static void find_reach(const struct groups *groups, const uint8_t *alive, uint8_t *reach)
{
    bool changes = true;

    memset(reach, 0, groups->step_count);
    while (changes) {
        changes = false;
        for (uint32_t i = 0; i < groups->step_count; i++) {
            const struct step *step = &groups->steps[i];
            const bool leads =
                step->kind < STEP_FORK
                    ? alive[i]
                    : reach[step->next] || (step->kind == STEP_FORK && reach[step->other]);

            changes |= leads && !reach[i];
            reach[i] = leads;
        }
    }
}

int groups_go_on(const struct groups *groups, struct groups_memory *memory,
                 const struct groups_text *text)
{
    const uint32_t count = groups->step_count;
    uint64_t back, length;
    uint8_t *alive, *reach;
    bool any = true;

    if (groups->has_part ||
        MEMORY_ROOM(memory->seen, memory->seen_capacity, count / 4 + 1u, NULL) != TRAWL_OK)
        return groups->has_part ? 1 : -1;
    alive = (uint8_t *)memory->seen;
    reach = alive + count;
    for (uint32_t i = 0; i < count; i++) {
        const struct step *step = &groups->steps[i];

        if (step->kind == STEP_EDGE && (step->letter == '^' || step->letter == 'A'))
            return 1;
        alive[i] = step->kind != STEP_END && step->kind < STEP_FORK;
    }
    find_reach(groups, alive, reach);
    for (uint64_t at = text->to; at > text->from && any; at -= back) {
        uint32_t code;

        if (text->to - at > BACK_BYTES)
            return 1;
        back = back_to(groups, text, at);
        code = code_at(groups, text->bytes, at - back, at, &length);
        any = false;
        for (uint32_t i = 0; i < count; i++) {
            const struct step *step = &groups->steps[i];

            alive[i] = step->kind != STEP_END && step->kind < STEP_FORK && reach[step->next] &&
                       takes(groups, step, code);
            any |= alive[i];
        }
        find_reach(groups, alive, reach);
        if (reach[groups->first])
            return 1;
    }
    return 0;
}

void groups_forget(struct groups_memory *memory)
{
    memory_release(memory->seen, memory->seen_capacity, sizeof *memory->seen);
    memory_release(memory->jobs, memory->job_capacity, sizeof *memory->jobs);
    for (uint32_t i = 0; i < 2; i++) {
        memory_release(memory->threads[i].steps, memory->threads[i].step_capacity,
                       sizeof *memory->threads[i].steps);
        memory_release(memory->threads[i].saves, memory->threads[i].save_capacity,
                       sizeof *memory->threads[i].saves);
    }
    *memory = (struct groups_memory){.seen = NULL};
}
