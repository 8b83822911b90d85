/* answer: compares the frames of an answer with the command's output, messages and exit status for
 * the same command line, byte by byte; compares counts and columns with the command's counts. */
#include <jansson.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/serve/answer_ask.h"
#include "tests/serve/answer_tree.h"
#include "tests/serve/short_memory.h"
#include "tests/test.h"

#define ARGUMENTS_MAX 32

/* ---- Passes that take too long ------------------------------------------------------------------
 */

/* While this is set, each search has a pass, which ends only when the pass is cancelled. */
static atomic_bool pass_hangs;

bool __real_pass_run(struct passes *passes, struct pass_request *request);
bool __wrap_pass_run(struct passes *passes, struct pass_request *request);

bool __wrap_pass_run(struct passes *passes, struct pass_request *request)
{
    while (pass_hangs)
        if (request->cancelled)
            return false;
    return __real_pass_run(passes, request);
}

bool __real_pass_is_frequent(struct passes *passes, const struct state *state,
                             const struct trawl_plan *plan);
bool __wrap_pass_is_frequent(struct passes *passes, const struct state *state,
                             const struct trawl_plan *plan);

bool __wrap_pass_is_frequent(struct passes *passes, const struct state *state,
                             const struct trawl_plan *plan)
{
    return !pass_hangs && __real_pass_is_frequent(passes, state, plan);
}

/* ---- Command lines ----------------------------------------------------------------------------
 */

static const char *const options[] = {
    "-n",
    "-i",
    "-w",
    "-v",
    "-c",
    "-l",
    "--files-without-match",
    "-o",
    "-A2",
    "-B1",
    "-C1",
    "--heading",
    "--color=always",
    "--json",
    "-m2",
    "-m0",
    "--sort=path",
    "--sortr=path",
    "-E",
    "-u",
    "--type-not=c",
    "--unrestricted",
    "-g*.c",
    "-g!src/*",
    "-q",
    "--count-matches",
    "--positions",
    "--first",
    "--replace=<$0>",
    "-x",
    "-H",
    "--no-filename",
    "-b",
    "--initial-tab",
    "-Z",
    "-z",
    "-a",
    "-I",
    "--column",
    "--vimgrep",
    "--passthru",
    "--trim",
    "-M20",
    "--max-columns-preview",
    "--smart-case",
    "--crlf",
    "--include=*.c",
    "--exclude=*.h",
    "--exclude-dir=deep",
    "--ignore",
    "--hidden",
    "--no-hidden",
    "-tc",
    "--max-depth=1",
    "--max-filesize=200",
    "--debug",
    "--count-by-pattern",
    "--unmatched-patterns",
    "--pattern-number",
    "--overlapping",
    "--mismatches=1",
    "--edits=1",
    "--distance",
    "--fasta",
    "--encoding=utf-16le",
    "--encoding=auto",
    "--search-zip",
    "--line-buffered",
    "-s",
    "--label=x",
    "--binary-files=text",
    "--group-separator=##",
    "--no-group-separator",
    "--files",
    "--hyperlink-format=file",
    "--path-separator=%",
    "--pretty",
    "--include-zero",
    "-N",
    "--hex",
    "--recursive",
    "-dskip",
    "-3",
    "--null-data",
    "-y",
};
static const char *const strings[] = {"needle",          "foo",   "absent",   "in",     "a",
                                      "x\nfoo",          "",      "\xc3\xa9", "Needle", "7365",
                                      "haystack needle", "foobar"};
static const char *const paths[] = {
    "src",   "docs",    ".",         "src/deep", "./src",          "src/f1.h",
    "docs/", "nothing", "zeros.bin", "empty",    "src/deep/f2.txt"};

/* Runs a command line by the command and by the server's code, and compares. */
struct line {
    char *arguments[ARGUMENTS_MAX];
    int count;
    json_t *body;
};

static void begin_line(struct line *line, bool is_tg)
{
    line->count = 0;
    line->arguments[line->count++] = (char *)(uintptr_t)(is_tg ? "tg" : "trawl");
    line->body = json_pack("{s:s, s:b, s:[], s:[], s:[], s:o}", "format", "frames", "tg", is_tg,
                           "options", "patterns", "paths", "directory", json_string(getenv("PWD")));
}

static void add(struct line *line, const char *member, const char *text)
{
    json_array_append_new(json_object_get(line->body, member), json_string(text));
    if (strcmp(member, "patterns") == 0)
        line->arguments[line->count++] = (char *)(uintptr_t) "-e";
    line->arguments[line->count++] = (char *)(uintptr_t)text;
}

/* without a directory to search, the command would read standard input */
static void finish_line(struct line *line, bool has_paths)
{
    if (!has_paths) {
        json_array_append_new(json_object_get(line->body, "options"), json_string("--recursive"));
        line->arguments[line->count++] = (char *)(uintptr_t) "--recursive";
    }
    line->arguments[line->count] = NULL;
}

static bool same(const char *what, const struct output_bytes *got,
                 const struct output_bytes *expected)
{
    if (got->count == expected->count && memcmp(got->bytes, expected->bytes, got->count) == 0)
        return true;
    printf("%s: got %zu bytes, expected %zu:\n%.600s\n---\n%.600s\n", what, got->count,
           expected->count, got->bytes, expected->bytes);
    return false;
}

static void check_line(struct line *line)
{
    struct printed got, expected;
    bool good;

    run_command(line->arguments, &expected);
    good = ask(line->body, REQUEST_JSON, &got);
    mask_elapsed(&got.output);
    mask_elapsed(&expected.output);
    if (!good && expected.status == 2) { /* the same command line as a request */
        TEST_CHECK(got.messages.count > 0 && (got.status == 400 || got.status == 422));
        if (!TEST_CHECK(strncmp(got.messages.bytes, "options:", 8) == 0 ||
                        strstr(expected.messages.bytes, got.messages.bytes) != NULL))
            printf("  got %s\n  expected %s\n", got.messages.bytes, expected.messages.bytes);
    } else {
        good = good && got.status == expected.status;
        good &= same("output", &got.output, &expected.output);
        good &= same("messages", &got.messages, &expected.messages);
        if (!TEST_CHECK(good)) {
            printf("  status %d, expected %d:", got.status, expected.status);
            for (int i = 0; i < line->count; i++)
                printf(" '%s'", line->arguments[i]);
            printf("\n");
        }
    }
    free_printed(&got);
    free_printed(&expected);
    json_decref(line->body);
}

static void check_random(struct test_random *random)
{
    struct line line;
    bool has_paths = test_random_one_in(random, 3), is_tg = test_random_one_in(random, 4);

    begin_line(&line, is_tg);
    for (uint64_t i = test_random_below(random, 5); i > 0; i--)
        add(&line, "options", options[test_random_below(random, sizeof options / sizeof *options)]);
    if (has_paths && test_random_one_in(random, 2))
        add(&line, "options", "--recursive");
    for (uint64_t i = 1 + test_random_below(random, 3); i > 0; i--)
        add(&line, "patterns",
            strings[test_random_below(random, sizeof strings / sizeof *strings)]);
    for (uint64_t i = 1 + test_random_below(random, 2); has_paths && i > 0; i--)
        add(&line, "paths", paths[test_random_below(random, sizeof paths / sizeof *paths)]);
    finish_line(&line, has_paths);
    check_line(&line);
}

/* Links to the client's directory. */
static void check_links(void)
{
    struct line line;

    begin_line(&line, false);
    add(&line, "options", "--hyperlink-format=file");
    add(&line, "options", "--color=always");
    add(&line, "patterns", "needle");
    finish_line(&line, false);
    check_line(&line);
}

/* Runs each option alone, on files of all kinds. A pass shows that most files do not contain
 * "foobar". */
static void check_table(void)
{
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        for (unsigned way = 0; way < 4; way++) {
            struct line line;

            begin_line(&line, way % 2 == 1);
            add(&line, "options", options[i]);
            add(&line, "patterns", way < 2 ? "needle" : "foobar");
            finish_line(&line, false);
            check_line(&line);
        }
}

/* ---- Counts and columns -----------------------------------------------------------------------
 */

/* Returns the command's result for the same search: lines of name, offset and number. */
struct position {
    uint64_t begin, number;
    const char *name;
};

static size_t read_positions(struct printed *printed, struct position *positions)
{
    size_t count = 0;
    char *end;

    for (char *line = printed->output.bytes; *line != '\0'; line = end + 1) {
        char *number = memrchr(line, ':', strcspn(line, "\n")), *begin;

        end = line + strcspn(line, "\n");
        begin = memrchr(line, ':', (size_t)(number - line));
        *begin = '\0';
        positions[count].name = line;
        positions[count].begin = strtoull(begin + 1, NULL, 10);
        positions[count++].number = strtoull(number + 1, NULL, 10);
    }
    return count;
}

static uint64_t little(const char *bytes, unsigned bytes_count)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < bytes_count; i++)
        value |= (uint64_t)(uint8_t)bytes[i] << 8 * i;
    return value;
}

static uint64_t member(const json_t *object, const char *name)
{
    return (uint64_t)json_integer_value(json_object_get(object, name));
}

/* Returns a name in the form that JSON answers have. */
static bool is_name(json_t *value, const char *name)
{
    return json_is_string(value) ? strcmp(json_string_value(value), name) == 0
                                 : strcmp(name, "docs/name\xff") == 0 &&
                                       strcmp(json_string_value(json_object_get(value, "bytes")),
                                              "ZG9jcy9uYW1l/w==") == 0;
}

static void check_columns(json_t *body, const struct position *expected, size_t expected_count)
{
    struct printed got;
    json_t *head;
    size_t count, head_bytes, file = 0;
    const char *columns;

    if (!TEST_CHECK(ask(body, REQUEST_JSON, &got))) {
        printf("  %s\n", got.messages.bytes);
        return;
    }
    head = json_loadb(got.output.bytes, got.output.count, JSON_DISABLE_EOF_CHECK, NULL);
    head_bytes = strcspn(got.output.bytes, "\n") + 1;
    count = member(head, "count");
    columns = got.output.bytes + head_bytes;
    TEST_CHECK_U64(member(head, "total"), expected_count);
    TEST_CHECK_U64(count, expected_count < 500 ? expected_count : 500);
    TEST_CHECK_U64(got.output.count, head_bytes + 16 * count);
    for (size_t i = 0; i < count && got.output.count == head_bytes + 16 * count; i++) {
        file += i > 0 && strcmp(expected[i].name, expected[i - 1].name) != 0;
        TEST_CHECK_U64(little(columns + 8 * i, 8), expected[i].begin);
        TEST_CHECK_U64(little(columns + 8 * count + 4 * i, 4), file);
        TEST_CHECK_U64(little(columns + 12 * count + 4 * i, 4), expected[i].number - 1);
        TEST_CHECK(is_name(json_array_get(json_object_get(head, "files"), file), expected[i].name));
    }
    json_decref(head);
    free_printed(&got);
}

static void check_count(json_t *body, const struct position *expected, size_t expected_count,
                        size_t string_count)
{
    struct printed got;
    json_t *counts;
    uint64_t files = 0;

    TEST_CHECK(ask(body, REQUEST_COUNT, &got));
    counts = json_loadb(got.output.bytes, got.output.count, 0, NULL);
    for (size_t i = 0; i < expected_count; i++)
        files += i == 0 || strcmp(expected[i].name, expected[i - 1].name) != 0;
    TEST_CHECK_U64(member(counts, "occurrences"), expected_count);
    TEST_CHECK_U64(member(counts, "files"), files);
    TEST_CHECK_U64(json_array_size(json_object_get(counts, "patterns")), string_count);
    for (size_t i = 0; i < string_count; i++) {
        uint64_t sum = 0;

        for (size_t j = 0; j < expected_count; j++)
            sum += expected[j].number == i + 1;
        TEST_CHECK_U64(
            (uint64_t)json_integer_value(json_array_get(json_object_get(counts, "patterns"), i)),
            sum);
    }
    json_decref(counts);
    free_printed(&got);
}

/* The strings have no duplicates, so each occurrence has a single number. */
static void check_positions(void)
{
    static const char *const sets[][4] = {
        {"needle", "foo", "absent", NULL}, {"foobar", NULL}, {"a", "in", "x", NULL}};
    static const char *const modes[] = {"--sort=path", "-i", "-w", "-g*.h", "--mismatches=0"};
    static struct position positions[20000];

    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        for (size_t j = 0; j < sizeof modes / sizeof *modes; j++) {
            struct printed expected;
            struct line line;
            size_t strings_count = 0, count;

            begin_line(&line, false);
            add(&line, "options", modes[j]);
            for (; sets[i][strings_count] != NULL; strings_count++)
                add(&line, "patterns", sets[i][strings_count]);
            line.arguments[line.count++] = (char *)(uintptr_t) "--recursive";
            line.arguments[line.count++] = (char *)(uintptr_t) "--search-zip"; /* as held */
            line.arguments[line.count++] = (char *)(uintptr_t) "--positions";
            line.arguments[line.count++] = (char *)(uintptr_t) "--pattern-number";
            line.arguments[line.count] = NULL;
            run_command(line.arguments, &expected);
            count = read_positions(&expected, positions);
            json_object_set_new(line.body, "format", json_string("columns"));
            json_object_set_new(line.body, "max_results", json_integer(500));
            check_columns(line.body, positions, count);
            json_object_del(line.body, "format");
            check_count(line.body, positions, count, strings_count);
            json_decref(line.body);
            free_printed(&expected);
        }
}

/* ---- What else a client may get ---------------------------------------------------------------
 */

static json_t *body_of(const char *text)
{
    json_t *body = json_loads(text, 0, NULL);

    TEST_CHECK(body != NULL);
    return body;
}

static void check_refused(const char *text, enum request_format format, int http_status,
                          const char *message)
{
    json_t *body = body_of(text);
    struct printed got;

    TEST_CHECK(!ask(body, format, &got));
    TEST_CHECK_U64((uint64_t)got.status, (uint64_t)http_status);
    if (!TEST_CHECK(strstr(got.messages.bytes, message) != NULL))
        printf("  %s\n", got.messages.bytes);
    free_printed(&got);
    json_decref(body);
}

static void check_refusals(void)
{
    check_refused("{\"patterns\":[\"a\"],\"collection\":\"no\"}", REQUEST_JSON, 404,
                  "no collection 'no'");
    check_refused("{\"patterns\":[\"a\"],\"paths\":[\"/etc\"]}", REQUEST_JSON, 404,
                  "no collection holds '/etc'");
    check_refused("{\"patterns\":[\"a\"],\"directory\":\"/\"}", REQUEST_COUNT, 404,
                  "no collection holds '/'");
    check_refused("{\"patterns\":[\"a\"],\"options\":[\"-c\"]}", REQUEST_JSON, 400,
                  "--json cannot be combined with -c");
    check_refused("{\"patterns\":[\"q\"],\"options\":[\"--hex\"]}", REQUEST_COUNT, 400, "--hex");
    check_refused("{\"patterns\":[\"a\"],\"options\":[\"-x\",\"-z\"]}", REQUEST_COUNT, 422, "-x");
}

/* A JSON answer consists of JSON lines to its end. */
static void check_json(void)
{
    json_t *body = body_of("{\"patterns\":[\"needle\"]}"), *line = NULL;
    struct printed got;
    size_t count = 0;

    json_lines.count = 0;
    TEST_CHECK(ask(body, REQUEST_JSON, &got));
    for (char *at = got.output.bytes; *at != '\0'; at += strcspn(at, "\n") + 1, count++) {
        json_decref(line);
        line = json_loadb(at, strcspn(at, "\n"), 0, NULL);
        TEST_CHECK(line != NULL);
    }
    TEST_CHECK(count > 10 &&
               strcmp(json_string_value(json_object_get(line, "type")), "summary") == 0);
    json_decref(line);
    line = json_loadb(json_lines.bytes, json_lines.count, 0, NULL);
    TEST_CHECK(strcmp(json_string_value(json_object_get(line, "type")), "status") == 0);
    TEST_CHECK(json_is_false(json_object_get(json_object_get(line, "data"), "truncated")));
    TEST_CHECK_U64(member(json_object_get(line, "data"), "exit"), 0);
    json_decref(line);
    free_printed(&got);

    json_lines.count = count = 0;
    json_object_set_new(body, "max_results", json_integer(7));
    TEST_CHECK(ask(body, REQUEST_JSON, &got));
    for (char *at = got.output.bytes; (at = strstr(at, "\"type\":\"match\"")) != NULL; at++)
        count++;
    TEST_CHECK_U64(count, 7);
    line = json_loadb(json_lines.bytes, json_lines.count, 0, NULL);
    TEST_CHECK(json_is_true(json_object_get(json_object_get(line, "data"), "truncated")));
    TEST_CHECK_U64(member(json_object_get(line, "data"), "exit"), 0);
    json_decref(line);
    free_printed(&got);

    json_object_set_new(body, "format", json_string("frames"));
    TEST_CHECK(ask(body, REQUEST_JSON, &got));
    TEST_CHECK_U64((uint64_t)got.status, 2);
    TEST_CHECK(strstr(got.messages.bytes, "cut off after 7 lines") != NULL);
    free_printed(&got);
    json_decref(body);

    /* The line that ends the document does not count as a result. */
    json_lines.count = 0;
    body = body_of("{\"patterns\":[\"foo\"],\"paths\":[\"strings\"],\"max_results\":1}");
    TEST_CHECK(ask(body, REQUEST_JSON, &got));
    TEST_CHECK(strstr(got.output.bytes, "\"type\":\"summary\"") != NULL);
    line = json_loadb(json_lines.bytes, json_lines.count, 0, NULL);
    TEST_CHECK(json_is_false(json_object_get(json_object_get(line, "data"), "truncated")));
    json_decref(line);
    free_printed(&got);
    json_decref(body);

    /* The limit equals the number of results, so nothing is cut off. */
    body = body_of("{\"patterns\":[\"foo\"],\"paths\":[\"strings\"],\"max_results\":1,"
                   "\"format\":\"frames\"}");
    TEST_CHECK(ask(body, REQUEST_JSON, &got));
    TEST_CHECK_U64((uint64_t)got.status, 0);
    TEST_CHECK(strcmp(got.output.bytes, "foo\n") == 0);
    free_printed(&got);
    json_decref(body);
}

/* The time is over during a pass. The job has searched the first files before, so their lines
 * come. */
static void check_time(void)
{
    json_t *body = body_of("{\"patterns\":[\"needle\"],\"max_seconds\":1}"), *line;
    struct printed got;

    pass_hangs = true;
    TEST_CHECK(!ask(body, REQUEST_COUNT, &got));
    TEST_CHECK_U64((uint64_t)got.status, 503);
    TEST_CHECK(strstr(got.messages.bytes, "longer than the server or the request allows") != NULL);
    free_printed(&got);
    json_lines.count = 0;
    TEST_CHECK(ask(body, REQUEST_JSON, &got));
    line = json_loadb(json_lines.bytes, json_lines.count, 0, NULL);
    TEST_CHECK(json_is_true(json_object_get(json_object_get(line, "data"), "truncated")));
    json_decref(line);
    free_printed(&got);
    json_object_set_new(body, "format", json_string("frames"));
    TEST_CHECK(ask(body, REQUEST_JSON, &got));
    TEST_CHECK_U64((uint64_t)got.status, 2);
    TEST_CHECK(strstr(got.messages.bytes, "cut off after 1 s") != NULL);
    TEST_CHECK(got.output.count == 0);
    free_printed(&got);
    for (unsigned k = 0; k < 2000; k++) {
        char path[4096];

        (void)snprintf(path, sizeof path, "%s/first-%u", top, k);
        put(path, "needle\n");
    }
    TEST_CHECK(ask(body, REQUEST_JSON, &got) && got.output.count > 0);
    free_printed(&got);
    json_decref(body);
    pass_hangs = false;
}

/* Compares the results, without times. */
static bool ask_for_matches(json_t *body, enum request_format format, struct printed *got)
{
    bool good = ask(body, format, got);
    char *seconds = format == REQUEST_COUNT ? strstr(got->output.bytes, "\"seconds\"") : NULL;

    mask_elapsed(&got->output);
    if (seconds != NULL)
        got->output.count = (size_t)(seconds - got->output.bytes);
    return good;
}

/* Memory is exhausted at each allocation: the status does not blame the request, and the answer is
 * right or reports the shortage. (The tests had missed that only the filter of a view, and nothing
 * that a job makes before, counted as a shortage.) A view with --max-filesize is made again for
 * each request. */
static void check_short(void)
{
    static const struct {
        const char *body;
        enum request_format format;
    } asked[] = {
        {"{\"patterns\":[\"needle\",\"foo\"],\"options\":[\"--ignore\","
         "\"--max-filesize=1M\"]}",
         REQUEST_COUNT},
        {"{\"patterns\":[\"needle\"],\"format\":\"frames\",\"options\":[\"-tc\",\"-g*.c\","
         "\"--max-filesize=1M\"]}",
         REQUEST_JSON},
        {"{\"patterns\":[\"6e656564\"],\"options\":[\"--include=*.c\",\"--hex\"]}", REQUEST_JSON}};

    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        json_t *body = body_of(asked[i].body);
        struct printed expected, got;
        uint64_t refused_count = 0;

        TEST_CHECK(ask_for_matches(body, asked[i].format, &expected));
        for (long fault = 0; fault < 400 && test_failures == 0;
             fault += test_is_long() || fault < 200 ? 1 : 9) {
            bool good;

            ask_short_after = fault / 2;
            ask_short_count = fault % 2 == 0 ? 1 : 20;
            good = ask_for_matches(body, asked[i].format, &got);
            ask_short_after = -1;
            refused_count += !good;
            if (!good)
                TEST_CHECK_U64((uint64_t)got.status, 503);
            else if (got.status == expected.status)
                TEST_CHECK(same("under faults", &got.output, &expected.output));
            else /* the answer reports the shortage, or breaks off */
                TEST_CHECK(got.status == 2 || got.status == -1);
            if (test_failures > 0)
                printf("  fault %ld of %s: %s\n", fault, asked[i].body, got.messages.bytes);
            free_printed(&got);
        }
        TEST_CHECK(refused_count > 20);
        free_printed(&expected);
        json_decref(body);
    }
}

/* /metrics counts every answer that was read to its end. */
static void check_sums(void)
{
    uint64_t answers = 0, latencies = 0;

    for (size_t i = 0; i < 4; i++)
        answers += server.request_count[i];
    for (size_t i = 0; i < 32; i++)
        latencies += server.latency_counts[i];
    TEST_CHECK(answers > 0 && server.answer_bytes > 0);
    TEST_CHECK_U64(latencies, answers);
    TEST_CHECK_U64(server.cancelled_count, 0);
    TEST_CHECK_U64(server.running_count, 0);
}

/* The client disconnects after some bytes, or before any byte. */
static void check_goes_away(void)
{
    for (size_t bytes_count = 0; bytes_count <= 100000; bytes_count += 50000) {
        static const char body[] = "{\"patterns\":[\"\"],\"options\":[\"-nH\"]}";
        static const char good[] = "{\"patterns\":[\"\"],\"options\":[\"-n\",\"-C99\"]}";
        char message[SETTINGS_ERROR_BYTES], *bytes = malloc(bytes_count + 1);
        struct request request;
        struct served_answer *answer;
        int http_status = 0;
        size_t got = 0;

        TEST_CHECK(!request_read(&request, body, strlen(body), REQUEST_JSON, &server.limits,
                                 &http_status, message));
        request_free(&request);
        http_status = 0;
        TEST_CHECK(request_read(&request, good, strlen(good), REQUEST_JSON, &server.limits,
                                &http_status, message));
        answer = answer_begin(&server, &request, 1, &http_status, message);
        TEST_CHECK(answer != NULL);
        while (answer != NULL && got < bytes_count) {
            ssize_t more = answer_read(answer, -1, bytes + got, bytes_count - got);

            if (more <= 0)
                break;
            got += (size_t)more;
        }
        if (answer != NULL)
            answer_end(answer);
        free(bytes);
    }
    TEST_CHECK_U64(server.running_count, 0);
}

/* ---- Several at the same time -----------------------------------------------------------------
 */

#define TOGETHER_THREADS 6
#define TOGETHER_LINES 8

static json_t *together_bodies[TOGETHER_LINES];
static struct printed together_expected[TOGETHER_LINES];

/* Returns how many answers were wrong. */
static void *ask_many(void *context)
{
    uintptr_t wrong = 0;
    uint64_t count = test_amount(100, 2000);

    for (uint64_t i = (uintptr_t)context; i < count; i++) {
        const struct printed *expected = &together_expected[i % TOGETHER_LINES];
        struct printed got;

        wrong += !ask(together_bodies[i % TOGETHER_LINES], REQUEST_JSON, &got) ||
                 got.status != expected->status || got.output.count != expected->output.count ||
                 memcmp(got.output.bytes, expected->output.bytes, got.output.count) != 0;
        free_printed(&got);
    }
    free(json_lines.bytes);
    return (void *)wrong;
}

static void check_together(void)
{
    static const char *const asked[TOGETHER_LINES][2] = {
        {"-n", "needle"}, {"-i", "foo"},    {"-c", "absent"}, {"-w", "\xc3\xa9t\xc3\xa9"},
        {"-l", "foobar"}, {"-v", "needle"}, {"-o", "in"},     {"-C1", "haystack x"}};
    pthread_t threads[TOGETHER_THREADS];
    void *wrong;

    for (size_t i = 0; i < TOGETHER_LINES; i++) {
        struct line line;

        begin_line(&line, false);
        add(&line, "options", asked[i][0]);
        add(&line, "patterns", asked[i][1]);
        finish_line(&line, false);
        run_command(line.arguments, &together_expected[i]);
        together_bodies[i] = line.body;
    }
    for (uintptr_t i = 0; i < TOGETHER_THREADS; i++)
        TEST_CHECK(pthread_create(&threads[i], NULL, ask_many, (void *)i) == 0);
    for (size_t i = 0; i < TOGETHER_THREADS; i++) {
        pthread_join(threads[i], &wrong);
        TEST_CHECK_U64((uintptr_t)wrong, 0);
    }
    for (size_t i = 0; i < TOGETHER_LINES; i++) {
        free_printed(&together_expected[i]);
        json_decref(together_bodies[i]);
    }
}

int main(int argument_count, char **arguments)
{
    static const uint64_t held_bytes[] = {1, 8192, 0}; /* few files, some files, all files */
    char *unpacks[] = {(char *)(uintptr_t) "trawl", (char *)(uintptr_t) "--search-zip"};
    struct settings settings;
    char message[SETTINGS_ERROR_BYTES];
    struct test_random random = test_random_begin("serve_answer");
    struct collection *collection = NULL;

    test_begin("serve_answer");
    TEST_CHECK(argument_count == 3);
    command = realpath(arguments[1], NULL);
    setenv("LC_ALL", arguments[2], 1);
    unsetenv("GREP_COLORS");
    unsetenv("GREP_COLOR");
    signal(SIGPIPE, SIG_IGN);
    begin_trees();
    server.runtime = runtime;
    setenv("PWD", top, 1);
    make_tree(&random);
    TEST_CHECK(chdir("/") == 0);
    TEST_CHECK(passes_open(&server.passes, runtime, message));
    server.collections = &collection;
    server.collection_count = 1;
    TEST_CHECK(parse(&settings, 2, unpacks));
    for (size_t i = 0; i < sizeof held_bytes / sizeof *held_bytes; i++) {
        if (i > 0)
            collection_close(collection);
        collection = open_with(&settings, top, true, held_bytes[i]);
        check_table();
        for (uint64_t j = test_amount(300, 15000); j > 0 && test_failures < 10; j--)
            check_random(&random);
        check_positions();
    }
    check_links();
    check_refusals();
    check_json();
    check_sums();
    check_together();
    check_short();
    check_time();
    check_goes_away();
    TEST_CHECK(server.cancelled_count > 0);
    collection_close(collection);
    passes_close(server.passes);
    settings_free(&settings);
    free(json_lines.bytes);
    return end_trees();
}
