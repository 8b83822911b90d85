/* items: reads an expression of RE2's syntax as far as choosing strings needs.
 *
 * A list is a sequence of items: characters, classes, assertions and groups, each with its
 * repetition. The character '|' separates lists. The texts of some items can be listed:
 * `daughters?` matches daughter and daughters.
 */
#ifndef TRAWL_REGEX_ITEMS_H
#define TRAWL_REGEX_ITEMS_H

#include "regex/split.h"

#define FLAG_LETTERS "imsU"
/* Bits of flags. Bit i belongs to letter i of FLAG_LETTERS; the bit of U has no name. */
enum { FOLDS = 1, MANY_LINES = 2, DOT_ALL = 4 };
enum kind { CHARS, ANY, EDGE, OPEN, CLOSE, BAR, FLAGS, REPEAT, END };

struct item {
    uint64_t begin; /* the item is the expression's bytes [begin, end), with its repetition */
    uint64_t end;
    /* the offset where the item's character, class or '.' ends, without its repetition; 0: the item
     * is something else, or has two repetitions */
    uint64_t one_end;
    uint32_t least; /* least number of repetitions */
    uint32_t most;  /* greatest number of repetitions; SPLIT_ENDLESS: no limit */
    /* If the item is a group that takes part in each match: where the group's inside begins. 0 for
     * any other item. */
    uint64_t inner;
    uint32_t flags;
    uint32_t inner_flags;
    bool is_edge;
    bool repeats;     /* a repetition follows */
    bool consumes;    /* each match of the item has a byte or more */
    bool looks_ahead; /* an assertion inside depends on the byte after it */
    bool folds;       /* a character inside stands for letters of any case */
    bool keeps;       /* a character inside stands for itself alone */
    bool lists;       /* the item's texts can be listed */
    bool goes_on;     /* further bytes may follow the listed texts */
    bool is_line_end; /* if a head may hold line ends: the item is a line end, and nothing else */
};

/* Counts of what the reader has read so far. */
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
    bool gives_up;  /* the expression has syntax that items.c does not read */
    struct seen seen;
    struct item *items;
    uint64_t item_count;
    uint64_t item_capacity;
    char *text; /* expressions being written: what stands before (head) or after (tail) a string */
    uint64_t text_count;
    uint64_t text_capacity;
    uint64_t text_total; /* bytes written for all heads and tails so far */
    /* if matches may cross lines: index of the list's first item that may hold a line end;
     * UINT64_MAX: none */
    uint64_t cross_at;
    struct split_sequence before;
    struct split_sequence after;
};

/* Replaces the strings of `to` by all strings that consist of a string of `to` and then a string of
 * `more`. Returns false, and leaves `to` unchanged, if there would be more than `most` strings or a
 * string would be too long. */
bool items_append(struct split_strings *to, const struct split_strings *more, uint32_t most);
void items_empty(struct split_strings *to); /* makes `to` the set of the empty string alone */
bool items_have_empty(const struct split_strings *strings);

static inline bool items_end(enum kind kind)
{
    return kind == BAR || kind == CLOSE || kind == END;
}

/* Reads an item, or what ends the list if the list ends here. Returns the kind of the first token.
 * If item->lists, stores the item's texts in *set. */
enum kind items_read(struct reader *reader, struct item *item, struct split_strings *set);

#endif
