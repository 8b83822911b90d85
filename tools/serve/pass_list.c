/* pass_list: lists all occurrences for several requests (the members of a pass) in one search. The
 * text is a state's blocks, each of which contains the bytes of many files.
 *
 * The strings of all members become one plan, which has each string once. An occurrence counts for
 * a member if the string is one of the member's, and if the file is in the member's view, the list
 * of files that the request searches.
 */
#include "serve/pass_member.h"
#include "trawl/text/calls.h"

#include <stdlib.h>
#include <string.h>

struct pass_string {
    struct trawl_pattern pattern;
    struct pass_member *member;
    uint64_t number; /* index of the string in the member's plan */
};

struct pass_listing {
    struct pass_member *leader;
    /* All members' strings, sorted, so that equal strings are neighbours. */
    struct pass_string *strings;
    /* For each pattern of the common plan: the index in `strings` of the first equal string. NULL:
     * the only member's plan is searched. */
    uint64_t *firsts;
    const struct served_block *block;
    uint64_t range; /* index of the range (a file's bytes) that range_of returned last */
};

static bool same_letters(const struct trawl_letters *left, const struct trawl_letters *right)
{
    if (left == NULL || right == NULL)
        return left == right;
    return left->context == right->context && left->variants == right->variants &&
           left->is_word == right->is_word;
}

bool pass_list_is_merged(const struct pass_request *request)
{
    const struct trawl_plan_options *options = request->options;
    struct trawl_plan_told facts = describe_plan(request->plan, 0);

    if (facts.has_errors || facts.syntax != TRAWL_LITERAL)
        return false;
    return facts.flags == 0 || (options != NULL && options->flags == facts.flags);
}

/* Returns true if two requests may share a pass: their plans may differ only in strings. Of
 * line_ends, only the second byte is compared: the first matters only to plans for whole lines, and
 * those have '\n' if they passed pass_list_fits. */
bool pass_list_merges(const struct pass_request *left, const struct pass_request *right)
{
    const struct trawl_plan_options *a = left->options, *b = right->options;
    uint32_t flags = describe_plan(left->plan, 0).flags;

    if (left->state != right->state || flags != describe_plan(right->plan, 0).flags)
        return false;
    return flags == 0 ||
           ((a->line_ends.count > 1) == (b->line_ends.count > 1) &&
            a->line_ends.bytes[1] == b->line_ends.bytes[1] && same_letters(a->letters, b->letters));
}

bool pass_list_fits(const struct trawl_plan *plan)
{
    struct trawl_plan_told facts = describe_plan(plan, 0);
    bool has_lines = facts.line_end == '\n';

    if ((facts.flags & TRAWL_MULTILINE) != 0)
        return false;
    if (facts.edits_max > 0)
        /* Of overlapping matches, only the best is found. If matches could cross line ends, the
         * best might cross a file's end, and a worse match inside the file would be missed. */
        return has_lines && (facts.flags & TRAWL_WITHIN_LINES);
    /* A block has a newline after each file. If the plan's line end is a different byte, a match of
     * an expression, or a whole line, could cross the end of a file. */
    return has_lines || (!(facts.flags & TRAWL_WHOLE_LINE) && facts.syntax == TRAWL_LITERAL);
}

static int by_bytes(const void *left, const void *right)
{
    const struct pass_string *a = left, *b = right;
    uint64_t a_bytes = a->pattern.bytes_count, b_bytes = b->pattern.bytes_count;
    int order = memcmp(a->pattern.bytes, b->pattern.bytes, a_bytes < b_bytes ? a_bytes : b_bytes);

    return order != 0 ? order : a_bytes < b_bytes ? -1 : a_bytes > b_bytes;
}

static enum trawl_status build(struct pass_listing *listing, struct trawl_plan **plan,
                               struct trawl_error *error)
{
    const struct pass_request *request = listing->leader->request;
    struct trawl_plan_options options = TRAWL_PLAN_OPTIONS_INIT;
    struct pass_string *strings = listing->strings;
    struct trawl_pattern *patterns = malloc((listing->leader->string_count + 1) * sizeof *patterns);
    enum trawl_status status = TRAWL_MEMORY;
    uint64_t at = 0, count = 0;

    if (patterns == NULL || strings == NULL || listing->firsts == NULL)
        goto end;
    for (struct pass_member *m = listing->leader; m != NULL; m = m->next)
        for (uint64_t i = 0; i < describe_plan(m->request->plan, 0).pattern_count; i++)
            strings[at++] = (struct pass_string){describe_plan(m->request->plan, i).pattern, m, i};
    qsort(strings, at, sizeof *strings, by_bytes);
    for (uint64_t i = 0; i < at; i++)
        if (i == 0 || by_bytes(&strings[i - 1], &strings[i]) != 0) {
            listing->firsts[count] = i;
            patterns[count++] = strings[i].pattern;
        }
    listing->firsts[count] = at;
    options.flags = describe_plan(request->plan, 0).flags;
    if (options.flags != 0) {
        if (request->options->line_ends.count > 1)
            options.line_ends =
                (struct trawl_line_ends){2, {'\n', request->options->line_ends.bytes[1]}};
        options.letters = request->options->letters;
    }
    status = trawl_plan_build(patterns, count, &options, plan, error);
end:
    free(patterns);
    return status;
}

/* Returns the range of the file that contains offset `begin` of the block. `begin` must ascend from
 * call to call, so the search starts at the range that the last call returned. */
static const struct tape_range *range_of(struct pass_listing *listing, uint64_t begin)
{
    const struct tape_range *ranges = listing->block->ranges;
    uint64_t low = listing->range, high, step = 1, count = listing->block->range_count;

    for (; low + step < count && ranges[low + step].begin <= begin; step *= 2)
        low += step;
    high = low + step < count ? low + step : count;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;

        if (ranges[middle].begin <= begin)
            low = middle;
        else
            high = middle;
    }
    listing->range = low;
    return &ranges[low];
}

/* Adds an occurrence to a member's results if the member's view has the file. */
static void occurs(struct pass_member *member, const struct tape_range *range, uint64_t begin,
                   uint64_t number)
{
    if (!pass_member_sees(member, range->file))
        return;
    pass_member_find(member, range->file);
    if (pass_member_lists(member) && member->request->state->files[range->file]->is_plain)
        pass_member_add(member, range->file, begin - range->begin, number);
}

static int take_matches(void *context, const struct trawl_match *matches, uint64_t match_count)
{
    struct pass_listing *listing = context;
    const struct state *state = listing->leader->request->state;

    for (uint64_t i = 0; i < match_count; i++) {
        const struct tape_range *range = range_of(listing, matches[i].begin);
        uint64_t pattern = matches[i].pattern_index;

        if (matches[i].end > range->end || state_file_at(state, listing->block, range) == NULL)
            continue; /* the match crosses the file's end, or the state no longer has it */
        if (listing->firsts == NULL) {
            occurs(listing->leader, range, matches[i].begin, pattern);
            continue;
        }
        for (uint64_t j = listing->firsts[pattern]; j < listing->firsts[pattern + 1]; j++)
            occurs(listing->strings[j].member, range, matches[i].begin, listing->strings[j].number);
    }
    return pass_members_cancelled(listing->leader);
}

enum trawl_status pass_list(struct pass_member *leader, struct trawl_error *error)
{
    const struct state *state = leader->request->state;
    const struct trawl_plan *plan = leader->request->plan;
    struct pass_listing listing = {.leader = leader};
    struct trawl_answer matches = TRAWL_ANSWER_MATCHES(take_matches, &listing);
    struct trawl_plan *merged = NULL;
    enum trawl_status status = TRAWL_OK;

    if (leader->member_count > 1) {
        listing.strings = malloc((leader->string_count + 1) * sizeof *listing.strings);
        listing.firsts = malloc((leader->string_count + 1) * sizeof *listing.firsts);
        status = build(&listing, &merged, error);
        plan = merged;
    }
    for (uint32_t i = 0; i < state->block_count && status == TRAWL_OK; i++) {
        listing.block = state->blocks[i].block;
        listing.range = 0;
        status = pass_members_cancelled(leader)
                     ? TRAWL_STOPPED
                     : trawl_ask(leader->searcher, plan, listing.block->text, &matches, error);
        pass_member_searched(leader);
    }
    trawl_plan_free(merged);
    free(listing.strings);
    free(listing.firsts);
    return status;
}
