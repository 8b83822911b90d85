/* pass: runs searches of a collection's state that several requests share.
 *
 * There is no thread for passes. If no pass that the request could share is running, the request
 * becomes a leader: its own thread runs a pass. Requests that could share the pass but arrive while
 * it runs wait. When it ends, the first of them leads the next pass, which includes the others: the
 * requests of a pass are its members. Passes whose requests could not share a pass run at the same
 * time, on the threads and GPUs of one runtime.
 */
#include "serve/pass.h"

#include <stdlib.h>
#include <string.h>

#include "serve/pass_member.h"
#include "trawl/text/command_clock.h"
#include "trawl/text/calls.h"
#include "trawl/text/guard.h"

#define SHARED_STRINGS_MAX 16384u /* limit for the strings of all requests in a pass */
/* Limit for the requests of a pass. */
#define SHARED_REQUESTS_MAX 4096u
#define MERGED_STRINGS_MAX 1000u /* a request with more strings gets a pass alone */

/* When a pass for several requests has ended, their clients usually send new ones immediately. The
 * next pass waits for them, for up to 1 / GATHER_SHARE of the time of the last pass. */
#define GATHER_SHARE 16u

/* A sample of the text in a state's blocks: SAMPLE_PARTS parts of SAMPLE_PART_BYTES. */
#define SAMPLE_PARTS 64u
#define SAMPLE_PART_BYTES 1024u
/* A sample of a state's files: SAMPLE_FILES files, and of each file the first SAMPLE_FILE_BYTES. */
#define SAMPLE_FILES 32u
#define SAMPLE_FILE_BYTES 16384u
/* Strings count as frequent if a sample has on average more than one occurrence in FREQUENT_BYTES
 * bytes, or FREQUENT_DEVICE_BYTES if the text is on GPUs. A core counts occurrences at about 10
 * GB/s, but lists only 50 million a second; a GPU counts 100 times as fast. */
#define FREQUENT_BYTES 256u
#define FREQUENT_DEVICE_BYTES 4096u

uint64_t pass_sampled_min = PASS_SAMPLED_MIN;

struct passes {
    struct trawl_runtime *runtime;
    /* A runtime that searches samples on the CPU: on GPUs, a sample would wait behind passes. */
    struct trawl_runtime *samples;
    pthread_mutex_t mutex;
    /* List of waiting requests by `turn`; with equal turns, the earlier request is first. */
    struct pass_member *waiting;
    struct pass_member *leaders;   /* list of the leaders of all running passes */
    struct pass_member *gathering; /* a leader that waits for further requests; NULL: none does */
    uint64_t turn;                 /* highest turn of a request that has begun */
    uint32_t last_count;           /* members of the last pass that ended */
    uint64_t last_end_ns, last_ns; /* when the last pass ended, and how long it took */
    struct pass_facts facts;
};

bool passes_open(struct passes **passes, struct trawl_runtime *runtime, char *message)
{
    struct trawl_searcher_options options = TRAWL_SEARCHER_OPTIONS_INIT;
    struct trawl_error error = {.message = "memory exhausted"};

    options.engine = TRAWL_ENGINE_CPU;
    options.threads = 1;
    *passes = calloc(1, sizeof **passes);
    if (*passes == NULL || trawl_runtime_open(&options, &(*passes)->samples, &error) != TRAWL_OK) {
        (void)strcpy(message, error.message);
        free(*passes);
        *passes = NULL;
        return false;
    }
    (*passes)->runtime = runtime;
    pthread_mutex_init(&(*passes)->mutex, NULL);
    return true;
}

void passes_close(struct passes *passes)
{
    if (passes == NULL)
        return;
    pthread_mutex_destroy(&passes->mutex);
    /* no searcher of `samples` is open now, so this cannot fail */
    (void)trawl_runtime_close(passes->samples, NULL);
    free(passes);
}

static struct trawl_searcher *open_samples(const struct passes *passes)
{
    struct trawl_searcher_options options = TRAWL_SEARCHER_OPTIONS_INIT;
    struct trawl_searcher *searcher;

    options.runtime = passes->samples;
    return trawl_searcher_open(&options, &searcher, NULL) == TRAWL_OK ? searcher : NULL;
}

static uint64_t count_part(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                           const uint8_t *bytes, uint64_t bytes_count)
{
    struct trawl_text *text = NULL;
    uint64_t count = 0;

    if (open_memory(bytes, bytes_count, &text, NULL) != TRAWL_OK ||
        trawl_count(searcher, plan, text, &count, NULL) != TRAWL_OK)
        count = 0;
    trawl_text_close(text);
    return count;
}

static uint64_t block_bytes(const struct state *state)
{
    uint64_t total = 0;

    for (uint32_t i = 0; i < state->block_count; i++)
        total += state->blocks[i].block->bytes_count;
    return total;
}

/* Returns true if, judging by a sample of the state, counting the request's occurrences is cheaper
 * than listing all of them. The sample's parts are copied into a single text, because separate
 * searches would cost more. */
static bool is_dense(const struct passes *passes, const struct pass_request *request)
{
    const struct state *state = request->state;
    uint64_t total = block_bytes(state), at = 0, used = 0, count = 0;
    uint8_t sample[SAMPLE_PARTS * SAMPLE_PART_BYTES];
    struct trawl_searcher *searcher = total < pass_sampled_min ? NULL : open_samples(passes);

    if (searcher == NULL)
        return false;
    for (uint32_t i = 0; i < state->block_count; i++) {
        const struct served_block *block = state->blocks[i].block;

        for (; at + SAMPLE_PART_BYTES <= block->bytes_count && used < sizeof sample;
             at += total / SAMPLE_PARTS, used += SAMPLE_PART_BYTES)
            memcpy(sample + used, block->bytes + at, SAMPLE_PART_BYTES);
        at = at > block->bytes_count ? at - block->bytes_count : 0;
    }
    count = count_part(searcher, request->plan, sample, used);
    trawl_searcher_close(searcher);
    return count >
           used / (state->blocks[0].block->on_device ? FREQUENT_DEVICE_BYTES : FREQUENT_BYTES);
}

bool pass_is_frequent(struct passes *passes, const struct state *state,
                      const struct trawl_plan *plan)
{
    uint32_t parts = state->index_count < SAMPLE_FILES ? state->index_count : SAMPLE_FILES;
    uint32_t tried = 0, found = 0;
    struct trawl_searcher *searcher = open_samples(passes);

    if (searcher == NULL)
        return false;
    for (uint32_t i = 0; i < parts; i++) {
        const struct served_file *file = state->files[(uint64_t)state->index_count * i / parts];
        uint64_t bytes_count = file == NULL ? 0 : file->supplied.bytes_count;

        if (file == NULL || file->supplied.bytes == NULL)
            continue;
        tried++;
        found += count_part(searcher, plan, file->supplied.bytes,
                            bytes_count < SAMPLE_FILE_BYTES ? bytes_count : SAMPLE_FILE_BYTES) > 0;
    }
    trawl_searcher_close(searcher);
    return 2 * found > tried;
}

static void begin_pass(struct passes *passes, struct pass_member *leader)
{
    leader->stage = PASS_LEADS;
    leader->next = NULL;
    leader->leader = leader;
    leader->member_count = 1;
    leader->string_count = describe_plan(leader->request->plan, 0).pattern_count;
    leader->next_leader = passes->leaders;
    passes->leaders = leader;
}

static void end_pass(struct passes *passes, struct pass_member *leader)
{
    struct pass_member **link = &passes->leaders;

    while (*link != leader)
        link = &(*link)->next_leader;
    *link = leader->next_leader;
    leader->leader = NULL;
}

/* Adds a request to `waiting`. Its turn is passes->turn + 1 or, if the same client already has
 * requests waiting, 1 more than the highest of their turns: so clients take turns. */
static void enqueue(struct passes *passes, struct pass_member *member)
{
    struct pass_member **link = &passes->waiting;

    member->stage = PASS_WAITS;
    member->turn = passes->turn + 1;
    for (const struct pass_member *m = passes->waiting; m != NULL; m = m->next)
        if (m->request->client == member->request->client && m->turn >= member->turn)
            member->turn = m->turn + 1;
    while (*link != NULL && (*link)->turn <= member->turn)
        link = &(*link)->next;
    member->next = *link;
    *link = member;
    passes->facts.waiting_count++;
    if (passes->gathering != NULL && passes->facts.waiting_count + 1 >= passes->last_count)
        pthread_cond_signal(&passes->gathering->wake);
}

/* Removes a request from `waiting`. */
static void stop_waiting(struct passes *passes, struct pass_member *member)
{
    struct pass_member **link = &passes->waiting;

    while (*link != member)
        link = &(*link)->next;
    *link = member->next;
    passes->facts.waiting_count--;
    if (member->turn > passes->turn)
        passes->turn = member->turn;
}

/* Returns the first waiting request, starting at `member`, that may share the leader's pass. */
static struct pass_member *first_alike(struct pass_member *member, const struct pass_member *leader)
{
    while (member != NULL && !pass_list_merges(member->request, leader->request))
        member = member->next;
    return member;
}

/* Waits a moment for clients of the last pass, which are likely to send another request. */
static void wait_for_others(struct passes *passes, struct pass_member *leader)
{
    uint64_t until_ns = passes->last_end_ns + passes->last_ns / GATHER_SHARE;
    struct timespec until = {(time_t)(until_ns / 1000000000u), (long)(until_ns % 1000000000u)};

    if (passes->last_count < 2 || passes->gathering != NULL)
        return;
    passes->gathering = leader;
    while (passes->facts.waiting_count + 1 < passes->last_count && now_ns() < until_ns &&
           !leader->request->cancelled)
        (void)pthread_cond_timedwait(&leader->wake, &passes->mutex, &until);
    passes->gathering = NULL;
}

/* Moves waiting requests into the leader's pass, by ascending turn, until the next would exceed a
 * limit of the pass. */
static void gather_members(struct passes *passes, struct pass_member *leader)
{
    struct pass_member *member = first_alike(passes->waiting, leader), *next, *last = leader;

    for (; member != NULL && leader->member_count < SHARED_REQUESTS_MAX; member = next) {
        uint64_t strings = describe_plan(member->request->plan, 0).pattern_count;

        next = first_alike(member->next, leader);
        if (leader->string_count + strings > SHARED_STRINGS_MAX)
            break;
        stop_waiting(passes, member);
        leader->string_count += strings;
        leader->member_count++;
        member->stage = PASS_RUNS;
        member->leader = leader;
        member->next = NULL;
        last->next = member;
        last = member;
    }
}

/* Ends a pass: makes the first waiting request that could have shared the pass a leader, and wakes
 * the members of this pass. A member lies on the stack of its thread (pass_run), so the member must
 * not be touched after the wake-up. */
static void hand_on_lead(struct passes *passes, struct pass_member *leader, enum pass_stage stage)
{
    struct pass_member *successor = first_alike(passes->waiting, leader), *next;

    end_pass(passes, leader);
    if (successor != NULL) {
        stop_waiting(passes, successor);
        begin_pass(passes, successor);
        pthread_cond_signal(&successor->wake);
    }
    for (struct pass_member *member = leader->next; member != NULL; member = next) {
        next = member->next;
        member->leader = NULL;
        member->stage = stage;
        pthread_cond_signal(&member->wake);
    }
    leader->next = NULL;
    leader->stage = stage;
}

/* Adds a pass to the totals in passes->facts, and tells the members how much was searched. */
static void add_to_totals(struct passes *passes, struct pass_member *leader, uint64_t search_ns)
{
    uint64_t bytes = block_bytes(leader->request->state);

    for (struct pass_member *member = leader; member != NULL; member = member->next) {
        member->request->shared_count = leader->member_count;
        member->request->searched_bytes = bytes;
    }
    passes->facts.pass_count++;
    passes->facts.shared_request_count += leader->member_count > 1 ? leader->member_count : 0;
    passes->facts.searched_bytes += bytes;
    passes->facts.search_ns += search_ns;
}

static enum trawl_status lead_pass(struct passes *passes, struct pass_member *leader,
                                   struct trawl_error *error)
{
    enum trawl_status status;
    uint64_t begin_ns;

    wait_for_others(passes, leader);
    gather_members(passes, leader);
    pthread_mutex_unlock(&passes->mutex);
    begin_ns = now_ns();
    status = pass_list(leader, error);
    pthread_mutex_lock(&passes->mutex);
    passes->last_count = leader->member_count;
    passes->last_end_ns = now_ns();
    passes->last_ns = passes->last_end_ns - begin_ns;
    add_to_totals(passes, leader, passes->last_ns);
    if (status > TRAWL_STOPPED && leader->member_count > 1) {
        hand_on_lead(passes, leader, PASS_FAILED); /* now each request gets a separate search */
        return TRAWL_OK;
    }
    hand_on_lead(passes, leader, PASS_DONE);
    return status;
}

/* Answers a request with a pass that other requests may share. Status OK with stage PASS_FAILED
 * means that the request needs a separate search. */
static enum trawl_status run_shared(struct passes *passes, struct pass_member *member,
                                    struct trawl_error *error)
{
    struct pass_request *request = member->request;
    const struct pass_member *running = passes->leaders;

    while (running != NULL && !pass_list_merges(running->request, request))
        running = running->next_leader;
    if (running == NULL)
        begin_pass(passes, member);
    else
        enqueue(passes, member);
    while (member->stage == PASS_WAITS ? !request->cancelled : member->stage == PASS_RUNS)
        pthread_cond_wait(&member->wake, &passes->mutex);
    if (member->stage == PASS_WAITS) {
        stop_waiting(passes, member);
        return TRAWL_STOPPED;
    }
    return member->stage == PASS_LEADS ? lead_pass(passes, member, error) : TRAWL_OK;
}

static enum trawl_status search_blocks(struct passes *passes, struct pass_member *member, bool fits,
                                       bool is_listed, struct trawl_error *error)
{
    uint64_t begin_ns = now_ns();
    enum trawl_status status;

    pass_member_reset(member);
    member->member_count = 1;
    status = is_listed ? pass_list(member, error) : pass_own(member, fits, error);
    pthread_mutex_lock(&passes->mutex);
    add_to_totals(passes, member, now_ns() - begin_ns);
    passes->facts.own_pass_count++;
    pthread_mutex_unlock(&passes->mutex);
    return status;
}

/* Notes that a member is searched for alone (`leader` is the member), so that pass_cancel stops its
 * searcher; or that this search has ended (`leader` is NULL). */
static void lead_alone(struct passes *passes, struct pass_member *member,
                       struct pass_member *leader)
{
    pthread_mutex_lock(&passes->mutex);
    member->leader = leader;
    member->next = NULL;
    pthread_mutex_unlock(&passes->mutex);
}

/* Searches for a request: first in the blocks, in a shared pass or alone, then in the files that
 * must be opened. */
static bool search(struct passes *passes, struct pass_member *member)
{
    struct pass_request *request = member->request;
    const struct state *state = request->state;
    /* Expressions that pass pass_list_fits are searched by pass_list even if matches are frequent:
     * pass_own searches each file as a record, and a record counts as one line. */
    bool has_expressions = describe_plan(request->plan, 0).syntax != TRAWL_LITERAL;
    bool fits = pass_list_fits(request->plan);
    bool is_listed = fits && (has_expressions || !is_dense(passes, request));
    struct trawl_error error;
    enum trawl_status status = TRAWL_OK;
    bool enters;

    member->stage = PASS_FAILED;
    if (is_listed && pass_list_is_merged(request) &&
        describe_plan(request->plan, 0).pattern_count <= MERGED_STRINGS_MAX) {
        pthread_mutex_lock(&passes->mutex);
        status = run_shared(passes, member, &error);
        pthread_mutex_unlock(&passes->mutex);
    }
    enters = status == TRAWL_OK && member->stage == PASS_FAILED && request->guard != NULL &&
             request->guard->all != NULL && request->guard->run_ns == 0;
    if (enters && !guard_admit(request->guard))
        status = TRAWL_STOPPED;
    lead_alone(passes, member, member);
    if (status == TRAWL_OK && member->stage == PASS_FAILED)
        status = search_blocks(passes, member, fits, is_listed, &error);
    if (status == TRAWL_OK && pass_member_lists(member) &&
        (state->unheld_count > 0 || member->some_open ||
         (state->unplain_count > 0 && !request->search_zip)))
        status = pass_own_files(member, &error);
    lead_alone(passes, member, NULL);
    if (enters)
        guard_leave(request->guard);
    if (status > TRAWL_STOPPED)
        (void)strcpy(request->message, error.message);
    return status == TRAWL_OK && !request->cancelled;
}

bool pass_run(struct passes *passes, struct pass_request *request)
{
    struct pass_member member;
    bool good = pass_member_open(&member, request, passes->runtime);

    pthread_mutex_lock(&passes->mutex);
    request->member = &member;
    passes->facts.request_count++;
    pthread_mutex_unlock(&passes->mutex);
    good = good && !request->cancelled && search(passes, &member) && pass_member_finish(&member);
    pthread_mutex_lock(&passes->mutex);
    request->member = NULL;
    passes->facts.change_count += member.change_count;
    pthread_mutex_unlock(&passes->mutex);
    pass_member_close(&member);
    return good;
}

void pass_cancel(struct passes *passes, struct pass_request *request)
{
    struct pass_member *member;

    pthread_mutex_lock(&passes->mutex);
    request->cancelled = true;
    member = request->member;
    if (member != NULL) {
        pthread_cond_signal(&member->wake);
        if (member->leader != NULL && pass_members_cancelled(member->leader))
            trawl_searcher_cancel(member->leader->searcher, false);
    }
    pthread_mutex_unlock(&passes->mutex);
}

void passes_facts(struct passes *passes, struct pass_facts *facts)
{
    pthread_mutex_lock(&passes->mutex);
    *facts = passes->facts;
    pthread_mutex_unlock(&passes->mutex);
}
