/* gallery: the gallery's kernels as a translation unit, but for those of swift.cu (children.cu).
 * nvcc compiles it to fat binaries; tests/sim includes it. */
#include "aho_corasick.cu"
#include "bf.cu"
#include "bmh.cu"
#include "fold.cu"
#include "pss.cu"
#include "records.cu"
#include "skip.cu"
#include "word.cu"
