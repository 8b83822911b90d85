/* pass_member: collects the results of a single request during a pass, a search that several
 * requests share. */
#include "serve/pass_member.h"

#include <stdlib.h>
#include <string.h>

#include "trawl/text/command_clock.h"
#include "trawl/text/calls.h"
#include "trawl/text/guard.h"

#define POSITIONS_FIRST 1024u

static bool member_fail(struct pass_request *request)
{
    (void)strcpy(request->message, "memory exhausted");
    return false;
}

/* Fills member->ranks: for each file of the state, its first index in the view (the files that the
 * request names). Returns false if out of memory. */
static bool read_ranks(struct pass_member *member)
{
    const struct pass_request *request = member->request;
    const struct served_view *view = request->view;
    uint32_t index_count = request->state->index_count;

    member->ranks = calloc(index_count + (size_t)1, sizeof *member->ranks);
    for (uint64_t i = view->file_count; member->ranks != NULL && i-- > 0;)
        if (view->files[i] < index_count)
            member->ranks[view->files[i]] = (uint32_t)i;
    return member->ranks != NULL;
}

bool pass_member_open(struct pass_member *member, struct pass_request *request,
                      struct trawl_runtime *runtime)
{
    struct trawl_searcher_options options = TRAWL_SEARCHER_OPTIONS_INIT;
    uint64_t file_bytes = sizeof *request->files + sizeof *member->ranks;
    struct trawl_error error;

    memset(member, 0, sizeof *member);
    member->request = request;
    (void)now_condition(&member->wake);
    if (!guard_take(request->guard, file_bytes * request->state->index_count +
                                        8 * describe_plan(request->plan, 0).pattern_count))
        return member_fail(request);
    request->files = calloc(request->state->index_count / 8 + 1, 1);
    if (request->wants_counts)
        request->pattern_counts =
            calloc(describe_plan(request->plan, 0).pattern_count + 1, sizeof(uint64_t));
    if (request->files == NULL || (request->wants_counts && request->pattern_counts == NULL) ||
        (request->wants_positions && !read_ranks(member)))
        return member_fail(request);
    pass_member_reset(member);
    options.runtime = runtime;
    if (trawl_searcher_open(&options, &member->searcher, &error) == TRAWL_OK)
        return true;
    (void)strcpy(request->message, error.message);
    return false;
}

void pass_member_reset(struct pass_member *member)
{
    struct pass_request *request = member->request;
    const struct state *state = request->state;

    memset(request->files, 0, state->index_count / 8 + 1);
    if (request->wants_counts)
        memset(request->pattern_counts, 0,
               describe_plan(request->plan, 0).pattern_count * sizeof(uint64_t));
    request->occurrence_count = request->unread_count = request->position_count = 0;
    request->message[0] = '\0';
    member->is_full = member->no_memory = member->some_open = false;
    if (state->unheld_count > 0 || (state->unplain_count > 0 && !request->search_zip))
        for (uint32_t i = 0; i < state->index_count; i++)
            if (state->files[i] != NULL && state->files[i]->kind == ENTRY_FILE &&
                (state->files[i]->block == NULL ||
                 (!state->files[i]->is_plain && !request->search_zip)))
                pass_set_bit(request->files, i);
}

void pass_member_find(struct pass_member *member, uint32_t file)
{
    pass_set_bit(member->request->files, file);
    if (pass_member_lists(member) && !member->request->state->files[file]->is_plain)
        member->some_open = true;
}

/* Orders positions by the file's place in the view, then by offset, then by pattern. */
static int compare(const void *left, const void *right, void *context)
{
    const struct pass_position *a = left, *b = right;
    const uint32_t *ranks = context;

    if (ranks[a->file] != ranks[b->file])
        return ranks[a->file] < ranks[b->file] ? -1 : 1;
    if (a->begin != b->begin)
        return a->begin < b->begin ? -1 : 1;
    return a->pattern < b->pattern ? -1 : a->pattern > b->pattern;
}

/* Sorts the positions, and keeps at most the first positions_max of them. */
static void sort(struct pass_member *member)
{
    struct pass_request *request = member->request;

    if (request->position_count > 0)
        qsort_r(request->positions, request->position_count, sizeof *request->positions, compare,
                member->ranks);
    if (request->position_count > request->positions_max)
        request->position_count = request->positions_max;
}

/* Makes room for one more position. The array grows up to twice positions_max entries, or up to
 * POSITIONS_FIRST if positions_max is below that. Then a full array is sorted, and only the first
 * positions_max entries are kept. Returns false if out of memory. */
static bool make_room(struct pass_member *member)
{
    uint64_t max = member->request->positions_max, capacity = member->position_capacity * 2;
    struct pass_position *grown;

    max = max < POSITIONS_FIRST ? POSITIONS_FIRST : max > UINT64_MAX / 64 ? max : 2 * max;
    if (member->position_capacity == max) {
        sort(member);
        member->is_full = true;
        return true;
    }
    capacity = capacity < POSITIONS_FIRST ? POSITIONS_FIRST : capacity > max ? max : capacity;
    /* counted twice, because sorting needs as much again */
    grown = guard_take(member->request->guard,
                       2 * (capacity - member->position_capacity) * sizeof *grown)
                ? realloc(member->request->positions, capacity * sizeof *grown)
                : NULL;
    if (grown == NULL)
        return false;
    member->request->positions = grown;
    member->position_capacity = capacity;
    return true;
}

void pass_member_add_position(struct pass_member *member, uint32_t file, uint64_t begin,
                              uint64_t pattern)
{
    struct pass_request *request = member->request;
    struct pass_position position = {begin, file, (uint32_t)pattern};
    uint64_t max = request->positions_max;

    if (max == 0 || member->no_memory ||
        (member->is_full && compare(&position, &request->positions[max - 1], member->ranks) > 0))
        return;
    if (request->position_count == member->position_capacity && !make_room(member))
        member->no_memory = true;
    else
        request->positions[request->position_count++] = position;
}

void pass_member_add(struct pass_member *member, uint32_t file, uint64_t begin, uint64_t pattern)
{
    struct pass_request *request = member->request;

    request->occurrence_count++;
    if (request->wants_counts)
        request->pattern_counts[pattern]++;
    if (request->wants_positions)
        pass_member_add_position(member, file, begin, pattern);
}

bool pass_member_finish(struct pass_member *member)
{
    struct pass_request *request = member->request;

    request->file_count = 0;
    if (member->no_memory)
        return member_fail(request);
    sort(member);
    for (uint32_t i = 0; i < request->state->index_count / 8 + 1; i++)
        request->file_count +=
            (uint64_t)__builtin_popcount(request->files[i] & request->view->seen[i]);
    return true;
}

void pass_member_searched(struct pass_member *member)
{
    struct trawl_stats stats = {.size = sizeof stats};

    if (trawl_searcher_stats(member->searcher, &stats, NULL) == TRAWL_OK)
        member->change_count += stats.change_count;
}

void pass_member_close(struct pass_member *member)
{
    trawl_searcher_close(member->searcher);
    pthread_cond_destroy(&member->wake);
    free(member->ranks);
}

bool pass_members_cancelled(const struct pass_member *leader)
{
    for (; leader != NULL; leader = leader->next)
        if (!leader->request->cancelled)
            return false;
    return true;
}
