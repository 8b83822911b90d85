/* simt: the seam. */
#include <stdint.h>
