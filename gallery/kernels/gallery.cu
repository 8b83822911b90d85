/* gallery: the gallery's kernels but those that launch kernels (children.cu), as one translation
 * unit: nvcc makes fat binaries from it, tests/sim includes it. */
#include "aho_corasick.cu"
#include "bf.cu"
#include "bmh.cu"
#include "fold.cu"
#include "pss.cu"
#include "records.cu"
#include "skip.cu"
#include "word.cu"
