/* function: the heading of the function around a match (--show-function), or all of it (-W), found
 * as by git grep: a heading begins with a letter, _ or $, or matches the file type's expression. */
#ifndef TRAWL_FUNCTION_H
#define TRAWL_FUNCTION_H

#include "trawl/job/command_scan.h"
#include "trawl/options/settings.h"

/* Makes the plan of the expressions for headings. False: `message` says why. */
bool function_plan(struct patterns *patterns, char *message);
void function_take(struct text_scan *scan, const struct view *view, uint64_t begin, uint64_t end,
                   bool selected);
void function_lead(struct text_scan *scan, const struct view *view, uint64_t begin, uint64_t end);

/* Called for each line, in order; for a selected one, after it was printed. */
static inline void function_note(struct text_scan *scan, const struct view *view, uint64_t begin,
                                 uint64_t end, bool selected)
{
    if (scan->settings->function != FUNCTION_NONE)
        function_take(scan, view, begin, end, selected);
}
/* Prints what comes before a selected line and its leading context. */
static inline void function_before(struct text_scan *scan, const struct view *view, uint64_t begin,
                                   uint64_t end)
{
    if (scan->settings->function != FUNCTION_NONE)
        function_lead(scan, view, begin, end);
}

#endif
