/* constant: the gallery's array in constant memory, which holds a pattern or hashes. The host fills
 * the array before a launch; kernels only read the array. */
#ifndef TRAWL_GALLERY_KERNELS_CONSTANT_H
#define TRAWL_GALLERY_KERNELS_CONSTANT_H

#include "gallery/kernels/gallery.h"
#include "cuda/kernels/simt.h"

SIMT_CONSTANT(uint32_t, gallery_constant, GALLERY_CONSTANT_WORDS);

#endif
