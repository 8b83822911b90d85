/* simt: the only kernel file with separate code for CUDA C and for C11.
 *
 * A kernel file is CUDA C inside a C11 subset: nvcc compiles the file for devices, gcc and clang
 * compile the same text for the simulator of tests/sim. Everything that has different names in CUDA
 * and in the simulator has a common name here. docs/kernels.md says how to use the names. In short:
 *
 *   SIMT_KERNEL(name, arguments, threads, blocks)   a kernel; its arguments are a struct by value
 *   SIMT_FUNCTION, SIMT_FUNCTION_LARGE              a helper, inlined or not
 *   SIMT_SHARED(type, name, count)                  an array in shared memory, at function scope
 *   SIMT_SHARED_DYNAMIC(type, name, bytes)          an array of as many bytes of shared memory as
 *                                                   the launch asks for, at a multiple of 16
 *   SIMT_CONSTANT(type, name, count)                an array in constant memory, at file scope; the
 *                                                   host fills the array, and simt_constant_u32 and
 *                                                   simt_constant_u8 read it
 *   SIMT_BOUND(condition)                           a condition that keeps an access in bounds.
 *                                                   tests/mutation replaces such a condition with
 *                                                   true, and expects that a test fails
 *   simt_barrier()                                  waits for all threads of the block
 *   simt_barrier_or(condition)                      as simt_barrier; returns true if the condition
 *                                                   is true for any thread
 *   simt_arrive(id), simt_wait(id)                  a barrier with its own number, 1 to 15:
 *                                                   simt_arrive signals that a warp has arrived,
 *                                                   simt_wait waits for all warps of the block
 *   simt_warp_sync, simt_ballot, simt_shuffle...,
 *   simt_warp_sum_*, simt_warp_upto_u32             all 32 threads of the warp must call
 *   simt_load_*, simt_store_*                       access global memory; the simulator counts and
 *                                                   checks the accesses
 *   simt_load_once_*                                as simt_load; no cache need keep the data
 *   simt_load_l2_*                                  as simt_load; L1 need not keep the data
 *   simt_load_kept_*                                as simt_load; L2 keeps the data rather than
 *                                                   other data
 *   simt_put_u32x4(to, value), simt_get_u32x4(from) 16 bytes to and from shared memory
 *   simt_copy_u64(to, from)                         starts a copy from global to shared memory
 *   simt_copies_wait()                              waits for all copies that the thread started
 *   simt_high_u32(a, b)                             the upper 32 bits of the product of a and b
 *   simt_atomic_*                                   relaxed atomics on shared or global memory,
 *                                                   which return the old value
 *   simt_add_u64, simt_max_u64                      relaxed atomics on global memory, which return
 *                                                   nothing: the operation may happen late
 *   simt_load_relaxed_*                             a relaxed load of a word that other threads
 *                                                   write, too
 *   simt_hint_u64                                   as simt_load_relaxed, but from L1: the value
 *                                                   may be old
 *   simt_pause()                                    pauses between two reads of a word that another
 *                                                   block has still to write
 *   simt_fence(), simt_fence_host()                 other blocks, or the host, see the thread's
 *                                                   writes before the fence earlier than its writes
 *                                                   after the fence
 *   SIMT_LAUNCH_IN(stream, kernel, blocks, threads, args)
 *                                                   starts a child grid without waiting for it;
 *                                                   returns 0 or the runtime's error code.
 *                                                   SIMT_STREAM_BLOCK: a block's grids run one
 *                                                   after the other; SIMT_STREAM_NONE: in any
 *                                                   order
 *   simt_launch_is_full(code)                       whether this error code of a launch says that
 *                                                   there was no room for a further grid
 *   simt_allocate(bytes), simt_release(memory)      memory of the device's heap, read and written
 *                                                   as in C; NULL if there is none left
 *   simt_opaque_u32(value)                          the value, but unknown to the compiler
 *   simt_add_equal(sum, a, b, one, value)           adds value times `one` to the sum if a equals b
 *
 * The address of a load is a multiple of the load's size. Shared memory has undefined content until
 * a thread writes.
 */
#ifndef TRAWL_CUDA_KERNELS_SIMT_H
#define TRAWL_CUDA_KERNELS_SIMT_H

#include <stdint.h>

/* Host and device both need the hashes of samples.h and layout.h, which use no CUDA syntax; this
 * makes CUDA compile their inline functions for both. */
#if defined(__CUDACC__)
#define inline __host__ __device__ inline
#include "cuda/kernels/samples.h"
#include "plan/layout.h"
#undef inline
#else
#include "cuda/kernels/samples.h"
#include "plan/layout.h"
#endif

#define SIMT_WARP_THREADS 32u

struct simt_u32x4 {
    uint32_t w[4];
};

#if defined(__CUDACC__)

/* Threads that a multiprocessor of the device can hold. The compiler rejects a kernel that requires
 * several blocks at a time with more threads in all. */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ < 800
#define SIMT_RESIDENT_THREADS 1024
#elif __CUDA_ARCH__ == 800 || (__CUDA_ARCH__ >= 900 && __CUDA_ARCH__ < 1100)
#define SIMT_RESIDENT_THREADS 2048
#else
#define SIMT_RESIDENT_THREADS 1536
#endif
#define SIMT_RESIDENT(threads, blocks) \
    ((blocks) * (threads) <= SIMT_RESIDENT_THREADS ? (blocks) : SIMT_RESIDENT_THREADS / (threads))
#define SIMT_KERNEL(name, arguments, threads, blocks)                                     \
    extern "C" __global__ void __launch_bounds__(threads, SIMT_RESIDENT(threads, blocks)) \
        name(const __grid_constant__ struct arguments args)
/* The functions of kernels are not static: nvcc names what a static function declares after a hash
 * of the source file's path, so the PTX would differ between two folders. */
#define SIMT_FUNCTION_LARGE inline __device__ __noinline__
/* With SIMT_QUICK the kernels are compiled only as a check, in an eighth of the time; the result
 * cannot run. */
#if SIMT_QUICK
#define SIMT_FUNCTION SIMT_FUNCTION_LARGE
#define SIMT_UNROLL SIMT_ROLLED
/* All arrays share one address. Without optimisation, a kernel gets the arrays of every function
 * that it might call: more shared memory than a block may have. */
extern __shared__ __align__(16) unsigned char simt_quick_shared[];
#define SIMT_SHARED(type, name, count)                      \
    static_assert(sizeof(type) * (count) <= 48u << 10, ""); \
    type *const name = (type *)(void *)simt_quick_shared
#else
#define SIMT_SHARED(type, name, count) __shared__ __align__(16) type name[count]
#define SIMT_FUNCTION __device__ __forceinline__
#define SIMT_UNROLL _Pragma("unroll")
#endif
#define SIMT_ROLLED _Pragma("unroll 1")
#define SIMT_SHARED_DYNAMIC(type, name, bytes) extern __shared__ __align__(16) type name[]
#define SIMT_BOUND(condition) (condition)
/* The braces make a definition with a plain name. Without braces, extern "C" only declares. */
#define SIMT_CONSTANT(type, name, count) \
    extern "C" {                         \
    __constant__ type name[count];       \
    }
#define simt_constant_u32(name, index) ((name)[index])
#define simt_constant_u8(name, index) (((const uint8_t *)(name))[index])
#define SIMT_STREAM_NONE cudaStreamFireAndForget
#define SIMT_STREAM_BLOCK 0
#define SIMT_LAUNCH_IN(stream, kernel, blocks, threads, arguments) \
    (kernel<<<(blocks), (threads), 0, (stream)>>>(arguments), (uint32_t)cudaGetLastError())
#define simt_allocate(bytes) malloc(bytes)
#define simt_release(memory) free(memory)

SIMT_FUNCTION uint32_t simt_thread(void)
{
    return threadIdx.x;
}
SIMT_FUNCTION uint32_t simt_threads(void)
{
    return blockDim.x;
}
SIMT_FUNCTION uint32_t simt_block(void)
{
    return blockIdx.x;
}
SIMT_FUNCTION uint32_t simt_blocks(void)
{
    return gridDim.x;
}
#define simt_barrier() __syncthreads()
#define simt_barrier_or(condition) __syncthreads_or((condition) ? 1 : 0)
#define simt_arrive(id) asm volatile("bar.arrive %0, %1;" ::"n"(id), "r"(blockDim.x) : "memory")
#define simt_wait(id) asm volatile("bar.sync %0, %1;" ::"n"(id), "r"(blockDim.x) : "memory")
#define simt_warp_sync() __syncwarp(0xffffffffu)
#define simt_ballot(condition) __ballot_sync(0xffffffffu, (condition))
#define simt_shuffle_u32(value, lane) __shfl_sync(0xffffffffu, (uint32_t)(value), (int)(lane))
#define simt_shuffle_u64(value, lane) \
    ((uint64_t)__shfl_sync(0xffffffffu, (unsigned long long)(value), (int)(lane)))

/* Returns the sum over the warp's lanes. */
SIMT_FUNCTION uint32_t simt_warp_sum_u32(uint32_t value)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
    for (uint32_t distance = SIMT_WARP_THREADS / 2u; distance != 0; distance /= 2u)
        value += __shfl_xor_sync(0xffffffffu, value, (int)distance);
    return value;
#else
    return __reduce_add_sync(0xffffffffu, value);
#endif
}
SIMT_FUNCTION uint32_t simt_opaque_u32(uint32_t value)
{
    asm volatile("" : "+r"(value));
    return value;
}
/* Adds value to *sum if a equals b, by a multiplication with `one`: the units that only add are
 * busy with comparisons. If the compiler knew that `one` or value is 1, it would use those
 * units. */
SIMT_FUNCTION void simt_add_equal(uint32_t *sum, uint32_t a, uint32_t b, uint32_t one,
                                  uint32_t value)
{
    asm("{ .reg .pred p; setp.eq.u32 p, %1, %2; @p mad.lo.u32 %0, %3, %4, %0; }"
        : "+r"(*sum)
        : "r"(a), "r"(b), "r"(one), "r"(value));
}
SIMT_FUNCTION uint16_t simt_load_u16(const uint16_t *p)
{
    return __ldg(p);
}
SIMT_FUNCTION uint8_t simt_load_u8(const uint8_t *p)
{
    return __ldg(p);
}
SIMT_FUNCTION uint32_t simt_load_u32(const uint32_t *p)
{
    return __ldg(p);
}
SIMT_FUNCTION uint64_t simt_load_u64(const uint64_t *p)
{
    return __ldg((const unsigned long long *)p);
}
/* Loads from L2, so that the data takes no room in L1. */
SIMT_FUNCTION uint64_t simt_load_l2_u64(const uint64_t *p)
{
    return __ldcg((const unsigned long long *)p);
}
SIMT_FUNCTION struct simt_u32x4 simt_load_u32x4(const uint32_t *p)
{
    uint4 v = __ldg((const uint4 *)p);
    struct simt_u32x4 r = {{v.x, v.y, v.z, v.w}};
    return r;
}
SIMT_FUNCTION struct simt_u32x4 simt_load_once_u32x4(const uint32_t *p)
{
    uint4 v = __ldcs((const uint4 *)p);
    struct simt_u32x4 r = {{v.x, v.y, v.z, v.w}};
    return r;
}
SIMT_FUNCTION void simt_put_u32x4(uint32_t *to, struct simt_u32x4 value)
{
    *(uint4 *)(void *)to = make_uint4(value.w[0], value.w[1], value.w[2], value.w[3]);
}
SIMT_FUNCTION struct simt_u32x4 simt_get_u32x4(const uint32_t *from)
{
    uint4 v = *(const uint4 *)(const void *)from;
    struct simt_u32x4 r = {{v.x, v.y, v.z, v.w}};
    return r;
}
SIMT_FUNCTION struct simt_u32x4 simt_load_kept_u32x4(const uint32_t *p)
{
    struct simt_u32x4 r;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
    uint4 v = __ldcg((const uint4 *)p);

    r.w[0] = v.x;
    r.w[1] = v.y;
    r.w[2] = v.z;
    r.w[3] = v.w;
#else
    uint64_t policy;

    asm("createpolicy.fractional.L2::evict_last.b64 %0;" : "=l"(policy));
    asm("ld.global.nc.L1::no_allocate.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
        : "=r"(r.w[0]), "=r"(r.w[1]), "=r"(r.w[2]), "=r"(r.w[3])
        : "l"(p), "l"(policy));
#endif
    return r;
}
SIMT_FUNCTION void simt_copy_u64(uint64_t *to, const uint64_t *from)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
    *to = __ldg((const unsigned long long *)from);
#else
    asm volatile(
        "cp.async.ca.shared.global [%0], [%1], 8;" ::"r"((uint32_t)__cvta_generic_to_shared(to)),
        "l"(from)
        : "memory");
#endif
}
SIMT_FUNCTION void simt_copies_wait(void)
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}
SIMT_FUNCTION uint32_t simt_high_u32(uint32_t a, uint32_t b)
{
    return __umulhi(a, b);
}
SIMT_FUNCTION void simt_store_u8(uint8_t *p, uint8_t value)
{
    *p = value;
}
SIMT_FUNCTION void simt_store_u16(uint16_t *p, uint16_t value)
{
    *p = value;
}
SIMT_FUNCTION void simt_store_u32(uint32_t *p, uint32_t value)
{
    *p = value;
}
SIMT_FUNCTION void simt_store_u64(uint64_t *p, uint64_t value)
{
    *p = value;
}
SIMT_FUNCTION void simt_store_u32x4(uint32_t *p, struct simt_u32x4 value)
{
    simt_put_u32x4(p, value);
}
SIMT_FUNCTION uint32_t simt_load_relaxed_u32(const uint32_t *p)
{
    return *(const volatile uint32_t *)p;
}
SIMT_FUNCTION uint64_t simt_load_relaxed_u64(const uint64_t *p)
{
    return *(const volatile uint64_t *)p;
}
SIMT_FUNCTION void simt_pause(void)
{
    __nanosleep(400);
}
SIMT_FUNCTION uint64_t simt_hint_u64(const uint64_t *p)
{
    uint64_t value;

    asm volatile("ld.global.ca.u64 %0, [%1];" : "=l"(value) : "l"(p));
    return value;
}
SIMT_FUNCTION uint32_t simt_atomic_add_u32(uint32_t *p, uint32_t value)
{
    return atomicAdd(p, value);
}
SIMT_FUNCTION uint32_t simt_atomic_or_u32(uint32_t *p, uint32_t value)
{
    return atomicOr(p, value);
}
SIMT_FUNCTION uint32_t simt_atomic_min_u32(uint32_t *p, uint32_t value)
{
    return atomicMin(p, value);
}
SIMT_FUNCTION uint64_t simt_atomic_add_u64(uint64_t *p, uint64_t value)
{
    return atomicAdd((unsigned long long *)p, (unsigned long long)value);
}
SIMT_FUNCTION uint64_t simt_atomic_min_u64(uint64_t *p, uint64_t value)
{
    return atomicMin((unsigned long long *)p, (unsigned long long)value);
}
SIMT_FUNCTION uint64_t simt_atomic_exchange_u64(uint64_t *p, uint64_t value)
{
    return atomicExch((unsigned long long *)p, (unsigned long long)value);
}
SIMT_FUNCTION void simt_add_u64(uint64_t *p, uint64_t value)
{
    (void)atomicAdd((unsigned long long *)p, (unsigned long long)value);
}
SIMT_FUNCTION void simt_max_u64(uint64_t *p, uint64_t value)
{
    (void)atomicMax((unsigned long long *)p, (unsigned long long)value);
}
SIMT_FUNCTION void simt_fence(void)
{
    __threadfence();
}
SIMT_FUNCTION void simt_fence_host(void)
{
    __threadfence_system();
}
SIMT_FUNCTION uint32_t simt_popcount(uint32_t value)
{
    return (uint32_t)__popc(value);
}
/* Returns the number of the lowest set bit. value must not be 0. */
SIMT_FUNCTION uint32_t simt_lowest_bit(uint32_t value)
{
    return (uint32_t)__ffs((int)value) - 1u;
}
/* Returns the number of the highest set bit. value must not be 0. */
SIMT_FUNCTION uint32_t simt_highest_bit(uint32_t value)
{
    return 31u - (uint32_t)__clz((int)value);
}
/* Returns the low word of high:low >> shift_bits, where shift_bits is 0 to 31: for a multiple of 8,
 * the 4 bytes from byte shift_bits / 8 of low on. */
SIMT_FUNCTION uint32_t simt_funnel(uint32_t low, uint32_t high, uint32_t shift_bits)
{
    return __funnelshift_r(low, high, shift_bits);
}
/* Like simt_funnel, but shift_bits may also be 32. */
SIMT_FUNCTION uint32_t simt_funnel_clamp(uint32_t low, uint32_t high, uint32_t shift_bits)
{
    return __funnelshift_rc(low, high, shift_bits);
}
#else /* the simulator */

/* Defines a kernel, and for tests/sim the size of its arguments and an entry function, which passes
 * each thread its own copy of them, as on a device. */
#define SIMT_KERNEL(name, arguments, threads, blocks)           \
    static void name(const struct arguments args);              \
    enum { name##_arguments_bytes = sizeof(struct arguments) }; \
    static void name##_entry(const void *given)                 \
    {                                                           \
        name(*(const struct arguments *)given);                 \
    }                                                           \
    static void name(const struct arguments args)
#define SIMT_FUNCTION static inline
#define SIMT_FUNCTION_LARGE static
#define SIMT_UNROLL
#define SIMT_ROLLED
#define SIMT_SHARED(type, name, count) \
    type *const name = (type *)sim_shared(#name, __LINE__, sizeof(type) * (count))
#define SIMT_SHARED_DYNAMIC(type, name, bytes) \
    type *const name = (type *)sim_shared(#name, __LINE__, (bytes))
#define SIMT_BOUND(condition) (condition)
#define SIMT_CONSTANT(type, name, count)            \
    enum { name##_bytes = sizeof(type) * (count) }; \
    static type name[count]
#define simt_constant_u32(name, index) \
    ((name)[sim_constant((uint64_t)(index), 4, name##_bytes, __FILE__, __LINE__)])
#define simt_constant_u8(name, index)                                                     \
    (((const uint8_t *)(name))[sim_constant((uint64_t)(index), 1, name##_bytes, __FILE__, \
                                            __LINE__)])
#define SIMT_LAUNCH_IN(stream, kernel, blocks, threads, arguments)                          \
    sim_launch_child(#kernel, kernel##_entry, &(arguments),                                 \
                     sizeof(arguments) == kernel##_arguments_bytes ? sizeof(arguments) : 0, \
                     (blocks), (threads), __FILE__, __LINE__)

/* tests/sim/simulator.c defines these functions. file and line are the position in the kernel. */
void *simt_allocate(uint64_t bytes);
void simt_release(void *memory);
void *sim_shared(const char *name, int line, uint64_t bytes);
uint32_t simt_thread(void);
uint32_t simt_threads(void);
uint32_t simt_block(void);
uint32_t simt_blocks(void);
int sim_barrier(int condition, const char *file, int line);
void sim_named_barrier(uint32_t id, int waits, const char *file, int line);
uint32_t sim_ballot(int condition, const char *file, int line);
uint64_t sim_shuffle(uint64_t value, int kind, uint32_t argument, const char *file, int line);
void sim_aligned(const void *p, uint32_t bytes, const char *file, int line);
void sim_global(const void *p, uint32_t bytes, int write, const char *file, int line);
uint64_t sim_atomic(void *p, uint32_t bytes, int kind, uint64_t value, const char *file, int line);
void sim_write(void *p, uint32_t bytes, int kind, uint64_t value, const char *file, int line);
void sim_fence(const char *file, int line);
void sim_copy(void *to, const void *from, uint32_t bytes, const char *file, int line);
void sim_copies_wait(const char *file, int line);
uint64_t sim_read(const void *p, uint32_t bytes, const char *file, int line);
void sim_pause(const char *file, int line);
uint64_t sim_constant(uint64_t index, uint32_t bytes, uint64_t array_bytes, const char *file,
                      int line);
uint32_t sim_launch_child(const char *name, void (*entry)(const void *), const void *arguments,
                          uint64_t arguments_bytes, uint32_t blocks, uint32_t threads,
                          const char *file, int line);

enum { SIM_SHUFFLE_INDEX, SIM_SHUFFLE_UP, SIM_SHUFFLE_SUM };
enum {
    SIM_ATOMIC_ADD,
    SIM_ATOMIC_OR,
    SIM_ATOMIC_MIN,
    SIM_ATOMIC_MAX,
    SIM_ATOMIC_EXCHANGE,
    SIM_STORE
};

#define simt_barrier() ((void)sim_barrier(0, __FILE__, __LINE__))
#define simt_barrier_or(condition) sim_barrier((condition) ? 1 : 0, __FILE__, __LINE__)
#define simt_arrive(id) sim_named_barrier((id), 0, __FILE__, __LINE__)
#define simt_wait(id) sim_named_barrier((id), 1, __FILE__, __LINE__)
#define simt_warp_sync() ((void)sim_ballot(0, __FILE__, __LINE__))
#define simt_ballot(condition) sim_ballot((condition) ? 1 : 0, __FILE__, __LINE__)
#define simt_shuffle_u32(value, lane)                                                        \
    ((uint32_t)sim_shuffle((uint32_t)(value), SIM_SHUFFLE_INDEX, (uint32_t)(lane), __FILE__, \
                           __LINE__))
#define simt_shuffle_up_u32(value, delta) \
    ((uint32_t)sim_shuffle((uint32_t)(value), SIM_SHUFFLE_UP, (delta), __FILE__, __LINE__))
#define simt_shuffle_u64(value, lane) \
    sim_shuffle((value), SIM_SHUFFLE_INDEX, (uint32_t)(lane), __FILE__, __LINE__)
#define simt_warp_sum_u32(value) \
    ((uint32_t)sim_shuffle((uint32_t)(value), SIM_SHUFFLE_SUM, 0, __FILE__, __LINE__))
#define simt_load_u8(p) (sim_global((p), 1, 0, __FILE__, __LINE__), *(p))
#define simt_load_u16(p) (sim_global((p), 2, 0, __FILE__, __LINE__), *(p))
#define simt_load_u32(p) (sim_global((p), 4, 0, __FILE__, __LINE__), *(p))
#define simt_load_u64(p) (sim_global((p), 8, 0, __FILE__, __LINE__), *(p))
#define simt_load_u32x4(p) \
    (sim_global((p), 16, 0, __FILE__, __LINE__), *(const struct simt_u32x4 *)(p))
#define simt_load_once_u32x4(p) simt_load_u32x4(p)
#define simt_put_u32x4(to, value)                      \
    ((void)(sim_aligned((to), 16, __FILE__, __LINE__), \
            *(struct simt_u32x4 *)(void *)(to) = (value)))
#define simt_get_u32x4(from) \
    (sim_aligned((from), 16, __FILE__, __LINE__), *(const struct simt_u32x4 *)(const void *)(from))
#define simt_load_l2_u64(p) simt_load_u64(p)
#define simt_load_kept_u32x4(p) simt_load_u32x4(p)
#define simt_copy_u64(to, from) sim_copy((to), (from), 8, __FILE__, __LINE__)
#define simt_copies_wait() sim_copies_wait(__FILE__, __LINE__)
#define simt_store_u16(p, value) sim_write((p), 2, SIM_STORE, (value), __FILE__, __LINE__)
#define simt_store_u8(p, value) sim_write((p), 1, SIM_STORE, (value), __FILE__, __LINE__)
#define simt_store_u32(p, value) sim_write((p), 4, SIM_STORE, (value), __FILE__, __LINE__)
#define simt_store_u64(p, value) sim_write((p), 8, SIM_STORE, (value), __FILE__, __LINE__)
#define simt_store_u32x4(p, value)                                     \
    (sim_aligned((p), 16, __FILE__, __LINE__),                         \
     simt_store_u64((p), (value).w[0] | (uint64_t)(value).w[1] << 32), \
     simt_store_u64((p) + 2, (value).w[2] | (uint64_t)(value).w[3] << 32))
#define simt_add_u64(p, value) sim_write((p), 8, SIM_ATOMIC_ADD, (value), __FILE__, __LINE__)
#define simt_max_u64(p, value) sim_write((p), 8, SIM_ATOMIC_MAX, (value), __FILE__, __LINE__)
#define simt_load_relaxed_u32(p) ((uint32_t)sim_read((p), 4, __FILE__, __LINE__))
#define simt_load_relaxed_u64(p) sim_read((p), 8, __FILE__, __LINE__)
#define simt_pause() sim_pause(__FILE__, __LINE__)
#define simt_hint_u64(p) sim_read((p), 8, __FILE__, __LINE__)
#define simt_atomic_add_u32(p, value) \
    ((uint32_t)sim_atomic((p), 4, SIM_ATOMIC_ADD, (value), __FILE__, __LINE__))
#define simt_atomic_or_u32(p, value) \
    ((uint32_t)sim_atomic((p), 4, SIM_ATOMIC_OR, (value), __FILE__, __LINE__))
#define simt_atomic_min_u32(p, value) \
    ((uint32_t)sim_atomic((p), 4, SIM_ATOMIC_MIN, (value), __FILE__, __LINE__))
#define simt_atomic_add_u64(p, value) \
    sim_atomic((p), 8, SIM_ATOMIC_ADD, (value), __FILE__, __LINE__)
#define simt_atomic_min_u64(p, value) \
    sim_atomic((p), 8, SIM_ATOMIC_MIN, (value), __FILE__, __LINE__)
#define simt_atomic_exchange_u64(p, value) \
    sim_atomic((p), 8, SIM_ATOMIC_EXCHANGE, (value), __FILE__, __LINE__)
#define simt_fence() sim_fence(__FILE__, __LINE__)
#define simt_fence_host() sim_fence(__FILE__, __LINE__)

SIMT_FUNCTION uint32_t simt_high_u32(uint32_t a, uint32_t b)
{
    return (uint32_t)((uint64_t)a * b >> 32);
}
SIMT_FUNCTION uint32_t simt_opaque_u32(uint32_t value)
{
    return value;
}
SIMT_FUNCTION void simt_add_equal(uint32_t *sum, uint32_t a, uint32_t b, uint32_t one,
                                  uint32_t value)
{
    *sum += a == b ? one * value : 0;
}
SIMT_FUNCTION uint32_t simt_popcount(uint32_t value)
{
    return (uint32_t)__builtin_popcount(value);
}
SIMT_FUNCTION uint32_t simt_lowest_bit(uint32_t value)
{
    return (uint32_t)__builtin_ctz(value);
}
SIMT_FUNCTION uint32_t simt_highest_bit(uint32_t value)
{
    return 31u - (uint32_t)__builtin_clz(value);
}
SIMT_FUNCTION uint32_t simt_funnel(uint32_t low, uint32_t high, uint32_t shift_bits)
{
    return (uint32_t)((((uint64_t)high << 32) | low) >> (shift_bits & 31u));
}
SIMT_FUNCTION uint32_t simt_funnel_clamp(uint32_t low, uint32_t high, uint32_t shift_bits)
{
    return shift_bits >= 32u ? high : simt_funnel(low, high, shift_bits);
}
#endif

SIMT_FUNCTION uint32_t simt_lane(void)
{
    return simt_thread() % SIMT_WARP_THREADS;
}
SIMT_FUNCTION uint32_t simt_warp(void)
{
    return simt_thread() / SIMT_WARP_THREADS;
}

/* Returns the sum over this lane and all lower lanes. */
SIMT_FUNCTION uint32_t simt_warp_upto_u32(uint32_t value)
{
    SIMT_UNROLL
    for (uint32_t delta = 1; delta < SIMT_WARP_THREADS; delta *= 2u)
#if defined(__CUDACC__)
        asm volatile("{ .reg .u32 r; .reg .pred p; shfl.sync.up.b32 r|p, %0, %1, 0, 0xffffffff;"
                     " @p add.u32 %0, %0, r; }"
                     : "+r"(value)
                     : "r"(delta));
#else
        value += simt_shuffle_up_u32(value, delta) * (simt_lane() >= delta);
#endif
    return value;
}

/* Returns the sum over the warp's lanes. Called by all lanes of the warp. */
SIMT_FUNCTION uint64_t simt_warp_sum_u64(uint64_t own)
{
    if (simt_ballot(own != 0) == 0)
        return 0;
    for (uint32_t distance = SIMT_WARP_THREADS / 2u; distance != 0; distance /= 2u)
        own += simt_shuffle_u64(own, simt_lane() ^ distance);
    return own;
}

/* Returns true if an error code of SIMT_LAUNCH_IN says that the device has no room for a further
 * child grid. That is cudaErrorLaunchPendingCountExceeded according to cuda.h,
 * cudaErrorLaunchOutOfResources according to the programming guide, and cudaErrorMemoryAllocation,
 * since the memory for pending launches may run out. */
SIMT_FUNCTION int simt_launch_is_full(uint32_t code)
{
    return code == 69u || code == 701u || code == 2u;
}

#endif
