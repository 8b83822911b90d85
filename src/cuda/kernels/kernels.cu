/* kernels: the kernels of this folder, except those of stream_set, as a translation unit. nvcc
 * makes a fat binary of this file; tests/sim includes the file. */
#include "every.cu"
#include "stream.cu"
#include "stream_hits.cu"
#include "stream_sampled.cu"
#include "set.cu"
#include "automaton.cu"
#include "sort.cu"
#include "answer.cu"
