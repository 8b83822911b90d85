/* place: opens the text of a test in one of several places: in memory with an unreadable page right
 * after or before it, at each offset inside a cache line, in a file, behind a descriptor, in a
 * pipe. */
#ifndef TRAWL_DIFF_PLACE_H
#define TRAWL_DIFF_PLACE_H

#include <pthread.h>

#include "diff/diff_input.h"
#include "trawl.h"

enum place_kind {
    PLACE_END_GUARDED,   /* the text's last byte is the last byte of a page */
    PLACE_BEGIN_GUARDED, /* the text's first byte is the first byte of a page */
    /* the first byte's address is `offset` mod 64; the bytes around the text would complete
     * matches */
    PLACE_ALIGNED,
    PLACE_FILTERED, /* the input's own text; run_call loads it, with a filter (plan/pages.h) */
    PLACE_FILE,
    PLACE_DESCRIPTOR, /* the text begins at byte `offset` of the file */
    PLACE_PIPE,
    PLACE_PIPE_PIECES, /* a thread writes the text in pieces of random size */
    PLACE_KINDS
};

#define PLACE_TEXT_BYTES_MAX ((uint64_t)32 << 20)
#define PLACE_CACHE_LINE 64

struct place {
    enum place_kind kind;
    struct trawl_text *text;
    uint64_t address_offset; /* the text's address mod PLACE_CACHE_LINE */
    int read_end, write_end;
    const struct diff_input *input;
    uint64_t seed;
    pthread_t writer;
    bool writer_started;
};

const char *place_name(enum place_kind kind);
/* Returns true if the text is a stream, which can be searched only once. */
bool place_is_stream(enum place_kind kind);
/* Opens the text of an input at a place. Returns false if the library rejects the text. If a system
 * call fails, ends the test program. */
bool place_open(const struct diff_input *input, enum place_kind kind, uint64_t offset,
                struct place *place, struct trawl_error *error);
void place_close(struct place *place);

#endif
