/* reach: finds matches of expressions with long counted repetitions, such as N characters around a
 * word, `.{0,200}(kappa|theta).{0,200}`.
 *
 * An automaton needs a state for each set of counts that repetitions may have reached: it runs out
 * of memory for these, and then tries hundreds of places at each byte. A reach instead asks of each
 * part of the expression from which positions of a text the rest of the expression can match. These
 * positions are a bitmap, and a whole repetition is a few shifts of it:
 *
 *     text            a   k a p p a   b b
 *     .{0,2}          . 1 1 1 . . . . . .     up to 2 characters before the next row
 *     kappa           . . . 1 . . . . . .     shifted by each letter, and the letter's bitmap
 *     b{1,9}          . . . . . . . . 1 1
 *
 * Parts are read from last to first. The first bit of the first row is where the first match
 * begins. From there, the match goes through the parts in order, and takes of each the count that
 * the expression prefers among those from which the rest matches.
 *
 * A text is searched in windows. From a window's end, anything may match, so its bitmaps have a few
 * bits too many; a match that does not reach the end is nevertheless the right one.
 */
#ifndef TRAWL_REGEX_REACH_H
#define TRAWL_REGEX_REACH_H

#include "base/status.h"
#include "regex/options.h"

/* Characters of a window. Tests set a smaller number. */
extern uint64_t reach_window_chars;

struct reach;

/* A part of a text, and the bitmaps of its positions. Zeros: none. */
struct reach_window {
    const struct reach *of;      /* NULL: the bitmaps are not valid */
    const struct reach *gave_up; /* in this text, its windows would become too long */
    const uint8_t *text;
    uint64_t count, to;
    uint64_t next;   /* if there was no match, none begins before this offset */
    uint64_t begin;  /* offset of position 0 */
    uint32_t chars;  /* the position at the window's end */
    bool is_last;    /* the window ends where matches must end */
    bool is_whole;   /* matches end there */
    uint32_t stride; /* words of a bitmap, the last of which is zero */
    uint64_t *bits;  /* a bitmap for each part, and others */
    uint64_t capacity;
    uint32_t *offsets; /* of each position, counted from `begin` */
    uint64_t offset_capacity;
    uint8_t *symbols; /* of each character */
    uint64_t symbol_capacity;
};

/* Sets *fits to whether an expression has long counted repetitions and no empty match, and no parts
 * that a reach cannot search for. Errors: MEMORY. */
enum trawl_status reach_fits(const struct syntax_node *root, bool whole_word, bool *fits,
                             struct trawl_error *error);
/* Compiles an expression that fits; otherwise sets *out to NULL. With `whole_word`, neither a match
 * nor what is around it may continue a word. Errors: MEMORY. */
enum trawl_status reach_make(const struct syntax_node *root, const struct regex_options *options,
                             bool whole_word, const struct word_ranges *words, struct reach **out,
                             struct trawl_error *error);
void reach_free(struct reach *reach); /* accepts NULL */
void reach_release(struct reach_window *window);
/* Finds a match like words_match, if it begins at or before `until`. Returns -1 if another has to
 * decide. The window is kept for the next search in the same text; `of` and `gave_up` must be
 * cleared before the text changes. */
int reach_match(const struct reach *reach, struct reach_window *window, const uint8_t *text,
                uint64_t count, uint64_t from, uint64_t until, uint64_t to,
                enum regex_anchor anchor, struct regex_span *span);

#endif
