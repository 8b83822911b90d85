/* two: an enum of the same name, and an opaque struct. */
enum one
{
    ONE
};
struct two;
