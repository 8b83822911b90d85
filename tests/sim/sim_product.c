/* sim_product: see sim_product.h. */
#include "sim_product.h"

/* Byte k of row r; byte k of column c. */
static int32_t row_byte(struct sim_product *const lanes[SIMT_WARP_THREADS], uint32_t r, uint32_t k)
{
    return (uint8_t)(lanes[r % 8 * 4 + k % 16 / 4]->rows.w[r / 8 + k / 16 * 2] >> k % 4 * 8);
}

static int32_t column_byte(struct sim_product *const lanes[SIMT_WARP_THREADS], uint32_t k,
                           uint32_t c)
{
    return (int8_t)(lanes[c * 4 + k % 16 / 4]->columns[k / 16] >> k % 4 * 8);
}

void sim_product_complete(struct sim_product *const lanes[SIMT_WARP_THREADS])
{
    for (uint32_t lane = 0; lane < SIMT_WARP_THREADS; lane++)
        for (uint32_t i = 0; i < 4; i++) {
            uint32_t r = lane / 4 + i / 2 * 8, c = lane % 4 * 2 + i % 2;

            for (uint32_t k = 0; k < 32; k++)
                lanes[lane]->sums.w[i] += row_byte(lanes, r, k) * column_byte(lanes, k, c);
        }
}
