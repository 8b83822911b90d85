/* gather: columns of results, batch after batch. Nothing here needs the interpreter. */
#include "gather.h"

#include <stdlib.h>
#include <string.h>

static bool column_reach(struct gather_column *column, uint64_t bytes)
{
    uint64_t room = bytes + bytes / 2 + 64;

    if (column->block != NULL && bytes <= column->room)
        return true;
    if (column->block == NULL)
        column->block = block_new(room);
    else if (!block_grow(column->block, room))
        return false;
    column->room = room;
    return column->block != NULL;
}

/* Up to 8 bits of a bitmap from `begin` on. */
static uint8_t bits_at(const uint8_t *bits, uint64_t begin, uint64_t count)
{
    uint64_t shift = begin & 7, found;

    if (bits == NULL)
        return 0xff;
    found = (uint64_t)bits[begin >> 3] >> shift;
    if (shift + count > 8)
        found |= (uint64_t)bits[(begin >> 3) + 1] << (8 - shift);
    return (uint8_t)found;
}

bool gather_bits(struct gather_column *column, const uint8_t *bits, uint64_t begin, uint64_t count)
{
    uint64_t end = column->count + count, step;
    uint8_t *bytes;

    if (!column_reach(column, end / 8 + 1))
        return false;
    bytes = (uint8_t *)column->block->bytes;
    while (column->count < end) {
        uint64_t at = column->count, shift = at & 7;
        uint8_t kept = shift == 0 ? 0 : bytes[at >> 3];

        step = 8 - shift < end - at ? 8 - shift : end - at;
        bytes[at >> 3] =
            (uint8_t)(kept | (uint64_t)(bits_at(bits, begin, step) & ((1u << step) - 1)) << shift);
        begin += step;
        column->count += step;
    }
    return true;
}

bool gather_bytes(struct gather_column *column, const void *bytes, uint64_t count)
{
    if (!column_reach(column, column->count + count))
        return false;
    if (count > 0)
        memcpy((uint8_t *)column->block->bytes + column->count, bytes, (size_t)count);
    column->count += count;
    return true;
}

bool gather_values(struct gather_column *column, const void *values, uint64_t count)
{
    if (!column_reach(column, (column->count + count) * sizeof(uint64_t)))
        return false;
    if (count > 0)
        memcpy((uint64_t *)column->block->bytes + column->count, values,
               (size_t)(count * sizeof(uint64_t)));
    column->count += count;
    return true;
}

void gather_release(struct gather *gather)
{
    block_release(gather->valid.block);
    block_release(gather->values.block);
    for (int i = 0; i < 3; i++)
        block_release(gather->cells[i].block);
    memset(gather, 0, sizeof *gather);
}

enum trawl_matrix_shape gather_shape(enum gather_kind kind)
{
    switch (kind) {
    case GATHER_LISTS:
    case GATHER_CELLS:
        return TRAWL_MATRIX_CELLS;
    case GATHER_PATTERNS:
        return TRAWL_MATRIX_PATTERNS;
    default:
        return TRAWL_MATRIX_RECORDS;
    }
}

bool gather_clear_values(struct gather *gather, uint64_t count)
{
    if (!column_reach(&gather->values, count * sizeof(uint64_t)))
        return false;
    memset(gather->values.block->bytes, 0, (size_t)(count * sizeof(uint64_t)));
    gather->values.count = count;
    return true;
}

/* ---- Batches ---- */

static bool batch_which(struct gather *gather, const int64_t *which, uint64_t rows)
{
    for (uint64_t i = 0; i < rows; i++) {
        uint8_t valid = which[i] >= 0 ? 1 : 0;

        if (!gather_bits(&gather->valid, &valid, 0, 1))
            return false;
        gather->null_count += 1u - valid;
    }
    return gather_values(&gather->values, which, rows);
}

/* Where each record's list ends: values holds record_count + 1 offsets in the end. */
static bool batch_lists(struct gather *gather, const struct trawl_matrix_batch *batch)
{
    uint64_t at = 0, end = gather->cells[1].count;

    for (uint64_t record = batch->record_begin; record < batch->record_end; record++) {
        while (at < batch->cell_count && batch->cell_records[at] == record)
            at++;
        end = gather->cells[1].count + at;
        if (!gather_values(&gather->values, &end, 1))
            return false;
    }
    return gather_values(&gather->cells[1], batch->cell_patterns, batch->cell_count);
}

static bool batch_cells(struct gather *gather, const struct trawl_matrix_batch *batch)
{
    uint64_t first = gather->cells[0].count, *records;

    if (!gather_values(&gather->cells[0], batch->cell_records, batch->cell_count) ||
        !gather_values(&gather->cells[1], batch->cell_patterns, batch->cell_count) ||
        !gather_values(&gather->cells[2], batch->cell_begins, batch->cell_count))
        return false;
    records = (uint64_t *)gather->cells[0].block->bytes;
    for (uint64_t i = first; gather->record_count > 0 && i < gather->cells[0].count; i++)
        records[i] += gather->record_count;
    return true;
}

bool gather_batch(struct gather *gather, const struct trawl_matrix_batch *batch)
{
    uint64_t rows = batch->record_end - batch->record_begin;

    switch (gather->kind) {
    case GATHER_CONTAINS:
        return gather_bits(&gather->values, batch->any, 0, rows);
    case GATHER_WHICH:
        return batch_which(gather, batch->which, rows);
    case GATHER_COUNTS:
        return gather_values(&gather->values, batch->counts, rows);
    case GATHER_LISTS:
        return batch_lists(gather, batch);
    case GATHER_CELLS:
        return batch_cells(gather, batch);
    default:
        for (uint64_t i = 0; batch->counts != NULL && i < gather->values.count; i++)
            ((uint64_t *)gather->values.block->bytes)[i] += batch->counts[i];
        return true;
    }
}

/* ---- Dictionaries: what was found in a value holds for each record that has it ---- */

/* Record i of the chunk holds the value of cells [begin, end). */
static bool add_record(struct gather *gather, const uint64_t *patterns, const uint64_t *begins,
                       uint64_t count, uint64_t i)
{
    uint64_t record = gather->record_count + i, end;
    int64_t which = count > 0 ? (int64_t)patterns[0] : -1;
    uint8_t any = count > 0 ? 1 : 0;

    switch (gather->kind) {
    case GATHER_CONTAINS:
        return gather_bits(&gather->values, &any, 0, 1);
    case GATHER_WHICH:
        return batch_which(gather, &which, 1);
    case GATHER_COUNTS:
        return gather_values(&gather->values, &count, 1);
    case GATHER_LISTS:
        end = gather->cells[1].count + count;
        return gather_values(&gather->cells[1], patterns, count) &&
               gather_values(&gather->values, &end, 1);
    case GATHER_CELLS:
        for (uint64_t at = 0; at < count; at++)
            if (!gather_values(&gather->cells[0], &record, 1))
                return false;
        return gather_values(&gather->cells[1], patterns, count) &&
               gather_values(&gather->cells[2], begins, count);
    default:
        for (uint64_t at = 0; at < count; at++)
            ((uint64_t *)gather->values.block->bytes)[patterns[at]]++;
        return true;
    }
}

bool gather_keys(struct gather *gather, const struct gather *values, uint64_t value_count,
                 const int64_t *keys, uint64_t key_count)
{
    uint64_t *first = (uint64_t *)calloc((size_t)value_count + 1, sizeof *first), at = 0;
    uint64_t cell_count = values->cells[0].count;
    bool added = first != NULL;

    for (uint64_t value = 0; added && value <= value_count; value++) {
        while (at < cell_count && ((uint64_t *)values->cells[0].block->bytes)[at] < value)
            at++;
        first[value] = at;
    }
    for (uint64_t i = 0; added && i < key_count; i++) {
        uint64_t begin = keys[i] < 0 ? 0 : first[keys[i]];
        uint64_t count = keys[i] < 0 ? 0 : first[keys[i] + 1] - begin;

        added = cell_count == 0
                    ? add_record(gather, NULL, NULL, 0, i)
                    : add_record(gather, (uint64_t *)values->cells[1].block->bytes + begin,
                                 (uint64_t *)values->cells[2].block->bytes + begin, count, i);
    }
    free(first);
    return added;
}

bool gather_chunk_end(struct gather *gather, const struct chunk *chunk)
{
    const int64_t *keys = chunk->keys == NULL ? NULL : (const int64_t *)chunk->keys->bytes;
    uint64_t count = chunk->record_count;

    if (gather->kind == GATHER_WHICH || gather->kind == GATHER_CELLS ||
        gather->kind == GATHER_PATTERNS) {
        gather->record_count += count;
        return true;
    }
    if (keys == NULL && !gather_bits(&gather->valid, chunk->validity, chunk->validity_begin, count))
        return false;
    for (uint64_t i = 0; keys != NULL && i < count; i++) {
        uint8_t valid = keys[i] >= 0 ? 1 : 0;

        if (!gather_bits(&gather->valid, &valid, 0, 1))
            return false;
    }
    for (uint64_t i = 0; (keys != NULL || chunk->validity != NULL) && i < count; i++)
        if (!bit_at((const uint8_t *)gather->valid.block->bytes, gather->record_count + i))
            gather->null_count++;
    gather->record_count += count;
    return true;
}
