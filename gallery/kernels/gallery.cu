/* gallery: the gallery's kernels as a translation unit, except kernels that launch kernels
 * (children.cu). nvcc compiles this file to fat binaries; tests/sim includes this file. */
#include "aho_corasick.cu"
#include "bf.cu"
#include "bmh.cu"
#include "fold.cu"
#include "pss.cu"
#include "records.cu"
#include "skip.cu"
#include "word.cu"
