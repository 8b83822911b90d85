/* rabin_karp: the rolling hash of rabin-karp and rabin-karp-matrix on the host: the window's bytes
 * as a number to base 256, modulo a prime. */
#ifndef TRAWL_GALLERY_RABIN_KARP_H
#define TRAWL_GALLERY_RABIN_KARP_H

#include <stdint.h>

#define RABIN_KARP_PRIME 4294967291u /* 2^32 - 5 */

static inline uint32_t rabin_karp_push(uint32_t hash, uint8_t byte)
{
    return (uint32_t)(((uint64_t)hash << 8 | byte) % RABIN_KARP_PRIME);
}

/* Returns 256^(count - 1) modulo the prime, the factor of a window's first byte. count >= 1. */
static inline uint32_t rabin_karp_power(uint64_t count)
{
    uint32_t power = 1;

    for (uint64_t i = 1; i < count; i++)
        power = rabin_karp_push(power, 0);
    return power;
}

/* Returns the hash after the window moves by a byte: `out` leaves it, `in` enters. */
static inline uint32_t rabin_karp_roll(uint32_t hash, uint32_t power, uint8_t out, uint8_t in)
{
    uint64_t gone = (uint64_t)power * out % RABIN_KARP_PRIME;

    uint64_t rest = hash >= gone ? hash - gone : hash + (RABIN_KARP_PRIME - gone);

    return rabin_karp_push((uint32_t)rest, in);
}

#endif
