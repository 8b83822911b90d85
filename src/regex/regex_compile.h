/* regex_compile: compiles a plan of regular expressions, for a search that asks RE2 as rarely as
 * possible.
 *
 * Each match of an alternative of an expression consists of its head, then one of a few strings,
 * then the rest. An atom is such a string. A search finds the atoms as it finds any strings, and
 * RE2 checks the lines with atoms. In `[A-Z][a-z]+ said`, the head is `[A-Z][a-z]+` and the atom is
 * " said".
 */
#ifndef TRAWL_REGEX_REGEX_COMPILE_H
#define TRAWL_REGEX_REGEX_COMPILE_H

#include "engine.h"
#include "regex/pcre2.h"
#include "regex/program.h"
#include "regex/sequence.h"

/* An alternative of an expression: what RE2 reads around a string. */
struct anchor {
    uint32_t expression;
    bool is_sure; /* each occurrence of a string lies in a match */
    bool begins;  /* a match begins with the string: there is no head, or only assertions */
    /* Automata that read head and rest (sequence.h). NULL: RE2 reads the line. */
    struct around_automaton *before;
    struct around_automaton *after;
};

/* For an ASCII character: the bytes that stand for it in a copy of a line with marks (words.h). */
struct marked_unit {
    uint8_t bytes[4];
    uint8_t count;
};

struct expressions {
    const struct trawl_plan *plan;
    /* the options of all programs; some programs change members such as marks, lines or when */
    struct regex_options options;
    uint32_t count;
    struct syntax *trees;          /* `count` */
    struct whole_tree *whole_tree; /* the tree of `whole` */
    struct program **each; /* `count` programs, one for each expression, which read single lines */
    /* `count` programs that read copies of lines with marks (words.h). An entry is NULL if the
     * expression is PCRE2's, or has no word boundary about which the program in `each` may be
     * wrong. The array is NULL if all entries would be. */
    struct program **marked;
    /* `count` programs of PCRE2. An entry is NULL if the expression is RE2's; the array is NULL if
     * all are. If PCRE2 decides, the program in `each` is that of a filter, which matches each line
     * in which PCRE2's program matches. */
    struct pcre2 **beyond;
    /* under TRAWL_MULTILINE: an expression may match a line end, asks where lines begin or end, or
     * belongs to PCRE2 */
    bool crosses;
    bool takes_empty; /* a match may be empty */
    bool lines_alone; /* only lines can be asked for: PCRE2 may not find the longest occurrences */
    /* The expressions ask for whole words or for word boundaries that RE2 lacks, so all lines need
     * marks; or PCRE2 decides about an expression. */
    bool needs_marks;
    struct marked_unit units[128]; /* only if `marked` is not NULL */
    struct around_words words;     /* only if `marked` is not NULL */
    struct code_range *own_words;  /* words->ranges if the caller's rules decide; else NULL */
    uint8_t mark;   /* the byte that marks a character of no word; 0: not chosen yet */
    bool is_strict; /* no word boundary is next to a byte that belongs to no character */
    /* Words may have characters beyond ASCII: in lines beyond ASCII only `marked` may be asked. */
    bool has_wide_words;
    /* The common program: all expressions as alternatives, for texts of many lines that end in
     * newlines. NULL: the lines end otherwise, TRAWL_MULTILINE is set, some expression means
     * something else in such a text, or there are too many expressions or too large ones. Unless
     * the plan limits memory, RE2 compiles this program when it is first needed. */
    struct program *whole;
    /* in texts that `whole` may read, each match of `whole` is a match of an expression */
    bool whole_is_exact;
    /* the plan of the atoms; NULL: some expression has no atom */
    struct trawl_plan *atoms;
    /* Atom i belongs to the anchors with the indexes atom_anchors[atom_first[i]] up to
     * atom_anchors[atom_first[i + 1] - 1]. */
    uint32_t *atom_first;   /* atom_count + 1 indexes */
    uint32_t *atom_anchors; /* atom_first[atom_count] indexes */
    uint64_t atom_count;
    struct anchor *anchors;
    uint64_t anchor_count;
    uint64_t anchor_capacity;
    uint32_t near_lines; /* each match begins this many lines before the line of its atom */
    bool has_no_heads;   /* each match begins with an atom */
    struct span_finder
        spans;            /* finds the occurrences of the plan's only expression around its atoms */
    bool atoms_are_exact; /* a line matches if and only if it has an atom */
    /* the matches of the plan's only expression are its atoms, which never overlap */
    bool are_strings;
    struct program_memory memory;
};

/* Returns true if the whole text, or each record, counts as a single line. */
static inline bool expressions_cross(const struct expressions *expressions)
{
    return (expressions->plan->flags & TRAWL_MULTILINE) != 0;
}

/* Returns true if the atoms that a search finds are all that the task asks for, without RE2. */
static inline bool expressions_are_atoms(const struct expressions *expressions,
                                         const struct engine_task *task)
{
    return !expressions_cross(expressions) &&
           (task->want == WANT_LINES ? expressions->atoms_are_exact : expressions->are_strings);
}

/* Gets the plan's compiled form, which the first call makes and the plan owns. Errors: ARGUMENT for
 * a mistake in an expression, with pattern_index and text_offset, the byte of the mistake;
 * UNSUPPORTED, LIMIT, MEMORY. */
enum trawl_status expressions_want(const struct trawl_plan *plan,
                                   const struct expressions **expressions,
                                   struct trawl_error *error);
/* What a plan is compiled from. */
struct expressions_source {
    const struct trawl_plan *plan;
    const uint8_t *sample; /* a part of the text, for atoms that are rare in it; NULL: unknown */
    uint64_t sample_bytes;
};
/* Makes the compiled form from a struct expressions_source. The caller, or attachment_want,
 * releases *object with expressions_free. */
enum trawl_status expressions_make(const void *from, void **object, struct trawl_error *error);
void expressions_free(void *object); /* accepts NULL */

#endif
