/* sets: the kernels of stream_set, as a separate translation unit, since stream_set has many. */
#include "stream_set.cu"
