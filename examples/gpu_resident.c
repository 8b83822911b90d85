/* gpu_resident: searches a text many times while the text stays on a GPU
 *
 * Shows how to choose an engine, what to do if it is not available, and how to copy a text to the
 * device once: each search then reads the copy at the speed of the device's memory. Without a GPU
 * the program says so and exits with status 77.
 *
 *     $ ./gpu_resident
 *     GATTACA: 64 (cuda)
 *     TTAC: 128 (cuda)
 *     AAAAAAAA: 0 (cuda)
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <trawl.h>

static enum trawl_status count(struct trawl_searcher *searcher, struct trawl_text *text,
                               const char *string, struct trawl_error *error)
{
    const struct trawl_pattern pattern = {string, strlen(string)};
    struct trawl_stats stats = {.size = sizeof stats};
    struct trawl_plan *plan = NULL;
    uint64_t count = 0;
    enum trawl_status status = trawl_plan_build(&pattern, 1, NULL, &plan, error);

    if (status == TRAWL_OK)
        status = trawl_count(searcher, plan, text, &count, error);
    if (status == TRAWL_OK)
        status = trawl_searcher_stats(searcher, &stats, error);
    if (status == TRAWL_OK)
        printf("%s: %" PRIu64 " (%s)\n", string, count, stats.engine);
    trawl_plan_free(plan);
    return status;
}

int main(void)
{
    static const char *const strings[] = {"GATTACA", "TTAC", "AAAAAAAA"};
    static const char motif[] = {'G', 'A', 'T', 'T', 'A', 'C', 'A', 'G', 'T', 'T', 'A', 'C'};
    static char dna[64 * 1024];
    struct trawl_searcher_options options = TRAWL_SEARCHER_OPTIONS_INIT;
    struct trawl_searcher *searcher = NULL;
    struct trawl_text *text = NULL;
    struct trawl_error error = {.status = TRAWL_OK};
    const struct trawl_text_options memory = TRAWL_TEXT_MEMORY(dna, sizeof dna);
    enum trawl_status status;

    memset(dna, 'C', sizeof dna);
    for (size_t i = 0; i < sizeof dna; i += 1024)
        memcpy(dna + i, motif, sizeof motif);

    options.engine = TRAWL_ENGINE_CUDA; /* without a GPU, AUTO would search on the CPU */
    status = trawl_searcher_open(&options, &searcher, &error);
    if (status == TRAWL_ENGINE) {
        fprintf(stderr, "SKIPPED: %s\n", error.message);
        return 77;
    }
    if (status == TRAWL_OK)
        status = trawl_text_open(NULL, &memory, &text, &error);
    if (status == TRAWL_OK)
        status = trawl_text_load(searcher, text, &error); /* from here on `dna` must not change */
    for (size_t i = 0; i < sizeof strings / sizeof *strings && status == TRAWL_OK; i++)
        status = count(searcher, text, strings[i], &error);
    if (status != TRAWL_OK)
        fprintf(stderr, "gpu_resident: %s\n", error.message);
    trawl_searcher_close(searcher); /* drops the device's copy, so `dna` may change again */
    trawl_text_close(text);
    return status == TRAWL_OK && fflush(stdout) == 0 ? 0 : 2;
}
