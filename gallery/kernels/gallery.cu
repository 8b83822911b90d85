/* gallery: the gallery's kernels as one translation unit, except those of swift.cu, for which
 * children.cu is one. nvcc compiles it to fat binaries; tests/sim includes it. */
#include "aho_corasick.cu"
#include "bf.cu"
#include "bmh.cu"
#include "fold.cu"
#include "pss.cu"
#include "records.cu"
#include "shuffle.cu"
#include "skip.cu"
#include "word.cu"
