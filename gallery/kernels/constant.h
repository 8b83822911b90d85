/* constant: the gallery's array in constant memory, which the host fills with a pattern or hashes
 * before a launch. */
#ifndef TRAWL_GALLERY_KERNELS_CONSTANT_H
#define TRAWL_GALLERY_KERNELS_CONSTANT_H

#include "gallery/kernels/gallery.h"
#include "cuda/kernels/simt.h"

SIMT_CONSTANT(uint32_t, gallery_constant, GALLERY_CONSTANT_WORDS);

#endif
