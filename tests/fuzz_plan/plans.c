/* plans: bytes become changes of a saved plan, which is loaded and searched with. */
#include "plans.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/saved.h"
#include "unit/mend.h"

#define PLANS 6u
#define TEXT_BYTES 1500u
#define SEARCHED_BYTES 300u
#define CHANGE_BYTES 6u
#define RAW 255u

static const struct {
    uint64_t count, least, most;
    uint32_t flags;
} shapes[PLANS] = {{1, 5, 5, 0},    {1, 900, 900, TRAWL_IGNORE_CASE}, {3, 1, 4, 0},
                   {60, 12, 20, 0}, {300, 1, 9, TRAWL_IGNORE_CASE},   {8200, 2, 24, 0}};

struct base {
    uint8_t *image;
    uint64_t image_bytes;
    uint64_t count; /* of occurrences in the text */
};

static uint8_t text[TEXT_BYTES];

static void must(bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "fuzz_plan: %s\n", what);
    abort();
}

static uint64_t count_of(const struct trawl_plan *plan)
{
    static struct trawl_searcher *searcher;
    struct trawl_searcher_options options = TRAWL_SEARCHER_OPTIONS_INIT;
    struct trawl_match matches[64];
    struct trawl_text *opened = NULL;
    uint64_t count = 0, listed = 0;

    options.engine = TRAWL_ENGINE_CPU;
    options.threads = 1;
    if (searcher == NULL)
        must(trawl_searcher_open(&options, &searcher, NULL) == TRAWL_OK, "no searcher");
    must(trawl_text_from_memory(text, SEARCHED_BYTES, &opened, NULL) == TRAWL_OK, "no text");
    must(trawl_count(searcher, plan, opened, &count, NULL) == TRAWL_OK, "the count failed");
    must(trawl_positions_into(searcher, plan, opened, matches, 64, &listed, NULL) == TRAWL_OK,
         "the list failed");
    trawl_text_close(opened);
    return count;
}

static uint8_t *room(uint64_t bytes_count)
{
    void *memory = NULL;

    must(posix_memalign(&memory, PLAN_IMAGE_ALIGNMENT, bytes_count) == 0, "no memory");
    return (uint8_t *)memory;
}

static void image_of(const struct trawl_plan *plan, struct base *base)
{
    struct trawl_plan_save_options options = TRAWL_PLAN_SAVE_OPTIONS_INIT;
    static struct plan_parts parts;

    must(saved_parts(plan, &options, &parts, NULL) == TRAWL_OK, "it is not saved");
    base->image_bytes = parts.header.image_bytes;
    base->image = room(base->image_bytes);
    memset(base->image, 0, base->image_bytes);
    memcpy(base->image, &parts.header, sizeof parts.header);
    for (uint32_t i = 0; i < parts.header.section_count; i++)
        if (parts.header.sections[i].bytes_count > 0)
            memcpy(base->image + parts.header.sections[i].offset, parts.bytes[i],
                   parts.header.sections[i].bytes_count);
}

/* A de Bruijn-like text of few letters, and patterns that are pieces of it and others. */
static void make(uint32_t shape, struct base *base)
{
    struct trawl_pattern *patterns = calloc(shapes[shape].count, sizeof *patterns);
    struct trawl_plan_options options = TRAWL_PLAN_OPTIONS_INIT;
    struct trawl_plan *plan = NULL;
    uint64_t state = 1;

    must(patterns != NULL, "no memory");
    for (uint32_t i = 0; i < TEXT_BYTES; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        text[i] = (uint8_t) "abcAd\n"[(state >> 33) % 6];
    }
    for (uint64_t i = 0; i < shapes[shape].count; i++) {
        uint64_t length = shapes[shape].least + i % (shapes[shape].most - shapes[shape].least + 1);

        patterns[i].bytes = text + i * 37 % (TEXT_BYTES - length);
        patterns[i].bytes_count = length;
    }
    options.flags = shapes[shape].flags;
    must(trawl_plan_build(patterns, shapes[shape].count, &options, &plan, NULL) == TRAWL_OK,
         "no plan");
    base->count = count_of(plan);
    image_of(plan, base);
    trawl_plan_free(plan);
    free(patterns);
}

/* One change; where it would not fit it is none. */
static void change(uint8_t *image, uint64_t image_bytes, const uint8_t bytes[CHANGE_BYTES])
{
    const struct plan_image_header *header = (const struct plan_image_header *)(const void *)image;
    uint32_t sections = header->section_count < PLAN_SECTIONS_MAX ? header->section_count : 0;
    uint32_t section = bytes[0] % (sections + 1);
    uint64_t begin = 0, count = sizeof *header, at = bytes[1] * 256u + bytes[2];
    uint64_t width = 1ull << bytes[3] % 4, value = bytes[4];

    if (section < sections) {
        begin = header->sections[section].offset;
        count = header->sections[section].bytes_count;
    }
    for (uint32_t i = 1; i < 8; i++)
        value |= (uint64_t)bytes[5] << 8 * i;
    at -= at % width;
    if (begin <= image_bytes && at < count && width <= image_bytes - begin &&
        at <= image_bytes - begin - width)
        memcpy(image + begin + at, &value, width);
}

static void try_image(const uint8_t *image, uint64_t image_bytes, const struct base *base)
{
    struct trawl_plan *plan = NULL;
    enum trawl_status status = trawl_plan_load_memory(image, image_bytes, NULL, &plan, NULL);
    bool same = base != NULL && memcmp(image, base->image, image_bytes) == 0;

    must(status == TRAWL_OK || status == TRAWL_FORMAT || status == TRAWL_ARGUMENT,
         "a status that is not to be expected");
    must(status == TRAWL_OK || !same, "what was saved is refused");
    if (status == TRAWL_OK) {
        uint64_t count = count_of(plan);

        must(!same || count == base->count, "another answer");
    }
    trawl_plan_free(plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t bytes_count)
{
    static struct base bases[PLANS];
    struct base *base;
    uint8_t *image;
    uint32_t shape;

    if (bytes_count == 0)
        return 0;
    if (bytes[0] == RAW) {
        try_image(bytes + 1, bytes_count - 1, NULL);
        return 0;
    }
    shape = bytes[0] < PLANS ? bytes[0] : bytes[0] % (PLANS - 1); /* the last one takes longest */
    base = &bases[shape];
    if (base->image == NULL)
        make(shape, base);
    image = room(base->image_bytes);
    memcpy(image, base->image, base->image_bytes);
    for (size_t at = 1; at + CHANGE_BYTES <= bytes_count; at += CHANGE_BYTES)
        change(image, base->image_bytes, bytes + at);
    image_mend(image, base->image_bytes);
    try_image(image, base->image_bytes, base);
    free(image);
    return 0;
}
