/* sim_work: the state of the simulated driver: its objects, and streams, whose work is done later.
 */
#ifndef TRAWL_TESTS_SIM_SIM_WORK_H
#define TRAWL_TESTS_SIM_SIM_WORK_H

#include <pthread.h>

#include "sim_driver.h"
#include "simulator.h"

#define GARBAGE_VALUE 0xc9
#define CONTEXTS_DEPTH_MAX 8u
#define FETCH_BYTES_DEFAULT 64u
#define PENDING_LAUNCHES_DEFAULT 2048u
#define CODE_INVALID_CONTEXT 201
#define CODE_NOT_FOUND 500
#define ARGUMENTS_BYTES_MAX 4096u
#define FUNCTIONS_MAX 1024u

struct cuda_context {
    uint32_t retained;
    int failed; /* code of a failed kernel, which all later calls return; 0: no kernel failed */
    size_t fetch_bytes;
    size_t pending_launches;
    uint64_t used_bytes;
};

enum allocation_kind {
    ALLOCATION_DEVICE,
    ALLOCATION_PINNED,     /* host memory */
    ALLOCATION_MAPPED,     /* host memory that kernels may read and write */
    ALLOCATION_REGISTERED, /* the caller's memory, pinned; kernels may read the memory */
    ALLOCATION_CONSTANT    /* a module's constant memory, which kernels read through an array */
};

/* The kinds of objects, each with a list in sim_state, in the order in which a context's end frees
 * the objects. */
enum sim_object_kind { SIM_EVENTS, SIM_STREAMS, SIM_MODULES, SIM_ALLOCATIONS, SIM_OBJECT_KINDS };

/* The first member of each object. */
struct sim_object {
    struct sim_object *next;
    struct cuda_context *context;
};

struct allocation {
    struct sim_object object;
    enum allocation_kind kind;
    unsigned char *memory; /* guard bytes, the allocation's bytes, guard bytes */
    uint64_t mapped_bytes; /* size of the mapping; 0: the memory is from the heap */
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
    const struct cuda_function *function;
    uint32_t blocks, threads;
    unsigned char arguments[ARGUMENTS_BYTES_MAX];
};

struct cuda_stream {
    struct sim_object object;
    struct work *first, **last;
};

struct cuda_event {
    struct sim_object object;
    uint32_t pending;
};

struct cuda_module {
    struct sim_object object;
    /* the kernel that was looked up in the module; NULL: none so far */
    const struct sim_kernel *kernel;
    const struct sim_constant *constant; /* the constant that was looked up; NULL: none so far */
    struct allocation *constant_memory;
};

struct cuda_function {
    const struct sim_kernel *kernel;
    const struct cuda_module *module;
};

/* The state of the simulated driver, under its lock. */
struct sim_state {
    pthread_mutex_t lock;
    struct sim_driver_options options;
    struct cuda_context context[SIM_DEVICES_MAX];
    struct sim_object *objects[SIM_OBJECT_KINDS];
    struct cuda_function functions[FUNCTIONS_MAX]; /* a function without a module is free */
    uint64_t random;
    uint64_t copied_bytes; /* sum of all copies to devices */
    uint32_t own_device;   /* the device that sim_driver_own has set */
    uint64_t calls, fail_nth;
    /* The device of the context `lose` is lost at this many more calls with that context; 0: no
     * device will be lost. */
    uint64_t lose_nth;
    struct cuda_context *lose;
    bool (*is_wanted)(void); /* chooses the call that fails; NULL: the call's number decides */
    int fail_code;
    const char *fail_call; /* name of the first call that failed; NULL: no call failed */
    bool fail_persistent;
    bool initialised;
    char report[2048];
};
extern struct sim_state sim_state;

/* The calling thread's contexts, the current one last. */
extern _Thread_local struct cuda_context *sim_current[CONTEXTS_DEPTH_MAX];
extern _Thread_local uint32_t sim_depth;

/* The lock of the simulated driver. ThreadSanitizer is told to ignore it: it should see only the
 * order between callers' threads that a real driver guarantees. The reads and writes of a device
 * belong to no thread. */
void sim_lock(void);
void sim_unlock(void);
void sim_complain(const char *what);
/* Takes the lock and counts a call. Returns the code with which the call has to fail, or 0 if the
 * call does not have to fail. */
int sim_enter_in(const char *call);
#define sim_enter() sim_enter_in(__func__)
/* Like sim_enter_in, for calls that need a context. */
int sim_enter_context_in(const char *call);
#define sim_enter_context() sim_enter_context_in(__func__)
int sim_leave(int code);
/* Makes an object of this kind and size, filled with zeros. */
void *sim_object_new(enum sim_object_kind kind, struct cuda_context *context, size_t bytes);
struct allocation *sim_allocation_find(const void *address, uint64_t bytes);
struct allocation *sim_allocation_new(struct cuda_context *context, uint64_t bytes,
                                      enum allocation_kind kind);
void sim_allocation_register(struct cuda_context *context, void *memory, uint64_t bytes);
void sim_allocation_free(void *allocation);
/* Does the oldest work of one of the context's streams. Returns false if no stream has work. */
bool sim_streams_step(const struct cuda_context *context);
/* If all calls fail now, drops the work of all streams, so that it is not done once calls succeed
 * again. */
void sim_streams_drop_lost(void);
struct work *sim_work_new(struct cuda_stream *stream, enum work_kind kind);
/* Does some of the stream's work, by chance: devices may do work as soon as it is queued. */
void sim_work_perhaps(struct cuda_stream *stream);
void sim_stream_free(void *stream);
void sim_event_free(void *event);
void sim_module_free(void *module);
uint64_t sim_context_objects(const struct cuda_context *context);
/* Ends a context, when its last user releases it, with all its objects. */
void sim_context_end(struct cuda_context *context);

#endif
