/* open: no guard. */
int open_count(void);
