/* trawl_batches: the part of trawl.h about results that the caller pulls, which is included there.
 * The conventions are those of trawl.h.
 */
#ifndef TRAWL_BATCHES_H
#define TRAWL_BATCHES_H

#include "trawl.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Batches ------------------------------------------------------------------------------
 *
 * The same searches, pulled: the caller asks for the next results when it wants them. The search
 * runs ahead of the caller by a bounded number of chunks.
 */
struct trawl_search;

enum trawl_search_flag {
    TRAWL_SEARCH_LINE_NUMBERS = 1 /* also a column of line numbers */
};

/* Results of one part of the text, in columns of match_count, in order of (begin, pattern index).
 * Borrowed until the next call for the search. */
struct trawl_batch {
    uint64_t size;       /* sizeof(struct trawl_batch), set by the caller */
    uint64_t text_begin; /* occurrences that begin in [text_begin, text_end) */
    uint64_t text_end;
    uint64_t match_count;
    const uint64_t *begins;
    const uint64_t *ends;
    const uint64_t *pattern_indices; /* of a plan with errors: pattern index + (distance << 32) +
                                        (reversed << 48), as in struct trawl_match */
    const uint64_t *line_numbers; /* of the line each begins in, from 0 on; NULL without the flag */
    bool last;                    /* the text ends here: no batch follows */
};

/* Begin a search in batches, with flags of enum trawl_search_flag. The searcher is inside a call
 * until trawl_search_close; plan and text are borrowed until then.
 * Errors: as of trawl_positions, except READ; ARGUMENT also for an unknown flag. */
TRAWL_API TRAWL_CHECKED enum trawl_status trawl_search_open(struct trawl_searcher *searcher,
                                                            const struct trawl_plan *plan,
                                                            struct trawl_text *text, uint32_t flags,
                                                            struct trawl_search **search,
                                                            struct trawl_error *error);
/* Take the next batch; batches follow each other without gap, and some may be empty. After the last
 * one, and after a failure, calls fail with ARGUMENT.
 * Errors: STOPPED after trawl_searcher_cancel; READ, DEVICE, MEMORY after the batches before the
 *         fault.
 * Threads: one at a time; it works on the search, too. */
TRAWL_API TRAWL_CHECKED enum trawl_status trawl_search_next(struct trawl_search *search,
                                                            struct trawl_batch *batch,
                                                            struct trawl_error *error);
/* Close a search, at its end or before. */
TRAWL_API void trawl_search_close(struct trawl_search *search);

#ifdef __cplusplus
}
#endif

#endif
