/* groups: makes the program of an expression, and runs it over a match (groups.h).
 *
 * A fork knows by the next byte which of its ways may lead on. As long as only one may, nothing has
 * to be remembered, as in the one-pass matcher of RE2. Otherwise the other way is tried later, and
 * no fork twice at the same place (backtracking with a bit for each fork and place). If the match
 * is too long for that, all ways are followed at once, character by character.
 *
 * Source     Pike, "The text editor sam", 1987; Cox, "Regular Expression Matching: the Virtual
 *            Machine Approach", 2009, and "... in the Wild", 2010.
 */
#include "regex/groups.h"

#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "plan/plan.h"
#include "regex/words.h"

#define STEPS_MAX (1u << 21) /* of a program */
/* a program of more steps or forks does not know by the next byte which way leads on */
#define AHEAD_STEPS 4096u
#define AHEAD_FORKS 512u
#define LOOK_EVERY (1u << 14)          /* whether the call is cancelled: each so many steps */
#define LOOP_BYTES (UINT64_C(1) << 20) /* of a loop at a time; LOOP_LOOKS bytes count as a step */
#define LOOP_LOOKS 64u
#define LOW_CODES 0x800u
#define END_COLUMN 256u /* of a fork's bytes: the match ends */
#define COLUMNS (END_COLUMN + 1)
#define NO_CODE UINT32_MAX /* of a byte that belongs to no character */
#define ASKS (-9)          /* the match is too long for bits */

uint64_t groups_bits = UINT64_C(256) << 10;

enum step_kind { STEP_END, STEP_CODE, STEP_SET, STEP_BYTE, STEP_FORK, STEP_EDGE, STEP_SAVE };

struct step {
    uint8_t kind;
    char letter;   /* of an EDGE, as in syntax_node */
    bool by_lines; /* for EDGE: ^ and $ also match at newlines */
    uint8_t loop;  /* of a FORK: the way, as in `ways`, that takes a character and comes back */
    uint32_t next;
    uint32_t other;  /* for FORK: the way less preferred; CODE: the character; SET: the index in
                        `sets`; SAVE: 2 * the group, + 1 at its end */
    uint32_t number; /* of a FORK */
};

/* The characters of a SET. */
struct group_set {
    uint64_t low[LOW_CODES / 64]; /* those below LOW_CODES */
    uint64_t first[4];            /* with which bytes they begin */
    uint32_t from, count;         /* their ranges in groups->ranges */
};

struct groups {
    const struct regex_options *options;
    bool is_strict, has_part; /* has_part: \C takes a part of a character */
    struct step *steps;       /* steps[0] is the END */
    uint32_t step_count, fork_count, first;
    uint64_t step_capacity;
    struct group_set *sets;
    uint64_t set_count, set_capacity;
    struct code_range *ranges;
    uint64_t range_count, range_capacity;
    /* for each fork and byte: 1 if `next` may lead on, 2 if `other` may; NULL: either may */
    uint8_t *ways;
};

/* ---- The program ------------------------------------------------------------------------------
 */

struct maker {
    struct groups *made;
    uint32_t *sets; /* by the node's number: the index of its set + 1 */
    uint32_t group; /* the number of the next group, from the last on */
    enum trawl_status status;
};

static uint32_t put(struct maker *maker, struct step step)
{
    struct groups *made = maker->made;

    if (maker->status == TRAWL_OK)
        maker->status =
            made->step_count == STEPS_MAX
                ? TRAWL_LIMIT
                : MEMORY_ROOM(made->steps, made->step_capacity, made->step_count + 1u, NULL);
    if (maker->status != TRAWL_OK)
        return 0;
    made->steps[made->step_count] = step;
    return made->step_count++;
}

/* Adds a fork to `item` and to `next`, of which the former is preferred unless `is_lazy`. */
static uint32_t put_fork(struct maker *maker, bool is_lazy, uint32_t item, uint32_t next)
{
    return put(maker, (struct step){.kind = STEP_FORK,
                                    .next = is_lazy ? next : item,
                                    .other = is_lazy ? item : next,
                                    .number = maker->made->fork_count++});
}

/* Adds the range to the bits of the characters below LOW_CODES, and to those of first bytes. */
static void note_range(struct group_set *set, struct code_range range, bool bytes)
{
    uint8_t from[4] = {(uint8_t)range.first}, to[4] = {(uint8_t)range.last};

    for (uint32_t code = range.first; code <= range.last && code < LOW_CODES; code++)
        set->low[code / 64] |= UINT64_C(1) << code % 64;
    if (!bytes) {
        (void)plan_utf8_encode(range.first, from);
        (void)plan_utf8_encode(range.last, to);
    }
    for (uint32_t byte = from[0]; byte <= to[0]; byte++)
        set->first[byte / 64] |= UINT64_C(1) << byte % 64;
}

static uint32_t put_set(struct maker *maker, const struct syntax_node *node, uint32_t next)
{
    struct groups *made = maker->made;
    const bool bytes = made->options->bytes;
    struct step step = {.kind = STEP_SET, .next = next, .other = maker->sets[node->number] - 1};
    struct group_set *set;

    if (node->set_count == 1 && node->set->first == node->set->last) {
        step = (struct step){.kind = STEP_CODE, .next = next, .other = node->set->first};
        return put(maker, step);
    }
    if (maker->sets[node->number] > 0 || maker->status != TRAWL_OK)
        return put(maker, step);
    maker->status = MEMORY_ROOM(made->sets, made->set_capacity, made->set_count + 1, NULL);
    if (maker->status == TRAWL_OK)
        maker->status = MEMORY_ROOM(made->ranges, made->range_capacity,
                                    made->range_count + node->set_count, NULL);
    if (maker->status != TRAWL_OK)
        return 0;
    set = &made->sets[made->set_count];
    *set = (struct group_set){.from = (uint32_t)made->range_count, .count = node->set_count};
    for (uint32_t i = 0; i < node->set_count; i++) {
        made->ranges[made->range_count++] = node->set[i];
        note_range(set, node->set[i], bytes);
    }
    step.other = (uint32_t)made->set_count++;
    maker->sets[node->number] = step.other + 1;
    return put(maker, step);
}

static uint32_t put_node(struct maker *maker, const struct syntax_node *node, uint32_t next);

/* Adds x+, of which `item` is the last x, or x* if x is never empty. */
static uint32_t put_loop(struct maker *maker, const struct syntax_node *node, uint32_t next)
{
    const bool is_star = node->least == 0 && !node->items[0]->may_be_empty;
    const uint32_t fork = put_fork(maker, node->is_lazy, 0, next);
    const uint32_t item = put_node(maker, node->items[0], fork);

    if (maker->status == TRAWL_OK && node->is_lazy)
        maker->made->steps[fork].other = item;
    else if (maker->status == TRAWL_OK)
        maker->made->steps[fork].next = item;
    return is_star ? fork : item;
}

/* Adds x{3,5} as xxx(x(x)?)?, x{3,} as xxx+, and if x may be empty, x* as (x+)?, so that x may be
 * taken once without a byte. All repetitions have the same groups. */
static uint32_t put_repeat(struct maker *maker, const struct syntax_node *node, uint32_t next)
{
    const struct syntax_node *item = node->items[0];
    const uint32_t group = maker->group;
    const bool is_endless = node->most == SYNTAX_ENDLESS;
    uint32_t from = next;

    if (node->most == 0)
        maker->group -= item->groups;
    if (is_endless)
        from = put_loop(maker, node, next);
    if (is_endless && node->least == 0 && item->may_be_empty)
        from = put_fork(maker, node->is_lazy, from, next);
    for (uint32_t i = node->least; !is_endless && i < node->most && maker->status == TRAWL_OK;
         i++) {
        maker->group = group;
        from = put_fork(maker, node->is_lazy, put_node(maker, item, from), next);
    }
    for (uint32_t i = is_endless; i < node->least && maker->status == TRAWL_OK; i++) {
        maker->group = group;
        from = put_node(maker, item, from);
    }
    return from;
}

/* Adds the steps of a node before `next`, the step that follows it. Returns the first of them. */
static uint32_t put_node(struct maker *maker, const struct syntax_node *node, uint32_t next)
{
    uint32_t all = 0, number;

    switch ((enum syntax_kind)node->kind) {
    case SYNTAX_EMPTY:
    case SYNTAX_REFERENCE: /* PCRE2 searches */
        return next;
    case SYNTAX_CHAR:
    case SYNTAX_SET:
        return put_set(maker, node, next);
    case SYNTAX_BYTE:
        maker->made->has_part |= !maker->made->options->bytes;
        return put(maker, (struct step){.kind = STEP_BYTE, .next = next});
    case SYNTAX_EDGE:
        return put(maker, (struct step){.kind = STEP_EDGE,
                                        .letter = node->letter,
                                        .by_lines = (node->flags & SYNTAX_MANY_LINES) != 0,
                                        .next = next});
    case SYNTAX_REPEAT:
        return put_repeat(maker, node, next);
    case SYNTAX_LIST:
        for (uint32_t i = node->count; i-- > 0;)
            next = put_node(maker, node->items[i], next);
        return next;
    case SYNTAX_GROUP:
        break;
    }
    number = maker->group - node->groups + 1;
    if (node->is_numbered)
        next = put(maker, (struct step){.kind = STEP_SAVE, .next = next, .other = 2 * number + 1});
    for (uint32_t i = node->count; i-- > 0;) {
        const uint32_t list = put_node(maker, node->items[i], next);

        all = i + 1 == node->count ? list : put_fork(maker, false, list, all);
    }
    maker->group -= node->is_numbered;
    return node->is_numbered
               ? put(maker, (struct step){.kind = STEP_SAVE, .next = all, .other = 2 * number})
               : all;
}

/* With which bytes a way may lead on. */
struct ahead {
    uint64_t bytes[4];
    bool ends;
};

/* Adds what `from` has. Returns true if that was more. */
static bool ahead_add(struct ahead *to, const struct ahead *from)
{
    const struct ahead before = *to;
    bool changes;

    for (uint32_t i = 0; i < 4; i++)
        to->bytes[i] |= from->bytes[i];
    to->ends |= from->ends;
    changes = to->ends != before.ends;
    for (uint32_t i = 0; i < 4; i++)
        changes |= to->bytes[i] != before.bytes[i];
    return changes;
}

/* Sets *ahead to what a step that takes a character may take. */
static void ahead_of(const struct groups *groups, const struct step *step, struct ahead *ahead)
{
    uint8_t bytes[4] = {(uint8_t)step->other};

    *ahead = (struct ahead){.ends = step->kind == STEP_END};
    if (step->kind == STEP_BYTE)
        memset(ahead->bytes, 0xff, sizeof ahead->bytes);
    if (step->kind == STEP_SET)
        memcpy(ahead->bytes, groups->sets[step->other].first, sizeof ahead->bytes);
    if (step->kind == STEP_CODE && !groups->options->bytes)
        (void)plan_utf8_encode(step->other, bytes);
    if (step->kind == STEP_CODE)
        ahead->bytes[bytes[0] / 64] |= UINT64_C(1) << bytes[0] % 64;
}

static bool is_loop(const struct groups *groups, uint32_t fork, uint32_t way)
{
    return groups->steps[way].kind != STEP_END && groups->steps[way].kind < STEP_FORK &&
           groups->steps[way].next == fork;
}

static void set_ways(const struct ahead *next, const struct ahead *other, uint8_t ways[COLUMNS])
{
    for (uint32_t byte = 0; byte < END_COLUMN; byte++)
        ways[byte] = (uint8_t)((next->bytes[byte / 64] >> byte % 64 & 1) |
                               (other->bytes[byte / 64] >> byte % 64 & 1) << 1);
    ways[END_COLUMN] = (uint8_t)(next->ends | other->ends << 1);
}

/* Makes groups->ways. A loop is gone through until nothing is added. */
static enum trawl_status make_ways(struct groups *groups, struct trawl_error *error)
{
    bool changes = true;
    struct ahead *all;

    if (groups->fork_count == 0 || groups->fork_count > AHEAD_FORKS ||
        groups->step_count > AHEAD_STEPS)
        return TRAWL_OK;
    TRAWL_TRY(MEMORY_NEW(groups->ways, groups->fork_count * COLUMNS, error));
    TRAWL_TRY(MEMORY_ZEROED(all, groups->step_count, error));
    for (uint32_t i = 0; i < groups->step_count; i++)
        ahead_of(groups, &groups->steps[i], &all[i]);
    while (changes) {
        changes = false;
        for (uint32_t i = 0; i < groups->step_count; i++) {
            const struct step *step = &groups->steps[i];

            if (step->kind >= STEP_FORK)
                changes |= ahead_add(&all[i], &all[step->next]);
            if (step->kind == STEP_FORK)
                changes |= ahead_add(&all[i], &all[step->other]);
        }
    }
    for (uint32_t i = 0; i < groups->step_count; i++) {
        struct step *step = &groups->steps[i];

        if (step->kind != STEP_FORK)
            continue;
        set_ways(&all[step->next], &all[step->other], groups->ways + step->number * COLUMNS);
        step->loop = is_loop(groups, i, step->next) ? 1 : is_loop(groups, i, step->other) ? 2 : 0;
    }
    memory_release(all, groups->step_count, sizeof *all);
    return TRAWL_OK;
}

enum trawl_status groups_make(const struct syntax *tree, const struct regex_options *options,
                              bool whole_word, bool is_strict, struct groups **out,
                              struct trawl_error *error)
{
    struct maker maker = {.group = tree->root.groups};
    struct groups *made;
    uint32_t last;

    TRAWL_TRY(MEMORY_ZEROED(made, 1, error));
    made->options = options;
    made->is_strict = is_strict;
    maker.made = made;
    maker.status = MEMORY_ZEROED(maker.sets, tree->node_count + 1u, error);
    last = put(&maker, (struct step){.kind = STEP_END});
    if (whole_word)
        last = put(&maker, (struct step){.kind = STEP_EDGE, .letter = 'H', .next = last});
    if (maker.status == TRAWL_OK)
        made->first = put_node(&maker, &tree->root, last);
    if (whole_word)
        made->first =
            put(&maker, (struct step){.kind = STEP_EDGE, .letter = 'h', .next = made->first});
    memory_release(maker.sets, tree->node_count + 1u, sizeof *maker.sets);
    if (maker.status == TRAWL_OK)
        maker.status = make_ways(made, error);
    if (maker.status != TRAWL_OK) {
        groups_free(made);
        return maker.status;
    }
    *out = made;
    return TRAWL_OK;
}

void groups_free(struct groups *groups)
{
    if (groups == NULL)
        return;
    memory_release(groups->steps, groups->step_capacity, sizeof *groups->steps);
    memory_release(groups->sets, groups->set_capacity, sizeof *groups->sets);
    memory_release(groups->ranges, groups->range_capacity, sizeof *groups->ranges);
    memory_release(groups->ways, groups->fork_count * COLUMNS, 1);
    memory_release(groups, 1, sizeof *groups);
}

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

static enum beside before(const struct groups *groups, const struct groups_text *text, uint64_t at)
{
    uint64_t back = 1, length;
    uint32_t code;

    if (at == 0)
        return BESIDE_OTHER;
    while (!groups->options->bytes && back < 4 && back < at &&
           (text->bytes[at - back] & 0xc0) == 0x80)
        back++;
    code = code_at(groups, text->bytes, at - back, at, &length);
    return beside_of(groups, length == back ? code : NO_CODE);
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
    const uint32_t most = search->groups->options->bytes ? 0xff : 0x7f;
    uint64_t at = from;

    while (at < end && bytes[at] <= most && ways[bytes[at]] == fork->loop)
        at++;
    search->looks += (uint32_t)((at - from) / LOOP_LOOKS);
    return at;
}

/* Takes the fork at `at`. Returns 1 and sets *next to the way that is tried first; 0 if there is
 * none. Other results are those of `see`, and WORDS_CANCELLED. */
static inline int take_fork(struct search *search, const struct step *step, uint64_t at,
                            uint32_t *next)
{
    const struct groups_text *text = search->text;
    const uint32_t column = at < text->to ? text->bytes[at] : END_COLUMN;
    const uint8_t *all = search->groups->ways;
    const uint32_t ways = all != NULL ? all[step->number * COLUMNS + column] : 3;
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

/* Tries all ways in order. Returns 1 if one leads to the match's end, 0 if none does. Other results
 * are those of take_fork. */
static int try_ways(struct search *search)
{
    const struct groups *groups = search->groups;
    const struct groups_text *text = search->text;
    struct groups_job job = {text->from, groups->first, UINT32_MAX};

    for (;;) {
        const struct step *step = &groups->steps[job.step];
        uint64_t length, *save;
        int goes = 0;

        switch ((enum step_kind)step->kind) {
        case STEP_END:
            if (job.at == text->to)
                return 1;
            break;
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
            if (step->loop != 0 && search->job_count == 0)
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

/* Adds the threads that the step leads to at `at`, with these saves. Returns false if memory cannot
 * be allocated. */
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
                ways = groups->ways[step->number * COLUMNS + column];
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
        } else if ((step->kind == STEP_END) == (at == text->to)) {
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

/* Follows all ways at once. Results are those of groups_find. */
static int follow_ways(struct search *search)
{
    const struct groups *groups = search->groups;
    const struct groups_text *text = search->text;
    const uint64_t size = search->span_count * sizeof *search->spans;
    struct groups_memory *memory = search->memory;
    struct groups_threads *now = &memory->threads[0], *then = &memory->threads[1];
    uint64_t length = 1;

    if (MEMORY_ROOM(memory->seen, memory->seen_capacity, groups->step_count, NULL) != TRAWL_OK)
        return -1;
    memset(memory->seen, 0, groups->step_count * sizeof *memory->seen);
    now->count = 0;
    if (!add_threads(search, now, groups->first, text->from, search->spans))
        return -1;
    for (uint64_t at = text->from; at < text->to && now->count > 0; at += length) {
        const uint32_t code = code_at(groups, text->bytes, at, text->to, &length);
        struct groups_threads *last = now;

        then->count = 0;
        for (uint64_t i = 0; i < now->count; i++) {
            const struct step *step = &groups->steps[now->steps[i]];

            if (is_over(search))
                return WORDS_CANCELLED;
            if (!takes(groups, step, code))
                continue;
            memcpy(search->spans, (const uint8_t *)now->saves + i * size, size);
            if (!add_threads(search, then, step->next, at + length, search->spans))
                return -1;
        }
        now = then;
        then = last;
    }
    if (now->count == 0)
        return 0;
    memcpy(search->spans, now->saves, size);
    return 1;
}

int groups_find(const struct groups *groups, struct groups_memory *memory,
                const struct groups_text *text, struct regex_span *spans, uint32_t span_count)
{
    struct search search = {
        .groups = groups, .text = text, .memory = memory, .spans = spans, .span_count = span_count};
    int found;

    TRAWL_ASSERT(span_count > 0 && text->from <= text->to && text->to <= text->count);
    for (uint32_t i = 0; i < span_count; i++)
        spans[i] = (struct regex_span){UINT64_MAX, UINT64_MAX};
    found = try_ways(&search);
    if (found == ASKS) {
        for (uint32_t i = 0; i < span_count; i++)
            spans[i] = (struct regex_span){UINT64_MAX, UINT64_MAX};
        found = follow_ways(&search);
    }
    spans[0] = (struct regex_span){text->from, text->to};
    return found;
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
