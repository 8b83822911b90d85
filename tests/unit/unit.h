/* unit: what the tests of the public functions share. */
#ifndef TRAWL_UNIT_UNIT_H
#define TRAWL_UNIT_UNIT_H

#include "test.h"
#include "trawl.h"

/* TRAWL_OK is demanded, or the test program ends: what follows would mean nothing. */
#define MUST(call) unit_must((call), #call, __FILE__, __LINE__)

static inline void unit_must(enum trawl_status status, const char *what, const char *file, int line)
{
    test_checks++;
    if (status == TRAWL_OK)
        return;
    printf("%s:%d: status %d (%s): %s\n", file, line, (int)status, trawl_status_message(status),
           what);
    exit(1);
}

#define CHECK_STATUS(got, expected) TEST_CHECK_U64((uint64_t)(got), (uint64_t)(expected))

/* The call, which names its last argument `error`, fails with this status and fills the record. */
#define CHECK_ERROR(call, expected)                                       \
    do {                                                                  \
        struct trawl_error error_ = unit_error();                         \
        struct trawl_error *error = &error_;                              \
        CHECK_STATUS((call), (expected));                                 \
        unit_check_error(&error_, (expected), #call, __FILE__, __LINE__); \
    } while (0)

static inline struct trawl_error unit_error(void)
{
    struct trawl_error error;

    memset(&error, 0xab, sizeof error);
    return error;
}

static inline void unit_check_error(const struct trawl_error *error, enum trawl_status status,
                                    const char *what, const char *file, int line)
{
    const char *end = memchr(error->message, '\0', sizeof error->message);
    bool filled = error->status == status && end != NULL && end > error->message &&
                  memchr(error->message, '\n', (size_t)(end - error->message)) == NULL;

    if (!test_check(filled, "the error record tells the status and a message on one line", file,
                    line))
        printf("  %s\n", what);
}

static inline struct trawl_plan *unit_plan(const char *pattern)
{
    struct trawl_pattern patterns[1] = {{pattern, strlen(pattern)}};
    struct trawl_plan *plan = NULL;

    MUST(trawl_plan_build(patterns, 1, NULL, &plan, NULL));
    return plan;
}

static inline struct trawl_searcher *unit_searcher(uint32_t threads, uint64_t chunk_bytes)
{
    struct trawl_searcher_options options = TRAWL_SEARCHER_OPTIONS_INIT;
    struct trawl_searcher *searcher = NULL;

    options.engine = TRAWL_ENGINE_CPU;
    options.threads = threads;
    options.chunk_bytes = chunk_bytes;
    MUST(trawl_searcher_open(&options, &searcher, NULL));
    return searcher;
}

static inline struct trawl_text *unit_text(const void *bytes, uint64_t bytes_count)
{
    struct trawl_text *text = NULL;

    MUST(trawl_text_from_memory(bytes, bytes_count, &text, NULL));
    return text;
}

static inline struct trawl_text *unit_string(const char *string)
{
    return unit_text(string, strlen(string));
}

static inline uint64_t unit_count(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                                  struct trawl_text *text)
{
    uint64_t count = UINT64_MAX;

    MUST(trawl_count(searcher, plan, text, &count, NULL));
    return count;
}

/* Sinks that go on, whatever they get. */
static inline int unit_ignore_matches(void *context, const struct trawl_match *matches,
                                      uint64_t match_count)
{
    (void)context;
    (void)matches;
    (void)match_count;
    return 0;
}

static inline int unit_ignore_counts(void *context, const struct trawl_pattern_count *counts,
                                     uint64_t counts_count)
{
    (void)context;
    (void)counts;
    (void)counts_count;
    return 0;
}

static inline int unit_ignore_window(void *context, const struct trawl_window *window)
{
    (void)context;
    (void)window;
    return 0;
}

#endif
