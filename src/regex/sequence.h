/* sequence: characters that follow each other, each with its repetition, and assertions: most of
 * what expressions have next to a string, and many whole expressions. An automaton reads a sequence
 * 3 to 10 times as fast as by reading its line. (Automata are made in sequence_make.c, and read in
 * sequence_read.c.) They have two uses:
 *
 *   around_read    checks the characters next to a string that a search has found. In `[A-Z][a-z]+
 *                  said\b`, the search finds " said". One automaton reads `[A-Z][a-z]+` backwards
 *                  from the string, another reads `\b` forwards.
 *   span_find      finds the match around such a string: where the head begins, read backwards,
 *                  and where the whole expression ends, read from there.
 *
 * If the bytes that an automaton may read are not enough to decide, it answers that another has to;
 * for example, at invalid UTF-8 next to a word boundary. Under TRAWL_MULTILINE, a sequence with
 * assertions has no automaton.
 */
#ifndef TRAWL_REGEX_SEQUENCE_H
#define TRAWL_REGEX_SEQUENCE_H

#include "base/status.h"
#include "regex/options.h"
#include "regex/syntax/tree.h"

#define SEQUENCE_MAX 62u

/* Assertions in a sequence. A word boundary has a bit for each place where it may be: bit 0 between
 * two characters outside words, bit 1 after a word, bit 2 before a word, bit 3 inside a word. */
enum { EDGE_NO_WORD_AFTER = 3, EDGE_NO_WORD_BEFORE = 5, EDGE_BEGIN = 16, EDGE_END = 32 };

struct sequence {
    uint32_t count;
    bool skips; /* some characters are optional together, as in (ab)? */
    /* Some characters are alternatives of a group, as in (GET|HEAD). In each alternative but the
     * last, `skips` of the first character leads to the next alternative, and `jumps` of the last
     * character leads over all later ones. */
    bool alternates;
    bool is_cut; /* what the expression says next is more than a sequence can say */
    struct sequence_item {
        uint8_t edge;  /* an assertion; 0: the item is a character */
        bool by_lines; /* for EDGE_BEGIN and EDGE_END: they also match at newlines */
        bool is_lazy;  /* the repetition is lazy */
        uint8_t skips; /* how many characters, beginning with this one, are optional together */
        uint8_t jumps; /* how many characters after this one are not read */
        uint32_t min;
        uint32_t max; /* maximum number of repetitions; SYNTAX_ENDLESS: any number */
        const struct syntax_node *node; /* the character, as a CHAR or SET */
    } items[SEQUENCE_MAX];
};

/* Adds a node to the sequence, in the expression's order or backwards. Returns false if the node
 * cannot be in a sequence, or if the sequence is full; then what each match of the node begins
 * with, or backwards ends with, may have been added. */
bool sequence_add(struct sequence *sequence, const struct syntax_node *node, bool backwards);
/* Adds the repetitions of a node beyond the minimum number of them. */
bool sequence_add_rest(struct sequence *sequence, const struct syntax_node *node);
/* Returns true if both sequences have the same items. */
bool sequence_equals(const struct sequence *a, const struct sequence *b);
bool sequence_add_edge(struct sequence *sequence, uint8_t edge);

/* Results of an automaton. AROUND_ASKS: it cannot decide. */
enum { AROUND_FAILS, AROUND_MATCHES, AROUND_ASKS };

struct around_automaton;
/* The ranges of non-ASCII code points that words may have, up to `end`. */
struct around_words {
    const struct code_range *ranges;
    uint32_t count;
    uint32_t end;
};
struct around_options {
    bool bytes;     /* each byte is a character; false: UTF-8 */
    bool backwards; /* characters are read from last to first, in item order */
    bool crosses;   /* TRAWL_MULTILINE: it does not decide at the end of the text */
    bool crlf;      /* it does not decide at a CR, which may belong to a line end */
    bool has_lines; /* the text is divided into lines by `line_ends` */
    /* If the sequence may end at several places, a match ends at the last; false: at the one that
     * greedy and lazy repetitions prefer. */
    bool longest;
    bool is_alphabet; /* the automaton gets no states, only symbols */
    uint32_t first;   /* the automaton skips this many first items: assertions known to be true */
    uint8_t line_ends[2];
    const struct around_words *words; /* NULL: words are those of ASCII */
};
/* Builds the automaton of a sequence. Sets *out to NULL if the sequence is NULL or too long, or if
 * the automaton could not decide about a word boundary or line end of it. *scratch is memory for
 * building automata: initially NULL, and freed by around_release. Errors: MEMORY. */
struct places;
enum trawl_status around_make(const struct sequence *sequence, const struct around_options *options,
                              struct places **scratch, struct around_automaton **out,
                              struct trawl_error *error);
/* around_share adds a user of the automaton, and returns it; around_free removes one, and frees the
 * automaton with the last. Both accept NULL. */
struct around_automaton *around_share(struct around_automaton *automaton);
void around_free(struct around_automaton *automaton);
void around_release(struct places *scratch);

/* an automaton reads about this many bytes, even if *spare of around_read is 0 */
#define AROUND_BYTES 16u

/* What the automata found before and after a string. */
struct around {
    uint32_t before;
    uint32_t after;
};

/* Reads the text before and after a string, which is bytes[at, end). The string's line lies in
 * bytes[0, count) and ends at a line end. Where the automaton is NULL, the result is AROUND_ASKS.
 * Reads at most about AROUND_BYTES + *spare bytes on each side, and subtracts all bytes read from
 * *spare, down to 0. */
struct around around_read(const struct around_automaton *before,
                          const struct around_automaton *after, const uint8_t *bytes, uint64_t at,
                          uint64_t end, uint64_t count, uint64_t *spare);

/* Finds matches around strings. `head` reads what comes before the string, backwards; `whole` reads
 * the expression. */
struct span_finder {
    struct around_automaton *head;
    struct around_automaton *whole;
};
/* Returns true if span_find may be tried string by string, in the order of the text: the first
 * string around which it finds a match is always inside the leftmost match. `head` is the sequence
 * before the string. */
bool span_may_find(const struct sequence *head);
/* Finds the first match that begins at or after `from` and contains the string at `at`. Returns 1,
 * 0 if there is none, or -1 if it cannot decide. Subtracts the bytes read from *spare, like
 * around_read. */
int span_find(const struct span_finder *spans, const uint8_t *bytes, uint64_t at, uint64_t from,
              uint64_t count, uint64_t *spare, struct regex_span *span);

#endif
