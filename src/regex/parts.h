/* parts: what reading both syntaxes of expressions shares: the translated bytes, groups,
 * repetitions, and what is known about the edges of words. */
#ifndef TRAWL_REGEX_PARTS_H
#define TRAWL_REGEX_PARTS_H

#include "regex/translate.h"

#define PARTS_DEPTH_MAX 1000u /* the most groups inside each other */
#define PARTS_NAMED_CLASS "a named class stands within a class: [[:space:]], not [:space:]"

/* What is known about the edges of words. */
struct words {
    /* \< was read, and the next part has to begin with a word character. HELD: the last part does,
     * unless a repetition lets the part be empty. */
    enum { NOTHING, HELD, WANTED } begin;
    bool ends;   /* the last parts end with a word character */
    bool ended;  /* the parts before the last part do */
    bool leaves; /* of a group: an alternative ended while \< wanted a word character */
};

/* A group that is open. */
struct group {
    uint64_t begin;     /* where the group begins in out->bytes */
    uint64_t from;      /* where the group begins in the expression */
    struct words words; /* before the group; ends: all alternatives so far end with a word */
    bool fold;
};

struct parts {
    const struct regex_ops *ops;
    enum trawl_syntax syntax;
    bool unicode;
    bool fold;
    const char *bytes;
    uint64_t count;
    uint64_t at;
    struct translated *out;
    uint64_t names; /* groups with names so far */
    uint64_t depth;
    struct group groups[PARTS_DEPTH_MAX]; /* those that are open */
    /* the last part that a repetition may repeat begins there in out->bytes; UINT64_MAX: there is
     * no such part */
    uint64_t atom;
    bool repeated; /* the part has a repetition */
    struct words words;
    uint64_t word_from; /* where \< was read */
};

/* Reports a mistake, or syntax that RE2 lacks, at byte `at` of the expression. */
enum trawl_status parts_refuse(uint64_t at, struct trawl_error *error, const char *what);
/* Makes room for `more` bytes beyond those that the expression takes. */
enum trawl_status parts_make_room(struct translated *out, uint64_t more, struct trawl_error *error);
/* Appends bytes to the translation, which come from byte `from` of the expression. */
void parts_put(struct parts *reader, const char *bytes, uint64_t count, uint64_t from);
bool parts_is_digit(char byte);
bool parts_is_word(char byte);
/* Returns whether each character of the class is an ASCII word character, as in [a-z_]. */
bool parts_is_word_class(const char *text, uint64_t count);
/* Returns whether the class is "[:...:]", by which [[:...:]] is meant. */
bool parts_is_named_class(const char *text, uint64_t count);
/* Begins a part that a repetition may repeat. word: the part is an ASCII word character. */
enum trawl_status parts_begin(struct parts *reader, bool word, struct trawl_error *error);
/* Handles the begin of a group that was just written from out->bytes[begin] on. */
enum trawl_status parts_open(struct parts *reader, uint64_t begin, uint64_t from,
                             struct trawl_error *error);
/* Handles the end of an alternative. */
enum trawl_status parts_end_alternative(struct parts *reader, struct trawl_error *error);
/* Handles the end of the innermost group, which a repetition may then repeat. */
enum trawl_status parts_close(struct parts *reader, struct trawl_error *error);
/* Writes \b for \< or \>, which begin at `from`. */
enum trawl_status parts_put_edge(struct parts *reader, bool begins, uint64_t from,
                                 struct trawl_error *error);
/* Writes a repetition. A part that has a repetition already becomes a group, because RE2 would read
 * "*?" or "*+" as a single operator. */
enum trawl_status parts_repeat(struct parts *reader, const char *bytes, uint64_t count,
                               uint64_t from, struct trawl_error *error);

/* Copies the expression in Perl's or in ripgrep's syntax, but for what RE2 reads differently. */
enum trawl_status perl_read(struct parts *reader, struct trawl_error *error);

#endif
