/* cursor: cuts a text into chunks for the threads that search it
 *
 * A chunk is read into a buffer or, with need.maps, points into a mapping of the file. Two
 * alternatives were slower than 0.037 s for 1 GiB with two threads: populating each chunk first
 * (MADV_POPULATE_READ), 0.070 s; mapping each chunk separately with MAP_POPULATE, 0.076 s. To touch
 * the next 2 MiB ahead of the other threads saves nothing [16 threads, Linux 6.18].
 */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/checked.h"
#include "base/fault.h"
#include "base/memory.h"
#include "text/ahead.h"
#include "text/cut.h"
#include "text/descriptor.h"
#include "text/text.h"
#include "text/unpack.h"

/* mapped pages are given back to the kernel in strides of this length */
#define MAP_STRIDE (UINT64_C(16) << 20)

/* How long the reader of a stream waits for more bytes if none of those at hand can be searched
 * yet. Without the wait, the last bytes of each write of a slow writer would be searched
 * separately: for 1,000 strings in the output of dd bs=4096, that takes 5 % more processor time,
 * and 20 % with -o -i. */
#define REST_NS 200000u

#define HOLE_BYTES (UINT64_C(4) << 20) /* the longest chunk of a hole, with what is around it */

void text_buffer_release(struct text_buffer *buffer)
{
    memory_release(buffer->bytes, buffer->capacity, 1);
    buffer->bytes = NULL;
    buffer->capacity = 0;
}

/* Returns how much of a buffer is for bytes before the chunk, rounded up so that the chunk begins
 * on a cache line. */
static uint64_t front_bytes(const struct text_cursor *cursor)
{
    return (cursor->need.before + MEMORY_ALIGNMENT - 1) / MEMORY_ALIGNMENT * MEMORY_ALIGNMENT;
}

uint64_t text_cursor_needs(const struct text_cursor *cursor, uint64_t chunk_bytes)
{
    /* The previous chunk of a stream may leave as many bytes as a whole chunk has. */
    uint64_t bytes = cursor->text->kind == TEXT_STREAM ? cursor->need.chunk_bytes : chunk_bytes;

    return front_bytes(cursor) + cursor->need.before + bytes + cursor->need.after + 1 +
           TEXT_SLACK_BYTES;
}

/* Opens a file for the search for holes, which moves the offset: that of `descriptor` may be the
 * caller's. */
static int open_again(int descriptor)
{
    char path[32];

    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    return open(path, O_RDONLY | O_CLOEXEC);
}

enum trawl_status text_cursor_open(struct text_cursor *cursor, struct trawl_text *text,
                                   const struct text_need *need, struct trawl_error *error)
{
    uint64_t whole;

    TRAWL_ASSERT(need->chunk_bytes > 0);
    TRAWL_ASSERT(need->chunk_bytes < UINT32_MAX || text->kind == TEXT_MEMORY);
    memset(cursor, 0, offsetof(struct text_cursor, lock));
    cursor->holes = -1;
    cursor->text = text;
    cursor->need = *need;
    if (!checked_add(need->after, need->chunk_bytes, &whole) ||
        !checked_add(whole, need->before + 2 * MEMORY_ALIGNMENT + TEXT_SLACK_BYTES, &whole)) {
        memory_release(need->kept, need->kept_capacity, sizeof *need->kept);
        return TRAWL_FAIL(error, LIMIT, "a chunk of text would exceed 2^64 bytes");
    }
    if (text->kind == TEXT_STREAM && !text->is_regular && atomic_exchange(&text->is_taken, true)) {
        if (text->unpack != NULL && unpack_is_of_file(text->unpack))
            return TRAWL_FAIL(error, BUSY, "%s: another search is decompressing the text",
                              text->name);
        return TRAWL_FAIL(error, UNSUPPORTED, "%s: a stream can be searched only once", text->name);
    }
    cursor->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    if (text->unpack != NULL)
        unpack_share(text, &need->unpacking);
    if (text->is_sparse)
        cursor->holes = open_again(text->descriptor);
    if (need->maps && text->kind == TEXT_FILE && text->bytes_count > 0)
        (void)mapping_open(&cursor->mapping, text->descriptor, text->descriptor_begin,
                           text->bytes_count);
    return TRAWL_OK;
}

void text_cursor_close(struct text_cursor *cursor)
{
    if (cursor->holes >= 0)
        (void)close(cursor->holes);
    if (cursor->mapping.slot != NULL)
        mapping_close(&cursor->mapping);
    if (cursor->text->unpack != NULL) {
        unpack_unshare(cursor->text);
        if (unpack_rewind(cursor->text->unpack))
            atomic_store(&cursor->text->is_taken, false);
    }
    memory_release(cursor->carry, cursor->carry_capacity, 1);
    memory_release(cursor->need.kept, cursor->need.kept_capacity, sizeof *cursor->need.kept);
    (void)pthread_mutex_destroy(&cursor->lock);
}

bool text_cursor_is_interruptible(const struct text_cursor *cursor)
{
    return cursor->text->kind != TEXT_STREAM || cursor->text->is_regular || cursor->need.wake >= 0;
}

void text_cursor_interrupt(struct text_cursor *cursor)
{
    if (cursor->need.wake >= 0)
        (void)eventfd_write(cursor->need.wake, 1);
    if (unpack_ahead(cursor->text) != NULL)
        ahead_stop(unpack_ahead(cursor->text));
}

bool text_cursor_help(struct text_cursor *cursor, const _Atomic bool *wanted)
{
    struct ahead *ahead = unpack_ahead(cursor->text);

    return ahead != NULL && ahead_help(ahead, wanted);
}

bool text_cursor_is_slow(const struct text_cursor *cursor)
{
    const struct ahead *ahead = unpack_ahead(cursor->text);

    return ahead != NULL && ahead_by_blocks(ahead);
}

/* Takes the lock. While another thread has it, helps to decompress the file, if it is
 * compressed. */
static void lock_or_help(struct text_cursor *cursor)
{
    while (pthread_mutex_trylock(&cursor->lock) != 0)
        if (!text_cursor_help(cursor, NULL)) {
            (void)pthread_mutex_lock(&cursor->lock);
            break;
        }
}

/* Makes the chunk the gap that begins where it does. Returns false if none does, or if gaps may be
 * in chunks; then the chunk may not be longer than *chunk_bytes. */
static bool next_is_gap(struct text_cursor *cursor, uint64_t *chunk_bytes, struct text_chunk *chunk)
{
    const struct text_need *need = &cursor->need;
    struct text_range range = {cursor->text->bytes_count, cursor->text->bytes_count};

    while (cursor->kept_next < need->kept_count &&
           need->kept[cursor->kept_next].end <= chunk->begin)
        cursor->kept_next++;
    if (need->together) {
        chunk->kept = (struct text_ranges){need->kept + cursor->kept_next,
                                           need->kept_count - cursor->kept_next};
        return false;
    }
    if (cursor->kept_next < need->kept_count)
        range = need->kept[cursor->kept_next];
    *chunk_bytes = min_u64(*chunk_bytes, range.end - chunk->begin);
    chunk->is_skipped = chunk->begin < range.begin;
    if (chunk->is_skipped)
        chunk->owned = range.begin - chunk->begin;
    return chunk->is_skipped;
}

static void next_of_memory(struct text_cursor *cursor, uint64_t chunk_bytes,
                           struct text_chunk *chunk)
{
    uint64_t rest = cursor->text->bytes_count - chunk->begin;

    TRAWL_ASSERT(chunk->begin <= cursor->text->bytes_count);
    chunk->bytes = (const uint8_t *)"";
    if (cursor->text->bytes != NULL)
        chunk->bytes = cursor->text->bytes + chunk->begin;
    if (!cursor->need.skips || !next_is_gap(cursor, &chunk_bytes, chunk))
        chunk->owned = cursor->need.lines != NULL && rest > 0
                           ? cut_memory(cursor, chunk->begin, chunk_bytes)
                           : min_u64(rest, chunk_bytes);
    chunk->before = min_u64(chunk->begin, cursor->need.before);
    chunk->readable = rest - chunk->owned;
    chunk->after = min_u64(chunk->readable, cursor->need.after);
    chunk->last = rest == chunk->owned;
    TRAWL_ASSERT(chunk->owned > 0 || chunk->last);
}

void text_cursor_shorten(struct text_cursor *cursor, struct text_chunk *chunk, uint64_t owned)
{
    TRAWL_ASSERT(cursor->text->kind == TEXT_MEMORY && chunk->index < cursor->index_next);
    TRAWL_ASSERT(chunk->begin + chunk->owned <= cursor->begin_next && owned > 0);
    if (owned < chunk->owned)
        next_of_memory(cursor, owned, chunk);
    cursor->index_next = chunk->index + 1;
    cursor->begin_next = chunk->begin + chunk->owned;
    cursor->ended = chunk->last;
}

/* Reads a chunk of a file. If the file ends with the chunk, sets chunk->last. */
static enum trawl_status next_of_file(const struct text_cursor *cursor, uint64_t chunk_bytes,
                                      const struct text_buffer *buffer, struct text_chunk *chunk,
                                      struct trawl_error *error)
{
    enum trawl_status status;
    uint64_t front = front_bytes(cursor), got;
    uint64_t before = min_u64(chunk->begin, cursor->need.before);
    /* Read at least one byte after the chunk, to see whether the text continues. */
    uint64_t wanted = before + chunk_bytes + max_u64(cursor->need.after, 1);

    TRAWL_ASSERT(buffer->capacity >= front + wanted + TEXT_SLACK_BYTES);
    status = read_file(cursor->text, chunk->begin - before, buffer->bytes + front - before, wanted,
                       &got, error);
    chunk->bytes = buffer->bytes + front;
    chunk->before = min_u64(before, got);
    got -= chunk->before;
    chunk->owned = min_u64(got, chunk_bytes);
    chunk->after = min_u64(got - chunk->owned, cursor->need.after);
    chunk->readable = got - chunk->owned + TEXT_SLACK_BYTES;
    memset(buffer->bytes + front + got, 0, TEXT_SLACK_BYTES);
    /* This chunk is complete, so the next one will report the error. */
    if (status == TRAWL_READ && got > chunk_bytes)
        status = TRAWL_OK;
    chunk->last = status == TRAWL_OK && got <= chunk_bytes;
    chunk->beyond = got == 0 && chunk->begin > 0;
    TRAWL_ASSERT(chunk->owned == chunk_bytes || chunk->last || status != TRAWL_OK);
    return status;
}

enum trawl_status text_cursor_read(struct text_cursor *cursor, const struct text_buffer *buffer,
                                   struct text_chunk *chunk, struct trawl_error *error)
{
    enum trawl_status status;

    TRAWL_ASSERT(cursor->text->kind == TEXT_FILE);
    TRAWL_ASSERT(chunk->owned > 0);
    chunk->is_mapped = false;
    status = next_of_file(cursor, chunk->owned, buffer, chunk, error);
    if (chunk->last || status != TRAWL_OK) {
        (void)pthread_mutex_lock(&cursor->lock);
        cursor->ended = true;
        (void)pthread_mutex_unlock(&cursor->lock);
    }
    return status;
}

bool text_cursor_maps(const struct text_cursor *cursor, uint64_t begin)
{
    return cursor->mapping.slot != NULL && begin >= atomic_load(&cursor->map_from) &&
           !mapping_was_repaired(&cursor->mapping);
}

/* Lets the chunk point into the mapping. Returns false if the chunk must be read. */
static bool next_of_mapping(const struct text_cursor *cursor, uint64_t chunk_bytes,
                            struct text_chunk *chunk)
{
    const struct mapping *mapping = &cursor->mapping;
    uint64_t end, stride, past;

    if (!text_cursor_maps(cursor, chunk->begin))
        return false;
    end = saturating_add(chunk->begin, chunk_bytes);
    if (!mapping_has_page_after(mapping, saturating_add(end, cursor->need.after)))
        return false;
    /* Where a stride begins, the pages of the last one but one go back to the kernel: all threads
     * are probably past them. One that still needs such a page takes a page fault. */
    stride = (end - 1) / MAP_STRIDE * MAP_STRIDE;
    past = stride - min_u64(stride, MAP_STRIDE);
    if (chunk->begin <= stride)
        mapping_drop(mapping, past - min_u64(past, max_u64(MAP_STRIDE, chunk_bytes)), past);
    chunk->bytes = mapping_at(mapping, chunk->begin);
    chunk->before = min_u64(chunk->begin, cursor->need.before);
    chunk->owned = chunk_bytes;
    chunk->after = cursor->need.after;
    chunk->readable = mapping->bytes_count - end;
    chunk->is_mapped = true;
    TRAWL_ASSERT(chunk->after < chunk->readable);
    return true;
}

/* If the chunk lies in a hole of the file, points it at zeros: the kernel would have to make pages
 * for the hole. Returns false if it does not. */
static bool next_of_hole(const struct text_cursor *cursor, uint64_t chunk_bytes,
                         struct text_chunk *chunk)
{
    static uint8_t zeros[HOLE_BYTES]; /* never written, so they take no memory */
    const uint64_t before = min_u64(chunk->begin, cursor->need.before);
    const uint64_t end = saturating_add(chunk->begin + chunk_bytes, cursor->need.after);
    const off_t file_begin = (off_t)cursor->text->descriptor_begin;
    off_t data;

    if (cursor->holes < 0 || end >= cursor->text->bytes_count ||
        end - chunk->begin > HOLE_BYTES - before - TEXT_SLACK_BYTES)
        return false;
    data = lseek(cursor->holes, file_begin + (off_t)(chunk->begin - before), SEEK_DATA);
    if (data < 0 && errno == ENXIO) /* a hole up to the end, which the file may have now */
        data = lseek(cursor->holes, 0, SEEK_END);
    if (data <= file_begin + (off_t)end)
        return false;
    chunk->bytes = zeros + before;
    chunk->before = before;
    chunk->owned = chunk_bytes;
    chunk->after = cursor->need.after;
    chunk->readable = HOLE_BYTES - before - chunk_bytes;
    return true;
}

bool text_cursor_is_whole(const struct text_cursor *cursor, const struct text_chunk *chunk)
{
    return mapping_is_whole(&cursor->mapping, chunk->begin + chunk->owned + chunk->after);
}

void text_cursor_read_until(struct text_cursor *cursor, uint64_t begin)
{
    atomic_store(&cursor->map_from, begin);
}

/* Returns how many of the `have` bytes read so far can be searched now: whole lines, if the search
 * needs these; otherwise, all but the last need.after bytes, or those up to the last need.barrier.
 * Of the first `from` bytes, `known` could be searched. */
static uint64_t searchable_bytes(const struct text_cursor *cursor, uint64_t chunk_bytes,
                                 const uint8_t *bytes, uint64_t known, uint64_t from, uint64_t have)
{
    uint64_t searchable_count = have > cursor->need.after ? have - cursor->need.after : 0;

    if (cursor->need.lines != NULL)
        return max_u64(known, cut_last(cursor->need.lines, bytes, from, have));
    if (cursor->need.barrier >= 0 && have > searchable_count) {
        const uint8_t *barrier = (const uint8_t *)memrchr(
            bytes + searchable_count, cursor->need.barrier, (size_t)(have - searchable_count));
        if (barrier != NULL)
            searchable_count = (uint64_t)(barrier - bytes) + 1;
    }
    return min_u64(searchable_count, chunk_bytes);
}

static enum trawl_status carry_keep(struct text_cursor *cursor, const struct text_chunk *chunk,
                                    uint64_t have, struct trawl_error *error)
{
    uint64_t before = min_u64(chunk->before + chunk->owned, cursor->need.before);
    uint64_t count = before + have - chunk->owned;

    TRAWL_ASSERT(chunk->owned <= have);
    TRAWL_TRY(MEMORY_ROOM(cursor->carry, cursor->carry_capacity, count, error));
    if (count > 0)
        memcpy(cursor->carry, chunk->bytes + chunk->owned - before, (size_t)count);
    cursor->carry_count = count;
    cursor->carry_before = before;
    return TRAWL_OK;
}

/* Reads 1 to `count` bytes of a stream, which begin at `offset` of the text; sets *got to the
 * number, which is 0 at the stream's end. Waits for bytes, but returns STOPPED if the descriptor
 * `wake` becomes readable meanwhile; `wake` may be -1, for no descriptor. */
static enum trawl_status read_stream(const struct trawl_text *text, int wake, uint64_t offset,
                                     uint8_t *buffer, uint64_t count, uint64_t *got,
                                     struct trawl_error *error)
{
    enum trawl_status status;

    if (text->unpack == NULL)
        return read_bytes_of(text, text->is_regular, wake, offset, buffer, count, got, error);
    status = unpack_read(text, wake, buffer, count, got, error);
    if (status != TRAWL_OK && error != NULL)
        error->text_offset = offset;
    return status;
}

/* Reads up to `room` further bytes of a stream, which begin at text offset `at`. Sets *got to their
 * number; 0 means that the stream has ended or failed. Later calls then read nothing, and return
 * the error that next_of_stream has kept, if any. */
static enum trawl_status read_more(struct text_cursor *cursor, uint64_t at, uint8_t *to,
                                   uint64_t room, uint64_t *got, struct trawl_error *error)
{
    enum trawl_status status = cursor->stream_status;

    *got = 0;
    if (!cursor->stream_ended)
        status = read_stream(cursor->text, cursor->need.wake, at, to, room, got, error);
    else if (status != TRAWL_OK && error != NULL)
        *error = cursor->stream_error;
    cursor->stream_ended = *got == 0;
    return status;
}

/* Makes room in the buffer for `whole` bytes of the chunk. Only a search of whole lines may need
 * more than the buffer has. */
static enum trawl_status stream_room(const struct text_cursor *cursor, struct text_buffer *buffer,
                                     uint64_t whole, struct text_chunk *chunk,
                                     struct trawl_error *error)
{
    uint64_t bytes = front_bytes(cursor) + whole + TEXT_SLACK_BYTES;

    TRAWL_ASSERT(bytes <= buffer->capacity || cursor->need.lines != NULL);
    if (bytes > buffer->capacity)
        TRAWL_TRY(cursor->need.lines->grow(cursor->need.lines->context, buffer, buffer->capacity,
                                           bytes, error));
    chunk->bytes = buffer->bytes + front_bytes(cursor);
    return TRAWL_OK;
}

/* Returns true if the chunk ends here: at least one byte can be searched and no further byte is
 * ready. If no byte can be searched (*count is 0), waits REST_NS for more, then asks need.decided.
 * A search of whole lines always waits for the end of the line. */
static bool stream_rests(const struct text_cursor *cursor, uint64_t chunk_bytes,
                         const uint8_t *bytes, uint64_t have, uint64_t *count)
{
    const struct text_need *need = &cursor->need;
    const struct trawl_text *text = cursor->text;
    const uint32_t wait_ns = *count > 0 ? 0 : REST_NS;

    if (have == 0 || (need->lines != NULL && *count == 0) ||
        (text->unpack != NULL ? unpack_is_ready(text, wait_ns)
                              : read_is_ready(text->descriptor, wait_ns)))
        return false;
    if (*count == 0 && need->decided != NULL)
        *count = min_u64(need->decided(need->decided_context, bytes, cursor->carry_before, have),
                         chunk_bytes);
    return *count > 0;
}

/* Reads a stream until the chunk is full, the stream ends or fails, or some bytes can be searched
 * and no more are ready. */
static enum trawl_status next_of_stream(struct text_cursor *cursor, uint64_t chunk_bytes,
                                        struct text_buffer *buffer, struct text_chunk *chunk,
                                        struct trawl_error *error)
{
    const bool lines = cursor->need.lines != NULL;
    uint64_t have = cursor->carry_count - cursor->carry_before, got = 1, count, from;
    uint64_t whole = lines ? max_u64(chunk_bytes, 2 * have) : chunk_bytes + cursor->need.after;
    enum trawl_status status = TRAWL_OK;

    TRAWL_ASSERT(cursor->carry_before <= front_bytes(cursor));
    TRAWL_TRY(stream_room(cursor, buffer, max_u64(whole, have), chunk, error));
    chunk->before = cursor->carry_before;
    if (cursor->carry_count > 0)
        memcpy(buffer->bytes + front_bytes(cursor) - chunk->before, cursor->carry,
               (size_t)cursor->carry_count);
    count = lines ? 0 : searchable_bytes(cursor, chunk_bytes, chunk->bytes, 0, 0, have);
    while ((have < whole || (lines && count == 0)) &&
           !stream_rests(cursor, chunk_bytes, chunk->bytes, have, &count)) {
        if (have == whole) {
            whole *= 2;
            TRAWL_TRY(stream_room(cursor, buffer, whole, chunk, error));
        }
        from = have;
        status = read_more(cursor, chunk->begin + have, buffer->bytes + front_bytes(cursor) + have,
                           whole - have, &got, error);
        have += got;
        if (got == 0)
            break;
        count = searchable_bytes(cursor, chunk_bytes, chunk->bytes, count, from, have);
    }
    chunk->owned = got > 0 ? count : lines ? have : min_u64(have, chunk_bytes);
    if (status == TRAWL_READ && have > (lines ? 0 : chunk->owned)) {
        /* the next chunk reports the error, because the bytes before it come first */
        cursor->stream_status = status;
        if (error != NULL)
            cursor->stream_error = *error;
        status = TRAWL_OK;
    }
    chunk->last =
        status == TRAWL_OK && got == 0 && chunk->owned == have && cursor->stream_status == TRAWL_OK;
    TRAWL_ASSERT(chunk->owned <= have && (lines || chunk->owned <= chunk_bytes));
    chunk->after = have - chunk->owned;
    chunk->readable = chunk->after + TEXT_SLACK_BYTES;
    memset(buffer->bytes + front_bytes(cursor) + have, 0, TEXT_SLACK_BYTES);
    return status != TRAWL_OK ? status : carry_keep(cursor, chunk, have, error);
}

/* Makes a chunk that points into a piece that was decompressed ahead, without a copy. Returns false
 * if the piece lacks some of the next bytes, or if whole lines are needed and no line ends in
 * them. */
static bool next_is_lent(struct text_cursor *cursor, uint64_t chunk_bytes, struct text_chunk *chunk,
                         enum trawl_status *status, struct trawl_error *error)
{
    const uint64_t have = cursor->carry_count - cursor->carry_before;
    const uint64_t whole = chunk_bytes + cursor->need.after;
    const uint8_t *bytes =
        have >= whole ? NULL
                      : unpack_lend(cursor->text, cursor->carry_count, whole - have, &chunk->lent);

    if (bytes == NULL)
        return false;
    chunk->bytes = bytes - have;
    chunk->before = cursor->carry_before;
    chunk->owned = chunk_bytes;
    if (cursor->need.lines != NULL)
        chunk->owned = cut_last(cursor->need.lines, chunk->bytes, have, whole);
    chunk->after = whole - chunk->owned;
    chunk->readable = chunk->after + TEXT_SLACK_BYTES;
    *status = carry_keep(cursor, chunk, whole, error);
    if (chunk->owned > 0 || *status != TRAWL_OK)
        return true;
    /* No line ends in these bytes. carry_keep has copied them, so they need not stay lent. */
    atomic_fetch_sub(chunk->lent, 1);
    chunk->lent = NULL;
    return false;
}

/* Locks a stream's cursor if the next chunk has the index `only`. Returns false if it has another
 * index, or if another thread has the lock. */
static bool lock_for(struct text_cursor *cursor, uint64_t only)
{
    if (pthread_mutex_trylock(&cursor->lock) != 0)
        return false;
    if (cursor->index_next == only)
        return true;
    (void)pthread_mutex_unlock(&cursor->lock);
    return false;
}

enum trawl_status text_cursor_next(struct text_cursor *cursor, uint64_t only, uint64_t chunk_bytes,
                                   bool in_place, struct text_buffer *buffer,
                                   struct text_chunk *chunk, enum text_taken *taken,
                                   struct trawl_error *error)
{
    enum trawl_status status = TRAWL_OK, cut = TRAWL_OK;
    bool alone = cursor->text->kind != TEXT_FILE; /* the chunk is made while the lock is held */

    memset(chunk, 0, sizeof *chunk);
    *taken = TEXT_BUSY;
    if (only != TEXT_ANY_CHUNK && cursor->text->kind == TEXT_STREAM) {
        if (!lock_for(cursor, only))
            return TRAWL_OK;
    } else {
        lock_or_help(cursor);
    }
    *taken = cursor->ended ? TEXT_END : TEXT_TAKEN;
    chunk->index = cursor->index_next;
    chunk->begin = cursor->begin_next;
    if (*taken == TEXT_TAKEN) {
        cursor->index_next++;
        if (cursor->text->kind == TEXT_MEMORY)
            next_of_memory(cursor, chunk_bytes, chunk);
        else if (cursor->text->kind == TEXT_STREAM && in_place &&
                 next_is_lent(cursor, chunk_bytes, chunk, &status, error))
            TRAWL_ASSERT(chunk->lent != NULL);
        else if (cursor->text->kind == TEXT_STREAM)
            status = next_of_stream(cursor, chunk_bytes, buffer, chunk, error);
        else if (cursor->need.lines != NULL)
            chunk_bytes = cut_file(cursor, chunk->begin, chunk_bytes, buffer, &cut, error);
        /* the search was interrupted or cancelled, so this chunk is not needed */
        if (status == TRAWL_STOPPED) {
            *taken = TEXT_END;
            status = TRAWL_OK;
            cursor->ended = true;
        }
        if (cursor->text->unpack != NULL)
            chunk->window_bytes = unpack_memory(cursor->text);
        cursor->begin_next += alone ? chunk->owned : chunk_bytes;
        cursor->ended |= alone && (chunk->last || status != TRAWL_OK);
    }
    (void)pthread_mutex_unlock(&cursor->lock);
    if (*taken != TEXT_TAKEN || alone)
        return status;
    /* A mapped chunk may have to be read later, so the buffer must be large enough for that,
     * too. */
    if (cursor->need.lines != NULL && text_cursor_needs(cursor, chunk_bytes) > buffer->capacity)
        status = cursor->need.lines->grow(cursor->need.lines->context, buffer, 0,
                                          text_cursor_needs(cursor, chunk_bytes), error);
    if (status != TRAWL_OK) {
        chunk->bytes = (const uint8_t *)"";
        return status;
    }
    chunk->owned = chunk_bytes;
    if (!in_place || cut != TRAWL_OK ||
        (!next_of_hole(cursor, chunk_bytes, chunk) && !next_of_mapping(cursor, chunk_bytes, chunk)))
        status = text_cursor_read(cursor, buffer, chunk, error);
    /* Reading works now, but failed when the chunk was cut, so the chunk ends inside a line: report
     * the earlier error. */
    return status == TRAWL_OK && !chunk->last ? cut : status;
}
