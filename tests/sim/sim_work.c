/* sim_work: the objects of the simulated driver, and its streams, whose work is done later. */
#include "sim_work.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if TRAWL_GALLERY
#include "gallery/kernels/gallery.h"
#endif

#define GUARD_BYTES 256u
#define GUARD_VALUE 0x5a
#define ALIGNMENT 512u
/* Allocations of at least LARGE_BYTES are mapped, piece by piece, from a file of GARBAGE_BYTES
 * bytes of garbage. */
#define LARGE_BYTES (1u << 20)
#define GARBAGE_BYTES (2u << 20)

struct sim_state sim_state = {
    .lock = PTHREAD_MUTEX_INITIALIZER, .options = {1, 1, 64u << 20, 2, 0, 0, 0}, .random = 1};

_Thread_local struct cuda_context *sim_current[CONTEXTS_DEPTH_MAX];
_Thread_local uint32_t sim_depth;

/* ---- Bookkeeping ------------------------------------------------------------------------ */

#if defined(SIM_THREAD_SANITIZER)
/* Functions of ThreadSanitizer, for code that is compiled without ThreadSanitizer. */
void AnnotateIgnoreSyncBegin(const char *file, int line);
void AnnotateIgnoreSyncEnd(const char *file, int line);
void AnnotateIgnoreReadsBegin(const char *file, int line);
void AnnotateIgnoreReadsEnd(const char *file, int line);
void AnnotateIgnoreWritesBegin(const char *file, int line);
void AnnotateIgnoreWritesEnd(const char *file, int line);

void sim_lock(void)
{
    AnnotateIgnoreSyncBegin(__FILE__, __LINE__);
    AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
    AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
    pthread_mutex_lock(&sim_state.lock);
}

void sim_unlock(void)
{
    pthread_mutex_unlock(&sim_state.lock);
    AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
    AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
    AnnotateIgnoreSyncEnd(__FILE__, __LINE__);
}
#else
void sim_lock(void)
{
    pthread_mutex_lock(&sim_state.lock);
}

void sim_unlock(void)
{
    pthread_mutex_unlock(&sim_state.lock);
}
#endif

void sim_complain(const char *what)
{
    if (sim_state.report[0] == '\0')
        (void)snprintf(sim_state.report, sizeof sim_state.report, "%s", what);
}

static uint64_t random_next(void)
{
    uint64_t z = (sim_state.random += 0x9e3779b97f4a7c15u);

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    return z ^ (z >> 31);
}

/* Returns true if the memory is host memory that kernels write to. The host reads such memory
 * directly, without calling the driver. */
static bool is_host(const void *p)
{
    const struct allocation *a = sim_allocation_find(p, 1);

    return a != NULL && a->kind == ALLOCATION_MAPPED;
}

int sim_enter_in(const char *call)
{
    sim_lock();
    sim_host_memory(is_host);
    sim_memory_flush();
    sim_state.calls++;
    if (sim_state.is_wanted != NULL && sim_state.fail_code != 0 && sim_state.fail_nth == 0 &&
        sim_state.is_wanted())
        sim_state.fail_nth = sim_state.calls;
    if (sim_state.fail_nth != 0 &&
        (sim_state.fail_persistent ? sim_state.calls >= sim_state.fail_nth
                                   : sim_state.calls == sim_state.fail_nth)) {
        if (sim_state.calls == sim_state.fail_nth)
            sim_state.fail_call = call;
        return sim_state.fail_code;
    }
    if (!sim_state.initialised)
        return 3; /* CUDA_ERROR_NOT_INITIALIZED */
    return 0;
}

int sim_enter_context_in(const char *call)
{
    int code = sim_enter_in(call);

    if (code == 0 && sim_depth == 0) {
        sim_complain("a call without a current context");
        code = CODE_INVALID_CONTEXT;
    }
    if (code == 0 && sim_state.is_wanted != NULL && sim_state.fail_code == 0 &&
        sim_state.lose == NULL && sim_state.is_wanted()) {
        sim_state.lose = sim_current[sim_depth - 1];
        sim_state.lose_nth = 1;
    }
    if (code == 0 && sim_state.lose_nth != 0 && sim_current[sim_depth - 1] == sim_state.lose &&
        --sim_state.lose_nth == 0)
        sim_current[sim_depth - 1]->failed = CUDA_CODE_UNKNOWN;
    if (code == 0)
        code = sim_current[sim_depth - 1]->failed;
    return code;
}

int sim_leave(int code)
{
    sim_unlock();
    return code;
}

void *sim_object_new(enum sim_object_kind kind, struct cuda_context *context, size_t bytes)
{
    struct sim_object *object = calloc(1, bytes);

    if (object == NULL)
        abort();
    object->context = context;
    object->next = sim_state.objects[kind];
    sim_state.objects[kind] = object;
    return object;
}

/* Frees an object, and removes it from its list. */
static void object_free(enum sim_object_kind kind, void *object)
{
    struct sim_object **link = &sim_state.objects[kind];

    while (*link != object)
        link = &(*link)->next;
    *link = (*link)->next;
    free(object);
}

struct allocation *sim_allocation_find(const void *address, uint64_t bytes)
{
    const unsigned char *p = (const unsigned char *)address;

    for (struct sim_object *o = sim_state.objects[SIM_ALLOCATIONS]; o != NULL; o = o->next) {
        struct allocation *a = (struct allocation *)o;

        if (p >= a->base && p <= a->base + a->bytes && bytes <= (uint64_t)(a->base + a->bytes - p))
            return a;
    }
    return NULL;
}

/* Opens an in-memory file of garbage. Returns -1 if no file could be opened. */
static int garbage_file(void)
{
    static int file = -1;
    void *bytes;

    if (file >= 0)
        return file;
    file = memfd_create("garbage", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, GARBAGE_BYTES) != 0)
        return -1;
    bytes = mmap(NULL, GARBAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (bytes == MAP_FAILED)
        return -1;
    memset(bytes, GARBAGE_VALUE, GARBAGE_BYTES);
    (void)munmap(bytes, GARBAGE_BYTES);
    return file;
}

/* Allocates memory full of garbage. Filling large allocations would be slow (an engine allocates
 * 32 MiB and uses a few KiB of it), so their pages are mapped, and cost time only when touched. */
static void garbage_open(struct allocation *a, uint64_t bytes)
{
    uint64_t mapped = (bytes + GARBAGE_BYTES - 1) / GARBAGE_BYTES * GARBAGE_BYTES;
    int file = bytes >= LARGE_BYTES ? garbage_file() : -1;
    void *memory = MAP_FAILED;

    if (file >= 0)
        memory = mmap(NULL, (size_t)mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        a->memory = (unsigned char *)aligned_alloc(ALIGNMENT, (size_t)bytes);
        if (a->memory == NULL)
            abort();
        memset(a->memory, GARBAGE_VALUE, (size_t)bytes);
        return;
    }
    a->memory = (unsigned char *)memory;
    a->mapped_bytes = mapped;
    for (uint64_t at = 0; at < mapped; at += GARBAGE_BYTES)
        if (mmap(a->memory + at, GARBAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED,
                 file, 0) == MAP_FAILED)
            abort();
}

static void garbage_close(struct allocation *a)
{
    if (a->mapped_bytes > 0)
        (void)munmap(a->memory, (size_t)a->mapped_bytes);
    else
        free(a->memory);
}

struct allocation *sim_allocation_new(struct cuda_context *context, uint64_t bytes,
                                      enum allocation_kind kind)
{
    uint64_t whole = (bytes + 2 * GUARD_BYTES + 2 * ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    struct allocation *a = sim_object_new(SIM_ALLOCATIONS, context, sizeof *a);

    garbage_open(a, whole + ALIGNMENT);
    a->kind = kind;
    a->base = a->memory + ALIGNMENT;
    a->bytes = bytes;
    memset(a->base - GUARD_BYTES, GUARD_VALUE, GUARD_BYTES);
    memset(a->base + bytes, GUARD_VALUE, GUARD_BYTES);
    if (kind == ALLOCATION_DEVICE)
        context->used_bytes += bytes;
    if (kind == ALLOCATION_DEVICE || kind == ALLOCATION_MAPPED)
        sim_range_add_of(kind == ALLOCATION_DEVICE ? context : NULL, a->base, bytes);
    return a;
}

/* Returns where the registered memory begins: the driver registers whole pages, and kernels may
 * rely on whole sectors of 32 bytes. */
static void *register_begin(const struct allocation *a)
{
    return a->base - (uintptr_t)a->base % 32u;
}

void sim_allocation_register(struct cuda_context *context, void *memory, uint64_t bytes)
{
    struct allocation *a = sim_object_new(SIM_ALLOCATIONS, context, sizeof *a);

    a->kind = ALLOCATION_REGISTERED;
    a->base = (unsigned char *)memory;
    a->bytes = bytes;
    sim_range_add(register_begin(a), bytes + (uintptr_t)a->base % 32u);
}

void sim_allocation_free(void *allocation)
{
    struct allocation *a = allocation;

    for (uint32_t i = 0; i < GUARD_BYTES && a->memory != NULL; i++)
        if ((a->base - GUARD_BYTES)[i] != GUARD_VALUE || a->base[a->bytes + i] != GUARD_VALUE)
            sim_complain("guard bytes of an allocation were overwritten");
    if (a->kind == ALLOCATION_DEVICE)
        a->object.context->used_bytes -= a->bytes;
    if (a->kind == ALLOCATION_DEVICE || a->kind == ALLOCATION_MAPPED)
        sim_range_remove(a->base);
    if (a->kind == ALLOCATION_REGISTERED)
        sim_range_remove(register_begin(a));
    garbage_close(a);
    object_free(SIM_ALLOCATIONS, a);
}

/* ---- Streams ---------------------------------------------------------------------------- */

/* Constant memory belongs to a module in a context, but the kernels are compiled once and share one
 * array. So while a kernel runs, the array contains the contents of the kernel's module, or garbage
 * if the module has none. */
static void constant_put(const struct cuda_module *module)
{
    static const struct sim_constant *last;

    if (last != NULL)
        memset(last->memory, GARBAGE_VALUE, (size_t)last->bytes);
    last = module->constant;
    if (last != NULL)
        memcpy(last->memory, module->constant_memory->base, (size_t)last->bytes);
}

/* Returns true if all calls fail from now on. The memory that queued work would use may then be
 * gone. */
static bool is_lost(void)
{
    return sim_state.fail_persistent && sim_state.fail_nth != 0 &&
           sim_state.calls >= sim_state.fail_nth;
}

/* Watches the pattern of a published algorithm's kernel, and the table of shifts if the kernel
 * reads it at each window. */
static void watch(const struct sim_kernel *kernel, const void *arguments)
{
#if TRAWL_GALLERY
    const struct gallery_arguments *gallery = (const struct gallery_arguments *)arguments;

    if (strncmp(kernel->name, "gallery_", 8) == 0 && kernel->arguments_bytes == sizeof *gallery) {
        sim_watch(SIM_WATCH_PATTERN, gallery->pattern, gallery->pattern_bytes);
        sim_watch(SIM_WATCH_SHIFTS, gallery->shifts,
                  strcmp(kernel->name, "gallery_bmh") == 0 ||
                          strcmp(kernel->name, "gallery_shifts_text") == 0 ||
                          strcmp(kernel->name, "gallery_qs_segments") == 0
                      ? 256 * sizeof *gallery->shifts
                      : 0);
    }
#else
    (void)kernel;
    (void)arguments;
#endif
}

static void work_do(struct cuda_stream *stream, struct work *work)
{
    const char *report = NULL;

    sim_memory_flush();
    if (work->kind == WORK_EVENT)
        work->event->pending--;
    if (stream->object.context->failed != 0 || is_lost())
        return;
    if (work->kind == WORK_COPY) {
        memcpy(work->to, work->from, (size_t)work->bytes);
    } else if (work->kind == WORK_FILL) {
        memset(work->to, work->value, (size_t)work->bytes);
    } else if (work->kind == WORK_LAUNCH) {
        constant_put(work->function->module);
        watch(work->function->kernel, work->arguments);
        sim_range_use(stream->object.context);
        if (!sim_grid(work->function->kernel, work->arguments, work->blocks, work->threads,
                      &report)) {
            sim_complain(report);
            stream->object.context->failed = CUDA_CODE_LAUNCH_FAILED;
        }
    }
}

bool sim_streams_step(const struct cuda_context *context)
{
    struct cuda_stream *pick = NULL;
    uint64_t seen = 0;
    struct work *work;

    for (struct sim_object *o = sim_state.objects[SIM_STREAMS]; o != NULL; o = o->next) {
        struct cuda_stream *stream = (struct cuda_stream *)o;

        if (o->context == context && stream->first != NULL && random_next() % ++seen == 0)
            pick = stream;
    }
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

void sim_streams_drop_lost(void)
{
    for (uint32_t i = 0; i < SIM_DEVICES_MAX && is_lost(); i++)
        while (sim_streams_step(&sim_state.context[i]))
            ;
}

struct work *sim_work_new(struct cuda_stream *stream, enum work_kind kind)
{
    struct work *work = calloc(1, sizeof *work);

    if (work == NULL)
        abort();
    work->kind = kind;
    *stream->last = work;
    stream->last = &work->next;
    return work;
}

void sim_work_perhaps(struct cuda_stream *stream)
{
    while (random_next() % 3 == 0 && sim_streams_step(stream->object.context))
        ;
}

/* ---- The end of things ------------------------------------------------------------------ */

void sim_stream_free(void *object)
{
    struct cuda_stream *stream = object;

    while (stream->first != NULL)
        (void)sim_streams_step(stream->object.context);
    object_free(SIM_STREAMS, stream);
}

void sim_event_free(void *object)
{
    struct cuda_event *event = object;

    while (event->pending != 0)
        (void)sim_streams_step(event->object.context);
    object_free(SIM_EVENTS, event);
}

void sim_module_free(void *object)
{
    struct cuda_module *module = object;

    while (sim_streams_step(module->object.context))
        ;
    for (uint32_t i = 0; i < FUNCTIONS_MAX; i++)
        if (sim_state.functions[i].module == module)
            sim_state.functions[i].module = NULL;
    if (module->constant_memory != NULL)
        sim_allocation_free(module->constant_memory);
    object_free(SIM_MODULES, module);
}

uint64_t sim_context_objects(const struct cuda_context *context)
{
    uint64_t count = 0;

    for (uint32_t kind = 0; kind < SIM_OBJECT_KINDS; kind++)
        for (const struct sim_object *o = sim_state.objects[kind]; o != NULL; o = o->next)
            count += o->context == context &&
                     (kind != SIM_ALLOCATIONS ||
                      ((const struct allocation *)o)->kind != ALLOCATION_CONSTANT);
    return count;
}

void sim_context_end(struct cuda_context *context)
{
    static void (*const frees[SIM_OBJECT_KINDS])(void *object) = {
        sim_event_free, sim_stream_free, sim_module_free, sim_allocation_free};

    if (sim_context_objects(context) != 0 && sim_state.fail_nth == 0)
        sim_complain("objects were left when their context ended");
    for (uint32_t kind = 0; kind < SIM_OBJECT_KINDS; kind++)
        for (struct sim_object *o = sim_state.objects[kind], *next; o != NULL; o = next) {
            next = o->next;
            if (o->context == context)
                frees[kind](o);
        }
}
