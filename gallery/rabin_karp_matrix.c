/* rabin_karp_matrix: many patterns in many records, a record per call. The result is a row for each
 * record; a cell of a row is the offset at which a pattern first begins in the record, or -1.
 *
 * Published  "C++ AMP string search" sample: a thread per record rolls a hash over the record and
 *            compares it with the hashes of all patterns, which lie in constant memory. The
 *            patterns have the same length, and are fewer than 4,096. If a record contains some
 *            pattern's hash, the host searches it again, with strstr.
 * Fixed      Patterns may differ in length: a hash rolls for each distinct length. There is no
 *            limit of 4,096 patterns, because rabin_karp_matrix looks hashes up in a table.
 *            rabin_karp_matrix compares a candidate immediately instead of in a second pass.
 *            Records may differ in length, without padding or packed characters.
 * As published  rabin-karp-matrix-sample and the other variants of the sample run only on GPUs: for
 *            each pattern, strstr searches a record that the device flagged, from the record's
 *            beginning. strstr needs a record that ends in a NUL, as the sample's records do, and
 *            a pattern without NUL. In all other cases, memmem searches instead.
 * Memory     up to 32 bytes per literal; for strstr also the literal's bytes and 9 more.
 * Cost       two remainders and a look-up per byte of the record and distinct length; each literal
 *            with an equal hash is compared, unless the literal's pattern was found before.
 */
#include <string.h>

#include "base/memory.h"
#include "gallery/gallery_algorithm.h"
#include "gallery/gallery_host.h"
#include "gallery/rabin_karp.h"

#define HEADS_BITS_MAX 28u

/* The literals of one length. */
struct length_class {
    uint64_t count; /* bytes */
    uint32_t power;
    uint32_t reserved;
};

struct gallery_matrix {
    const struct trawl_plan *plan;
    uint32_t literal_count; /* the plan's number of literals; the plan may be freed before the
                               matrix */
    /* search pattern after pattern, as the sample does (false: rabin-karp-matrix) */
    bool as_published;
    /* if as_published: the literals for strstr, each with a NUL */
    char *strings;
    uint64_t strings_bytes;
    uint64_t *string_at; /* each literal's offset in `strings`; UINT64_MAX if it contains a NUL */
    uint32_t class_count;
    uint32_t heads_bits;
    struct length_class *classes; /* class_count <= literal_count */
    uint32_t *hashes;             /* per literal */
    uint32_t *next;               /* for each literal, the next one in its list, or PLAN_NONE */
    /* the first literal in each of 1 << heads_bits lists, or PLAN_NONE */
    uint32_t *heads;
};

/* Returns the index of the list for a hash and a length. Since the length counts, literals of
 * different lengths rarely share a list. */
static uint32_t head_of(const struct gallery_matrix *matrix, uint32_t hash, uint64_t count)
{
    return plan_hash64((uint64_t)hash << 32 ^ count, matrix->heads_bits);
}

static int compare_classes(const void *a, const void *b)
{
    const struct length_class *first = (const struct length_class *)a;
    const struct length_class *second = (const struct length_class *)b;

    return (first->count > second->count) - (first->count < second->count);
}

static void matrix_classes(struct gallery_matrix *matrix)
{
    const struct trawl_plan *plan = matrix->plan;
    uint32_t kept = 0;

    for (uint32_t i = 0; i < plan->literal_count; i++)
        matrix->classes[i] = (struct length_class){plan_literal_at(plan, i).bytes_count, 0, 0};
    qsort(matrix->classes, plan->literal_count, sizeof *matrix->classes, compare_classes);
    for (uint32_t i = 0; i < plan->literal_count; i++)
        if (i == 0 || matrix->classes[i].count != matrix->classes[kept - 1].count)
            matrix->classes[kept++] = matrix->classes[i];
    for (uint32_t i = 0; i < kept; i++)
        matrix->classes[i].power = rabin_karp_power(matrix->classes[i].count);
    matrix->class_count = kept;
}

/* Fills heads and next. Pushes the last literal first, so that each list is in ascending order. */
static void make_table(struct gallery_matrix *matrix)
{
    const struct trawl_plan *plan = matrix->plan;

    memset(matrix->heads, 0xff, sizeof *matrix->heads << matrix->heads_bits);
    for (uint32_t i = plan->literal_count; i-- > 0;) {
        const uint8_t *bytes = plan_literal_bytes(plan, i);
        uint64_t count = plan_literal_at(plan, i).bytes_count;
        uint32_t hash = 0, *head;

        for (uint64_t j = 0; j < count; j++)
            hash = rabin_karp_push(hash, bytes[j]);
        matrix->hashes[i] = hash;
        head = &matrix->heads[head_of(matrix, hash, count)];
        matrix->next[i] = *head;
        *head = i;
    }
}

static enum trawl_status make_strings(struct gallery_matrix *matrix, struct trawl_error *error)
{
    const struct trawl_plan *plan = matrix->plan;
    uint64_t at = 0;

    TRAWL_TRY(MEMORY_NEW(matrix->string_at, plan->literal_count, error));
    for (uint32_t i = 0; i < plan->literal_count; i++)
        matrix->strings_bytes += plan_literal_at(plan, i).bytes_count + 1;
    TRAWL_TRY(MEMORY_ZEROED(matrix->strings, matrix->strings_bytes, error));
    for (uint32_t i = 0; i < plan->literal_count; i++) {
        uint64_t count = plan_literal_at(plan, i).bytes_count;
        const uint8_t *bytes = plan_literal_bytes(plan, i);

        memcpy(matrix->strings + at, bytes, (size_t)count);
        matrix->string_at[i] = memchr(bytes, 0, (size_t)count) == NULL ? at : UINT64_MAX;
        at += count + 1;
    }
    return TRAWL_OK;
}

enum trawl_status gallery_matrix_open(const struct trawl_plan *plan,
                                      struct gallery_matrix **matrix_out, struct trawl_error *error)
{
    enum gallery_algorithm algorithm = gallery_choice_of(plan).algorithm;
    enum trawl_status status = TRAWL_OK;
    struct gallery_matrix *matrix;

    TRAWL_TRY(MEMORY_ZEROED(matrix, 1, error));
    matrix->plan = plan;
    matrix->literal_count = plan->literal_count;
    matrix->as_published = algorithm != GALLERY_RABIN_KARP_MATRIX;
    matrix->heads_bits = 1;
    while (matrix->heads_bits < HEADS_BITS_MAX && plan->literal_count >> matrix->heads_bits > 0)
        matrix->heads_bits++;
    TRAWL_TRY_DONE(MEMORY_NEW(matrix->classes, plan->literal_count, error));
    TRAWL_TRY_DONE(MEMORY_NEW(matrix->hashes, plan->literal_count, error));
    TRAWL_TRY_DONE(MEMORY_NEW(matrix->next, plan->literal_count, error));
    TRAWL_TRY_DONE(MEMORY_NEW(matrix->heads, 1ull << matrix->heads_bits, error));
    if (matrix->as_published)
        TRAWL_TRY_DONE(make_strings(matrix, error));
    if (plan->literal_count > 0) {
        matrix_classes(matrix);
        make_table(matrix);
    }
    *matrix_out = matrix;
    matrix = NULL;
done:
    gallery_matrix_close(matrix);
    return status;
}

void gallery_matrix_close(struct gallery_matrix *matrix)
{
    if (matrix == NULL)
        return;
    memory_release(matrix->classes, matrix->literal_count, sizeof *matrix->classes);
    memory_release(matrix->hashes, matrix->literal_count, sizeof *matrix->hashes);
    memory_release(matrix->next, matrix->literal_count, sizeof *matrix->next);
    memory_release(matrix->heads, 1ull << matrix->heads_bits, sizeof *matrix->heads);
    memory_release(matrix->string_at, matrix->literal_count, sizeof *matrix->string_at);
    memory_release(matrix->strings, matrix->strings_bytes, 1);
    memory_release(matrix, 1, sizeof *matrix);
}

/* Sets the cells of the patterns that occur at x, where a window of `count` bytes has this hash.
 * Returns how many of these cells were empty: a pattern's literals may differ in length, so its
 * cell may already have a later offset. */
static uint64_t verify_window(const struct gallery_matrix *matrix, const uint8_t *record,
                              uint64_t record_bytes, uint64_t x, uint64_t count, uint32_t hash,
                              int64_t *row)
{
    const struct trawl_plan *plan = matrix->plan;
    uint64_t filled = 0;

    for (uint32_t i = matrix->heads[head_of(matrix, hash, count)]; i != PLAN_NONE;
         i = matrix->next[i]) {
        const struct plan_literal literal = plan_literal_at(plan, i);
        int64_t *cell = &row[literal.pattern];
        uint64_t length;

        if (matrix->hashes[i] != hash || literal.bytes_count != count ||
            (*cell >= 0 && (uint64_t)*cell <= x))
            continue;
        length = plan_literal_match(plan, &literal, record + x, record_bytes - x);
        if (length == 0 || (plan_has_conditions(plan) &&
                            !plan_accepts(plan, record, x, x + length, 0, record_bytes)))
            continue;
        filled += *cell < 0;
        *cell = (int64_t)x;
    }
    return filled;
}

static uint64_t search_class(const struct gallery_matrix *matrix, const struct length_class *class,
                             const uint8_t *record, uint64_t record_bytes, int64_t *row)
{
    bool fold = (matrix->plan->flags & TRAWL_IGNORE_CASE) != 0;
    uint64_t count = class->count, filled = 0;
    uint32_t hash = 0;

    for (uint64_t end = 0; end < record_bytes; end++) {
        uint8_t in = fold ? fold_byte(record[end]) : record[end];

        if (end < count) {
            hash = rabin_karp_push(hash, in);
        } else {
            uint8_t out = record[end - count];

            hash = rabin_karp_roll(hash, class->power, fold ? fold_byte(out) : out, in);
        }
        if (end + 1 >= count)
            filled +=
                verify_window(matrix, record, record_bytes, end + 1 - count, count, hash, row);
    }
    return filled;
}

/* Returns where the literal's bytes first occur in [from, end), or NULL. The range is not empty.
 * strstr stops at a NUL, so it is called again for the text after each NUL. */
static const uint8_t *find_bytes(const struct gallery_matrix *matrix, uint32_t index,
                                 const uint8_t *from, const uint8_t *end)
{
    const struct trawl_plan *plan = matrix->plan;

    if (matrix->string_at[index] == UINT64_MAX || end[-1] != 0)
        return (const uint8_t *)memmem(from, (size_t)(end - from), plan_literal_bytes(plan, index),
                                       (size_t)plan_literal_at(plan, index).bytes_count);
    for (; from < end; from += strlen((const char *)from) + 1) {
        const char *found = strstr((const char *)from, matrix->strings + matrix->string_at[index]);

        if (found != NULL)
            return (const uint8_t *)found;
    }
    return NULL;
}

/* Returns the start of the literal's first occurrence in the record that meets the plan's
 * conditions, such as whole words, or UINT64_MAX. */
static uint64_t find_literal(const struct gallery_matrix *matrix, uint32_t index,
                             const uint8_t *record, uint64_t record_bytes)
{
    const struct trawl_plan *plan = matrix->plan;
    const struct plan_literal literal = plan_literal_at(plan, index);
    bool fold = (plan->flags & TRAWL_IGNORE_CASE) != 0;
    uint64_t count = literal.bytes_count, length;

    for (uint64_t x = 0; x < record_bytes && count <= record_bytes - x; x++) {
        if (!fold) {
            const uint8_t *found = find_bytes(matrix, index, record + x, record + record_bytes);

            if (found == NULL)
                break;
            x = (uint64_t)(found - record);
        }
        length = plan_literal_match(plan, &literal, record + x, record_bytes - x);
        if (length > 0 && (!plan_has_conditions(plan) ||
                           plan_accepts(plan, record, x, x + length, 0, record_bytes)))
            return x;
    }
    return UINT64_MAX;
}

static uint64_t search_as_published(const struct gallery_matrix *matrix, const uint8_t *record,
                                    uint64_t record_bytes, const struct gallery_met *met,
                                    int64_t *row)
{
    const struct trawl_plan *plan = matrix->plan;
    uint64_t filled = 0;

    for (uint32_t i = 0; i < plan->literal_count; i++) {
        int64_t *cell = &row[plan_literal_at(plan, i).pattern];
        uint64_t x;

        if (met->flags != NULL && met->flags[met->hash_of[i]] == 0)
            continue;
        x = find_literal(matrix, i, record, record_bytes);
        if (x == UINT64_MAX || (*cell >= 0 && (uint64_t)*cell <= x))
            continue;
        filled += *cell < 0;
        *cell = (int64_t)x;
    }
    return filled;
}

uint64_t gallery_matrix_record(const struct gallery_matrix *matrix, const uint8_t *record,
                               uint64_t record_bytes, const struct gallery_met *met, int64_t *row)
{
    uint64_t filled = 0;

    if (matrix->as_published)
        return search_as_published(matrix, record, record_bytes, met, row);
    for (uint32_t i = 0; i < matrix->class_count && matrix->classes[i].count <= record_bytes; i++)
        filled += search_class(matrix, &matrix->classes[i], record, record_bytes, row);
    return filled;
}
