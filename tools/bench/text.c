/* text: the texts that are searched, and the short texts they are made of. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "bench/text.h"
#include "bench/util.h"

#define SOURCE_BYTES_MAX (1ull << 30)
#define GENERATED_BYTES (4u << 20)
#define GENERATOR_SEED 20261120u
#define WORLD_SEED (GENERATOR_SEED + 1u)
#define RARE_WORD_EVERY 40000u

/* ---- Sources ------------------------------------------------------------------------------ */

static void set_file_name(struct source *source, const char *path)
{
    const char *slash = strrchr(path, '/');

    snprintf(source->name, sizeof source->name, "%s", slash != NULL ? slash + 1 : path);
}

static bool read_source(const char *path, struct source *source)
{
    FILE *file = fopen(path, "rb");
    long end;

    if (file == NULL)
        return false;
    if (fseek(file, 0, SEEK_END) != 0 || (end = ftell(file)) < 0 || fseek(file, 0, SEEK_SET) != 0)
        fail("%s: %s", path, strerror(errno));
    if (end == 0 || (unsigned long long)end > SOURCE_BYTES_MAX)
        fail("%s: a text must have from 1 byte to 1 GiB", path);
    source->bytes_count = (uint64_t)end;
    source->bytes = (uint8_t *)allocate(source->bytes_count);
    if (fread(source->bytes, 1, source->bytes_count, file) != source->bytes_count)
        fail("%s: could not be read", path);
    fclose(file);
    set_file_name(source, path);
    source->generated = false;
    return true;
}

/* The file asked for, which must be there, or the one of the data folder, if it is. */
static bool find_source(const struct options *options, const char *asked_path,
                        const char *data_name, struct source *source)
{
    const char *folder = options->data_folder != NULL ? options->data_folder : getenv("TRAWL_DATA");
    char path[PATH_MAX];

    if (asked_path != NULL) {
        if (!read_source(asked_path, source))
            fail("%s: %s", asked_path, strerror(errno));
        return true;
    }
    if (folder == NULL || *folder == '\0')
        folder = "../shared/data";
    snprintf(path, sizeof path, "%s/%s", folder, data_name);
    return read_source(path, source);
}

/* Words with falling frequency (the square of a uniform number), in lines of 8 to 37 words; a few
 * names are rare, as names are. */
static void generate_words(struct source *source, uint64_t seed)
{
    static const char *const words[] = {
        "the",    "and",   "of",      "to",       "that",    "in",      "he",        "shall",
        "unto",   "for",   "I",       "his",      "a",       "they",    "be",        "is",
        "him",    "not",   "them",    "it",       "with",    "all",     "thou",      "thy",
        "was",    "which", "my",      "me",       "said",    "but",     "have",      "as",
        "from",   "when",  "this",    "out",      "were",    "are",     "you",       "by",
        "then",   "there", "house",   "came",     "before",  "king",    "children",  "land",
        "people", "water", "through", "mountain", "heavens", "brother", "wilderness"};
    static const char *const rare_words[] = {"Habakkuk", "Moab", "Nebuchadnezzar"};
    const uint64_t word_count = sizeof words / sizeof words[0];
    struct seeded seeded = {seed};
    uint64_t used = 0, words_left = 8;

    source->bytes = (uint8_t *)allocate(GENERATED_BYTES);
    while (used < GENERATED_BYTES) {
        uint64_t number = seeded_below(&seeded, 1u << 16);
        const char *word = words[number * number * word_count >> 32];

        if (seeded_below(&seeded, RARE_WORD_EVERY) == 0)
            word = rare_words[seeded_below(&seeded, 3)];
        for (; *word != '\0' && used < GENERATED_BYTES; word++)
            source->bytes[used++] = (uint8_t)*word;
        if (used < GENERATED_BYTES)
            source->bytes[used++] = --words_left > 0 ? ' ' : '\n';
        if (words_left == 0)
            words_left = 8 + seeded_below(&seeded, 30);
    }
    source->bytes_count = used;
    source->generated = true;
    snprintf(source->name, sizeof source->name, "generated words, seed %llu",
             (unsigned long long)seed);
}

void source_english(const struct options *options, struct source *source)
{
    if (!find_source(options, options->english_path, "bible.txt", source))
        generate_words(source, GENERATOR_SEED);
}

void source_world(const struct options *options, struct source *source)
{
    if (find_source(options, NULL, "world192.txt", source))
        return;
    generate_words(source, WORLD_SEED);
    for (uint64_t i = 1; i < source->bytes_count; i++)
        if (source->bytes[i] == '\n')
            source->bytes[i - 1] = '\r';
}

void source_dna(const struct options *options, struct source *source)
{
    struct seeded seeded = {GENERATOR_SEED};

    if (find_source(options, options->dna_path, "ecoli-nc008253.txt", source))
        return;
    source->bytes_count = GENERATED_BYTES;
    source->generated = true;
    source->bytes = (uint8_t *)allocate(GENERATED_BYTES);
    for (uint64_t i = 0; i < GENERATED_BYTES; i++)
        source->bytes[i] = (uint8_t) "acgt"[seeded_below(&seeded, 4)];
    snprintf(source->name, sizeof source->name, "generated DNA, even odds, seed %u",
             GENERATOR_SEED);
}

void source_words(const struct options *options, struct source *source)
{
    if (!find_source(options, NULL, "words-100k.txt", source))
        source_english(options, source);
}

void source_code(const struct options *options, struct source *source)
{
    if (!find_source(options, NULL, "rust-library.rs", source))
        generate_words(source, GENERATOR_SEED);
}

void source_free(struct source *source)
{
    free(source->bytes);
    memset(source, 0, sizeof *source);
}

/* ---- Texts -------------------------------------------------------------------------------- */

/* Large pages where the system gives them on request: all contenders read the same memory, and
 * the page tables' share of the time does not depend on the system's setting. */
uint8_t *text_allocate(uint64_t bytes)
{
    void *text = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (text == MAP_FAILED)
        fail("no memory for a text of %llu bytes (--bytes)", (unsigned long long)bytes);
    (void)madvise(text, bytes, MADV_HUGEPAGE); /* a wish: without it only slower */
    return (uint8_t *)text;
}

void text_release(uint8_t *text, uint64_t bytes)
{
    if (text != NULL)
        munmap(text, bytes);
}

void text_fill_letters(uint8_t *text, uint64_t bytes, uint64_t seed)
{
    struct seeded seeded = {seed};

    for (uint64_t i = 0; i < bytes;) {
        uint64_t bits = seeded_u64(&seeded);

        for (uint32_t k = 0; k < 4 && i < bytes; k++, bits >>= 16)
            text[i++] = (uint8_t)('a' + ((bits & 0xffff) * 26 >> 16));
    }
}

void text_fill_repeated(uint8_t *text, uint64_t bytes, const void *part, uint64_t part_bytes)
{
    uint64_t done = part_bytes < bytes ? part_bytes : bytes;

    memcpy(text, part, done);
    while (done < bytes) { /* done stays a multiple of part_bytes until the last step */
        uint64_t step = done < bytes - done ? done : bytes - done;

        memcpy(text + done, text, step);
        done += step;
    }
}

/* Each word is the last one followed by the one before it: b, a, ab, aba, abaab. */
void text_fill_fibonacci(uint8_t *text, uint64_t bytes)
{
    uint64_t before = 1, last = 2;

    text[0] = 'a';
    text[1] = 'b';
    while (last < bytes) {
        uint64_t step = before < bytes - last ? before : bytes - last;

        memcpy(text + last, text, step);
        before = last;
        last += step;
    }
}

/* Each half is the first one with a and b exchanged. */
void text_fill_thue_morse(uint8_t *text, uint64_t bytes)
{
    text[0] = 'a';
    for (uint64_t done = 1; done < bytes; done *= 2)
        for (uint64_t i = 0; i < done && done + i < bytes; i++)
            text[done + i] = (uint8_t)('a' + 'b' - text[i]);
}

void text_put_line_ends(uint8_t *text, uint64_t bytes, uint64_t first, uint64_t line_bytes)
{
    for (uint64_t at = first; at < bytes; at += line_bytes)
        text[at] = '\n';
}
