/* debug: the kernels of pss.cu once more, compiled without optimisation, as in the paper's tables I
 * to VII; and the kernel that folds case. */
#include "fold.cu"
#include "pss.cu"
