/* items: reads RE2's syntax as far as strings need.
 *
 * A list is a sequence of items without '|': characters, classes, assertions and groups, each with
 * its repetition. The texts of some items can be listed: `daughters?` is daughter and daughters.
 */
#ifndef TRAWL_REGEX_ITEMS_H
#define TRAWL_REGEX_ITEMS_H

#include "regex/split.h"

#define FLAG_LETTERS "imsU"
enum { FOLDS = 1, MANY_LINES = 2, DOT_ALL = 4 }; /* flags: a bit for each letter of FLAG_LETTERS */
enum kind { CHARS, ANY, EDGE, OPEN, CLOSE, BAR, FLAGS, REPEAT, END };

struct item {
    uint64_t begin; /* bytes [begin, end) of the expression are the item with the repetition */
    uint64_t end;
    uint64_t one_end; /* of a character: its end, without the repetition; else 0 */
    uint32_t least;   /* how often the item stands there */
    uint32_t most;    /* SPLIT_ENDLESS: no limit */
    uint64_t inner; /* of a group that each match holds: where the group's inside begins; else 0 */
    uint32_t flags;
    uint32_t inner_flags;
    bool is_edge;
    bool repeats;     /* has a repetition */
    bool consumes;    /* each match of the item has a byte or more */
    bool looks_ahead; /* holds an assertion that depends on the byte after */
    bool folds;       /* holds characters in any case of letters */
    bool keeps;       /* holds characters that stand for themselves */
    bool lists;       /* the texts can be listed */
    bool goes_on;     /* more bytes may follow the listed texts */
};

/* Numbers of the tokens that were read so far, by kind. */
struct seen {
    uint64_t looks_ahead; /* assertions that depend on the byte after */
    uint64_t looks_back;  /* assertions that depend on the byte before */
    uint64_t folds;       /* characters that stand for a letter of any case */
    uint64_t keeps;       /* characters that stand for themselves */
};

struct reader {
    const struct split_options *options;
    const uint8_t *bytes;
    uint64_t count;
    uint64_t at;
    uint32_t flags;
    uint32_t depth; /* number of open groups */
    bool gives_up;  /* the expression holds what this file does not know */
    struct seen seen;
    struct item *items;
    uint64_t item_count;
    uint64_t item_capacity;
    char *text; /* the bytes of heads and tails */
    uint64_t text_count;
    uint64_t text_capacity;
    uint64_t text_total; /* bytes of all heads and tails so far */
    /* TRAWL_MULTILINE: the first item of the list that may hold a line end; else UINT64_MAX */
    uint64_t cross_at;
    struct split_sequence before;
    struct split_sequence after;
};

/* Appends each of `more` to each of `to`. Returns false, and leaves `to` as it was, if that makes
 * more than `most` strings or a string that is too long. */
bool items_append(struct split_strings *to, const struct split_strings *more, uint32_t most);
void items_empty(struct split_strings *to); /* makes `to` the set of the empty string alone */
bool items_have_empty(const struct split_strings *strings);

static inline bool items_end(enum kind kind)
{
    return kind == BAR || kind == CLOSE || kind == END;
}

/* Reads an item; if the list ends here, reads what ends the list. Returns the kind of the first
 * token. *set: the item's texts, if item->lists. */
enum kind items_read(struct reader *reader, struct item *item, struct split_strings *set);

#endif
