/* regex_compile: compiles a plan of regular expressions.
 *
 * Each match of an alternative of an expression consists of its head, then one of a few strings,
 * then the rest. Such a string is an atom. A search finds the atoms as it finds any strings, and
 * automata check the lines that contain one. In `[A-Z][a-z]+ said`, the head is `[A-Z][a-z]+` and
 * the atom is " said".
 */
#ifndef TRAWL_REGEX_REGEX_COMPILE_H
#define TRAWL_REGEX_REGEX_COMPILE_H

#include "engine.h"
#include "regex/pcre2.h"
#include "regex/program.h"
#include "regex/reach.h"

/* An alternative of an expression: what has to be read around its strings. */
struct anchor {
    uint32_t expression;
    bool is_sure;      /* each occurrence of a string lies in a match */
    bool keeps, folds; /* as in struct split */
    bool begins;       /* a match begins with the string: the head is empty, or only assertions */
    bool leads; /* the same, or the head is optional: then another match begins with the string */
    /* the most bytes before the strings of any alternative; UINT64_MAX: there is no limit */
    uint64_t head_max;
    /* the strings are items `first` to `last` of the list with this number, or begin with it */
    uint32_t list;
    uint32_t first, last;
    bool goes_on;   /* more of these items may follow them */
    uint32_t alike; /* the anchor whose automata read: this one, or an earlier one */
    bool is_shared; /* this one's read for others, too */
    bool is_read;   /* automata read what is beside the strings; false: another reads the line */
};

struct expression {
    struct syntax tree;
    /* reads single lines; if PCRE2 decides, a filter, which matches every line in which PCRE2's
     * program matches */
    struct program *each;
    bool has_reach;       /* false: automata are as fast */
    struct pcre2 *beyond; /* NULL: PCRE2 is not needed */
    bool has_words;       /* it has word boundaries of others than ASCII's words, or by which an
                             empty match could lie inside of a character; not if PCRE2 decides */
    uint32_t shortest;    /* if PCRE2 decides: no line with a match has fewer bytes */
    bool needs_line;      /* a program for many lines (`whole`) could not stand for it */
    bool has_atoms;       /* each match contains an atom */
    bool is_void;         /* no match has a byte */
    bool bars;            /* matches at every position, perhaps the empty string */
};

struct expressions {
    const struct trawl_plan *plan;
    struct regex_options options;
    uint32_t count;
    struct expression *items; /* `count` */
    bool has_words;           /* some expression has */
    bool has_beyond;          /* PCRE2 decides about some expression */
    /* under TRAWL_MULTILINE: an expression may match a line end, has an assertion about the start
     * or end of lines, or belongs to PCRE2 */
    bool crosses;
    bool takes_empty;     /* a match may be empty */
    uint32_t first_empty; /* the first expression with such a match; `count`: none */
    uint32_t first_bar;   /* the first expression that bars all later ones (judge.c); or `count` */
    bool lines_alone; /* a search can only want lines: PCRE2 may not find the longest occurrences */
    struct word_ranges words;     /* once words_find has been called */
    struct code_range *own_words; /* words->ranges if the caller's rules decide; otherwise NULL */
    bool is_strict;               /* a byte that belongs to no character adjoins no word boundary */
    struct program_memory memory;
    /* A plan of the expressions without atoms, if others have some: a search reads the lines in
     * which one of the former matches, and those with an atom. NULL if all or none have atoms. */
    struct trawl_plan *rest;
    uint32_t *rest_items; /* the indexes of these expressions: rest->pattern_count */
    /* What follows is made again for a text. */
    /* the plan of the atoms; NULL: no expression has an atom */
    struct trawl_plan *atoms;
    /* Atom i belongs to the anchors with the indexes atom_anchors[atom_first[i]] to
     * atom_anchors[atom_first[i + 1] - 1]. */
    uint32_t *atom_first;   /* atom_count + 1 indexes */
    uint32_t *atom_anchors; /* atom_first[atom_count] indexes */
    uint64_t atom_count;
    struct anchor *anchors;
    uint64_t anchor_count;
    uint64_t anchor_capacity;
    uint32_t near_lines;      /* each match begins this many lines before the line of its atom */
#define NEAR_BYTES UINT32_MAX /* near_lines: between the two are only bytes of `near` */
    bool near[256];           /* NEAR_BYTES, or 0: then all but the line end */
    bool compares;            /* some atoms do not ignore case, but the search for them does */
    bool has_no_heads;        /* each match begins with an atom */
    bool has_near;            /* lazy_near finds the matches of the plan's only expression */
    bool atoms_are_exact;     /* a line matches if and only if it has an atom */
    /* the matches of the plan's only expression are its atoms, which never overlap */
    bool are_strings;
    /* the same, but atoms may overlap: the next match is the first atom after the last match */
    bool are_spans;
};

/* Returns true if the whole text, or each record, is searched as a single line. */
static inline bool expressions_cross(const struct expressions *expressions)
{
    return (expressions->plan->flags & TRAWL_MULTILINE) != 0;
}

/* Returns true if a line end may be a part of a character beyond ASCII. */
static inline bool expressions_end_beyond(const struct expressions *expressions)
{
    return (expressions->plan->line_end | expressions->plan->line_end_also) >= 0x80;
}

/* Returns the reach of an expression that has one; NULL: there is not enough memory. */
static inline const struct reach *expression_reach(const struct expressions *made, uint32_t index)
{
    const uint32_t flags = made->plan->flags & (TRAWL_WHOLE_WORD | TRAWL_WHOLE_LINE);
    const struct expression *item = &made->items[index];

    return program_reach(item->each, flags == TRAWL_WHOLE_WORD,
                         item->has_words ? &made->words : NULL);
}

/* Sets *steps to those of an expression that PCRE2 does not search for. Errors: MEMORY. */
static inline enum trawl_status expression_steps(const struct expressions *made, uint32_t index,
                                                 const struct groups **steps)
{
    const uint32_t flags = made->plan->flags & (TRAWL_WHOLE_WORD | TRAWL_WHOLE_LINE);

    return program_steps(made->items[index].each, flags == TRAWL_WHOLE_WORD, made->is_strict,
                         steps);
}

/* Returns true if the task only wants the atoms that a search finds. */
static inline bool expressions_are_atoms(const struct expressions *expressions,
                                         const struct engine_task *task)
{
    return !expressions_cross(expressions) &&
           (task->want == WANT_LINES ? expressions->atoms_are_exact : expressions->are_strings);
}

/* Gets the plan's compiled form. The first call makes it, and the plan owns it. Errors: ARGUMENT
 * for a mistake in an expression, with its pattern_index, and its byte as text_offset; UNSUPPORTED,
 * LIMIT, MEMORY. */
enum trawl_status expressions_want(const struct trawl_plan *plan,
                                   const struct expressions **expressions,
                                   struct trawl_error *error);
/* What a plan is compiled from. */
struct expressions_source {
    const struct trawl_plan *plan;
    const uint8_t *sample; /* a part of the text, for atoms that are rare in it; NULL: unknown */
    uint64_t sample_bytes;
};
/* Makes the compiled form from a struct expressions_source. The caller, or attachment_want, frees
 * *object with expressions_free. */
enum trawl_status expressions_make(const void *from, void **object, struct trawl_error *error);
void expressions_free(void *object); /* accepts NULL */

#endif
