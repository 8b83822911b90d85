/* sequence: characters that follow each other, each with its repetition, and assertions: most of
 * what an expression says beside a string, and many whole expressions. Two matchers read sequences
 * without RE2, 3 to 10 times as fast.
 *
 * An automaton (around.c) decides about the characters beside a string that a search has found. In
 * `[A-Z][a-z]+ said\b`, a search finds the string " said". One automaton reads `[A-Z][a-z]+`
 * backwards from the string, another reads `\b` forwards. If the bytes that it may read do not
 * decide, it answers that RE2 has to be asked; so it does at bytes that are no UTF-8. Under
 * TRAWL_MULTILINE, a sequence with assertions has no automaton.
 *
 * The one-pass matcher (one_pass.c) finds matches of a whole expression, with its groups, if no
 * character that a repetition takes could also begin what follows. So at each position there is
 * only one way to match, and the first try decides. At characters beyond ASCII it answers that RE2
 * has to decide.
 */
#ifndef TRAWL_REGEX_SEQUENCE_H
#define TRAWL_REGEX_SEQUENCE_H

#include "base/status.h"
#include "regex/re2.h"
#include "regex/syntax/tree.h"

#define SEQUENCE_MAX 16u
#define SEQUENCE_GROUPS_MAX 16u

/* Assertions in a sequence. An edge of a word has bits that say where it may stand: bit 0 between
 * characters of no word, bit 1 after a word, bit 2 before a word, bit 3 inside a word. */
enum { EDGE_NO_WORD_AFTER = 3, EDGE_NO_WORD_BEFORE = 5, EDGE_BEGIN = 16, EDGE_END = 32 };

struct sequence {
    uint32_t count;
    bool is_lazy; /* some repetition takes as few as possible */
    struct sequence_item {
        uint8_t edge;  /* 0: a character */
        bool by_lines; /* of EDGE_BEGIN and EDGE_END: they hold at newlines, too */
        uint8_t skips; /* number of characters, from this one on, that may be left out together */
        uint32_t least;
        uint32_t most; /* greatest number of repetitions; SYNTAX_ENDLESS: any number */
        const struct syntax_node *node; /* the CHAR or SET */
    } items[SEQUENCE_MAX];
    /* for each numbered group, the indexes of its first item, and of the item after its last */
    uint32_t group_count;
    struct sequence_group {
        uint32_t first;
        uint32_t end;
    } groups[SEQUENCE_GROUPS_MAX];
};

/* Adds a node to the sequence, in the order of the expression or backwards. Returns false if the
 * sequence cannot hold the node, or is full. */
bool sequence_add(struct sequence *sequence, const struct syntax_node *node, bool backwards);
/* Returns true if both sequences match the same. */
bool sequence_equals(const struct sequence *a, const struct sequence *b);
bool sequence_add_edge(struct sequence *sequence, uint8_t edge);

/* Results of an automaton. AROUND_ASKS: RE2 has to decide. */
enum { AROUND_FAILS, AROUND_MATCHES, AROUND_ASKS };

struct around_automaton;
/* Code points of words beyond ASCII, up to `end`. */
struct around_words {
    const struct code_range *ranges;
    uint32_t count;
    uint32_t end;
};
struct around_options {
    const struct regex_options *options; /* of the expression's program */
    bool backwards; /* the characters are read from last to first, as the sequence's items are */
    bool crosses;   /* TRAWL_MULTILINE: at the text's end RE2 decides */
    bool crlf;      /* RE2 reads a CR, which may belong to a line end */
    uint8_t line_ends[2];
    const struct around_words *words; /* NULL: words are those of ASCII */
};
/* Makes the automaton of a sequence. Sets *out to NULL if the sequence is NULL or too long, or if
 * the automaton could not decide about one of its edges or about line ends. *scratch is memory that
 * automata are made in: NULL at first, and released by around_release. Errors: MEMORY. */
struct places;
enum trawl_status around_make(const struct sequence *sequence, const struct around_options *options,
                              struct places **scratch, struct around_automaton **out,
                              struct trawl_error *error);
/* Returns the automaton, which is then freed once more; both functions accept NULL. */
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
 * bytes[0, count) and ends at a line end. Without an automaton, the answer is AROUND_ASKS. Reads
 * about AROUND_BYTES + *spare bytes on each side at most. Subtracts all bytes read from *spare,
 * down to 0. */
struct around around_read(const struct around_automaton *before,
                          const struct around_automaton *after, const uint8_t *bytes, uint64_t at,
                          uint64_t end, uint64_t count, uint64_t *spare);

/* Makes the one-pass matcher of an expression. Sets *out to NULL if the expression has none.
 * Errors: MEMORY. */
struct one_pass;
enum trawl_status one_pass_make(const struct syntax_node *root, const struct regex_options *options,
                                struct one_pass **out, struct trawl_error *error);
void one_pass_free(struct one_pass *matcher); /* accepts NULL */
/* Finds a match as regex_ops.match does. Returns -1 if RE2 has to decide. */
int one_pass_match(const struct one_pass *matcher, const uint8_t *text, uint64_t from, uint64_t to,
                   enum regex_anchor anchor, struct regex_span *spans, uint32_t span_count);

#endif
