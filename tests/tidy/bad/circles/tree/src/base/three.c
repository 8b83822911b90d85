int two_next(int value);
int three_next(int value);
extern int four_shared;

int three_next(int value)
{
    return two_next(value + four_shared);
}
