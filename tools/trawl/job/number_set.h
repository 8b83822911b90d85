/* number_set: collects the numbers of the strings found at an offset or in a line. */
#ifndef TRAWL_NUMBER_SET_H
#define TRAWL_NUMBER_SET_H

#include <stdbool.h>
#include <stdint.h>

/* The numbers of the strings found at an offset or in a line; part of a scan. */
struct number_set {
    uint64_t stamp;   /* a number that no earlier set of this scan had */
    uint64_t *stamps; /* stamps[i] == stamp: pattern i of the plan is in the set */
    uint64_t *list;   /* the numbers in the set, ascending once the set is complete */
    uint64_t count, capacity;
};

struct text_scan;
struct trawl_match;

/* Adds a pattern to the set of the open line (the line whose end has not come yet). If `begins`,
 * the pattern's match is the line's first, and the set is emptied before. Returns true if the
 * pattern is new; true also without memory. */
bool number_set_first(struct text_scan *scan, uint64_t pattern, bool begins);

/* number_set_of_line collects the numbers of all matches in a line. If `empty`, the line also
 * contains the empty string. number_set_at collects the numbers of the longest of the matches,
 * which have the same start. The numbers are ascending and distinct. If the command checks -x
 * (rules.check_whole_line), only matches that are the whole line [begin, end) count. False: no
 * memory; the scan has failed. */
bool number_set_of_line(struct text_scan *scan, const struct trawl_match *matches,
                        uint64_t match_count, uint64_t begin, uint64_t end, bool empty);
bool number_set_at(struct text_scan *scan, const struct trawl_match *matches, uint64_t match_count,
                   uint64_t end);

#endif
