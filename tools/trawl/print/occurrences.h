/* occurrences: decides for all output which of the library's matches count as occurrences. */
#ifndef TRAWL_OCCURRENCES_H
#define TRAWL_OCCURRENCES_H

#include "trawl/job/command_scan.h"

/* Drops a window's matches that do not count as occurrences: points *window to `kept`, which has
 * the others. Does nothing if occurrences_are_all. Returns false if out of memory. */
bool occurrences_window(struct text_scan *scan, const struct trawl_window **window,
                        struct trawl_window *kept);
/* Returns true if all matches from the library count. */
bool occurrences_are_all(const struct text_scan *scan);
/* Asks for matches, and passes on only those that count. */
enum trawl_status occurrences_positions(struct text_scan *scan, trawl_match_sink sink,
                                        struct trawl_error *error);
/* wide.c: --wide with -w: returns true if no word character is next to the match. Sets its end. */
bool wide_is_word(const struct text_scan *scan, struct trawl_match *match);
/* As occurrences_next, if several matches begin at the same offset. */
struct trawl_match occurrences_best(const struct text_scan *scan, const struct trawl_match *matches,
                                    uint64_t match_count, uint64_t *index);

/* Returns the best of the matches that begin where matches[*index] begins, and moves *index past
 * them. With --overlapping, or if the command checks -x, returns matches[*index] itself. */
static inline struct trawl_match occurrences_next(const struct text_scan *scan,
                                                  const struct trawl_match *matches,
                                                  uint64_t match_count, uint64_t *index)
{
    if (*index + 1 < match_count && matches[*index + 1].begin == matches[*index].begin)
        return occurrences_best(scan, matches, match_count, index);
    return matches[(*index)++];
}

/* Stores the occurrences of the line [begin, end) of the view in scan->style; `end` excludes the
 * line end. Reads the view's bytes only if patterns->finds_empty or --crlf. Returns false if out of
 * memory. */
bool occurrences_of_line(struct text_scan *scan, const struct view *view, uint64_t begin,
                         uint64_t end);
#endif
