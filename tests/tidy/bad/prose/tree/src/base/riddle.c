/* riddle: a file with comments that no stranger can follow. */

/* Returns the number of bytes that the caller may read. */
int clear;

/* Those that it found before the others are given to them, and none of its own. */
int riddle; /* as the one above, it is another one */

const char *text = "it its they them those such none others: a string is no comment";
