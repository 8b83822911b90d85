/* oracle_approximate: decodes text and patterns into symbols, then computes the Hamming distance at
 * each start, or the Levenshtein distance of each span. */
#include "oracle_approximate.h"

#include <stdlib.h>
#include <string.h>

#define FAR 1000000u

/* A text or a pattern as symbols: symbol i is value[i], and has bytes [at[i], at[i + 1]). */
struct symbols {
    uint32_t *value;
    uint64_t *at;
    uint64_t count;
};

static uint32_t lower(uint32_t c)
{
    return c >= 'A' && c <= 'Z' ? c + 32 : c;
}

/* Returns the number of bytes of the UTF-8 character at s (Unicode 15, table 3-7), and stores its
 * code point. If there is no character, returns 1 and stores a value that no character has. */
static uint64_t decode(const uint8_t *s, uint64_t n, uint32_t *value)
{
    uint32_t c = s[0];
    uint64_t more = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : c >= 0xc0 ? 1 : 0;
    uint8_t min = c == 0xe0 ? 0xa0 : c == 0xf0 ? 0x90 : 0x80;
    uint8_t max = c == 0xed ? 0x9f : c == 0xf4 ? 0x8f : 0xbf;

    *value = c < 0x80 ? c : 0xff000000u + c;
    if (c < 0xc2 || c > 0xf4 || more + 1 > n || s[1] < min || s[1] > max)
        return 1;
    c &= 0x3fu >> more;
    for (uint64_t i = 1; i <= more; i++) {
        if (s[i] < 0x80 || s[i] > 0xbf)
            return 1;
        c = c * 64 + s[i] - 0x80;
    }
    *value = c;
    return more + 1;
}

static bool split(const struct approximate_query *query, struct naive_bytes bytes,
                  struct symbols *symbols)
{
    symbols->count = 0;
    symbols->value = malloc((bytes.bytes_count + 1) * sizeof *symbols->value);
    symbols->at = malloc((bytes.bytes_count + 1) * sizeof *symbols->at);
    if (symbols->value == NULL || symbols->at == NULL)
        return false;
    for (uint64_t i = 0; i < bytes.bytes_count;) {
        uint32_t *value = &symbols->value[symbols->count];

        symbols->at[symbols->count++] = i;
        *value = bytes.bytes[i];
        i += query->alphabet != APPROXIMATE_CHARACTERS
                 ? 1
                 : decode(bytes.bytes + i, bytes.bytes_count - i, value);
    }
    symbols->at[symbols->count] = bytes.bytes_count;
    return true;
}

/* Returns the bases that a letter represents (IUPAC, and RNA's U), or "" if it represents none. */
static const char *bases(uint32_t letter)
{
    static const char table[][6] = {"aA",  "cC",  "gG",  "tT",   "uT",   "rAG",  "yCT",  "sCG",
                                    "wAT", "kGT", "mAC", "bCGT", "dAGT", "hACT", "vACG", "nACGT"};

    for (uint32_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if ((uint32_t)table[i][0] == lower(letter))
            return table[i] + 1;
    return "";
}

static char complement(char base)
{
    return base == 'A' ? 'T' : base == 'T' ? 'A' : base == 'C' ? 'G' : 'C';
}

static bool equal_bases(const struct approximate_query *query, uint32_t of_pattern,
                        uint32_t of_text, bool reversed)
{
    uint32_t shared = 0, all = (uint32_t)strlen(bases(of_text));

    for (const char *p = bases(of_pattern); *p != '\0'; p++)
        shared += strchr(bases(of_text), reversed ? complement(*p) : *p) != NULL;
    return query->any_base ? shared > 0 : all > 0 && shared == all;
}

/* The search for a pattern on a strand of the text. */
struct job {
    const struct approximate_query *query;
    struct naive_bytes bytes;
    struct symbols text, pattern;
    bool *equal; /* equal[j * text.count + i]: the searched symbol j equals the text's symbol i */
    uint32_t index;
    bool reversed;
    struct approximate_match *matches;
    uint64_t count, max;
};

/* Returns the index in the pattern of symbol j of the searched string: on the reverse strand the
 * pattern is reversed. */
static uint64_t which(const struct job *job, uint64_t j)
{
    return job->reversed ? job->pattern.count - 1 - j : j;
}

static bool compare_symbols(const struct job *job, uint64_t j, uint64_t i)
{
    const struct approximate_query *query = job->query;
    uint32_t p = job->pattern.value[which(job, j)], t = job->text.value[i];

    if (query->alphabet == APPROXIMATE_DNA)
        return equal_bases(query, p, t, job->reversed);
    if (p == t || (query->ignore_case && lower(p) == lower(t)))
        return true;
    return query->ignore_case && query->alike != NULL && query->alike(p, t);
}

static bool equal(const struct job *job, uint64_t j, uint64_t i)
{
    return job->equal[j * job->text.count + i];
}

/* Both functions take the number of a searched symbol. is_exact returns true if this symbol is in
 * one of query->exact, the parts without errors. is_inside_exact returns true if this symbol and
 * the one before it are in the same such part. */
static bool is_exact(const struct job *job, uint64_t j)
{
    for (uint64_t r = 0; r < job->query->exact_count; r++)
        if (which(job, j) >= job->query->exact[r].begin && which(job, j) < job->query->exact[r].end)
            return true;
    return false;
}

static bool is_inside_exact(const struct job *job, uint64_t j)
{
    for (uint64_t r = 0; r < job->query->exact_count && j > 0; r++)
        if (which(job, j) >= job->query->exact[r].begin &&
            which(job, j) < job->query->exact[r].end &&
            which(job, j - 1) >= job->query->exact[r].begin &&
            which(job, j - 1) < job->query->exact[r].end)
            return true;
    return false;
}

static bool ends_line(const struct approximate_query *query, uint8_t byte)
{
    return byte == query->line_end || byte == query->line_end_also;
}

/* Returns true if a word character ends right before byte `at` (before), or begins at byte `at`
 * (!before). */
static bool word_beside(const struct job *job, uint64_t at, bool before)
{
    const struct approximate_query *query = job->query;
    uint64_t n = job->bytes.bytes_count;
    const uint8_t *s = job->bytes.bytes;
    uint32_t byte, c;

    if (before ? at == 0 : at == n)
        return false;
    byte = before ? s[at - 1] : s[at];
    if (byte < 0x80 || query->is_word == NULL)
        return (byte >= '0' && byte <= '9') || (lower(byte) >= 'a' && lower(byte) <= 'z') ||
               byte == '_';
    if (!before)
        return decode(s + at, n - at, &c) > 1 && query->is_word(c);
    for (uint64_t back = 2; back <= 4 && back <= at; back++)
        if (decode(s + at - back, back, &c) == back)
            return query->is_word(c);
    return false;
}

/* Returns true if bytes [begin, end) may be an occurrence, by the line ends among them and by the
 * bytes before and after them. */
static bool accepts(const struct job *job, uint64_t begin, uint64_t end)
{
    const struct approximate_query *query = job->query;
    const uint8_t *s = job->bytes.bytes;

    for (uint64_t i = begin; query->within_lines && i < end; i++)
        if (ends_line(query, s[i]))
            return false;
    if (query->whole_line && ((begin > 0 && !ends_line(query, s[begin - 1])) ||
                              (end < job->bytes.bytes_count && !ends_line(query, s[end]))))
        return false;
    return !query->whole_word || query->whole_line || /* whole lines need not be whole words */
           (!word_beside(job, begin, true) && !word_beside(job, end, false));
}

static void keep(struct job *job, uint64_t begin, uint64_t end, uint32_t distance)
{
    if (job->count < job->max)
        job->matches[job->count] = (struct approximate_match){
            job->text.at[begin], job->text.at[end], job->index, distance, job->reversed};
    job->count++;
}

static void mismatches(struct job *job)
{
    uint64_t m = job->pattern.count;

    for (uint64_t x = 0; x + m <= job->text.count; x++) {
        uint32_t different = 0;

        for (uint64_t j = 0; j < m; j++)
            if (!equal(job, j, x + j))
                different += is_exact(job, j) ? FAR : 1;
        if (different <= job->query->k && accepts(job, job->text.at[x], job->text.at[x + m]))
            keep(job, x, x + m, different);
    }
}

static uint32_t min(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Computes the distances of all spans that begin at symbol x: costs[n], 0 ≤ n ≤ n_max, is the
 * distance of the span of n symbols. The loop over j computes row j of the usual table: the
 * distances from the pattern's first j symbols. */
static void spans(const struct job *job, uint64_t x, uint64_t n_max, uint32_t *costs)
{
    for (uint64_t n = 0; n <= n_max; n++)
        costs[n] = (uint32_t)n;
    for (uint64_t j = 1; j <= job->pattern.count; j++) {
        bool exact = is_exact(job, j - 1),
             inside = j < job->pattern.count && is_inside_exact(job, j);
        uint32_t before = costs[0];

        costs[0] = exact ? FAR : costs[0] + 1;
        for (uint64_t n = 1; n <= n_max; n++) {
            uint32_t replaced = before + (equal(job, j - 1, x + n - 1) ? 0 : exact ? FAR : 1);
            uint32_t deleted = costs[n] + (exact ? FAR : 1);
            uint32_t inserted = costs[n - 1] + (inside ? FAR : 1);

            before = costs[n];
            costs[n] = min(min(replaced, deleted), inserted);
        }
    }
}

/* The best of the spans with the same end: its distance, and its number of symbols. */
struct best {
    uint32_t distance;
    uint64_t symbols;
};

static bool is_nearer(uint64_t m, uint64_t symbols, uint64_t than)
{
    uint64_t a = symbols > m ? symbols - m : m - symbols, b = than > m ? than - m : m - than;

    return a < b || (a == b && symbols > than);
}

static void edits_at(const struct job *job, const struct best *best, uint64_t end, bool *found)
{
    uint64_t reach = job->pattern.count + job->query->k;

    *found = best[end].distance < FAR;
    if (!*found || job->query->every_end)
        return;
    if (end > 0 && best[end - 1].distance <= best[end].distance)
        *found = false;
    for (uint64_t e = end + 1; e <= job->text.count && e <= end + reach; e++)
        if (best[e].distance != best[end].distance) {
            *found = *found && best[e].distance > best[end].distance;
            return;
        }
}

static bool edits(struct job *job)
{
    uint64_t m = job->pattern.count, n_max = m + job->query->k;
    struct best *best = malloc((job->text.count + 1) * sizeof *best);
    uint32_t *costs = malloc((n_max + 1) * sizeof *costs);

    for (uint64_t e = 0; best != NULL && e <= job->text.count; e++)
        best[e] = (struct best){FAR, 0};
    for (uint64_t x = 0; best != NULL && costs != NULL && x < job->text.count; x++) {
        uint64_t most = x + n_max <= job->text.count ? n_max : job->text.count - x;

        spans(job, x, most, costs);
        for (uint64_t n = 1; n <= most; n++) {
            struct best *at = &best[x + n];

            if (costs[n] <= job->query->k && accepts(job, job->text.at[x], job->text.at[x + n]) &&
                (costs[n] < at->distance ||
                 (costs[n] == at->distance && is_nearer(m, n, at->symbols))))
                *at = (struct best){costs[n], n};
        }
    }
    for (uint64_t e = 0; best != NULL && costs != NULL && e <= job->text.count; e++) {
        bool found;

        edits_at(job, best, e, &found);
        if (found)
            keep(job, e - best[e].symbols, e, best[e].distance);
    }
    free(costs);
    free(best);
    return best != NULL && costs != NULL;
}

/* Searches for a pattern on a strand. */
static bool search(struct job *job)
{
    uint64_t n = job->text.count;
    bool whole = true;

    job->equal = malloc(job->pattern.count * n + 1);
    if (job->equal == NULL)
        return false;
    for (uint64_t j = 0; j < job->pattern.count; j++)
        for (uint64_t i = 0; i < n; i++)
            job->equal[j * n + i] = compare_symbols(job, j, i);
    if (job->query->edits)
        whole = edits(job);
    else
        mismatches(job);
    free(job->equal);
    return whole;
}

static int compare(const void *a, const void *b)
{
    const struct approximate_match *x = a, *y = b;

    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    if (x->pattern != y->pattern)
        return x->pattern < y->pattern ? -1 : 1;
    if (x->reversed != y->reversed)
        return x->reversed < y->reversed ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

uint64_t approximate_matches(const struct approximate_query *query, struct naive_bytes text,
                             struct approximate_match *matches, uint64_t matches_max)
{
    struct job job = {.query = query, .bytes = text, .matches = matches, .max = matches_max};
    bool whole = split(query, text, &job.text);

    for (uint32_t i = 0; i < query->pattern_count && whole; i++) {
        job.index = i;
        whole = split(query, query->patterns[i], &job.pattern);
        for (uint32_t strand = 0; whole && strand <= query->both_strands; strand++) {
            job.reversed = strand == 1;
            whole = search(&job);
        }
        free(job.pattern.value);
        free(job.pattern.at);
    }
    free(job.text.value);
    free(job.text.at);
    if (matches != NULL && job.count <= matches_max)
        qsort(matches, (size_t)job.count, sizeof *matches, compare);
    return whole ? job.count : UINT64_MAX;
}
