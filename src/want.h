/* want: what is wanted of the occurrences, from the public function down to the kernel.
 *
 * A public function chooses it by its sink, a task carries it to an engine, and a kernel reads the
 * same number. An engine may do more than is wanted: devices find all hits for lines and spans.
 */
#ifndef TRAWL_WANT_H
#define TRAWL_WANT_H

enum want {
    WANT_COUNT, /* how many there are */
    WANT_HITS,  /* and where each begins, in order */
    WANT_FIRST, /* at least the first, if there is one */
    /* Of the hits those that the rest follows from; more are allowed, in order: */
    WANT_LINES,  /* one at least of each line in which any begins; NUL may end lines too. Or, where
                    the text has records, of each record that holds any */
    WANT_SPANS,  /* those that are found by taking the first, of them the longest, and going on
                    after its end; for plans whose occurrences hold no line end */
    WANT_NOTHING /* the text alone: no engine is asked. The runtime asks the engine of searches
                    within errors whether the host takes less time than a device
                    (engine_result.is_left): the chunk is a sample of the text */
};

#endif
