/* side: the matches call the plan, which they may not know. */
extern int plan_high(int);

int match_side(int x)
{
    return plan_high(x);
}
