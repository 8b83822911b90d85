/* scan: a kernel that includes libc and the room above it. */
#include <string.h>
#include "kernels/simt.h"
#include "simt.h"
#include "base/list.h"
