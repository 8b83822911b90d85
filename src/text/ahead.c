/* ahead: several threads decompress a single file ahead of the thread that reads it. ahead.h
 * defines the words: the file is divided into *cells* of equal length; a *member* can be decoded
 * without earlier bytes; a *piece* is what a thread decompresses, starting at the first member in a
 * cell. */
#include "text/ahead.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "text/codecs.h"
#include "text/descriptor.h"

enum piece_state {
    PIECE_FREE,
    PIECE_SOUGHT,   /* a thread is looking for the piece's start */
    PIECE_GROWS,    /* a thread is decoding the piece */
    PIECE_PAUSED,   /* incomplete; any thread may continue */
    PIECE_UNWANTED, /* as SOUGHT or GROWS, but the reader is past the piece */
    PIECE_READY,
    PIECE_READ /* the reader is reading the piece */
};

struct ahead {
    const struct trawl_text *text;
    const struct codec *codec;
    /* length of a cell in the file; maximum number of decompressed bytes in a piece */
    uint64_t cell_bytes, piece_bytes;
    /* limit for a decoder's window: the earlier output to which compressed data may refer */
    uint64_t window_bytes;
    bool by_blocks;
    /* cell_bytes in the unit of pieces' offsets: bytes, or bits if by_blocks */
    uint64_t cell_length;
    _Atomic bool stopping;
    _Atomic bool waits; /* the reader waits for a piece */

    /* guards all members below, except for pieces that a thread is decoding */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    uint64_t cell_next; /* the next cell to look for a piece in */
    bool ended;         /* the file has no further cells */
    uint32_t piece_count;
    struct piece *pieces; /* piece_count pieces, and one more for ahead_make */
    /* A list of decoders that no piece uses. The one used last comes first: its window is still in
     * a core's cache. */
    struct decoder *idle;
};

/* Gives the piece a decoder, unless it has one. Returns false if out of memory. */
static bool has_decoder(struct ahead *ahead, struct piece *piece)
{
    (void)pthread_mutex_lock(&ahead->lock);
    if (piece->decoder == NULL && ahead->idle != NULL) {
        piece->decoder = ahead->idle;
        ahead->idle = piece->decoder->next;
    }
    (void)pthread_mutex_unlock(&ahead->lock);
    if (piece->decoder != NULL)
        return true;
    if (MEMORY_NEW(piece->decoder, 1, NULL) != TRAWL_OK)
        return false;
    decoder_open(piece->decoder);
    return true;
}

/* Puts the piece's decoder on the list for other pieces. The caller holds the lock. */
static void spare_decoder(struct ahead *ahead, struct piece *piece)
{
    piece->decoder->next = ahead->idle;
    ahead->idle = piece->decoder;
    piece->decoder = NULL;
}

static uint64_t packed_room(const struct ahead *ahead)
{
    return ahead->cell_bytes + BLOCKS_ROOM + BLOCKS_SLACK_BYTES;
}

/* For bzip2 blocks: reads cell_bytes + beyond compressed bytes at file offset `from` into
 * piece->packed. Returns how many were read; 0 if out of memory. */
static uint64_t piece_load(const struct ahead *ahead, struct piece *piece, uint64_t from,
                           uint64_t beyond)
{
    uint64_t used;

    if (piece->packed == NULL && MEMORY_NEW(piece->packed, packed_room(ahead), NULL) != TRAWL_OK)
        return 0;
    /* an error counts as the end of the file */
    (void)read_file(ahead->text, from, piece->packed, ahead->cell_bytes + beyond, &used, NULL);
    memset(piece->packed + used, 0, BLOCKS_SLACK_BYTES);
    return used;
}

/* Decides whether pieces of a bzip2 file consist of blocks or of whole streams: of blocks if the
 * file is longer than a cell, and no second stream begins in the first cell or in the BLOCKS_ROOM
 * bytes after it. */
static void choose_blocks(struct ahead *ahead, uint64_t cell_bytes)
{
    struct piece *own = &ahead->pieces[ahead->piece_count];
    uint64_t used;

    ahead->cell_bytes = cell_bytes;
    used = piece_load(ahead, own, 0, BLOCKS_ROOM);
    ahead->by_blocks =
        used > ahead->cell_bytes && codec_find(ahead->codec, own->packed + 1, used - 1) == NULL;
    ahead->cell_length = ahead->cell_bytes * (ahead->by_blocks ? 8 : 1);
}

struct ahead *ahead_open(const struct trawl_text *text, const struct codec *codec,
                         const struct text_unpacking *how)
{
    struct ahead *ahead;

    if (MEMORY_ZEROED(ahead, 1, NULL) != TRAWL_OK)
        return NULL;
    ahead->text = text;
    ahead->codec = codec;
    ahead->cell_bytes = ahead->cell_length = how->cell_bytes;
    ahead->cell_next = 1; /* the reader decodes the first cell */
    /* one piece per thread to fill, while others are being searched */
    ahead->piece_count = how->threads + how->threads / 2 + 1;
    ahead->piece_bytes =
        max_u64(how->bytes / ahead->piece_count, how->cell_bytes + CODEC_HEAD_BYTES);
    ahead->window_bytes = how->bytes / how->threads;
    if (MEMORY_ZEROED(ahead->pieces, ahead->piece_count + 1, NULL) != TRAWL_OK) {
        memory_release(ahead, 1, sizeof *ahead);
        return NULL;
    }
    ahead->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    ahead->changed = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    if (codec == &codec_bzip2)
        choose_blocks(ahead, how->block_cell_bytes);
    return ahead;
}

void ahead_close(struct ahead *ahead)
{
    for (uint32_t i = 0; i <= ahead->piece_count; i++) {
        struct piece *piece = &ahead->pieces[i];

        if (piece->decoder != NULL)
            spare_decoder(ahead, piece);
        memory_release(piece->packed, piece->packed == NULL ? 0 : packed_room(ahead), 1);
        memory_release(piece->bytes, piece->bytes == NULL ? 0 : ahead->piece_bytes, 1);
    }
    while (ahead->idle != NULL) {
        struct decoder *decoder = ahead->idle;

        ahead->idle = decoder->next;
        decoder_close(decoder);
        memory_release(decoder, 1, sizeof *decoder);
    }
    memory_release(ahead->pieces, ahead->piece_count + 1, sizeof *ahead->pieces);
    (void)pthread_mutex_destroy(&ahead->lock);
    (void)pthread_cond_destroy(&ahead->changed);
    memory_release(ahead, 1, sizeof *ahead);
}

void ahead_stop(struct ahead *ahead)
{
    atomic_store(&ahead->stopping, true);
}

bool ahead_is_stopped(const struct ahead *ahead)
{
    return atomic_load(&ahead->stopping);
}

static bool has_room(const struct ahead *ahead, struct piece *piece)
{
    return piece->bytes != NULL || MEMORY_TABLE(piece->bytes, ahead->piece_bytes, NULL) == TRAWL_OK;
}

/* Finds the first place in the piece's cell where a member (if by_blocks, a block) may begin.
 * *begin is its file offset in bytes (if by_blocks, in bits). *ended says that the file ends in the
 * cell. Returns false if there is no such place. */
static bool seek_member(const struct ahead *ahead, struct piece *piece, uint64_t *begin,
                        bool *ended)
{
    uint64_t from = piece->cell * ahead->cell_bytes, used;
    enum blocks_mark mark = BLOCKS_NO_MARK;
    const uint8_t *found;

    if (ahead->by_blocks) {
        used = piece_load(ahead, piece, from, BLOCKS_END_BITS / 8 + 1);
        *ended = used <= ahead->cell_bytes;
        found = piece->packed;
        *begin = 0;
        while (mark != BLOCKS_BEGIN && blocks_find(found, used, *begin, begin, &mark))
            *begin += mark != BLOCKS_BEGIN;
        if (mark != BLOCKS_BEGIN || *begin >= ahead->cell_length)
            return false;
        *begin += 8 * from;
        return true;
    }
    (void)read_file(ahead->text, from, piece->bytes, ahead->cell_bytes + CODEC_HEAD_BYTES, &used,
                    NULL);
    *ended = used <= ahead->cell_bytes;
    found = codec_find(ahead->codec, piece->bytes, used);
    if (found == NULL || (uint64_t)(found - piece->bytes) >= ahead->cell_bytes)
        return false;
    *begin = from + (uint64_t)(found - piece->bytes);
    return true;
}

/* Returns true if the thread should decode more of the piece. Sets piece->pauses if the caller's
 * help is no longer wanted. */
static bool piece_goes_on(const struct ahead *ahead, struct piece *piece,
                          const _Atomic bool *wanted)
{
    piece->pauses = wanted != NULL && !atomic_load(wanted);
    return !piece->pauses && piece->state == PIECE_GROWS && !atomic_load(&ahead->stopping) &&
           piece->count < ahead->piece_bytes;
}

/* Reads the piece's compressed blocks, up to the first block that begins after the cell or to the
 * end of the stream, and prepares to decode them. Returns false if there are none, or if out of
 * memory. */
static bool begin_blocks(const struct ahead *ahead, struct piece *piece)
{
    static const uint8_t head[BLOCKS_HEAD_BYTES] = {'B', 'Z', 'h', '9'};
    const struct decoder_source source = {ahead->text, true, -1, NULL};
    struct codec_io io = {
        .in = head, .in_count = BLOCKS_HEAD_BYTES, .out = piece->bytes, .out_count = 1};
    uint64_t from = piece->begin / 8, used = piece_load(ahead, piece, from, BLOCKS_ROOM);

    if (used == 0 ||
        !blocks_measure(piece->packed, used, piece->begin % 8,
                        (piece->cell + 1) * ahead->cell_length - 8 * from, &piece->blocks))
        return false;
    piece->packed_at = 0;
    piece->packed_count = blocks_make_stream(piece->packed, piece->begin % 8, &piece->blocks);
    return decoder_begin(piece->decoder, ahead->codec, 1, &source) == TRAWL_OK &&
           piece->decoder->library->step(piece->decoder->state, &io) == CODEC_MORE;
}

/* Decodes the piece's blocks. Returns false if they are damaged, do not fit, or are no longer
 * wanted, unless the piece pauses. */
static bool decode_blocks(const struct ahead *ahead, struct piece *piece,
                          const _Atomic bool *wanted)
{
    enum codec_result result = CODEC_MORE;

    while (result == CODEC_MORE && piece->packed_at < piece->packed_count &&
           piece_goes_on(ahead, piece, wanted)) {
        uint64_t given = min_u64(piece->packed_count - piece->packed_at, DECODER_INPUT_BYTES);
        struct codec_io io = {.in = piece->packed + piece->packed_at,
                              .in_count = given,
                              .out = piece->bytes + piece->count,
                              .out_count = ahead->piece_bytes - piece->count};

        result = piece->decoder->library->step(piece->decoder->state, &io);
        piece->packed_at += given - io.in_count;
        piece->count = ahead->piece_bytes - io.out_count;
    }
    return result == CODEC_END || piece->pauses;
}

/* Prepares to decode the piece. Returns false if memory runs out or, with by_blocks, if the piece
 * holds no block. */
static bool piece_begin(struct ahead *ahead, struct piece *piece)
{
    const struct decoder_source source = {ahead->text, true, -1, NULL};

    piece->at = piece->count = 0;
    piece->is_whole = piece->pauses = false;
    if (!has_decoder(ahead, piece))
        return false;
    if (ahead->by_blocks)
        return begin_blocks(ahead, piece);
    decoder_move(piece->decoder, piece->begin);
    return decoder_begin(piece->decoder, ahead->codec, 1, &source) == TRAWL_OK;
}

/* Decodes the piece until a member ends at or after the cell's end, other work comes, or the
 * piece's memory is full. Without by_blocks, damaged data ends the piece, too; the reader will find
 * and report it. Returns false if the decoder's window exceeds window_bytes, or if decode_blocks
 * does. */
static bool decode_piece(const struct ahead *ahead, struct piece *piece, const _Atomic bool *wanted)
{
    const struct decoder_source source = {ahead->text, true, -1, NULL};
    const uint64_t end = (piece->cell + 1) * ahead->cell_bytes;
    enum trawl_status status = TRAWL_OK;
    enum decoder_stop stop;
    uint64_t got;

    if (ahead->by_blocks)
        return decode_blocks(ahead, piece, wanted);
    while (status == TRAWL_OK && piece_goes_on(ahead, piece, wanted)) {
        status = decoder_read(piece->decoder, &source, piece->bytes + piece->count,
                              ahead->piece_bytes - piece->count, &got, &stop);
        if (decoder_memory(piece->decoder) > ahead->window_bytes)
            return false;
        piece->count += got;
        piece->end = piece->decoder->file_offset;
        piece->is_whole = stop == DECODER_MEMBER && piece->end >= end;
        if (status != TRAWL_OK || stop == DECODER_ENDED || piece->is_whole)
            break;
        if (stop == DECODER_MEMBER)
            status = decoder_next(piece->decoder, &source);
    }
    return true;
}

/* Returns the earliest paused piece; if there is none, a free piece, for the next cell; else NULL.
 * The caller holds the lock. */
static struct piece *take_work(struct ahead *ahead)
{
    struct piece *found = NULL;

    if (atomic_load(&ahead->stopping))
        return NULL;
    for (uint32_t i = 0; i < ahead->piece_count; i++) {
        struct piece *piece = &ahead->pieces[i];

        if (piece->state == PIECE_PAUSED &&
            (found == NULL || found->state == PIECE_FREE || piece->cell < found->cell))
            found = piece;
        else if (piece->state == PIECE_FREE && found == NULL && !ahead->ended &&
                 atomic_load(&piece->lent) == 0)
            found = piece;
    }
    if (found != NULL && found->state == PIECE_FREE) {
        found->begin = UINT64_MAX;
        found->cell = ahead->cell_next++;
    }
    if (found != NULL)
        found->state = found->state == PIECE_FREE ? PIECE_SOUGHT : PIECE_GROWS;
    return found;
}

/* Finds where the piece begins. Returns true if the thread should then decode it; false if nothing
 * begins in its cell, memory runs out, or the reader is past the cell. */
static bool find_piece_begin(struct ahead *ahead, struct piece *piece)
{
    uint64_t at = UINT64_MAX;
    bool ended = false, found = has_room(ahead, piece) && seek_member(ahead, piece, &at, &ended);

    (void)pthread_mutex_lock(&ahead->lock);
    ahead->ended |= ended;
    piece->begin = at;
    found &= piece->state == PIECE_SOUGHT;
    piece->state = found ? PIECE_GROWS : PIECE_FREE;
    (void)pthread_cond_broadcast(&ahead->changed);
    (void)pthread_mutex_unlock(&ahead->lock);
    return found;
}

bool ahead_help(struct ahead *ahead, const _Atomic bool *wanted)
{
    struct piece *piece;
    bool found, is_new;

    (void)pthread_mutex_lock(&ahead->lock);
    piece = take_work(ahead);
    is_new = piece != NULL && piece->state == PIECE_SOUGHT;
    (void)pthread_mutex_unlock(&ahead->lock);
    if (piece == NULL)
        return false;
    if (is_new && !find_piece_begin(ahead, piece))
        return true;
    found = (!is_new || piece_begin(ahead, piece)) && decode_piece(ahead, piece, wanted);
    (void)pthread_mutex_lock(&ahead->lock);
    piece->state = !found || piece->state != PIECE_GROWS ? PIECE_FREE
                   : piece->pauses                       ? PIECE_PAUSED
                                                         : PIECE_READY;
    if (piece->decoder != NULL && piece->state != PIECE_PAUSED &&
        (piece->is_whole || ahead->by_blocks))
        spare_decoder(ahead, piece);
    atomic_store(&ahead->waits, false);
    (void)pthread_cond_broadcast(&ahead->changed);
    (void)pthread_mutex_unlock(&ahead->lock);
    return true;
}

/* Frees the pieces that begin before this offset; if a thread is decoding one, marks it, and that
 * thread will free it. Returns the piece of the cell that contains the offset, or NULL if there is
 * none or it begins at another offset. The caller holds the lock. */
static struct piece *free_pieces_before(struct ahead *ahead, uint64_t offset)
{
    uint64_t cell = offset / ahead->cell_length;
    struct piece *found = NULL;

    ahead->cell_next = max_u64(ahead->cell_next, cell + 1);
    for (uint32_t i = 0; i < ahead->piece_count; i++) {
        struct piece *piece = &ahead->pieces[i];

        if (piece->state == PIECE_FREE || piece->cell > cell ||
            (piece->cell == cell && piece->begin > offset && piece->state != PIECE_SOUGHT))
            continue;
        if (piece->cell == cell && (piece->begin == offset || piece->state == PIECE_SOUGHT))
            found = piece;
        else if (piece->state == PIECE_READY || piece->state == PIECE_PAUSED)
            piece->state = PIECE_FREE;
        else
            piece->state = PIECE_UNWANTED;
    }
    return found;
}

struct piece *ahead_take(struct ahead *ahead, uint64_t offset)
{
    struct piece *piece = NULL;
    bool helps = true;

    (void)pthread_mutex_lock(&ahead->lock);
    while (!atomic_load(&ahead->stopping) && (piece = free_pieces_before(ahead, offset)) != NULL &&
           piece->state != PIECE_READY) {
        /* another thread decodes the piece that is needed; meanwhile, decode a later one */
        if (helps) {
            atomic_store(&ahead->waits, true);
            (void)pthread_mutex_unlock(&ahead->lock);
            helps = ahead_help(ahead, &ahead->waits);
            (void)pthread_mutex_lock(&ahead->lock);
        } else {
            (void)pthread_cond_wait(&ahead->changed, &ahead->lock);
            helps = true;
        }
    }
    if (piece != NULL && piece->state == PIECE_READY)
        piece->state = PIECE_READ;
    else
        piece = NULL;
    (void)pthread_mutex_unlock(&ahead->lock);
    return piece;
}

bool ahead_by_blocks(const struct ahead *ahead)
{
    return ahead->by_blocks;
}

struct piece *ahead_make(struct ahead *ahead, uint64_t bit)
{
    struct piece *own = &ahead->pieces[ahead->piece_count];

    own->begin = bit;
    own->cell = bit / ahead->cell_length;
    own->state = PIECE_GROWS;
    return has_room(ahead, own) && piece_begin(ahead, own) && decode_piece(ahead, own, NULL) ? own
                                                                                             : NULL;
}

const uint8_t *ahead_lend(struct piece *piece, uint64_t kept, uint64_t wanted)
{
    const uint8_t *bytes = piece->bytes + piece->at;

    if (piece->state != PIECE_READ || piece->at < kept ||
        piece->count - piece->at < wanted + TEXT_SLACK_BYTES)
        return NULL;
    piece->at += wanted;
    atomic_fetch_add(&piece->lent, 1);
    return bytes;
}

void ahead_give(struct ahead *ahead, struct piece *piece)
{
    (void)pthread_mutex_lock(&ahead->lock);
    piece->state = PIECE_FREE;
    (void)pthread_mutex_unlock(&ahead->lock);
}
