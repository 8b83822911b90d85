/* sim_memory: global memory as threads see it: what one writes, others see late.
 *
 * In some launches a store, or an atomic whose old value nobody wants, waits before it happens;
 * which one happens next, and when, is drawn from the seed. The thread itself sees it at once; the
 * warp and the block see it from their next operation together on, and so does a fence of theirs:
 * it lets all that its thread sees happen. The end of the launch lets everything happen.
 */
#include <stdlib.h>
#include <string.h>

#include "sim_machine.h"
#include "sim_words.h"

#define LATE_MAX 256u
#define LATE_TURNS 16u /* one turn in so many lets one happen */

enum reach { REACH_THREAD, REACH_WARP, REACH_BLOCK };

static struct late {
    const struct block *block; /* NULL: it has ended */
    uint32_t thread;
    enum reach reach;
    uint32_t bytes;
    int kind; /* of an atomic; SIM_STORE: none */
    void *p;
    uint64_t value;
} late[LATE_MAX];
static uint32_t late_count;
static bool happens_late;

/* How many of them are in the granules of a hash: most accesses meet none. An access is aligned to
 * its size, and so is in one granule. */
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
    late_count = 0;
    memset(late_in, 0, sizeof late_in);
    happens_late = sim_random() % 2 != 0;
}

static void happen(uint32_t at)
{
    const struct late *entry = &late[at];
    uint64_t value = entry->value;

    --*filter_of(entry->p);
    if (entry->kind != SIM_STORE)
        value = sim_word_after(sim_word_get(entry->p, entry->bytes), value, entry->kind);
    sim_word_put(entry->p, entry->bytes, value);
    sim.writes++;
    late_count--;
    memmove(late + at, late + at + 1, (late_count - at) * sizeof *late);
}

/* Has it happened, for the thread that runs? */
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

/* What the thread has seen of these bytes happens before it looks at them, or changes them. */
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

/* An operation of the thread's warp, or of its block: those see what the thread did before. */
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
}

void sim_memory_flush(void)
{
    while (late_count > 0)
        happen((uint32_t)(sim_random() % late_count));
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

/* A copy to shared memory happens when its thread waits for it; until then there is garbage. */
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
