/* regex_compile: compiles a plan of regular expressions, for a search that asks RE2 as rarely as
 * possible.
 *
 * Each match of an alternative of an expression consists of its head, then one of a few strings,
 * then the rest. An atom is such a string. A search finds the atoms as it finds any strings, and
 * RE2 decides about the lines that hold atoms. In `[A-Z][a-z]+ said`, the head is `[A-Z][a-z]+` and
 * the atom is " said".
 */
#ifndef TRAWL_REGEX_REGEX_COMPILE_H
#define TRAWL_REGEX_REGEX_COMPILE_H

#include "engine.h"
#include "regex/pcre2.h"
#include "regex/re2.h"
#include "regex/syntax/tree.h"

#define CHAIN_CODES 0x10000u /* number of code points that have characters of up to three bytes */
/* If the text has few characters of three bytes, chains with edges of words know of these only the
 * signs, which end before EXPRESSIONS_SIGNS_END: to ask whether each of CHAIN_CODES is part of a
 * word takes 3 ms. */
#define EXPRESSIONS_RARE 0x800u
#define EXPRESSIONS_RARE_END 0x2000u
#define EXPRESSIONS_SIGNS_END 0x3000u

struct chain;

/* An alternative of an expression: what RE2 reads around a string. */
struct anchor {
    uint32_t expression;
    bool is_sure; /* each occurrence of a string lies in a match */
    bool begins;  /* a match begins with the string: there is no head, or only assertions */
    /* number of characters of each head; 0: heads of different lengths, or none */
    uint8_t head_length;
    bool looks_back; /* an assertion of the expression depends on the byte before it */
    /* The program of the head, whose matches end where the string begins. NULL: there is no head,
     * or RE2 reads the whole line. */
    struct regex *head;
    /* The program of the string and the rest. NULL: nothing follows the string, or `head` is
     * NULL. */
    struct regex *tail;
    /* Automata that read head and rest without RE2 (chain.h). NULL: RE2 reads them. */
    struct chain *before;
    struct chain *after;
};

/* For an ASCII character: the bytes that stand for it in a copy of a line with marks (words.h). */
struct marked_unit {
    uint8_t bytes[4];
    uint8_t count;
};

struct expressions {
    const struct regex_ops *ops;
    const struct trawl_plan *plan;
    /* the options of all programs; some programs change members such as marks, lines or when */
    struct regex_options options;
    uint32_t count;
    struct regex **each; /* `count` programs, one for each expression, which read single lines */
    /* `count` programs that read copies of lines with marks (words.h). An entry is NULL if PCRE2
     * decides about the expression, or if the expression has no edge of a word about which the
     * program in `each` may be wrong. The array is NULL if all entries would be NULL. */
    struct regex **marked;
    /* for each program of `marked`: whether it may match the empty string; words.c finds out */
    _Atomic uint8_t *may_be_empty;
    /* `count` programs of PCRE2. An entry is NULL if RE2 decides about the expression; the array is
     * NULL if RE2 decides about all. If PCRE2 decides, the program in `each` is that of a filter,
     * which matches each line in which PCRE2's program matches. */
    struct pcre2 **beyond;
    /* the sample has many characters of three bytes, so the automata of chain.h must know these */
    bool is_wide_text;
    /* under TRAWL_MULTILINE: an expression may match a line end, asks where lines begin or end, or
     * belongs to PCRE2 */
    bool crosses;
    bool lines_alone; /* only lines can be asked for: PCRE2 may not find the longest occurrences */
    /* The expressions ask for whole words or for edges that RE2 lacks, so all lines need marks; or
     * PCRE2 decides about an expression. */
    bool needs_marks;
    struct marked_unit units[128]; /* only if `marked` is not NULL */
    /* only if `marked` is not NULL: a bit for each code point that belongs to a word and that a
     * chain knows (expressions_word_codes) */
    uint64_t word_codes[CHAIN_CODES / 64];
    uint8_t mark;   /* the byte that marks a character of no word; 0: not chosen yet */
    bool is_strict; /* no edge of a word stands beside a byte that belongs to no character */
    /* Words may have characters beyond ASCII: in lines beyond ASCII only `marked` may be asked. */
    bool has_wide_words;
    /* The common program: all expressions as alternatives, for texts of many lines that end in
     * newlines. NULL: the lines end otherwise, TRAWL_MULTILINE is set, some expression means
     * something else in such a text, or the expressions are too many or too large. Unless the plan
     * limits memory, this program, heads and tails are compiled when a search first asks whether
     * programs are ready. */
    struct regex *whole;
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
    /* each match begins near_lines lines before the line of its atom, so the search may look only
     * there (near.h) */
    bool has_near;
    uint32_t near_lines;
    bool has_no_heads;    /* each match begins with an atom */
    bool atoms_are_exact; /* a line matches if and only if it holds an atom */
    bool words_are_exact; /* a line matches if and only if it holds an atom as a whole word */
    /* the matches of the plan's only expression are its atoms, which never overlap */
    bool are_strings;
    /* While the plan is compiled, in bytes: the memory that each program gets at first, the most
     * that a large program gets, and what is left for further programs. */
    uint64_t program_bytes;
    uint64_t program_bytes_max;
    uint64_t bytes_left;
};

/* Returns the code point from which on chains do not know whether characters belong to words. */
static inline uint32_t expressions_word_codes(const struct expressions *expressions)
{
    return expressions->options.bytes  ? 0x100
           : expressions->is_wide_text ? CHAIN_CODES
                                       : EXPRESSIONS_SIGNS_END;
}

/* Returns true if the whole text, or each record, counts as a single line. */
static inline bool expressions_cross(const struct expressions *expressions)
{
    return (expressions->plan->flags & TRAWL_MULTILINE) != 0;
}

/* Returns true if a match may be empty. A match of RE2 holds an atom if each expression has atoms.
 * A match of PCRE2 may be an empty place before or after the atom. */
static inline bool expressions_take_empty(const struct expressions *expressions)
{
    return expressions->atoms == NULL || expressions->beyond != NULL;
}

/* Returns true if the atoms that a search finds are all that the task asks for, without RE2. */
static inline bool expressions_are_atoms(const struct expressions *expressions,
                                         const struct engine_task *task)
{
    return !expressions_cross(expressions) &&
           (task->want == WANT_LINES ? expressions->atoms_are_exact : expressions->are_strings);
}

/* Returns how many bytes RE2 could have read while the atoms were found. Returns 0 unless RE2 can
 * answer without atoms. */
static inline uint64_t atoms_cost(const struct expressions *expressions, enum want want,
                                  uint64_t atoms)
{
    return expressions->whole_is_exact && expressions->count == 1 && want != WANT_LINES ? 6 * atoms
                                                                                        : 0;
}

/* Gets the plan's compiled form, which the first call makes and the plan owns. Errors: ARGUMENT for
 * a mistake in an expression, with pattern_index and text_offset, the byte of the mistake;
 * UNSUPPORTED, LIMIT, MEMORY. */
enum trawl_status expressions_want(const struct trawl_plan *plan,
                                   const struct expressions **expressions,
                                   struct trawl_error *error);
/* Reads expression number `index` of the plan, which was compiled, once more. */
enum trawl_status expressions_parse(const struct expressions *made, uint32_t index,
                                    struct syntax *syntax, struct trawl_error *error);
/* Gets a second compiled form of the plan, whose atoms are the strings that occur least often in
 * the sample, a part of the text. The first call makes the form for that call's sample. */
enum trawl_status expressions_resplit(const struct trawl_plan *plan, const uint8_t *sample,
                                      uint64_t sample_bytes, const struct expressions **expressions,
                                      struct trawl_error *error);
#endif
