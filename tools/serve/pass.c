/* pass: searches of a state that several requests share.
 *
 * No thread of its own: a request that finds no pass of its kind running leads one, in its caller's
 * thread. Those that come meanwhile wait. When the pass ends, the first of them leads the next one,
 * with the others. Passes of other states and kinds run beside it, and share the runtime's workers.
 */
#include "serve/pass.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "serve/pass_list.h"
#include "serve/pass_own.h"

#define SHARED_STRINGS_MAX 16384u /* of a pass, */
#define SHARED_REQUESTS_MAX 4096u
#define MERGED_STRINGS_MAX 1000u /* of a request that shares passes */
#define SEARCHERS_KEPT 64u

/* A sample of a state: so many parts of so many bytes. */
#define SAMPLE_PARTS 64u
#define SAMPLE_PART_BYTES 2048u
#define SAMPLED_BYTES_MIN (1u << 20) /* of a state: below, listing everything costs little */
#define FREQUENT_BYTES 4096u         /* an occurrence in so many */
#define SAMPLE_FILES 32u
#define SAMPLE_FILE_BYTES 16384u

/* After a pass for several, their clients ask again at once: how long the next waits for them, as a
 * part of what the pass took. */
#define GATHER_SHARE 16u

struct passes {
    struct trawl_runtime *runtime;
    pthread_mutex_t mutex;
    struct pass_member *waiting; /* by turn; of one turn the first that came first */
    struct pass *running;
    uint64_t turn; /* of the last that left `waiting` */
    struct trawl_searcher *searchers[SEARCHERS_KEPT];
    uint32_t searcher_count;
    struct pass_member *gathering; /* waits for others */
    uint32_t last_count;           /* members of the last shared pass that ended, */
    uint64_t last_end_ns, last_ns; /* when, and how long it took */
    struct pass_facts facts;
};

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

bool passes_open(struct passes **passes, struct trawl_runtime *runtime, char *message)
{
    *passes = calloc(1, sizeof **passes);
    if (*passes == NULL) {
        (void)strcpy(message, "memory exhausted");
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
    while (passes->searcher_count > 0)
        trawl_searcher_close(passes->searchers[--passes->searcher_count]);
    pthread_mutex_destroy(&passes->mutex);
    free(passes);
}

static enum trawl_status take_searcher(struct passes *passes, struct trawl_searcher **searcher,
                                       struct trawl_error *error)
{
    struct trawl_searcher_options options = TRAWL_SEARCHER_OPTIONS_INIT;

    pthread_mutex_lock(&passes->mutex);
    *searcher = passes->searcher_count > 0 ? passes->searchers[--passes->searcher_count] : NULL;
    pthread_mutex_unlock(&passes->mutex);
    options.runtime = passes->runtime;
    return *searcher != NULL ? TRAWL_OK : trawl_searcher_open(&options, searcher, error);
}

static void give_searcher(struct passes *passes, struct trawl_searcher *searcher)
{
    pthread_mutex_lock(&passes->mutex);
    if (searcher != NULL && passes->searcher_count < SEARCHERS_KEPT) {
        passes->searchers[passes->searcher_count++] = searcher;
        searcher = NULL;
    }
    pthread_mutex_unlock(&passes->mutex);
    trawl_searcher_close(searcher);
}

/* ---- Samples ---- */

/* The bytes at an offset in the blocks, as far as one of them has them. */
static uint64_t sample_at(const struct state *state, uint64_t offset, const uint8_t **bytes)
{
    for (uint32_t i = 0; i < state->block_count; i++) {
        const struct served_block *block = state->blocks[i].block;

        if (offset < block->bytes_count) {
            uint64_t left = block->bytes_count - offset;

            *bytes = block->bytes + offset;
            return left < SAMPLE_PART_BYTES ? left : SAMPLE_PART_BYTES;
        }
        offset -= block->bytes_count;
    }
    return 0;
}

static uint64_t count_part(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                           const uint8_t *bytes, uint64_t bytes_count)
{
    struct trawl_text *text = NULL;
    uint64_t count = 0;

    if (trawl_text_from_memory(bytes, bytes_count, &text, NULL) != TRAWL_OK ||
        trawl_count(searcher, plan, text, &count, NULL) != TRAWL_OK)
        count = 0;
    trawl_text_close(text);
    return count;
}

/* Does so much occur that others had better not wait for it? */
static bool is_dense(struct passes *passes, const struct pass_request *request)
{
    const struct state *state = request->state;
    struct trawl_searcher *searcher;
    uint64_t total = 0, sampled = 0, count = 0;

    for (uint32_t i = 0; i < state->block_count; i++)
        total += state->blocks[i].block->bytes_count;
    if (total < SAMPLED_BYTES_MIN || take_searcher(passes, &searcher, NULL) != TRAWL_OK)
        return false;
    for (uint64_t i = 0; i < SAMPLE_PARTS; i++) {
        const uint8_t *bytes = NULL;
        uint64_t bytes_count = sample_at(state, total / SAMPLE_PARTS * i, &bytes);

        count += count_part(searcher, request->plan, bytes, bytes_count);
        sampled += bytes_count;
    }
    give_searcher(passes, searcher);
    return count > sampled / FREQUENT_BYTES;
}

bool pass_is_frequent(struct passes *passes, const struct state *state,
                      const struct trawl_plan *plan)
{
    struct trawl_searcher *searcher;
    uint32_t tried = 0, found = 0;
    uint32_t parts = state->file_count < SAMPLE_FILES ? state->file_count : SAMPLE_FILES;

    if (take_searcher(passes, &searcher, NULL) != TRAWL_OK)
        return false;
    for (uint32_t i = 0; i < parts; i++) {
        const struct served_file *file = state->files[(uint64_t)state->file_count * i / parts];
        uint64_t bytes_count = file->held.bytes_count;

        if (file->held.bytes == NULL)
            continue;
        tried++;
        found += count_part(searcher, plan, file->held.bytes,
                            bytes_count < SAMPLE_FILE_BYTES ? bytes_count : SAMPLE_FILE_BYTES) > 0;
    }
    give_searcher(passes, searcher);
    return 2 * found > tried;
}

/* ---- Passes: under the mutex, but where `unlocked` is in the name ---- */

static void begin_pass(struct passes *passes, struct pass_member *leader, bool is_shared)
{
    leader->stage = PASS_LEADS;
    leader->next = NULL;
    leader->pass = &leader->led;
    leader->led = (struct pass){
        .next = passes->running,
        .members = leader,
        .member_count = 1,
        .string_count = trawl_plan_pattern_count(leader->request->plan),
        .is_shared = is_shared,
    };
    passes->running = &leader->led;
}

static void end_pass(struct passes *passes, struct pass *pass)
{
    struct pass **link = &passes->running;

    while (*link != pass)
        link = &(*link)->next;
    *link = pass->next;
}

static void wait_for_turn(struct passes *passes, struct pass_member *member)
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

static void stop_waiting(struct passes *passes, struct pass_member **link)
{
    struct pass_member *member = *link;

    *link = member->next;
    passes->facts.waiting_count--;
    if (member->turn > passes->turn)
        passes->turn = member->turn;
}

/* The link to the first that waits and may share a pass with this one. */
static struct pass_member **first_alike(struct pass_member **link, const struct pass_member *member)
{
    while (*link != NULL && !pass_list_merges((*link)->request, member->request))
        link = &(*link)->next;
    return link;
}

/* Clients that had their answers a moment ago are about to ask again. */
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

static void gather(struct passes *passes, struct pass_member *leader)
{
    struct pass *pass = &leader->led;
    struct pass_member **link = &passes->waiting, **last = &leader->next;

    while (*(link = first_alike(link, leader)) != NULL &&
           pass->member_count < SHARED_REQUESTS_MAX) {
        struct pass_member *member = *link;
        uint64_t strings = trawl_plan_pattern_count(member->request->plan);

        if (pass->string_count + strings > SHARED_STRINGS_MAX)
            break;
        stop_waiting(passes, link);
        pass->string_count += strings;
        pass->member_count++;
        member->stage = PASS_RUNS;
        member->pass = pass;
        member->next = NULL;
        *last = member;
        last = &member->next;
    }
}

static bool fail(struct pass_request *request, enum trawl_status status,
                 const struct trawl_error *error)
{
    if (status != TRAWL_OK && status != TRAWL_STOPPED)
        (void)strcpy(request->message, error->message);
    return status == TRAWL_OK;
}

/* Everything that a pass did, for its members and for all. */
static void account(struct passes *passes, struct pass *pass, uint64_t begin_ns)
{
    uint64_t search_ns = now_ns() - begin_ns, bytes = 0;
    const struct state *state = pass->members->request->state;

    for (uint32_t i = 0; i < state->block_count; i++)
        bytes += state->blocks[i].block->bytes_count;
    for (struct pass_member *member = pass->members; member != NULL; member = member->next) {
        member->request->shared_count = pass->member_count;
        member->request->search_ns += search_ns;
        member->request->searched_bytes += bytes;
    }
    passes->facts.pass_count++;
    passes->facts.own_pass_count += !pass->is_shared;
    passes->facts.shared_request_count += pass->member_count > 1 ? pass->member_count : 0;
    passes->facts.searched_bytes += bytes;
    passes->facts.search_ns += search_ns;
    if (pass->is_shared) {
        passes->last_count = pass->member_count;
        passes->last_end_ns = begin_ns + search_ns;
        passes->last_ns = search_ns;
    }
}

/* The next that waits leads; then the others of this pass go on, and are not touched any more. */
static void hand_on(struct passes *passes, struct pass_member *leader, bool failed)
{
    struct pass_member **link = first_alike(&passes->waiting, leader), *member = leader->next,
                       *next;

    end_pass(passes, &leader->led);
    if (*link != NULL) {
        struct pass_member *successor = *link;

        stop_waiting(passes, link);
        begin_pass(passes, successor, true);
        pthread_cond_signal(&successor->wake);
    }
    for (; member != NULL; member = next) {
        next = member->next;
        member->next = NULL;
        member->pass = NULL;
        member->stage = failed ? PASS_FAILED : PASS_DONE;
        pthread_cond_signal(&member->wake);
    }
    leader->next = NULL;
    leader->pass = NULL;
    leader->stage = failed && leader->led.member_count > 1 ? PASS_FAILED : PASS_DONE;
}

static enum trawl_status lead(struct passes *passes, struct pass_member *leader,
                              struct trawl_error *error)
{
    struct trawl_searcher *searcher = NULL;
    enum trawl_status status;
    uint64_t begin_ns;

    wait_for_others(passes, leader);
    gather(passes, leader);
    pthread_mutex_unlock(&passes->mutex);
    status = take_searcher(passes, &searcher, error);
    pthread_mutex_lock(&passes->mutex);
    leader->led.searcher = searcher;
    pthread_mutex_unlock(&passes->mutex);
    begin_ns = now_ns();
    if (status == TRAWL_OK)
        status = pass_list(&leader->led, error);
    pthread_mutex_lock(&passes->mutex);
    leader->led.searcher = NULL;
    account(passes, &leader->led, begin_ns);
    hand_on(passes, leader, status != TRAWL_OK);
    pthread_mutex_unlock(&passes->mutex);
    give_searcher(passes, searcher);
    pthread_mutex_lock(&passes->mutex);
    return status;
}

/* Share a pass with those that wait. OK with the stage PASS_FAILED: it is to be searched alone. */
static enum trawl_status share(struct passes *passes, struct pass_member *member,
                               struct trawl_error *error)
{
    struct pass_request *request = member->request;
    const struct pass *running = passes->running;
    uint64_t begin_ns = now_ns();

    while (running != NULL &&
           !(running->is_shared && pass_list_merges(running->members->request, request)))
        running = running->next;
    if (running == NULL)
        begin_pass(passes, member, true);
    else
        wait_for_turn(passes, member);
    while (member->stage == PASS_WAITS ? !request->cancelled : member->stage == PASS_RUNS)
        pthread_cond_wait(&member->wake, &passes->mutex);
    if (member->stage == PASS_WAITS) {
        struct pass_member **link = &passes->waiting;

        while (*link != member)
            link = &(*link)->next;
        stop_waiting(passes, link);
        return TRAWL_STOPPED;
    }
    request->wait_ns = now_ns() - begin_ns;
    if (member->stage == PASS_LEADS) {
        enum trawl_status status = lead(passes, member, error);

        return member->stage == PASS_FAILED ? TRAWL_OK : status;
    }
    request->wait_ns -=
        request->wait_ns < request->search_ns ? request->wait_ns : request->search_ns;
    return TRAWL_OK;
}

enum pass_way { BY_LIST, BY_PARTS, BY_FILES };

/* Search for one request alone: what blocks hold, or the files that are to be opened. */
static enum trawl_status search_unlocked(struct passes *passes, struct pass_member *member,
                                         enum pass_way way, struct trawl_error *error)
{
    struct trawl_searcher *searcher = NULL;
    enum trawl_status status = take_searcher(passes, &searcher, error);
    uint64_t begin_ns = now_ns();

    if (status != TRAWL_OK)
        return status;
    pthread_mutex_lock(&passes->mutex);
    begin_pass(passes, member, false);
    member->led.searcher = searcher;
    pthread_mutex_unlock(&passes->mutex);
    status = way == BY_LIST    ? pass_list(&member->led, error)
             : way == BY_PARTS ? pass_own(member, pass_list_fits(member->request->plan), error)
                               : pass_own_files(member, error);
    pthread_mutex_lock(&passes->mutex);
    member->led.searcher = NULL;
    if (way != BY_FILES)
        account(passes, &member->led, begin_ns);
    end_pass(passes, &member->led);
    member->pass = NULL;
    pthread_mutex_unlock(&passes->mutex);
    give_searcher(passes, searcher);
    return status;
}

static bool search(struct passes *passes, struct pass_member *member)
{
    struct pass_request *request = member->request;
    const struct state *state = request->state;
    bool fits = pass_list_fits(request->plan);
    struct trawl_error error;
    enum trawl_status status = TRAWL_OK;

    request->frequent = is_dense(passes, request);
    member->stage = PASS_FAILED;
    if (fits && !request->frequent && pass_list_is_merged(request) &&
        trawl_plan_pattern_count(request->plan) <= MERGED_STRINGS_MAX) {
        pthread_mutex_lock(&passes->mutex);
        status = share(passes, member, &error);
        pthread_mutex_unlock(&passes->mutex);
    }
    if (status == TRAWL_OK && member->stage == PASS_FAILED) {
        pass_member_reset(member);
        status = search_unlocked(passes, member, fits && !request->frequent ? BY_LIST : BY_PARTS,
                                 &error);
    }
    if (status == TRAWL_OK && pass_member_lists(member) &&
        (state->unheld_count > 0 || member->some_open ||
         (state->unplain_count > 0 && !request->search_zip)))
        status = search_unlocked(passes, member, BY_FILES, &error);
    return fail(request, status, &error) && !request->cancelled;
}

bool pass_run(struct passes *passes, struct pass_request *request)
{
    struct pass_member member;
    bool good = pass_member_open(&member, request);

    pthread_mutex_lock(&passes->mutex);
    request->member = &member;
    passes->facts.request_count++;
    pthread_mutex_unlock(&passes->mutex);
    good = good && !request->cancelled && search(passes, &member) && pass_member_finish(&member);
    pthread_mutex_lock(&passes->mutex);
    request->member = NULL;
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
        if (member->pass != NULL && member->pass->searcher != NULL &&
            pass_is_cancelled(member->pass))
            trawl_searcher_cancel(member->pass->searcher);
    }
    pthread_mutex_unlock(&passes->mutex);
}

void pass_free(struct pass_request *request)
{
    free(request->files);
    free(request->pattern_counts);
    free(request->begins);
    free(request->file_numbers);
    free(request->pattern_numbers);
    request->files = NULL;
    request->pattern_counts = request->begins = NULL;
    request->file_numbers = request->pattern_numbers = NULL;
}

void passes_facts(struct passes *passes, struct pass_facts *facts)
{
    pthread_mutex_lock(&passes->mutex);
    *facts = passes->facts;
    pthread_mutex_unlock(&passes->mutex);
}
