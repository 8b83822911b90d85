/* text: where bytes come from, cut into chunks.
 *
 * A cursor hands out the text's chunks in order to any number of threads. Memory is not copied.
 * A regular file is read by pread into the taker's buffer, so that all threads read at once and a
 * file that shrinks or grows ends where reading ends. If the taker allows it, a chunk of a file may
 * instead lie in a mapping of the file (text/mapping.h); the chunk at the end is always read.
 * Anything else is a stream: one thread reads at a time, and the bytes that the next chunk needs
 * again are carried over.
 */
#ifndef TRAWL_TEXT_TEXT_H
#define TRAWL_TEXT_TEXT_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/status.h"
#include "text/mapping.h"

enum text_kind { TEXT_MEMORY, TEXT_FILE, TEXT_STREAM };

struct text_unpack;

struct trawl_text {
    enum text_kind kind;
    const uint8_t *bytes; /* memory */
    uint64_t bytes_count; /* memory; a file's size when it was opened */
    /* Not 0: the text lies there, on a device. `bytes` are pages that nobody can read before
     * is_on_host: text_host_begin, a copy to them, and text_host_done. */
    uint64_t device_address;
    _Atomic bool is_on_host;
    int descriptor; /* file and stream */
    bool descriptor_is_ours;
    bool is_regular;            /* a regular file, also one read like a stream (size 0) */
    bool stream_is_used;        /* a stream that is not a regular file can be searched once */
    uint64_t descriptor_begin;  /* a regular file's offset of the text's first byte */
    struct text_unpack *unpack; /* a stream that may be compressed; else NULL */
    char *name;                 /* for messages; name_bytes with its NUL */
    uint64_t name_bytes;
};

/* Can the host not read the bytes of this text? */
static inline bool text_is_hidden(const struct trawl_text *text)
{
    return text->device_address != 0 && !atomic_load(&text->is_on_host);
}
/* Make the pages of such a text writable; MEMORY. Then its bytes are there. */
enum trawl_status text_host_begin(struct trawl_text *text, struct trawl_error *error);
void text_host_done(struct trawl_text *text);

/* A buffer of the taker's, kept from chunk to chunk. */
struct text_buffer {
    uint8_t *bytes;
    uint64_t capacity;
};

void text_buffer_release(struct text_buffer *buffer);

/* May chunks of a file lie in a mapping? */
enum text_maps { TEXT_MAPS_NEVER, TEXT_MAPS_IF_FASTER, TEXT_MAPS_ALWAYS };

/* What a search needs around each chunk. */
struct text_need {
    uint64_t before;      /* bytes before its first one */
    uint64_t after;       /* bytes beyond its owned ones */
    uint64_t chunk_bytes; /* owned bytes of a chunk, at most */
    int barrier;          /* a byte no match crosses, so that a stream's chunk may end after it
                             without bytes after; -1: none */
    enum text_maps maps;
};

/* Bytes that may be loaded, though they mean nothing, beyond a chunk: the widest vector. */
#define TEXT_SLACK_BYTES 64u

struct text_chunk {
    uint64_t index;       /* 0, 1, ... in the text's order */
    uint64_t begin;       /* text offset of bytes[0] */
    const uint8_t *bytes; /* in the text, the taker's buffer or the mapping */
    uint64_t owned;       /* bytes in which this chunk's occurrences begin */
    uint64_t before;      /* valid bytes before bytes[0] */
    uint64_t after;       /* valid bytes beyond owned */
    uint64_t readable;    /* loadable bytes beyond owned, >= after */
    bool last;            /* the text ends with this chunk's owned bytes */
    bool beyond;          /* the text ended before this chunk: it has no bytes */
    bool is_mapped;       /* bytes lie in the cursor's mapping: text_cursor_is_whole, _judge */
    bool is_probe;        /* and the page faults of its search are to be counted */
};

struct text_cursor {
    struct trawl_text *text;
    struct text_need need;
    bool shared;         /* by several threads, which take the lock */
    uint64_t index_next; /* the chunk to take next, */
    uint64_t begin_next; /* and its text offset */
    bool ended;          /* the last chunk was handed out, or reading failed */
    uint8_t *carry;      /* stream: bytes [begin_next - carry_before, ...) read so far */
    uint64_t carry_capacity;
    uint64_t carry_before;           /* kept bytes before begin_next */
    uint64_t carry_count;            /* bytes in `carry`, those included */
    bool stream_ended;               /* it ended once; a terminal would otherwise wait for more */
    enum trawl_status stream_status; /* READ: it ended in this error, behind the carried bytes */
    int wake; /* stream: readable once text_cursor_interrupt was called; -1: none could be had */
    struct mapping mapping;    /* of a file, if need.maps */
    _Atomic uint64_t map_from; /* chunks that begin before it are read */
    uint64_t map_pause;        /* bytes to read when mapped chunks have not paid */
    int map_fault_credit;      /* of mapped chunks that took many faults; 0: a pause */
    int map_read_credit;       /* of those that had to be read after all */

    /* What is not all zero at the begin: */
    pthread_mutex_t lock;            /* held while a chunk is taken or judged */
    struct trawl_error stream_error; /* of stream_status */
};

enum trawl_status text_cursor_open(struct text_cursor *cursor, struct trawl_text *text,
                                   const struct text_need *need, struct trawl_error *error);
void text_cursor_close(struct text_cursor *cursor);
/* From now on several threads take its chunks. */
void text_cursor_share(struct text_cursor *cursor);

/* Can a thread that waits in text_cursor_next be called back? */
bool text_cursor_is_interruptible(const struct text_cursor *cursor);
/* Call back the thread that waits for a stream's bytes: its text_cursor_next then takes nothing. */
void text_cursor_interrupt(struct text_cursor *cursor);

enum text_taken { TEXT_TAKEN, TEXT_END, TEXT_BUSY };
#define TEXT_ANY_CHUNK UINT64_MAX

/* Bytes of a buffer that holds a chunk with all that is needed around it. */
uint64_t text_cursor_room(const struct text_cursor *cursor, uint64_t chunk_bytes);

/* Take the next chunk, of `chunk_bytes` or, at the end and of a slow stream, fewer, into a buffer
 * that has room for it (a text in memory needs none); TEXT_END: there is none. On failure the chunk
 * is still taken, with the bytes that came before the fault. With `only` another than
 * TEXT_ANY_CHUNK, of a stream no other chunk than that, and nothing while another thread is
 * reading: TEXT_BUSY. in_place: a file's chunk may be mapped instead; the buffer still has to have
 * room. Threads: one, and after text_cursor_share any, at once. */
enum trawl_status text_cursor_next(struct text_cursor *cursor, uint64_t only, uint64_t chunk_bytes,
                                   bool in_place, struct text_buffer *buffer,
                                   struct text_chunk *chunk, enum text_taken *taken,
                                   struct trawl_error *error);

/* May a chunk that begins here be mapped, as far as is known now? */
bool text_cursor_maps(const struct text_cursor *cursor, uint64_t begin);
/* A mapped chunk is searched: were its bytes, and those after it, the file's all the time? Else
 * what was found does not count. */
bool text_cursor_is_whole(const struct text_cursor *cursor, const struct text_chunk *chunk);
/* Read a mapped chunk into the taker's buffer after all. */
enum trawl_status text_cursor_read(struct text_cursor *cursor, const struct text_buffer *buffer,
                                   struct text_chunk *chunk, struct trawl_error *error);
/* Did mapping the chunk pay? faults: during its search, if it is a probe; was_read: it had to be
 * read as well. */
void text_cursor_judge(struct text_cursor *cursor, const struct text_chunk *chunk, uint64_t faults,
                       bool was_read);

#endif
