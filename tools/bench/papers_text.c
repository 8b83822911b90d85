/* papers_text: the texts of the reports, and the right answers. */
#include <stdlib.h>
#include <string.h>

#include "bench/papers.h"

#define LETTERS_SEED 5u
#define LETTERS_BYTES (4u << 20)
#define PLACES_FIRST 1024u

uint64_t papers_bytes(const struct papers *papers, uint64_t bytes)
{
    return bytes < papers->options->largest_bytes ? bytes : papers->options->largest_bytes;
}

static void letters_source(struct source *source)
{
    source->bytes_count = LETTERS_BYTES;
    source->bytes = (uint8_t *)allocate(LETTERS_BYTES);
    text_fill_letters(source->bytes, LETTERS_BYTES, LETTERS_SEED);
    snprintf(source->name, sizeof source->name, "random letters a-z, even odds");
}

void corpus_make(const struct papers *papers, enum corpus_kind kind, uint64_t bytes,
                 struct corpus *corpus)
{
    struct source source = {0};
    const char *how = "";

    switch (kind) {
    case CORPUS_BIBLE:
        source_english(papers->options, &source);
        break;
    case CORPUS_WORLD:
        source_world(papers->options, &source);
        break;
    case CORPUS_ECOLI:
        source_dna(papers->options, &source);
        break;
    default:
        letters_source(&source);
        break;
    }
    corpus->bytes_count = papers_bytes(papers, bytes > 0 ? bytes : source.bytes_count);
    if (corpus->bytes_count != source.bytes_count)
        how = corpus->bytes_count > source.bytes_count ? ", repeated" : ", its beginning";
    corpus->bytes = (uint8_t *)allocate(corpus->bytes_count);
    text_fill_repeated(corpus->bytes, corpus->bytes_count, source.bytes, source.bytes_count);
    snprintf(corpus->name, sizeof corpus->name, "%s%s, %llu bytes", source.name, how,
             (unsigned long long)corpus->bytes_count);
    source_free(&source);
}

void corpus_free(struct corpus *corpus)
{
    free(corpus->bytes);
    memset(corpus, 0, sizeof *corpus);
}

/* ---- The right answer --------------------------------------------------------------------- */

static void add_place(struct question *question, uint64_t *room, uint64_t place)
{
    if (question->place_count == *room) {
        uint64_t *larger;

        *room *= 2;
        larger = (uint64_t *)realloc(question->place, *room * sizeof *larger);
        if (larger == NULL)
            fail("no memory for %llu places", (unsigned long long)*room);
        question->place = larger;
    }
    question->place[question->place_count++] = place;
}

/* Byte by byte: memchr for the first byte, memcmp for all. Shares no code with the library. */
static void find_places(struct question *question)
{
    const uint8_t *pattern = (const uint8_t *)question->patterns->bytes;
    uint64_t pattern_bytes = question->patterns->bytes_count, room = PLACES_FIRST, at = 0;

    question->place = (uint64_t *)allocate(room * sizeof *question->place);
    while (at + pattern_bytes <= question->text_bytes) {
        const uint8_t *found = (const uint8_t *)memchr(
            question->text + at, pattern[0], question->text_bytes - pattern_bytes + 1 - at);

        if (found == NULL)
            return;
        at = (uint64_t)(found - question->text);
        if (memcmp(found, pattern, pattern_bytes) == 0)
            add_place(question, &room, at);
        at++;
    }
}

void question_open(struct question *question, enum question_kind kind, const char *name,
                   const uint8_t *text, uint64_t text_bytes, const struct trawl_pattern *pattern)
{
    struct trawl_error error = {0};

    memset(question, 0, sizeof *question);
    question->kind = kind;
    question->name = name;
    question->text = text;
    question->text_bytes = text_bytes;
    question->patterns = pattern;
    question->pattern_count = 1;
    find_places(question);
    question->matches =
        (struct trawl_match *)allocate((question->place_count + 1) * sizeof *question->matches);
    if (trawl_text_from_memory(text, text_bytes, &question->handle, &error) != TRAWL_OK)
        fail("%s", error.message);
}

void question_close(struct question *question)
{
    trawl_text_close(question->handle);
    free(question->place);
    free(question->matches);
    memset(question, 0, sizeof *question);
}

/* ---- What grep writes --------------------------------------------------------------------- */

void expect_output(const void *output, uint64_t output_bytes, struct command_line *line)
{
    const uint8_t *bytes = (const uint8_t *)output;

    line->output_bytes = output_bytes;
    line->status = output_bytes > 0 ? 0 : 1;
    line->output_hash = process_hash(bytes, output_bytes);
    line->head_hash =
        process_hash(bytes, output_bytes < OUTPUT_HEAD_BYTES ? output_bytes : OUTPUT_HEAD_BYTES);
}

void expect_lines(const struct question *question, struct command_line *line)
{
    const uint8_t *text = question->text, *end = text + question->text_bytes;
    uint8_t *output = (uint8_t *)allocate(question->text_bytes + 1);
    uint64_t used = 0, done = 0; /* lines before `done` are written */

    for (uint64_t i = 0; i < question->place_count; i++) {
        const uint8_t *begin = text + question->place[i], *stop;

        if (question->place[i] < done)
            continue;
        while (begin > text && begin[-1] != '\n')
            begin--;
        stop = (const uint8_t *)memchr(begin, '\n', (uint64_t)(end - begin));
        stop = stop != NULL ? stop : end;
        memcpy(output + used, begin, (uint64_t)(stop - begin));
        used += (uint64_t)(stop - begin);
        output[used++] = '\n';
        done = (uint64_t)(stop - text) + 1;
    }
    expect_output(output, used, line);
    free(output);
}

void expect_only_matching(const struct question *question, struct command_line *line)
{
    uint64_t pattern_bytes = question->patterns->bytes_count, used = 0, done = 0;
    char *output = (char *)allocate(question->place_count * (pattern_bytes + 24) + 1);

    for (uint64_t i = 0; i < question->place_count; i++) {
        if (question->place[i] < done)
            continue;
        used += (uint64_t)sprintf(output + used, "%llu:", (unsigned long long)question->place[i]);
        memcpy(output + used, question->patterns->bytes, pattern_bytes);
        used += pattern_bytes;
        output[used++] = '\n';
        done = question->place[i] + pattern_bytes;
    }
    expect_output(output, used, line);
    free(output);
}
