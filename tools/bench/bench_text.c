/* bench_text: makes the texts and patterns of questions from recipes.
 *
 *   text=letters[:ALPHABET]  random letters with equal odds (seed=N)
 *   text=file:PATH           the file, repeated up to bytes=N; without bytes, the file once
 *   record=BYTES|line        the text is a tape of records of BYTES bytes, or of its lines without
 *                            their line ends
 *
 *   patterns=literal:TEXT
 *   patterns=file:PATH       a pattern a line
 *   patterns=at:PLACE:BYTES  the text's BYTES bytes at offset PLACE
 *   patterns=pieces:COUNT:LEAST:MOST   pieces of the text from random offsets, without line ends
 *                            (pattern-seed=N)
 *   patterns=drawn:COUNT:LEAST:MOST    each byte from a random offset of the text; no line ends
 *
 *   change=first|middle|last to=BYTE   replaces that byte of the first pattern with BYTE; without
 *                            `to`, by a different byte of the text, if there is one
 *   absent=1                 replaces the middle byte of the first pattern so that the pattern
 *                            does not occur
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "bench/bench.h"

#define TEXTS_MAX 4u           /* most texts that are kept */
#define BLOCK_BYTES (1u << 20) /* a thread fills this part of a text at a time */
#define PATTERN_SEED 7u        /* seed of the patterns, unless a row sets one */
#define DRAW_TRIES 64u         /* draws of a byte from the text before a byte is made up */
#define SLACK_BYTES 4096u      /* readable bytes after a text */

struct text {
    char *recipe; /* the fields of a row that decide the text's bytes */
    uint8_t *bytes;
    uint64_t count, mapped;
    uint64_t *offsets; /* where records begin and the text ends; NULL: no records */
    uint64_t record_count;
};

static struct text texts[TEXTS_MAX];

/* ---- Texts -------------------------------------------------------------------------------- */

/* Returns the bytes of a file, to be freed, with room for another byte. Exits on failure. */
static uint8_t *read_file(const char *path, uint64_t *count)
{
    FILE *file = fopen(path, "rb");
    uint8_t *bytes;
    long size;

    if (file == NULL || fseek(file, 0, SEEK_END) != 0 || (size = ftell(file)) < 0)
        fail("%s: %s", path, strerror(errno));
    rewind(file);
    bytes = (uint8_t *)allocate((uint64_t)size + 1);
    *count = fread(bytes, 1, (size_t)size, file);
    if (*count != (uint64_t)size)
        fail("%s: could not be read", path);
    fclose(file);
    return bytes;
}

static void fill_repeated(uint8_t *text, uint64_t bytes, const void *part, uint64_t part_bytes)
{
    uint64_t done = part_bytes < bytes ? part_bytes : bytes;

    memcpy(text, part, (size_t)done);
    while (done < bytes && done > 0) { /* done is a multiple of part_bytes until the last step */
        uint64_t step = done < bytes - done ? done : bytes - done;

        memcpy(text + done, text, (size_t)step);
        done += step;
    }
}

struct letters {
    uint8_t *text;
    uint64_t bytes, seed; /* bytes: length of the text */
    const char *alphabet; /* the letters to draw from */
    uint32_t size;        /* number of letters */
};

/* Fills a block of the text with random letters, which depend only on the seed and the block's
 * number, so that threads may fill blocks in any order. */
static void fill_block(void *context, uint64_t index)
{
    const struct letters *letters = (const struct letters *)context;
    struct seeded seeded = {letters->seed * 0x100000001b3u + index};
    uint64_t at = index * BLOCK_BYTES, end = at + BLOCK_BYTES;

    if (end > letters->bytes)
        end = letters->bytes;
    while (at < end) {
        uint64_t bits = seeded_u64(&seeded);

        for (uint32_t k = 0; k < 4 && at < end; k++, bits >>= 16)
            letters->text[at++] = (uint8_t)letters->alphabet[(bits & 0xffff) * letters->size >> 16];
    }
}

static void fill_letters(uint8_t *text, uint64_t bytes, const char *alphabet, uint64_t seed)
{
    struct letters letters = {text, bytes, seed, alphabet, (uint32_t)strlen(alphabet)};

    (void)pieces_run(fill_block, &letters, (bytes + BLOCK_BYTES - 1) / BLOCK_BYTES, cores_count());
}

/* Returns the next line end; without one, the end of the text. */
static const uint8_t *line_end(const uint8_t *at, const uint8_t *end)
{
    const uint8_t *found = (const uint8_t *)memchr(at, '\n', (size_t)(end - at));

    return found != NULL ? found : end;
}

/* Makes a tape of the text's lines: moves the lines together, without their line ends. */
static void cut_lines(struct text *text)
{
    const uint8_t *at = text->bytes, *end = text->bytes + text->count;
    uint8_t *to = text->bytes;
    uint64_t lines = 0;

    for (const uint8_t *next = at; next < end; next = line_end(next, end) + 1)
        lines++;
    text->offsets = (uint64_t *)allocate((lines + 1) * sizeof *text->offsets);
    for (const uint8_t *next; at < end; at = next + 1) {
        next = line_end(at, end);
        memmove(to, at, (size_t)(next - at));
        to += next - at;
        text->offsets[++text->record_count] = (uint64_t)(to - text->bytes);
    }
    text->count = (uint64_t)(to - text->bytes);
}

/* Divides a text into records: of equal length, or one per line. */
static void cut(struct text *text, const struct fields *fields)
{
    uint64_t each;

    if (strcmp(field(fields, "record", ""), "line") == 0) {
        cut_lines(text);
        return;
    }
    each = field_number(fields, "record", 0);
    if (each == 0)
        return;
    text->record_count = text->count / each;
    text->count = text->record_count * each;
    text->offsets = (uint64_t *)allocate((text->record_count + 1) * sizeof *text->offsets);
    for (uint64_t i = 0; i <= text->record_count; i++)
        text->offsets[i] = i * each;
}

/* Makes a text, in huge pages if the system allows, so that the time for page tables does not
 * depend on the system's default. All competitors read the same memory. */
static void make(struct text *text, const struct fields *fields)
{
    static const char alphabet[] = "abcdefghijklmnopqrstuvwxyz";
    const char *kind = field(fields, "text", "letters");
    uint64_t bytes = field_number(fields, "bytes", 0), source_bytes = 0;
    uint8_t *source = strncmp(kind, "file:", 5) == 0 ? read_file(kind + 5, &source_bytes) : NULL;
    void *memory;

    text->count = bytes > 0 ? bytes : source_bytes;
    text->mapped = text->count + SLACK_BYTES;
    memory = mmap(NULL, (size_t)text->mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                  -1, 0);
    if (memory == MAP_FAILED)
        fail("no memory for a text of %" PRIu64 " bytes", text->count);
    (void)madvise(memory, (size_t)text->mapped, MADV_HUGEPAGE);
    text->bytes = (uint8_t *)memory;
    if (source != NULL)
        fill_repeated(text->bytes, text->count, source, source_bytes);
    else if (strncmp(kind, "letters", 7) == 0)
        fill_letters(text->bytes, text->count, kind[7] == ':' ? kind + 8 : alphabet,
                     field_number(fields, "seed", 1));
    else
        fail("no such text: %s", kind);
    cut(text, fields);
    free(source);
}

/* Returns the fields that determine a text, as a string to be freed: equal strings mean equal
 * texts. */
static char *recipe_of(const struct fields *fields)
{
    static const char *const keys[] = {"text", "bytes", "seed", "record"};
    char recipe[4096];
    int used = 0;

    for (uint32_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        used += snprintf(recipe + used, sizeof recipe - (size_t)used, "%s\t",
                         field(fields, keys[i], ""));
        if (used >= (int)sizeof recipe)
            fail("a recipe for a text is too long");
    }
    return copy_text(recipe);
}

/* Unloads a text from the devices and frees it. */
static void drop(struct text *text)
{
    if (text->bytes != NULL) {
        library_unload(text->bytes);
        (void)munmap(text->bytes, (size_t)text->mapped);
    }
    free(text->offsets);
    free(text->recipe);
    memset(text, 0, sizeof *text);
}

/* Returns the text of a question. The first question with this recipe makes the text. */
static const struct text *text_of(const struct fields *fields)
{
    char *recipe = recipe_of(fields);
    struct text *empty = NULL;

    for (uint32_t i = 0; i < TEXTS_MAX; i++) {
        if (texts[i].recipe != NULL && strcmp(texts[i].recipe, recipe) == 0) {
            free(recipe);
            return &texts[i];
        }
        empty = texts[i].recipe == NULL ? &texts[i] : empty;
    }
    if (empty == NULL)
        fail("a row asks about more than %u texts", TEXTS_MAX);
    empty->recipe = recipe;
    make(empty, fields);
    return empty;
}

void texts_drop_unused(const struct question *questions, uint32_t count)
{
    for (uint32_t i = 0; i < TEXTS_MAX; i++) {
        bool used = false;

        for (uint32_t q = 0; q < count && texts[i].recipe != NULL; q++) {
            char *recipe = recipe_of(&questions[q].fields);

            used |= strcmp(recipe, texts[i].recipe) == 0;
            free(recipe);
        }
        if (!used)
            drop(&texts[i]);
    }
}

/* ---- Patterns ----------------------------------------------------------------------------- */

/* Allocates room for `count` patterns. `bytes` counts all their bytes, and a NUL after each, for
 * strstr. */
static void room_for(struct question *question, uint64_t count, uint64_t bytes)
{
    question->pattern_count = count;
    question->patterns = (struct trawl_pattern *)allocate(count * sizeof *question->patterns);
    question->pattern_bytes = (uint8_t *)allocate(bytes);
}

/* Reads the patterns from a file, a pattern for each line that ends in a newline. */
static void take_file(struct question *question, const char *path)
{
    uint64_t bytes, count = 0;
    uint8_t *at = read_file(path, &bytes), *end = at + bytes, *next;

    question->pattern_bytes = at;
    for (uint64_t i = 0; i < bytes; i++)
        count += at[i] == '\n';
    question->patterns = (struct trawl_pattern *)allocate(count * sizeof *question->patterns);
    for (; (next = (uint8_t *)memchr(at, '\n', (size_t)(end - at))) != NULL; at = next + 1) {
        *next = '\0';
        question->patterns[question->pattern_count++] =
            (struct trawl_pattern){at, (uint64_t)(next - at)};
    }
}

/* Returns a byte other than `other` from a random offset of the text; after DRAW_TRIES draws
 * without one, returns other + 1. */
static uint8_t draw_byte(const struct question *question, uint8_t other, struct seeded *seeded)
{
    for (uint32_t i = 0; i < DRAW_TRIES; i++) {
        uint8_t byte = question->bytes[seeded_below(seeded, question->bytes_count)];

        if (byte != other)
            return byte;
    }
    return (uint8_t)(other + 1);
}

/* Takes patterns from the text. drawn: each byte of a pattern comes from a random offset; otherwise
 * a pattern is a piece of the text. */
static void take_pieces(struct question *question, bool drawn, uint64_t count, uint64_t min,
                        uint64_t max)
{
    struct seeded seeded = {field_number(&question->fields, "pattern-seed", PATTERN_SEED)};
    uint8_t *to;

    room_for(question, count, count * (max + 1));
    to = question->pattern_bytes;
    if (question->bytes_count < max)
        fail("the text is too short for patterns of %" PRIu64 " bytes", max);
    for (uint64_t i = 0; i < count;) {
        uint64_t bytes = min + seeded_below(&seeded, max - min + 1);
        const uint8_t *from =
            question->bytes + seeded_below(&seeded, question->bytes_count - bytes + 1);

        if (!drawn && memchr(from, '\n', (size_t)bytes) != NULL)
            continue;
        memcpy(to, from, (size_t)bytes);
        for (uint64_t k = 0; drawn && k < bytes; k++)
            to[k] = draw_byte(question, '\n', &seeded);
        question->patterns[i++] = (struct trawl_pattern){to, bytes};
        to += bytes + 1;
    }
}

static void take_bytes(struct question *question, const void *bytes, uint64_t count)
{
    room_for(question, 1, count + 1);
    question->patterns[0] =
        (struct trawl_pattern){memcpy(question->pattern_bytes, bytes, (size_t)count), count};
}

/* Reads NAME:NUMBER:NUMBER... with at most `count` numbers. Returns false if the recipe has another
 * name or form. */
static bool read_recipe(const char *recipe, const char *name, uint64_t *numbers, uint32_t count)
{
    size_t length = strlen(name);
    const char *at = recipe + length;

    if (strncmp(recipe, name, length) != 0)
        return false;
    for (uint32_t i = 0; i < count && *at == ':'; i++) {
        char *end;

        numbers[i] = strtoull(at + 1, &end, 10);
        at = end;
    }
    return *at == '\0';
}

static void take_patterns(struct question *question, const char *recipe)
{
    uint64_t n[3] = {0};

    if (strncmp(recipe, "literal:", 8) == 0) {
        take_bytes(question, recipe + 8, strlen(recipe + 8));
    } else if (strncmp(recipe, "file:", 5) == 0) {
        take_file(question, recipe + 5);
    } else if (read_recipe(recipe, "at", n, 2)) {
        if (n[0] + n[1] > question->bytes_count)
            fail("beyond the text: %s", recipe);
        take_bytes(question, question->bytes + n[0], n[1]);
    } else if (read_recipe(recipe, "pieces", n, 3)) {
        take_pieces(question, false, n[0], n[1], n[2]);
    } else if (read_recipe(recipe, "drawn", n, 3)) {
        take_pieces(question, true, n[0], n[1], n[2]);
    } else {
        fail("no such patterns: %s", recipe);
    }
}

static bool is_absent(const struct question *question)
{
    return memmem(question->bytes, (size_t)question->bytes_count, question->patterns[0].bytes,
                  (size_t)question->patterns[0].bytes_count) == NULL;
}

/* Carries out change= and absent= on the first pattern. */
static void change(struct question *question)
{
    const char *where = field(&question->fields, "change", NULL);
    const char *to = field(&question->fields, "to", NULL);
    bool absent = field(&question->fields, "absent", NULL) != NULL;
    uint64_t bytes = question->pattern_count > 0 ? question->patterns[0].bytes_count : 0;
    struct seeded seeded = {PATTERN_SEED + bytes};
    uint8_t *byte, before;

    if (bytes == 0 || (where == NULL && !absent))
        return;
    byte = question->pattern_bytes + bytes / 2;
    if (where != NULL && strcmp(where, "middle") != 0)
        byte = question->pattern_bytes + (strcmp(where, "last") == 0 ? bytes - 1 : 0);
    before = *byte;
    for (uint32_t i = 0; i < DRAW_TRIES + 255; i++) {
        *byte = to != NULL       ? (uint8_t)to[0]
                : i < DRAW_TRIES ? question->bytes[seeded_below(&seeded, question->bytes_count)]
                                 : (uint8_t)(before + i - DRAW_TRIES + 1);
        if (to != NULL || (absent ? is_absent(question) : *byte != before))
            return;
    }
    fail("no byte makes the pattern absent");
}

/* ---- Questions ---------------------------------------------------------------------------- */

static uint32_t flags_of(const char *words)
{
    return (strstr(words, "ignore-case") != NULL ? TRAWL_IGNORE_CASE : 0u) |
           (strstr(words, "whole-word") != NULL ? TRAWL_WHOLE_WORD : 0u) |
           (strstr(words, "whole-line") != NULL ? TRAWL_WHOLE_LINE : 0u) |
           (strstr(words, "both-strands") != NULL ? TRAWL_REVERSE_COMPLEMENT : 0u) |
           (strstr(words, "every-end") != NULL ? TRAWL_EVERY_END : 0u);
}

void question_open(struct question *question)
{
    const char *recipe = field(&question->fields, "patterns", NULL);

    if (field(&question->fields, "text", NULL) != NULL) {
        const struct text *text = text_of(&question->fields);

        question->bytes = text->bytes;
        question->bytes_count = text->count;
        question->offsets = text->offsets;
        question->record_count = text->record_count;
        question->record_bytes = /* each record's bytes, if the recipe sets a length */
            strcmp(field(&question->fields, "record", "line"), "line") != 0
                ? field_number(&question->fields, "record", 0)
                : 0;
    }
    if (recipe != NULL) {
        take_patterns(question, recipe);
        change(question);
    }
    question->flags = flags_of(field(&question->fields, "flags", ""));
}

void question_close(struct question *question)
{
    free(question->patterns);
    free(question->pattern_bytes);
}
