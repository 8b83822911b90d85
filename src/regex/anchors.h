/* anchors: collects the strings with which expressions are searched for, and builds a plan for all
 * of them. Each alternative of an expression has an anchor: a few strings, one of which is in each
 * match of that alternative. */
#ifndef TRAWL_REGEX_ANCHORS_H
#define TRAWL_REGEX_ANCHORS_H

#include "regex/regex_compile.h"
#include "regex/split.h"

struct anchor_maker {
    struct expressions *made; /* receives the anchors, and the plan of their strings */
    struct byte_rates rates;
    /* a part of the text, in which rare strings are preferred; see struct split_options */
    const uint8_t *sample;
    uint64_t sample_bytes;
    bool weighs;         /* as in struct split_options */
    uint32_t expression; /* number of the expression that is being split */
    bool fails;          /* there are too many strings, or matches may cross lines and an
                            expression has none: build no plan of them */
    bool lacks;          /* some expression has no strings */
    bool folds;          /* some strings ignore case */
    bool keeps;          /* some strings do not ignore case */
    bool all_sure;       /* each occurrence of each string lies in a match */
    bool all_match;      /* each occurrence of each string is a match */
    bool has_edges;      /* of `expression`, whole words or whole lines are searched for */
    bool is_near;        /* of the first anchor, as in struct split */
    /* An anchor with a list of its own; the next one shares its automata if the same is before and
     * after its strings. */
    struct anchor_kept {
        const struct syntax_node *list; /* NULL: there is none */
        uint32_t first, last, index;    /* of its anchor */
        uint32_t expression;            /* whose tree must stay */
    } kept;
    /* The strings of all anchors: */
    struct anchor_string {
        struct split_string string;
        uint32_t anchor;
    } * strings;
    uint64_t string_count;
    uint64_t string_capacity;
};

/* Starts to collect. The sample must stay readable until the last anchor has been added. */
void anchors_begin(struct anchor_maker *maker, struct expressions *made, const uint8_t *sample,
                   uint64_t sample_bytes);
/* Adds the anchors of expression number `expression`, and sets its has_atoms. Errors: MEMORY. */
enum trawl_status anchors_add(struct anchor_maker *maker, uint32_t expression,
                              const struct syntax_node *root, struct trawl_error *error);
/* Builds made->atoms, the plan of the strings. If there are none or too many, builds no plan, and
 * sets made->anchor_count to 0. Errors: MEMORY, LIMIT. */
enum trawl_status anchors_end(struct anchor_maker *maker, struct trawl_error *error);
void anchors_release(struct anchor_maker *maker);
/* Expressions, and a part of a text. */
struct expressions_seen {
    const struct expressions *expressions;
    const uint8_t *sample;
    uint64_t sample_bytes;
};
/* Makes expressions from a struct expressions_seen, with strings that are rare in the sample, and
 * with the programs of the given ones. The caller, or attachment_want, releases *object with
 * anchors_free_seen. */
enum trawl_status anchors_make_seen(const void *from, void **object, struct trawl_error *error);
void anchors_free_seen(void *object);
/* Frees the anchors of the expressions. */
void anchors_free(struct expressions *made);

#endif
