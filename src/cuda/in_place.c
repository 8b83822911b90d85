/* in_place: texts that stay in host memory, pinned, so that a device reads them over the bus.
 *
 * A loaded text for which a device has no room is pinned: 40 ms per GiB, once. Samples that are far
 * apart are then read where they are, which moves a sector of 32 bytes for each instead of the
 * whole text. Other searches copy the text, straight from where it is. Unlike a copy, such a text
 * has no padding that a device may load, so the last begins of a chunk are also searched in a copy.
 */
#include "base/checked.h"
#include "cuda/worker.h"

#define ALIGNMENT 32u /* of samples */

/* Samples are loaded whole: from the multiple of their size at or below the text's begin on. */
static void *pinned_begin(const struct cuda_resident *resident)
{
    return (void *)(uintptr_t)(resident->bytes - (uintptr_t)resident->bytes % ALIGNMENT);
}

enum trawl_status cuda_in_place_register(const struct cuda_device *device,
                                         struct cuda_resident *resident, struct trawl_error *error)
{
    const struct cuda_driver *driver = device->driver;
    void *bytes = pinned_begin(resident);
    uint64_t skew = (uintptr_t)resident->bytes % ALIGNMENT;
    size_t count = (size_t)(resident->count + skew);
    enum trawl_status status;
    int code;

    /* Memory that may not be written says so, on systems that look. */
    code = driver->host_register(bytes, count, CUDA_HOST_REGISTER_MAPPED);
    if (code == CUDA_CODE_ALREADY_REGISTERED) /* as another text, or by others */
        return TRAWL_FAIL(error, MEMORY,
                          "%s: no room for a copy of the text, and parts of it are pinned already",
                          device->name);
    if (code != CUDA_CODE_OK)
        TRAWL_TRY(CUDA_CALL(device, error, host_register, bytes, count,
                            CUDA_HOST_REGISTER_MAPPED | CUDA_HOST_REGISTER_READ_ONLY));
    status = CUDA_CALL(device, error, host_address, &resident->in_place, bytes, 0);
    resident->in_place += skew;
    if (status != TRAWL_OK) {
        resident->in_place = 0;
        (void)driver->host_unregister(bytes);
    }
    return status;
}

void cuda_in_place_release(const struct cuda_device *device, struct cuda_resident *resident)
{
    if (resident->in_place != 0)
        (void)device->driver->host_unregister(pinned_begin(resident));
    resident->in_place = 0;
}

/* 500 M sectors/s against 55 GB/s: even at stride 110, 3.3 times at 264 [H200, PCIe 5 x16]. */
bool cuda_in_place_pays(const struct trawl_plan *plan, uint32_t stride_min)
{
    struct scan_arguments sizes;

    if (plan->method_device != TRAWL_METHOD_SAMPLED || plan->length_max > SCAN_PATTERN_BYTES_MAX)
        return false;
    cuda_sampled_sizes(plan->length_max, &sizes);
    return sizes.stride >= stride_min;
}

bool cuda_in_place_range(const struct engine_worker *worker, const struct engine_chunk *chunk,
                         uint64_t at, struct cuda_range *range)
{
    uint64_t available = chunk->owned + chunk->after, length = worker->plan->length_max;
    uint64_t address, skew, end;

    if (!cuda_in_place_pays(worker->plan, worker->limits.in_place_stride_min) ||
        available - at < length + SCAN_PADDING_BYTES ||
        !cuda_worker_in_place(worker, chunk->bytes, available, &address))
        return false;
    skew = address % ALIGNMENT;
    end = available - SCAN_PADDING_BYTES;
    range->address = address - skew;
    range->begin = skew + at;
    range->end = skew + min_u64(chunk->owned, end - length + 1);
    range->text_end = skew + end;
    range->in_place = true;
    return true;
}
