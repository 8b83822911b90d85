int one_begin(void);
int two_next(int value);

int one_begin(void)
{
    return two_next(1);
}
