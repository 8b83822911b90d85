/* cuda: knows the other engine and the toolkit. */
#include <cuda.h>
#include "cpu/cpu.h"
#include "kernels/scan.h"
