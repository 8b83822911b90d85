/* children: the gallery's kernels that launch kernels, as a translation unit apart. The images of
 * these kernels are linked with the device's run-time library. The library has no code for some
 * devices, and of compute-sanitizer's tools only memcheck works on the images. tests/sim includes
 * this file. */
#include "swift.cu"
