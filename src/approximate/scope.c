/* scope: finds the record that contains a byte, and where characters near it begin. */
#include "approximate/scope.h"

#include <string.h>

#include "base/checked.h"

bool scope_find(struct approx_scope *scope, int64_t byte)
{
    const struct engine_chunk *chunk = scope->chunk;
    const struct records *records = chunk->records;
    const int64_t origin = (int64_t)chunk->begin;

    scope->begin = -(int64_t)chunk->before;
    scope->end = (int64_t)(chunk->owned + chunk->after);
    if (byte < scope->begin || byte >= scope->end)
        return false;
    if (records == NULL)
        return true;
    if ((int64_t)records_begin(records, scope->record) > byte + origin)
        scope->record = 0;
    scope->record = records_beyond(records, scope->record, (uint64_t)(byte + origin));
    if (scope->record == records->count) {
        scope->record = 0;
        return false;
    }
    scope->begin = max_i64(scope->begin, (int64_t)records_begin(records, scope->record) - origin);
    scope->end = min_i64(scope->end, (int64_t)records_begin(records, scope->record + 1) - origin);
    return true;
}

int64_t scope_symbol(const struct approx_scope *scope, int64_t byte, uint32_t *symbol)
{
    TRAWL_ASSERT(byte >= scope->begin && byte < scope->end);
    return (int64_t)plan_symbol_bytes(scope->plan, scope->chunk->bytes + byte,
                                      (uint64_t)(scope->end - byte), symbol);
}

/* Goes back over continuation bytes to the byte that may begin a character. If that character does
 * not contain `byte`, then `byte` is a symbol by itself. */
int64_t scope_symbol_begin(const struct approx_scope *scope, int64_t byte)
{
    const uint8_t *bytes = scope->chunk->bytes;
    int64_t back = byte;
    uint32_t symbol;

    if (!scope_has_characters(scope) || byte >= scope->end || byte <= scope->begin)
        return byte;
    while (back > scope->begin && byte - back < CHARACTER_BYTES - 1 && (bytes[back] & 0xc0) == 0x80)
        back--;
    return back == byte || back + scope_symbol(scope, back, &symbol) > byte ? back : byte;
}

uint64_t scope_ascii_end(const uint8_t *bytes, uint64_t from, uint64_t end)
{
    const uint64_t high = UINT64_C(0x8080808080808080);
    uint64_t word, more;

    for (; end - from >= 16; from += 16) {
        memcpy(&word, bytes + from, sizeof word);
        memcpy(&more, bytes + from + 8, sizeof more);
        if (((word | more) & high) != 0)
            break;
    }
    while (from < end && bytes[from] < 0x80)
        from++;
    return from;
}

uint64_t scope_find_u(const uint8_t *bytes, uint64_t from, uint64_t end)
{
    for (const char *u = "Uu"; *u != '\0'; u++) {
        const uint8_t *found = (const uint8_t *)memchr(bytes + from, *u, (size_t)(end - from));

        end = found != NULL ? (uint64_t)(found - bytes) : end;
    }
    return end;
}

bool scope_is_ascii(struct approx_scope *scope, int64_t from, int64_t to)
{
    if (from < scope->ascii_begin || from > scope->ascii_end)
        scope->ascii_begin = scope->ascii_end = from;
    /* ascii_end may be negative, so it is added to the pointer and not passed as an offset */
    if (scope->ascii_end < to)
        scope->ascii_end += (int64_t)scope_ascii_end(scope->chunk->bytes + scope->ascii_end, 0,
                                                     (uint64_t)(to - scope->ascii_end));
    return scope->ascii_end >= to;
}

int64_t scope_back(struct approx_scope *scope, int64_t byte, int64_t count)
{
    if (byte - count >= scope->begin && scope_is_ascii(scope, byte - count, byte))
        return byte - count;
    for (; count > 0; count--) {
        if (byte <= scope->begin)
            return scope->begin - 1;
        byte = scope_symbol_begin(scope, byte - 1);
    }
    return byte;
}

int64_t scope_ahead(struct approx_scope *scope, int64_t byte, int64_t count)
{
    const int64_t last = min_i64(byte + count, scope->end);
    uint32_t symbol;

    if (byte <= last && scope_is_ascii(scope, byte, last))
        return last;
    for (; count > 0 && byte < scope->end; count--)
        byte += scope_symbol(scope, byte, &symbol);
    return byte;
}
