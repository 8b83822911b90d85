/* calls: short forms of the public functions for tests. A must_... function opens an object; if
 * that fails, it ends the test program, since later checks would be meaningless. An AUTO_...
 * variable closes its object at the end of its block, the last variable first.
 */
#ifndef TRAWL_TESTS_CALLS_H
#define TRAWL_TESTS_CALLS_H

#include "asks.h"
#include "test.h"
#include "trawl.h"
#if TRAWL_GALLERY
#include "gallery/trawl_gallery.h"
#else
static inline const char *trawl_algorithm(uint32_t index, const char **summary, uint32_t *engines)
{
    (void)index;
    (void)summary;
    (void)engines;
    return NULL;
}
#endif

#define MUST(call) calls_must((call), #call, __FILE__, __LINE__)

static inline void calls_must(enum trawl_status status, const char *what, const char *file,
                              int line)
{
    test_checks++;
    if (status == TRAWL_OK)
        return;
    printf("%s:%d: status %d (%s): %s\n", file, line, (int)status, trawl_status_message(status),
           what);
    exit(1);
}

#define CHECK_STATUS(got, expected) TEST_CHECK_U64((uint64_t)(got), (uint64_t)(expected))

/* Checks that the call, whose last argument is `error`, fails with this status and fills *error. */
#define CHECK_ERROR(call, expected)                                        \
    do {                                                                   \
        struct trawl_error error_ = calls_error();                         \
        struct trawl_error *error = &error_;                               \
        CHECK_STATUS((call), (expected));                                  \
        calls_check_error(&error_, (expected), #call, __FILE__, __LINE__); \
    } while (0)

static inline struct trawl_error calls_error(void)
{
    struct trawl_error error;

    memset(&error, 0xab, sizeof error);
    return error;
}

static inline void calls_check_error(const struct trawl_error *error, enum trawl_status status,
                                     const char *what, const char *file, int line)
{
    const char *end = memchr(error->message, '\0', sizeof error->message);
    bool filled = error->status == status && end != NULL && end > error->message &&
                  memchr(error->message, '\n', (size_t)(end - error->message)) == NULL;

    if (!test_check(filled, "the error record tells the status and a message on one line", file,
                    line))
        printf("  %s\n", what);
}

/* Checks that the call rejects misuse with TRAWL_ARGUMENT. */
#define CHECK_REFUSED(call) CHECK_ERROR(call, TRAWL_ARGUMENT)

/* ---- Texts and plans ---------------------------------------------------------------------- */

static inline enum trawl_status call_memory(const void *bytes, uint64_t bytes_count,
                                            struct trawl_text **text, struct trawl_error *error)
{
    struct trawl_text_options options = TRAWL_TEXT_MEMORY(bytes, bytes_count);

    return trawl_text_open(NULL, &options, text, error);
}

static inline enum trawl_status call_device(uint64_t address, uint64_t bytes_count,
                                            struct trawl_text **text, struct trawl_error *error)
{
    struct trawl_text_options options =
        TRAWL_TEXT_MEMORY((const void *)(uintptr_t)address, bytes_count);

    options.source = TRAWL_SOURCE_DEVICE;
    return trawl_text_open(NULL, &options, text, error);
}

static inline enum trawl_status call_file(const char *path, uint32_t flags,
                                          struct trawl_text **text, struct trawl_error *error)
{
    struct trawl_text_options options = TRAWL_TEXT_OPTIONS_INIT;

    options.flags = flags;
    return trawl_text_open(path, &options, text, error);
}

static inline enum trawl_status call_descriptor(int descriptor, const char *name, uint32_t flags,
                                                struct trawl_text **text, struct trawl_error *error)
{
    struct trawl_text_options options = TRAWL_TEXT_OPTIONS_INIT;

    options.flags = flags;
    options.source = TRAWL_SOURCE_DESCRIPTOR;
    options.descriptor = descriptor;
    return trawl_text_open(name, &options, text, error);
}

/* Returns what trawl_text_tell reports of a text; unknown size and no format if that fails. */
static inline struct trawl_text_told call_text(const struct trawl_text *text)
{
    struct trawl_text_told told = {.size = sizeof told, .text_bytes = UINT64_MAX};

    (void)!trawl_text_tell(text, &told, NULL);
    return told;
}

/* Returns the format of compressed bytes. */
static inline const char *call_compression(const void *bytes, uint64_t bytes_count)
{
    struct trawl_text *text = NULL;
    const char *format;

    MUST(call_memory(bytes, bytes_count, &text, NULL));
    format = call_text(text).compression;
    trawl_text_close(text);
    return format;
}

/* Returns what the library tells about a plan, and about one of its patterns. */
static inline struct trawl_plan_told call_describe(const struct trawl_plan *plan,
                                                   uint64_t pattern_index)
{
    struct trawl_plan_told told;

    memset(&told, 0, sizeof told);
    told.size = sizeof told;
    told.pattern_index = pattern_index;
    MUST(trawl_plan_tell(plan, &told, NULL));
    return told;
}

/* Options with the named fields; all other fields have their defaults. */
#define PLAN_WITH(...) \
    (&(struct trawl_plan_options){.size = sizeof(struct trawl_plan_options), __VA_ARGS__})
#define SEARCHER_WITH(...) \
    (&(struct trawl_searcher_options){.size = sizeof(struct trawl_searcher_options), __VA_ARGS__})

static inline struct trawl_plan *must_plans(const struct trawl_pattern *patterns, uint64_t count,
                                            const struct trawl_plan_options *options)
{
    struct trawl_plan *plan = NULL;

    MUST(trawl_plan_build(patterns, count, options, &plan, NULL));
    return plan;
}

static inline struct trawl_plan *must_plan_with(const char *pattern,
                                                const struct trawl_plan_options *options)
{
    return must_plans(&(struct trawl_pattern){pattern, strlen(pattern)}, 1, options);
}

static inline struct trawl_plan *must_plan(const char *pattern)
{
    return must_plan_with(pattern, NULL);
}

static inline struct trawl_searcher *must_searcher_with(
    const struct trawl_searcher_options *options)
{
    struct trawl_searcher *searcher = NULL;

    MUST(trawl_searcher_open(options, &searcher, NULL));
    return searcher;
}

/* Opens a searcher on the CPU. If threads or chunk_bytes is 0, the library chooses that number. */
static inline struct trawl_searcher *must_searcher(uint32_t threads, uint64_t chunk_bytes)
{
    return must_searcher_with(
        SEARCHER_WITH(.engine = TRAWL_ENGINE_CPU, .threads = threads, .chunk_bytes = chunk_bytes));
}

static inline struct trawl_runtime *must_runtime(enum trawl_engine engine, uint32_t threads,
                                                 uint64_t host_memory_bytes)
{
    struct trawl_runtime *runtime = NULL;

    MUST(trawl_runtime_open(
        SEARCHER_WITH(.engine = engine, .threads = threads, .host_memory_bytes = host_memory_bytes),
        &runtime, NULL));
    return runtime;
}

static inline struct trawl_searcher *must_searcher_of(struct trawl_runtime *runtime,
                                                      uint64_t chunk_bytes)
{
    return must_searcher_with(SEARCHER_WITH(.runtime = runtime, .chunk_bytes = chunk_bytes));
}

static inline struct trawl_text *must_text(const void *bytes, uint64_t bytes_count)
{
    struct trawl_text *text = NULL;

    MUST(call_memory(bytes, bytes_count, &text, NULL));
    return text;
}

static inline struct trawl_text *must_string(const char *string)
{
    return must_text(string, strlen(string));
}

static inline struct trawl_text *must_file(const char *path)
{
    struct trawl_text *text = NULL;

    MUST(trawl_text_open(path, NULL, &text, NULL));
    return text;
}

static inline struct trawl_text *must_descriptor(int descriptor)
{
    struct trawl_text *text = NULL;

    MUST(call_descriptor(descriptor, NULL, 0, &text, NULL));
    return text;
}

static inline uint64_t must_count(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                                  struct trawl_text *text)
{
    uint64_t count = UINT64_MAX;

    MUST(trawl_count(searcher, plan, text, &count, NULL));
    return count;
}

static inline struct trawl_stats must_worker(const struct trawl_searcher *searcher, uint32_t worker)
{
    struct trawl_stats stats = {.size = sizeof stats, .worker = worker};

    MUST(trawl_searcher_stats(searcher, &stats, NULL));
    return stats;
}

static inline struct trawl_stats must_stats(const struct trawl_searcher *searcher)
{
    return must_worker(searcher, 0);
}

/* Returns true if the statistics of the last call are consistent: those of all kinds of workers add
 * up to the call's, and the bytes by method to the searched bytes. In a call that ended early,
 * workers may have searched more than was delivered. */
static inline bool stats_agree(const struct trawl_searcher *searcher, bool ended_early)
{
    struct trawl_stats stats = must_worker(searcher, 0);
    uint64_t bytes = 0, by_method = 0;
    bool named = true;

    for (uint32_t i = 0; i < stats.worker_count; i++) {
        char name[sizeof stats.worker_name] = "cpu";

        if (i > 0)
            (void)snprintf(name, sizeof name, "device %u", i - 1);
        stats = must_worker(searcher, i);
        named = named && strcmp(stats.worker_name, name) == 0;
        bytes += stats.worker_text_bytes;
        for (uint32_t method = 0; method < TRAWL_METHODS_COUNT; method++)
            by_method += stats.worker_method_bytes[method];
    }
    return named && by_method == bytes &&
           (stats.worker_count == 0 ||
            (stats.page_count > 0
                 ? ended_early || bytes <= stats.text_bytes /* a filter skips pages */
             : ended_early ? bytes >= stats.text_bytes
                           : bytes == stats.text_bytes));
}

static inline void calls_plan_free(struct trawl_plan **plan)
{
    trawl_plan_free(*plan);
}

static inline void calls_searcher_close(struct trawl_searcher **searcher)
{
    trawl_searcher_close(*searcher);
}

static inline void calls_text_close(struct trawl_text **text)
{
    trawl_text_close(*text);
}

static inline void calls_runtime_close(struct trawl_runtime **runtime)
{
    MUST(trawl_runtime_close(*runtime, NULL));
}

#define AUTO_PLAN __attribute__((cleanup(calls_plan_free))) struct trawl_plan *
#define AUTO_SEARCHER __attribute__((cleanup(calls_searcher_close))) struct trawl_searcher *
#define AUTO_TEXT __attribute__((cleanup(calls_text_close))) struct trawl_text *
#define AUTO_RUNTIME __attribute__((cleanup(calls_runtime_close))) struct trawl_runtime *

/* An array of up to `room` matches that a sink fills. `count` also counts the matches beyond it. */
struct calls_list {
    struct trawl_match *matches;
    uint64_t room, count;
};

static inline int calls_list_sink(void *context, const struct trawl_match *matches,
                                  uint64_t match_count)
{
    struct calls_list *list = (struct calls_list *)context;

    for (uint64_t i = 0; i < match_count; i++, list->count++)
        if (list->count < list->room)
            list->matches[list->count] = matches[i];
    return 0;
}

/* Asks for matches, and writes the first `room` matches to an array. Sets *count to the number
 * of all matches. */
static inline enum trawl_status list_matches(struct trawl_searcher *searcher,
                                             const struct trawl_plan *plan, struct trawl_text *text,
                                             struct trawl_match *matches, uint64_t room,
                                             uint64_t *count, struct trawl_error *error)
{
    struct calls_list list = {matches, room, 0};
    enum trawl_status status = ask_positions(searcher, plan, text, calls_list_sink, &list, error);

    *count = list.count;
    return status;
}

/* A function `variants` for struct trawl_letters. `context` points to three letters that equal each
 * other; any other letter equals only itself. */
static inline uint32_t three_alike(void *context, uint32_t code_point,
                                   uint32_t found[TRAWL_UTF8_VARIANTS_MAX])
{
    const uint32_t *letters = (const uint32_t *)context;

    found[0] = code_point;
    if (code_point != letters[0] && code_point != letters[1] && code_point != letters[2])
        return 1;
    memcpy(found, letters, 3 * sizeof *letters);
    return 3;
}

/* Sinks that never stop the search. */
static inline int ignore_matches(void *context, const struct trawl_match *matches,
                                 uint64_t match_count)
{
    (void)context;
    (void)matches;
    (void)match_count;
    return 0;
}

static inline int ignore_counts(void *context, const struct trawl_pattern_count *counts,
                                uint64_t counts_count)
{
    (void)context;
    (void)counts;
    (void)counts_count;
    return 0;
}

static inline int ignore_window(void *context, const struct trawl_window *window)
{
    (void)context;
    (void)window;
    return 0;
}

/* ---- Records ------------------------------------------------------------------------------ */

static inline struct trawl_record_array records_of(const void *bytes, const uint64_t *offsets,
                                                   uint64_t record_count)
{
    struct trawl_record_array array = TRAWL_RECORD_ARRAY_INIT;

    array.bytes = (const uint8_t *)bytes;
    array.offsets = offsets;
    array.record_count = record_count;
    return array;
}

/* Asks for an answer about records that stay where they are. */
static inline enum trawl_status call_records(struct trawl_searcher *searcher,
                                             const struct trawl_plan *plan,
                                             const struct trawl_record_array *array,
                                             enum trawl_what shape, struct trawl_answer *out,
                                             struct trawl_error *error)
{
    struct trawl_record_array staying = *array;
    struct trawl_records *records = NULL;
    enum trawl_status status;

    staying.flags |= TRAWL_RECORDS_STAY;
    status = trawl_records_load(searcher, &staying, &records, error);
    if (status == TRAWL_OK)
        status = ask_records_into(searcher, plan, records, shape, out, error);
    trawl_records_unload(records);
    return status;
}

/* Receives rows of the matrix. first[r * patterns + p] is the first offset of pattern p in record
 * row_first + r, or -1 if it does not occur there. Returns 0, or another number to stop the
 * search. */
typedef int (*row_sink)(void *context, uint64_t row_first, uint64_t row_count,
                        const int64_t *first);

/* Takes cells, and passes the rows of the matrix to a sink. */
struct call_rows {
    row_sink sink;
    void *context;
    int64_t *row;
    uint64_t columns;
};

static inline int call_take_cells(void *context, const struct trawl_cells *cells)
{
    const struct call_rows *rows = (const struct call_rows *)context;
    uint64_t at = 0;

    for (uint64_t r = cells->record_begin; r < cells->record_end; r++) {
        memset(rows->row, 0xff, rows->columns * sizeof *rows->row);
        for (; at < cells->cell_count && cells->records[at] == r; at++)
            rows->row[cells->patterns[at]] = (int64_t)cells->begins[at];
        if (rows->sink(rows->context, r, 1, rows->row) != 0)
            return 1;
    }
    return 0;
}

/* Passes the matrix's rows to the sink one after the other. Returns STOPPED if the sink stopped the
 * search. */
static inline enum trawl_status call_rows(struct trawl_searcher *searcher,
                                          const struct trawl_plan *plan,
                                          const struct trawl_record_array *records, row_sink sink,
                                          void *context, struct trawl_error *error)
{
    struct call_rows rows = {sink, context, NULL, call_describe(plan, 0).pattern_count};
    struct trawl_answer out = TRAWL_ANSWER(TRAWL_RECORDS_BITS);
    enum trawl_status status;

    rows.row = (int64_t *)malloc((rows.columns + 1) * sizeof *rows.row);
    if (rows.row == NULL)
        exit(1);
    out.cells = call_take_cells;
    out.context = &rows;
    status = call_records(searcher, plan, records, TRAWL_RECORDS_CELLS, &out, error);
    free(rows.row);
    return status;
}

#endif
