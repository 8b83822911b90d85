int two_next(int value);
int three_next(int value);

int two_next(int value)
{
    return value > 3 ? value : three_next(value + 1);
}
