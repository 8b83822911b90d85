/* text: declares texts, from which a search takes its bytes, and the cursor that cuts a text into
 * chunks.
 *
 * A cursor hands out the text's chunks in order to any number of threads ("takers"). There are
 * three kinds of text:
 *   memory   chunks point into the text; nothing is copied
 *   file     each taker reads its chunk by pread into the taker's buffer, so that all threads read
 *            at the same time. A file that shrinks or grows ends where reading ends. With in_place,
 *            a chunk may instead lie in a mapping of the file (text/mapping.h); the last chunk is
 *            always read
 *   stream   a single thread reads at a time, and carries over bytes that the next chunk needs too;
 *            meanwhile, the other threads unpack pieces of a compressed file (text/ahead.h)
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
    const uint8_t *bytes; /* memory: the text */
    uint64_t bytes_count; /* memory: the text's size; file: the size at opening */
    /* Device address of a text on a device; else 0. The pages at `bytes` are then unreadable until
     * the device's bytes were copied: text_host_begin, the copy, text_host_done. */
    uint64_t device_address;
    _Atomic bool is_on_host; /* the copy is complete */
    int descriptor;          /* file and stream */
    bool descriptor_is_ours;
    bool is_regular;            /* a regular file, even if read like a stream (size 0) */
    bool stream_is_used;        /* a stream that is no regular file can be searched only once */
    uint64_t descriptor_begin;  /* file offset of the text's first byte, in a regular file */
    struct text_unpack *unpack; /* the unpacking of a stream; NULL: none was asked for */
    struct mapping mapping;     /* of TRAWL_TEXT_MAP; slot NULL: not mapped */
    char *name;                 /* for messages: name_bytes bytes, NUL included */
    uint64_t name_bytes;
};

/* Returns whether the text lies on a device and was not copied to the host. */
static inline bool text_is_hidden(const struct trawl_text *text)
{
    return text->device_address != 0 && !atomic_load(&text->is_on_host);
}
/* Makes the host pages of a text on a device writable, for the copy; fails with MEMORY. */
enum trawl_status text_host_begin(struct trawl_text *text, struct trawl_error *error);
/* Marks the copy as complete. */
void text_host_done(struct trawl_text *text);

/* A taker's buffer, reused from chunk to chunk. */
struct text_buffer {
    uint8_t *bytes;
    uint64_t capacity;
};

void text_buffer_release(struct text_buffer *buffer);

/* When a chunk of a file may lie in a mapping. */
enum text_maps { TEXT_MAPS_NEVER, TEXT_MAPS_IF_FASTER, TEXT_MAPS_ALWAYS };

/* What a search needs of each chunk, and how files are read. */
struct text_need {
    uint64_t before;      /* bytes before the chunk's first byte */
    uint64_t after;       /* bytes after the chunk's owned bytes */
    uint64_t chunk_bytes; /* most owned bytes of a chunk */
    /* A byte value that no match contains; -1: there is no such value. A stream's chunk that
     * ends with this byte needs no bytes after the chunk. */
    int barrier;
    enum text_maps maps;
    const struct text_lines *lines; /* NULL: chunks may end anywhere */
    /* Threads that unpack a compressed file, and memory for bytes unpacked ahead (unpack.h). */
    uint32_t unpack_threads;
    uint64_t unpack_bytes;
    /* An eventfd. While this descriptor is readable, no thread waits for a stream's bytes; -1: such
     * a wait cannot be ended. */
    int wake;
    /* NULL, or returns how many of the `have` bytes at `bytes` a stream's chunk may own although
     * fewer than `after` bytes follow; called when no more bytes are waiting. bytes[-before] is
     * readable. */
    uint64_t (*decided)(const void *context, const uint8_t *bytes, uint64_t before, uint64_t have);
    const void *decided_context;
};

/* For searches that read whole lines: each chunk ends where a line ends. */
struct text_lines {
    uint8_t line_end; /* two values that end lines; they may be equal */
    uint8_t line_end_also;
    void *context;
    /* NULL: line_end and line_end_also end lines. Else returns the end of the record that holds the
     * byte at this text offset. For texts in memory. */
    uint64_t (*record_end)(void *context, uint64_t at);
    /* Makes room for `bytes` in a buffer, and keeps the buffer's first `kept` bytes. */
    enum trawl_status (*grow)(void *context, struct text_buffer *buffer, uint64_t kept,
                              uint64_t bytes, struct trawl_error *error);
};

/* A search may load this many bytes beyond a chunk, for the widest vector, and ignores them. */
#define TEXT_SLACK_BYTES 64u

struct text_chunk {
    uint64_t index;       /* 0, 1, ... in the text's order */
    uint64_t begin;       /* text offset of bytes[0] */
    const uint8_t *bytes; /* in the text, the taker's buffer, the mapping or unpacked bytes */
    uint64_t owned;       /* the chunk's occurrences begin in bytes[0, owned) */
    uint64_t before;      /* valid bytes before bytes[0] */
    uint64_t after;       /* valid bytes from bytes[owned] on */
    uint64_t readable;    /* loadable bytes from bytes[owned] on, readable ≥ after */
    /* NULL, or a count that the taker lowers when the bytes, unpacked by threads that help
     * (text/ahead.h), are not needed any more */
    _Atomic uint32_t *lent;
    uint64_t window_bytes; /* bytes that the reader's decoder of a compressed text takes for its
                              window */
    bool last;             /* the text ends with this chunk's owned bytes */
    bool beyond;           /* the text ended before this chunk, which is empty */
    bool is_mapped;        /* the bytes lie in the cursor's mapping: call text_cursor_is_whole and
                              text_cursor_judge after the search */
    bool is_probe;         /* the taker has to count the page faults of a mapped chunk's search */
};

struct text_cursor {
    struct trawl_text *text;
    struct text_need need;
    bool shared;         /* several threads take chunks, and have to take the lock */
    uint64_t index_next; /* index of the next chunk */
    uint64_t begin_next; /* text offset of the next chunk */
    bool ended;          /* the last chunk was handed out, or reading failed */
    uint8_t *carry;      /* stream: bytes [begin_next - carry_before, ...) read so far */
    uint64_t carry_capacity;
    uint64_t carry_before; /* bytes in `carry` before begin_next */
    uint64_t carry_count;  /* all bytes in `carry` */
    bool stream_ended;     /* a read found the end; a terminal would block if read again */
    enum trawl_status stream_status; /* READ: a read behind the carried bytes failed */
    struct mapping mapping;          /* the file's mapping, if need.maps allows a mapping */
    _Atomic uint64_t map_from;       /* chunks that begin before this offset are read */
    /* number of bytes that are read after mapping has cost more than reading */
    uint64_t map_pause;
    /* falls with each fault of a probe above the allowed number; at 0, mapping pauses */
    int map_fault_credit;
    /* falls with each mapped chunk that had to be read; at 0, mapping pauses */
    int map_read_credit;

    /* text_cursor_open sets all fields before this line to 0 first. */
    pthread_mutex_t lock;            /* held while a chunk is taken or judged */
    struct trawl_error stream_error; /* the error of stream_status */
};

enum trawl_status text_cursor_open(struct text_cursor *cursor, struct trawl_text *text,
                                   const struct text_need *need, struct trawl_error *error);
void text_cursor_close(struct text_cursor *cursor);
/* Announces that from now on several threads take the cursor's chunks. */
void text_cursor_share(struct text_cursor *cursor);

/* Returns whether text_cursor_interrupt can end a thread's wait in text_cursor_next. */
bool text_cursor_is_interruptible(const struct text_cursor *cursor);
/* Ends a thread's wait for a stream's bytes; the thread's text_cursor_next returns TEXT_END. Ends
 * text_cursor_help soon. */
void text_cursor_interrupt(struct text_cursor *cursor);
/* Unpacks a part of a compressed file, ahead of the chunks; ends soon after *wanted, unless NULL,
 * has become false. False: there is nothing to do now. */
bool text_cursor_help(struct text_cursor *cursor, const _Atomic bool *wanted);

/* Returns whether taking the first chunk takes so long that other threads should help. */
bool text_cursor_is_slow(const struct text_cursor *cursor);

enum text_taken { TEXT_TAKEN, TEXT_END, TEXT_BUSY };
#define TEXT_ANY_CHUNK UINT64_MAX

/* Returns the size of a buffer for a chunk, with the bytes before, after and the slack. */
uint64_t text_cursor_room(const struct text_cursor *cursor, uint64_t chunk_bytes);

/* Takes the next chunk. *taken is TEXT_TAKEN, or TEXT_END if the text has no more chunks.
 *
 * chunk_bytes   owned bytes of the chunk; fewer at the text's end, and in a slow stream
 * buffer        has to have text_cursor_room bytes, also with in_place; a text in memory needs none
 * in_place      a file's chunk may be mapped instead of read, a stream's chunk may be lent
 * only          if not TEXT_ANY_CHUNK: from a stream, take only the chunk with this index, and only
 *               while no other thread reads; else *taken is TEXT_BUSY
 *
 * If reading fails, the chunk is taken with the bytes before the fault. Several threads may call
 * this function at the same time after text_cursor_share. */
enum trawl_status text_cursor_next(struct text_cursor *cursor, uint64_t only, uint64_t chunk_bytes,
                                   bool in_place, struct text_buffer *buffer,
                                   struct text_chunk *chunk, enum text_taken *taken,
                                   struct trawl_error *error);

/* Gives back the bytes of the chunk from `owned` on: the next chunk begins there. Of a text in
 * memory, for the last chunk that was taken, while no other thread takes chunks. */
void text_cursor_shorten(struct text_cursor *cursor, struct text_chunk *chunk, uint64_t owned);

/* Returns whether a chunk that begins at this offset may be mapped, as far as is known now. */
bool text_cursor_maps(const struct text_cursor *cursor, uint64_t begin);
/* Returns whether a mapped chunk, and the bytes after the chunk, were the file's bytes during the
 * whole search. If not, the taker drops the results. */
bool text_cursor_is_whole(const struct text_cursor *cursor, const struct text_chunk *chunk);
/* Reads a mapped chunk into the taker's buffer, after text_cursor_is_whole returned false. */
enum trawl_status text_cursor_read(struct text_cursor *cursor, const struct text_buffer *buffer,
                                   struct text_chunk *chunk, struct trawl_error *error);
/* Records whether mapping the chunk saved time. faults: page faults during the search, if the chunk
 * is a probe. was_read: the chunk had to be read as well. */
void text_cursor_judge(struct text_cursor *cursor, const struct text_chunk *chunk, uint64_t faults,
                       bool was_read);

#endif
