/* gallery: all of the gallery's kernels as one translation unit: nvcc makes its fat binaries from
 * it, tests/sim includes it. */
#include "bf.cu"
#include "bmh.cu"
#include "fold.cu"
#include "pss.cu"
#include "records.cu"
#include "skip.cu"
#include "swift.cu"
#include "word.cu"
