/* occurrences: says which of the library's matches are occurrences, in every report. */
#ifndef TRAWL_OCCURRENCES_H
#define TRAWL_OCCURRENCES_H

#include "trawl/job/command_scan.h"

/* Chooses the occurrences among the matches of a window. If not all matches are occurrences,
 * *window points to `kept`, with those that are. False: no memory. */
bool occurrences_window(struct text_scan *scan, const struct trawl_window **window,
                        struct trawl_window *kept);
/* Prepares for another pass from the begin of the text. */
void occurrences_begin(struct text_scan *scan);
/* Returns whether all matches of the library are occurrences. */
bool occurrences_are_all(const struct text_scan *scan);
/* As trawl_positions, with the occurrences alone. */
enum trawl_status occurrences_positions(struct text_scan *scan, trawl_match_sink sink,
                                        struct trawl_error *error);
/* As occurrences_next, if another match begins there, too. */
struct trawl_match occurrences_best(const struct text_scan *scan, const struct trawl_match *matches,
                                    uint64_t match_count, uint64_t *index);

/* Returns the best of the matches that begin where matches[*index] begins, with --overlapping that
 * match, and moves *index behind it. */
static inline struct trawl_match occurrences_next(const struct text_scan *scan,
                                                  const struct trawl_match *matches,
                                                  uint64_t match_count, uint64_t *index)
{
    if (*index + 1 < match_count && matches[*index + 1].begin == matches[*index].begin)
        return occurrences_best(scan, matches, match_count, index);
    return matches[(*index)++];
}

/* Stores the occurrences of the line [begin, end) of the view as the style's spans; `end` excludes
 * the line end. False: no memory. Reads the view's bytes only if patterns->finds_empty, or with
 * --crlf. */
bool occurrences_of_line(struct text_scan *scan, const struct view *view, uint64_t begin,
                         uint64_t end);
#endif
