/* checksum: 64 bits that detect accidental damage. Any change of one word changes it. */
#ifndef TRAWL_BASE_CHECKSUM_H
#define TRAWL_BASE_CHECKSUM_H

#include <stdint.h>

uint64_t checksum(const void *bytes, uint64_t bytes_count);

#endif
