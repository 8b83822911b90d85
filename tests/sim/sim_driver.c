/* sim_driver: see sim_driver.h. */
#include "sim_driver.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simulator.h"

#define GUARD_BYTES 256u
#define GUARD_VALUE 0x5a
#define GARBAGE_VALUE 0xc9
#define ALIGNMENT 512u
#define CONTEXTS_DEPTH_MAX 8u
#define FETCH_BYTES_DEFAULT 64u
#define CODE_INVALID_CONTEXT 201
#define CODE_NOT_FOUND 500
#define ARGUMENTS_BYTES_MAX 1024u

struct cuda_context {
    uint32_t retained;
    int failed; /* the sticky code */
    size_t fetch_bytes;
    uint64_t used_bytes;
};

struct allocation {
    struct allocation *next;
    struct cuda_context *context;
    bool pinned;           /* host memory */
    unsigned char *memory; /* guard, bytes, guard */
    unsigned char *base;
    uint64_t bytes;
};

enum work_kind { WORK_COPY, WORK_FILL, WORK_LAUNCH, WORK_EVENT };

struct work {
    struct work *next;
    enum work_kind kind;
    void *to;
    const void *from;
    uint64_t bytes;
    int value;
    struct cuda_event *event;
    const struct sim_kernel *kernel;
    uint32_t blocks, threads;
    unsigned char arguments[ARGUMENTS_BYTES_MAX];
};

struct cuda_stream {
    struct cuda_stream *next;
    struct cuda_context *context;
    struct work *first, **last;
};

struct cuda_event {
    struct cuda_event *next;
    struct cuda_context *context;
    uint32_t pending;
};

struct cuda_module {
    struct cuda_module *next;
    struct cuda_context *context;
};

struct cuda_function {
    const struct sim_kernel *kernel;
};

static struct {
    pthread_mutex_t lock;
    struct sim_driver_options options;
    struct cuda_context context[SIM_DEVICES_MAX];
    struct allocation *allocations;
    struct cuda_stream *streams;
    struct cuda_event *events;
    struct cuda_module *modules;
    struct cuda_function functions[8];
    uint32_t function_count;
    uint64_t random;
    uint64_t calls, fail_nth;
    int fail_code;
    bool fail_persistent;
    bool initialised;
    char report[2048];
} driver = {.lock = PTHREAD_MUTEX_INITIALIZER, .options = {1, 1, 64u << 20, 2, 0, 0}, .random = 1};

static _Thread_local struct cuda_context *current[CONTEXTS_DEPTH_MAX];
static _Thread_local uint32_t depth;

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
    struct sim_driver_options options = driver.options;
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
#else
#define X(member, symbol, arguments) static int sim_##member arguments;
#include "cuda/driver.def"
#undef X
#endif

/* ---- Bookkeeping ------------------------------------------------------------------------ */

static void complain(const char *what)
{
    if (driver.report[0] == '\0')
        (void)snprintf(driver.report, sizeof driver.report, "%s", what);
}

static uint64_t random_next(void)
{
    uint64_t z = (driver.random += 0x9e3779b97f4a7c15u);

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    return z ^ (z >> 31);
}

/* Take the lock and count a call; the code it is to fail with, 0 if it is not. */
static int enter(void)
{
    pthread_mutex_lock(&driver.lock);
    driver.calls++;
    if (driver.fail_nth != 0 && (driver.fail_persistent ? driver.calls >= driver.fail_nth
                                                        : driver.calls == driver.fail_nth))
        return driver.fail_code;
    if (!driver.initialised)
        return 3; /* CUDA_ERROR_NOT_INITIALIZED */
    return 0;
}

/* The same for calls that need a context. */
static int enter_context(void)
{
    int code = enter();

    if (code == 0 && depth == 0) {
        complain("a call without a current context");
        code = CODE_INVALID_CONTEXT;
    }
    if (code == 0)
        code = current[depth - 1]->failed;
    return code;
}

static int leave(int code)
{
    pthread_mutex_unlock(&driver.lock);
    return code;
}

static struct allocation *allocation_find(const void *address, uint64_t bytes)
{
    const unsigned char *p = (const unsigned char *)address;

    for (struct allocation *a = driver.allocations; a != NULL; a = a->next)
        if (p >= a->base && p <= a->base + a->bytes && bytes <= (uint64_t)(a->base + a->bytes - p))
            return a;
    return NULL;
}

static struct allocation *allocation_new(struct cuda_context *context, uint64_t bytes, bool pinned)
{
    uint64_t whole = (bytes + 2 * GUARD_BYTES + 2 * ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    struct allocation *a = calloc(1, sizeof *a);

    if (a == NULL || (a->memory = aligned_alloc(ALIGNMENT, (size_t)whole + ALIGNMENT)) == NULL)
        abort();
    a->context = context;
    a->pinned = pinned;
    a->base = a->memory + ALIGNMENT;
    a->bytes = bytes;
    memset(a->base - GUARD_BYTES, GUARD_VALUE, GUARD_BYTES);
    memset(a->base, GARBAGE_VALUE, (size_t)bytes);
    memset(a->base + bytes, GUARD_VALUE, GUARD_BYTES);
    a->next = driver.allocations;
    driver.allocations = a;
    if (!pinned) {
        context->used_bytes += bytes;
        sim_range_add(a->base, bytes);
    }
    return a;
}

static void allocation_free(struct allocation *a)
{
    struct allocation **link = &driver.allocations;

    while (*link != a)
        link = &(*link)->next;
    *link = a->next;
    for (uint32_t i = 0; i < GUARD_BYTES; i++)
        if ((a->base - GUARD_BYTES)[i] != GUARD_VALUE || a->base[a->bytes + i] != GUARD_VALUE)
            complain("guard bytes of an allocation were overwritten");
    if (!a->pinned) {
        a->context->used_bytes -= a->bytes;
        sim_range_remove(a->base);
    }
    free(a->memory);
    free(a);
}

/* ---- Streams ---------------------------------------------------------------------------- */

static void work_do(struct cuda_stream *stream, struct work *work)
{
    const char *report = NULL;

    if (work->kind == WORK_EVENT)
        work->event->pending--;
    if (stream->context->failed != 0)
        return;
    if (work->kind == WORK_COPY) {
        memcpy(work->to, work->from, (size_t)work->bytes);
    } else if (work->kind == WORK_FILL) {
        memset(work->to, work->value, (size_t)work->bytes);
    } else if (work->kind == WORK_LAUNCH) {
        if (!sim_grid(work->kernel, work->arguments, work->blocks, work->threads, &report)) {
            complain(report);
            stream->context->failed = CUDA_CODE_LAUNCH_FAILED;
        }
    }
}

/* Do the first work of some stream of the context that has any; false: none has. */
static bool streams_step(const struct cuda_context *context)
{
    struct cuda_stream *pick = NULL;
    uint64_t seen = 0;
    struct work *work;

    for (struct cuda_stream *s = driver.streams; s != NULL; s = s->next)
        if (s->context == context && s->first != NULL && random_next() % ++seen == 0)
            pick = s;
    if (pick == NULL)
        return false;
    work = pick->first;
    pick->first = work->next;
    if (pick->first == NULL)
        pick->last = &pick->first;
    work_do(pick, work);
    free(work);
    return true;
}

static struct work *work_new(struct cuda_stream *stream, enum work_kind kind)
{
    struct work *work = calloc(1, sizeof *work);

    if (work == NULL)
        abort();
    work->kind = kind;
    *stream->last = work;
    stream->last = &work->next;
    return work;
}

/* Devices may do work as soon as it is there. */
static void work_perhaps(struct cuda_stream *stream)
{
    while (random_next() % 3 == 0 && streams_step(stream->context))
        ;
}

/* ---- The end of things ------------------------------------------------------------------ */

static void stream_free(struct cuda_stream *stream)
{
    struct cuda_stream **link = &driver.streams;

    while (stream->first != NULL)
        (void)streams_step(stream->context);
    while (*link != stream)
        link = &(*link)->next;
    *link = stream->next;
    free(stream);
}

static void event_free(struct cuda_event *event)
{
    struct cuda_event **link = &driver.events;

    while (event->pending != 0)
        (void)streams_step(event->context);
    while (*link != event)
        link = &(*link)->next;
    *link = event->next;
    free(event);
}

static void module_free(struct cuda_module *module)
{
    struct cuda_module **link = &driver.modules;

    while (*link != module)
        link = &(*link)->next;
    *link = module->next;
    free(module);
}

static uint64_t context_objects(const struct cuda_context *context)
{
    uint64_t count = 0;

    for (const struct allocation *a = driver.allocations; a != NULL; a = a->next)
        count += a->context == context;
    for (const struct cuda_stream *s = driver.streams; s != NULL; s = s->next)
        count += s->context == context;
    for (const struct cuda_event *e = driver.events; e != NULL; e = e->next)
        count += e->context == context;
    for (const struct cuda_module *m = driver.modules; m != NULL; m = m->next)
        count += m->context == context;
    return count;
}

/* With its last holder a context takes all its objects along. */
static void context_end(struct cuda_context *context)
{
    if (context_objects(context) != 0 && driver.fail_nth == 0)
        complain("objects were left when their context ended");
    for (struct cuda_event *e = driver.events, *next; e != NULL; e = next) {
        next = e->next;
        if (e->context == context)
            event_free(e);
    }
    for (struct cuda_stream *s = driver.streams, *next; s != NULL; s = next) {
        next = s->next;
        if (s->context == context)
            stream_free(s);
    }
    for (struct cuda_module *m = driver.modules, *next; m != NULL; m = next) {
        next = m->next;
        if (m->context == context)
            module_free(m);
    }
    for (struct allocation *a = driver.allocations, *next; a != NULL; a = next) {
        next = a->next;
        if (a->context == context)
            allocation_free(a);
    }
}

/* ---- The driver's functions ------------------------------------------------------------- */

static int sim_init(unsigned flags)
{
    int code;

    pthread_mutex_lock(&driver.lock);
    driver.initialised = true;
    pthread_mutex_unlock(&driver.lock);
    code = enter();
    if (code == 0 && (flags != 0 || driver.options.devices == 0))
        code = flags != 0 ? CUDA_CODE_INVALID_VALUE : CUDA_CODE_NO_DEVICE;
    return leave(code);
}

static int sim_driver_version(int *version)
{
    *version = driver.options.version == 0 ? 12000 : driver.options.version;
    return 0;
}

static int sim_error_name(int code, const char **name)
{
    *name = code == CUDA_CODE_OUT_OF_MEMORY   ? "CUDA_ERROR_OUT_OF_MEMORY"
            : code == CUDA_CODE_LAUNCH_FAILED ? "CUDA_ERROR_LAUNCH_FAILED"
            : code == CUDA_CODE_NO_DEVICE     ? "CUDA_ERROR_NO_DEVICE"
                                              : "CUDA_ERROR_SIMULATED";
    return 0;
}

static int sim_error_text(int code, const char **text)
{
    *text = code == CUDA_CODE_OUT_OF_MEMORY ? "out of memory" : "a simulated failure";
    return 0;
}

static int sim_device_count(int *count)
{
    int code = enter();

    *count = (int)driver.options.devices;
    return leave(code);
}

static int sim_device_get(int *device, int ordinal)
{
    int code = enter();

    if (code == 0 && (ordinal < 0 || (uint32_t)ordinal >= driver.options.devices))
        code = 101; /* CUDA_ERROR_INVALID_DEVICE */
    *device = ordinal;
    return leave(code);
}

static int sim_device_name(char *name, int name_bytes, int device)
{
    int code = enter();

    (void)snprintf(name, (size_t)name_bytes, "simulated device %d", device);
    return leave(code);
}

static int sim_device_attribute(int *value, int attribute, int device)
{
    int code = enter();

    (void)device;
    *value = attribute == CUDA_ATTRIBUTE_MULTIPROCESSORS    ? (int)driver.options.multiprocessors
             : attribute == CUDA_ATTRIBUTE_CAPABILITY_MAJOR ? 9
                                                            : 0;
    return leave(code);
}

static int sim_context_retain(struct cuda_context **context, int device)
{
    int code = enter();

    if (code == 0) {
        *context = &driver.context[device];
        if ((*context)->retained++ == 0) {
            (*context)->fetch_bytes = FETCH_BYTES_DEFAULT;
            (*context)->failed = 0;
        }
    }
    return leave(code);
}

static int sim_context_release(int device)
{
    struct cuda_context *context = &driver.context[device];
    int code = enter();

    if (context->retained == 0) {
        complain("a context was released that nobody held");
    } else if (--context->retained == 0) {
        if (context->fetch_bytes != FETCH_BYTES_DEFAULT && context->failed == 0 && code == 0 &&
            driver.fail_nth == 0)
            complain("the context's limits were not put back");
        context_end(context);
    }
    return leave(code);
}

static int sim_context_push(struct cuda_context *context)
{
    int code = enter();

    if (code == 0) {
        if (depth == CONTEXTS_DEPTH_MAX || context->retained == 0)
            abort();
        current[depth++] = context;
    }
    return leave(code);
}

/* Pops also when it is to fail: a thread's stack must not grow. */
static int sim_context_pop(struct cuda_context **context)
{
    int code = enter();

    if (depth == 0) {
        complain("a context was popped that was not pushed");
        return leave(CODE_INVALID_CONTEXT);
    }
    *context = current[--depth];
    return leave(code);
}

static int sim_limit_get(size_t *value, int limit)
{
    int code = enter_context();

    if (code == 0 && limit != CUDA_LIMIT_L2_FETCH_BYTES)
        code = CUDA_CODE_INVALID_VALUE;
    if (code == 0)
        *value = current[depth - 1]->fetch_bytes;
    return leave(code);
}

static int sim_limit_set(int limit, size_t value)
{
    int code = enter_context();

    if (code == 0 && limit != CUDA_LIMIT_L2_FETCH_BYTES)
        code = CUDA_CODE_INVALID_VALUE;
    if (code == 0)
        current[depth - 1]->fetch_bytes = value;
    return leave(code);
}

static int sim_memory_info(size_t *free_bytes, size_t *total_bytes)
{
    int code = enter_context();

    if (code == 0) {
        *total_bytes = (size_t)driver.options.memory_bytes;
        *free_bytes = *total_bytes - (size_t)current[depth - 1]->used_bytes;
    }
    return leave(code);
}

static int sim_memory_allocate(uint64_t *address, size_t bytes)
{
    int code = enter_context();

    if (code == 0 && bytes == 0)
        code = CUDA_CODE_INVALID_VALUE;
    if (code == 0 && bytes > driver.options.memory_bytes - current[depth - 1]->used_bytes)
        code = CUDA_CODE_OUT_OF_MEMORY;
    if (code == 0)
        *address = (uint64_t)(uintptr_t)allocation_new(current[depth - 1], bytes, false)->base;
    return leave(code);
}

/* Frees whatever the call's code: a real driver reports earlier failures here. */
static int release_allocation(const void *base, bool pinned, int code)
{
    struct allocation *a = allocation_find(base, 0);

    for (uint32_t i = 0; i < SIM_DEVICES_MAX; i++) /* both frees wait for the device */
        while (streams_step(&driver.context[i]))
            ;
    if (a == NULL || a->base != base || a->pinned != pinned)
        complain("memory was freed that was not allocated");
    else
        allocation_free(a);
    return leave(code);
}

static int sim_memory_free(uint64_t address)
{
    int code = enter_context();

    return release_allocation((const void *)(uintptr_t)address, false, code);
}

static int sim_host_allocate(void **pointer, size_t bytes, unsigned flags)
{
    int code = enter_context();

    (void)flags;
    if (code == 0)
        *pointer = allocation_new(current[depth - 1], bytes, true)->base;
    return leave(code);
}

static int sim_host_free(void *pointer)
{
    int code = enter_context();

    return release_allocation(pointer, true, code);
}

static int copy(void *to, const void *from, uint64_t bytes, struct cuda_stream *stream, int code)
{
    struct work *work;

    if (code == 0 && (allocation_find(to, bytes) == NULL || allocation_find(from, bytes) == NULL)) {
        complain("a copy from or to memory that is neither the device's nor pinned");
        code = CUDA_CODE_INVALID_VALUE;
    }
    if (code != 0)
        return leave(code);
    work = work_new(stream, WORK_COPY);
    work->to = to;
    work->from = from;
    work->bytes = bytes;
    if (allocation_find(to, bytes)->pinned)
        memset(to, GARBAGE_VALUE, (size_t)bytes); /* not there before it is waited for */
    work_perhaps(stream);
    return leave(0);
}

static int sim_copy_to_device(uint64_t to, const void *from, size_t bytes,
                              struct cuda_stream *stream)
{
    int code = enter_context();

    return copy((void *)(uintptr_t)to, from, bytes, stream, code);
}

static int sim_copy_to_host(void *to, uint64_t from, size_t bytes, struct cuda_stream *stream)
{
    int code = enter_context();

    return copy(to, (const void *)(uintptr_t)from, bytes, stream, code);
}

static int sim_fill(uint64_t address, unsigned char value, size_t bytes, struct cuda_stream *stream)
{
    void *to = (void *)(uintptr_t)address;
    int code = enter_context();
    struct work *work;

    if (code == 0 && allocation_find(to, bytes) == NULL) {
        complain("a fill of memory that is not the device's");
        code = CUDA_CODE_INVALID_VALUE;
    }
    if (code == 0) {
        work = work_new(stream, WORK_FILL);
        work->to = to;
        work->bytes = bytes;
        work->value = value;
        work_perhaps(stream);
    }
    return leave(code);
}

static int sim_stream_create(struct cuda_stream **stream, unsigned flags)
{
    int code = enter_context();

    (void)flags;
    if (code == 0) {
        *stream = calloc(1, sizeof **stream);
        if (*stream == NULL)
            abort();
        (*stream)->context = current[depth - 1];
        (*stream)->last = &(*stream)->first;
        (*stream)->next = driver.streams;
        driver.streams = *stream;
    }
    return leave(code);
}

static int sim_stream_destroy(struct cuda_stream *stream)
{
    int code = enter_context();

    stream_free(stream);
    return leave(code);
}

static int sim_stream_wait(struct cuda_stream *stream)
{
    int code = enter_context();

    while (code == 0 && stream->first != NULL)
        (void)streams_step(stream->context);
    if (code == 0)
        code = stream->context->failed;
    return leave(code);
}

static int sim_event_create(struct cuda_event **event, unsigned flags)
{
    int code = enter_context();

    (void)flags;
    if (code == 0) {
        *event = calloc(1, sizeof **event);
        if (*event == NULL)
            abort();
        (*event)->context = current[depth - 1];
        (*event)->next = driver.events;
        driver.events = *event;
    }
    return leave(code);
}

static int sim_event_destroy(struct cuda_event *event)
{
    int code = enter_context();

    event_free(event);
    return leave(code);
}

static int sim_event_record(struct cuda_event *event, struct cuda_stream *stream)
{
    int code = enter_context();

    if (code == 0) {
        work_new(stream, WORK_EVENT)->event = event;
        event->pending++;
        work_perhaps(stream);
    }
    return leave(code);
}

static int sim_event_wait(struct cuda_event *event)
{
    int code = enter_context();

    while (code == 0 && event->pending != 0)
        (void)streams_step(event->context);
    if (code == 0)
        code = event->context->failed;
    return leave(code);
}

static int sim_event_elapsed(float *milliseconds, struct cuda_event *begin, struct cuda_event *end)
{
    int code = enter_context();

    (void)begin;
    (void)end;
    *milliseconds = 1.0f;
    return leave(code);
}

static int sim_module_load(struct cuda_module **module, const void *image)
{
    int code = enter_context();

    if (code == 0 && image == NULL)
        code = CUDA_CODE_INVALID_IMAGE;
    if (code == 0) {
        *module = calloc(1, sizeof **module);
        if (*module == NULL)
            abort();
        (*module)->context = current[depth - 1];
        (*module)->next = driver.modules;
        driver.modules = *module;
    }
    return leave(code);
}

static int sim_module_unload(struct cuda_module *module)
{
    int code = enter_context();

    module_free(module);
    return leave(code);
}

static int sim_module_function(struct cuda_function **function, struct cuda_module *module,
                               const char *name)
{
    const struct sim_kernel *kernel = sim_kernel_find(name);
    int code = enter_context();
    uint32_t i = 0;

    (void)module;
    if (code == 0 && kernel == NULL)
        code = CODE_NOT_FOUND;
    if (code == 0) {
        while (i < driver.function_count && driver.functions[i].kernel != kernel)
            i++;
        driver.functions[i].kernel = kernel;
        if (i == driver.function_count)
            driver.function_count++;
        *function = &driver.functions[i];
    }
    return leave(code);
}

static int sim_occupancy(int *blocks, struct cuda_function *function, int block_threads,
                         size_t dynamic_shared_bytes)
{
    int code = enter_context();

    (void)function;
    (void)block_threads;
    (void)dynamic_shared_bytes;
    *blocks = 2;
    return leave(code);
}

static int sim_launch(struct cuda_function *function, unsigned grid_x, unsigned grid_y,
                      unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z,
                      unsigned dynamic_shared_bytes, struct cuda_stream *stream, void **arguments,
                      void **extra)
{
    int code = enter_context();
    struct work *work;

    if (code == 0 && (grid_x == 0 || block_x == 0 || block_x > 1024 || grid_y != 1 || grid_z != 1 ||
                      block_y != 1 || block_z != 1 || dynamic_shared_bytes != 0 || extra != NULL))
        code = CUDA_CODE_INVALID_VALUE;
    if (code == 0) {
        work = work_new(stream, WORK_LAUNCH);
        work->kernel = function->kernel;
        work->blocks = grid_x;
        work->threads = block_x;
        if (function->kernel->arguments_bytes > ARGUMENTS_BYTES_MAX)
            abort();
        memcpy(work->arguments, arguments[0], function->kernel->arguments_bytes);
        work_perhaps(stream);
    }
    return leave(code);
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

    pthread_mutex_lock(&driver.lock);
    for (uint32_t i = 0; i < SIM_DEVICES_MAX; i++)
        live += context_objects(&driver.context[i]) + driver.context[i].retained;
    pthread_mutex_unlock(&driver.lock);
    return live;
}

uint64_t sim_driver_memory_used(void)
{
    uint64_t used = 0;

    pthread_mutex_lock(&driver.lock);
    for (uint32_t i = 0; i < SIM_DEVICES_MAX; i++)
        used += driver.context[i].used_bytes;
    pthread_mutex_unlock(&driver.lock);
    return used;
}

void sim_driver_reset(const struct sim_driver_options *options)
{
    pthread_mutex_lock(&driver.lock);
    driver.options = *options;
    driver.random = options->seed;
    driver.report[0] = '\0';
    driver.fail_nth = 0;
    driver.calls = 0;
    memset(driver.context, 0, sizeof driver.context);
    pthread_mutex_unlock(&driver.lock);
    sim_seed(options->seed);
    sim_switches_max(options->switches_max);
}

void sim_driver_fail(uint64_t nth, int code, bool persistent)
{
    pthread_mutex_lock(&driver.lock);
    driver.calls = 0;
    driver.fail_nth = nth;
    driver.fail_code = code;
    driver.fail_persistent = persistent;
    pthread_mutex_unlock(&driver.lock);
}

uint64_t sim_driver_calls(void)
{
    return driver.calls;
}

const char *sim_driver_report(void)
{
    return driver.report;
}
