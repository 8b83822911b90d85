/* list: base reaches up to the plan, which it may not know. */
#include "base/list.h"

#include <stdlib.h>

#include "plan/plan.h"
#include "base/missing.h"
/* #include "cpu/cpu.h" is only a comment */
