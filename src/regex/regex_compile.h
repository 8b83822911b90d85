/* regex_compile: compiles a plan of expressions to RE2's programs and a plan of the atoms.
 *
 * An atom is a string that a line must hold, so that an expression can match there. A search finds
 * the atoms by trawl's own engine, and RE2 decides about the lines that hold atoms.
 */
#ifndef TRAWL_REGEX_REGEX_COMPILE_H
#define TRAWL_REGEX_REGEX_COMPILE_H

#include "engine.h"
#include "regex/pcre2.h"
#include "regex/re2.h"

struct chain;

/* Where RE2 begins to read: each match of an alternative of an expression is its head, then a
 * string, then the rest. */
struct anchor {
    uint32_t expression;
    bool is_sure;        /* each occurrence of a string lies in a match */
    bool begins;         /* a match begins with the string */
    uint8_t head_length; /* the number of characters of each head; 0: heads differ, or are empty */
    bool looks_back;     /* the expression has an assertion that depends on the byte before */
    /* The program of the head, whose matches end where the string begins. NULL: the head is empty
     * (`begins`), or RE2 reads the whole line. */
    struct regex *head;
    /* if there is a head: the program of the string and the rest; NULL: nothing follows the
     * string */
    struct regex *tail;
    /* What the bytes before the string and after the string say about head and rest; NULL: nothing
     * (regex/chain.h). */
    struct chain *before;
    struct chain *after;
};

/* What stands in a copy with marks (words.h) for a character of ASCII. */
struct marked_unit {
    uint8_t bytes[4];
    uint8_t count;
};

struct expressions {
    const struct regex_ops *ops;
    const struct trawl_plan *plan;
    struct regex_options options; /* of each program, but for marks, lines, when and memory_bytes */
    uint32_t count;
    struct regex **each; /* `count` programs, which read the text of a single line */
    /* `count` programs for copies of lines with marks (words.h); NULL, or the program is NULL: the
     * expression has no edge of a word about which the program in `each` may be wrong. */
    struct regex **marked;
    _Atomic uint8_t *may_be_empty; /* what words.c knows of each program of `marked` */
    /* `count` programs of PCRE2; NULL, or the program is NULL: RE2 decides. Otherwise the program
     * in `each` is that of a filter, which matches in each line in which PCRE2's program does. */
    struct pcre2 **beyond;
    bool is_wide_text; /* texts have many characters of three bytes (chain.c) */
    bool crosses;      /* TRAWL_MULTILINE: the flag changes what is found */
    bool lines_alone;  /* PCRE2 knows which lines match, but not the longest occurrences */
    /* under WHOLE_WORD, or with edges that RE2 lacks: in all lines; or some program is PCRE2's */
    bool needs_marks;
    struct marked_unit units[128]; /* if `marked` is not NULL */
    uint8_t mark;                  /* of a character that is in no word; 0: not chosen yet */
    bool is_strict;                /* no word stands beside a byte of no character */
    /* The edges mean words beyond ASCII: no program but `marked` may be asked about a line that is
     * not ASCII. */
    bool has_wide_words;
    /* All expressions as alternatives, for a text of many lines; NULL: some expression means
     * something else in such a text, or the expressions are too many or too large. Heads, tails and
     * this program are compiled when a search first asks whether they are ready. */
    struct regex *whole;
    /* a match of `whole` is an occurrence of the only expression, without further checks */
    bool whole_is_exact;
    /* the plan of the atoms; NULL: some expression has no atom */
    struct trawl_plan *atoms;
    /* Atom i belongs to anchors atom_anchors[atom_first[i]] up to atom_first[i + 1]. */
    uint32_t *atom_first;   /* atom_count + 1 */
    uint32_t *atom_anchors; /* atom_first[atom_count] */
    uint64_t atom_count;
    struct anchor *anchors;
    uint64_t anchor_count;
    uint64_t anchor_capacity;
    bool has_near;        /* a match begins in the line of its atom (near.h) */
    bool has_no_heads;    /* each match begins with an atom */
    bool atoms_are_exact; /* a line matches if and only if the line holds an atom */
    bool words_are_exact; /* a line matches if and only if the line holds an atom as a word */
    bool are_strings; /* the matches of the only expression are the atoms, which never overlap */
    /* While the plan is made: bytes of memory that a program gets at first, that a large program
     * gets at most, and that are left for further programs. */
    uint64_t program_bytes;
    uint64_t program_bytes_max;
    uint64_t bytes_left;
};

/* Returns whether the whole text, or each record, is one line. */
static inline bool expressions_cross(const struct expressions *expressions)
{
    return (expressions->plan->flags & TRAWL_MULTILINE) != 0;
}

/* Returns whether a match may hold no byte. What RE2 matches holds an atom, if each expression has
 * one; what PCRE2 matches may be a place before the atom or after the atom. */
static inline bool expressions_take_empty(const struct expressions *expressions)
{
    return expressions->atoms == NULL || expressions->beyond != NULL;
}

/* Returns whether the atoms that an engine finds in a text are what the search wants. */
static inline bool expressions_are_atoms(const struct expressions *expressions,
                                         const struct engine_task *task)
{
    return !expressions_cross(expressions) &&
           (task->want == WANT_LINES ? expressions->atoms_are_exact : expressions->are_strings);
}

/* Returns how many bytes RE2 could have read in the time of the atoms that were found, if RE2 can
 * find without atoms what is wanted. */
static inline uint64_t atoms_cost(const struct expressions *expressions, enum want want,
                                  uint64_t atoms)
{
    return expressions->whole_is_exact && want != WANT_LINES ? 6 * atoms : 0;
}

/* Stores the compiled plan, which the first call makes and the plan owns. Errors: ARGUMENT for a
 * mistake in an expression (pattern_index, and text_offset, the byte of the mistake); UNSUPPORTED,
 * LIMIT, MEMORY. */
enum trawl_status expressions_want(const struct trawl_plan *plan,
                                   const struct expressions **expressions,
                                   struct trawl_error *error);
/* As expressions_want, but the atoms are the strings that the sample holds least often: a part of
 * the text that is searched. The first call decides. */
enum trawl_status expressions_resplit(const struct trawl_plan *plan, const uint8_t *sample,
                                      uint64_t sample_bytes, const struct expressions **expressions,
                                      struct trawl_error *error);
#endif
