/* kernels: the kernels of this folder, except stream_set's, as a translation unit, of which nvcc
 * makes a fat binary; tests/sim includes it. */
#include "every.cu"
#include "stream.cu"
#include "stream_hits.cu"
#include "stream_sampled.cu"
#include "set.cu"
#include "automaton.cu"
#include "sort.cu"
#include "answer.cu"
