/* one: a struct, and names that are none: struct two { in a comment. */
struct one {
    int x;
};
enum two { TWO };
static struct one three;
