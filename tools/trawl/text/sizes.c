/* sizes: see sizes.h. */
#include "trawl/text/sizes.h"

#ifdef TRAWL_SMALL_SIZES
const bool sizes_are_small = true;
#else
const bool sizes_are_small = false;
#endif
