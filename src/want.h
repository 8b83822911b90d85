/* want: what a search wants to know about the occurrences
 *
 * Each public function has its `want`, which tasks pass to an engine, and kernels use the same
 * numbers. An engine may find more than is wanted: devices find all hits for LINES and SPANS.
 */
#ifndef TRAWL_WANT_H
#define TRAWL_WANT_H

enum want {
    WANT_COUNT, /* how many occurrences there are */
    WANT_HITS,  /* the count, and each start offset, ascending */
    WANT_FIRST, /* at least the first occurrence, if there is any */
    /* for LINES and SPANS, an engine may report more hits than needed, in ascending order */
    /* At least one hit of each line in which an occurrence starts; NUL may end lines, too. With
     * records: at least one hit of each record in which the plan occurs. */
    WANT_LINES,
    /* Hits that do not overlap: the first hit (the longest one that starts there), then the first
     * hit after its end, and so on. Only for plans whose occurrences contain no line end. */
    WANT_SPANS,
    /* No hits. The runtime submits such a task, whose chunk is a sample of the text, to the engines
     * for approximate search and regular expressions. It asks whether the host would be faster than
     * a device (engine_result.is_left). */
    WANT_NOTHING
};

/* Which matches of several expressions are wanted. ALL: every match of each expression. Otherwise
 * one match at a time: of those that start first, LONGEST takes the longest and FIRST that of the
 * first expression; the search for all expressions goes on after its end. */
enum spans { SPANS_ALL, SPANS_LONGEST, SPANS_FIRST };

#endif
