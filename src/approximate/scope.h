/* scope: the part of a chunk that an occurrence lies in, the text or one of its records, and where
 * symbols begin in it. */
#ifndef TRAWL_APPROXIMATE_SCOPE_H
#define TRAWL_APPROXIMATE_SCOPE_H

#include "engine.h"

#define CHARACTER_BYTES 4 /* at most */

struct approx_scope {
    const struct trawl_plan *plan;
    const struct engine_chunk *chunk;
    uint64_t record; /* that the scope is; where the next search for one begins */
    int64_t begin;   /* bytes of the chunk: [begin, end) */
    int64_t end;
};

static inline bool scope_has_characters(const struct approx_scope *scope)
{
    return scope->plan->errors.alphabet == TRAWL_CHARACTERS;
}

/* That which holds this byte of the chunk; false: none does. */
bool scope_find(struct approx_scope *scope, int64_t byte);

/* The symbol that begins at this byte of the scope; returns its bytes. */
int64_t scope_symbol(const struct approx_scope *scope, int64_t byte, uint32_t *symbol);
/* Where the symbol that this byte is a part of begins; that of the scope's end begins there. */
int64_t scope_symbol_begin(const struct approx_scope *scope, int64_t byte);

/* Where the symbol begins that stands `count` before the one at `byte`, begin - 1: there are not so
 * many; or after it, `end`: there are not more. */
int64_t scope_back(const struct approx_scope *scope, int64_t byte, int64_t count);
int64_t scope_ahead(const struct approx_scope *scope, int64_t byte, int64_t count);

#endif
