/* scope: finds the scope of an occurrence (the text, or one of its records), and where symbols in
 * the scope begin. */
#ifndef TRAWL_APPROXIMATE_SCOPE_H
#define TRAWL_APPROXIMATE_SCOPE_H

#include "engine.h"

#define CHARACTER_BYTES 4 /* maximum number of bytes in a character */

struct approx_scope {
    const struct trawl_plan *plan;
    const struct engine_chunk *chunk;
    /* index of the record that is the scope; the next search for a record begins there */
    uint64_t record;
    int64_t begin; /* the scope is bytes [begin, end) of the chunk */
    int64_t end;
    /* bytes [ascii_begin, ascii_end) of the chunk are known to be ASCII */
    int64_t ascii_begin;
    int64_t ascii_end;
};

static inline bool scope_has_characters(const struct approx_scope *scope)
{
    return scope->plan->errors.alphabet == TRAWL_CHARACTERS;
}

/* Makes the scope the record or the text that contains this byte of the chunk. Returns false if the
 * byte lies outside the chunk, or outside all records. */
bool scope_find(struct approx_scope *scope, int64_t byte);

/* Reads the symbol that begins at this byte of the scope. Returns how many bytes it has. */
int64_t scope_symbol(const struct approx_scope *scope, int64_t byte, uint32_t *symbol);
/* Returns the start of the symbol that contains this byte. If `byte` is the scope's end, returns
 * that. */
int64_t scope_symbol_begin(const struct approx_scope *scope, int64_t byte);

/* Returns the offset of the first byte of [from, end) that is not ASCII, or `end`. */
uint64_t scope_ascii_end(const uint8_t *bytes, uint64_t from, uint64_t end);
/* Returns the offset of the first U, of either case, in [from, end), or `end`. */
uint64_t scope_find_u(const uint8_t *bytes, uint64_t from, uint64_t end);
/* Returns true if bytes [from, to) of the chunk are ASCII. If ranges ascend from call to call, each
 * byte is read once. */
bool scope_is_ascii(struct approx_scope *scope, int64_t from, int64_t to);

/* scope_back returns the start of the symbol that is `count` symbols before the one at `byte`, or
 * scope->begin - 1 if there are fewer. scope_ahead returns the start of the symbol that is `count`
 * symbols after it, or scope->end if there are fewer. */
int64_t scope_back(struct approx_scope *scope, int64_t byte, int64_t count);
int64_t scope_ahead(struct approx_scope *scope, int64_t byte, int64_t count);

#endif
