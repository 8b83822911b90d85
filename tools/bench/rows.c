/* rows: what `trawl-bench cpu` measures, one row per text and pattern. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bench/count.h"
#include "bench/rows.h"

#define PATTERN_SEED 7u
#define ABSENT_TRIES 64u
#define LINE_BYTES 100u
#define LETTERS_SEED 1u
#define PERIOD_BYTES 31u
#define SAME_SPEED 0.97 /* of memmem: where both wait for the memory, the rest is noise */

static const uint64_t lengths[] = {1, 2, 4, 8, 16, 64, 256, 1024, 4096};
static const uint64_t worst_lengths[WORST_LENGTHS] = {8, 64, 1024, 16384};
static const char *const words[] = {"the", "Moab", "Habakkuk", "Qxzjvkw"};

/* ---- What was measured -------------------------------------------------------------------- */

double row_speed(const struct rows *rows, const struct samples *samples)
{
    double seconds = samples_median(samples);

    return seconds > 0 ? (double)rows->text_bytes / seconds : 0;
}

double row_memmem_speed(const struct row *row)
{
    double seconds = samples_median(&row->memmem);

    return seconds > 0 ? (double)row->memmem_bytes / seconds : 0;
}

double row_ratio(const struct samples *candidate, const struct samples *baseline)
{
    double seconds = samples_median(candidate);

    return seconds > 0 ? samples_median(baseline) / seconds : 0;
}

/* The bar of a worst case is a share of the speed on random text, or of the read speed where
 * sampling is faster than that: a text that must be read whole cannot do better. */
static bool misses_plain(const struct row *row)
{
    double to_plain = row_ratio(&row->one, &row->plain_one);
    double to_read = row_ratio(&row->one, &row->read_one);

    return (to_plain > to_read ? to_plain : to_read) < row->bar_plain;
}

const char *row_verdict(const struct rows *rows, const struct row *row)
{
    bool has_bar = row->bar_read > 0 || row->bar_plain > 0 || row->memmem.count > 0;
    bool low =
        row_ratio(&row->one, &row->read_one) < row->bar_read || misses_plain(row) ||
        (row->memmem.count > 0 && row_speed(rows, &row->one) < SAME_SPEED * row_memmem_speed(row));

    return !has_bar ? "" : low ? "low" : "ok";
}

/* ---- Texts -------------------------------------------------------------------------------- */

static void name_text(struct rows *rows, const char *alphabet, const char *what)
{
    char *name = rows->texts[rows->text_count++];

    snprintf(name, sizeof rows->texts[0], "%s: %s", alphabet, what);
    printf("text %s\n", name);
}

static void fill_repeated(struct rows *rows, const char *alphabet, struct source *source,
                          uint8_t *text)
{
    char what[SOURCE_NAME_BYTES + 16];

    text_fill_repeated(text, rows->text_bytes, source->bytes, source->bytes_count);
    snprintf(what, sizeof what, "%s, repeated", source->name);
    name_text(rows, alphabet, what);
    source_free(source);
}

/* A row's name begins with its alphabet, so a filter that begins with another leaves it out. */
bool rows_may_want(const struct options *options, const char *alphabet)
{
    static const char *const alphabets[] = {"az ", "dna ", "english ", "periodic ", "worst "};

    if (options->filter == NULL)
        return true;
    for (size_t i = 0; i < sizeof alphabets / sizeof alphabets[0]; i++)
        if (strncmp(options->filter, alphabets[i], strlen(alphabets[i]) - 1) == 0)
            return strncmp(alphabet, alphabets[i], strlen(alphabet)) == 0;
    return true;
}

void rows_fill_alphabet(struct rows *rows, const struct options *options, const char *alphabet,
                        uint8_t *text)
{
    struct source source = {0};
    uint8_t period[PERIOD_BYTES];

    if (strcmp(alphabet, "az") == 0) {
        text_fill_letters(text, rows->text_bytes, LETTERS_SEED);
        name_text(rows, alphabet, "random letters a-z, even odds");
    } else if (strcmp(alphabet, "dna") == 0) {
        source_dna(options, &source);
        fill_repeated(rows, alphabet, &source, text);
    } else if (strcmp(alphabet, "english") == 0) {
        source_english(options, &source);
        fill_repeated(rows, alphabet, &source, text);
    } else {
        text_fill_letters(period, PERIOD_BYTES, LETTERS_SEED);
        text_fill_repeated(text, rows->text_bytes, period, PERIOD_BYTES);
        name_text(rows, alphabet, "31 random letters, repeated");
    }
}

/* ---- Rows --------------------------------------------------------------------------------- */

static struct row *add_row(struct rows *rows, const char *name, const char *alphabet,
                           const char *kind)
{
    struct row *row;

    if (rows->count == ROWS_MAX)
        fail("more than %d rows", ROWS_MAX);
    row = &rows->row[rows->count++];
    memset(row, 0, sizeof *row);
    snprintf(row->name, sizeof row->name, "%s", name);
    row->alphabet = alphabet;
    row->kind = kind;
    return row;
}

static void set_pattern(struct row *row, const void *pattern, uint64_t pattern_bytes)
{
    row->pattern = (uint8_t *)allocate(pattern_bytes);
    memcpy(row->pattern, pattern, pattern_bytes);
    row->pattern_bytes = pattern_bytes;
}

static struct seeded row_seed(const char *name)
{
    struct seeded seeded = {PATTERN_SEED};

    for (; *name != '\0'; name++)
        seeded.state = seeded.state * 0x100000001b3u + (uint8_t)*name;
    return seeded;
}

static bool is_absent(const uint8_t *text, uint64_t text_bytes, const uint8_t *pattern,
                      uint64_t pattern_bytes)
{
    return memmem(text, text_bytes, pattern, pattern_bytes) == NULL;
}

/* Make the row's pattern, which is in the text, one that is not: a byte in its middle becomes
 * another byte of the text, or, where every such change occurs too, one that the text has not. */
static void make_absent(struct row *row, const uint8_t *text, uint64_t text_bytes,
                        struct seeded *seeded)
{
    uint8_t *middle = &row->pattern[row->pattern_bytes / 2];

    for (uint32_t i = 0; i < ABSENT_TRIES; i++) {
        *middle = text[seeded_below(seeded, text_bytes)];
        if (is_absent(text, text_bytes, row->pattern, row->pattern_bytes))
            return;
    }
    for (uint32_t byte = 1; byte < 256; byte++) {
        *middle = (uint8_t)byte;
        if (is_absent(text, text_bytes, row->pattern, row->pattern_bytes))
            return;
    }
    fail("%s: no byte makes the pattern absent", row->name);
}

/* What the project wants to reach with one thread: of the read speed where the answer is bound by
 * memory, less where short grams are common. Frequent English patterns have none. */
static double bar_of(const char *alphabet, uint64_t pattern_bytes)
{
    bool dna = strcmp(alphabet, "dna") == 0;

    if (strcmp(alphabet, "periodic") == 0)
        return 0;
    if (pattern_bytes <= 2)
        return 0.7;
    if (pattern_bytes >= 4096)
        return 3.0;
    if (dna)
        return pattern_bytes >= 8 && pattern_bytes <= 100 ? 0.45 : 0;
    return strcmp(alphabet, "az") == 0 && pattern_bytes <= 100 ? 0.8 : 0;
}

void rows_add_length(struct rows *rows, const struct options *options, const char *alphabet,
                     const uint8_t *text, uint64_t pattern_bytes, bool present, uint32_t threads)
{
    const char *kind = present ? "present" : "absent";
    char name[ROW_NAME_BYTES];
    struct seeded seeded;
    struct row *row;
    uint64_t place;

    snprintf(name, sizeof name, "%s m=%" PRIu64 " %s", alphabet, pattern_bytes, kind);
    if (!options_wants(options, name) || pattern_bytes > rows->text_bytes / 2)
        return;
    row = add_row(rows, name, alphabet, kind);
    seeded = row_seed(name);
    place = seeded_below(&seeded, rows->text_bytes - pattern_bytes);
    set_pattern(row, text + place, pattern_bytes);
    if (!present)
        make_absent(row, text, rows->text_bytes, &seeded);
    row->bar_read = bar_of(alphabet, pattern_bytes);
    row->expected =
        count_by_automaton(text, rows->text_bytes, row->pattern, pattern_bytes, threads);
    if ((row->expected > 0) != present)
        fail("%s: occurs %" PRIu64 " times", name, row->expected);
}

static void add_word(struct rows *rows, const struct options *options, const uint8_t *text,
                     const char *label, const void *word, uint64_t word_bytes, uint32_t threads)
{
    char name[ROW_NAME_BYTES];
    struct row *row;

    snprintf(name, sizeof name, "english word %s", label);
    if (!options_wants(options, name))
        return;
    row = add_row(rows, name, "english", "word");
    set_pattern(row, word, word_bytes);
    snprintf(row->note, sizeof row->note, "%.*s", (int)word_bytes, (const char *)word);
    row->note[strcspn(row->note, "\n")] = '\0';
    row->bar_read = strcmp(label, "the") == 0 ? 0.45 : 0.8;
    row->expected = count_by_automaton(text, rows->text_bytes, row->pattern, word_bytes, threads);
}

/* The first line of 100 bytes and more after a seeded place, its first 100 bytes. */
static const uint8_t *find_line(const uint8_t *text, uint64_t text_bytes)
{
    struct seeded seeded = row_seed("line");
    const uint8_t *at = text + seeded_below(&seeded, text_bytes / 2), *end = text + text_bytes;

    while ((at = (const uint8_t *)memchr(at, '\n', (size_t)(end - at))) != NULL) {
        at++;
        if (end - at < LINE_BYTES)
            return NULL;
        if (memchr(at, '\n', LINE_BYTES) == NULL)
            return at;
    }
    return NULL;
}

void rows_add_alphabet(struct rows *rows, const struct options *options, const char *alphabet,
                       const uint8_t *text, uint32_t threads)
{
    const uint8_t *line;

    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        rows_add_length(rows, options, alphabet, text, lengths[i], true, threads);
        rows_add_length(rows, options, alphabet, text, lengths[i], false, threads);
    }
    if (strcmp(alphabet, "english") != 0)
        return;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        add_word(rows, options, text, words[i], words[i], strlen(words[i]), threads);
    line = find_line(text, rows->text_bytes);
    if (line != NULL)
        add_word(rows, options, text, "line of 100", line, LINE_BYTES, threads);
}

/* ---- Worst cases -------------------------------------------------------------------------- */

enum worst_text {
    WORST_RUN,        /* aaaa */
    WORST_PAIRS,      /* abab */
    WORST_FIBONACCI,  /* abaababa */
    WORST_THUE_MORSE, /* abbabaab */
    WORST_REPEATED    /* the pattern again and again; one text per length */
};

struct worst_case {
    uint32_t worst_text;
    const char *kind;
};

static const struct worst_case worst_cases[] = {
    {WORST_RUN, "a^n, a^m"},        {WORST_RUN, "a^n, a^(m-1)b"},
    {WORST_RUN, "a^n, ba^(m-1)"},   {WORST_PAIRS, "(ab)^n, (ab)^m"},
    {WORST_FIBONACCI, "Fibonacci"}, {WORST_THUE_MORSE, "Thue-Morse"},
    {WORST_REPEATED, "P^n, P"},
};
#define WORST_CASES (sizeof worst_cases / sizeof worst_cases[0])

static void worst_name(const struct worst_case *worst, uint64_t pattern_bytes, char *name)
{
    snprintf(name, ROW_NAME_BYTES, "worst m=%" PRIu64 " %s", pattern_bytes, worst->kind);
}

/* Does this case search this text with this length? */
static bool worst_fits(const struct worst_case *worst, uint32_t worst_text, uint32_t length)
{
    if (worst_text < WORST_REPEATED)
        return worst->worst_text == worst_text;
    return worst->worst_text == WORST_REPEATED && worst_text - WORST_REPEATED == length;
}

bool rows_want_worst(const struct options *options, uint32_t worst_text)
{
    char name[ROW_NAME_BYTES];

    for (size_t i = 0; i < WORST_CASES; i++)
        for (uint32_t length = 0; length < WORST_LENGTHS; length++) {
            worst_name(&worst_cases[i], worst_lengths[length], name);
            if (worst_fits(&worst_cases[i], worst_text, length) && options_wants(options, name))
                return true;
        }
    return false;
}

void rows_fill_worst(uint8_t *text, uint64_t text_bytes, uint32_t worst_text)
{
    uint64_t length;
    uint8_t *part;

    switch (worst_text) {
    case WORST_RUN:
        memset(text, 'a', text_bytes);
        return;
    case WORST_PAIRS:
        text_fill_repeated(text, text_bytes, "ab", 2);
        return;
    case WORST_FIBONACCI:
        text_fill_fibonacci(text, text_bytes);
        return;
    case WORST_THUE_MORSE:
        text_fill_thue_morse(text, text_bytes);
        return;
    default:
        length = worst_lengths[worst_text - WORST_REPEATED];
        part = (uint8_t *)allocate(length);
        text_fill_letters(part, length, PATTERN_SEED);
        text_fill_repeated(text, text_bytes, part, length);
        free(part);
        return;
    }
}

/* Patterns begin as their text does; two of the first text's differ from it in one byte. */
static void set_worst_pattern(struct row *row, const uint8_t *text, uint64_t pattern_bytes)
{
    set_pattern(row, text, pattern_bytes);
    if (strcmp(row->kind, "a^n, a^(m-1)b") == 0)
        row->pattern[pattern_bytes - 1] = 'b';
    if (strcmp(row->kind, "a^n, ba^(m-1)") == 0)
        row->pattern[0] = 'b';
}

static void set_plain_pattern(struct row *row, const uint8_t *plain_text, uint64_t text_bytes,
                              uint32_t threads)
{
    struct seeded seeded = row_seed("plain");

    row->plain_pattern = (uint8_t *)allocate(row->pattern_bytes);
    memcpy(row->plain_pattern, plain_text + seeded_below(&seeded, text_bytes - row->pattern_bytes),
           row->pattern_bytes);
    row->plain_expected =
        count_by_automaton(plain_text, text_bytes, row->plain_pattern, row->pattern_bytes, threads);
}

void rows_add_worst(struct rows *rows, const struct options *options, uint32_t worst_text,
                    const uint8_t *text, const uint8_t *plain_text, uint32_t threads)
{
    char name[ROW_NAME_BYTES];

    for (size_t i = 0; i < WORST_CASES; i++)
        for (uint32_t length = 0; length < WORST_LENGTHS; length++) {
            struct row *row;

            worst_name(&worst_cases[i], worst_lengths[length], name);
            if (!worst_fits(&worst_cases[i], worst_text, length) || !options_wants(options, name) ||
                worst_lengths[length] > rows->text_bytes / 2)
                continue;
            row = add_row(rows, name, "worst", worst_cases[i].kind);
            set_worst_pattern(row, text, worst_lengths[length]);
            set_plain_pattern(row, plain_text, rows->text_bytes, threads);
            row->bar_plain = 0.5;
            row->expected = count_by_automaton(text, rows->text_bytes, row->pattern,
                                               row->pattern_bytes, threads);
        }
}
