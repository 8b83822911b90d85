/* sim_product: the simulator's matrix product of a warp. */
#ifndef TRAWL_TESTS_SIM_SIM_PRODUCT_H
#define TRAWL_TESTS_SIM_SIM_PRODUCT_H

#include "cuda/kernels/simt.h"

/* A lane's part (simt.h says which). */
struct sim_product {
    struct simt_u32x4 rows;
    uint32_t columns[2];
    struct simt_s32x4 sums;
};

/* Add the product to all lanes' sums. */
void sim_product_complete(struct sim_product *const lanes[SIMT_WARP_THREADS]);

#endif
