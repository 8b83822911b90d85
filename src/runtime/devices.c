/* devices: the GPUs of a runtime: when they are opened, and which are lost
 *
 * Opening the devices takes up to a third of a second, and closing a runtime waits until that has
 * ended. A runtime with engine CUDA opens them immediately; loading a text opens them, too.
 * Otherwise, with engine AUTO, a separate thread opens them once the runtime's searches of long
 * texts have taken a second; host workers go on meanwhile. A device that fails is lost until the
 * runtime closes: other devices or the CPU take over its tasks, and devices->failure says why.
 */
#include "runtime/devices.h"

#include "base/checked.h"
#include "base/fault.h"
#include "runtime/engines.h"
#include "runtime/runtime.h"

void devices_failure(struct devices *devices, char *failure, uint64_t failure_bytes)
{
    (void)pthread_mutex_lock(&devices->runtime->lock);
    (void)snprintf(failure, failure_bytes, "%.*s", (int)failure_bytes - 1, devices->failure);
    (void)pthread_mutex_unlock(&devices->runtime->lock);
}

void devices_lose(struct devices *devices, uint32_t index, const char *why)
{
    uint32_t first = index == UINT32_MAX ? 0 : index;
    uint32_t end = index == UINT32_MAX ? ENGINE_DEVICES_MAX : index + 1;

    TRAWL_ASSERT(first < end && end <= ENGINE_DEVICES_MAX);
    (void)pthread_mutex_lock(&devices->runtime->lock);
    if (devices->failure[0] == '\0')
        (void)snprintf(devices->failure, sizeof devices->failure, "%.*s",
                       (int)sizeof devices->failure - 1, why);
    for (uint32_t i = first; i < end; i++) {
        if (!atomic_exchange(&devices->lost[i], true) && i < devices->device_count)
            atomic_fetch_add(&devices->lost_count, 1);
    }
    TRAWL_ASSERT(atomic_load(&devices->lost_count) <= devices->device_count);
    (void)pthread_mutex_unlock(&devices->runtime->lock);
}

bool devices_are_usable(const struct devices *devices)
{
    return devices_are_ready(devices) && atomic_load(&devices->lost_count) < devices->device_count;
}

bool devices_are_ready(const struct devices *devices)
{
    return atomic_load(&devices->state) == DEVICES_READY;
}

/* Returns the first device that is not lost, cyclically from `index` upwards; `index` if all are
 * lost. */
static uint32_t working_from(const struct devices *devices, uint32_t index)
{
    for (uint32_t i = 0; i < devices->device_count; i++)
        if (!atomic_load(&devices->lost[(index + i) % devices->device_count]))
            return (index + i) % devices->device_count;
    return index;
}

uint32_t devices_choose(struct devices *devices)
{
    return working_from(devices, atomic_fetch_add(&devices->chosen, 1) % devices->device_count);
}

/* ---- Opening ------------------------------------------------------------------------------ */

static enum trawl_status open_engine(struct devices *devices, struct trawl_error *error)
{
    uint32_t workers;

    TRAWL_TRY(engine_for_devices->open(&devices->options, &devices->engine, error));
    devices->device_count = engine_for_devices->there->devices(devices->engine, &workers);
    TRAWL_ASSERT(devices->device_count > 0 && devices->device_count <= ENGINE_DEVICES_MAX);
    devices->workers_worth = devices->device_count * workers;
    devices->workers_max =
        (uint32_t)min_u64(devices->workers_worth, devices->runtime->threads_max - 1);
    if (devices->workers_max > 0)
        devices->workers_max = (uint32_t)max_u64(devices->workers_max, devices->device_count);
    TRAWL_ASSERT(devices->workers_max <= devices->workers_worth);
    return TRAWL_OK;
}

static void decide(struct devices *devices, enum devices_state state)
{
    (void)pthread_mutex_lock(&devices->runtime->lock);
    atomic_store(&devices->state, (int)state);
    (void)pthread_cond_broadcast(&devices->decided);
    (void)pthread_mutex_unlock(&devices->runtime->lock);
}

static enum trawl_status open_now(struct devices *devices, struct trawl_error *error)
{
    enum trawl_status status = open_engine(devices, error);

    if (status != TRAWL_OK)
        devices_lose(devices, UINT32_MAX, error->message);
    decide(devices, status == TRAWL_OK ? DEVICES_READY : DEVICES_ABSENT);
    return status;
}

static void *opener_main(void *argument)
{
    struct trawl_error error; /* devices->failure keeps the message */

    (void)open_now((struct devices *)argument, &error);
    return NULL;
}

static void opener_join(struct devices *devices)
{
    bool runs;

    (void)pthread_mutex_lock(&devices->runtime->lock);
    runs = devices->opener_runs;
    devices->opener_runs = false;
    (void)pthread_mutex_unlock(&devices->runtime->lock);
    if (runs)
        (void)pthread_join(devices->opener, NULL);
}

static bool claim_opening(struct devices *devices)
{
    int expected = DEVICES_NOT_ASKED;

    return atomic_compare_exchange_strong(&devices->state, &expected, DEVICES_OPENING);
}

enum trawl_status devices_open(struct devices *devices, struct trawl_error *error)
{
    struct trawl_error own;
    enum trawl_status status;

    if (claim_opening(devices)) {
        status = open_now(devices, &own);
        if (status != TRAWL_OK && error != NULL)
            *error = own;
        return status;
    }
    (void)pthread_mutex_lock(&devices->runtime->lock);
    while (atomic_load(&devices->state) == DEVICES_OPENING)
        (void)pthread_cond_wait(&devices->decided, &devices->runtime->lock);
    (void)pthread_mutex_unlock(&devices->runtime->lock);
    return TRAWL_OK;
}

void devices_open_in_background(struct devices *devices)
{
    bool runs;

    if (!claim_opening(devices))
        return;
    (void)pthread_mutex_lock(&devices->runtime->lock);
    runs = !fault_hit() && pthread_create(&devices->opener, NULL, opener_main, devices) == 0;
    devices->opener_runs = runs;
    (void)pthread_mutex_unlock(&devices->runtime->lock);
    if (runs)
        return;
    devices_lose(devices, UINT32_MAX, "no thread to open the GPU with");
    decide(devices, DEVICES_ABSENT);
}

void devices_close(struct devices *devices)
{
    opener_join(devices);
    if (devices->engine != NULL)
        engine_for_devices->close(devices->engine);
    devices->engine = NULL;
}

/* Worker i starts on device i % device_count, so every device below worker_count has a worker. */
bool devices_may_serve(const struct devices *devices, uint32_t own, uint32_t other)
{
    return other == ENGINE_DEVICES_MAX || other == own || atomic_load(&devices->lost[other]) ||
           other >= atomic_load(&devices->worker_count);
}

uint32_t devices_first_working(const struct devices *devices)
{
    return working_from(devices, 0);
}

bool devices_locate(const struct devices *devices, const struct trawl_plan *plan,
                    const uint8_t *bytes, uint64_t bytes_count, struct engine_text *found)
{
    *found = (struct engine_text){
        .bytes = bytes, .bytes_count = bytes_count, .how = ENGINE_HOLD_LOOK, .plan = plan};
    return atomic_load(&devices->has_texts) &&
           engine_for_devices->there->hold(devices->engine, found, NULL) == TRAWL_OK;
}

bool devices_hold(const struct devices *devices, const uint8_t *bytes, uint64_t bytes_count)
{
    struct engine_text found;

    return devices_are_usable(devices) &&
           devices_locate(devices, NULL, bytes, bytes_count, &found) && found.reach == bytes_count;
}

bool devices_hold_text(const struct devices *devices, const struct trawl_plan *plan,
                       const struct trawl_text *text, bool *is_split)
{
    struct engine_text part;

    TRAWL_ASSERT(text->kind == TEXT_MEMORY);
    for (uint64_t at = 0; at < text->bytes_count; at += part.reach) {
        if (!devices_locate(devices, plan, text->bytes + at, text->bytes_count - at, &part))
            return false;
        TRAWL_ASSERT(part.reach > 0 && part.reach <= text->bytes_count - at);
        *is_split = part.reach < text->bytes_count;
    }
    return text->bytes_count > 0;
}
