/* gpu_begins: lists where a string begins, in an array that stays on the GPU
 *
 * Shows the answer TRAWL_BEGINS for programs whose next step is a kernel: the positions are written
 * to device memory that the program allocated, in the device's primary context, the one that the
 * CUDA runtime's functions (cudaMalloc) use. This program copies the positions back and prints
 * them. It loads the driver at run time, so compiling it needs no CUDA toolkit.
 *
 *     $ ./gpu_begins
 *     5 begins: 0 2 4 6 8
 */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <trawl.h>

#define BEGINS_MAX 8

/* The driver's functions of <cuda.h>, under the names that the library exports. */
static int (*cuInit)(unsigned flags);
static int (*cuDevicePrimaryCtxRetain)(void **context, int device);
static int (*cuCtxPushCurrent)(void *context);
static int (*cuMemAlloc)(uint64_t *address, size_t bytes);
static int (*cuMemcpyDtoH)(void *to, uint64_t from, size_t bytes);
static int (*cuMemFree)(uint64_t address);

#define LOAD(function, symbol) ((function = (__typeof__(function))dlsym(driver, symbol)) != NULL)

/* Allocates memory on device 0, and makes the device's primary context this thread's current
 * context. Returns the address; 0 without a device or memory. */
static uint64_t device_memory(size_t bytes)
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW), *context = NULL;
    uint64_t address = 0;

    if (driver == NULL || !LOAD(cuInit, "cuInit") ||
        !LOAD(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain") ||
        !LOAD(cuCtxPushCurrent, "cuCtxPushCurrent_v2") || !LOAD(cuMemAlloc, "cuMemAlloc_v2") ||
        !LOAD(cuMemcpyDtoH, "cuMemcpyDtoH_v2") || !LOAD(cuMemFree, "cuMemFree_v2") ||
        cuInit(0) != 0 || cuDevicePrimaryCtxRetain(&context, 0) != 0 ||
        cuCtxPushCurrent(context) != 0 || cuMemAlloc(&address, bytes) != 0)
        return 0;
    return address;
}

int main(void)
{
    const struct trawl_pattern pattern = {"abab", 4};
    struct trawl_searcher_options options = TRAWL_SEARCHER_OPTIONS_INIT;
    struct trawl_plan *plan = NULL;
    struct trawl_text *text = NULL;
    const struct trawl_text_options memory = TRAWL_TEXT_MEMORY("abababababab", 12);
    struct trawl_searcher *searcher = NULL;
    struct trawl_error error = {.status = TRAWL_OK};
    struct trawl_answer answer = TRAWL_ANSWER(TRAWL_BEGINS);
    uint64_t begins[8] = {0}, address = device_memory(sizeof begins);
    int code = 0;

    if (address == 0) {
        fprintf(stderr, "SKIPPED: no usable GPU\n");
        return 77;
    }
    options.engine = TRAWL_ENGINE_CUDA;
    answer.values = (void *)(uintptr_t)address;
    answer.room = 8;
    if (trawl_plan_build(&pattern, 1, NULL, &plan, &error) == TRAWL_OK &&
        trawl_text_open(NULL, &memory, &text, &error) == TRAWL_OK &&
        trawl_searcher_open(&options, &searcher, &error) == TRAWL_OK &&
        trawl_text_load(searcher, text, &error) == TRAWL_OK &&
        trawl_ask(searcher, plan, text, &answer, &error) == TRAWL_OK)
        code = cuMemcpyDtoH(begins, address, sizeof begins);
    if (error.status == TRAWL_OK && code == 0) {
        /* `count` is the true total even if the array could not hold all begins */
        printf("%" PRIu64 " begins:", answer.count);
        for (uint64_t i = 0; i < answer.count && i < 8; i++)
            printf(" %" PRIu64, begins[i]);
        printf("\n");
    } else
        fprintf(stderr, "gpu_begins: %s, driver's code %d\n", error.message, code);
    trawl_searcher_close(searcher);
    trawl_text_close(text);
    trawl_plan_free(plan);
    (void)cuMemFree(address);
    return error.status == TRAWL_OK && code == 0 ? 0 : 2;
}
