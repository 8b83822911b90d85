/* low: base calls the plan and a library that is not the C library. */
extern int plan_high(int);
extern double wide_cosine(double);

int base_low(int x)
{
    return plan_high(x) + (int)wide_cosine(x);
}
