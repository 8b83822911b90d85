/* sets: stream_set's kernels as a translation unit of its own: there are many of them. */
#include "stream_set.cu"
