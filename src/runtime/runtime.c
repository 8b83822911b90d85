/* runtime: opens and closes a runtime, and loads texts onto its devices. Called by public
 * functions; workers call only runtime_fetch. */
#include "runtime/runtime.h"

#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "base/cores.h"
#include "base/memory.h"
#include "base/options.h"
#include "runtime/buffers.h"
#include "runtime/device_threads.h"
#include "runtime/devices.h"
#include "runtime/engines.h"
#include "runtime/forked.h"
#include "runtime/pages.h"
#include "runtime/search.h"
#include "runtime/threads.h"

/* ---- Open and close ----------------------------------------------------------------------- */

enum trawl_status runtime_open(const struct trawl_searcher_options *given,
                               struct trawl_runtime **runtime_out, struct trawl_error *error)
{
    struct engine_options options = {.size = sizeof options,
                                     .instruction_set = given->instruction_set,
                                     .device_memory_bytes = given->device_memory_bytes};
    enum trawl_status status = TRAWL_OK;
    struct trawl_runtime *runtime;

    if (given->engine < TRAWL_ENGINE_AUTO || given->engine > TRAWL_ENGINE_CUDA)
        return TRAWL_FAIL(error, ARGUMENT, "engine %d does not exist", (int)given->engine);
    if (given->threads > RUNTIME_THREADS_MAX)
        return TRAWL_FAIL(error, ARGUMENT, "threads is %" PRIu32 ", more than %u", given->threads,
                          RUNTIME_THREADS_MAX);
    TRAWL_TRY(MEMORY_ZEROED(runtime, 1, error));
    runtime->engine = given->engine;
    runtime->threads_max = given->threads > 0
                               ? given->threads
                               : (uint32_t)min_u64(cores_available(), RUNTIME_THREADS_MAX);
    runtime->memory_max = given->host_memory_bytes;
    runtime->devices.runtime = runtime;
    (void)pthread_mutex_init(&runtime->lock, NULL);
    (void)pthread_mutex_init(&runtime->entry, NULL);
    (void)pthread_cond_init(&runtime->devices.decided, NULL);
    TRAWL_TRY_DONE(MEMORY_ZEROED(runtime->workers, runtime->threads_max - 1, error));
    TRAWL_TRY_DONE(engine_for_host->open(&options, &runtime->host, error));
    options.instruction_set = NULL; /* borrowed, only for the call to open */
    runtime->devices.options = options;
    if (given->engine == TRAWL_ENGINE_CUDA)
        TRAWL_TRY_DONE(devices_open(&runtime->devices, error));
    if (given->engine == TRAWL_ENGINE_CPU)
        atomic_store(&runtime->devices.state, DEVICES_ABSENT);
    forked_note(&runtime->forked, false);
    *runtime_out = runtime;
    runtime = NULL;
done:
    if (runtime != NULL)
        runtime_close(runtime);
    return status;
}

void runtime_close(struct trawl_runtime *runtime)
{
    forked_forget(&runtime->forked);
    if (atomic_load(&runtime->worker_count) > 0 || runtime->devices.workers != NULL)
        workers_stop(runtime);
    if (runtime->devices.workers != NULL)
        devices_stop(&runtime->devices);
    if (runtime->devices.pinned != NULL)
        buffers_close(&runtime->devices);
    runtime_pages_unload(runtime, NULL);
    if (runtime->devices.opener_runs || runtime->devices.engine != NULL)
        devices_close(&runtime->devices);
    if (runtime->host != NULL)
        engine_for_host->close(runtime->host);
    TRAWL_ASSERT(atomic_load(&runtime->memory_used) == 0);
    memory_release(runtime->workers, runtime->threads_max - 1, sizeof *runtime->workers);
    (void)pthread_cond_destroy(&runtime->devices.decided);
    (void)pthread_mutex_destroy(&runtime->entry);
    (void)pthread_mutex_destroy(&runtime->lock);
    memory_release(runtime, 1, sizeof *runtime);
}

enum trawl_status trawl_runtime_open(const struct trawl_searcher_options *options,
                                     struct trawl_runtime **runtime, struct trawl_error *error)
{
    struct trawl_searcher_options given = TRAWL_SEARCHER_OPTIONS_INIT;

    if (runtime == NULL)
        return TRAWL_FAIL(error, ARGUMENT, "runtime is NULL");
    TRAWL_TRY(options_read(&given, sizeof given, options, sizeof given, "runtime options", error));
    if (given.runtime != NULL || given.chunk_bytes != 0 || given.map != TRAWL_MAP_NEVER ||
        given.poll != NULL || given.poll_context != NULL)
        return TRAWL_FAIL(error, ARGUMENT,
                          "runtime, chunk_bytes, map and poll belong to searchers, and have to be "
                          "0 for a runtime");
    return runtime_open(&given, runtime, error);
}

enum trawl_status trawl_runtime_close(struct trawl_runtime *runtime, struct trawl_error *error)
{
    if (runtime == NULL)
        return TRAWL_OK;
    if (atomic_load(&runtime->searchers) > 0)
        return TRAWL_FAIL(error, BUSY, "%" PRIu32 " searchers of the runtime are open",
                          atomic_load(&runtime->searchers));
    runtime_close(runtime);
    return TRAWL_OK;
}

/* ---- Resident texts ----------------------------------------------------------------------- */

/* Loads the text onto the devices. A text in device memory is not copied. Any other is copied anew
 * if the runtime has one searcher; if it has several, an existing copy is kept, because another
 * searcher may be reading it. */
static enum trawl_status load(struct trawl_runtime *runtime, struct trawl_text *text, bool is_whole,
                              struct trawl_error *error)
{
    struct engine_text request = {.owner = text,
                                  .bytes = text->bytes,
                                  .bytes_count = text->bytes_count,
                                  .how = ENGINE_HOLD_BORROWED,
                                  .address = text->device_address,
                                  .is_whole = is_whole};
    enum trawl_status status;

    if (text->device_address != 0)
        return engine_for_devices->there->hold(runtime->devices.engine, &request, error);
    (void)pthread_mutex_lock(&runtime->entry);
    request.how = atomic_load(&runtime->searchers) == 1 ? ENGINE_HOLD_ANEW : ENGINE_HOLD_COPY;
    status = engine_for_devices->there->hold(runtime->devices.engine, &request, error);
    (void)pthread_mutex_unlock(&runtime->entry);
    return status;
}

/* Opens the devices immediately (unless the engine is CPU), because a text that is loaded will be
 * searched often. A failure is an error only with engine CUDA, or for a text in device memory. */
enum trawl_status runtime_load(struct trawl_runtime *runtime, struct trawl_text *text,
                               bool is_whole, struct trawl_error *error)
{
    struct devices *devices = &runtime->devices;
    bool must = runtime->engine == TRAWL_ENGINE_CUDA || text->device_address != 0;
    struct trawl_error device_error;
    enum trawl_status status;

    if (runtime->engine == TRAWL_ENGINE_CPU && must)
        return TRAWL_FAIL(error, UNSUPPORTED,
                          "engine cpu cannot search a text in a device's memory");
    if (runtime->engine == TRAWL_ENGINE_CPU)
        return TRAWL_OK;
    status = devices_open(devices, &device_error);
    if (status == TRAWL_OK && !devices_are_ready(devices) && must)
        status = TRAWL_FAIL(&device_error, ENGINE,
                            "a text in a device's memory, but there is no device to search it");
    if (status == TRAWL_OK && !devices_are_ready(devices))
        return TRAWL_OK;
    if (status == TRAWL_OK)
        status = load(runtime, text, is_whole, &device_error);
    if (status == TRAWL_OK)
        atomic_store(&devices->has_texts, true);
    else if (!must && status == TRAWL_DEVICE)
        devices_lose(devices, UINT32_MAX, device_error.message);
    if (status != TRAWL_OK && must && error != NULL)
        *error = device_error;
    return must ? status : TRAWL_OK;
}

enum trawl_status runtime_fetch(struct trawl_runtime *runtime, struct trawl_text *text,
                                struct trawl_error *error)
{
    struct engine_text request = {
        .bytes = text->bytes, .bytes_count = text->bytes_count, .how = ENGINE_HOLD_FETCHED};
    enum trawl_status status = TRAWL_OK;

    if (!text_is_hidden(text))
        return TRAWL_OK;
    if (!devices_are_ready(&runtime->devices))
        return TRAWL_FAIL(error, UNSUPPORTED,
                          "the text lies on a device and is not loaded: the host cannot read it");
    if (text->stays)
        return TRAWL_FAIL(error, UNSUPPORTED,
                          "only the host can answer, and the text has to stay on its device");
    (void)pthread_mutex_lock(&runtime->entry);
    if (text_is_hidden(text)) {
        status = text_host_begin(text, error);
        if (status == TRAWL_OK)
            status = engine_for_devices->there->hold(runtime->devices.engine, &request, error);
        if (status == TRAWL_OK)
            atomic_store(&text->is_on_host, true);
    }
    (void)pthread_mutex_unlock(&runtime->entry);
    return status;
}

void runtime_unload(struct trawl_runtime *runtime, const struct trawl_text *text)
{
    struct engine_text request = {.owner = text,
                                  .bytes = text->bytes,
                                  .bytes_count = text->bytes_count,
                                  .how = ENGINE_HOLD_COPY};

    runtime_pages_unload(runtime, text);
    if (devices_are_ready(&runtime->devices))
        (void)engine_for_devices->there->drop(runtime->devices.engine, &request);
}

enum trawl_status runtime_find_memory(const struct trawl_runtime *runtime, const void *bytes,
                                      bool *on_device, uint32_t *device, struct trawl_error *error)
{
    struct engine_text memory = {.bytes = (const uint8_t *)bytes, .how = ENGINE_HOLD_MEMORY};
    struct trawl_error device_error;
    enum trawl_status status;

    *on_device = false;
    if (bytes == NULL || !devices_are_ready(&runtime->devices))
        return TRAWL_OK;
    status = engine_for_devices->there->hold(runtime->devices.engine, &memory, &device_error);
    *on_device = status == TRAWL_OK;
    *device = memory.device;
    if (status == TRAWL_ARGUMENT || runtime->engine == TRAWL_ENGINE_AUTO)
        return TRAWL_OK;
    if (status != TRAWL_OK && error != NULL)
        *error = device_error;
    return status;
}
