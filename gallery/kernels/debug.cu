/* debug: the kernels of pss.cu once more, compiled without optimisation, as the source's tables I
 * to VII time them; and the kernel that folds case. */
#include "fold.cu"
#include "pss.cu"
