/* want: what a search wants to know about the occurrences
 *
 * The public function that is called chooses it, a task carries it to an engine, and a kernel reads
 * the same number. An engine may do more than is wanted: devices find all hits for lines and spans.
 */
#ifndef TRAWL_WANT_H
#define TRAWL_WANT_H

enum want {
    WANT_COUNT, /* how many occurrences there are */
    WANT_HITS,  /* the count, and where each occurrence begins, in ascending order */
    WANT_FIRST, /* at least the first occurrence, if there is any */
    /* for LINES and SPANS an engine may report more hits than needed, in ascending order */
    /* At least one hit of each line in which an occurrence starts; NUL may end lines, too. With
     * records: at least one hit of each record that holds an occurrence. */
    WANT_LINES,
    /* Hits that do not overlap: the first hit, the longest if several start there; then the first
     * hit after its end, and so on. For plans whose occurrences hold no line end. */
    WANT_SPANS,
    /* No hits, only the text. The runtime submits such a task to the engines for approximate search
     * and regular expressions, to ask whether the host takes less time than a device
     * (engine_result.is_left). The chunk is then a sample of the text. */
    WANT_NOTHING
};

/* Which occurrences of several expressions are wanted: all of each; or of those that start first
 * the longest, or the first expression's, after whose end all of them go on. */
enum spans { SPANS_ALL, SPANS_LONGEST, SPANS_FIRST };

#endif
