/* children: the gallery's kernels that launch kernels, and their companions, as a translation unit.
 * Their image is linked with the device's run-time library, which has no code for some devices, and
 * on which only memcheck of compute-sanitizer's tools works. tests/sim includes this file, too. */
#include "swift.cu"
