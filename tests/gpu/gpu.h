/* gpu: opens the CUDA engine for the tests on real devices. */
#ifndef TRAWL_TESTS_GPU_GPU_H
#define TRAWL_TESTS_GPU_GPU_H

#include "cuda/engine_cuda.h"
#include "cuda/cuda_load.h"
#include "cuda/residents.h"
#include "test.h"

/* Opens the engine. Skips the test if there is no device, and fails the test if the engine does not
 * open. */
static inline struct engine *gpu_open(void)
{
    struct engine_options options = {.size = sizeof options};
    struct engine *engine = NULL;
    struct trawl_error error;
    enum trawl_status status = engine_cuda.open(&options, &engine, &error);

    if (status == TRAWL_ENGINE) {
        printf("SKIPPED: GPU: %s\n", error.message);
        exit(77);
    }
    if (!TEST_CHECK(status == TRAWL_OK)) {
        printf("  %s\n", error.message);
        exit(1);
    }
    return engine;
}

#endif
