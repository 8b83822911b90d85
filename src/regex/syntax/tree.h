/* tree: an expression as a tree, whatever its syntax was.
 *
 *     a(b|\d+)*      GROUP
 *                    └ LIST
 *                      ├ CHAR a
 *                      └ REPEAT, 0 or more
 *                        └ GROUP 1
 *                          ├ LIST ─ CHAR b
 *                          └ LIST ─ REPEAT, 1 or more ─ SET \d
 *
 * A node's meaning does not depend on its place in the expression: flags like (?i) are bits of the
 * characters and assertions to which they apply, \Q...\E and comments are gone, and a repetition
 * after an assertion has been replaced with what it means. Characters, escapes and classes are sets
 * of characters (sets.h).
 */
#ifndef TRAWL_REGEX_SYNTAX_TREE_H
#define TRAWL_REGEX_SYNTAX_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/unicode.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SYNTAX_ENDLESS UINT32_MAX
#define SYNTAX_REPEAT_MAX 1000u   /* PCRE2 counts more, where it may search */
#define SYNTAX_PRODUCT_MAX 65535u /* limit for the product of nested repetitions */
#define PCRE2_HAS "PCRE2 has: -P, TRAWL_PCRE, trawl-serve --allow-pcre"
#define NO_BACKTRACKING "trawl has none, because it searches in linear time; " PCRE2_HAS

enum syntax_kind {
    SYNTAX_EMPTY,     /* matches the empty string */
    SYNTAX_CHAR,      /* a character that stands for itself; a byte, if bytes are characters */
    SYNTAX_SET,       /* '.', a class, or an escape for a character or a class */
    SYNTAX_BYTE,      /* \C, a single byte of a character */
    SYNTAX_EDGE,      /* an assertion */
    SYNTAX_REFERENCE, /* \1 to \9, only in POSIX syntaxes */
    SYNTAX_REPEAT,    /* its only item is repeated */
    SYNTAX_LIST,      /* items that follow each other */
    SYNTAX_GROUP      /* alternatives: its items are of kind LIST */
};

/* Bits of syntax_node.flags. */
enum { SYNTAX_FOLDS = 1, SYNTAX_MANY_LINES = 2, SYNTAX_DOT_ALL = 4, SYNTAX_SHORTEST = 8 };

struct syntax_node {
    uint8_t kind;
    uint8_t flags; /* for CHAR, SET and EDGE */
    /* for EDGE: ^ $ A z b B; m or M at the start or end of a word; h or H with no word character
     * before or after. For REFERENCE: the digit. */
    char letter;
    bool is_lazy;      /* for REPEAT: as few repetitions as possible */
    bool is_numbered;  /* for GROUP: it is a capturing group */
    uint16_t height;   /* maximum nesting of groups and repetitions */
    uint32_t product;  /* the largest product of the numbers of nested repetitions {n,m} */
    uint32_t from;     /* offset of the node in the expression */
    uint32_t size;     /* number of nodes, including this one */
    uint32_t steps;    /* of the node (groups.h), at most; UINT32_MAX: or more */
    uint32_t groups;   /* numbered groups, including this node */
    uint32_t shortest; /* no match has fewer bytes */
    bool alternates;   /* some group has several alternatives */
    bool may_be_empty; /* the node matches the empty string, too */
    uint32_t min;      /* for REPEAT: the minimum and the maximum number of repetitions */
    uint32_t max;
    uint32_t count; /* number of `items` */
    /* for CHAR: the character; for SET: the text; for GROUP: its name, of 0 bytes if it has none */
    uint32_t bytes_count;
    const char *bytes;
    /* for CHAR and SET: the characters */
    uint32_t set_count;
    uint32_t number; /* of the node among those of the expression, from 1 on */
    const struct code_range *set;
    const struct syntax_node *const *items;
};

/* Bits for the word boundaries in an expression: \b or \B; \m or \M; \h or \H. */
enum { SYNTAX_EDGES = 1, SYNTAX_BEGINS = 2, SYNTAX_HALVES = 4 };

struct regex_options;
struct syntax_block;

/* In PCRE2's syntax: an escape \A, \z, \Z, \b, \B, \G, \w or \W, by its letter; 'i' and 'I' for
 * \w and \W in a class; '*' for a verb such as (*SKIP); '{' for a repetition with blanks, or
 * without minimum; '|' for one outside groups. */
struct syntax_mark {
    uint32_t at;
    uint32_t end;
    char letter;
};

/* How an expression is read. */
struct syntax_options {
    enum trawl_syntax syntax;
    bool beyond; /* read Perl's syntax as PCRE2's, into the tree of a filter (beyond.c) */
    const struct regex_options *rules;
    /* told->letter is called for each character that stands for itself; NULL: for none */
    const struct trawl_expression_told *told;
};

struct syntax {
    struct syntax_node root;     /* a GROUP without number; after syntax_forget, without items */
    struct syntax_block *blocks; /* the memory of all nodes and their texts; owned */
    uint32_t node_count;
    /* what was read, and how */
    struct syntax_options options;
    const char *bytes;
    uint64_t count;
    /* An assertion refers to the start or end of the text, or a part matches a single byte of a
     * character, so lines must be searched one by one. */
    bool needs_line;
    /* in a POSIX syntax: there is a backreference, so PCRE2 has to search */
    bool refers;
    /* in a POSIX syntax: there is a '|' or two repetitions, so PCRE2's match may not be longest */
    bool chooses;
    bool has_byte;  /* contains \C */
    bool has_lines; /* contains ^ or $ */
    bool by_lines;  /* contains ^ or $ that also match at newlines */
    bool has_ends;  /* contains \A or \z */
    bool has_names; /* some group has a name */
    uint32_t edges;
    /* in PCRE2's syntax: the tree cannot be used as a filter, because some syntax is unknown */
    bool is_opaque;
    /* in PCRE2's syntax: PCRE2 may make a repetition possessive that is not: an atomic group, a
     * possessive repetition of a group, or \R */
    bool misleads_possess;
    /* in PCRE2's syntax: PCRE2's JIT may miss matches, or crash: a group with a possessive
     * repetition that is at least two and endless, as in `(b|bc){2,}+a` */
    bool misleads_jit;
    /* likewise before 10.43: another possessive repetition of a group than ++, a group in an
     * assertion, a recursion into a group, or a backreference that is repeated in a group or
     * lazily */
    bool misleads_old_jit;
    /* likewise in some version, if PCRE2 chooses where a match may begin: a '|', a repetition in
     * braces, a look-ahead, a backreference in a group, a recursion, and what is atomic or opaque
     */
    bool misleads_starts;
    /* in PCRE2's syntax: where case is ignored, PCRE2 may find another character than by ASCII's
     * cases */
    bool folds_more;
    struct syntax_mark *marks; /* in PCRE2's syntax; owned */
    uint64_t mark_count;
    uint64_t mark_capacity;
};

/* Adds to what is known about a node what is known about one of its items. */
static inline void syntax_add_facts(struct syntax_node *node, const struct syntax_node *item)
{
    node->size += item->size;
    node->steps = node->steps > UINT32_MAX - item->steps ? UINT32_MAX : node->steps + item->steps;
    node->groups += item->groups;
    node->alternates |= item->alternates;
    node->height = item->height > node->height ? item->height : node->height;
    node->product = item->product > node->product ? item->product : node->product;
}

static inline bool class_is_word_byte(char byte)
{
    return (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= 'a' && byte <= 'z') || byte == '_';
}

/* Reads an expression. Errors: ARGUMENT for a mistake, or for syntax that trawl lacks, with
 * error->text_offset at the start of the faulty part; LIMIT if the expression is too long; MEMORY.
 * In PCRE2's syntax, mistakes are not reported here, because PCRE2 reports them. */
enum trawl_status syntax_parse(const struct syntax_options *options, const char *bytes,
                               uint64_t count, struct syntax *out, struct trawl_error *error);
void syntax_release(struct syntax *syntax);
/* Frees all nodes but the root. */
void syntax_forget(struct syntax *syntax);
/* Reads an expression again, if it was forgotten; its bytes and rules must still be there. The
 * caller frees *out with syntax_release, before the expression. Errors: MEMORY. */
enum trawl_status syntax_again(const struct syntax *syntax, struct syntax *out,
                               struct trawl_error *error);
/* Returns true if the node, or one inside of it, is of this kind. */
bool syntax_has(const struct syntax_node *node, enum syntax_kind kind);
/* Returns true if the nodes have the same matches. */
bool syntax_equals(const struct syntax_node *a, const struct syntax_node *b);
/* Returns a number of bytes that no match of the node exceeds; UINT32_MAX: there is none. */
uint32_t syntax_max_bytes(const struct syntax_node *node);
/* Returns what is repeated: the node, or its item if the node is a REPEAT, and so on. */
static inline const struct syntax_node *syntax_once(const struct syntax_node *node)
{
    while (node->kind == SYNTAX_REPEAT)
        node = node->items[0];
    return node;
}

#ifdef __cplusplus
}
#endif
#endif
