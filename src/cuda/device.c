/* device: opens a GPU, and allocates its memory and pinned host memory */
#include "cuda/device.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <string.h>

#include "base/checked.h"
#include "base/clock.h"
#include "cuda/kernels/scan.h"

#define CAPABILITY_MIN 75 /* 10 x major + minor */
/* The "sampled" method reads single sectors of 32 bytes. If a device fetches two at a time, which
 * is the default, the search for a pattern of 80 bytes runs at 0.99 instead of 1.64 times the read
 * bandwidth. */
#define FETCH_BYTES 32u
/* A device allows 2,048 pending child grids, unless trawl raises the limit. Some published
 * algorithms in the gallery start a child grid for each candidate, of which a kernel may have many
 * more at a time. For a candidate that gets no child grid, the algorithm does not run as
 * published. */
#define PENDING_LAUNCHES 65536u
#define PENDING_LAUNCHES_DEFAULT 2048u
#define READ_RATE_ASSUMED 1000.0 /* bytes per ns: between a T4 and an H100 */

static enum trawl_status check_capability(struct cuda_device *device, struct trawl_error *error)
{
    int major = 0, minor = 0;

    TRAWL_TRY(CUDA_CALL(device, error, device_attribute, &major, CUDA_ATTRIBUTE_CAPABILITY_MAJOR,
                        device->handle));
    TRAWL_TRY(CUDA_CALL(device, error, device_attribute, &minor, CUDA_ATTRIBUTE_CAPABILITY_MINOR,
                        device->handle));
    if (10 * major + minor < CAPABILITY_MIN)
        return TRAWL_FAIL(error, ENGINE, "%s has compute capability %d.%d; %d.%d is needed",
                          device->name, major, minor, CAPABILITY_MIN / 10, CAPABILITY_MIN % 10);
    return TRAWL_OK;
}

static enum trawl_status load_image(struct cuda_device *device, const struct cuda_image *image,
                                    struct cuda_module **module, struct trawl_error *error)
{
    const void *bytes = image->name; /* the simulator runs kernels on the host */
    int code, version = 0;

    if (!device->driver->simulated)
        TRAWL_TRY(cuda_image_find(image, &bytes, error));
    code = device->driver->module_load(module, bytes);
    if (code == CUDA_CODE_NO_BINARY_FOR_GPU || code == CUDA_CODE_INVALID_IMAGE ||
        code == CUDA_CODE_UNSUPPORTED_PTX_VERSION) {
        (void)device->driver->driver_version(&version);
        return TRAWL_FAIL(
            error, ENGINE,
            "%s: this build has no %s for the device, or none that the driver (CUDA %d.%d) can "
            "read",
            device->name, image->content, version / 1000, version % 1000 / 10);
    }
    TRAWL_TRY(cuda_check(device->driver, code, cuda_symbols.module_load, device->name, error));
    TRAWL_ASSERT(device->loaded_count < CUDA_MODULES_MAX);
    device->loaded[device->loaded_count++] = (struct cuda_loaded){image, *module};
    return TRAWL_OK;
}

enum trawl_status cuda_device_module(struct cuda_device *device, const struct cuda_image *image,
                                     struct cuda_module **module, struct trawl_error *error)
{
    enum trawl_status status = TRAWL_OK;
    uint32_t i = 0;

    (void)pthread_mutex_lock(&device->lock);
    while (i < device->loaded_count && device->loaded[i].image != image)
        i++;
    TRAWL_ASSERT(device->loaded_count <= CUDA_MODULES_MAX);
    if (i < device->loaded_count)
        *module = device->loaded[i].module;
    else
        status = load_image(device, image, module, error);
    (void)pthread_mutex_unlock(&device->lock);
    return status;
}

static bool takes_all_shared(enum cuda_kernel kernel)
{
    return cuda_is_set(kernel) || cuda_is_automaton(kernel);
}

static enum trawl_status load_kernels(struct cuda_device *device, struct trawl_error *error)
{
    static const char *const names[CUDA_KERNELS] = {
#define KERNEL_NAME(name, symbol) symbol,
#define RARE_NAME(s, q, n) "stream_set_" #s "_" #q "_" #n,
#define DENSE_NAME(s, q, n) "stream_set_dense_" #s "_" #q "_" #n,
        CUDA_KERNEL_LIST(KERNEL_NAME) SCAN_SETS_FORMS(RARE_NAME) SCAN_SETS_FORMS(DENSE_NAME)
#undef RARE_NAME
#undef DENSE_NAME
#undef KERNEL_NAME
    };
    int multiprocessors = 0, shared_max = 0, khz = 0, bits = 0, blocks;
    struct cuda_module *scan = NULL, *sets = NULL, *module;

    TRAWL_TRY(cuda_device_module(device, &cuda_image_scan, &scan, error));
    TRAWL_TRY(cuda_device_module(device, &cuda_image_sets, &sets, error));
    TRAWL_TRY(CUDA_CALL(device, error, device_attribute, &multiprocessors,
                        CUDA_ATTRIBUTE_MULTIPROCESSORS, device->handle));
    device->multiprocessors = (uint32_t)multiprocessors;
    TRAWL_TRY(CUDA_CALL(device, error, device_attribute, &shared_max,
                        CUDA_ATTRIBUTE_SHARED_BYTES_MAX, device->handle));
    device->shared_max = (uint32_t)shared_max;
    TRAWL_TRY(CUDA_CALL(device, error, device_attribute, &khz, CUDA_ATTRIBUTE_MEMORY_KHZ,
                        device->handle));
    TRAWL_TRY(CUDA_CALL(device, error, device_attribute, &bits, CUDA_ATTRIBUTE_MEMORY_BITS,
                        device->handle));
    device->read_rate = 2e-6 * khz * (bits / 8.0); /* two transfers per clock */
    if (device->read_rate <= 0)                    /* the driver does not tell */
        device->read_rate = READ_RATE_ASSUMED;
    for (uint32_t i = 0; i < CUDA_KERNELS; i++) {
        module = i >= CUDA_KERNEL_SET_RUNS ? sets : scan;
        TRAWL_TRY(
            CUDA_CALL(device, error, module_function, &device->functions[i], module, names[i]));
        /* one block may use all shared memory of a multiprocessor */
        if (takes_all_shared((enum cuda_kernel)i)) {
            TRAWL_TRY(CUDA_CALL(device, error, function_attribute, device->functions[i],
                                CUDA_FUNCTION_DYNAMIC_SHARED_BYTES_MAX,
                                shared_max - (int)CUDA_STATIC_SHARED_BYTES));
            device->resident[i] = device->multiprocessors;
            continue;
        }
        TRAWL_TRY(CUDA_CALL(device, error, occupancy, &blocks, device->functions[i],
                            (int)SCAN_THREADS_MAX, 0));
        if (blocks < 1 || multiprocessors < 1)
            return TRAWL_FAIL(error, ENGINE, "%s: kernel %s does not fit the device", device->name,
                              names[i]);
        device->resident[i] = (uint32_t)blocks * (uint32_t)multiprocessors;
    }
    return TRAWL_OK;
}

/* Sets a limit of the context, and saves the old value in *before. Such a limit is only a hint, so
 * it is no error if a device does not have it. */
static void limit_replace(const struct cuda_device *device, enum cuda_limit limit, size_t value,
                          size_t *before)
{
    size_t found = 0;

    if (device->driver->limit_get(&found, (int)limit) == CUDA_CODE_OK &&
        device->driver->limit_set((int)limit, value) == CUDA_CODE_OK)
        *before = found;
}

static void limit_put_back(const struct cuda_device *device, enum cuda_limit limit, size_t before)
{
    if (before != 0)
        (void)device->driver->limit_set((int)limit, before);
}

enum trawl_status cuda_device_open(struct cuda_device *device, const struct cuda_driver *driver,
                                   int ordinal, uint64_t memory_max, struct trawl_error *error)
{
    enum trawl_status status = TRAWL_OK;
    char name[CUDA_NAME_BYTES - 16] = "";
    bool entered = false;

    memset(device, 0, sizeof *device);
    (void)pthread_mutex_init(&device->lock, NULL);
    device->driver = driver;
    device->ordinal = ordinal;
    device->memory_max = memory_max;
    (void)snprintf(device->name, sizeof device->name, "device %d", ordinal);
    TRAWL_TRY_DONE(CUDA_CALL(device, error, device_get, &device->handle, ordinal));
    TRAWL_TRY_DONE(CUDA_CALL(device, error, device_name, name, (int)sizeof name, device->handle));
    (void)snprintf(device->name, sizeof device->name, "%s (device %d)", name, ordinal);
    TRAWL_TRY_DONE(check_capability(device, error));
    TRAWL_TRY_DONE(CUDA_CALL(device, error, context_retain, &device->context, device->handle));
    TRAWL_TRY_DONE(cuda_device_enter(device, error));
    entered = true;
    TRAWL_TRY_DONE(load_kernels(device, error));
    limit_replace(device, CUDA_LIMIT_L2_FETCH_BYTES, FETCH_BYTES, &device->fetch_bytes_before);
done:
    if (entered)
        cuda_device_leave(device);
    if (status != TRAWL_OK)
        cuda_device_close(device);
    return status;
}

/* Unloads the modules, and restores the context's limits. Ignores errors, which no caller could
 * handle. */
static void unload(struct cuda_device *device)
{
    if (device->loaded_count == 0 || cuda_device_enter(device, NULL) != TRAWL_OK)
        return;
    limit_put_back(device, CUDA_LIMIT_L2_FETCH_BYTES, device->fetch_bytes_before);
    limit_put_back(device, CUDA_LIMIT_PENDING_LAUNCHES, device->launches_before);
    while (device->loaded_count > 0)
        (void)device->driver->module_unload(device->loaded[--device->loaded_count].module);
    cuda_device_leave(device);
}

void cuda_device_close(struct cuda_device *device)
{
    if (device->driver == NULL)
        return;
    if (device->context != NULL) {
        unload(device);
        (void)device->driver->context_release(device->handle);
    }
    (void)pthread_mutex_destroy(&device->lock);
    device->driver = NULL;
    device->context = NULL;
    device->loaded_count = 0;
}

uint32_t cuda_device_children(struct cuda_device *device)
{
    size_t room = 0;
    uint32_t max;

    (void)pthread_mutex_lock(&device->lock);
    if (device->child_grids_max == 0) {
        limit_replace(device, CUDA_LIMIT_PENDING_LAUNCHES, PENDING_LAUNCHES,
                      &device->launches_before);
        if (device->driver->limit_get(&room, (int)CUDA_LIMIT_PENDING_LAUNCHES) != CUDA_CODE_OK ||
            room < PENDING_LAUNCHES_DEFAULT || room > PENDING_LAUNCHES)
            room = PENDING_LAUNCHES_DEFAULT;
        device->child_grids_max = (uint32_t)(room - room / 16);
    }
    max = device->child_grids_max;
    (void)pthread_mutex_unlock(&device->lock);
    return max;
}

enum trawl_status cuda_device_enter(const struct cuda_device *device, struct trawl_error *error)
{
    return CUDA_CALL(device, error, context_push, device->context);
}

void cuda_device_leave(const struct cuda_device *device)
{
    struct cuda_context *popped = NULL;

    (void)device->driver->context_pop(&popped);
}

/* How long this thread has spent in the driver's calls for memory. An allocation takes longer than
 * copying a short text, so results report it separately. */
static _Thread_local uint64_t memory_ns;

uint64_t cuda_memory_ns(void)
{
    return memory_ns;
}

uint64_t cuda_clock_ns(void)
{
    return clock_now_ns() - memory_ns;
}

enum trawl_status cuda_memory_reserve(struct cuda_device *device, struct cuda_memory *memory,
                                      uint64_t bytes, struct trawl_error *error)
{
    enum trawl_status status = TRAWL_OK;
    uint64_t used, begin_ns;

    if (bytes <= memory->bytes)
        return TRAWL_OK;
    begin_ns = clock_now_ns();
    cuda_memory_release(device, memory);
    used = atomic_fetch_add(&device->memory_used, bytes);
    if (device->memory_max != 0 && saturating_add(used, bytes) > device->memory_max)
        status = TRAWL_FAIL(error, MEMORY,
                            "%s: %" PRIu64 " bytes more than the %" PRIu64 " in use exceed the "
                            "limit of %" PRIu64,
                            device->name, bytes, used, device->memory_max);
    if (status == TRAWL_OK)
        status = CUDA_CALL(device, error, memory_allocate, &memory->address, (size_t)bytes);
    if (status == TRAWL_OK)
        memory->bytes = bytes;
    else
        atomic_fetch_sub(&device->memory_used, bytes);
    memory_ns += clock_now_ns() - begin_ns;
    return status;
}

void cuda_memory_release(struct cuda_device *device, struct cuda_memory *memory)
{
    TRAWL_ASSERT(atomic_load(&device->memory_used) >= memory->bytes);
    if (memory->bytes > 0)
        (void)device->driver->memory_free(memory->address);
    atomic_fetch_sub(&device->memory_used, memory->bytes);
    memset(memory, 0, sizeof *memory);
}

enum trawl_status cuda_pinned_reserve(const struct cuda_device *device, struct cuda_pinned *pinned,
                                      uint64_t bytes, unsigned flags, struct trawl_error *error)
{
    uint64_t begin_ns;
    enum trawl_status status;
    void *memory = NULL;

    if (bytes <= pinned->count)
        return TRAWL_OK;
    begin_ns = clock_now_ns();
    cuda_pinned_release(device, pinned);
    status = CUDA_CALL(device, error, host_allocate, &memory, (size_t)bytes, flags);
    memory_ns += clock_now_ns() - begin_ns;
    TRAWL_TRY(status);
    if (flags == CUDA_HOST_MAPPED)
        memset(memory, 0, (size_t)bytes);
    pinned->bytes = (uint8_t *)memory;
    pinned->count = bytes;
    return TRAWL_OK;
}

void cuda_pinned_release(const struct cuda_device *device, struct cuda_pinned *pinned)
{
    if (pinned->count > 0)
        (void)device->driver->host_free(pinned->bytes);
    memset(pinned, 0, sizeof *pinned);
}
