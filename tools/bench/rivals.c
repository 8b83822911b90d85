/* rivals: contestants in this process besides libtrawl.
 *
 * kind=read           A loop that only reads the text, which shows the memory's speed.
 * kind=memmem|strstr  The C library's functions count, find the first occurrence, or find each
 *                     pattern's first occurrence in each record. As in Microsoft's C++ AMP sample,
 *                     a matrix gets the offset for each record and pattern, or -1 if the record
 *                     lacks the pattern. strstr needs records that end in NUL.
 * threads=N           Each thread searches a segment of the text for all patterns. The threads
 *                     start before the timed part.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"

/* ---- Reading ------------------------------------------------------------------------------ */

#define LOADS 8u

typedef uint64_t vector __attribute__((vector_size(64), aligned(64)));

/* When the loader chooses among the versions of a function, ThreadSanitizer has not started yet, so
 * under ThreadSanitizer the function has only one version. */
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

/* The state that a contestant keeps between runs. */
struct rival_state {
    enum rival rival;
    /* for records: record_count × pattern_count numbers; NULL: not allocated yet */
    int32_t *firsts;
};

struct rival_search {
    const struct contestant *it;
    enum rival rival;
    int32_t *firsts;
    uint64_t pieces, piece_bytes; /* segments of the text; bytes of each */
    _Atomic uint64_t count, sum, first;
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
             at++) {
            uint64_t place = (uint64_t)(at - question->bytes) + 1, first = search->first;

            count++;
            if (search->it->call != CALL_FIRST)
                continue;
            while (place < first && !atomic_compare_exchange_weak(&search->first, &first, place))
                ;
            break;
        }
        if (search->it->call == CALL_FIRST && search->first <= begin)
            return;
    }
    atomic_fetch_add(&search->count, count);
}

/* Stores for each record of the piece and each pattern where the pattern first occurs; -1:
 * nowhere. */
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

/* The contestant's run. The array for records is allocated in the first run, which is not timed. */
static void run_rival(struct contestant *it, bool full, struct bench_run *run)
{
    struct rival_state *state = (struct rival_state *)it->state;
    struct rival_search search = {
        .it = it, .rival = state->rival, .pieces = it->threads, .first = UINT64_MAX};
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
    if (it->call == CALL_FIRST)
        run->answer.count = search.first == UINT64_MAX ? 0 : search.first;
    if (search.rival == RIVAL_READ) /* the sum is used, so that no compiler removes the loop */
        run->answer.count = search.sum & 1;
}

/* ---- Contestants -------------------------------------------------------------------------- */

static void close_rival(struct contestant *it)
{
    struct rival_state *state = (struct rival_state *)it->state;

    free(state->firsts);
    free(state);
    it->state = NULL;
}

bool rival_contestant(struct contestant *contestant, const char *kind)
{
    static const char *const names[] = {"read", "memmem", "strstr"};

    for (uint32_t rival = RIVAL_READ; rival <= RIVAL_STRSTR; rival++)
        if (strcmp(kind, names[rival]) == 0) {
            struct rival_state *state = (struct rival_state *)allocate(sizeof *state);

            state->rival = (enum rival)rival;
            contestant->run = run_rival;
            contestant->close = close_rival;
            contestant->state = state;
            contestant->bound = rival == RIVAL_READ;
        }
    return contestant->run != NULL;
}
