/* cursor: cutting a text into pieces. */
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/checked.h"
#include "base/fault.h"
#include "base/memory.h"
#include "text/read.h"
#include "text/text.h"

void text_buffer_release(struct text_buffer *buffer)
{
    memory_release(buffer->bytes, buffer->capacity, 1);
    buffer->bytes = NULL;
    buffer->capacity = 0;
}

/* Bytes in front of a piece, rounded so that the piece itself begins on a cache line. */
static uint64_t front_bytes(const struct text_cursor *cursor)
{
    return (cursor->need.before + MEMORY_ALIGNMENT - 1) / MEMORY_ALIGNMENT * MEMORY_ALIGNMENT;
}

uint64_t text_cursor_room(const struct text_cursor *cursor, uint64_t piece_bytes)
{
    /* What a stream's last piece left over may be as much as the largest one. */
    uint64_t bytes = cursor->text->kind == TEXT_STREAM ? cursor->need.piece_bytes : piece_bytes;

    return front_bytes(cursor) + cursor->need.before + bytes + cursor->need.after + 1 +
           TEXT_SLACK_BYTES;
}

enum trawl_status text_cursor_open(struct text_cursor *cursor, struct trawl_text *text,
                                   const struct text_need *need, struct trawl_error *error)
{
    uint64_t whole;

    TRAWL_ASSERT(need->piece_bytes > 0);
    TRAWL_ASSERT(need->piece_bytes < UINT32_MAX || text->kind == TEXT_MEMORY);
    memset(cursor, 0, sizeof *cursor);
    cursor->text = text;
    cursor->need = *need;
    cursor->wake = -1;
    if (!checked_add(need->after, need->piece_bytes, &whole) ||
        !checked_add(whole, need->before + 2 * MEMORY_ALIGNMENT + TEXT_SLACK_BYTES, &whole))
        return TRAWL_FAIL(error, LIMIT, "a piece of text would exceed 2^64 bytes");
    if (text->kind == TEXT_STREAM) {
        if (text->stream_is_used)
            return TRAWL_FAIL(error, UNSUPPORTED, "%s: a stream can be searched once", text->name);
        text->stream_is_used = !text->is_regular;
        if (!text->is_regular && !fault_hit(FAULT_OPEN))
            cursor->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    }
    (void)pthread_mutex_init(&cursor->lock, NULL); /* cannot fail with default attributes here */
    return TRAWL_OK;
}

void text_cursor_close(struct text_cursor *cursor)
{
    if (cursor->wake >= 0)
        (void)close(cursor->wake);
    memory_release(cursor->carry, cursor->carry_capacity, 1);
    (void)pthread_mutex_destroy(&cursor->lock);
}

bool text_cursor_is_interruptible(const struct text_cursor *cursor)
{
    return cursor->text->kind != TEXT_STREAM || cursor->text->is_regular || cursor->wake >= 0;
}

void text_cursor_interrupt(struct text_cursor *cursor)
{
    if (cursor->wake >= 0)
        (void)eventfd_write(cursor->wake, 1);
}

static void next_of_memory(const struct text_cursor *cursor, uint64_t piece_bytes,
                           struct text_piece *piece)
{
    uint64_t rest = cursor->text->bytes_count - piece->begin;

    TRAWL_ASSERT(piece->begin <= cursor->text->bytes_count);
    piece->bytes = cursor->text->bytes + piece->begin;
    if (cursor->text->bytes == NULL)
        piece->bytes = (const uint8_t *)"";
    piece->owned = min_u64(rest, piece_bytes);
    piece->before = min_u64(piece->begin, cursor->need.before);
    piece->readable = rest - piece->owned;
    piece->after = min_u64(piece->readable, cursor->need.after);
    piece->last = rest == piece->owned;
    TRAWL_ASSERT(piece->owned > 0 || piece->last);
    TRAWL_ASSERT(piece->owned + piece->after <= rest);
}

/* Read a file's piece; the one that reading finds to be the last ends the cursor. */
static enum trawl_status next_of_file(const struct text_cursor *cursor, uint64_t piece_bytes,
                                      const struct text_buffer *buffer, struct text_piece *piece,
                                      struct trawl_error *error)
{
    enum trawl_status status;
    uint64_t front = front_bytes(cursor), got;
    uint64_t before = min_u64(piece->begin, cursor->need.before);
    /* one byte more than needed, to see whether the text goes on */
    uint64_t wanted = before + piece_bytes + max_u64(cursor->need.after, 1);

    TRAWL_ASSERT(buffer->capacity >= front + wanted + TEXT_SLACK_BYTES);
    TRAWL_ASSERT(before <= front);
    status = read_file(cursor->text, piece->begin - before, buffer->bytes + front - before, wanted,
                       &got, error);
    piece->bytes = buffer->bytes + front;
    piece->before = min_u64(before, got);
    got -= piece->before;
    piece->owned = min_u64(got, piece_bytes);
    piece->after = min_u64(got - piece->owned, cursor->need.after);
    piece->readable = got - piece->owned + TEXT_SLACK_BYTES;
    memset(buffer->bytes + front + got, 0, TEXT_SLACK_BYTES);
    piece->last = status == TRAWL_OK && got <= piece_bytes;
    piece->beyond = got == 0 && piece->begin > 0;
    TRAWL_ASSERT(piece->before <= piece->begin);
    TRAWL_ASSERT(piece->owned + piece->after <= got);
    TRAWL_ASSERT(piece->owned == piece_bytes || piece->last || status != TRAWL_OK);
    return status;
}

/* How many of the `have` bytes from the piece's begin can be searched with what was read. */
static uint64_t stream_settled(const struct text_cursor *cursor, uint64_t piece_bytes,
                               const uint8_t *bytes, uint64_t have)
{
    uint64_t settled = have > cursor->need.after ? have - cursor->need.after : 0;

    if (cursor->need.barrier >= 0 && have > settled) {
        const uint8_t *barrier = (const uint8_t *)memrchr(bytes + settled, cursor->need.barrier,
                                                          (size_t)(have - settled));
        if (barrier != NULL)
            settled = (uint64_t)(barrier - bytes) + 1;
    }
    TRAWL_ASSERT(settled <= have);
    return min_u64(settled, piece_bytes);
}

static enum trawl_status carry_keep(struct text_cursor *cursor, const struct text_piece *piece,
                                    uint64_t have, struct trawl_error *error)
{
    uint64_t before = min_u64(piece->before + piece->owned, cursor->need.before);
    uint64_t count = before + have - piece->owned;

    TRAWL_ASSERT(piece->owned <= have);
    if (count > cursor->carry_capacity) {
        void *memory;

        TRAWL_TRY(memory_allocate(2 * count, 1, &memory, error));
        memory_release(cursor->carry, cursor->carry_capacity, 1);
        cursor->carry = (uint8_t *)memory;
        cursor->carry_capacity = 2 * count;
    }
    if (count > 0)
        memcpy(cursor->carry, piece->bytes + piece->owned - before, (size_t)count);
    cursor->carry_count = count;
    cursor->carry_before = before;
    TRAWL_ASSERT(cursor->carry_before <= cursor->carry_count);
    TRAWL_ASSERT(cursor->carry_count <= cursor->carry_capacity);
    return TRAWL_OK;
}

/* Read a stream until a whole piece is there, or what came can be searched and no more is waiting.
 */
static enum trawl_status next_of_stream(struct text_cursor *cursor, uint64_t piece_bytes,
                                        const struct text_buffer *buffer, struct text_piece *piece,
                                        struct trawl_error *error)
{
    uint64_t front = front_bytes(cursor);
    uint64_t whole = piece_bytes + cursor->need.after;
    uint64_t have = cursor->carry_count - cursor->carry_before, got = 1, settled = 0;
    enum trawl_status status = TRAWL_OK;
    uint8_t *bytes;

    TRAWL_ASSERT(buffer->capacity >= front + max_u64(whole, have) + TEXT_SLACK_BYTES);
    TRAWL_ASSERT(cursor->carry_before <= front);
    bytes = buffer->bytes + front;
    if (cursor->carry_count > 0)
        memcpy(bytes - cursor->carry_before, cursor->carry, (size_t)cursor->carry_count);
    piece->bytes = bytes;
    piece->before = cursor->carry_before;
    while (have < whole) {
        if (settled > 0 && !read_is_ready(cursor->text))
            break;
        got = 0;
        if (!cursor->stream_ended)
            status = read_stream(cursor->text, cursor->wake, piece->begin + have, bytes + have,
                                 whole - have, &got, error);
        have += got;
        cursor->stream_ended = got == 0;
        if (got == 0)
            break;
        settled = stream_settled(cursor, piece_bytes, bytes, have);
    }
    settled = stream_settled(cursor, piece_bytes, bytes, have);
    piece->owned = got == 0 ? min_u64(have, piece_bytes) : settled;
    piece->last = status == TRAWL_OK && got == 0 && piece->owned == have;
    TRAWL_ASSERT(piece->owned <= have && piece->owned <= piece_bytes);
    piece->after = have - piece->owned;
    piece->readable = piece->after + TEXT_SLACK_BYTES;
    memset(bytes + have, 0, TEXT_SLACK_BYTES);
    return status != TRAWL_OK ? status : carry_keep(cursor, piece, have, error);
}

/* Lock the cursor; false: others are to read first. */
static bool cursor_lock(struct text_cursor *cursor, uint64_t only)
{
    if (only == TEXT_ANY_PIECE || cursor->text->kind != TEXT_STREAM) {
        (void)pthread_mutex_lock(&cursor->lock);
        return true;
    }
    if (pthread_mutex_trylock(&cursor->lock) != 0)
        return false;
    if (cursor->index_next == only)
        return true;
    (void)pthread_mutex_unlock(&cursor->lock);
    return false;
}

enum trawl_status text_cursor_next(struct text_cursor *cursor, uint64_t only, uint64_t piece_bytes,
                                   struct text_buffer *buffer, struct text_piece *piece,
                                   enum text_taken *taken, struct trawl_error *error)
{
    enum trawl_status status = TRAWL_OK;
    bool alone = cursor->text->kind != TEXT_FILE; /* a file is read outside the lock */

    memset(piece, 0, sizeof *piece);
    *taken = TEXT_BUSY;
    if (!cursor_lock(cursor, only))
        return TRAWL_OK;
    *taken = cursor->ended ? TEXT_END : TEXT_TAKEN;
    piece->index = cursor->index_next;
    piece->begin = cursor->begin_next;
    if (*taken == TEXT_TAKEN) {
        cursor->index_next++;
        if (cursor->text->kind == TEXT_MEMORY)
            next_of_memory(cursor, piece_bytes, piece);
        else if (cursor->text->kind == TEXT_STREAM)
            status = next_of_stream(cursor, piece_bytes, buffer, piece, error);
        if (status == TRAWL_STOPPED) { /* called back: this piece is not wanted */
            *taken = TEXT_END;
            status = TRAWL_OK;
            cursor->ended = true;
        }
        TRAWL_ASSERT(piece->begin + piece->owned >= piece->begin);
        cursor->begin_next += alone ? piece->owned : piece_bytes;
        cursor->ended |= alone && (piece->last || status != TRAWL_OK);
    }
    (void)pthread_mutex_unlock(&cursor->lock);
    if (*taken != TEXT_TAKEN || alone)
        return status;

    status = next_of_file(cursor, piece_bytes, buffer, piece, error);
    if (piece->last || status != TRAWL_OK) {
        (void)pthread_mutex_lock(&cursor->lock);
        cursor->ended = true;
        (void)pthread_mutex_unlock(&cursor->lock);
    }
    return status;
}
