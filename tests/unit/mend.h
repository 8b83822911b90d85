/* mend: a changed saved plan gets the checksums that fit, as an attacker would do. */
#ifndef TRAWL_UNIT_MEND_H
#define TRAWL_UNIT_MEND_H

#include <stddef.h>
#include <string.h>

#include "base/checksum.h"
#include "plan/saved.h"

static inline void saved_mend(uint8_t *bytes, uint64_t bytes_count)
{
    struct plan_saved_header header;

    if (bytes_count < sizeof header)
        return;
    memcpy(&header, bytes, sizeof header);
    header.body_checksum = checksum(bytes + sizeof header, bytes_count - sizeof header);
    header.checksum = checksum(&header, offsetof(struct plan_saved_header, checksum));
    memcpy(bytes, &header, sizeof header);
}

#endif
