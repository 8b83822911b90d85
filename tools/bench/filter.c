/* filter: times searches of a text with a filter beside those without one, and compares the
 * answers.
 *
 *     trawl-bench-filter [MIB [THREADS [cpu|cuda]]]     (scripts/dev-bench-filter.sh)
 *
 * The text is made here: log lines and JSON with decimal and hexadecimal ids. The least time of
 * several, alternately without and with the filter. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "trawl.h"

#define REPEATS 7
#define SET_MAX 10000u
#define ID_BYTES 40u

enum question { COUNT, MATCHES, LINES, FIRST, QUESTIONS };

struct side {
    struct trawl_searcher *searcher;
    struct trawl_text *text;
};

static struct trawl_error error;
static uint64_t state = 88172645463325252u;

static void must(enum trawl_status status)
{
    if (status == TRAWL_OK)
        return;
    (void)fprintf(stderr, "filter: %s\n", error.message);
    exit(1);
}

static uint64_t draw(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * 0x9e3779b97f4a7c15u;
}

static double now_ms(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static void fill(char *text, uint64_t bytes)
{
    char line[256];

    for (uint64_t at = 0; at < bytes;) {
        const uint64_t id = draw(), more = draw(), kind = draw() % 3;
        uint64_t count;

        if (kind == 2)
            count = (uint64_t)snprintf(
                line, sizeof line,
                "{\"ts\":17%09" PRIu64 ",\"user\":\"%08" PRIx64 "-%04" PRIx64 "-4%03" PRIx64
                "-%04" PRIx64 "-%012" PRIx64 "\",\"ok\":true}\n",
                more % 1000000000, id >> 32, id & 0xffff, more & 0xfff, more >> 48, draw() >> 16);
        else
            count = (uint64_t)snprintf(
                line, sizeof line,
                kind == 0 ? "2026-11-%02u 12:%02u %s [worker-%u] request no=%016" PRIu64
                            " path=/api/v1/items/%u\n"
                          : "2026-11-%02u 12:%02u %s [worker-%u] request id=%016" PRIx64
                            " path=/api/v1/items/%u\n",
                (unsigned)(more % 30), (unsigned)(more >> 8) % 60,
                more % 32 == 0 ? "ERROR" : "INFO", (unsigned)(more >> 20) % 16,
                kind == 0 ? id % 10000000000000000u : id, (unsigned)(more >> 30) % 1000);
        count = count < bytes - at ? count : bytes - at;
        memcpy(text + at, line, count);
        at += count;
    }
}

static int add(void *context, const struct trawl_match *matches, uint64_t count)
{
    (void)matches;
    *(uint64_t *)context += count;
    return 0;
}

static uint64_t ask(const struct side *side, const struct trawl_plan *plan, enum question question)
{
    struct trawl_answer lines = TRAWL_ANSWER(TRAWL_COUNT_LINES);
    struct trawl_match match = {0};
    uint64_t count = 0;
    struct trawl_answer matches = TRAWL_ANSWER_MATCHES(add, &count);
    bool found = false;

    switch (question) {
    case COUNT:
        must(trawl_count(side->searcher, plan, side->text, &count, &error));
        return count;
    case MATCHES:
        must(trawl_ask(side->searcher, plan, side->text, &matches, &error));
        return count;
    case LINES:
        must(trawl_ask(side->searcher, plan, side->text, &lines, &error));
        return lines.count;
    default:
        must(trawl_first(side->searcher, plan, side->text, &match, &found, &error));
        return found ? match.begin + 1 : 0;
    }
}

static void row(const char *name, const struct side sides[2], const char *strings, uint64_t stride,
                uint64_t count, uint32_t flags, enum trawl_syntax syntax)
{
    static struct trawl_pattern patterns[SET_MAX];
    struct trawl_plan_options options = TRAWL_PLAN_OPTIONS_INIT;
    struct trawl_stats stats = {.size = sizeof stats};
    struct trawl_plan *plan = NULL;

    options.flags = flags;
    options.syntax = syntax;
    options.letters = flags != 0 ? trawl_unicode() : NULL;
    for (uint64_t i = 0; i < count; i++)
        patterns[i] = (struct trawl_pattern){strings + i * stride, strlen(strings + i * stride)};
    must(trawl_plan_build(patterns, count, &options, &plan, &error));
    printf("|%s", name);
    for (int question = COUNT; question < QUESTIONS; question++) {
        double least[2] = {1e9, 1e9};
        uint64_t got[2] = {0, 0};

        for (int i = 0; i < REPEATS * 2; i++) {
            double begin = now_ms(), ms;

            got[i % 2] = ask(&sides[i % 2], plan, (enum question)question);
            ms = now_ms() - begin;
            least[i % 2] = ms < least[i % 2] ? ms : least[i % 2];
        }
        must(trawl_searcher_stats(sides[1].searcher, &stats, &error));
        if (question == COUNT)
            printf("|%" PRIu64 "|%s", got[0], stats.page_count == 0 ? "all" : "");
        if (question == COUNT && stats.page_count > 0)
            printf("%.4f", (double)stats.page_left_count / (double)stats.page_count);
        printf("|%.3f → %.3f%s", least[0], least[1], got[0] == got[1] ? "" : " WRONG");
    }
    printf("|\n");
    trawl_plan_free(plan);
}

static void copy_id(const char *text, uint64_t bytes, const char *before, uint64_t count, char *id)
{
    const char *at = (const char *)memmem(text + bytes / 2, bytes / 2, before, strlen(before));

    memset(id, 0, ID_BYTES);
    if (at != NULL)
        memcpy(id, at + strlen(before), count);
}

int main(int argument_count, char **arguments)
{
    const uint64_t bytes = strtoull(argument_count > 1 ? arguments[1] : "1024", NULL, 0) << 20;
    struct trawl_searcher_options options = TRAWL_SEARCHER_OPTIONS_INIT;
    struct trawl_text_options text_options;
    static char ids[SET_MAX][ID_BYTES], id[ID_BYTES];
    struct side sides[2];
    char *text = (char *)malloc(bytes);

    if (text == NULL)
        return 1;
    fill(text, bytes);
    options.threads = argument_count > 2 ? (uint32_t)strtoul(arguments[2], NULL, 0) : 1;
    options.engine = argument_count > 3 && strcmp(arguments[3], "cuda") == 0 ? TRAWL_ENGINE_CUDA
                                                                             : TRAWL_ENGINE_CPU;
    for (int i = 0; i < 2; i++) {
        double begin;

        text_options = (struct trawl_text_options)TRAWL_TEXT_MEMORY(text, bytes);
        text_options.flags = i == 1 ? TRAWL_TEXT_FILTER : 0;
        must(trawl_searcher_open(&options, &sides[i].searcher, &error));
        must(trawl_text_open(NULL, &text_options, &sides[i].text, &error));
        begin = now_ms();
        must(trawl_text_load(sides[i].searcher, sides[i].text, &error));
        printf("%s: loaded in %.1f ms\n", i == 1 ? "with a filter" : "without", now_ms() - begin);
    }
    printf("%" PRIu64 " MiB, %u threads; ms without → with a filter\n\n", bytes >> 20,
           options.threads);
    printf("|strings|count|pages left|count|matches|lines|first|\n|---|--:|--:|--:|--:|--:|--:|\n");
    row("absent decimal of 16", sides, "7777711111222229", 0, 1, 0, TRAWL_LITERAL);
    row("absent hexadecimal of 16", sides, "deadbeefcafe4242", 0, 1, 0, TRAWL_LITERAL);
    copy_id(text, bytes, "id=", 12, id);
    row("hexadecimal of 12", sides, id, 0, 1, 0, TRAWL_LITERAL);
    copy_id(text, bytes, "id=", 16, id);
    row("hexadecimal of 16", sides, id, 0, 1, 0, TRAWL_LITERAL);
    copy_id(text, bytes, "user\":\"", 36, id);
    row("UUID", sides, id, 0, 1, 0, TRAWL_LITERAL);
    row("UUID, -i", sides, id, 0, 1, TRAWL_IGNORE_CASE, TRAWL_LITERAL);
    row("absent word of 12", sides, "quinquagesim", 0, 1, 0, TRAWL_LITERAL);
    row("in most pages", sides, "ERROR [worker-3]", 0, 1, 0, TRAWL_LITERAL);
    row("in each line", sides, " request ", 0, 1, 0, TRAWL_LITERAL);
    row("expression, rare atom", sides, "[a-z]+ id=deadbeefcafe[0-9]+ path", 0, 1, 0, TRAWL_PERL);
    for (uint64_t i = 0; i < SET_MAX; i++)
        (void)snprintf(ids[i], ID_BYTES, "%016" PRIx64, draw());
    row("100 absent of 16", sides, ids[0], ID_BYTES, 100, 0, TRAWL_LITERAL);
    row("10,000 absent of 16", sides, ids[0], ID_BYTES, SET_MAX, 0, TRAWL_LITERAL);
    for (int i = 0; i < 2; i++) {
        trawl_text_unload(sides[i].searcher, sides[i].text);
        trawl_text_close(sides[i].text);
        trawl_searcher_close(sides[i].searcher);
    }
    free(text);
    return 0;
}
