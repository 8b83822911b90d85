/* sim_memory: global memory as threads see it: a thread's write reaches other threads late.
 *
 * In some launches a store, or an atomic whose old value is not used, waits before it happens. The
 * seed decides which write happens next, and when. The writing thread sees the value immediately;
 * its warp and block see it from their next common operation on. A fence of a thread that sees the
 * write makes it happen, and the end of the launch makes all writes happen. But writes to the
 * host's memory may arrive later, until the host's next call to the driver.
 *
 * In some launches a read of a word may return an older value, which the word had before other
 * blocks wrote to it. Its age has three bounds. It is not older than the value that an earlier read
 * by the block found in the word. After a fence, it is not older than the writes that the block had
 * seen at the fence. After a pause, it is not older than the writes before the pause. For such
 * reads a few past values of words are kept.
 */
#include <stdlib.h>
#include <string.h>

#include "sim_machine.h"
#include "sim_words.h"

#define LATE_MAX 256u
#define LINGERS_ONE_IN 32u /* one in this many fences takes up to LINGERS_MAX turns */
#define LINGERS_MAX 1024u
#define LATE_TURNS 16u /* one in this many turns makes a late write happen */

enum reach { REACH_THREAD, REACH_WARP, REACH_BLOCK };

static struct late {
    const struct block *block; /* the block that wrote; NULL: the block has ended */
    uint32_t thread;
    enum reach reach;
    uint32_t bytes;
    int kind; /* kind of the atomic; SIM_STORE: a store */
    void *p;
    uint64_t value;
} late[LATE_MAX];
static uint32_t late_count;
static bool happens_late;

/* The values that words had before their last writes. A word's entries are in the row past[h],
 * where h is a hash of the word's address / 8, the last write first. */
#define PAST_LOG2 10
#define PAST_WAYS 8u

static struct past {
    uint64_t launch; /* number of the launch of the write; entries of earlier launches are free */
    uint64_t time;   /* the number of the write */
    uint64_t block;  /* the number of the block that wrote */
    const void *p;
    uint64_t value; /* the word's value before the write */
    uint32_t bytes;
} past[1u << PAST_LOG2][PAST_WAYS];
static uint64_t past_launch, past_time;
static bool reads_early;

/* Number of late writes to the granules (16 aligned bytes) that share a hash. It is mostly 0, and
 * then an access need not look through the late writes. An access is aligned to its size, so it is
 * within a single granule. */
#define GRANULE_LOG2 4
#define FILTER_LOG2 12
static uint16_t late_in[1u << FILTER_LOG2];

static uint16_t *filter_of(const void *p)
{
    uint64_t granule = (uint64_t)(uintptr_t)p >> GRANULE_LOG2;

    return &late_in[(granule * 0x9e3779b97f4a7c15u) >> (64 - FILTER_LOG2)];
}

void sim_memory_begin(void)
{
    sim_memory_flush();
    past_launch++;
    happens_late = sim_random() % 2 != 0;
    reads_early = sim_random() % 2 != 0;
}

/* ---- Early reads -------------------------------------------------------------------------- */

static struct past *past_of(const void *p)
{
    uint64_t granule = (uint64_t)(uintptr_t)p / 8;

    return past[(granule * 0x9e3779b97f4a7c15u) >> (64 - PAST_LOG2)];
}

void sim_memory_written(const void *p, uint32_t bytes, const struct block *block)
{
    struct past *ways = past_of(p);

    sim.writes++;
    past_time++;
    if (!reads_early)
        return;
    for (uint32_t i = PAST_WAYS - 1; i > 0; i--)
        ways[i] = ways[i - 1];
    ways[0] = (struct past){
        past_launch, past_time, block == NULL ? 0 : block->number, p, sim_word_get(p, bytes),
        bytes};
}

static struct block_look *look_of(struct block *block, const void *p)
{
    /* neighbouring words of an array have different entries */
    return &block->looks[(uintptr_t)p / 8 % BLOCK_LOOKS];
}

/* Notes that a thread of the block has read the value that the word had at this time, so that later
 * reads by the block find no older value. Words share entries in block->looks. If the entry was
 * that of another word, raises `fenced`, so that no older value of that word is found either. */
static void look_note(struct block *block, const void *p, uint64_t time)
{
    struct block_look *look = look_of(block, p);

    if (look->p != p && look->time > block->fenced)
        block->fenced = look->time;
    *look = (struct block_look){p, time};
}

/* Chooses which values the block's next reads find: the current value; the oldest value; one of the
 * two by chance; or one of the two by a bit of the address, so that neighbouring words are read
 * differently. */
static void choose_mood(struct block *block)
{
    uint64_t random = sim_random();

    block->mood = (enum early_mood)(random % EARLY_MOODS);
    block->mood_bit = 8u << (random >> 8) % 2;
    block->mood_value = (random >> 16) % 2 * block->mood_bit;
}

static bool likes_old(const struct block *block, const void *p)
{
    return block->mood == EARLY_ALWAYS ||
           (block->mood == EARLY_BY_CHANCE && sim_random() % 2 == 0) ||
           (block->mood == EARLY_BY_ADDRESS &&
            ((uintptr_t)p & block->mood_bit) == block->mood_value);
}

static bool overlaps(const struct past *entry, const void *p, uint32_t bytes)
{
    return (const char *)entry->p < (const char *)p + bytes &&
           (const char *)p < (const char *)entry->p + entry->bytes;
}

/* Returns the time of the word's last write, or 0 if the word was not written in this launch. If
 * the word's row of `past` is full and lacks the word, its write may have been lost: then returns
 * the time of the oldest write in the row, which was later. */
static uint64_t written_at(const void *p, uint32_t bytes)
{
    const struct past *ways = past_of(p);
    uint32_t i = 0;

    while (i < PAST_WAYS && ways[i].launch == past_launch && !overlaps(&ways[i], p, bytes))
        i++;
    if (i < PAST_WAYS)
        return ways[i].launch == past_launch ? ways[i].time : 0;
    return ways[PAST_WAYS - 1].time;
}

static void observe(struct block *block, uint64_t time)
{
    if (time > block->observed)
        block->observed = time;
}

void sim_memory_observe(const void *p, uint32_t bytes)
{
    if (reads_early)
        observe(sim.current->block, written_at(p, bytes));
}

uint64_t sim_memory_read(const void *p, uint32_t bytes)
{
    struct block *self = sim.current->block;
    uint64_t value = sim_word_get(p, bytes), since = self->fenced, found;
    const struct past *ways = past_of(p);
    const struct block_look *look = look_of(self, p);
    bool old = reads_early && likes_old(self, p), newer = false;

    if (!reads_early)
        return value;
    found = written_at(p, bytes);
    if (look->p == p && look->time > since)
        since = look->time;
    for (uint32_t i = 0; i < PAST_WAYS && ways[i].launch == past_launch && ways[i].time > since;
         i++) {
        if (!overlaps(&ways[i], p, bytes))
            continue;
        newer = true;
        old = old && ways[i].block != self->number && ways[i].p == p && ways[i].bytes == bytes;
        if (!old)
            break;
        value = ways[i].value;
        found = ways[i].time - 1;
    }
    if (newer)
        look_note(self, p, found);
    observe(self, found);
    return value;
}

/* Sets the time of the oldest values that the block's later reads may find. */
static void read_on(struct block *block, uint64_t time)
{
    if (time > block->fenced)
        block->fenced = time;
    choose_mood(block);
}

void sim_memory_pause(void)
{
    if (!reads_early)
        return;
    if (sim.current->block->fenced < past_time)
        /* the thread looks at its word once more, even if no thread writes */
        sim.written = UINT64_MAX;
    read_on(sim.current->block, past_time);
}

void sim_memory_block(struct block *block)
{
    static uint64_t blocks;

    block->number = ++blocks;
    if (!reads_early)
        return;
    memset(block->looks, 0, sizeof block->looks);
    block->fenced = block->observed = block->grid->begin_time;
    choose_mood(block);
}

uint64_t sim_memory_time(void)
{
    return past_time;
}

/* ---- Late writes -------------------------------------------------------------------------- */

static void happen(uint32_t at)
{
    const struct late *entry = &late[at];
    uint64_t value = entry->value;

    --*filter_of(entry->p);
    if (entry->kind != SIM_STORE)
        value = sim_word_after(sim_word_get(entry->p, entry->bytes), value, entry->kind);
    sim_memory_written(entry->p, entry->bytes, entry->block);
    sim_word_put(entry->p, entry->bytes, value);
    late_count--;
    for (; at < late_count; at++)
        late[at] = late[at + 1];
}

/* Returns true if the running thread sees the write. */
static bool is_seen(const struct late *entry)
{
    const struct thread *self = sim.current;

    if (entry->block != self->block)
        return false;
    if (entry->reach == REACH_BLOCK || entry->thread == self->index)
        return true;
    return entry->reach == REACH_WARP &&
           entry->thread / SIMT_WARP_THREADS == self->index / SIMT_WARP_THREADS;
}

/* Makes late writes to these bytes happen if the thread already sees their values. Called before
 * the thread reads or changes the bytes. */
void sim_memory_look(const void *p, uint32_t bytes)
{
    const char *begin = (const char *)p;

    if (*filter_of(p) == 0)
        return;
    for (uint32_t i = 0; i < late_count;) {
        const char *at = (const char *)late[i].p;

        if (at < begin + bytes && begin < at + late[i].bytes && is_seen(&late[i]))
            happen(i);
        else
            i++;
    }
}

/* Makes the thread's writes visible to its warp, or to its block, after a common operation. */
void sim_memory_share(bool block)
{
    const struct thread *self = sim.current;

    for (uint32_t i = 0; i < late_count; i++)
        if (is_seen(&late[i]) && late[i].reach < (block ? REACH_BLOCK : REACH_WARP) &&
            (late[i].thread == self->index || late[i].reach == REACH_WARP))
            late[i].reach = block ? REACH_BLOCK : REACH_WARP;
}

void sim_memory_fence(void)
{
    for (uint32_t i = 0; i < late_count;)
        if (is_seen(&late[i]))
            happen(i);
        else
            i++;
    if (reads_early)
        read_on(sim.current->block, sim.current->block->observed);
}

/* Returns how many turns a fence takes: usually 0. In a long fence, other blocks run between the
 * block's writes before and after the fence. */
uint64_t sim_memory_lingers(void)
{
    return reads_early && sim_random() % LINGERS_ONE_IN == 0 ? sim_random() % LINGERS_MAX : 0;
}

void sim_memory_flush(void)
{
    while (late_count > 0)
        happen((uint32_t)(sim_random() % late_count));
}

void sim_memory_end(bool (*is_host)(const void *p))
{
    uint32_t stays = 0;

    for (uint32_t i = 0; i < late_count; i++)
        if (is_host != NULL && is_host(late[i].p) && sim_random() % 2 == 0) {
            struct late entry = late[stays];

            late[stays++] = late[i];
            late[i] = entry;
        }
    while (late_count > stays)
        happen(stays + (uint32_t)(sim_random() % (late_count - stays)));
}

void sim_memory_turn(void)
{
    uint64_t random;

    if (late_count == 0)
        return;
    random = sim_random();
    if (random % LATE_TURNS == 0)
        happen((uint32_t)((random >> 8) % late_count));
}

/* A copy to shared memory, which happens when its thread waits for it. Until then the target
 * contains garbage. */
struct sim_copy {
    struct sim_copy *next;
    void *to;
    const void *from;
    uint32_t bytes;
};

void sim_memory_copy(void *to, const void *from, uint32_t bytes)
{
    struct sim_copy *copy = (struct sim_copy *)malloc(sizeof *copy);

    if (copy == NULL)
        abort();
    *copy = (struct sim_copy){sim.current->copies, to, from, bytes};
    sim.current->copies = copy;
    memset(to, (int)(sim_random() & 0xff), bytes);
}

void sim_memory_copies_end(struct thread *thread, bool happen)
{
    while (thread->copies != NULL) {
        struct sim_copy *copy = thread->copies;

        if (happen)
            memcpy(copy->to, copy->from, copy->bytes);
        thread->copies = copy->next;
        free(copy);
    }
}

void sim_memory_forget_block(const struct block *block)
{
    for (uint32_t i = 0; i < block->grid->threads; i++)
        sim_memory_copies_end(&block->threads[i], false);
    for (uint32_t i = 0; i < late_count; i++)
        if (late[i].block == block)
            late[i].block = NULL;
}

void sim_memory_write(void *p, uint32_t bytes, int kind, uint64_t value)
{
    sim_memory_look(p, bytes);
    if (late_count == LATE_MAX)
        happen(0);
    late[late_count++] =
        (struct late){sim.current->block, sim.current->index, REACH_THREAD, bytes, kind, p, value};
    ++*filter_of(p);
    if (!happens_late)
        happen(late_count - 1);
}
