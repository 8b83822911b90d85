/* block: the lines that matches across lines touch (--multiline). */
#ifndef TRAWL_BLOCK_H
#define TRAWL_BLOCK_H

#include "trawl/job/command_scan.h"

/* Returns the start of the line that contains `at`, but not before `floor`. */
uint64_t block_line_begin(const struct text_scan *scan, const struct view *view, uint64_t floor,
                          uint64_t at);
/* Lists the next lines from `at`, up to `max`: those with a match, or if rules.every_line all. With
 * conditions, several are decided together; `i` is the first match that is not before `at`. */
#define LINES_TOGETHER 512u
size_t block_lines(struct text_scan *scan, const struct view *view, uint64_t at, uint64_t i,
                   struct line *lines, size_t max);
/* Finds the block of lines that match number `i` touches, from `at`. As in ripgrep, the lines of
 * adjacent matches form one block, of at most `max` matches. */
struct block block_find(const struct text_scan *scan, const struct view *view, uint64_t at,
                        uint64_t i, uint64_t max);
/* Appends to the block the matches that touch its last line or the next one, up to `max` matches
 * after `first`. Under -v, each match has its own block. */
void block_extend(const struct text_scan *scan, const struct view *view, struct block *block,
                  uint64_t first, uint64_t max);

#endif
