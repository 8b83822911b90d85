/* filter_neon: implements struct filter_ops by 16-byte vectors and lookups on arm64. */
#include <arm_neon.h>

#define VECTOR_BYTES 16

#include "approximate/filter_vector.h"

#define HAS_LOOKUP

INLINE bytes_vector bytes_table(const uint8_t *bytes)
{
    return (bytes_vector)vld1q_u8(bytes);
}

INLINE bytes_vector bytes_lookup(bytes_vector table, bytes_vector index)
{
    return (bytes_vector)vqtbl1q_u8((uint8x16_t)table, (uint8x16_t)index);
}

/* Returns a bit for each byte, set if the byte is not 0: keeps in each such byte the bit of its
 * offset among eight bytes, and then adds pairs of bytes until eight bytes have become a single
 * byte. */
INLINE uint64_t bytes_mask(const bytes_vector bytes[BLOCK_VECTORS])
{
    const uint8x16_t offset = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    uint8x16_t kept[4], sums;

    for (uint32_t i = 0; i < 4; i++)
        kept[i] = vandq_u8(vtstq_u8((uint8x16_t)bytes[i], (uint8x16_t)bytes[i]), offset);
    sums = vpaddq_u8(vpaddq_u8(kept[0], kept[1]), vpaddq_u8(kept[2], kept[3]));
    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(sums, sums)), 0);
}

#include "approximate/filter_impl.h"

const struct filter_ops approx_filter_neon = FILTER_OPS("neon");
