/* text: the texts that are searched, and the cursor that cuts them into chunks.
 *
 * A cursor hands out the text's chunks in order to any number of threads ("takers"). There are
 * three kinds of text:
 *   memory   chunks point into the text; nothing is copied
 *   file     each taker reads its chunk by pread into the taker's buffer, so that all threads read
 *            at the same time. A file that shrinks or grows ends where reading ends. With in_place,
 *            a chunk may instead lie in a mapping of the file (text/mapping.h); the last chunk is
 *            always read
 *   stream   a single thread reads at a time, and carries over bytes that the next chunk needs too;
 *            meanwhile, the other threads decompress later parts of a file (text/ahead.h)
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
    /* Address of a text in a GPU's memory; 0: the text is not in a GPU. The pages at
     * `bytes` are unreadable until the bytes were copied from the GPU: text_host_begin, the copy,
     * text_host_done. */
    uint64_t device_address;
    _Atomic bool is_on_host; /* the copy is complete */
    bool keeps_there;        /* the text may not be copied to the host */
    int descriptor;          /* only of files and streams */
    bool descriptor_is_ours;
    /* a regular file, even if read like a stream (size 0); false if it is decompressed, or mapped
     * with TRAWL_TEXT_MAP */
    bool is_regular;
    bool stream_is_used;       /* a stream that is not a regular file can be searched only once */
    uint64_t descriptor_begin; /* file offset of the text's first byte, in a regular file */
    /* state of decompressing; NULL: the caller did not ask to decompress, or the file is not
     * compressed */
    struct text_unpack *unpack;
    struct mapping mapping; /* only with TRAWL_TEXT_MAP; slot NULL: not mapped */
    char *name;             /* the text's name in messages, of name_bytes bytes with the NUL */
    uint64_t name_bytes;
};

/* Returns true if the text is in a GPU's memory and was not copied to the host. */
static inline bool text_is_hidden(const struct trawl_text *text)
{
    return text->device_address != 0 && !atomic_load(&text->is_on_host);
}
/* Makes the host pages of a text on a GPU writable, for a copy of it. Errors: MEMORY. */
enum trawl_status text_host_begin(struct trawl_text *text, struct trawl_error *error);
/* Records that the copy is complete. */
void text_host_done(struct trawl_text *text);

/* The buffer of a thread that takes chunks. A buffer holds one chunk at a time. */
struct text_buffer {
    uint8_t *bytes;
    uint64_t capacity;
};

void text_buffer_release(struct text_buffer *buffer);

/* Says if a chunk of a file may be mapped instead of read. */
enum text_maps { TEXT_MAPS_NEVER, TEXT_MAPS_IF_FASTER, TEXT_MAPS_ALWAYS };

/* What a search needs in each chunk, and how files are read. */
struct text_need {
    uint64_t before;      /* number of bytes that must be readable before the chunk */
    uint64_t after;       /* number of bytes that must be readable after the chunk's own bytes */
    uint64_t chunk_bytes; /* most own bytes of a chunk */
    /* A byte that no match contains; -1: every byte may be in a match. If a chunk of a stream ends
     * with it, the search needs no later bytes. */
    int barrier;
    enum text_maps maps;
    const struct text_lines *lines; /* NULL: chunks may end anywhere */
    /* Number of threads that may decompress a file, and memory for the bytes that are decompressed
     * before a chunk needs them (unpack.h). */
    uint32_t unpack_threads;
    uint64_t unpack_bytes;
    /* An eventfd. Once it is readable, threads stop waiting for a stream's bytes. -1: the wait
     * cannot be ended. */
    int wake;
    /* Called while a stream rests: no bytes come for a while. Returns how many of the `have`
     * bytes at `bytes` can be searched although fewer than `after` bytes follow. bytes[-before] is
     * readable. May be NULL. */
    uint64_t (*decided)(const void *context, const uint8_t *bytes, uint64_t before, uint64_t have);
    const void *decided_context;
};

/* For searches that need whole lines: chunks end where lines end. */
struct text_lines {
    uint8_t line_end; /* two byte values that end lines, perhaps equal */
    uint8_t line_end_also;
    void *context;
    /* Returns the end of the record that contains the byte at this text offset. Only for texts in
     * memory. NULL: there are no records, so line_end and line_end_also end lines. */
    uint64_t (*record_end)(void *context, uint64_t at);
    /* Makes room for `bytes` bytes in a buffer, and keeps the first `kept` bytes. */
    enum trawl_status (*grow)(void *context, struct text_buffer *buffer, uint64_t kept,
                              uint64_t bytes, struct trawl_error *error);
};

/* A search may load, and then ignores, this many bytes after a chunk, for the widest vector. */
#define TEXT_SLACK_BYTES 64u

struct text_chunk {
    uint64_t index;       /* 0, 1, ... in text order */
    uint64_t begin;       /* offset in the text of bytes[0] */
    const uint8_t *bytes; /* points into the text, a buffer, a mapping or decompressed bytes */
    /* number of the chunk's own bytes: the search reports occurrences that begin there */
    uint64_t owned;
    uint64_t before;   /* number of bytes of the text that are readable before bytes[0] */
    uint64_t after;    /* number of bytes of the text that are readable after the own bytes */
    uint64_t readable; /* number of bytes after the own bytes that may be loaded, ≥ after */
    /* If not NULL, the bytes lie in a piece that was decompressed ahead (text/ahead.h). The taker
     * lowers this count when the bytes are no longer needed. */
    _Atomic uint32_t *lent;
    /* for a compressed text, the memory that the decoder needs for its window */
    uint64_t window_bytes;
    bool last;   /* the text ends with this chunk's owned bytes */
    bool beyond; /* the text had ended before this chunk, which is empty */
    /* the chunk lies in a mapping, so the taker must call text_cursor_is_whole and
     * text_cursor_judge after the search */
    bool is_mapped;
    bool is_probe; /* the taker must count the page faults of the search */
};

struct text_cursor {
    struct trawl_text *text;
    struct text_need need;
    bool shared;         /* several threads take chunks, so they must lock */
    uint64_t index_next; /* index of the next chunk */
    uint64_t begin_next; /* text offset of the next chunk */
    bool ended;          /* the last chunk was handed out, or reading failed */
    uint8_t *carry;      /* a stream's bytes that were read, at begin_next - carry_before */
    uint64_t carry_capacity;
    uint64_t carry_before; /* number of bytes in `carry` that come before begin_next */
    uint64_t carry_count;  /* number of bytes in `carry` */
    /* the stream has ended or failed, and is not read again: a terminal would wait for input */
    bool stream_ended;
    enum trawl_status stream_status; /* TRAWL_READ: reading failed after the bytes in `carry` */
    struct mapping mapping;          /* the file's mapping, if need.maps allows a mapping */
    _Atomic uint64_t map_from;       /* chunks at or after this offset may be mapped again */
    /* when mapping pauses next: how many bytes are read before mapping is tried again */
    uint64_t map_pause;
    /* Credit that falls with each page fault above the allowed number. At 0, mapping pauses. */
    int map_fault_credit;
    /* Credit that falls with each mapped chunk that had to be read. At 0, mapping pauses. */
    int map_read_credit;

    /* text_cursor_open sets all members above to 0, and then some of them to other values. */
    /* held while a chunk is taken or judged (text_cursor_judge) */
    pthread_mutex_t lock;
    struct trawl_error stream_error; /* the error that belongs to stream_status */
};

enum trawl_status text_cursor_open(struct text_cursor *cursor, struct trawl_text *text,
                                   const struct text_need *need, struct trawl_error *error);
void text_cursor_close(struct text_cursor *cursor);
/* Must be called before several threads take chunks of the cursor. */
void text_cursor_share(struct text_cursor *cursor);

/* Returns true if text_cursor_interrupt can end a thread's wait in text_cursor_next. */
bool text_cursor_is_interruptible(const struct text_cursor *cursor);
/* Ends a wait for a stream: text_cursor_next returns TEXT_END. Also ends text_cursor_help. */
void text_cursor_interrupt(struct text_cursor *cursor);
/* Decompresses a part of a file before a chunk needs it. Stops soon after *wanted becomes false;
 * `wanted` may be NULL. Returns false if there is nothing to do now. */
bool text_cursor_help(struct text_cursor *cursor, const _Atomic bool *wanted);

/* Returns true if taking the first chunk may take so long that other threads should help. */
bool text_cursor_is_slow(const struct text_cursor *cursor);

enum text_taken { TEXT_TAKEN, TEXT_END, TEXT_BUSY };
#define TEXT_ANY_CHUNK UINT64_MAX

/* Returns the size of a buffer for a chunk, the bytes around the chunk and the slack. */
uint64_t text_cursor_room(const struct text_cursor *cursor, uint64_t chunk_bytes);

/* Takes the next chunk. *taken is TEXT_TAKEN, or TEXT_END if the text has no more chunks.
 *
 * chunk_bytes   owned bytes of the chunk; fewer at the text's end and in a slow stream; with
 *               need.lines, further bytes follow up to a line's end
 * buffer        must have text_cursor_room bytes, also with in_place; a text in memory needs none
 * in_place      a file's chunk may be mapped instead of read, a stream's chunk may be lent
 * only          if not TEXT_ANY_CHUNK: from a stream, take only the chunk with this index, and only
 *               while no other thread reads; else *taken is TEXT_BUSY
 *
 * If reading fails, the chunk is taken with the bytes before the error. Several threads may call
 * this function at the same time after text_cursor_share. */
enum trawl_status text_cursor_next(struct text_cursor *cursor, uint64_t only, uint64_t chunk_bytes,
                                   bool in_place, struct text_buffer *buffer,
                                   struct text_chunk *chunk, enum text_taken *taken,
                                   struct trawl_error *error);

/* Gives back the chunk's bytes starting at `owned`, so that the next chunk begins there. The text
 * must be in memory, the chunk must be the last that was taken, and no other thread may take
 * chunks. */
void text_cursor_shorten(struct text_cursor *cursor, struct text_chunk *chunk, uint64_t owned);

/* Returns true if a chunk that begins at this offset may be mapped, as far as is known now. */
bool text_cursor_maps(const struct text_cursor *cursor, uint64_t begin);
/* Returns true if a mapped chunk, and the bytes after it, were the file's bytes during the whole
 * search. If not, the taker must drop its results. */
bool text_cursor_is_whole(const struct text_cursor *cursor, const struct text_chunk *chunk);
/* Reads a chunk of a file into the taker's buffer, to which chunk->bytes then points. Serves mapped
 * chunks, too, for example after text_cursor_is_whole has returned false. */
enum trawl_status text_cursor_read(struct text_cursor *cursor, const struct text_buffer *buffer,
                                   struct text_chunk *chunk, struct trawl_error *error);
/* Records whether mapping the chunk saved time. `faults` is the number of page faults during the
 * search if the chunk was a probe, else 0. `was_read` says that the chunk had to be read after
 * all. */
void text_cursor_judge(struct text_cursor *cursor, const struct text_chunk *chunk, uint64_t faults,
                       bool was_read);

#endif
