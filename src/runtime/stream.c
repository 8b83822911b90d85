/* stream: searches a text that arrives in segments
 *
 * An occurrence is *decided* once later bytes cannot change whether it counts. For strings, the
 * stream keeps the tail of its text: as many bytes as an undecided occurrence may have, plus those
 * that a search reads before it.
 *
 *    short segment   [tail][segment]             copied together, one search
 *    long segment    [tail][first bytes]         copied together, one search
 *                          [segment          ]   searched in place after the first bytes
 *
 * A search is brief (a single call, as in trawl_list_bytes), or else a scan by an engine worker.
 * The engine takes the end of the bytes for the end of the text, so is_decided_now() skips matches
 * that have been delivered already, and those that are not decided yet.
 *
 * For regular expressions, the stream keeps the bytes of the unfinished line, and a scan searches
 * whole lines. Once they are more than line_bytes_max, the line is searched, and forgotten up to a
 * place where no match may go on.
 */
#include "trawl_stream.h"

#include <inttypes.h>
#include <string.h>

#include "base/bytes.h"
#include "base/checked.h"
#include "base/memory.h"
#include "base/options.h"
#include "runtime/job.h"
#include "runtime/matches.h"
#include "runtime/schedule.h"
#include "runtime/workers.h"
#include "text/cut.h"

/* readable bytes after a copy; with fewer, the engine would copy again */
#define ROOM_BEHIND 192u
/* A segment is copied for a brief search if it is at most COPIED_BRIEF bytes, or no longer than the
 * stream's tail; for a scan, if it is at most COPIED bytes. Longer ones are searched in place. */
#define COPIED_BRIEF 512u
#define COPIED (6u << 10)
#define ROOM_MIN (8u << 10)
#define PART_BYTES \
    (UINT64_C(4) << 20) /* a single scan searches about this much of a segment at most */
#define LINE_BYTES_MAX (UINT64_C(1) << 20)
#define LINE_ROOM_MIN 256u /* room for the unfinished line that is never given back */
#define MATCHES_MAX 64u    /* maximum number of matches passed to the sink at a time */

struct trawl_stream {
    const struct trawl_plan *plan;
    bool by_lines;     /* only whole lines are searched (kind.by_lines) */
    uint64_t position; /* length of the text so far */
    uint64_t line_bytes_max;
    uint8_t *bytes; /* owned; the last `count` bytes of the text; for regular expressions, the
                       unfinished line */
    uint64_t count;
    uint64_t room; /* allocated bytes; for strings, as many as a later scan needs */
    bool ended;
};

/* A call to trawl_stream_feed or trawl_stream_end. */
struct feed {
    struct trawl_searcher *searcher;
    struct trawl_stream *stream;
    trawl_match_sink sink;
    void *context;
    const struct engine_ops *engine;
    struct engine_worker *worker;
    uint64_t now;  /* the stream's position after the call */
    uint64_t upto; /* only matches that begin before this offset are delivered */
    bool ends;     /* the text ends with this call */
};

/* ---- A stream's life ---------------------------------------------------------------------- */

enum trawl_status trawl_stream_open(const struct trawl_plan *plan,
                                    const struct trawl_stream_options *options,
                                    struct trawl_stream **stream_out, struct trawl_error *error)
{
    struct trawl_stream_options given = TRAWL_STREAM_OPTIONS_INIT;
    struct trawl_stream *stream = NULL;
    enum trawl_status status = TRAWL_OK;

    if (plan == NULL || stream_out == NULL)
        return TRAWL_FAIL(error, ARGUMENT, "%s is NULL", plan == NULL ? "plan" : "stream");
    TRAWL_TRY(options_read(&given, sizeof given, options, sizeof given, "stream options", error));
    if (kind_of(plan)->no_streams != NULL)
        return TRAWL_FAIL(error, UNSUPPORTED, "%s", kind_of(plan)->no_streams);
    if ((plan->flags & TRAWL_MULTILINE) != 0)
        return TRAWL_FAIL(error, UNSUPPORTED,
                          "expressions across lines need the whole text in memory");
    TRAWL_TRY(MEMORY_ZEROED(stream, 1, error));
    stream->plan = plan;
    stream->line_bytes_max = given.line_bytes_max > 0 ? given.line_bytes_max : LINE_BYTES_MAX;
    stream->by_lines = kind_of(plan)->by_lines;
    if (!stream->by_lines) {
        stream->room = saturating_add(plan->need_before, plan->need_after);
        TRAWL_TRY_DONE(MEMORY_ZEROED(stream->bytes, stream->room, error));
    }
    *stream_out = stream;
    return TRAWL_OK;
done:
    memory_release(stream, 1, sizeof *stream);
    return status;
}

enum trawl_status trawl_stream_copy(const struct trawl_stream *stream,
                                    struct trawl_stream **copy_out, struct trawl_error *error)
{
    struct trawl_stream *copy = NULL;

    if (stream == NULL || copy_out == NULL)
        return TRAWL_FAIL(error, ARGUMENT, "%s is NULL", stream == NULL ? "stream" : "copy");
    TRAWL_TRY(MEMORY_NEW(copy, 1, error));
    *copy = *stream;
    copy->bytes = NULL;
    if (MEMORY_ZEROED(copy->bytes, copy->room, error) != TRAWL_OK) {
        memory_release(copy, 1, sizeof *copy);
        return TRAWL_MEMORY;
    }
    if (copy->count > 0)
        memcpy(copy->bytes, stream->bytes, (size_t)copy->count);
    *copy_out = copy;
    return TRAWL_OK;
}

void trawl_stream_reset(struct trawl_stream *stream)
{
    if (stream == NULL)
        return;
    stream->position = stream->count = 0;
    stream->ended = false;
}

void trawl_stream_close(struct trawl_stream *stream)
{
    if (stream == NULL)
        return;
    memory_release(stream->bytes, stream->room, 1);
    memory_release(stream, 1, sizeof *stream);
}

/* ---- Scans -------------------------------------------------------------------------------- */

/* Prepares the searcher's engine worker for the stream's plan. */
static enum trawl_status engine_ready(struct feed *feed, struct trawl_error *error)
{
    struct trawl_searcher *searcher = feed->searcher;
    const struct trawl_plan *plan = feed->stream->plan;
    struct job job;

    if (searcher->caller.prepared[plan->kind][0].serial == plan->serial) {
        feed->engine = kind_of(plan)->ops[0];
        feed->worker = searcher->caller.prepared[plan->kind][0].worker;
        return TRAWL_OK;
    }
    job_begin(&job, searcher->runtime, plan, NULL);
    job.is_brief = true;
    TRAWL_TRY(worker_ready(&searcher->caller, &job, false, error));
    feed->engine = worker_engine(&searcher->caller, &job, false, &feed->worker);
    return TRAWL_OK;
}

/* Returns true if this call must deliver the match: it was not decided before, and is decided
 * now. */
static bool is_decided_now(const struct feed *feed, const struct text_chunk *chunk,
                           const struct trawl_match *match)
{
    const struct trawl_stream *stream = feed->stream;
    const uint8_t *after = chunk->bytes + (match->end - chunk->begin);

    if (match->end <= stream->position &&
        plan_end_is_decided(stream->plan, after, stream->position - match->end))
        return false;
    return feed->ends || plan_end_is_decided(stream->plan, after, feed->now - match->end);
}

/* Delivers the matches of the task's scan to the sink. */
static enum trawl_status deliver(const struct feed *feed, const struct task *task)
{
    const struct trawl_plan *plan = feed->stream->plan;
    const struct hits *hits = &task->result.hits;
    bool judged = feed->stream->by_lines;
    bool plain =
        !judged && !plan_has_conditions(plan) && plan->literals == NULL && !hits->lengths_valid;
    struct trawl_match matches[MATCHES_MAX];
    uint64_t count = 0, done;

    for (uint64_t i = 0; i < hits->count; i += done) {
        /* occurrences that begin in the segment itself cannot have been delivered before */
        if (plain && task->chunk.begin + hits->items[i].offset >= feed->stream->position) {
            done = min_u64(hits->count - i, MATCHES_MAX - count);
            matches_of_hits(plan, hits->items + i, done, task->chunk.begin, matches + count);
            count += done;
        } else {
            done = 1;
            matches[count] = matches_one(plan, task, &hits->items[i]);
            count += judged ? matches[count].begin < feed->upto
                            : is_decided_now(feed, &task->chunk, &matches[count]);
        }
        if (count == MATCHES_MAX && feed->sink(feed->context, matches, count) != 0)
            return TRAWL_STOPPED;
        count %= MATCHES_MAX;
    }
    return count > 0 && feed->sink(feed->context, matches, count) != 0 ? TRAWL_STOPPED : TRAWL_OK;
}

/* Delivers what a search of the chunk found. */
static enum trawl_status deliver_found(const struct feed *feed, const struct engine_chunk *chunk,
                                       struct trawl_error *error)
{
    struct task *task = &feed->searcher->tasks[0];

    task->chunk = (struct text_chunk){
        .begin = chunk->begin, .bytes = chunk->bytes, .owned = chunk->owned, .after = chunk->after};
    TRAWL_TRY(deliver(feed, task));
    TRAWL_TRY(searcher_check_process(feed->searcher, error)); /* the sink may have called fork() */
    return engine_call_is_over(&feed->searcher->call) ? TRAWL_STOPPED : TRAWL_OK;
}

/* Searches for the occurrences that begin in the chunk's own bytes, and delivers them. */
static enum trawl_status scan(struct feed *feed, const struct engine_chunk *chunk,
                              struct trawl_error *error)
{
    struct task *task = &feed->searcher->tasks[0];

    TRAWL_TRY(engine_ready(feed, error));
    for (task->from = 0; task->from < chunk->owned; task->from = task->result.done) {
        TRAWL_TRY(engine_scan(feed->engine, feed->worker, chunk, task->from, WANT_HITS,
                              &task->result, error));
        TRAWL_TRY(deliver_found(feed, chunk, error));
    }
    return TRAWL_OK;
}

/* Like scan, but searches as trawl_list_bytes does, which is faster for few bytes. Returns false if
 * a scan is needed. */
static bool search_brief(const struct feed *feed, const struct engine_chunk *chunk,
                         enum trawl_status *status, struct trawl_error *error)
{
    struct task *task = &feed->searcher->tasks[0];
    struct hits *hits = &task->result.hits;
    struct engine_brief brief = {.from = chunk->before,
                                 .to = chunk->before + chunk->owned,
                                 .readable = chunk->readable - chunk->after,
                                 .hits = hits};

    hits->count = task->from = 0;
    hits->lengths_valid = false;
    *status = TRAWL_OK;
    if (!schedule_brief(feed->searcher, feed->stream->plan, chunk->bytes - chunk->before,
                        chunk->before + chunk->owned + chunk->after, &brief))
        return false;
    if (hits->count > 0)
        *status = deliver_found(feed, chunk, error);
    return true;
}

/* ---- Strings ------------------------------------------------------------------------------ */

/* Makes room in searcher->room for `bytes` bytes, and those that a scan may load after them. */
static enum trawl_status want_room(struct trawl_searcher *searcher, uint64_t bytes,
                                   struct trawl_error *error)
{
    uint64_t room = max_u64(saturating_add(bytes, ROOM_BEHIND), ROOM_MIN);

    if (room <= searcher->room_bytes)
        return TRAWL_OK;
    memory_release(searcher->room, searcher->room_bytes, 1);
    searcher->room = NULL;
    searcher->room_bytes = 0;
    TRAWL_TRY(MEMORY_ZEROED(searcher->room, room, error));
    searcher->room_bytes = room;
    return TRAWL_OK;
}

/* Copies the stream's tail and the segment's first `count` bytes to searcher->room, and makes them
 * a chunk, to be searched for occurrences that begin before the segment's byte `to`. */
static enum trawl_status copy_front(const struct feed *feed, const uint8_t *bytes, uint64_t count,
                                    uint64_t to, struct engine_chunk *chunk,
                                    struct trawl_error *error)
{
    const struct trawl_stream *stream = feed->stream;
    uint8_t *room;
    uint64_t from = stream->count - min_u64(stream->count, stream->plan->need_after);
    /* the copy of the segment begins at a cache line, so copying takes half the time */
    uint64_t front = (stream->count + MEMORY_ALIGNMENT - 1) / MEMORY_ALIGNMENT * MEMORY_ALIGNMENT;

    TRAWL_TRY(want_room(feed->searcher, front + count, error));
    room = feed->searcher->room + front - stream->count;
    if (stream->count > 0)
        memcpy(room, stream->bytes, (size_t)stream->count);
    if (count > 0)
        memcpy(room + stream->count, bytes, (size_t)count);
    *chunk = (struct engine_chunk){.bytes = room + from,
                                   .begin = stream->position - stream->count + from,
                                   .owned = stream->count + to - from,
                                   .before = from,
                                   .after = count - to,
                                   .readable = count - to + ROOM_BEHIND,
                                   .call = &feed->searcher->call};
    return TRAWL_OK;
}

/* Searches a segment for the occurrences that begin in bytes[from, count). Near the end of readable
 * memory, a scan for a set of strings would test each offset in plain C, so the last bytes are
 * searched in a copy, with ROOM_BEHIND readable bytes after it. */
static enum trawl_status scan_piece(struct feed *feed, const uint8_t *bytes, uint64_t from,
                                    uint64_t count, struct trawl_error *error)
{
    const struct trawl_plan *plan = feed->stream->plan;
    bool copies = plan->method == TRAWL_METHOD_SET;
    uint64_t last = ROOM_BEHIND + plan->need_after;

    for (uint64_t at = from; at < count;) {
        uint64_t owned = min_u64(count - at, PART_BYTES), before = min_u64(at, plan->need_before);
        struct engine_chunk chunk = {.bytes = bytes + at,
                                     .begin = feed->stream->position + at,
                                     .owned = count - at,
                                     .before = before,
                                     .call = &feed->searcher->call};
        enum trawl_status status;

        if (search_brief(feed, &chunk, &status, error))
            return status;
        if (copies && count - at <= last) {
            owned = count - at;
            TRAWL_TRY(want_room(feed->searcher, before + owned, error));
            memcpy(feed->searcher->room, bytes + at - before, (size_t)(before + owned));
            chunk.bytes = feed->searcher->room + before;
            chunk.readable = ROOM_BEHIND;
        } else {
            owned -= copies && count - at - owned < last ? last - (count - at - owned) : 0;
            chunk.readable = count - at - owned;
        }
        chunk.owned = owned;
        chunk.after = min_u64(count - at - owned, plan->need_after);
        TRAWL_TRY(scan(feed, &chunk, error));
        at += owned;
    }
    return TRAWL_OK;
}

static enum trawl_status feed_strings(struct feed *feed, const uint8_t *bytes, uint64_t count,
                                      struct trawl_error *error)
{
    struct trawl_stream *stream = feed->stream;
    uint64_t before = stream->plan->need_before, kept = stream->room, old;
    struct engine_chunk chunk;
    enum trawl_status status;
    bool is_short, is_done;

    if (stream->plan->literal_count == 0 || (count == 0 && !feed->ends))
        return TRAWL_OK;
    is_short = count <= max_u64(COPIED_BRIEF, kept);
    TRAWL_TRY(
        copy_front(feed, bytes, is_short ? count : kept, is_short ? count : before, &chunk, error));
    is_done = search_brief(feed, &chunk, &status, error);
    if (!is_done && !is_short && count <= COPIED) {
        is_short = true;
        TRAWL_TRY(copy_front(feed, bytes, count, count, &chunk, error));
    }
    TRAWL_TRY(is_done ? status : scan(feed, &chunk, error));
    if (!is_short)
        TRAWL_TRY(scan_piece(feed, bytes, before, count, error));
    /* the new tail consists of the last bytes of the old tail and the segment */
    old = count < kept ? min_u64(stream->count, kept - count) : 0;
    count = min_u64(count, kept);
    if (old > 0)
        memmove(stream->bytes, stream->bytes + stream->count - old, (size_t)old);
    if (count > 0)
        memcpy(stream->bytes + old, bytes + (feed->now - stream->position - count), (size_t)count);
    stream->count = old + count;
    return TRAWL_OK;
}

/* ---- Lines -------------------------------------------------------------------------------- */

/* Makes room for `count` bytes of the unfinished line, and keeps its bytes so far. Gives back
 * memory that only an earlier, longer line needed. */
static enum trawl_status line_room(struct trawl_stream *stream, uint64_t count,
                                   struct trawl_error *error)
{
    uint64_t room = max_u64(count + count / 2, LINE_ROOM_MIN);
    uint8_t *bytes = NULL;

    if (count <= stream->room && (stream->room <= LINE_ROOM_MIN || stream->room / 4 <= count))
        return TRAWL_OK;
    if (MEMORY_NEW(bytes, room, count <= stream->room ? NULL : error) != TRAWL_OK)
        return count <= stream->room ? TRAWL_OK : TRAWL_MEMORY;
    if (stream->count > 0)
        memcpy(bytes, stream->bytes, (size_t)stream->count);
    memory_release(stream->bytes, stream->room, 1);
    stream->bytes = bytes;
    stream->room = room;
    return TRAWL_OK;
}

/* Searches whole lines, in parts that end at line ends. */
static enum trawl_status scan_lines(struct feed *feed, const uint8_t *bytes, uint64_t begin,
                                    uint64_t count, struct trawl_error *error)
{
    const struct trawl_plan *plan = feed->stream->plan;

    for (uint64_t at = 0; at < count;) {
        struct engine_chunk chunk = {.bytes = bytes + at,
                                     .begin = begin + at,
                                     .owned = count - at,
                                     .call = &feed->searcher->call};

        if (chunk.owned > PART_BYTES)
            chunk.owned = min_u64(
                chunk.owned, PART_BYTES + 1 +
                                 bytes_find_either(bytes + at + PART_BYTES, count - at - PART_BYTES,
                                                   plan->line_end, plan->line_end_also));
        if (chunk.owned >= UINT32_MAX)
            return TRAWL_FAIL(error, LIMIT,
                              "a line has 4 GiB or more, too much for regular expressions");
        chunk.readable = count - at - chunk.owned;
        TRAWL_TRY(scan(feed, &chunk, error));
        at += chunk.owned;
    }
    return TRAWL_OK;
}

/* Sets *cut to where the unfinished line can be forgotten, `open` bytes in all, if they are more
 * than the limit; 0: it need not. Errors: LIMIT if it cannot. */
static enum trawl_status cut_line(const struct feed *feed, const uint8_t *line, uint64_t open,
                                  uint64_t *cut, struct trawl_error *error)
{
    const struct trawl_stream *stream = feed->stream;

    *cut = 0;
    if (open <= stream->line_bytes_max)
        return TRAWL_OK;
    TRAWL_TRY(engines_cut(stream->plan, line, open, &feed->searcher->call, cut, error));
    if (*cut > 0)
        return TRAWL_OK;
    if (error != NULL)
        error->text_offset = feed->now - open;
    return TRAWL_FAIL(error, LIMIT,
                      "the line at offset %" PRIu64 " has more than %" PRIu64
                      " bytes so far, which "
                      "is the limit line_bytes_max of the stream, and a match may go on",
                      feed->now - open, stream->line_bytes_max);
}

static enum trawl_status feed_lines(struct feed *feed, const uint8_t *bytes, uint64_t count,
                                    struct trawl_error *error)
{
    struct trawl_stream *stream = feed->stream;
    struct text_lines lines = {.line_end = stream->plan->line_end,
                               .line_end_also = stream->plan->line_end_also};
    uint64_t whole = count == 0 ? 0 : cut_last(&lines, bytes, 0, count), first = 0, cut;
    uint64_t open = count - whole + (whole == 0 ? stream->count : 0);
    const uint8_t *line = bytes + whole;

    if (whole > 0 && stream->count > 0)
        first = bytes_find_either(bytes, count, lines.line_end, lines.line_end_also) + 1;
    TRAWL_TRY(line_room(stream, max_u64(stream->count + first, open), error));
    if (whole == 0) {
        if (count > 0)
            memcpy(stream->bytes + stream->count, bytes, (size_t)count);
        line = stream->bytes;
    }
    TRAWL_TRY(cut_line(feed, line, open, &cut, error));
    if (first > 0) {
        memcpy(stream->bytes + stream->count, bytes, (size_t)first);
        TRAWL_TRY(scan_lines(feed, stream->bytes, stream->position - stream->count,
                             stream->count + first, error));
    }
    TRAWL_TRY(scan_lines(feed, bytes + first, stream->position + first, whole - first, error));
    if (cut > 0) {
        feed->upto = feed->now - open + cut;
        TRAWL_TRY(scan_lines(feed, line, feed->now - open, open, error));
    }
    if (open > cut)
        memmove(stream->bytes, line + cut, (size_t)(open - cut));
    stream->count = open - cut;
    return TRAWL_OK;
}

/* ---- Calls -------------------------------------------------------------------------------- */

static enum trawl_status feed_checked(struct feed *feed, const void *bytes, uint64_t count,
                                      struct trawl_error *error)
{
    struct trawl_stream *stream = feed->stream;
    enum trawl_status status;

    if (feed->searcher == NULL || stream == NULL || feed->sink == NULL ||
        (bytes == NULL && count > 0))
        return TRAWL_FAIL(error, ARGUMENT, "%s is NULL",
                          feed->searcher == NULL ? "searcher"
                          : stream == NULL       ? "stream"
                          : feed->sink == NULL   ? "sink"
                                                 : "bytes");
    if (stream->ended)
        return TRAWL_FAIL(error, ARGUMENT,
                          "the stream has ended: call trawl_stream_reset before the next text");
    if (!checked_add(stream->position, count, &feed->now))
        return TRAWL_FAIL(error, LIMIT, "the stream would exceed 2^64 bytes");
    TRAWL_TRY(searcher_enter(feed->searcher, error));
    feed->searcher->tasks_touched = (uint32_t)max_u64(feed->searcher->tasks_touched, 1);

    status = !stream->by_lines ? feed_strings(feed, bytes, count, error)
             : !feed->ends     ? feed_lines(feed, bytes, count, error)
                               : scan_lines(feed, stream->bytes, stream->position - stream->count,
                                            stream->count, error);
    if (status == TRAWL_OK) {
        stream->position = feed->now;
        stream->ended = feed->ends;
    }
    searcher_leave(feed->searcher);
    return status;
}

enum trawl_status trawl_stream_feed(struct trawl_searcher *searcher, struct trawl_stream *stream,
                                    const void *bytes, uint64_t bytes_count, trawl_match_sink sink,
                                    void *context, struct trawl_error *error)
{
    struct feed feed = {.searcher = searcher,
                        .stream = stream,
                        .sink = sink,
                        .context = context,
                        .upto = UINT64_MAX};

    return feed_checked(&feed, bytes, bytes_count, error);
}

enum trawl_status trawl_stream_end(struct trawl_searcher *searcher, struct trawl_stream *stream,
                                   trawl_match_sink sink, void *context, struct trawl_error *error)
{
    struct feed feed = {.searcher = searcher,
                        .stream = stream,
                        .sink = sink,
                        .context = context,
                        .upto = UINT64_MAX,
                        .ends = true};

    return feed_checked(&feed, NULL, 0, error);
}
