/* text: the texts that are searched, and the cursor that cuts them into chunks.
 *
 * A cursor hands out the text's chunks in order to any number of threads. There are three kinds of
 * text:
 *   memory   chunks point into the text; nothing is copied
 *   file     each thread reads its chunk with pread into its own buffer, so all threads can read at
 *            the same time. If the file shrinks or grows meanwhile, the text ends where reading
 *            ends. With in_place, a chunk may instead point into a mapping of the file
 *            (text/mapping.h), or, in a hole, at zeros; the last chunk is always read
 *   stream   one thread reads at a time, and carries over bytes that the next chunk needs, too; if
 *            the stream is a compressed file, the other threads decompress later parts of it
 *            (text/ahead.h)
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
    const uint8_t *bytes; /* the bytes of a text in memory */
    uint64_t bytes_count; /* memory: size of the text; file: its size when it was opened */
    /* Address in a GPU's memory; 0: the text is not on a GPU. If it is, the pages at `bytes` are
     * unreadable until the text has been copied to them (text_host_begin, then the
     * copy). */
    uint64_t device_address;
    _Atomic bool is_on_host;       /* the copy is complete */
    bool stays;                    /* TRAWL_TEXT_STAY: the text must not be copied to the host */
    bool filters;                  /* TRAWL_TEXT_FILTER: loading the text makes a filter of it */
    _Atomic uint64_t filter_bytes; /* the filter's memory; 0: there is none */
    int descriptor;                /* only for files and streams */
    bool descriptor_is_ours;
    /* true even if a regular file is read like a stream (size 0), but false if it is decompressed,
     * or mapped with TRAWL_TEXT_MAP */
    bool is_regular;
    /* A search reads, or has read, the stream. A compressed file can be read again from its start;
     * a pipe or terminal can be searched only once. */
    _Atomic bool is_taken;
    bool is_sparse;            /* a file with at least SPARSE_MIN bytes of holes */
    uint64_t descriptor_begin; /* in a regular file, the offset of the text's first byte */
    /* state of decompression; NULL: the file is not compressed, or is not to be decompressed */
    struct text_unpack *unpack;
    struct mapping mapping; /* only with TRAWL_TEXT_MAP; slot NULL: not mapped */
    char *name;             /* the text's name in messages, of name_bytes bytes with the NUL */
    uint64_t name_bytes;
};

/* Open a text in memory, or at an address in a GPU's memory: trawl_text_open with these sources. */
enum trawl_status text_from_memory(const void *bytes, uint64_t bytes_count,
                                   struct trawl_text **text_out, struct trawl_error *error);
enum trawl_status text_from_device(uint64_t address, uint64_t bytes_count,
                                   struct trawl_text **text_out, struct trawl_error *error);

/* Returns true if the text is in a GPU's memory, and has not been copied to the host. */
static inline bool text_is_hidden(const struct trawl_text *text)
{
    return text->device_address != 0 && !atomic_load(&text->is_on_host);
}
/* Makes the host pages of a text on a GPU writable, so that it can be copied there. Errors:
 * MEMORY. */
enum trawl_status text_host_begin(struct trawl_text *text, struct trawl_error *error);

/* The buffer of a thread that takes chunks, for one chunk at a time. */
struct text_buffer {
    uint8_t *bytes;
    uint64_t capacity;
};

void text_buffer_release(struct text_buffer *buffer);

/* How a file may be decompressed ahead of the thread that reads it (text/ahead.h). */
struct text_unpacking {
    uint32_t threads;         /* how many threads decompress; below 2: only the reader */
    uint32_t library_threads; /* how many threads a library may start */
    uint64_t bytes;           /* memory for bytes that are decompressed ahead */
    uint64_t cell_bytes;      /* the length of a cell, and of one with bzip2 blocks */
    uint64_t block_cell_bytes;
};

struct text_range {
    uint64_t begin, end;
};

struct text_ranges {
    const struct text_range *items;
    uint64_t count;
};

/* What a search needs in each chunk, and how files are read. */
struct text_need {
    uint64_t before;      /* number of bytes that must be readable before the chunk */
    uint64_t after;       /* number of bytes that must be readable after the chunk */
    uint64_t chunk_bytes; /* largest length of a chunk */
    /* A byte value that no match contains, such as a line end; -1: there is none. A chunk of a
     * stream that ends with it can be searched without later bytes. */
    int barrier;
    bool maps;                      /* map a file, if possible */
    const struct text_lines *lines; /* NULL: chunks may end anywhere */
    struct text_unpacking unpacking;
    /* An eventfd; once it is readable, threads stop waiting for a stream's bytes. -1: none. */
    int wake;
    /* Called when a stream has had no new bytes for a while, so that matches need not wait for a
     * writer that pauses. Returns how many of the `have` bytes at `bytes` can be searched although
     * fewer than `after` bytes follow. `before` earlier bytes are readable. May be NULL. */
    uint64_t (*decided)(const void *context, const uint8_t *bytes, uint64_t before, uint64_t have);
    const void *decided_context;
    /* For a text in memory, if `skips`: occurrences begin only in these ranges, which ascend, with
     * gaps between them; with `lines`, they are whole lines. The cursor owns the array. */
    struct text_range *kept;
    uint64_t kept_count, kept_capacity;
    bool skips;
    bool together; /* a chunk may have several ranges, for a device that searches them together */
};

/* Makes chunks end at line ends, for searches that need whole lines. */
struct text_lines {
    uint8_t line_end; /* two byte values that end lines, possibly equal */
    uint8_t line_end_also;
    void *context;
    /* Only for texts in memory: returns the end of the record that contains the byte at this text
     * offset. NULL: there are no records, but lines that end at line_end or line_end_also. */
    uint64_t (*record_end)(void *context, uint64_t at);
    /* Makes room for `bytes` bytes in a buffer, and keeps its first `kept` bytes. */
    enum trawl_status (*grow)(void *context, struct text_buffer *buffer, uint64_t kept,
                              uint64_t bytes, struct trawl_error *error);
};

/* A search may load this many bytes after a chunk (the length of the widest vector) and ignore
 * them. */
#define TEXT_SLACK_BYTES 64u

struct text_chunk {
    uint64_t index;       /* 0, 1, ... in text order */
    uint64_t begin;       /* offset in the text of bytes[0] */
    const uint8_t *bytes; /* points into the text, a buffer, a mapping or decompressed bytes */
    /* length of the chunk: the search reports occurrences that begin in bytes[0, owned) */
    uint64_t owned;
    uint64_t before;   /* number of bytes of the text that are readable before bytes[0] */
    uint64_t after;    /* number of bytes of the text that are readable after the chunk */
    uint64_t readable; /* number of bytes after the chunk that may be loaded, ≥ after */
    /* If not NULL, the bytes are in a piece that was decompressed ahead (text/ahead.h), and the
     * thread that took the chunk decrements this count when it no longer needs them. */
    _Atomic uint32_t *lent;
    /* for a compressed text: bytes of memory that the decoder uses for its window */
    uint64_t window_bytes;
    bool last;       /* the text ends with this chunk */
    bool beyond;     /* the chunk is empty, because the text had already ended */
    bool is_mapped;  /* the chunk is in a mapping: call text_cursor_is_whole after the search */
    bool is_skipped; /* the chunk is a gap between need.kept, of any length: not to be searched */
    struct text_ranges kept; /* with need.together: those from the chunk on; else NULL */
};

struct text_cursor {
    struct trawl_text *text;
    struct text_need need;
    uint64_t index_next; /* index of the next chunk */
    uint64_t begin_next; /* text offset of the next chunk */
    bool ended;          /* the last chunk was handed out, or reading failed */
    uint64_t kept_next;  /* the first of need.kept that ends after begin_next */
    uint8_t *carry;      /* bytes that were read from a stream, starting at text offset begin_next -
                            carry_before */
    uint64_t carry_capacity;
    uint64_t carry_before; /* how many bytes in `carry` come before begin_next */
    uint64_t carry_count;  /* how many bytes `carry` has */
    /* the stream has ended or failed. It must not be read again: a terminal would wait for input */
    bool stream_ended;
    enum trawl_status stream_status; /* TRAWL_READ: reading failed after the bytes in `carry` */
    int holes;                       /* a sparse file's descriptor for SEEK_DATA; -1: none */
    struct mapping mapping;          /* the file's mapping, with need.maps */
    _Atomic uint64_t map_from;       /* chunks before this offset are read */

    /* text_cursor_open zeros all members above, then sets some. */
    pthread_mutex_t lock;            /* held while a chunk is taken */
    struct trawl_error stream_error; /* the error that belongs to stream_status */
};

enum trawl_status text_cursor_open(struct text_cursor *cursor, struct trawl_text *text,
                                   const struct text_need *need, struct trawl_error *error);
void text_cursor_close(struct text_cursor *cursor);

/* Returns true if text_cursor_interrupt can end a thread's wait in text_cursor_next. */
bool text_cursor_is_interruptible(const struct text_cursor *cursor);
/* Ends a thread's wait for a stream, so that text_cursor_next sets TEXT_END. Also ends
 * text_cursor_help. */
void text_cursor_interrupt(struct text_cursor *cursor);
/* Decompresses a part of a file before a chunk needs it. Stops soon after *wanted becomes false;
 * `wanted` may be NULL. Returns false if there is nothing to do now. */
bool text_cursor_help(struct text_cursor *cursor, const _Atomic bool *wanted);

/* Returns true if a file is decompressed by bzip2 blocks: taking the first chunk may then take as
 * long as reading a MiB of plain text, so other threads should help. */
bool text_cursor_is_slow(const struct text_cursor *cursor);

enum text_taken { TEXT_TAKEN, TEXT_END, TEXT_BUSY };
#define TEXT_ANY_CHUNK UINT64_MAX

/* Returns how large a buffer must be for a chunk, the bytes around it, and the slack. */
uint64_t text_cursor_needs(const struct text_cursor *cursor, uint64_t chunk_bytes);

/* Takes the next chunk. *taken is TEXT_TAKEN, or TEXT_END if the text has no more chunks.
 *
 * chunk_bytes   owned bytes of the chunk; fewer at the text's end and in a slow stream; with
 *               need.lines, further bytes follow up to a line's end
 * buffer        must have text_cursor_needs bytes, also with in_place; a text in memory
 * needs none in_place      a file's chunk may be mapped instead of read, a stream's chunk may be
 * lent only          if not TEXT_ANY_CHUNK: from a stream, take only the chunk with this index, and
 * only while no other thread reads; else *taken is TEXT_BUSY
 *
 * If reading fails, the chunk is taken with the bytes before the error. Several threads may call
 * this function at the same time. */
enum trawl_status text_cursor_next(struct text_cursor *cursor, uint64_t only, uint64_t chunk_bytes,
                                   bool in_place, struct text_buffer *buffer,
                                   struct text_chunk *chunk, enum text_taken *taken,
                                   struct trawl_error *error);

/* Shortens the chunk to `owned` bytes, with need.lines up to a line's end; the next chunk begins
 * after it, as if later ones had not been taken. Only for texts in memory, and while no other
 * thread takes chunks. */
void text_cursor_shorten(struct text_cursor *cursor, struct text_chunk *chunk, uint64_t owned);

/* Returns true if, at present, a chunk that begins at this offset may be mapped. */
bool text_cursor_maps(const struct text_cursor *cursor, uint64_t begin);
/* Returns true if a mapped chunk, and the bytes after it, were the file's during the whole search.
 * If not, the results must be dropped. */
bool text_cursor_is_whole(const struct text_cursor *cursor, const struct text_chunk *chunk);
/* Reads a chunk of a file into the buffer, to which chunk->bytes then points. The chunk may be
 * mapped, as after text_cursor_is_whole has returned false. */
enum trawl_status text_cursor_read(struct text_cursor *cursor, const struct text_buffer *buffer,
                                   struct text_chunk *chunk, struct trawl_error *error);
/* Chunks that begin before this offset are read even if they could be mapped. */
void text_cursor_read_until(struct text_cursor *cursor, uint64_t begin);

#endif
