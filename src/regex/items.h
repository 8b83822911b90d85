/* items: reads the items of a list (syntax/tree.h) as far as choosing strings needs. The texts of
 * some items can be listed: `daughters?` matches daughter and daughters. */
#ifndef TRAWL_REGEX_ITEMS_H
#define TRAWL_REGEX_ITEMS_H

#include "regex/split.h"

struct item {
    const struct syntax_node *node; /* with its repetition */
    const struct syntax_node *once; /* what is repeated, or the node itself */
    uint32_t least;                 /* least number of repetitions */
    bool is_group;                  /* a group that takes part in each match */
    bool repeats;                   /* the item has a repetition */
    bool folds;                     /* a character inside stands for letters of any case */
    bool keeps;                     /* a character inside stands for itself alone */
    bool lists;                     /* the item's texts can be listed */
    bool goes_on;                   /* further bytes may follow the listed texts */
    bool is_line_end; /* if a head may hold line ends: the item is a line end, and nothing else */
};

struct splitter {
    const struct split_options *options;
    bool gives_up; /* groups are nested too deeply */
    struct item *items;
    uint64_t item_count;
    uint64_t item_capacity;
    /* if matches may cross lines: index of the list's first item that may hold a line end;
     * UINT64_MAX: none */
    uint64_t cross_at;
    struct sequence before;
    struct sequence after;
};

/* Replaces the strings of `to` by all strings that consist of a string of `to` and then a string of
 * `more`. Returns false, and leaves `to` unchanged, if there would be more than `most` strings or a
 * string would be too long. */
bool items_append(struct split_strings *to, const struct split_strings *more, uint32_t most);
void items_empty(struct split_strings *to); /* makes `to` the set of the empty string alone */
bool items_have_empty(const struct split_strings *strings);
/* Reads a node, inside `depth` groups. If item->lists, stores the item's texts in *set. */
void items_read(struct splitter *splitter, const struct syntax_node *node, uint32_t depth,
                struct item *item, struct split_strings *set);

#endif
