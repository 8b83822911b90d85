/* word: "keyword" is quoted here, and this haystack is not. */
static const char *help = "a needle in a haystack";
static int needle_count; /* a name that only holds the word */
static int needle;
/* TODO: later */
