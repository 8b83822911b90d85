/* rivals: competitors in this process other than libtrawl.
 *
 * kind=read           A loop that only reads the text: a bound set by the memory's bandwidth.
 * kind=memmem|strstr  The C library's functions count, or find each pattern's first
 *                     occurrence in each record. As in Microsoft's C++ AMP sample,
 *                     a matrix gets the offset for each record and pattern, or -1 if the record
 *                     lacks the pattern. strstr needs records that end in NUL.
 * kind=hyperscan      Hyperscan or Vectorscan: literals, block mode, one thread; SINGLEMATCH for
 *                     records. If the question has a syntax, the patterns are expressions, and
 *                     their lines are counted. The library is loaded at run time; without it, the
 *                     competitor is skipped with a reason. The first run also compiles the
 *                     patterns.
 *
 * With threads=N, each thread searches a segment of the text for all patterns. The threads start
 * before the timed part.
 */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"

/* ---- Reading ------------------------------------------------------------------------------ */

#define LOADS 8u

typedef uint64_t vector __attribute__((vector_size(64), aligned(64)));

/* ThreadSanitizer has not started yet when the loader chooses among the versions of a function, so
 * its builds have only one version. */
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
#define EACH_SET __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define EACH_SET
#endif

/* Returns the exclusive or of the text's whole blocks of 512 bytes. */
EACH_SET static uint64_t read_lines(const uint8_t *bytes, uint64_t count)
{
    const vector *at = (const vector *)(const void *)bytes;
    vector sums[LOADS] = {{0}};
    uint64_t sum = 0;

    for (uint64_t i = 0; i < count / sizeof *at / LOADS; i++)
        for (uint32_t k = 0; k < LOADS; k++)
            sums[k] ^= at[i * LOADS + k];
    for (uint32_t k = 1; k < LOADS; k++)
        sums[0] ^= sums[k];
    for (uint32_t k = 0; k < sizeof *at / sizeof sum; k++)
        sum ^= sums[0][k];
    return sum;
}

/* ---- Pieces of a text, a piece for each thread --------------------------------------------- */

enum rival { RIVAL_READ, RIVAL_MEMMEM, RIVAL_STRSTR };

/* The state that a competitor keeps between runs. */
struct rival_state {
    enum rival rival;
    /* for records: record_count × pattern_count numbers; NULL: not allocated yet */
    int32_t *firsts;
};

struct rival_search {
    const struct competitor *it;
    enum rival rival;
    int32_t *firsts;
    uint64_t pieces, piece_bytes; /* segments of the text; bytes of each */
    _Atomic uint64_t count, sum;
};

/* Returns the first occurrence of the pattern by the C library's function; NULL: no occurrence. */
static const uint8_t *find(enum rival rival, const uint8_t *text, uint64_t bytes,
                           const struct trawl_pattern *pattern)
{
    const uint8_t *wanted = (const uint8_t *)pattern->bytes;

    if (rival == RIVAL_MEMMEM)
        return (const uint8_t *)memmem(text, (size_t)bytes, wanted, (size_t)pattern->bytes_count);
    return (const uint8_t *)strstr((const char *)text, (const char *)wanted);
}

static void search_text(struct rival_search *search, uint64_t begin, uint64_t end)
{
    const struct question *question = search->it->question;
    uint64_t count = 0;

    for (uint64_t p = 0; p < question->pattern_count; p++) {
        uint64_t last = end + question->patterns[p].bytes_count - 1;
        const uint8_t *at = question->bytes + begin, *stop;

        stop = question->bytes + (last < search->it->bytes ? last : search->it->bytes);
        for (;
             (at = find(search->rival, at, (uint64_t)(stop - at), &question->patterns[p])) != NULL;
             at++)
            count++;
    }
    atomic_fetch_add(&search->count, count);
}

/* Stores where each pattern first occurs in each record of the segment; -1: nowhere. */
static void search_records(struct rival_search *search, uint64_t begin, uint64_t end)
{
    const struct question *question = search->it->question;
    uint64_t bytes = question->record_bytes;

    for (uint64_t record = begin / bytes; record < end / bytes; record++)
        for (uint64_t p = 0; p < question->pattern_count; p++) {
            const uint8_t *text = question->bytes + record * bytes;
            const uint8_t *at = find(search->rival, text, bytes, &question->patterns[p]);

            search->firsts[record * question->pattern_count + p] =
                at == NULL ? -1 : (int32_t)(at - text);
        }
}

/* Returns the answer, computed from the matrix that the run stored. */
static struct answer take_firsts(const struct rival_search *search)
{
    const struct question *question = search->it->question;
    struct answer answer = {0, 0, true};

    for (uint64_t record = 0; record < search->it->bytes / question->record_bytes; record++)
        for (uint64_t p = 0; p < question->pattern_count; p++) {
            int32_t first = search->firsts[record * question->pattern_count + p];

            answer.count += first >= 0;
            if (first >= 0)
                answer.sum += answer_mix(record, p, (uint64_t)first);
        }
    return answer;
}

/* Reads or searches a segment of the text, in the thread that took it. */
static void search_piece(void *context, uint64_t index)
{
    struct rival_search *search = (struct rival_search *)context;
    uint64_t begin = index * search->piece_bytes;
    uint64_t end = index + 1 == search->pieces ? search->it->bytes : begin + search->piece_bytes;

    if (search->rival == RIVAL_READ)
        atomic_fetch_xor(&search->sum,
                         read_lines(search->it->question->bytes + begin, end - begin));
    else if (search->it->question->record_bytes > 0)
        search_records(search, begin, end);
    else
        search_text(search, begin, end);
}

/* The competitor's run. The array for records is allocated in the first run, which is not timed. */
static void run_rival(struct competitor *it, bool full, struct bench_run *run)
{
    struct rival_state *state = (struct rival_state *)it->state;
    struct rival_search search = {.it = it, .rival = state->rival, .pieces = it->threads};
    uint64_t unit = it->question->record_bytes > 0 ? it->question->record_bytes : 4096;

    (void)full;
    if (it->question->record_bytes > 0 && state->firsts == NULL)
        state->firsts =
            (int32_t *)allocate(it->question->pattern_count * (it->question->bytes_count / unit) *
                                sizeof *state->firsts);
    search.firsts = state->firsts;
    search.piece_bytes = it->bytes / it->threads / unit * unit;
    run->seconds = pieces_run(search_piece, &search, search.pieces, it->threads);
    run->answer = (struct answer){search.count, search.sum, false};
    if (search.firsts != NULL)
        run->answer = take_firsts(&search);
    if (search.rival == RIVAL_READ) /* the sum is used, so that no compiler removes the loop */
        run->answer.count = search.sum & 1;
}

/* ---- Hyperscan: declarations of its C interface, version 5 -------------------------------------
 */

#define MODE_BLOCK 1u /* HS_MODE_BLOCK */
#define FLAG_ONCE 8u

typedef int (*on_match)(unsigned id, unsigned long long from, unsigned long long to, unsigned flags,
                        void *context);

/* X(return type, name of the library's function, parameters). */
#define FUNCTION_LIST(X)                                                                       \
    X(int, hs_compile_lit_multi,                                                               \
      (const char *const *expressions, const unsigned *flags, const unsigned *ids,             \
       const size_t *lens, unsigned elements, unsigned mode, const void *platform,             \
       void **database, void **error))                                                         \
    X(int, hs_compile_multi,                                                                   \
      (const char *const *expressions, const unsigned *flags, const unsigned *ids,             \
       unsigned elements, unsigned mode, const void *platform, void **database, void **error)) \
    X(int, hs_alloc_scratch, (const void *database, void **scratch))                           \
    X(int, hs_scan,                                                                            \
      (const void *database, const char *data, unsigned length, unsigned flags, void *scratch, \
       on_match event, void *context))                                                         \
    X(int, hs_database_size, (const void *database, size_t *size))                             \
    X(int, hs_free_database, (void *database))                                                 \
    X(int, hs_free_scratch, (void *scratch))

static struct {
#define MEMBER(result, name, arguments) result(*name) arguments;
    FUNCTION_LIST(MEMBER)
#undef MEMBER
} library;

struct hyperscan {
    void *database, *scratch; /* the compiled patterns; memory of a search */
};

/* Looks up the library's functions. Returns false if the library or a function is missing. */
static bool load(void)
{
    static void *handle;
    bool found = handle != NULL || (handle = dlopen("libhs.so.5", RTLD_NOW)) != NULL;

#define FIND(result, name, arguments) \
    found = found && (*(void **)(&library.name) = dlsym(handle, #name)) != NULL;
    FUNCTION_LIST(FIND)
#undef FIND
    return found;
}

/* Compiles the question's patterns; false: run->why says why not. */
static bool compile(const struct question *question, struct hyperscan *made, struct bench_run *run)
{
    uint64_t count = question->pattern_count;
    const char **bytes = (const char **)allocate(count * sizeof *bytes);
    unsigned *flags = (unsigned *)allocate(2 * count * sizeof *flags); /* flags, then ids */
    size_t *lengths = (size_t *)allocate(count * sizeof *lengths);
    int status;

    for (uint64_t i = 0; i < count; i++) {
        bytes[i] = (const char *)question->patterns[i].bytes;
        lengths[i] = (size_t)question->patterns[i].bytes_count;
        flags[i] = question->record_bytes > 0 ? FLAG_ONCE : 0;
        flags[count + i] = (unsigned)i;
    }
    if (field(&question->fields, "syntax", NULL) != NULL) /* a NUL follows each pattern */
        status = library.hs_compile_multi(bytes, flags, flags + count, (unsigned)count, MODE_BLOCK,
                                          NULL, &made->database, &(void *){NULL});
    else
        status = library.hs_compile_lit_multi(bytes, flags, flags + count, lengths, (unsigned)count,
                                              MODE_BLOCK, NULL, &made->database, &(void *){NULL});
    if (status == 0)
        status = library.hs_alloc_scratch(made->database, &made->scratch);
    if (status != 0)
        snprintf(run->why, sizeof run->why, "Hyperscan: error %d", status);
    free(bytes);
    free(flags);
    free(lengths);
    return status == 0;
}

/* Called by Hyperscan for each occurrence: counts the occurrence. */
static int count_one(unsigned id, unsigned long long from, unsigned long long to, unsigned flags,
                     void *context)
{
    (void)id;
    (void)from;
    (void)to;
    (void)flags;
    ++*(uint64_t *)context;
    return 0;
}

struct line_count {
    const struct question *question;
    uint64_t lines, after; /* the last line with a match ends before `after` */
};

/* Called by Hyperscan for each match, in the order of their ends: counts lines. */
static int count_line(unsigned id, unsigned long long from, unsigned long long to, unsigned flags,
                      void *context)
{
    struct line_count *count = (struct line_count *)context;
    const uint8_t *end;

    (void)id;
    (void)from;
    (void)flags;
    if (to <= count->after)
        return 0;
    end = memchr(count->question->bytes + to, '\n', count->question->bytes_count - to);
    count->after =
        end != NULL ? (uint64_t)(end - count->question->bytes) : count->question->bytes_count;
    count->lines++;
    return 0;
}

/* Scans blocks of less than 4 GiB: the text, or each record. */
static void run_hyperscan(struct competitor *it, bool full, struct bench_run *run)
{
    const struct question *question = it->question;
    struct hyperscan *own = (struct hyperscan *)it->state;
    double begin = competitor_clock(it);
    uint64_t bytes = question->record_bytes > 0 ? question->record_bytes : it->bytes;
    struct line_count lines = {question, 0, 0};
    const bool by_lines = field(&question->fields, "syntax", NULL) != NULL;
    size_t held = 0;

    (void)full;
    if (!load()) {
        snprintf(run->why, sizeof run->why, "Hyperscan is not installed");
        return;
    }
    if (own->scratch == NULL) {
        if (!compile(question, own, run))
            return;
        run->part[PART_PLAN] = competitor_clock(it) - begin;
    }
    for (uint64_t at = 0; at + bytes <= it->bytes && bytes > 0; at += bytes)
        if (library.hs_scan(own->database, (const char *)question->bytes + at, (unsigned)bytes, 0,
                            own->scratch, by_lines ? count_line : count_one,
                            by_lines ? (void *)&lines : &run->answer.count) != 0)
            fail("Hyperscan: a scan failed");
    if (by_lines)
        run->answer.count = lines.lines;
    run->seconds = competitor_clock(it) - begin;
    run->memory_bytes = library.hs_database_size(own->database, &held) == 0 ? held : 0;
}

static void close_hyperscan(struct competitor *it)
{
    struct hyperscan *own = (struct hyperscan *)it->state;

    if (own->scratch != NULL) {
        library.hs_free_scratch(own->scratch);
        library.hs_free_database(own->database);
    }
    free(own);
}

/* ---- Competitors -------------------------------------------------------------------------- */

static void close_rival(struct competitor *it)
{
    struct rival_state *state = (struct rival_state *)it->state;

    free(state->firsts);
    free(state);
    it->state = NULL;
}

bool rival_competitor(struct competitor *competitor, const char *kind)
{
    static const char *const names[] = {"read", "memmem", "strstr"};

    for (uint32_t rival = RIVAL_READ; rival <= RIVAL_STRSTR; rival++)
        if (strcmp(kind, names[rival]) == 0) {
            struct rival_state *state = (struct rival_state *)allocate(sizeof *state);

            state->rival = (enum rival)rival;
            competitor->run = run_rival;
            competitor->close = close_rival;
            competitor->state = state;
            competitor->bound = rival == RIVAL_READ;
        }
    if (strcmp(kind, "hyperscan") == 0) {
        competitor->state = allocate(sizeof(struct hyperscan));
        competitor->run = run_hyperscan;
        competitor->close = close_hyperscan;
    }
    return competitor->run != NULL;
}
