/* device_tables: the literals' tables on a device: each literal's bytes and shifts, or, for
 * aho-corasick, a trie of all. */
#include <string.h>

#include "gallery/device_rows.h"
#include "gallery/kernels/gallery.h"

static bool has_trie(const struct gallery_device *own)
{
    return (gallery_row_for(own, 0)->needs & TRIE) != 0;
}

uint64_t gallery_literal_room(const struct gallery_device *own, uint32_t literal)
{
    uint64_t count = plan_literal_at(own->plan, literal).bytes_count;
    uint64_t bytes = count + GALLERY_ALIGNMENT - 1;

    if (has_trie(own))
        return (GALLERY_TRIE_ROW * count + 1) * sizeof(uint32_t);
    return bytes - bytes % GALLERY_ALIGNMENT + GALLERY_SHIFTS * sizeof(uint32_t);
}

static void fill_shifts(const uint8_t *bytes, uint64_t count, uint32_t needs, uint32_t *shifts)
{
    bool behind = (needs & SHIFTS_QS) != 0;
    uint32_t m = (uint32_t)count;

    for (uint32_t i = 0; i < GALLERY_SHIFTS; i++)
        shifts[i] = behind ? m + 1 : m;
    for (uint32_t i = 0; i + !behind < m; i++)
        shifts[bytes[i]] = behind ? m - i : m - 1 - i;
}

/* Adds the literal to the trie. Sets *equal to 0, or, if an earlier literal has the same bytes, to
 * 1 + its index. */
static void trie_add(struct gallery_device *own, uint32_t literal, uint32_t *trie, uint32_t *equal)
{
    const uint8_t *bytes = plan_literal_bytes(own->plan, literal);
    uint64_t count = plan_literal_at(own->plan, literal).bytes_count;
    uint32_t *row = trie;

    for (uint64_t i = 0; i < count; i++) {
        uint32_t *next = &row[1 + bytes[i]];

        if (*next == 0)
            *next = own->trie_states++;
        row = trie + (uint64_t)GALLERY_TRIE_ROW * *next;
    }
    *equal = row[0];
    row[0] = literal + 1;
}

/* Writes a word for each literal (0, or 1 + an earlier literal with the same bytes), and then the
 * states. Returns the number of bytes written. */
static uint64_t fill_trie(struct gallery_device *own, uint32_t *equals)
{
    uint32_t literals = own->plan->literal_count;

    own->trie_states = 1;
    for (uint32_t i = 0; i < literals; i++)
        trie_add(own, i, equals + literals, equals + i);
    return (literals + (uint64_t)GALLERY_TRIE_ROW * own->trie_states) * sizeof *equals;
}

static void fill_tables(const struct gallery_device *own, uint8_t *tables)
{
    for (uint32_t i = 0; i < own->plan->literal_count; i++) {
        uint64_t count = plan_literal_at(own->plan, i).bytes_count,
                 room = gallery_literal_room(own, i);
        const uint8_t *bytes = plan_literal_bytes(own->plan, i);
        uint32_t shifts[GALLERY_SHIFTS];

        memcpy(tables, bytes, (size_t)count);
        fill_shifts(bytes, count, gallery_row_for(own, count)->needs, shifts);
        memcpy(tables + room - sizeof shifts, shifts, sizeof shifts);
        tables += room;
    }
}

uint64_t gallery_tables_bytes(const struct gallery_device *own)
{
    uint64_t bytes = has_trie(own) ? GALLERY_TRIE_ROW * sizeof(uint32_t) : 0;

    for (uint32_t i = 0; i < own->plan->literal_count; i++)
        bytes += gallery_literal_room(own, i);
    return bytes;
}

uint64_t gallery_tables_fill(struct gallery_device *own, void *memory)
{
    own->trie_states = 0;
    if (has_trie(own))
        return fill_trie(own, (uint32_t *)memory);
    fill_tables(own, (uint8_t *)memory);
    return gallery_tables_bytes(own);
}
