/* children: the gallery's kernels that launch kernels, and the kernels that belong to them, in a
 * separate translation unit. The images of these kernels are linked with the device's run-time
 * library. That library has no code for some devices, and of compute-sanitizer's tools only
 * memcheck works on the images. tests/sim includes this file. */
#include "swift.cu"
