/* http: the command must not know of it. */
#include "plan/plan.h"
