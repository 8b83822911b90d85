/* cpu: what the cpu engine shares. */
#include "plan/plan.h"
