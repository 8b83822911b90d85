/* memory: allocates with the caller's functions, if set, and lets tests make allocations fail. */
#include "base/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "base/checked.h"
#include "base/fault.h"
#include "base/options.h"

#define HUGE_BYTES ((uint64_t)2 << 20) /* a huge page of x86-64, and of arm64 with 4 KiB pages */

static void *libc_allocate(void *context, uint64_t bytes, uint64_t alignment)
{
    void *pointer = NULL;

    (void)context;
    if (alignment <= OBJECT_ALIGNMENT) /* malloc aligns to OBJECT_ALIGNMENT anyway, and is faster */
        return bytes > SIZE_MAX ? NULL : malloc((size_t)bytes);
    if (bytes > SIZE_MAX || posix_memalign(&pointer, (size_t)alignment, (size_t)bytes) != 0)
        return NULL;
    return pointer;
}

static void libc_release(void *context, void *pointer, uint64_t bytes)
{
    (void)context;
    (void)bytes;
    free(pointer);
}

#define LIBC_MEMORY                                                    \
    {                                                                  \
        sizeof(struct trawl_memory), NULL, libc_allocate, libc_release \
    }
static struct trawl_memory functions = LIBC_MEMORY;

enum trawl_status trawl_set_memory(const struct trawl_memory *memory, struct trawl_error *error)
{
    struct trawl_memory given = LIBC_MEMORY;

    TRAWL_TRY(options_read(&given, sizeof given, memory, sizeof given, "memory", error));
    if (given.allocate == NULL || given.release == NULL)
        return TRAWL_FAIL(error, ARGUMENT, "memory lacks a function");
    functions = given;
    return TRAWL_OK;
}

enum trawl_status memory_allocate(uint64_t count, uint64_t size, void **pointer,
                                  struct trawl_error *error)
{
    uint64_t bytes;

    *pointer = NULL;
    if (!checked_multiply(count, size, &bytes))
        return TRAWL_FAIL(error, LIMIT, "%" PRIu64 " x %" PRIu64 " bytes exceed 2^64", count, size);
    if (bytes == 0)
        return TRAWL_OK;
    if (!fault_hit())
        *pointer = functions.allocate(functions.context, bytes,
                                      count == 1 ? OBJECT_ALIGNMENT : MEMORY_ALIGNMENT);
    if (*pointer == NULL)
        return TRAWL_FAIL(error, MEMORY, "out of memory: %" PRIu64 " bytes", bytes);
    return TRAWL_OK;
}

/* Asks for huge pages for the part of the block that consists of whole huge pages. */
static void prefer_huge_pages(void *pointer, uint64_t bytes)
{
#if defined(MADV_HUGEPAGE)
    uint64_t begin = (uint64_t)(uintptr_t)pointer, end = begin + bytes;

    begin = (begin + HUGE_BYTES - 1) / HUGE_BYTES * HUGE_BYTES;
    end = end / HUGE_BYTES * HUGE_BYTES;
    if (functions.allocate == libc_allocate && begin < end)
        (void)madvise((void *)(uintptr_t)begin, (size_t)(end - begin), MADV_HUGEPAGE);
#else
    (void)pointer;
    (void)bytes;
#endif
}

enum trawl_status memory_allocate_table(uint64_t count, uint64_t size, void **pointer,
                                        struct trawl_error *error)
{
    TRAWL_TRY(memory_allocate(count, size, pointer, error));
    if (*pointer != NULL && count * size >= 2 * HUGE_BYTES)
        prefer_huge_pages(*pointer, count * size);
    return TRAWL_OK;
}

enum trawl_status memory_allocate_zeroed(uint64_t count, uint64_t size, void **pointer,
                                         struct trawl_error *error)
{
    TRAWL_TRY(memory_allocate_table(count, size, pointer, error));
    if (*pointer != NULL)
        memset(*pointer, 0, (size_t)(count * size));
    return TRAWL_OK;
}

enum trawl_status memory_room(uint64_t wanted, uint64_t size, uint64_t *capacity, void **pointer,
                              struct trawl_error *error)
{
    const uint64_t count = max_u64(wanted, max_u64(16, 2 * *capacity));
    void *grown;

    TRAWL_ASSERT(wanted > *capacity);
    TRAWL_TRY(memory_allocate(count, size, &grown, error));
    if (*capacity > 0)
        memcpy(grown, *pointer, (size_t)(*capacity * size));
    memory_release(*pointer, *capacity, size);
    *pointer = grown;
    *capacity = count;
    return TRAWL_OK;
}

void memory_release(void *pointer, uint64_t count, uint64_t size)
{
    if (pointer != NULL)
        functions.release(functions.context, pointer, count * size);
}

/* Passes the 8 bytes to the kernel as a set of signals, with the invalid action ~0. The kernel
 * reads the set first, and fails with EFAULT if it cannot; only then does it reject the action. */
bool memory_is_readable(const void *address)
{
    return syscall(SYS_rt_sigprocmask, ~0, address, NULL, sizeof(uint64_t)) == 0 || errno != EFAULT;
}

#if defined(__SSE2__)
void memory_stream(void *to, const void *from, uint64_t count)
{
    uint8_t *out = (uint8_t *)to;
    const uint8_t *in = (const uint8_t *)from;
    size_t head = (size_t)(-(uintptr_t)out % sizeof(__m128i));

    head = head < count ? head : (size_t)count;
    memcpy(out, in, head);
    out += head;
    in += head;
    count -= head;
    for (; count >= 4 * sizeof(__m128i); count -= 4 * sizeof(__m128i)) {
        for (size_t i = 0; i < 4 * sizeof(__m128i); i += sizeof(__m128i))
            _mm_stream_si128((__m128i *)(void *)(out + i),
                             _mm_loadu_si128((const __m128i *)(const void *)(in + i)));
        out += 4 * sizeof(__m128i);
        in += 4 * sizeof(__m128i);
    }
    memcpy(out, in, (size_t)count);
    _mm_sfence();
}
#else
void memory_stream(void *to, const void *from, uint64_t count)
{
    memcpy(to, from, (size_t)count);
}
#endif
