/* high: the plan calls base and the C library, which it may. */
#include <stdlib.h>

extern int base_low(int);

int plan_high(int x)
{
    return abs(x) > 1 ? base_low(x - 1) : rand();
}
