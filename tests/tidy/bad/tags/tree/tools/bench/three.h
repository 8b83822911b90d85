/* three: names of other rooms. */
struct two {
    struct one *one;
};
struct three {
    int x;
};
