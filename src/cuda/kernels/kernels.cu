/* kernels: all kernels except those of stream_set as one translation unit. nvcc makes the fat
 * binary from it; tests/sim includes it. */
#include "every.cu"
#include "stream.cu"
#include "stream_hits.cu"
#include "stream_sampled.cu"
#include "set.cu"
#include "automaton.cu"
