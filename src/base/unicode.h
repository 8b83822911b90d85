/* unicode: the letters of Unicode 16. */
#ifndef TRAWL_BASE_UNICODE_H
#define TRAWL_BASE_UNICODE_H

#include "trawl.h"

/* `variants` of trawl_unicode(). */
uint32_t unicode_variants(void *context, uint32_t code_point, uint32_t *variants);

#endif
