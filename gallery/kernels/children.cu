/* children: the gallery's kernels that launch kernels, apart from the others: their images are
 * linked with the device's run-time library, which compute-sanitizer's tools but memcheck cannot
 * look into and which has no code for some devices. tests/sim includes it. */
#include "swift.cu"
