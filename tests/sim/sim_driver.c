/* sim_driver: the functions of the driver's interface, and the settings for tests. */
#include "sim_driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "sim_work.h"

#define SHARED_BYTES_MAX (48 << 10)

#if defined(SIM_LIBRARY)
/* The exported names of the shared library. */
#define X(member, symbol, arguments) \
    __attribute__((visibility("default"))) int sim_##member arguments __asm__(symbol);
#include "cuda/driver.def"
#undef X
__attribute__((visibility("default"))) extern const int trawl_simulated_driver;
const int trawl_simulated_driver = 1;

__attribute__((constructor)) static void set_up_from_environment(void)
{
    struct sim_driver_options options = sim_state.options;
    const char *value;

    if ((value = getenv("TRAWL_SIM_SEED")) != NULL)
        options.seed = strtoull(value, NULL, 0);
    if ((value = getenv("TRAWL_SIM_DEVICES")) != NULL)
        options.devices = (uint32_t)strtoul(value, NULL, 0);
    if ((value = getenv("TRAWL_SIM_MEMORY_BYTES")) != NULL)
        options.memory_bytes = strtoull(value, NULL, 0);
    sim_driver_reset(&options);
    if ((value = getenv("TRAWL_SIM_FAIL_CALL")) != NULL)
        sim_driver_fail(strtoull(value, NULL, 0), CUDA_CODE_UNKNOWN, true);
}

__attribute__((destructor)) static void release_with_the_library(void)
{
    sim_release();
}
#else
#define X(member, symbol, arguments) int sim_##member arguments;
#include "cuda/driver.def"
#undef X
#endif

/* ---- The driver's functions ------------------------------------------------------------- */

int sim_init(unsigned flags)
{
    int code;

    sim_lock();
    sim_state.initialised = true;
    sim_unlock();
    code = sim_enter();
    if (code == 0 && (flags != 0 || sim_state.options.devices == 0))
        code = flags != 0 ? CUDA_CODE_INVALID_VALUE : CUDA_CODE_NO_DEVICE;
    return sim_leave(code);
}

int sim_driver_version(int *version)
{
    *version = sim_state.options.version == 0 ? 12000 : sim_state.options.version;
    return 0;
}

int sim_error_name(int code, const char **name)
{
    *name = code == CUDA_CODE_OUT_OF_MEMORY   ? "CUDA_ERROR_OUT_OF_MEMORY"
            : code == CUDA_CODE_LAUNCH_FAILED ? "CUDA_ERROR_LAUNCH_FAILED"
            : code == CUDA_CODE_NO_DEVICE     ? "CUDA_ERROR_NO_DEVICE"
                                              : "CUDA_ERROR_SIMULATED";
    return 0;
}

int sim_error_text(int code, const char **text)
{
    *text = code == CUDA_CODE_OUT_OF_MEMORY ? "out of memory" : "a simulated failure";
    return 0;
}

int sim_device_count(int *count)
{
    int code = sim_enter();

    *count = (int)sim_state.options.devices;
    return sim_leave(code);
}

int sim_device_get(int *device, int ordinal)
{
    int code = sim_enter();

    if (code == 0 && (ordinal < 0 || (uint32_t)ordinal >= sim_state.options.devices))
        code = 101; /* CUDA_ERROR_INVALID_DEVICE */
    *device = ordinal;
    return sim_leave(code);
}

int sim_device_name(char *name, int name_bytes, int device)
{
    int code = sim_enter();

    (void)snprintf(name, (size_t)name_bytes, "simulated device %d", device);
    return sim_leave(code);
}

int sim_device_attribute(int *value, int attribute, int device)
{
    int code = sim_enter(), multiprocessors = (int)sim_state.options.multiprocessors;

    /* devices with different memory also have different numbers of multiprocessors */
    multiprocessors += sim_state.options.memory_less > 0 ? device : 0;
    *value = attribute == CUDA_ATTRIBUTE_MULTIPROCESSORS    ? multiprocessors
             : attribute == CUDA_ATTRIBUTE_CAPABILITY_MAJOR ? 9
             : attribute == CUDA_ATTRIBUTE_SHARED_BYTES_MAX ? SHARED_BYTES_MAX
                                                            : 0;
    return sim_leave(code);
}

int sim_context_retain(struct cuda_context **context, int device)
{
    int code = sim_enter();

    if (code == 0) {
        *context = &sim_state.context[device];
        if ((*context)->retained++ == 0) {
            (*context)->fetch_bytes = FETCH_BYTES_DEFAULT;
            (*context)->pending_launches = PENDING_LAUNCHES_DEFAULT;
            (*context)->failed = 0;
        }
    }
    return sim_leave(code);
}

int sim_context_release(int device)
{
    struct cuda_context *context = &sim_state.context[device];
    int code = sim_enter();

    if (context->retained == 0) {
        sim_complain("a context was released that nobody held");
    } else if (--context->retained == 0) {
        if ((context->fetch_bytes != FETCH_BYTES_DEFAULT ||
             context->pending_launches != PENDING_LAUNCHES_DEFAULT) &&
            context->failed == 0 && code == 0 && sim_state.fail_nth == 0)
            sim_complain("the context's limits were not put back");
        sim_context_end(context);
    }
    return sim_leave(code);
}

int sim_context_push(struct cuda_context *context)
{
    int code = sim_enter();

    if (code == 0) {
        if (sim_depth == CONTEXTS_DEPTH_MAX || context->retained == 0)
            abort();
        sim_current[sim_depth++] = context;
    }
    return sim_leave(code);
}

/* Pops the context even if the call is made to fail, so that a thread's stack of contexts cannot
 * grow. */
int sim_context_pop(struct cuda_context **context)
{
    int code = sim_enter();

    if (sim_depth == 0) {
        sim_complain("a context was popped that was not pushed");
        return sim_leave(CODE_INVALID_CONTEXT);
    }
    *context = sim_current[--sim_depth];
    return sim_leave(code);
}

/* Returns the current context's limit, or NULL if the driver does not know such a limit. */
static size_t *find_limit(int limit)
{
    struct cuda_context *context = sim_current[sim_depth - 1];

    return limit == CUDA_LIMIT_L2_FETCH_BYTES     ? &context->fetch_bytes
           : limit == CUDA_LIMIT_PENDING_LAUNCHES ? &context->pending_launches
                                                  : NULL;
}

int sim_limit_get(size_t *value, int limit)
{
    int code = sim_enter_context();

    if (code == 0 && find_limit(limit) == NULL)
        code = CUDA_CODE_INVALID_VALUE;
    if (code == 0)
        *value = *find_limit(limit);
    return sim_leave(code);
}

int sim_limit_set(int limit, size_t value)
{
    int code = sim_enter_context();

    if (code == 0 && find_limit(limit) == NULL)
        code = CUDA_CODE_INVALID_VALUE;
    if (code == 0)
        *find_limit(limit) = value;
    return sim_leave(code);
}

static uint64_t memory_bytes_of(const struct cuda_context *context)
{
    uint64_t less = (uint64_t)(context - sim_state.context) * sim_state.options.memory_less;

    return sim_state.options.memory_bytes - min_u64(sim_state.options.memory_bytes, less);
}

int sim_memory_info(size_t *free_bytes, size_t *total_bytes)
{
    int code = sim_enter_context();

    if (code == 0) {
        *total_bytes = (size_t)memory_bytes_of(sim_current[sim_depth - 1]);
        *free_bytes = *total_bytes - (size_t)sim_current[sim_depth - 1]->used_bytes;
    }
    return sim_leave(code);
}

int sim_memory_allocate(uint64_t *address, size_t bytes)
{
    int code = sim_enter_context();

    if (code == 0 && bytes == 0)
        code = CUDA_CODE_INVALID_VALUE;
    if (code == 0 && bytes > memory_bytes_of(sim_current[sim_depth - 1]) -
                                 sim_current[sim_depth - 1]->used_bytes)
        code = CUDA_CODE_OUT_OF_MEMORY;
    if (code == 0)
        *address = (uint64_t)(uintptr_t)sim_allocation_new(sim_current[sim_depth - 1], bytes,
                                                           ALLOCATION_DEVICE)
                       ->base;
    return sim_leave(code);
}

/* Frees the memory even if the call is made to fail: the code that a real driver returns here may
 * report an earlier failure. */
static int release_allocation(const void *base, bool of_host, int code)
{
    struct allocation *a = sim_allocation_find(base, 0);

    /* freeing device or host memory waits for the devices' work */
    for (uint32_t i = 0; i < SIM_DEVICES_MAX; i++)
        while (sim_streams_step(&sim_state.context[i]))
            ;
    if (a == NULL || a->base != base || (a->kind != ALLOCATION_DEVICE) != of_host)
        sim_complain("memory was freed that was not allocated");
    else
        sim_allocation_free(a);
    return sim_leave(code);
}

int sim_memory_free(uint64_t address)
{
    int code = sim_enter_context();

    return release_allocation((const void *)(uintptr_t)address, false, code);
}

int sim_host_allocate(void **pointer, size_t bytes, unsigned flags)
{
    enum allocation_kind kind = flags == CUDA_HOST_MAPPED ? ALLOCATION_MAPPED : ALLOCATION_PINNED;
    int code = sim_enter_context();

    if (code == 0)
        *pointer = sim_allocation_new(sim_current[sim_depth - 1], bytes, kind)->base;
    return sim_leave(code);
}

int sim_host_free(void *pointer)
{
    int code = sim_enter_context();

    return release_allocation(pointer, true, code);
}

int sim_host_register(void *pointer, size_t bytes, unsigned flags)
{
    int code = sim_enter_context();

    (void)flags;
    if (code == 0 && bytes == 0)
        code = CUDA_CODE_INVALID_VALUE;
    if (code == 0 && (sim_allocation_find(pointer, 1) != NULL ||
                      sim_allocation_find((uint8_t *)pointer + bytes - 1, 1) != NULL))
        code = CUDA_CODE_ALREADY_REGISTERED;
    if (code == 0)
        sim_allocation_register(sim_current[sim_depth - 1], pointer, bytes);
    return sim_leave(code);
}

int sim_host_unregister(void *pointer)
{
    int code = sim_enter_context();

    return release_allocation(pointer, ALLOCATION_REGISTERED, code);
}

/* Returns true if a copy may use the memory: memory that the driver knows or, if `pageable`, any
 * memory whose first byte the driver does not know. */
static bool may_copy(const void *memory, uint64_t bytes, bool pageable)
{
    return sim_allocation_find(memory, bytes) != NULL || sim_range_holds(memory, bytes) ||
           (pageable && sim_allocation_find(memory, 1) == NULL);
}

static int copy(void *to, const void *from, uint64_t bytes, struct cuda_stream *stream,
                bool to_pageable, int code)
{
    const struct allocation *target;
    struct work *work;

    if (code == 0 && (!may_copy(to, bytes, to_pageable) || !may_copy(from, bytes, false))) {
        sim_complain("a copy from or to memory that is neither the device's nor pinned");
        code = CUDA_CODE_INVALID_VALUE;
    }
    if (code != 0)
        return sim_leave(code);
    work = sim_work_new(stream, WORK_COPY);
    work->to = to;
    work->from = from;
    work->bytes = bytes;
    target = sim_allocation_find(to, bytes);
    if (target == NULL || target->kind == ALLOCATION_PINNED)
        /* the target holds garbage until a thread waits for the copy */
        memset(to, GARBAGE_VALUE, (size_t)bytes);
    sim_work_perhaps(stream);
    return sim_leave(0);
}

int sim_copy_to_device(uint64_t to, const void *from, size_t bytes, struct cuda_stream *stream)
{
    int code = sim_enter_context();

    sim_state.copied_bytes += code == 0 ? bytes : 0;
    return copy((void *)(uintptr_t)to, from, bytes, stream, false, code);
}

int sim_copy_to_host(void *to, uint64_t from, size_t bytes, struct cuda_stream *stream)
{
    int code = sim_enter_context();

    return copy(to, (const void *)(uintptr_t)from, bytes, stream, true, code);
}

int sim_copy_on_device(uint64_t to, uint64_t from, size_t bytes, struct cuda_stream *stream)
{
    int code = sim_enter_context();

    return copy((void *)(uintptr_t)to, (const void *)(uintptr_t)from, bytes, stream, false, code);
}

int sim_pointer_attribute(void *value, int attribute, uint64_t address)
{
    int code = sim_enter_context();
    const struct allocation *a = sim_allocation_find((const void *)(uintptr_t)address, 1);
    bool own = a == NULL && sim_range_holds((const void *)(uintptr_t)address, 1);

    if (code != 0 || (a == NULL && !own))
        return sim_leave(code != 0 ? code : CUDA_CODE_INVALID_VALUE);
    if (attribute == CUDA_POINTER_MEMORY_TYPE)
        *(unsigned *)value =
            own || a->kind == ALLOCATION_DEVICE ? CUDA_MEMORY_OF_DEVICE : CUDA_MEMORY_OF_HOST;
    else if (attribute == CUDA_POINTER_DEVICE)
        *(int *)value = (int)(own ? sim_state.own_device : a->object.context - sim_state.context);
    else if (attribute == CUDA_POINTER_READ_AT &&
             (own || a->object.context == sim_current[sim_depth - 1]))
        *(uint64_t *)value = address;
    else if (!own && attribute == CUDA_POINTER_RANGE_BEGIN)
        *(uint64_t *)value = (uint64_t)(uintptr_t)a->base;
    else if (!own && attribute == CUDA_POINTER_RANGE_BYTES)
        *(size_t *)value = (size_t)a->bytes;
    else
        code = CUDA_CODE_INVALID_VALUE;
    return sim_leave(code);
}

#if defined(SIM_LIBRARY)
/* trawl does not call these functions. Programs that use trawl read and write their own device
 * memory with them. */
#define EXPORTED(name) __asm__(name) __attribute__((visibility("default")))
int sim_copy_now(void *to, uint64_t from, size_t bytes) EXPORTED("cuMemcpyDtoH_v2");
int sim_put_now(uint64_t to, const void *from, size_t bytes) EXPORTED("cuMemcpyHtoD_v2");
int sim_move_now(uint64_t to, const void *from, size_t bytes) EXPORTED("cuMemcpyDtoD_v2")
    __attribute__((alias("cuMemcpyHtoD_v2")));
int sim_synchronize(void) EXPORTED("cuCtxSynchronize");
/* Copies immediately. `there` is the side that must be the device's. */
static int copy_now(void *to, const void *from, size_t bytes, const void *there)
{
    int code = sim_enter_context();

    if (code == 0 && sim_allocation_find(there, bytes) == NULL) {
        sim_complain("a copy to or from memory that is not the device's");
        code = CUDA_CODE_INVALID_VALUE;
    }
    memcpy(to, from, code == 0 ? bytes : 0);
    return sim_leave(code);
}

int sim_put_now(uint64_t to, const void *from, size_t bytes)
{
    return copy_now((void *)(uintptr_t)to, from, bytes, (void *)(uintptr_t)to);
}

int sim_copy_now(void *to, uint64_t from, size_t bytes)
{
    return copy_now(to, (const void *)(uintptr_t)from, bytes, (const void *)(uintptr_t)from);
}

int sim_synchronize(void)
{
    return sim_leave(sim_enter_context());
}
#endif

int sim_fill(uint64_t address, unsigned char value, size_t bytes, struct cuda_stream *stream)
{
    void *to = (void *)(uintptr_t)address;
    int code = sim_enter_context();
    struct work *work;

    if (code == 0 && sim_allocation_find(to, bytes) == NULL) {
        sim_complain("a fill of memory that is not the device's");
        code = CUDA_CODE_INVALID_VALUE;
    }
    if (code == 0) {
        work = sim_work_new(stream, WORK_FILL);
        work->to = to;
        work->bytes = bytes;
        work->value = value;
        sim_work_perhaps(stream);
    }
    return sim_leave(code);
}

int sim_stream_create(struct cuda_stream **stream, unsigned flags)
{
    int code = sim_enter_context();

    (void)flags;
    if (code == 0) {
        *stream = sim_object_new(SIM_STREAMS, sim_current[sim_depth - 1], sizeof **stream);
        (*stream)->last = &(*stream)->first;
    }
    return sim_leave(code);
}

int sim_stream_destroy(struct cuda_stream *stream)
{
    int code = sim_enter_context();

    sim_stream_free(stream);
    return sim_leave(code);
}

int sim_stream_wait(struct cuda_stream *stream)
{
    int code = sim_enter_context();

    /* Work is never queued on the default streams, whose handles are 0, 1 and 2. */
    if (code == 0 && (uintptr_t)stream > 2) {
        while (stream->first != NULL)
            (void)sim_streams_step(stream->object.context);
        sim_memory_flush();
        code = stream->object.context->failed;
    }
    return sim_leave(code);
}

int sim_event_create(struct cuda_event **event, unsigned flags)
{
    int code = sim_enter_context();

    (void)flags;
    if (code == 0)
        *event = sim_object_new(SIM_EVENTS, sim_current[sim_depth - 1], sizeof **event);
    return sim_leave(code);
}

int sim_event_destroy(struct cuda_event *event)
{
    int code = sim_enter_context();

    sim_event_free(event);
    return sim_leave(code);
}

int sim_event_record(struct cuda_event *event, struct cuda_stream *stream)
{
    int code = sim_enter_context();

    if (code == 0) {
        sim_work_new(stream, WORK_EVENT)->event = event;
        event->pending++;
        sim_work_perhaps(stream);
    }
    return sim_leave(code);
}

int sim_event_wait(struct cuda_event *event)
{
    int code = sim_enter_context();

    while (code == 0 && event->pending != 0)
        (void)sim_streams_step(event->object.context);
    sim_memory_flush();
    if (code == 0)
        code = event->object.context->failed;
    return sim_leave(code);
}

int sim_event_elapsed(float *milliseconds, struct cuda_event *begin, struct cuda_event *end)
{
    int code = sim_enter_context();

    (void)begin;
    (void)end;
    *milliseconds = 1.0f;
    return sim_leave(code);
}

int sim_module_load(struct cuda_module **module, const void *image)
{
    int code = sim_enter_context();

    if (code == 0 && image == NULL)
        code = CUDA_CODE_INVALID_IMAGE;
    if (code == 0)
        *module = sim_object_new(SIM_MODULES, sim_current[sim_depth - 1], sizeof **module);
    return sim_leave(code);
}

int sim_module_unload(struct cuda_module *module)
{
    int code = sim_enter_context();

    sim_module_free(module);
    return sim_leave(code);
}

int sim_module_function(struct cuda_function **function, struct cuda_module *module,
                        const char *name)
{
    const struct sim_kernel *kernel = sim_kernel_find(name);
    int code = sim_enter_context();
    uint32_t i = 0;

    if (code == 0 &&
        (kernel == NULL || (module->kernel != NULL && module->kernel->image != kernel->image)))
        code = CODE_NOT_FOUND;
    if (code == 0) {
        module->kernel = kernel;
        while (i < FUNCTIONS_MAX && sim_state.functions[i].module != NULL &&
               (sim_state.functions[i].kernel != kernel || sim_state.functions[i].module != module))
            i++;
        if (i == FUNCTIONS_MAX)
            abort();
        sim_state.functions[i].kernel = kernel;
        sim_state.functions[i].module = module;
        *function = &sim_state.functions[i];
    }
    return sim_leave(code);
}

int sim_module_global(uint64_t *address, size_t *bytes, struct cuda_module *module,
                      const char *name)
{
    const struct sim_constant *constant = sim_constant_find(name);
    int code = sim_enter_context();

    if (code == 0 && constant == NULL)
        code = CODE_NOT_FOUND;
    if (code == 0) {
        if (module->constant == NULL) {
            module->constant = constant;
            module->constant_memory =
                sim_allocation_new(module->object.context, constant->bytes, ALLOCATION_CONSTANT);
        } else if (module->constant != constant) {
            abort(); /* the simulated module has a single constant */
        }
        *address = (uint64_t)(uintptr_t)module->constant_memory->base;
        if (bytes != NULL)
            *bytes = (size_t)constant->bytes;
    }
    return sim_leave(code);
}

int sim_occupancy(int *blocks, struct cuda_function *function, int block_threads,
                  size_t dynamic_shared_bytes)
{
    int code = sim_enter_context();

    (void)function;
    (void)block_threads;
    (void)dynamic_shared_bytes;
    *blocks = 2;
    return sim_leave(code);
}

int sim_function_attribute(struct cuda_function *function, int attribute, int value)
{
    int code = sim_enter_context();

    (void)function;
    if (code == 0 && (attribute != CUDA_FUNCTION_DYNAMIC_SHARED_BYTES_MAX || value < 0 ||
                      value > SHARED_BYTES_MAX))
        code = CUDA_CODE_INVALID_VALUE;
    return sim_leave(code);
}

int sim_launch(struct cuda_function *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
               unsigned block_x, unsigned block_y, unsigned block_z, unsigned dynamic_shared_bytes,
               struct cuda_stream *stream, void **arguments, void **extra)
{
    int code = sim_enter_context();
    struct work *work;

    if (code == 0 &&
        (grid_x == 0 || block_x == 0 || block_x > 1024 || grid_y != 1 || grid_z != 1 ||
         block_y != 1 || block_z != 1 || dynamic_shared_bytes > SHARED_BYTES_MAX || extra != NULL))
        code = CUDA_CODE_INVALID_VALUE;
    if (code == 0) {
        work = sim_work_new(stream, WORK_LAUNCH);
        work->function = function;
        work->blocks = grid_x;
        work->threads = block_x;
        if (function->kernel->arguments_bytes > ARGUMENTS_BYTES_MAX)
            abort();
        memcpy(work->arguments, arguments[0], function->kernel->arguments_bytes);
        sim_work_perhaps(stream);
    }
    return sim_leave(code);
}

/* ---- For the tests ---------------------------------------------------------------------- */

const struct cuda_driver *sim_driver_table(void)
{
    static const struct cuda_driver table = {
        NULL,
        true,
#define X(member, symbol, arguments) sim_##member,
#include "cuda/driver.def"
#undef X
    };

    return &table;
}

uint64_t sim_driver_live(void)
{
    uint64_t live = 0;

    sim_lock();
    for (uint32_t i = 0; i < SIM_DEVICES_MAX; i++)
        live += sim_context_objects(&sim_state.context[i]) + sim_state.context[i].retained;
    sim_unlock();
    return live;
}

uint64_t sim_driver_memory_used(void)
{
    uint64_t used = 0;

    sim_lock();
    for (uint32_t i = 0; i < SIM_DEVICES_MAX; i++)
        used += sim_state.context[i].used_bytes;
    sim_unlock();
    return used;
}

void sim_driver_own(const void *array, uint64_t bytes, uint32_t device)
{
    sim_lock();
    sim_range_add(array, bytes);
    sim_state.own_device = device;
    sim_unlock();
}

void sim_driver_disown(const void *array)
{
    sim_lock();
    sim_range_remove(array);
    sim_unlock();
}

uint64_t sim_driver_copied(void)
{
    uint64_t bytes;

    sim_lock();
    bytes = sim_state.copied_bytes;
    sim_unlock();
    return bytes;
}

void sim_driver_reset(const struct sim_driver_options *options)
{
    sim_lock();
    sim_state.options = *options;
    sim_state.random = options->seed;
    sim_state.report[0] = '\0';
    sim_state.fail_nth = 0;
    sim_state.is_wanted = NULL;
    sim_state.lose_nth = 0;
    sim_state.calls = 0;
    sim_state.copied_bytes = 0;
    memset(sim_state.context, 0, sizeof sim_state.context);
    sim_unlock();
    sim_seed(options->seed);
    sim_switches_max(options->switches_max);
}

void sim_driver_reset_usual(uint64_t seed)
{
    struct sim_driver_options options = {seed, 1, 16u << 20, 2, 0, 0, 0};

    sim_driver_reset(&options);
}

static void fail(uint64_t nth, bool (*is_wanted)(void), int code, bool persistent)
{
    sim_lock();
    sim_streams_drop_lost();
    sim_state.calls = 0;
    sim_state.fail_nth = nth;
    sim_state.is_wanted = is_wanted;
    sim_state.fail_code = code;
    sim_state.fail_persistent = persistent;
    sim_state.fail_call = NULL;
    if (is_wanted != NULL)
        sim_state.lose = NULL;
    sim_unlock();
}

void sim_driver_fail(uint64_t nth, int code, bool persistent)
{
    fail(nth, NULL, code, persistent);
}

void sim_driver_fail_when(bool (*is_wanted)(void), int code, bool persistent)
{
    fail(0, is_wanted, code, persistent);
}

void sim_driver_lose(uint32_t device, uint64_t nth)
{
    sim_lock();
    sim_state.lose = &sim_state.context[device];
    sim_state.lose_nth = nth;
    sim_unlock();
}

bool sim_driver_has_failed(void)
{
    return sim_state.fail_call != NULL;
}

bool sim_driver_has_lost(void)
{
    return sim_state.lose != NULL && sim_state.lose->failed != 0;
}

const char *sim_driver_needed(void)
{
    static const char *const needless[] = {
        "sim_context_pop", "sim_context_push", "sim_context_release", "sim_event_destroy",
        "sim_host_free",   "sim_memory_free",  "sim_module_unload",   "sim_stream_destroy",
        "sim_stream_wait",                                          /* a wait before a release */
        "sim_limit_get",   "sim_limit_set",    "sim_host_register", /* the engine can do without */
    };

    for (uint32_t i = 0; i < sizeof needless / sizeof *needless && sim_state.fail_call != NULL; i++)
        if (strcmp(sim_state.fail_call, needless[i]) == 0)
            return NULL;
    return sim_state.fail_call;
}

uint64_t sim_driver_calls(void)
{
    return sim_state.calls;
}

const char *sim_driver_report(void)
{
    return sim_state.report;
}
