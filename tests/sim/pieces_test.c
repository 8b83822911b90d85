/* pieces_test: threads copy pieces of lists into an array (runtime/pieces.c), with their steps in
 * random orders. The threads are fibers: at each atomic operation and each call to the engine,
 * another one may run. When the library orders a piece (requests it from the engine), the test's
 * engine fills the piece's slot, the buffer for it, with wrong words. So a thread that reads the
 * slot before the piece has arrived gets wrong words. */
#include "runtime/pieces.h"

#include <sched.h>

#include "base/checked.h"
#include "base/clock.h"
#include "fiber.h"
#include "runtime/engines.h"
#include "runtime/threads.h"
#include "test.h"

#define HELPERS_MAX 3u
#define STACK_BYTES (64u << 10)
#define LISTS_MAX 12u
#define LIST_MAX 40u /* length of the longest list, in words */
#define PIECE_MAX 7u
#define ROOM (LISTS_MAX * LIST_MAX)
#define SWITCHES_MAX 1000000u /* after more switches the threads count as hung */
#define SPOILT 0x7777777777777777u

/* ---- The threads ----------------------------------------------------------------------------- */

static struct {
    struct test_random random;
    struct fiber fibers[1 + HELPERS_MAX], host; /* fiber 0 is the thread that orders pieces */
    bool lives[1 + HELPERS_MAX];
    uint32_t count, now;
    uint64_t switches;
    struct job job;
    struct pieces pieces;
    uint64_t array[ROOM + 1], words; /* words: number of words ordered so far */
    uint64_t asked, came;            /* numbers of pieces that were ordered and that arrived */
    uint64_t fails_at; /* number of the first call that fails; all later ones fail, too */
    uint64_t calls, clock_ns;
    struct engine_copy copies[ENGINE_PIECES_MAX];
    uint64_t pinned[ENGINE_PIECES_MAX][LIST_MAX];
    bool over;
} play;

static struct fiber *next_fiber(void)
{
    do
        play.now = (uint32_t)test_random_below(&play.random, play.count);
    while (!play.lives[play.now]);
    return &play.fibers[play.now];
}

/* Lets a random thread continue, perhaps the same one. */
static void gate(void)
{
    struct fiber *from = &play.fibers[play.now], *to;

    if (++play.switches == SWITCHES_MAX) {
        printf("the threads wait for each other\n");
        TEST_CHECK(play.switches < SWITCHES_MAX);
        exit(test_end());
    }
    to = next_fiber();
    if (to != from)
        fiber_switch(from, to);
}

static void leave(void)
{
    struct fiber *from = &play.fibers[play.now];
    bool any = false;

    play.lives[play.now] = false;
    for (uint32_t i = 0; i < play.count; i++)
        any |= play.lives[i];
    fiber_leave(from, any ? next_fiber() : &play.host);
}

/* ---- The engine ------------------------------------------------------------------------------ */

static uint64_t word_at(uint64_t at)
{
    return at * 0x9e3779b97f4a7c15u;
}

static enum trawl_status bring(struct engine_worker *worker, struct engine_copy *copy, bool wait,
                               struct trawl_error *error)
{
    struct engine_copy *known = &play.copies[copy->slot];

    (void)worker;
    gate();
    if (++play.calls >= play.fails_at)
        return TRAWL_FAIL(error, DEVICE, "lost");
    TEST_CHECK_U64(copy->slot, (wait ? play.came : play.asked) % ENGINE_PIECES_MAX);
    if (!wait) {
        TEST_CHECK(play.asked++ - play.came < ENGINE_PIECES_MAX && copy->count <= LIST_MAX);
        *known = *copy;
        for (uint64_t i = 0; i < LIST_MAX; i++)
            play.pinned[copy->slot][i] = SPOILT;
        return TRAWL_OK;
    }
    TEST_CHECK(play.came++ < play.asked);
    copy->copied = play.pinned[copy->slot];
    for (uint64_t i = 0; i < known->count; i++)
        (known->host != NULL ? known->host : play.pinned[copy->slot])[i] = word_at(known->at + i);
    gate();
    return TRAWL_OK;
}

static const struct engine_ops device = {.bring = bring};

#undef atomic_load
#undef atomic_store
#undef atomic_exchange
#undef atomic_fetch_add
#undef atomic_fetch_sub
#undef atomic_compare_exchange_weak
#define atomic_load(object) (gate(), atomic_load_explicit(object, memory_order_seq_cst))
#define atomic_store(object, value) \
    (gate(), atomic_store_explicit(object, value, memory_order_seq_cst))
#define atomic_exchange(object, value) \
    (gate(), atomic_exchange_explicit(object, value, memory_order_seq_cst))
#define atomic_fetch_add(object, value) \
    (gate(), atomic_fetch_add_explicit(object, value, memory_order_seq_cst))
#define atomic_fetch_sub(object, value) \
    (gate(), atomic_fetch_sub_explicit(object, value, memory_order_seq_cst))
#define atomic_compare_exchange_weak(object, expected, value)                                     \
    (gate(), atomic_compare_exchange_weak_explicit(object, expected, value, memory_order_seq_cst, \
                                                   memory_order_seq_cst))
#define engine_for_devices (&device)
#define job_wake(job) atomic_store(&(job)->has_work, true)
#define memcpy(to, from, count) (gate(), (memcpy)(to, from, count))
#define sched_yield() (gate(), 0)
#define clock_now_ns() (play.clock_ns += 100)
#include "runtime/pieces.c" /* NOLINT(bugprone-suspicious-include) */
#undef memcpy

/* ---- Plays ----------------------------------------------------------------------------------- */

static void help(void *argument)
{
    (void)argument;
    while (!play.over)
        if (atomic_load(&play.job.has_work))
            pieces_help(&play.pieces);
    leave();
}

/* Waits until all lists are copied to the array. Checks that the array has the words in order if no
 * call failed. */
static void settle(void)
{
    bool fails = play.fails_at != UINT64_MAX;
    enum trawl_status status = pieces_settle(&play.pieces, NULL);

    TEST_CHECK(status == TRAWL_OK || (fails && status == TRAWL_DEVICE));
    TEST_CHECK(status != TRAWL_OK || play.calls < play.fails_at);
    for (uint64_t i = 0; i < play.words && status == TRAWL_OK; i++)
        if (!TEST_CHECK_U64(play.array[i], word_at(i)))
            break;
    TEST_CHECK_U64(play.array[play.words], SPOILT);
}

static void order(void *argument)
{
    uint64_t lists = test_random_between(&play.random, 1, LISTS_MAX), most = 1;
    bool direct = false;

    (void)argument;
    for (uint64_t i = 0; i < lists; i++) {
        struct piece_order list = {play.words, play.words,
                                   test_random_between(&play.random, 1, LIST_MAX)};

        if (i == 0 || test_random_one_in(&play.random, 4)) {
            settle();
            most = test_random_between(&play.random, 1, PIECE_MAX);
            direct = test_random_one_in(&play.random, 4);
        }
        pieces_order(&play.pieces, NULL, most, direct, &list);
        play.words += list.count;
    }
    pieces_last(&play.pieces);
    settle();
    pieces_stop(&play.pieces);
    play.over = true;
    leave();
}

static void one(uint64_t index)
{
    struct fiber fibers[1 + HELPERS_MAX];

    memcpy(fibers, play.fibers, sizeof fibers);
    memset(&play, 0, sizeof play);
    memcpy(play.fibers, fibers, sizeof fibers);
    play.random = test_random_begin("pieces");
    play.random.state += index;
    play.count = 1 + (uint32_t)test_random_below(&play.random, HELPERS_MAX + 1);
    play.fails_at =
        test_random_one_in(&play.random, 4) ? test_random_between(&play.random, 1, 60) : UINT64_MAX;
    for (uint64_t i = 0; i <= ROOM; i++)
        play.array[i] = SPOILT;
    pieces_begin(&play.pieces, &play.job, play.array);
    for (uint32_t i = 0; i < play.count; i++) {
        play.lives[i] = true;
        fiber_prepare(&play.fibers[i], i == 0 ? order : help, NULL);
    }
    play.now = 0;
    fiber_switch(&play.host, &play.fibers[0]);
    pieces_end(&play.pieces);
}

int main(void)
{
    test_begin("sim pieces");
    for (uint32_t i = 0; i <= HELPERS_MAX; i++)
        if (!fiber_stack_open(&play.fibers[i], STACK_BYTES))
            return 1;
    (void)test_cases(test_amount(4000, 200000), one);
    for (uint32_t i = 0; i <= HELPERS_MAX; i++)
        fiber_stack_close(&play.fibers[i]);
    return test_end();
}
