/* pins: texts in memory that are searched again and again are pinned where they lie.
 *
 * A device fetches pinned memory by itself; anything else, host workers copy into pinned buffers
 * first: 9 of 16 cores are busy with that at the speed of the bus. To pin a text takes one thread
 * as long as the bus takes to move it (45 GB/s, 70 in large pages; to let go 90 [H200]), so it pays
 * from the second search on: that one starts a thread, which pins the text section by section while
 * the search goes on. The text stays pinned until it is closed, or the runtime is.
 *
 * A runtime with a budget for chunks pins nothing, and all runtimes together no more than half of
 * the machine's memory. Memory that cannot be pinned is copied as before.
 */
#include <unistd.h>

#include "base/checked.h"
#include "base/fault.h"
#include "base/memory.h"
#include "runtime/search.h"

#define TEXT_BYTES_MIN (64u << 20)
#define SECTION_BYTES (1ull << 30)
/* No host thread makes these chunks ready, and device threads that wait for a core between two
 * chunks must not keep the bus waiting: 53 GB/s, in chunks of 4 MiB 47 [H200, 16 cores]. */
#define CHUNK_BYTES (16u << 20)
#define SENT_SHARE 8u /* of a text that went to devices: what makes the next search pin it */

struct pins {
    struct trawl_runtime *runtime;
    struct trawl_text *text;
    struct pins *next; /* of the runtime's */
    pthread_t thread;
    bool thread_runs;
    bool leaving;    /* some thread is letting go of it */
    uint32_t device; /* whose driver context pins, and lets go */
    _Atomic bool stopping;
    _Atomic uint64_t pinned_count; /* bytes of the text, from its first on */
};

static uint64_t text_bytes_min = TEXT_BYTES_MIN, section_bytes = SECTION_BYTES;
static _Atomic uint64_t pinned_total; /* by all runtimes */

/* Guards which text belongs to which runtime: both may be closed at the same time. It is not held
 * while a text is unpinned, so a thread that closes the other one waits for that. */
static pthread_mutex_t guests_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t guest_left = PTHREAD_COND_INITIALIZER;

void pins_limits(uint64_t text_bytes, uint64_t section)
{
    text_bytes_min = text_bytes > 0 ? text_bytes : TEXT_BYTES_MIN;
    section_bytes = section > 0 ? section : SECTION_BYTES;
}

/* The first byte after the section that holds the text's byte `at`. Sections begin at multiples of
 * their size in the address space, so that no two share a page. */
static uint64_t section_end(const struct trawl_text *text, uint64_t at)
{
    uint64_t beyond = section_bytes - ((uintptr_t)text->bytes + at) % section_bytes;

    return min_u64(saturating_add(at, beyond), text->bytes_count);
}

static bool charge(uint64_t bytes)
{
    uint64_t pages = (uint64_t)sysconf(_SC_PHYS_PAGES);
    uint64_t most = saturating_multiply(pages, (uint64_t)sysconf(_SC_PAGESIZE)) / 2;

    if (atomic_fetch_add(&pinned_total, bytes) + bytes <= most)
        return true;
    atomic_fetch_sub(&pinned_total, bytes);
    return false;
}

static void *pin_main(void *argument)
{
    struct pins *pins = (struct pins *)argument;
    const struct trawl_text *text = pins->text;
    struct devices *devices = &pins->runtime->devices;
    uint64_t at = 0;

    while (at < text->bytes_count && !atomic_load(&pins->stopping)) {
        uint64_t end = section_end(text, at);

        TRAWL_ASSERT(end > at && end <= text->bytes_count);
        TRAWL_ASSERT(atomic_load(&pins->pinned_count) == at);
        if (!charge(end - at))
            break;
        if (!devices_pin(devices, pins->device, text->bytes + at, end - at)) {
            atomic_fetch_sub(&pinned_total, end - at);
            break;
        }
        at = end;
        atomic_store(&pins->pinned_count, at);
    }
    return NULL;
}

static void unpin(struct pins *pins)
{
    uint64_t pinned;

    atomic_store(&pins->stopping, true);
    if (pins->thread_runs)
        (void)pthread_join(pins->thread, NULL);
    pinned = atomic_load(&pins->pinned_count);
    TRAWL_ASSERT(pinned <= pins->text->bytes_count);
    for (uint64_t at = 0, end = 0; at < pinned; at = end) {
        end = section_end(pins->text, at);
        TRAWL_ASSERT(end > at);
        if (devices_unpin(&pins->runtime->devices, pins->device, pins->text->bytes + at))
            atomic_fetch_sub(&pinned_total, end - at);
    }
}

/* Nothing is searching the text. With guests_lock held, but for the time that unpinning takes. */
static void let_go(struct pins *pins)
{
    struct pins **link = &pins->runtime->pins;

    if (pins->leaving) { /* another thread does; what is left to look at is the caller's to find */
        (void)pthread_cond_wait(&guest_left, &guests_lock);
        return;
    }
    pins->leaving = true;
    (void)pthread_mutex_unlock(&guests_lock);
    unpin(pins);
    (void)pthread_mutex_lock(&guests_lock);
    TRAWL_ASSERT(atomic_load(&pins->text->guest) == pins);
    atomic_store(&pins->text->guest, NULL);
    while (*link != pins)
        link = &(*link)->next;
    *link = pins->next;
    memory_release(pins, 1, sizeof *pins);
    (void)pthread_cond_broadcast(&guest_left);
}

/* Have the text pinned by no runtime, or not by this one. */
static void empty(struct trawl_text *text, const struct trawl_runtime *runtime)
{
    struct pins *pins;

    (void)pthread_mutex_lock(&guests_lock);
    while ((pins = (struct pins *)atomic_load(&text->guest)) != NULL &&
           (runtime == NULL || pins->runtime == runtime))
        let_go(pins);
    (void)pthread_mutex_unlock(&guests_lock);
}

static void leave(struct trawl_text *text)
{
    empty(text, NULL);
}

void pins_forget(struct trawl_runtime *runtime, struct trawl_text *text)
{
    empty(text, runtime);
}

void pins_close(struct trawl_runtime *runtime)
{
    (void)pthread_mutex_lock(&guests_lock);
    while (runtime->pins != NULL)
        let_go(runtime->pins);
    (void)pthread_mutex_unlock(&guests_lock);
}

/* ---- Searches ----------------------------------------------------------------------------- */

static bool may_pin(const struct search *search, const struct trawl_text *text)
{
    return text->kind == TEXT_MEMORY && text->bytes_count >= text_bytes_min &&
           search->job.runtime->memory_max == 0 &&
           (search->road == ROAD_HOST || search->road == ROAD_STAGED) &&
           devices_work(&search->job.runtime->devices);
}

void pins_begin(struct search *search, struct trawl_text *text)
{
    struct pins *pins;

    if (!may_pin(search, text) || atomic_load(&text->guest) == NULL)
        return;
    (void)pthread_mutex_lock(&guests_lock);
    pins = (struct pins *)atomic_load(&text->guest);
    if (pins != NULL && pins->runtime == search->job.runtime && !pins->leaving) {
        search->pins = pins;
        if (!pins->thread_runs)
            pins->thread_runs = !fault_hit(FAULT_THREAD) &&
                                pthread_create(&pins->thread, NULL, pin_main, pins) == 0;
    }
    (void)pthread_mutex_unlock(&guests_lock);
    if (search->searcher->chunk_bytes == 0 && pins_whole(search))
        search->chunk_device = max_u64(search->chunk_device, CHUNK_BYTES);
}

void pins_end(struct search *search)
{
    struct trawl_runtime *runtime = search->job.runtime;
    uint64_t sent = 0;
    struct pins *pins;
    void *memory;

    if (!may_pin(search, search->cursor.text) || atomic_load(&search->cursor.text->guest) != NULL)
        return;
    TRAWL_ASSERT(search->pins == NULL);
    TRAWL_ASSERT(runtime->devices.device_count <= ENGINE_DEVICES_MAX);
    for (uint32_t i = 0; i < runtime->devices.device_count; i++)
        sent += atomic_load(&search->device[i].bytes);
    if (sent < search->cursor.text->bytes_count / SENT_SHARE ||
        memory_allocate_zeroed(1, sizeof *pins, &memory, NULL) != TRAWL_OK)
        return;
    pins = (struct pins *)memory;
    pins->runtime = runtime;
    pins->text = search->cursor.text;
    pins->device = devices_working(&runtime->devices);
    (void)pthread_mutex_lock(&guests_lock);
    if (atomic_load(&pins->text->guest) == NULL) {
        pins->text->guest_leaves = leave;
        atomic_store(&pins->text->guest, pins);
        pins->next = runtime->pins;
        runtime->pins = pins;
        pins = NULL;
    }
    (void)pthread_mutex_unlock(&guests_lock);
    if (pins != NULL) /* another search of the text was first */
        memory_release(pins, 1, sizeof *pins);
}

bool pins_whole(const struct search *search)
{
    return search->pins != NULL &&
           atomic_load(&search->pins->pinned_count) == search->pins->text->bytes_count;
}

bool pins_hold(const struct search *search, const struct text_chunk *chunk)
{
    uint64_t end = chunk->begin + chunk->owned + chunk->after;

    return search->pins != NULL && end <= atomic_load(&search->pins->pinned_count) &&
           end <= section_end(search->pins->text, chunk->begin);
}
