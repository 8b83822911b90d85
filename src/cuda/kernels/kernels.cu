/* kernels: all kernels as one translation unit: nvcc makes the fat binary from it, tests/sim
 * includes it. */
#include "every.cu"
#include "stream.cu"
#include "stream_hits.cu"
#include "sampled.cu"
#include "stream_sampled.cu"
#include "set.cu"
#include "stream_set.cu"
#include "read.cu"
