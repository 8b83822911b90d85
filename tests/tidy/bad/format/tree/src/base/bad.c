/* bad: a brace and a space in the wrong place. */
int bad(int x) {
    return x ;
}
