/* driver: the CUDA driver's functions, found at run time
 *
 * trawl does not link against CUDA. Opening the engine loads libcuda.so.1, which comes with the
 * device's driver. This header declares the few types and constants of its interface that trawl
 * uses ("CUDA Driver API", NVIDIA; the constants are part of the binary interface).
 */
#ifndef TRAWL_CUDA_DRIVER_H
#define TRAWL_CUDA_DRIVER_H

#include "base/status.h"

struct cuda_context;
struct cuda_stream;
struct cuda_event;
struct cuda_module;
struct cuda_function;

struct cuda_driver {
    void *library;  /* from dlopen; NULL if a test has filled the table */
    bool simulated; /* a simulator, which runs kernels on the host, whatever image is loaded */
#define X(member, symbol, arguments) int(*member) arguments;
#include "cuda/driver.def"
#undef X
};

/* The exported name of each member, for messages. */
struct cuda_symbols {
#define X(member, symbol, arguments) const char *member;
#include "cuda/driver.def"
#undef X
};
extern const struct cuda_symbols cuda_symbols;

enum cuda_code {
    CUDA_CODE_OK = 0,
    CUDA_CODE_INVALID_VALUE = 1,
    CUDA_CODE_OUT_OF_MEMORY = 2,
    CUDA_CODE_NO_DEVICE = 100,
    CUDA_CODE_INVALID_IMAGE = 200,
    CUDA_CODE_NO_BINARY_FOR_GPU = 209,
    CUDA_CODE_UNSUPPORTED_PTX_VERSION = 222,
    CUDA_CODE_ILLEGAL_ADDRESS = 700,
    CUDA_CODE_ALREADY_REGISTERED = 712,
    CUDA_CODE_LAUNCH_FAILED = 719,
    CUDA_CODE_UNKNOWN = 999
};

enum cuda_attribute {
    CUDA_ATTRIBUTE_MULTIPROCESSORS = 16,
    CUDA_ATTRIBUTE_MEMORY_KHZ = 36,
    CUDA_ATTRIBUTE_MEMORY_BITS = 37, /* width of the memory's bus */
    CUDA_ATTRIBUTE_CAPABILITY_MAJOR = 75,
    CUDA_ATTRIBUTE_CAPABILITY_MINOR = 76,
    /* maximum shared memory for a block, once the kernel's CUDA_FUNCTION_DYNAMIC_SHARED_BYTES_MAX
     * is raised */
    CUDA_ATTRIBUTE_SHARED_BYTES_MAX = 97
};

/* Attributes of an address. */
enum cuda_pointer_attribute {
    CUDA_POINTER_MEMORY_TYPE = 2, /* unsigned */
    CUDA_POINTER_READ_AT = 3,     /* uint64_t: address for kernels of the context; used by Python */
    CUDA_POINTER_DEVICE = 9,      /* int */
    CUDA_POINTER_RANGE_BEGIN = 11, /* uint64_t: where the allocation begins */
    CUDA_POINTER_RANGE_BYTES = 12  /* size_t */
};
enum { CUDA_MEMORY_OF_HOST = 1, CUDA_MEMORY_OF_DEVICE = 2 };

enum cuda_function_attribute { CUDA_FUNCTION_DYNAMIC_SHARED_BYTES_MAX = 8 };

enum cuda_limit {
    CUDA_LIMIT_HEAP_BYTES = 2,
    CUDA_LIMIT_PENDING_LAUNCHES = 4,
    CUDA_LIMIT_L2_FETCH_BYTES = 5
};

enum { CUDA_HOST_REGISTER_MAPPED = 3, CUDA_HOST_REGISTER_READ_ONLY = 8 };
enum {
    CUDA_STREAM_NON_BLOCKING = 1,
    CUDA_EVENT_BLOCKING = 1,
    CUDA_EVENT_NO_TIMING = 2,
    CUDA_HOST_MAPPED = 2
};

/* The oldest driver that has all functions in driver.def: that of CUDA 11.0. */
#define CUDA_DRIVER_VERSION_MIN 11000

/* Opens the library, and fills the table. Returns ENGINE if the library is not installed, is too
 * old, or lacks a function. */
enum trawl_status cuda_driver_open(struct cuda_driver *driver, struct trawl_error *error);
void cuda_driver_close(struct cuda_driver *driver);

/* For tests: makes cuda_driver_open copy this table instead of opening the library, until a call
 * with NULL. The table must stay valid until the next call. Not thread-safe. */
void cuda_driver_replace(const struct cuda_driver *driver);

/* Turns the driver's code into a status: OK for 0, MEMORY if the device's memory is exhausted, else
 * DEVICE. A failure's message has the name of the function (`symbol`), device_name unless that is
 * NULL, and the driver's text. */
enum trawl_status cuda_check(const struct cuda_driver *driver, int code, const char *symbol,
                             const char *device_name, struct trawl_error *error);

#endif
