/* excerpt: which part of a line --around prints with a match. */
#ifndef TRAWL_EXCERPT_H
#define TRAWL_EXCERPT_H

#include "trawl/print/piece.h"

/* A part [begin, end) of a line, and its matches: spans[first, past) of the line. */
struct excerpt {
    uint64_t begin, end;
    uint64_t first, past;
};

/* Returns where the excerpts of the line end at the latest: before its line end, and with --crlf
 * before the carriage return there. */
uint64_t excerpt_limit(struct text_scan *scan, const struct piece *line);
/* Finds the excerpt after *excerpt, which is all zeros before the first one, and stores it there:
 * the next match with its surroundings and, except with --vimgrep, all further matches whose
 * surroundings share a character with those before. No excerpt goes beyond `limit`. False: no
 * match is left, or the text cannot be read (scan->status). Takes time linear in the line. */
bool excerpt_next(struct text_scan *scan, const struct piece *line, uint64_t limit,
                  struct excerpt *excerpt);

#endif
