/* children: the gallery's kernels that launch kernels, and their companions, as a translation unit.
 * It is linked with the CUDA device runtime, which has no code for some devices, and on which only
 * compute-sanitizer's memcheck works. tests/sim includes this file, too. */
#include "swift.cu"
