/* constant: the gallery's array in constant memory: a pattern from byte 0 on, or hashes. The host
 * fills it before the first launch of a plan; no one writes it in between. */
#ifndef TRAWL_GALLERY_KERNELS_CONSTANT_H
#define TRAWL_GALLERY_KERNELS_CONSTANT_H

#include "gallery/kernels/gallery.h"
#include "cuda/kernels/simt.h"

SIMT_CONSTANT(uint32_t, gallery_constant, GALLERY_CONSTANT_WORDS);

#endif
