/* mend: a changed image of a plan gets the checksums that fit, as an attacker would do.
 */
#ifndef TRAWL_UNIT_MEND_H
#define TRAWL_UNIT_MEND_H

#include <stddef.h>

#include "base/checksum.h"
#include "plan/image.h"

static inline void image_mend(uint8_t *bytes, uint64_t bytes_count)
{
    struct plan_image_header *header = (struct plan_image_header *)(void *)bytes;

    for (uint32_t i = 0; i < header->section_count && i < PLAN_SECTIONS_MAX; i++) {
        struct plan_section *section = &header->sections[i];

        if (section->offset <= bytes_count && section->bytes_count <= bytes_count - section->offset)
            section->checksum = checksum(bytes + section->offset, section->bytes_count);
    }
    header->checksum = checksum(header, offsetof(struct plan_image_header, checksum));
}

#endif
