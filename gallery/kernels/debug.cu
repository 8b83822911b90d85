/* debug: the kernels of pss.cu and bmh.cu once more, compiled without optimisation, as in the
 * tables I to VII of pss and in the program of bmh; and the kernel that folds case. nvcc -G inlines
 * no function, so here a load is not a call. */
#include "cuda/kernels/simt.h"
#define simt_load_u8(address) (*(address))
#define simt_block() blockIdx.x
#define simt_threads() blockDim.x
#define simt_thread() threadIdx.x

#include "bmh.cu"
#include "fold.cu"
#include "pss.cu"
