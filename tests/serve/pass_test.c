/* pass_test: tests passes, which are searches that several requests share. Compares passes with the
 * oracle, file by file, while many threads send requests about states that the test builds. Then
 * tests which requests share a pass, which comes first, and what a cancelled request ends. */
#include <ctype.h>
#include <pthread.h>

#include "calls.h"
#include "oracle/oracle_approximate.h"
#include "serve/pass_member.h"
#include "tests/serve/pass_state.h"
#include "tests/serve/short_memory.h"

#define STRINGS_MAX 6u
#define STRING_BYTES_MAX 12u
#define THREADS_MAX 64u

/* ---- Requests ---- */
struct made_request {
    struct pass_request request;
    struct passes *passes;
    struct served_view view;
    struct naive_bytes strings[STRINGS_MAX];
    uint64_t string_count;
    struct trawl_plan_options options;
    struct collection collection;
    struct guard guard;
    pthread_t thread;
    bool good;
};

/* Makes a view of a state: of all files once, in any order (whole), or of random files, some more
 * than once. */
static void make_view(struct made_request *made, struct state *state, bool whole)
{
    uint32_t count = whole ? state->index_count : (uint32_t)below(2 * state->index_count);
    uint32_t *files = calloc(count + (size_t)1, sizeof *files);

    made->view.file_count = count;
    made->view.files = made->view.own = files;
    made->view.seen = calloc(FILES_MAX, 1);
    for (uint32_t i = 0; i < count; i++) {
        files[i] = whole ? i : (uint32_t)below(state->index_count);
        if (state->files[files[i]] == NULL || (!whole && below(10) == 0))
            files[i] = VIEW_SPECIAL;
        else
            made->view.seen[files[i] / 8] |= (uint8_t)(1u << files[i] % 8);
    }
    for (uint32_t i = 0; whole && i < count; i++) {
        uint32_t other = (uint32_t)below(count), file = files[other];

        files[other] = files[i];
        files[i] = file;
    }
    made->request.state = state;
    made->request.view = &made->view;
}

/* Makes strings that occur, perhaps across files, and strings that do not occur. */
static void make_strings(struct made_request *made, const struct made_state *state)
{
    const uint64_t min = 1 + below(2); /* a pattern is longer than its mismatches */
    bool has_line_ends = below(2) == 0;

    made->options.mismatches_max = min == 2 && below(2) == 0;
    made->string_count = 1 + below(STRINGS_MAX);
    for (uint64_t i = 0; i < made->string_count; i++) {
        const struct served_block *block = &state->blocks[below(state->state.block_count)];
        uint64_t bytes_count = min + below(below(2) == 0 ? 3 : STRING_BYTES_MAX - 1);
        uint8_t *bytes = malloc(STRING_BYTES_MAX);

        memset(bytes, 'a', STRING_BYTES_MAX);
        if (block->bytes_count >= bytes_count && below(8) != 0)
            memcpy(bytes, block->bytes + below(block->bytes_count - bytes_count + 1), bytes_count);
        for (uint64_t j = 0; j < bytes_count && !has_line_ends; j++)
            bytes[j] = bytes[j] == '\n' ? 'a' : bytes[j];
        made->strings[i] = (struct naive_bytes){bytes, bytes_count};
    }
}

static bool has_expressions; /* the build has the library for expressions */

/* In some requests, replaces the strings with an expression: a single letter, which has the same
 * occurrences as the string of that letter. */
static void make_expression(struct made_request *made)
{
    if (!has_expressions || made->options.mismatches_max > 0 || below(3) > 0 ||
        !isalpha(made->strings[0].bytes[0]))
        return;
    while (made->string_count > 1)
        free((void *)made->strings[--made->string_count].bytes);
    made->strings[0].bytes_count = 1;
    made->options.syntax = TRAWL_PERL + (uint32_t)below(3);
    made->options.line_ends.bytes[0] = '\n'; /* the server rejects counts of expressions with -z */
}

static uint32_t alike_flags;
static bool alike_ends_also; /* lines end at NUL, too */

/* If `alike`, the request may share a pass with all other requests for which `alike` is true; all
 * of them have alike_flags and alike_ends_also. */
static void make_request(struct made_request *made, struct passes *passes, struct made_state *state,
                         bool search_zip, bool alike)
{
    static const uint32_t flags[] = {0, 0, TRAWL_WHOLE_WORD, TRAWL_WHOLE_LINE};
    static const uint64_t max[] = {0, 1, 7, 1000, UINT64_MAX};
    struct pass_request *request = &made->request;
    struct trawl_pattern patterns[STRINGS_MAX];

    memset(made, 0, sizeof *made);
    made->passes = passes;
    made->options = (struct trawl_plan_options)TRAWL_PLAN_OPTIONS_INIT;
    make_strings(made, state);
    if (alike)
        made->options.mismatches_max = 0;
    made->collection.made = state;
    made->options.flags = flags[below(4)] | (below(3) == 0 ? TRAWL_IGNORE_CASE : 0);
    made->options.line_ends.bytes[0] = below(2) == 0 ? 0 : '\n';
    made->options.line_ends.count = 1 + (below(3) == 0); /* the second is NUL */
    if (made->options.mismatches_max > 0 && below(2) == 0)
        made->options.flags |= TRAWL_WITHIN_LINES;
    if (alike) {
        made->options.flags = alike_flags;
        made->options.line_ends.bytes[0] = '\n';
        made->options.line_ends.count = 1 + alike_ends_also;
    } else {
        make_expression(made);
    }
    for (uint64_t i = 0; i < made->string_count; i++)
        patterns[i] = (struct trawl_pattern){made->strings[i].bytes, made->strings[i].bytes_count};
    request->plan = must_plans(patterns, made->string_count, &made->options);
    request->options = below(3) == 0 ? NULL : &made->options;
    request->collection = &made->collection;
    request->search_zip = search_zip;
    request->client = below(4);
    make_view(made, &state->state, below(2) == 0);
    request->wants_counts = below(2) == 0;
    request->wants_positions = below(2) == 0;
    request->positions_max = max[below(5)];
    made->guard.bytes_max = below(4) == 0 ? 1 + below(200000) : 0;
    request->guard = &made->guard;
}

static void free_request(struct made_request *made)
{
    for (uint64_t i = 0; i < made->string_count; i++)
        free((void *)made->strings[i].bytes);
    trawl_plan_free((struct trawl_plan *)made->request.plan);
    free(made->view.own);
    free(made->view.seen);
    pass_free(&made->request);
}

static void *run_request(void *context)
{
    struct made_request *made = context;

    made->good = pass_run(made->passes, &made->request);
    return NULL;
}

/* ---- What is right ---- */

struct expected {
    uint64_t occurrences, files, positions, opened_bytes;
    uint64_t counts[STRINGS_MAX];
    uint8_t seen[FILES_MAX];
};

static bool has_bit(const uint8_t *bits, uint32_t index)
{
    return (bits[index / 8] >> index % 8 & 1) != 0;
}

/* Returns the oracle's matches of a request in a file, in memory that the caller frees. */
static struct naive_match *expect_matches(const struct made_request *made, struct naive_bytes text,
                                          uint64_t *count)
{
    const struct trawl_plan_options *o = &made->options;
    struct naive_query query = {made->strings,         made->string_count,     o->flags,
                                o->line_ends.bytes[0], o->line_ends.count > 1, 0};
    struct approximate_query within = {.patterns = made->strings,
                                       .pattern_count = made->string_count,
                                       .k = o->mismatches_max,
                                       .ignore_case = (o->flags & TRAWL_IGNORE_CASE) != 0,
                                       .whole_word = (o->flags & TRAWL_WHOLE_WORD) != 0,
                                       .whole_line = (o->flags & TRAWL_WHOLE_LINE) != 0,
                                       .within_lines = (o->flags & TRAWL_WITHIN_LINES) != 0,
                                       .line_end = o->line_ends.bytes[0],
                                       .line_end_also = o->line_ends.bytes[o->line_ends.count - 1]};
    uint64_t room = text.bytes_count * made->string_count + 1;
    struct naive_match *matches = malloc(room * sizeof *matches);
    struct approximate_match *found;

    if (within.k == 0) {
        *count = naive_matches(&query, text, matches, room);
        return matches;
    }
    found = malloc(room * sizeof *found);
    *count = approximate_matches(&within, text, found, room);
    for (uint64_t i = 0; i < *count; i++)
        matches[i] = (struct naive_match){found[i].begin, found[i].end, found[i].pattern};
    free(found);
    return matches;
}

/* Compares an answer about a file with the oracle, which searches each file separately. Adds to
 * `expected`. */
static void expect_file(const struct made_request *made, const struct made_state *state,
                        uint32_t index, struct expected *expected)
{
    const struct pass_request *request = &made->request;
    const struct served_file *file = state->files[index];
    uint64_t count;
    struct naive_match *matches = expect_matches(made, state->contents[index], &count);
    bool lists = request->wants_counts || request->wants_positions;
    bool opened = file->block == NULL || (!file->is_plain && !request->search_zip);

    expected->seen[index] = 1;
    expected->occurrences += count;
    if (lists && (opened || (!file->is_plain && count > 0)))
        expected->opened_bytes += state->contents[index].bytes_count;
    expected->files += has_bit(request->files, index);
    if (lists || (file->is_plain && !opened))
        TEST_CHECK(has_bit(request->files, index) == (count > 0));
    else if (opened || count > 0)
        TEST_CHECK(has_bit(request->files, index));
    for (uint64_t i = 0; i < count; i++) {
        uint64_t at = expected->positions;

        expected->counts[matches[i].pattern_index]++;
        if (!request->wants_positions || at >= request->positions_max)
            continue;
        expected->positions++;
        if (TEST_CHECK(at < request->position_count)) {
            TEST_CHECK_U64(request->positions[at].begin, matches[i].begin);
            TEST_CHECK_U64(request->positions[at].file, index);
            TEST_CHECK_U64(request->positions[at].pattern, matches[i].pattern_index);
        }
    }
    free(matches);
}

static uint64_t refused_requests;

static void check_request(const struct made_request *made, const struct made_state *state)
{
    const struct pass_request *request = &made->request;
    struct expected expected = {0};

    if (!made->good && made->guard.refusal == GUARD_OWN) {
        refused_requests++;
        TEST_CHECK(strcmp(request->message, "memory exhausted") == 0);
        return;
    }
    if (!TEST_CHECK(made->good)) {
        printf("  %s\n", request->message);
        return;
    }
    TEST_CHECK(request->guard == NULL ||
               made->guard.bytes >= request->position_count * sizeof *request->positions +
                                        5 * state->state.index_count + 8 * made->string_count);
    for (uint64_t i = 0; i < request->view->file_count; i++) {
        uint32_t file = request->view->files[i];

        if (file < state->state.index_count && state->files[file] != NULL && !expected.seen[file])
            expect_file(made, state, file, &expected);
    }
    for (uint32_t i = 0; i < state->state.index_count; i++)
        if (!expected.seen[i] && (state->files[i] == NULL || state->files[i]->is_plain))
            TEST_CHECK(!has_bit(request->files, i));
    TEST_CHECK_U64(request->file_count, expected.files);
    TEST_CHECK(request->unread_count == 0 && request->shared_count >= 1);
    TEST_CHECK_U64(request->searched_bytes, state->bytes_count + expected.opened_bytes);
    if (request->wants_counts || request->wants_positions)
        TEST_CHECK_U64(request->occurrence_count, expected.occurrences);
    for (uint64_t i = 0; request->wants_counts && i < made->string_count; i++)
        TEST_CHECK_U64(request->pattern_counts[i], expected.counts[i]);
    TEST_CHECK_U64(request->position_count, expected.positions);
}

/* ---- Rounds ---- */

static uint64_t shared_requests;

static void run_round(struct passes *passes, uint32_t threads, uint64_t bytes_max)
{
    struct made_request *requests = calloc(threads, sizeof *requests);
    struct made_state *states[2] = {make_state(bytes_max), make_state(bytes_max)};
    bool search_zip = below(2) == 0, alike = below(2) == 0;

    pass_sampled_min = !alike && below(4) > 0 ? 0 : PASS_SAMPLED_MIN;
    alike_flags =
        (uint32_t[]){0, 0, TRAWL_WHOLE_WORD, TRAWL_WHOLE_LINE, TRAWL_IGNORE_CASE}[below(5)];
    alike_ends_also = below(2) == 0;
    for (uint32_t i = 0; i < threads; i++)
        make_request(&requests[i], passes, states[!alike && below(4) == 0], search_zip, alike);
    if (!search_zip)
        for (int i = 0; i < 2; i++)
            spoil_unplain(states[i]);
    for (uint32_t i = 0; i < threads; i++)
        if (pthread_create(&requests[i].thread, NULL, run_request, &requests[i]) != 0)
            abort();
    for (uint32_t i = 0; i < threads; i++)
        pthread_join(requests[i].thread, NULL);
    for (uint32_t i = 0; i < threads; i++) {
        check_request(&requests[i], requests[i].collection.made);
        shared_requests += requests[i].request.shared_count > 1;
        free_request(&requests[i]);
    }
    free_state(states[0]);
    free_state(states[1]);
    free(requests);
}

static struct passes *must_passes(struct trawl_runtime *runtime)
{
    char message[SETTINGS_ERROR_BYTES];
    struct passes *passes = NULL;

    if (!passes_open(&passes, runtime, message))
        abort();
    return passes;
}

static void test_rounds(void)
{
    AUTO_RUNTIME runtime = must_runtime(TRAWL_ENGINE_CPU, 4, 0);
    struct passes *passes = must_passes(runtime);
    struct pass_facts facts;

    for (uint64_t i = test_amount(800, 8000); i > 0 && test_failures == 0; i--)
        run_round(passes, 1 + (uint32_t)below(THREADS_MAX), 1 + below(600));
    for (uint64_t i = test_amount(3, 100); i > 0 && test_failures == 0; i--)
        run_round(passes, 1 + (uint32_t)below(8),
                  200000); /* long enough that a pass takes a sample of the text */
    passes_facts(passes, &facts);
    TEST_CHECK_U64(facts.waiting_count, 0);
    TEST_CHECK_U64(facts.shared_request_count, shared_requests);
    TEST_CHECK(refused_requests > 0 || facts.request_count < 2000); /* about one in 200 */
    TEST_CHECK(refused_requests < facts.request_count / 8);
    printf("%" PRIu64 " requests, %" PRIu64 " passes, %" PRIu64 " requests shared one, %" PRIu64
           " passes were of one\n",
           facts.request_count, facts.pass_count, shared_requests, facts.own_pass_count);
    passes_close(passes);
}

/* ---- Who shares, who goes first, what is cancelled ---- */

/* Holds a pass until the test opens the gate. The pass calls this function at a letter beyond ASCII
 * next to the string, to find out whether the letter is part of a word. */
static bool wait_at_gate(void *context, uint32_t code_point)
{
    struct made_state *made = context;

    (void)code_point;
    sem_post(&made->arrived);
    sem_wait(&made->gate);
    return false;
}

static bool is_of_word(void *context, uint32_t code_point)
{
    (void)context;
    (void)code_point;
    return true;
}

static uint32_t itself(void *context, uint32_t code_point,
                       uint32_t variants[TRAWL_UTF8_VARIANTS_MAX])
{
    (void)context;
    variants[0] = code_point;
    return 1;
}

/* Makes a state of a single file, at whose end a pass for "x" stops. */
static struct made_state *gated_state(void)
{
    static const char text[] = "one two x x\xc3\xa9";
    struct made_state *made = calloc(1, sizeof *made);
    struct served_file *file = calloc(1, sizeof *file + 1);

    made->gated = (struct trawl_letters){sizeof made->gated, made, itself, wait_at_gate, NULL};
    sem_init(&made->arrived, 0, 0);
    sem_init(&made->gate, 0, 0);
    made->state = (struct state){.index_count = 1, .block_count = 1};
    made->state.files = made->files;
    made->state.blocks = made->tapes;
    made->files[0] = file;
    made->tapes[0].block = &made->blocks[0];
    file->block = &made->blocks[0];
    file->is_plain = true;
    file->supplied.bytes_count = sizeof text - 1;
    (void)append(made, 0, (const uint8_t *)text, sizeof text - 1, 0);
    file->supplied.bytes = made->blocks[0].bytes;
    made->blocks[0].text = must_text(made->blocks[0].bytes, made->blocks[0].bytes_count);
    return made;
}

static const struct trawl_letters wordy = {sizeof wordy, NULL, itself, is_of_word, NULL};

/* Makes a request for "x" and `others` more strings. */
static void begin_gated(struct made_request *made, struct passes *passes, struct made_state *state,
                        uint64_t client, uint64_t others)
{
    struct trawl_pattern *patterns = calloc(others + 1, sizeof *patterns);
    char(*strings)[24] = calloc(others + 1, sizeof *strings);

    memset(made, 0, sizeof *made);
    patterns[0] = (struct trawl_pattern){"x", 1};
    for (uint64_t i = 1; i <= others; i++) {
        (void)snprintf(strings[i], sizeof strings[i], "%" PRIu64 "y%" PRIu64, client, i);
        patterns[i] = (struct trawl_pattern){strings[i], strlen(strings[i])};
    }
    made->options = (struct trawl_plan_options)TRAWL_PLAN_OPTIONS_INIT;
    made->options.flags = TRAWL_WHOLE_WORD;
    made->options.letters = &state->gated;
    made->passes = passes;
    made->request.plan = must_plans(patterns, others + 1, &made->options);
    made->request.options = &made->options;
    make_view(made, &state->state, true);
    made->request.client = client;
    made->request.wants_counts = true;
    free(patterns);
    free(strings);
    if (pthread_create(&made->thread, NULL, run_request, made) != 0)
        abort();
}

static void await_waiting(struct passes *passes, uint64_t count)
{
    struct pass_facts facts = {0};

    while (passes_facts(passes, &facts), facts.waiting_count != count)
        usleep(100);
}

/* Waits for a request's end, and checks the answer: "x" occurs twice, once before a letter that
 * wait_at_gate declares not to be part of a word. */
static void end_gated(struct made_request *made, bool good, uint32_t shared)
{
    pthread_join(made->thread, NULL);
    TEST_CHECK(made->good == good);
    if (good) {
        TEST_CHECK_U64(made->request.pattern_counts[0], 2);
        TEST_CHECK_U64(made->request.occurrence_count, 2);
        TEST_CHECK_U64(made->request.shared_count, shared);
    }
    free_request(made);
}

/* Checks that requests which come while a pass runs share the next pass, and that a request with
 * different word characters has a separate pass. */
static void test_sharing(struct passes *passes)
{
    struct made_state *state = gated_state();
    struct made_request first, others[20], wordy_one = {.passes = passes};

    begin_gated(&first, passes, state, 0, 0);
    sem_wait(&state->arrived);
    wordy_one.options = (struct trawl_plan_options)TRAWL_PLAN_OPTIONS_INIT;
    wordy_one.options.flags = TRAWL_WHOLE_WORD;
    wordy_one.options.letters = &wordy;
    wordy_one.request.plan = must_plan_with("x", &wordy_one.options);
    wordy_one.request.options = &wordy_one.options;
    make_view(&wordy_one, &state->state, true);
    TEST_CHECK(pass_run(passes, &wordy_one.request));
    TEST_CHECK_U64(wordy_one.request.shared_count, 1);
    free_request(&wordy_one);
    for (uint64_t i = 0; i < 20; i++)
        begin_gated(&others[i], passes, state, i % 3, i % 2);
    await_waiting(passes, 20);
    sem_post(&state->gate);
    end_gated(&first, true, 1);
    sem_wait(&state->arrived);
    sem_post(&state->gate);
    for (uint64_t i = 0; i < 20; i++)
        end_gated(&others[i], true, 20);
    free_state(state);
}

/* Checks that a client with more requests than fit into a pass does not keep another client
 * waiting. `equal`: each request has its own client, and the requests that came first go first. */
static void test_turns(struct passes *passes, bool equal)
{
    struct made_state *state = gated_state();
    struct made_request first, many[20], single;

    begin_gated(&first, passes, state, 0, 0);
    sem_wait(&state->arrived);
    for (uint64_t i = 0; i < 20; i++) {
        begin_gated(&many[i], passes, state, equal ? 2 + i : 1, 999);
        await_waiting(passes, i + 1);
    }
    begin_gated(&single, passes, state, equal ? 22 : 2, 383);
    await_waiting(passes, 21);
    sem_post(&state->gate);
    end_gated(&first, true, 1);
    /* A pass has room for 16,384 strings. The next pass has 16 requests of 1,000 strings, and also
     * the single request (384 strings), unless `equal` puts it last. */
    sem_wait(&state->arrived);
    sem_post(&state->gate);
    sem_wait(&state->arrived);
    sem_post(&state->gate);
    end_gated(&single, true, equal ? 5 : 17);
    for (uint64_t i = 0; i < 20; i++)
        end_gated(&many[i], true, i < 16 ? 17 - equal : 4 + equal);
    free_state(state);
}

static atomic_uint cancels; /* calls to trawl_searcher_cancel */

void __real_trawl_searcher_cancel(struct trawl_searcher *searcher, bool or_next);
void __wrap_trawl_searcher_cancel(struct trawl_searcher *searcher, bool or_next);

void __wrap_trawl_searcher_cancel(struct trawl_searcher *searcher, bool or_next)
{
    cancels++;
    __real_trawl_searcher_cancel(searcher, or_next);
}

/* Checks what cancelling does. A cancelled request that is waiting returns immediately. Other
 * requests of the same pass get their answers. If all requests of a pass are cancelled, it ends and
 * the next pass begins. A pass over a different state does not wait. */
static void test_cancelling(struct passes *passes)
{
    struct made_state *state = gated_state(), *other_state = gated_state();
    struct made_request first, others[3], other;

    begin_gated(&first, passes, state, 0, 0);
    sem_wait(&state->arrived);
    for (uint64_t i = 0; i < 3; i++)
        begin_gated(&others[i], passes, state, i, 0);
    await_waiting(passes, 3);
    pass_cancel(passes, &others[1].request);
    end_gated(&others[1], false, 0);
    TEST_CHECK_U64(cancels, 0); /* no search for it has begun */
    begin_gated(&other, passes, other_state, 0, 0);
    sem_wait(&other_state->arrived); /* this pass runs while the first pass still waits */
    sem_post(&other_state->gate);
    end_gated(&other, true, 1);
    pass_cancel(passes, &first.request);
    TEST_CHECK_U64(cancels, 1);
    sem_post(&state->gate);
    end_gated(&first, false, 0);
    sem_wait(&state->arrived);
    pass_cancel(passes, &others[0].request);
    TEST_CHECK_U64(cancels, 1); /* the search continues for others[2] */
    sem_post(&state->gate);
    end_gated(&others[0], false, 0);
    end_gated(&others[2], true, 2);
    free_state(state);
    free_state(other_state);
}

/* Makes each allocation fail in turn while requests share a pass. If the pass fails, each request
 * is searched for separately, and gets a right answer or a message.
 */
static void test_shared_fault(struct passes *passes)
{
    enum { REQUESTS = 3 };
    bool met = true;

    for (long after = 0; met && test_failures == 0; after++) {
        struct made_state *state = gated_state();
        struct made_request made[REQUESTS];

        begin_gated(&made[0], passes, state, 0, 0);
        sem_wait(&state->arrived);
        for (uint64_t i = 1; i < REQUESTS; i++)
            begin_gated(&made[i], passes, state, i, 0);
        await_waiting(passes, REQUESTS - 1);
        short_memory(after, 1);
        for (uint32_t i = 0; i < 4 * REQUESTS; i++) /* no later pass stops at the gate */
            sem_post(&state->gate);
        for (uint64_t i = 0; i < REQUESTS; i++)
            pthread_join(made[i].thread, NULL);
        met = short_memory_ends();
        for (uint64_t i = 0; i < REQUESTS; i++) {
            if (made[i].good)
                TEST_CHECK_U64(made[i].request.pattern_counts[0], 2);
            else
                TEST_CHECK(met && made[i].request.message[0] != '\0');
            free_request(&made[i]);
        }
        free_state(state);
    }
}

static void test_gates(void)
{
    AUTO_RUNTIME runtime = must_runtime(TRAWL_ENGINE_CPU, 2, 0);
    struct passes *passes = must_passes(runtime);

    test_sharing(passes);
    test_turns(passes, false);
    test_turns(passes, true);
    test_cancelling(passes);
    test_shared_fault(passes);
    passes_close(passes);
}

/* ---- Which requests may share a pass ---- */

static uint32_t itself_too(void *context, uint32_t code_point,
                           uint32_t variants[TRAWL_UTF8_VARIANTS_MAX])
{
    return itself(context, code_point, variants);
}

/* Checks which plans may be merged with others, and which may search a block's files together. */
static void test_plans(void)
{
    static const struct {
        uint32_t flags, mismatches_max, edits_max;
        enum trawl_syntax syntax;
        char line_end;
        /* fits: the plan may search a block's files as one text. is_merged: a request may be merged
         * with others if its `options` have the flags of its plan */
        bool fits, is_merged;
    } plans[] = {
        {0, 0, 0, TRAWL_LITERAL, '\n', true, true},
        {0, 0, 0, TRAWL_LITERAL, '\0', true, true},
        {TRAWL_WHOLE_WORD, 0, 0, TRAWL_LITERAL, '\0', true, true},
        {TRAWL_WHOLE_LINE, 0, 0, TRAWL_LITERAL, '\n', true, true},
        {TRAWL_WHOLE_LINE, 0, 0, TRAWL_LITERAL, '\0', false, true},
        {0, 1, 0, TRAWL_LITERAL, '\n', true, false},
        {0, 1, 0, TRAWL_LITERAL, '\0', true, false},
        {TRAWL_WHOLE_LINE, 1, 0, TRAWL_LITERAL, '\0', false, false},
        {0, 0, 1, TRAWL_LITERAL, '\n', false, false},
        {TRAWL_WITHIN_LINES, 0, 1, TRAWL_LITERAL, '\n', true, false},
        {TRAWL_WITHIN_LINES, 0, 1, TRAWL_LITERAL, '\0', false, false},
        {0, 0, 0, TRAWL_PERL, '\n', true, false},
        {0, 0, 0, TRAWL_PERL, '\0', false, false},
        {TRAWL_WHOLE_LINE, 0, 0, TRAWL_EXTENDED, '\n', true, false},
    };

    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        struct trawl_plan_options options =
                                      *PLAN_WITH(.flags = plans[i].flags,
                                                 .mismatches_max = plans[i].mismatches_max,
                                                 .edits_max = plans[i].edits_max,
                                                 .syntax = plans[i].syntax,
                                                 .line_ends = {1, {(uint8_t)plans[i].line_end}}),
                                  other = options;
        struct pass_request request = {.options = &options};

        if (plans[i].syntax != TRAWL_LITERAL && !has_expressions)
            continue;
        request.plan = must_plan_with("abc", &options);
        TEST_CHECK(pass_list_fits(request.plan) == plans[i].fits);
        TEST_CHECK(pass_list_is_merged(&request) == plans[i].is_merged);
        request.options = &other;
        other.flags ^= TRAWL_IGNORE_CASE;
        if (plans[i].flags != 0)
            TEST_CHECK(!pass_list_is_merged(&request));
        request.options = NULL;
        TEST_CHECK(pass_list_is_merged(&request) == (plans[i].is_merged && plans[i].flags == 0));
        trawl_plan_free((struct trawl_plan *)request.plan);
    }
}

/* Checks that requests share a pass unless they differ in anything that affects occurrences. */
static void test_merges(void)
{
    struct state states[2] = {{.number = 1}, {.number = 2}};
    struct trawl_letters utf8 = wordy, others[] = {wordy, wordy, wordy};
    struct trawl_plan_options options[8];
    struct pass_request requests[9];

    others[0].context = states;
    others[1].variants = itself_too;
    others[2].is_word = wait_at_gate;
    for (size_t i = 0; i < 8; i++)
        options[i] = *PLAN_WITH(.flags = TRAWL_WHOLE_WORD, .letters = &utf8);
    options[1].letters = &others[0];
    options[2].letters = &others[1];
    options[3].letters = &others[2];
    options[4].letters = NULL;
    options[5].line_ends = (struct trawl_line_ends){2, {'\n', 0}};
    options[6].line_ends = (struct trawl_line_ends){2, {'\n', 'x'}};
    options[7].flags |= TRAWL_IGNORE_CASE;
    for (size_t i = 0; i < 9; i++)
        requests[i] = (struct pass_request){.state = &states[i == 8],
                                            .plan = must_plan_with("abc", &options[i % 8]),
                                            .options = &options[i % 8]};
    for (size_t i = 0; i < 9; i++)
        for (size_t j = 0; j < 9; j++)
            TEST_CHECK(pass_list_merges(&requests[i], &requests[j]) == (i == j));
    for (size_t i = 0; i < 9; i++)
        trawl_plan_free((struct trawl_plan *)requests[i].plan);
}

/* ---- Files followed by a file ---- */

/* Each plan must find one occurrence in the first file, at the file's start, whatever file follows
 * it. In the first two rows, "abcd" within two edits occurs in the file "ab". With the "cd" of the
 * next file, a span within one edit would begin at the same place, and a pass would choose it,
 * unless spans stay in lines. In the third row a whole line ends at NUL: the newline after the file
 * does not end such a line. */
static const struct {
    const char *block, *pattern;
    uint64_t bytes_count; /* length of the first file */
    uint32_t flags, edits_max;
    char line_end;
} rows[] = {
    {"ab\ncd\n", "abcd", 2, 0, 2, '\n'},
    {"ab\ncd\n", "abcd", 2, TRAWL_WITHIN_LINES, 2, '\n'},
    {"ab\n", "ab", 2, TRAWL_WHOLE_LINE, 0, '\0'},
    {"ab\ncd\n", "ab", 2, TRAWL_WHOLE_LINE, 0, '\n'},
};

static void test_row(struct passes *passes, size_t row)
{
    struct made_state *state = gated_state();
    struct made_request made;

    memset(&made, 0, sizeof made);
    free(state->blocks[0].bytes);
    trawl_text_close(state->blocks[0].text);
    state->blocks[0].bytes = (uint8_t *)strdup(rows[row].block);
    state->blocks[0].bytes_count = strlen(rows[row].block);
    state->blocks[0].text = must_string((const char *)state->blocks[0].bytes);
    state->blocks[0].ranges[0].end = rows[row].bytes_count;
    state->files[0]->supplied.bytes_count = rows[row].bytes_count;
    made.request.plan = must_plan_with(
        rows[row].pattern, PLAN_WITH(.flags = rows[row].flags, .edits_max = rows[row].edits_max,
                                     .line_ends = {1, {(uint8_t)rows[row].line_end}}));
    make_view(&made, &state->state, true);
    made.request.wants_counts = made.request.wants_positions = true;
    made.request.positions_max = 9;
    TEST_CHECK(pass_run(passes, &made.request));
    TEST_CHECK_U64(made.request.occurrence_count, 1);
    if (TEST_CHECK_U64(made.request.position_count, 1))
        TEST_CHECK_U64(made.request.positions[0].begin, 0);
    free_request(&made);
    free_state(state);
}

static void test_rows(void)
{
    AUTO_RUNTIME runtime = must_runtime(TRAWL_ENGINE_CPU, 2, 0);
    struct passes *passes = must_passes(runtime);

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        test_row(passes, i);
    passes_close(passes);
}

/* Makes each allocation of a request fail in turn, and checks that the answer is right or that
 * there is a message. */
static void test_memory(void)
{
    AUTO_RUNTIME runtime = must_runtime(TRAWL_ENGINE_CPU, 2, 0);
    struct passes *passes = must_passes(runtime);
    uint64_t failed = 0;

    for (uint64_t i = test_amount(20, 500); i > 0 && test_failures == 0; i--) {
        struct made_state *state = make_state(300);
        struct made_request made;
        bool met = true;

        make_request(&made, passes, state, true, false);
        made.request.guard = NULL;
        for (long after = 0; met && test_failures == 0; after++) {
            short_memory(after, 1);
            made.good = pass_run(passes, &made.request);
            met = short_memory_ends();
            if (made.good)
                check_request(&made, state);
            else
                TEST_CHECK(met && made.request.message[0] != '\0');
            failed += !made.good;
            pass_free(&made.request);
        }
        free_request(&made);
        free_state(state);
    }
    TEST_CHECK(failed > 0);
    passes_close(passes);
}

int main(void)
{
    struct trawl_plan *plan = NULL;

    test_begin("serve_pass");
    generator = test_random_begin("serve_pass");
    has_expressions = trawl_plan_build(&(struct trawl_pattern){"a.", 2}, 1,
                                       PLAN_WITH(.syntax = TRAWL_PERL), &plan, NULL) == TRAWL_OK;
    trawl_plan_free(plan);
    test_plans();
    test_merges();
    test_gates();
    test_rows();
    test_memory();
    test_rounds();
    return test_end();
}
