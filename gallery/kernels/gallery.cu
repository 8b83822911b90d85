/* gallery: the gallery's kernels as a translation unit, except those of swift.cu, which launch
 * kernels and are in children.cu. nvcc compiles this file to fat binaries; tests/sim includes this
 * file. */
#include "aho_corasick.cu"
#include "bf.cu"
#include "bmh.cu"
#include "fold.cu"
#include "pss.cu"
#include "records.cu"
#include "skip.cu"
#include "word.cu"
