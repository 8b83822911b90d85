/* Calls itself, which is no circle of files. */
extern int four_shared;
int four_again(int value);
int gone_next(void);

int four_shared = 1;

int four_again(int value)
{
    return value > 3 ? gone_next() : four_again(value + 1);
}
