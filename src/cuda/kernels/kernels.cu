/* kernels: the kernels of this folder, except those of stream_set, as one translation unit. nvcc
 * compiles it to a fat binary; tests/sim includes it. */
#include "planes.cu"
#include "stream.cu"
#include "stream_append.cu"
#include "stream_sampled.cu"
#include "automaton.cu"
#include "sort.cu"
#include "bins.cu"
#include "answer.cu"
#include "expressions.cu"
#include "rewrite.cu"
#include "pages.cu"
