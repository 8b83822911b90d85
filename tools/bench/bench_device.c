/* bench_device: allocates memory on the driver's first device, and measures upper bounds for a
 * search on it.
 *
 * kind=device-read   runs a kernel that only reads the text on the device
 * kind=device-copy   copies the text from pinned memory to the device; with pageable=1 from memory
 *                    that is not pinned
 *   program=N                       times what a small CUDA program does around its kernel: reads
 *                                   the text's file into new memory, copies text and pattern to the
 *                                   device, allocates device memory for the pattern and N results
 *                                   of 4 bytes, and copies the results to the device and back
 *   ints=1                          times what a program does around its kernel if it returns a
 *                                   number for each byte of the text: allocates device memory for
 *                                   text, pattern, a table of 256 numbers and the results, copies
 *                                   the first three there, clears the results, copies them back,
 *                                   and frees all but the table
 *
 * Each competitor processes at most BYTES_MAX of the text, and reports the time for the whole text.
 */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"

#define BYTES_MAX (4ull << 30) /* longest text that is copied to the device */
#define THREADS 256u           /* threads of a block */
#define LOADS 4u               /* loads of 16 bytes that each thread has in flight */
#define BLOCKS_EACH 8u         /* blocks for each multiprocessor */
#define MULTIPROCESSORS 16     /* CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT */

/* X(name of the driver's function, parameters). */
#define DRIVER_LIST(X)                                                                        \
    X(cuInit, (unsigned flags))                                                               \
    X(cuDeviceGet, (int *device, int ordinal))                                                \
    X(cuDeviceGetAttribute, (int *value, int attribute, int device))                          \
    X(cuDevicePrimaryCtxRetain, (void **context, int device))                                 \
    X(cuCtxPushCurrent_v2, (void *context))                                                   \
    X(cuMemAlloc_v2, (uint64_t * address, size_t bytes))                                      \
    X(cuMemFree_v2, (uint64_t address))                                                       \
    X(cuMemHostAlloc, (void **pointer, size_t bytes, unsigned flags))                         \
    X(cuMemFreeHost, (void *pointer))                                                         \
    X(cuMemsetD8Async, (uint64_t address, unsigned char value, size_t bytes, void *stream))   \
    X(cuMemcpyHtoD_v2, (uint64_t to, const void *from, size_t bytes))                         \
    X(cuMemcpyDtoH_v2, (void *to, uint64_t from, size_t bytes))                               \
    X(cuMemcpyHtoDAsync_v2, (uint64_t to, const void *from, size_t bytes, void *stream))      \
    X(cuStreamCreate, (void **stream, unsigned flags))                                        \
    X(cuStreamSynchronize, (void *stream))                                                    \
    X(cuModuleLoadData, (void **module, const void *image))                                   \
    X(cuModuleGetFunction, (void **function, void *module, const char *name))                 \
    X(cuLaunchKernel, (void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,     \
                       unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared, \
                       void *stream, void **parameters, void **extra))

static struct {
#define MEMBER(name, arguments) int(*name) arguments;
    DRIVER_LIST(MEMBER)
#undef MEMBER
    void *context, *stream;
    int multiprocessors; /* how many the first device has */
} driver;

/* The kernel in PTX. Each thread combines LOADS vectors of 16 bytes by xor, then steps ahead by a
 * whole grid. It writes the result only if that equals a certain number, which ASCII text never
 * yields and other text hardly ever does: so the compiler must keep the loads, although nothing is
 * written.
 */
static const char read_kernel[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry read_all(.param .u64 text, .param .u64 bytes, .param .u64 out)\n{\n"
    ".reg .pred %p<3>;\n.reg .b32 %r<40>;\n.reg .b64 %rd<16>;\n"
    "ld.param.u64 %rd1, [text];\nld.param.u64 %rd2, [bytes];\nld.param.u64 %rd3, [out];\n"
    "cvta.to.global.u64 %rd1, %rd1;\n"
    "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmov.u32 %r3, %tid.x;\nmov.u32 %r4, %nctaid.x;\n"
    "mad.wide.u32 %rd4, %r1, %r2, 0;\ncvt.u64.u32 %rd5, %r3;\nshl.b64 %rd4, %rd4, 6;\n"
    "shl.b64 %rd5, %rd5, 4;\nadd.u64 %rd4, %rd4, %rd5;\n"    /* this thread's first offset */
    "mul.wide.u32 %rd6, %r2, 16;\n"                          /* distance between loads */
    "mul.wide.u32 %rd7, %r2, %r4;\nshl.b64 %rd7, %rd7, 6;\n" /* distance between steps */
    "mov.u32 %r5, 0;\n"
    "NEXT:\n"
    "mul.lo.u64 %rd8, %rd6, 3;\nadd.u64 %rd8, %rd8, %rd4;\nadd.u64 %rd8, %rd8, 16;\n"
    "setp.gt.u64 %p1, %rd8, %rd2;\n@%p1 bra DONE;\n"
    "add.u64 %rd9, %rd1, %rd4;\nadd.u64 %rd10, %rd9, %rd6;\nadd.u64 %rd11, %rd10, %rd6;\n"
    "add.u64 %rd12, %rd11, %rd6;\n"
    "ld.global.nc.v4.u32 {%r10,%r11,%r12,%r13}, [%rd9];\n"
    "ld.global.nc.v4.u32 {%r14,%r15,%r16,%r17}, [%rd10];\n"
    "ld.global.nc.v4.u32 {%r18,%r19,%r20,%r21}, [%rd11];\n"
    "ld.global.nc.v4.u32 {%r22,%r23,%r24,%r25}, [%rd12];\n"
    "xor.b32 %r10, %r10, %r11;\nxor.b32 %r12, %r12, %r13;\nxor.b32 %r14, %r14, %r15;\n"
    "xor.b32 %r16, %r16, %r17;\nxor.b32 %r18, %r18, %r19;\nxor.b32 %r20, %r20, %r21;\n"
    "xor.b32 %r22, %r22, %r23;\nxor.b32 %r24, %r24, %r25;\nxor.b32 %r10, %r10, %r12;\n"
    "xor.b32 %r14, %r14, %r16;\nxor.b32 %r18, %r18, %r20;\nxor.b32 %r22, %r22, %r24;\n"
    "xor.b32 %r10, %r10, %r14;\nxor.b32 %r18, %r18, %r22;\nxor.b32 %r5, %r5, %r10;\n"
    "xor.b32 %r5, %r5, %r18;\nadd.u64 %rd4, %rd4, %rd7;\nbra NEXT;\n"
    "DONE:\n"
    "setp.ne.u32 %p2, %r5, 0x9e3779b9;\n@%p2 bra OUT;\ncvta.to.global.u64 %rd3, %rd3;\n"
    "st.global.u32 [%rd3], %r5;\nOUT:\nret;\n}\n";

/* ---- The driver --------------------------------------------------------------------------- */

/* Looks up the driver's functions. Returns false if the driver or a function is missing. */
static bool load(void)
{
    void *handle = dlopen("libcuda.so.1", RTLD_NOW);
    bool found = handle != NULL;

#define FIND(name, arguments) \
    found = found && (*(void **)(&driver.name) = dlsym(handle, #name)) != NULL;
    DRIVER_LIST(FIND)
#undef FIND
    return found;
}

/* Opens the device and makes its context current until the end; false: there is no device. */
static bool ready(void)
{
    static bool asked, found;
    int device = 0;

    if (!asked)
        found =
            load() && driver.cuInit(0) == 0 && driver.cuDeviceGet(&device, 0) == 0 &&
            driver.cuDevicePrimaryCtxRetain(&driver.context, device) == 0 &&
            driver.cuDeviceGetAttribute(&driver.multiprocessors, MULTIPROCESSORS, device) == 0 &&
            driver.cuCtxPushCurrent_v2(driver.context) == 0 &&
            driver.cuStreamCreate(&driver.stream, 1) == 0;
    asked = true;
    return found;
}

uint64_t device_allocate(uint64_t bytes)
{
    uint64_t address = 0;

    return ready() && driver.cuMemAlloc_v2(&address, (size_t)bytes) == 0 ? address : 0;
}

void device_counts(int sign, uint64_t counts[COUNTS])
{
    static void (*told)(uint64_t counts[COUNTS]);
    static bool asked;
    uint64_t now[COUNTS];

    if (!asked && ready())
        *(void **)(&told) = dlsym(dlopen("libcuda.so.1", RTLD_NOW), "trawl_simulated_counts");
    asked = true;
    if (told == NULL)
        return;
    told(now);
    for (uint32_t i = 0; i < COUNTS; i++)
        counts[i] += sign > 0 ? now[i] : -now[i];
}

void device_free(uint64_t address)
{
    if (address != 0)
        (void)driver.cuMemFree_v2(address);
}

bool device_fetch(uint64_t address, void *to, uint64_t bytes)
{
    return ready() && driver.cuMemcpyDtoH_v2(to, address, (size_t)bytes) == 0;
}

void *device_pin(uint64_t bytes)
{
    void *pointer = NULL;

    return ready() && driver.cuMemHostAlloc(&pointer, (size_t)bytes, 0) == 0 ? pointer : NULL;
}

void device_unpin(void *pointer)
{
    if (pointer != NULL)
        (void)driver.cuMemFreeHost(pointer);
}

/* ---- Competitors -------------------------------------------------------------------------- */

struct bound {
    uint64_t address, bytes;
    void *pinned, *function;
    /* with pageable=1: the text, from which the timed copy starts; else NULL */
    const uint8_t *pageable;
};

/* Copies the text to the device and, if `reads`, loads the kernel, before the timed part. */
static bool fill(const struct competitor *it, struct bound *own, bool reads)
{
    void *module = NULL;

    return driver.cuMemcpyHtoD_v2(own->address, it->question->bytes, (size_t)own->bytes) == 0 &&
           (!reads || (driver.cuModuleLoadData(&module, read_kernel) == 0 &&
                       driver.cuModuleGetFunction(&own->function, module, "read_all") == 0));
}

/* Prepares the first run: allocates memory on the device and, for a copy without pageable=1, pinned
 * memory, and fills the device's memory. Returns false on failure; run->why then says why. */
static bool open_bound(const struct competitor *it, struct bound *own, struct bench_run *run)
{
    bool reads = strcmp(field(&it->fields, "kind", ""), "device-read") == 0;

    if (own->address != 0)
        return true;
    own->bytes = it->bytes < BYTES_MAX ? it->bytes : BYTES_MAX;
    own->address = device_allocate(own->bytes);
    if (field(&it->fields, "pageable", NULL) != NULL ||
        field(&it->fields, "program", NULL) != NULL || field(&it->fields, "ints", NULL) != NULL)
        own->pageable = it->question->bytes;
    else if (!reads)
        own->pinned = device_pin(own->bytes);
    if (own->address == 0 || (!reads && own->pageable == NULL && own->pinned == NULL))
        snprintf(run->why, sizeof run->why, "there is no device, or it has no room");
    else if (!fill(it, own, reads))
        snprintf(run->why, sizeof run->why, "the driver does not take the text, or the kernel");
    return run->why[0] == '\0';
}

/* Reads the text with the kernel, or copies it, once. */
static bool pass(struct bound *own)
{
    void *parameters[] = {&own->address, &own->bytes, &own->address};
    unsigned blocks = (unsigned)driver.multiprocessors * BLOCKS_EACH;
    int code;

    if (own->function != NULL)
        code = driver.cuLaunchKernel(own->function, blocks, 1, 1, THREADS, 1, 1, 0, driver.stream,
                                     parameters, NULL);
    else if (own->pageable != NULL)
        code = driver.cuMemcpyHtoD_v2(own->address, own->pageable, (size_t)own->bytes);
    else
        code = driver.cuMemcpyHtoDAsync_v2(own->address, own->pinned, (size_t)own->bytes,
                                           driver.stream);
    return code == 0 && driver.cuStreamSynchronize(driver.stream) == 0;
}

/* Copies `bytes` bytes to new memory on the device, at *address, and from there to `back` unless it
 * is NULL. */
static bool bring(const void *from, void *back, uint64_t bytes, uint64_t *address)
{
    *address = device_allocate(bytes);
    return *address != 0 && driver.cuMemcpyHtoD_v2(*address, from, (size_t)bytes) == 0 &&
           (back == NULL || driver.cuMemcpyDtoH_v2(back, *address, (size_t)bytes) == 0);
}

/* Times what the program of PSS does around its kernel (program=N): reads the file, copies it to
 * the device, and copies results back. The memory for the text exists before the clock starts, as
 * there. */
static bool run_program(const struct competitor *it, const struct bound *own, uint64_t results,
                        struct bench_run *run)
{
    const struct trawl_pattern *pattern = it->question->patterns;
    const char *path = strchr(field(&it->question->fields, "text", ""), ':');
    FILE *file = path != NULL ? fopen(path + 1, "rb") : NULL;
    uint64_t pattern_at = 0, results_at = 0, count_at = 0, bytes = results * sizeof(uint32_t);
    uint8_t *text = allocate(own->bytes), *found = allocate(bytes);
    uint32_t count = 0;
    double begin = clock_seconds();
    bool done = file != NULL && fread(text, 1, (size_t)own->bytes, file) == own->bytes &&
                driver.cuMemcpyHtoD_v2(own->address, text, (size_t)own->bytes) == 0 &&
                bring(pattern->bytes, NULL, pattern->bytes_count, &pattern_at) &&
                bring(&count, NULL, sizeof count, &count_at) &&
                bring(memset(found, 0, (size_t)bytes), found, bytes, &results_at);

    run->seconds = clock_seconds() - begin;
    device_free(pattern_at);
    device_free(count_at);
    device_free(results_at);
    free(found);
    free(text);
    if (file != NULL)
        (void)fclose(file);
    return done;
}

/* Does what Han's program does around its kernel (ints=1), and sets run->seconds. The host's array
 * of results is four times as long as the text. As in Han's program, only its first quarter has
 * been written before the clock starts. */
static bool run_ints(const struct competitor *it, const struct bound *own, struct bench_run *run)
{
    static const uint32_t table[256];
    const struct trawl_pattern *pattern = it->question->patterns;
    uint64_t bytes = own->bytes * sizeof(uint32_t);
    uint64_t text_at = 0, pattern_at = 0, table_at = 0, results_at;
    void *results = memset(allocate(bytes), 0, (size_t)own->bytes);
    double begin = clock_seconds();
    bool done = (results_at = device_allocate(bytes)) != 0 &&
                bring(own->pageable, NULL, own->bytes, &text_at) &&
                bring(pattern->bytes, NULL, pattern->bytes_count, &pattern_at) &&
                bring(table, NULL, sizeof table, &table_at) &&
                driver.cuMemsetD8Async(results_at, 0, (size_t)bytes, driver.stream) == 0 &&
                driver.cuStreamSynchronize(driver.stream) == 0 &&
                driver.cuMemcpyDtoH_v2(results, results_at, (size_t)bytes) == 0;

    device_free(results_at);
    device_free(pattern_at);
    device_free(text_at);
    run->seconds = clock_seconds() - begin;
    device_free(table_at);
    free(results);
    return done;
}

/* Runs the competitor: times a pass over own->bytes of the text, and scales the time to its whole
 * share. ints and program time themselves. */
static void run_bound(struct competitor *it, bool full, struct bench_run *run)
{
    uint64_t results = field_number(&it->fields, "program", 0);
    bool ints = field(&it->fields, "ints", NULL) != NULL;
    struct bound *own = (struct bound *)it->state;
    double begin;

    (void)full;
    if (!open_bound(it, own, run))
        return;
    begin = clock_seconds();
    if (ints          ? !run_ints(it, own, run)
        : results > 0 ? !run_program(it, own, results, run)
                      : !pass(own))
        snprintf(run->why, sizeof run->why, "the device failed");
    if (ints || results > 0)
        return;
    run->seconds = (clock_seconds() - begin) * (double)it->bytes / (double)own->bytes;
}

static void close_bound(struct competitor *it)
{
    struct bound *own = (struct bound *)it->state;

    device_free(own->address);
    device_unpin(own->pinned);
    free(own);
}

bool device_competitor(struct competitor *competitor, const char *kind)
{
    if (strcmp(kind, "device-read") != 0 && strcmp(kind, "device-copy") != 0)
        return false;
    competitor->state = allocate(sizeof(struct bound));
    competitor->bound = true;
    competitor->run = run_bound;
    competitor->close = close_bound;
    return true;
}
