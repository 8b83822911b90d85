/* buffers: the memory into which chunks of text are read, within the runtime's limit (memory_max).
 * Buffers for devices are pinned, and kept for later chunks. */
#include "runtime/buffers.h"

#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "runtime/devices.h"
#include "runtime/engines.h"
#include "runtime/runtime.h"
#include "runtime/search.h"

/* pinned buffers for each device worker: one is searched while three wait */
#define BUFFERS_PER_WORKER 4u
/* Unless memory is limited, the size of a pinned buffer is rounded up to a multiple of this, so
 * that a slightly longer chunk fits, too: pinning anew would take longer than copying. */
#define PINNED_STEP (2u << 20)

/* Pins the memory in the driver context of device `index`. All devices can then copy from it
 * directly. */
static bool pin(struct devices *devices, uint32_t index, const uint8_t *bytes, uint64_t count)
{
    struct engine_text text = {
        .bytes = bytes, .bytes_count = count, .how = ENGINE_HOLD_PINNED, .device = index};

    return !atomic_load(&devices->lost[index]) &&
           engine_for_devices->there->hold(devices->engine, &text, NULL) == TRAWL_OK;
}

/* Undoes pin() in the driver context of device `index` or, if that fails, in another device's. */
static bool unpin(struct devices *devices, uint32_t index, const uint8_t *bytes)
{
    struct engine_text text = {.bytes = bytes, .how = ENGINE_HOLD_PINNED};
    bool done = false;

    for (uint32_t i = 0; i < devices->device_count && !done; i++) {
        text.device = (index + i) % devices->device_count;
        done = engine_for_devices->there->drop(devices->engine, &text);
    }
    return done;
}

void runtime_buffer_release(struct trawl_runtime *runtime, struct text_buffer *buffer)
{
    TRAWL_ASSERT(atomic_load(&runtime->memory_used) >= buffer->capacity);
    atomic_fetch_sub(&runtime->memory_used, buffer->capacity);
    text_buffer_release(buffer);
}

/* Releases an idle pinned buffer. Returns false if there is none. */
static bool release_idle_buffer(struct devices *devices)
{
    struct text_buffer buffer = {.capacity = 0};

    (void)pthread_mutex_lock(&devices->runtime->lock);
    if (devices->pinned_free > 0) {
        TRAWL_ASSERT(devices->pinned_free <= devices->pinned_made);
        buffer = devices->pinned[--devices->pinned_free];
        TRAWL_ASSERT(buffer.capacity > 0);
        devices->pinned_made--;
    }
    (void)pthread_mutex_unlock(&devices->runtime->lock);
    if (buffer.capacity == 0)
        return false;
    (void)unpin(devices, devices_first_working(devices), buffer.bytes);
    runtime_buffer_release(devices->runtime, &buffer);
    return true;
}

/* A request that does not fit is not added even for a moment, because a smaller request of another
 * thread might fail meanwhile. */
bool runtime_reserve(struct trawl_runtime *runtime, uint64_t bytes, uint64_t *used)
{
    *used = atomic_load(&runtime->memory_used);
    do
        if (runtime->memory_max > 0 && saturating_add(*used, bytes) > runtime->memory_max)
            return false;
    while (!atomic_compare_exchange_weak(&runtime->memory_used, used, *used + bytes));
    return true;
}

void runtime_unreserve(struct trawl_runtime *runtime, uint64_t bytes)
{
    TRAWL_ASSERT(atomic_load(&runtime->memory_used) >= bytes);
    atomic_fetch_sub(&runtime->memory_used, bytes);
}

enum trawl_status search_count_window(struct search *search, uint64_t bytes,
                                      struct trawl_error *error)
{
    struct trawl_runtime *runtime = search->job.runtime;
    bool fits = true;
    uint64_t used;

    search_lock(search);
    if (bytes > search->window_bytes) {
        fits = runtime_reserve(runtime, bytes - search->window_bytes, &used);
        search->searcher->unpack_bytes += fits ? bytes - search->window_bytes : 0;
        search->window_bytes = bytes;
    }
    search_unlock(search);
    return fits ? TRAWL_OK
                : TRAWL_FAIL(error, MEMORY,
                             "%s: decompressing takes %" PRIu64 " bytes, which beside those in use "
                             "exceed the runtime's limit of %" PRIu64,
                             search->cursor.text->name, bytes, runtime->memory_max);
}

enum trawl_status runtime_buffer_reserve(struct trawl_runtime *runtime, struct text_buffer *buffer,
                                         uint64_t bytes, struct trawl_error *error)
{
    enum trawl_status status;
    uint64_t used;

    if (bytes <= buffer->capacity)
        return TRAWL_OK;
    runtime_buffer_release(runtime, buffer);
    while (!runtime_reserve(runtime, bytes, &used)) /* idle pinned buffers make room */
        if (!release_idle_buffer(&runtime->devices))
            return TRAWL_FAIL(error, MEMORY,
                              "a chunk of %" PRIu64 " bytes beside %" PRIu64
                              " in use exceeds the runtime's limit of %" PRIu64,
                              bytes, used, runtime->memory_max);
    status = MEMORY_NEW(buffer->bytes, bytes, error);
    if (status != TRAWL_OK) {
        atomic_fetch_sub(&runtime->memory_used, bytes);
        return status;
    }
    buffer->capacity = bytes;
    return TRAWL_OK;
}

enum trawl_status runtime_buffer_grow(struct trawl_runtime *runtime, struct text_buffer *buffer,
                                      uint64_t kept, uint64_t bytes, struct trawl_error *error)
{
    struct text_buffer grown = {.capacity = 0};

    if (kept == 0)
        return runtime_buffer_reserve(runtime, buffer, bytes, error);
    TRAWL_TRY(runtime_buffer_reserve(runtime, &grown, bytes, error));
    memcpy(grown.bytes, buffer->bytes, (size_t)kept);
    runtime_buffer_release(runtime, buffer);
    *buffer = grown;
    return TRAWL_OK;
}

enum trawl_status buffers_open(struct devices *devices)
{
    if (devices->pinned != NULL)
        return TRAWL_OK;
    TRAWL_ASSERT(devices->workers_max > 0);
    TRAWL_ASSERT(devices->pinned_free == 0 && devices->pinned_made == 0);
    devices->pinned_capacity =
        devices->workers_max * BUFFERS_PER_WORKER + devices->runtime->threads_max;
    TRAWL_TRY(MEMORY_ZEROED(devices->pinned, devices->pinned_capacity, NULL));
    return TRAWL_OK;
}

void buffers_close(struct devices *devices)
{
    while (release_idle_buffer(devices))
        ;
    memory_release(devices->pinned, devices->pinned_capacity, sizeof *devices->pinned);
    devices->pinned = NULL;
}

bool devices_buffer_take(struct devices *devices, uint64_t bytes, bool all,
                         struct text_buffer *buffer)
{
    struct trawl_runtime *runtime = devices->runtime;
    uint32_t max = all ? devices->pinned_capacity : devices->workers_max * BUFFERS_PER_WORKER;
    bool may, kept;

    if (runtime->memory_max == 0)
        bytes = saturating_add(bytes, PINNED_STEP - 1) / PINNED_STEP * PINNED_STEP;
    (void)pthread_mutex_lock(&runtime->lock);
    TRAWL_ASSERT(devices->pinned_free <= devices->pinned_made);
    may = devices->pinned_made - devices->pinned_free < max;
    kept = may && devices->pinned_free > 0;
    if (kept)
        *buffer = devices->pinned[--devices->pinned_free];
    else if (may)
        devices->pinned_made++;
    TRAWL_ASSERT(devices->pinned_made <= devices->pinned_capacity);
    (void)pthread_mutex_unlock(&runtime->lock);
    if (!may || (kept && buffer->capacity >= bytes))
        return may;
    if (kept)
        (void)unpin(devices, devices_first_working(devices), buffer->bytes);
    else
        memset(buffer, 0, sizeof *buffer);
    if (runtime_buffer_reserve(runtime, buffer, bytes, NULL) == TRAWL_OK &&
        pin(devices, devices_first_working(devices), buffer->bytes, buffer->capacity))
        return true;
    runtime_buffer_release(runtime, buffer);
    (void)pthread_mutex_lock(&runtime->lock);
    TRAWL_ASSERT(devices->pinned_made > devices->pinned_free);
    devices->pinned_made--;
    (void)pthread_mutex_unlock(&runtime->lock);
    return false;
}

void devices_buffer_give(struct devices *devices, struct text_buffer *buffer)
{
    (void)pthread_mutex_lock(&devices->runtime->lock);
    TRAWL_ASSERT(buffer->capacity > 0 && devices->pinned_free < devices->pinned_made);
    devices->pinned[devices->pinned_free++] = *buffer;
    (void)pthread_mutex_unlock(&devices->runtime->lock);
    memset(buffer, 0, sizeof *buffer);
}
