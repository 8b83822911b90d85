/* trawl_stream: searches whose results the caller pulls, and searches of a text that arrives in
 * segments. trawl.h includes this header, and its conventions apply. */
#ifndef TRAWL_STREAM_H
#define TRAWL_STREAM_H

#include "trawl.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Batches ------------------------------------------------------------------------------
 * The occurrences of a text, pulled: trawl_search_next returns the matches of the text's next
 * part. The search runs ahead of the caller by a bounded number of chunks. */
struct trawl_search;
/* Results of a part of the text, in columns of match_count entries, ordered by (begin, pattern
 * index). Borrowed until the next call for the search. */
struct trawl_batch {
    uint64_t size;       /* sizeof(struct trawl_batch), set by the caller */
    uint64_t text_begin; /* the occurrences are those that begin in [text_begin, text_end) */
    uint64_t text_end;
    uint64_t match_count;
    const uint64_t *begins;
    const uint64_t *ends;
    const uint64_t *pattern_indices;
    const uint64_t *line_numbers; /* each begin's line, from 0; NULL without TRAWL_LINE_ENDS */
    /* as in struct trawl_match; NULL unless the plan has errors */
    const uint16_t *distances;
    const uint16_t *reversed;
    bool last; /* the text ends here: no batch follows */
};
/* Begin a search in batches. flags: TRAWL_ALL, TRAWL_SPANS or TRAWL_SPANS_FIRST, perhaps or-ed with
 * TRAWL_LINE_ENDS. The searcher is inside a call until trawl_search_close; plan and text are
 * borrowed until then. Errors: as for trawl_ask, except READ; ARGUMENT also for an unknown flag. */
TRAWL_CALL trawl_search_open(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                             struct trawl_text *text, uint32_t flags, struct trawl_search **search,
                             struct trawl_error *error);
/* Take the next batch. Batches follow each other without gap, and may be empty. After the last one,
 * and after a failure, calls fail with ARGUMENT.
 * Errors: STOPPED after trawl_searcher_cancel; READ, DEVICE, MEMORY after the batches that precede
 * the failure.
 * Threads: one at a time. The calling thread works on the search, too. */
TRAWL_CALL trawl_search_next(struct trawl_search *search, struct trawl_batch *batch,
                             struct trawl_error *error);
/* Close a search, at its end or before. */
TRAWL_API void trawl_search_close(struct trawl_search *search);

/* ---- Streams -----------------------------------------------------------------------------
 * A program with many connections has a stream for each connection, and a searcher for each thread.
 * A stream has no descriptor and no thread. It keeps only the last bytes that it was fed, so that
 * matches which straddle two segments are found. */
struct trawl_stream;
struct trawl_stream_options {
    uint64_t size;           /* sizeof(struct trawl_stream_options) */
    uint64_t line_bytes_max; /* expressions: number of bytes from which on the stream forgets what
                                it can of an unfinished line; 0: 1 MiB */
};
#define TRAWL_STREAM_OPTIONS_INIT              \
    {                                          \
        sizeof(struct trawl_stream_options), 0 \
    }
/* Open a stream: a text that has no byte yet. The plan is borrowed until trawl_stream_close; any
 * number of streams may share a plan. A stream belongs to one thread at a time, and may go from
 * thread to thread. Errors: UNSUPPORTED for a plan with errors, with an algorithm, or with
 * expressions that cross lines. Memory: about 100 bytes, and for strings the bytes of the longest
 * pattern, for expressions the bytes of the line that has not ended yet. */
TRAWL_CALL trawl_stream_open(const struct trawl_plan *plan,
                             const struct trawl_stream_options *options,
                             struct trawl_stream **stream, struct trawl_error *error);
/* Feed the next bytes of a stream's text, and deliver the matches that these bytes decide. All
 * feeds and trawl_stream_end together deliver what trawl_ask delivers for the whole text.
 * Offsets count from the text's first byte. An occurrence of a string is decided at its last byte;
 * under WHOLE_WORD and WHOLE_LINE, by the character after it; a match of an expression, by the end
 * of its line, or once that is longer than line_bytes_max. Each feed delivers its matches in the
 * order of trawl_ask; a match that begins earlier may be delivered in a later feed. The sink may
 * not call functions of the stream. Unless the call returns OK, the stream is unchanged, even if
 * the sink has got matches. The bytes are borrowed until the call returns, and may be NULL if the
 * count is 0. Errors: ARGUMENT also if the stream has ended; BUSY; LIMIT if an unfinished line
 * exceeds line_bytes_max, and the stream can forget none of it (text_offset: where the kept part of
 * the line begins). It forgets what precedes an offset at which no match is in progress, if there
 * is one in the kept part's second half, behind an ASCII character that is no word character; never
 * for expressions of PCRE2, for ^ and \A, and for whole lines. Threads:
 * a searcher may serve any number of streams. No other thread and no GPU takes part, and
 * trawl_searcher_stats does not count feeds. Cost: the search of the new bytes and of those that
 * the stream keeps, plus about 100 ns. For expressions and for more than 256 strings, a searcher
 * must prepare itself if its last call had another plan: if streams of several plans take turns,
 * use a searcher for each such plan. */
TRAWL_CALL trawl_stream_feed(struct trawl_searcher *searcher, struct trawl_stream *stream,
                             const void *bytes, uint64_t bytes_count, trawl_match_sink sink,
                             void *context, struct trawl_error *error);
/* End a stream's text, and deliver the matches that its end decides. The stream takes no further
 * bytes until trawl_stream_reset. Errors: as for trawl_stream_feed, except LIMIT. */
TRAWL_CALL trawl_stream_end(struct trawl_searcher *searcher, struct trawl_stream *stream,
                            trawl_match_sink sink, void *context, struct trawl_error *error);
/* Copy a stream: the copy has the same plan, options and state. */
TRAWL_CALL trawl_stream_copy(const struct trawl_stream *stream, struct trawl_stream **copy,
                             struct trawl_error *error);
/* Begin a new text with a stream, which is then as after trawl_stream_open. Allocates nothing. */
TRAWL_API void trawl_stream_reset(struct trawl_stream *stream);
/* Close a stream. */
TRAWL_API void trawl_stream_close(struct trawl_stream *stream);

#ifdef __cplusplus
}
#endif
#endif
