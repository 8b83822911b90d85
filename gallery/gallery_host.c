/* gallery_host: runs the published algorithms on the host. A chunk is searched in steps, and each
 * step literal by literal. */
#include "gallery/gallery_host.h"

#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "cpu/worker.h"

/* fewest start offsets in a step for a plan with one literal, if the text is not copied */
#define STEP_ALONE (1u << 20)

struct algorithm {
    void (*prepare)(struct gallery_search *search);
    uint64_t (*next)(struct gallery_search *search, const uint8_t *text, uint64_t limit);
    uint32_t words; /* words of search->table per byte of the pattern; as many follow the last byte
                       (algorithms.def) */
};

static const struct algorithm algorithms[GALLERY_COUNT] = {
#define ALGORITHM(enumerator, name, searched, engines, geometry, line, source)
#define ON_CORES(enumerator, name, file, words, engines, geometry, line, source) \
    [GALLERY_##enumerator] = {gallery_##file##_prepare, gallery_##file##_next, words},
#include "gallery/algorithms.def"
};

/* Returns true if the algorithm reads a copy of the text: folded, or with a NUL at its end. */
static bool needs_copy(const struct gallery_host *host)
{
    return (host->plan->flags & TRAWL_IGNORE_CASE) != 0 || host->algorithm == GALLERY_STRSTR;
}

/* Returns the maximum number of text bytes that a step reads: its start offsets, and the longest
 * occurrence at the last of them. */
static uint64_t text_bytes_max(const struct trawl_plan *plan)
{
    uint64_t step = max_u64(VERIFY_STEP, saturating_multiply(2, plan->length_max));

    return saturating_add(step, plan->length_max);
}

enum trawl_status gallery_host_begin(struct gallery_host *host, const struct trawl_plan *plan,
                                     struct trawl_error *error)
{
    uint64_t bytes, words;

    if ((plan_engines(plan) & 1u << TRAWL_ENGINE_CPU) == 0)
        return TRAWL_FAIL(error, UNSUPPORTED,
                          "algorithm %s runs only on the engine \"cuda\": request that engine, too",
                          plan->algorithm.asked);
    host->plan = plan;
    host->algorithm = gallery_choice_of(plan).algorithm;
    host->prepared = PLAN_NONE;
    host->copied_at = UINT64_MAX;
    bytes = saturating_add(text_bytes_max(plan), saturating_add(plan->length_max, 2));
    if (algorithms[host->algorithm].next == NULL || !needs_copy(host))
        bytes = 0;
    words = algorithms[host->algorithm].words;
    words = saturating_add(saturating_multiply(words % GALLERY_PAIRS, plan->length_max + 1),
                           words / GALLERY_PAIRS * GALLERY_PAIRS);
    if (bytes <= host->copy_bytes_max && words <= host->table_count)
        return TRAWL_OK;
    gallery_host_end(host);
    if (bytes > 0)
        TRAWL_TRY(MEMORY_NEW(host->copy, bytes, error));
    host->copy_bytes_max = bytes;
    if (words > 0)
        TRAWL_TRY(MEMORY_NEW(host->search.table, words, error));
    host->table_count = words;
    return TRAWL_OK;
}

void gallery_host_end(struct gallery_host *host)
{
    memory_release(host->copy, host->copy_bytes_max, 1);
    host->copy = NULL;
    host->copy_bytes_max = 0;
    memory_release(host->search.table, host->table_count, sizeof *host->search.table);
    host->search.table = NULL;
    host->table_count = 0;
}

/* Copies the text of the step that begins at scan->at. */
static void copy_step(struct gallery_host *host, const struct scan *scan)
{
    const uint8_t *text = scan->chunk->bytes + scan->at;
    uint64_t count = min_u64(scan->available - scan->at, text_bytes_max(scan->plan));

    TRAWL_ASSERT(count < host->copy_bytes_max);
    host->copied_at = scan->at;
    if ((scan->plan->flags & TRAWL_IGNORE_CASE) == 0)
        memcpy(host->copy, text, (size_t)count);
    else
        for (uint64_t i = 0; i < count; i++)
            host->copy[i] = fold_byte(text[i]);
    host->copy[count] = '\0';
}

static void prepare(struct gallery_host *host, uint32_t index)
{
    uint64_t count = plan_literal_at(host->plan, index).bytes_count;

    if (host->prepared == index)
        return;
    host->search.bytes = plan_literal_bytes(host->plan, index);
    host->search.count = count;
    if (host->algorithm == GALLERY_STRSTR) { /* strstr needs a NUL after the literal */
        uint8_t *copy = host->copy + text_bytes_max(host->plan) + 1;

        memcpy(copy, host->search.bytes, (size_t)count);
        copy[count] = '\0';
        host->search.bytes = copy;
    }
    algorithms[host->algorithm].prepare(&host->search);
    host->prepared = index;
}

static void search_literal(struct scan *scan, uint32_t index, uint64_t to)
{
    struct gallery_host *host = (struct gallery_host *)scan->context;
    const struct algorithm *algorithm = &algorithms[host->algorithm];
    const uint8_t *text = scan->chunk->bytes + scan->at;
    uint64_t x;

    if (needs_copy(host)) {
        if (host->copied_at != scan->at)
            copy_step(host, scan);
        text = host->copy;
    }
    prepare(host, index);
    host->search.at = 0;
    host->search.rolling_known = false;
    host->search.known = 0;
    scan->over = false; /* the first hit ends the search only for this literal */
    while (!scan->over && (x = algorithm->next(&host->search, text, to - scan->at)) != UINT64_MAX) {
        TRAWL_ASSERT(x < to - scan->at);
        verify_occurrence(scan, index, scan->at + x);
    }
}

enum trawl_status gallery_host_scan(struct gallery_host *host, const struct engine_chunk *chunk,
                                    uint64_t from, enum want want, struct engine_result *result,
                                    struct trawl_error *error)
{
    bool alone = host->plan->literal_count == 1 && !needs_copy(host);
    struct scan scan;

    TRAWL_ASSERT(algorithms[host->algorithm].next != NULL);
    if (want > WANT_FIRST) /* lines and spans allow hits to be skipped; the gallery finds every
                              one */
        want = WANT_HITS;
    scan_begin(&scan, host->plan, chunk, from, want, result, error);
    scan.context = host;
    host->copied_at = UINT64_MAX;
    if (scan.plan->literal_count > 0 && scan.at < scan.limit)
        verify_steps(&scan, alone ? STEP_ALONE : VERIFY_STEP, search_literal);
    return scan_end(&scan);
}
