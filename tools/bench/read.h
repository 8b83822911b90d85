/* read: how fast this machine's memory can be read, by a loop that does nothing else. */
#ifndef BENCH_READ_H
#define BENCH_READ_H

#include <stdint.h>

/* The exclusive or of all 8-byte words of text; bytes is a multiple of 4096. */
typedef uint64_t (*read_function)(const uint8_t *text, uint64_t bytes);

struct reader {
    const char *name; /* "32-byte loads (AVX2), 8 in flight" */
    read_function run;
};

/* The fastest of the loops this machine can run, found by timing each on this text. */
const struct reader *reader_choose(const uint8_t *text, uint64_t bytes);

/* Read the text with `threads` threads, one slice each; seconds from the moment the first begins,
 * all being ready, to the moment the last is done. Returns the exclusive or, which does not depend
 * on the loop. */
uint64_t reader_run(const struct reader *reader, const uint8_t *text, uint64_t bytes,
                    uint32_t threads, double *seconds);

#endif
