/* dna_sites: finds a motif in a sequence, on both strands, with up to one mismatch
 *
 *     $ ./dna_sites
 *     2-8, strand +, 0 mismatches
 *     12-18, strand +, 1 mismatches
 *     12-18, strand -, 1 mismatches
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <trawl.h>

static int print_sites(void *context, const struct trawl_match *matches, uint64_t match_count)
{
    (void)context;
    for (uint64_t i = 0; i < match_count; i++)
        printf("%" PRIu64 "-%" PRIu64 ", strand %c, %u mismatches\n", matches[i].begin,
               matches[i].end, matches[i].reversed ? '-' : '+', matches[i].distance);
    return 0;
}

int main(void)
{
    const char sequence[] = "cgGAATTGcaggCAATTGtttt";
    const struct trawl_pattern motif = {"GAATTG", 6};
    const struct trawl_plan_options dna = {.size = sizeof dna,
                                           .flags = TRAWL_REVERSE_COMPLEMENT,
                                           .mismatches_max = 1,
                                           .alphabet = TRAWL_DNA};
    const struct trawl_text_options memory = TRAWL_TEXT_MEMORY(sequence, strlen(sequence));
    struct trawl_answer sites = TRAWL_ANSWER_MATCHES(print_sites, NULL);
    struct trawl_plan *plan = NULL;
    struct trawl_text *text = NULL;
    struct trawl_searcher *searcher = NULL;
    struct trawl_error error = {.status = TRAWL_OK};

    if (trawl_plan_build(&motif, 1, &dna, &plan, &error) != TRAWL_OK ||
        trawl_text_open(NULL, &memory, &text, &error) != TRAWL_OK ||
        trawl_searcher_open(NULL, &searcher, &error) != TRAWL_OK ||
        trawl_ask(searcher, plan, text, &sites, &error) != TRAWL_OK)
        fprintf(stderr, "dna_sites: %s\n", error.message);
    trawl_searcher_close(searcher);
    trawl_text_close(text);
    trawl_plan_free(plan);
    return error.status == TRAWL_OK ? 0 : 2;
}
